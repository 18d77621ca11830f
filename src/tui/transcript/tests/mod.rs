//! The transcript as a person meets it: events in, pictures out.

mod folding;
mod forking;
mod long_texts;
mod opening;
mod pictures;
mod random;
mod scene;
mod scrolling;
mod searching;
mod selecting;
mod waiting;
