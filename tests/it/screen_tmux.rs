//! The screen inside tmux.

use std::process::{Command, Output};

use crate::screen::project;
use crate::support::{LATHE, Project, Server, Turn, wait_until};

/// A tmux server of its own, which ends with the test.
struct Tmux<'a> {
    project: &'a Project,
}

impl Tmux<'_> {
    fn run(&self, arguments: &[&str]) -> Output {
        Command::new("tmux")
            .arg("-S")
            .arg(self.project.outside().join("tmux"))
            .args(["-f", "/dev/null"])
            .args(arguments)
            .current_dir(self.project.root())
            .env_clear()
            .envs(self.project.environment())
            .output()
            .unwrap()
    }

    fn printed(&self, arguments: &[&str]) -> String {
        String::from_utf8_lossy(&self.run(arguments).stdout).into_owned()
    }

    #[track_caller]
    fn wait_text(&self, text: &str) {
        wait_until(text, || self.printed(&["capture-pane", "-p"]).contains(text));
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn what_is_copied_is_in_the_buffer_of_tmux_whatever_its_clipboard_setting() {
    for setting in ["external", "on"] {
        let server = Server::with([Turn::text("COPYME")]);
        let project = project(&server);
        let tmux = Tmux { project: &project };
        let started = tmux.run(&["new-session", "-d", "-x", "80", "-y", "24", LATHE]);
        assert!(started.status.success(), "{started:?}");
        tmux.run(&["set", "-g", "set-clipboard", setting]);
        tmux.wait_text("send");
        tmux.run(&["send-keys", "go", "Enter"]);
        tmux.wait_text("COPYME");
        tmux.wait_text("⏎ send");
        tmux.run(&["send-keys", "-l", "/copy"]);
        tmux.wait_text("┃ /copy");
        tmux.run(&["send-keys", "Enter"]);
        wait_until("the copied text", || {
            tmux.printed(&["show-buffer"]).contains("COPYME")
        });
    }
}
