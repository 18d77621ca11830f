//! Wildcards as the shell replaces them: hidden names are left out unless the call says otherwise.

use super::*;

fn project() -> Harness {
    let project = Harness::new();
    for name in [".env", "a.txt", "b.txt", "src/main.rs"] {
        project.write(name, "x\n");
    }
    project
}

#[tokio::test]
async fn a_wildcard_stands_for_no_hidden_name() {
    let project = project();
    for command in [
        "cat *",
        "wc -l ./*",
        "cat ?env",
        "grep x *",
        "for f in *; do cat \"$f\"; done",
    ] {
        assert_eq!(open(&project, command).await, [], "{command}");
    }
    for command in ["rm *.txt", "rm -rf *", "rmdir *", "mv *.txt src"] {
        let found = open(&project, command).await;
        assert!(found.contains(&pair("bash", command)), "{command}: {found:?}");
    }
}

#[tokio::test]
async fn a_wildcard_that_may_stand_for_hidden_names_does() {
    let project = project();
    for command in [
        "cat .*",
        "cat .e*",
        "cat ./.?nv",
        "cat {.,x}e*",
        "x=.; cat $x*",
        "cat '.'*",
        "cat \\.*",
        "for f in *; do cat \".$f\"; done",
        "for f in .*; do cat \"$f\"; done",
        "shopt -s dotglob; cat *",
        "shopt -s dot\"\"glob; cat *",
        "shopt -s $x; cat *",
        "set -o dotglob; cat *",
        "GLOBIGNORE=x; cat *",
        "bash -O dotglob -c 'cat *'",
        "env BASHOPTS=dot\\glob bash -c 'cat *'",
        "ksh -c 'FIGNORE=x; cat *'",
        "find . -name '*nv' -exec cat {} +",
    ] {
        let asked = open(&project, command).await;
        // A text that is not understood is asked whole, whatever rules allow it.
        let is_asked = asked.contains(&pair("read", ".env")) || asked.contains(&pair("bash", command));
        assert!(is_asked, "{command}: {asked:?}");
    }
    for command in ["shopt -s dotglob; rm -rf *", "shopt -s dot''glob; mv * src"] {
        assert_eq!(verdict(&project, command), "deny protected", "{command}");
    }
}

fn verdict(project: &Harness, command: &str) -> String {
    let found = command_permissions(&project.services, command, &project.path(""));
    let open = open_of(project, &found.asks);
    open.into_iter().map(|ask| ask.0).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_session_that_sets_dotglob_shows_hidden_names() {
    for (name, value) in [
        ("BASHOPTS", "dotglob"),
        ("GLOBIGNORE", "x"),
        ("FIGNORE", "x"),
        ("BASH_ENV", "x"),
    ] {
        let mut project = project();
        let path = std::env::var_os("PATH").unwrap();
        set_environment(
            &mut project,
            vec![("PATH".into(), path), (name.into(), value.into())],
        );
        let found = asks(&project, "cat *");
        assert!(found.contains(&pair("read", ".env")), "{name}: {found:?}");
    }
}

#[tokio::test]
async fn builtins_that_compute_names_take_no_file_names() {
    let project = project();
    // Bash computes the subscript, and so runs the command in it.
    project.write("a[$(touch made)]", "");
    project.write("-v", "");
    for command in [
        "read a* <<< x",
        "read -r a* <<< x",
        "[ -? a* ]",
        "test -* a*",
        "wait -np 'a[$(touch made)]'",
        "wait -fp 'a[$(touch made)]'",
        "wait -n -* ",
        "set",
    ] {
        let asked = open(&project, command).await;
        assert!(asked.iter().any(|ask| ask.0 == "bash"), "{command}: {asked:?}");
    }
    for command in [
        "[ -f a.txt ]",
        "wait",
        "wait -n",
        "set -eu",
        "type ls",
        "[[ -f a.txt ]]",
    ] {
        assert_eq!(open(&project, command).await, [], "{command}");
    }
    assert!(!project.path("made").exists());
}

#[tokio::test]
async fn what_runs_nothing_asks_for_its_files_alone() {
    let project = project();
    for (command, asked) in [
        ("[[ -f a.txt ]]", vec![]),
        ("[[ -f a.txt && ! -d x ]] || [[ a == b* ]]", vec![]),
        ("! [[ -n $x ]]", vec![]),
        ("> out", vec![pair("edit", "out")]),
        ("[[ -f x ]] > out", vec![pair("edit", "out")]),
        ("> .git/config", vec![]),
        ("< .env", vec![pair("read", ".env")]),
        ("[[ -n $(touch x) ]]", vec![pair("bash", "touch x")]),
        ("[[ -v x ]]", vec![pair("bash", "[[ -v x ]]")]),
        ("[[ $x -eq 1 ]]", vec![pair("bash", "[[ $x -eq 1 ]]")]),
        ("let x=1", vec![pair("bash", "let x=1")]),
        ("# nothing", vec![pair("bash", "# nothing")]),
    ] {
        assert_eq!(open(&project, command).await, asked, "{command}");
    }
    assert_eq!(verdict(&project, "> .git/config"), "deny protected");
    let denying = Harness::with_rules(json!({"bash": "deny"}));
    assert_eq!(verdict(&denying, "[[ -f x ]]"), "deny bash");
}

#[tokio::test]
async fn the_null_device_asks_nothing() {
    let project = project();
    for (tool, args) in [
        ("read", json!({"file_path": "/dev/null"})),
        ("grep", json!({"pattern": "x", "path": "/dev/null"})),
        ("bash", json!({"command": "grep -n x a.txt /dev/null"})),
        ("bash", json!({"command": "cat < /dev/null 2> /dev/null"})),
    ] {
        project.run(tool, args.clone()).await;
        assert_eq!(project.asked(), [], "{tool} {args}");
    }
    for path in ["/dev/zero", "/dev/null/../zero"] {
        project.run("read", json!({ "file_path": path })).await;
        let asked = project.asked();
        assert!(
            asked.contains(&pair("external_directory", "/dev/*")),
            "{path}: {asked:?}"
        );
    }
}

#[tokio::test]
async fn a_wildcard_behind_a_dot_may_stand_for_the_parent() {
    let project = project();
    let found = open(&project, "cat src/.*/.env").await;
    assert!(found.contains(&pair("read", ".env")), "{found:?}");
}
