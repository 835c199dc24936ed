//! What a person wrote in a phase document, and what of it is not taken over.
//!
//! Pure; if the process dies here nothing is left.

use super::answers::{Answer, answer};
use super::coded::coded;
use super::headings::{may_rate_risks, names_kind, written_out};
use super::ids::{ids_in, same_id};
use super::nothing::{after_denial, opens};
use super::sections::{is_grid, is_tally};
use super::statements::Statement;
use super::{ENTRIES_LIMIT, all_stated, distinct, lists, own_part, says_nothing, stated, titled, told, validations};
use crate::contradiction::{Relation, is_denial, may_decide, relation, restates};
use crate::extract::passages::{Line, indent, lines, marker, one_line, table_at};
use crate::extract::ratings::{both_in, level, score, score_in};
use crate::kept::only_keeps;
use crate::knowledge::{
    Assumption, Constraint, Decision, Findings, Kind, Knowledge, Risk, Standing, Validation, said_words, says_the_same,
};
use crate::snapshot::Unclear;
use forge_debate::digest::Digest;
use forge_debate::turn::Section;
use forge_prose::blanks::says_something;
use forge_prose::phrases::Phrases;
use forge_prose::sentences;
use forge_prose::words::words;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a person wrote below *Decisions*, *Constraints*, *Assumptions* and *Risks* of a phase document. An entry keeps the
/// id that its writer gave it.
pub fn from_document(workflow_id: &str, phase: &str, date: &str, sections: &[Section]) -> Findings {
    let sections = &written_out(sections);
    let place = format!("{workflow_id}/{phase}").split_whitespace().collect::<Vec<_>>().join("-");
    let source = |text: &str| Some(format!("{place}#{}", Digest::of(said_words(text).join(" ").as_bytes()).short(8)));
    let mut found = Findings::default();
    for (id, statement) in stated(Kind::Decision, sections) {
        let mut decision = statement.decision();
        // What the title leaves out is kept beside it.
        if let Some(decided) = statement.decided().filter(|decided| !decision.title.contains(decided)) {
            decision.rationale = format!("{decided}\n{}", decision.rationale).trim_end().to_owned();
        }
        let decision = titled(decision);
        let (phase, date) = (one_line(phase), if decision.date.is_empty() { one_line(date) } else { decision.date });
        let source = source(&decision.title);
        let id = id.unwrap_or_default();
        found.decisions.push(Decision { id, phase, date, locked: false, source, ..decision });
    }
    for (id, statement) in stated(Kind::Constraint, sections) {
        let constraint = statement.constraint();
        let origin = if constraint.origin.is_empty() { one_line(phase) } else { constraint.origin };
        let source = source(&constraint.text);
        found.constraints.push(Constraint {
            id: id.unwrap_or_default(),
            origin,
            locked_by: None,
            source,
            ..constraint
        });
    }
    for (id, statement) in stated(Kind::Risk, sections) {
        let source = source(&statement.text);
        found.risks.push(Risk { id: id.unwrap_or_default(), source, ..told(&statement) });
    }
    let read = validations::read(stated(Kind::Assumption, sections));
    for (assumption, id) in read.assumptions.into_iter().zip(read.ids) {
        let source = source(&assumption.text);
        found.assumptions.push(Assumption { id: id.unwrap_or_default(), source, ..assumption });
    }
    found.validations = read.validations;
    for validation in &mut found.validations {
        let said = format!("{} {} {}", validation.assumption, validation.standing.word(), validation.because);
        validation.source = source(&said).unwrap_or_default();
    }
    found
}

/// The entries below *Decisions* that only say of one that it stands.
pub(crate) fn answers(sections: &[Section]) -> Vec<Answer> {
    let all = stated(Kind::Decision, &written_out(sections));
    all.iter().filter_map(|(id, statement)| answer(id.as_deref(), statement)).collect()
}

