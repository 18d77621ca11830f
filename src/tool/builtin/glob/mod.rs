//! `glob`: files by name, newest first.

mod outside;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::outside::{PatternsByDirectory, separate};
use crate::files::{PathKind, Resolved};
use crate::permission::{Ask, PermissionKey, Subject};
use crate::tool::builtin::search_path::{Base, SearchPath, check_place, search_directory};
use crate::tool::builtin::{COLLAPSED, file_row, limit_of, rows};
use crate::tool::file_name::one_line;
use crate::tool::walk::{Globs, SearchLimit, SearchTree, ThreadedResults, VisitedFile, WalkEnd};
use crate::tool::{
    Concurrency, DrawnArgs, OneOrMany, Output, ParamAlias, Prepared, RenderCx, ResultView, SessionServices,
    Tool, ToolCx, ToolError, plural,
};
use crate::view::card::{Card, Fact, FileTarget};

const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: i64 = 1000;

pub(super) struct GlobTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Globs: `*`, `**`, `?`, `[..]`, `{a,b}`; without `/` at any depth; a leading `!` excludes.
    pattern: OneOrMany,
    /// Directory to search (default: the session's directory).
    #[serde(default)]
    path: Option<String>,
    /// Globs to leave out.
    #[serde(default)]
    exclude: Option<Vec<String>>,
    /// Most files to show (default 100, at most 1000).
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: Option<i64>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    count: usize,
    total: usize,
    truncated: bool,
    #[serde(default)]
    timed_out: bool,
    files: Vec<File>,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    path: String,
    /// Milliseconds since the Unix epoch.
    mtime: i64,
}

pub(super) struct Plan {
    searches: Vec<GlobSearch>,
    limit: usize,
    title: String,
}

/// A directory to search, and for what.
struct GlobSearch {
    path: Resolved,
    base: Base,
    globs: Globs,
}

impl Tool for GlobTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "glob";
    const ALIASES: &'static [&'static str] = &["find", "find_files"];
    const DESCRIPTION: &'static str =
        "Find files by name. Honours .gitignore, includes hidden files; newest first.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const PARAM_ALIASES: &'static [ParamAlias] = &[ParamAlias::name("patterns", "pattern")];
    const DYNAMIC: bool = true;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let patterns = args.pattern.into_vec();
        if patterns.iter().all(String::is_empty) {
            let error = ToolError::invalid_args("`pattern` is empty");
            return Err(error.hint("Use `**` for all files."));
        }
        let hint = "Give the directory as `path` and the name as `pattern`.";
        let SearchPath { path, mut asks } = search_directory(cx, args.path.as_deref().unwrap_or("."), hint)?;
        let PatternsByDirectory { near, away } = separate(&patterns, &path)?;
        let (excluded, near): (Vec<String>, Vec<String>) =
            near.into_iter().partition(|pattern| pattern.starts_with('!'));
        let mut wanted = Vec::new();
        // No pattern at all means every file, and only where none leads elsewhere.
        if !near.is_empty() || away.is_empty() {
            wanted.push((path, near));
        }
        for away in away {
            let found = cx.path(&away.directory)?;
            asks.extend(
                found
                    .asks
                    .into_iter()
                    .filter(|ask| !asks.contains(ask))
                    .collect::<Vec<_>>(),
            );
            if found.resolved.kind == PathKind::Directory {
                wanted.push((found.resolved, vec![away.pattern]));
            }
        }
        let exclude = args.exclude.unwrap_or_default();
        let searches = cx
            .blocking(move || {
                let search = |(path, mut patterns): (Resolved, Vec<String>)| {
                    // They hold in every directory.
                    patterns.extend(excluded.iter().cloned());
                    Ok(GlobSearch {
                        globs: Globs::below(&path, &patterns, &exclude)?,
                        base: Base::of(&path),
                        path,
                    })
                };
                wanted.into_iter().map(search).collect::<Result<_, ToolError>>()
            })
            .await?;
        let asked = patterns.iter().filter(|pattern| !pattern.is_empty());
        asks.extend(
            asked.map(|pattern| Ask::new(PermissionKey::own("glob"), Subject::new(pattern)).always("*")),
        );
        let limit = limit_of(args.limit, DEFAULT_LIMIT);
        let plan = Plan {
            searches,
            limit,
            title: patterns.join(" "),
        };
        Ok(Prepared::new(plan, asks))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let limit = SearchLimit::of(cx);
        let services = Arc::clone(&cx.services);
        cx.blocking(move || {
            for search in &plan.searches {
                check_place(&services, &search.path)?;
            }
            Ok(search(&plan, &limit, &services))
        })
        .await
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        Card::new("Glob", args.texts("pattern"))
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        let details = result.details;
        let card = self
            .render_call(result.args, cx)
            .meta(Fact::count(details.total, "file"));
        let files = details.files.iter();
        let paths = files.map(|file| file_row(&file.path, FileTarget::shown(&file.path)));
        rows(card, paths, details.total, COLLAPSED, cx)
    }
}

