//! Tests of all tools at once: their sets, families, names, and how they stand beside others. A tool that is named here
//! and not there yet is passed by.

mod encodings;
mod named_encodings;
mod random_edits;

use serde_json::{Map, Value, json};

use crate::conversation::ErrorKind;
use crate::permission::PermissionReply;
use crate::text::truncate::Keep;
use crate::tool::harness::Harness;
use crate::tool::{Concurrency, DynTool, InitCx, Registry, Resolution, ToolSet, ToolSettings, WrittenFile};

const CORE: &[&str] = &[
    "apply_patch",
    "ast_grep_search",
    "background_cancel",
    "background_output",
    "bash",
    "edit",
    "glob",
    "grep",
    "hashline_edit",
    "interactive_bash",
    "lsp",
    "question",
    "read",
    "skill",
    "task",
    "todowrite",
    "webfetch",
    "write",
];
const HIDDEN: &[&str] = &["invalid", "resolve", "skill_mcp"];

/// Families that have another name than the tool.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "edit",
        &[
            "write",
            "multiedit",
            "hashline_edit",
            "apply_patch",
            "ast_grep_replace",
            "lsp_rename",
            "lsp_code_action_resolve",
        ],
    ),
    ("bash", &["interactive_bash"]),
    ("webfetch", &["websearch", "codesearch"]),
    ("skill", &["skill_mcp"]),
    ("task", &["background_task", "call_omo_agent"]),
    (
        "session",
        &["session_info", "session_list", "session_read", "session_search"],
    ),
    (
        "task_board",
        &["task_create", "task_get", "task_list", "task_update"],
    ),
];

const ALIASES: &[(&str, &[&str])] = &[
    ("task", &["delegate_task", "sisyphus_task", "agent", "subagent"]),
    ("call_omo_agent", &["call_agent"]),
    ("multiedit", &["multi_edit"]),
    ("list", &["ls"]),
    ("read", &["read_file", "view"]),
    ("write", &["write_file", "create_file"]),
    ("edit", &["str_replace", "replace"]),
    ("apply_patch", &["patch"]),
    ("bash", &["shell", "run_command", "execute_command"]),
    ("ast_grep_search", &["ast_grep"]),
    ("ast_grep_replace", &["ast_edit"]),
    ("webfetch", &["web_fetch", "fetch"]),
    ("websearch", &["web_search"]),
    ("codesearch", &["code_search"]),
    ("todowrite", &["todo_write"]),
    ("todoread", &["todo_read"]),
    ("glob", &["find", "find_files"]),
    ("grep", &["search", "ripgrep"]),
    ("question", &["ask", "ask_user", "ask_user_question"]),
    ("plan_enter", &["enter_plan_mode"]),
    ("plan_exit", &["exit_plan_mode"]),
    ("slashcommand", &["command", "slash_command"]),
];

/// Cut by what the context has left, besides all `lsp_*`.
const DYNAMIC: &[&str] = &[
    "glob",
    "grep",
    "lsp",
    "ast_grep_search",
    "interactive_bash",
    "skill_mcp",
    "webfetch",
];

fn each(mut check: impl FnMut(&dyn DynTool)) {
    for tool in Registry::builtin().tools() {
        check(&**tool);
    }
}

#[test]
fn every_tool_is_of_its_set() {
    each(|tool| {
        let set = if tool.name() == "plan_exit" {
            ToolSet::CoreFor("plan")
        } else if CORE.contains(&tool.name()) {
            ToolSet::Core
        } else if HIDDEN.contains(&tool.name()) {
            ToolSet::Hidden
        } else {
            ToolSet::Extended
        };
        assert_eq!(tool.set(), set, "{}", tool.name());
    });
}

#[test]
fn every_tool_says_what_it_does() {
    let settings = ToolSettings::default();
    each(|tool| {
        let description = tool.description(InitCx { settings: &settings });
        assert!(!description.is_empty(), "{}", tool.name());
    });
}

#[test]
fn every_tool_goes_with_its_family() {
    each(|tool| {
        let is_of = |(_, tools): &&(&str, &[&str])| tools.contains(&tool.name());
        let Some((family, _)) = FAMILIES.iter().find(is_of) else {
            return;
        };
        assert_eq!(tool.family().as_str(), *family, "{}", tool.name());
    });
}

