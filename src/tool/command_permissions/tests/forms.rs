//! Calls that only read: what runs confined, what asks beside other commands, and what words stand for.

use super::*;
use crate::permission::PermissionKey;
use crate::permission::{Decision, Mode, decide};

/// A project on a machine that can confine commands to reading.
fn confining() -> Harness {
    let mut project = Harness::new();
    project.tree().kernel = Support {
        files: true,
        calls: true,
    };
    bring(&mut project, "rg");
    project
}

fn unasked(project: &Harness, command: &str) -> Vec<(String, String)> {
    let found = command_permissions(&project.services, command, &project.path(""));
    open_of(project, &found.asks)
}

#[tokio::test]
async fn the_second_list_counts_in_a_call_that_is_confined_as_a_whole() {
    let mut project = confining();
    project.write("a.txt", "a\n");
    for command in [
        "sed -n 1,3p a.txt",
        "cat a.txt | awk '{print $1}' | sort | uniq -c",
        "find . -name '*.txt' -print0 | xargs -0 ls -l --",
        "printf '%s\\n' a; seq 1 3",
        "for f in ./*.txt; do echo \"$f\"; wc -l \"$f\"; sed -n 1p \"$f\"; done",
        "cd . && git status && sha256sum a.txt",
        "[ -f a.txt ] && cat a.txt 2>/dev/null",
    ] {
        let found = command_permissions(&project.services, command, &project.path(""));
        assert_eq!(open_of(&project, &found.asks), [], "{command}");
        assert!(found.reads_only.is_some(), "{command}");
    }
    // Names that come in may lead anywhere, unless it is known what prints them.
    for (command, where_to) in [
        ("printf '%s\\n' /somewhere/else | xargs ls -la --", "/somewhere/*"),
        ("echo /somewhere | xargs stat --", "/*"),
        ("cat a.txt | xargs ls --", "xargs ls --"),
    ] {
        let asked = unasked(&project, command);
        assert_eq!(asked, [pair("external_directory", where_to)], "{command}");
    }
    let found = command_permissions(
        &project.services,
        "timeout 5 cat a.txt; git log -1",
        &project.path(""),
    );
    let reads_only = found.reads_only.unwrap();
    assert!(reads_only.git.is_some());
    let names = reads_only
        .programs
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap());
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    assert_eq!(names, ["cat", "git", "timeout"]);
    assert!(reads_only.programs.iter().all(|path| path.is_absolute()));
    // Beside something else nothing is confined.
    for command in [
        "sed -n 1p a.txt; cargo test",
        "sed -n 1p a.txt > b",
        "export A=b; sed -n 1p a.txt",
    ] {
        let found = command_permissions(&project.services, command, &project.path(""));
        assert!(found.reads_only.is_none(), "{command}");
        let open = open_of(&project, &found.asks);
        assert!(
            open.contains(&pair("bash", "sed -n 1p a.txt")),
            "{command}: {open:?}"
        );
    }
    let open = unasked(&project, "cat a.txt; cargo test");
    assert_eq!(open, [pair("bash", "cargo test")]);
    // And nowhere where the kernel cannot.
    without_confinement(&mut project);
    assert_eq!(
        unasked(&project, "sed -n 1p a.txt"),
        [pair("bash", "sed -n 1p a.txt")]
    );
    assert_eq!(unasked(&project, "head -1 a.txt"), []);
}

#[tokio::test]
async fn harmless_assignments_make_no_command_special() {
    let project = Harness::with_rules(json!({"bash": {"cargo *": "allow", "CI=1 cargo publish *": "deny"}}));
    for command in [
        "RUST_BACKTRACE=1 cargo test",
        "RUST_LOG=debug,x=info LC_ALL=C.UTF-8 LANG=C TZ=UTC cargo test",
        "CI=1 NO_COLOR=1 FORCE_COLOR=0 NODE_ENV=test PYTHONDONTWRITEBYTECODE=1 cargo test",
        "GIT_PAGER=cat git log --oneline",
        "LC_ALL=C sort a",
        "env RUST_BACKTRACE=full cargo test",
        "export RUST_BACKTRACE=1; cargo test",
    ] {
        assert_eq!(unasked(&project, command), [], "{command}");
    }
    for command in [
        "GIT_PAGER=./x git log",
        "RUSTC_WRAPPER=./x cargo test",
        "RUST_BACKTRACE=1 RUSTFLAGS=-Clinker=./x cargo test",
        "LC_=x cargo test",
        "TZ=/etc/shadow cargo test",
        "LANG=../../x cargo test",
        "export RUSTC_WRAPPER=./x; cargo test",
    ] {
        assert!(!unasked(&project, command).is_empty(), "{command}");
    }
    let denied = unasked(&project, "CI=1 cargo publish x");
    assert_eq!(denied[0].0, "deny bash", "{denied:?}");
}