fn search(plan: &Plan, limit: &SearchLimit, services: &SessionServices) -> Output<Details> {
    let readable = services.gate.readable();
    let mut found: Vec<(SystemTime, usize, PathBuf)> = Vec::new();
    let mut end = WalkEnd::default();
    for (index, search) in plan.searches.iter().enumerate() {
        let collected = ThreadedResults::new();
        let tree = SearchTree {
            root: &search.base.real,
            globs: &search.globs,
            limit,
            gate: &readable,
        };
        end.add(tree.files(|| {
            let mut thread_results = collected.thread_results();
            move |found: &VisitedFile<'_>| {
                let meta = found.entry.metadata().ok();
                let modified = meta.and_then(|meta| meta.modified().ok());
                thread_results.push((modified.unwrap_or(UNIX_EPOCH), index, found.relative.to_owned()));
            }
        }));
        found.extend(collected.into_vec());
    }
    found.sort_unstable_by(|(a_time, a_index, a), (b_time, b_index, b)| {
        b_time.cmp(a_time).then_with(|| (a_index, a).cmp(&(b_index, b)))
    });
    if plan.searches.len() > 1 {
        // One of the directories may lie in another.
        let mut seen = HashSet::new();
        found.retain(|(_, index, path)| seen.insert(plan.searches[*index].base.real.join(path)));
    }
    let total = found.len();
    found.truncate(plan.limit);
    let shown = found.into_iter().map(|(modified, index, path)| File {
        path: plan.searches[index].base.name(&path),
        mtime: milliseconds(modified),
    });
    let details = Details {
        count: total.min(plan.limit),
        total,
        truncated: total > plan.limit,
        timed_out: end.timed_out(limit),
        files: shown.collect(),
    };
    let title = format!("{} · {}", plan.title, plural(total, "file"));
    let mut text = answer(&details);
    for notice in end.notices(&services.roots) {
        let _ = write!(text, "\n\n{notice}");
    }
    let mut output = Output::new(title, text, details);
    limit.mark(&mut output, &end);
    output
}

fn answer(details: &Details) -> String {
    if details.total == 0 {
        return "No files found".to_owned();
    }
    let mut text = format!("Found {}\n", plural(details.total, "file"));
    for file in &details.files {
        text.push('\n');
        text.push_str(&one_line(&file.path));
    }
    if details.truncated {
        let _ = write!(
            text,
            "\n\n({} newest of {} shown; narrow the pattern)",
            details.count, details.total
        );
    }
    text
}

