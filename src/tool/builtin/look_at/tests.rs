mod looker;

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use image::{DynamicImage, ImageFormat};
use serde_json::{Value, json};

use super::*;
use crate::conversation::{CallResult, FilePart};
use crate::permission::PermissionReply;
use crate::tool::harness::Harness;
use crate::tool::{Delegation, Update};
use crate::view::card::{CardPart, plain};
use looker::Looker;

/// A project with files of every kind, and who looks at them.
fn project_with(looker: Looker) -> (Harness, Arc<Looker>) {
    over(Harness::new(), looker)
}

fn over(project: Harness, looker: Looker) -> (Harness, Arc<Looker>) {
    project.write("shot.png", picture(ImageFormat::Png));
    project.write("old.bmp", picture(ImageFormat::Bmp));
    project.write("notes.md", "# Notes\r\nmore\r\n");
    project.write("logo.svg", "<svg/>");
    project.write("paper.pdf", "%PDF-1.4\nnothing");
    let looker = Arc::new(looker);
    let delegation: Arc<dyn Delegation> = Arc::clone(&looker) as Arc<dyn Delegation>;
    assert!(project.services.tree.delegation.set(delegation).is_ok());
    (project, looker)
}

fn picture(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(30, 20)
        .write_to(&mut bytes, format)
        .unwrap();
    bytes.into_inner()
}

fn seen(looker: &Looker) -> Vec<FilePart> {
    let started = looker.started.lock().unwrap();
    started
        .iter()
        .flat_map(|order| order.order.files.clone())
        .collect()
}

fn mimes(looker: &Looker) -> Vec<String> {
    seen(looker).into_iter().map(|part| part.mime).collect()
}

async fn look_at(project: &Harness, args: Value) -> CallResult {
    let result = project.run("look_at", args).await;
    assert!(result.ok, "{}", result.output);
    result
}

#[tokio::test]
async fn a_picture_goes_to_the_looker_with_the_goal_and_the_answer_comes_back_alone() {
    let (project, looker) = project_with(Looker::with(true, false));
    let args = json!({"path": "shot.png", "question": "What colour?"});
    let result = look_at(&project, args.clone()).await;
    assert_eq!(result.output, "A red square.\nNothing else.");
    let order = looker.started.lock().unwrap()[0].clone();
    assert_eq!(
        (order.order.tool, &*order.agent),
        ("look_at", "multimodal-looker")
    );
    assert_eq!(order.order.description, "look at shot.png");
    let label = "[image 1: shot.png 30×20]";
    assert_eq!(
        order.order.prompt,
        format!("What colour?\n\nThe files, in their order: {label}")
    );
    let part = FilePart {
        path: "shot.png".to_owned(),
        mime: "image/png".to_owned(),
        data: STANDARD.encode(picture(ImageFormat::Png)),
        label: Some(label.to_owned()),
    };
    assert_eq!(order.order.files, [part]);
    let details: Details = result.details.read().unwrap();
    assert_eq!(details.files, ["shot.png"]);
    assert_eq!(
        (details.model.clone(), details.usage.input),
        ("local/eyes".to_owned(), 7)
    );
    let card = project.draw_result("look_at", &args, &result, false);
    assert_eq!(card.session, Some(details.task_id.session()));
    assert_eq!(
        (&*card.title, &*card.argument),
        ("Look at", "shot.png: What colour?")
    );
    assert_eq!(
        card.body,
        [CardPart::Markdown("A red square.\nNothing else.".to_owned())]
    );
    assert_eq!(project.asked(), []);
}

#[tokio::test]
async fn each_kind_of_file_goes_in_the_form_that_models_take() {
    let (project, looker) = project_with(Looker::with(true, true));
    let paths = json!(["shot.png", "old.bmp", "notes.md", "logo.svg", "paper.pdf"]);
    let args = json!({"file_paths": paths});
    let result = look_at(&project, args.clone()).await;
    let wanted = [
        "image/png",
        "image/png",
        "text/plain",
        "text/plain",
        "application/pdf",
    ];
    assert_eq!(mimes(&looker), wanted);
    let parts = seen(&looker);
    assert_eq!((&*parts[2].data, &*parts[3].data), ("# Notes\nmore\n", "<svg/>"));
    assert_eq!(parts[4].data, STANDARD.encode("%PDF-1.4\nnothing"));
    let prompt = looker.started.lock().unwrap()[0].order.prompt.clone();
    let listed = "[image 1: shot.png 30×20]; [image 2: old.bmp 30×20]; notes.md; logo.svg; paper.pdf";
    assert_eq!(
        prompt,
        format!("Describe everything relevant.\n\nThe files, in their order: {listed}")
    );
    let card = project.draw_result("look_at", &args, &result, false);
    assert_eq!(card.argument, "5 files");
}

