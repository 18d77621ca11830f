//! The sandbox of commands, enforced by this machine's kernel. Where it offers none, the tests are skipped by name.

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Lathe, Project};

/// A project whose commands run in this sandbox, with a temporary directory of its own beside it.
struct Confined {
    project: Project,
    temporary: PathBuf,
}

impl Confined {
    fn new(sandbox: &Value) -> Self {
        let settings = json!({"sandbox": sandbox});
        let project = Project::new().file("src/a.txt", "old\n").git().config(settings);
        let temporary = project.home().join("temporary");
        fs::create_dir_all(&temporary).unwrap();
        Self { project, temporary }
    }

    /// Returns the answer of `bash` as one event; `None` where the machine has no sandbox.
    fn try_run(&self, args: &[&str], command: &str) -> Option<Value> {
        let call = json!({"command": command}).to_string();
        let finished = Lathe::in_project(&self.project)
            .env("TMPDIR", &self.temporary)
            .args(["tool", "--format", "json"])
            .args(args)
            .args(["bash", &call])
            .run();
        let event: Value = serde_json::from_str(&finished.stdout).expect(&finished.stderr);
        if event["details"]["error"]["kind"] == "unavailable" {
            eprintln!("skipped: {}", event["output"]);
            return None;
        }
        Some(event)
    }

    fn run(&self, command: &str) -> Option<Value> {
        self.try_run(&["--permission-mode", "yolo"], command)
    }

    /// Runs it from a file, whose text nobody judges before.
    fn run_script(&self, script: &str) -> Option<Value> {
        self.project.write("script.sh", script.as_bytes());
        self.run("bash script.sh")
    }

    fn outside(&self) -> PathBuf {
        self.project.home().join("outside.txt")
    }
}

fn text(event: &Value) -> &str {
    event["output"].as_str().unwrap()
}

fn workspace() -> Confined {
    Confined::new(&json!({"mode": "workspace-write"}))
}

#[test]
fn a_command_writes_in_the_project_and_the_temporary_directory_and_to_nowhere() {
    let place = workspace();
    let command = "echo new > src/a.txt && mkdir -p b/c && mv src/a.txt b/c/ && echo t > $TMPDIR/t && echo x > /dev/null \
                   && rm $TMPDIR/t && ln -s nowhere b/link && echo done";
    let Some(event) = place.run(command) else { return };
    assert_eq!(text(&event), "done");
    assert_eq!(event["details"]["sandbox"], "workspace-write");
    assert_eq!(place.project.read("b/c/a.txt"), "new\n");
}

#[test]
fn a_write_outside_is_refused_and_named() {
    let place = workspace();
    let outside = place.outside();
    fs::write(&outside, "kept\n").unwrap();
    for command in [
        "echo x > FILE",
        "rm FILE",
        "truncate -s 0 FILE",
        "mv FILE src/stolen",
        "ln FILE src/hard",
    ] {
        let command = command.replace("FILE", outside.to_str().unwrap());
        let Some(event) = place.run(&command) else { return };
        let expected = format!("[sandbox: writing {} was not allowed]", outside.display());
        let is_named = text(&event).ends_with(&expected);
        // `ln` and `mv` speak of both ends.
        assert!(
            is_named || command.starts_with("ln") || command.starts_with("mv"),
            "{event}"
        );
        assert_ne!(event["details"]["exit"], 0, "{command}");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "kept\n", "{command}");
    }
}

#[test]
fn what_is_protected_stays_as_it_is_however_it_is_reached() {
    let place = workspace();
    place.project.write(".claude/settings.json", b"{}\n");
    place.project.write(".github/workflows/ci.yml", b"on: push\n");
    place.project.write(".gitignore", b".envrc\nnested/\n");
    place.project.write(".envrc", b"ok\n");
    let Some(event) = place.run_script("echo x > .git/hooks/pre-commit") else {
        return;
    };
    assert!(text(&event).contains("[sandbox: writing "), "{event}");
    for command in [
        "echo x > .git/config",
        "cd .git && echo x > config",
        "mv .git elsewhere",
        "rm -rf .git",
        "echo x > .envrc",
        "mv .envrc y",
        "rm -f .envrc",
        "echo x > .claude/settings.json",
        "mv .github moved && mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
        "ln -sfn . link && echo x > link/.git/config",
        "umount .git; mount -o remount,rw,bind .git; echo x > .git/config",
        "unshare -rm sh -c 'umount .git; echo x > .git/config'",
        "python3 -c 'open(\".git/config\", \"w\").write(\"x\")'",
    ] {
        let before = fs::read(place.project.path(".git/config")).unwrap();
        let event = place.run_script(command).unwrap();
        assert_ne!(event["details"]["exit"], 0, "{event}");
        assert_eq!(
            fs::read(place.project.path(".git/config")).unwrap(),
            before,
            "{command}"
        );
        assert_eq!(place.project.read(".envrc"), "ok\n", "{command}");
        assert_eq!(place.project.read(".claude/settings.json"), "{}\n", "{command}");
        assert_eq!(
            place.project.read(".github/workflows/ci.yml"),
            "on: push\n",
            "{command}"
        );
    }
}

