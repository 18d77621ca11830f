//! Tests of the turn, the history and the requests of providers together.

mod withheld_parts;
