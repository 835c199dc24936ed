//! What somebody states, as an entry of the knowledge.
//!
//! Promises: the same words mean the same whether they stand in a debate's synthesis, a phase document or a knowledge
//! file; what a template left to fill in is no value.
//!
//! Must never: give an id or a source; whoever knows where the statement stands does.
//!
//! Pure; if the process dies here nothing is left.

use super::criteria::{boxed, criteria, is_kill_switch};
use super::ids::ids_in;
use super::passages::{blocks, key, one_line, tidy};
use super::rating_names::{IMPACT, OWNER, PROBABILITY, SCORE};
use super::ratings::{
    both_in, half_in, has_other_scale, is_active, is_bare, is_left_open, level, level_of_group, level_word, likelihood,
    lone, named_in, score, score_in, standing, unread_in,
};
use super::says_nothing;
use super::status::{self, Said};
use crate::contradiction::is_topic;
use crate::knowledge::{Assumption, Constraint, Decision, DecisionStatus, Kind, Risk, Standing};
use forge_debate::plan::contains_phrase;
use forge_prose::blanks::is_placeholder;
use forge_prose::words::words;

const BOTH: &[&str] = &["probability × impact", "probability x impact", "p×i", "pxi", "p x i", "p × i"];
const STATUS: &[&str] = &["status", "state"];
const ORIGIN: &[&str] = &["rests on", "origin", "based on", "derived from", "decision", "decision id"];
/// What people call what was decided, below what it is about.
const DECIDED: &[&str] = &[
    "decision",
    "choice",
    "chosen",
    "chosen option",
    "decision outcome",
    "resolution",
    "we decided",
    "entscheidung",
    "décision",
    "decisión",
];
const SUPERSEDES: &[&str] = &["supersedes", "replaces"];
const SUPERSEDED_BY: &[&str] = &["superseded by", "replaced by"];
/// The value that says that somebody struck the entry out.
pub(super) const STRUCK: &str = "struck out";

/// A text with named values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statement {
    /// What is stated.
    pub text: String,
    /// Its values, under keys as [`key`] makes them.
    pub fields: Vec<(String, String)>,
    /// The headings that it stands below, the nearest first.
    pub below: Vec<String>,
    /// Its line in the text that was read, counted from 1.
    pub line: usize,
}

/// A rating of a risk that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrated {
    /// What it rates: `probability`.
    pub name: &'static str,
    /// What stands there.
    pub value: String,
    /// Whether the score depends on it.
    pub decides: bool,
}

impl Statement {
    /// The first value that has one of these names and is not empty.
    pub fn get(&self, names: &[&str]) -> Option<&str> {
        let named = |name: &&str| self.fields.iter().find(|(key, value)| key == name && !value.trim().is_empty());
        names.iter().find_map(named).map(|(_, value)| value.as_str())
    }

    /// The same, unless a template left it to be filled in. What forge wrote was.
    fn filled(&self, names: &[&str]) -> Option<&str> {
        self.get(names).filter(|value| !is_placeholder(value) || self.source().is_some())
    }

    fn kept(&self, names: &[&str]) -> String {
        self.get(names).map(tidy).unwrap_or_default()
    }

    fn line_of(&self, names: &[&str]) -> String {
        self.get(names).map(one_line).unwrap_or_default()
    }

    fn is_struck(&self) -> bool {
        self.fields.iter().any(|(name, _)| name == STRUCK)
    }

    /// Where it comes from, where forge wrote that down.
    pub fn source(&self) -> Option<String> {
        self.get(&["source"]).map(str::trim).filter(|source| is_source(source)).map(str::to_owned)
    }

    /// What stands below a decision's heading as what was decided.
    pub(super) fn decided(&self) -> Option<String> {
        self.filled(DECIDED).map(one_line).filter(|_| self.source().is_none())
    }

    /// What it says as an entry of a kind. Where a decision's text only says what it is about, with what was decided below it.
    pub(super) fn said(&self, kind: Kind) -> String {
        let text = one_line(&self.text);
        let Some(decided) = self.decided().filter(|_| kind == Kind::Decision) else { return text };
        let has_all = |whole: &str, part: &str| words(part).iter().all(|word| words(whole).contains(word));
        match (has_all(&text, &decided), has_all(&decided, &text)) {
            (true, _) => text,
            (_, true) => decided,
            _ if !is_topic(&text) => text,
            _ => format!("{}: {decided}", text.trim_matches(['*', ':', ' '])),
        }
    }

