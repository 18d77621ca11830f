use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_path": {"type": "string"},
            "content": {"type": "string"},
            "offset": {"type": "integer"},
            "case_sensitive": {"type": "boolean"},
            "include": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "exclude": {"type": "array", "items": {"type": "string"}},
            "mode": {"type": "string", "enum": ["content", "count"]},
            "todos": {"type": "array", "items": {
                "type": "object",
                "properties": {"content": {"type": "string"}, "active_form": {"type": "string"}},
                "required": ["content"]
            }}
        },
        "required": ["file_path", "content"]
    })
}

fn normal(given: &Value) -> Value {
    let aliases = [
        ParamAlias::not("i", "case_sensitive"),
        ParamAlias::name("lines", "offset"),
    ];
    Value::Object(normalise(given.as_object().unwrap().clone(), &schema(), &aliases).args)
}

#[test]
fn keys_in_any_case_and_other_names_become_the_parameters_own() {
    for key in [
        "filePath",
        "FilePath",
        "file-path",
        "path",
        "file",
        "filename",
        "FILE_PATH",
    ] {
        assert_eq!(normal(&json!({ key: "a" })), json!({ "file_path": "a" }), "{key}");
    }
    assert_eq!(normal(&json!({ "-i": true })), json!({ "case_sensitive": false }));
    assert_eq!(normal(&json!({ "lines": "12" })), json!({ "offset": 12 }));
}

#[test]
fn a_parameters_own_name_wins_over_an_alias_in_any_order() {
    assert_eq!(
        normal(&json!({ "path": "b", "file_path": "a" })),
        json!({ "file_path": "a" })
    );
    assert_eq!(
        normal(&json!({ "file_path": "a", "path": "b" })),
        json!({ "file_path": "a" })
    );
}

#[test]
fn near_types_become_the_wanted_one() {
    for (given, wanted) in [
        (json!({"offset": "12"}), json!({"offset": 12})),
        (json!({"offset": "12.0"}), json!({"offset": 12})),
        (json!({"offset": 12.0}), json!({"offset": 12})),
        (json!({"case_sensitive": "TRUE"}), json!({"case_sensitive": true})),
        (json!({"case_sensitive": 0}), json!({"case_sensitive": false})),
        (
            json!({"exclude": "[\"a\",\"b\"]"}),
            json!({"exclude": ["a", "b"]}),
        ),
        (json!({"exclude": "a"}), json!({"exclude": ["a"]})),
        (json!({"include": "a"}), json!({"include": "a"})),
        (json!({"mode": "COUNT"}), json!({"mode": "count"})),
        (json!({"mode": ""}), json!({})),
        (json!({"offset": null}), json!({})),
        (json!({"offset": "undefined"}), json!({})),
        (json!({"include": ""}), json!({})),
        (json!({"file_path": ["a"]}), json!({"file_path": "a"})),
        (json!({"file_path": 7}), json!({"file_path": "7"})),
        (json!({"file_path": true}), json!({"file_path": "true"})),
        (json!({"case_sensitive": "1"}), json!({"case_sensitive": true})),
        (
            json!({"case_sensitive": "False"}),
            json!({"case_sensitive": false}),
        ),
        (json!({"exclude": 5}), json!({"exclude": ["5"]})),
        (json!({"include": "null"}), json!({})),
        (json!({"mode": ["COUNT"]}), json!({"mode": "count"})),
        (json!({"case_sensitive": "0"}), json!({"case_sensitive": false})),
        (json!({"case_sensitive": 1}), json!({"case_sensitive": true})),
        (json!({"offset": "null"}), json!({})),
        (json!({"offset": ""}), json!({})),
        (
            json!({"todos": "{\"content\": \"x\"}"}),
            json!({"todos": [{"content": "x"}]}),
        ),
        (
            json!({"todos": {"content": "x"}}),
            json!({"todos": [{"content": "x"}]}),
        ),
        (json!({"limit_lines": 3, "CMD": "x"}), json!({})),
        (
            json!({"todos": [{"content": "x", "activeForm": "y"}]}),
            json!({"todos": [{"content": "x", "active_form": "y"}]}),
        ),
    ] {
        assert_eq!(normal(&given), wanted, "{given}");
    }
}

