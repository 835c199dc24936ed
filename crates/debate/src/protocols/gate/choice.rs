//! What a Final Decision chooses.
//!
//! Nothing here understands a text. Labelled lines count first, then a list with one accepted option, then sentences that
//! have a phrase of `data/choosing-phrases` with its subject. Where anything is in doubt nothing counts, and [`Unclear`]
//! says why: a person can write a clearer line, but nobody notices a choice that was never made.

use crate::option_names::{OptionNames, Unit, is_article, is_option_word};
use crate::plan::{OptionId, Plan};
use forge_prose::outline::{Block, Kind, Outline, Section};
use forge_prose::phrases::{Phrases, lines};
use forge_prose::words::words;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

macro_rules! word_list {
    ($name:ident, $file:literal) => {
        static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../../data/", $file, ".txt"))));
    };
}

word_list!(LABELS, "choice-labels");
word_list!(STATUS_LABELS, "status-labels");
word_list!(REFUSALS, "refusals");
word_list!(UNDECIDED, "undecided");
word_list!(GO_AHEAD, "go-ahead-words");
word_list!(ACCEPTED, "accepted-words");
word_list!(PASSED_OVER, "passed-over-words");
word_list!(IMPERATIVES, "imperatives");
word_list!(ADVERBS, "adverbs");
word_list!(DECIDERS, "deciders");
word_list!(DOUBTS, "doubts");
word_list!(CONDITIONS, "conditions");
word_list!(REASONS, "reasons");
word_list!(RELATIVES, "relatives");
word_list!(LEAD_INS, "lead-ins");
word_list!(CONNECTORS, "connectors");
word_list!(BODIES, "bodies");
word_list!(NOT_DECIDERS, "not-deciders");
word_list!(WITHDRAWALS, "withdrawals");
word_list!(TURNED_DOWN, "turned-down");
word_list!(OTHER_VERBS, "other-verbs");

static CHOOSING: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| patterns(include_str!("../../../data/choosing-phrases.txt")));
static CONTRASTS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(include_str!("../../../data/contrasts.txt")));

/// Words that may stand between a phrase and its option and belong to neither.
const GAP_WORDS: usize = 2;
/// The same where the phrase goes on behind the option.
const GAP_BEHIND: usize = 6;
/// How many words behind a dash or a bracket can take back what stands before it.
const TAKEN_BACK_WORDS: usize = 3;
/// Prepositions after which a labelled value goes on without saying anything about the option as such.
const GOES_ON: [&str; 18] = [
    "for", "as", "with", "in", "on", "to", "from", "at", "using", "via", "by", "für", "als", "mit", "para", "como",
    "pour", "作为",
];
/// Prepositions and the like that part a phrase from an option that stands behind them.
const PARTING: [&str; 34] = [
    "for", "to", "with", "from", "of", "in", "on", "by", "like", "as", "at", "about", "into", "than", "and", "or",
    "but", "time", "weeks", "days", "between", "among", "over", "without", "not", "no", "neither", "only", "für",
    "mit", "von", "zu", "de", "pour",
];

/// Words before a choice that make it somebody else's.
const REPORTS: [&str; 24] = [
    "says",
    "said",
    "say",
    "wrote",
    "writes",
    "claims",
    "claimed",
    "argues",
    "argued",
    "announced",
    "suggests",
    "suggested",
    "told",
    "insists",
    "insisted",
    "demands",
    "hopes",
    "hoped",
    "joked",
    "believes",
    "wishes",
    "rumour",
    "rumor",
    "asked",
];
/// Words between an option and a phrase that make another thing of it: "our second choice".
const OUT_OF_PLACE: [&str; 12] = [
    "second",
    "third",
    "next",
    "backup",
    "fallback",
    "last",
    "former",
    "previous",
    "old",
    "worst",
    "wrong",
    "preferred",
];

/// Words that stand for the decision itself.
const ABOUT_IT: [&str; 16] = [
    "decision",
    "choice",
    "selection",
    "this",
    "that",
    "it",
    "above",
    "vote",
    "result",
    "entscheidung",
    "beschluss",
    "decisión",
    "décision",
    "decisione",
    "decisão",
    "replacement",
];

/// Why no choice could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// No option is named anywhere.
    NothingNamed,
    /// Options are named, and nothing says that one is chosen.
    NothingChosen {
        /// The options.
        named: Vec<OptionId>,
    },
    /// A label refuses or puts off.
    Refused {
        /// The words.
        word: String,
        /// Its line.
        line: usize,
    },
    /// A sentence says that nothing is decided.
    Undecided {
        /// The words.
        word: String,
        /// Its line.
        line: usize,
    },
    /// What would choose has a doubt in it.
    Doubt {
        /// The words.
        word: String,
        /// Its line.
        line: usize,
    },
    /// A sentence names several options.
    Several {
        /// The options.
        named: Vec<OptionId>,
        /// Its line.
        line: usize,
    },
    /// Lines that choose differ.
    Differ {
        /// What the first chooses.
        one: OptionId,
        /// What another chooses.
        other: OptionId,
        /// The other's line.
        line: usize,
    },
    /// It stands in a code fence.
    InCode {
        /// Its line.
        line: usize,
    },
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |named: &[OptionId]| named.iter().map(OptionId::as_str).collect::<Vec<_>>().join(", ");
        match self {
            Unclear::NothingNamed => f.write_str("none of the options is named"),
            Unclear::NothingChosen { named } => {
                write!(f, "{} is named, but no line or sentence says that it is chosen", list(named))
            }
            Unclear::Refused { word, line } => write!(f, "line {line} says {word:?}, which chooses nothing"),
            Unclear::Undecided { word, line } => write!(f, "line {line} says {word:?}"),
            Unclear::Doubt { word, line } => write!(f, "line {line} leaves a doubt with {word:?}"),
            Unclear::Several { named, line } => write!(f, "line {line} names {}", list(named)),
            Unclear::Differ { one, other, line } => write!(f, "one line chooses {one}, line {line} chooses {other}"),
            Unclear::InCode { line } => write!(f, "line {line} stands in a code fence"),
        }
    }
}

