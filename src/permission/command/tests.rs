use super::*;
use crate::permission::{Action, Permissions, Source, parse};

fn simple(command: &str) -> Simple {
    match analyse(command) {
        Command::Simple(simple) => simple,
        Command::Opaque(opaque) => panic!("{command:?} is opaque: {}", opaque.reason),
    }
}

fn is_opaque(command: &str) -> bool {
    matches!(analyse(command), Command::Opaque(_))
}

fn facts_with(config: &dyn Fn(Option<&str>) -> GitConfig) -> ReadOnlyFacts<'_> {
    ReadOnlyFacts {
        is_system_program: &|_| true,
        is_in_project: &|path| !path.starts_with('/') && !path.contains(".."),
        git_config: config,
    }
}

fn is_read_only(command: &str) -> bool {
    let Command::Simple(simple) = analyse(command) else {
        return false;
    };
    read_only(
        &simple,
        &facts_with(&|_| GitConfig::Text("[core]\nbare = false\n".into())),
    ) == ReadOnly::Yes
}

fn verdict(rules: &str, command: &str) -> Action {
    let user = parse(&serde_json::from_str(rules).unwrap(), &Source::Default, None).unwrap();
    let permissions = Permissions {
        user,
        ..Permissions::default()
    };
    permissions
        .judge("bash", &analyse(command).ask(&ReadOnly::No).subject)
        .action
}

#[test]
fn plain_commands_are_taken_apart_as_the_shell_does() {
    for (command, canonical) in [
        ("ls", "ls"),
        ("  ls\t-la  \n", "ls -la"),
        ("\"cu\"rl u", "curl u"),
        ("c\\url 'a b' \"c\\\"d\"", "curl a b c\"d"),
        ("git commit -m 'first\nsecond'", "git commit -m first\nsecond"),
        ("echo 'it'\\''s' \"\" x", "echo it's  x"),
        ("ls *.rs src/[a-z]?", "ls *.rs src/[a-z]?"),
        ("cat ~/x", "cat ~/x"),
        ("git show HEAD@{1}", "git show HEAD@{1}"),
        ("echo a#b 50% a=b", "echo a#b 50% a=b"),
        ("echo \"a\\nb\"", "echo a\\nb"),
        ("[ -f x ]", "[ -f x ]"),
        ("grep '$HOME; rm -rf /' x", "grep $HOME; rm -rf / x"),
        ("echo ü", "echo ü"),
        ("./x=y", "./x=y"),
    ] {
        assert_eq!(simple(command).canonical, canonical, "{command:?}");
    }
}

#[test]
fn whatever_is_not_certainly_plain_is_opaque() {
    for command in [
        "",
        " ",
        "ls\nrm -rf /",
        "ls\r\nrm x",
        "$(rm x)",
        "echo $(rm x)",
        "echo \"$(rm x)\"",
        "echo `rm x`",
        "echo \"`rm x`\"",
        "a;b",
        "a&b",
        "a &",
        "a|b",
        "(a)",
        "a && b",
        "FOO=1 x",
        "FOO+=1 x",
        "FOO=1",
        "echo x >file",
        "cat <file",
        "echo {a,b}",
        "echo {1..3}",
        "{rm,-rf,x}",
        "$CMD x",
        "echo $'a'",
        "\"$X\"",
        "r* x",
        "/bin/r? x",
        "'' x",
        "ls # x",
        "! ls",
        "if x",
        "time ls",
        "sudo ls",
        "/usr/bin/env x",
        "timeout 9 curl u",
        "bash -c 'rm x'",
        "sh -xc x",
        "eval ls",
        "source x",
        ". x",
        "exec ls",
        "xargs rm",
        "find . -exec rm {} +",
        "export A=b",
        "~root/x",
        "%1",
        "ls\u{a0}-l",
        "ls\u{2003}x",
        "ls 'a\u{202e}b'",
        "ls\0x",
        "ls 'a\u{1}b'",
        "ls \\\n-l",
        "ls 'x",
        "ls \"x",
        "ls \\",
        "a(){ rm x; }; a",
    ] {
        assert!(is_opaque(command), "{command:?}");
    }
    assert!(is_opaque(&format!("echo {}", "x".repeat(1 << 20))));
}

