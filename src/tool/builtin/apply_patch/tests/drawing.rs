//! The card.

use std::fmt::Write;

use serde_json::json;

use super::{open, patch};
use crate::tool::harness::Harness;
use crate::view::card::{Card, CardPart, plain};

fn diffs(card: &Card) -> Vec<(&str, usize)> {
    let parts = card.body.iter().filter_map(|part| match part {
        CardPart::Diff(body) => Some((body.path.as_str(), body.max_lines)),
        _ => None,
    });
    parts.collect()
}

#[tokio::test]
async fn one_file_is_named_and_several_are_counted() {
    let project = open();
    project.write("a.rs", "one\n");
    let one = patch("*** Update File: a.rs\n@@\n-one\n+two\n");
    let result = project.run("apply_patch", one.clone()).await;
    let card = project.draw_result("apply_patch", &one, &result, false);
    assert_eq!((card.title.as_str(), card.argument.as_str()), ("Patch", "a.rs"));
    assert_eq!(card.meta, ["+1 \u{2212}1"]);
    assert_eq!(card.body.len(), 1);
    let two = patch("*** Update File: a.rs\n*** Move to: b.rs\n@@\n-two\n+1\n*** Add File: c\n+x\n");
    let result = project.run("apply_patch", two.clone()).await;
    let card = project.draw_result("apply_patch", &two, &result, true);
    assert_eq!(card.argument, "2 files");
    assert_eq!(diffs(&card), [("b.rs", 0), ("c", 0)]);
    let text = plain(&card);
    assert!(
        text.contains("R a.rs → b.rs · moved") && text.contains("A c · new"),
        "{text}"
    );
}

#[tokio::test]
async fn a_collapsed_card_shares_its_lines_between_the_files() {
    let project = open();
    let lines = |count: usize| "+x\n".repeat(count);
    let mut body = format!("*** Add File: 0\n{}*** Add File: 1\n{}", lines(20), lines(40));
    for file in 2..12 {
        writeln!(body, "*** Add File: {file}\n+x").unwrap();
    }
    let args = patch(&body);
    let card = project.draw_call("apply_patch", &args.to_string());
    assert_eq!(card.argument, "12 files");
    assert_eq!(
        card.body.first(),
        Some(&CardPart::Omitted("4 files above".to_owned())),
        "what is written last is in view"
    );
    let result = project.run("apply_patch", args.clone()).await;
    let card = project.draw_result("apply_patch", &args, &result, false);
    assert_eq!(diffs(&card), [("0", 40), ("1", 17)]);
    assert_eq!(
        card.body.last(),
        Some(&CardPart::Omitted("4 more files".to_owned()))
    );
    let card = project.draw_result("apply_patch", &args, &result, true);
    assert_eq!(diffs(&card).len(), 12);
}

#[test]
fn a_call_can_be_drawn_from_every_beginning_of_its_arguments() {
    let project = Harness::new();
    let body = "*** Update File: a.rs\n*** Move to: b\n@@ fn\n 世\n-two\n+2\n*** Delete File: c\n*** Add File: d\n+x\n";
    let call = json!({"input": patch(body)["patch_text"]}).to_string();
    for end in (0..=call.len()).filter(|end| call.is_char_boundary(*end)) {
        let card = project.draw_call("apply_patch", &call[..end]);
        assert_eq!(card.title, "Patch");
        plain(&card);
    }
    let card = project.draw_call("apply_patch", &call);
    assert_eq!(card.argument, "3 files");
    assert_eq!(card.meta, ["+2 \u{2212}1"]);
}
