//! `transcript.md` of a challenge (S4): everything said, in order, in one file. Derived.

use super::report::{harmless, harmless_block};
use super::summary;
use super::verdict::Account;
use forge_debate::brief::{one_line, plain};
use std::fmt::Write as _;

/// Writes the transcript.
pub fn write(account: &Account) -> String {
    let mut out = format!("# Transcript: {}\n", harmless(&one_line(&account.plan.question)));
    if let Some(text) = summary::rehearsal(account) {
        let _ = write!(out, "\n> **REHEARSAL.** {}.\n", harmless(&text));
    }
    for turn in &account.turns {
        let [key, agent] = [turn.key.to_string(), turn.agent.to_string()].map(|text| harmless(&one_line(&text)));
        let file = one_line(&plain(&turn.file)).replace('`', "'");
        let _ = write!(out, "\n---\n\n## {key}\n\n*{agent} · {} · `{file}`*\n\n", turn.answered_at);
        match &turn.text {
            // Headings of a turn go below this document's own.
            Some(text) => {
                let mut fenced = false;
                for line in harmless_block(text).lines() {
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