#[tokio::test]
async fn images_are_given_as_base64_and_as_data_urls() {
    let (project, looker) = project_with(Looker::with(true, false));
    let bytes = picture(ImageFormat::Jpeg);
    let (padded, bare) = (STANDARD.encode(&bytes), STANDARD_NO_PAD.encode(&bytes));
    let broken_up = format!("{}\n {}", &padded[..40], &padded[40..]);
    let url = format!("DATA:image/whatever;base64,{bare}");
    let args = json!({"image_data": [padded, broken_up, url], "goal": "which?"});
    look_at(&project, args.clone()).await;
    let parts = seen(&looker);
    assert_eq!(mimes(&looker), ["image/jpeg"; 3]);
    assert!(parts.iter().all(|part| part.data == padded));
    assert_eq!(parts[1].path, "image_data 2");
    let text = plain(&project.draw_call("look_at", &args.to_string()));
    assert_eq!(text.trim_end(), "Look at image_data: which?");
}

#[tokio::test]
async fn what_cannot_be_looked_at_is_refused_before_anything_is_sent() {
    let (project, looker) = project_with(Looker::with(true, true));
    project.write("a.rs", "fn main() {}\n");
    project.write("a.zip", b"PK\x03\x04".as_slice());
    project.write("page.png", "<html>");
    project.write("null.txt", b"a\0b".as_slice());
    project.write("broken.png", &picture(ImageFormat::Png)[..20]);
    // By its size alone, before it is read.
    let large = std::fs::File::create(project.path("large.txt")).unwrap();
    large.set_len(20_000_001).unwrap();
    project.write("large.csv", "x".repeat(10_000_001));
    let not_base64 = "data:image/png,abc";
    for (args, kind, said) in [
        (json!({}), ErrorKind::InvalidArgs, "`file_path` or `image_data`"),
        (
            json!({"file_path": [], "goal": "x"}),
            ErrorKind::InvalidArgs,
            "`file_path` or `image_data`",
        ),
        (
            json!({"file_path": "HTTPS://x.org/a.png"}),
            ErrorKind::InvalidArgs,
            "is a URL",
        ),
        (
            json!({"file_path": ["shot.png", "http://x"]}),
            ErrorKind::InvalidArgs,
            "Fetch it into a file first",
        ),
        (
            json!({"image_data": "https://x.org/a.png"}),
            ErrorKind::InvalidArgs,
            "is a URL",
        ),
        (
            json!({"image_data": "@@@"}),
            ErrorKind::InvalidArgs,
            "it is no base64",
        ),
        (
            json!({"image_data": not_base64}),
            ErrorKind::InvalidArgs,
            "is not base64",
        ),
        (
            json!({"image_data": STANDARD.encode("text")}),
            ErrorKind::Binary,
            "`image_data`",
        ),
        (
            json!({"file_path": "gone.png"}),
            ErrorKind::NotFound,
            "`gone.png` does not exist",
        ),
        (
            json!({"file_path": "."}),
            ErrorKind::IsDirectory,
            "is a directory",
        ),
        (
            json!({"file_path": "a.rs"}),
            ErrorKind::Binary,
            "look_at takes png",
        ),
        (json!({"file_path": "a.zip"}), ErrorKind::Binary, "`a.zip`"),
        (
            json!({"file_path": "page.png"}),
            ErrorKind::Binary,
            "by what is in the file",
        ),
        (json!({"file_path": "null.txt"}), ErrorKind::Binary, "`null.txt`"),
        (
            json!({"file_path": "broken.png"}),
            ErrorKind::Parse,
            "is no picture",
        ),
        (json!({"file_path": "large.txt"}), ErrorKind::TooLarge, "20 MB"),
        (
            json!({"file_path": ["shot.png", "large.csv", "large.csv"]}),
            ErrorKind::TooLarge,
            "20 MB",
        ),
    ] {
        let (found, text) = project.error("look_at", args.clone()).await;
        assert_eq!(found, kind, "{args}: {text}");
        assert!(text.contains(said), "{args}: {text}");
    }
    assert_eq!(seen(&looker), []);
}

#[tokio::test]
async fn a_model_that_takes_no_images_is_refused_with_the_setting_that_changes_it() {
    let (project, looker) = project_with(Looker::with(false, false));
    for args in [
        json!({"file_path": ["notes.md", "shot.png"]}),
        json!({"file_path": "old.bmp"}),
    ] {
        let (kind, text) = project.error("look_at", args).await;
        assert_eq!(kind, ErrorKind::Unavailable);
        let said =
            "cannot be looked at: `local/eyes`, the model of agent `multimodal-looker`, takes no images";
        assert!(text.contains(said), "{text}");
        assert!(text.contains("`agents.multimodal-looker.model`"), "{text}");
        assert!(
            text.contains("`providers.local.models.eyes.images: true`"),
            "{text}"
        );
    }
    assert_eq!(seen(&looker), []);
    look_at(&project, json!({"file_path": "notes.md"})).await;
    assert_eq!(mimes(&looker), ["text/plain"]);
}

