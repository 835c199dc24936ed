//! Which headings of a document lead to entries, in whichever form they are written: `## Decisions`, `## Decision: Use
//! Postgres`, `**Decisions:**`, `Decision: Use Postgres`. The words are data.
//!
//! Pure; if the process dies here nothing is left.

use super::criteria::boxed;
use super::document::{begins_with_none, takes_none};
use super::ids::{Letters, head, id_length, ids_in, said_kind};
use super::labels;
use super::passages::{Line, blocks_at, bold_label, heading, indent, label, lines, marker, one_line, table_at};
use super::ratings::{both_in, is_active, is_bare};
use super::says_nothing;
use super::sections::{by_heading, of_item, rates_both, rates_risks};
use crate::contradiction::is_denial;
use crate::knowledge::Kind;
use forge_debate::turn::{Section, bare_title, title_matches};
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::ops::Range;
use std::sync::LazyLock;

macro_rules! lists {
    ($($name:ident = $file:literal),+ $(,)?) => {
        $(static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../data/", $file))));)+
    };
}

lists! {
    BEFORE = "before-entries.txt",
    AFTER_SEVERAL = "after-no-entries.txt",
    AFTER_ONE = "after-one-entry.txt",
    AFTER_ONE_ASSUMPTION = "after-one-assumption.txt",
    DECISIONS = "headings-decisions.txt",
    CONSTRAINTS = "headings-constraints.txt",
    ASSUMPTIONS = "headings-assumptions.txt",
    RISKS = "headings-risks.txt",
    DECISION = "heading-decision.txt",
    CONSTRAINT = "heading-constraint.txt",
    ASSUMPTION = "heading-assumption.txt",
    RISK = "heading-risk.txt",
    BEFORE_RISKS = "before-risks.txt",
    NO_RISKS = "no-risks.txt",
    LET_STAND = "let-stand.txt",
}

/// How many entries a heading leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Listing {
    /// `Decisions`.
    Several,
    /// `Final Decision`.
    One,
}

/// Whether a word is what people call one of the kind: `Risk`, `Risiko`.
pub(super) fn names_kind(kind: Kind, word: &str) -> bool {
    one(kind).has_text(word)
}

/// Whether a word is what people call one or several of any kind.
pub(super) fn is_of_kinds(word: &str) -> bool {
    Kind::ALL.into_iter().any(|kind| names_kind(kind, word) || several(kind).has_word(word))
}

/// Whether a word may stand before the name of entries and says nothing of them.
pub(super) fn is_usual_before_entries(word: &str) -> bool {
    BEFORE.has_word(word)
}

fn several(kind: Kind) -> &'static Phrases {
    match kind {
        Kind::Decision => &DECISIONS,
        Kind::Constraint => &CONSTRAINTS,
        Kind::Assumption => &ASSUMPTIONS,
        Kind::Risk => &RISKS,
    }
}

fn one(kind: Kind) -> &'static Phrases {
    match kind {
        Kind::Decision => &DECISION,
        Kind::Constraint => &CONSTRAINT,
        Kind::Assumption => &ASSUMPTION,
        Kind::Risk => &RISK,
    }
}

/// Whether a section lists entries of a kind: `Decisions`, `Key Design Decisions`, `New Constraints Identified`, `Final
/// Decision`, but not `Decisions needed` or `Decision criteria`.
pub(super) fn listing(kind: Kind, title: &str) -> Option<Listing> {
    let several = several(kind);
    let own: &[&str] = match kind {
        Kind::Constraint => &["hard", "soft", "derived", "active"],
        Kind::Assumption => &["open", "active", "validated", "invalidated", "confirmed", "working"],
        Kind::Decision | Kind::Risk => &[],
    };
    let is_own = |word: &str| own.contains(&word) || (kind == Kind::Risk && BEFORE_RISKS.has_word(word));
    let said = words(bare_title(title));
    let (at, length, listing) = (0..said.len()).find_map(|at| {
        let (many, single) = (several.at(&said[at..]), one(kind).at(&said[at..]));
        match many.max(single) {
            0 => None,
            length if many >= single => Some((at, length, Listing::Several)),
            length => Some((at, length, Listing::One)),
        }
    })?;
    let before = said[..at].iter().all(|word| BEFORE.has_word(word) || is_own(word));
    let mut after = said[at + length..].iter();
    let goes_on = match listing {
        Listing::Several => !after.any(|word| AFTER_SEVERAL.has_word(word)),
        Listing::One => after
            .all(|word| AFTER_ONE.has_word(word) || kind == Kind::Assumption && AFTER_ONE_ASSUMPTION.has_word(word)),
    };
    (before && goes_on).then_some(listing)
}

