//! Pictures and PDFs that go with the draft.

use super::pictures::{conversation, picture};
use super::*;
use crate::conversation::FilePart;
use crate::session::Input;
use crate::tui::media::{Media, MediaKind};

fn shot(path: &str) -> Media {
    Media {
        path: path.to_owned(),
        kind: MediaKind::Image,
        pixels: Some((640, 480)),
        bytes: 120_400,
    }
}

fn paper(path: &str) -> Media {
    Media {
        path: path.to_owned(),
        kind: MediaKind::Pdf,
        pixels: None,
        bytes: 1_250_000,
    }
}

/// Has the session ask a model that takes pictures and PDFs.
fn seeing() -> Driver {
    let mut driver = conversation();
    driver.event(Event::Model("local/other".parse().unwrap()));
    driver
}

impl Driver {
    /// Pastes, and answers as the finder would.
    fn drop_files(&mut self, pasted: &str, media: Option<Result<Vec<Media>, String>>) {
        self.app.paste(pasted, self.now);
        self.collect();
        let asked = self.effects.iter().any(
            |effect| matches!(effect, Effect::Find(completion::Request::Inspect(asked)) if asked == pasted),
        );
        assert!(asked, "nobody looks at it");
        let pasted = pasted.to_owned();
        self.app
            .on_finder_answer(completion::FinderAnswer::Inspected { pasted, media }, self.now);
        self.collect();
    }

    fn submitted(&mut self) -> Input {
        let sent = self.sent();
        match sent.last() {
            Some(Op::Submit(input) | Op::Queue(input)) => input.clone(),
            _ => panic!("{sent:?}"),
        }
    }
}

/// Returns the files that a message needs: labels and paths.
fn labelled(input: &Input) -> Vec<(&str, &str)> {
    let named = |mention: &'_ crate::session::Mention| mention.is_sure && mention.label.is_some();
    let mentions = input.mentions.iter().filter(|mention| named(mention));
    mentions
        .map(|mention| (mention.label.as_deref().unwrap(), mention.path.as_str()))
        .collect()
}

#[test]
fn a_path_of_a_picture_that_is_pasted_becomes_a_chip() {
    let mut driver = seeing();
    driver.type_text("what is");
    driver.drop_files("'/tmp/my shot.png' ", Some(Ok(vec![shot("/tmp/my shot.png")])));
    let text = driver.text();
    assert!(
        text.contains("┃ what is [image 1: my shot.png 640×480]"),
        "{text}"
    );
    driver.type_text("for?");
    driver.press("enter");
    let input = driver.submitted();
    assert_eq!(input.text, "what is [image 1: my shot.png 640×480] for?");
    assert_eq!(
        labelled(&input),
        [("[image 1: my shot.png 640×480]", "/tmp/my shot.png")]
    );
}

#[test]
fn several_files_are_numbered_and_go_in_the_order_of_the_text() {
    let mut driver = seeing();
    let media = vec![shot("/tmp/a.png"), paper("/tmp/@b/c.pdf"), shot("/tmp/d.png")];
    driver.drop_files("/tmp/a.png /tmp/@b/c.pdf /tmp/d.png", Some(Ok(media)));
    driver.press("enter");
    let input = driver.submitted();
    let text = "[image 1: a.png 640×480] [pdf 1: c.pdf 1.2 MB] [image 2: d.png 640×480] ";
    assert_eq!(input.text, text);
    let paths: Vec<_> = input.mentions.iter().map(|mention| &*mention.path).collect();
    assert_eq!(paths, ["/tmp/a.png", "/tmp/@b/c.pdf", "/tmp/d.png"]);
}

#[test]
fn keys_behind_a_paste_wait_until_it_is_known_what_it_is() {
    let mut driver = seeing();
    driver.app.paste("/tmp/a.png", driver.now);
    driver.type_text("now");
    driver.press("enter");
    assert!(driver.app.views.front.composer.is_empty());
    let pasted = "/tmp/a.png".to_owned();
    let media = Some(Ok(vec![shot("/tmp/a.png")]));
    driver
        .app
        .on_finder_answer(completion::FinderAnswer::Inspected { pasted, media }, driver.now);
    driver.collect();
    assert_eq!(driver.submitted().text, "[image 1: a.png 640×480] now");
}

