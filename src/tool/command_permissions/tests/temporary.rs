//! Commands that write below the scratch directory, and those that only seem to.

use super::*;
use crate::permission::PermissionKey;

/// A project whose commands are given a scratch directory, and that directory.
fn project() -> (Harness, String) {
    with_rules(json!({}))
}

fn with_rules(rules: serde_json::Value) -> (Harness, String) {
    let mut project = Harness::with_rules(rules);
    let scratch = project.services.tree.scratch.path().to_owned();
    let variable = |name: &str| (name.into(), std::env::var_os(name).unwrap_or_default());
    let environment = vec![
        variable("PATH"),
        variable("HOME"),
        ("TMPDIR".into(), scratch.clone().into()),
    ];
    set_environment(&mut project, environment);
    project.services.tree.scratch.ensure().unwrap();
    project.write("a.txt", "a\n");
    (project, scratch.to_str().unwrap().to_owned())
}

fn keys(project: &Harness, command: &str) -> Vec<String> {
    let found = command_permissions(&project.services, command, &project.path(""));
    let mut keys: Vec<String> = open_of(project, &found.asks)
        .into_iter()
        .map(|ask| ask.0)
        .collect();
    keys.dedup();
    keys
}

#[tokio::test]
async fn temporary_files_are_written_without_a_question() {
    let (project, scratch) = project();
    project.write(format!("{scratch}/there"), "");
    fs::create_dir(format!("{scratch}/d")).unwrap();
    for command in [
        "echo x > $TMPDIR/a",
        "echo x >> \"$TMPDIR/there\"",
        "cat a.txt > ${TMPDIR}/d/new",
        "cd $TMPDIR && echo x > a",
        "cd \"$TMPDIR/d\" && echo x > ../a",
        "git log > $TMPDIR/a; head -n 3 $TMPDIR/a",
        "[[ -f a.txt ]] && echo x > $TMPDIR/a",
    ] {
        assert_eq!(keys(&project, command), Vec::<String>::new(), "{command}");
        let result = project.run("bash", json!({ "command": command })).await;
        assert_eq!(result.error_kind(), None, "{command}");
    }
    let named = format!("echo x > {scratch}/a");
    assert_eq!(keys(&project, &named), Vec::<String>::new());
    for command in [
        "cargo test > $TMPDIR/out 2>&1; tail -n 3 $TMPDIR/out",
        "echo x | tee $TMPDIR/a",
        "mkdir -p $TMPDIR/e && echo x > $TMPDIR/e/f",
        "touch $TMPDIR/f && echo x > $TMPDIR/f",
        "cargo build && cargo test -p x > $TMPDIR/f",
    ] {
        assert_eq!(keys(&project, command), ["bash"], "{command}");
    }
}

#[tokio::test]
async fn what_leads_out_of_the_scratch_directory_is_asked() {
    let (project, scratch) = project();
    let link = |target: &Path, name: &str| symlink(target, format!("{scratch}/{name}")).unwrap();
    link(&project.path(""), "project");
    link(&project.path("a.txt"), "file");
    link(&project.path("new.txt"), "dangling");
    link(&project.outside(""), "outside");
    fs::hard_link(project.path("a.txt"), format!("{scratch}/same")).unwrap();
    fs::create_dir(format!("{scratch}/d")).unwrap();
    symlink(&scratch, project.path("temporary")).unwrap();
    let sibling = format!("{scratch}x");
    for command in [
        "echo x > $TMPDIR/project/new",
        "echo x > $TMPDIR/file",
        "echo x > $TMPDIR/dangling",
        "echo x > $TMPDIR/outside/new",
        "echo x > $TMPDIR/same",
        "echo x > $TMPDIR/../new",
        "echo x > $TMPDIR/d/../../new",
        "echo x > $TMPDIR/project/../new",
        "echo x > $TMPDIR/$y",
        "echo x > $TMPDIR/d*/a",
        "echo x > $TMPDIR",
        "echo x > \"$TMPDIR\"x/a",
        "echo x > $TMPDIR.txt",
        &format!("echo x > {sibling}/a"),
        "cd $TMPDIR/project && echo x > a",
    ] {
        assert!(keys(&project, command).contains(&"edit".to_owned()), "{command}");
    }
}

