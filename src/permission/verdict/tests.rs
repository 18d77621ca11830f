use super::*;
use crate::permission::PermissionKey;
use crate::permission::Scope;
use crate::permission::rule::parse;

fn rules(text: &str) -> RuleList {
    let rules = parse(&serde_json::from_str(text).unwrap(), &Source::Default, None);
    rules.unwrap().into()
}

fn judge(user: &str, project: &str, grants: &str, key: &str, text: &str) -> Action {
    let permissions = Permissions {
        user: rules(user),
        grants: rules(grants),
        project: rules(project),
        ..Permissions::default()
    };
    permissions
        .judge(&PermissionKey::named(key), &Subject::new(text))
        .action
}

#[test]
fn verdicts_follow_the_rules() {
    use Action::{Allow, Ask, Deny};
    let bash = r#"{"bash": {"*": "ask", "git *": "allow", "git push *": "deny"}}"#;
    for (user, project, grants, key, text, expected) in [
        // No match asks.
        ("{}", "{}", "{}", "bash", "ls", Ask),
        // The last matching rule wins.
        (bash, "{}", "{}", "bash", "git log", Allow),
        (bash, "{}", "{}", "bash", "git push origin", Deny),
        (
            r#"{"bash": {"git push *": "deny", "*": "allow"}}"#,
            "{}",
            "{}",
            "bash",
            "git push x",
            Allow,
        ),
        (
            r#"{"*": "deny", "read": "allow"}"#,
            "{}",
            "{}",
            "read",
            "a",
            Allow,
        ),
        (r#"{"read": "allow", "*": "deny"}"#, "{}", "{}", "read", "a", Deny),
        (r#"{"github_*": "deny"}"#, "{}", "{}", "github_issue", "x", Deny),
        // A project is only heard where it is stricter.
        (bash, r#"{"bash": "allow"}"#, "{}", "bash", "ls", Ask),
        (
            bash,
            r#"{"bash": {"git *": "ask"}}"#,
            "{}",
            "bash",
            "git log",
            Ask,
        ),
        (
            bash,
            r#"{"bash": {"git *": "deny", "git log": "allow"}}"#,
            "{}",
            "bash",
            "git log",
            Allow,
        ),
        (
            bash,
            r#"{"bash": "deny"}"#,
            r#"{"bash": {"git *": "allow"}}"#,
            "bash",
            "git log",
            Deny,
        ),
        // A grant lifts an ask, never a deny.
        (
            bash,
            "{}",
            r#"{"bash": {"cargo *": "allow"}}"#,
            "bash",
            "cargo test",
            Allow,
        ),
        (
            bash,
            "{}",
            r#"{"bash": {"git push *": "allow"}}"#,
            "bash",
            "git push x",
            Deny,
        ),
        (bash, "{}", r#"{"edit": "allow"}"#, "bash", "ls", Ask),
        // A search follows the fetch until it has rules.
        (r#"{"webfetch": "allow"}"#, "{}", "{}", "websearch", "q", Allow),
        (
            r#"{"websearch": "deny", "webfetch": "allow"}"#,
            "{}",
            "{}",
            "websearch",
            "q",
            Deny,
        ),
        // Sweeping rules do not open what is protected.
        (
            r#"{"protected": "deny", "*": "allow"}"#,
            "{}",
            "{}",
            "protected",
            "/x/.git",
            Deny,
        ),
        (
            r#"{"protected": "ask", "*": "deny"}"#,
            "{}",
            "{}",
            "protected",
            "/x/.git",
            Deny,
        ),
    ] {
        assert_eq!(
            judge(user, project, grants, key, text),
            expected,
            "{user} {project} {grants} {key} {text}"
        );
    }
}

#[test]
fn rules_of_another_agent_restrict_at_once_and_allow_after_a_yes() {
    use Action::{Allow, Ask, Deny};
    let imported = |text: &str, may_allow| ImportedRules {
        rules: parse(
            &serde_json::from_str(text).unwrap(),
            &Source::Imported("/p/.claude/settings.json".into()),
            None,
        )
        .unwrap()
        .into(),
        may_allow,
    };
    let list = r#"{"bash": {"make *": "allow", "rm *": "allow", "git *": "allow", "git push *": "ask", "curl *": "deny"}}"#;
    let other = r#"{"bash": {"make x": "ask"}}"#;
    let user = r#"{"bash": {"*": "ask", "rm *": "deny", "ls *": "allow"}}"#;
    let judge = |user: &str, may_allow, others: &[ImportedRules], text: &str| {
        let mut permissions = Permissions {
            user: rules(user),
            grants: rules(r#"{"bash": {"git *": "allow"}}"#),
            imported: vec![imported(list, may_allow)],
            ..Permissions::default()
        };
        permissions.imported.extend_from_slice(others);
        permissions
            .judge(&PermissionKey::BASH, &Subject::new(text))
            .action
    };
    for (text, before, after) in [
        ("make x", Ask, Allow),
        ("rm x", Deny, Deny),
        ("ls", Allow, Allow),
        ("curl u", Deny, Deny),
        // No stored answer lifts what it asks.
        ("git push x", Ask, Ask),
    ] {
        assert_eq!(judge(user, false, &[], text), before, "{text}");
        assert_eq!(judge(user, true, &[], text), after, "{text}");
    }
    assert_eq!(judge(user, true, &[imported(other, true)], "make x"), Ask);
    assert_eq!(judge(r#"{"bash": "allow"}"#, false, &[], "curl u"), Deny);
}

#[test]
fn what_the_machine_s_rules_ask_or_deny_stays_so() {
    use Action::{Allow, Ask, Deny};
    let file = Source::Managed("/etc/lathe/lathe-managed.jsonc".into());
    let judge = |managed: &str, text: &str| {
        let permissions = Permissions {
            user: rules(r#"{"bash": {"*": "allow", "curl *": "ask", "rm *": "deny"}}"#),
            grants: rules(r#"{"bash": {"curl *": "allow"}}"#),
            project: rules(r#"{"bash": "allow"}"#),
            project_is_trusted: true,
            managed: parse(&serde_json::from_str(managed).unwrap(), &file, None)
                .unwrap()
                .into(),
            ..Permissions::default()
        };
        let verdict = permissions.judge(&PermissionKey::BASH, &Subject::new(text));
        (
            verdict.action,
            verdict.rule.is_some_and(|rule| rule.source == file),
        )
    };
    let managed = r#"{"bash": {"*": "allow", "git push *": "deny", "curl *": "ask"}}"#;
    assert_eq!(judge(managed, "git push x"), (Deny, true));
    assert_eq!(judge(managed, "curl x"), (Ask, true), "a grant does not lift it");
    assert_eq!(judge(managed, "rm x"), (Deny, false), "and it opens nothing");
    assert_eq!(judge(managed, "ls"), (Allow, false));
    assert_eq!(judge("{}", "curl x"), (Allow, false));
}

#[test]
fn a_trusted_project_allows_what_the_defaults_and_the_global_file_ask() {
    use Action::{Allow, Ask, Deny};
    let source =
        |source: Source, text: &str| parse(&serde_json::from_str(text).unwrap(), &source, None).unwrap();
    let global = Source::Global("/c/lathe.jsonc".into());
    let asks = r#"{"bash": {"*": "ask", "rm *": "deny"}, "protected": "ask", "edit": "allow"}"#;
    let project =
        r#"{"*": "allow", "bash": {"*": "allow", "make *": "ask"}, "edit": "deny", "protected": "allow"}"#;
    let judge = |user: Source, trusted: bool, key: &str, text: &str| {
        let permissions = Permissions {
            user: source(user, asks).into(),
            project: source(Source::Project("/p/lathe.jsonc".into()), project).into(),
            project_is_trusted: trusted,
            ..Permissions::default()
        };
        permissions
            .judge(&PermissionKey::named(key), &Subject::new(text))
            .action
    };
    for (user, trusted, key, text, expected) in [
        (Source::Default, true, "bash", "ls", Allow),
        (global.clone(), true, "bash", "ls", Allow),
        (global.clone(), false, "bash", "ls", Ask),
        // What the user denies stays denied, and a stricter project stays stricter.
        (global.clone(), true, "bash", "rm x", Deny),
        (global.clone(), true, "bash", "make x", Ask),
        (global.clone(), true, "edit", "a", Deny),
        // What nothing matches is asked by default.
        (global.clone(), true, "webfetch", "u", Allow),
        (global, true, "protected", "/p/.claude/x", Ask),
        (Source::Extra("/x.jsonc".into()), true, "bash", "ls", Ask),
        (Source::Agent("plan".into()), true, "bash", "ls", Ask),
    ] {
        assert_eq!(
            judge(user.clone(), trusted, key, text),
            expected,
            "{user} {trusted} {key} {text}"
        );
    }
}

#[test]
fn another_spelling_restricts_and_never_loosens() {
    use Action::{Allow, Ask, Deny};
    let subject = Subject {
        restrict_also: vec!["git push".into(), "git x push".into()],
        ..Subject::new("git -C x push")
    };
    for (user, expected) in [
        (r#"{"git *": "allow", "git push *": "ask"}"#, Ask),
        (r#"{"git *": "allow", "git push *": "deny"}"#, Deny),
        (r#"{"git *": "deny", "git push *": "ask"}"#, Deny),
        (r#"{"git *": "ask", "git push *": "allow"}"#, Ask),
        (r#"{"*": "deny", "git push *": "allow"}"#, Deny),
        (r#"{"git push *": "deny", "git x *": "ask"}"#, Deny),
        // What stands further down was meant to open it again.
        (r#"{"git push *": "ask", "git *": "allow"}"#, Allow),
        (r#"{"git push *": "deny", "git -C x push": "allow"}"#, Allow),
    ] {
        let permissions = Permissions {
            user: rules(&format!(r#"{{"bash": {user}}}"#)),
            ..Permissions::default()
        };
        assert_eq!(
            permissions.judge(&PermissionKey::BASH, &subject).action,
            expected,
            "{user}"
        );
    }
}

#[test]
fn rules_that_restrict_are_tried_on_more_spellings_than_others() {
    let permissions = Permissions {
        user: rules(r#"{"bash": {"*": "ask", "curl *": "deny"}}"#),
        ..Permissions::default()
    };
    let mut subject = Subject::new("/usr/bin/curl u");
    assert_eq!(
        permissions.judge(&PermissionKey::BASH, &subject).action,
        Action::Ask
    );
    subject.restrict_also.push("curl u".into());
    assert_eq!(
        permissions.judge(&PermissionKey::BASH, &subject).action,
        Action::Deny
    );
    let permissions = Permissions {
        user: rules(r#"{"bash": {"curl *": "allow"}}"#),
        ..permissions
    };
    assert_eq!(
        permissions.judge(&PermissionKey::BASH, &subject).action,
        Action::Ask
    );
}

#[test]
fn read_only_commands_are_a_class_and_not_a_text() {
    let permissions = Permissions {
        user: rules(r#"{"bash": {"*": "deny", "@read-only": "allow"}}"#),
        ..Permissions::default()
    };
    let subject = Subject {
        read_only: true,
        ..Subject::new("ls -l")
    };
    assert_eq!(
        permissions.judge(&PermissionKey::BASH, &subject).action,
        Action::Allow
    );
    assert_eq!(
        permissions
            .judge(&PermissionKey::BASH, &Subject::new("@read-only"))
            .action,
        Action::Deny
    );
}

#[test]
fn a_tools_own_name_is_a_key_and_the_stricter_wins() {
    let judge = |user: &str, tool: &str| {
        let permissions = Permissions {
            user: rules(user),
            ..Permissions::default()
        };
        permissions
            .judge_tool(&PermissionKey::EDIT, tool, &Subject::new("a"))
            .action
    };
    assert_eq!(
        judge(r#"{"edit": "allow", "lsp_rename": "deny"}"#, "lsp_rename"),
        Action::Deny
    );
    assert_eq!(
        judge(r#"{"edit": "allow", "lsp_*": "ask"}"#, "lsp_rename"),
        Action::Ask
    );
    assert_eq!(
        judge(r#"{"edit": "allow", "lsp_*": "ask"}"#, "write"),
        Action::Allow
    );
    assert_eq!(
        judge(r#"{"edit": "ask", "write": "allow"}"#, "write"),
        Action::Ask
    );
    // What `*` says is said of the family already.
    assert_eq!(judge(r#"{"*": "ask", "edit": "allow"}"#, "write"), Action::Allow);
}

#[test]
fn a_grant_for_the_family_lifts_the_ask_of_the_tool() {
    let mut permissions = Permissions {
        user: rules(r#"{"edit": "allow", "write": "ask"}"#),
        ..Permissions::default()
    };
    let subject = Subject::new("a");
    assert_eq!(
        permissions
            .judge_tool(&PermissionKey::EDIT, "write", &subject)
            .action,
        Action::Ask
    );
    permissions.grants = vec![Rule::new(
        "edit",
        "*",
        Action::Allow,
        Source::Grant(Scope::Session),
        None,
    )]
    .into();
    assert_eq!(
        permissions
            .judge_tool(&PermissionKey::EDIT, "write", &subject)
            .action,
        Action::Allow
    );
}

#[test]
fn a_tool_is_denied_when_nothing_of_it_is_left() {
    let denied = |user: &str, project: &str| {
        let permissions = Permissions {
            user: rules(user),
            project: rules(project),
            ..Permissions::default()
        };
        permissions.tool_is_denied(&PermissionKey::BASH, "interactive_bash")
    };
    assert!(denied(r#"{"bash": "deny"}"#, "{}"));
    assert!(denied(r#"{"*": "deny"}"#, "{}"));
    assert!(denied(r#"{"bash": "allow"}"#, r#"{"bash": "deny"}"#));
    assert!(denied(r#"{"bash": "allow", "interactive_bash": "deny"}"#, "{}"));
    assert!(!denied(r#"{"bash": {"*": "deny", "@read-only": "allow"}}"#, "{}"));
    assert!(!denied(r#"{"bash": {"rm *": "deny"}}"#, "{}"));
}

#[test]
fn what_a_built_in_agent_opens_for_itself_shows_no_tool_that_the_person_denies() {
    let is_denied = |user: &str, agent: Vec<Rule>| {
        let mut permissions = Permissions {
            user: rules(user),
            ..Permissions::default()
        };
        permissions.user.extend(agent);
        permissions.tool_is_denied(&PermissionKey::EDIT, "write")
    };
    let opened_by = |source: Source| vec![Rule::new("edit", "docs/**", Action::Allow, source, None)];
    assert!(is_denied(r#"{"edit": "deny"}"#, crate::permission::plan_rules()));
    assert!(!is_denied(r#"{"edit": "ask"}"#, crate::permission::plan_rules()));
    assert!(!is_denied("{}", crate::permission::plan_rules()));
    let own_agent = Source::Global("/c/agent/writer.md".into());
    assert!(!is_denied(r#"{"edit": "deny"}"#, opened_by(own_agent)));
    let explore = vec![Rule::new(
        "edit",
        "*",
        Action::Deny,
        Source::Agent("explore".into()),
        None,
    )];
    assert!(is_denied("{}", explore));
}
