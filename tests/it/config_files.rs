//! Files of a project that lathe reads at the start and that lead elsewhere or never end, through the real program.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::json;

use crate::run::project_with;
use crate::support::{Lathe, Project, Server, Turn};

/// Text that no request and no line may hold.
const SECRET: &str = "hunter2-of-somebody-else";

fn say_done() -> Server {
    let server = Server::start();
    server.otherwise(Turn::text("Done."));
    server
}

/// Links `name` to `target`, as it is written, in a project.
fn link(project: &Project, target: &str, name: &str) {
    let link = project.root().join(name);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(target, link).unwrap();
}

/// Has a turn; returns everything that was printed and sent.
#[track_caller]
fn everything(project: &Project, server: &Server, options: &[&str]) -> String {
    let finished = Lathe::in_project(project)
        .args(["run", "go"])
        .args(options)
        .run()
        .success();
    format!("{finished} {:?}", server.requests())
}

#[test]
fn directories_that_lead_out_of_the_project_bring_no_text() {
    let server = say_done();
    let project = project_with(&server).file("sub/a", "a").git();
    let text = format!("---\ndescription: {SECRET}\n---\n{SECRET}\n");
    for name in ["x.md", "AGENTS.md", "agents/x.md", "commands/x.md"] {
        project.write(format!("../elsewhere/{name}"), text.as_bytes());
    }
    link(&project, "../../elsewhere", ".lathe/agents");
    link(&project, "../../elsewhere", ".lathe/commands");
    link(&project, "../elsewhere", ".claude");
    link(&project, "../../elsewhere/agents", ".opencode/agent");
    link(&project, "../elsewhere/AGENTS.md", "AGENTS.md");
    link(&project, "../elsewhere", "docs");
    let instructions = [
        "docs/*.md",
        "docs/x.md",
        "../elsewhere/x.md",
        "sub/../../elsewhere/x.md",
        "~/../elsewhere/x.md",
        "/etc/passwd",
        "//etc/passwd",
        "*.md",
    ];
    project.write(
        "lathe.jsonc",
        json!({"instructions": instructions}).to_string().as_bytes(),
    );
    for options in [&[][..], &["--trust"]] {
        let everything = everything(&project, &server, options);
        assert!(
            !everything.contains(SECRET) && !everything.contains("root:x:"),
            "{everything}"
        );
        for name in [
            "AGENTS.md",
            "docs/x.md",
            ".claude/agents",
            "elsewhere/x.md",
            "//etc/passwd",
        ] {
            assert!(everything.contains(name), "{name} is not named: {everything}");
        }
    }
}

#[test]
fn every_spelling_of_a_secret_in_a_prompt_or_instructions_is_withheld() {
    let server = say_done();
    let spellings = [
        ".env",
        "./.env",
        ".//.env",
        "sub/../.env",
        "link.md",
        "sub/link.md",
    ];
    let named = spellings.map(|name| format!("{{file:{name}}}"));
    let prompt = named.join(" ");
    let instructions = [&spellings[..], &["**/*.env", "*"]].concat();
    let settings = json!({"instructions": instructions, "agents": {"a": {"prompt": prompt}}});
    let project = project_with(&server)
        .file(".env", SECRET)
        .file("sub/a", "a")
        .file("lathe.jsonc", &settings.to_string())
        .git();
    link(&project, ".env", "link.md");
    link(&project, "../link.md", "sub/link.md");
    let everything = everything(&project, &server, &["-a", "a"]);
    assert!(!everything.contains(SECRET), "{everything}");
    for name in &spellings[1..] {
        assert!(
            everything.contains(&format!("the file `{name}`, which was left out")),
            "{name}: {everything}"
        );
    }
}

#[test]
fn a_configuration_file_that_is_a_secret_by_another_name_is_left_out() {
    let server = say_done();
    for name in ["lathe.jsonc", ".lathe/lathe.jsonc", ".claude/settings.json"] {
        let project = project_with(&server)
            .file(".env", &format!("{{\"{SECRET}\": 1}}"))
            .git();
        let target = if name.contains('/') { "../.env" } else { ".env" };
        link(&project, target, name);
        let everything = everything(&project, &server, &[]);
        assert!(
            everything.contains(&format!("{name}` was left out")) && !everything.contains(SECRET),
            "{name}: {everything}"
        );
    }
    // One that may be read counts, under whatever name.
    let project = project_with(&server)
        .file("shared.jsonc", r#"{"truncate": {"max_lines": 7}}"#)
        .git();
    link(&project, "shared.jsonc", "lathe.jsonc");
    let shown = Lathe::in_project(&project)
        .args(["config", "show"])
        .run()
        .success()
        .json();
    assert_eq!(shown["truncate"]["max_lines"], 7);
}

#[test]
fn configuration_that_never_ends_is_left_out_and_holds_nothing_up() {
    let project = Project::new().file("a", "a").git();
    let make = |name: &str, how: &str| {
        let path = project.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match how {
            "fifo" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            "sparse" => File::create(&path).unwrap().set_len(20 << 30).unwrap(),
            "blanks" => fs::write(&path, " ".repeat(20_000_000)).unwrap(),
            "device" => symlink("/dev/zero", &path).unwrap(),
            "loop" => symlink(path.file_name().unwrap(), &path).unwrap(),
            _ => fs::create_dir(&path).unwrap(),
        }
        path
    };
    for name in [
        "lathe.jsonc",
        ".lathe/lathe.jsonc",
        ".claude/settings.json",
        ".claude/settings.local.json",
    ] {
        for how in ["fifo", "sparse", "blanks", "device", "loop", "directory"] {
            let path = make(name, how);
            let shown = Lathe::in_project(&project)
                .args(["config", "show"])
                .run()
                .success();
            let said = format!("{name}` was left out");
            assert!(shown.stderr.contains(&said), "{name} {how}: {shown}");
            let glob = Lathe::in_project(&project)
                .args(["tool", "glob", r#"{"pattern": "a"}"#])
                .run();
            let glob = glob.success();
            assert!(glob.stdout.contains("Found 1 file"), "{name} {how}");
            let told = |text: &str| text.lines().filter(|line| line.contains(&said)).count();
            assert_eq!(told(&glob.stderr), 1, "{name} {how}: {glob}");
            let doctor = Lathe::in_project(&project).arg("doctor").run();
            assert_eq!(told(&doctor.stdout), 1, "{name} {how}: {doctor}");
            if how == "directory" {
                fs::remove_dir(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        }
    }
}
