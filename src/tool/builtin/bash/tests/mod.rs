//! Commands run through the tool, with a real shell.

mod drawing;

use std::ffi::OsString;
use std::fs;
use std::time::Instant;

use serde_json::json;
use tokio::time::sleep;

use super::*;
use crate::conversation::CallResult;
use crate::permission::{Mode, PermissionReply};
use crate::process::{EnvironmentRules, shell_environment};
use crate::tool::harness::{Harness, HarnessOptions};
use crate::tool::{CallUpdate, Update};
use crate::view::card::plain;

fn yolo() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    })
}

/// Every command is allowed.
async fn bash(command: &str) -> CallResult {
    yolo().run("bash", json!({ "command": command })).await
}

/// Returns the progress that was told.
fn shown_updates(project: &Harness) -> Vec<CallUpdate> {
    let shown = |update| match update {
        Update::Call(update) => Some(update),
        Update::Session(_) => None,
    };
    project.updates().into_iter().filter_map(shown).collect()
}

#[tokio::test]
async fn output_exit_codes_and_signals_each_have_their_line() {
    for (command, output, exit) in [
        ("echo a; echo b >&2", "a\nb", json!(0)),
        ("true", "(no output)", json!(0)),
        ("echo x; exit 2", "x\n[exit code 2]", json!(2)),
        ("exit 3", "(no output)\n[exit code 3]", json!(3)),
        ("printf x; kill -9 $$", "x\n[killed by signal 9]", json!(null)),
        ("printf 'a\\r\\nb\\r\\n'", "a\nb", json!(0)),
        ("printf '10%%\\r100%%\\n'", "100%", json!(0)),
        ("printf '\\033[31mred\\033[0m\\033]0;t\\007\\n'", "red", json!(0)),
        ("printf 'a\\377b\\n'", "a\u{fffd}b", json!(0)),
        ("printf '\\344\\270\\226'", "世", json!(0)),
        ("cat; tty", "not a tty\n[exit code 1]", json!(1)),
    ] {
        let result = bash(command).await;
        assert!(result.ok, "{command}: {}", result.output);
        assert_eq!(result.output, output, "{command}");
        assert_eq!(result.details["exit"], exit, "{command}");
        assert!(!result.truncated);
    }
}

#[tokio::test]
async fn details_say_how_it_went() {
    let project = yolo();
    fs::create_dir(project.path("sub")).unwrap();
    let args = json!({"command": "echo one\nprintf two", "cwd": "sub", "description": "Counts"});
    let result = project.run("bash", args).await;
    assert_eq!(result.title, "Counts");
    let details = &result.details;
    assert_eq!(details["command"], "echo one\nprintf two");
    assert_eq!(details["workdir"], "sub");
    assert_eq!((&details["bytes"], &details["lines"]), (&json!(7), &json!(2)));
    assert_eq!(details["timed_out"], false);
    assert!(details["pid"].as_u64().unwrap() > 1 && details["duration_ms"].is_u64());
    for absent in ["signal", "pending", "styles"] {
        assert!(details.get(absent).is_none(), "{absent}");
    }
    let result = project.run("bash", json!({"command": "\n echo 1\necho 2"})).await;
    assert_eq!(result.title, "echo 1");
}

#[tokio::test]
async fn the_environment_has_no_secrets_and_nothing_that_waits_for_a_person() {
    let mut project = yolo();
    let variables = ["PATH", "HOME"].map(|name| (name.into(), std::env::var_os(name).unwrap()));
    let given = [
        ("MY_API_KEY", "leak"),
        ("PAGER", "less"),
        ("PLAIN", "kept"),
        ("KEPT_TOKEN", "kept"),
    ];
    let given = given.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let rules = EnvironmentRules {
        allow: vec!["KEPT_TOKEN".into()],
        session: Some("ses_1".into()),
        ..EnvironmentRules::default()
    };
    project.session().environment = shell_environment(variables.into_iter().chain(given), &rules);
    let output = project.ok("bash", json!({"command": "env"})).await;
    let has = |line: &str| output.lines().any(|other| other == line);
    for line in [
        "CI=true",
        "TERM=dumb",
        "NO_COLOR=1",
        "PAGER=cat",
        "GIT_PAGER=cat",
        "GIT_EDITOR=true",
        "EDITOR=true",
        "VISUAL=true",
        "GIT_SEQUENCE_EDITOR=true",
        "GIT_TERMINAL_PROMPT=0",
        "GCM_INTERACTIVE=never",
        "DEBIAN_FRONTEND=noninteractive",
        "HOMEBREW_NO_AUTO_UPDATE=1",
        "npm_config_yes=true",
        "PIP_NO_INPUT=1",
        "LATHE=1",
        "LATHE_SESSION_ID=ses_1",
        "PLAIN=kept",
        "KEPT_TOKEN=kept",
    ] {
        assert!(has(line), "{line}\n{output}");
    }
    assert!(!output.contains("leak"), "{output}");
}

