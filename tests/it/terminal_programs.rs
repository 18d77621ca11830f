//! Real programs in terminals of lathe's own.

mod ending;
mod support;
mod terminal;
mod waiting;
