//! Exchanges with a model, recorded and played again.
//!
//! A cassette is a file of JSON lines, one for each request: what it was for and what stood at its end, and the reply's
//! events with the time between them. Keys never enter it. A [`Recorder`] stands in front of a provider and writes; a
//! [`Player`] is a provider that answers from what was written. The demo is a cassette like any other.
//!
//! Conversations that went on side by side are told apart by their agents and first prompts, and a recording keeps the order
//! between them.
//!
//! A hand-written line may say `{"think": "…"}`, `{"say": "…"}` and `{"use": {"name": …, "args": …}}` in place of the
//! events that these stand for, and may leave out `usage` and the closing `stop`:
//!
//! ```json
//! {"v":1,"session":"a","purpose":"turn","request":{"last":"user"},"reply":[{"ms":20,"say":"Hello."}]}
//! ```

mod format;
mod order;
mod player;
mod recorder;
mod secrets;

pub use player::{MatchMode, PlaybackSpeed, Player};
pub use recorder::Recorder;
