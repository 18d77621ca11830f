//! Here-documents as words and as the input of commands.

use super::*;

/// The command of a text that is not `cat`.
fn other_than_cat(command: &str) -> Simple {
    let analysis = analyse(command);
    assert_eq!(analysis.refusal, None, "{command:?}");
    let mut others = analysis.commands.into_iter();
    others.find(|simple| simple.program() != "cat").unwrap()
}

fn commit(message: &str) -> String {
    format!("git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\"")
}

#[test]
fn a_literal_here_document_of_cat_is_one_word() {
    for (inner, expected) in [
        ("cat <<'E'\nb c\nE\n", "b c"),
        ("cat <<'E'\n\nb\n\n\nE\n", "\nb"),
        ("cat <<'E'\nE\n", ""),
        ("cat <<\"E\"\n$b `c` \\d\nE\n", "$b `c` \\d"),
        ("cat <<-'E'\n\t\tb\n\tE\n", "b"),
        ("cat <<E\nb * ~\nE\n", "b * ~"),
        ("cat <<'E'\nb\n\tc\nE\n\n", "b\n\tc"),
    ] {
        let command = format!("a \"$({inner})\"");
        let words = other_than_cat(&command).words;
        assert!(words[1].is_literal(), "{command:?}");
        assert_eq!(words[1].text, expected, "{command:?}");
        assert_eq!(words.len(), 2, "{command:?}");
    }
    let words = other_than_cat("a \"x$(cat <<'E'\nb\nE\n)y$z\"").words;
    assert_eq!(words[1].text, "xby$z");
    assert!(words[1].is_dynamic());
}

#[test]
fn any_other_substitution_is_known_to_the_shell_alone() {
    for word in [
        "$(cat <<'E'\nb\nE\n)",
        "\"$(cat <<E\n$b\nE\n)\"",
        "\"$(cat <<E\n\\b\nE\n)\"",
        "\"$(cat -n <<'E'\nb\nE\n)\"",
        "\"$(cat - <<'E'\nb\nE\n)\"",
        "\"$(cat x <<'E'\nb\nE\n)\"",
        "\"$(tac <<'E'\nb\nE\n)\"",
        "\"$(cat <<'E' | tr b c\nb\nE\n)\"",
        "\"$(cat <<'E'; ls\nb\nE\n)\"",
        "\"$(cat <<'E' > x\nb\nE\n)\"",
        "\"$(cat <<'E'\nb\nE\nls\n)\"",
        "\"$(cat <<'D' <<'E'\nb\nD\nc\nE\n)\"",
        "\"$(x=1 cat <<'E'\nb\nE\n)\"",
        "\"$(cat <<< b\n)\"",
        "\"$(cat <<'E'\nb\nE)\"",
        "\"$(cat <<'E'\nb\nE )\nE\n)\"",
        "\"$(cat <<'E'\nb\n E)\" ; ls\nE\n)\"",
        "\"$(cat <<'E'\nb\nEx\nE\n)\"",
    ] {
        let command = format!("a {word}");
        let analysis = analyse(&command);
        let mut outer = analysis.commands.iter().filter(|simple| simple.program() == "a");
        let is_open = outer.all(|simple| simple.words[1].is_dynamic());
        assert!(analysis.refusal.is_some() || is_open, "{command:?}");
    }
}

#[test]
fn a_text_that_is_run_is_judged_as_commands() {
    for wrapper in ["bash -c", "sh -c", "eval"] {
        let command = format!("{wrapper} \"$(cat <<'E'\ncurl u\nE\n)\"");
        assert!(commands(&command).contains(&"curl u".to_owned()), "{command:?}");
        let rules = r#"{"*": "allow", "bash": {"*": "allow", "curl *": "deny"}}"#;
        assert_eq!(verdict(rules, &command), Action::Deny, "{command:?}");
    }
    for command in [
        "bash <<'E'\ncurl u\nE",
        "sh -s <<E\ncurl u\nE",
        "cat() { curl u; }; git commit -m \"$(cat <<'E'\nb\nE\n)\"",
        "alias cat=curl\ngit commit -m \"$(cat <<'E'\nb\nE\n)\"",
        "PATH=.; git commit -m \"$(cat <<'E'\nb\nE\n)\"",
        "git commit -m \"$(cat <<'E'\nb\r\nE\n)\"",
    ] {
        assert!(is_opaque(command), "{command:?}");
    }
    let command = other_than_cat("\"$(cat <<'E'\ncurl\nE\n)\" u");
    assert_eq!(command.canonical, "curl u");
}

#[test]
fn a_commit_by_here_document_is_a_commit_like_others() {
    let command = commit("fix(x): don't \"stop\"\n\n- a; rm b");
    let always = other_than_cat(&command).ask(false).always;
    assert_eq!(always, ["git commit *"]);
    let rules = r#"{"bash": {"*": "ask", "cat": "allow", "git commit *": "allow"}}"#;
    assert_eq!(verdict(rules, &command), Action::Allow);
    assert!(analyse(&command).is_plain);
    let analysis = analyse(&format!("git add -A && {} && git status", commit("x")));
    assert!(analysis.is_plain && analysis.refusal.is_none());
}
