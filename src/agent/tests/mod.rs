//! Tests of the turn, the history and the requests of providers together.

mod fault_sequences;
mod withheld_parts;
