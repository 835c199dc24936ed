//! What somebody states in a list item, a table's row or an entry's lines, as an entry of the knowledge.
//!
//! Promises: the same words mean the same whether they stand in a debate's synthesis, a phase document or a knowledge
//! file; columns and labels are found by name, in any order.
//!
//! Must never: give an id or a source; whoever knows where the statement stands does.
//!
//! Pure; if the process dies here nothing is left.

use super::inline;
use super::passages::{Item, blocks, dedent, heading, indent, key, label, lines, marker, one_line, table_at, tidy};
use super::ratings::{is_active, is_bare, level, likelihood, score, standing};
use crate::knowledge::{Assumption, Constraint, Decision, Kind, Risk};

/// What people call how likely a risk is.
pub(super) const PROBABILITY: &[&str] = &["probability", "likelihood", "prob", "p", "chance"];
/// What people call how bad it is.
pub(super) const IMPACT: &[&str] = &["impact", "severity", "i", "consequence"];
/// What people call both in one.
pub(super) const SCORE: &[&str] = &["score", "risk score", "rating"];
/// What people call whoever watches it.
pub(super) const OWNER: &[&str] = &["owner", "owners", "risk owner", "responsible", "accountable", "who"];
const BOTH: &[&str] = &["probability × impact", "probability x impact", "p×i", "pxi", "p x i", "p × i"];
const KILL_SWITCH: &[&str] = &["kill switch", "kill switch criteria", "kill switches", "tripwires"];

/// A text with named values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statement {
    /// What is stated.
    pub text: String,
    /// Its values, under keys as [`key`] makes them.
    pub fields: Vec<(String, String)>,
}

impl Statement {
    /// The first value that has one of these names and is not empty.
    pub fn get(&self, names: &[&str]) -> Option<&str> {
        let named = |name: &&str| self.fields.iter().find(|(key, value)| key == name && !value.trim().is_empty());
        names.iter().find_map(named).map(|(_, value)| value.as_str())
    }

    fn kept(&self, names: &[&str]) -> String {
        self.get(names).map(tidy).unwrap_or_default()
    }

    fn line(&self, names: &[&str]) -> String {
        self.get(names).map(one_line).unwrap_or_default()
    }

    /// As a decision.
    pub fn decision(&self) -> Decision {
        let says_yes = |text: &str| ["yes", "true", "y"].contains(&key(text).as_str());
        let status = self.line(&["status", "state"]).to_lowercase();
        let locked = forge_debate::plan::contains_phrase(&status, "locked")
            && !forge_debate::plan::contains_phrase(&status, "not locked");
        let kill_switch = self.get(KILL_SWITCH);
        let kill_switch = kill_switch.map(criteria).unwrap_or_default();
        Decision {
            id: String::new(),
            title: one_line(&self.text),
            rationale: self.kept(&["rationale", "why", "reason", "reasoning", "because", "justification"]),
            phase: self.line(&["phase", "phase introduced", "decided in"]),
            debate: self.get(&["debate", "debate id"]).map(one_line),
            date: self.line(&["date", "decided on", "decided at", "when"]),
            kill_switch,
            supersedes: ids_in(self.get(&["supersedes", "replaces"]).unwrap_or_default()),
            locked: locked || self.get(&["challenge requires debate", "locked"]).is_some_and(says_yes),
            by: self.get(&["decided by", "by", "decider"]).map(one_line),
            source: None,
        }
    }

    /// The decisions that this one says it was superseded by.
    pub fn superseded_by(&self) -> Vec<String> {
        let named = self.get(&["superseded by", "replaced by"]).map(ids_in).unwrap_or_default();
        let status = self.line(&["status", "state"]);
        let at = status.to_lowercase().find("superseded by").map(|at| at + "superseded by".len());
        named.into_iter().chain(at.and_then(|at| status.get(at..)).map(ids_in).unwrap_or_default()).collect()
    }

    /// As a constraint. A `source` that is no entry's is what it rests on.
    pub fn constraint(&self) -> Constraint {
        let origin = self.get(&["rests on", "origin", "based on", "derived from", "decision", "decision id"]);
        let stated = self.get(&["source"]).filter(|source| !is_source(source));
        Constraint {
            id: String::new(),
            text: tidy(&self.text),
            origin: origin.or(stated).map(one_line).unwrap_or_default(),
            violation: self.kept(&["violation triggers", "violation", "if violated", "when violated", "on violation"]),
            locked_by: self.get(&["locked by"]).map(one_line),
            source: None,
        }
    }

