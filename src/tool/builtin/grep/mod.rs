//! `grep`: lines by regular expression, through ripgrep's own libraries.
//!
//! `pattern` compiles what was asked for, `search` walks and collects on several threads, `output` writes what the model
//! reads, `card` draws. A match is a line on which one begins, so counts agree with what is shown. Files that `read` would
//! not show without asking are never looked into.

mod card;
mod first_matches;
mod line;
mod output;
mod pattern;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use grep_regex::RegexMatcher;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::search_path::{Base, check_place, search_path};
use crate::files::{PathKind, Resolved};
use crate::permission::{Ask, PermissionKey, Subject};
use crate::tool::walk::{Globs, SearchLimit, split_globs};
use crate::tool::{
    Concurrency, DrawnArgs, OneOrMany, Output, ParamAlias, Prepared, RenderCx, ResultView, Tool, ToolCx,
    ToolError,
};
use crate::view::card::{Card, Fact};

const DEFAULT_LIMIT: i64 = 200;

pub(super) struct GrepTool;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Args {
    /// Rust regular expression (no look-around, no back-references).
    pattern: String,
    /// File or directory, or several (default: the session's directory).
    #[serde(default)]
    path: Option<OneOrMany>,
    /// Globs of files to search, from `path`; commas separate.
    #[serde(default)]
    include: Option<OneOrMany>,
    /// Globs of files to leave out.
    #[serde(default)]
    exclude: Option<OneOrMany>,
    /// Default true.
    #[serde(default)]
    case_sensitive: Option<bool>,
    /// The pattern is plain text.
    #[serde(default)]
    literal: bool,
    /// `.` and classes may cross lines.
    #[serde(default)]
    multiline: bool,
    /// Lines around each match, 0 to 10.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    context: Option<i64>,
    /// Lines before each match (default: `context`).
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    before: Option<i64>,
    /// Lines after each match (default: `context`).
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    after: Option<i64>,
    /// `content` (default), `files_with_matches` (newest first) or `count` (highest first).
    #[serde(default)]
    output_mode: OutputMode,
    /// Most matches (files in the other modes), default 200; 0 for all.
    #[serde(default)]
    #[schemars(range(min = 0))]
    limit: Option<i64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutputMode {
    #[default]
    Content,
    FilesWithMatches,
    Count,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Details {
    matches: usize,
    files: usize,
    truncated: bool,
    #[serde(default)]
    timed_out: bool,
    skipped_unreadable: usize,
    /// There are more than were counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    counting_stopped: bool,
    items: Vec<Item>,
    /// Byte range of the match in the text of each item.
    #[serde(default)]
    spans: Vec<(usize, usize)>,
}

impl Details {
    /// The sign behind each number: `+` where counting stopped.
    fn plus(&self) -> &'static str {
        if self.counting_stopped { "+" } else { "" }
    }

    /// Returns a number with its noun: `3 files`, `50000+ matches`.
    fn count_of(&self, number: usize, noun: &'static str) -> Fact {
        Fact::Count {
            number,
            noun: noun.into(),
            is_least: self.counting_stopped,
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Item {
    path: String,
    line: u64,
    column: usize,
    text: String,
}

pub(super) struct Plan {
    matcher: RegexMatcher,
    /// Resolved targets, as they were asked about.
    paths: Vec<Resolved>,
    targets: Vec<SearchTarget>,
    multiline: bool,
    /// Lines shown before each match, and after it.
    before: usize,
    after: usize,
    mode: OutputMode,
    /// `usize::MAX` for none.
    limit: usize,
    title: String,
}

enum SearchTarget {
    Directory(Base, Globs),
    File(Resolved),
}

impl Tool for GrepTool {
    type Args = Args;
    type Plan = Plan;
    type Details = Details;

    const NAME: &'static str = "grep";
    const ALIASES: &'static [&'static str] = &["search", "ripgrep"];
    const DESCRIPTION: &'static str = "\
        Search file contents. Honours .gitignore, includes hidden files, skips binary files and files over 10 MiB.";
    const CONCURRENCY: Concurrency = Concurrency::Shared;
    const PARAM_ALIASES: &'static [ParamAlias] = &[
        ParamAlias::name("paths", "path"),
        ParamAlias::name("file_pattern", "include"),
        ParamAlias::name("glob", "include"),
        ParamAlias::not("case_insensitive", "case_sensitive"),
        ParamAlias::not("ignore_case", "case_sensitive"),
        ParamAlias::not("-i", "case_sensitive"),
        ParamAlias::name("fixed_strings", "literal"),
        ParamAlias::name("-C", "context"),
        ParamAlias::name("-B", "before"),
        ParamAlias::name("-A", "after"),
        ParamAlias::name("head_limit", "limit"),
        ParamAlias::name("max_results", "limit"),
    ];
    const DYNAMIC: bool = true;

    async fn prepare(&self, args: Args, cx: &ToolCx) -> Result<Prepared<Plan>, ToolError> {
        let given = args.path.map(OneOrMany::into_vec).unwrap_or_default();
        let mut given: Vec<String> = given.into_iter().filter(|path| !path.is_empty()).collect();
        if given.is_empty() {
            given.push(".".to_owned());
        }
        let mut asks = Vec::new();
        let mut paths = Vec::new();
        for path in &given {
            let found = search_path(cx, path, asks)?;
            asks = found.asks;
            paths.push(found.path);
        }
        let reading = pattern::PatternReading {
            case_sensitive: args.case_sensitive != Some(false),
            literal: args.literal,
            multiline: args.multiline,
        };
        let (written, searched) = (args.pattern.clone(), paths.clone());
        let (include, exclude) = (split(args.include), split(args.exclude));
        let (matcher, targets) = cx
            .blocking(move || {
                let matcher = pattern::compile(&written, reading)?;
                let targets = targets(&searched, &include, &exclude)?;
                Ok((matcher, targets))
            })
            .await?;
        let lines = |own: Option<i64>| usize::try_from(own.or(args.context).unwrap_or(0)).unwrap_or(0);
        asks.push(Ask::new(PermissionKey::own("grep"), Subject::new(&args.pattern)).always("*"));
        let plan = Plan {
            matcher,
            paths,
            targets,
            multiline: args.multiline,
            before: lines(args.before),
            after: lines(args.after),
            mode: args.output_mode,
            limit: match args.limit.unwrap_or(DEFAULT_LIMIT) {
                ..=0 => usize::MAX,
                limit => usize::try_from(limit).unwrap_or(usize::MAX),
            },
            title: args.pattern,
        };
        Ok(Prepared::new(plan, asks))
    }

    async fn execute(&self, plan: Plan, cx: &ToolCx) -> Result<Output<Details>, ToolError> {
        let limit = SearchLimit::of(cx);
        let services = Arc::clone(&cx.services);
        let readable = cx.services.gate.readable();
        cx.blocking(move || {
            for path in &plan.paths {
                check_place(&services, path)?;
            }
            let found = search::search(&plan, &limit, &readable);
            Ok(output::answer(&plan, &found, &limit, &services.roots))
        })
        .await
    }

    fn render_call(&self, args: DrawnArgs<'_>, _: RenderCx) -> Card {
        card::call(args)
    }

    fn render_result(&self, result: ResultView<'_, Details>, cx: RenderCx) -> Card {
        card::result(result.args, &result.details, cx)
    }
}

fn targets(
    paths: &[Resolved],
    include: &[String],
    exclude: &[String],
) -> Result<Vec<SearchTarget>, ToolError> {
    let target = |path: &Resolved| {
        // Also for a file, where they do not count: what is no glob is told.
        let globs = Globs::below(path, include, exclude)?;
        Ok(match path.kind {
            PathKind::Directory => SearchTarget::Directory(Base::of(path), globs),
            _ => SearchTarget::File(path.clone()),
        })
    };
    paths.iter().map(target).collect()
}

fn split(globs: Option<OneOrMany>) -> Vec<String> {
    let globs = globs.map(OneOrMany::into_vec).unwrap_or_default();
    globs.iter().flat_map(|glob| split_globs(glob)).collect()
}