/// What a phase document says below these headings that is not taken over or cannot be read.
pub fn unclear(path: &str, sections: &[Section], knowledge: &Knowledge) -> Vec<Unclear> {
    let sections = &written_out(sections);
    let one = |line: usize, text: String, holds: bool| Unclear { file: path.to_owned(), line, text, holds };
    let mut found = Vec::new();
    let everything = Kind::ALL.map(|kind| all_stated(kind, sections));
    let lines: BTreeSet<usize> = everything.iter().flatten().map(|(_, said)| said.line).collect();
    let assumptions = validations::read(distinct(everything[2].clone()));
    for (validation, line) in assumptions.validations.iter().zip(&assumptions.lines) {
        let id = &validation.assumption;
        let named = assumptions.ids.iter().flatten().chain(knowledge.assumptions.iter().map(|one| &one.id));
        if !named.into_iter().any(|known| same_id(known, id)) {
            let text = format!("{id} is not in {}; write it there first", Kind::Assumption.file());
            found.push(one(*line, text, false));
        }
    }
    found.extend(not_told(&everything[2], knowledge).map(|(line, text)| one(line, text, true)));
    let results = results_elsewhere(sections, &lines, &assumptions.validations, knowledge);
    found.extend(results.into_iter().map(|(line, text, holds)| one(line, text, holds)));
    found.extend(ratings_elsewhere(sections, &lines).map(|(line, text)| one(line, text, true)));
    for (kind, all) in Kind::ALL.into_iter().zip(everything) {
        for section in sections.iter().filter(|section| lists(kind, &section.title)) {
            let is_first = sections.first().is_some_and(|first| first.line == section.line);
            let body = own_part(&section.body, is_first);
            let inside = section.body_line..section.body_line + body.lines().count();
            let listed = lines.range(inside).next().is_some();
            let in_code = coded(body).into_iter().find(|one| is_at_stake(kind, &one.statement, knowledge));
            found.extend(in_code.map(|code| {
                let text = format!(
                    "{:?} stands in code, which is not read; write it as an item, such as `{}`",
                    code.statement.text,
                    example(kind)
                );
                one(section.body_line + code.line - 1, text, true)
            }));
            let is_none = || after_denial(&visible(body)).is_some() && !decides(kind, body, knowledge);
            if !listed && has_words(&without_tallies(body)) && !is_none() {
                let text = format!(
                    "what stands below {:?} is no list, so nothing of it goes to {}; write each {} as an item, such as `{}`",
                    section.title,
                    kind.file(),
                    kind.word(),
                    example(kind)
                );
                found.push(one(section.line, text, decides(kind, body, knowledge)));
            } else if kind == Kind::Decision {
                let beside = prose_against(body, knowledge);
                found.extend(beside.into_iter().map(|(at, text)| one(section.body_line + at - 1, text, true)));
            }
        }
        let stated = distinct(all);
        if stated.len() == ENTRIES_LIMIT {
            let text = format!("only the first {ENTRIES_LIMIT} {}s of a document are taken over", kind.word());
            found.push(one(stated.last().map_or(1, |(_, last)| last.line), text, false));
        }
        for (id, statement) in &stated {
            found.extend(
                id.as_ref()
                    .and_then(|id| other_words(kind, id, statement, knowledge))
                    .map(|text| one(statement.line, text, false)),
            );
            let about =
                knowledge.begun_with(kind, &statement.text).filter(|_| id.is_none() && kind != Kind::Assumption);
            found.extend(about.filter(|_| statement.decision().supersedes.is_empty()).map(|(of, known)| {
                let text = format!(
                    "{:?} begins with {known}, which is known, so it is not recorded; what became of {known} is written at {known} in {}",
                    one_line(&statement.text),
                    of.file()
                );
                one(statement.line, text, false)
            }));
            if kind == Kind::Risk && statement.risk().active {
                let name = id.as_ref().map_or_else(|| format!("{:?}", statement.text), Clone::clone);
                let unread = statement.unread_ratings(&name);
                found.extend(unread.map(|(text, holds)| one(statement.line, text, holds)));
            }
        }
    }
    found
}