#[tokio::test]
async fn variables_with_literal_values_are_resolved() {
    let project = confining();
    for name in ["src/a.rs", "src/b.rs", ".env"] {
        project.write(name, "x\n");
    }
    for command in [
        "for f in src/*.rs; do head -3 \"$f\"; done",
        "for f in src/*.rs; do wc -l $f; done",
        "for f in src/a.rs src/b.rs; do echo \"== $f\"; cat $f; done",
        "for f in a b; do cat src/$f.rs; done",
        "for f in {a,b}; do cat \"src/${f}.rs\"; done",
        "d=src; ls $d && cat \"$d/a.rs\"",
        "d=src f=a.rs; cat $d/$f",
        "for n in 1 2 3; do sed -n \"${n}p\" src/a.rs; done",
        "x=src/a.rs; if [ -f \"$x\" ]; then cat \"$x\"; fi",
    ] {
        assert_eq!(unasked(&project, command), [], "{command}");
    }
    for (command, wanted) in [
        ("for f in .env src/a.rs; do cat $f; done", pair("read", ".env")),
        ("f=.env; cat \"$f\"", pair("read", ".env")),
        (
            "for f in src .; do rm -r \"$f/x\"; done",
            pair("bash", "rm -r src/x"),
        ),
        ("for f in a b; do echo x > $f.txt; done", pair("edit", "b.txt")),
    ] {
        let open = unasked(&project, command);
        assert!(open.contains(&wanted), "{command}: {open:?}");
    }
    // Nobody can say what these have become.
    for command in [
        "f=a; read f; cat $f",
        "f=a; f=$(cat src/a.rs); cat $f",
        "f=src/a.rs; for i in 1 2; do cat $f; f=.env; done",
        "f=src/a.rs; if true; then f=.env; fi; cat $f",
        "f=src/a.rs; true && f=.env; cat $f",
        "true || f=src/a.rs && cat $f",
        "f=src/a.rs; g() { f=.env; }; g; cat $f",
        "f=src/a.rs; eval f=.env; cat $f",
        "f=src/a.rs; declare f=.env; cat $f",
        "f=src/a.rs; printf -v f .env; cat $f",
        "f=src/a.rs; unset f; cat $f",
        "f=src/a.rs; mapfile f < x; cat $f",
        "f=src/a.rs; : ${f:=.env}; cat $f",
        "f=src/a.rs; (( f = 1 )); cat $f",
        "f=src/a.rs; f+=x; cat $f",
        "f='src/a.rs .env'; cat $f",
        "f=~; cat $f",
        "bash -c 'cat $f' x; f=a",
        "for f in $(ls); do cat $f; done",
        "f=a bash -c 'cat $f'",
        "select f in src/a.rs; do cat $f; done",
    ] {
        assert!(!unasked(&project, command).is_empty(), "{command}");
    }
}

#[tokio::test]
async fn names_that_a_wildcard_brings_stay_one_word_each() {
    let project = confining();
    project.write("a b.rs", "x");
    for command in [
        "for f in *.rs; do cat \"$f\"; done",
        "for f in *.rs; do wc -l < \"$f\"; done",
        "for f in *.rs; do echo \"$f\"; done",
        "for f in *.rs; do head -3 \"$f\"; done",
        "for f in *.rs; do head -1 < \"$f\"; done",
        "N=$(ls | wc -l); echo \"$N\"",
    ] {
        assert_eq!(unasked(&project, command), [], "{command}");
    }
    project.write(".env", "S=1");
    for command in [
        "for f in .e*; do head -1 < \"$f\"; done",
        "for f in *.rs .env; do head -3 \"$f\"; done",
        "for f in *.rs; do echo x > \"$f\"; done",
        "echo() { touch mark; }; for f in *.rs; do echo \"$f\"; done",
        "N=$(touch mark); echo \"$N\"",
        "N=$(ls); $N",
    ] {
        assert!(!unasked(&project, command).is_empty(), "{command}");
    }
    assert!(!unasked(&project, "for f in *.rs; do cat $f; done").is_empty());
    project.write("-R", "x");
    assert!(!unasked(&project, "grep x *").is_empty());
    assert_eq!(unasked(&project, "grep x ./*"), []);
}