    /// As an assumption.
    pub fn assumption(&self) -> Assumption {
        Assumption {
            id: String::new(),
            text: tidy(&self.text),
            standing: self.get(&["status", "standing", "state", "result"]).and_then(standing).unwrap_or_default(),
            due: self.line(&["validate by", "validation due by", "validation due", "due", "due by", "validate in"]),
            risk_if_invalid: self.kept(&[
                "risk if invalid",
                "if invalid",
                "if wrong",
                "impact if wrong",
                "risk",
                "impact",
            ]),
            source: None,
        }
    }

    /// As a risk.
    pub fn risk(&self) -> Risk {
        let both = self.get(BOTH);
        let (p, i) = both.and_then(halves).unzip();
        let probability = self.get(PROBABILITY).or(p).and_then(likelihood);
        let impact = self.get(IMPACT).or(i).and_then(level);
        let stated = self.get(SCORE).or(both).and_then(score);
        Risk {
            id: String::new(),
            text: tidy(&self.text),
            probability,
            impact,
            stated_score: stated.filter(|_| probability.is_none() || impact.is_none()),
            owner: self.line(OWNER),
            active: self.get(&["status", "state"]).is_none_or(is_active),
            source: None,
        }
    }

    /// What a risk's ratings say that is no rating, such as `probability: frequent`.
    pub fn unrated(&self) -> Vec<String> {
        let both = |text: &str| halves(text).and_then(|(p, i)| likelihood(p).and(level(i))).or_else(|| score(text));
        let rated = [
            ("probability", self.get(PROBABILITY), likelihood as fn(&str) -> Option<u8>),
            ("impact", self.get(IMPACT), level),
            ("score", self.get(SCORE), score),
            ("probability × impact", self.get(BOTH), both),
        ];
        let says = |value: &&str| value.chars().any(char::is_alphanumeric);
        let stays = rated.into_iter().filter_map(|(name, value, read)| {
            let value = value.filter(says).filter(|value| read(value).is_none() || !is_bare(value))?;
            Some(format!("{name}: {}", one_line(value)))
        });
        stays.collect()
    }
}

/// The two sides of `3 × 2`.
fn halves(text: &str) -> Option<(&str, &str)> {
    text.split_once(['×', 'x', '*'])
}

