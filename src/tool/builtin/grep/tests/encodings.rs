//! Files in other encodings than UTF-8 are searched as the text that they are.

use super::*;

#[tokio::test]
async fn text_in_another_encoding_is_found_and_shown_as_it_is() {
    let project = Harness::new();
    project.write("a.txt", b"plain\r\nun caf\xe9 ferm\xe9\r\nplain\r\n");
    project.write("b.txt", "un café fermé\n");
    let utf16 = "\u{feff}one\nun café fermé\n".encode_utf16();
    project.write("c.txt", utf16.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let unmarked = "one\nun café fermé\n".encode_utf16();
    project.write("d.txt", unmarked.flat_map(u16::to_be_bytes).collect::<Vec<u8>>());
    project.write("e.bin", b"\x00\x01caf\xe9\xff\xfe");
    let found = grep(&project, json!({"pattern": "café ferm."})).await;
    assert_eq!(
        found,
        "Found 4 matches in 4 files\n\na.txt\n  2: un café fermé\n\nb.txt\n  1: un café fermé\n\nc.txt\n  2: un café \
         fermé\n\nd.txt\n  2: un café fermé"
    );
    let result = project
        .run("grep", json!({"pattern": "fermé", "path": "a.txt"}))
        .await;
    assert_eq!(
        result.details["items"],
        json!([{"path": "a.txt", "line": 2, "column": 9, "text": "un café fermé"}])
    );
    let plain = grep(&project, json!({"pattern": "^plain", "path": "a.txt"})).await;
    assert!(plain.starts_with("Found 2 matches in 1 file"), "{plain}");
}

#[tokio::test]
async fn context_and_multiline_work_on_the_decoded_text() {
    let project = Harness::new();
    project.write("a.txt", b"le d\xe9but\nmilieu\nla fin\xe9e\n");
    let found = grep(&project, json!({"pattern": "milieu", "context": 1})).await;
    assert!(found.contains("début") && found.contains("finée"), "{found}");
    let found = grep(&project, json!({"pattern": "début.milieu", "multiline": true})).await;
    assert!(found.starts_with("Found 1 match in 1 file"), "{found}");
}
