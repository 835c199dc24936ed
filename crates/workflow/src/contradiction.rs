//! Decisions of a phase document that speak against a locked one.
//!
//! A document's decision contradicts a locked one that stands when it names its id with a word that turns it down
//! (`Supersedes: D1`, `D1 no longer holds`), when it turns down what was chosen (`Drop JWT`), or when it names what the
//! locked one's debate turned down and not what it chose. Where the options are not known, another choice for the same matter
//! is enough (see `frame`). `(keeps D1)` says that it does not.
//!
//! It guesses at words, errs on the side of asking, and says what to write where it is wrong. Word lists are data.
//!
//! Pure; if the process dies here nothing is left.

mod doubt;
mod frame;
mod reading;

use crate::extract;
use crate::extract::ids::same_id;
use crate::kept::is_kept;
use crate::knowledge::{Decision, DecisionStatus, Findings, Kind, Knowledge};
use crate::snapshot::Document;
use forge_debate::plan::Choice;
use forge_prose::words::words;
pub(crate) use frame::is_denial;
use frame::{Frame, Likeness};
use reading::{
    KEPT, OVERTURNED, OVERTURNING, OVERTURNING_CHOICES, OVERTURNING_IDS, OVERTURNING_WHOLE, SETTLING, Text, Thing,
    answer, content,
};

/// What a locked decision chose and what it turned down, as the plan of its debate has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The decision's id.
    pub decision: String,
    /// The options that were chosen, by name.
    pub chosen: Vec<String>,
    /// The others.
    pub rejected: Vec<String>,
    /// The letters of the others, as its plan lists them: `A`, `C`.
    pub letters: Vec<String>,
}

/// A decision of a document that speaks against a locked one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The document.
    pub file: String,
    /// Where it says so.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// Where the document's decision comes from, if it is one of its own.
    pub source: Option<String>,
    /// The locked decision's id.
    pub decision: String,
    /// What that decided.
    pub title: String,
}

/// What a document's decisions say against locked ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Those that speak against one.
    pub against: Vec<Contradiction>,
    /// Those that may; the writer says which it is.
    pub doubtful: Vec<Contradiction>,
}

/// How a decision stands to a locked one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// It has nothing against it.
    Beside,
    /// It may speak against it.
    Doubtful,
    /// It speaks against it.
    Against,
}

/// The decisions of a document that speak against locked ones that stand, or may.
pub fn find(document: &Document, findings: &Findings, knowledge: &Knowledge, settled: &[Settled]) -> Found {
    // One that only this document's own decisions supersede is still contradicted by them.
    let is_own = |one: &Decision| one.source.is_some() && findings.decisions.iter().any(|own| own.source == one.source);
    let stands = |one: &&Decision| knowledge.superseding(&one.id).all(is_own);
    let locked: Vec<&Decision> = knowledge.decisions.iter().filter(|one| one.locked).filter(stands).collect();
    // One that begins with the id of another entry says something of that entry.
    let is_known = |one: &Decision| !one.id.is_empty() && knowledge.decision(&one.id).is_some();
    let answers = extract::answers(&document.sections);
    let mut found = Found::default();
    for known in &locked {
        let matter = settled.iter().find(|one| one.decision == known.id);
        for decision in findings.decisions.iter().filter(|one| one.source != known.source || one.source.is_none()) {
            // An entry that begins with the locked one's id says something of that, and is none of its own.
            let is_same = same_id(&decision.id, &known.id);
            if !is_same && is_known(decision) {
                continue;
            }
            let is_answer = |one: &extract::Answer| {
                let says_more = |said: &String| {
                    let alone = Decision { title: said.clone(), ..Decision::default() };
                    may_decide(said, &[known]) || self::relation(&alone, known, matter) != Relation::Beside
                };
                one.title == decision.title && same_id(&one.id, &known.id) && !one.besides.iter().any(says_more)
            };
            if answers.iter().any(is_answer) {
                continue;
            }
            let relation = relation(decision, known, matter);
            let list = match relation {
                Relation::Beside => continue,
                Relation::Doubtful => &mut found.doubtful,
                Relation::Against => &mut found.against,
            };
            list.push(Contradiction {
                file: document.path.clone(),
                line: extract::line_of(Kind::Decision, &document.sections, &decision.title),
                text: decision.title.clone(),
                source: decision.source.clone().filter(|_| !is_same),
                decision: known.id.clone(),
                title: known.title.clone(),
            });
        }
    }
    found.against.extend(constraints_against(document, findings, &locked, settled));
    found
}