#[test]
fn a_path_that_leads_nowhere_or_is_looked_at_too_long_is_text() {
    let mut driver = seeing();
    driver.drop_files("/tmp/a.png", None);
    assert_eq!(driver.app.views.front.composer.text(), "/tmp/a.png");
    driver.press("ctrl+c");
    driver.app.paste("/tmp/b.png", driver.now);
    driver.type_text("!");
    driver.wait(501);
    assert_eq!(driver.app.views.front.composer.text(), "/tmp/b.png!");
    let pasted = "/tmp/b.png".to_owned();
    let media = Some(Ok(vec![shot("/tmp/b.png")]));
    driver
        .app
        .on_finder_answer(completion::FinderAnswer::Inspected { pasted, media }, driver.now);
    assert_eq!(driver.app.views.front.composer.text(), "/tmp/b.png!", "too late");
}

#[test]
fn a_file_that_cannot_go_stays_as_text_with_a_sentence() {
    let mut driver = seeing();
    let why = "`a.png` is a broken picture: unexpected end of file".to_owned();
    driver.drop_files("/tmp/a.png", Some(Err(why)));
    assert_eq!(driver.app.views.front.composer.text(), "/tmp/a.png");
    assert!(
        driver.hints().contains("is a broken picture"),
        "{}",
        driver.hints()
    );
}

#[test]
fn one_key_takes_a_chip_out_and_undo_makes_a_path_of_it() {
    let mut driver = seeing();
    driver.drop_files("/tmp/a.png", Some(Ok(vec![shot("/tmp/a.png")])));
    driver.press("ctrl+h ctrl+h");
    assert!(
        driver.app.views.front.composer.is_empty(),
        "{}",
        driver.app.views.front.composer.text()
    );
    driver.press("ctrl+_ ctrl+_");
    assert_eq!(driver.app.views.front.composer.draft().files().len(), 1);
    driver.press("ctrl+_ ctrl+_");
    assert_eq!(driver.app.views.front.composer.text(), "/tmp/a.png");
    driver.press("enter");
    assert_eq!(driver.submitted().mentions, []);
}

#[test]
fn enter_on_a_chip_says_what_it_is() {
    let mut driver = seeing();
    driver.drop_files("/home/u/a.png", Some(Ok(vec![shot("/home/u/a.png")])));
    driver.press("left left");
    assert!(driver.hints().contains("⏎ details"), "{}", driver.hints());
    driver.press("enter");
    assert!(driver.sent().is_empty());
    assert!(driver.hints().contains("is ~/a.png"), "{}", driver.hints());
}

#[test]
fn a_picture_for_a_model_without_image_support_is_not_sent_and_the_draft_stays() {
    let mut driver = conversation();
    driver.drop_files("/tmp/a.png", Some(Ok(vec![shot("/tmp/a.png")])));
    assert!(
        driver.hints().contains("does not accept images"),
        "{}",
        driver.hints()
    );
    driver.press("enter");
    assert!(driver.sent().is_empty());
    assert!(
        driver
            .hints()
            .contains("not sent: local/test-model does not accept images"),
        "{}",
        driver.hints()
    );
    driver.event(Event::Model("local/other".parse().unwrap()));
    driver.press("enter");
    assert_eq!(labelled(&driver.submitted()).len(), 1);
}

#[test]
fn a_shell_command_takes_no_files() {
    let mut driver = seeing();
    driver.type_text("!ls");
    driver.drop_files("/tmp/a.png", Some(Ok(vec![shot("/tmp/a.png")])));
    driver.press("enter");
    assert!(driver.sent().is_empty());
    assert!(
        driver.hints().contains("takes no attached files"),
        "{}",
        driver.hints()
    );
}

#[test]
fn the_key_for_it_takes_the_picture_on_the_clipboard() {
    let mut driver = seeing();
    for ask in ["key", "empty paste"] {
        match ask {
            "key" => drop(driver.press("ctrl+v")),
            _ => drop(driver.app.paste("", driver.now)),
        }
        driver.collect();
        let effects = std::mem::take(&mut driver.effects);
        assert!(matches!(effects.last(), Some(Effect::PastePicture)), "{ask}");
    }
    driver
        .app
        .picture_taken(SlotId::FIRST, Ok(shot("/s/pasted-x1.png")), driver.now);
    let text = driver.text();
    assert!(text.contains("┃ [image 1: pasted-x1.png 640×480]"), "{text}");
    let none = "there is no image on the clipboard; paste the path of a file instead".to_owned();
    driver.app.picture_taken(SlotId::FIRST, Err(none), driver.now);
    let hints = driver.hints();
    assert!(hints.contains("no image on the clipboard"), "{hints}");
}