/// Whether a text is where an entry comes from: `brainstorm-20260127-143022#D1`, `forge-20260127/design#0a1b2c3d`.
pub fn is_source(text: &str) -> bool {
    let Some((place, ordinal)) = text.trim().rsplit_once('#') else { return false };
    let numbered = ordinal.strip_prefix(['D', 'C', 'A', 'R', 'V']).is_some_and(|number| {
        !number.is_empty() && number.len() < 8 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let digest = ordinal.len() == 8 && ordinal.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    !place.is_empty() && !place.contains(char::is_whitespace) && (numbered || digest)
}

/// The criteria of a kill-switch: the text before a list, unless it only leads to the list, and the list's items, each
/// with the parts that stand beside it.
pub fn criteria(text: &str) -> Vec<String> {
    let listed = blocks(text);
    let before: Vec<&str> = text.lines().take_while(|line| listed.is_empty() || marker(line).is_none()).collect();
    let first = tidy(&before.join("\n"));
    let leads = first.ends_with(':') && !listed.iter().all(|block| is_part(block));
    let mut found: Vec<String> = Some(first).filter(|first| !first.is_empty() && !leads).into_iter().collect();
    for block in listed {
        match found.last_mut().filter(|_| is_part(&block)) {
            Some(last) => last.push_str(&format!("\n- {}", block.replace('\n', "\n  "))),
            None => found.push(block),
        }
    }
    found
}

/// Whether a name is a kill-switch's.
pub fn is_kill_switch(name: &str) -> bool {
    KILL_SWITCH.contains(&name)
}

/// Whether a list item is no criterion but says something about the one before it: `Due: 2026-12-01`.
pub fn is_part(block: &str) -> bool {
    const PARTS: &[&str] = &["detection", "timeline", "fallback", "check", "due", "due by", "threshold"];
    let first = block.lines().next().unwrap_or_default();
    let begins = first.starts_with(|c: char| c.is_alphabetic() || c == '*');
    begins && label(first).is_some_and(|(name, _)| PARTS.contains(&name.as_str()))
}

/// The ids of entries that a text names.
pub fn ids_in(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    words.filter(|word| id_length(word) == Some(word.len())).map(str::to_owned).collect()
}

/// The longest number of an id, in digits: one more could always be added to it.
const NUMBER_LIMIT_DIGITS: usize = 9;
/// The most letters of an id.
const LETTERS_LIMIT: usize = 8;

/// The bytes of the id at the start of a text: capital letters, perhaps `-` or `_`, a number.
fn id_length(text: &str) -> Option<usize> {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let after = &text[letters..];
    let joint = usize::from(after.starts_with(['-', '_']));
    let digits = after[joint..].bytes().take_while(u8::is_ascii_digit).count();
    let sound = (1..=LETTERS_LIMIT).contains(&letters) && (1..=NUMBER_LIMIT_DIGITS).contains(&digits);
    sound.then_some(letters + joint + digits)
}

/// An id at the start of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The id, as written.
    pub id: String,
    /// What follows it.
    pub rest: String,
    /// Whether a mark such as `:` stands between them.
    pub is_marked: bool,
}

/// Reads `D1: Title`, `**D1**: Title`, `[D1] Title`, `D001 - Title`, `Decision D1: Title`.
pub fn head(kind: Kind, text: &str) -> Option<Head> {
    let text = text.trim();
    let unbold =
        text.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(bold, rest)| format!("{bold}{rest}"));
    let text = unbold.as_deref().unwrap_or(text).trim_start();
    let word = kind.word();
    let named = text
        .get(..word.len())
        .filter(|start| start.eq_ignore_ascii_case(word))
        .map(|_| text[word.len()..].trim_start());
    let text = named.filter(|rest| id_length(rest).is_some()).unwrap_or(text);
    let (text, bracket) = match text.chars().next() {
        Some('[') => (&text[1..], "]"),
        Some('`') => (&text[1..], "`"),
        _ => (text, ""),
    };
    let (id, after) = text.split_at(id_length(text)?);
    let of_kind = id.starts_with(kind.letter()) || (kind == Kind::Decision && id.starts_with("ADR"));
    let after = after.strip_prefix(bracket).filter(|_| of_kind)?;
    let glued = |c: char| after.starts_with(c) && after[c.len_utf8()..].starts_with(char::is_alphanumeric);
    if after.starts_with(char::is_alphanumeric) || ['-', '_', '.', '–', '/'].into_iter().any(glued) {
        return None;
    }
    let rest = after.trim_start();
    let unmarked = rest.strip_prefix([':', '-', '–', '—', '.', ')']);
    let spaced = unmarked.is_some() || rest.len() < after.len() || rest.is_empty() || rest.starts_with('(');
    let is_marked = unmarked.is_some() || unbold.is_some() || !bracket.is_empty();
    spaced.then(|| Head { id: id.to_owned(), rest: unmarked.unwrap_or(rest).trim().to_owned(), is_marked })
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Decision => "decision",
            Kind::Constraint => "constraint",
            Kind::Assumption => "assumption",
            Kind::Risk => "risk",
        }
    }
}

/// The statement of a table's row, and its id where the row has one.
pub fn of_row(kind: Kind, header: &[String], cells: &[String]) -> (Option<String>, Statement) {
    let first = cells.first().and_then(|cell| head(kind, cell));
    let (word, id) = (kind.word(), first.as_ref().map(|head| head.id.clone()));
    let fields: Vec<(String, String)> =
        header.iter().cloned().zip(cells.iter().cloned()).skip(usize::from(id.is_some())).collect();
    let named = Statement { text: String::new(), fields };
    let columns = match kind {
        Kind::Decision => ["title", word, "description", "what", "summary", "text"],
        _ => [word, "description", "text", "title", "what", "statement"],
    };
    let in_head = first.map(|head| head.rest).filter(|rest| !rest.is_empty());
    let is_number = |name: &str| name == "id" || name == "#" || name.ends_with(" id");
    let leading = || named.fields.iter().find(|(name, _)| !is_number(name)).map(|(_, value)| value.clone());
    let text = named.get(&columns).map(str::to_owned).or(in_head).or_else(leading).unwrap_or_default();
    (id, Statement { text, ..named })
}

