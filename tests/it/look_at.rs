//! `look_at` through `lathe run`: who looks, what they get, and what is refused before anybody is asked.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::run::{events_of, of_kind, text_of};
use crate::support::{Finished, Lathe, Project, Protocol, Recorded, Server, Turn};

#[path = "../../src/pdf/sample.rs"]
mod sample;
use sample::{Pages, pdf};

/// A text that stands in the requests of the looker alone.
const LOOKER: &str = "You are agent `multimodal-looker`";
/// A PNG of one pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// Two gigabytes of blanks, packed three times.
const BOMB: &str = "eNqruPX2jrbfnESJtoeKPgIcfE0KBhFlAc5GEiZMJomMS7bxcRy83uP6oGCG3gK+zscLIhi4Gpt8Tus83r/eu/bXVP99\
    d/bH3fsX1/PP+v68urc59/T6GRgYGhqt6/fFxPyoyzkv952/DySy0DoyVvK8e+P5x2ttn4MEDu6+9Xej2X/FD3VlVmV8QBGJPb3910/WcO+Y/z\
    fSvoQfLKJ+EEgxeAjygHSIgTkZEI4EMmdUZlRmVGZUZlRmVGZUZlRmVGZUZlRmVGaQyMys2/Pv3zwmNf7Nx5fOX7xt98WvZ0/9sn+3bP1BAKQ7\
    K5U=";

fn png() -> Vec<u8> {
    STANDARD.decode(PNG).unwrap()
}

fn project(server: &Server, protocol: Protocol) -> Project {
    Project::new().model(server, protocol).bytes("shot.png", &png())
}

/// Has the model look at something; the looker answers with this.
fn looked(server: &Server, args: &Value, answer: &str) {
    server.script([Turn::tool("look_at", args.clone()), Turn::text("Done.")]);
    server.script_for(LOOKER, [Turn::text(answer)]);
}

fn run(project: &Project) -> Finished {
    events_of(project).arg("go").run().success()
}

/// The result of the only call of the conversation.
fn result(finished: &Finished) -> Value {
    let mut results = of_kind(finished, "tool_result");
    results.retain(|result| result["tool"] == "look_at");
    assert_eq!(results.len(), 1, "{finished}");
    results.remove(0)
}

fn kind(finished: &Finished) -> Value {
    result(finished)["details"]["error"]["kind"].clone()
}

/// The requests of the looker.
fn asked(server: &Server) -> Vec<Recorded> {
    let mut requests = server.requests();
    requests.retain(|request| request.mentions(LOOKER));
    requests
}

#[test]
fn a_picture_goes_to_the_looker_with_the_goal_and_only_the_answer_comes_back() {
    for protocol in [Protocol::OpenAiChat, Protocol::Anthropic] {
        let server = Server::start();
        looked(
            &server,
            &json!({"file_path": "shot.png", "goal": "What colour is it?"}),
            "It is red.",
        );
        let project = project(&server, protocol);
        let finished = run(&project);
        let result = result(&finished);
        assert_eq!(result["output"], "It is red.", "{finished}");
        assert_eq!(result["details"]["files"], json!(["shot.png"]));
        assert_eq!(result["details"]["model"], "local/test-model");
        assert!(result["details"]["task_id"].as_str().unwrap().starts_with("tsk_"));
        assert!(text_of(&finished).ends_with("Done."));
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{finished}");
        assert!(requests[1].mentions(LOOKER) && requests[1].mentions("What colour is it?"));
        assert!(requests[1].mentions("[image 1: shot.png 1×1]"));
        assert!(requests[1].mentions(PNG), "the picture itself");
        assert!(!requests[2].mentions(PNG), "the picture stays with the looker");
        for name in ["bash", "edit", "write", "task", "look_at"] {
            assert!(!requests[1].tool_names().contains(&name.to_owned()), "{name}");
        }
    }
}

