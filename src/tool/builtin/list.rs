//! `list`: a directory as a tree.

use crate::permission::PermissionKey;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search_path::{SearchPath, check_place, search_directory};
use crate::files::Resolved;
use crate::tool::file_name::one_line;
use crate::tool::walk::{Globs, SearchLimit, SearchTree, ThreadedResults, VisitedFile};
use crate::tool::{
    Concurrency, DrawnArgs, Output, Prepared, RenderCx, ResultView, SessionServices, Tool, ToolCx, ToolError,
    ToolSet, path_asks, plural,
};
use crate::view::card::{Card, Fact, FileTarget};

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: i64 = 1000;
/// Directories that hold what tools made, not what people wrote.
const SKIPPED: &[&str] = &[
    ".git",
    "node_modules",
    "__pycache__",
    "dist",
    "build",
    "target",
    "vendor",
    "bin",
    "obj",
    ".idea",
    ".vscode",
    ".venv",
    "venv",
    "env",
    "coverage",
    ".cache",
    "tmp",
    "temp",
    "logs",
];

pub(super) struct ListTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Directory (default: the session's directory).
    #[serde(default)]
    path: Option<String>,
    /// Further globs to leave out.
    #[serde(default)]
    ignore: Option<Vec<String>>,
    /// Most files to show (default 100, at most 1000).
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<i64>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    path: String,
    files: usize,
    truncated: bool,
    #[serde(default)]
    timed_out: bool,
}

pub(super) struct Plan {
    path: Resolved,
    globs: Globs,
    limit: usize,
}

impl Tool for ListTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "list";
    const ALIASES: &'static [&'static str] = &["ls"];
    const DESCRIPTION: &'static str =
        "Show a directory as a tree. Honours .gitignore and leaves out build output.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const SET: ToolSet = ToolSet::Extended;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let given = args.path.as_deref().unwrap_or(".");
        let SearchPath { path, mut asks } = search_directory(cx, given, "Use `read` for a file.")?;
        asks.extend(path_asks(&PermissionKey::own("list"), &path));
        let ignore = args.ignore.unwrap_or_default();
        let from = path.clone();
        let globs = cx
            .blocking(move || Globs::without_directories(&from, SKIPPED, &ignore))
            .await?;
        let limit = super::limit_of(args.limit, DEFAULT_LIMIT);
        let plan = Plan { path, globs, limit };
        Ok(Prepared::new(plan, asks))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let limit = SearchLimit::of(cx);
        let services = Arc::clone(&cx.services);
        cx.blocking(move || {
            check_place(&services, &plan.path)?;
            Ok(list(&plan, &limit, &services))
        })
        .await
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        args.file_card("List", "path")
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let details = result.details;
        let target = FileTarget::shown(&details.path);
        let card = Card::of_file("List", target.clone()).meta(Fact::count(details.files, "file"));
        let below = result.text.lines().skip(1);
        let rows: Vec<&str> = below.map_while(|line| line.strip_prefix("  ")).collect();
        // The directories that the rows stand in, the outermost first.
        let mut directories = vec![target];
        let files = rows.iter().map(|row| {
            let name = row.trim_start_matches("  ");
            directories.truncate(1 + (row.len() - name.len()) / 2);
            let file = directories[directories.len() - 1].below(name);
            directories.push(file.clone());
            super::file_row(row, file)
        });
        super::rows(card, files, rows.len(), super::COLLAPSED, cx)
    }
}

/// A directory's entries by name.
#[derive(Debug, Default)]
struct Directory {
    directories: BTreeMap<String, Directory>,
    files: Vec<String>,
}

impl Directory {
    fn add(&mut self, path: &std::path::Path, is_directory: bool) {
        let names = path
            .components()
            .map(|name| name.as_os_str().to_string_lossy().into_owned());
        let mut names = names.peekable();
        let mut directory = self;
        while let Some(name) = names.next() {
            if names.peek().is_none() && !is_directory {
                directory.files.push(name);
                return;
            }
            directory = directory.directories.entry(name).or_default();
        }
    }

