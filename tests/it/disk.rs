//! A data directory that cannot hold anything: a full disk from the first start on, one that is read-only, a file.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::run::{events_of, of_kind};
use super::screen::say;
use super::support::{Finished, LATHE, Lathe, Project, Protocol, Server, Terminal, Turn};

/// A small file system in memory. It is unmounted when this is dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Returns `None` where this process may not mount anything.
    fn mount(at: &Path, options: &str) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(at)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then(|| Self(at.to_path_buf()))
    }

    /// Leaves so many bytes free.
    fn fill_up_to(&self, size: usize, free: usize) {
        std::fs::write(self.0.join("fill"), vec![0; size - free]).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// The one error that the run ended with, as `kind: message`.
#[track_caller]
fn error_of(finished: &Finished) -> String {
    let events: Vec<Value> = finished.json_lines();
    let mut errors = events.iter().filter(|event| event["type"] == "error");
    let error = errors.next().unwrap_or_else(|| panic!("no error in {finished}"));
    assert!(errors.next().is_none(), "{finished}");
    assert_eq!(events.last().unwrap()["reason"], "error", "{finished}");
    format!(
        "{}: {}",
        error["kind"].as_str().unwrap(),
        error["message"].as_str().unwrap()
    )
}

#[test]
fn a_disk_that_is_full_from_the_start_on_is_said_as_one_that_becomes_full() {
    let server = Server::start();
    server.otherwise(Turn::text("Hello."));
    let mut failed = 0;
    for free in [0, 4, 12, 40, 80, 120, 160, 240, 400, 800] {
        let project = Project::new().model(&server, Protocol::OpenAiChat);
        let at = project.outside().join("disk");
        let Some(disk) = SmallDisk::mount(&at, "size=1m") else {
            eprintln!(
                "skipped: a_disk_that_is_full_from_the_start_on (this user may not mount a file system)"
            );
            return;
        };
        disk.fill_up_to(1 << 20, free << 10);
        let finished = events_of(&project)
            .env("LATHE_DATA_DIR", at.join("data"))
            .env("LATHE_STATE_DIR", at.join("state"))
            .arg("hi")
            .run();
        if finished.code == Some(0) {
            continue;
        }
        failed += 1;
        let finished = finished.assert_code(1);
        let error = error_of(&finished);
        assert!(
            error.starts_with("storage: the disk is full, so the last step of the session was not saved"),
            "{free} KiB free: {error}"
        );
    }
    assert!(failed > 2, "the disk was never full");
}

#[test]
fn a_read_only_data_directory_is_said_whether_it_is_there_or_not() {
    let server = Server::start();
    for place in ["", "data"] {
        let project = Project::new().model(&server, Protocol::OpenAiChat);
        let at = project.outside().join("disk");
        let Some(_disk) = SmallDisk::mount(&at, "ro") else {
            eprintln!("skipped: a_read_only_data_directory (this user may not mount a file system)");
            return;
        };
        let run = events_of(&project)
            .env("LATHE_DATA_DIR", at.join(place))
            .arg("hi");
        let error = error_of(&run.run().assert_code(1));
        assert!(
            error.starts_with("storage: lathe's database is read-only, so nothing was saved"),
            "{error}"
        );
    }
    assert!(server.requests().is_empty());
}

#[test]
fn a_data_directory_that_is_a_file_is_said() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let file = project.outside().join("file");
    std::fs::write(&file, "").unwrap();
    for place in [file.clone(), file.join("below")] {
        let run = events_of(&project).env("LATHE_DATA_DIR", &place).arg("hi");
        let error = error_of(&run.run().assert_code(1));
        let said = format!(
            "storage: `{}` cannot be created, because it or a directory above it is a file",
            place.display()
        );
        assert!(error.starts_with(&said), "{error}");
    }
}

