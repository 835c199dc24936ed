//! A program that does what the script beside it says: see `forge_testkit::scripted_agent`.

use std::process::ExitCode;

fn main() -> ExitCode {
    forge_testkit::scripted_agent::play()
}