    /// As a decision.
    pub fn decision(&self) -> Decision {
        let says_yes = |text: &str| ["yes", "true", "y"].contains(&key(text).as_str());
        let status = self.line_of(STATUS).to_lowercase();
        let locked = |text: &str| contains_phrase(text, "locked") && !contains_phrase(text, "not locked");
        let below = self.below.iter().any(|title| locked(&title.to_lowercase()));
        let named = self.fields.iter().find(|(name, value)| is_kill_switch(name) && !value.trim().is_empty());
        let mut kill_switch = named.map(|(_, value)| criteria(value)).unwrap_or_default();
        if self.source().is_none() {
            kill_switch.retain(|criterion| {
                let first = criterion.lines().next().unwrap_or_default();
                !says_nothing(boxed(first).map_or(first, |(_, text)| text))
            });
        }
        let title = self.said(Kind::Decision);
        let both = self.decided().map(|decided| vec![one_line(&self.text), decided]).unwrap_or_default();
        Decision {
            id: String::new(),
            phrasings: both.into_iter().filter(|one| *one != title).collect(),
            title,
            rationale: self.kept(&["rationale", "why", "reason", "reasoning", "because", "justification"]),
            phase: self.line_of(&["phase", "phase introduced", "decided in"]),
            debate: self.get(&["debate", "debate id"]).map(one_line),
            date: self.line_of(&["date", "decided on", "decided at", "when"]),
            kill_switch,
            turned_down: self.get(&["turned down"]).map(blocks).unwrap_or_default(),
            supersedes: ids_in(self.get(SUPERSEDES).unwrap_or_default()),
            locked: status::is_locked(&status)
                || below
                || self.get(&["challenge requires debate", "locked"]).is_some_and(says_yes),
            status: self.decision_status().unwrap_or_default(),
            by: self.get(&["decided by", "by", "decider"]).map(one_line),
            source: None,
            claimed: false,
        }
    }

    /// How a decision stands; none where its status cannot be read and nothing else says it.
    pub fn decision_status(&self) -> Option<DecisionStatus> {
        let above = self.below.iter().find_map(|title| status::of_heading(title)).unwrap_or_default();
        let own = match self.get(STATUS) {
            Some(line) => status::status(line),
            None => status::in_title(&self.text).map_or(Said::Nothing, Said::Status),
        };
        match own {
            _ if self.is_struck() => Some(DecisionStatus::Withdrawn),
            // Moved to where those are that stand no more; its lines are as they were.
            _ if above != DecisionStatus::Accepted => Some(above),
            Said::Status(DecisionStatus::Accepted) | Said::Nothing if self.filled(SUPERSEDED_BY).is_some() => {
                Some(DecisionStatus::Superseded)
            }
            Said::Status(status) => Some(status),
            Said::Nothing => Some(DecisionStatus::Accepted),
            Said::Unread => None,
        }
    }

    /// The words of its status line.
    pub fn status_line(&self) -> String {
        self.line_of(STATUS)
    }

    /// The decisions that this one says it was superseded by.
    pub fn superseded_by(&self) -> Vec<String> {
        let named = self.get(SUPERSEDED_BY).map(ids_in).unwrap_or_default();
        let status = self.get(STATUS).map_or_else(|| one_line(&self.text), one_line);
        let lower = status.to_lowercase();
        let at = ["superseded by", "replaced by"].iter().find_map(|words| lower.find(words).map(|at| at + words.len()));
        named.into_iter().chain(at.and_then(|at| status.get(at..)).map(ids_in).unwrap_or_default()).collect()
    }

    /// The ids of other entries that its values name.
    pub fn references(&self) -> Vec<String> {
        const OTHERS: &[&str] = &["constraints imposed", "related", "depends on", "constraints", "decisions", "source"];
        let named = |name: &str| [SUPERSEDES, SUPERSEDED_BY, ORIGIN, OTHERS].concat().contains(&name);
        let stated = self.fields.iter().filter(|(name, value)| named(name) && !is_source(value));
        stated.flat_map(|(_, value)| ids_in(value)).chain(self.superseded_by()).collect()
    }

