//! The file of the machine's administrator.

use super::*;

const MANAGED: &str = "system/lathe-managed.jsonc";

#[test]
fn of_the_managed_file_only_rules_and_switches_of_tools_count() {
    let files = Files::new(&[
        (
            MANAGED,
            r#"{"$schema": "x", "permission": {"bash": {"rm *": "deny"}, "protected": "deny"},
                "tools": {"webfetch": false, "list": true}, "trust": ["*"], "theme": "{env:LATHE_SURELY_UNSET_5}",
                "hooks": {"Stop": [{"hooks": []}]}}"#,
        ),
        (
            GLOBAL,
            r#"{"tools": {"webfetch": true, "list": false}, "theme": "mine"}"#,
        ),
    ]);
    let loaded = files.load();
    assert_eq!(loaded.config.theme, "mine");
    assert_eq!(loaded.config.trust, Vec::<String>::new());
    assert_eq!(loaded.hook_layers, []);
    assert_eq!(
        (loaded.tools.get("webfetch"), loaded.tools.get("list")),
        (Some(false), Some(false))
    );
    let shown = |name: &str| loaded.config.tools.get(name).copied();
    assert_eq!(
        (shown("webfetch"), shown("list")),
        (Some(false), Some(false)),
        "what is shown is what counts"
    );
    assert_eq!(loaded.permission_layers.len(), 1);
    assert_eq!(loaded.permission_layers[0].origin, Origin::Managed);
    assert_eq!(
        loaded.permission_layers[0].rules.to_string(),
        r#"{"bash":{"rm *":"deny"},"protected":"deny"}"#
    );
    let named: Vec<&str> = loaded
        .warnings
        .iter()
        .filter_map(|warning| warning.split('`').nth(1))
        .collect();
    assert_eq!(named, ["trust", "theme", "hooks"]);
    assert!(
        loaded
            .warnings
            .iter()
            .all(|warning| warning.contains("only `permission` and `tools`"))
    );
}

#[test]
fn a_managed_file_that_cannot_be_read_stops_everything() {
    for (text, place) in [
        ("{", "1:2"),
        (r#"{"permission": {"bash": "never"}}"#, "1:17"),
        (r#"{"permissions": {}}"#, "1:2"),
    ] {
        let error = Files::new(&[(MANAGED, text)]).error();
        assert!(error.starts_with(MANAGED), "{place}: {error}");
    }
    let files = Files::new(&[]);
    std::fs::create_dir_all(files.root.path().join(MANAGED)).unwrap();
    assert!(files.error().contains("this is not a file"), "{}", files.error());
}

#[cfg(unix)]
#[test]
fn a_link_in_the_place_of_the_managed_file_must_lead_somewhere() {
    let files = Files::new(&[("system/other.jsonc", r#"{"permission": "ask"}"#)]);
    let link = files.root.path().join(MANAGED);
    std::os::unix::fs::symlink("gone.jsonc", &link).unwrap();
    assert!(files.error().contains("the link is broken"), "{}", files.error());
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("other.jsonc", &link).unwrap();
    assert_eq!(files.load().permission_layers.len(), 1);
}