#[tokio::test]
async fn a_command_that_may_put_a_link_there_brings_the_question_back() {
    let (project, scratch) = project();
    symlink(&scratch, project.path("temporary")).unwrap();
    for command in [
        "ln -s \"$PWD\" $TMPDIR/l; echo x > $TMPDIR/l/a.txt",
        "ln a.txt $TMPDIR/l && echo x > $TMPDIR/l",
        "echo x > $TMPDIR/l | ln -s \"$PWD/a.txt\" $TMPDIR/l",
        "cp -a temporary/. $TMPDIR/d; echo x > $TMPDIR/d/a",
        "mv a.txt $TMPDIR; echo x > $TMPDIR/a.txt",
        "git clone . $TMPDIR/r && echo x > $TMPDIR/r/a",
        "git -C $TMPDIR checkout x && echo x > $TMPDIR/a",
        "cd $TMPDIR && ln -s / l && echo x > l/tmp/a",
        "(cd $TMPDIR; tar xf a.tar); echo x > $TMPDIR/a",
        "ln -s /etc temporary/l; echo x > $TMPDIR/l/a",
        "ln -s ../x temporary/d/../l; echo x > $TMPDIR/l/a",
        "cp -a evil/. /tmp; echo x > $TMPDIR/l",
        "ln -s /tmp p; ln -sf \"$PWD/a.txt\" p/*/*/f; echo x > $TMPDIR/f",
        "git checkout x; cp -a l p/; echo x > $TMPDIR/l",
        "git checkout x; cp -a a.txt p; echo x > $TMPDIR/l",
        "t=$TMPDIR; ln -s / \"$t/l\"; echo x > $TMPDIR/l/a",
        "bash -c 'ln -s /etc $TMPDIR/l'; echo x > $TMPDIR/l/a",
        "find . -exec ln -s {} $TMPDIR/l \\;; echo x > $TMPDIR/l",
        "ls | xargs ln -s; echo x > $TMPDIR/l",
        "f() { ln -s / \"$1\"; }; f x; echo x > $TMPDIR/l/a",
        "env -C $TMPDIR ln -s / l; echo x > $TMPDIR/l/a",
        &format!("ln -s /etc {scratch}/l; echo x > $TMPDIR/l/a"),
        "ln -s /etc /tmp/lathe-*/*/l; echo x > $TMPDIR/l/a",
        "A=b touch $TMPDIR/l; echo x > $TMPDIR/l",
        "python3 x.py \"$y\"; echo x > $TMPDIR/l",
    ] {
        let found = command_permissions(&project.services, command, &project.path("")).asks;
        let is_asked = found.iter().any(|ask| {
            ask.key == PermissionKey::EDIT && ask.floor != Floor::Denied && !ask.subject.text.is_empty()
        });
        assert!(is_asked, "{command}: {found:?}");
    }
    for whole in [
        "TMPDIR=$PWD; echo x > $TMPDIR/a",
        "export TMPDIR=$PWD; echo x > $TMPDIR/a",
        "TMPDIR=. bash -c 'echo x > $TMPDIR/a'",
        "env TMPDIR=. bash -c 'echo x > $TMPDIR/a'",
        "unset TMPDIR; echo x > $TMPDIR/a",
        "read TMPDIR; echo x > $TMPDIR/a",
        "for TMPDIR in .; do echo x > $TMPDIR/a; done",
        "printf -v TMPDIR .; echo x > $TMPDIR/a",
    ] {
        let asked = keys(&project, whole);
        assert!(
            asked.contains(&"bash".to_owned()) && asked.contains(&"edit".to_owned()),
            "{whole}: {asked:?}"
        );
    }
}

#[tokio::test]
async fn rules_that_deny_hold_for_temporary_files() {
    let (project, scratch) = with_rules(json!({"edit": {"*.lock": "deny"}}));
    for (command, key) in [
        ("echo x > $TMPDIR/a.lock", "deny edit"),
        ("echo x > $TMPDIR/.git/config", "deny protected"),
        ("echo x > $TMPDIR/.envrc", "protected"),
    ] {
        assert_eq!(keys(&project, command), [key], "{command}");
    }
    // Without the directory the variable would be empty.
    let (project, _) = with_rules(json!({}));
    assert!(keys(&project, "echo x > $TMPDIR/a").is_empty());
    assert!(Path::new(&scratch).is_dir());
}

#[tokio::test]
async fn a_file_that_one_command_makes_is_asked_about_where_another_writes_it() {
    let project = Harness::with_rules(json!({"bash": "allow"}));
    for command in [
        "touch out && echo x > out",
        "cp a out; echo x > out",
        "echo x > out; touch out",
        "rm out; echo x | tee out",
    ] {
        assert_eq!(open(&project, command).await, [pair("edit", "out")], "{command}");
    }
    assert_eq!(open(&project, "touch out").await, []);
}

/// A call that asks for temporary files alone runs in the read-only sandbox.
#[tokio::test]
async fn a_call_that_writes_temporary_files_alone_is_confined() {
    let (project, _) = project();
    let asks = |command: &str| command_permissions(&project.services, command, &project.path(""));
    assert!(asks("echo x > $TMPDIR/a").reads_only.is_some());
    assert!(asks("echo x > a.txt").reads_only.is_none());
    assert!(asks("echo x > $TMPDIR/a; echo y > b.txt").reads_only.is_none());
}
