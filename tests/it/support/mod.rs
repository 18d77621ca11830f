//! The means of the tests of the whole program: a project, a model, the binary and a terminal.
//!
//! ```ignore
//! let server = Server::start();
//! server.script([Turn::tool("bash", json!({"command": "echo hi"})), Turn::text("Done.")]);
//! let project = Project::new().file("a.txt", "one\n").model(&server, Protocol::Anthropic);
//! let finished = Lathe::in_project(&project).args(["run", "say hi"]).run();
//! ```
//!
//! Nothing here sleeps for a fixed time: a test waits for a condition, and a condition that never comes true panics
//! with everything that is known by then. Nothing here knows the program's inside.
//!
//! An area need not use every part, so what no area uses yet is no fault.
#![allow(dead_code, unused_imports)]

mod binary;
mod deadline;
mod emulator;
mod http;
mod keys;
mod model;
mod model_server;
mod project;
mod random;
mod script;
pub(crate) mod seeds;
mod sixel;
mod streaming;
mod terminal;
mod tree;
mod wire;

pub(crate) use binary::{Finished, LATHE, Lathe, Running};
pub(crate) use deadline::{DEADLINE, Watched, wait_until};
pub(crate) use emulator::Reading;
pub(crate) use keys::Key;
pub(crate) use model::{Recorded, Server};
pub(crate) use model_server::OtherAnswer;
pub(crate) use project::Project;
pub(crate) use random::Random;
pub(crate) use script::{Fault, Gate, Protocol, Turn, Usage};
pub(crate) use sixel::Sixel;
pub(crate) use terminal::{Cell, Queries, Terminal};
pub(crate) use tree::plant;