fn listed(title: &str) -> Option<(Kind, Listing)> {
    Kind::ALL.into_iter().find_map(|kind| Some((kind, listing(kind, title)?)))
}

/// The sections of a document, with those that begin with a line in bold or with a colon, and each decision that a heading
/// or a paragraph takes as an item.
pub(super) fn written_out(sections: &[Section]) -> Vec<Section> {
    let range = |one: &Section| one.line..one.body_line + one.body.lines().count().max(1);
    let choices = |title: &str| {
        words(bare_title(title))
            .iter()
            .any(|word| ["option", "options", "alternatives", "approaches"].contains(&word.as_str()))
            || title_matches(title, "TODO")
    };
    let of_entries = sections.iter().filter(|one| listed(&one.title).is_some() || said_in(&one.title).is_some());
    let taken: Vec<Range<usize>> = of_entries.map(range).collect();
    let others: Vec<Range<usize>> = sections.iter().filter(|one| choices(&one.title)).map(range).collect();
    let mut all: Vec<Section> = Vec::new();
    for section in sections {
        let inside = |ranges: &[Range<usize>], line: usize| ranges.iter().any(|range| range.contains(&line));
        match (listed(&section.title), said_in(&section.title)) {
            (_, Some((name, said))) => {
                let mark = if section.body.trim().is_empty() { "-" } else { "###" };
                let body = format!("{mark} {said}\n{}", section.body);
                let body_line = section.body_line.saturating_sub(1);
                all.push(Section { title: name, body, line: section.line, body_line });
            }
            (Some((kind, Listing::One)), None) => all.push(as_item(kind, section)),
            (Some(_), None) => all.push(section.clone()),
            (None, None) => {
                all.push(section.clone());
                let found = labelled(section).into_iter().chain(risk_tables(section));
                let found = found.chain(rated_risks(section)).chain(superseding(section));
                // A heading of its own ends a list of options.
                let heads = |one: &Section| match listed(&one.title) {
                    Some((Kind::Decision, Listing::Several)) => one.body_line > one.line,
                    Some((Kind::Risk, Listing::Several)) => one.body_line > one.line && !has_options(section),
                    _ => false,
                };
                let is_new = |one: &Section| {
                    !inside(&taken, one.line)
                        && (!inside(&others, one.line) || heads(one))
                        && !sections.iter().any(|at| at.line == one.line)
                };
                let known: Vec<usize> = all.iter().map(|one| one.line).collect();
                all.extend(found.filter(|one| is_new(one) && !known.contains(&one.line)));
            }
        }
    }
    all
}

/// Whether options are listed below a heading, and not only places for them.
fn has_options(section: &Section) -> bool {
    let before = lines(&section.body).all;
    let before = before.iter().take_while(|line| leading(line.text).is_none());
    before.filter(|line| !line.hidden).any(|line| {
        heading(line.text).is_some()
            || marker(line.text).is_some_and(|item| !says_nothing(item.content) && !item.content.starts_with('['))
    })
}

/// What a heading itself decides: `Decision: Use Postgres`, `Decision 3: Use Postgres`, `ADR-3: Use Postgres`.
fn said_in(title: &str) -> Option<(String, String)> {
    let (name, said) = bare_title(title).split_once(": ")?;
    let numbered = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '#' | '.'));
    let is_one = listing(Kind::Decision, numbered) == Some(Listing::One)
        || ["adr", "decided", "decision record", "we decided"].iter().any(|one| numbered.eq_ignore_ascii_case(one));
    (is_one && !said.trim().is_empty()).then(|| ("Decision".to_owned(), said.trim().to_owned()))
}