/// What the section chooses.
pub fn read(section: &Section, plan: &Plan) -> Result<OptionId, Unclear> {
    let reader = Reader { names: OptionNames::of(&plan.options) };
    reader.read(section).map(|option| reader.names.id(option))
}

struct Reader {
    names: OptionNames,
}

/// What one line or sentence comes to.
enum Said {
    Chooses(usize),
    /// It would choose this option, but something is in the way.
    Fails(Option<usize>, Unclear),
    Nothing,
}

impl Reader {
    fn read(&self, section: &Section) -> Result<usize, Unclear> {
        let outline = section.outline();
        let mut failed: Option<Unclear> = None;
        self.refuse_undecided(&outline)?;
        let stated = match self.by_title(section) {
            Some(option) => Some(option),
            None => self.by_labels(&outline, &mut failed)?,
        };
        let chosen = match stated.or_else(|| self.by_list(&outline)).or_else(|| self.by_first_line(&outline)) {
            Some(option) => Some(option),
            None => self.by_sentences(&outline, &mut failed)?,
        };
        match chosen {
            Some(option) => self.unless_contradicted(option, &outline),
            None => Err(failed.unwrap_or_else(|| self.nothing(section, &outline))),
        }
    }

    fn nothing(&self, section: &Section, outline: &Outline) -> Unclear {
        let code = outline.blocks.iter().find(|block| block.kind == Kind::Code);
        let named = self.ids(self.names.named(&section.body));
        match (code, named.is_empty()) {
            (Some(block), _) => Unclear::InCode { line: block.line },
            (None, true) => Unclear::NothingNamed,
            (None, false) => Unclear::NothingChosen { named },
        }
    }

    fn ids(&self, options: Vec<usize>) -> Vec<OptionId> {
        options.into_iter().map(|option| self.names.id(option)).collect()
    }

    /// A sentence or a status line that says that nothing is decided outranks everything.
    fn refuse_undecided(&self, outline: &Outline) -> Result<(), Unclear> {
        for block in spoken(outline) {
            for sentence in block.sentences() {
                let said = words(&sentence.text);
                if let Some((at, length)) = UNDECIDED.find(&said) {
                    return Err(Unclear::Undecided { word: said[at..at + length].join(" "), line: sentence.line });
                }
            }
        }
        for (label, value, line) in labelled(outline) {
            let said = words(&value);
            if STATUS_LABELS.has_text(&label) && REFUSALS.at(&said) > 0 {
                return Err(Unclear::Refused { word: value, line });
            }
        }
        Ok(())
    }

    /// `## Final Decision: MVStore`.
    fn by_title(&self, section: &Section) -> Option<usize> {
        let (_, value) = section.title.split_once([':', '—', '–', '：'])?;
        self.only_an_option(&self.names.units(value))
    }

    fn by_labels(&self, outline: &Outline, failed: &mut Option<Unclear>) -> Result<Option<usize>, Unclear> {
        let mut chosen: Option<usize> = None;
        for (label, value, line) in labelled(outline) {
            if !is_choice_label(&label) {
                continue;
            }
            match self.value(&value, line) {
                Said::Chooses(option) => match chosen {
                    Some(before) if before != option => {
                        let (one, other) = (self.names.id(before), self.names.id(option));
                        return Err(Unclear::Differ { one, other, line });
                    }
                    _ => chosen = Some(option),
                },
                Said::Fails(_, unclear @ Unclear::Refused { .. }) => return Err(unclear),
                Said::Fails(_, unclear) => *failed = failed.take().or(Some(unclear)),
                Said::Nothing => {}
            }
        }
        Ok(chosen)
    }

