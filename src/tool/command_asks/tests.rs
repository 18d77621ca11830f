use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;
use crate::conversation::ErrorKind;
use crate::tool::harness::Harness;

fn asks(project: &Harness, command: &str) -> Vec<(String, String)> {
    let found = command_asks(&project.services, command, &project.path(""));
    let pairs = found.asks.into_iter().map(|ask| (ask.key, ask.subject.text));
    pairs.collect()
}

/// What is asked when the rules are the defaults.
async fn open(project: &Harness, command: &str) -> Vec<(String, String)> {
    project.run("bash", json!({ "command": command })).await;
    project.asked()
}

fn pair(key: &str, pattern: impl Into<String>) -> (String, String) {
    (key.to_owned(), pattern.into())
}

#[tokio::test]
async fn commands_that_only_read_are_not_asked_about() {
    let project = Harness::new();
    project.write("a.txt", "x\n");
    for command in [
        "ls",
        "ls -la",
        "pwd",
        "cat a.txt",
        "head -n 3 a.txt",
        "grep x a.txt",
        "wc -l *",
        "git status",
        "echo *",
        "find . -name '*.rs'",
        "git log --oneline",
        "sort a.txt",
    ] {
        assert_eq!(open(&project, command).await, [], "{command}");
    }
}

#[tokio::test]
async fn everything_else_is_asked_by_its_words_or_by_its_whole_text() {
    let project = Harness::new();
    for (command, asked) in [
        ("touch  'a b'", "touch a b"),
        ("git commit -m x", "git commit -m x"),
        ("git add . && git commit -m x", "git add . && git commit -m x"),
        ("ls | sh", "ls | sh"),
        ("timeout 9 curl u", "timeout 9 curl u"),
        ("$CMD x", "$CMD x"),
        ("A=1 ls", "A=1 ls"),
        ("ls > out", "ls > out"),
        ("/bin/ls", "/bin/ls"),
        ("tail -f a", "tail -f a"),
    ] {
        let open = open(&project, command).await;
        assert!(open.contains(&pair("bash", asked)), "{command}: {open:?}");
    }
    assert!(!project.path("out").exists());
}

#[tokio::test]
async fn a_deny_is_found_in_every_spelling() {
    let project = Harness::with_rules(json!({"bash": {"*": "allow", "curl *": "deny"}}));
    for command in [
        "\"cu\"rl u",
        "/usr/bin/curl u",
        "cu\\rl u",
        "ls; curl u",
        "bash -c 'curl u'",
        "x=$(curl u)",
    ] {
        let (kind, text) = project.error("bash", json!({ "command": command })).await;
        assert_eq!(kind, ErrorKind::Denied, "{command}: {text}");
    }
}

#[tokio::test]
async fn paths_outside_are_asked_for_first() {
    let project = Harness::new();
    let outside = project.outside("");
    let outside = outside.to_str().unwrap().trim_end_matches('/');
    let home = project.home();
    symlink(outside, project.path("link")).unwrap();
    fs::write(project.outside("secret"), "").unwrap();
    let directory = pair("external_directory", format!("{outside}/*"));
    for command in [
        format!("cat {outside}/secret"),
        "cat ../outside/secret".to_owned(),
        "cat link/secret".to_owned(),
        "cat link/*".to_owned(),
        "cat lin*/secret".to_owned(),
        "cat [l]ink/secret".to_owned(),
        "cat ../out*/secret".to_owned(),
        "rm -r link/".to_owned(),
        format!("cp --target-directory={outside} a"),
    ] {
        let asks = asks(&project, &command);
        assert!(asks.contains(&directory), "{command}: {asks:?}");
        let bash = asks.iter().position(|ask| ask.0 == "bash").unwrap();
        assert!(
            asks[..bash].iter().all(|ask| ask.0 == "external_directory"),
            "{asks:?}"
        );
    }
    for command in ["echo /etc/passwd", "cat a /dev/null", "cat ./a", "grep x/../y a"] {
        let asks = asks(&project, command);
        assert!(
            asks.iter().all(|ask| ask.0 != "external_directory"),
            "{command}: {asks:?}"
        );
    }
    drop(home);
}

#[tokio::test]
async fn the_home_directory_is_the_commands_own() {
    let project = Harness::new();
    let home = std::env::var("HOME").unwrap();
    let asks = asks(&project, "ls ~/x ~other/y '~/z'");
    assert_eq!(asks[0], pair("external_directory", format!("{home}/*")));
    assert_eq!(asks[1], pair("external_directory", "~other/y"));
    assert_eq!(asks[2].0, "bash");
}

#[tokio::test]
async fn files_that_are_read_are_judged_as_read() {
    let project = Harness::new();
    for name in [".env", "key.pem", "a.txt"] {
        project.write(name, "x");
    }
    symlink(project.path(".env"), project.path("innocent")).unwrap();
    for command in [
        "cat .env",
        "cat .e*",
        "cat ?env",
        "cat .[e]nv",
        "head -3 ./.env",
        "grep x .env",
        "cat innocent",
        "cat in*",
    ] {
        let open = open(&project, command).await;
        assert!(
            open.iter()
                .any(|ask| ask.0 == "read" && Path::new(&ask.1).ends_with(".env")),
            "{command}: {open:?}"
        );
    }
    assert_eq!(open(&project, "cat *.pem").await, [pair("read", "key.pem")]);
    assert_eq!(open(&project, "cat a.txt").await, []);
}

#[tokio::test]
async fn wildcards_for_too_many_files_are_asked_about() {
    let project = Harness::new();
    for number in 0..=MAX_FILES {
        project.write(format!("many/{number}"), "");
    }
    assert_eq!(open(&project, "cat many/*").await, [pair("bash", "cat many/*")]);
}

#[tokio::test]
async fn what_tee_writes_is_an_edit() {
    let project = Harness::new();
    let open = asks(&project, "tee a .git/config");
    for wanted in [
        pair("edit", "a"),
        pair("edit", ".git/config"),
        pair("protected", ".git/config"),
    ] {
        assert!(open.contains(&wanted), "{open:?}");
    }
    let (kind, text) = Harness::with_rules(json!({"bash": "allow", "edit": "allow"}))
        .error("bash", json!({"command": "tee .git/config"}))
        .await;
    assert_eq!(kind, ErrorKind::Denied, "{text}");
}

#[tokio::test]
async fn a_repository_that_runs_programs_is_asked_about_and_the_key_named() {
    let project = Harness::new();
    project.write(".git/config", "[core]\n\tfsmonitor = ./evil.sh\n");
    let (kind, text) = project.error("bash", json!({"command": "git status"})).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert!(text.contains("core.fsmonitor"), "{text}");
    assert_eq!(project.asked(), [pair("bash", "git status")]);
}

#[tokio::test]
async fn a_program_of_the_project_is_no_system_program() {
    let mut project = Harness::new();
    let own = project.write("bin/ls", "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
    symlink(&own, project.outside("ls")).unwrap();
    let system = std::env::var("PATH").unwrap();
    for first in [
        project.path("bin").to_string_lossy().into_owned(),
        project.outside("").to_string_lossy().into_owned(),
        "bin".to_owned(),
        String::new(),
    ] {
        let environment = vec![("PATH".into(), format!("{first}:{system}").into())];
        std::sync::Arc::get_mut(&mut project.services)
            .unwrap()
            .environment = environment;
        let open = open(&project, &format!("ls -l {}", "-a ".repeat(first.len()))).await;
        assert!(open.len() == 1 && open[0].0 == "bash", "{first}: {open:?}");
    }
    assert!(!project.path("ran").exists());
}