/// A section for one entry, its first paragraph as an item where it has neither a list nor a table nor headings.
fn as_item(kind: Kind, section: &Section) -> Section {
    let all = lines(&section.body).all;
    let shown = || all.iter().filter(|line| !line.hidden && !line.text.trim().is_empty());
    // What stands below further headings describes it: its consequences.
    let own = || shown().take_while(|line| heading(line.text).is_none());
    let is_prose = |line: &&Line<'_>| {
        marker(line.text).is_none()
            && heading(line.text).is_none()
            && !line.text.trim_start().starts_with(['|', '>', '<'])
    };
    let first = shown().next().filter(is_prose).filter(|_| kind == Kind::Decision && own().all(|line| is_prose(&line)));
    let Some(first) = first.filter(|line| line.number == shown().next().map_or(0, |one| one.number)) else {
        return section.clone();
    };
    if takes_none(&section.body) {
        return section.clone();
    }
    let as_item = |line: &Line<'_>| match line.number == first.number {
        true => format!("- {}\n", line.text.trim()),
        false => format!("{}\n", line.text),
    };
    Section { body: all.iter().map(as_item).collect(), ..section.clone() }
}

/// The parts of a section that a line in bold or with a colon leads to.
fn labelled(section: &Section) -> Vec<Section> {
    let all = lines(&section.body).all;
    let visible = |line: &Line<'_>| !line.hidden && !line.nested && indent(line.text) < 4;
    let mut found = Vec::new();
    for (at, line) in all.iter().enumerate().filter(|(_, line)| visible(line)) {
        let Some((name, value)) = leading(line.text) else { continue };
        let number = section.body_line + line.number - 1;
        if value.is_empty() {
            let rest = all[at + 1..].iter().take_while(|line| !visible(line) || !ends_part(line.text));
            let body: String = rest.map(|line| format!("{}\n", line.text)).collect();
            found.push(as_part(Section { title: name, body, line: number, body_line: number + 1 }));
        } else {
            let below = all[at + 1..].iter().take_while(|line| visible(line) && !line.text.trim().is_empty());
            let below = below.take_while(|line| leading(line.text).is_none() && heading(line.text).is_none());
            let item = |line: &Line<'_>| match labels::of_line(line.text).is_some() {
                true => format!("  - {}\n", line.text.trim()),
                false => format!("  {}\n", line.text.trim()),
            };
            // `MySQL` alone is known by what the section is about.
            let is_known = words(&value).len() > 2 || listing(Kind::Decision, &name).is_none();
            let about = if !is_known { format!("{}: ", section.title) } else { String::new() };
            let body = format!("- {about}{value}\n{}", below.map(item).collect::<String>());
            found.push(Section { title: name, body, line: number, body_line: number });
        }
    }
    found
}

/// Whether what stands below a heading may rate risks that can still happen.
pub(super) fn may_rate_risks(title: &str) -> bool {
    is_active(title) && NO_RISKS.find(&words(title)).is_none()
}

/// The tables of a section that list rated risks, whatever its heading is: `| Risk | Probability | Impact |`.
fn risk_tables(section: &Section) -> Vec<Section> {
    if !may_rate_risks(&section.title) {
        return Vec::new();
    }
    let all = lines(&section.body).all;
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let Some(table) = table_at(&all, at) else {
            at += 1;
            continue;
        };
        if rates_risks(&table.header) || rates_both(&table.header) {
            let body: String = all[at..table.end].iter().map(|line| format!("{}\n", line.text)).collect();
            let line = section.body_line + at;
            found.push(Section { title: "Risks".to_owned(), body, line, body_line: line });
        }
        at = table.end;
    }
    found
}

/// The risks that a section rates, whatever its heading is, as items or as the heading itself: both ratings by their names.
fn rated_risks(section: &Section) -> Vec<Section> {
    if !may_rate_risks(&section.title) {
        return Vec::new();
    }
    let part = |line: usize, body: String| Section { title: "Risks".to_owned(), body, line, body_line: line };
    let bare = section.title.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.strip_prefix("Risk:").unwrap_or(bare).trim();
    let titled = format!("### {bare}\n{}", section.body);
    let own = by_heading(Kind::Risk, &section.title, &section.body, section.line);
    let title = section.title.trim_start_matches(|c: char| !c.is_alphanumeric());
    let has_id = head(Kind::Risk, Letters::Own, title).is_some_and(|head| head.is_marked);
    let is_named = has_id || said_kind(title) == Some(Kind::Risk);
    if is_named
        && (own.has_both_ratings() || both_in(title).is_some())
        && lines(&section.body).all.iter().all(|line| heading(line.text).is_none())
    {
        return vec![Section { line: section.body_line, ..part(section.line, titled) }];
    }
    let all = lines(&section.body).all;
    let items =
        blocks_at(&section.body).into_iter().filter(|(_, block)| of_item(Kind::Risk, block).1.has_both_ratings());
    let whole = |(at, block): (usize, String)| {
        let below = block.lines().count();
        let text: String = all.iter().skip(at - 1).take(below).map(|line| format!("{}\n", line.text)).collect();
        part(section.body_line + at - 1, text)
    };
    items.map(whole).collect()
}