#[test]
fn an_opaque_command_offers_no_always_and_is_asked() {
    let ask = analyse("ls && cat x").ask(&ReadOnly::No);
    assert_eq!((ask.always.len(), ask.floor), (0, Floor::Ask));
    assert_eq!(ask.subject.text, "ls && cat x");
}

#[test]
fn deny_rules_find_their_command_in_whatever_surrounds_it() {
    let rules = r#"{"bash": {"*": "allow", "rm *": "deny", "curl *": "deny"}}"#;
    for command in [
        "rm -rf x",
        "/bin/rm -rf x",
        "ls && rm -rf x",
        "ls;rm -rf x",
        "ls\nrm -rf x",
        "ls & rm x",
        "ls | xargs rm",
        "echo $(rm x)",
        "echo \"$(rm x)\"",
        "echo `rm x`",
        "(rm x)",
        "{ rm x; }",
        "{rm,-rf,x}",
        "if true; then rm x; fi",
        "A=b rm x",
        "A=b /bin/rm x",
        "bash -c 'rm x'",
        "bash -c \"cd y; rm x\"",
        "sudo -u root rm x",
        "env A=b rm x",
        "timeout 9 curl u",
        "find . -exec rm {} +",
        "find . -name x -execdir /bin/rm x",
        "eval rm x",
        ">log rm x",
        "rm x >log 2>&1",
        "\"r\"m $X",
        "r\\m $X",
        "$'rm' x",
        "r\\\nm x",
        "cat <(rm x)",
        "! rm x",
        "while true; do rm x; done",
        "echo \"$(echo \"a\")\"; rm x",
        "x() { rm y; }",
        "\"cu\"rl u",
        "/usr/bin/curl u",
    ] {
        assert_eq!(verdict(rules, command), Action::Deny, "{command:?}");
    }
    let long = format!("{}rm x", ":;".repeat(60_000));
    assert_eq!(verdict(rules, &long), Action::Deny);
    for command in [
        "ls && cat rm",
        "echo rm | cat",
        "rmdir x; ls",
        "git rm-like && ls",
    ] {
        assert_ne!(verdict(rules, command), Action::Deny, "{command:?}");
    }
}