/// What is said of open assumptions where no entries are read, unless an entry says the same: the line, what to do, and whether
/// it holds.
fn results_elsewhere(
    sections: &[Section],
    read: &BTreeSet<usize>,
    told: &[Validation],
    knowledge: &Knowledge,
) -> Vec<(usize, String, bool)> {
    let mut found: Vec<(usize, String, bool)> = Vec::new();
    for section in sections {
        for line in lines(&section.body).all.iter().filter(|line| !line.hidden) {
            let at = section.body_line + line.number - 1;
            if read.contains(&at) || found.iter().any(|(known, ..)| *known == at) {
                continue;
            }
            let said = knowledge.open_assumptions().find_map(|known| {
                let standing = validations::said_of(known, line.text)?;
                let is_told = told.iter().any(|one| same_id(&one.assumption, &known.id) && one.standing == standing);
                (!is_told).then_some((known, standing))
            });
            found.extend(said.map(|(known, standing)| {
                let (id, word) = (&known.id, standing.word());
                let text = format!(
                    "it says {word} of {id} ({}), and what became of an assumption is read below a heading \"Assumptions\" only; write `- {id}: {word}, because ...` there. If another {id} is meant, call that otherwise",
                    one_line(&known.text)
                );
                // Nothing is at stake where it is said to be right.
                (at, text, standing == Standing::Invalidated)
            }));
        }
    }
    found
}

/// The first line outside of every list of risks that rates one high: whether it calls for a debate cannot be told.
fn ratings_elsewhere(sections: &[Section], read: &BTreeSet<usize>) -> Option<(usize, String)> {
    const HIGH: u8 = 6;
    let may_rate =
        sections.iter().filter(|section| !lists(Kind::Risk, &section.title) && may_rate_risks(&section.title));
    may_rate.into_iter().find_map(|section| {
        let all = lines(&section.body).all;
        let rates = |text: &str| {
            let is_about = words(&format!("{} {text}", section.title)).iter().any(|word| names_kind(Kind::Risk, word));
            let both = both_in(text).map(|(p, i)| p * i);
            both.max(score_in(text).and_then(score).filter(|_| is_about)).filter(|score| *score >= HIGH)
        };
        let is_prose = |text: &str| marker(text).is_none() && !text.trim_start().starts_with(['|', '>', '#']);
        let is_new = |line: &Line<'_>| !line.hidden && !line.nested && is_prose(line.text);
        let line = all.iter().find(|line| {
            is_new(line) && !read.contains(&(section.body_line + line.number - 1)) && rates(line.text).is_some()
        })?;
        let text = format!(
            "{:?} rates something high and stands in no list of risks, so no debate is called for by it; write it below \"Risks\", such as `{}`",
            one_line(line.text),
            example(Kind::Risk)
        );
        Some((section.body_line + line.number - 1, text))
    })
}

