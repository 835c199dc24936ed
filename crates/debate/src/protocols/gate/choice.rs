//! What a Final Decision chooses.
//!
//! Nothing here understands a text. Labelled lines count first, then a list with one accepted option, then sentences that
//! have a phrase of `data/choosing-phrases` with its subject. Where anything is in doubt nothing counts, and [`Unclear`]
//! says why: a person can write a clearer line, but nobody notices a choice that was never made.

mod clauses;
mod labels;
mod lists;
mod patterns;
mod unplanned;

pub use unplanned::{chosen, leaves_open};

use crate::model::plan::{OptionId, Plan};
use crate::rules::option_names::{OptionNames, Unit, is_article, is_option_word};
use clauses::{
    condition_in, contrast_at, cut_at_reason, doubt_in, lead_is_plain, other_name, report_in, starts,
    without_connectors, without_contrasts, without_lead_in, without_quotations,
};
use forge_prose::outline::{Block, Kind, Outline, Section};
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use labels::{is_choice_label, is_negated, labelled, rows_of, spoken};
use lists::{
    ABOUT_IT, ACCEPTED, ADVERBS, CAUSES, CONNECTORS, DECIDERS, GO_AHEAD, GOES_ON, IMPERATIVES, OTHER_VERBS,
    PASSED_OVER, REASONS, REFUSALS, STATUS_LABELS, TURNED_DOWN, UNDECIDED, WITHDRAWALS,
};
use patterns::{Pattern, patterns};
use std::fmt;
use std::sync::LazyLock;

static CHOOSING: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| patterns(include_str!("../../../data/choosing-phrases.txt")));

/// A labelled value that is this short was meant for a name.
const NAME_WORDS: usize = 4;

/// Why no choice could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// No option is named anywhere.
    NothingNamed,
    /// Options are named, and nothing says that one is chosen.
    NothingChosen { named: Vec<OptionId> },
    /// A label refuses or puts off.
    Refused { word: String, line: usize },
    /// A sentence says that nothing is decided.
    Undecided { word: String, line: usize },
    /// What would choose has a doubt in it.
    Doubt { word: String, line: usize },
    /// A sentence names several options.
    Several { named: Vec<OptionId>, line: usize },
    /// Lines that choose differ.
    Differ {
        /// What the first chooses.
        one: OptionId,
        other: OptionId,
        line: usize,
    },
    /// A sentence turns down what another chooses.
    TakenBack { word: String, line: usize },
    /// A label says something that is no option.
    NotAnOption { value: String, line: usize },
    /// It stands in a code fence.
    InCode { line: usize },
}

impl Unclear {
    pub fn code(&self) -> &'static str {
        match self {
            Unclear::NothingNamed => "nothing_named",
            Unclear::NothingChosen { .. } => "nothing_chosen",
            Unclear::Refused { .. } => "refused",
            Unclear::Undecided { .. } => "undecided",
            Unclear::Doubt { .. } => "doubt",
            Unclear::Several { .. } => "several",
            Unclear::Differ { .. } => "differ",
            Unclear::TakenBack { .. } => "taken_back",
            Unclear::NotAnOption { .. } => "not_an_option",
            Unclear::InCode { .. } => "in_code",
        }
    }
}

impl fmt::Display for Unclear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |named: &[OptionId]| named.iter().map(OptionId::as_str).collect::<Vec<_>>().join(", ");
        match self {
            Unclear::NothingNamed => f.write_str("none of the options is named"),
            Unclear::NothingChosen { named } if named.len() == 1 => {
                write!(f, "{} is named, but no line or sentence says that it is chosen", list(named))
            }
            Unclear::NothingChosen { named } => {
                write!(f, "{} are named, but no line or sentence says that one is chosen", list(named))
            }
            Unclear::Refused { word, line } => write!(f, "line {line} says {word:?}, which chooses nothing"),
            Unclear::Undecided { word, line } => write!(f, "line {line} says {word:?}"),
            Unclear::Doubt { word, line } => write!(f, "line {line} leaves a doubt with {word:?}"),
            Unclear::TakenBack { word, line } => write!(f, "line {line} takes it back: {word:?}"),
            Unclear::NotAnOption { value, line } => write!(f, "line {line} says {value:?}, which is no option"),
            Unclear::Several { named, line } => write!(f, "line {line} names {}", list(named)),
            Unclear::Differ { one, other, line } => write!(f, "one line chooses {one}, line {line} chooses {other}"),
            Unclear::InCode { line } => write!(f, "line {line} stands in a code fence"),
        }
    }
}