#[tokio::test]
async fn a_timeout_keeps_what_was_printed() {
    let started = Instant::now();
    let project = yolo();
    let args = json!({"command": "echo begun; printf 'Password: '; sleep 60", "timeout": 200});
    let result = project.run("bash", args).await;
    assert!(started.elapsed() < Duration::from_secs(3));
    assert_eq!(result.error_kind(), Some(ErrorKind::Timeout));
    assert!(result.output.starts_with("Error: "), "{}", result.output);
    let wanted = "\nbegun\nPassword: \n[timed out after 0.2 s; pass a larger timeout or use interactive_bash]\n\
                  [it seems to wait for an answer, and there is no terminal: use interactive_bash]";
    assert!(result.output.contains(wanted), "{}", result.output);
    assert_eq!(result.details["timed_out"], true);
}

#[tokio::test]
async fn a_tool_is_recommended_where_the_session_has_it_and_the_agent_may_use_it() {
    let waits = json!({"command": "printf 'Password: '; sleep 60", "timeout": 200});
    let leaves = json!({"command": "sleep 47 &"});
    let batch = json!({"calls": [{"tool": "bash", "parameters": leaves}]});
    let project = yolo();
    let output = project.run("bash", waits.clone()).await.output;
    for wanted in [
        "[timed out after 0.2 s; pass a larger timeout or use interactive_bash]",
        "there is no terminal: use interactive_bash]",
    ] {
        assert!(output.contains(wanted), "{output}");
    }
    let wanted = "was stopped; use interactive_bash to keep a program running]";
    assert!(project.ok("bash", leaves.clone()).await.ends_with(wanted));
    assert!(project.ok("batch", batch.clone()).await.contains(wanted));

    let mut options = HarnessOptions {
        mode: Mode::Yolo,
        ..HarnessOptions::default()
    };
    options.settings.switches.insert(TERMINALS.to_owned(), false);
    let barred = Harness::with(options);
    for (tool, args) in [("bash", &waits), ("bash", &leaves), ("batch", &batch)] {
        let output = barred.run(tool, args.clone()).await.output;
        assert!(!output.contains("interactive_bash"), "{output}");
    }
}

#[tokio::test]
async fn the_timeout_is_clamped_and_said_so_and_never_zero() {
    let project = yolo();
    let output = project
        .ok("bash", json!({"command": "echo x", "timeout": 900_000}))
        .await;
    assert!(
        output.starts_with("x\n[timeout was cut to the maximum of 600 s]"),
        "{output}"
    );
    for timeout in [0, -5] {
        let args = json!({"command": "echo x", "timeout": timeout});
        assert_eq!(project.error("bash", args).await.0, ErrorKind::InvalidArgs);
    }
}

#[tokio::test]
async fn a_cancelled_command_keeps_what_it_printed_and_returns_in_time() {
    let project = yolo();
    let cancel = project.cancel.clone();
    let stubborn = "trap '' TERM; echo begun; while :; do sleep 0.1; done";
    let started = Instant::now();
    let (result, ()) = tokio::join!(project.run("bash", json!({ "command": stubborn })), async {
        sleep(Duration::from_millis(300)).await;
        cancel.cancel();
    });
    assert!(
        started.elapsed() < Duration::from_millis(3800),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(result.error_kind(), Some(ErrorKind::Cancelled));
    assert!(result.output.contains("\nbegun\n"), "{}", result.output);
    assert!(result.output.ends_with("\n[cancelled]"), "{}", result.output);
}

#[tokio::test]
async fn what_is_left_in_the_background_is_stopped_and_said() {
    let project = yolo();
    let started = Instant::now();
    let output = project.ok("bash", json!({"command": "sleep 47 & echo $!"})).await;
    assert!(started.elapsed() < Duration::from_secs(3));
    let (pid, note) = output.split_once('\n').unwrap();
    let said = "[what the command left running in the background was stopped; use interactive_bash to keep a program running]";
    assert!(note.ends_with(said), "{note}");
    sleep(Duration::from_millis(100)).await;
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "{status}");
}