/// What is said of locked decisions outside of what is read as a decision or a challenge: `We supersede D1`, `| D1 | No |` below
/// *Still valid?*: the line, the id, and the words.
pub fn against_locked(sections: &[Section], knowledge: &Knowledge) -> Vec<(usize, String, String)> {
    const OVERTURNS: &[&str] = &[
        "supersede",
        "supersedes",
        "superseding",
        "overrule",
        "overrules",
        "overturn",
        "overturns",
        "invalidate",
        "invalidates",
        "invalidated",
        "revoke",
        "revokes",
        "revoked",
    ];
    const NEAR: usize = 3;
    let sections = &written_out(sections);
    // `| D1 | No |` is no decision.
    let stated = all_stated(Kind::Decision, sections).into_iter().filter(|(_, said)| !says_nothing(&said.text));
    let read: BTreeSet<usize> = stated.map(|(_, said)| said.line).collect();
    let locked: Vec<&Decision> = knowledge.standing_decisions().filter(|one| one.locked).collect();
    let mut found: Vec<(usize, String, String)> = Vec::new();
    for section in sections {
        let mut asks = false;
        for line in lines(&section.body).all.iter().filter(|line| !line.hidden) {
            let at = section.body_line + line.number - 1;
            let text = line.text.trim();
            // A table that asks whether decisions still hold.
            let is_row = text.starts_with('|');
            asks = is_row && (asks || asks_whether_it_holds(text));
            if read.contains(&at) || text.contains('?') && !is_row || found.iter().any(|(known, ..)| *known == at) {
                continue;
            }
            let said: Vec<String> =
                text.split(|c: char| !(c.is_alphanumeric() || c == '-')).map(str::to_owned).collect();
            let said: Vec<&String> = said.iter().filter(|word| !word.is_empty()).collect();
            let against = locked.iter().find(|one| {
                let as_assumption = Assumption { id: one.id.clone(), text: one.title.clone(), ..Assumption::default() };
                let is_it = |word: &&&String| same_id(word, &one.id);
                let overturns = said.iter().enumerate().any(|(i, word)| {
                    let is_denied = said[i.saturating_sub(NEAR)..i].iter().any(|word| {
                        is_denial(&word.to_lowercase())
                            || ["if", "nothing", "would", "unless"].contains(&word.to_lowercase().as_str())
                    });
                    OVERTURNS.contains(&word.to_lowercase().as_str())
                        && !is_denied
                        && said[i + 1..].iter().take(NEAR).any(|word| is_it(&word))
                });
                let holds_not = asks
                    && text
                        .split('|')
                        .map(|cell| cell.trim().to_lowercase())
                        .any(|cell| matches!(cell.split([',', ' ', '(']).next(), Some("no" | "❌" | "not")))
                    && said.first().is_some_and(|word| same_id(word, &one.id));
                let keeps = text.contains(&format!("keeps {}", one.id));
                !keeps
                    && (overturns
                        || holds_not
                        || validations::said_of(&as_assumption, text) == Some(Standing::Invalidated))
            });
            found.extend(against.map(|one| (at, one.id.clone(), one_line(text))));
        }
    }
    found
}

fn asks_whether_it_holds(row: &str) -> bool {
    const ASKS: &[&str] = &[
        "valid",
        "holds",
        "hold",
        "stands",
        "confirmed",
        "good",
        "right",
        "correct",
        "upheld",
        "followed",
        "respected",
        "kept",
    ];
    row.split('|').any(|cell| words(cell).iter().any(|word| ASKS.contains(&word.as_str())) && cell.contains('?'))
}

/// What is said under the id of a known assumption and is neither its own text nor a result that is understood.
fn not_told<'s>(
    stated: &'s [(Option<String>, Statement)],
    knowledge: &'s Knowledge,
) -> impl Iterator<Item = (usize, String)> + 's {
    let unread = |(id, statement): &(Option<String>, Statement)| {
        let read = validations::read(vec![(id.clone(), statement.clone())]);
        let (said, id) = read.assumptions.first().zip(read.ids.first().cloned().flatten())?;
        let known = knowledge.assumptions.iter().find(|known| same_id(&known.id, &id))?;
        let (words, there) = (said_words(&said.text), said_words(&known.text));
        let in_column = || statement.get(validations::RESULTS).is_some_and(validations::is_left_open);
        if validations::is_left_open(&said.text) || in_column() {
            return None;
        }
        let is_same = words.iter().all(|word| there.contains(word)) || there.iter().all(|word| words.contains(word));
        (!is_same).then(|| {
            let text = format!(
                "what {:?} says of {id} ({}) is not understood; write `{id}: validated, because ...`, `{id}: invalidated, because ...` or `{id}: open`, or leave {id} out if it is a new assumption",
                one_line(&said.text),
                one_line(&known.text)
            );
            (statement.line, text)
        })
    };
    stated.iter().filter_map(unread)
}