#[test]
fn reading_only_leaves_the_project_alone() {
    let place = Confined::new(&json!({"mode": "read-only"}));
    let Some(event) = place.run("cat src/a.txt; git log --format=%s; echo x > src/a.txt") else {
        return;
    };
    assert!(text(&event).starts_with("old\nstart\n"), "{event}");
    let expected = format!(
        "[sandbox: writing {} was not allowed]",
        place.project.path("src/a.txt").display()
    );
    assert!(text(&event).ends_with(&expected), "{event}");
    assert_eq!(place.project.read("src/a.txt"), "old\n");
    assert_eq!(
        text(&place.run("echo x > $TMPDIR/t; cat $TMPDIR/t").unwrap()),
        "x"
    );
}

#[test]
fn reading_only_holds_in_a_project_below_the_temporary_directory() {
    let mut place = Confined::new(&json!({"mode": "read-only"}));
    place.temporary = place.project.root().parent().unwrap().to_owned();
    let Some(event) = place.run("echo x > src/a.txt") else {
        return;
    };
    assert_ne!(event["details"]["exit"], 0, "{event}");
    assert_eq!(place.project.read("src/a.txt"), "old\n");
}

#[test]
fn there_is_no_network_unless_the_settings_give_one() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
    let Some(event) = workspace().run(&command) else {
        return;
    };
    assert!(text(&event).ends_with("[sandbox: no network]"), "{event}");
    let open = Confined::new(&json!({"mode": "workspace-write", "network": true}));
    assert_eq!(text(&open.run(&command).unwrap()), "connected");
}

#[test]
fn more_places_can_be_opened() {
    let place = Confined::new(&json!({"mode": "workspace-write", "write": ["~/more"]}));
    let more = place.project.home().join("more");
    fs::create_dir_all(&more).unwrap();
    let Some(event) = place.run("echo x > ~/more/x && mkdir ~/more/y && echo x > ~/more/y/x && echo done")
    else {
        return;
    };
    assert_eq!(text(&event), "done");
}

#[test]
fn planning_reads_only_without_being_told_to() {
    let place = Confined::new(&json!({"mode": "off"}));
    let event = place
        .try_run(&["--permission-mode", "plan"], "cat src/a.txt")
        .unwrap();
    let sandbox = &event["details"]["sandbox"];
    if sandbox.is_null() {
        assert!(text(&event).contains("planning would use a sandbox"), "{event}");
    } else {
        assert_eq!((sandbox, text(&event)), (&json!("read-only"), "old"));
    }
}

#[test]
fn without_a_sandbox_nothing_is_said_of_one() {
    let place = Confined::new(&json!({"mode": "off"}));
    let event = place.run("echo x > ~/free; cat ~/free; false").unwrap();
    assert_eq!(text(&event), "x\n[exit code 1]");
    assert!(event["details"].get("sandbox").is_none());
}

#[test]
fn the_status_and_the_signals_of_a_command_come_through() {
    let place = workspace();
    let Some(event) = place.run("exit 7") else { return };
    assert_eq!(event["details"]["exit"], 7);
    assert_eq!(
        text(&place.run("kill -9 $$").unwrap()),
        "(no output)\n[killed by signal 9]"
    );
    assert_eq!(
        text(&place.run("sleep 60 & kill $!; wait; echo ended").unwrap()),
        "ended"
    );
}

#[test]
fn a_command_in_a_sandbox_cannot_stop_who_is_outside() {
    let place = workspace();
    let Some(event) = place.run("kill -0 $PPID && echo reached") else {
        return;
    };
    // Kernels before 6.12 do not keep signals in.
    if text(&event) == "reached" {
        eprintln!("skipped: the kernel does not keep signals in");
    } else {
        assert_ne!(event["details"]["exit"], 0);
    }
}

