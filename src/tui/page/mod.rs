//! Pages: what covers the screen between the title and the hints, to be read or worked in, until `esc`.
//!
//! Each is a [`Layer`]. Most pages are text alone. Such a one is a [`Sheet`], which gives lines for a width; [`PageReader`]
//! scrolls and searches.
//!
//! A new page is one file here, its name in [`PageKind`] and its line in [`open`].

mod context;
mod costs;
mod diff;
mod export;
mod hooks;
mod keys;
mod leader;
mod reader;
mod rows;
mod rules;
mod status;

pub(crate) use export::written;
pub(crate) use hooks::HookRuns;
pub(crate) use leader::LeaderTable;
pub(crate) use reader::{PageReader, Sheet};

use super::layer::Layer;

/// Which page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum PageKind {
    Keys,
    Hooks,
    Rules,
    Context,
    Costs,
    Status,
    Export,
    Diff,
}

/// Makes a page. `title` is the session's.
pub(crate) fn open(kind: PageKind, title: &str) -> Box<dyn Layer> {
    match kind {
        PageKind::Keys => Box::new(PageReader::new(keys::Keys)),
        PageKind::Hooks => Box::new(PageReader::new(hooks::Hooks)),
        PageKind::Rules => Box::new(rules::RuleList::default()),
        PageKind::Context => Box::new(PageReader::new(context::Context::default())),
        PageKind::Costs => Box::new(PageReader::new(costs::CostSheet::default())),
        PageKind::Status => Box::new(PageReader::new(status::Status::default())),
        PageKind::Diff => Box::new(diff::Diff::default()),
        PageKind::Export => Box::new(export::Export::new(title)),
    }
}