/// A section that is a decision by its own heading and says whose place it takes: `## D9: Remind by postcard`, `Supersedes: D1`.
fn superseding(section: &Section) -> Option<Section> {
    head(Kind::Decision, Letters::Own, &section.title).filter(|head| head.is_marked)?;
    let own = by_heading(Kind::Decision, &section.title, &section.body, section.line);
    let body = format!("### {}\n{}", section.title, section.body);
    let section = Section { title: "Decisions".to_owned(), body, line: section.body_line, body_line: section.line };
    (!own.decision().supersedes.is_empty()).then_some(section)
}

fn as_part(section: Section) -> Section {
    match listed(&section.title) {
        Some((kind, Listing::One)) => as_item(kind, &section),
        _ => section,
    }
}

/// What a line that leads to entries calls them, and what it says itself.
fn leading(line: &str) -> Option<(String, String)> {
    let item = marker(line);
    let text = item.as_ref().map_or(line, |item| item.content).trim();
    let bold = text.strip_prefix("**").and_then(|rest| rest.strip_suffix("**")).filter(|text| !text.contains("**"));
    let (name, value) = match bold {
        Some(bold) => (bold.trim().trim_end_matches(':').to_owned(), String::new()),
        None if item.is_some() => bold_label(text).or_else(|| label(text))?,
        None => label(text)?,
    };
    let (kind, listing) = listed(&name)?;
    let is_bold = text.starts_with("**");
    let counts = match (kind, listing, value.is_empty()) {
        // In a list it is a value of something else, unless it decides.
        _ if is_bold && item.is_some() => kind == Kind::Decision && !value.is_empty(),
        _ if item.as_ref().is_some_and(|item| item.indent > 0) => false,
        // `- Decision: accepted` says how something stands.
        _ if item.is_some() => (kind, listing) == (Kind::Decision, Listing::One) && words(&value).len() > 2,
        (_, Listing::Several, _) => true,
        (Kind::Decision, Listing::One, empty) => is_bold || !empty,
        (Kind::Risk, Listing::One, false) => !is_bare(&value),
        _ => false,
    };
    counts.then_some((name, value))
}

/// Whether a line ends what a line before it leads to: a heading, or another line that leads to something.
fn ends_part(line: &str) -> bool {
    let bare = line.trim();
    let leads = bare.starts_with("**") && (bare.ends_with("**") || bare.ends_with(":**") || bare.ends_with("**:"));
    let named = || marker(line).is_none() && bare.ends_with(':') && words(bare).len() <= 4;
    heading(line).is_some() || leads || named()
}

/// Words below *Challenged Decisions* of which it cannot be told whether they challenge one: the line, and the words.
pub fn challenges_unread(sections: &[Section]) -> Option<(usize, String)> {
    let mut about = sections.iter().filter(|section| is_of_challenges(&section.title) == Some(Challenges::OfDecisions));
    about.find_map(|section| {
        if !challenged(std::slice::from_ref(section)).is_empty() || takes_none(&section.body) {
            return None;
        }
        let all = lines(&section.body).all;
        // Of a table only the rows say something.
        let tables: Vec<Range<usize>> = (0..all.len()).filter_map(|at| Some(at..table_at(&all, at)?.end)).collect();
        let is_head = |at: usize| tables.iter().any(|table| table.start == at || table.start + 1 == at);
        let first = all.iter().enumerate().find_map(|(at, line)| {
            let bare = unboxed(marker(line.text).map_or(line.text, |item| item.content)).trim_matches(['|', ' ']);
            let is_plain = line.hidden || heading(line.text).is_some() || is_head(at) || bare.ends_with(':');
            (!is_plain && !says_nothing(bare) && !lets_stand(after_id(bare))).then(|| (line.number, one_line(bare)))
        });
        let (number, said) = first?;
        Some((section.body_line + number - 1, said))
    })
}

