//! The pure tests of forge-debate: plans and turns in, verdicts and open asks out. No file, no clock, no mock.
//!
//! `world` runs a debate to its end, `voices` answers any form from data, `ballots` says a particular thing. Every other
//! module is tables, each with one check.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod anonymity;
mod ballots;
mod challenge;
mod decision;
mod final_decision;
mod forms;
mod framing;
mod gate;
mod judges;
mod panel;
mod paths;
mod plans;
mod properties;
mod sealed;
mod tally;
mod threshold;
mod triage;
mod voices;
mod world;