#[test]
fn a_megabyte_is_judged_soon() {
    let rules = r#"{"bash": {"*": "ask", "rm *": "deny", "*a*b*c*d": "deny"}}"#;
    let started = std::time::Instant::now();
    for command in [
        "a;".repeat(1 << 19),
        "sudo ".repeat(1 << 17),
        "sudo x;".repeat(20_000),
        "\"".repeat(1 << 20),
    ] {
        verdict(rules, &command);
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn always_proposes_the_words_that_name_the_action() {
    for (command, expected) in [
        ("npm run dev --port 3", Some("npm run dev *")),
        ("git checkout main", Some("git checkout *")),
        ("git stash pop", Some("git stash pop *")),
        ("git", Some("git *")),
        ("ls -la", Some("ls *")),
        ("cargo test -p x", Some("cargo test *")),
        ("cargo run --bin x", Some("cargo run --bin x")),
        ("aws s3 ls", Some("aws s3 ls *")),
        ("docker compose up -d", Some("docker compose up *")),
        ("git -C /x push", Some("git -C /x push")),
        ("git '*'", None),
        ("\"git push\" x", None),
        ("curl u", None),
        ("/usr/bin/curl u", None),
        ("python x.py", Some("python x.py *")),
        ("python3 x.py", None),
        ("python -c x", Some("python -c x")),
        ("node x", None),
        ("sh", None),
    ] {
        assert_eq!(
            arity::proposal(&simple(command)).as_deref(),
            expected,
            "{command:?}"
        );
    }
}

#[test]
fn always_starts_unticked_for_what_destroys() {
    for (command, expected) in [
        ("rm x", true),
        ("/bin/rm x", true),
        ("git push", true),
        ("git -C x reset --hard", true),
        ("chmod +x a", true),
        ("kill 1", true),
        ("find . -delete", true),
        ("docker volume rm x", true),
        ("cargo test", false),
        ("git log", false),
        ("ls rm", true),
        ("mkdir x", false),
    ] {
        assert_eq!(arity::is_destructive(&simple(command)), expected, "{command:?}");
    }
}

#[test]
fn commands_that_only_read_are_known() {
    for command in [
        "pwd",
        "ls -la src",
        "ls *.rs",
        "cat a b",
        "head -n 5 a",
        "grep -rn x src",
        "rg -n foo src",
        "rg foo src/*.rs",
        "find . -name '*.rs' -type f",
        "sort -k 2 a",
        "sort --reverse a",
        "uniq -c a",
        "date +%s",
        "date -u +%F",
        "tail -n 5 a",
        "git status",
        "git --no-pager log --oneline",
        "git -C sub diff HEAD~1 -- a",
        "git show --text HEAD",
        "git branch -a",
        "git branch --show-current",
        "git blame a",
        "git rev-parse HEAD",
    ] {
        assert!(is_read_only(command), "{command:?}");
    }
}

#[test]
fn commands_that_could_do_more_than_read_are_not() {
    for command in [
        "/bin/ls",
        "./ls",
        "LS",
        "sed -n p a",
        "touch a",
        "cat a > b",
        "A=b ls",
        "ls -*",
        "rg --pre x y",
        "rg --pre=x y",
        "rg --hostname-bin x y",
        "rg -z x",
        "rg -nz x",
        "rg --search-zip x",
        "rg foo *",
        "find . -delete",
        "find . -fprint x",
        "find . -fprintf x y",
        "find . -fls x",
        "find -files0-from x",
        "find -ex*",
        "sort -o x a",
        "sort -no x a",
        "sort --output=x a",
        "sort --outp x a",
        "sort --comp x a",
        "sort *",
        "uniq a b",
        "uniq a*",
        "uniq -f 1 a b",
        "date",
        "date -s x +%s",
        "date 01011200",
        "tail -f a",
        "tail -5F a",
        "tail --follow=name a",
        "tail --fol a",
        "tail --retry a",
        "git",
        "git push",
        "git -c core.pager=x log",
        "git --exec-path=x log",
        "git -p log",
        "git -C / status",
        "git -C ../x status",
        "git --git-dir=x status",
        "git log --output=x",
        "git log --outp=x",
        "git log --o x",
        "git diff --ext-diff",
        "git diff --ext",
        "git show --textconv x",
        "git grep -Ox y",
        "git diff -Ox",
        "git branch x",
        "git branch -D x",
        "git branch --delete x",
        "git branch -u x",
        "git branch --edit-description",
        "git stash",
        "git log *",
    ] {
        assert!(!is_read_only(command), "{command:?}");
    }
}

#[test]
fn programs_from_the_project_and_configured_repositories_are_not_trusted() {
    let config = |_: Option<&str>| GitConfig::Text("[core]\nfsmonitor = ./evil".to_owned());
    let facts = facts_with(&config);
    let found = read_only(&simple("git status"), &facts);
    assert!(
        matches!(&found, ReadOnly::Configured(why) if why.contains("core.fsmonitor")),
        "{found:?}"
    );
    let facts = ReadOnlyFacts {
        is_system_program: &|program| program != "ls",
        ..facts
    };
    assert_eq!(read_only(&simple("ls"), &facts), ReadOnly::No);
    assert_eq!(read_only(&simple("cat a"), &facts), ReadOnly::Yes);
}

#[test]
fn paths_are_found_in_operands_and_options() {
    let found = |command: &str| {
        let list = paths(&simple(command));
        list.iter()
            .map(|operand| operand.text.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (command, expected) in [
        ("rm -rf a /b", "a /b"),
        ("rm -- -x", "-x"),
        ("cp --target-directory=/etc a", "/etc a"),
        ("cat ~/x /etc/*.conf", "~/x /etc/"),
        ("sed -n 1p a", "a"),
        ("sed -e s/a/b/ x", "s/a/b/ x"),
        ("chmod +x a", "a"),
        ("chmod -R 755 a", "a"),
        ("chmod -w /etc/a", "/etc/a"),
        ("tar -xf/etc/a -C../b", "/etc/a ../b"),
        ("gcc -I/usr/include a.c", ""),
        ("dd if=/dev/zero of=/etc/x", "/dev/zero /etc/x"),
        ("cd ..", ".."),
        ("gcc -o x ../a.c --sysroot=/y", "../a.c /y"),
        ("gcc a.c b/../../c", "b/../../c"),
        ("ls ..", ".."),
        ("curl https://x/../y", ""),
        ("echo /etc/passwd", ""),
        ("cargo test", ""),
    ] {
        assert_eq!(found(command), expected, "{command:?}");
    }
    let home = paths(&simple("cat ~/x '~/y' ~root/z"));
    let kinds: Vec<(bool, bool)> = home
        .iter()
        .map(|operand| (operand.tilde, operand.dynamic))
        .collect();
    assert_eq!(kinds, [(true, false), (false, false), (false, true)]);
}

#[test]
fn files_that_readers_show_are_found() {
    let found = |command: &str| {
        let list = files_read(&simple(command));
        list.iter()
            .map(|operand| operand.text.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (command, expected) in [
        ("cat .env b", ".env b"),
        ("grep -n key .env", ".env"),
        ("grep -e key .env", "key .env"),
        ("grep -nekey .env", ".env"),
        ("grep -nf/p .env", "/p .env"),
        ("sed -nep .env", ".env"),
        ("grep key -- -f", "-f"),
        ("rg key", ""),
        ("sed -n p .env", ".env"),
        ("ls .env", ""),
    ] {
        assert_eq!(found(command), expected, "{command:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_analysed_without_panic(text in "\\PC{0,40}|[a-z $`'\"\\\\;|&<>(){}*?~=#\n-]{0,40}") {
        let command = analyse(&text);
        let _ = command.ask(&ReadOnly::No);
        if let Command::Simple(simple) = command {
            paths(&simple);
            files_read(&simple);
            is_read_only(&text);
        }
    }

    /// Quoting a word in any way gives the word back.
    #[test]
    fn quoted_words_come_back_as_they_were(words in proptest::collection::vec("[ -&(-~]{1,12}", 1..5)) {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let command = format!("x {}", quoted.join(" "));
        let given: Vec<String> = simple(&command).words[1..].iter().map(|word| word.text.clone()).collect();
        proptest::prop_assert_eq!(given, words);
    }
}

/// What bash (4 or newer) makes of a text: the words of the program it would start, from a handler that is called instead of it.
#[cfg(target_os = "linux")]
fn words_of_bash(bash: &str, text: &str, dir: &std::path::Path) -> Option<String> {
    let script = format!(
        "set -f; HOME='~'; command_not_found_handle() {{ printf '%s\\0' \"$@\"; }}; enable -n [ . :; PATH=/nowhere\n{text}\n"
    );
    let mut command = std::process::Command::new(bash);
    let output = command
        .args(["-c", &script])
        .current_dir(dir)
        .env_clear()
        .output()
        .ok()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    // A name with a slash is looked up without the handler.
    let has_no_handler = [
        "No such file",
        "Is a directory",
        "Permission denied",
        "Not a directory",
    ];
    if has_no_handler.iter().any(|what| complaint.contains(what)) {
        return None;
    }
    Some(format!("{}{complaint}", String::from_utf8_lossy(&output.stdout)))
}

#[cfg(target_os = "linux")]
#[test]
fn bash_reads_plain_commands_in_the_same_way() {
    use proptest::strategy::{Strategy, ValueTree};

    let bash = "/bin/bash";
    if !std::path::Path::new(bash).exists() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let texts =
        proptest::string::string_regex("[abcé $`'\"\\\\;|&<>(){}*?\\[\\]~=#!\n\t,./+:%@^1-]{1,12}").unwrap();
    let mut compared = 0;
    for _ in 0..6000 {
        let text = texts.new_tree(&mut runner).unwrap().current();
        let Command::Simple(simple) = analyse(&text) else {
            continue;
        };
        let Some(given) = words_of_bash(bash, &text, dir.path()) else {
            continue;
        };
        let words = simple.words.iter();
        let expected: String = words.flat_map(|word| [word.text.as_str(), "\0"]).collect();
        assert_eq!(given, expected, "{text:?}");
        compared += 1;
    }
    assert!(compared > 50, "only {compared} texts were plain");
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "a plain command writes nothing"
    );
}