#[test]
fn each_common_alias_is_taken_where_its_target_is() {
    for (alias, target) in [
        ("path", "file_path"),
        ("file", "file_path"),
        ("filename", "file_path"),
        ("filepath", "file_path"),
        ("dir", "path"),
        ("directory", "path"),
        ("filePath", "path"),
        ("cmd", "command"),
        ("language", "lang"),
        ("agent", "subagent_type"),
        ("subagent", "subagent_type"),
        ("agentType", "subagent_type"),
        ("limitLines", "limit"),
    ] {
        let schema = json!({"properties": {target: {"type": "string"}}});
        let given = json!({ alias: "a" });
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert_eq!(Value::Object(normal.args), json!({ target: "a" }), "{alias}");
        let normal = normalise(
            given.as_object().unwrap().clone(),
            &json!({"properties": {}}),
            &[],
        );
        assert_eq!(normal.ignored, [alias]);
    }
}

#[test]
fn words_are_told_apart_in_every_spelling() {
    for (key, snake) in [
        ("filePath", "file_path"),
        ("FilePath", "file_path"),
        ("file-path", "file_path"),
        ("file path", "file_path"),
        ("sessionID", "session_id"),
        ("XMLPath", "xml_path"),
        ("-i", "i"),
        ("--ignore-case", "ignore_case"),
        ("arg2Name", "arg2_name"),
        ("ÄndereÖl", "ändere_öl"),
        ("", ""),
    ] {
        assert_eq!(snake_case(key), snake, "{key}");
    }
}

#[test]
fn an_own_name_given_as_null_leaves_the_place_to_an_alias() {
    assert_eq!(
        normal(&json!({ "file_path": null, "path": "a" })),
        json!({ "file_path": "a" })
    );
    assert_eq!(
        normal(&json!({ "file_path": null })),
        json!({ "file_path": null })
    );
}

#[test]
fn optional_free_text_that_says_null_is_absent() {
    let schema = json!({"properties": {"text": {"type": "string"}}});
    for value in [json!(null), json!("null"), json!("undefined")] {
        let given = json!({ "text": value });
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert!(normal.args.is_empty(), "{given}");
    }
    let given = json!({"text": ""});
    let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
    assert_eq!(Value::Object(normal.args), given);
}

#[test]
fn empty_optional_ids_and_paths_are_absent() {
    let schema = json!({"properties": {
        "task_id": {"type": "string"}, "image_path": {"type": "string"}, "id": {"type": "string"},
        "ignore": {"type": "array", "items": {"type": "string"}}, "limit": {"type": "integer"},
        "kind": {"oneOf": [{"const": "one"}, {"const": "two"}]},
    }});
    for key in ["task_id", "image_path", "id", "ignore", "limit", "kind"] {
        let given = json!({ key: "" });
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert!(normal.args.is_empty(), "{key}");
    }
}

#[test]
fn one_text_or_several_takes_a_list_written_as_text() {
    assert_eq!(
        normal(&json!({"include": "[\"*.rs\", \"*.ts\"]"})),
        json!({"include": ["*.rs", "*.ts"]})
    );
    assert_eq!(normal(&json!({"include": "[ab]*"})), json!({"include": "[ab]*"}));
}

