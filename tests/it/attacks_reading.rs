//! Commands that look as if they only read, in projects that make them do more: through the program, nothing runs and no
//! secret is printed without a question.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Lathe, Project};

const SECRET: &str = "TOKEN=swordfish";

/// A repository with a secret that is ignored, and a commit.
fn project() -> Project {
    let project = Project::new()
        .git()
        .file("a.txt", "one\n")
        .file(".gitignore", ".env\n")
        .file(".env", &format!("{SECRET}\n"));
    project.run_git(&["add", "."]);
    project.run_git(&["commit", "-qm", "one"]);
    project.write("a.txt", b"two\n");
    project
}

/// Makes a program that leaves a file outside of the project.
fn payload(project: &Project, path: &str) -> String {
    let marker = project.outside().join("pwned");
    project.write(
        path,
        format!("#!/bin/sh\ntouch '{}' pwned\n", marker.display()).as_bytes(),
    );
    let file = project.path(path);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

fn run(project: &Project, command: &str) -> Value {
    let call = json!({"command": command}).to_string();
    let finished = Lathe::in_project(project)
        .args(["tool", "--format", "json", "bash", &call])
        .run();
    serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished}"))
}

#[track_caller]
fn assert_harmless(project: &Project, command: &str) {
    let result = run(project, command);
    for place in [project.root(), project.outside(), project.home()] {
        assert!(!place.join("pwned").exists(), "{command}: {result}");
    }
    let output = result["output"].as_str().unwrap_or_default();
    assert!(!output.contains("swordfish"), "{command}: {result}");
}

const GIT: &[&str] = &[
    "git status",
    "git diff",
    "git log -p -1",
    "git show",
    "git blame a.txt",
    "git branch -v",
    "git ls-files -m",
    "git stash list",
    "git grep two",
    "git describe --always --dirty",
    "git log -1 --format=%s",
    "git status; true",
];

#[test]
fn what_a_repository_sets_runs_nothing() {
    let project = project();
    let program = payload(&project, "evil.sh");
    for (key, value) in [
        ("core.fsmonitor", program.as_str()),
        ("core.hooksPath", ".h"),
        ("core.pager", &program),
        ("diff.external", &program),
        ("diff.x.textconv", &program),
        ("diff.x.command", &program),
        ("filter.x.clean", &program),
        ("filter.x.smudge", &program),
        ("filter.x.process", &program),
        ("merge.x.driver", &program),
        ("gpg.program", &program),
        ("log.showSignature", "true"),
        ("core.alternateRefsCommand", &program),
        ("blame.ignoreRevsFile", "../tok"),
        ("core.sshCommand", &program),
        ("credential.helper", &program),
    ] {
        project.run_git(&["config", key, value]);
    }
    project.write(".gitattributes", b"*.txt filter=x diff=x merge=x\n");
    payload(&project, ".h/post-index-change");
    payload(&project, ".git/hooks/post-index-change");
    for command in GIT {
        assert_harmless(&project, command);
    }
}

#[test]
fn what_the_user_sets_runs_nothing_of_the_repository() {
    let project = project();
    payload(&project, ".h/post-index-change");
    let settings = "[core]\n\thooksPath = .h\n\tfsmonitor = ./.h/post-index-change\n";
    let global = project.home().join(".gitconfig");
    fs::write(&global, settings).unwrap();
    for command in GIT {
        let call = json!({"command": command}).to_string();
        let finished = Lathe::in_project(&project)
            .env("GIT_CONFIG_GLOBAL", &global)
            .args(["tool", "--format", "json", "bash", &call])
            .run();
        for place in [project.root(), project.outside(), project.home()] {
            assert!(!place.join("pwned").exists(), "{command}: {finished}");
        }
    }
}

#[test]
fn another_repository_within_the_project_runs_nothing() {
    let project = project();
    let program = payload(&project, "evil.sh");
    let elsewhere = project.path("kept");
    fs::create_dir_all(&elsewhere).unwrap();
    project.run_git(&["clone", "-q", "--bare", ".", elsewhere.to_str().unwrap()]);
    project.run_git(&["-C", "kept", "config", "core.fsmonitor", &program]);
    project.run_git(&["-C", "kept", "config", "core.bare", "false"]);
    for name in ["decoy/.git", "deep/er/.git"] {
        project.write(format!("{name}/HEAD"), b"ref: refs/heads/main\n");
        project.write(
            format!("{name}/commondir"),
            elsewhere.to_str().unwrap().as_bytes(),
        );
        project.write(format!("{name}/../a.txt"), b"x\n");
    }
    project.write(
        "pointer/.git",
        format!("gitdir: {}\n", elsewhere.display()).as_bytes(),
    );
    for place in ["decoy", "deep/er", "pointer", "kept"] {
        for command in [
            format!("git -C {place} status"),
            format!("cd {place} && git status"),
            format!("cd {place} && git diff && git log -p"),
            format!("cd {place}; git status; ls"),
        ] {
            assert_harmless(&project, &command);
        }
    }
}

#[test]
fn a_missing_object_is_not_fetched() {
    let project = project();
    let program = payload(&project, "evil.sh");
    project.run_git(&["config", "remote.x.url", "."]);
    project.run_git(&["config", "remote.x.promisor", "true"]);
    project.run_git(&["config", "remote.x.uploadpack", &program]);
    project.run_git(&["config", "extensions.partialClone", "x"]);
    let missing = "0123456789012345678901234567890123456789";
    for command in [
        format!("git show {missing}"),
        format!("git cat-file -p {missing}"),
        "git log -p".to_owned(),
        format!("git diff {missing} HEAD"),
    ] {
        assert_harmless(&project, &command);
    }
}