#[test]
fn the_doctor_says_what_the_system_offers() {
    let project = Project::new().git();
    let finished = Lathe::in_project(&project).arg("doctor").run();
    for row in [
        "configuration",
        "data",
        "shell",
        "git",
        "sandbox: files",
        "sandbox: network",
        "sandbox: protected",
        "model",
    ] {
        assert!(finished.stdout.contains(row), "{}", finished.stdout);
    }
    // There is no model.
    assert_eq!(finished.code, Some(1));
    assert!(finished.stdout.contains("\nfailed "), "{}", finished.stdout);

    let broken = Project::new();
    let mistakes = "{ \"modle\": 1,\n  \"max_steps\": \"x\" }";
    fs::write(broken.config_dir().join("lathe.jsonc"), mistakes).unwrap();
    let finished = Lathe::in_project(&broken).arg("doctor").run();
    let rows: Vec<_> = finished.stdout.lines().collect();
    for (row, mistake) in [(rows[0], "lathe.jsonc:1:3: "), (rows[1], "lathe.jsonc:2:16: ")] {
        assert!(
            row.starts_with("failed ") && row.contains("  configuration "),
            "{finished}"
        );
        assert!(row.contains(mistake), "{finished}");
        assert_eq!(finished.stdout.matches(mistake).count(), 1, "{finished}");
    }
    assert!(rows.last().unwrap().starts_with("failed  model "), "{finished}");
}

#[test]
fn rights_and_times_of_files_outside_stay() {
    let place = workspace();
    let outside = place.outside();
    fs::write(&outside, "kept\n").unwrap();
    let before = fs::metadata(&outside).unwrap();
    let doctor = Lathe::in_project(&place.project).arg("doctor").run();
    if !doctor
        .stdout
        .contains("mode and time changes outside the project can be blocked")
    {
        eprintln!("skipped: {doctor}");
        return;
    }
    let file = outside.display();
    for command in [
        format!("chmod 777 {file}"),
        format!("touch -d 2001-01-01 {file}"),
        format!("chown 12345 {file}"),
        format!("perl -e 'utime(1, 1, $ARGV[0]) or die $!' {file}"),
    ] {
        let event = place.run_script(&command).unwrap();
        assert_ne!(event["details"]["exit"], 0, "{event}");
        let after = fs::metadata(&outside).unwrap();
        assert_eq!(
            (after.permissions(), after.modified().unwrap()),
            (before.permissions(), before.modified().unwrap()),
            "{command}"
        );
    }
    let inside = place.run("chmod 700 src/a.txt && touch -d 2001-01-01 src/a.txt && echo done");
    assert_eq!(text(&inside.unwrap()), "done");
}

#[test]
fn unix_sockets_are_refused_without_a_network() {
    let place = workspace();
    let listener = std::os::unix::net::UnixListener::bind(place.project.path("socket")).unwrap();
    let by_path = "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or die $!; connect(S, \
        sockaddr_un(\"socket\")) or \
                   die $!; print qq(connected)'";
    let Some(event) = place.run_script(by_path) else {
        return;
    };
    assert_ne!(event["details"]["exit"], 0, "{event}");
    let pair = "perl -MSocket -e 'socketpair(A, B, PF_UNIX, SOCK_STREAM, 0) or die $!; print qq(made)'";
    assert_eq!(text(&place.run_script(pair).unwrap()), "made");
    drop(listener);
    let open = Confined::new(&json!({"mode": "workspace-write", "network": true}));
    let _listener = std::os::unix::net::UnixListener::bind(open.project.path("socket")).unwrap();
    assert_eq!(text(&open.run_script(by_path).unwrap()), "connected");
}

#[test]
fn protected_names_below_ignored_directories_are_kept() {
    let place = workspace();
    place.project.write(".gitignore", b"vendor/\n");
    place.project.write("vendor/deep/.git/config", b"[core]\n");
    place.project.write("vendor/deep/.envrc", b"ok\n");
    let Some(event) = place.run_script("echo x > vendor/deep/.git/config") else {
        return;
    };
    assert_ne!(event["details"]["exit"], 0, "{event}");
    let event = place.run_script("echo x > vendor/deep/.envrc").unwrap();
    assert_ne!(event["details"]["exit"], 0, "{event}");
    assert_eq!(place.project.read("vendor/deep/.envrc"), "ok\n");
    assert_eq!(
        text(&place.run_script("echo x > vendor/new && echo done").unwrap()),
        "done"
    );
}

#[test]
fn temporary_files_go_to_a_directory_of_the_session_s_own() {
    let place = Confined::new(&json!({"mode": "off"}));
    let event = place
        .try_run(&[], "echo \"$TMPDIR\"")
        .expect("nothing is confined");
    let directory = PathBuf::from(text(&event));
    let parent = format!("/tmp/lathe-{}", rustix::process::getuid().as_raw());
    assert_eq!(directory.parent().unwrap(), std::path::Path::new(&parent));
    // The session has ended, and the directory with it.
    assert!(!directory.exists());
    let event = place
        .run("stat -c %a \"$TMPDIR\" && mktemp > /dev/null && echo done")
        .unwrap();
    assert_eq!(text(&event), "700\ndone");
}