#[test]
fn keys_and_types_of_objects_inside_are_brought_in_order_too() {
    let schema = json!({"properties": {"edits": {"type": "array", "items": {
        "type": "object",
        "properties": {
            "old_string": {"type": "string"},
            "replace_all": {"type": "boolean"},
            "at": {"type": "object", "properties": {"start_line": {"type": "integer"}}}
        },
        "required": ["old_string"]
    }}}});
    let given = json!({"edits": "[{\"oldString\": \"null\", \"replace-all\": \"True\", \"at\": {\"startLine\": \"3\"}}]"});
    let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
    assert_eq!(
        Value::Object(normal.args),
        json!({"edits": [{"old_string": "null", "replace_all": true, "at": {"start_line": 3}}]})
    );
}

#[test]
fn names_of_objects_inside_have_the_aliases_of_the_tool() {
    let schema = json!({"properties": {"todos": {"type": "array", "items": {
        "type": "object",
        "properties": {"file_path": {"type": "string"}, "offset": {"type": "integer"}, "case_sensitive": {"type": "boolean"}},
        "required": ["file_path"]
    }}}});
    let aliases = [
        ParamAlias::not("i", "case_sensitive"),
        ParamAlias::name("lines", "offset"),
    ];
    let given = json!({"todos": [{"path": "a", "Lines": "2", "-i": "true", "colour": 1}, {"file_path": "b", "path": "c"}]});
    let normal = normalise(given.as_object().unwrap().clone(), &schema, &aliases);
    assert_eq!(
        Value::Object(normal.args),
        json!({"todos": [{"file_path": "a", "offset": 2, "case_sensitive": false}, {"file_path": "b"}]})
    );
    assert_eq!(normal.ignored, ["todos[0].colour"]);
}

#[test]
fn null_stays_where_it_is_a_value_and_so_does_the_word() {
    let schema = json!({"properties": {"text": {"type": ["string", "null"]}}});
    for text in [json!(null), json!("null"), json!("undefined"), json!("")] {
        let given = json!({ "text": text });
        let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
        assert_eq!(Value::Object(normal.args.clone()), given);
        assert_eq!(explain("x", &normal.args, &schema), None);
    }
    let given = json!({"text": 7});
    let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
    assert_eq!(Value::Object(normal.args), json!({"text": "7"}));
}

#[test]
fn enums_spelled_as_constants_are_enums() {
    let schema = json!({"properties": {"kind": {"oneOf": [
        {"type": "string", "const": "one"}, {"type": "string", "const": "two"}
    ]}}});
    let given = json!({"kind": "ONE"});
    let normal = normalise(given.as_object().unwrap().clone(), &schema, &[]);
    assert_eq!(Value::Object(normal.args), json!({"kind": "one"}));
    let text = explain("x", json!({"kind": "red"}).as_object().unwrap(), &schema).unwrap();
    assert!(
        text.contains("`kind` should be one of one|two, got string \"red\""),
        "{text}"
    );
}

#[test]
fn required_free_text_is_never_touched() {
    for text in ["null", "", " 12 ", "[1]", "\\n", "undefined"] {
        assert_eq!(normal(&json!({ "content": text })), json!({ "content": text }));
    }
}

#[test]
fn unknown_keys_are_named_and_dropped() {
    let given = json!({"file_path": "a", "Colour": 1});
    let normal = normalise(given.as_object().unwrap().clone(), &schema(), &[]);
    assert_eq!(normal.ignored, ["Colour"]);
    assert_eq!(Value::Object(normal.args), json!({"file_path": "a"}));
}

#[test]
fn a_misfit_names_each_field_and_lists_the_parameters() {
    let args = json!({"file_path": {"a": 1}, "mode": "loud", "todos": [{}]});
    let text = explain("write", args.as_object().unwrap(), &schema()).unwrap();
    for part in [
        "`content` is missing (string)",
        "`file_path` should be string, got object {\"a\":1}",
        "`mode` should be one of content|count, got string \"loud\"",
        "`todos[0].content` is missing",
        "Parameters: file_path (string, required)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let args = json!({"file_path": "a", "content": ""});
    assert_eq!(explain("write", args.as_object().unwrap(), &schema()), None);
}