/// What a section states: the rows of its tables and the items of its lists, in their order. A table that stands below an
/// item is the item's, unless it lists the kind.
pub fn of_section(kind: Kind, body: &str) -> Vec<(Option<String>, Statement)> {
    let lines = lines(body).all;
    let items = |text: &str| blocks(text).into_iter().map(|block| of_item(kind, &block)).collect::<Vec<_>>();
    let mut found = Vec::new();
    let (mut at, mut from) = (0, 0);
    while at < lines.len() {
        let lists = |header: &[String]| !lines[at].nested || header.iter().any(|column| column == kind.word());
        let Some(table) = table_at(&lines, at).filter(|table| lists(&table.header)) else {
            at += 1;
            continue;
        };
        found.extend(items(&body[from..lines[at].start]));
        found.extend(table.rows.iter().map(|(_, cells)| of_row(kind, &table.header, cells)));
        at = table.end;
        from = lines.get(at).map_or(body.len(), |line| line.start);
    }
    found.extend(items(&body[from..]));
    found
}

/// What a section states, paragraph by paragraph where it has neither a table nor a list.
pub fn of_prose(kind: Kind, body: &str) -> Vec<(Option<String>, Statement)> {
    let listed = of_section(kind, body);
    if !listed.is_empty() {
        return listed;
    }
    let mut paragraphs = vec![String::new()];
    for line in lines(body).all {
        let is_prose = !line.hidden && heading(line.text).is_none() && !line.text.trim_start().starts_with('>');
        match paragraphs.last_mut().filter(|_| is_prose && !line.text.trim().is_empty()) {
            Some(last) => last.push_str(&format!("{}\n", line.text.trim())),
            None => paragraphs.push(String::new()),
        }
    }
    paragraphs.iter().filter(|paragraph| !paragraph.is_empty()).map(|paragraph| of_item(kind, paragraph)).collect()
}

/// The statement of a list item, and its id where it begins with one.
pub fn of_item(kind: Kind, block: &str) -> (Option<String>, Statement) {
    let (block, kill_switch) = match kind {
        Kind::Decision => without_kill_switch(block),
        _ => (block.to_owned(), None),
    };
    let item = Item::of(&block);
    let mut fields = item.labels;
    fields.extend(kill_switch.map(|text| ("kill switch".to_owned(), text)));
    let (id, text) = match head(kind, &item.text).filter(|head| head.is_marked && !head.rest.is_empty()) {
        Some(head) => (Some(head.id), head.rest),
        None => (None, item.text),
    };
    let text = inline::fields(kind, &text, &mut fields);
    if !item.rest.is_empty() && kind == Kind::Decision && !fields.iter().any(|(name, _)| name == "rationale") {
        fields.push(("rationale".to_owned(), item.rest));
    }
    (id, Statement { text, fields })
}

/// A decision's item without the lines of its kill-switch, and what these say with all that is below them.
fn without_kill_switch(block: &str) -> (String, Option<String>) {
    let (mut rest, mut said): (Vec<&str>, Option<String>) = (Vec::new(), None);
    let mut within: Option<usize> = None;
    for line in lines(block).all {
        let blank = line.text.trim().is_empty();
        within = within.filter(|columns| blank || indent(line.text) > *columns);
        if let (Some(columns), Some(said)) = (within, &mut said) {
            said.push_str(&format!("\n{}", dedent(line.text, columns + 2)));
            continue;
        }
        let content = marker(line.text).map_or(line.text, |item| item.content);
        let named = label(content).filter(|(name, _)| is_kill_switch(name) && !line.hidden && line.number > 1);
        match named.filter(|_| said.is_none()) {
            Some((_, value)) => (said, within) = (Some(value), Some(indent(line.text))),
            None => rest.push(line.text),
        }
    }
    (rest.join("\n"), said)
}