#[tokio::test]
async fn a_change_of_directory_is_a_question_about_a_path_alone() {
    let project = Harness::with_rules(json!({"bash": {"*": "ask", "cargo test": "allow"}}));
    let above = project.outside("");
    let above = above.parent().unwrap().to_str().unwrap().to_owned();
    let home = std::env::var("HOME").unwrap();
    project.write("sub/a", "");
    for command in [
        "cd sub",
        "cd sub && cargo test",
        "pushd sub && cargo test",
        "cd .",
    ] {
        assert_eq!(unasked(&project, command), [], "{command}");
    }
    assert_eq!(
        unasked(&project, "cd .. && cargo test"),
        [pair("external_directory", format!("{above}/*"))]
    );
    assert_eq!(
        unasked(&project, "cd && cargo test"),
        [pair("external_directory", format!("{home}/*"))]
    );
    assert_eq!(
        unasked(&project, "cd \"$x\" && cargo test"),
        [pair("external_directory", "$x")]
    );
    let denying = Harness::with_rules(json!({"bash": {"*": "allow", "cd *": "deny"}}));
    assert_eq!(unasked(&denying, "cd sub")[0].0, "deny bash");
}

/// The verdict on a command in mode `yolo`.
fn in_yolo(project: &Harness, command: &str) -> String {
    let found = command_permissions(&project.services, command, &project.path(""));
    match decide(
        &project.services.gate.permissions(),
        &found.asks,
        "bash",
        Mode::Yolo,
    ) {
        Decision::Deny(denial) => format!("deny {}", denial.key),
        _ => "runs".to_owned(),
    }
}

#[tokio::test]
async fn what_operands_write_is_judged_in_yolo_too() {
    let project = Harness::with_rules(json!({"edit": {"*": "allow", "locked/*": "deny"}}));
    project.write("evil", "x");
    project.write("tree/.git/hooks/pre-commit", "x");
    project.write("tree/a", "x");
    project.write("locked/a", "x");
    project.write(".git/config", "x");
    symlink(".git", project.path("link")).unwrap();
    for command in [
        "cp evil .git/hooks/pre-commit",
        "cp evil .git/hooks/",
        "cp -t .git/hooks evil",
        "cp --target-directory=.git evil",
        "cp -t.git evil",
        "cp -vt.git/hooks evil",
        "cp -l .git/config c",
        "cp --link .git/config c",
        "cp -rl .git/hooks h",
        "cp -s .git/config c",
        "cp -vt .git/hooks evil",
        "cp --target=.git/hooks evil",
        "cp --target .git/hooks evil",
        "chmod +x .git/hooks",
        "chown root .git/config",
        "link evil .git/x",
        "mktemp .git/XXXX",
        "mktemp -p.git",
        "split evil .git/x",
        "csplit evil 1 -f .git/x",
        "csplit evil 1 --prefix=.git/x",
        "mkfifo .git/x",
        "patch .git/config",
        "cp evil link/config",
        "cp evil .GIT/config",
        "cp evil ./.git/config",
        "cd .git && cp ../evil config",
        "mv evil .git/hooks/pre-commit",
        "mv .git elsewhere",
        "mv .git/config x",
        "ln -s ../evil .git/hooks/pre-commit",
        "ln -sf .git x",
        "install -m 755 evil .git/hooks/pre-commit",
        "install -d .git/x",
        "touch .git/x",
        "truncate -s 0 .git/config",
        "rm -rf .git",
        "rm -f .git/config",
        "rm .g*/config",
        "rm -rf \"$PWD\"",
        "rmdir .git/x",
        "mkdir -p .git/x",
        "sed -i s/a/b/ .git/config",
        "sed --in-place=.bak s/a/b/ .git/config",
        "sed -ni p .git/config",
        "sort -o .git/config evil",
        "sort -no.git/config evil",
        "sort --outp=.git/config evil",
        "sort --output .git/config evil",
        "dd if=evil of=.git/config",
        "tee .git/config",
        "find .git -delete",
        "cp evil lathe.jsonc",
        "touch .lathe/lathe.jsonc",
        "cp -r tree/. .",
        "sudo cp evil .git/config",
        "timeout 5 cp evil .git/config",
        "sh -c 'cp evil .git/config'",
        "for f in .git/config; do cp evil $f; done",
        "x=.git; touch $x/config",
        "find . -exec cp evil .git/config \\;",
    ] {
        assert_eq!(in_yolo(&project, command), "deny protected", "{command}");
    }
    for command in [
        "cp evil locked/b",
        "touch locked/a",
        "mv locked/a b",
        "rm -r locked/a",
    ] {
        assert_eq!(in_yolo(&project, command), "deny edit", "{command}");
    }
    for command in [
        "cp .git/config copy",
        "cp -pvR .git/config copy",
        "cp --preserve=mode,timestamps --suffix=.git .git/config copy",
        "chmod +x evil",
        "cp evil .",
        "mkdir -p a/b",
        "rm -rf tree/a",
        "mv evil b",
        "sed -n p .git/config",
        "sort .git/config",
        "find . -name x -delete",
        "dd if=.git/config of=x",
    ] {
        assert_eq!(in_yolo(&project, command), "runs", "{command}");
    }
    let open = unasked(&project, "cp evil .envrc");
    assert!(open.contains(&pair("protected", ".envrc")), "{open:?}");
}