    /// The value of a label that chooses.
    fn value(&self, value: &str, line: usize) -> Said {
        let units = without_quotations(self.names.units(value));
        let said: Vec<&str> = units.iter().filter_map(Unit::word).collect();
        if self.only_an_option(&units).is_none() {
            let begins_with_option = units.iter().find(|unit| !matches!(unit, Unit::Mark(_))).and_then(Unit::option);
            if begins_with_option.is_none() && REFUSALS.at(&said) > 0 {
                return Said::Fails(None, Unclear::Refused { word: value.to_owned(), line });
            }
        }
        if GO_AHEAD.has(&said) && units.iter().all(|unit| unit.option().is_none()) {
            return Said::Nothing;
        }
        if let Some((option, end)) = self.begins_with_option(&units) {
            // "the MVStore format"
            let is_noun = units.get(end).and_then(Unit::word).is_some_and(is_option_word);
            let tail = &units[end + usize::from(is_noun)..];
            let goes_on = match tail.first() {
                Some(Unit::Mark('?')) => false,
                None | Some(Unit::Mark(_)) => true,
                Some(Unit::Option(other)) => *other == option,
                Some(unit) => {
                    let word = unit.word().unwrap_or_default();
                    GOES_ON.contains(&word) || starts(&REASONS, tail) || contrast_at(tail, 0, Some(option)).is_some()
                }
            };
            if goes_on {
                return self.checked(option, &[], tail, line);
            }
        }
        // `Resolved: the office will be in Halle.`
        let first = forge_prose::sentences::split(value).into_iter().next().unwrap_or_default();
        if let Some(option) = self.affirms(first) {
            return Said::Chooses(option);
        }
        // A value of several sentences: the first that chooses.
        let mut result = Said::Nothing;
        for sentence in forge_prose::sentences::split(value) {
            match self.sentence(sentence, line) {
                Said::Nothing => {}
                said => {
                    result = said;
                    break;
                }
            }
        }
        result
    }

    /// The one option of a labelled sentence that says what will be, without a doubt.
    fn affirms(&self, sentence: &str) -> Option<usize> {
        let (units, _) = without_contrasts(without_quotations(self.names.units(sentence)));
        let (said, rest) = cut_at_reason(&units);
        let future = said.iter().position(|unit| matches!(unit.word(), Some("will" | "shall")))?;
        let words: Vec<&str> = said.iter().filter_map(Unit::word).collect();
        let is_other = words.iter().any(|word| OTHER_VERBS.has_word(word)) || TURNED_DOWN.find(&words).is_some();
        let named: Vec<usize> = said.iter().filter_map(Unit::option).collect();
        let is_plain = doubt_in(said).is_none() && condition_in(rest).is_none() && !is_other && !sentence.contains('?');
        match named.as_slice() {
            [one] if is_plain && said[future..].contains(&Unit::Option(*one)) => Some(*one),
            _ => None,
        }
    }

    /// The option that a value begins with, behind articles, marks, words for an option and words such as "go with".
    fn begins_with_option(&self, units: &[Unit]) -> Option<(usize, usize)> {
        let mut at = 0;
        while let Some(unit) = units.get(at) {
            let rest: Vec<&str> = units[at..].iter().map_while(Unit::word).collect();
            at += match unit {
                Unit::Option(option) => return Some((*option, at + 1)),
                Unit::Mark('.' | ';' | '?' | '!') => return None,
                Unit::Mark(_) => 1,
                Unit::Word(word) | Unit::Capital(word) => match IMPERATIVES.at(&rest).max(ADVERBS.at(&rest)) {
                    0 if is_article(word) || is_option_word(word) || DECIDERS.at(&rest) > 0 => 1,
                    0 => return None,
                    length => length,
                },
            };
        }
        None
    }

    /// The option, if the units are nothing but it: with its id, marks, articles and words for an option.
    fn only_an_option(&self, units: &[Unit]) -> Option<usize> {
        let mut found = None;
        for unit in units {
            match unit {
                Unit::Option(option) if found.is_none_or(|before| before == *option) => found = Some(*option),
                Unit::Mark('?') | Unit::Option(_) => return None,
                Unit::Mark(_) => {}
                Unit::Word(word) | Unit::Capital(word) if is_article(word) || is_option_word(word) => {}
                _ => return None,
            }
        }
        found
    }

    /// The option of `Use Redis.` or `Redis - approved.`: with a word before it that only chooses, or behind it that accepts.
    fn told_to_take(&self, units: &[Unit]) -> Option<usize> {
        let (option, end) = self.begins_with_option(units)?;
        let behind = &units[end..];
        let said: Vec<&str> = behind.iter().filter_map(Unit::word).collect();
        let only = behind
            .iter()
            .all(|unit| matches!(unit, Unit::Mark(_)) && *unit != Unit::Mark('?') || unit.option() == Some(option));
        let accepted = behind.iter().all(|unit| unit.option().is_none_or(|one| one == option)) && ACCEPTED.has(&said);
        (only || accepted).then_some(option)
    }

