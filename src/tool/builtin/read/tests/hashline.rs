//! Line tags, where edits name lines by them.

use super::*;
use crate::provider::EditMode;
use crate::text::hashline::Hash;

/// Reads as models do that edit by line.
fn tagging() -> Harness {
    Harness::with_settings(|settings| settings.edit_mode = EditMode::Hashline)
}

#[tokio::test]
async fn in_hashline_mode_every_line_has_its_tag() {
    let project = tagging();
    project.write("a", "\u{feff}const x = 1\r\n\r\n  const y = 2");
    let result = project.run("read", json!({"file_path": "a"})).await;
    assert_eq!(
        result.output,
        "<path>a</path>\n<type>file</type>\n<content>\n1:77|const x = 1\n2:05|\n3:89|  const y = 2\n\n\
         (end of file, 3 lines)\n</content>"
    );
    assert_eq!(result.details["hashline"], true);
    let text = project.ok("read", json!({"file_path": "a", "offset": 3})).await;
    assert!(text.contains("<content>\n3:89|  const y = 2\n\n"), "{text}");
    let card = project.draw_result("read", &json!({"file_path": "a"}), &result, true);
    let [CardPart::Code(code)] = card.body.as_slice() else {
        panic!("{:?}", card.body)
    };
    assert_eq!(code.text, "const x = 1\n\n  const y = 2");
}

#[tokio::test]
async fn the_tag_of_a_line_that_is_cut_is_that_of_all_of_it() {
    let project = tagging();
    let line = |last: char| format!("{}{last}", "x y ".repeat(100_000));
    project.write("a", format!("{}\n{}\nz\n", line('a'), line('b')));
    let text = project.ok("read", json!({"file_path": "a"})).await;
    let shown: Vec<&str> = text.lines().skip(3).collect();
    for (index, last) in ['a', 'b'].into_iter().enumerate() {
        let tag = format!("{}:{}|x y ", index + 1, Hash::of(&line(last)));
        assert!(shown[index].starts_with(&tag), "{tag}");
        assert!(shown[index].ends_with("… [+398001 characters]"), "{index}");
    }
    assert!(shown[2].starts_with("3:") && shown[2].ends_with("|z"));
}

#[tokio::test]
async fn what_is_no_file_has_no_tags() {
    let project = tagging();
    project.write("dir/a", "x");
    let result = project.run("read", json!({"file_path": "dir"})).await;
    assert!(result.output.contains("<entries>\na\n"), "{}", result.output);
    assert_eq!(result.details["hashline"], false);
    project.write("empty", "");
    assert!(
        project
            .ok("read", json!({"file_path": "empty"}))
            .await
            .contains("(empty file)")
    );
}