#[test]
fn every_tool_has_its_other_names() {
    let registry = Registry::builtin();
    for (name, aliases) in ALIASES {
        if registry.get(name).is_none() {
            continue;
        }
        for alias in *aliases {
            let Resolution::Tool(found) = registry.resolve(alias) else {
                panic!("`{alias}` is no tool");
            };
            assert_eq!(found.name(), *name, "{alias}");
        }
    }
}

#[test]
fn the_end_is_kept_of_what_shells_print_and_the_context_bounds_what_searches_find() {
    each(|tool| {
        let name = tool.name();
        let is_shell = matches!(name, "bash" | "interactive_bash");
        let keep = if is_shell { Keep::Tail } else { Keep::Head };
        assert_eq!(tool.keep(), keep, "{name}");
        let is_dynamic = DYNAMIC.contains(&name) || name.starts_with("lsp_");
        assert_eq!(tool.is_dynamic(), is_dynamic, "{name}");
    });
}

#[test]
fn what_changes_things_stands_alone_and_what_looks_does_not() {
    let edit = json!({"file_path": "a", "old_string": "a", "new_string": "b"});
    let steps = json!({"file_path": "a", "edits": [{"old_string": "a", "new_string": "b"}]});
    let lines = json!({"file_path": "a", "edits": [{"type": "append", "text": "b"}]});
    let exclusive = [
        ("write", json!({"file_path": "a", "content": ""})),
        ("edit", edit),
        ("multiedit", steps),
        ("hashline_edit", lines),
        ("apply_patch", json!({"patch_text": ""})),
        ("bash", json!({"command": "true"})),
        ("todowrite", json!({"todos": []})),
    ];
    let shared = [
        ("read", json!({"file_path": "a"})),
        ("glob", json!({"pattern": "*"})),
        ("grep", json!({"pattern": "a"})),
        ("list", json!({})),
        ("todoread", json!({})),
        ("task_create", json!({"subject": "a"})),
        ("task_get", json!({"id": "T-1a2b3c4d"})),
        ("task_list", json!({})),
        ("task_update", json!({"id": "T-1a2b3c4d"})),
    ];
    let project = Harness::new();
    for (calls, wanted) in [
        (&exclusive[..], Concurrency::Exclusive),
        (&shared, Concurrency::Shared),
    ] {
        for (tool, args) in calls {
            let resolved = project.resolve(tool, &args.to_string());
            assert!(resolved.fits(), "{tool}");
            assert_eq!(resolved.concurrency(), wanted, "{tool}");
        }
    }
}

#[test]
fn every_other_name_of_a_parameter_is_taken() {
    let project = Harness::new();
    for (tool, parameter, value, aliases) in [
        (
            "read",
            "file_path",
            json!("a"),
            &["path", "file", "filename", "filePath"][..],
        ),
        ("read", "offset", json!(2), &["start_line", "startLine"]),
        ("read", "limit", json!(2), &["lines", "limit_lines"]),
        ("write", "file_path", json!("a"), &["path"]),
        ("write", "content", json!("a"), &["contents", "text"]),
        (
            "edit",
            "old_string",
            json!("a"),
            &["old_text", "old", "search", "old_str"],
        ),
        (
            "edit",
            "new_string",
            json!("a"),
            &["new_text", "new", "replacement", "new_str"],
        ),
        ("edit", "replace_all", json!(true), &["all", "replaceAll"]),
        (
            "apply_patch",
            "patch_text",
            json!("a"),
            &["patch", "input", "patchText"],
        ),
        ("list", "path", json!("a"), &["dir", "directory", "file_path"]),
        ("glob", "pattern", json!(["a"]), &["patterns"]),
        ("glob", "path", json!("a"), &["dir", "directory", "file_path"]),
        (
            "grep",
            "path",
            json!(["a"]),
            &["paths", "dir", "directory", "file_path"],
        ),
        ("grep", "include", json!("*.rs"), &["file_pattern", "glob"]),
        ("grep", "literal", json!(true), &["fixed_strings"]),
        ("grep", "context", json!(2), &["-C"]),
        ("grep", "before", json!(2), &["-B"]),
        ("grep", "after", json!(2), &["-A"]),
        ("grep", "limit", json!(2), &["head_limit", "max_results"]),
        ("bash", "command", json!("a"), &["cmd"]),
        ("bash", "workdir", json!("a"), &["cwd"]),
        ("todowrite", "todos", json!([]), &["items"]),
        ("batch", "tool_calls", json!([]), &["calls"]),
        ("task_get", "id", json!("a"), &["task_id", "taskId"]),
        ("task_update", "id", json!("a"), &["task_id", "taskId"]),
        ("task_update", "add_blocked_by", json!(["a"]), &["addBlockedBy"]),
        ("task_create", "active_form", json!("a"), &["activeForm"]),
    ] {
        for alias in aliases {
            let given = json!({ *alias: value });
            let resolved = project.resolve(tool, &given.to_string());
            assert_eq!(resolved.args, json!({ parameter: value }), "{tool} {alias}");
        }
    }
    for alias in ["case_insensitive", "ignore_case", "-i", "ignoreCase"] {
        let given = Map::from_iter([(alias.to_owned(), Value::Bool(true))]);
        let resolved = project.resolve("grep", &Value::Object(given).to_string());
        assert_eq!(resolved.args, json!({"case_sensitive": false}), "{alias}");
    }
}

