use super::*;

fn rgb(color: Color) -> (u8, u8, u8) {
    match color {
        Color::Rgb(red, green, blue) => (red, green, blue),
        other => panic!("{other:?} has no fixed look"),
    }
}

fn luminance(color: Color) -> f64 {
    let channel = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    let (red, green, blue) = rgb(color);
    0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue)
}

fn contrast(one: Color, other: Color) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The themes whose colours are their own and not the terminal's.
fn fixed() -> impl Iterator<Item = Theme> {
    Theme::builtin_names()
        .filter(|name| *name != "system")
        .map(|name| Theme::builtin(name).unwrap())
}

#[test]
fn every_builtin_theme_is_read_without_a_problem() {
    for (name, text) in BUILTIN {
        let (theme, problems) = Theme::parse(text).unwrap();
        assert_eq!(theme.name(), *name);
        assert_eq!(problems, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn pairs_name_each_other_and_are_of_both_kinds() {
    for theme in fixed() {
        let pair = Theme::builtin(theme.pair().unwrap()).unwrap();
        assert_eq!(pair.pair(), Some(theme.name()));
        assert_ne!(pair.kind(), theme.kind(), "{}", theme.name());
    }
    let (mine, _) = Theme::parse(r#"{"name": "mine", "extends": "lathe-dark"}"#).unwrap();
    assert_eq!(mine.pair(), None);
}

/// As people see them who cannot tell red from green: the two cone answers as one.
#[test]
fn blue_and_orange_differ_in_more_than_red_and_green() {
    for name in ["lathe-cvd", "lathe-cvd-light"] {
        let theme = Theme::builtin(name).unwrap();
        for (one, other) in [
            (Meaning::DiffAdded, Meaning::DiffRemoved),
            (Meaning::StateDone, Meaning::StateFailed),
        ] {
            let (_, _, added) = rgb(theme.style(one).fg.unwrap());
            let (_, _, removed) = rgb(theme.style(other).fg.unwrap());
            assert!(added.abs_diff(removed) > 80, "{name} {one:?}");
        }
    }
}

#[test]
fn a_palette_colours_what_the_extended_theme_says() {
    let text = r##"{"extends": "lathe-dark", "palette": {"sky": "#010203"}}"##;
    let (theme, problems) = Theme::parse(text).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(theme.style(Meaning::Accent).fg, Some(Color::Rgb(1, 2, 3)));
}

#[test]
fn contrast_is_enough_to_read() {
    for theme in fixed() {
        let back = theme.assumed_background();
        for meaning in Meaning::ALL {
            let style = theme.style(*meaning);
            let Some(fore) = style.fg else { continue };
            let least = if *meaning == Meaning::Rule { 3.0 } else { 4.5 };
            let found = contrast(fore, style.bg.unwrap_or(back));
            assert!(found >= least, "{} {meaning:?}: {found:.2}", theme.name());
        }
    }
}

#[test]
fn code_can_be_read_on_the_lines_of_a_diff() {
    let backs = [
        (Meaning::DiffAddedBg, 4.5),
        (Meaning::DiffRemovedBg, 4.5),
        (Meaning::DiffAddedEmphasis, 3.0),
        (Meaning::DiffRemovedEmphasis, 3.0),
    ];
    for theme in fixed() {
        let shown = Meaning::ALL
            .iter()
            .filter(|meaning| meaning.name().starts_with("code") || **meaning == Meaning::Text);
        for meaning in shown {
            for (back, least) in backs {
                let fore = theme.style(*meaning).fg.unwrap();
                let found = contrast(fore, theme.style(back).bg.unwrap());
                assert!(
                    found >= least,
                    "{} {meaning:?} on {back:?}: {found:.2}",
                    theme.name()
                );
            }
        }
    }
}

/// Chosen rows of lists are read: by their title, what is said about it, and their key. A rule under a selection parts
/// nothing that is read.
#[test]
fn what_is_selected_can_be_read() {
    let read = [Meaning::Text, Meaning::TextMuted, Meaning::Accent];
    for theme in fixed() {
        let back = theme.style(Meaning::Selection).bg.unwrap();
        for meaning in Meaning::ALL.iter().filter(|meaning| **meaning != Meaning::Rule) {
            let style = theme.style(*meaning);
            let (Some(fore), None) = (style.fg, style.bg) else {
                continue;
            };
            let least = if read.contains(meaning) { 4.5 } else { 3.0 };
            let found = contrast(fore, back);
            assert!(found >= least, "{} {meaning:?}: {found:.2}", theme.name());
        }
        let seen = contrast(back, theme.assumed_background());
        assert!(
            seen >= 1.2,
            "{}: a selection is not seen: {seen:.2}",
            theme.name()
        );
    }
}

/// A dialog may show whatever a card does. A rule there parts nothing that is read.
#[test]
fn what_is_asked_can_be_read_on_its_ground() {
    for theme in fixed() {
        let ground = theme.style(Meaning::DialogBg).bg.unwrap();
        for meaning in Meaning::ALL.iter().filter(|meaning| **meaning != Meaning::Rule) {
            let style = theme.style(*meaning);
            let (Some(fore), None) = (style.fg, style.bg) else {
                continue;
            };
            let found = contrast(fore, ground);
            assert!(found >= 4.5, "{} {meaning:?}: {found:.2}", theme.name());
        }
        for back in [
            theme.assumed_background(),
            theme.style(Meaning::Selection).bg.unwrap(),
        ] {
            let seen = contrast(ground, back);
            assert!(seen >= 1.1, "{}: the ground is not seen: {seen:.2}", theme.name());
        }
    }
    for depth in [ColorDepth::Ansi16, ColorDepth::None] {
        let theme = Theme::default().at_depth(depth);
        assert_eq!(theme.style(Meaning::DialogBg), Style::new(), "{depth:?}");
    }
}

#[test]
fn a_missing_key_takes_its_parent() {
    let (theme, problems) =
        Theme::parse(r##"{"styles": {"state": "#102030", "diff.added": "red", "text": "blue"}}"##).unwrap();
    assert!(problems.is_empty());
    assert_eq!(theme.style(Meaning::StateDone).fg, Some(Color::Rgb(16, 32, 48)));
    assert_eq!(theme.style(Meaning::DiffAddedBg).fg, Some(Color::Red));
    assert_eq!(theme.style(Meaning::TextMuted).fg, Some(Color::Blue));
    assert_eq!(theme.style(Meaning::Accent), Style::new());
}

#[test]
fn a_theme_with_problems_keeps_its_valid_entries() {
    let text = r#"{"styles": {"acent": "red", "text": 3, "rule": {"fg": "mauve"}, "match": {"mods": ["loud"]},
        "accent": "green"}, "colour": 1, "kind": "grey"}"#;
    let (theme, problems) = Theme::parse(text).unwrap();
    assert_eq!(theme.style(Meaning::Accent).fg, Some(Color::Green));
    assert_eq!(
        problems,
        [
            "`styles.acent` is not known; did you mean `accent`?",
            "`styles.text` is neither a colour nor an object: 3",
            "`styles.rule` names `mauve`, which is neither a colour nor in `palette`",
            "`styles.match` has \"loud\" in `mods`; known are bold, dim, italic, underline, reverse, strike",
            "`colour` is not a key of a theme",
            "`kind` cannot be \"grey\"",
        ]
    );
    assert!(matches!(Theme::parse("{"), Err(ThemeError::Json(_))));
    assert!(matches!(Theme::parse("[]"), Err(ThemeError::NotAnObject)));
}

#[test]
fn a_theme_extends_another_and_never_itself() {
    let (theme, _) =
        Theme::parse(r#"{"name": "mine", "extends": "lathe-light", "styles": {"accent": "red"}}"#).unwrap();
    let light = Theme::builtin("lathe-light").unwrap();
    assert_eq!(theme.kind(), ThemeKind::Light);
    assert_eq!(theme.style(Meaning::Accent).fg, Some(Color::Red));
    assert_eq!(theme.style(Meaning::CodeString), light.style(Meaning::CodeString));
    let unknown = Theme::parse(r#"{"extends": "nowhere"}"#).unwrap_err();
    assert_eq!(unknown, ThemeError::UnknownParent("nowhere".into()));
    let again = |_: &str| Some(r#"{"extends": "a"}"#.to_owned());
    assert!(matches!(
        Theme::parse_with(r#"{"extends": "a"}"#, &again),
        Err(ThemeError::Cycle(_))
    ));
}

#[test]
fn fewer_colours_are_designed() {
    let theme = Theme::builtin("lathe-dark").unwrap();
    let full = theme.id();
    let ansi = theme.clone().at_depth(ColorDepth::Ansi16);
    assert_ne!(full, ansi.id());
    assert_eq!(ansi.style(Meaning::DiffAddedBg), Style::new());
    for meaning in Meaning::ALL {
        let style = ansi.style(*meaning);
        let has_fixed = |color: Option<Color>| matches!(color, Some(Color::Rgb(..) | Color::Indexed(_)));
        assert!(!has_fixed(style.fg) && !has_fixed(style.bg), "{meaning:?}");
    }
    let none = theme.clone().at_depth(ColorDepth::None);
    for meaning in Meaning::ALL {
        let style = none.style(*meaning);
        assert_eq!((style.fg, style.bg), (None, None), "{meaning:?}");
    }
    assert_eq!(none.style(Meaning::Selection).add_modifier, Modifier::REVERSED);
    let indexed = theme.at_depth(ColorDepth::Ansi256);
    assert!(matches!(
        indexed.style(Meaning::Accent).fg,
        Some(Color::Indexed(_))
    ));
}
