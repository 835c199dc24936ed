//! Entries below decisions that only say of a decision, by its id, that it stands: `| D1 | Yes |`, `- D1: kept`, `- D1`.
//!
//! Must never: pass over words that may turn it down, in the entry, in the column that asks, or in a heading above it.
//!
//! Pure; if the process dies here nothing is left.

use super::headings::{after_id, is_of_kinds, is_usual_before_entries};
use super::ids::id_length;
use super::passages::one_line;
use super::statements::Statement;
use super::status::of_heading;
use crate::contradiction::{is_denial, may_overturn, says_kept};
use crate::knowledge::{DecisionStatus, Kind};
use forge_prose::blanks::is_function_word;
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

static YES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/yes.txt")));
static KEEPING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/answers-keeping.txt")));
static STANDING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/headings-standing.txt")));

/// An entry that says of a decision that it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The decision's id.
    pub(crate) id: String,
    /// What the entry would be called.
    pub(crate) title: String,
    /// What it says besides.
    pub(crate) besides: Vec<String>,
}

/// What an entry says of a decision, where that is only that it stands.
pub(super) fn answer(id: Option<&str>, statement: &Statement) -> Option<Answer> {
    const GROUNDS: &[&str] = &["why", "because", "evidence", "reason", "notes", "note", "comment", "comments"];
    const BUT: &[&str] =
        &["but", "however", "although", "except", "unless", "until", "instead", "aber", "mais", "pero"];
    let text = one_line(&statement.text);
    let begun = || text.trim_start_matches(['*', '`', '[']).get(..id_length(text.trim_start_matches(['*', '`', '[']))?);
    let said = if id.is_some() { text.as_str() } else { after_id(text.trim_matches(['*', '`', '[', ']'])) };
    let id = id.or_else(begun)?.to_owned();
    let own = Statement { below: Vec::new(), ..statement.clone() };
    let is_under = |title: &String| {
        may_overturn(title)
            || !matches!(of_heading(title), None | Some(DecisionStatus::Accepted | DecisionStatus::Proposed))
    };
    let is_open = own.decision_status() == Some(DecisionStatus::Accepted)
        && statement.decision().supersedes.is_empty()
        && !statement.below.iter().any(is_under);
    let asks = |value: &str| {
        statement.fields.iter().find(|(_, there)| one_line(there) == value).map(|(name, _)| name.as_str())
    };
    let told = asks(said).is_some_and(|name| GROUNDS.contains(&name));
    let others = || statement.fields.iter().map(|(_, value)| one_line(value)).filter(|value| *value != said);
    let candidates: Vec<String> = std::iter::once(said.to_owned()).chain(others().filter(|_| told)).collect();
    let (answer, rest) = candidates.iter().find_map(|said| Some((said, after_answer(said, asks(said), statement)?)))?;
    let besides = candidates.iter().take(1).cloned().chain(others()).filter(|one| one != answer);
    let besides: Vec<String> =
        std::iter::once(rest).chain(besides).filter(|one| one.chars().any(char::is_alphanumeric)).collect();
    let goes_on = besides.iter().any(|one| words(one).iter().any(|word| BUT.contains(&word.as_str())));
    let title = statement.said(Kind::Decision);
    (is_open && !goes_on).then_some(Answer { id, title, besides })
}

/// What follows a first clause that says that it stands; none where there is no such clause.
fn after_answer(said: &str, asked: Option<&str>, statement: &Statement) -> Option<String> {
    const LINKS: &[&str] = &["we", "is", "was", "are", "has", "been", "still", "fully", "it"];
    const NO: &[&str] = &["no", "nein", "non"];
    let end = said.find([',', ';', '.', '(', ':', '–', '—']).or_else(|| said.find(" - ")).unwrap_or(said.len());
    let (clause, rest) = said.split_at(end);
    let all = words(clause);
    let bare: Vec<&String> = all.iter().skip_while(|word| LINKS.contains(&word.as_str())).collect();
    let is_ended = asked.is_some_and(may_overturn);
    let is_denied = asked.is_some_and(|name| words(name).iter().any(|word| is_denial(word)));
    let is_ticked = all.is_empty() && clause.contains(['✅', '✔', '✓', '👍']);
    let stands = match (
        all.is_empty(),
        is_ticked || YES.has(&all),
        matches!(all.as_slice(), [one] if NO.contains(&one.as_str())),
    ) {
        (_, true, _) => !is_ended && !is_denied,
        (_, _, true) => is_ended && !is_denied,
        (true, ..) => said.is_empty() && statement.below.iter().all(|title| says_that_they_stand(title)),
        _ => KEEPING.has(&bare) || says_kept(&bare),
    };
    stands.then(|| rest.trim_start_matches([',', ';', '.', '(', ':', '–', '—', '-', ' ']).to_owned())
}

/// Whether a heading says of decisions that they stand, or nothing: `Decisions that aged well`, `Decisions`.
fn says_that_they_stand(title: &str) -> bool {
    let adds_nothing = |word: &String| {
        is_of_kinds(word) || is_usual_before_entries(word) || is_function_word(word) || STANDING.has_word(word)
    };
    words(title).iter().all(adds_nothing)
}