    /// A list or table in which exactly one option is accepted.
    fn by_list(&self, outline: &Outline) -> Option<usize> {
        let mut accepted = Vec::new();
        let mut listed = Vec::new();
        let rows = outline.blocks.iter().filter(|block| !block.is_quoted && block.depth <= 1).flat_map(rows_of);
        for block in rows {
            let block = &block;
            let units = self.names.units(&block.text());
            let first = units.iter().position(|unit| unit.option().is_some())?;
            let Some(option) = units[first].option() else { continue };
            let leads = units[..first].iter().all(|unit| {
                unit.word().is_none_or(|word| {
                    is_article(word)
                        || is_option_word(word)
                        || ACCEPTED.has_word(word)
                        || word.chars().all(|c| c.is_numeric())
                })
            });
            if !leads {
                return None;
            }
            listed.push(option);
            if self.is_accepted(block, &units, first, option) {
                accepted.push(option);
            }
        }
        accepted.dedup();
        let mut all = listed.clone();
        all.sort_unstable();
        all.dedup();
        (all.len() >= 2).then_some(())?;
        match accepted.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    fn is_accepted(&self, block: &Block, units: &[Unit], first: usize, option: usize) -> bool {
        if let Kind::Item { ticked: Some(ticked) } = block.kind {
            return ticked;
        }
        let text = block.text();
        let is_crossed = text.contains(['❌', '✗', '✘', '🔴', '⛔', '✖']);
        let is_checked = text.contains(['✅', '✔', '✓', '🟢', '☑', '🏆']);
        if is_crossed || is_checked {
            return is_checked && !is_crossed;
        }
        // The word right behind the option, or right before it.
        let behind: Vec<&str> = units[first + 1..]
            .iter()
            .skip_while(|unit| matches!(unit, Unit::Mark(_)) || unit.option() == Some(option))
            .filter_map(Unit::word)
            .take(3)
            .collect();
        let before: Vec<&str> = units[..first].iter().filter_map(Unit::word).collect();
        let says = |list: &Phrases, said: &[&str]| list.at(said) > 0;
        let in_cell = || {
            let cells = block.lines.iter().skip(1).map(|line| words(&line.text));
            block.is_row() && cells.into_iter().any(|cell| ACCEPTED.has(&cell))
        };
        !says(&PASSED_OVER, &behind) && (says(&ACCEPTED, &behind) || says(&ACCEPTED, &before) || in_cell())
    }

    /// A body whose first line is nothing but one option.
    fn by_first_line(&self, outline: &Outline) -> Option<usize> {
        let block = outline.blocks.first().filter(|block| !block.is_quoted && block.kind != Kind::Code)?;
        // One item of several is no choice among them.
        let items = outline.blocks.iter().filter(|block| matches!(block.kind, Kind::Item { .. })).count();
        if matches!(block.kind, Kind::Item { ticked: Some(false) }) {
            return None;
        }
        if matches!(block.kind, Kind::Item { .. }) && items > 1 || matches!(block.kind, Kind::Row { .. } | Kind::Head) {
            return None;
        }
        let sentence = block.sentences().into_iter().next()?;
        let first = block.lines.first()?;
        [&first.text, &sentence.text].into_iter().find_map(|text| {
            let (units, _) = without_contrasts(self.names.units(text));
            let said: Vec<&str> = units.iter().map_while(Unit::word).collect();
            let units = &units[CONNECTORS.at(&said)..];
            self.only_an_option(units).or_else(|| self.told_to_take(units))
        })
    }

    /// The option, unless a sentence chooses another, turns this one down, or takes the decision back.
    fn unless_contradicted(&self, option: usize, outline: &Outline) -> Result<usize, Unclear> {
        for block in spoken(outline).filter(|block| !block.is_row()) {
            for sentence in block.sentences() {
                let said = words(&sentence.text);
                let named = self.names.named(&sentence.text);
                let is_about_others = said.iter().any(|word| {
                    matches!(
                        word.as_str(),
                        "alternatives"
                            | "alternative"
                            | "others"
                            | "other"
                            | "rest"
                            | "remaining"
                            | "objection"
                            | "objections"
                    )
                });
                let turns_down = TURNED_DOWN.find(&said).is_some() && named == [option];
                let is_about_it = named == [option] || said.iter().any(|word| ABOUT_IT.contains(&word.as_str()));
                let takes_back =
                    WITHDRAWALS.find(&said).is_some() && is_about_it && named.iter().all(|one| *one == option);
                if (turns_down || takes_back) && !is_about_others && !is_negated(&said) {
                    return Err(Unclear::Doubt { word: sentence.text, line: sentence.line });
                }
                if let Said::Chooses(other) | Said::Fails(Some(other), _) = self.sentence(&sentence.text, sentence.line)
                    && other != option
                {
                    let (one, other) = (self.names.id(option), self.names.id(other));
                    return Err(Unclear::Differ { one, other, line: sentence.line });
                }
            }
        }
        Ok(option)
    }

    fn by_sentences(&self, outline: &Outline, failed: &mut Option<Unclear>) -> Result<Option<usize>, Unclear> {
        let mut chosen: Option<usize> = None;
        for block in spoken(outline).filter(|block| !block.is_row()) {
            for sentence in block.sentences().into_iter().filter(|sentence| !sentence.is_blank) {
                match self.sentence(&sentence.text, sentence.line) {
                    Said::Chooses(option) => match chosen {
                        Some(before) if before != option => {
                            let (one, other) = (self.names.id(before), self.names.id(option));
                            return Err(Unclear::Differ { one, other, line: sentence.line });
                        }
                        _ => chosen = Some(option),
                    },
                    Said::Fails(_, unclear) => *failed = failed.take().or(Some(unclear)),
                    Said::Nothing => {}
                }
            }
        }
        Ok(chosen)
    }

    /// What a sentence comes to.
    fn sentence(&self, text: &str, line: usize) -> Said {
        let units = without_quotations(self.names.units(text));
        let is_question =
            text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？')).ends_with(['?', '？']);
        if is_question {
            return Said::Nothing;
        }
        let (units, _) = without_contrasts(units);
        for start in 0..units.len() {
            for pattern in CHOOSING.iter() {
                if let Some((end, option)) = pattern.matches(&units, start) {
                    if !lead_is_plain(&units[..start]) {
                        continue;
                    }
                    return self.checked(option, &units[..start], &units[end..], line);
                }
            }
        }
        Said::Nothing
    }

    /// A choice whose surroundings were held against doubts and other options.
    fn checked(&self, option: usize, lead: &[Unit], tail: &[Unit], line: usize) -> Said {
        let (tail, _) = without_contrasts(tail.to_vec());
        let (tail, cut) = cut_at_reason(&tail);
        let whole_lead = lead;
        let lead = without_lead_in(lead);
        // "with no extra cost" behind the choice takes nothing back.
        let doubt =
            report_in(whole_lead).or_else(|| doubt_in(lead)).or_else(|| doubt_in(tail).filter(|word| word != "no"));
        if let Some(word) = doubt {
            return Said::Fails(None, Unclear::Doubt { word, line });
        }
        if let Some(word) = condition_in(cut) {
            return Said::Fails(None, Unclear::Doubt { word, line });
        }
        let mut named: Vec<usize> = lead.iter().chain(tail).filter_map(Unit::option).chain([option]).collect();
        named.sort_unstable();
        named.dedup();
        if named.len() > 1 {
            return Said::Fails(Some(option), Unclear::Several { named: self.ids(named), line });
        }
        Said::Chooses(option)
    }
}

/// The rows of a list: an item, a row, a heading, or each line of a paragraph of several.
fn rows_of(block: &Block) -> Vec<Block> {
    match block.kind {
        Kind::Item { .. } | Kind::Row { .. } | Kind::Heading(_) => vec![block.clone()],
        Kind::Paragraph if block.lines.len() > 1 => {
            let one = |line: &forge_prose::Line| Block { lines: vec![line.clone()], line: line.line, ..block.clone() };
            block.lines.iter().map(one).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a sentence denies what it says.
fn is_negated(said: &[String]) -> bool {
    said.iter().any(|word| {
        matches!(
            word.as_str(),
            "not" | "never" | "nobody" | "none" | "if" | "unless" | "last" | "previously" | "initially" | "originally"
        )
    })
}

/// The blocks whose sentences count: no code, no quotations, no heads of tables.
fn spoken(outline: &Outline) -> impl Iterator<Item = &Block> {
    outline.blocks.iter().filter(|block| !block.is_quoted && !matches!(block.kind, Kind::Code | Kind::Head))
}

/// Labels with their values and lines: on one line, on the next one, in a table's row or column, under a sub-heading.
fn labelled(outline: &Outline) -> Vec<(String, String, usize)> {
    let mut found = Vec::new();
    let blocks: Vec<&Block> = outline.blocks.iter().filter(|block| block.kind != Kind::Code).collect();
    for (i, block) in blocks.iter().enumerate() {
        // A quotation that is introduced, `as Ana wrote:`, is somebody else's.
        let is_introduced = i > 0 && blocks[i - 1].text().trim_end().ends_with([':', '：']);
        if block.is_quoted && is_introduced {
            continue;
        }
        let next_block = blocks.get(i + 1).and_then(|next| next.lines.first());
        match &block.kind {
            Kind::Heading(_) => {
                let title = block.text();
                let (label, value) = title.split_once([':', '：']).unwrap_or((title.as_str(), ""));
                let value = match (value.trim(), next_block) {
                    ("", Some(next)) => next.text.clone(),
                    (value, _) => value.to_owned(),
                };
                found.push((bare(label), value, block.line));
            }
            Kind::Row { head } => {
                if let [label, value, ..] = block.lines.as_slice() {
                    found.push((bare(&label.text), value.text.clone(), block.line));
                }
                // A table with one row below its head: each column is a label.
                let is_only = outline.blocks.iter().filter(|other| other.is_row()).count() == 1;
                for (label, cell) in head.iter().zip(&block.lines).filter(|_| is_only) {
                    found.push((bare(label), cell.text.clone(), block.line));
                }
            }
            Kind::Head => {
                if let [label, value] = block.lines.as_slice() {
                    found.push((bare(&label.text), value.text.clone(), block.line));
                }
            }
            _ => {
                for (j, line) in block.lines.iter().enumerate() {
                    let Some((label, value)) = line.label() else { continue };
                    let next = block.lines.get(j + 1).or(next_block);
                    let value = match (value, next) {
                        ("", Some(next)) => next.text.clone(),
                        (value, _) => value.to_owned(),
                    };
                    found.push((bare(label), value, line.line));
                }
            }
        }
    }
    found.retain(|(label, value, _)| !label.is_empty() && !value.trim().is_empty());
    found
}

/// A label without pictures and numbers before it, and without what stands in brackets behind it.
fn bare(label: &str) -> String {
    let label = label.split(['(', '（']).next().unwrap_or(label);
    forge_prose::bare_title(label).to_owned()
}

/// Whether a label says what was chosen: `Decision`, `Recommendation adopted`, `Decision of the board`.
fn is_choice_label(label: &str) -> bool {
    let said = words(label);
    let mut at = 0;
    let mut chooses = false;
    while at < said.len() {
        let labels = LABELS.at(&said[at..]);
        let small = ACCEPTED.at(&said[at..]).max(ADVERBS.at(&said[at..])).max(DECIDERS.at(&said[at..]));
        let small = small.max(usize::from(
            is_article(&said[at])
                || matches!(said[at].as_str(), "of" | "by" | "reached" | "made" | "taken" | "on" | "record"),
        ));
        match labels.max(small) {
            0 => return false,
            length => at += length,
        }
        chooses |= labels > 0;
    }
    chooses
}

/// The units without what stands in quotation marks, unless that is a name.
fn without_quotations(units: Vec<Unit>) -> Vec<Unit> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let close = (units[at] == Unit::Mark('"'))
            .then(|| units[at + 1..].iter().position(|unit| *unit == Unit::Mark('"')).map(|i| at + 1 + i))
            .flatten();
        match close {
            Some(close) => {
                let inside = &units[at + 1..close];
                let is_name = inside.iter().any(|unit| unit.option().is_some())
                    && inside
                        .iter()
                        .all(|unit| unit.word().is_none_or(|word| is_article(word) || is_option_word(word)));
                if is_name {
                    kept.extend(inside.iter().filter(|unit| unit.option().is_some()).cloned());
                }
                at = close + 1;
            }
            None => {
                if units[at] != Unit::Mark('"') {
                    kept.push(units[at].clone());
                }
                at += 1;
            }
        }
    }
    kept
}

/// The units without contrasts that name an option, and whether there were any.
fn without_contrasts(units: Vec<Unit>) -> (Vec<Unit>, bool) {
    let mut kept = Vec::new();
    let mut at = 0;
    let mut any = false;
    while at < units.len() {
        match contrast_at(&units, at, None) {
            Some(end) => {
                any = true;
                at = end;
            }
            None => {
                kept.push(units[at].clone());
                at += 1;
            }
        }
    }
    (kept, any)
}

/// Where a contrast that begins here ends: with its option, and with further ones that are listed behind it.
fn contrast_at(units: &[Unit], at: usize, but: Option<usize>) -> Option<usize> {
    let (mut end, option) = CONTRASTS.iter().find_map(|pattern| pattern.matches(units, at))?;
    if but == Some(option) {
        return None;
    }
    // "rather than JSON, Custom format or Avro"
    loop {
        let joins = units[end..]
            .iter()
            .take_while(|unit| {
                matches!(unit, Unit::Mark(',' | '/'))
                    || unit.word().is_some_and(|word| {
                        is_article(word)
                            || ["and", "or", "nor", "und", "oder", "y", "o", "et", "ou", "或", "和"].contains(&word)
                    })
            })
            .count();
        match units.get(end + joins) {
            Some(Unit::Option(_)) if joins > 0 => end += joins + 1,
            _ => return Some(end),
        }
    }
}

/// Whether what stands before a phrase reports nobody else: nothing, small words, a clause that is closed by a mark, or
/// one that begins like a reason.
fn lead_is_plain(lead: &[Unit]) -> bool {
    let said: Vec<&str> = lead.iter().filter_map(Unit::word).collect();
    // "..., and thus we choose": what is closed by a mark, but for small words behind it.
    let mut end = lead.len();
    while end > 0 && lead[end - 1].word().is_some_and(|word| CONNECTORS.has_word(word) || ADVERBS.has_word(word)) {
        end -= 1;
    }
    let is_closed =
        end > 0 && matches!(lead[end - 1], Unit::Mark(',' | ':' | ';' | '—' | '-' | ')' | '.' | '!' | '*' | '|'));
    let mut at = 0;
    while at < said.len() {
        let small = CONNECTORS.at(&said[at..]).max(ADVERBS.at(&said[at..]));
        let small = small.max(usize::from(is_article(said[at]) || is_option_word(said[at])));
        if small == 0 {
            break;
        }
        at += small;
    }
    is_closed || at == said.len() || LEAD_INS.at(&said) > 0
}

/// What stands before a phrase, without a first clause that begins like a reason and is closed by a comma.
fn without_lead_in(lead: &[Unit]) -> &[Unit] {
    let said: Vec<&str> = lead.iter().filter_map(Unit::word).collect();
    let skip = LEAD_INS.at(&said);
    if skip == 0 {
        return lead;
    }
    match lead.iter().rposition(|unit| matches!(unit, Unit::Mark(',' | ':' | '—'))) {
        Some(comma) => &lead[comma + 1..],
        None => &lead[skip.min(lead.len())..],
    }
}

fn starts(list: &Phrases, units: &[Unit]) -> bool {
    let said: Vec<&str> = units.iter().map_while(Unit::word).collect();
    list.at(&said) > 0
}

/// What stands behind a choice up to its reason, and the rest.
fn cut_at_reason(tail: &[Unit]) -> (&[Unit], &[Unit]) {
    let is_end = |i: usize| {
        let unit = &tail[i];
        let opens = matches!(unit, Unit::Mark('—' | ':' | '(' | '[' | '.' | '-' | '!'));
        let is_aside = i > 0 && tail[i - 1] == Unit::Mark(',') && starts(&RELATIVES, &tail[i..]);
        opens || is_aside || starts(&REASONS, &tail[i..])
    };
    let at = (0..tail.len()).find(|i| is_end(*i)).unwrap_or(tail.len());
    tail.split_at(at)
}

fn doubt_in(units: &[Unit]) -> Option<String> {
    let said: Vec<&str> = units
        .iter()
        .map(|unit| match unit {
            // The month.
            Unit::Capital(word) if word == "may" => "",
            Unit::Word(word) | Unit::Capital(word) => word,
            _ => "",
        })
        .collect();
    DOUBTS.find(&said).map(|(at, length)| said[at..at + length].join(" "))
}

/// A word with which what follows is somebody else's, or a condition that stands before the choice.
fn report_in(lead: &[Unit]) -> Option<String> {
    let said: Vec<&str> = lead.iter().filter_map(Unit::word).collect();
    let reports = said.iter().find(|word| REPORTS.contains(*word)).map(|word| (*word).to_owned());
    let condition = &said[..CONDITIONS.at(&said)];
    reports.or_else(|| (!condition.is_empty()).then(|| condition.join(" ")))
}

/// A condition in what follows a choice's reason: at the start of one of its clauses. A dash or bracket right behind the
/// choice may also take it back.
fn condition_in(rest: &[Unit]) -> Option<String> {
    let opens = matches!(rest.first(), Some(Unit::Mark('—' | ':' | '(' | '[' | '-')));
    if opens {
        let said: Vec<&str> = rest[1..].iter().map_while(Unit::word).take(TAKEN_BACK_WORDS).collect();
        let doubt = (0..said.len().min(2)).map(|i| &said[i..i + DOUBTS.at(&said[i..])]).find(|found| !found.is_empty());
        let refusal = &said[..REFUSALS.at(&said)];
        if let Some(found) = doubt.or((!refusal.is_empty()).then_some(refusal)) {
            return Some(found.join(" "));
        }
    }
    (0..rest.len()).find_map(|i| {
        matches!(rest[i], Unit::Mark(',' | '—' | '-' | '(' | ')')).then_some(())?;
        let said: Vec<&str> = rest[i + 1..].iter().map_while(Unit::word).take(6).collect();
        let said = if matches!(said.first(), Some(&"but" | &"and" | &"though")) { &said[1..] } else { &said[..] };
        match CONDITIONS.at(said) {
            0 => None,
            length => Some(said[..length].join(" ")),
        }
    })
}

/// A phrase with a place for an option.
#[derive(Debug)]
struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Words {
        any: Vec<Vec<String>>,
        may_miss: bool,
    },
    Decider,
    Option,
    /// An option right here, with nothing between: one that is itself a verb.
    VerbOption,
    /// One word that is not in other-verbs.txt.
    Any {
        may_miss: bool,
    },
    End,
}

/// Reads the patterns of a data file.
fn patterns(data: &str) -> Vec<Pattern> {
    let mut defined: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for line in lines(data) {
        if let Some((name, value)) = line.split_once(" = ") {
            defined.insert(name.trim().to_owned(), value.trim().to_owned());
            continue;
        }
        let parts = line.split_whitespace().map(|word| part(word, &defined)).collect();
        found.push(Pattern { parts });
    }
    found
}

fn part(word: &str, defined: &BTreeMap<String, String>) -> Part {
    let (bare, may_miss) = match word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) => (inside, true),
        None => (word, false),
    };
    match bare {
        "WE" => Part::Decider,
        "X" => Part::Option,
        "DO" => Part::VerbOption,
        "ANY" => Part::Any { may_miss },
        "$" => Part::End,
        _ => {
            let expand = |one: &str| defined.get(one).cloned().unwrap_or_else(|| one.to_owned());
            let any = bare.split('|').map(expand).collect::<Vec<_>>().join("|");
            let mut any: Vec<Vec<String>> = any.split('|').map(|one| words(&one.replace('_', " "))).collect();
            any.retain(|words| !words.is_empty());
            // The longest first: "decided on" and not only "decided".
            any.sort_by_key(|words| std::cmp::Reverse(words.len()));
            Part::Words { any, may_miss }
        }
    }
}