/// Constraints of a document that speak against locked decisions: `No mail may be sent to readers`.
fn constraints_against(
    document: &Document,
    findings: &Findings,
    locked: &[&Decision],
    settled: &[Settled],
) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for known in locked {
        let matter = settled.iter().find(|one| one.decision == known.id);
        for constraint in findings.constraints.iter().filter(|one| !one.lifted) {
            let said = Decision { title: constraint.text.clone(), ..Decision::default() };
            if relation(&said, known, matter) == Relation::Against {
                found.push(Contradiction {
                    file: document.path.clone(),
                    line: extract::line_of(Kind::Constraint, &document.sections, &constraint.text),
                    text: constraint.text.clone(),
                    source: constraint.source.clone(),
                    decision: known.id.clone(),
                    title: known.title.clone(),
                });
            }
        }
    }
    found
}

/// How a decision stands to a locked one, by all that both say: headings and the statements below them.
pub fn relation(decision: &Decision, locked: &Decision, settled: Option<&Settled>) -> Relation {
    let known = phrasings(locked);
    if same_id(&decision.id, &locked.id) {
        let least = known.iter().map(|known| said_of(decision, known, settled)).min();
        return least.unwrap_or(Relation::Beside);
    }
    if decision.supersedes.iter().any(|earlier| same_id(earlier, &locked.id)) {
        return Relation::Against;
    }
    let own = phrasings(decision);
    let said: Vec<Text> =
        own.iter().map(|one| &one.title).chain([&decision.rationale]).map(|text| Text::of(text)).collect();
    if said.iter().any(|text| text.turns_down_id(&locked.id)) {
        return Relation::Against;
    }
    if said.iter().any(|text| text.keeps_id(&locked.id)) {
        return Relation::Beside;
    }
    let lettered = own.iter().map(|one| by_letter(&Text::of(&one.title), &known, settled)).max();
    if let Some(lettered) = lettered.filter(|relation| *relation != Relation::Beside) {
        return lettered;
    }
    let pairs = own.iter().flat_map(|one| known.iter().map(move |known| (one, known)));
    pairs.map(|(one, known)| compared(one, known, settled)).max().unwrap_or(Relation::Beside)
}

/// How a text that only names an option by its letter stands to a locked decision.
fn by_letter(said: &Text, known: &[Decision], settled: Option<&Settled>) -> Relation {
    let all = known.iter().map(|one| one.title.as_str()).collect::<Vec<_>>().join(" ");
    let Some(letter) = said.option_letter(&all) else {
        let is_other = settled.is_some_and(|settled| said.names_only_letters(&settled.letters));
        return if is_other { Relation::Doubtful } else { Relation::Beside };
    };
    let own = known.iter().find_map(|one| Text::of(&one.title).option_letter(&one.title));
    let rejects = |settled: &Settled| settled.letters.iter().any(|one| one.eq_ignore_ascii_case(&letter));
    match (own, settled) {
        (Some(own), _) if own == letter => Relation::Beside,
        (Some(_), _) => Relation::Against,
        (None, Some(settled)) if rejects(settled) => Relation::Against,
        (None, Some(_)) => Relation::Beside,
        // Nobody knows which it is.
        (None, None) => Relation::Doubtful,
    }
}

/// Whether a text has a word that turns something down.
pub(crate) fn may_overturn(text: &str) -> bool {
    const STARTS: [&str; 4] = ["challeng", "chang", "revis", "reconsider"];
    let said = words(text);
    [&OVERTURNING, &OVERTURNING_CHOICES, &OVERTURNING_WHOLE, &OVERTURNING_IDS, &OVERTURNED]
        .into_iter()
        .any(|list| list.find(&said).is_some())
        || said.iter().any(|word| STARTS.iter().any(|start| word.starts_with(start)))
}

