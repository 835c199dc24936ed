//! Tripwires: the kill-switch criteria of decisions that stand, taken apart so that they can be watched.
//!
//! Promises: only a valid date is a date; only what stands in backticks after `Check:` is a command; every criterion is
//! listed, also one that says neither.
//!
//! Must never: run anything. The words are a model's; whether a command is run is for a person to say.
//!
//! Pure; if the process dies here nothing is left.

use crate::extract::passages::{Item, bold_label, label, one_line};
use crate::knowledge::{Decision, Knowledge};
use forge_debate::form::is_placeholder;

/// A kill-switch criterion of a decision that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tripwire {
    /// The decision's id and the criterion's number: `D1.2`.
    pub id: String,
    /// The decision's id.
    pub decision: String,
    /// The decision's title.
    pub title: String,
    /// What is watched.
    pub condition: String,
    /// From where on it trips; empty where the criterion does not say it apart.
    pub threshold: String,
    /// How it is noticed.
    pub detection: Option<String>,
    /// When to look.
    pub timeline: Option<String>,
    /// What to do instead.
    pub fallback: Option<String>,
    /// A command that checks it, as written. A model may have written it.
    pub command: Option<String>,
    /// From which day on it is due, as YYYY-MM-DD.
    pub due: Option<String>,
}

impl Tripwire {
    /// Whether its day has come; never where either is no valid date.
    pub fn is_due(&self, today: &str) -> bool {
        self.due.as_deref().is_some_and(|due| is_date(due) && is_date(today) && due <= today)
    }

    /// The criterion in a line.
    pub fn phrase(&self) -> String {
        match self.threshold.as_str() {
            "" => self.condition.clone(),
            threshold => format!("{}: {threshold}", self.condition),
        }
    }
}

/// The criteria of all decisions that stand, in their order.
pub fn tripwires(knowledge: &Knowledge) -> Vec<Tripwire> {
    knowledge
        .standing_decisions()
        .flat_map(|decision| {
            decision.kill_switch.iter().enumerate().map(|(at, criterion)| tripwire(decision, at + 1, criterion))
        })
        .collect()
}

fn tripwire(decision: &Decision, number: usize, criterion: &str) -> Tripwire {
    let item = Item::of(criterion);
    let said = |names: &[&str]| {
        let value = names.iter().find_map(|name| item.labels.iter().find(|(key, _)| key == name));
        value.map(|(_, value)| one_line(value)).filter(|value| !is_placeholder(value))
    };
    let (condition, stated) = condition_and_threshold(&item.text);
    let check = said(&["check", "command"]);
    let command = check.as_deref().and_then(code);
    let prose = check.filter(|_| command.is_none());
    let timeline = said(&["timeline", "when", "review"]);
    let due = said(&["due", "due by", "deadline"]).as_deref().and_then(date_in);
    Tripwire {
        id: format!("{}.{number}", decision.id),
        decision: decision.id.clone(),
        title: decision.title.clone(),
        condition,
        threshold: said(&["threshold"]).filter(|_| stated.is_empty()).unwrap_or(stated),
        detection: said(&["detection", "detect", "monitoring", "monitor"]).or(prose),
        due: due.or_else(|| timeline.as_deref().and_then(date_in)),
        timeline,
        fallback: said(&["fallback", "instead"]),
        command,
    }
}

/// `p99 latency: over 200 ms`, `**Latency**: > 200 ms`, `**Condition:** p99 over 200 ms`, `p99 exceeds 200 ms`.
fn condition_and_threshold(text: &str) -> (String, String) {
    const COMPARISONS: &[&str] = &[
        " > ",
        " >= ",
        " < ",
        " <= ",
        " ≥ ",
        " ≤ ",
        " exceeds ",
        " exceed ",
        " over ",
        " above ",
        " below ",
        " under ",
        " more than ",
        " less than ",
        " fewer than ",
        " at least ",
        " at most ",
        " drops ",
        " reaches ",
    ];
    if let Some((key, value)) = bold_label(text).or_else(|| label(text)) {
        if key == "condition" || key == "criterion" {
            return condition_and_threshold(&value);
        }
        // The key as written, not as it is compared.
        let written = text.trim_start_matches('*').split([':', '*']).next().unwrap_or_default();
        return (one_line(written), one_line(&value));
    }
    let plain = text.replace("**", "");
    let first = COMPARISONS.iter().filter_map(|word| plain.find(word)).min();
    match first.map(|at| plain.split_at(at)) {
        Some((condition, threshold)) if !condition.trim().is_empty() => (one_line(condition), one_line(threshold)),
        _ => match plain.split_once(": ") {
            Some((condition, threshold)) => (one_line(condition), one_line(threshold)),
            None => (one_line(&plain), String::new()),
        },
    }
}

/// What stands in the first backticks of a text.
fn code(text: &str) -> Option<String> {
    let open = text.find('`')?;
    let marks: String = text[open..].chars().take_while(|c| *c == '`').collect();
    let (inside, _) = text[open + marks.len()..].split_once(marks.as_str())?;
    Some(inside.trim().to_owned()).filter(|command| !is_placeholder(command))
}

/// The first valid date in a text.
fn date_in(text: &str) -> Option<String> {
    const LENGTH: usize = 10;
    let digit = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let found = text.char_indices().filter_map(|(at, _)| Some((at, text.get(at..at + LENGTH)?)));
    let mut whole = found.filter(|(at, _)| !digit(at.checked_sub(1)) && !digit(Some(at + LENGTH)));
    whole.find(|(_, date)| is_date(date)).map(|(_, date)| date.to_owned())
}

/// Whether a text is a day that the calendar has, as YYYY-MM-DD.
fn is_date(text: &str) -> bool {
    let shaped = text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
    let number = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u32>().ok());
    let (Some(year), Some(month), Some(day)) = (number(0..4), number(5..7), number(8..10)) else { return false };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        1..=12 => 31,
        _ => 0,
    };
    shaped && year > 0 && (1..=days).contains(&day)
}
