//! Tripwires: the kill-switch criteria of decisions that stand, taken apart so that they can be watched. A ticked box says
//! that one has tripped.
//!
//! Promises: only a valid date is a date; only what stands in backticks after `Check:`, and in no comment, is a command, and it is
//! kept as it is written or refused; every criterion is listed, also one that says neither.
//!
//! Must never: run anything. The words are a model's; whether a command is run is for a person to say.
//!
//! Pure; if the process dies here nothing is left.

use crate::extract::criteria::{boxed, says_tripped};
use crate::extract::passages::{Item, label, one_line};
use crate::knowledge::{Decision, Knowledge};
use forge_debate::hidden::{is_unseen, written_out};
use forge_prose::blanks::is_placeholder;
use forge_prose::secrets::{has_key, redacted};

/// The longest command that may be run, in characters: a person has to be able to read it.
pub const COMMAND_LIMIT_CHARS: usize = 500;
/// The most blanks in a row that a command may have: more of them push the rest out of sight.
const BLANKS_IN_A_ROW: usize = 40;
/// The cell of Braille without a dot: it is no white space, and nothing is seen of it.
const BRAILLE_BLANK: char = '\u{2800}';

/// A kill-switch criterion of a decision that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tripwire {
    /// The decision's id and the criterion's number: `D1.2`.
    pub id: String,
    /// The decision's id.
    pub decision: String,
    /// The decision's title.
    pub title: String,
    /// Whether somebody ticked its box: it has tripped.
    pub ticked: bool,
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
    /// Why the command is never run, where nobody could see before what it would do.
    pub refusal: Option<String>,
    /// From which day on it is due, as YYYY-MM-DD.
    pub due: Option<String>,
    /// A day that was given and cannot be read: as written.
    pub unread_due: Option<String>,
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

    /// The criterion as it may be shown: without what looks like a key. Its refusal tells whether the command is still the
    /// one that would run.
    pub fn without_keys(self) -> Self {
        let clean = |text: Option<String>| text.map(|text| redacted(&text));
        Self {
            title: redacted(&self.title),
            condition: redacted(&self.condition),
            threshold: redacted(&self.threshold),
            detection: clean(self.detection),
            timeline: clean(self.timeline),
            fallback: clean(self.fallback),
            command: clean(self.command),
            unread_due: clean(self.unread_due),
            ..self
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
    let (ticked, said) = boxed(criterion).unwrap_or((false, criterion));
    let item = Item::of(said);
    let ticked = ticked || item.labels.iter().any(|(name, value)| says_tripped(name, value));
    let written = |names: &[&str]| {
        let value = names.iter().find_map(|name| item.labels.iter().find(|(key, _)| key == name));
        value.map(|(_, value)| value.as_str()).filter(|value| !is_placeholder(&one_line(value)))
    };
    let said = |names: &[&str]| written(names).map(one_line);
    let (condition, stated) = condition_and_threshold(&item.text);
    let check = written(&["check", "command"]);
    let command = check.and_then(code).filter(|command| !is_in_comment(criterion, command));
    let prose = check.filter(|_| command.is_none()).map(one_line);
    let timeline = said(&["timeline", "when", "review"]);
    let given = said(&["due", "due by", "deadline"]);
    let due = given.as_deref().and_then(date_in);
    Tripwire {
        id: format!("{}.{number}", decision.id),
        decision: decision.id.clone(),
        title: decision.title.clone(),
        ticked,
        condition,
        threshold: said(&["threshold"]).filter(|_| stated.is_empty()).unwrap_or(stated),
        detection: said(&["detection", "detect", "monitoring", "monitor"]).or(prose),
        unread_due: given.filter(|_| due.is_none()),
        due: due.or_else(|| timeline.as_deref().and_then(date_in)),
        timeline,
        fallback: said(&["fallback", "instead"]),
        refusal: command.as_deref().and_then(|command| refusal(criterion, command)),
        command,
    }
}

/// Whether a command stands in an HTML comment, which nobody sees where the document is read.
fn is_in_comment(criterion: &str, command: &str) -> bool {
    let is_open = |before: &str| before.rfind("<!--").is_some_and(|at| !before[at..].contains("-->"));
    // One over several lines was joined when it was read, and is found by how it begins.
    let begin = if criterion.contains(command) { command } else { command.split(' ').next().unwrap_or_default() };
    criterion.match_indices(begin).any(|(at, _)| is_open(&criterion[..at]))
}

/// Why a command of a criterion is never run.
fn refusal(criterion: &str, command: &str) -> Option<String> {
    let length = command.chars().count();
    let unseen = |c: char| c.is_control() || c == BRAILLE_BLANK || is_unseen(c) || (c.is_whitespace() && c != ' ');
    let why = if length > COMMAND_LIMIT_CHARS {
        format!("it has {length} characters, more than {COMMAND_LIMIT_CHARS}")
    } else if command.contains(unseen) {
        let blank = BRAILLE_BLANK.escape_unicode().to_string();
        format!("it has characters that cannot be seen: {}", written_out(command).replace(BRAILLE_BLANK, &blank))
    } else if command.contains(&" ".repeat(BLANKS_IN_A_ROW + 1)) {
        format!("it has more than {BLANKS_IN_A_ROW} blanks in a row, so that what follows is out of sight")
    } else if !criterion.contains(command) {
        // Lines of an item are joined when it is read; a shell would have taken them one by one.
        "it is written over several lines".to_owned()
    } else if has_key(command) {
        // From the key on, a person would be shown something else than what runs.
        "it holds what looks like a key, and so it cannot be shown".to_owned()
    } else {
        return None;
    };
    Some(format!("the command is never run: {why}"))
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
    let text = std::iter::successors(Some(text), |text| unlabelled(text)).last().unwrap_or_default();
    if let Some((_, value)) = label(text) {
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

/// A text without the label that only says what every criterion is. None where it has none.
fn unlabelled(text: &str) -> Option<&str> {
    const NAMES: &[&str] = &["condition", "criterion"];
    let text = text.trim_start();
    let bold = text.strip_prefix("**");
    let bare = bold.unwrap_or(text);
    let is_at_start = |name: &&&str| bare.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let after = bare[NAMES.iter().find(is_at_start)?.len()..].trim_start();
    let value = match bold {
        Some(_) => after.strip_prefix(":**").or_else(|| after.strip_prefix("**:"))?,
        None => after.strip_prefix(':').filter(|value| value.is_empty() || value.starts_with(char::is_whitespace))?,
    };
    Some(value.trim_start())
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
