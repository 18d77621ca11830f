//! Directories that are gone or cannot be written, a full disk, and two processes on one data directory.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use super::*;
use crate::support::Gate;

#[test]
fn a_working_directory_that_is_gone_is_a_sentence() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "cd / && rm -rf \"$OLDPWD\""})),
        Turn::new()
            .call("bash", json!({"command": "pwd"}))
            .call("read", json!({"file_path": "a.txt"}))
            .call("write", json!({"file_path": "a.txt", "content": "a"}))
            .call("glob", json!({"pattern": "*"})),
        Turn::text("All is gone."),
    ]);
    let project = project_with(&server)
        .file("work/a.txt", "a\n")
        .config(json!({"permission": {"bash": "allow"}}));
    let finished = yolo(&project).cwd(project.path("work")).arg("go").run().success();
    assert_well_formed(&finished);
    assert_eq!(text_of(&finished), "All is gone.");
    assert!(
        !project.exists("work/a.txt") || results(&finished)[3]["ok"] == true,
        "{finished}"
    );

    let script = format!(
        "mkdir gone && cd gone && rmdir ../gone && {} run hello",
        env!("CARGO_BIN_EXE_lathe")
    );
    let finished = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .assert_code(2);
    assert!(
        finished.stderr.contains("the current directory cannot be used"),
        "{finished}"
    );
}

#[test]
fn two_processes_share_a_data_directory() {
    let gates = [Gate::new(), Gate::new()];
    let server = Server::start();
    for (name, gate) in ["alpha", "beta"].iter().zip(&gates) {
        server.script_for(
            &format!("I am {name}"),
            [
                Turn::tool(
                    "write",
                    json!({"file_path": format!("{name}.txt"), "content": name}),
                )
                .gate(1, gate),
                Turn::text(&format!("{name} is done")),
            ],
        );
    }
    let project = project_with(&server);
    let running: Vec<_> = ["alpha", "beta"]
        .map(|name| yolo(&project).arg(format!("I am {name}")).spawn())
        .into();
    gates.iter().for_each(Gate::wait_until_reached);
    gates.iter().for_each(Gate::open);
    for (running, name) in running.into_iter().zip(["alpha", "beta"]) {
        let finished = running.wait().success();
        assert_well_formed(&finished);
        assert_eq!(text_of(&finished), format!("{name} is done"));
        assert_eq!(project.read(format!("{name}.txt")), name);
    }
    let list = Lathe::in_project(&project)
        .args(["sessions", "list", "--json"])
        .run()
        .success()
        .json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 2);
}

/// Returns true if directories can be made unwritable for this user: not for root.
fn obeys_modes(project: &Project) -> bool {
    let probe = project.outside().join("probe");
    fs::create_dir(&probe).unwrap();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o500)).unwrap();
    fs::write(probe.join("x"), "").is_err()
}

#[test]
fn directories_that_cannot_be_written_are_named() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project_with(&server);
    // A file stands where the directory should be, which stops root as well.
    let blocked = project.outside().join("blocked");
    fs::write(&blocked, "").unwrap();
    let finished = events_of(&project)
        .env("LATHE_DATA_DIR", blocked.join("data"))
        .arg("hello")
        .run()
        .assert_code(1);
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "storage");
    assert!(finished.stderr.contains("blocked/data"), "{finished}");
    // Logs and caches are not worth a turn.
    let finished = events_of(&project)
        .env("LATHE_STATE_DIR", blocked.join("state"))
        .env("LATHE_CACHE_DIR", blocked.join("cache"))
        .arg("hello")
        .run()
        .success();
    assert_well_formed(&finished);
    if !obeys_modes(&project) {
        println!("skipped: this user may write where the mode forbids it");
        return;
    }
    fs::set_permissions(project.data_dir(), fs::Permissions::from_mode(0o500)).unwrap();
    let finished = events_of(&project).arg("hello").run().assert_code(1);
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "storage");
    fs::set_permissions(project.data_dir(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_full_disk_ends_the_turn_with_a_storage_error() {
    let server = Server::with([
        Turn::tool(
            "bash",
            json!({"command": "head -c 8000000 /dev/zero > \"$FULL/fill\"; echo filled"}),
        ),
        Turn::text(&"A long answer. ".repeat(40_000)).piece(5000),
    ]);
    let project = project_with(&server).config(json!({"permission": {"bash": "allow"}}));
    let data = project.data_dir().to_str().unwrap().to_owned();
    let script = format!(
        "mount -t tmpfs -o size=3m none {data} || exit 77; export FULL={data}; {} run --format json \
         --permission-mode yolo go; code=$?; rm -f {data}/fill; exit $code",
        env!("CARGO_BIN_EXE_lathe")
    );
    let finished = Lathe::program("unshare", &project)
        .args(["-rm", "sh", "-c", &script])
        .deadline(Duration::from_mins(1))
        .run();
    if finished.code == Some(77) || finished.stdout.is_empty() {
        println!("skipped: no mount of our own is permitted here\n{finished}");
        return;
    }
    let finished = finished.assert_code(1);
    assert_well_formed(&finished);
    let errors = of_kind(&finished, "error");
    assert_eq!(
        (errors.len(), &errors[0]["kind"]),
        (1, &json!("storage")),
        "{finished}"
    );
    assert_eq!(reason(&finished), "error");
}