/// Whether words are nothing but what is said of a decision that stands.
pub(crate) fn says_kept<T: AsRef<str>>(said: &[T]) -> bool {
    KEPT.has(said)
}

/// Whether a sentence chooses something, or may speak against a locked decision.
pub(crate) fn may_decide(sentence: &str, locked: &[&Decision]) -> bool {
    let said = Decision { title: sentence.to_owned(), ..Decision::default() };
    let text = Text::of(sentence);
    text.chooses()
        || SETTLING.find(&text.plain).is_some()
        || locked.iter().any(|one| relation(&said, one, None) != Relation::Beside)
}

/// Whether a sentence only says again what a locked decision says, naming it: `As decided in D1, we keep the mail`.
pub(crate) fn restates(sentence: &str, locked: &[&Decision]) -> bool {
    let said = Decision { title: sentence.to_owned(), ..Decision::default() };
    let text = Text::of(sentence);
    let ids = extract::ids::ids_in(sentence);
    // Naming it as kept takes nothing away from words that turn it down.
    let is_beside = locked.iter().all(|one| {
        relation(&said, one, None) == Relation::Beside
            && !phrasings(one).iter().flat_map(|one| chosen_by(one, None)).any(|thing| text.turns_down(&thing))
    });
    is_beside
        && locked.iter().any(|one| {
            let is_named = ids.iter().any(|id| same_id(id, &one.id));
            is_named && (text.keeps_id(&one.id) || chosen_by(one, None).iter().any(|thing| text.has_all(thing)))
        })
}

/// Whether a decision is the one that a debate took when it chose `chosen`: it has all words of that, or says in fewer words
/// what that says, and nothing against it.
pub fn is_same_choice(known: &Decision, taken: &Decision, chosen: &str) -> bool {
    let all = phrasings(known).into_iter().map(|one| one.title).chain([known.rationale.clone()]);
    let said = content(&all.collect::<Vec<_>>().join(" "));
    let chosen_words = content(chosen);
    let has_all = !chosen_words.is_empty() && chosen_words.is_subset(&said);
    let in_fewer = || {
        let text = Text::of(chosen);
        // One with words of its own is about something else.
        let all = content(&format!("{} {chosen}", taken.title));
        content(&known.title).is_subset(&all) && chosen_by(known, None).iter().any(|thing| text.has_all(thing))
    };
    (has_all || in_fewer()) && relation(known, taken, None) != Relation::Against
}

/// Whether an entry says in fewer words what was decided, and still says what was chosen.
pub fn says_less(said: &Decision, taken: &Decision, chosen: &[String]) -> bool {
    let words = content(&said.title);
    words.is_subset(&content(&taken.title))
        && chosen.iter().all(|label| content(label).is_subset(&words))
        && relation(&Decision { id: String::new(), ..said.clone() }, taken, None) == Relation::Beside
}

/// Whether an entry may say in other words what another one says: they share some, and nothing in it speaks against that.
pub fn is_alike(said: &Decision, known: &Decision) -> bool {
    let all = phrasings(said).into_iter().map(|one| one.title).chain([said.rationale.clone()]);
    let words = content(&all.collect::<Vec<_>>().join(" "));
    !words.is_disjoint(&content(&known.title)) && relation(said, known, None) == Relation::Beside
}

/// A decision once in each of its wordings.
fn phrasings(decision: &Decision) -> Vec<Decision> {
    // A single word is a subject, and says nothing of it.
    let others = decision.phrasings.iter().filter(|text| content(text).len() > 1);
    let one = |title: &String| Decision { title: title.clone(), phrasings: Vec::new(), ..decision.clone() };
    std::iter::once(&decision.title).chain(others).map(one).collect()
}