/// Whether a trigger depends on an entry in code: a decision beside locked ones, or a risk that is rated.
fn is_at_stake(kind: Kind, statement: &Statement, knowledge: &Knowledge) -> bool {
    match kind {
        Kind::Decision => knowledge.standing_decisions().any(|one| one.locked),
        Kind::Risk => statement.risk().active && statement.is_rated(),
        Kind::Constraint | Kind::Assumption => false,
    }
}

/// Whether a trigger depends on what is written as prose: a decision beside locked ones, or a risk that is rated.
fn decides(kind: Kind, body: &str, knowledge: &Knowledge) -> bool {
    const HIGH: u8 = 6;
    let said = visible(body);
    let after_none = after_denial(&said);
    match kind {
        Kind::Decision => {
            let locked: Vec<&Decision> = knowledge.standing_decisions().filter(|one| one.locked).collect();
            let is_none = after_none.is_some();
            let is_plain = |sentence: &str| {
                is_none && !may_decide(sentence, &locked)
                    || says_nothing(sentence)
                    || only_keeps(sentence)
                    || takes_none(sentence)
                    || points_elsewhere(sentence)
                    || !says_something(sentence, kind.word())
                    || !begins_with_none(&words(sentence)) && restates(sentence, &locked)
            };
            let mut further = after_none.unwrap_or_else(|| sentences::split(&said)).into_iter();
            !locked.is_empty() && !takes_none(&said) && !further.all(is_plain)
        }
        Kind::Risk => {
            let least = if after_none.is_some() { HIGH } else { 1 };
            both_in(&said).is_some_and(|(p, i)| p * i >= least) || rates_high(&said)
        }
        Kind::Constraint | Kind::Assumption => false,
    }
}

fn visible(body: &str) -> String {
    let visible = lines(body).all.into_iter().filter(|line| !line.hidden).map(|line| line.text);
    visible.collect::<Vec<_>>().join(" ")
}

/// Whether a sentence only says where something else stands, or that all is as it was.
fn points_elsewhere(sentence: &str) -> bool {
    static POINTERS: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::of(include_str!("../../data/pointing-elsewhere.txt")));
    const SHORT: usize = 8;
    let said = words(sentence);
    said.len() <= SHORT && POINTERS.at(&said) > 0
}

/// Whether prose has a word for a high rating that nothing before it takes back: `no high risks`.
fn rates_high(said: &str) -> bool {
    const NEAR: usize = 4;
    let said = words(said);
    let is_high = |word: &String| level(word) == Some(3) && word.len() > 1;
    let is_taken_back = |at: usize| said[at.saturating_sub(NEAR)..at].iter().any(|word| is_denial(word));
    (0..said.len()).any(|at| is_high(&said[at]) && !is_taken_back(at))
}

/// Paragraphs between the items of a list that speak against a locked decision, or may: their lines, and what to do.
fn prose_against(body: &str, knowledge: &Knowledge) -> Vec<(usize, String)> {
    let mut paragraphs: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for line in lines(body).all {
        let bare = line.text.trim();
        let is_prose = !line.hidden && !line.nested && indent(line.text) < 2 && !bare.is_empty();
        let begins = is_prose && marker(line.text).is_none() && !bare.starts_with(['#', '|', '>']);
        match paragraphs.last_mut().filter(|_| is_open && begins) {
            Some((_, last)) => last.push_str(&format!(" {bare}")),
            None if begins && !is_open => paragraphs.push((line.number, bare.to_owned())),
            None => {}
        }
        // What follows an item or a row without a blank line belongs to it.
        is_open = if bare.is_empty() {
            false
        } else {
            begins && (is_open || paragraphs.last().is_some_and(|(at, _)| *at == line.number))
        };
    }
    let locked: Vec<&Decision> = knowledge.standing_decisions().filter(|one| one.locked).collect();
    let mut found = Vec::new();
    for (at, text) in paragraphs.into_iter().filter(|(_, text)| !says_nothing(text) && !only_keeps(text)) {
        let said = Decision { title: text.clone(), ..Decision::default() };
        let against = locked.iter().find(|one| relation(&said, one, None) != Relation::Beside);
        found.extend(against.map(|one| {
            let (id, title) = (&one.id, one_line(&one.title));
            let text = format!("{text:?} is no item, and speaks of {id} ({title}), which is locked; write it as an item if it is a decision, or (keeps {id}) behind it");
            (at, text)
        }));
    }
    found
}

