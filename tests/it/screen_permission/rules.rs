//! Stored rules: listed over the screen, filtered, and revoked at once.

use serde_json::json;

use super::{asked, bash, hear};
use crate::screen::{open, project, say};
use crate::support::{Key, Lathe, Server, Turn};

#[test]
fn a_revoked_rule_counts_no_more_in_the_running_session() {
    let server = Server::with([
        bash("touch mark"),
        Turn::text("Once."),
        bash("touch other"),
        Turn::text("Twice."),
        bash("touch third"),
    ]);
    let (project, terminal) = asked(&server);
    terminal.keys("ass");
    terminal.wait_text("scope: this session");
    terminal.key(Key::Enter);
    terminal.wait_text("Once.");
    terminal.wait_text("send");
    say(&terminal, "again");
    terminal.wait_text("Twice.");
    assert!(project.exists("other"));
    terminal.wait_text("send");
    terminal.keys("/permissions");
    terminal.wait_text("┃ /permissions");
    terminal.key(Key::Enter);
    terminal.wait_text("❯ bash: touch *");
    terminal.wait_text("this session · from \"go\"");
    terminal.key(Key::Ctrl('d'));
    terminal.wait_text("ctrl+d again revokes");
    terminal.key(Key::Ctrl('d'));
    terminal.wait_text("No permissions are stored");
    let listed = Lathe::in_project(&project).args(["permissions", "list"]).run();
    assert!(listed.stdout.contains("no stored rules"), "{listed}");
    terminal.key(Key::Esc);
    terminal.wait_gone("Stored permissions");
    say(&terminal, "once more");
    hear(&terminal);
    assert!(!project.exists("third"));
    assert!(
        !server
            .requests()
            .iter()
            .any(|request| request.mentions("/permissions"))
    );
}

#[test]
fn the_leader_opens_the_list_which_is_filtered_by_typing() {
    let turn = Turn::new()
        .call("bash", json!({"command": "touch mark"}))
        .call("write", json!({"file_path": "new.txt", "content": "x"}));
    let server = Server::with([turn, Turn::text("Both.")]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "go");
    for scope in ["scope: this project", "scope: this session"] {
        hear(&terminal);
        terminal.keys("a");
        terminal.wait_text(scope);
        terminal.keys("1");
        terminal.key(Key::Enter);
        terminal.wait_gone(scope);
    }
    terminal.wait_text("ask · edits allowed");
    terminal.wait_text("Both.");
    terminal.key(Key::Ctrl('x'));
    terminal.keys("P");
    terminal.wait_text("bash: touch *");
    terminal.wait_text("❯ edit: *");
    terminal.wait_text("project ");
    terminal.key(Key::Down);
    terminal.wait_text("❯ bash: touch *");
    terminal.key(Key::Up);
    terminal.wait_text("❯ edit: *");
    terminal.key(Key::Down);
    terminal.wait_text("❯ bash: touch *");
    // A colon is in no name of a directory, so that only the key matches.
    terminal.keys("edit:");
    terminal.wait_gone("bash: touch");
    terminal.wait_text("❯ edit: *");
    terminal.key(Key::Esc);
    terminal.wait_text("bash: touch *");
    terminal.wait_quiet(super::DEAF);
    terminal.key(Key::Esc);
    terminal.wait_gone("Stored permissions");
}

#[test]
fn the_command_line_lists_where_a_rule_came_from_and_revokes_it() {
    let server = Server::with([bash("touch mark"), Turn::text("Ran.")]);
    let (project, terminal) = asked(&server);
    terminal.keys("as");
    terminal.wait_text("scope: everywhere");
    terminal.key(Key::Enter);
    terminal.wait_text("Ran.");
    let lathe = || Lathe::in_project(&project);
    let listed = lathe().args(["permissions"]).run().success().stdout;
    assert!(
        listed.contains("everywhere") && listed.contains("\"go\""),
        "{listed}"
    );
    let id = listed.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    lathe().args(["permissions", "revoke", id]).run().success();
    let listed = lathe().args(["permissions"]).run().success().stdout;
    assert!(listed.contains("no stored rules"), "{listed}");
}