/// How one wording stands to one wording of a locked decision.
fn compared(decision: &Decision, locked: &Decision, settled: Option<&Settled>) -> Relation {
    let (title, why) = (Text::of(&decision.title), Text::of(&decision.rationale));
    let chosen = chosen_by(locked, settled);
    let struck = decision.title.split("~~").skip(1).step_by(2).map(Text::of);
    if struck.into_iter().any(|struck| chosen.iter().any(|thing| struck.names(thing))) {
        return Relation::Against;
    }
    if chosen.iter().any(|thing| title.turns_down(thing) || why.turns_down(thing)) {
        return Relation::Against;
    }
    if frame::is_opposite(&locked.title, &decision.title) || frame::differs_in_figures(&locked.title, &decision.title) {
        return Relation::Against;
    }
    let otherwise = match settled {
        Some(settled) => by_options(&decision.title, &title, &chosen, locked, settled),
        None => by_matter(&decision.title, locked),
    };
    match otherwise {
        Relation::Beside if topic(decision).any(|said| compared(&said, locked, settled) != Relation::Beside) => {
            Relation::Doubtful
        }
        Relation::Beside if title.may_turn_down_id(&locked.id) || title.may_end_id(&locked.id) => Relation::Doubtful,
        Relation::Beside if chosen.iter().any(|thing| title.may_end(thing)) => Relation::Doubtful,
        Relation::Beside if chosen.iter().any(|thing| title.ends_beside(thing)) => Relation::Doubtful,
        Relation::Beside if settled.is_some_and(|settled| goes_for_rejected(decision, &chosen, settled)) => {
            Relation::Doubtful
        }
        Relation::Beside if settled.is_some_and(|settled| uses_rejected(&title, &chosen, settled)) => {
            Relation::Doubtful
        }
        Relation::Beside if frame::swaps_a_name(&locked.title, &decision.title) => Relation::Doubtful,
        Relation::Beside if settled.is_none() && frame::may_be_opposite(&locked.title, &decision.title) => {
            Relation::Doubtful
        }
        Relation::Beside if title.begins_with_id(&locked.id) && !chosen.iter().any(|thing| title.has_all(thing)) => {
            Relation::Doubtful
        }
        otherwise => otherwise,
    }
}

/// A decision whose title only says what it is about, with the sentence below it that says what was decided, and that
/// sentence alone.
fn topic(decision: &Decision) -> impl Iterator<Item = Decision> {
    let sentence = decision.rationale.split(['.', '\n']).next().map(str::trim).filter(|said| !said.is_empty());
    let title = decision.title.trim_matches(['*', ':', ' ']);
    let both = sentence.filter(|_| is_topic(&decision.title)).map(|said| [format!("{title}: {said}"), said.to_owned()]);
    both.into_iter().flatten().map(|title| Decision { title, rationale: String::new(), ..decision.clone() })
}

/// Whether a title only says what a decision is about: `Storage`.
pub(crate) fn is_topic(title: &str) -> bool {
    const TOPIC_WORDS: usize = 3;
    content(title).len() <= TOPIC_WORDS && Frame::of(title).is_none()
}

/// Whether a title puts forward what a locked decision's debate turned down.
fn by_options(said: &str, title: &Text, chosen: &[Thing], locked: &Decision, settled: &Settled) -> Relation {
    let names_chosen = chosen.iter().any(|thing| title.names(thing));
    let question = Thing::question(&locked.title, &settled.chosen);
    let rejected: Vec<Thing> = settled.rejected.iter().map(|label| Thing::option(label, &settled.chosen)).collect();
    let preferred = |thing: &Thing| chosen.iter().any(|chosen| title.prefers(thing, chosen));
    let is_wanted = |thing: &Thing| !title.turns_down(thing) && !title.may_deny(thing) && !title.is_for_need();
    let put_forward = |thing: &Thing| !names_chosen && title.puts_forward(thing, &question) && is_wanted(thing);
    let is_joined = !names_chosen && settled.rejected.iter().any(|label| title.has_joined(label));
    match is_joined || rejected.iter().any(|thing| put_forward(thing) || preferred(thing)) {
        true => Relation::Against,
        false if names_chosen => Relation::Beside,
        false if rejected.iter().any(|thing| title.names(thing)) => Relation::Beside,
        false => by_matter(said, locked),
    }
}

