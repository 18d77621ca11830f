//! Links that lead to files which the rules ask about: a command is judged by the names that it uses and by the files that
//! these lead to. Each attack stands beside a command of the same form that asks nothing.

use super::*;

/// Programs that the person has allowed, and files that the person has closed.
const RULES: &str = r#"{"bash": {"find *": "allow", "cat *": "allow", "grep *": "allow", "head *": "allow", "diff *": "allow",
    "cp *": "allow", "mv *": "allow", "ln *": "allow", "install *": "allow", "mkdir *": "allow"},
    "edit": "allow", "read": {"secrets/*": "ask", "named/*": "ask"}}"#;

/// In `h/.aws`, `secrets` and `named` are files that the rules ask about; nothing else is asked about.
fn project() -> Harness {
    let mut project = Harness::with_rules(serde_json::from_str(RULES).unwrap());
    bring(&mut project, "rg");
    for path in [
        "h/.aws/credentials",
        "h/.aws/deep/x",
        "secrets/key",
        "named-for/a",
        "docs/credentials",
        "docs/deep/x",
        "docs/deep/er/x",
        "other/a",
    ] {
        project.write(path, "x\n");
    }
    project.write(".gitignore", "/link/*\n/harmless/*\n");
    for (target, link) in [
        ("h/.aws", "link"),
        ("link", "chain"),
        ("secrets", "kept"),
        ("named-for", "named"),
        ("h/.aws/deep", "deep"),
        ("h/.aws/credentials", "file"),
        ("../h", "other/up"),
        ("docs", "harmless"),
        ("harmless", "harmless2"),
        ("docs/deep", "shallow"),
        ("docs/credentials", "text"),
        ("loop", "loop"),
        (".", "dot"),
        // They lead nowhere from where they are.
        ("h/.aws/credentials", "docs/deep/er/moved"),
        ("h/.aws", "docs/deep/er/moved-directory"),
        ("docs/credentials", "docs/deep/er/moved-text"),
    ] {
        symlink(target, project.path(link)).unwrap();
    }
    symlink("..", project.path("docs/deep/er/above")).unwrap();
    project
}

/// Returns the open asks, as `KEY PATH`.
fn open(project: &Harness, command: &str) -> Vec<String> {
    let asks = command_permissions(&project.services, command, &project.path("")).asks;
    let open = open_of(project, &asks).into_iter();
    open.map(|(key, text)| format!("{key} {text}")).collect()
}

#[track_caller]
fn check(file: &str, rows: &[(&str, &str)]) {
    let project = project();
    for (attack, harmless) in rows {
        let found = open(&project, attack);
        let is_asked = |row: &String| row.starts_with("read ") && row.ends_with(file);
        assert!(found.iter().any(is_asked), "{attack}: {found:?}");
        assert_eq!(open(&project, harmless), [""; 0], "{harmless}");
    }
}

