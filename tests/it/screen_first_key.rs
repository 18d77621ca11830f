//! An API key that is given on the screen of a first start.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::thread;

use crate::support::{Key, LATHE, Project, Terminal};

const GOOD: &str = "sk-ant-good-0123456789";

/// Starts a service that takes one key, and returns its address.
fn service() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = answer(stream.unwrap());
        }
    });
    address
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let mut has_key = false;
    for line in lines {
        let line = line?;
        if line.is_empty() {
            break;
        }
        has_key |= line == format!("x-api-key: {GOOD}");
    }
    let status = match (first.starts_with("GET /v1/models "), has_key) {
        (true, true) => "200 OK",
        (true, false) => "401 Unauthorized",
        (false, _) => "404 Not Found",
    };
    let body = r#"{"data": []}"#;
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn start(project: &Project, address: &str) -> Terminal {
    let base = format!("ANTHROPIC_BASE_URL={address}");
    Terminal::program("env", project, 100, 30, &[base.as_str(), LATHE])
}

#[test]
fn a_key_is_pasted_tried_kept_and_used_from_then_on() {
    let address = service();
    let project = Project::new();
    let terminal = start(&project, &address);
    terminal.wait_text("an API key");
    terminal.paste("sk-ant-zzwrongzz");
    terminal.wait_text("Anthropic: sk-ant-*****");
    terminal.key(Key::Enter);
    terminal.wait_text("Anthropic refuses the key (HTTP 401).");
    terminal.paste(&format!("export ANTHROPIC_API_KEY={GOOD}\n"));
    terminal.wait_text("(22 characters)");
    terminal.key(Key::Enter);
    let screen = terminal.wait_text("Anthropic takes the key.");
    assert!(screen.contains("{file:"), "{screen}");
    let config = project.config_dir().join("lathe.jsonc");
    assert!(!config.exists(), "nothing is written before the yes");
    terminal.keys("y");
    terminal.wait_text("anthropic/");
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    assert!(
        !raw.contains("good-0123456789") && !raw.contains("zzwrongzz"),
        "the key was drawn"
    );
    drop(terminal);

    let settings: serde_json::Value = serde_json::from_slice(&std::fs::read(&config).unwrap()).unwrap();
    let reference = settings["providers"]["anthropic"]["api_key"].as_str().unwrap();
    let file = reference
        .strip_prefix("{file:")
        .unwrap()
        .strip_suffix('}')
        .unwrap();
    assert_eq!(std::fs::read_to_string(file).unwrap(), format!("{GOOD}\n"));
    let mode = std::fs::metadata(file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!settings.to_string().contains("good"), "{settings}");

    let terminal = Terminal::start(&project, 100, 30, &[]);
    terminal.wait_text("anthropic/");
}

#[test]
fn a_key_that_was_not_confirmed_is_written_nowhere() {
    let project = Project::new();
    let terminal = start(&project, &service());
    terminal.wait_text("an API key");
    terminal.keys("a");
    terminal.wait_text("Paste an API key, or type it.");
    terminal.keys(GOOD);
    terminal.wait_text("(22 characters)");
    terminal.key(Key::Enter);
    terminal.wait_text("Anthropic takes the key.");
    terminal.key(Key::Esc);
    terminal.wait_text("esc goes back");
    terminal.key(Key::Ctrl('c'));
    assert_eq!(terminal.wait_exit().exit_code(), 2);
    assert!(!project.config_dir().join("lathe.jsonc").exists());
    assert!(!project.data_dir().join("keys").exists());
}
