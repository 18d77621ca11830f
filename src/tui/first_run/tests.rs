//! The screen of a first start without a terminal.

use super::*;

fn page(search: ServerSearch) -> Page {
    let theme = |name| Arc::new(Theme::builtin(name).unwrap());
    let (_, server) = oneshot::channel();
    let first = FirstRun {
        themes: Themes {
            dark: theme("lathe-dark"),
            light: theme("lathe-light"),
        },
        sentence: "lathe is not set up yet: no model is configured and no key was found.".to_owned(),
        looked_for: "Ollama, LM Studio".to_owned(),
        server,
        keys: "SOME_KEY or OTHER_KEY".to_owned(),
        services: KeyServices {
            services: vec![KeyService {
                name: "Some".to_owned(),
                prefix: "sk-".to_owned(),
                address: "https://some.example".to_owned(),
                key_file: "~/.local/share/lathe/keys/some".to_owned(),
                settings: "{}\n".to_owned(),
            }],
            trials: tokio::sync::mpsc::unbounded_channel().0,
        },
        file: "~/.config/lathe/lathe.jsonc".to_owned(),
        can_keep: true,
    };
    let mut page = Page::new(first, &TerminalEnvironment::read(&|_| None));
    page.search = search;
    page
}

fn text(page: &Page, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    page.render(area, &mut buffer);
    let row = |y| -> String { (0..width).map(|x| buffer[(x, y)].symbol()).collect() };
    let rows: Vec<String> = (0..height).map(|y| row(y).trim_end().to_owned()).collect();
    rows.join("\n").trim_end().to_owned()
}

fn found(words: &str) -> ServerSearch {
    ServerSearch::Found(FoundModel {
        words: words.to_owned(),
        settings: "{\n  \"model\": \"ollama/llama3\"\n}\n".to_owned(),
    })
}

fn press(page: &mut Page, code: KeyCode) -> Option<FirstRunChoice> {
    page.key(KeyEvent::from(code))
}

#[test]
fn the_ways_to_begin_stand_on_one_screen() {
    let found = found("Ollama on port 11434 with llama3");
    insta::with_settings!({snapshot_path => "../../../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("tui__first_run__40x10", text(&page(found.clone()), 40, 10));
        let searches = [("", found), ("_looking", ServerSearch::Looking), ("_nothing", ServerSearch::Nothing)];
        for (name, search) in searches {
            for (width, height) in [(80, 24), (120, 36), (40, 12)] {
                let name = format!("tui__first_run{name}__{width}x{height}");
                insta::assert_snapshot!(name, text(&page(search.clone()), width, height));
            }
        }
    });
}

#[test]
fn enter_waits_for_a_server() {
    for key in [KeyCode::Enter, KeyCode::Char('k'), KeyCode::Char('y')] {
        assert_eq!(press(&mut page(ServerSearch::Looking), key), None);
        assert_eq!(press(&mut page(ServerSearch::Nothing), key), None);
    }
    let mut found = page(found("x"));
    assert_eq!(press(&mut found, KeyCode::Enter), Some(FirstRunChoice::Server));
}

#[test]
fn a_server_is_kept_after_its_settings_were_shown() {
    let mut page = page(found("x"));
    assert_eq!(press(&mut page, KeyCode::Char('y')), None);
    assert_eq!(press(&mut page, KeyCode::Char('k')), None);
    let shown = text(&page, 80, 24);
    assert!(
        shown.contains("write this to ~/.config/lathe/lathe.jsonc") && shown.contains("ollama/llama3"),
        "{shown}"
    );
    assert_eq!(press(&mut page, KeyCode::Escape), None);
    assert!(text(&page, 80, 24).contains("until you quit"));
    press(&mut page, KeyCode::Char('k'));
    assert_eq!(
        press(&mut page, KeyCode::Char('y')),
        Some(FirstRunChoice::KeptServer)
    );
    page.first.can_keep = false;
    assert_eq!(
        press(&mut page, KeyCode::Char('y')),
        None,
        "the file is there already"
    );
}

#[test]
fn a_key_is_asked_for_by_a_letter_or_pasted_at_once() {
    let mut by_letter = page(ServerSearch::Looking);
    assert_eq!(press(&mut by_letter, KeyCode::Char('a')), None);
    assert!(text(&by_letter, 80, 24).contains("Paste an API key, or type it."));
    for letter in ['d', 'q', 'k', 'y'] {
        assert_eq!(press(&mut by_letter, KeyCode::Char(letter)), None, "{letter}");
    }
    let shown = text(&by_letter, 80, 24);
    assert!(
        shown.contains("**** (4 characters)") && shown.ends_with(" esc goes back"),
        "{shown}"
    );
    assert_eq!(press(&mut by_letter, KeyCode::Escape), None);
    assert!(text(&by_letter, 80, 24).ends_with(" q quits"));

    let mut pasted = page(ServerSearch::Looking);
    pasted.paste("sk-secret\n");
    let shown = text(&pasted, 80, 24);
    assert!(
        shown.contains("Some: sk-******") && !shown.contains("secret"),
        "{shown}"
    );
    let control = KeyEvent::new(KeyCode::Char('c'), Modifiers::CONTROL);
    assert_eq!(pasted.key(control), Some(FirstRunChoice::Left(TuiExit::Quit)));
}

#[test]
fn every_way_out_leaves() {
    let mut page = page(ServerSearch::Looking);
    let left = Some(FirstRunChoice::Left(TuiExit::Quit));
    assert_eq!(press(&mut page, KeyCode::Char('q')), left);
    assert_eq!(press(&mut page, KeyCode::Escape), left);
    let control = KeyEvent::new(KeyCode::Char('c'), Modifiers::CONTROL);
    assert_eq!(page.key(control), left);
    assert_eq!(press(&mut page, KeyCode::Char('c')), None);
    assert_eq!(press(&mut page, KeyCode::Char('d')), Some(FirstRunChoice::Demo));
}
