//! What a debate is, and every protocol.
//!
//! This crate is pure. It knows no file, clock, process, network or task: a plan and the turns so far go in, and
//! either a verdict or the asks that are still open come out. Everything forge promises about recovery follows from
//! that: there is nothing here to recover.
//!
//! Four layers, each of which knows only those before it (`tests/debate/tidy.rs` holds that):
//!
//! - `model`: plans, turns, ballots, forms, rulings: what there is.
//! - `rules`: how it is read, counted, shown and heard.
//! - `protocols`: each a function over them.
//! - `assessment`: what is found out about a finished debate, and the verdict.
//!
//! Read in this order: [`plan`], [`turn`], [`record`] (the whole idea is in [`record::Record::hear`]), then one of the
//! [`protocols`].

// Published for forge's own crates only; a name that says it needs no sentence.
#![allow(missing_docs)]

mod assessment;
pub mod model;
pub mod protocols;
mod rules;

pub use assessment::{before_control, conclude, control, course, decides, robustness, to_mend, verdict};
pub use forge_prose::hidden;
pub use model::{ballot, cost, datum, defect, digest, fact, form, plan, profile, turn, voting};
pub use rules::{
    anonymity, blind, brief, family, framing, grounding, option_line, option_list, personas, reading, record, tally,
    texts, triage,
};