#[tokio::test]
async fn searches_below_links_are_judged_by_the_files_themselves() {
    check(
        "h/.aws/credentials",
        &[
            ("grep -r X link/", "grep -r X harmless/"),
            ("grep -rn X link", "grep -rn X harmless"),
            ("grep -r X link/.", "grep -r X harmless/."),
            ("grep -r X chain", "grep -r X harmless2"),
            ("grep -r X dot/link", "grep -r X dot/docs"),
            ("grep -r X lin*", "grep -r X harm*"),
            ("grep -R X other", "grep -r X other"),
            ("grep -r X deep/..", "grep -r X shallow/.."),
            ("grep -r X \"$PWD\"/link", "grep -r X \"$PWD\"/harmless"),
            ("rg X link/", "rg X harmless/"),
            ("rg X link", "rg X harmless"),
            ("cd link && grep -r X .", "cd harmless && grep -r X ."),
            ("cd link && grep -r X", "cd harmless && grep -r X"),
            ("cd link && rg X", "cd harmless && rg X"),
            ("cd link && rg X $PWD", "cd harmless && rg X $PWD"),
            ("cd -P link && grep -r X .", "cd -P harmless && grep -r X ."),
            ("cd deep && grep -r X ..", "cd shallow && grep -r X .."),
            (
                "cd -P deep && cd .. && grep -r X .",
                "cd -P docs/deep && cd .. && grep -r X .",
            ),
            (
                "cd -P deep/.. && grep -r X .",
                "cd -P docs/deep/.. && grep -r X .",
            ),
            ("(cd chain && rg X)", "(cd harmless2 && rg X)"),
            ("bash -c 'cd link && grep -r X'", "cd harmless/deep && grep -r x"),
            (
                "for d in docs link; do grep -r X $d; done",
                "for d in docs harmless; do grep -r X $d; done",
            ),
            ("diff -r link docs", "diff -r harmless docs"),
            (
                "diff -r --from-file=link docs",
                "diff -r --from-file=harmless docs",
            ),
            (
                "find link -name cred* -exec cat {} \\;",
                "find harmless -name cred* -exec cat {} \\;",
            ),
            (
                "find link/ -name 'cred*' -exec head -1 {} +",
                "find link/ -name 'x*' -exec head -1 {} +",
            ),
            (
                "find . -name file -exec cat {} +",
                "find . -name file -type f -exec cat {} +",
            ),
            ("find file -exec cat {} +", "find text -exec cat {} +"),
            (
                "find other -name up -exec grep -r X {} +",
                "find other -name up -exec grep X {} +",
            ),
            (
                "cd link && find -exec cat {} +",
                "cd harmless && find -type f -exec cat {} +",
            ),
        ],
    );
}

#[tokio::test]
async fn files_behind_links_are_judged_by_their_own_paths() {
    check(
        "h/.aws/credentials",
        &[
            ("cat link/credentials", "cat harmless/credentials"),
            ("cat file", "cat text"),
            ("head link/c*", "head harmless/c*"),
            ("wc -l link/*", "wc -l harmless/*"),
            ("cat l*/cred*", "cat har*/cred*"),
            ("cat */credentials", "cat d*s/credentials"),
            ("cat chain/./credentials", "cat harmless2/./credentials"),
            ("cat deep/../credentials", "cat shallow/../credentials"),
            ("cat link/../.aws/credentials", "cat harmless/../docs/credentials"),
            (
                "cat \"$PWD\"/link/credentials",
                "cat \"$PWD\"/harmless/credentials",
            ),
            (
                "cd deep && cat $PWD/../credentials",
                "cd shallow && cat $PWD/../credentials",
            ),
            (
                "cd deep && cat ../credentials",
                "cd shallow && cat ../credentials",
            ),
            (
                "cd dot/dot/link && cat credentials",
                "cd dot/dot/docs && cat credentials",
            ),
            // After `cd ..` the shell is in `link`, and what is above that is above `h/.aws`.
            (
                "cd link/deep && cd .. && cat ../.aws/credentials",
                "cd harmless/deep && cd .. && cat ../docs/credentials",
            ),
            ("cd link; cat credentials", "cd harmless; cat credentials"),
            ("grep . < link/credentials", "grep . < harmless/credentials"),
            (
                "diff -u other/a link/credentials",
                "diff -u other/a harmless/credentials",
            ),
            (
                "cut -c 1- -- link/credentials",
                "cut -c 1- -- harmless/credentials",
            ),
        ],
    );
}

#[tokio::test]
async fn rules_for_the_name_and_for_the_file_count_alike() {
    check(
        "secrets/key",
        &[
            ("grep -r X kept", "grep -r X harmless"),
            ("cat kept/key", "cat docs/credentials"),
            ("cd kept && rg X", "cd docs && rg X"),
        ],
    );
    check(
        "named/a",
        &[
            ("grep -r X named", "grep -r X named-for"),
            ("cat named/a", "cat named-for/a"),
            ("cd named && rg X", "cd named-for && rg X"),
            ("find named -exec cat {} +", "find named-for -exec cat {} +"),
        ],
    );
}