#[tokio::test]
async fn errors_begin_with_the_word_and_end_up_as_details() {
    let project = Harness::new();
    for (tool, args, kind) in [
        ("read", json!({"file_path": "none"}), ErrorKind::NotFound),
        ("read", json!({}), ErrorKind::InvalidArgs),
        (
            "edit",
            json!({"file_path": "a", "old_string": "a", "new_string": "a"}),
            ErrorKind::Identical,
        ),
        ("glob", json!({"pattern": "["}), ErrorKind::Parse),
        ("grep", json!({"pattern": "("}), ErrorKind::Parse),
        ("list", json!({"path": "none"}), ErrorKind::NotFound),
        ("apply_patch", json!({"patch_text": "x"}), ErrorKind::Parse),
        (
            "bash",
            json!({"command": "true", "timeout": 0}),
            ErrorKind::InvalidArgs,
        ),
        ("nothing_like_it", json!({}), ErrorKind::UnknownTool),
    ] {
        let result = project.run(tool, args).await;
        assert!(!result.ok && result.output.starts_with("Error: "), "{tool}");
        assert_eq!(result.error_kind(), Some(kind), "{tool}: {}", result.output);
        assert!(!result.title.contains('\n'), "{tool}");
    }
}

#[tokio::test]
async fn what_writes_says_which_files_and_what_only_reads_says_none() {
    let new = WrittenFile::new;
    let patch = "*** Begin Patch\n*** Add File: new\n+x\n*** Update File: a\n*** Move to: b\n@@\n-two\n+2\n\
                 *** Delete File: c\n*** End Patch";
    let patched = vec![
        new("new", 1, 0),
        WrittenFile {
            moved_to: Some("b".into()),
            ..new("a", 1, 1)
        },
        WrittenFile {
            is_gone: true,
            ..new("c", 0, 1)
        },
    ];
    let moved = WrittenFile {
        moved_to: Some("b".into()),
        ..new("a", 0, 0)
    };
    let removed = WrittenFile {
        is_gone: true,
        ..new("a", 0, 2)
    };
    let edits =
        json!([{ "old_string": "one", "new_string": "1" }, { "old_string": "two", "new_string": "2" }]);
    for (tool, args, written) in [
        (
            "write",
            json!({ "file_path": "a", "content": "1\n" }),
            vec![new("a", 1, 2)],
        ),
        (
            "edit",
            json!({ "file_path": "a", "old_string": "one", "new_string": "1" }),
            vec![new("a", 1, 1)],
        ),
        (
            "edit",
            json!({ "file_path": "a", "edits": edits }),
            vec![new("a", 2, 2)],
        ),
        (
            "hashline_edit",
            json!({ "file_path": "a", "rename": "b" }),
            vec![moved],
        ),
        (
            "hashline_edit",
            json!({ "file_path": "a", "delete": true }),
            vec![removed],
        ),
        ("apply_patch", json!({ "patch_text": patch }), patched),
        ("read", json!({ "file_path": "a" }), vec![]),
    ] {
        let project = Harness::new().answering(PermissionReply::Once);
        project.write("a", "one\ntwo\n");
        project.write("c", "x\n");
        for file in ["a", "c"] {
            project.ok("read", json!({ "file_path": file })).await;
        }
        let result = project.run(tool, args.clone()).await;
        let name = project.registry.advertised_name(tool, &args);
        assert!(result.ok, "{tool}: {}", result.output);
        assert_eq!(project.registry.written(&name, &result.into()), written, "{tool}");
    }
}