fn milliseconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::conversation::ErrorKind;
    use crate::tool::harness::Harness;
    use crate::view::card::CardPart;

    fn age(project: &Harness, path: &str, seconds: u64) {
        let file = fs::File::options().write(true).open(project.path(path)).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(1_700_000_000 - seconds);
        file.set_modified(time).unwrap();
    }

    fn tree() -> Harness {
        let project = Harness::new();
        for (path, seconds) in [
            ("a.rs", 30),
            ("src/b.rs", 10),
            ("src/deep/c.rs", 20),
            ("src/d.ts", 5),
            (".hidden/e.rs", 40),
        ] {
            project.write(path, "");
            age(&project, path, seconds);
        }
        project
    }

    async fn found(project: &Harness, args: Value) -> Vec<String> {
        let text = project.ok("glob", args).await;
        text.lines().skip(2).map(str::to_owned).collect()
    }

    #[tokio::test]
    async fn files_come_newest_first_below_a_count() {
        let project = tree();
        assert_eq!(
            project.ok("glob", json!({"pattern": "*.rs"})).await,
            "Found 4 files\n\nsrc/b.rs\nsrc/deep/c.rs\na.rs\n.hidden/e.rs"
        );
        assert_eq!(
            project.ok("glob", json!({"pattern": "*.ts"})).await,
            "Found 1 file\n\nsrc/d.ts"
        );
        assert_eq!(
            project.ok("glob", json!({"pattern": "*.py"})).await,
            "No files found"
        );
    }

    #[tokio::test]
    async fn files_of_the_same_time_come_by_path() {
        let project = Harness::new();
        for path in ["c", "a", "b"] {
            project.write(path, "");
            age(&project, path, 0);
        }
        assert_eq!(found(&project, json!({"pattern": "*"})).await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn all_candidates_count_before_the_cut() {
        let project = tree();
        let result = project.run("glob", json!({"pattern": "**", "limit": 2})).await;
        assert_eq!(
            result.output,
            "Found 5 files\n\nsrc/d.ts\nsrc/b.rs\n\n(2 newest of 5 shown; narrow the pattern)"
        );
        assert_eq!(result.details["count"], 2);
        assert_eq!(result.details["total"], 5);
        assert_eq!(result.details["truncated"], true);
        assert_eq!(
            result.details["files"][0],
            json!({"path": "src/d.ts", "mtime": 1_699_999_995_000_i64})
        );
    }

    #[tokio::test]
    async fn the_limit_is_from_one_to_a_thousand() {
        let project = Harness::new();
        for index in 0..1005 {
            project.write(format!("f{index}"), "");
        }
        for (limit, wanted) in [(json!(null), 100), (json!("1000"), 1000), (json!(7), 7)] {
            let result = project
                .run("glob", json!({"pattern": "f*", "limit": limit}))
                .await;
            assert_eq!(result.details["count"], wanted);
        }
        for limit in [0, -1, 1001] {
            let (kind, text) = project
                .error("glob", json!({"pattern": "f*", "limit": limit}))
                .await;
            assert_eq!(kind, ErrorKind::InvalidArgs, "{limit}");
            assert!(text.contains("integer from 1 to 1000, got number"), "{text}");
        }
    }

    #[tokio::test]
    async fn a_pattern_with_a_slash_starts_at_path() {
        let project = tree();
        assert_eq!(
            found(&project, json!({"pattern": "src/*.rs"})).await,
            ["src/b.rs"]
        );
        assert_eq!(
            found(&project, json!({"pattern": "deep/*", "path": "src"})).await,
            ["src/deep/c.rs"]
        );
        let absolute = project.path("src").join("*.rs");
        assert_eq!(found(&project, json!({"pattern": absolute})).await, ["src/b.rs"]);
    }

    #[tokio::test]
    async fn several_patterns_and_exclusions_work_together() {
        let project = tree();
        for args in [
            json!({"pattern": ["*.rs", "*.ts", "!deep/**", "!a.*"]}),
            json!({"patterns": "[\"*.rs\", \"*.ts\"]", "exclude": ["deep", "a.rs"]}),
            json!({"pattern": "*.{rs,ts}", "exclude": "[ac].rs"}),
        ] {
            let mut names = found(&project, args.clone()).await;
            names.retain(|name| name != "src/deep/c.rs" || args["exclude"][0] == "deep");
            assert_eq!(names, ["src/d.ts", "src/b.rs", ".hidden/e.rs"], "{args}");
        }
    }

    #[tokio::test]
    async fn ignored_files_and_git_are_left_out_and_hidden_ones_are_not() {
        let project = tree();
        project.write(".gitignore", "*.ts\n/deep\n");
        project.write(".ignore", ".hidden\n");
        project.write(".git/config.rs", "");
        project.write("sub/.git", "gitdir: elsewhere");
        project.write("sub/.env", "");
        let mut names = found(&project, json!({"pattern": "**"})).await;
        names.sort();
        assert_eq!(
            names,
            [
                ".gitignore",
                ".ignore",
                "a.rs",
                "src/b.rs",
                "src/deep/c.rs",
                "sub/.env"
            ]
        );
        assert_eq!(
            project.ok("glob", json!({"pattern": "*", "path": ".git"})).await,
            "No files found"
        );
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn links_are_not_followed_unless_the_search_begins_at_one() {
        let project = tree();
        std::os::unix::fs::symlink(project.path("src"), project.path("link")).unwrap();
        std::os::unix::fs::symlink("..", project.path("src/loop")).unwrap();
        assert_eq!(found(&project, json!({"pattern": "b.rs"})).await, ["src/b.rs"]);
        assert_eq!(
            found(&project, json!({"pattern": "b.rs", "path": "link"})).await,
            ["link/b.rs"]
        );
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn odd_names_stay_on_one_line() {
        use std::os::unix::ffi::OsStrExt;
        let project = Harness::new();
        project.write("a\nb\x1b[31m.txt", "");
        project.write(std::ffi::OsStr::from_bytes(b"bad\xff.txt"), "");
        project.write("with space é.txt", "");
        let mut names = found(&project, json!({"pattern": "*.txt"})).await;
        names.sort();
        assert_eq!(
            names,
            ["a\\nb\\u{1b}[31m.txt", "bad\u{fffd}.txt", "with space é.txt"]
        );
    }

    #[tokio::test]
    async fn what_is_no_directory_is_refused() {
        let project = tree();
        let (kind, text) = project
            .error("glob", json!({"pattern": "*", "path": "a.rs"}))
            .await;
        assert_eq!(kind, ErrorKind::NotDirectory);
        assert!(text.starts_with("Error: `a.rs` is not a directory"), "{text}");
        let (kind, _) = project
            .error("glob", json!({"pattern": "*", "path": "none"}))
            .await;
        assert_eq!(kind, ErrorKind::NotFound);
        fs::remove_dir_all(project.path("")).unwrap();
        let (kind, _) = project.error("glob", json!({"pattern": "*"})).await;
        assert_eq!(kind, ErrorKind::NotFound);
    }

    #[tokio::test]
    async fn a_broken_or_empty_pattern_is_refused() {
        let project = tree();
        let (kind, text) = project.error("glob", json!({"pattern": "a{b"})).await;
        assert_eq!(kind, ErrorKind::Parse);
        assert!(text.contains("`a{b` is not a glob"), "{text}");
        let (kind, _) = project.error("glob", json!({"pattern": ""})).await;
        assert_eq!(kind, ErrorKind::InvalidArgs);
    }

    #[tokio::test]
    async fn each_pattern_is_asked_and_so_is_what_lies_outside() {
        let project = Harness::with_rules(json!({"glob": {"*.pem": "deny"}}));
        let (kind, _) = project.error("glob", json!({"pattern": ["*.rs", "*.pem"]})).await;
        assert_eq!(kind, ErrorKind::Denied);
        let outside = project.outside("");
        for path in [outside.clone(), outside.join("none")] {
            let (kind, _) = project.error("glob", json!({"pattern": "*", "path": path})).await;
            assert_eq!(kind, ErrorKind::Denied, "{}", path.display());
        }
        assert_eq!(project.asked()[0].0, "external_directory");
    }

    #[tokio::test]
    async fn out_of_time_says_so_in_the_last_line() {
        let project = Harness::with_settings(|settings| settings.search.timeout = Duration::ZERO);
        project.write("a", "");
        let result = project.run("glob", json!({"pattern": "*"})).await;
        assert!(result.ok);
        assert_eq!(
            result.output.lines().last(),
            Some("(stopped after 0 s; results are incomplete)")
        );
        assert_eq!(result.details["timed_out"], true);
    }

    #[tokio::test]
    async fn cards_show_the_pattern_as_it_comes_and_six_files() {
        let project = Harness::new();
        for index in 0..8 {
            project.write(format!("f{index}"), "");
        }
        assert_eq!(
            project.draw_call("glob", r#"{"pattern": "src/*"#).argument,
            "src/*"
        );
        assert_eq!(
            project.draw_call("glob", r#"{"pattern": ["*.rs", "*.t"#).argument,
            "*.rs *.t"
        );
        let args = json!({"pattern": "f*"});
        let result = project.run("glob", args.clone()).await;
        let card = project.draw_result("glob", &args, &result, false);
        assert_eq!((card.title.as_str(), card.argument.as_str()), ("Glob", "f*"));
        assert_eq!(card.meta, ["8 files"]);
        let [CardPart::Lines(lines), CardPart::Omitted(more)] = card.body.as_slice() else {
            panic!("{:?}", card.body)
        };
        assert_eq!((lines.len(), more.as_str()), (6, "2 more"));
        let card = project.draw_result("glob", &args, &result, true);
        assert!(matches!(card.body.as_slice(), [CardPart::Lines(lines)] if lines.len() == 8));
    }
}
