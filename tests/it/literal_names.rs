//! Files whose names look like patterns, or are written in another form of Unicode.

use serde_json::json;

use super::run::{events_of, of_kind, project_with};
use super::support::{Server, Turn};

const COMPOSED: &str = "d\u{e9}j\u{e0} vu.md";
const DECOMPOSED: &str = "de\u{301}ja\u{300} vu.md";

#[test]
fn a_mention_with_brackets_sends_the_file_of_that_name() {
    let server = Server::with([Turn::text("ok"), Turn::text("ok")]);
    let project = project_with(&server)
        .file("src/app/[id]/(shop)/page.tsx", "LITERAL\n")
        .file("src/app/i/(shop)/page.tsx", "CLASS\n");
    events_of(&project)
        .arg("look at (@src/app/[id]/(shop)/page.tsx), please")
        .run()
        .success();
    let sent = &server.requests()[0];
    assert!(sent.mentions("LITERAL") && !sent.mentions("CLASS"));
    let missing = events_of(&project).arg("look at @src/app/[slug]/page.tsx").run();
    assert!(
        format!("{missing}").contains("src/app/[slug]/page.tsx"),
        "{missing}"
    );
}

#[test]
fn a_glob_with_brackets_means_the_directory_that_is_there() {
    let server = Server::with([
        Turn::tool("glob", json!({"pattern": "src/[id]/*.tsx"})),
        Turn::tool("glob", json!({"pattern": "src/[ab]/*.tsx"})),
        Turn::tool("grep", json!({"pattern": "LITERAL", "include": "src/[id]/*.tsx"})),
        Turn::text("ok"),
    ]);
    let project = project_with(&server)
        .file("src/[id]/page.tsx", "LITERAL\n")
        .file("src/i/page.tsx", "CLASS\n")
        .file("src/a/page.tsx", "CLASS\n");
    let finished = events_of(&project).arg("look").run().success();
    let results = of_kind(&finished, "tool_result");
    let output = |nth: usize| results[nth]["output"].as_str().unwrap().to_owned();
    assert!(
        output(0).contains("src/[id]/page.tsx") && !output(0).contains("src/i/"),
        "{finished}"
    );
    assert!(output(1).contains("src/a/page.tsx"), "{finished}");
    assert!(output(2).contains("LITERAL"), "{finished}");
}

#[test]
fn a_name_is_found_in_either_form_and_keeps_its_own() {
    for (there, asked) in [(DECOMPOSED, COMPOSED), (COMPOSED, DECOMPOSED)] {
        let server = Server::with([
            Turn::new()
                .call("read", json!({"file_path": asked}))
                .call("glob", json!({"pattern": format!("{}*", &asked[..4])})),
            Turn::tool("write", json!({"file_path": asked, "content": "NEW\n"})),
            Turn::text("ok"),
        ]);
        let project = project_with(&server).file(there, "BODY\n");
        let finished = events_of(&project)
            .args(["--permission-mode", "accept-edits"])
            .arg(format!("see @\"{asked}\""))
            .run()
            .success();
        assert!(server.requests()[0].mentions("BODY"), "{finished}");
        let results = of_kind(&finished, "tool_result");
        assert_eq!(results[0]["ok"], true, "{finished}");
        assert!(
            results[1]["output"].as_str().unwrap().contains("vu.md"),
            "{finished}"
        );
        assert_eq!(project.read(there), "NEW\n", "{finished}");
        assert!(!project.path(asked).exists(), "there is a second file");
    }
}

#[test]
fn a_rule_holds_for_both_forms_of_a_name() {
    for (ruled, asked) in [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)] {
        let server = Server::with([Turn::tool("read", json!({"file_path": asked})), Turn::text("ok")]);
        let project = project_with(&server)
            .file(asked, "SECRET\n")
            .config(json!({"permission": {"read": {ruled: "deny"}}}));
        let finished = events_of(&project).arg("look").run();
        assert_eq!(of_kind(&finished, "tool_result")[0]["ok"], false, "{finished}");
    }
}
