//! The keeper alone: for tests of this crate, and for programs that use forge as a library and do not want to be started
//! a second time themselves. The `forge` binary is its own keeper.

use std::process::ExitCode;

fn main() -> ExitCode {
    forge_agents::keeper::serve_if_asked().unwrap_or(ExitCode::FAILURE)
}
