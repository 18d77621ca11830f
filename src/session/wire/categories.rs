//! Categories: kinds of work that a task can be asked for in place of an agent.
//!
//! Each is worked on by agent `general`, with a model and words of its own. The words stand behind the prompt of the task, so
//! that the prompts of all tasks of an agent begin alike.

use super::OpenRequest;
use crate::config::schema;
use crate::conversation::{ErrorKind, ModelRef};
use crate::provider::Catalog;
use crate::tool::ToolError;

/// The agent that works on tasks of every category.
pub(super) const AGENT: &str = "general";

/// A built-in category.
struct BuiltIn {
    name: &'static str,
    /// Worked on by `small_model`, where that is set.
    is_small: bool,
    words: &'static str,
}

const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "visual-engineering",
        is_small: false,
        words: "This is work on what people see. Follow the design that is there; mind layout, contrast, keyboard use, \
                small screens and empty states.",
    },
    BuiltIn {
        name: "ultrabrain",
        is_small: false,
        words: "This is hard reasoning. Take the time to look at it from several sides, try to refute your answer before \
                you give it, and say what it rests on.",
    },
    BuiltIn {
        name: "deep",
        is_small: false,
        words: "This wants thorough work. Read everything that is concerned before you change anything, follow the cause to \
                its end, and check the result in more than one way.",
    },
    BuiltIn {
        name: "artistry",
        is_small: false,
        words: "This wants ideas. Think of several that differ, choose the one that serves the purpose best, and carry it \
                through with care.",
    },
    BuiltIn {
        name: "quick",
        is_small: true,
        words: "This is a small, plain piece of work. Do exactly what is asked in as few steps as it takes, check it, and stop.",
    },
    BuiltIn {
        name: "unspecified-low",
        is_small: true,
        words: "This is work of little effort. Keep to what is asked, and hand it back if it turns out to be more.",
    },
    BuiltIn {
        name: "unspecified-high",
        is_small: false,
        words: "This is work of several steps. Plan it first, then carry it out step by step and check each.",
    },
    BuiltIn {
        name: "writing",
        is_small: false,
        words: "This is writing. Plain words, short sentences, the reader's view; everything that is said of the code is \
                checked in the code.",
    },
];

/// A category as the configuration leaves it.
pub(super) struct Category {
    pub(super) name: String,
    /// The one that it names; of a small one `small_model`.
    pub(super) model: Option<ModelRef>,
    pub(super) temperature: Option<f64>,
    /// Stands behind the prompt of a task; may be empty.
    pub(super) words: String,
    /// Names or wildcards, switched on or off.
    pub(super) tools: Vec<(String, bool)>,
}

/// Returns the names of the categories, the built-in ones first.
pub(super) fn names(request: &OpenRequest) -> Vec<String> {
    let configured = &request.loaded.config.categories;
    let is_on = |name: &str| configured.get(name).is_none_or(|category| !category.disable);
    let built_in = BUILT_IN.iter().map(|category| category.name);
    let own = configured.iter().map(|(name, _)| name);
    let own = own.filter(|name| !BUILT_IN.iter().any(|category| category.name == *name));
    let all = built_in.chain(own).filter(|name| is_on(name));
    all.map(str::to_owned).collect()
}

/// Returns the category of a name, in any case.
pub(super) fn find(request: &OpenRequest, catalog: &Catalog, name: &str) -> Result<Category, ToolError> {
    let names = names(request);
    let Some(name) = names.iter().find(|known| known.eq_ignore_ascii_case(name.trim())) else {
        let error = ToolError::new(ErrorKind::NotFound, format!("there is no category `{name}`"));
        let there: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return Err(error.hint(format!(
            "There are {}; or name an agent as `subagent_type`.",
            there.join(", ")
        )));
    };
    let built_in = BUILT_IN.iter().find(|category| category.name == name);
    let configured = request.loaded.config.categories.get(name);
    let own = configured.and_then(|category| category.model.as_ref());
    // One that cannot be read was refused with the configuration.
    let own = own.and_then(|model| model.parse().ok());
    let is_small = built_in.is_some_and(|category| category.is_small);
    let small = request.loaded.config.small_model.clone();
    let small = small.filter(|model| is_small && catalog.usable(&model.provider).is_ok());
    let words = built_in.map(|category| category.words.to_owned());
    let more = configured.and_then(|category| category.prompt_append.clone());
    let words: Vec<String> = words.into_iter().chain(more).collect();
    Ok(Category {
        name: name.clone(),
        model: own.or(small),
        temperature: configured.and_then(|category| category.temperature),
        words: words.join("\n"),
        tools: configured.map(tools).unwrap_or_default(),
    })
}

fn tools(category: &schema::Category) -> Vec<(String, bool)> {
    let tools = category.tools.iter();
    tools.map(|(name, on)| (name.to_owned(), *on)).collect()
}

/// Says what of the configured categories this version cannot follow.
pub(super) fn without_effect(request: &OpenRequest) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, category) in request.loaded.config.categories.iter() {
        if category.variant.is_some() {
            notes.push(format!(
                "`variant` of category `{name}` has no effect: models have no variants in this build of lathe yet"
            ));
        }
        if !category.load_skills.is_empty() {
            notes.push(format!(
                "`load_skills` of category `{name}` has no effect: this build of lathe has no skills yet"
            ));
        }
    }
    notes
}
