//! Links of a reply: the terminal is given those that open a page or a letter, and no others.

use crate::screen::{open, project, say};
use crate::support::{Server, Turn};

const REPLY: &str = "\
[page](http://one.example/a) [safe](HTTPS://two.example/b) [letter](mailto:a@three.example) <https://four.example/c>

[run](javascript:alert(1)) [file](file:///etc/passwd) [data](data:text/html,x) [shell](ssh://five.example/d)
[editor](vscode://six.example/e) [call](tel:1234) [near](docs/seven.md) [two](httpsx://nine.example)
[split](java\u{0001}script:ten) [call](x-man-page://eleven) <ftp://twelve.example> [esc](http://thirteen.example/\u{1b}]0;x)

The end.
";

/// The addresses that the terminal was given, without the empty ones that end a link.
fn addresses(raw: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(raw).into_owned();
    let links = text.split("\x1b]8;").skip(1);
    let mut addresses: Vec<String> = links
        .filter_map(|link| link.split(['\x1b', '\x07']).next()?.split_once(';'))
        .map(|(_, address)| address.to_owned())
        .filter(|address| !address.is_empty())
        .collect();
    addresses.sort();
    addresses.dedup();
    addresses
}

#[test]
fn only_pages_and_letters_are_links() {
    let server = Server::with([Turn::text(REPLY)]);
    let project = project(&server);
    let terminal = open(&project);
    say(&terminal, "show me");
    terminal.wait_text("The end.");
    terminal.wait_quiet(std::time::Duration::from_millis(400));
    let given = addresses(&terminal.raw());
    let schemes = ["http://", "https://", "mailto:"];
    for address in &given {
        let lower = address.to_lowercase();
        assert!(
            schemes.iter().any(|scheme| lower.starts_with(scheme)),
            "{given:?}"
        );
        assert!(!address.contains(char::is_control), "{given:?}");
    }
    for expected in [
        "one.example/a",
        "two.example/b",
        "a@three.example",
        "four.example/c",
    ] {
        assert!(
            given.iter().any(|address| address.contains(expected)),
            "{expected}: {given:?}"
        );
    }
    for other in [
        "alert", "passwd", "five", "six", "1234", "seven", "nine", "ten", "eleven", "twelve",
    ] {
        assert!(
            !given.iter().any(|address| address.contains(other)),
            "{other}: {given:?}"
        );
    }
}
