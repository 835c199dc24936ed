//! Agents as the engine meets them: rehearsal and scripts through whole debates, model APIs against a real server.

// Helpers of tests may fail the test, and print what it found, wherever they are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod ao;
mod bounded;
mod openai;
mod outcomes;
mod rehearsal;
mod roster;
mod scripted;
mod stage;