#[test]
fn a_pdf_goes_as_it_is_to_a_model_that_takes_it_and_as_its_text_to_one_that_does_not() {
    let bytes = pdf(&Pages::of(&["Hello world", "Second (page)"]));
    let encoded = STANDARD.encode(&bytes);
    for (protocol, is_whole) in [(Protocol::OpenAiChat, false), (Protocol::Anthropic, true)] {
        let server = Server::start();
        looked(&server, &json!({"file_path": "paper.pdf"}), "A greeting.");
        let project = project(&server, protocol).bytes("paper.pdf", &bytes);
        let finished = run(&project);
        assert_eq!(result(&finished)["output"], "A greeting.", "{finished}");
        let request = &asked(&server)[0];
        let text = "<file path=\"paper.pdf\">\n[page 1]\nHello world\n[page 2]\nSecond (page)\n\n</file>";
        assert_eq!(
            (request.mentions(&encoded), request.mentions(text)),
            (is_whole, !is_whole)
        );
        let said = "paper.pdf (the text of a PDF of 2 pages, without its pictures)";
        assert_eq!(request.mentions(said), !is_whole);
    }
}

#[test]
fn the_looker_s_model_is_the_agent_s_own_then_the_parent_s_then_the_first_that_sees() {
    let models = |images: bool| {
        json!({"providers": {"local": {"models": {
            "test-model": {"images": images}, "blind": {"images": false}, "seeing": {"images": true},
        }}}})
    };
    for (configuration, model) in [
        (models(true), "test-model"),
        (models(false), "seeing"),
        (
            json!({"agents": {"multimodal-looker": {"model": "local/seeing"}}}),
            "seeing",
        ),
    ] {
        let server = Server::start();
        looked(&server, &json!({"file_path": "shot.png"}), "Red.");
        let project = project(&server, Protocol::OpenAiChat)
            .config(models(true))
            .config(configuration.clone());
        let finished = run(&project);
        assert_eq!(
            asked(&server)[0].body["model"],
            model,
            "{configuration} {finished}"
        );
        assert_eq!(result(&finished)["details"]["model"], format!("local/{model}"));
    }
}

#[test]
fn without_a_model_that_sees_the_refusal_names_the_setting() {
    let blind = json!({"providers": {"local": {"models": {"test-model": {"images": false}}}}});
    let other = json!({
        "providers": {"local": {"models": {"blind": {"images": false}}}},
        "agents": {"multimodal-looker": {"model": "local/blind"}},
    });
    for (configuration, model) in [(blind, "test-model"), (other, "blind")] {
        let server = Server::with([
            Turn::tool("look_at", json!({"file_path": "shot.png"})),
            Turn::text("Hm."),
        ]);
        let project = project(&server, Protocol::OpenAiChat).config(configuration);
        let finished = run(&project);
        assert_eq!(kind(&finished), "unavailable");
        let output = result(&finished)["output"].as_str().unwrap().to_owned();
        assert!(output.contains(&format!("`local/{model}`")), "{output}");
        assert!(output.contains("`agents.multimodal-looker.model`"), "{output}");
        assert_eq!(server.requests().len(), 2, "nobody was asked");
    }
}

#[test]
fn what_cannot_be_looked_at_is_refused_before_anybody_is_asked() {
    let project = Project::new()
        .file("a.rs", "fn main() {}\n")
        .bytes("large.txt", &vec![b'x'; 20_000_001]);
    for (args, kind) in [
        (
            json!({"file_path": "https://example.org/shot.png"}),
            "invalid_args",
        ),
        (json!({"goal": "which?"}), "invalid_args"),
        (json!({"file_path": "a.rs"}), "binary"),
        (json!({"file_path": "large.txt"}), "too_large"),
        (json!({"file_path": "gone.png"}), "not_found"),
        (json!({"image_data": "data:image/png;base64,AAAA"}), "binary"),
    ] {
        let finished = Lathe::in_project(&project)
            .args(["tool", "look_at", &args.to_string(), "--format", "json"])
            .run()
            .assert_code(1);
        assert_eq!(
            finished.json()["details"]["error"]["kind"],
            kind,
            "{args} {finished}"
        );
    }
}