impl Pattern {
    /// Where the pattern ends if it begins here, and which option it names.
    fn matches(&self, units: &[Unit], start: usize) -> Option<(usize, usize)> {
        self.rest(0, units, start, None)
    }

    fn rest(&self, part: usize, units: &[Unit], at: usize, option: Option<usize>) -> Option<(usize, usize)> {
        let Some(next) = self.parts.get(part) else { return option.map(|option| (at, option)) };
        match next {
            Part::End => {
                let is_end = units[at.min(units.len())..].iter().all(|unit| matches!(unit, Unit::Mark(_)));
                let is_end = is_end || matches!(units.get(at), Some(Unit::Mark('.' | '—' | ':' | '(' | '!')));
                if is_end { self.rest(part + 1, units, at, option) } else { None }
            }
            Part::Any { may_miss } => {
                let fits = |word: &str| !OTHER_VERBS.has_word(word) && !DOUBTS.has_word(word);
                let taken = units.get(at).and_then(Unit::word).is_some_and(fits);
                let found = if taken { self.rest(part + 1, units, at + 1, option) } else { None };
                found.or_else(|| if *may_miss { self.rest(part + 1, units, at, option) } else { None })
            }
            Part::Decider => {
                let said: Vec<&str> = units[at..].iter().map_while(Unit::word).take(6).collect();
                let whole = DECIDERS.at(&said);
                [whole, body_at(&said)]
                    .into_iter()
                    .filter(|length| *length > 0)
                    .find_map(|length| self.rest(part + 1, units, at + length, option))
            }
            Part::Words { any, may_miss } => {
                let from = if part == 0 { vec![at] } else { self.starts_of_words(part, units, at) };
                for start in from {
                    for wanted in any {
                        if stands(wanted, &units[start..])
                            && let Some(found) = self.rest(part + 1, units, start + wanted.len(), option)
                        {
                            return Some(found);
                        }
                    }
                }
                if *may_miss { self.rest(part + 1, units, at, option) } else { None }
            }
            Part::Option | Part::VerbOption => {
                let from = match next {
                    _ if part == 0 => at,
                    Part::VerbOption => self.starts_of_words(part, units, at).pop()?,
                    _ => gap_before_option(units, at)?,
                };
                let option = units.get(from)?.option()?;
                // "MVStore (Option B)", "Option B - MVStore": the same option again.
                let mut end = from + 1;
                while let Some(again) = same_again(units, end, option) {
                    end = again;
                }
                self.rest(part + 1, units, end, Some(option))
            }
        }
    }