#[test]
fn a_command_that_wants_a_terminal_is_told_of_one() {
    let place = Confined::new(&json!({"mode": "off"}));
    let event = place.run("read answer < /dev/tty").unwrap();
    assert!(
        text(&event).ends_with("[there is no terminal to open; use interactive_bash]"),
        "{event}"
    );
}

#[test]
fn what_runs_unasked_is_confined_and_starts_nothing_else() {
    let place = Confined::new(&json!({"mode": "off"}));
    let root = place.project.root();
    let payload = format!(
        "#!/bin/sh\ntouch {0}/ran {1}/ran $TMPDIR/ran /tmp/lathe-test-ran\necho ran >> {0}/src/a.txt\ncat\n",
        root.display(),
        place.project.home().display()
    );
    place.project.write("evil", payload.as_bytes());
    fs::set_permissions(
        place.project.path("evil"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    place.project.write(".gitattributes", b"*.txt filter=f diff=d\n");
    place.project.run_git(&["add", ".gitattributes"]);
    place.project.run_git(&["commit", "-qm", "attributes"]);
    place.project.write("src/a.txt", b"new\n");
    let evil = place.project.path("evil").display().to_string();
    for key in [
        "core.fsmonitor",
        "filter.f.clean",
        "diff.external",
        "diff.d.textconv",
        "core.hooksPath",
    ] {
        let value = if key == "core.hooksPath" {
            ".h"
        } else {
            evil.as_str()
        };
        place.project.write(".h/post-index-change", payload.as_bytes());
        place.project.run_git(&["config", key, value]);
        for command in [
            "git status",
            "git diff",
            "git log -p",
            "git show",
            "ls",
            "cat src/a.txt",
        ] {
            let event = place.try_run(&[], command).unwrap();
            if event["details"]["error"]["kind"] == "denied" {
                continue;
            }
            assert_eq!(event["details"]["exit"], 0, "{key} {command}: {event}");
            if event["details"]["sandbox"].is_null() {
                eprintln!("skipped: {command} is not confined");
            }
            for left in [
                place.project.path("ran"),
                place.project.home().join("ran"),
                "/tmp/lathe-test-ran".into(),
            ] {
                assert!(!left.exists(), "{key} {command} left {}", left.display());
            }
            assert_eq!(place.project.read("src/a.txt"), "new\n", "{key} {command}");
        }
        place.project.run_git(&["config", "--unset", key]);
    }
    let event = place.try_run(&[], "git status --short && cat src/a.txt").unwrap();
    assert_eq!(event["details"]["sandbox"], "read-only", "{event}");
}

/// A script that makes a system call with these arguments and says whether it was refused.
fn system_call(number: i64, arguments: &str) -> String {
    // It may write to what it is given, so that is no constant.
    format!(
        "perl -e 'my @a = ({arguments}); print syscall({number}, @a) < 0 ? qq(refused $!\\n) : qq(done\\n)'"
    )
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_command_reaches_nobody_past_the_sandbox() {
    let place = workspace();
    let us = std::process::id();
    // A limit of processor time would end the other process.
    let limits = system_call(302, &format!("{us}, 0, pack(\"QQ\", 1000000, 1000000), 0"));
    let Some(event) = place.run_script(&limits) else {
        return;
    };
    assert!(text(&event).starts_with("refused"), "{event}");
    assert_eq!(
        text(
            &place
                .run_script(&system_call(302, "0, 7, 0, pack(\"QQ\", 0, 0)"))
                .unwrap()
        ),
        "done"
    );
    for (name, number, arguments) in [
        (
            "mount_setattr",
            442,
            "-100, \".git\", 0, pack(\"QQQQ\", 0, 1, 0, 0), 32",
        ),
        ("fsopen", 430, "\"tmpfs\", 0"),
        ("open_tree", 428, "-100, \"/\", 1"),
        ("open_by_handle_at", 304, "-100, 0, 0"),
        ("io_uring_setup", 425, "8, \"\\0\" x 120"),
        ("ptrace", 101, &format!("16, {us}, 0, 0")),
        ("a block device", 133, "\"disk\", 0060600, 254 * 256"),
        ("a character device", 133, "\"memory\", 0020600, 257"),
    ] {
        let event = place.run_script(&system_call(number, arguments)).unwrap();
        assert!(text(&event).starts_with("refused"), "{name}: {event}");
    }
    // Each has shared memory and queues of its own.
    let doctor = Lathe::in_project(&place.project).arg("doctor").run();
    if doctor
        .stdout
        .contains("mode and time changes outside the project can be blocked")
    {
        let key = 0x4c41_0000 + i64::from(us);
        let made = place
            .run_script(&system_call(29, &format!("{key}, 4096, 01600")))
            .unwrap();
        assert_eq!(text(&made), "done");
        let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        assert!(!segments.contains(&format!(" {key} ")), "{segments}");
    }
}
