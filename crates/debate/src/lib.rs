//! What a debate is, and every protocol.
//!
//! This crate is pure. It knows no file, clock, process, network or task: a plan and the turns so far go in, and
//! either a verdict or the asks that are still open come out. Everything forge promises about recovery follows from
//! that: there is nothing here to recover.
//!
//! Read in this order: [`plan`], [`turn`], [`record`] (the whole idea is in [`record::Record::hear`]), then one of the
//! [`protocols`].

// Published for forge's own crates only; a name that says it needs no sentence.
#![allow(missing_docs)]

pub mod anonymity;
pub mod ballot;
pub mod blind;
pub mod brief;
pub mod control;
pub mod cost;
pub mod course;
pub mod datum;
pub mod defect;
pub mod digest;
mod distinctive;
pub mod domain;
mod doubt;
pub mod fact;
pub mod family;
pub mod form;
pub mod framing;
pub mod grounding;
pub mod hidden;
mod masking;
mod objections;
pub mod option_line;
pub mod option_list;
mod option_names;
pub mod personas;
pub mod plan;
pub mod profile;
pub mod protocols;
pub mod record;
pub mod robustness;
pub mod secrets;
pub mod tally;
pub mod texts;
pub mod triage;
pub mod turn;
pub mod verdict;
mod votes;