#[test]
fn a_full_disk_is_said_by_the_screen_from_the_start_on() {
    let server = Server::start();
    server.otherwise(Turn::text("Hello."));
    for free in [0, 12, 80] {
        let project = Project::new().model(&server, Protocol::OpenAiChat);
        let at = project.outside().join("disk");
        let Some(disk) = SmallDisk::mount(&at, "size=1m") else {
            eprintln!("skipped: a_full_disk_is_said_by_the_screen (this user may not mount a file system)");
            return;
        };
        disk.fill_up_to(1 << 20, free << 10);
        let data = format!("LATHE_DATA_DIR={}", at.join("data").display());
        let state = format!("LATHE_STATE_DIR={}", at.join("state").display());
        let terminal = Terminal::program("env", &project, 120, 30, &[&data, &state, LATHE, "-p", "hi"]);
        // On the screen, or behind it where there is none yet.
        let screen = terminal.wait_text("disk is full");
        assert!(!screen.contains("panicked"), "{screen}");
    }
}

#[test]
fn logs_locks_and_caches_that_find_no_room_are_not_worth_a_turn() {
    let server = Server::start();
    server.script([
        Turn::tool("bash", json!({"command": "echo here"})),
        Turn::text("Done."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let at = project.outside().join("disk");
    let Some(disk) = SmallDisk::mount(&at, "size=1m") else {
        eprintln!("skipped: logs_locks_and_caches (this user may not mount a file system)");
        return;
    };
    disk.fill_up_to(1 << 20, 0);
    let finished = events_of(&project)
        .env("LATHE_STATE_DIR", at.join("state"))
        .env("LATHE_CACHE_DIR", at.join("cache"))
        .args(["--permission-mode", "yolo", "go"])
        .run()
        .success();
    assert_eq!(
        of_kind(&finished, "tool_result")[0]["output"],
        "here",
        "{finished}"
    );
}

#[test]
fn output_that_finds_no_room_is_cut_and_says_so() {
    let server = Server::start();
    let command = "head -c 8000000 /dev/zero | tr '\\0' '\\n' | sed 's/^/line/'";
    server.script([
        Turn::tool("bash", json!({"command": command})),
        Turn::text("Done."),
    ]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let at = project.data_dir().join("tool-output");
    let Some(_disk) = SmallDisk::mount(&at, "size=1m") else {
        eprintln!("skipped: output_that_finds_no_room (this user may not mount a file system)");
        return;
    };
    let finished = events_of(&project)
        .args(["--permission-mode", "yolo", "go"])
        .run()
        .success();
    let result = &of_kind(&finished, "tool_result")[0];
    let output = result["output"].as_str().unwrap();
    assert_eq!(result["ok"], true, "{output}");
    assert!(result["output_path"].is_null(), "{}", result["output_path"]);
    assert!(
        output.contains("No space left on device") || output.contains("disk is full"),
        "{}",
        &output[..400]
    );
    assert!(output.ends_with("line\nline"), "the end is kept");
    let left = std::fs::read_dir(&at).unwrap().count();
    assert_eq!(left, 0, "half an output is worse than none");
}

#[test]
fn a_scratch_directory_that_finds_no_room_keeps_no_command_from_running() {
    let call = json!({"command": "echo here; echo \"${TMPDIR:-none}\""}).to_string();
    let scratch = format!("/tmp/lathe-{}", rustix::process::geteuid().as_raw());
    std::fs::create_dir_all(&scratch).unwrap();
    for options in ["size=4k,nr_inodes=1", "ro"] {
        // In a mount namespace of its own: the directory is everybody's.
        let script =
            format!("mount -t tmpfs -o {options},mode=700 none {scratch} || exit 77; exec \"$0\" \"$@\"");
        let finished = Lathe::program("unshare", &Project::new())
            .args(["-m", "sh", "-c", &script, LATHE])
            .args(["tool", "--permission-mode", "yolo", "bash", &call])
            .run();
        if finished.code == Some(77) || finished.stderr.contains("unshare") {
            eprintln!(
                "skipped: a_scratch_directory_that_finds_no_room (no mount of our own is permitted here)"
            );
            return;
        }
        assert_eq!(finished.success().stdout, "here\nnone\n", "{options}");
    }
}

#[test]
fn a_conversation_on_the_screen_goes_on_in_memory_and_is_saved_when_there_is_room() {
    let server = Server::start();
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let at = project.outside().join("disk");
    let Some(disk) = SmallDisk::mount(&at, "size=4m") else {
        eprintln!("skipped: a_conversation_on_the_screen_goes_on (this user may not mount a file system)");
        return;
    };
    let data = format!("LATHE_DATA_DIR={}", at.join("data").display());
    let terminal = Terminal::program(
        "env",
        &project,
        120,
        30,
        &[&data, LATHE, "--permission-mode", "yolo"],
    );
    terminal.wait_text("Ask for a change");
    server.script([Turn::text("First answer.")]);
    say(&terminal, "first");
    terminal.wait_text("First answer.");
    // Everything that is left.
    let mut fill = std::fs::File::create(disk.0.join("fill")).unwrap();
    while std::io::Write::write_all(&mut fill, &[0; 4096]).is_ok() {}
    while std::io::Write::write_all(&mut fill, &[0]).is_ok() {}
    drop(fill);
    server.script([
        Turn::tool("bash", json!({"command": "echo from the command"})),
        Turn::text(&format!("Second answer. {}", "It is long. ".repeat(2000))),
    ]);
    say(&terminal, "second");
    terminal.wait_text("The session continues in memory only");
    terminal.wait_text("It is long.");
    terminal.wait_text("⏎ send");
    server.script([Turn::text(&format!("Third answer. {}", "Longer. ".repeat(2000)))]);
    say(&terminal, "third");
    terminal.wait_text("Longer.");
    terminal.wait_text("⏎ send");
    // What is stored is not all of it, so nothing is taken out of the conversation.
    terminal.keys("\x18u");
    terminal.wait_text("Choose what to undo.");
    terminal.keys("3\r");
    terminal.wait_text("A part of this session is only in memory, so nothing was undone");
    terminal.keys("q");
    terminal.wait_text("⏎ send");
    std::fs::remove_file(disk.0.join("fill")).unwrap();
    server.script([Turn::text("Fourth answer.")]);
    say(&terminal, "fourth");
    terminal.wait_text("The part that was only in memory is saved now.");
    terminal.wait_text("Fourth answer.");
    terminal.wait_text("⏎ send");
    drop(terminal);
    let sessions = |words: &[&str]| {
        let lathe = Lathe::in_project(&project).env("LATHE_DATA_DIR", at.join("data"));
        lathe.arg("sessions").args(words).run().success()
    };
    let list = sessions(&["list", "--json"]).json();
    let id = list["sessions"][0]["id"].as_str().unwrap().to_owned();
    let shown = sessions(&["show", &id]).stdout;
    let places = [
        "first",
        "First answer.",
        "second",
        "from the command",
        "Second answer.",
        "third",
        "Third answer.",
        "fourth",
        "Fourth answer.",
    ]
    .map(|text| {
        shown
            .find(text)
            .unwrap_or_else(|| panic!("{text} is not in {shown}"))
    });
    assert!(places.is_sorted(), "{places:?}");
    let database = rusqlite::Connection::open(at.join("data/lathe.db")).unwrap();
    let sound: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn a_screen_over_a_read_only_data_directory_talks_and_says_that_nothing_is_saved() {
    let server = Server::with([Turn::text("An answer.")]);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let at = project.outside().join("disk");
    let Some(_disk) = SmallDisk::mount(&at, "ro") else {
        eprintln!(
            "skipped: a_screen_over_a_read_only_data_directory (this user may not mount a file system)"
        );
        return;
    };
    let data = format!("LATHE_DATA_DIR={}", at.join("data").display());
    let terminal = Terminal::program("env", &project, 120, 30, &[&data, LATHE]);
    terminal.wait_text("This session is only in memory");
    say(&terminal, "hello");
    terminal.wait_text("An answer.");
}
