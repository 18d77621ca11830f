//! The only module that writes project files, and the way to read and name them safely.
//!
//! [`resolve`] turns a path as a model or a user wrote it into one absolute path and says whether it lies in the project;
//! [`text_file`] reads a file and computes its new bytes after an edit without touching a line that was not edited;
//! [`transaction`] puts new bytes in place through open directories, all files or none; [`locks`] keeps two writers from
//! the same path.
//!
//! ```text
//! let target = roots.resolve(given)?;
//! let _lock = path_locks.lock(&[target.real.clone()]).await;
//! let file = TextFile::open_real(target.for_writing()?)?;
//! let bytes = file.splice(&[(0..0, "first line\n".to_owned())])?;
//! let mut transaction = Transaction::new(&records_dir, roots.project_root());
//! transaction.replace(&target.real, bytes, Expected::Hash(file.hash().clone()));
//! transaction.commit()?;
//! ```
//!
//! Everything but the locks blocks: async callers use `spawn_blocking`. Nothing here asks for permission, knows what a
//! session has read, or keeps earlier contents; the layers above do, and a [`ChangeLog`] is told of every change.

mod current;
mod directory;
mod error;
mod hash;
pub mod locks;
mod moment;
pub mod resolve;
pub mod text_file;
pub mod transaction;

pub use current::CurrentFile;
pub use error::{FileError, FileProblem};
pub use hash::ContentHash;
pub use locks::{PathGuard, PathLocks};
pub use moment::FileMoment;
pub use resolve::{PathError, PathKind, Resolved, Roots, local_path};
pub use text_file::{Eol, SpliceError, TextFile, looks_binary};
pub use transaction::{ChangeLog, ExpectedContent, FileVersion, LoggedChange, Transaction, recover};
