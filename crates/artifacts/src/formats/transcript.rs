//! `transcript.md` of a challenge (S4): everything said, in order, in one file. Derived.

use super::report::harmless_block;
use super::verdict::Account;
use forge_debate::brief::{one_line, plain};
use std::fmt::Write as _;

/// Writes the transcript.
pub fn write(account: &Account) -> String {
    let mut out = format!("# Transcript: {}\n", one_line(&account.plan.question));
    for turn in &account.turns {
        let _ =
            write!(out, "\n---\n\n## {}\n\n*{} · {} · `{}`*\n\n", turn.key, turn.agent, turn.answered_at, turn.file);
        match &turn.text {
            // Headings of a turn go below this document's own.
            Some(text) => {
                let mut fenced = false;
                for line in harmless_block(&plain(text)).lines() {
                    fenced ^= line.trim_start().starts_with("```");
                    let lowered = !fenced && line.starts_with('#');
                    let _ = writeln!(out, "{}{line}", if lowered { "##" } else { "" });
                }
            }
            None => out.push_str("*did not speak*\n"),
        }
    }
    out
}
