//! Targets of the links on screen.

use super::*;

/// The addresses of the cells that show this text.
fn leads(driver: &mut Driver, text: &str) -> Vec<Option<String>> {
    let frame = driver.frame();
    let links = driver.app.links().unwrap_or_default();
    let width = usize::from(frame.buffer.area.width);
    let rows = frame.buffer.content().chunks(width);
    let found = rows.into_iter().find_map(|row| {
        let shown: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
        let at = shown.find(text)?;
        let start = shown[..at].chars().count();
        Some(row[start..start + text.chars().count()].to_vec())
    });
    let cells = found.unwrap_or_else(|| panic!("no {text}"));
    let mut leads: Vec<Option<String>> = cells
        .iter()
        .map(|cell| links.get(cell.underline_color).map(str::to_owned))
        .collect();
    leads.dedup();
    leads
}

fn answered(text: &str) -> Driver {
    let mut driver = Driver::closed();
    driver.attach(&Snapshot {
        messages: vec![message(Role::User, "hello"), message(Role::Assistant, text)],
        ..driver.snapshot()
    });
    driver
}

#[test]
fn a_link_of_an_answer_leads_where_it_says() {
    let mut driver =
        answered("See [the docs](https://docs.rs/a) and <https://b.c/>, not [this](javascript:x).");
    let to = |url: &str| [Some(url.to_owned())];
    assert_eq!(leads(&mut driver, "the docs"), to("https://docs.rs/a"));
    assert_eq!(leads(&mut driver, "https://docs.rs/a"), to("https://docs.rs/a"));
    assert_eq!(leads(&mut driver, "https://b.c/"), to("https://b.c/"));
    assert_eq!(leads(&mut driver, "this"), [None]);
    assert_eq!(leads(&mut driver, "and"), [None]);
}

#[test]
fn words_that_look_like_another_address_show_the_one_behind_them() {
    let mut driver = answered("[https://good.example](https://evil.example)");
    assert!(
        driver
            .text()
            .contains("https://good.example (https://evil.example)")
    );
    assert_eq!(
        leads(&mut driver, "https://good.example"),
        [Some("https://evil.example".to_owned())]
    );
}

#[test]
fn only_the_web_and_mail_are_links_in_an_answer() {
    for url in [
        "file:///etc/passwd",
        "vscode://file/x",
        "ssh://a.b",
        "data:text/html,x",
    ] {
        let mut driver = answered(&format!("See [this]({url}) and <{url}>."));
        assert!(driver.text().contains(&format!("See this ({url}) and {url}.")));
        assert_eq!(leads(&mut driver, "this"), [None], "{url}");
        assert_eq!(leads(&mut driver, url), [None], "{url}");
    }
    let mut driver = answered("<a@b.example> or [write](MAILTO:c@d.example)");
    assert_eq!(
        leads(&mut driver, "a@b.example"),
        [Some("mailto:a@b.example".to_owned())]
    );
    assert_eq!(
        leads(&mut driver, "write"),
        [Some("MAILTO:c@d.example".to_owned())]
    );
}

#[test]
fn a_host_that_looks_like_another_shows_its_address() {
    let url = "https://\u{430}pple.example/";
    let mut driver = answered(&format!("<{url}> and [apple](https://apple.example/k\u{e4}se)"));
    let text = driver.text();
    assert!(
        text.contains(&format!("{url} (https://%D0%B0pple.example/)")),
        "{text}"
    );
    assert!(text.contains("(https://apple.example/k\u{e4}se)"), "{text}");
}

#[test]
fn a_link_over_several_rows_is_one() {
    let url = format!("https://docs.rs/{}", "long/".repeat(30));
    let mut driver = answered(&format!("<{url}>"));
    assert_eq!(leads(&mut driver, "https://docs.rs/long"), [Some(url.clone())]);
    assert_eq!(leads(&mut driver, "long/long/long/ "), [Some(url), None]);
}

#[test]
fn links_that_are_switched_off_lead_nowhere() {
    let mut terminal_environment = terminal_environment();
    terminal_environment.shows_links = false;
    let driver = Driver::with(Setup {
        terminal_environment,
        ..setup()
    });
    assert_eq!(driver.app.links(), None);
}