#[tokio::test]
async fn long_output_begins_with_the_marker_and_ends_with_its_end() {
    let project = yolo();
    let result = project
        .run("bash", json!({"command": "seq 1 5000; exit 4"}))
        .await;
    assert!(result.ok && result.truncated);
    let path = result.output_path.clone().unwrap();
    let start = format!("… 3000 more lines truncated …\nFull output: {path}\n");
    assert!(result.output.starts_with(&start), "{}", &result.output[..200]);
    assert!(result.output.ends_with("\n4999\n5000\n[exit code 4]"));
    assert!(result.output.contains("\n3001\n") && !result.output.contains("\n3000\n"));
    let whole: String = (1..=5000).map(|number| number.to_string() + "\n").collect();
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    assert!(path.contains("/tool-output/call_"), "{path}");
    assert_eq!(result.details["lines"], 5000);
}

#[tokio::test]
async fn its_own_limits_count() {
    let project = Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        settings: {
            let mut settings = crate::tool::ToolSettings::default();
            let limits = crate::tool::TruncateLimits {
                max_lines: Some(2),
                ..Default::default()
            };
            settings.truncate.per_tool.insert("bash".to_owned(), limits);
            settings
        },
        ..HarnessOptions::default()
    });
    let output = project.ok("bash", json!({"command": "seq 1 4"})).await;
    assert!(
        output.starts_with("… 2 more lines truncated …\n") && output.ends_with("\n3\n4"),
        "{output}"
    );
}

#[tokio::test]
async fn output_is_shown_while_it_comes() {
    let project = yolo();
    let command = "echo one; sleep 0.02; echo two; sleep 0.3; printf 'more? '; sleep 0.2";
    project.ok("bash", json!({ "command": command })).await;
    let updates = shown_updates(&project);
    let shown: String = updates.iter().filter_map(|update| update.delta.clone()).collect();
    assert_eq!(shown, "one\ntwo\nmore? ");
    let pending = |update: &CallUpdate| {
        update
            .details
            .as_ref()
            .is_some_and(|details| details["pending"] == "more? ")
    };
    assert!(updates.iter().any(pending), "{updates:?}");
    assert!(updates.len() <= 6, "{updates:?}");
}

#[tokio::test]
async fn colours_are_told_beside_the_text_that_the_model_reads() {
    let project = yolo();
    let command = "printf '\\033[31mred\\033[0m plain\\n\\033[1;42mbo'; sleep 0.2; printf 'ld\\n'";
    let result = project.run("bash", json!({ "command": command })).await;
    assert_eq!(result.output, "red plain\nbold");
    assert_eq!(
        result.details["styles"],
        json!([[0, 0, 3, "31"], [1, 0, 4, "1;42"]])
    );
    let updates = shown_updates(&project);
    let shown: String = updates.iter().filter_map(|update| update.delta.clone()).collect();
    assert_eq!(shown, "red plain\nbold\n");
    let told = |update: &CallUpdate| {
        let details = update.details.as_ref();
        details.is_some_and(|details| {
            details["pending"] == "bo" && details["styles"] == json!([[0, 0, 3, "31"], [1, 0, 2, "1;42"]])
        })
    };
    assert!(updates.iter().any(told), "{updates:?}");
}

#[tokio::test]
async fn many_lines_are_few_updates() {
    let project = yolo();
    let command = "for i in $(seq 1 200); do echo $i; sleep 0.002; done";
    let started = Instant::now();
    project.ok("bash", json!({ "command": command })).await;
    let most = started.elapsed().as_millis() / 50 + 4;
    assert!(project.updates().len() as u128 <= most);
}

#[tokio::test]
async fn a_directory_that_is_none_is_said_and_nothing_runs() {
    let project = yolo();
    project.write("file", "");
    for (workdir, kind) in [
        ("missing", ErrorKind::NotFound),
        ("file", ErrorKind::NotDirectory),
        ("a\0b", ErrorKind::InvalidArgs),
    ] {
        let args = json!({"command": "touch ran", "workdir": workdir});
        assert_eq!(project.error("bash", args).await.0, kind, "{workdir:?}");
    }
    assert!(!project.path("ran").exists());
}

#[tokio::test]
async fn a_directory_outside_is_asked_about_before_anything_is_said_of_it() {
    let project = Harness::new();
    for workdir in [project.outside("missing"), project.home().join("..")] {
        let args = json!({"command": "pwd", "workdir": workdir});
        assert_eq!(project.error("bash", args).await.0, ErrorKind::Denied);
        assert_eq!(project.asked()[0].0, "external_directory");
    }
    let args = json!({"command": "pwd", "workdir": "~"});
    assert_eq!(project.error("bash", args).await.0, ErrorKind::Denied);
    assert_eq!(project.asked()[0].1, format!("{}/*", project.home().display()));
}

