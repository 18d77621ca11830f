//! `apply_patch` through the program: all files or none, whoever dies, whatever is full, and beside another lathe.

mod project_tree;

use std::fs;
use std::time::Duration;

use serde_json::json;

use self::project_tree::{Landscape, Moment, STEPS, files, random_by_the_clock, records};
use super::run::{assert_well_formed, events_of, of_kind, project_with};
use super::support::{Finished, LATHE, Lathe, Project, Running, Server, Turn, wait_until};

fn patch_args(text: &str) -> String {
    json!({ "patch_text": text }).to_string()
}

fn apply(project: &Project, text: &str) -> Lathe {
    let args = [
        "tool",
        "--permission-mode",
        "yolo",
        "apply_patch",
        &patch_args(text),
    ];
    Lathe::in_project(project).args(args)
}

/// A start of lathe that touches no file by itself.
fn start(project: &Project) -> Lathe {
    Lathe::in_project(project).args(["tool", "todoread", "{}"])
}

/// Kills the program as soon as the condition holds; one that ends before has ended.
fn kill_when(running: Running, mut condition: impl FnMut() -> bool) -> Finished {
    while !condition() && running.stdout_so_far().is_empty() {
        // Short, to come into the middle of it, and not so short as to take a core from the other tests.
        std::thread::park_timeout(Duration::from_micros(300));
    }
    running.kill()
}

#[test]
fn after_kill_9_and_the_next_start_all_files_are_old_or_all_are_new() {
    let landscape = Landscape::new(Project::new());
    let project = &landscape.project;
    let mut random = random_by_the_clock();
    let (mut half, mut news) = (0, 0);
    for round in 0..12 {
        landscape.reset();
        let moment = Moment::random(&mut random, round);
        let killed = kill_when(apply(project, &landscape.patch).spawn(), || {
            moment.has_come(&landscape)
        });
        let taken = landscape.taken();
        half += usize::from(taken > 0 && taken < STEPS);
        let story = format!(
            "round {round}, {moment:?}, {taken} of {STEPS} steps\n{}",
            killed.stderr
        );
        if round % 2 == 1 {
            // The one that puts it right dies too.
            let _ = kill_when(start(project).spawn(), || landscape.taken() != taken);
        }
        let again = start(project).run().success();
        assert_eq!(again.stderr, "", "{story}");
        news += usize::from(landscape.assert_whole(&story));
    }
    assert!(half > 0, "no round killed in the middle");
    assert!(news < 12, "every round came through");

    landscape.reset();
    let whole = apply(project, &landscape.patch).run().success();
    assert!(whole.stdout.starts_with("Applied patch: 100 files\n"), "{whole}");
    assert!(landscape.assert_whole("undisturbed"));
}

#[test]
fn two_lathes_at_once_make_one_of_two_patches_or_the_other() {
    const FILES: usize = 40;
    let filler = "A line that stays.\n".repeat(3000);
    let project = Project::new();
    let names: Vec<_> = (0..FILES).map(|number| format!("f{number}")).collect();
    let content = |word: &str| format!("{word}\n{filler}");
    let patch = |word: &str, backwards: bool| {
        let mut sections: Vec<_> = names
            .iter()
            .map(|name| format!("*** Update File: {name}\n@@\n-base\n+{word}\n"))
            .collect();
        if backwards {
            sections.reverse();
        }
        format!("*** Begin Patch\n{}*** End Patch\n", sections.concat())
    };
    let patches = [patch("first", false), patch("second", true)];
    for round in 0..8 {
        for name in &names {
            project.write(name, content("base").as_bytes());
        }
        let both = patches.each_ref().map(|patch| apply(&project, patch).spawn());
        let ended = if round % 2 == 0 {
            both.map(Running::wait)
        } else {
            // One dies as soon as a file has changed, whoever changed it.
            let [one, other] = both;
            let is_changed =
                || fs::metadata(project.path("f0")).unwrap().len() != content("base").len() as u64;
            let killed = kill_when(one, is_changed);
            [killed, other.wait()]
        };
        let _ = start(&project).run().success();
        let first = project.read("f0");
        let word = first.lines().next().unwrap().to_owned();
        for name in &names {
            assert!(
                project.read(name) == content(&word),
                "round {round}: `{name}` is not `{word}` like `f0`"
            );
        }
        let told = ended
            .each_ref()
            .map(|ended| ended.stdout.starts_with("Applied patch: 40 files"));
        let expected = [word == "first", word == "second"];
        if round % 2 == 0 {
            assert_eq!(
                told, expected,
                "round {round}: `{word}`\n{}\n{}",
                ended[0], ended[1]
            );
        } else {
            // The killed one may have had no time to say it.
            assert_eq!(
                told[1], expected[1],
                "round {round}: `{word}`\n{}\n{}",
                ended[0], ended[1]
            );
            assert!(!told[0] || expected[0], "round {round}: `{word}`\n{}", ended[0]);
        }
        assert_eq!(records(&project), [""; 0]);
    }
}

/// Runs a script with mounts of its own; `None`, told by name, where that is not permitted.
fn with_mounts(project: &Project, script: &str, patch: &str) -> Option<Finished> {
    let finished = Lathe::program("unshare", project)
        .args(["-rm", "sh", "-c", script])
        .env("ROOT", project.root())
        .env("DATA", project.data_dir())
        .env("PATCH", patch_args(patch))
        .env("LATHE", LATHE)
        .deadline(Duration::from_mins(1))
        .run();
    if finished.code == Some(77) || finished.stdout.is_empty() {
        println!("skipped: no mount of our own is permitted here\n{finished}");
        return None;
    }
    Some(finished)
}

