use super::*;

fn translate_one(written: &str, action: Action, is_users: bool) -> Translation {
    let list = [written.to_owned()];
    let of = |wanted| if action == wanted { &list[..] } else { &[] };
    let file = ClaudeFile {
        file: Path::new("/p/.claude/settings.json"),
        is_users,
        allow: of(Action::Allow),
        ask: of(Action::Ask),
        deny: of(Action::Deny),
        has_lost_rules: false,
    };
    let places = ClaudePlaces {
        root: Path::new("/p"),
        home: Some(Path::new("/home/u")),
    };
    translate(&[file], places)
}

/// Keys, patterns and actions, and what was left out.
fn shown(translation: &Translation) -> Vec<String> {
    let rules = translation.rules.iter();
    let left_out = translation.left_out.iter();
    rules
        .map(|rule| format!("{} {} {}", rule.key, rule.pattern, rule.action))
        .chain(left_out.map(|left| format!("not {}", left.rule)))
        .collect()
}

fn deny(written: &str) -> Vec<String> {
    shown(&translate_one(written, Action::Deny, false))
}

fn allow(written: &str) -> Vec<String> {
    shown(&translate_one(written, Action::Allow, false))
}

#[test]
fn commands_become_patterns_of_their_canonical_text() {
    for (written, pattern) in [
        ("Bash(curl:*)", "curl *"),
        ("Bash(npm run build)", "npm run build"),
        ("Bash(npm run test:*)", "npm run test *"),
        ("Bash(git * main)", "git * main"),
        ("Bash(ls*)", "ls*"),
        ("Bash( git   push :*)", "git push *"),
        ("Bash(git commit -m \"a b\":*)", "git commit -m a b *"),
        ("Bash(timeout 5 curl:*)", "timeout 5 curl *"),
        ("Bash(./run.sh --flag)", "./run.sh --flag"),
        ("Bash", "*"),
        ("Bash(*)", "*"),
        ("Bash(:*)", "*"),
        ("bash(curl:*)", "curl *"),
    ] {
        assert_eq!(deny(written), [format!("bash {pattern} deny")], "{written}");
        assert_eq!(allow(written), [format!("bash {pattern} allow")], "{written}");
    }
}

#[test]
fn what_is_no_single_command_permissions_for_the_whole_tool_instead_of_denying() {
    for written in [
        "Bash(curl * | sh)",
        "Bash(cd x && make)",
        "Bash(echo * > /dev/sda)",
        "Bash(rm -rf $DIR/*)",
        "Bash(@read-only)",
        "Bash()",
        "Bash(curl",
    ] {
        assert_eq!(
            deny(written),
            ["bash * ask".to_owned(), format!("not {written}")],
            "{written}"
        );
        assert_eq!(allow(written), [format!("not {written}")], "{written}");
    }
    assert_eq!(allow("Bash(ls ?)"), ["not Bash(ls ?)"]);
    let harmless = "Bash(RUST_BACKTRACE=1 cargo test:*)";
    assert_eq!(allow(harmless), ["bash cargo test * allow"]);
    assert_eq!(deny(harmless), ["bash RUST_BACKTRACE=1 cargo test * deny"]);
    assert_eq!(deny("Bash(A=b make)"), ["bash A=b make deny"]);
}

#[test]
fn paths_that_are_denied_cover_at_least_what_they_covered() {
    for (written, patterns) in [
        ("Read(./.env)", &["*/.env", ".env", "*/.env/*", ".env/*"][..]),
        ("Read(.env)", &["*/.env", ".env", "*/.env/*", ".env/*"]),
        ("Read(./secrets/**)", &["secrets/*"]),
        (
            "Read(config/keys.json)",
            &["config/keys.json", "config/keys.json/*"],
        ),
        ("Read(~/.ssh/**)", &["~/.ssh/*"]),
        ("Read(~/x)", &["~/x", "~/x/*"]),
        ("Read(//etc/shadow)", &["/etc/shadow", "/etc/shadow/*"]),
        ("Read(/a)", &["a", "/a", "a/*", "/a/*"]),
        (
            "Read(src/**/key)",
            &["src/key", "src/*/key", "src/key/*", "src/*/key/*"],
        ),
        ("Read(**/*.pem)", &["*.pem", "*.pem/*"]),
        ("Read(a/[xy].{k,l})", &["a/?.*"]),
        ("Read(../other)", &["/other", "/other/*"]),
        ("Read(**)", &["*"]),
    ] {
        let expected: Vec<String> = patterns
            .iter()
            .map(|pattern| format!("read {pattern} deny"))
            .collect();
        assert_eq!(deny(written), expected, "{written}");
    }
    assert_eq!(deny("Read(!x)"), ["read * ask", "not Read(!x)"]);
    let of_user = shown(&translate_one("Read(./a/b)", Action::Deny, true));
    assert_eq!(
        of_user,
        [
            "read */a/b deny",
            "read a/b deny",
            "read */a/b/* deny",
            "read a/b/* deny"
        ]
    );
}

