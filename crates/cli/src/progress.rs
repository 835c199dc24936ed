//! Progress on standard error: a live line per seat on a terminal, plain lines elsewhere.

use crate::render::{one_line, safe};
use forge_debate::turn::TurnKey;
use forge_engine::{Event, Watch};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const TICK: Duration = Duration::from_millis(120);
const DETAIL_WIDTH: usize = 160;

/// Shows what happens.
pub(crate) struct Progress {
    screen: Screen,
    /// Calls made and tokens used in this run so far.
    spent: Mutex<(u32, u64)>,
}

enum Screen {
    /// On a terminal.
    Live(Box<Live>),
    /// Elsewhere.
    Lines,
}

/// The live lines.
struct Live {
    screen: MultiProgress,
    seats: Mutex<BTreeMap<TurnKey, ProgressBar>>,
}

impl Progress {
    /// Live lines if standard error is a terminal.
    pub(crate) fn new() -> Self {
        let screen = if std::io::stderr().is_terminal() {
            Screen::Live(Box::new(Live { screen: MultiProgress::new(), seats: Mutex::new(BTreeMap::new()) }))
        } else {
            Screen::Lines
        };
        Self { screen, spent: Mutex::new((0, 0)) }
    }

    fn say(&self, text: &str) {
        let text = safe(text);
        match &self.screen {
            Screen::Live(live) => {
                let _ = live.screen.println(text);
            }
            Screen::Lines => {
                let _ = writeln!(std::io::stderr().lock(), "{text}");
            }
        }
    }

    /// Adds to the running total and, between waves, says how much it is.
    fn count(&self, calls: u32, tokens: u64) -> (u32, u64) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.0 += calls;
        spent.1 += tokens;
        *spent
    }

    /// Puts `state` on the seat's line, and leaves it there if the seat is done.
    fn seat(&self, key: &TurnKey, state: &str, done: bool) {
        let Screen::Live(live) = &self.screen else {
            self.say(&format!("  {key}: {state}"));
            return;
        };
        let mut seats = live.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = seats.entry(key.clone()).or_insert_with(|| {
            let bar = live.screen.add(ProgressBar::new_spinner());
            if let Ok(style) = ProgressStyle::with_template("  {spinner} {prefix:.bold} {wide_msg} {elapsed:.dim}") {
                bar.set_style(style);
            }
            bar.set_prefix(key.to_string());
            bar.enable_steady_tick(TICK);
            bar
        });
        let state = one_line(state, DETAIL_WIDTH);
        if done {
            if let Ok(style) = ProgressStyle::with_template("    {prefix:.bold} {wide_msg}") {
                bar.set_style(style);
            }
            bar.finish_with_message(state);
            seats.remove(key);
        } else {
            bar.set_message(state);
        }
    }
}

impl Watch for Progress {
    fn see(&self, event: Event) {
        match event {
            Event::Began { .. } => {}
            Event::Framed { options } => self.say(&format!("  options: {}", options.join("; "))),
            Event::Wave { keys } => {
                let (calls, tokens) = self.count(0, 0);
                if tokens > 0 {
                    self.say(&format!("  so far   {calls} calls, {tokens} tokens"));
                }
                if matches!(self.screen, Screen::Live(_)) {
                    for key in keys {
                        self.seat(&key, "waiting", false);
                    }
                }
            }
            Event::Asking { key, agent, attempt } => {
                self.count(1, 0);
                let again = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                self.seat(&key, &format!("thinking ({agent}{again})"), false);
            }
            Event::Repairing { key, problems } => {
                let first = problems.first().cloned().unwrap_or_default();
                let more = if problems.len() > 1 { format!(" (+{} more)", problems.len() - 1) } else { String::new() };
                self.seat(&key, &format!("missed its form: {first}{more}; asked once more"), false);
            }
            Event::PossiblyPaid { key, attempt } => {
                self.say(&format!(
                    "  {key}: attempt {attempt} of an earlier run has no reply on record; it may have been paid"
                ));
            }
            Event::Spoke { key, milliseconds, tokens, .. } => {
                self.count(0, tokens.unwrap_or(0));
                let tokens = tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
                self.seat(
                    &key,
                    &format!("spoke ({}.{} s{tokens})", milliseconds / 1000, milliseconds % 1000 / 100),
                    true,
                );
            }
            Event::Absent { key, kind, detail } => {
                self.seat(&key, &format!("absent: {}: {detail}", kind.phrase()), true)
            }
            Event::TakenIn { key, file } => self.say(&format!("  {key}: taken in from {file}")),
            Event::NotYet { key, file, problems } => {
                self.say(&format!("  {key}: {file} is not a turn yet:"));
                for problem in problems {
                    self.say(&format!("      - {problem}"));
                }
            }
            // Said at the end, on standard output.
            Event::Waiting { .. } => {}
            Event::Note(text) => self.say(&format!("  note: {text}")),
        }
    }
}
