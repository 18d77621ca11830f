//! Programs that hide what is typed: noticed by the kernel's facts, whatever they print.

use serde_json::{Value, json};

use super::{kind, output, results_of, start};

const HIDDEN: &str = "[hidden input: only the user can type it]";

/// Prompts in the words of `sudo`, `ssh` and others, translated or made up.
const PROMPTS: [&str; 16] = [
    "[sudo] password for user: ",
    "[sudo] Passwort für user: ",
    "[sudo] Mot de passe de user : ",
    "[sudo] contraseña para user: ",
    "[sudo] пароль для user: ",
    "user 的密码：",
    "user のパスワード: ",
    "user@host's password: ",
    "Enter passphrase for key '/home/user/.ssh/id_ed25519': ",
    "(user@host) Verification code: ",
    "Vault-Kennwort eingeben: ",
    "PIN? ",
    "🔒 ",
    "",
    "go on",
    "Type anything",
];

fn quoted(prompt: &str) -> String {
    format!("'{}'", prompt.replace('\'', r"'\''"))
}

/// Ways in which programs hide what is typed.
fn commands() -> Vec<String> {
    let read = PROMPTS
        .iter()
        .map(|prompt| format!("read -s -p {} x; echo over", quoted(prompt)));
    let getpass = "python3 -c 'import getpass; getpass.getpass(\"Heslo: \")'".to_owned();
    let termios = "python3 -c 'import sys, termios; t = termios.tcgetattr(0); t[3] &= ~termios.ECHO; \
                   termios.tcsetattr(0, termios.TCSANOW, t); sys.stdin.readline()'"
        .to_owned();
    let stty = "stty -echo; printf 'Code: '; cat".to_owned();
    let su = if rustix::process::geteuid().is_root() {
        "setpriv --reuid=65534 --regid=65534 --clear-groups su root".to_owned()
    } else {
        "su root".to_owned()
    };
    read.chain([getpass, termios, stty, su]).collect()
}

/// A start that waits for what never comes, so that only the hidden input ends the wait.
fn waits_in_vain(name: &str, command: &str) -> Value {
    let mut args = start(name, command);
    args["wait_for"] = json!("this is never printed");
    args["timeout"] = json!(60_000);
    args
}

#[test]
fn twenty_of_twenty_are_noticed_and_nothing_is_sent() {
    let commands = commands();
    assert_eq!(commands.len(), 20);
    for group in commands.chunks(5) {
        let calls = group.iter().enumerate().flat_map(|(number, command)| {
            let name = format!("t{number}");
            let send = json!({"action": "send", "session": name, "text": "s3cret", "keys": "Enter"});
            [waits_in_vain(&name, command), send]
        });
        let results = results_of(calls);
        for (command, results) in group.iter().zip(results.chunks(2)) {
            assert!(output(&results[0]).contains(HIDDEN), "{command}: {}", results[0]);
            assert!(!output(&results[0]).contains("not seen"), "{command}");
            assert_eq!(results[0]["details"]["waiting"], "hidden");
            assert_eq!(kind(&results[1]), "refused", "{command}: {}", results[1]);
        }
    }
}

#[test]
fn prompts_of_shells_editors_pagers_and_interpreters_are_typed_to() {
    let typed = |name: &str, text: &str, wait_for: &str| json!({"action": "send", "session": name, "text": text, "wait_for": wait_for, "timeout": 30_000});
    let begun = |name: &str, command: &str, wait_for: &str| {
        let mut args = start(name, command);
        args["wait_for"] = json!(wait_for);
        args["timeout"] = json!(30_000);
        args
    };
    let results = results_of([
        begun("sh", "env PS1='prompt> ' bash --norc --noprofile", "prompt>"),
        typed("sh", "echo $((40 + 2))\n", "^42"),
        begun("ed", "vim -u NONE", "~"),
        typed("ed", "ihello", "hello"),
        begun("pager", "seq 1 200 | less", "^1$"),
        typed("pager", "G", "^200$"),
        begun("py", "python3 -q", ">>>"),
        typed("py", "6 * 7\n", "^42"),
        begun("top", "top", "load average"),
        typed("top", "q", "load average"),
    ]);
    for result in &results {
        assert_eq!(kind(result), "ok", "{result}");
        assert!(!output(result).contains("hidden input"), "{}", output(result));
        assert!(!output(result).contains("not seen within"), "{}", output(result));
    }
}
