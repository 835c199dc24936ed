//! Kill-switch criteria in the forms that people use: lists, boxes, tables, a sentence.
//!
//! Pure; if the process dies here nothing is left.

use super::passages::{blocks, label, lines, marker, one_line, table_at, tidy};
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

static TRIPPED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/tripped.txt")));
static YES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/yes.txt")));

const NAMES: &[&str] = &["kill switch", "kill switches", "killswitch", "killswitches", "kill", "tripwire", "tripwires"];
const KINDS: &[&str] =
    &["", "criteria", "criterion", "condition", "conditions", "trigger", "triggers", "threshold", "thresholds"];
const CONDITION: &[&str] = &["condition", "criterion", "kill switch", "metric", "trigger", "signal", "what", "when"];
const THRESHOLD: &[&str] = &["threshold", "limit", "value", "level"];
const NUMBER: &[&str] = &["#", "no", "nr", "id", "number"];

/// Whether a name, as [`key`](super::passages::key) makes it, is a kill-switch's.
pub fn is_kill_switch(name: &str) -> bool {
    let after = |start: &&str| name.strip_prefix(*start).is_some_and(|rest| KINDS.contains(&rest.trim_start()));
    NAMES.iter().any(after) && !matches!(name, "kill")
}

/// The criteria of a kill-switch: the text before a list, unless it only leads to the list, and the list's items, each
/// with the parts that stand beside it. Rows of a table are criteria too.
pub fn criteria(text: &str) -> Vec<String> {
    let tabled = rows(text);
    let text = with_marks(text);
    let listed = blocks(&text);
    let is_said =
        |line: &&str| (listed.is_empty() && tabled.is_empty()) || !(marker(line).is_some() || line.contains('|'));
    let before: Vec<&str> = text.lines().take_while(is_said).collect();
    let first = tidy(&before.join("\n"));
    let leads = !tabled.is_empty() || first.ends_with(':') && !listed.iter().all(|block| is_part(block));
    let mut found: Vec<String> = Some(first).filter(|first| !first.is_empty() && !leads).into_iter().collect();
    for block in listed {
        match found.last_mut().filter(|_| is_part(&block)) {
            Some(last) => last.push_str(&format!("\n- {}", block.replace('\n', "\n  "))),
            None => found.push(block),
        }
    }
    found.extend(tabled);
    found
}

/// A text in which every box begins a list item.
fn with_marks(text: &str) -> String {
    let marked = |line: &str| match boxed(line.trim_start()) {
        Some(_) if !line.starts_with("    ") => format!("- {}", line.trim_start()),
        _ => line.to_owned(),
    };
    text.lines().map(marked).collect::<Vec<_>>().join("\n")
}

/// The criteria in the rows of a text's tables: `condition: threshold`, and the other columns below.
fn rows(text: &str) -> Vec<String> {
    let lines = lines(text).all;
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(table) = table_at(&lines, at).filter(|_| !lines[at].nested) else {
            at += 1;
            continue;
        };
        at = table.end;
        let position = |names: &[&str]| table.header.iter().position(|name| names.contains(&name.as_str()));
        let counted = |name: &str| NUMBER.contains(&name);
        let leading = table.header.iter().position(|name| !counted(name)).unwrap_or(0);
        let (condition, threshold) = (position(CONDITION).unwrap_or(leading), position(THRESHOLD));
        for (_, cells) in &table.rows {
            let cell = |at: usize| cells.get(at).map(|cell| one_line(cell)).filter(|cell| !cell.is_empty());
            let is_tick = |cell: &String| boxed(cell).is_some_and(|(_, rest)| rest.is_empty());
            let heads = [Some(condition), threshold].into_iter().flatten().filter_map(cell).collect::<Vec<_>>();
            let below = table
                .header
                .iter()
                .enumerate()
                .filter(|(at, name)| *at != condition && Some(*at) != threshold && !counted(name));
            let below: String = below
                .filter_map(|(at, name)| {
                    Some(format!("\n- {}: {}", capital(name), cell(at).filter(|cell| !is_tick(cell))?))
                })
                .collect();
            // A tick in a column of its own.
            let tick = cells.iter().find_map(|cell| boxed(cell).filter(|(_, rest)| rest.is_empty()));
            let tick = tick.map_or("", |(ticked, _)| if ticked { "[x] " } else { "[ ] " });
            if !heads.is_empty() {
                found.push(format!("{tick}{}{below}", heads.join(": ")));
            }
        }
    }
    found
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a list item is no criterion but says something about the one before it: `Due: 2026-12-01`.
pub fn is_part(block: &str) -> bool {
    const PARTS: &[&str] = &["detection", "timeline", "fallback", "check", "due", "due by", "threshold"];
    let first = block.lines().next().unwrap_or_default();
    let begins = first.starts_with(|c: char| c.is_alphabetic() || c == '*');
    begins && label(first).is_some_and(|(name, _)| PARTS.contains(&name.as_str()))
}