pub(super) fn begins_with_none(said: &[String]) -> bool {
    said.first().is_some_and(|word| opens(word))
}

/// Whether prose says that nothing was decided: `No decisions were taken in this phase.`
pub(super) fn takes_none(said: &str) -> bool {
    let has_id = !ids_in(said).is_empty();
    let said = words(said);
    let first = begins_with_none(&said);
    let of_decisions = said
        .iter()
        .take(6)
        .any(|word| word.starts_with("deci") || word.starts_with("entscheid") || word.starts_with("déci"));
    first && of_decisions && !has_id && said.len() <= 12
}

fn example(kind: Kind) -> &'static str {
    match kind {
        Kind::Decision => "- Use Postgres for storage",
        Kind::Constraint => "- No personal data in logs",
        Kind::Assumption => "- Readers have a mail address",
        Kind::Risk => "- The disk fills up (probability: High, impact: Medium)",
    }
}

/// The line of a document on which it states something: that of the entry with its first words, else of the section.
pub fn line_of(kind: Kind, sections: &[Section], text: &str) -> usize {
    const FIRST_WORDS: usize = 6;
    let sections = &written_out(sections);
    let begins = |text: &str| said_words(text).into_iter().take(FIRST_WORDS).collect::<Vec<_>>();
    let wanted = begins(text);
    let stated = all_stated(kind, sections);
    let found =
        stated.iter().find(|(_, one)| begins(&one.said(kind)) == wanted || says_the_same(&one.said(kind), text));
    let section = || sections.iter().find(|section| lists(kind, &section.title)).map_or(1, |section| section.line);
    found.map_or_else(section, |(_, one)| one.line)
}

/// An entry under an id that another one has.
fn other_words(kind: Kind, id: &str, statement: &Statement, knowledge: &Knowledge) -> Option<String> {
    let there = match kind {
        Kind::Decision => knowledge.decisions.iter().find(|one| one.id == id).map(|one| &one.title),
        Kind::Constraint => knowledge.constraints.iter().find(|one| one.id == id).map(|one| &one.text),
        // What is said of an assumption that is there is how it turned out.
        Kind::Assumption => None,
        Kind::Risk => knowledge.risks.iter().find(|one| one.id == id).map(|one| &one.text),
    }?;
    let said = statement.said(kind);
    let same = says_the_same(there, &said);
    (!same).then(|| {
        format!(
            "{id} is known as {:?}, so {:?} is not recorded; leave {id} out to record it as a new {}",
            one_line(there),
            one_line(&said),
            kind.word()
        )
    })
}

/// A body without tables that only count entries.
fn without_tallies(body: &str) -> String {
    let all = lines(body).all;
    let mut kept = Vec::new();
    let mut at = 0;
    while at < all.len() {
        match table_at(&all, at).filter(|table| is_tally(&table.header) || is_grid(&table.header)) {
            Some(table) => at = table.end,
            None => {
                kept.push(all[at].text);
                at += 1;
            }
        }
    }
    kept.join("\n")
}

/// Whether a body says something outside of code and comments.
fn has_words(body: &str) -> bool {
    let visible = lines(body).all.into_iter().filter(|line| !line.hidden).map(|line| line.text.trim());
    visible.filter(|line| !line.is_empty() && !line.starts_with('#')).any(|line| !says_nothing(line))
}
