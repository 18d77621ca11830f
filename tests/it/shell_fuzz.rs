//! Generated shell texts: none that runs unasked does more than read. `cargo bench --bench shell_fuzz` tries more of them.

use crate::shell_texts::{HOSTILE, Place, runs_unasked, try_texts};

#[test]
fn no_generated_text_runs_its_payload_unasked() {
    let seed = 12;
    eprintln!("seed {seed}");
    let ran = try_texts(seed, 1000);
    assert!(ran > 100, "only {ran} texts ran");
}

/// A fuzz whose payloads do nothing would prove nothing.
#[test]
fn what_the_texts_hide_does_harm_when_it_is_run() {
    for (text, harm) in [
        ("ls; pwn", "it ran the payload"),
        ("[ -v 'x[$(pwn)]' ]", "it ran the payload"),
        ("x='a[$(pwn)]'; echo $((x))", "it ran the payload"),
        ("sed -n '1e pwn' a.txt", "it ran the payload"),
        ("sed -n '1w out' a.txt", "it made or removed a file"),
        ("sed -i s/x/y/ a.txt", "it changed a file"),
        ("cat .env", "it printed a secret"),
        ("echo .env | xargs cat", "it printed a secret"),
        ("date -f .env", "it printed a secret"),
        ("git grep --no-index swordfish", "it printed a secret"),
    ] {
        let found = Place::new().harm(text).unwrap_or_default();
        assert!(found.starts_with(harm), "{text}: {found:?}");
        assert!(!runs_unasked(text), "{text}");
    }
}

#[test]
fn no_hostile_form_of_the_wider_list_does_harm_unasked() {
    let place = Place::new();
    for text in HOSTILE.iter().filter(|text| runs_unasked(text)) {
        assert_eq!(place.harm(text), None, "{text}");
    }
}
