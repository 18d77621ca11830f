//! Git as lathe itself runs it: disarmed, confined, bounded, and nowhere else.
//!
//! A repository, the user and the system can each name programs that git starts while it only reads: a monitor of files,
//! hooks, filters, drivers, pagers, signers, helpers of transports. [`mod@disarmed`] is the one table of what takes them back;
//! a command of the model that only reads gets the same environment. [`Git`] is the one door through which lathe asks git
//! something itself, and a scan of the sources keeps it the only one. It writes only where [`WritableDirs`] says so, and
//! asks only once what git would read whole was measured ([`mod@measure`]).
//!
//! [`RepositoryCache`] keeps answers for as long as every file that they come from is the same: those that say which
//! directories git uses and how it is set, and those that come from the references and the index alone ([`Sources`]).

mod answer_cache;
mod cache;
mod disarmed;
mod fingerprint;
mod links;
mod measure;
mod query;
mod repository;
mod sources;
mod writing;

pub use cache::RepositoryCache;
pub use disarmed::{Drivers, Submodules, Variables, disarmed, own_programs};
pub use measure::unbounded_file;
pub use query::{Git, GitAnswer, GitError, Limits};
pub use repository::{Repository, RepositoryFacts};
pub use sources::Sources;
pub use writing::WritableDirs;

#[cfg(test)]
mod tests;