#[test]
fn what_comes_back_brings_its_files() {
    let mut driver = seeing();
    driver.drop_files("/tmp/a.png", Some(Ok(vec![shot("/tmp/a.png")])));
    driver.press("alt+enter");
    let mut input = driver.submitted();
    // The session has read it meanwhile.
    let label = input.mentions[0].label.clone();
    input.mentions.clear();
    input.files.push(FilePart {
        path: "/tmp/other/a.png".to_owned(),
        mime: "image/png".to_owned(),
        data: "AA==".to_owned(),
        label,
    });
    driver.event(Event::TurnStarted);
    driver.event(Event::Queue(vec![queued(7, &input.text, QueuedKind::Queue)]));
    driver.type_text("begun ");
    driver.drop_files("/tmp/b.png", Some(Ok(vec![shot("/tmp/b.png")])));
    driver.press("up enter");
    driver.event(Event::Queue(Vec::new()));
    driver.event(Event::Unqueued {
        id: 7,
        input: Some(Arc::new(input)),
    });
    driver.press("enter");
    let input = driver.submitted();
    assert_eq!(
        labelled(&input),
        [
            ("[image 1: a.png 640×480]", "/tmp/other/a.png"),
            ("[image 2: b.png 640×480]", "/tmp/b.png"),
        ],
        "{}",
        input.text
    );
}

#[test]
fn a_message_that_went_back_is_sent_again_with_its_pictures() {
    let mut driver = seeing();
    driver.drop_files("/tmp/a.png", Some(Ok(vec![shot("/tmp/a.png")])));
    driver.type_text("and @src/gone.rs");
    driver.press("esc enter");
    let mut input = driver.submitted();
    assert_eq!(input.mentions.len(), 2);
    input.without = vec!["src/gone.rs".to_owned()];
    driver.event(Event::Unread {
        input: Arc::new(input),
        report: ErrorReport {
            kind: ReportKind::BadRequest,
            message: "`src/gone.rs` does not exist".to_owned(),
            hint: None,
        },
        why: String::new(),
    });
    driver.press("enter");
    let input = driver.submitted();
    assert_eq!(labelled(&input).len(), 1, "what is attached is never left out");
    assert_eq!(input.without, ["src/gone.rs"]);
}

#[test]
fn drafts_and_messages_of_before_a_restart_have_their_files() {
    let mut driver = seeing();
    driver.drop_files("/tmp/a.png", Some(Ok(vec![shot("/tmp/a.png")])));
    driver.wait(251);
    let sent = driver.sent();
    let [Op::Draft(draft)] = sent.as_slice() else {
        panic!("{sent:?}")
    };
    let label = "[image 1: b.png 640×480]";
    let mut message = Message::clone(&message(Role::User, label));
    let file = FilePart {
        path: "/tmp/b.png".to_owned(),
        mime: "image/png".to_owned(),
        data: "AAAA".repeat(40_000),
        label: Some(label.to_owned()),
    };
    let body = PartBody::File(file);
    message.parts.insert(0, Part { seq: 0, body });
    let mut driver = Driver::closed();
    let snapshot = Snapshot {
        draft: draft.clone(),
        messages: vec![Arc::new(message)],
        ..driver.snapshot()
    };
    driver.attach(&snapshot);
    let text = driver.text();
    assert!(text.contains("@/tmp/b.png (PNG, 120.0 kB)"), "{text}");
    let files = |driver: &Driver| driver.app.views.front.composer.draft().files();
    assert_eq!(files(&driver)[0].path, "/tmp/a.png");
    driver.press("up");
    assert_eq!(files(&driver)[0].path, "/tmp/b.png");
}

#[test]
fn attached_files_in_pictures() {
    for size in [(80, 24), (120, 36), (40, 12)] {
        let mut driver = seeing();
        driver.size = size;
        driver.frame();
        driver.type_text("why does the panel jump here?");
        let media = vec![shot("/home/u/Pictures/Screenshot from 2026-11-22 06-31-02.png")];
        driver.drop_files("/home/u/a.png", Some(Ok(media)));
        driver.drop_files("/home/u/b.pdf", Some(Ok(vec![paper("/home/u/spec.pdf")])));
        driver.press("left left");
        picture(&mut driver, "attached", size);
    }
}