#[tokio::test]
async fn a_directory_that_becomes_a_link_after_asking_is_not_entered() {
    let project = yolo();
    fs::create_dir(project.path("sub")).unwrap();
    let cx = project.unheard();
    let args = Args {
        command: "touch ran".into(),
        description: None,
        timeout: None,
        workdir: Some("sub".into()),
    };
    let prepared = BashTool.prepare(args, &cx).await.unwrap();
    fs::remove_dir(project.path("sub")).unwrap();
    std::os::unix::fs::symlink(project.outside(""), project.path("sub")).unwrap();
    let error = BashTool.execute(prepared.plan, &cx).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Stale);
    assert!(!project.outside("ran").exists());
}

#[tokio::test]
async fn hostile_commands_are_answered_with_a_sentence() {
    let project = yolo();
    for (command, kind) in [
        (String::new(), ErrorKind::InvalidArgs),
        (" \n\t".to_owned(), ErrorKind::InvalidArgs),
        ("echo a\0b".to_owned(), ErrorKind::InvalidArgs),
        (format!("echo {}", "x".repeat(1 << 20)), ErrorKind::InvalidArgs),
    ] {
        let started = Instant::now();
        let (found, _) = project.error("bash", json!({ "command": command })).await;
        assert_eq!(found, kind, "{command:.20}");
        // Far above what it takes on an idle machine, because tests share the machine.
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}

#[tokio::test]
async fn a_shell_that_is_not_there_is_unavailable() {
    let project = Harness::with_settings(|settings| settings.bash.shell = Some("/no/such/shell".into()));
    let (kind, text) = project.error("bash", json!({"command": "ls"})).await;
    assert_eq!(kind, ErrorKind::Unavailable);
    assert!(text.contains("bash.shell"), "{text}");
}

#[tokio::test]
async fn a_refused_command_does_not_run() {
    let project = Harness::new().answering(PermissionReply::Reject(Some("use make".to_owned())));
    let (kind, text) = project.error("bash", json!({"command": "touch ran"})).await;
    assert_eq!(kind, ErrorKind::Rejected);
    assert!(text.contains("use make"), "{text}");
    assert!(!project.path("ran").exists());
}

#[tokio::test]
async fn a_trivial_command_is_quick() {
    let project = yolo();
    project.ok("bash", json!({"command": "echo x"})).await;
    let started = Instant::now();
    let rounds = 20;
    for _ in 0..rounds {
        project.run("bash", json!({"command": "echo x"})).await;
    }
    let each = started.elapsed() / rounds;
    // Far above what it takes on an idle machine (about 2 ms in a release build), because tests share the machine.
    assert!(each < Duration::from_millis(100), "{each:?}");
}

#[test]
fn prompts_are_told_from_other_last_lines() {
    for (text, is_prompt) in [
        ("x\nPassword:", true),
        ("[sudo] password for me: ", true),
        ("Proceed? [Y/n] ", true),
        ("Overwrite?", true),
        ("Enter passphrase for key: ", true),
        ("password\ndone", false),
        ("", false),
    ] {
        assert_eq!(notes::looks_like_prompt(text), is_prompt, "{text:?}");
    }
}

#[tokio::test]
async fn a_command_that_would_reach_further_once_it_is_allowed_is_not_run() {
    let project = Harness::with_rules(json!({"read": {"*": "allow", "*.env": "deny"}})).attended();
    project.write("a.txt", "a");
    project.write(".env", "SECRET");
    let link = project.path("link");
    std::os::unix::fs::symlink("a.txt", &link).unwrap();
    let call = project.run("bash", json!({"command": "touch made && cat link"}));
    let swap = project.allow_after(|| {
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(".env", &link).unwrap();
    });
    let (result, ()) = tokio::join!(call, swap);
    assert_eq!(result.error_kind(), Some(ErrorKind::Stale), "{}", result.output);
    assert!(
        result.output.contains(".env") && !result.output.contains("SECRET"),
        "{}",
        result.output
    );
    assert!(!project.path("made").exists());
}

#[tokio::test]
async fn unprotected_files_may_appear_while_a_command_runs() {
    let project = Harness::with_rules(json!({})).attended();
    project.write("a.txt", "a");
    let call = project.run("bash", json!({"command": "touch made && cat *.txt"}));
    let (result, ()) = tokio::join!(call, project.allow_after(|| drop(project.write("b.txt", "b"))));
    assert!(result.ok && result.output == "ab", "{}", result.output);
}
