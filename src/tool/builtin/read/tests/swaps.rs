//! Links that are put in the way of what was judged.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::super::text::{Prefix, TextView};
use super::super::{Media, directory, identify, media, text};
use super::*;
use crate::files::Resolved;
use crate::tool::ToolError;
use crate::tool::file_encoding::KnownEncoding;

/// Shows what is at a path in every way; each gives the text that it shows.
fn ways(path: &Resolved) -> Vec<Result<String, ToolError>> {
    let window = || Window::new(None, None);
    let view = TextView {
        window: window(),
        prefix: Prefix::Number,
        encoding: KnownEncoding::Unknown,
    };
    let show = |kind| media::read(path, kind).map(|output| output.text);
    vec![
        text::read(path, &view, &CancellationToken::new()).map(|output| output.text),
        directory::read(path, window()).map(|output| output.text),
        show(Media::Png),
        show(Media::Pdf),
        identify::identify(path, None).map(|what| format!("{what:?}")),
    ]
}

#[test]
fn a_link_that_takes_the_place_of_what_was_judged_is_not_followed() {
    for (path, swapped, target) in [
        ("shown/a", "shown/a", ".env"),
        ("shown/utf16", "shown/utf16", "secret/utf16"),
        ("shown/picture", "shown/picture", "secret/picture"),
        ("shown/a", "shown", "secret"),
        ("shown/utf16", "shown", "secret"),
        ("shown/picture", "shown", "secret"),
    ] {
        let project = Harness::new();
        for (place, text) in [("shown", "open"), ("secret", "SECRET")] {
            let utf16: Vec<u8> = [0xfeff]
                .into_iter()
                .chain(text.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect();
            project.write(format!("{place}/a"), text);
            project.write(format!("{place}/utf16"), utf16);
            project.write(format!("{place}/picture"), picture(2, 2, image::ImageFormat::Png));
        }
        project.write(".env", "SECRET");
        let judged = project.services.roots.resolve(path).unwrap();
        assert!(ways(&judged).iter().any(Result::is_ok), "{path}");
        fs::rename(project.path(swapped), project.path("aside")).unwrap();
        symlink(project.path(target), project.path(swapped)).unwrap();
        for shown in ways(&judged) {
            let error = shown.expect_err(path);
            assert_eq!(error.kind, ErrorKind::Stale, "{path}: {error:?}");
        }
    }
}

#[test]
fn a_link_that_takes_the_place_of_a_directory_is_not_listed() {
    let project = Harness::new();
    project.write("shown/a", "");
    project.write("secret/hidden", "");
    let judged = project.services.roots.resolve("shown").unwrap();
    let window = || Window::new(None, None);
    let shown = directory::read(&judged, window()).unwrap();
    assert!(shown.text.contains("\na\n"), "{}", shown.text);
    fs::rename(project.path("shown"), project.path("aside")).unwrap();
    symlink("secret", project.path("shown")).unwrap();
    let error = directory::read(&judged, window()).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Stale, "{error:?}");
}

/// Exchanges two names until it is dropped.
#[cfg(target_os = "linux")]
struct Flipping {
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

#[cfg(target_os = "linux")]
impl Flipping {
    fn start(one: &Path, other: &Path) -> Self {
        use std::sync::atomic::{AtomicBool, Ordering};

        use rustix::fs::{CWD, RenameFlags, renameat_with};
        let stop = std::sync::Arc::new(AtomicBool::new(false));
        let (one, other) = (one.to_owned(), other.to_owned());
        let stopped = std::sync::Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let thread = Some(thread);
        Self { stop, thread }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Flipping {
    fn drop(&mut self) {
        self.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_that_turns_into_a_link_and_back_never_shows_the_target() {
    let project = Harness::new();
    project.write("f", "open\n");
    project.write(".env", "SECRET\n");
    symlink(".env", project.path("link")).unwrap();
    let _flipping = Flipping::start(&project.path("f"), &project.path("link"));
    for _ in 0..300 {
        project.new_turn();
        for (tool, args) in [
            ("read", json!({"file_path": "f"})),
            ("grep", json!({"pattern": "SECRE.", "path": "f"})),
        ] {
            let result = project.run(tool, args).await;
            assert!(!result.output.contains("SECRET"), "{tool}: {}", result.output);
        }
    }
}
