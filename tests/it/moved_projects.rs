//! Sessions of projects that were moved, and of directories that are gone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::screen::{project, say};
use crate::support::{Finished, Key, Lathe, Project, Server, Terminal, Turn};

fn run(project: &Project, directory: &Path, words: &[&str]) -> Finished {
    let lathe = Lathe::in_project(project).arg("run").args(words);
    lathe.cwd(directory).run()
}

fn sessions(project: &Project, words: &[&str]) -> Finished {
    let lathe = Lathe::in_project(project).arg("sessions").args(words);
    lathe.cwd(project.outside()).run()
}

/// The newest session.
fn newest(project: &Project) -> Value {
    let list = sessions(project, &["list", "--json"]).success().json();
    list["sessions"][0].clone()
}

fn id_of(session: &Value) -> String {
    session["id"].as_str().unwrap().to_owned()
}

/// Makes a directory beside the project.
fn directory(project: &Project, name: &str) -> PathBuf {
    let directory = project.outside().join(name);
    fs::create_dir(&directory).unwrap();
    directory
}

/// Renames the project. `None` where the file system does not keep what a project is recognised by.
fn renamed(project: &Project) -> Option<PathBuf> {
    let made = fs::metadata(project.root()).unwrap().created();
    if made.is_err() {
        eprintln!("skipped: the file system does not keep when directories were made");
        return None;
    }
    let new = project.outside().join("renamed");
    fs::rename(project.root(), &new).unwrap();
    Some(new)
}

#[test]
fn the_sessions_of_a_renamed_project_go_on_where_it_is_now() {
    let server = Server::with(["one", "two", "three", "four"].map(Turn::text));
    let project = project(&server).file("sub/a.txt", "x\n").git();
    let _ = run(&project, &project.path("sub"), &["remember ALPHA"]).success();
    let id = id_of(&newest(&project));
    let Some(new) = renamed(&project) else { return };

    let finished = run(&project, &new, &["-c", "go on"]).success();
    let told = format!("the project was moved here from `{}`", project.root().display());
    assert!(finished.stderr.contains(&told), "{finished}");
    let request = server.requests().pop().unwrap();
    assert!(request.mentions("remember ALPHA"), "{:#}", request.body);
    // The model is told of the directory that is there.
    assert!(request.mentions(new.to_str().unwrap()), "{:#}", request.body);
    assert!(
        !request.mentions(project.root().to_str().unwrap()),
        "{:#}",
        request.body
    );

    let finished = run(&project, &new, &["-s", &id, "go on"]).success();
    assert!(!finished.stderr.contains("was moved"), "told once: {finished}");
    let session = newest(&project);
    assert_eq!(session["id"], id.as_str());
    assert_eq!(session["project"], new.to_str().unwrap());
    assert_eq!(session["directory"], new.join("sub").to_str().unwrap());
    let prompts = |request: &crate::support::Recorded| request.body["system"].to_string();
    let requests = server.requests();
    assert_eq!(prompts(&requests[1]), prompts(&requests[2]), "a cache finds it");
}

/// By its id, without `-c` before it; and by a directory above the project that has another name now.
#[test]
fn a_session_is_found_by_its_id_after_a_directory_above_the_project_was_renamed() {
    let server = Server::with(["one", "two"].map(Turn::text));
    let project = project(&server);
    let above = directory(&project, "above");
    let old = above.join("project");
    fs::create_dir(&old).unwrap();
    if fs::metadata(&old).unwrap().created().is_err() {
        return;
    }
    let _ = run(&project, &old, &["remember ALPHA"]).success();
    let id = id_of(&newest(&project));
    fs::rename(&above, project.outside().join("up")).unwrap();
    let new = project.outside().join("up/project");
    let _ = run(&project, &new, &["-s", &id, "go on"]).success();
    assert!(server.requests().pop().unwrap().mentions("remember ALPHA"));
}

/// What is not the moved project is not opened to its sessions.
#[test]
fn a_session_of_a_project_that_is_gone_opens_no_other_directory_by_itself() {
    let server = Server::with([Turn::text("one"), Turn::text("two")]);
    let project = project(&server);
    let old = directory(&project, "old");
    let _ = run(&project, &old, &["remember ALPHA"]).success();
    let id = id_of(&newest(&project));
    fs::remove_dir(&old).unwrap();
    let other = directory(&project, "other");

    let refused = run(&project, &other, &["-s", &id, "go on"]).assert_code(1);
    for part in [
        format!("the directory `{}` of session `{id}` is gone", old.display()),
        format!("lathe sessions move {id} DIR"),
    ] {
        assert!(refused.stderr.contains(&part), "{part:?} is missing in {refused}");
    }
    let fresh = run(&project, &other, &["-c", "hello"]).success();
    assert!(
        fresh.stderr.contains("there is no session of this project yet"),
        "{fresh}"
    );
    assert!(!server.requests().pop().unwrap().mentions("remember ALPHA"));
}

