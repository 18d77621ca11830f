//! The rules of the machine's administrator. The file lies where only root writes, so the program is shown another
//! `/etc` in a namespace of its own; where the machine allows none, the tests are skipped by name.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Finished, LATHE, Lathe, Project};

/// A project on a machine with a managed file.
struct Machine {
    project: Project,
}

impl Machine {
    /// `None` where no namespace can be made.
    fn new(test: &str, managed: &str) -> Option<Self> {
        let can = Command::new("unshare").args(["-rm", "true"]).output();
        if !can.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: {test}: this machine makes no namespaces");
            return None;
        }
        let project = Project::new().file("a.txt", "a\n").git();
        let dir = project.outside().join("etc/lathe");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("lathe-managed.jsonc"), managed).unwrap();
        Some(Self { project })
    }

    fn config(self, settings: Value) -> Self {
        Self {
            project: self.project.config(settings),
        }
    }

    fn lathe(&self, args: &[&str]) -> Finished {
        let etc = self.project.outside().join("etc");
        let script = r#"mount --bind "$1" /etc && shift && exec "$@""#;
        Lathe::program("unshare", &self.project)
            .args(["-rm", "sh", "-c", script, "sh"])
            .arg(etc)
            .arg(LATHE)
            .args(args)
            .run()
    }

    fn bash(&self, mode: &str, command: &str) -> Value {
        let call = json!({"command": command}).to_string();
        let finished = self.lathe(&[
            "tool",
            "--format",
            "json",
            "--permission-mode",
            mode,
            "bash",
            &call,
        ]);
        serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"))
    }
}

#[test]
fn managed_deny_and_ask_rules_cannot_be_loosened() {
    let rules = r#"{"permission": {"bash": {"touch *": "deny", "cp *": "ask"}}, "tools": {"write": false}}"#;
    let test = "managed_deny_and_ask_rules_cannot_be_loosened";
    let Some(machine) = Machine::new(test, rules) else {
        return;
    };
    let machine = machine.config(json!({"permission": "allow", "tools": {"write": true}}));

    let denied = machine.bash("yolo", "touch b.txt");
    assert_eq!(denied["details"]["error"]["kind"], "denied", "{denied}");
    let told = denied["output"].as_str().unwrap();
    assert!(told.contains("/etc/lathe/lathe-managed.jsonc"), "{told}");

    let asked = machine.bash("ask", "cp a.txt c.txt");
    assert_eq!(asked["details"]["error"]["kind"], "denied", "{asked}");
    let told = asked["output"].as_str().unwrap();
    assert!(
        told.contains("has to be asked") && told.contains("lathe-managed.jsonc"),
        "{told}"
    );

    let answered = machine.bash("yolo", "cp a.txt c.txt");
    assert_eq!(answered["ok"], true, "yolo answers what asks: {answered}");
    let allowed = machine.bash("ask", "mkdir d");
    assert_eq!(allowed["ok"], true, "{allowed}");

    let tools = machine.lathe(&["tools", "--all", "--json"]);
    let tools: Value = serde_json::from_str(&tools.stdout).unwrap();
    let list = tools.as_array().or_else(|| tools["tools"].as_array()).unwrap();
    let write = list.iter().find(|tool| tool["name"] == "write").unwrap();
    assert_eq!(write["advertised"], false);

    let shown: Value = serde_json::from_str(&machine.lathe(&["config", "show"]).stdout).unwrap();
    let rules = shown["permission"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["origin"] == "managed"), "{shown}");
}

#[test]
fn a_broken_file_of_the_machine_stops_the_program() {
    let test = "a_broken_file_of_the_machine_stops_the_program";
    let Some(machine) = Machine::new(test, r#"{"permission": {"bash": "never"}}"#) else {
        return;
    };
    for args in [
        &["run", "go"][..],
        &["tool", "read", r#"{"file_path": "a.txt"}"#],
        &["config", "show"],
    ] {
        let finished = machine.lathe(args);
        assert_eq!(finished.code, Some(2), "{finished}");
        assert!(
            finished.stderr.contains("/etc/lathe/lathe-managed.jsonc:1:"),
            "{finished}"
        );
    }
}