    /// Where the words of this part may begin: behind adverbs, and behind a few words where the option stands before them.
    fn starts_of_words(&self, part: usize, units: &[Unit], at: usize) -> Vec<usize> {
        let mut starts = vec![at];
        let mut end = at;
        loop {
            let said: Vec<&str> = units[end..].iter().map_while(Unit::word).take(4).collect();
            match ADVERBS.at(&said) {
                0 => break,
                length => end += length,
            }
            starts.push(end);
        }
        let behind_option = self.parts[..part].iter().any(|part| matches!(part, Part::Option | Part::VerbOption));
        // Particles of scripts without blanks belong to the word before them.
        let is_particle = matches!(&self.parts[part], Part::Words { any, .. }
            if any.iter().flatten().any(|word| word.chars().any(forge_prose::words::is_unspaced)));
        if behind_option && !is_particle {
            let mut words = 0;
            for (i, unit) in units.iter().enumerate().skip(at) {
                match unit {
                    Unit::Option(_) | Unit::Mark('.' | ';' | ':' | '!' | '?' | '—') => break,
                    Unit::Mark(_) => {}
                    Unit::Word(word) | Unit::Capital(word)
                        if DOUBTS.has_word(word) || OUT_OF_PLACE.contains(&word.as_str()) =>
                    {
                        break;
                    }
                    _ => words += 1,
                }
                if words > GAP_BEHIND {
                    break;
                }
                starts.push(i + 1);
            }
        }
        starts.retain(|start| *start <= units.len());
        starts.dedup();
        starts
    }
}

