//! Agents as the engine meets them: rehearsal and scripts through whole debates, model APIs against a real server.

// Helpers of tests may fail the test, and print what it found, wherever they are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod acp;
mod ao;
mod api;
mod api_crate;
mod api_file;
mod bounded;
mod cli;
mod finding;
mod keeper;
#[cfg(target_os = "linux")]
mod keeper_dying;
mod keeper_misbehaving;
mod lane;
mod openai;
mod outcomes;
mod recipes;
mod rehearsal;
mod roster;
mod scripted;
mod stage;