#[tokio::test]
async fn what_gets_another_name_in_a_call_is_judged_before() {
    check(
        "h/.aws/credentials",
        &[
            (
                "mv h/.aws/credentials x && cat x",
                "mv docs/credentials x && cat x",
            ),
            (
                "cp h/.aws/credentials x && cat x",
                "cp docs/credentials x && cat x",
            ),
            (
                "ln h/.aws/credentials x && cat x",
                "ln docs/credentials x && cat x",
            ),
            (
                "ln -s h/.aws/credentials x && cat x",
                "ln -s docs/credentials x && echo x",
            ),
            (
                "install link/credentials x && cat x",
                "install harmless/credentials x && cat x",
            ),
            (
                "cp -r h/.aws x && cat x/credentials",
                "cp -r docs x && echo x/credentials",
            ),
            ("cp -r h/.aws x", "cp -r docs x"),
            ("cp -r link/. x", "cp -r harmless/. x"),
            (
                "mv h/.aws x && cat x/credentials",
                "mv docs x && echo x/credentials",
            ),
            ("mv link x && cat x/credentials", "mv link x"),
            (
                "ln -s h/.aws x && cat x/credentials",
                "ln -s docs x && echo x/credentials",
            ),
            ("ln -s h/.aws x && cd x && grep -r X", "ln -s h/.aws x"),
            ("ln -s \"$PWD\"/h/.a* x && rg X x", "ln -s \"$PWD\"/doc* x && pwd"),
            (
                "ln -s -t . h/.aws && cat .aws/credentials",
                "ln -s -t ./ docs/deep",
            ),
            // A link leads on from where it is, not from where it was made.
            (
                "ln -s credentials h/.aws/x && cat h/.aws/x",
                "ln -s credentials docs/x",
            ),
            (
                "cd docs && ln -s ../h/.aws n && cat n/credentials",
                "ln -s docs/deep n",
            ),
            ("mv docs/deep/er/moved x && cat x", "mv docs/deep/er/moved-text x"),
            (
                "cp -P docs/deep/er/mov* . && cat moved",
                "cp -P docs/deep/er/moved-t* .",
            ),
            (
                "mv docs/deep/er/moved-directory x && grep -r X x/",
                "mv docs/deep/er/moved-directory x",
            ),
            (
                "mkdir y && mv docs/deep/er/moved y/../x && head x",
                "mkdir y && mv docs/deep/er/x y && head y/x",
            ),
        ],
    );
}

#[tokio::test]
async fn a_link_that_is_taken_on_within_a_call_is_asked_about() {
    let project = project();
    for (command, is_asked) in [
        ("mv docs/deep/er . && mv er/moved x && head x", true),
        (
            "cd docs/deep && mv er ../.. && cd ../../dot && cp -P */moved x && head x",
            true,
        ),
        ("ln -s h/.aws docs/n && mv docs/n . && head n/credentials", true),
        ("ln -s docs/deep m && pwd", false),
        ("cp docs/deep/x n && mv n m && head m", false),
        ("mv docs/deep/er . && ls er", true),
        ("mv docs/deep/er .", false),
    ] {
        let found = open(&project, command);
        assert_eq!(
            found.iter().any(|row| row.starts_with("read ")),
            is_asked,
            "{command}: {found:?}"
        );
    }
}

#[tokio::test]
async fn a_link_that_cannot_be_followed_is_asked_about() {
    let project = project();
    let dots = |count: usize| "dot/".repeat(count);
    for command in [
        "cat loop".to_owned(),
        "grep -r X loop/a".to_owned(),
        format!("cat {}docs/credentials", dots(50)),
        // Each step can be taken; all of them at once cannot.
        format!("cd {0} && cd {0} && cat text", dots(30)),
    ] {
        let found = open(&project, &command);
        assert!(!found.is_empty(), "{command}");
    }
    let command = format!("cd {0} && cd {0} && cat link/credentials", dots(15));
    assert!(
        open(&project, &command)
            .iter()
            .any(|row| row.ends_with("h/.aws/credentials"))
    );
    // An expression may be longer than any name of a file.
    let expression = "a".repeat(300);
    assert_eq!(open(&project, &format!("grep -e {expression} text")), [""; 0]);
}