const APPLY: &str = "\"$LATHE\" tool --permission-mode yolo apply_patch \"$PATCH\"; echo \"code $?\"";

#[test]
fn a_full_disk_leaves_every_file_of_the_project() {
    let big = format!("+{}\n", "x".repeat(99)).repeat(900);
    let patch = format!(
        "*** Begin Patch\n*** Update File: a\n@@\n-old a\n+new a\n*** Delete File: b\n*** Add File: dir/big\n{big}*** End \
         Patch\n"
    );
    let script = format!(
        "mount -t tmpfs -o size=64k none \"$ROOT\" || exit 77; cd \"$ROOT\"; echo old a > a; echo old b > b; {APPLY}; cat a b; \
         ls -A"
    );
    let Some(finished) = with_mounts(&Project::new(), &script, &patch) else {
        return;
    };
    let finished = finished.success();
    assert!(
        finished.stdout.starts_with(
            "Error: `dir/big` was left as it is, because the disk is full; free some space and try again\n"
        ),
        "{finished}"
    );
    assert!(
        finished.stdout.contains("No file of this call was changed."),
        "{finished}"
    );
    assert!(
        finished.stdout.ends_with("code 1\nold a\nold b\na\nb\n"),
        "{finished}"
    );
}

#[test]
fn a_full_data_directory_leaves_every_file_of_the_project() {
    let long = "x".repeat(99) + "\n";
    let project = Project::new()
        .file("a", &format!("old a\n{}", long.repeat(3000)))
        .file("b", "old b\n");
    let patch =
        "*** Begin Patch\n*** Update File: a\n@@\n-old a\n+new a\n*** Delete File: b\n*** End Patch\n";
    let script =
        format!("mount -t tmpfs -o size=64k none \"$DATA\" || exit 77; {APPLY}; ls \"$DATA\"/transactions");
    let before = files(&project);
    let Some(finished) = with_mounts(&project, &script, patch) else {
        return;
    };
    let finished = finished.success();
    let transactions = project.data_dir().join("transactions");
    let sentence = format!(
        "Error: 2 files were left as they are, because the change could not be noted in `{}`: the disk is full; free some \
         space and try again\n",
        transactions.display()
    );
    assert!(finished.stdout.starts_with(&sentence), "{finished}");
    assert!(finished.stdout.ends_with("code 1\nlock\n"), "{finished}");
    assert_eq!(files(&project), before);
}

#[test]
fn a_read_only_data_directory_is_told_and_nothing_is_written() {
    let project = Project::new().file("a", "old a\n").file("b", "old b\n");
    let patch =
        "*** Begin Patch\n*** Update File: a\n@@\n-old a\n+new a\n*** Delete File: b\n*** End Patch\n";
    let script =
        format!("mount --bind \"$DATA\" \"$DATA\" && mount -o remount,bind,ro \"$DATA\" || exit 77; {APPLY}");
    let before = files(&project);
    let Some(finished) = with_mounts(&project, &script, patch) else {
        return;
    };
    let finished = finished.success();
    assert!(
        finished
            .stdout
            .starts_with("Error: 2 files were left as they are, because the change could not be noted in `"),
        "{finished}"
    );
    assert!(
        finished.stdout.contains("the file system is read-only"),
        "{finished}"
    );
    assert_eq!(files(&project), before);
}

#[test]
fn a_model_patches_several_files_in_one_call() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-fn a() {}\n+fn b() {}\n*** Add File: new.rs\n+fn n() {}\n*** End \
                 Patch\n";
    let server = Server::with([Turn::tool("patch", json!({"input": patch})), Turn::text("Done.")]);
    let project = project_with(&server).file("a.rs", "fn a() {}\n");
    let finished = events_of(&project)
        .args(["--permission-mode", "accept-edits", "go"])
        .run()
        .success();
    assert_well_formed(&finished);
    let result = &of_kind(&finished, "tool_result")[0];
    assert_eq!(
        (&result["tool"], &result["output"]),
        (
            &json!("apply_patch"),
            &json!("Applied patch: 2 files\nM a.rs\nA new.rs")
        )
    );
    assert_eq!(
        (project.read("a.rs"), project.read("new.rs")),
        ("fn b() {}\n".into(), "fn n() {}\n".into())
    );
}

#[test]
fn a_session_that_was_killed_in_a_patch_opens_with_whole_files() {
    let server = Server::start();
    // Deleting asks for a record of reading, which a new session does not have.
    let project = project_with(&server).config(json!({"edit": {"require_read": false}}));
    let landscape = Landscape::new(project);
    let project = &landscape.project;
    server.script([Turn::tool("apply_patch", json!({"patch_text": landscape.patch}))]);
    let running = events_of(project)
        .args(["--permission-mode", "yolo", "go"])
        .spawn();
    wait_until("the middle of the patch", || landscape.taken() > STEPS / 3);
    let killed = running.kill();
    server.script([Turn::text("Here I am again.")]);
    let again = events_of(project).args(["-c", "go on"]).run().success();
    assert_well_formed(&again);
    landscape.assert_whole(&killed.stderr);
}
