use super::*;

fn part(file: &str, key: &str) -> Part {
    Part {
        file: file.to_owned(),
        key: key.to_owned(),
        value: Value::from("x"),
    }
}

fn untrusted(parts: Vec<Part>, before: Option<Vec<Part>>) -> ProjectTrust {
    ProjectTrust {
        root: "/p".into(),
        state: TrustState::Untrusted { before },
        parts,
        ..ProjectTrust::default()
    }
}

#[test]
fn the_report_names_the_first_parts() {
    let parts: Vec<Part> = (0..6)
        .map(|number| part("lathe.jsonc", &format!("k{number}")))
        .collect();
    let report = untrusted(parts.clone(), None).report().unwrap();
    assert_eq!(report.kind, ReportKind::Untrusted);
    assert_eq!(
        report.message,
        "the project `/p` is not trusted; its own code and rules are ignored: `k0` in `lathe.jsonc`, `k1` in `lathe.jsonc`, \
         `k2` in `lathe.jsonc`, `k3` in `lathe.jsonc`, 2 more"
    );
    let changed = untrusted(parts, Some(Vec::new())).report().unwrap();
    assert!(
        changed.message.contains("because it changed"),
        "{}",
        changed.message
    );
    assert_eq!(ProjectTrust::default().report(), None);
}

#[test]
fn a_change_is_a_diff_of_what_is_shown() {
    let trust = untrusted(
        vec![part("a", "hooks"), part("b", "lsp")],
        Some(vec![part("a", "hooks")]),
    );
    let change = trust.change().unwrap();
    assert!(change.contains("+b: lsp\n+\"x\""), "{change}");
    assert_eq!(untrusted(vec![part("a", "hooks")], None).change(), None);
}

#[test]
fn files_keys_and_values_all_count() {
    let hash = |parts: &[(&str, &str)]| {
        let parts = parts.iter().map(|(file, key)| part(file, key)).collect();
        untrusted(parts, None).row().hash
    };
    let hashes = [
        hash(&[]),
        hash(&[("a", "b")]),
        hash(&[("ab", "")]),
        hash(&[("a", "b"), ("a", "c")]),
        hash(&[("a", "c"), ("a", "b")]),
    ];
    for (index, one) in hashes.iter().enumerate() {
        assert!(hashes[index + 1..].iter().all(|other| one != other), "{index}");
    }
    assert_eq!(hash(&[("a", "b")]), hashes[1]);
}

#[test]
fn what_lies_deepest_is_trusted_apart() {
    let place = |directory: &str, files: &[&str]| {
        let parts: Vec<Part> = files.iter().map(|file| part(file, "hooks")).collect();
        place(Path::new(directory), Path::new("/p"), &parts)
            .display()
            .to_string()
    };
    assert_eq!(place("/p", &["lathe.jsonc"]), "/p");
    assert_eq!(place("/p/a/b", &["lathe.jsonc"]), "/p");
    assert_eq!(place("/p/a/b", &["lathe.jsonc", "a/lathe.jsonc"]), "/p/a");
    assert_eq!(place("/p/a/b", &[".claude/settings.json"]), "/p");
    assert_eq!(place("/elsewhere", &["lathe.jsonc"]), "/p");
}
