//! Texts that cannot be read, in a session that asks nobody: what the rules deny is denied all the same.

use super::*;
use crate::permission::Mode;
use crate::tool::harness::HarnessOptions;

/// A session in mode `yolo` with rules that deny.
fn closed() -> Harness {
    let project = Harness::with(HarnessOptions {
        rules: json!({
            "edit": {"*": "allow", "a.txt": "deny"},
            "read": {"*": "allow", "sec.txt": "deny", "my secret.txt": "deny", "secrets/**": "deny"},
            "external_directory": "deny",
        }),
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    });
    for name in [
        "evil",
        "a.txt",
        "sec.txt",
        "b.txt",
        "lathe.jsonc",
        "my secret.txt",
        "sub/f",
        "secrets/k",
    ] {
        project.write(name, "x\n");
    }
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    project
}

#[tokio::test]
async fn what_the_rules_deny_is_denied_however_the_text_is_broken() {
    let project = closed();
    let commands = [
        "cp evil .git/hooks/pre-commit",
        "rm .git/HEAD",
        "mv a lathe.jsonc",
        "cp evil -t.git/hooks",
        "cp evil --target-directory=.git/hooks",
        "dd if=evil of=.git/x",
        "cp evil '.gi't/hooks/x",
        "cp evil .git/hoo*",
        "touch .git/$x",
        "cat sec.txt",
        "cat ./sec.txt",
        "cat ../project/sec.txt",
        "echo z > a.txt",
        "rm a.txt",
        "cat /etc/hostname",
        "ls ~",
        "cp evil $'.git/hooks/x'",
        "cp evil $'\\x2egit/hooks/x'",
        "cp evil .g$''it/hooks/x",
        "cp evil \"$PWD/.git/hooks/x\"",
        "cp -afvt.git/hooks evil",
        "cat sec.t*",
        "cat s?c.txt",
        "cd sub; cat ../sec.txt",
        "cat 'my secret.txt'",
        "cat my\\ secret.txt",
        "cd secrets; cat k",
        "touch .gi{t,x}/hooks/x",
        "cat sec.{txt,y}",
        "echo z | tee lathe.json{c,}",
        "cp evil .g?t/hooks",
        "rm .gi*/HEAD",
        "cat $\"sec.txt\"",
        "cat ~+/sec.txt",
        "cat $PWD/sec.txt",
    ];
    let breaks = [
        "\n)",
        "; : <<E\nx",
        " \"\u{200b}\"",
        "\r",
        "; \u{1b}",
        "; echo +(a)",
        "; bash -c \"$Q\"",
        "; fi",
    ];
    for command in commands {
        for end in breaks {
            let text = format!("{command}{end}");
            let (kind, message) = project.error("bash", json!({"command": text})).await;
            assert_eq!(kind, ErrorKind::Denied, "{text:?}: {message}");
        }
    }
    assert!(!project.path(".git/hooks").exists());
    assert_eq!(project.read("a.txt"), "x\n");
}

#[tokio::test]
async fn what_is_read_but_not_understood_is_looked_at_too() {
    let project = closed();
    for text in [
        "trap 'cp evil .git/hooks/x' EXIT",
        "PS4='$(cp evil .git/hooks/x)'; set -x; :",
        "[ -v 'a[$(cp evil .git/hooks/x)]' ]",
        "let 'a[$(cp evil .git/hooks/x)]'",
        "source /dev/stdin <<< 'cp evil .git/hooks/x'",
        "a='b[$(cp evil .git/hooks/x)]'; echo $((a))",
        "touch .git/hooks/{a..c}",
        "touch .git/hooks/{01..03}",
        "touch {a,{b,.git/hooks/x}}",
        "touch {.git/hooks/x,b}$x",
        "cat {b.txt,\"sec.txt\"}",
        "cat {sec.txt,$x}",
        "cat {a},sec.txt}",
        "cat secrets/{k,{l,m}}",
    ] {
        let (kind, message) = project.error("bash", json!({"command": text})).await;
        assert_eq!(kind, ErrorKind::Denied, "{text:?}: {message}");
    }
    assert!(!project.path(".git/hooks").exists());
}

#[tokio::test]
async fn words_that_no_rule_denies_stop_nothing() {
    let project = closed();
    for text in [
        "echo b.txt > c.txt; : <<E\nx",
        "cp evil b.txt; echo \"\u{200b}\"",
        "shopt -s extglob\ncat +(b).txt",
        "source ./b.txt; cat b.txt",
    ] {
        let result = project.run("bash", json!({"command": text})).await;
        assert!(
            result.error_kind() != Some(ErrorKind::Denied),
            "{text:?}: {}",
            result.output
        );
    }
    assert_eq!(project.read("c.txt"), "b.txt\n");
}

#[tokio::test]
async fn a_text_with_too_many_words_to_look_at_is_denied() {
    let project = closed();
    let words: Vec<String> = (0..6000).map(|number| format!("{number}.txt")).collect();
    let text = format!("echo {}; cp evil .git/hooks/x\n)", words.join(" "));
    assert_eq!(
        project.error("bash", json!({"command": text})).await.0,
        ErrorKind::Denied
    );
    let words: Vec<String> = (0..6000).map(|number| format!("word{number}")).collect();
    let text = format!("echo {} > /dev/null; cp evil d.txt; : <<E\nx", words.join(" "));
    assert!(project.run("bash", json!({"command": text})).await.ok);
}
