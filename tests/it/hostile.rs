//! A model, files and a machine that mean no good: nothing of it gets past the rules, onto the terminal, or out of step.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::run::{assert_well_formed, events_of, of_kind, project_with, reason, text_of};
use super::support::{Fault, Finished, Gate, Lathe, Project, Protocol, Server, Turn};

fn yolo(project: &Project) -> Lathe {
    events_of(project).args(["--permission-mode", "yolo"])
}

/// Results in the order of the calls.
fn results(finished: &Finished) -> Vec<Value> {
    let ended = of_kind(finished, "tool_result");
    let calls = of_kind(finished, "tool_call");
    let result = |call: &Value| {
        ended
            .iter()
            .find(|result| result["call"] == call["call"])
            .unwrap()
            .clone()
    };
    calls.iter().map(result).collect()
}

fn error_kinds(finished: &Finished) -> Vec<String> {
    let kind = |result: &Value| {
        result["details"]["error"]["kind"]
            .as_str()
            .unwrap_or("none")
            .to_owned()
    };
    results(finished).iter().map(kind).collect()
}

/// A model that sends these bodies as they are, one for each request, and keeps what it was asked.
struct RawModel {
    url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl RawModel {
    fn start(bodies: Vec<Vec<u8>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for body in bodies {
                let Ok((stream, _)) = listener.accept() else {
                    return;
                };
                let _ = answer(stream, &body, &kept);
            }
        });
        Self { url, asked }
    }

    fn project(&self, protocol: Protocol) -> Project {
        Project::new().config(json!({"model": "local/m", "providers": {"local": {
            "protocol": protocol.name(), "base_url": self.url, "idle_timeout_ms": 20_000,
            "retry": {"max": 1, "base_ms": 1, "max_ms": 1}, "models": {"m": {"context": 100_000}}}}}))
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, body: &[u8], asked: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut request = vec![0; length];
    reader.read_exact(&mut request)?;
    asked
        .lock()
        .unwrap()
        .push(serde_json::from_slice(&request).unwrap_or(Value::Null));
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")?;
    stream.write_all(body)
}

fn chat(chunks: &[Value]) -> Vec<u8> {
    let mut events: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    events.push("data: [DONE]\n\n".to_owned());
    events.concat().into_bytes()
}

fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