#[tokio::test]
async fn text_is_cut_to_what_the_model_has_room_for() {
    let (project, looker) = project_with(Looker::with(false, false));
    project.write("long.txt", "é".repeat(5000));
    look_at(&project, json!({"file_path": "long.txt"})).await;
    assert_eq!(seen(&looker)[0].data.len(), 8000);
    let prompt = looker.started.lock().unwrap()[0].order.prompt.clone();
    assert!(
        prompt.ends_with("long.txt (cut: the first 8000 of 10000 bytes)"),
        "{prompt}"
    );
    project.write("longer.txt", "x".repeat(9000));
    let (kind, text) = project
        .error("look_at", json!({"file_path": ["long.txt", "longer.txt"]}))
        .await;
    assert_eq!(kind, ErrorKind::TooLarge);
    assert!(text.contains("`longer.txt` does not fit"), "{text}");
}

#[tokio::test]
async fn files_are_asked_about_as_read_asks_about_them() {
    let rules = json!({"read": {"*.png": "ask"}, "look_at": {"notes.md": "deny"}});
    let (project, looker) = over(Harness::with_rules(rules), Looker::with(true, false));
    let read = |path: &str| ("read".to_owned(), path.to_owned());
    for path in ["shot.png", "gone.png"] {
        let (kind, _) = project.error("look_at", json!({"file_path": path})).await;
        assert_eq!(kind, ErrorKind::Denied);
        assert_eq!(project.asked(), [read(path)]);
    }
    let (kind, _) = project.error("look_at", json!({"file_path": "notes.md"})).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert_eq!(seen(&looker), []);

    let (project, looker) = over(
        Harness::with_rules(json!({"look_at": "deny"})),
        Looker::with(true, false),
    );
    let data = STANDARD.encode(picture(ImageFormat::Png));
    let (kind, _) = project.error("look_at", json!({"image_data": data})).await;
    assert_eq!(kind, ErrorKind::Denied);
    assert_eq!(seen(&looker), []);

    let (project, looker) = project_with(Looker::with(true, false));
    let project = project.answering(PermissionReply::Once);
    let outside = project.path("../outside/shot.png");
    std::fs::write(&outside, picture(ImageFormat::Png)).unwrap();
    std::os::unix::fs::symlink(&outside, project.path("link.png")).unwrap();
    look_at(&project, json!({"file_path": "link.png"})).await;
    let asked = project.asked();
    assert!(
        asked.iter().any(|(key, _)| key == "external_directory"),
        "{asked:?}"
    );
    assert_eq!(mimes(&looker), ["image/png"]);
}

#[tokio::test]
async fn a_looker_that_fails_fails_the_call() {
    let failing = Looker {
        status: TaskStatus::Failed,
        ..Looker::with(true, false)
    };
    let (project, _) = project_with(failing);
    let result = project.run("look_at", json!({"file_path": "shot.png"})).await;
    assert_eq!(result.error_kind(), Some(ErrorKind::Unavailable));
    assert!(result.output.contains("the model said no"), "{}", result.output);
    assert!(result.output.contains("A red square."), "{}", result.output);
    assert!(result.details["error"]["task_id"].is_string());
    let silent = Looker {
        answer: " \n",
        ..Looker::with(true, false)
    };
    let (project, _) = project_with(silent);
    let result = look_at(&project, json!({"file_path": "shot.png"})).await;
    assert_eq!(result.output, "(the agent ended without an answer)");
}

#[tokio::test]
async fn a_call_that_is_stopped_stops_the_looker() {
    let running = || Looker {
        status: TaskStatus::Running,
        ..Looker::with(true, false)
    };
    let (project, looker) = project_with(running());
    let call = project.run("look_at", json!({"file_path": "shot.png"}));
    let stop = async {
        while looker.started.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        project.cancel.cancel();
    };
    let (result, ()) = tokio::join!(call, stop);
    assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled));
    assert_eq!(looker.stopped.lock().unwrap().len(), 1);
    let shown = project.updates().into_iter().any(|update| match update {
        Update::Call(update) => update
            .details
            .is_some_and(|details| details["files"] == json!(["shot.png"])),
        Update::Session(_) => false,
    });
    assert!(shown, "the card shows who looks");

    let late = within(
        Duration::from_millis(1),
        std::future::pending::<Result<(), ToolError>>(),
    );
    let error = late.await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert_eq!(LONGEST.as_secs(), 120);

    let sent = Looker {
        is_background: true,
        ..running()
    };
    let (project, looker) = project_with(sent);
    let result = look_at(&project, json!({"file_path": "shot.png"})).await;
    assert!(
        result
            .output
            .contains("status: running\nIt works in the background."),
        "{}",
        result.output
    );
    assert!(looker.stopped.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_single_call_has_nobody_to_look() {
    let project = Harness::new();
    project.write("notes.md", "x");
    let (kind, text) = project.error("look_at", json!({"file_path": "notes.md"})).await;
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(text.contains("`lathe run`"), "{text}");
    assert!(Path::new(&project.path("notes.md")).exists());
}