#[tokio::test]
async fn links_whose_names_are_no_text_are_followed() {
    use std::os::unix::ffi::OsStrExt;
    let project = project();
    let name = std::ffi::OsStr::from_bytes(b"n\xff");
    symlink("h/.aws", project.path(name)).unwrap();
    for command in ["cat n*/cred*", "grep -r X n*"] {
        let found = open(&project, command);
        assert!(
            found.iter().any(|row| row.ends_with("h/.aws/credentials")),
            "{command}: {found:?}"
        );
    }
}

#[tokio::test]
async fn links_out_of_the_project_are_asked_about_as_before() {
    let project = project();
    project.write(project.outside("data/a"), "x\n");
    symlink(project.outside("data"), project.path("out")).unwrap();
    let outside = format!("external_directory {}/*", project.outside("data").display());
    for command in [
        "grep -r X out".to_owned(),
        "cd out && rg X".to_owned(),
        "cp -r out/. x".to_owned(),
        "find . -name out -exec grep -r X {} +".to_owned(),
        "ln -s ../outside/data docs/deep/er/n && cat docs/deep/er/n/a".to_owned(),
        format!("ln -s {} x && cat x/a", project.outside("data").display()),
    ] {
        assert!(open(&project, &command).contains(&outside), "{command}");
    }
}

#[tokio::test]
async fn a_path_that_goes_up_through_what_is_not_there_is_asked_about() {
    let mut rules: serde_json::Value = serde_json::from_str(RULES).unwrap();
    rules["bash"]["rm *"] = "allow".into();
    rules["bash"]["touch *"] = "allow".into();
    let project = Harness::with_rules(rules);
    for path in ["secrets/a.txt", ".env", "a.txt", "sub/x"] {
        project.write(path, "x\n");
    }
    fs::create_dir_all(project.path("d/e")).unwrap();
    symlink("../secrets/a.txt", project.path("d/e/l")).unwrap();
    fs::create_dir_all(project.path("d/f")).unwrap();
    symlink("../a.txt", project.path("d/f/l")).unwrap();
    let mut wrong = Vec::new();
    for (attack, harmless) in [
        ("mkdir t && grep -r MARK t/..", "mkdir -p t && touch t/x"),
        ("mkdir t && cd t && cat ../.e*", "mkdir t && cd t && touch x"),
        ("mkdir t && cd t/.. && cat a.txt", "cd sub/.. && cat a.txt"),
        (
            "mkdir t && cd t && cd -P .. && cat a.txt",
            "cd sub && cd -P .. && cat a.txt",
        ),
        ("mkdir t && cat t/../secrets/*", "cat sub/../a.txt"),
        ("mkdir t && cat t*/../secrets/*", "cat sub/../a.t*"),
        ("mkdir t && cat < t/../a.txt", "cat < sub/../a.txt"),
        (
            "mkdir t; for f in t/../.e*; do cat $f; done",
            "for f in sub/../a.*; do cat $f; done",
        ),
        ("mkdir t && cp -r t/../secrets x", "cp -r sub/../sub x"),
        ("mkdir t; rm -r t/../.g*", "rm -r sub/../su*"),
        (
            "mkdir t && find t/.. -exec cat {} +",
            "find sub/../sub -exec cat {} +",
        ),
        ("mv d/e e; cat e/l", "mv d/f f; echo f/l"),
        (
            "mkdir t && ln -s ../a.txt t/l && cat t/l",
            "ln -s a.txt sub/l && echo l",
        ),
        (
            "mkdir t && ln -s ../secrets/a.txt t && cat t/a.txt",
            "mkdir t && cd t && cd .. && cat a.txt",
        ),
    ] {
        let found = open(&project, attack);
        let is_asked = |row: &String| {
            ["read ", "edit ", "deny protected "]
                .iter()
                .any(|key| row.starts_with(key))
        };
        if !found.iter().any(is_asked) {
            wrong.push(format!("{attack}: {found:?}"));
        }
        let found = open(&project, harmless);
        if !found.is_empty() {
            wrong.push(format!("{harmless}: {found:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}
