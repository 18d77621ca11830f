//! Pictures and PDFs in the composer: dropped, taken from the clipboard, sent, taken back, and there after a crash.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::screen::{interrupt, open, project, say};
use crate::support::{Gate, Key, LATHE, Server, Terminal, Turn, wait_until};

fn png() -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::DynamicImage::new_rgb8(3, 2);
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[test]
fn files_that_are_dropped_are_chips_and_the_model_sees_them() {
    let server = Server::with([Turn::text("A dot and a page.")]);
    let project = project(&server)
        .bytes("a shot.png", &png())
        .bytes("paper.pdf", b"%PDF-1.7\n")
        .bytes("broken.png", b"\x89PNG\r\n\x1a\n");
    let path = |name: &str| project.path(name).display().to_string();
    let terminal = open(&project);
    terminal.paste(&path("broken.png"));
    terminal.wait_text("is a broken image");
    terminal.key(Key::Ctrl('c'));
    terminal.wait_gone("┃ /");
    terminal.paste(&format!("'{}' '{}'", path("a shot.png"), path("paper.pdf")));
    terminal.wait_text("[image 1: a shot.png 3×2] [pdf 1: paper.pdf 9 bytes]");
    terminal.keys("what is this?");
    terminal.wait_text("what is this?");
    terminal.key(Key::Enter);
    let screen = terminal.wait_text("A dot and a page.");
    assert!(screen.contains("(PNG,"), "{screen}");
    let request = &server.requests()[0];
    let named = format!("[image 1: a shot.png 3×2] is {}:", path("a shot.png"));
    for words in [
        "image/png",
        "application/pdf",
        &named,
        "[pdf 1: paper.pdf 9 bytes] what is this?",
    ] {
        assert!(request.mentions(words), "{words} is missing");
    }
}

#[test]
fn the_picture_on_the_clipboard_is_taken_and_survives_a_crash() {
    let server = Server::with([Turn::text("A dot."), Turn::text("Still a dot.")]);
    let project = project(&server)
        .bytes("shot", &png())
        .file("bin/wl-paste", "#!/bin/sh\nexec cat \"${0%/bin/*}/shot\"\n");
    let program = project.path("bin/wl-paste");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("PATH={}:{path}", project.path("bin").display());
    let start = |more: &[&str]| {
        let arguments = [&[path.as_str(), "WAYLAND_DISPLAY=wayland-9", LATHE], more].concat();
        let terminal = Terminal::program("env", &project, 80, 24, &arguments);
        terminal.wait_text("send");
        terminal
    };
    let terminal = start(&[]);
    say(&terminal, "hello");
    terminal.wait_text("A dot.");
    terminal.key(Key::Ctrl('v'));
    terminal.wait_text("[image 1: pasted-");
    let drafts = || {
        let file = project.data_dir().join("lathe.db-wal");
        std::fs::read(file).is_ok_and(|bytes| bytes.windows(8).any(|piece| piece == b"/pasted-"))
    };
    wait_until("the draft to be on disk", drafts);
    terminal.signal(rustix::process::Signal::KILL);
    let terminal = start(&["-c"]);
    terminal.wait_text("[image 1: pasted-");
    terminal.keys("what is it?");
    terminal.wait_text("what is it?");
    terminal.key(Key::Enter);
    terminal.wait_text("Still a dot.");
    assert!(server.requests()[1].mentions("image/png"));
}

#[test]
fn without_a_clipboard_a_sentence_says_so() {
    let server = Server::start();
    let project = project(&server);
    let terminal = open(&project);
    terminal.key(Key::Ctrl('v'));
    terminal.wait_text("there is no desktop clipboard to read here");
}

#[test]
fn a_queued_picture_is_taken_back_and_sent() {
    let server = Server::with([
        Turn::text("Never whole.").gate(1, &Gate::new()),
        Turn::text("A dot."),
    ]);
    let project = project(&server).bytes("a.png", &png());
    let terminal = open(&project);
    say(&terminal, "hello");
    server.wait_for_requests(1);
    terminal.wait_text("steer");
    terminal.paste(&project.path("a.png").display().to_string());
    terminal.wait_text("┃ [image 1: a.png 3×2]");
    terminal.key(Key::AltEnter);
    terminal.wait_text("queue ┃ [image 1: a.png 3×2]");
    terminal.key(Key::Up);
    terminal.wait_text("❯ queue");
    terminal.key(Key::Enter);
    terminal.wait_gone("queue ┃");
    interrupt(&terminal);
    terminal.wait_text("⏎ send");
    terminal.keys("now?");
    terminal.wait_text("now?");
    terminal.key(Key::Enter);
    terminal.wait_text("A dot.");
    let requests = server.requests();
    assert!(requests.last().unwrap().mentions("image/png"));
}

#[test]
fn a_picture_for_a_model_without_image_support_is_refused_before_sending() {
    let server = Server::start();
    let project = project(&server).bytes("a.png", &png()).config(json!({
        "providers": {"local": {"models": {"test-model": {"images": false}}}},
    }));
    let terminal = open(&project);
    // The session is open, so it is known what the model takes.
    terminal.wait_text("⇥ agent");
    terminal.paste(&project.path("a.png").display().to_string());
    terminal.wait_text("does not accept images; ctrl+x m");
    terminal.key(Key::Enter);
    terminal.wait_text("not sent:");
    assert!(terminal.screen().contains("┃ [image 1: a.png 3×2]"));
    assert!(server.requests().is_empty());
}