#[test]
fn paths_that_are_allowed_cover_at_most_what_they_covered() {
    for (written, patterns) in [
        ("Edit(docs/**)", &["docs/*"][..]),
        ("Edit(./docs/*)", &["docs/*"]),
        ("Edit(docs)", &["docs", "docs/*"]),
        ("Edit(/docs/a.md)", &["docs/a.md", "docs/a.md/*"]),
        ("Edit(src/**/*.ts)", &["src/*.ts"]),
        ("Edit(**/*.md)", &["/p/*.md"]),
        ("Write(**)", &["/p/*"]),
        ("MultiEdit(~/notes/**)", &["~/notes/*"]),
        ("Edit", &["*"]),
        ("Write", &["*"]),
    ] {
        let expected: Vec<String> = patterns
            .iter()
            .map(|pattern| format!("edit {pattern} allow"))
            .collect();
        assert_eq!(allow(written), expected, "{written}");
    }
    for written in [
        "Edit(src/*.ts)",
        "Edit(*.ts)",
        "Edit(src/*/a)",
        "Edit(src/[ab])",
        "Edit(../other)",
        "Edit($HOME/x)",
        "Edit(src/a?)",
    ] {
        assert_eq!(allow(written), [format!("not {written}")], "{written}");
    }
    let of_user = shown(&translate_one("Edit(/docs/**)", Action::Allow, true));
    assert_eq!(of_user, ["not Edit(/docs/**)"]);
}

#[test]
fn other_tools_go_by_lathes_keys() {
    for (written, forms) in [
        ("Read", &["read * deny"][..]),
        ("Write", &["write * deny", "apply_patch * deny"]),
        ("Write(//x)", &["edit /x deny", "edit /x/* deny"]),
        ("MultiEdit", &["multiedit * deny"]),
        ("NotebookEdit", &["edit *.ipynb deny", "edit *.ipynb/* deny"]),
        ("Glob", &["glob * deny"]),
        ("Grep", &["grep * deny"]),
        ("LS", &["list * deny"]),
        ("WebSearch", &["websearch * deny"]),
        ("WebFetch", &["webfetch * deny"]),
        ("Task", &["task * deny"]),
        ("Agent(Explore)", &["task Explore deny", "task explore deny"]),
        (
            "Task(general-purpose)",
            &["task general-purpose deny", "task general deny"],
        ),
        ("Skill(pdf:*)", &["skill pdf deny"]),
        ("SlashCommand(/deploy:*)", &["skill /deploy deny"]),
        ("AskUserQuestion", &["question * deny"]),
        ("mcp__github", &["mcp github_* deny"]),
        ("mcp__github__*", &["mcp github_* deny"]),
        ("mcp__github__issue", &["mcp github_issue deny"]),
        ("*", &["* * deny"]),
    ] {
        assert_eq!(deny(written), forms, "{written}");
    }
    assert_eq!(
        allow("WebFetch(domain:Example.com)"),
        [
            "webfetch https://example.com/* allow",
            "webfetch http://example.com/* allow"
        ]
    );
    assert_eq!(
        allow("WebFetch"),
        ["webfetch http://* allow", "webfetch https://* allow"]
    );
    assert_eq!(allow("WebFetch(domain:*.example.com)").len(), 1);
    let hosts = deny("WebFetch(domain:example.com)");
    assert!(
        hosts.contains(&"webfetch *://example.com/* deny".to_owned()),
        "{hosts:?}"
    );
    for (written, asked) in [
        ("WebFetch(https://x/*)", &["webfetch * ask"][..]),
        ("Grep(src/**)", &["grep * ask"]),
        ("mcp__a__b(x)", &["mcp * ask"]),
        ("KillShell", &["KillShell * ask", "killshell * ask"]),
        ("", &["* * ask"]),
    ] {
        let mut expected: Vec<String> = asked.iter().map(|form| (*form).to_owned()).collect();
        expected.push(format!("not {written}"));
        assert_eq!(deny(written), expected, "{written}");
        assert_eq!(allow(written), [format!("not {written}")], "{written}");
    }
    assert_eq!(allow("*"), ["not *"]);
}

#[test]
fn among_the_files_of_one_owner_a_deny_comes_last() {
    let owned = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
    let (allow, ask, deny) = (
        owned(&["Bash"]),
        owned(&["Bash(git push:*)"]),
        owned(&["Bash", "Bash(rm:*)"]),
    );
    let file = |allow, ask, deny| ClaudeFile {
        file: Path::new("/p/.claude/settings.json"),
        is_users: false,
        allow,
        ask,
        deny,
        has_lost_rules: true,
    };
    let places = ClaudePlaces {
        root: Path::new("/p"),
        home: None,
    };
    let none: &[String] = &[];
    let translation = translate(&[file(none, none, &deny), file(&allow, &ask, none)], places);
    assert_eq!(
        shown(&translation),
        [
            "bash * allow",
            "bash git push * ask",
            "* * ask",
            "* * ask",
            "bash rm * deny",
            "bash * deny"
        ]
    );
}
