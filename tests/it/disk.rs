//! A data directory that cannot hold anything: a full disk from the first start on, one that is read-only, a file.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::run::events_of;
use super::support::{Finished, Project, Protocol, Server, Turn};

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
            "storage: `{}` cannot be made, because it or a directory above it is a file",
            place.display()
        );
        assert!(error.starts_with(&said), "{error}");
    }
}