/// Whether the box before a text is ticked, and the text; none where there is no box: `[x] text`, `☑ text`, `✅ text`.
pub fn boxed(text: &str) -> Option<(bool, &str)> {
    const TICKS: [char; 8] = ['x', 'X', '✓', '✔', '✅', '☑', '☒', '🗹'];
    const OPEN: [char; 6] = ['☐', '⬜', '◻', '□', '🔲', '▢'];
    const VARIATION: char = '\u{FE0F}';
    let text = text.trim_start();
    let (ticked, rest) = match text.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((mark, rest)) => {
            let mut mark = mark.trim().trim_end_matches(VARIATION).chars();
            match (mark.next(), mark.next()) {
                (None, _) => (false, rest),
                (Some(one), None) if TICKS.contains(&one) => (true, rest),
                _ => return None,
            }
        }
        None => {
            let sign = text.chars().next().filter(|c| !c.is_alphabetic())?;
            let rest = text[sign.len_utf8()..].trim_start_matches(VARIATION);
            match (TICKS.contains(&sign), OPEN.contains(&sign)) {
                (true, _) => (true, rest),
                (_, true) => (false, rest),
                _ => return None,
            }
        }
    };
    let spaced = rest.is_empty() || rest.starts_with(char::is_whitespace) || !text.starts_with('[');
    spaced.then(|| (ticked, rest.trim_start()))
}

/// Whether a value says that a criterion has come about: `Tripped: Yes`, `Status: tripped`.
pub fn says_tripped(name: &str, value: &str) -> bool {
    let said = words(value);
    let is_yes =
        || boxed(value).is_some_and(|(ticked, _)| ticked) || said.first().is_some_and(|word| YES.has_word(word));
    match name {
        "status" | "state" => TRIPPED.at(&said) > 0,
        name => TRIPPED.has_text(name) && (is_yes() || TRIPPED.at(&said) > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kill_switches() {
        for name in
            ["kill switch", "kill switch conditions", "killswitch", "kill criteria", "tripwires", "kill switches"]
        {
            assert!(is_kill_switch(name), "{name}");
        }
        for name in ["kill", "kill switch owner", "killing", "skill", "trip"] {
            assert!(!is_kill_switch(name), "{name}");
        }
    }

    #[test]
    fn boxes_tables_and_sentences() {
        assert_eq!(
            criteria("- [ ] opened: under 60%\n- [x] cost over 5"),
            ["[ ] opened: under 60%", "[x] cost over 5"]
        );
        assert_eq!(criteria("[ ] opened: under 60%\n[x] cost over 5"), ["[ ] opened: under 60%", "[x] cost over 5"]);
        assert_eq!(criteria("- ☑ cost over 5\n- [✓] slow\n- ☐ late"), ["☑ cost over 5", "[✓] slow", "☐ late"]);
        let ticked = "| Condition | Tripped |\n|---|---|\n| cost | ✅ |\n| late | |\n| slow | Yes |\n";
        assert_eq!(criteria(ticked), ["[x] cost", "late", "slow\n- Tripped: Yes"]);
        assert_eq!(criteria("We stop if two readers complain."), ["We stop if two readers complain."]);
        let table = "Stop when:\n\n| # | Condition | Threshold | Fallback |\n|---|---|---|---|\n| 1 | mails opened | under 60% | cards |\n| 2 | cost | over 5 | |\n";
        assert_eq!(criteria(table), ["mails opened: under 60%\n- Fallback: cards", "cost: over 5"]);
        let other = "| Threshold | Metric | Action |\n|---|---|---|\n| **> 5 % drop** | readers | back to cards |\n";
        assert_eq!(criteria(other), ["readers: **> 5 % drop**\n- Action: back to cards"]);
    }
}