#[test]
fn garbled_calls_get_an_error_each_and_the_turn_goes_on() {
    for protocol in Protocol::ALL {
        let server = Server::with([
            Turn::new()
                .raw_args("read", r#"{"file_path": "a.txt"#)
                .raw_args("read", "not json")
                .raw_args("read", "[1, 2]")
                .call("read", json!({}))
                .call("read", json!({"file_path": {"deep": [1]}}))
                .call("no_such_tool", json!({"x": 1}))
                .call("bash\u{1b}[2J\n", json!({}))
                .call("grep", json!({"pattern": "(["}))
                .call("read", json!({"file_path": "a\u{0}b"}))
                .call("read", json!({"file_path": ""})),
            Turn::text("I see."),
        ]);
        let project = Project::new().file("a.txt", "a\n").model(&server, protocol);
        let finished = yolo(&project).arg("go").run().success();
        assert_well_formed(&finished);
        let kinds = error_kinds(&finished);
        assert_eq!(kinds.len(), 10, "{protocol:?} {finished}");
        assert!(!kinds.contains(&"none".to_owned()), "{protocol:?} {kinds:?}");
        assert_eq!(
            kinds[3..6],
            ["invalid_args", "invalid_args", "unknown_tool"],
            "{protocol:?}"
        );
        assert_eq!(
            kinds[7..],
            ["parse", "invalid_args", "invalid_args"],
            "{protocol:?}"
        );
        assert_eq!(server.requests().len(), 2, "{protocol:?}");
        assert!(!finished.stdout.contains('\u{1b}'));

        server.script([Turn::text("Still here.")]);
        let again = yolo(&project).args(["-c", "again"]).run().success();
        assert_eq!(text_of(&again), "Still here.", "{protocol:?}");
    }
}

#[test]
fn a_denied_command_stays_denied_in_every_dress() {
    let commands = [
        "rm -rf kept",
        "true; rm -rf kept",
        "true && rm -rf kept",
        "/bin/rm -rf kept",
        "X=1 rm -rf kept",
        "\\rm -rf kept",
        "r''m -rf kept",
        "echo $(rm -rf kept)",
        "(rm -rf kept)",
        "sh -c 'rm -rf kept'",
        "env rm -rf kept",
        "timeout 5 rm -rf kept",
        "echo kept | xargs rm -rf",
        "find kept -exec rm -rf {} +",
        "if true; then rm -rf kept; fi",
        "eval 'rm -rf kept'",
        "`echo true`; rm -rf kept",
    ];
    for command in commands {
        let server = Server::with([
            Turn::tool("bash", json!({"command": command})),
            Turn::text("Done."),
        ]);
        let project = project_with(&server)
            .file("kept/a", "a")
            .config(json!({"permission": {"bash": {"*": "allow", "rm *": "deny"}}}));
        let finished = yolo(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert!(project.exists("kept/a"), "`{command}` got through\n{finished}");
        assert_eq!(error_kinds(&finished), ["denied"], "`{command}` {finished}");
    }
}

#[test]
fn lathe_s_own_files_and_the_repository_s_are_out_of_reach() {
    let server = Server::start();
    let project = project_with(&server).file("a.txt", "a\n").git();
    symlink(".git", project.path("innocent")).unwrap();
    symlink("../config/lathe.jsonc", project.path("settings.txt")).unwrap();
    symlink("/etc", project.path("elsewhere")).unwrap();
    let config = project.config_dir().join("lathe.jsonc");
    let before = fs::read_to_string(&config).unwrap();
    let absolute = |path: std::path::PathBuf| path.to_str().unwrap().to_owned();
    let paths = [
        ".git/hooks/pre-commit".to_owned(),
        "./sub/../.git/config".to_owned(),
        ".GIT/hooks/post-checkout".to_owned(),
        "innocent/hooks/pre-push".to_owned(),
        "lathe.jsonc".to_owned(),
        ".lathe/lathe.jsonc".to_owned(),
        "settings.txt".to_owned(),
        absolute(config.clone()),
        absolute(project.data_dir().join("lathe.db")),
        absolute(project.state_dir().join("x")),
        absolute(project.path(".git/HEAD")),
    ];
    let mut turn = Turn::new();
    for path in &paths {
        turn = turn.call("write", json!({"file_path": path, "content": "{}"}));
    }
    server.script([turn, Turn::text("Done.")]);
    let head = project.read(".git/HEAD");
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    for (path, result) in paths.iter().zip(results(&finished)) {
        assert_eq!(result["ok"], false, "`{path}` was written\n{result}");
        let kind = result["details"]["error"]["kind"].as_str().unwrap();
        // What cannot be written anyway is refused before anybody is asked.
        assert!(
            ["denied", "not_read", "binary"].contains(&kind),
            "`{path}`: {result}"
        );
    }
    assert_eq!(fs::read_to_string(config).unwrap(), before);
    assert_eq!(project.read(".git/HEAD"), head);
    for path in [
        ".git/hooks/pre-commit",
        ".git/hooks/post-checkout",
        ".git/hooks/pre-push",
        "lathe.jsonc",
    ] {
        assert!(!project.exists(path), "{path}\n{finished}");
    }
}

#[test]
fn a_redirection_into_the_repository_is_refused_in_every_mode() {
    for mode in ["ask", "accept-edits", "plan", "yolo"] {
        let server = Server::with([
            Turn::new()
                .call("bash", json!({"command": "echo x > .git/hooks/pre-commit"}))
                .call("bash", json!({"command": "echo x >lathe.jsonc"}))
                .call("bash", json!({"command": "ls | tee .git/hooks/pre-commit"})),
            Turn::text("Done."),
        ]);
        let project = project_with(&server).git();
        let finished = events_of(&project)
            .args(["--permission-mode", mode, "go"])
            .run()
            .success();
        assert_well_formed(&finished);
        assert_eq!(error_kinds(&finished), ["denied"; 3], "{mode}");
        assert!(
            !project.exists(".git/hooks/pre-commit") && !project.exists("lathe.jsonc"),
            "{mode}"
        );
    }
}

#[test]
fn outside_of_the_project_nothing_is_touched_unasked() {
    let server = Server::start();
    let project = project_with(&server).config(json!({"permission": {"edit": "allow", "bash": "allow"}}));
    let outside = project.outside();
    fs::write(outside.join("secret.txt"), "hidden words\n").unwrap();
    symlink(&outside, project.path("door")).unwrap();
    symlink(outside.join("not-there.txt"), project.path("dangling")).unwrap();
    let absolute = outside.join("secret.txt").to_str().unwrap().to_owned();
    server.script([
        Turn::new()
            .call("write", json!({"file_path": "../new.txt", "content": "x"}))
            .call("write", json!({"file_path": "door/new.txt", "content": "x"}))
            .call("write", json!({"file_path": "dangling", "content": "x"}))
            .call("read", json!({"file_path": "../secret.txt"}))
            .call("read", json!({"file_path": "door/secret.txt"}))
            .call("read", json!({"file_path": absolute}))
            .call("grep", json!({"pattern": "hidden", "path": ".."}))
            .call("grep", json!({"pattern": "hidden"}))
            .call("glob", json!({"pattern": "../*"}))
            .call("bash", json!({"command": "cat ../secret.txt"}))
            .call("bash", json!({"command": "touch ../new.txt"}))
            .call("bash", json!({"command": "pwd", "workdir": ".."})),
        Turn::text("Done."),
    ]);
    let finished = events_of(&project).arg("go").run().success();
    assert_well_formed(&finished);
    assert!(!finished.stdout.contains("hidden words"), "{finished}");
    assert!(
        !outside.join("new.txt").exists() && !outside.join("not-there.txt").exists(),
        "{finished}"
    );
    assert!(!server.requests()[1].mentions("hidden words"));
}

#[test]
fn nothing_raw_reaches_the_terminal() {
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{1b}Pq\u{1b}\\\u{202e}\r\u{8}";
    let server = Server::with([
        Turn::new()
            .say(&format!("Look: {evil}"))
            .call(
                "bash",
                json!({"command": "printf '\\033[2J\\033]0;x\\007 out'", "description": format!("x{evil}")}),
            )
            .call("read", json!({"file_path": format!("a{evil}b")}))
            .call(&format!("tool{evil}"), json!({})),
        Turn::text(&format!("Done{evil}.")),
    ]);
    let project = project_with(&server);
    fs::write(project.root().join("evil\u{1b}[2Jname"), "x\n").unwrap();
    let finished = Lathe::in_project(&project)
        .args(["run", "--permission-mode", "yolo", "go"])
        .run()
        .success();
    for (stream, text) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        let is_raw = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        assert!(!text.contains(is_raw), "{stream}: {text:?}");
    }
    assert!(finished.stdout.contains("Done"));

    let server = Server::with([
        Turn::tool("glob", json!({"pattern": "*"})),
        Turn::new()
            .say(evil)
            .call("read", json!({"file_path": format!("{evil}")})),
        Turn::text("Done."),
    ]);
    let project = project.model(&server, Protocol::OpenAiChat);
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let is_raw = |c: char| c.is_control() && c != '\n';
    assert!(!finished.stdout.contains(is_raw), "JSON escapes them");
}

#[test]
fn ten_megabytes_of_output_are_cut_and_kept() {
    let server = Server::with([
        Turn::tool(
            "bash",
            json!({"command": "head -c 10485760 /dev/zero | tr '\\0' x; printf '\\0\\377end'"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server);
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let result = &results(&finished)[0];
    assert_eq!(result["truncated"], true);
    assert!(result["output"].as_str().unwrap().len() < 60_000);
    assert_eq!(
        fs::metadata(result["output_path"].as_str().unwrap())
            .unwrap()
            .len(),
        10_485_765
    );
    assert!(
        finished.stdout.len() < 4_000_000,
        "live output is bounded too: {}",
        finished.stdout.len()
    );
}

#[test]
fn files_that_are_no_text_or_cannot_be_read_are_told_by_kind() {
    let server = Server::with([
        Turn::new()
            .call("read", json!({"file_path": "zeros"}))
            .call("read", json!({"file_path": "latin"}))
            .call("read", json!({"file_path": "pipe"}))
            .call("read", json!({"file_path": "/dev/zero"}))
            .call("read", json!({"file_path": "."}))
            .call("write", json!({"file_path": "sub", "content": "x"}))
            .call("read", json!({"file_path": "loop/a"})),
        Turn::text("Done."),
    ]);
    let project = project_with(&server)
        .bytes("zeros", &[0; 64])
        .bytes("latin", b"caf\xe9\n")
        .file("sub/a", "");
    symlink("loop", project.path("loop")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(project.path("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    let kinds = error_kinds(&finished);
    assert_eq!(kinds[0], "binary", "{kinds:?}");
    assert_eq!(kinds[2..4], ["io", "io"], "{kinds:?}");
    assert_eq!(kinds[5], "is_directory", "{kinds:?}");
    assert_ne!(kinds[6], "none", "{kinds:?}");
}

#[test]
fn a_working_directory_that_is_gone_is_a_sentence() {
    let server = Server::with([
        Turn::tool("bash", json!({"command": "cd / && rm -rf \"$OLDPWD\""})),
        Turn::new()
            .call("bash", json!({"command": "pwd"}))
            .call("read", json!({"file_path": "a.txt"}))
            .call("write", json!({"file_path": "a.txt", "content": "a"}))
            .call("glob", json!({"pattern": "*"})),
        Turn::text("All is gone."),
    ]);
    let project = project_with(&server)
        .file("work/a.txt", "a\n")
        .config(json!({"permission": {"bash": "allow"}}));
    let finished = yolo(&project).cwd(project.path("work")).arg("go").run().success();
    assert_well_formed(&finished);
    assert_eq!(text_of(&finished), "All is gone.");
    assert!(
        !project.exists("work/a.txt") || results(&finished)[3]["ok"] == true,
        "{finished}"
    );

    let script = format!(
        "mkdir gone && cd gone && rmdir ../gone && {} run hello",
        env!("CARGO_BIN_EXE_lathe")
    );
    let finished = Lathe::program("sh", &project)
        .args(["-c", &script])
        .run()
        .assert_code(2);
    assert!(
        finished.stderr.contains("the current directory cannot be used"),
        "{finished}"
    );
}

#[test]
fn an_event_of_five_megabytes_is_refused_and_asked_again() {
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text("Small.").fail(Fault::Giant { bytes: 5 << 20 })]);
        let project = Project::new().model(&server, protocol);
        let finished = events_of(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert_eq!(of_kind(&finished, "retry").len(), 1, "{protocol:?}");
        assert_eq!(text_of(&finished), "Small.");
    }
}

#[test]
fn streams_that_are_no_streams_end_as_bad_responses() {
    let bodies: [&[u8]; 8] = [
        b"",
        b"\n\n\n",
        b"garbage without end",
        b"data: {\"choices\": [{\"delta\": {\"content\": \"cut in the mid",
        b"data: []\n\ndata: 7\n\n",
        b"data: {\"choices\": 5}\n\n",
        b"data: \xff\xfe\n\n",
        b"event: error\ndata: {\"error\": {\"message\": \"\x1b[2Jno\"}}\n\n",
    ];
    for protocol in Protocol::ALL {
        for body in bodies {
            let model = RawModel::start(vec![body.to_vec(), body.to_vec()]);
            let project = model.project(protocol);
            let finished = events_of(&project).arg("go").run().assert_code(1);
            assert_well_formed(&finished);
            let error = &of_kind(&finished, "error")[0];
            let kind = error["kind"].as_str().unwrap();
            assert!(
                ["bad_response", "network", "overloaded"].contains(&kind),
                "{protocol:?} {:?}: {error}",
                String::from_utf8_lossy(body)
            );
            assert_eq!(reason(&finished), "error");
        }
    }
}

#[test]
fn a_hundred_calls_at_once_have_a_hundred_results_in_order() {
    for protocol in Protocol::ALL {
        let mut turn = Turn::new();
        for number in 0..100 {
            turn = if number % 10 == 9 {
                turn.call("bash", json!({"command": format!("echo {number}")}))
            } else {
                turn.call("read", json!({"file_path": format!("f{number}.txt")}))
            };
        }
        let server = Server::with([turn, Turn::text("Done.")]);
        let project = Project::new().model(&server, protocol);
        let finished = yolo(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert_eq!(of_kind(&finished, "tool_result").len(), 100);
        let key = match protocol {
            Protocol::OpenAiResponses => "input",
            Protocol::Gemini => "contents",
            _ => "messages",
        };
        let sent = server.requests()[1].body[key].to_string();
        let places: Vec<_> = (0..100)
            .filter(|n| n % 10 != 9)
            .map(|n| sent.rfind(&format!("f{n}.txt")))
            .collect();
        assert!(
            places.is_sorted() && places.iter().all(Option::is_some),
            "{protocol:?}: results keep the order"
        );
    }
}

#[test]
fn a_thousand_deltas_of_one_byte_are_one_text() {
    let text: String = (0..1000u32)
        .map(|n| char::from_digit(n % 10, 10).unwrap())
        .collect();
    for protocol in Protocol::ALL {
        let server = Server::with([Turn::text(&text).piece(1)]);
        let project = Project::new().model(&server, protocol);
        let finished = events_of(&project).arg("go").run().success();
        assert_well_formed(&finished);
        assert_eq!(text_of(&finished), text);
    }
}

#[test]
fn calls_without_names_or_ids_and_with_the_same_id_are_kept_apart() {
    let call = |index: u64, more: Value| {
        let mut call = json!({"index": index, "type": "function"});
        for (key, value) in more.as_object().unwrap() {
            call[key] = value.clone();
        }
        delta(&json!({"tool_calls": [call]}))
    };
    let read = |path: &str| json!({"name": "read", "arguments": json!({"file_path": path}).to_string()});
    let model = RawModel::start(vec![
        chat(&[
            call(0, json!({"id": "same", "function": read("a.txt")})),
            call(1, json!({"id": "same", "function": read("b.txt")})),
            call(2, json!({"function": read("a.txt")})),
            call(3, json!({"id": "", "function": {"name": "", "arguments": "{}"}})),
            call(4, json!({"id": "last", "function": {"name": "read"}})),
            finish("tool_calls"),
        ]),
        chat(&[delta(&json!({"content": "Done."})), finish("stop")]),
    ]);
    let project = model
        .project(Protocol::OpenAiChat)
        .file("a.txt", "alpha\n")
        .file("b.txt", "beta\n");
    let finished = yolo(&project).arg("go").run().success();
    assert_well_formed(&finished);
    assert_eq!(
        error_kinds(&finished),
        ["none", "none", "none", "invalid_args", "unknown_tool"]
    );
    let asked = model.asked();
    let messages = asked[1]["messages"].as_array().unwrap();
    let reply = messages
        .iter()
        .find(|message| message["role"] == "assistant")
        .unwrap();
    let ids: Vec<_> = reply["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["id"].clone())
        .collect();
    let answered: Vec<_> = messages
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["tool_call_id"].clone())
        .collect();
    assert_eq!(ids, answered, "each call is paired");
    let mut distinct: Vec<_> = ids.iter().map(|id| id.as_str().unwrap()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 5, "{ids:?}");
    assert!(ids.iter().all(|id| id != ""));
}

#[test]
fn reasoning_without_end_can_be_interrupted() {
    let server = Server::with([Turn::new().reasoning(&"hm ".repeat(100_000)).rate(2000.0)]);
    let project = project_with(&server);
    let running = events_of(&project).arg("think").spawn();
    running.wait_for_stdout(|text| text.contains(r#""type":"reasoning""#));
    running.signal(rustix::process::Signal::INT);
    let finished = running.wait().assert_code(130);
    assert_well_formed(&finished);
    server.wait_for_abandoned(1);
}

#[test]
fn a_model_that_repeats_itself_is_stopped_by_a_question() {
    let server = Server::start();
    server.otherwise(Turn::tool("glob", json!({"pattern": "*.rs"})));
    let project = project_with(&server).config(json!({"max_steps": 4}));
    let finished = events_of(&project).arg("go").run().assert_code(1);
    assert_well_formed(&finished);
    assert_eq!(error_kinds(&finished), ["none", "none", "denied", "denied"]);
    let asked = of_kind(&finished, "permission");
    assert_eq!(
        (asked.len(), &asked[0]["permission"], &asked[0]["patterns"]),
        (2, &json!("doom_loop"), &json!(["glob"]))
    );
}

#[test]
fn keys_are_neither_given_to_commands_nor_told() {
    let server = Server::with([
        Turn::tool(
            "bash",
            json!({"command": "env; echo ---; cat /proc/$PPID/environ 2>&1 | tr '\\0' '\\n'"}),
        ),
        Turn::text("Done."),
    ]);
    let project = project_with(&server).config(json!({
        "providers": {"local": {"api_key": "{env:LOCAL_MODEL}", "headers": {"X-Auth": "Bearer {env:HOUSE}"}}},
        "permission": {"bash": "allow"},
    }));
    let finished = yolo(&project)
        .env("LOCAL_MODEL", "sk-very-secret")
        .env("HOUSE", "of-many-doors")
        .env("MY_PASSWORD", "hunter22")
        .env("HARMLESS", "fine")
        .arg("go")
        .run()
        .success();
    assert_well_formed(&finished);
    let output = results(&finished)[0]["output"].as_str().unwrap().to_owned();
    assert!(
        output.contains("HARMLESS=fine") && output.contains("LATHE=1"),
        "{output}"
    );
    let inherited = output.split("---").next().unwrap();
    for secret in ["sk-very-secret", "of-many-doors", "hunter22"] {
        assert!(!inherited.contains(secret), "{output}");
    }
    // Nothing is hidden from root.
    if !rustix::process::geteuid().is_root() {
        assert!(!output.contains("sk-very-secret"), "{output}");
    }
}

#[test]
fn two_processes_share_a_data_directory() {
    let gates = [Gate::new(), Gate::new()];
    let server = Server::start();
    for (name, gate) in ["alpha", "beta"].iter().zip(&gates) {
        server.script_for(
            &format!("I am {name}"),
            [
                Turn::tool(
                    "write",
                    json!({"file_path": format!("{name}.txt"), "content": name}),
                )
                .gate(1, gate),
                Turn::text(&format!("{name} is done")),
            ],
        );
    }
    let project = project_with(&server);
    let running: Vec<_> = ["alpha", "beta"]
        .map(|name| yolo(&project).arg(format!("I am {name}")).spawn())
        .into();
    gates.iter().for_each(Gate::wait_until_reached);
    gates.iter().for_each(Gate::open);
    for (running, name) in running.into_iter().zip(["alpha", "beta"]) {
        let finished = running.wait().success();
        assert_well_formed(&finished);
        assert_eq!(text_of(&finished), format!("{name} is done"));
        assert_eq!(project.read(format!("{name}.txt")), name);
    }
    let list = Lathe::in_project(&project)
        .args(["sessions", "list", "--json"])
        .run()
        .success()
        .json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 2);
}

/// Whether directories can be made unwritable for this user: not for root.
fn obeys_modes(project: &Project) -> bool {
    let probe = project.outside().join("probe");
    fs::create_dir(&probe).unwrap();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o500)).unwrap();
    fs::write(probe.join("x"), "").is_err()
}

#[test]
fn directories_that_cannot_be_written_are_named() {
    let server = Server::with([Turn::text("Hello.")]);
    let project = project_with(&server);
    // A file stands where the directory should be, which stops root as well.
    let blocked = project.outside().join("blocked");
    fs::write(&blocked, "").unwrap();
    let finished = events_of(&project)
        .env("LATHE_DATA_DIR", blocked.join("data"))
        .arg("hello")
        .run()
        .assert_code(1);
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "storage");
    assert!(finished.stderr.contains("blocked/data"), "{finished}");
    // Logs and caches are not worth a turn.
    let finished = events_of(&project)
        .env("LATHE_STATE_DIR", blocked.join("state"))
        .env("LATHE_CACHE_DIR", blocked.join("cache"))
        .arg("hello")
        .run()
        .success();
    assert_well_formed(&finished);
    if !obeys_modes(&project) {
        println!("skipped: this user may write where the mode forbids it");
        return;
    }
    fs::set_permissions(project.data_dir(), fs::Permissions::from_mode(0o500)).unwrap();
    let finished = events_of(&project).arg("hello").run().assert_code(1);
    assert_eq!(of_kind(&finished, "error")[0]["kind"], "storage");
    fs::set_permissions(project.data_dir(), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_full_disk_ends_the_turn_with_a_storage_error() {
    let server = Server::with([
        Turn::tool(
            "bash",
            json!({"command": "head -c 8000000 /dev/zero > \"$FULL/fill\"; echo filled"}),
        ),
        Turn::text(&"A long answer. ".repeat(40_000)).piece(5000),
    ]);
    let project = project_with(&server).config(json!({"permission": {"bash": "allow"}}));
    let data = project.data_dir().to_str().unwrap().to_owned();
    let script = format!(
        "mount -t tmpfs -o size=3m none {data} || exit 77; export FULL={data}; {} run --format json \
         --permission-mode yolo go; code=$?; rm -f {data}/fill; exit $code",
        env!("CARGO_BIN_EXE_lathe")
    );
    let finished = Lathe::program("unshare", &project)
        .args(["-rm", "sh", "-c", &script])
        .deadline(Duration::from_mins(1))
        .run();
    if finished.code == Some(77) || finished.stdout.is_empty() {
        println!("skipped: no mount of our own is permitted here\n{finished}");
        return;
    }
    let finished = finished.assert_code(1);
    assert_well_formed(&finished);
    let errors = of_kind(&finished, "error");
    assert_eq!(
        (errors.len(), &errors[0]["kind"]),
        (1, &json!("storage")),
        "{finished}"
    );
    assert_eq!(reason(&finished), "error");
}
