//! The pure tests of forge-debate: plans and turns in, verdicts and open asks out. No file, no clock, no mock.
//!
//! `world` runs a debate to its end, `voices` answers any form from data, `ballots` says a particular thing. Every other
//! module is tables, each with one check.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod abstention;
mod adversity;
mod anonymity;
mod ballots;
mod blind;
mod challenge;
mod challenge_files;
mod control;
mod course;
mod decision;
mod families;
mod forms;
mod framing;
mod gate;
mod grounding;
mod judges;
mod masking;
mod option_list;
mod panel;
mod paths;
mod plans;
mod politeness;
mod properties;
mod robustness;
mod sealed;
mod secrets;
mod seeds;
mod simulation;
mod small_worlds;
mod spellings;
mod stamps;
mod tally;
mod threshold;
mod tidy;
mod triage;
mod voices;
mod world;
mod written;
