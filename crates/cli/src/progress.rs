//! Progress on standard error: a live line per seat on a terminal, plain lines elsewhere.

use crate::render::{one_line, safe};
use forge_artifacts::formats::money;
use forge_debate::turn::TurnKey;
use forge_engine::{Event, Watch, marked};
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
    /// What the debate has used so far, in this run and before.
    spent: Mutex<Spent>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Spent {
    calls: u32,
    tokens: u64,
    /// In millionths of a US dollar; none while nobody says anything.
    cost: Option<u64>,
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
        Self { screen, spent: Mutex::default() }
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

    /// Adds to the running total, and tells how much it is.
    fn count(&self, calls: u32, tokens: Option<u64>, cost: Option<u64>) -> Spent {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.calls += calls;
        spent.tokens = spent.tokens.saturating_add(tokens.unwrap_or(0));
        if let Some(cost) = cost {
            spent.cost = Some(spent.cost.unwrap_or(0).saturating_add(cost));
        }
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
            bar.set_prefix(safe(&key.to_string()));
            bar.enable_steady_tick(TICK);
            bar
        });
        let state = safe(&one_line(state, DETAIL_WIDTH));
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

/// An amount behind other figures; nothing where it is none.
fn dollars(cost: Option<u64>) -> String {
    cost.filter(|cost| *cost > 0).map(|cost| format!(", {} USD", money::plain(cost))).unwrap_or_default()
}

impl Watch for Progress {
    fn see(&self, event: Event) {
        match event {
            Event::Began { .. } => {}
            Event::Resumed { calls, tokens, cost } => {
                self.count(calls, Some(tokens), cost);
            }
            Event::Framed { options } => self.say(&format!("  options: {}", options.join("; "))),
            Event::Wave { keys } => {
                let Spent { calls, tokens, cost } = self.count(0, None, None);
                if tokens > 0 || cost.is_some_and(|cost| cost > 0) {
                    self.say(&format!("  so far   {calls} calls, {tokens} tokens{}", dollars(cost)));
                }
                if matches!(self.screen, Screen::Live(_)) {
                    for key in keys {
                        self.seat(&key, "waiting", false);
                    }
                }
            }
            Event::Asking { key, agent, attempt } => {
                self.count(1, None, None);
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
            Event::Spoke { key, milliseconds, tokens, cost, .. } => {
                self.count(0, tokens, cost);
                let tokens = tokens.map(|tokens| format!(", {tokens} tokens")).unwrap_or_default();
                self.seat(
                    &key,
                    &format!(
                        "spoke ({}.{} s{tokens}{})",
                        milliseconds / 1000,
                        milliseconds % 1000 / 100,
                        dollars(cost)
                    ),
                    true,
                );
            }
            Event::Absent { key, kind, detail, tokens, cost } => {
                self.count(0, tokens, cost);
                self.seat(&key, &format!("absent: {}: {detail}", kind.told()), true)
            }
            Event::TakenIn { key, file } => self.say(&format!("  {key}: taken in from {file}")),
            Event::NotYet { key, file, problems, noted } => {
                self.say(&format!("  {key}: {file} is not a turn yet:"));
                for line in marked(&problems, &noted) {
                    self.say(&format!("      - {line}"));
                }
            }
            // Said at the end, on standard output.
            Event::Waiting { .. } => {}
            Event::Note(text) => self.say(&format!("  note: {text}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge_debate::turn::{AbsenceKind, Stage};

    #[test]
    fn the_running_total_holds_what_was_before_and_what_came_to_nothing() {
        let progress = Progress { screen: Screen::Lines, spent: Mutex::default() };
        progress.see(Event::Resumed { calls: 2, tokens: 300, cost: Some(5) });
        let key = TurnKey { stage: Stage("vote"), round: 1, seat: "risk".into() };
        progress.see(Event::Asking { key: key.clone(), agent: "a".to_owned(), attempt: 1 });
        let (kind, detail) = (AbsenceKind::Crashed, "gone".to_owned());
        progress.see(Event::Absent { key, kind, detail, tokens: Some(40), cost: Some(1) });
        let Spent { calls, tokens, cost } = progress.count(0, None, None);
        assert_eq!((calls, tokens, cost), (3, 340, Some(6)));
    }
}