    /// Writes the tree until `left` files are written.
    fn write(&mut self, depth: usize, left: &mut usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        for (name, directory) in &mut self.directories {
            if *left == 0 {
                return;
            }
            let _ = write!(text, "\n{indent}{}/", one_line(name));
            directory.write(depth + 1, left, text);
        }
        self.files.sort_unstable();
        for name in self.files.iter().take(*left) {
            let _ = write!(text, "\n{indent}{}", one_line(name));
        }
        *left = left.saturating_sub(self.files.len());
    }
}

fn list(plan: &Plan, limit: &SearchLimit, services: &SessionServices) -> Output<Details> {
    let collected: ThreadedResults<(bool, PathBuf)> = ThreadedResults::new();
    let readable = services.gate.readable();
    let searched = SearchTree {
        root: &plan.path.real,
        globs: &plan.globs,
        limit,
        gate: &readable,
    };
    let end = searched.entries(|| {
        let mut thread_results = collected.thread_results();
        let globs = &plan.globs;
        move |found: &VisitedFile<'_>| {
            let is_directory = found.entry.is_directory();
            if is_directory || globs.matches(found.relative) {
                thread_results.push((is_directory, found.relative.to_owned()));
            }
        }
    });
    let mut tree = Directory::default();
    let mut total = 0;
    for (is_directory, path) in collected.into_vec() {
        tree.add(&path, is_directory);
        total += usize::from(!is_directory);
    }
    let mut text = format!("{}/", one_line(plan.path.display.trim_end_matches('/')));
    let mut left = plan.limit;
    tree.write(1, &mut left, &mut text);
    let shown = total.min(plan.limit);
    let _ = write!(text, "\n\n({shown} of {} shown)", plural(total, "file"));
    for notice in end.notices(&services.roots) {
        let _ = write!(text, "\n{notice}");
    }
    let details = Details {
        path: plan.path.display.clone(),
        files: total,
        truncated: shown < total,
        timed_out: end.timed_out(limit),
    };
    let title = format!("{} · {}", plan.path.display, plural(total, "file"));
    let mut output = Output::new(title, text, details);
    limit.mark(&mut output, &end);
    output
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::conversation::ErrorKind;
    use crate::tool::harness::Harness;
    use crate::view::card::CardPart;

    fn tree() -> Harness {
        let project = Harness::new();
        for path in ["b.rs", "a.rs", "src/z.rs", "src/deep/y.rs", ".hidden"] {
            project.write(path, "");
        }
        project
    }

    #[tokio::test]
    async fn directories_come_first_each_level_indented_by_two() {
        let project = tree();
        fs::create_dir(project.path("empty")).unwrap();
        let result = project.run("list", json!({})).await;
        assert_eq!(
            result.output,
            "./\n  empty/\n  src/\n    deep/\n      y.rs\n    z.rs\n  .hidden\n  a.rs\n  b.rs\n\n\
             (5 of 5 files shown)"
        );
        assert_eq!(
            result.details,
            json!({"path": ".", "files": 5, "truncated": false, "timed_out": false})
        );
    }

    #[tokio::test]
    async fn a_directory_is_named_as_the_project_sees_it() {
        let project = tree();
        for args in [
            json!({"path": "src"}),
            json!({"dir": "src/"}),
            json!({"directory": project.path("src")}),
        ] {
            assert_eq!(
                project.ok("ls", args).await,
                "src/\n  deep/\n    y.rs\n  z.rs\n\n(2 of 2 files shown)"
            );
        }
    }

    #[tokio::test]
    async fn the_limit_counts_files() {
        let project = tree();
        let result = project.run("list", json!({"limit": 2})).await;
        assert_eq!(
            result.output,
            "./\n  src/\n    deep/\n      y.rs\n    z.rs\n\n(2 of 5 files shown)"
        );
        assert_eq!(result.details["truncated"], true);
    }

    #[tokio::test]
    async fn a_thousand_files_are_the_most() {
        let project = Harness::new();
        for index in 0..1005 {
            project.write(format!("f{index}"), "");
        }
        for (limit, shown) in [(json!(null), 100), (json!(1), 1), (json!(1000), 1000)] {
            let text = project.ok("list", json!({"limit": limit})).await;
            assert!(
                text.ends_with(&format!("\n\n({shown} of 1005 files shown)")),
                "{limit}"
            );
        }
        for limit in [0, -1, 1001] {
            let (kind, text) = project.error("list", json!({"limit": limit})).await;
            assert_eq!(kind, ErrorKind::InvalidArgs, "{limit}");
            assert!(text.contains("integer from 1 to 1000, got number"), "{text}");
        }
    }

    #[tokio::test]
    async fn made_directories_ignored_files_and_further_globs_are_left_out() {
        let project = tree();
        for name in SKIPPED {
            if *name != ".git" {
                project.write(format!("{name}/x"), "");
                project.write(format!("src/{name}/x"), "");
            }
        }
        project.write(".gitignore", "*.log\n");
        project.write("a.log", "");
        project.write("src/target.rs", "");
        project.write("more/env", "a file of that name");
        let text = project
            .ok("list", json!({"ignore": ["*.md", "deep", "src/z*", ".*"]}))
            .await;
        assert_eq!(
            text,
            "./\n  more/\n    env\n  src/\n    target.rs\n  a.rs\n  b.rs\n\n(4 of 4 files shown)"
        );
    }

    #[tokio::test]
    async fn an_empty_directory_has_no_files() {
        let project = Harness::new();
        fs::create_dir(project.path("empty")).unwrap();
        assert_eq!(
            project.ok("list", json!({"path": "empty"})).await,
            "empty/\n\n(0 of 0 files shown)"
        );
    }

    #[tokio::test]
    async fn what_is_no_directory_is_refused() {
        let project = tree();
        let (kind, _) = project.error("list", json!({"path": "a.rs"})).await;
        assert_eq!(kind, ErrorKind::NotDirectory);
        let (kind, _) = project.error("list", json!({"path": "none"})).await;
        assert_eq!(kind, ErrorKind::NotFound);
    }

    #[tokio::test]
    async fn the_path_is_asked() {
        let project = Harness::with_rules(json!({"list": {"src*": "deny"}}));
        project.write("src/a", "");
        let (kind, _) = project.error("list", json!({"path": "src"})).await;
        assert_eq!(kind, ErrorKind::Denied);
        project.ok("list", json!({})).await;
        let (kind, _) = project.error("list", json!({"path": project.outside("")})).await;
        assert_eq!(kind, ErrorKind::Denied);
        assert_eq!(project.asked()[0].0, "external_directory");
    }

    #[tokio::test]
    async fn odd_names_stay_on_one_line() {
        let project = Harness::new();
        project.write("a\nb/c\x07", "");
        assert_eq!(
            project.ok("list", json!({})).await,
            "./\n  a\\nb/\n    c\\u{7}\n\n(1 of 1 file shown)"
        );
    }

    #[tokio::test]
    async fn out_of_time_says_so_in_the_last_line() {
        let project = Harness::with_settings(|settings| settings.search.timeout = Duration::ZERO);
        project.write("a", "");
        let result = project.run("list", json!({})).await;
        assert!(
            result
                .output
                .ends_with("\n(stopped after 0 s; results are incomplete)")
        );
    }

    #[tokio::test]
    async fn cards_show_six_rows_and_all() {
        let project = Harness::new();
        for index in 0..8 {
            project.write(format!("f{index}"), "");
        }
        assert_eq!(project.draw_call("list", r#"{"path": "sr"#).argument, "sr");
        let args = json!({"path": "."});
        let result = project.run("list", args.clone()).await;
        let card = project.draw_result("list", &args, &result, false);
        assert_eq!(card.meta, ["8 files"]);
        assert!(
            matches!(card.body.as_slice(), [CardPart::Lines(lines), CardPart::Omitted(_)] if lines.len() == 6)
        );
        let card = project.draw_result("list", &args, &result, true);
        assert!(matches!(card.body.as_slice(), [CardPart::Lines(lines)] if lines.len() == 8));
    }
}
