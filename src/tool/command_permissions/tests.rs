mod attacks;
mod brought;
mod brought_fuzz;
mod budget;
mod closed;
mod day;
mod evaluated;
mod expanded;
mod forms;
mod git;
mod git_forms;
mod git_fuzz;
mod git_kept;
mod links;
mod search_forms;
mod search_fuzz;
mod session;
mod static_text;
mod temporary;
mod unread;
mod values_fuzz;

use crate::permission::PermissionKey;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::wildcards::MAX_FILES;
use super::*;
use crate::conversation::ErrorKind;
use crate::process::Support;
use crate::tool::harness::Harness;

fn asks(project: &Harness, command: &str) -> Vec<(String, String)> {
    let found = command_permissions(&project.services, command, &project.path(""));
    let pairs = found
        .asks
        .into_iter()
        .map(|ask| (ask.key.to_string(), ask.subject.text));
    pairs.collect()
}

/// Returns the asks that are open under the default rules.
async fn open(project: &Harness, command: &str) -> Vec<(String, String)> {
    project.run("bash", json!({ "command": command })).await;
    project.asked()
}

/// Puts a program of this name on the PATH, as if the system brought it.
fn bring(project: &mut Harness, name: &str) {
    let file = project.outside("bin").join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let places = format!(
        "{}:{}",
        project.outside("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let home = std::env::var_os("HOME").unwrap_or_default();
    set_environment(
        project,
        vec![("PATH".into(), places.into()), ("HOME".into(), home)],
    );
}

fn set_environment(project: &mut Harness, environment: Vec<(std::ffi::OsString, std::ffi::OsString)>) {
    project.session().environment = environment;
}

/// As on a machine that cannot confine commands to reading.
fn without_confinement(project: &mut Harness) {
    project.tree().kernel = Support {
        files: false,
        calls: false,
    };
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

/// The table of the contract, row by row.
#[tokio::test]
async fn a_command_permissions_by_its_parts() {
    let project = Harness::new();
    let home = std::env::var("HOME").unwrap();
    let bash = |pattern: &str| pair("bash", pattern);
    for (command, asked) in [
        (
            "git add . && git commit -m x",
            vec![bash("git add ."), bash("git commit -m x")],
        ),
        ("ls | sh", vec![bash("sh")]),
        (
            "echo x > ~/.profile",
            vec![
                pair("external_directory", format!("{home}/*")),
                pair("edit", format!("{home}/.profile")),
            ],
        ),
        ("timeout 9 curl u", vec![bash("curl u")]),
        (
            "bash -c 'rm -rf x'",
            vec![bash("bash -c rm -rf x"), bash("rm -rf x")],
        ),
        ("$CMD x", vec![bash("$CMD x")]),
        ("if (", vec![bash("if (")]),
        ("touch  'a b'", vec![bash("touch a b")]),
        ("A=1 ls", vec![bash("A=1 ls")]),
        ("ls > out", vec![pair("edit", "out")]),
        (
            "/bin/ls",
            vec![pair("external_directory", "/bin/*"), bash("/bin/ls")],
        ),
        ("tail -f a", vec![bash("tail -f a")]),
        ("cd sub && touch ../x", vec![bash("touch ../x")]),
        ("ls 2>/dev/null >&2", vec![]),
        ("sort < a.pem > b", vec![pair("edit", "b"), pair("read", "a.pem")]),
    ] {
        let analysed = command_permissions(&project.services, command, &project.path(""));
        let open = open_of(&project, &analysed.asks);
        // The program's own place is no operand.
        let open: Vec<_> = open.into_iter().filter(|ask| ask.1 != "/bin/*").collect();
        let asked: Vec<_> = asked.into_iter().filter(|ask| ask.1 != "/bin/*").collect();
        assert_eq!(open, asked, "{command}");
    }
}

/// Returns the asks that stay open when nobody answers.
fn open_of(project: &Harness, asks: &[Ask]) -> Vec<(String, String)> {
    use crate::permission::{Decision, Mode, decide};
    match decide(&project.services.gate.permissions(), asks, "bash", Mode::Ask) {
        Decision::Ask(open) => open
            .into_iter()
            .map(|open| (open.ask.key.to_string(), open.ask.subject.text))
            .collect(),
        Decision::Deny(denial) => vec![(format!("deny {}", denial.key), denial.pattern)],
        Decision::Allow | Decision::AllowByMode(_) => Vec::new(),
    }
}

#[tokio::test]
async fn the_directory_is_followed() {
    let project = Harness::new();
    project.write("sub/a", "");
    symlink(project.outside(""), project.path("link")).unwrap();
    let outside = project.outside("");
    let above = outside.parent().unwrap().to_str().unwrap().to_owned();
    let above = pair("external_directory", format!("{above}/*"));
    let external = |command: &str| -> Vec<(String, String)> {
        let asks = asks(&project, command).into_iter();
        asks.filter(|ask| ask.0 == "external_directory").collect()
    };
    for command in [
        "cd sub && cat ../a",
        "cd sub && cd .. && cat a",
        "(cd sub && cat ../a); cat a",
        "cd sub || exit 1; cat a",
        "cd \"$PWD\" && cat a",
        "pushd sub && cat ../a",
    ] {
        assert_eq!(external(command), [], "{command}");
    }
    for command in [
        "cat ../a",
        "cd sub; cat ../a",
        "cd missing; cat ../a",
        "(cd sub); cat ../a",
        "cd sub & cat ../a",
        "cd sub | cat ../a",
        "cd sub && cat ../../a",
        "if cd sub; then :; fi; cat ../a",
        "cd sub || cat ../a",
        "env cd sub && cat ../a",
        "timeout 5 cd sub && cat ../a",
        "bash -c 'cd sub'; cat ../a",
        "eval 'cd sub'; cat ../../a",
        "cat link/../a",
        "cd link && cat ../a",
    ] {
        assert!(
            external(command).contains(&above),
            "{command}: {:?}",
            external(command)
        );
    }
    for (command, pattern) in [
        ("cd \"$x\" && cat a", "a"),
        ("cd - && rm a", "a"),
        ("popd && rm a", "a"),
        ("for d in a b; do cd $d; rm c; done", "c"),
        ("f() { cd $1; }; f x; rm c", "c"),
        ("cat \"$x\"", "$x"),
        ("rm $(ls)", "$(ls)"),
        ("echo x > \"$out\"", "$out"),
        ("find . | xargs rm", "xargs rm"),
    ] {
        let found = external(command);
        assert!(
            found.contains(&pair("external_directory", pattern)),
            "{command}: {found:?}"
        );
    }
}

#[tokio::test]
async fn redirections_are_edits_and_reads() {
    let project = Harness::new();
    project.write(".env", "x");
    project.write("a", "x");
    for (command, wanted) in [
        ("echo x > out", pair("edit", "out")),
        ("echo x >> out", pair("edit", "out")),
        ("echo x >| out", pair("edit", "out")),
        ("echo x &> out", pair("edit", "out")),
        ("echo x >& out", pair("edit", "out")),
        ("cat <> out", pair("edit", "out")),
        ("{ echo x; } > out", pair("edit", "out")),
        ("while true; do echo x; done 2> out", pair("edit", "out")),
        ("> out", pair("edit", "out")),
        ("cd sub && echo x > out", pair("edit", "sub/out")),
        (
            "echo x > .git/hooks/pre-commit",
            pair("protected", ".git/hooks/pre-commit"),
        ),
        ("echo x > .g*t/config", pair("edit", ".g*t/config")),
        ("$X > .git/config", pair("protected", ".git/config")),
        ("echo x > .git/config\nif (", pair("protected", ".git/config")),
        ("wc < .env", pair("read", ".env")),
        ("while read x; do echo $x; done < .env", pair("read", ".env")),
        ("cat > out <<E\nE", pair("edit", "out")),
        ("echo x > \"$y\"", pair("edit", "$y")),
    ] {
        let found = asks(&project, command);
        assert!(found.contains(&wanted), "{command}: {found:?}");
    }
    for command in [
        "ls >/dev/null 2>&1",
        "ls >&2",
        "ls 2>/dev/stderr",
        "cat <<E\nx > y\nE",
        "echo '> x'",
    ] {
        let found = asks(&project, command);
        assert!(found.iter().all(|ask| ask.0 == "bash"), "{command}: {found:?}");
    }
    let asks = command_permissions(&project.services, "echo x > \"$y\"", &project.path("")).asks;
    let edit = asks.iter().find(|ask| ask.key == PermissionKey::EDIT).unwrap();
    assert_eq!(edit.floor, Floor::Ask, "no rule can know where it goes");
}

#[tokio::test]
async fn variables_of_the_session_are_not_changed_unasked() {
    let mut project = Harness::new();
    let path = std::env::var("PATH").unwrap();
    let environment = vec![("PATH".into(), path.into()), ("GIT_PAGER".into(), "cat".into())];
    project.session().environment = environment;
    for whole in [
        "GIT_PAGER=./x; git log",
        "for GIT_PAGER in ./x; do git log; done",
        "echo ${GIT_PAGER:=./x}; git log",
    ] {
        assert_eq!(open(&project, whole).await, [pair("bash", whole)]);
    }
    assert_eq!(open(&project, "mine=./x; git log").await, []);
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
        "grep x link/secret".to_owned(),
        "wc -l link/secret".to_owned(),
        "diff --from-file=link/secret a".to_owned(),
        "rg x link".to_owned(),
        "grep -R x .".to_owned(),
        "rg -L x".to_owned(),
        "ls link/".to_owned(),
        "cat \"$PWD\"/../outside/secret".to_owned(),
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
    let asks = asks(&project, "ls ~/x $HOME/y ~other/y '~/z'");
    assert_eq!(asks[0], pair("external_directory", format!("{home}/*")));
    assert_eq!(asks[1], pair("external_directory", "~other/y"));
    assert_eq!(asks[2].0, "bash");
}

#[tokio::test]
async fn files_that_are_read_are_judged_as_read() {
    let mut project = Harness::new();
    bring(&mut project, "rg");
    for name in [".env", "key.pem", "a.txt", "many/a"] {
        project.write(name, "x");
    }
    symlink(project.path(".env"), project.path("innocent")).unwrap();
    for command in [
        "cat .env",
        "cat .e*",
        "cat .?nv",
        "cat .[e]nv",
        "head -3 ./.env",
        "grep x .env",
        "cat innocent",
        "cat in*",
        "cat $PWD/.e*",
        "cat \"${PWD}\"/.?nv",
        "grep --regex=. .env",
        "grep -o -f.env a.txt",
        "grep --file=.env a.txt",
        "diff --from-file=.env a.txt",
        "git diff -- .env",
        "git show HEAD:.env",
        "git show :/.env",
        "git blame -S.env a.txt",
        "git blame --ignore-revs-file=.env a.txt",
        "grep -rn x",
        "grep -r x .",
        "grep -r x $PWD",
        "grep -r --include='*.env' x .",
        "rg --hidden x",
        "rg -uu -A 3 x .",
        "rg -g .env x",
        "diff -rN many .",
    ] {
        let open = open(&project, command).await;
        assert!(
            open.iter()
                .any(|ask| ask.0 == "read" && Path::new(&ask.1).ends_with(".env")),
            "{command}: {open:?}"
        );
    }
    assert_eq!(open(&project, "cat *.pem").await, [pair("read", "key.pem")]);
    for command in [
        "cat a.txt",
        "grep -rn x many",
        "grep -rn --include='*.txt' x .",
        "rg x many",
        "git log a.txt",
    ] {
        assert_eq!(open(&project, command).await, [], "{command}");
    }
    assert_eq!(open(&project, "rg x").await, [pair("read", "key.pem")]);
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
        project.session().environment = environment;
        let open = open(&project, &format!("ls -l {}", "-a ".repeat(first.len()))).await;
        assert!(open.len() == 1 && open[0].0 == "bash", "{first}: {open:?}");
    }
    assert!(!project.path("ran").exists());
}
