//! How rules and "always" meet the commands of a text.

use super::*;
use crate::permission::destructive::harm;

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
        "echo 'a; rm x' && ls",
        "echo rm | cat",
        "rmdir x; ls",
        "git rm-like && ls",
    ] {
        assert_ne!(verdict(rules, command), Action::Deny, "{command:?}");
    }
}

#[test]
fn always_proposes_the_words_that_name_the_action() {
    for (command, expected) in [
        ("npm run dev --port 3", Some("npm run dev *")),
        ("git checkout main", Some("git checkout *")),
        ("git stash pop", Some("git stash pop *")),
        ("git", Some("git")),
        ("git push origin main", Some("git push origin main")),
        ("rm -rf target/tmp", Some("rm -rf target/tmp")),
        ("python3 -m pytest -q tests", Some("python3 -m pytest *")),
        ("node --test test/", Some("node --test *")),
        ("npx vitest run", Some("npx vitest *")),
        ("sh test.sh", Some("sh test.sh")),
        ("docker run -it x", Some("docker run -it x")),
        ("uv run pytest -q", Some("uv run pytest *")),
        ("make test", Some("make test *")),
        ("make", Some("make")),
        ("RUST_BACKTRACE=1 cargo test x", Some("cargo test *")),
        ("ls -la", Some("ls *")),
        ("cargo test -p x", Some("cargo test *")),
        ("cargo run --bin x", Some("cargo run --bin x")),
        ("cargo run -- 'one two'", Some("cargo run -- *")),
        ("RUST_LOG=debug cargo run -- a", Some("cargo run -- *")),
        ("cargo run --config x -- a", Some("cargo run --config x -- a")),
        ("aws s3 ls", Some("aws s3 ls *")),
        ("docker compose up -d", Some("docker compose up *")),
        ("git -C /x push", Some("git -C /x push")),
        ("git '*'", None),
        ("\"git push\" x", None),
        ("curl u", Some("curl u")),
        ("/usr/bin/curl u", Some("/usr/bin/curl u")),
        ("python x.py", Some("python x.py")),
        ("python3 x.py --all", Some("python3 x.py --all")),
        ("node x.mjs", Some("node x.mjs")),
        ("npx tsx a.ts", Some("npx tsx a.ts")),
        ("python -c x", Some("python -c x")),
        ("node x", Some("node x")),
        ("sh", None),
        ("A=b npm run test", Some("A=b npm run test")),
        ("RUST_LOG=x A=b npm run test", Some("A=b npm run test")),
        ("A=b B=c/d:e,f sh x.sh", Some("A=b B=c/d:e,f sh x.sh")),
        ("A=b rm x", Some("A=b rm x")),
        ("A=b sh", None),
        ("A='b c' d", None),
        ("A=$b c", None),
        ("A='$b' c", None),
        ("A='*' c", None),
        ("A=~ c", None),
        ("A=(b) c", None),
        ("A+=b c", None),
        ("A[0]=b c", None),
        ("A=b c $d", None),
        ("A=b export c", None),
        ("ls $x", Some("ls *")),
        ("npm run $x", None),
        ("export A=b", None),
        ("set -e", None),
    ] {
        assert_eq!(
            simple(command).ask(false).always.first().map(String::as_str),
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
        ("ls rm", false),
        ("mkdir x", false),
    ] {
        assert_eq!(arity::is_destructive(&simple(command)), expected, "{command:?}");
    }
}

#[test]
fn a_wrapper_does_the_harm_of_what_it_runs() {
    for command in [
        "bash -c 'rm -rf x'",
        "bash -c 'cd y && git push'",
        "sudo sh -c 'rm x'",
        "eval 'rm x'",
        "eval \"sh -c 'rm x'\"",
        "xargs sh -c 'rm x'",
        "find . -exec sh -c 'rm x' \\;",
        "watch 'rm x'",
        "flock f -c 'rm x'",
    ] {
        let analysis = analyse(command);
        assert_eq!(analysis.refusal, None, "{command:?}");
        let outer = &analysis.commands[0];
        let ask = outer.ask(false);
        assert!(ask.destructive && ask.subject.destroys, "{command:?}");
        assert_ne!(harm(&outer.canonical), "may be hard to undo", "{command:?}");
    }
    for command in [
        "bash -c 'cargo test'",
        "sh rm.sh",
        "eval 'ls rm'",
        "bash -c 'echo x'; rm y",
    ] {
        assert!(
            !arity::is_destructive(&analyse(command).commands[0]),
            "{command:?}"
        );
    }
}

#[test]
fn an_opaque_command_offers_no_always_and_is_asked() {
    let ask = analyse("$X && cat x").whole();
    assert_eq!((ask.always.len(), ask.floor), (0, Floor::Ask));
    assert_eq!(ask.subject.text, "$X && cat x");
}
