//! Pictures and PDFs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::*;

#[tokio::test]
async fn pictures_are_attached_as_they_are() {
    use image::ImageFormat::{Gif, Jpeg, Png, WebP};
    let project = Harness::new();
    for (name, format, mime) in [
        ("a.png", Png, "image/png"),
        ("b.jpg", Jpeg, "image/jpeg"),
        ("c.gif", Gif, "image/gif"),
        ("d.webp", WebP, "image/webp"),
        ("no-extension", Png, "image/png"),
        ("odd.txt", Png, "image/png"),
        ("odd.bin", Png, "image/png"),
    ] {
        let bytes = picture(64, 48, format);
        project.write(name, &bytes);
        let result = project.run("read", json!({"file_path": name})).await;
        assert_eq!(result.output, format!("Image read: {name}, 64x48"));
        assert_eq!(result.details["kind"], "image");
        assert_eq!(result.attachments[0].mime, mime);
        assert_eq!(STANDARD.decode(&result.attachments[0].data).unwrap(), bytes);
    }
}

#[tokio::test]
async fn large_pictures_are_scaled() {
    let project = Harness::new();
    project.write("wide.png", picture(3000, 300, image::ImageFormat::Png));
    let result = project.run("read", json!({"file_path": "wide.png"})).await;
    assert_eq!(result.output, "Image read: wide.png, 3000x300");
    let bytes = STANDARD.decode(&result.attachments[0].data).unwrap();
    let scaled = image::load_from_memory(&bytes).unwrap();
    assert_eq!((scaled.width(), scaled.height()), (2000, 200));
    let mut seed = 1_u32;
    let noise = image::RgbImage::from_fn(1500, 1500, |_, _| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        image::Rgb([(seed >> 8) as u8, (seed >> 16) as u8, (seed >> 24) as u8])
    });
    let mut heavy = Cursor::new(Vec::new());
    noise.write_to(&mut heavy, image::ImageFormat::Png).unwrap();
    assert!(heavy.get_ref().len() > 5 * 1024 * 1024);
    project.write("heavy.png", heavy.into_inner());
    let result = project.run("read", json!({"file_path": "heavy.png"})).await;
    let bytes = STANDARD.decode(&result.attachments[0].data).unwrap();
    assert!(bytes.len() <= 5 * 1024 * 1024);
    assert_eq!(result.attachments[0].mime, "image/jpeg");
}

#[tokio::test]
async fn what_only_has_a_pictures_name_is_shown_as_what_it_is() {
    let project = Harness::new();
    project.write("pointer.png", "version https://git-lfs.github.com/spec/v1\n");
    assert!(
        read(&project, json!({"file_path": "pointer.png"}))
            .await
            .contains("1: version")
    );
    project.write("broken.png", b"\x89PNG\r\n\x1a\nbroken");
    let (kind, _) = project.error("read", json!({"file_path": "broken.png"})).await;
    assert_eq!(kind, ErrorKind::Parse);
}

#[tokio::test]
async fn pdfs_are_attached_with_their_pages_counted() {
    let project = Harness::new();
    let pdf = b"%PDF-1.4\n1 0 obj<</Type /Pages /Count 2>>\n2 0 obj<</Type/Page>>\n3 0 obj<</Type /Page >>\n";
    project.write("a.pdf", pdf);
    let result = project.run("read", json!({"file_path": "a.pdf"})).await;
    assert_eq!(result.output, "PDF read: a.pdf, 2 pages");
    assert_eq!(result.attachments[0].mime, "application/pdf");
    assert_eq!(result.details["kind"], "pdf");
    project.write("b.pdf", b"junk first\n%PDF-1.7\npacked");
    assert_eq!(
        read(&project, json!({"file_path": "b.pdf"})).await,
        "PDF read: b.pdf"
    );
}

#[tokio::test]
async fn a_model_without_the_ability_is_pointed_to_look_at_unless_that_is_switched_off() {
    for is_on in [true, false] {
        let mut project = Harness::with_settings(|settings| {
            settings.switches.insert("look_at".to_owned(), is_on);
        });
        project.abilities = crate::tool::Abilities::default();
        project.write("a.png", picture(2, 2, image::ImageFormat::Png));
        project.write("a.pdf", "%PDF-1.4\n");
        for path in ["a.png", "a.pdf"] {
            let result = project.run("read", json!({"file_path": path})).await;
            assert_eq!(result.error_kind(), Some(ErrorKind::Unavailable));
            assert_eq!(result.output.contains("Use look_at"), is_on, "{}", result.output);
        }
    }
}