/// Whether a decision whose title only says what it is about goes for what the debate turned down somewhere below it:
/// `Channel`, and then `We compared both. After the poll we go with text messages.`
fn goes_for_rejected(decision: &Decision, chosen: &[Thing], settled: &Settled) -> bool {
    let sentences = decision.rationale.split(['.', '\n']).map(Text::of);
    let goes = |said: &Text| {
        said.chooses() && uses_rejected(said, chosen, settled) && !chosen.iter().any(|thing| said.names(thing))
    };
    is_topic(&decision.title) && sentences.into_iter().any(|said| goes(&said))
}

/// Whether a title puts what the debate turned down to any use: `Memcached for the mobile clients`.
fn uses_rejected(title: &Text, chosen: &[Thing], settled: &Settled) -> bool {
    let is_used = |thing: &Thing| {
        title.names_as_name(thing)
            && !title.turns_down(thing)
            && !title.may_deny(thing)
            && !chosen.iter().any(|chosen| title.prefers(chosen, thing))
    };
    let rejected = settled.rejected.iter().map(|label| Thing::option(label, &settled.chosen));
    !title.is_for_need() && !title.leaves_where_it_is() && rejected.into_iter().any(|thing| is_used(&thing))
}

/// Whether a title chooses something else for the matter of a locked decision, whose options nobody knows.
fn by_matter(title: &str, locked: &Decision) -> Relation {
    let (Some(known), Some(said)) = (Frame::of(&locked.title), Frame::of(title)) else { return Relation::Beside };
    if Text::of(title).has_all(&Thing::titled(&locked.title, Some(&known))) {
        return Relation::Beside;
    }
    let turned = said.turned().and_then(|said| known.likeness(&said)).filter(|one| *one == Likeness::Same);
    match known.likeness(&said).or(turned) {
        Some(Likeness::Same) => Relation::Against,
        Some(Likeness::Near) => Relation::Doubtful,
        None => Relation::Beside,
    }
}

/// How an item that begins with a locked decision's id stands to it: other words under its id choose something else, unless
/// they have what it chose, say nothing that it does not say, or say that it stands.
fn said_of(again: &Decision, locked: &Decision, settled: Option<&Settled>) -> Relation {
    let said = Text::of(&format!("{}: {}", locked.id, again.title));
    let chosen = chosen_by(locked, settled);
    let is_against = again.status != DecisionStatus::Accepted
        || said.turns_down_id(&locked.id)
        || chosen.iter().any(|thing| said.turns_down(thing));
    let title = Text::of(&again.title);
    match is_against {
        true => Relation::Against,
        false if said.keeps_id(&locked.id) || title.says_no_more_than(&locked.title) => Relation::Beside,
        false if chosen.iter().any(|thing| title.has_all(thing)) => Relation::Beside,
        false => Relation::Against,
    }
}

/// Whether an option of a debate on a decision lets it stand: it says what that chose, or that it stays.
pub fn keeps(decision: &Decision, option: &Choice) -> bool {
    let said = content(&option.label);
    let whole = Text::of(&option.label);
    is_kept(decision, None, &[option])
        || phrasings(decision).iter().any(|one| {
            let says_no_more = !said.is_empty() && said.is_subset(&content(&one.title));
            says_no_more || chosen_by(one, None).iter().any(|thing| whole.has_all(thing))
        })
}

/// What a later decision chose, on the matter of the one whose place it took: `Design: Postcard` after `Remind readers: Mail`
/// is `Remind readers: Postcard`.
pub fn on_its_matter(later: &Decision, earlier: &Decision) -> Option<String> {
    let of = |title: &str| answer(title).to_owned();
    let known = phrasings(earlier).into_iter().map(|one| one.title).next_back().unwrap_or_default();
    let matter = known.strip_suffix(&of(&known)).map(str::trim_end).filter(|matter| !matter.is_empty())?;
    Some(format!("{matter} {}", of(&later.title)))
}

fn chosen_by(locked: &Decision, settled: Option<&Settled>) -> Vec<Thing> {
    match settled.filter(|settled| !settled.chosen.is_empty()) {
        Some(settled) => settled.chosen.iter().map(|label| Thing::option(label, &settled.rejected)).collect(),
        None => vec![Thing::titled(&locked.title, Frame::of(&locked.title).as_ref())],
    }
    .into_iter()
    .map(|thing| thing.among(&locked.title))
    .collect()
}
