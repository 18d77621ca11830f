//! Files with mistakes in them, and files that cannot be read.

use super::*;

#[test]
fn every_mistake_is_reported_with_its_place() {
    let files = Files::new(&[
        (
            GLOBAL,
            "{\n  \"modle\": \"a/b\",\n  \"max_steps\": \"many\",\n  \"providers\": {\"x\": {\"protocol\": \"openai\", \
             \"idle_timeout\": 3}},\n  \"search\": {\"timeout_ms\": 5},\n  \"permission\": {\"bash\": {\"rm *\": \
             \"no\"}, \"edit\": 3}\n}",
        ),
        (PROJECT, "{\n  \"theme\": \"x\",,\n}"),
        (
            DEEP,
            "{\"theme\": \"x\", \"theme\": \"y\", \"stream_rules\": [{\"name\": \"n\", \"pattern\": \"p\"}]}",
        ),
    ]);
    assert_eq!(
        files.error(),
        "config/lathe.jsonc:2:3: `modle` is not a key of the configuration; did you mean `model`?\n\
         config/lathe.jsonc:3:16: `max_steps` must be a whole number, not a string\n\
         config/lathe.jsonc:4:35: `providers.x.protocol` must be `openai-chat`, `openai-responses`, `anthropic` or \
         `gemini`, not `openai`; did you mean `openai-chat`?\n\
         config/lathe.jsonc:4:45: `idle_timeout` is not a key of `providers.x`; did you mean `idle_timeout_ms`?\n\
         config/lathe.jsonc:5:28: `search.timeout_ms` must be at least 1000, not 5\n\
         config/lathe.jsonc:6:35: `permission.bash.rm *` must be `allow`, `ask` or `deny`, not `no`\n\
         config/lathe.jsonc:6:50: `permission.edit` must be a string or an object, not 3\n\
         project/lathe.jsonc:2:16: this is not valid JSON with comments: unexpected token in object\n\
         project/sub/lathe.jsonc:1:16: `theme` is given twice in the configuration; keep one of them\n\
         project/sub/lathe.jsonc:1:47: `stream_rules.0` needs the key `message`"
    );
}