/// What a heading with a word such as *Challenged* leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Challenges {
    /// Decisions that are challenged.
    OfDecisions,
    /// Those, or difficulties.
    Any,
}

fn is_of_challenges(title: &str) -> Option<Challenges> {
    let said = words(title);
    let has = |start: &str| said.iter().any(|word| word.starts_with(start));
    let is_named = has("decision") || !ids_in(title).is_empty();
    let is_bare = said.len() == 1 || said.iter().any(|word| word == "challenged");
    match has("challeng") {
        true if is_named => Some(Challenges::OfDecisions),
        true if is_bare => Some(Challenges::Any),
        _ => None,
    }
}

/// The decisions that a document challenges in its body: `- D1: it is slow` below *Challenged Decisions*, `**Challenges:** D1`.
pub fn challenged(sections: &[Section]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for section in sections {
        let about = is_of_challenges(&section.title);
        let all = lines(&section.body).all;
        for line in all.iter().filter(|line| !line.hidden) {
            let bare = marker(line.text).map_or(line.text, |item| item.content).trim_start_matches(['|', ' ']);
            // An open box is no word on it.
            if bare.starts_with("[ ]") {
                continue;
            }
            let bare = unboxed(bare);
            let named = label(bare).filter(|(name, _)| is_of_challenges(name).is_some()).map(|(_, value)| value);
            let is_labelled = named.is_some();
            let listed = Some(bare.to_owned()).filter(|_| about.is_some());
            let first = named.or(listed).and_then(|said| {
                let said = said.replace('*', " ");
                let head = head(Kind::Decision, Letters::Own, said.replace(',', " ").trim())?;
                let rest = said.split_once(head.id.as_str()).map_or("", |(_, rest)| rest);
                // Among difficulties a decision is challenged only where it is listed as one.
                let is_listed = about == Some(Challenges::OfDecisions) || head.is_marked || head.rest.is_empty();
                ((is_labelled || is_listed) && !lets_stand(rest)).then_some(head.id)
            });
            found.extend(first.filter(|id| !found.contains(id)).into_iter().collect::<Vec<_>>());
        }
    }
    found
}

/// A text without the box before it.
fn unboxed(text: &str) -> &str {
    boxed(text).map_or(text, |(_, rest)| rest)
}

/// A text without the id at its start.
pub(super) fn after_id(text: &str) -> &str {
    let end = id_length(text.trim_start_matches(['*', '`', '['])).filter(|_| !text.starts_with(['*', '`', '[']));
    end.map_or(text, |end| text[end..].trim_start_matches([':', ' ', '-', '–', '—']))
}

/// Whether words about a decision say that it is not challenged: `no challenge`, `is confirmed; nothing is challenged`, `| No |`.
fn lets_stand(said: &str) -> bool {
    const BUT: &[&str] = &["but", "however", "although", "except", "unless", "until"];
    let is_no = |word: &String| begins_with_none(std::slice::from_ref(word)) || is_denial(word) || word == "n/a";
    let cell = said.trim_matches(['|', ' ']).split('|').next().unwrap_or_default();
    let all = words(said);
    if all.is_empty() || all.iter().any(|word| BUT.contains(&word.as_str())) {
        return false;
    }
    if matches!(words(cell).as_slice(), [one] if is_no(one)) || says_nothing(cell) {
        return true;
    }
    let clauses: Vec<Vec<String>> = said.split([',', ';', '.', '(', ')', ':', '–', '—']).map(words).collect();
    let denies_challenge = |clause: &Vec<String>| {
        let at = clause.iter().position(|word| word.starts_with("challeng"));
        at.is_some_and(|at| clause[..at].iter().any(is_no))
    };
    let is_kept = |clause: &Vec<String>| {
        (0..clause.len()).any(|at| {
            let end = at + LET_STAND.at(&clause[at..]);
            let is_end = clause
                .get(end)
                .is_none_or(|next| ["by", "after", "with", "and", "throughout"].contains(&next.as_str()));
            end > at && is_end && !clause[..at].iter().any(is_no)
        })
    };
    let is_none = |clause: &Vec<String>| clause.len() == 1 && begins_with_none(clause);
    let denies = |clause: &Vec<String>| !is_none(clause) && clause.iter().any(|word| is_denial(word));
    clauses.iter().any(denies_challenge) || clauses.iter().any(is_kept) && !clauses.iter().any(denies)
}