    /// As a constraint. A `source` that is no entry's is what it rests on.
    pub fn constraint(&self) -> Constraint {
        let stated = self.get(&["source"]).filter(|source| !is_source(source));
        let over = |text: &str| !is_active(text) || contains_phrase(text, "superseded");
        let lifted = self.get(STATUS).is_some_and(over) || self.below.iter().any(|title| over(title));
        Constraint {
            id: String::new(),
            text: tidy(&self.text),
            origin: self.get(ORIGIN).or(stated).map(one_line).unwrap_or_default(),
            violation: self.kept(&["violation triggers", "violation", "if violated", "when violated", "on violation"]),
            locked_by: self.get(&["locked by"]).map(one_line),
            lifted: lifted || self.is_struck(),
            source: None,
        }
    }

    /// As an assumption.
    pub fn assumption(&self) -> Assumption {
        let own = self.get(&["status", "standing", "state", "result"]).and_then(standing).unwrap_or_default();
        let above = self.below.iter().find_map(|title| standing(title)).unwrap_or_default();
        Assumption {
            id: String::new(),
            text: tidy(&self.text),
            standing: if own == Standing::Open { above } else { own },
            due: self.line_of(&["validate by", "validation due by", "validation due", "due", "due by", "validate in"]),
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
        let rated = self.rated();
        // A rating on another scale has a score on that scale.
        let named = || score_in(&self.text).filter(|_| self.source().is_none());
        let stated = self.get(&SCORE).or(self.get(BOTH)).or_else(named).filter(|_| !self.has_other_scale());
        let stated = stated.and_then(score);
        let understood = self.unrated().iter().all(|one| one.name == "score");
        let status = self.get(STATUS);
        let over = self.below.iter().any(|title| !is_active(title)) || self.is_struck();
        Risk {
            id: String::new(),
            text: tidy(&self.text),
            probability: rated.0,
            impact: rated.1,
            stated_score: stated.filter(|stated| understood && product(rated).is_none_or(|product| *stated > product)),
            owner: self.owner(),
            active: !over && status.is_none_or(is_active) && !(self.source().is_none() && self.ends_over()),
            accepted_by: self.accepted_by(),
            source: None,
        }
    }

    /// Whether its text ends with a word for what cannot happen any more: `Relay outage (probability: High) - closed`.
    fn ends_over(&self) -> bool {
        const OVER: &[&str] = &["closed", "mitigated", "resolved", "retired"];
        const LAST_WORDS: usize = 4;
        let tail = self.text.rsplit_once([':', '–', '—']).map(|(_, tail)| tail);
        let tail = self.text.rsplit_once(" - ").map(|(_, tail)| tail).or(tail);
        let first = |tail: &str| words(tail).first().is_some_and(|word| OVER.contains(&word.as_str()));
        tail.is_some_and(|tail| tail.split_whitespace().count() <= LAST_WORDS && first(tail) && !is_active(tail))
    }

    /// Who watches it. Who accepted it does, where nobody else is named.
    fn owner(&self) -> String {
        let acceptor = || self.filled(&["accepted by"]).filter(|_| self.source().is_none());
        self.filled(&OWNER).or_else(acceptor).map(one_line).unwrap_or_default()
    }

    /// Whether it has ratings of a risk, understood or not.
    pub fn is_rated(&self) -> bool {
        let named: [&[&str]; 4] = [&PROBABILITY, &IMPACT, &SCORE, BOTH];
        named.into_iter().any(|names| self.get(names).is_some()) || self.rated_otherwise().is_some()
    }

    /// Whether it states a risk with both its ratings, whatever it is called and wherever it stands: a legend rates nothing
    /// that has a name, and says more of a rating than its level.
    pub(super) fn is_a_rated_risk(&self) -> bool {
        // `1 (low) to 3 (high)` is a scale.
        const LEVEL_WORDS: usize = 2;
        let is_level =
            |value: &str| is_bare(value) && level(value).is_some() && value.split_whitespace().count() <= LEVEL_WORDS;
        let both = self.get(&PROBABILITY).zip(self.get(&IMPACT));
        let is_rated = both.is_some_and(|(p, i)| is_level(p) || is_level(i)) || self.rated_otherwise().is_some();
        is_rated && self.text.chars().any(char::is_alphabetic) && !is_bare(&self.text)
    }

    /// Whether it says how likely and how bad it is, both by their names and as levels.
    pub(super) fn has_both_ratings(&self) -> bool {
        let both = self.get(&PROBABILITY).and_then(likelihood).zip(self.get(&IMPACT).and_then(level));
        both.is_some() && self.text.chars().any(char::is_alphabetic) && !is_bare(&self.text)
    }

    /// Whether it is rated on a scale that is not forge's: `4/5`.
    fn has_other_scale(&self) -> bool {
        [self.get(&PROBABILITY), self.get(&IMPACT)].into_iter().flatten().any(has_other_scale)
    }

    fn rated(&self) -> (Option<u8>, Option<u8>) {
        let said = |names: &[&str]| self.get(names).filter(|value| !is_left_open(value));
        let (p, i) = said(BOTH).and_then(halves).unzip();
        let (probability, impact) = (said(&PROBABILITY).or(p), said(&IMPACT).or(i));
        // What forge wrote has them as values.
        let text = if self.source().is_none() { self.text.as_str() } else { "" };
        match (probability, impact) {
            (None, None) => both_in(text).unzip(),
            (None, Some(impact)) => (named_in(text, &PROBABILITY), level(impact)),
            (Some(probability), None) => (likelihood(probability), named_in(text, &IMPACT)),
            (Some(probability), Some(impact)) => (likelihood(probability), level(impact)),
        }
    }

    /// Of a risk that is rated and has no score: what it lacks. One that nobody rated lacks nothing.
    fn half_rated(&self) -> Option<String> {
        let risk = self.risk();
        let told = |name: &str, level: u8| format!("{name} {:?}", level_word(level));
        match (risk.score(), risk.probability, risk.impact) {
            (None, Some(level), None) => Some(format!("{} and no impact", told("probability", level))),
            (None, None, Some(level)) => Some(format!("{} and no probability", told("impact", level))),
            (None, None, None) => {
                let rating = lone(&self.text).map(str::to_owned).or_else(|| half_in(&self.text));
                let unread = || unread_in(&self.text).map(|rating| format!("{rating:?}, which is not understood"));
                let grouped = || {
                    let (_, own) = self.below.split_last()?;
                    let above = own.iter().find(|title| level_of_group(title).is_some())?;
                    Some(format!("only the heading {above:?}"))
                };
                let rated = rating.map(|rating| format!("only {rating:?}")).or_else(|| self.rated_otherwise());
                rated.or_else(unread).or_else(grouped)
            }
            _ => None,
        }
        .filter(|_| self.source().is_none())
    }

    /// Two ratings under names that are not known: `exposure: High, damage: High`.
    fn rated_otherwise(&self) -> Option<String> {
        let rated: Vec<String> = self.other_ratings().map(|(name, value)| format!("{name}: {value}")).collect();
        (rated.len() > 1).then(|| format!("{:?} and neither a probability nor an impact", rated.join(", ")))
    }

    /// The values that only rate, by words.
    fn other_ratings(&self) -> impl Iterator<Item = &(String, String)> {
        let rates = |value: &str| is_bare(value) && level(value).is_some() && value.chars().any(char::is_alphabetic);
        self.fields.iter().filter(move |(_, value)| rates(value))
    }

    /// Whether all that it is rated with stands under names that are not known, and none of it is high.
    fn is_low_otherwise(&self) -> bool {
        let is_low = |value: &str| level(value).is_some_and(|level| level < 3);
        self.rated_otherwise().is_some()
            && self.rated() == (None, None)
            && self.other_ratings().all(|(_, value)| is_low(value))
    }

    /// Who accepted a risk: `Accepted By`, `Status: accepted by Ann`, or a heading above it.
    fn accepted_by(&self) -> Option<String> {
        let named = self.filled(&["accepted by", "acceptor"]).map(one_line);
        let status = self.line_of(STATUS);
        let said = contains_phrase(&status, "accepted") && !contains_phrase(&status, "not accepted");
        let who = status.to_lowercase().find("accepted by ").and_then(|at| status.get(at + "accepted by ".len()..));
        let above = self.below.iter().any(|title| contains_phrase(title, "accepted"));
        named.or_else(|| who.map(one_line)).or_else(|| (said || above).then(String::new))
    }

    /// A risk's ratings that cannot be read: `probability: frequent`, `impact: 5`.
    pub fn unrated(&self) -> Vec<Unrated> {
        let both = |text: &str| halves(text).and_then(|(p, i)| likelihood(p).and(level(i))).or_else(|| score(text));
        let (probability, impact, stated) = (self.get(&PROBABILITY), self.get(&IMPACT), self.get(&SCORE));
        let ratings = [
            ("probability", probability, likelihood as fn(&str) -> Option<u8>),
            ("impact", impact, level),
            ("score", stated, score),
            ("probability × impact", self.get(BOTH), both),
        ];
        let said = |value: &&str| !is_left_open(value);
        let whole = match self.rated() {
            (Some(_), Some(_)) => true,
            _ => {
                stated.filter(said).is_some_and(|value| score(value).is_some())
                    && probability.filter(said).is_none()
                    && impact.filter(said).is_none()
            }
        };
        let others =
            |name: &str| ratings.iter().any(|(other, value, _)| *other != name && value.filter(said).is_some());
        ratings
            .iter()
            .filter_map(|(name, value, read)| Some((*name, value.filter(said).filter(|value| read(value).is_none())?)))
            .map(|(name, value)| {
                let alone = matches!(name, "probability" | "impact") && !others(name);
                Unrated { name, value: one_line(value), decides: !whole && !alone }
            })
            .collect()
    }

    /// What a reader is told of a risk's ratings that cannot be read, and whether its score depends on them.
    pub fn unread_ratings(&self, risk: &str) -> Option<(String, bool)> {
        let unrated = self.unrated();
        let told: Vec<String> = unrated.iter().map(|one| format!("{} {:?}", one.name, one.value)).collect();
        let by_score = unrated.iter().all(|one| one.name == "score");
        let example = if by_score { "a score of 1 to 9, or probability and impact as " } else { "" };
        let scale = match unrated.iter().any(|one| one.value.bytes().all(|byte| byte.is_ascii_digit())) {
            true => ", or say of how many, such as `4/5` or a column `Impact (1-5)`",
            false => "",
        };
        let told = told.join(", ");
        let text = format!("{told} of {risk} not understood; write {example}High, Medium or Low (3, 2, 1){scale}");
        let half = self.half_rated().map(|has| {
            format!("{risk} has {has}, so it has no score; write both, such as `(probability: High, impact: Medium)`")
        });
        let decides = unrated.iter().any(|one| one.decides);
        match half.filter(|_| !decides) {
            Some(text) => Some((text, !self.is_low_alone() && !self.is_low_otherwise())),
            None if unrated.is_empty() => self.two_scores(risk).map(|text| (text, false)),
            None => Some((text, decides && !self.is_low_alone())),
        }
    }

    /// Whether all that it is rated with is one word, and that is a low or a medium one: no score that it may mean is high.
    fn is_low_alone(&self) -> bool {
        let stated =
            [self.get(&PROBABILITY), self.get(&IMPACT)].into_iter().flatten().any(|value| !is_left_open(value));
        let is_word = |text: &&str| is_bare(text) && text.chars().any(char::is_alphabetic);
        let alone = self.get(&SCORE).filter(is_word).or_else(|| lone(&self.text));
        let above = || self.below.split_last().and_then(|(_, own)| own.iter().find_map(|title| level_of_group(title)));
        !stated && alone.and_then(level).or_else(above).is_some_and(|level| level < 3) && self.rated() == (None, None)
    }

    /// A score that is not what probability and impact come to.
    fn two_scores(&self, risk: &str) -> Option<String> {
        let (stated, product) = (self.get(&SCORE).and_then(score)?, product(self.rated())?);
        (stated != product && !self.has_other_scale()).then(|| {
            format!(
                "{risk} has the score {stated}, and its probability and impact come to {product}; the higher counts"
            )
        })
    }

    /// What a risk's ratings say besides: the knowledge keeps levels only.
    pub fn told_ratings(&self) -> Vec<String> {
        let unrated = self.unrated();
        let stated: [(&str, &[&str]); 4] =
            [("probability", &PROBABILITY), ("impact", &IMPACT), ("score", &SCORE), ("probability × impact", BOTH)];
        let says = |value: &&str| value.chars().any(char::is_alphanumeric) && !is_left_open(value);
        stated
            .into_iter()
            .filter_map(|(name, names)| Some((name, self.get(names).filter(says)?)))
            .filter(|(name, value)| !is_bare(value) || unrated.iter().any(|one| one.name == *name))
            .map(|(name, value)| format!("{name}: {}", one_line(value)))
            .collect()
    }
}

fn product((probability, impact): (Option<u8>, Option<u8>)) -> Option<u8> {
    probability.zip(impact).map(|(p, i)| p.saturating_mul(i))
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