#[test]
fn a_model_without_provider_is_reported_where_it_was_last_set() {
    let files = Files::new(&[
        (GLOBAL, r#"{"model": "a/b"}"#),
        (PROJECT, "{\n\"model\": \"gpt\"}"),
    ]);
    let error = files.load().trusted().unwrap_err().to_string();
    assert!(
        error.ends_with(
            "project/lathe.jsonc:2:10: `model`: `gpt` does not name a model; write it as `provider/model`"
        ),
        "{error}"
    );
}

#[test]
fn a_missing_variable_names_the_key_that_wants_it() {
    let files = Files::new(&[(GLOBAL, r#"{"instructions": ["{env:LATHE_SURELY_UNSET_3}"]}"#)]);
    assert_eq!(
        files.error(),
        "config/lathe.jsonc:1:19: `instructions.0` needs the environment variable `LATHE_SURELY_UNSET_3`, \
         which is not set"
    );
}

#[test]
fn a_missing_variable_of_a_provider_is_kept_for_its_use() {
    let wants = r#"{"providers": {"p": {"headers": {"x-key": "{env:LATHE_SURELY_UNSET_3}"}}}}"#;
    let loaded = Files::new(&[(GLOBAL, wants)]).load();
    let [unset] = loaded.unset.as_slice() else {
        panic!("{:?}", loaded.unset);
    };
    assert_eq!(unset.path, ["providers", "p", "headers", "x-key"]);
    let said = unset.problem.to_string();
    assert!(
        said.ends_with(
            "config/lathe.jsonc:1:43: `providers.p.headers.x-key` needs the environment variable \
             `LATHE_SURELY_UNSET_3`, which is not set"
        ),
        "{said}"
    );
    let gives = r#"{"providers": {"p": {"headers": {"x-key": "mine"}}}}"#;
    let files = Files::new(&[(GLOBAL, wants), ("project/sub/mine.jsonc", gives)]);
    let loaded = files.load_with(Some("mine.jsonc")).unwrap();
    assert_eq!(loaded.unset, []);
}

#[test]
fn files_that_cannot_be_used_are_errors_with_a_sentence() {
    let files = Files::new(&[]);
    std::fs::create_dir_all(files.root.path().join(GLOBAL)).unwrap();
    assert!(files.error().contains("this is not a file"), "{}", files.error());

    let files = Files::new(&[(PROJECT, "")]);
    std::fs::write(files.root.path().join(PROJECT), b"{\n \"theme\": \"\xff\"}").unwrap();
    assert!(
        files
            .error()
            .starts_with("project/lathe.jsonc:2:12: the file is not valid UTF-8"),
        "{}",
        files.error()
    );

    std::fs::create_dir_all(&files.dirs.config).unwrap();
    let huge = std::fs::File::create(files.root.path().join(GLOBAL)).unwrap();
    huge.set_len(100 << 20).unwrap();
    assert!(
        files
            .error()
            .starts_with("config/lathe.jsonc: the file is larger than 1 MiB and was not read"),
        "{}",
        files.error()
    );

    let error = Files::new(&[])
        .load_with(Some("nowhere.jsonc"))
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("nowhere.jsonc: this file, given with `--config`, does not exist"),
        "{error}"
    );
}

#[test]
fn files_of_a_project_that_cannot_be_opened_are_left_out_and_named() {
    let files = Files::new(&[(HIDDEN, r#"{"theme": "a"}"#)]);
    let huge = std::fs::File::create(files.root.path().join(PROJECT)).unwrap();
    huge.set_len(20 << 30).unwrap();
    std::os::unix::fs::symlink("/dev/zero", files.root.path().join(DEEP)).unwrap();
    let loaded = files.load();
    assert_eq!(loaded.config.theme, "a");
    assert_eq!(loaded.warnings.len(), 2, "{:?}", loaded.warnings);
    assert!(
        loaded.warnings[0].contains("lathe.jsonc` was left out: it has more than"),
        "{:?}",
        loaded.warnings
    );
    assert!(
        loaded.warnings[1].contains("it is not a regular file"),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn an_empty_file_a_byte_order_mark_and_a_wrong_root_are_met() {
    let files = Files::new(&[(GLOBAL, ""), (PROJECT, "\u{feff}{\"theme\": \"x\"}")]);
    assert_eq!(files.load().config.theme, "x");
    let files = Files::new(&[(GLOBAL, "[]")]);
    assert_eq!(
        files.error(),
        "config/lathe.jsonc:1:1: the configuration must be an object, not a list"
    );
    let files = Files::new(&[(GLOBAL, "{'theme': 1}")]);
    assert!(files.error().contains("single-quoted"), "{}", files.error());
}

#[test]
fn deep_nesting_and_wild_numbers_are_refused() {
    let deep = format!("{{\"theme\": {}", "[".repeat(100_000));
    assert!(Files::new(&[(GLOBAL, &deep)]).error().contains("nesting"));
    for number in ["1e999", "-1", "4294967296", "99999999999999999999999999", "1.5"] {
        let error = Files::new(&[(GLOBAL, &format!("{{\"max_steps\": {number}}}"))]).error();
        assert!(error.contains("`max_steps`"), "{error}");
    }
    let error = Files::new(&[(GLOBAL, "{\"truncate\": {\"dynamic_ratio\": 1e999}}")]).error();
    assert!(error.contains("too large"), "{error}");
}

proptest::proptest! {
    #[test]
    fn no_text_makes_loading_panic(text in "[\\[\\]{}:,\"a-z0-9 \
        \\n/*.-]{0,60}|\\{(\"(permission|tools|theme|hooks|providers)\": ?[\\[\\]{}\"a-z:]{0,8},?){0,3}\\}") {
        let files = Files::new(&[(GLOBAL, &text)]);
        let _ = files.load_with(None);
    }
}