#[test]
fn a_copy_of_a_project_that_is_still_there_has_no_part_in_its_sessions() {
    let server = Server::with([Turn::text("one"), Turn::text("two")]);
    let project = project(&server).file("a.txt", "x\n").git();
    let _ = run(&project, &project.root(), &["remember ALPHA"]).success();
    let clone = project.outside().join("clone");
    project.run_git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let _ = run(&project, &clone, &["-c", "hello"]).success();
    assert!(!server.requests().pop().unwrap().mentions("remember ALPHA"));
}

#[test]
fn a_session_is_moved_by_hand_and_its_undo_with_it() {
    let write = json!({"file_path": "made.txt", "content": "x\n"});
    let server = Server::with([Turn::tool("write", write), Turn::text("one"), Turn::text("two")]);
    let project = project(&server).config(json!({"permission": {"edit": "allow"}}));
    let old = directory(&project, "old");
    let _ = run(&project, &old, &["write it"]).success();
    let id = id_of(&newest(&project));
    let new = project.outside().join("new");
    fs::rename(&old, &new).unwrap();

    let home = project.home();
    let refused = sessions(&project, &["move", &id, home.to_str().unwrap()]).assert_code(1);
    assert!(
        refused.stderr.contains("a session cannot be moved to"),
        "{refused}"
    );
    let moved = sessions(&project, &["move", &id, new.to_str().unwrap(), "--json"]).success();
    assert_eq!(moved.json(), json!({"session": id, "directory": new}));
    assert_eq!(newest(&project)["directory"], new.to_str().unwrap());

    let _ = sessions(&project, &["undo", &id, "--only", "files"]).success();
    assert!(
        !new.join("made.txt").exists(),
        "the file is found where it is now"
    );
    assert!(!old.exists());
    let _ = run(&project, &new, &["-s", &id, "go on"]).success();
    assert!(server.requests().pop().unwrap().mentions("write it"));
}

#[test]
fn a_session_whose_directory_is_gone_is_read_and_goes_on_here_after_a_yes() {
    let server = Server::with([Turn::text("The first answer."), Turn::text("The second answer.")]);
    let project = project(&server);
    let old = directory(&project, "old");
    let _ = run(&project, &old, &["remember ALPHA"]).success();
    let id = id_of(&newest(&project));
    fs::remove_dir(&old).unwrap();

    let terminal = Terminal::start(&project, 120, 24, &["-s", &id]);
    let screen = terminal.wait_text("Its directory is gone: ⏎ offers to continue here");
    assert!(screen.contains("The first answer."), "{screen}");
    say(&terminal, "go on");
    terminal.wait_text("not sent: the session's directory is gone");
    assert_eq!(newest(&project)["directory"], old.to_str().unwrap());
    terminal.key(Key::Ctrl('c'));
    terminal.wait_text("Its directory is gone: ⏎");
    terminal.key(Key::Enter);
    terminal.wait_text(" is gone. Continue in ");
    terminal.wait_quiet(Duration::from_millis(400));
    terminal.keys("h");
    terminal.wait_text("Ask for a change");
    say(&terminal, "go on here");
    terminal.wait_text("The second answer.");
    assert!(server.requests().pop().unwrap().mentions("remember ALPHA"));
    assert_eq!(newest(&project)["directory"], project.root().to_str().unwrap());
}

#[test]
fn cd_has_the_session_on_screen_go_on_in_another_directory() {
    let server = Server::with([Turn::text("The first answer."), Turn::text("The second answer.")]);
    let project = project(&server);
    let new = directory(&project, "new");
    let terminal = Terminal::start(&project, 120, 24, &[]);
    terminal.wait_text("send");
    say(&terminal, "remember ALPHA");
    terminal.wait_text("The first answer.");
    terminal.wait_text("send");
    say(&terminal, "/cd ../missing");
    terminal.wait_text("a session cannot be moved to");
    assert_eq!(newest(&project)["directory"], project.root().to_str().unwrap());
    say(&terminal, "/cd ../new");
    let is_there = |screen: &str| {
        ["The first answer.", "/new"]
            .iter()
            .all(|part| screen.contains(part))
            && !screen.contains("/cd")
    };
    terminal.wait_for(is_there);
    say(&terminal, "go on there");
    terminal.wait_text("The second answer.");
    let request = server.requests().pop().unwrap();
    assert!(request.mentions("remember ALPHA") && request.mentions(new.to_str().unwrap()));
    assert_eq!(newest(&project)["directory"], new.to_str().unwrap());
}
