//! The `forge` binary: what was typed becomes settings, settings go to the engine, what comes back is rendered.

mod ao;
mod args;
mod commands;
mod environment;
mod exit;
mod progress;
mod render;
mod seating;
mod settings;
mod table;
mod workflow_view;

use args::Cli;
use clap::Parser as _;
use environment::Environment;
use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = forge_agents::keeper::serve_if_asked() {
        return code;
    }
    let environment = Environment::read();
    // Before anything is said: an error repeats what was typed.
    forge_agents::keep_secret(&environment.variables, []);
    let typed = match Cli::try_parse() {
        Ok(typed) => typed,
        // An error repeats what was typed, or pasted.
        Err(error) if error.use_stderr() => {
            render::note(error.render().to_string().trim_end());
            return Exit::Usage.into();
        }
        Err(help) => {
            let _ = help.print();
            return Exit::Done.into();
        }
    };
    // A panic is forge's own failure, and its code is 1 like that of any other; what was recorded is safe either way.
    match std::panic::catch_unwind(|| commands::run(typed, &environment)) {
        Ok(exit) => {
            // A run that was killed together with its keepers could end nothing; the next that starts a program does.
            let ended = forge_agents::keeper::what_was_ended();
            if !ended.is_empty() {
                render::note(&format!("a run that was killed had left something running; ended: {}", ended.join(", ")));
            }
            exit.into()
        }
        Err(_) => {
            render::error(
                "forge itself failed; this is a bug, and what was recorded is safe. Run the same command again.",
            );
            Exit::Failed.into()
        }
    }
}