/// Whether the option behind a phrase is the subject of a clause: "we accept Redis is slow".
fn goes_on_as_clause(tail: &[Unit], pattern: &Pattern) -> bool {
    let finite =
        ["is", "was", "has", "had", "will", "would", "can", "does", "did", "are", "were", "needs", "fails", "should"];
    pattern.ends_with_option() && tail.first().and_then(Unit::word).is_some_and(|word| finite.contains(&word))
}

fn is_question(text: &str) -> bool {
    text.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？')).ends_with(['?', '？'])
}

/// What in the section speaks against this option, or against deciding at all.
pub fn contradiction(section: &Section, plan: &Plan, option: &OptionId) -> Option<Unclear> {
    let reader = Reader { names: OptionNames::of(&plan.options) };
    let index = plan.options.iter().position(|one| one.id == *option)?;
    reader.unless_contradicted(index, &section.outline()).err()
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
        for sentence in spoken(outline).flat_map(Block::sentences) {
            if self.names.named(&sentence.text).is_empty() {
                continue;
            }
            let doubt = if is_question(&sentence.text) {
                Some("?".to_owned())
            } else {
                doubt_in(&without_quotations(self.names.units(&sentence.text)))
            };
            if let Some(word) = doubt {
                return Unclear::Doubt { word, line: sentence.line };
            }
        }
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
                Said::Nothing => {
                    let is_name = words(&value).len() <= NAME_WORDS && self.names.named(&value).is_empty();
                    if is_name && !GO_AHEAD.has_text(&value) {
                        *failed = failed.take().or(Some(Unclear::NotAnOption { value, line }));
                    }
                }
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
            let is_noun = units.get(end).and_then(Unit::word).is_some_and(is_option_word)
                && doubt_in(&units[end..=end]).is_none();
            let tail = &units[end + usize::from(is_noun)..];
            let goes_on = match tail.first() {
                Some(Unit::Mark('?')) => return Said::Fails(None, Unclear::Doubt { word: "?".to_owned(), line }),
                None | Some(Unit::Mark(_)) => true,
                Some(Unit::Option(other)) => *other == option,
                Some(unit) => {
                    let word = unit.word().unwrap_or_default();
                    GOES_ON.has_word(word) || starts(&REASONS, tail) || contrast_at(tail, 0, Some(option)).is_some()
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
        let units = without_contrasts(without_quotations(self.names.units(sentence)));
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
        // "Kotlin, because the Android people know it."
        let cause = (0..behind.len()).find(|i| starts(&CAUSES, &behind[*i..])).unwrap_or(behind.len());
        let (behind, reason) = behind.split_at(cause);
        let said: Vec<&str> = behind.iter().filter_map(Unit::word).collect();
        let is_same = |unit: &Unit| unit.option().is_none_or(|one| one == option);
        let only = said.is_empty() && behind.iter().all(|unit| is_same(unit) && *unit != Unit::Mark('?'));
        let accepted = behind.iter().all(is_same) && ACCEPTED.has(&said);
        ((only || accepted) && condition_in(reason).is_none()).then_some(option)
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
        // "Redis ❌" is no choice of it.
        if block.text().contains(['❌', '✗', '✘', '🔴', '⛔', '✖', '👎', '🚫']) {
            return None;
        }
        let lines = outline.blocks.iter().flat_map(|block| &block.lines);
        let mut alone: Vec<usize> =
            lines.filter_map(|line| self.only_an_option(&self.names.units(&line.text))).collect();
        alone.sort_unstable();
        alone.dedup();
        if alone.len() > 1 {
            return None;
        }
        let sentence = block.sentences().into_iter().next()?;
        let first = block.lines.first()?;
        [&first.text, &sentence.text].into_iter().find_map(|text| {
            let units = without_contrasts(self.names.units(text));
            let said: Vec<&str> = units.iter().map_while(Unit::word).collect();
            let units = &units[CONNECTORS.at(&said)..];
            let told = self.only_an_option(units).or_else(|| self.told_to_take(units));
            // "Go with Redis for now."
            let is_order = IMPERATIVES.at(&said) > 0 && !is_question(text);
            told.or_else(|| match self.value(text, first.line) {
                Said::Chooses(option) if is_order => Some(option),
                _ => None,
            })
        })
    }

    /// The option, unless a sentence chooses another, turns this one down, or takes the decision back.
    fn unless_contradicted(&self, option: usize, outline: &Outline) -> Result<usize, Unclear> {
        for block in spoken(outline).filter(|block| !block.is_row()) {
            for sentence in block.sentences() {
                if self.takes_back(option, &sentence.text) {
                    return Err(Unclear::TakenBack { word: sentence.text, line: sentence.line });
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

    /// Whether a sentence turns this option down, or takes back the decision as such.
    fn takes_back(&self, option: usize, sentence: &str) -> bool {
        let said = words(sentence);
        let named = self.names.named(sentence);
        let others = ["alternatives", "alternative", "others", "other", "rest", "remaining", "objection", "objections"];
        if said.iter().any(|word| others.contains(&word.as_str())) {
            return false;
        }
        let stands = |found: Option<(usize, usize)>| found.is_some_and(|(at, _)| !is_negated(&said, at));
        let is_about_it = named == [option] || said.iter().any(|word| ABOUT_IT.has_word(word));
        (named == [option] && stands(TURNED_DOWN.find(&said)))
            || (is_about_it && named.iter().all(|one| *one == option) && stands(WITHDRAWALS.find(&said)))
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
        if is_question(text) {
            return Said::Nothing;
        }
        self.units_of_sentence(without_quotations(self.names.units(text)), line)
    }

    fn units_of_sentence(&self, units: Vec<Unit>, line: usize) -> Said {
        let units = without_contrasts(units);
        for start in 0..units.len() {
            for pattern in CHOOSING.iter() {
                if let Some((end, option)) = pattern.matches(&units, start) {
                    if !lead_is_plain(&units[..start]) || goes_on_as_clause(&units[end..], pattern) {
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
        // "B (Redis)", "Option A - Postgres": an id beside the name of another.
        if let Some(other) = other_name(tail, option) {
            let named = self.ids(vec![option, other]);
            return Said::Fails(Some(option), Unclear::Several { named, line });
        }
        let tail = without_contrasts(tail.to_vec());
        let (tail, cut) = cut_at_reason(&tail);
        let doubt = report_in(lead).or_else(|| doubt_in(&without_connectors(without_lead_in(lead))));
        // "with no extra cost" behind the choice takes nothing back.
        if let Some(word) = doubt.or_else(|| doubt_in(tail).filter(|word| word != "no")).or_else(|| condition_in(cut)) {
            return Said::Fails(None, Unclear::Doubt { word, line });
        }
        let lead = without_lead_in(lead);
        let mut named: Vec<usize> = lead.iter().chain(tail).filter_map(Unit::option).chain([option]).collect();
        named.sort_unstable();
        named.dedup();
        if named.len() > 1 {
            return Said::Fails(Some(option), Unclear::Several { named: self.ids(named), line });
        }
        Said::Chooses(option)
    }
}