#[test]
fn options_and_scripts_run_nothing() {
    let project = project();
    payload(&project, "evil.sh");
    for command in [
        "git show --remerge-diff",
        "git log --format=%G?",
        "git log --show-signature",
        "git branch --format='%(signature)'",
        "git rev-parse --alternate-refs",
        "git cat-file --filters HEAD:a.txt",
        "git grep -O./evil.sh one",
        "printf -v PATH .; ls",
        "[ -v 'x[$(./evil.sh)]' ]",
        "awk 'BEGIN{system(\"./evil.sh\")}'",
        "awk 'BEGIN{\"./evil.sh\" | getline}'",
        "awk '{print > \"pwned\"}' a.txt",
        "sed -n '1e ./evil.sh' a.txt",
        "sed -n '1w pwned' a.txt",
        "sed -n 's/o/p/w pwned' a.txt",
        "find . -name a.txt -exec ./evil.sh \\;",
        "ls | xargs -n 1 -- ./evil.sh",
        "sort --compress-program=./evil.sh a.txt",
        "sort a.txt -o pwned",
        "uniq a.txt pwned",
        "xxd a.txt pwned",
        "tree -o pwned",
        "diff -l a.txt a.txt",
        "file -z a.txt",
        "rg --pre ./evil.sh one",
        "date -s 2001-01-01 +%F",
        "PATH=. ls",
        "RIPGREP_CONFIG_PATH=x rg one",
    ] {
        assert_harmless(&project, command);
    }
}

#[test]
fn a_secret_is_not_printed() {
    let project = project();
    symlink(project.path(".env"), project.path("innocent")).unwrap();
    fs::create_dir_all(project.path("d")).unwrap();
    symlink(project.path(".env"), project.path("d/link")).unwrap();
    project.write("list", b".env\0");
    project.write("empty", b"");
    // It was committed once.
    project.run_git(&["add", "-f", ".env"]);
    project.run_git(&["commit", "-qm", "secret"]);
    project.run_git(&["rm", "-q", "--cached", ".env"]);
    project.run_git(&["commit", "-qm", "gone"]);
    for command in [
        "cat innocent",
        "grep -R TOKEN d",
        "grep -r TOKEN .",
        "grep --include='*.env' -r TOKEN .",
        "grep -f .env .env",
        "rg --ignore-file empty --hidden TOKEN",
        "rg --no-require-git --hidden TOKEN",
        "rg -uu TOKEN",
        "rg -g '.env' TOKEN",
        "date -f .env +%F",
        "date -f .env",
        "wc --files0-from list",
        "echo .env | xargs cat",
        "echo .env | xargs -- cat",
        "find . -name .env -exec cat {} +",
        "file -f .env",
        "awk '{print}' .env",
        "awk 'BEGIN{while ((getline l < \".env\") > 0) print l}'",
        "sed -n 1p .env",
        "sed -n '1r .env' a.txt",
        "paste .env",
        "rev .env | rev",
        "xxd -p .env; od -c .env; cat .env",
        "jq -R . .env",
        "for f in .env; do cat \"$f\"; done",
        "f=.env; head $f",
        "cat < .env",
        "git show HEAD~1",
        "git show HEAD~1:.env",
        "git log -p",
        "git log -p -- .env",
        "git diff HEAD~2 HEAD~1",
        "git grep TOKEN HEAD~1",
        "git cat-file -p HEAD~1:.env",
        "git blame HEAD~1 -- .env",
        "git blame --contents .env a.txt",
        "git diff --no-index /dev/null .env",
        "cp .env b && cat b",
        "mv .env b; cat b",
        "ln .env b; cat b",
    ] {
        assert_harmless(&project, command);
    }
    assert!(project.exists(".env"));
}

#[test]
fn a_secret_is_not_printed_through_a_link_to_its_directory() {
    let project = project();
    project.write("h/.aws/credentials", format!("{SECRET}\n").as_bytes());
    project.write("docs/deep/credentials", b"TOKEN=none\n");
    symlink("h/.aws", project.path("link")).unwrap();
    symlink("docs/deep", project.path("harmless")).unwrap();
    for form in [
        "grep -r TOKEN NAME/",
        "cd NAME && grep -r TOKEN",
        "cd NAME && cd .. && diff -r NAME docs",
        "wc -l NAME/* && cat N*/cred*",
    ] {
        assert_harmless(&project, &form.replace("NAME", "link").replace("N*", "l*"));
        let result = run(&project, &form.replace("NAME", "harmless").replace("N*", "harm*"));
        let output = result["output"].as_str().unwrap_or_default();
        assert!(
            output.contains("TOKEN=none") || output.contains("Only in"),
            "{form}: {result}"
        );
    }
}

#[test]
fn rg_gets_no_options_from_the_environment() {
    let project = project();
    let programs = project.outside().join("bin");
    fs::create_dir_all(&programs).unwrap();
    fs::write(
        programs.join("rg"),
        "#!/bin/sh\necho config=$RIPGREP_CONFIG_PATH\n",
    )
    .unwrap();
    fs::set_permissions(programs.join("rg"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let options = project.path("options");
    let call = json!({"command": "rg one"}).to_string();
    let finished = Lathe::in_project(&project)
        .env("PATH", path)
        .env("RIPGREP_CONFIG_PATH", Path::new(&options))
        .args(["tool", "--permission-mode", "yolo", "bash", &call])
        .run();
    assert!(
        finished.stdout.contains("config=") && !finished.stdout.contains("options"),
        "{finished}"
    );
}
