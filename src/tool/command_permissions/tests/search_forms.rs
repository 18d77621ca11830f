//! Options that decide which files a search shows. Each attack stands beside a command of the same form that asks nothing.

use super::*;

fn project() -> Harness {
    let mut project = Harness::new();
    bring(&mut project, "rg");
    for path in ["sub/.env", "sub/b.txt", "src/a.rs", "a.txt"] {
        project.write(path, "MARK\n");
    }
    project
}

async fn check(project: &Harness, rows: &[(&str, &str)]) {
    for (attack, harmless) in rows {
        let is_read = |ask: &(String, String)| ask.0 == "read";
        let found = open(project, attack).await;
        assert!(found.iter().any(is_read), "{attack}: {found:?}");
        assert_eq!(open(project, harmless).await, [], "{harmless}");
    }
}

#[tokio::test]
async fn globs_of_grep_count_where_they_are_understood() {
    check(
        &project(),
        &[
            (
                "grep -r --exclude=zzz --include=b.txt MARK sub",
                "grep -rn --include='*.rs' x src",
            ),
            (
                "grep -rs --exclude=.env --include=.env MARK sub",
                "grep -rs --include=b.txt MARK sub",
            ),
            (
                "grep -r --include '.e*' --include=zzz MARK sub",
                "grep -r --include 'b*' --include=zzz MARK sub",
            ),
            (
                "grep -r -e --include=zzz -e MARK sub",
                "grep -r --include=zzz -e MARK sub",
            ),
            (
                "grep -r --label --include=zzz MARK sub",
                "grep -r --label=x --include=zzz MARK sub",
            ),
            (
                "grep -r -e MARK -- sub --include=zzz",
                "grep -r -e MARK sub --include=zzz",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn options_of_rg_count_where_they_stand() {
    let project = project();
    project.write(".env.json", "MARK\n");
    project.write("secrets/.env.yml", "MARK\n");
    check(
        &project,
        &[
            ("rg --hidden -e --files -e MARK sub", "rg --files"),
            ("rg --hidden --regexp --files sub", "rg --files sub"),
            ("rg --hidden MARK sub -- --files", "rg -g x --files sub"),
            ("rg -t json MARK", "rg -t rust MARK src"),
            ("rg -tjson MARK", "rg -trust MARK src"),
            ("rg --type=yaml MARK secrets", "rg --type=rust MARK secrets"),
            ("rg -T rust MARK secrets", "rg -t rust MARK secrets"),
        ],
    )
    .await;
}

#[tokio::test]
async fn rules_that_lathe_does_not_know_leave_nothing_out() {
    let project = project();
    project.write("other/.env", "MARK\n");
    project.write("other/deep/.env", "MARK\n");
    project.write("other/deep/.rgignore", "!.env\n");
    project.write("back/in/.env", "MARK\n");
    project.write("back/.rgignore", "!.env\n");
    fs::create_dir_all(project.path("unread/.ignore")).unwrap();
    project.write("unread/.env", "MARK\n");
    check(
        &project,
        &[
            ("rg MARK other", "rg MARK sub"),
            ("rg MARK back/in", "rg MARK src"),
            ("rg MARK unread", "rg --files unread"),
        ],
    )
    .await;
}

#[tokio::test]
async fn ordinary_ignore_files_leave_secrets_out() {
    let project = project();
    project.write(
        ".gitignore",
        "# of its own\n.env\n*.pem\n/target/\nnode_modules/\n/build\n!.env.example\n*.py[cod]\n",
    );
    for secret in [
        ".env",
        "key.pem",
        "src/key.pem",
        "target/debug/a.env",
        "build/a.env",
    ] {
        project.write(secret, "MARK\n");
    }
    for command in [
        "rg x",
        "rg MARK",
        "rg -n MARK .",
        "rg MARK ./",
        "rg x src",
        "rg x src/",
        "rg x ./src",
        "rg -i x src sub",
        "rg -t rust x",
        "cd src && rg x",
        "rg -l x | head",
    ] {
        assert_eq!(open(&project, command).await, [], "{command}");
    }
}

/// The same rules in forms in which some version of ripgrep shows what others leave out.
#[tokio::test]
async fn odd_ignore_files_leave_nothing_out() {
    let ordinary = b"*.pem\n/target/\n";
    let odd: [(&str, Vec<u8>); 7] = [
        (".gitignore", [b"\xef\xbb\xbf", &ordinary[..]].concat()),
        (".gitignore", [&ordinary[..], b"\xff\n"].concat()),
        (".gitignore", [&ordinary[..], b"a\0b\n"].concat()),
        (
            ".gitignore",
            [&ordinary[..], &b"# long\n".repeat(20_000)].concat(),
        ),
        (".gitignore", [&ordinary[..], b"!*.pem\n"].concat()),
        (".rgignore", b"!*.pem\n".to_vec()),
        (".git/info/exclude", b"!*.pem\n".to_vec()),
    ];
    for (name, content) in odd {
        let project = project();
        project.write(".gitignore", "*.pem\n/target/\n");
        project.write("src/key.pem", "MARK\n");
        assert_eq!(open(&project, "rg MARK").await, [], "{name}");
        fs::create_dir_all(project.path(name).parent().unwrap()).unwrap();
        fs::write(project.path(name), &content).unwrap();
        let asked = open(&project, "rg MARK").await;
        assert!(asked.iter().any(|ask| ask.0 == "read"), "{name}: {asked:?}");
    }
}

#[tokio::test]
async fn rules_with_a_slash_count_from_the_search_on_where_it_is_spelled_plainly() {
    let project = project();
    project.write(".gitignore", "/s/a.env\n");
    project.write("s/a.env", "MARK\n");
    symlink("s", project.path("link")).unwrap();
    for command in [
        "rg MARK s",
        "rg MARK s//",
        "rg MARK s/.",
        "rg MARK link",
        "cd s && rg MARK",
    ] {
        let asked = open(&project, command).await;
        assert!(asked.iter().any(|ask| ask.0 == "read"), "{command}: {asked:?}");
    }
    assert_eq!(open(&project, "rg MARK").await, []);
}