/// A PDF with objects of a test's own, which finds its parts without a table of them.
fn crafted(objects: &[&[u8]]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", index + 1).bytes());
        file.extend(*object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    let count = objects.len() + 1;
    file.extend(format!("xref\n0 {count}\n0000000000 65535 f \n").bytes());
    for place in places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    file.extend(format!("trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").bytes());
    file
}

fn hostile_pdfs() -> Vec<(&'static str, Vec<u8>)> {
    let bomb = STANDARD.decode(BOMB).unwrap();
    let stream = |filters: &str, data: &[u8]| {
        let head = format!("<< /Length {} /Filter [{filters}] >>\nstream\n", data.len());
        [head.as_bytes(), data, b"\nendstream"].concat()
    };
    let packed = stream("/FlateDecode /FlateDecode /FlateDecode", &bomb);
    let catalog = b"<< /Type /Catalog /Pages 2 0 R >>".as_slice();
    let pages = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".as_slice();
    let page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>".as_slice();
    let own_parent = b"<< /Type /Page /Parent 3 0 R /Contents 4 0 R >>".as_slice();
    let own_kid = b"<< /Type /Pages /Kids [2 0 R 2 0 R 2 0 R] /Count 9 >>".as_slice();
    let nested = [b"[".repeat(200_000), b"]".repeat(200_000)].concat();
    let form = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Length 5 >>\nstream\n/X Do\nendstream".as_slice();
    let forming = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R >>"
        .as_slice();
    let drawing = b"<< /Length 5 >>\nstream\n/X Do\nendstream".as_slice();
    vec![
        ("more text than memory", crafted(&[catalog, pages, page, &packed])),
        ("pages that are their own pages", crafted(&[catalog, own_kid])),
        (
            "a page that is its own parent",
            crafted(&[catalog, pages, own_parent, drawing]),
        ),
        ("lists in lists", crafted(&[catalog, pages, &nested])),
        (
            "a form that draws itself",
            crafted(&[catalog, pages, forming, drawing, form]),
        ),
        ("no pages", crafted(&[catalog])),
        ("only a head", b"%PDF-1.7\n".to_vec()),
    ]
}

#[test]
fn a_hostile_pdf_costs_its_call_alone() {
    let pdfs = hostile_pdfs();
    let server = Server::start();
    let mut project = project(&server, Protocol::OpenAiChat);
    let mut turns = Vec::new();
    for (index, (_, bytes)) in pdfs.iter().enumerate() {
        let name = format!("{index}.pdf");
        project = project.bytes(&name, bytes);
        turns.push(Turn::tool("look_at", json!({"file_path": name})));
    }
    server.script(turns);
    server.script([Turn::text("All tried.")]);
    let finished = run(&project);
    let results = of_kind(&finished, "tool_result");
    assert_eq!(results.len(), pdfs.len(), "{finished}");
    for (result, (name, _)) in results.iter().zip(&pdfs) {
        let output = result["output"].as_str().unwrap();
        assert_eq!(result["ok"], false, "{name}: {output}");
        let kind = result["details"]["error"]["kind"].as_str().unwrap();
        assert!(
            ["parse", "too_large", "unavailable"].contains(&kind),
            "{name}: {kind}: {output}"
        );
        assert!(output.contains(".pdf` cannot be looked at: "), "{name}: {output}");
        assert!(
            output.contains("`agents.multimodal-looker.model`"),
            "{name}: {output}"
        );
    }
    assert!(
        results[0]["output"].as_str().unwrap().contains("MiB of memory"),
        "{finished}"
    );
    assert_eq!(asked(&server).len(), 0, "{finished}");
    assert!(text_of(&finished).ends_with("All tried."), "{finished}");
}

#[test]
fn a_model_that_takes_no_images_is_told_of_it_where_the_conversation_has_one() {
    let models = json!({"providers": {"local": {"models": {
        "test-model": {"images": true}, "blind": {"images": false},
    }}}});
    for reads_image in [true, false] {
        let file = if reads_image { "shot.png" } else { "a.txt" };
        let server = Server::with([
            Turn::tool("read", json!({"file_path": file})),
            Turn::text("I have seen it."),
            Turn::text("I have not."),
        ]);
        let project = project(&server, Protocol::OpenAiChat)
            .file("a.txt", "one\n")
            .config(models.clone());
        run(&project);
        let go_on = ["-c", "-m", "local/blind", "and now?"];
        events_of(&project).args(go_on).run().success();
        let is_told = |request: &Recorded| request.tool_names().contains(&"look_at".to_owned());
        let told: Vec<bool> = server.requests().iter().map(is_told).collect();
        assert_eq!(told, [false, false, reads_image]);
    }
}
