//! The `forge` binary: what was typed becomes settings, settings go to the engine, what comes back is rendered.

mod ao;
mod args;
mod commands;
mod environment;
mod exit;
mod failure;
mod progress;
mod render;
mod seating;
mod settings;
mod table;
mod workflow_view;

use args::Cli;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};
use environment::Environment;
use exit::Exit;
use failure::Output;
use serde_json::json;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = forge_agents::keeper::serve_if_asked() {
        return code;
    }
    let environment = Environment::read();
    // Before anything is said: an error repeats what was typed.
    forge_agents::keep_secret(&environment.variables, []);
    let matches = Cli::command().try_get_matches();
    let output = match &matches {
        Ok(matches) if wants_json(matches) => Output::Json,
        // What cannot be parsed is looked at as it was typed.
        Err(_) if std::env::args_os().any(|word| word == "--json") => Output::Json,
        _ => Output::Text,
    };
    let typed = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(typed) => typed,
        // An error repeats what was typed, or pasted.
        Err(error) if error.use_stderr() => {
            let text = error.render().to_string();
            render::note(text.trim_end());
            if output == Output::Json {
                render::json(&json!({"error": {"code": "usage", "message": text.trim_end(), "hint": null}}));
            }
            return Exit::Usage.into();
        }
        Err(help) => {
            let _ = help.print();
            return Exit::Done.into();
        }
    };
    // A panic is forge's own failure, and its code is 1 like that of any other; what was recorded is safe either way.
    match std::panic::catch_unwind(|| commands::run(typed, &environment, output)) {
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

/// Whether `--json` was typed, whichever command it belongs to.
fn wants_json(matches: &ArgMatches) -> bool {
    let own = matches.try_get_one::<bool>("json").ok().flatten();
    own.copied().unwrap_or(false) || matches.subcommand().is_some_and(|(_, inner)| wants_json(inner))
}