/// How many words name a body that decides: `the investment committee`.
fn body_at(said: &[&str]) -> usize {
    if !said.first().is_some_and(|first| matches!(*first, "the" | "our" | "this")) {
        return 0;
    }
    for length in 2..=said.len().min(4) {
        let word = said[length - 1];
        if NOT_DECIDERS.has_word(word) {
            return 0;
        }
        if BODIES.has_word(word) {
            return length;
        }
    }
    0
}

fn stands(wanted: &[String], units: &[Unit]) -> bool {
    units.len() >= wanted.len() && wanted.iter().zip(units).all(|(word, unit)| unit.word() == Some(word))
}

/// Where the option stands behind a phrase: articles, marks of quotation and words for an option may stand between, and a
/// word or two that part nothing.
fn gap_before_option(units: &[Unit], at: usize) -> Option<usize> {
    let mut others = 0;
    for (i, unit) in units.iter().enumerate().skip(at) {
        match unit {
            Unit::Option(_) => return Some(i),
            Unit::Mark(':' | '"' | '*' | '—' | '-' | '\'' | '`' | '(') => {}
            Unit::Mark(_) => return None,
            Unit::Word(word) | Unit::Capital(word) => {
                if is_article(word) || is_option_word(word) {
                    continue;
                }
                others += 1;
                let parts = PARTING.contains(&word.as_str()) || DOUBTS.has_word(word) || OTHER_VERBS.has_word(word);
                if others > GAP_WORDS || parts {
                    return None;
                }
            }
        }
    }
    None
}

/// The end of the same option's name that follows right here, in brackets or behind a dash.
fn same_again(units: &[Unit], at: usize, option: usize) -> Option<usize> {
    let mut i = at;
    while let Some(unit) = units.get(i) {
        match unit {
            Unit::Mark('(' | '-' | '—' | ':' | ',' | '"' | '*') if i - at < 2 => i += 1,
            Unit::Option(again) if *again == option => {
                let closes = matches!(units.get(i + 1), Some(Unit::Mark(')' | '"')));
                return Some(i + 1 + usize::from(closes));
            }
            Unit::Word(word) | Unit::Capital(word) if is_option_word(word) && i - at < 3 => i += 1,
            _ => return None,
        }
    }
    None
}