#[tokio::test]
async fn what_is_written_is_told_by_the_name_that_it_gets() {
    let project = Harness::new();
    project.write("evil", "x");
    project.write(".vscode/old", "x");
    let protected = |command: &str| -> Vec<String> {
        let asks = command_permissions(&project.services, command, &project.path("")).asks;
        let mut texts: Vec<String> = asks
            .into_iter()
            .filter(|ask| ask.key == PermissionKey::PROTECTED && ask.subject.text.starts_with(".vscode"))
            .map(|ask| ask.subject.text)
            .collect();
        texts.dedup();
        texts
    };
    let (to, into) = (".vscode/tasks.json", ".vscode/tasks.json/evil");
    for command in [
        "cp evil",
        "mv evil",
        "ln evil",
        "ln -s ../evil",
        "install -m 755 evil",
    ] {
        assert_eq!(protected(&format!("{command} {to}")), [to], "{command}");
    }
    assert_eq!(protected("cp -T evil .vscode/tasks.json"), [to]);
    assert_eq!(protected("cp evil .vscode/old"), [".vscode/old"]);
    // Whether it is a directory by then nobody knows.
    let made = protected("mkdir .vscode/tasks.json; cp evil .vscode/tasks.json");
    assert!(made.contains(&into.to_owned()), "{made:?}");
    assert!(protected("install -Dt .vscode/tasks.json evil").contains(&into.to_owned()));
}

#[tokio::test]
async fn a_secret_is_no_less_one_under_another_name() {
    let project = Harness::new();
    project.write(".env", "x");
    for command in [
        "cp .env copy",
        "mv .env copy",
        "ln .env copy",
        "base64 .env",
        "strings .env",
    ] {
        let open = unasked(&project, command);
        assert!(open.contains(&pair("read", ".env")), "{command}: {open:?}");
    }
    let found = command_permissions(&project.services, "cat .env", &project.path(""));
    let read = found
        .asks
        .iter()
        .find(|ask| ask.key == PermissionKey::READ)
        .unwrap();
    assert_eq!(read.always, [".env"], "the path and not every file");
}

#[tokio::test]
async fn a_branch_is_no_file() {
    let project = Harness::new();
    project.write("src/a", "x");
    let destroys = |command: &str| {
        let found = command_permissions(&project.services, command, &project.path(""));
        found
            .asks
            .iter()
            .any(|ask| ask.key == PermissionKey::BASH && ask.destructive)
    };
    assert!(destroys("git checkout src"));
    assert!(!destroys("git checkout main"));
    assert!(!destroys("git checkout -b src"));
}
