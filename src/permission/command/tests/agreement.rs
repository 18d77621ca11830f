//! The reader and bash agree: of a text that is understood, bash runs nothing that was not found, with the words that
//! were found.
//!
//! Programs are not started: bash calls a handler for every program that it cannot find, and it finds none here.

#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use proptest::strategy::{Strategy, ValueTree};

use super::*;

const BASH: &str = "/bin/bash";

/// The words of every program that bash would start, or nothing when it cannot be told.
fn words_of_bash(text: &str, dir: &Path) -> Option<Vec<Vec<String>>> {
    let script = format!(
        "set -f; HOME='~'; exec 9>&1; command_not_found_handle() {{ printf '%s\\0' \"$@\" $'\\1' >&9; }}
         enable -n [ . : echo eval exec source trap kill; PATH=/nowhere\n{text}\n"
    );
    let mut command = Command::new("timeout");
    let output = command
        .args(["5", BASH, "-c", &script])
        .current_dir(dir)
        .env_clear()
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    // A text that bash refuses halfway was run up to there.
    let printed = String::from_utf8_lossy(&output.stdout);
    // A name with a slash is looked up without the handler.
    let calls = printed.split("\u{1}\0").filter(|call| !call.is_empty());
    let words = |call: &str| {
        let call = call.strip_suffix('\0').unwrap_or(call);
        call.split('\0').map(str::to_owned).collect()
    };
    Some(calls.map(words).collect())
}

/// Says how many programs were compared.
fn compare(text: &str, dir: &Path) -> usize {
    let analysis = analyse(text);
    // Redirections would be carried out.
    if analysis.refusal.is_some() || !analysis.redirected.is_empty() {
        return 0;
    }
    let Some(ran) = words_of_bash(text, dir) else {
        return 0;
    };
    for words in &ran {
        let is_same = |simple: &Simple| {
            let known = simple.words.iter().map(|word| &word.text);
            let is_known = simple
                .words
                .iter()
                .all(|word| word.dynamic_at.is_none() && !word.tilde);
            if is_known {
                known.eq(words)
            } else {
                simple.words[0].text == words[0]
            }
        };
        assert!(
            analysis.commands.iter().any(is_same),
            "{text:?} runs {words:?}, found were {:?}",
            analysis.commands
        );
    }
    ran.len()
}

fn compare_many(texts: &impl Strategy<Value = String>, count: usize, at_least: usize) {
    if !Path::new(BASH).exists() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let seed = std::env::var("LATHE_TEST_SEED").ok();
    let mut runner = match seed {
        // For looking further than the same texts each time.
        Some(_) => proptest::test_runner::TestRunner::default(),
        None => proptest::test_runner::TestRunner::deterministic(),
    };
    let mut compared = 0;
    for _ in 0..count {
        compared += compare(&texts.new_tree(&mut runner).unwrap().current(), dir.path());
    }
    assert!(compared > at_least, "only {compared} programs ran");
    assert_eq!(
        std::fs::read_dir(dir.path()).unwrap().count(),
        0,
        "nothing is written"
    );
}

#[test]
fn bash_reads_plain_commands_in_the_same_way() {
    let texts =
        proptest::string::string_regex("[abcé $`'\"\\\\;|&<>(){}*?\\[\\]~=#!\n\t,./+:%@^1-]{1,12}").unwrap();
    compare_many(&texts, 2_500, 25);
}

#[test]
fn bash_reads_scripts_in_the_same_way() {
    const PARTS: &[&str] = &[
        "a",
        "b ",
        " c",
        "'d e' ",
        "\"f $(g)\" ",
        "$(h) ",
        "`i` ",
        "; ",
        " && ",
        " || ",
        " | ",
        " & ",
        "\n",
        "\n",
        "( ",
        " )",
        "{ ",
        "; }",
        "if ",
        "; then ",
        "; else ",
        "; fi",
        "for x in ",
        "; do ",
        "; done",
        "while ",
        "case x in ",
        "x) ",
        ";; ",
        " esac",
        " <<E\n",
        "\nE\n",
        " <<'E'\n",
        "$((1+1)) ",
        "\\",
        " # ",
        "! ",
        "[[ ",
        " ]]",
        "((1",
        "))",
        "=",
        "y=",
        "$'",
        "{j,k} ",
        "<(",
        ") ",
        " 2>&1 ",
        " <<< ",
        "${y:-",
        "} ",
        "function f ",
        "f() ",
        "\\\n",
        " \\\n",
        "\"",
        "'",
        "$",
        "[ ",
        " ]",
        "eval ",
        "l\n",
        "time ",
        "$((",
        "y=(",
    ];
    let part = proptest::sample::select(PARTS);
    let texts = proptest::collection::vec(part, 2..10).prop_map(|parts| parts.concat());
    compare_many(&texts, 2_500, 50);
}
