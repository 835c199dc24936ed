//! What a debate or a phase document adds to the knowledge: decisions, constraints, assumptions, risks.
//!
//! Promises: a debate that ended without a decision, and a rehearsal, add nothing; a placeholder never becomes an entry;
//! extracting twice gives the same entries under the same sources (a debate's by their number in it, a document's by
//! their words), so that merging adds them once.
//!
//! Must never: give an id, read anything but its arguments, or put words in anybody's mouth.
//!
//! Pure; if the process dies here nothing is left.

pub mod coded;
pub mod criteria;
pub mod entries;
pub mod ids;
pub mod inline;
pub mod labels;
pub mod passages;
pub mod ratings;
pub mod sections;
pub mod statements;

mod answers;
mod document;
mod headings;
mod if_wrong;
mod nothing;
mod places;
mod rating_names;
mod status;
mod synthesis;
mod validations;

pub(crate) use answers::Answer;
pub(crate) use document::answers;
pub use document::{against_locked, from_document, line_of, unclear};

use crate::kept::only_keeps;
use crate::knowledge::{Assumption, Constraint, Decision, Findings, Kind, Risk, says_the_same};
use forge_debate::ballot::Ballot;
use forge_debate::plan::{Duty, Plan, SeatId, words};
use forge_debate::profile::{Evidence, StageKind};
use forge_debate::protocols::challenge;
use forge_debate::turn::{Section, Speech, Turn, TurnKey, title_matches};
use forge_debate::verdict::{Outcome, Verdict};
use forge_prose::blanks::is_placeholder;
use headings::{Listing, listing};
pub use headings::{challenged, challenges_unread};
use passages::{bold_label, heading, label, one_line, tidy};
use ratings::is_left_open;
use sections::{Stated, of_parts, of_prose};
use statements::Statement;
use std::collections::BTreeMap;
pub use synthesis::{Synthesis, from_synthesis, taken_from};

/// The most entries of a kind that one debate or document adds.
pub const ENTRIES_LIMIT: usize = 64;
/// The most characters of an entry's text.
pub const TEXT_LIMIT_CHARS: usize = 1000;
/// The most characters of a kill-switch criterion with all that belongs to it.
pub const CRITERION_LIMIT_CHARS: usize = 4 * TEXT_LIMIT_CHARS;
/// The most characters of a decision's rationale.
pub const RATIONALE_LIMIT_CHARS: usize = 1200;
/// The most characters that are told of a rating that is none.
const NOTE_LIMIT_CHARS: usize = 120;
/// The most characters of a decision's title that are the question's.
const QUESTION_LIMIT_CHARS: usize = 140;
/// The most characters of a decision's title.
const TITLE_LIMIT_CHARS: usize = 300;

const REOPEN: &str = "Reopen debate";
const KILL_SWITCH: &[&str] = &["Kill-Switch", "Kill Switch", "Killswitch"];

/// A debate that has ended, with what its files do not say.
#[derive(Debug, Clone, Copy)]
pub struct Debated<'d> {
    /// Its plan.
    pub plan: &'d Plan,
    /// How it ended.
    pub verdict: &'d Verdict,
    /// Its turns.
    pub turns: &'d BTreeMap<TurnKey, Turn>,
    /// The phase that it belongs to.
    pub phase: &'d str,
    /// The day of the decision, as YYYY-MM-DD.
    pub date: &'d str,
    /// What the decision is about, where that is not the question: a later phase may have debated the workflow's objective,
    /// which an earlier one has decided on.
    pub about: Option<&'d str>,
    /// The earlier decisions that it was about, by id; the new one takes their place.
    pub supersedes: &'d [String],
}

/// What a debate adds to the knowledge.
pub fn from_debate(debated: &Debated<'_>) -> Findings {
    let Debated { plan, verdict, .. } = *debated;
    let settled = matches!(verdict.outcome(), Outcome::Consensus | Outcome::Decided);
    let title = title(debated);
    if !settled || plan.is_rehearsal() || title.is_empty() {
        return Findings::default();
    }
    let speeches = Speeches::of(debated);
    let document = speeches.sections();
    let source = |letter: char, at: usize| Some(format!("{}#{letter}{}", plan.id, at + 1));

    let mut decisions = decisions(debated, title, document);
    for (at, decision) in decisions.iter_mut().enumerate() {
        decision.source = source('D', at);
    }
    let mut constraints = constraints(plan, &decisions, document);
    for (at, constraint) in constraints.iter_mut().enumerate() {
        constraint.source = source('C', at);
    }
    let mut risks: Vec<Risk> = stated(Kind::Risk, document).iter().map(|(_, one)| told(one)).collect();
    for (at, risk) in risks.iter_mut().enumerate() {
        risk.source = source('R', at);
        // That a debate accepted it is said by its source.
        risk.accepted_by = None;
    }
    let read = validations::read(stated(Kind::Assumption, document));
    let (mut assumptions, mut validations) = (read.assumptions, read.validations);
    for elsewhere in speeches.assumptions(verdict) {
        if !assumptions.iter().any(|there| says_the_same(&there.text, &elsewhere.text)) {
            assumptions.push(elsewhere);
        }
    }
    assumptions.truncate(ENTRIES_LIMIT);
    for (at, assumption) in assumptions.iter_mut().enumerate() {
        assumption.source = source('A', at);
    }
    for (at, validation) in validations.iter_mut().enumerate() {
        validation.source = source('V', at).unwrap_or_default();
    }
    Findings { decisions, constraints, assumptions, validations, risks }
}

/// What was decided on the question, and what the document decides besides.
fn decisions(debated: &Debated<'_>, title: String, document: &[Section]) -> Vec<Decision> {
    let decision = &debated.verdict.decision;
    let main = Decision {
        title,
        rationale: rationale(debated, document),
        kill_switch: kill_switch(document),
        turned_down: turned_down(debated),
        supersedes: debated.supersedes.to_vec(),
        by: decision.as_ref().map(|decision| one_line(&decision.by)).filter(|by| !by.is_empty()),
        ..Decision::default()
    };
    // Its *Final Decision* is the one on the question.
    let besides = document.iter().filter(|section| listing(Kind::Decision, &section.title) == Some(Listing::Several));
    let further = stated(Kind::Decision, &besides.cloned().collect::<Vec<_>>())
        .into_iter()
        .map(|(_, one)| titled(one.decision()));
    let further: Vec<Decision> = further.filter(|one| !says_the_same(&one.title, &main.title)).collect();
    let taken_here = |decision| Decision {
        phase: one_line(debated.phase),
        debate: Some(debated.plan.id.clone()),
        date: one_line(debated.date),
        locked: true,
        ..decision
    };
    std::iter::once(main).chain(further).take(ENTRIES_LIMIT).map(taken_here).collect()
}

/// The options that were not chosen: what they are is known when the debate is gone.
fn turned_down(debated: &Debated<'_>) -> Vec<String> {
    let chosen = debated.verdict.options();
    let others = debated.plan.options.iter().filter(|option| !chosen.is_empty() && !chosen.contains(&option.id));
    others.map(|option| format!("{}: {}", option.id, one_line(&option.label))).collect()
}

/// Every decision that the debate locked, and what the document states besides, which rests on the first of them.
fn constraints(plan: &Plan, decisions: &[Decision], document: &[Section]) -> Vec<Constraint> {
    let origin = |decision: &Decision| decision.source.clone().unwrap_or_default();
    // Its text names the decision by the id that merging gives it.
    let of_decision = |one: &Decision| Constraint { origin: origin(one), ..Constraint::default() };
    let besides = stated(Kind::Constraint, document).into_iter().map(|(_, one)| one.constraint());
    let first = decisions.first().map(origin).unwrap_or_default();
    let or = |text: String, default: &str| if text.is_empty() { default.to_owned() } else { text };
    let locked = |one: Constraint| Constraint {
        origin: or(one.origin, &first),
        violation: or(one.violation, REOPEN),
        locked_by: Some(plan.id.clone()),
        ..one
    };
    decisions.iter().map(of_decision).chain(besides).take(ENTRIES_LIMIT).map(locked).collect()
}

/// Whether what stands below a heading goes to the knowledge files.
pub(crate) fn is_of_knowledge(title: &str) -> bool {
    Kind::ALL.into_iter().any(|kind| lists(kind, title))
}

/// The speeches that a debate's knowledge is in.
struct Speeches<'d> {
    /// The document that the debate ended with, if it speaks for what was decided.
    synthesis: Option<&'d Speech>,
    skeptic: Option<&'d Speech>,
    lead: Option<&'d Speech>,
}

impl<'d> Speeches<'d> {
    fn of(debated: &Debated<'d>) -> Self {
        let verdict = debated.verdict;
        let last = |wanted: &dyn Fn(&TurnKey) -> bool| {
            debated.turns.values().filter(|turn| wanted(&turn.key)).filter_map(Turn::speech).next_back()
        };
        // A person may have decided for something else than a document or the lead argues for.
        let speaks = |speech: &&Speech| match (&verdict.decision, speech.option()) {
            (Some(decision), Some(option)) => decision.option == option,
            (Some(_), None) => false,
            (None, _) => true,
        };
        let (plan, protocol) = (debated.plan, debated.plan.protocol);
        let documents = protocol.stages_of(StageKind::Document);
        let synthesis = documents.filter_map(|document| last(&|key| key.stage == document.stage)).last();
        let challenges = |seat: &SeatId| plan.seat(seat).is_some_and(protocol.challenges);
        let skeptic = last(&|key| protocol.evidence == Evidence::OneSeat && challenges(&key.seat));
        let leads = |seat: &SeatId| plan.seat(seat).is_some_and(|seat| seat.duty == Duty::Lead);
        let lead = last(&|key| key.stage == challenge::OPENING && leads(&key.seat));
        Self { synthesis: synthesis.filter(speaks), skeptic, lead: lead.filter(speaks) }
    }

    fn sections(&self) -> &'d [Section] {
        self.synthesis.map(|speech| speech.sections.as_slice()).unwrap_or_default()
    }

    /// The assumptions that are stated elsewhere than in the synthesis.
    fn assumptions(&self, verdict: &Verdict) -> Vec<Assumption> {
        let sections = |speech: Option<&'d Speech>| speech.map(|one| one.sections.as_slice()).unwrap_or_default();
        let hidden = |section: &&Section| title_matches(&section.title, "Hidden Assumptions");
        let skeptics = sections(self.skeptic).iter().filter(hidden);
        let skeptics = skeptics.flat_map(|section| of_prose(Kind::Assumption, &section.body)).collect();
        let mut all = validations::read(distinct(skeptics)).assumptions;
        let lead = validations::read(stated(Kind::Assumption, sections(self.lead))).assumptions;
        let opening = self.lead.and_then(|speech| challenge::Opening::of(&speech.ballot));
        let listed = opening.and_then(|opening| opening.assumptions.0).unwrap_or_default();
        match lead.is_empty() {
            true => {
                all.extend(listed.into_iter().map(|text| Assumption { text: tidy(&text), ..Assumption::default() }))
            }
            false => all.extend(lead),
        }
        all.extend(verdict.ruling.assumptions().iter().map(|stand| Assumption {
            text: tidy(&stand.assumption),
            risk_if_invalid: shortened(&stand.what_would_change, TEXT_LIMIT_CHARS),
            ..Assumption::default()
        }));
        all.retain(|assumption| !says_nothing(&assumption.text));
        all
    }
}

/// Whether a section lists entries of a kind.
fn lists(kind: Kind, title: &str) -> bool {
    listing(kind, title).is_some()
}

/// What the sections of a kind state, and what sections of the others say is of that kind, each with the line of the
/// document: each thing once and nothing that only holds a place.
fn stated(kind: Kind, sections: &[Section]) -> Vec<Stated> {
    distinct(all_stated(kind, sections))
}

fn all_stated(kind: Kind, sections: &[Section]) -> Vec<Stated> {
    let mut all = Vec::new();
    for section in sections {
        let Some(listed) = Kind::ALL.into_iter().find(|listed| lists(*listed, &section.title)) else { continue };
        let is_first = sections.first().is_some_and(|first| first.line == section.line);
        let body = own_part(&section.body, is_first);
        // `Constraint DC-build-4: ...` among decisions is a constraint.
        let others: Vec<(usize, Kind)> = of_parts(listed, body)
            .into_iter()
            .filter_map(|(_, one)| Some((one.line, ids::said_kind(&one.text).filter(|said| *said != listed)?)))
            .collect();
        let kind_of = |line: usize| others.iter().find(|(at, _)| *at == line).map_or(listed, |(_, said)| *said);
        let own = of_parts(kind, body).into_iter().filter(|(_, one)| kind_of(one.line) == kind);
        // `We stay with D1` decides nothing.
        let own = own.filter(|(_, one)| kind != Kind::Decision || !only_keeps(&one.text));
        all.extend(own.map(|(id, one)| {
            let line = section.body_line + one.line.saturating_sub(1);
            let below = one.below.iter().chain([&section.title]).cloned().collect();
            (id, Statement { line, below, ..one })
        }));
    }
    all
}

/// Statements without those that say nothing or were made before.
fn distinct(statements: Vec<Stated>) -> Vec<Stated> {
    let mut all: Vec<Stated> = Vec::new();
    for (id, mut statement) in statements {
        statement.text = shortened(&statement.text, TEXT_LIMIT_CHARS);
        statement.fields.retain(|(_, value)| !is_left_open(value));
        let known = all.iter().any(|(other, there)| *other == id && says_the_same(&there.text, &statement.text));
        // One that names an entry and rates it says something.
        let is_rated = || statement.has_both_ratings() && !ids::ids_in(&statement.text).is_empty();
        if !known && (!says_nothing(&statement.text) || is_rated()) && all.len() < ENTRIES_LIMIT {
            all.push((id, statement));
        }
    }
    all
}

/// A section's body; of a document's title, which has the whole document for its body, only what stands before the first
/// heading.
fn own_part(body: &str, is_first: bool) -> &str {
    let lines = passages::lines(body).all;
    let visible = lines.iter().filter(|line| is_first && !line.hidden && !line.nested);
    let first = visible.filter_map(|line| Some((line.start, heading(line.text)?.0))).next();
    first.filter(|(_, level)| *level <= 2).map_or(body, |(start, _)| &body[..start])
}

/// A risk whose text also tells what its ratings say that is no rating: the knowledge keeps levels only.
fn told(statement: &Statement) -> Risk {
    let risk = statement.risk();
    let unrated: Vec<String> = statement.told_ratings().iter().map(|one| shortened(one, NOTE_LIMIT_CHARS)).collect();
    if unrated.is_empty() {
        return risk;
    }
    let note = format!(" ({})", unrated.join(", "));
    let room = TEXT_LIMIT_CHARS.saturating_sub(note.chars().count());
    Risk { text: shortened(&risk.text, room) + &note, ..risk }
}

/// Whether a text as a whole names nothing: a placeholder, `None identified.`, `No further risks`. What only begins so is
/// something: `No backups`.
pub fn says_nothing(text: &str) -> bool {
    const OTHERWISE: &[&str] = &["n a", "not applicable"];
    let bare = text.trim().trim_matches(['(', ')', '_', '*']);
    let said: Vec<String> = words(bare).take(3).collect();
    is_placeholder(bare) || said.is_empty() || OTHERWISE.contains(&said.join(" ").as_str()) || nothing::denies(bare)
}

/// What a debate is about and what was chosen, in a line; empty where nothing was.
pub fn title(debated: &Debated<'_>) -> String {
    let Debated { plan, verdict, about, .. } = *debated;
    let labels: Vec<String> = verdict
        .options()
        .iter()
        .map(|id| plan.option(id).map_or_else(|| id.to_string(), |option| one_line(&option.label)))
        .collect();
    let chosen = match (labels.is_empty(), &verdict.ruling.position()) {
        (true, Some(position)) => shortened(&one_line(position), TITLE_LIMIT_CHARS),
        _ => labels.join(" + "),
    };
    joined(about.unwrap_or(&plan.question), chosen)
}

/// A question and what was chosen, in a line; empty where nothing was.
fn joined(question: &str, chosen: String) -> String {
    let question = question.lines().map(one_line).find(|line| !line.is_empty()).unwrap_or_default();
    let question = shortened(question.trim_start_matches(['#', ' ']), QUESTION_LIMIT_CHARS);
    match (question.is_empty(), chosen.is_empty()) {
        (_, true) => String::new(),
        (true, _) => chosen,
        _ if question.ends_with(['?', '…']) => format!("{question} {chosen}"),
        _ => format!("{}: {chosen}", question.trim_end_matches(['.', ':', ' '])),
    }
}

/// A decision whose title is a line: what does not fit there is its rationale.
fn titled(mut decision: Decision) -> Decision {
    let title = shortened(&decision.title, TITLE_LIMIT_CHARS);
    if title != decision.title && decision.rationale.is_empty() {
        decision.rationale = std::mem::take(&mut decision.title);
    }
    decision.rationale = shortened(&decision.rationale, RATIONALE_LIMIT_CHARS);
    decision.kill_switch = decision.kill_switch.iter().map(|criterion| limited(criterion)).collect();
    Decision { title, ..decision }
}

fn rationale(debated: &Debated<'_>, document: &[Section]) -> String {
    let verdict = debated.verdict;
    let text = if let Some(decision) = &verdict.decision {
        decision.because.clone()
    } else if debated.plan.protocol.evidence == Evidence::OneSeat {
        let section = document.iter().find(|section| title_matches(&section.title, "Final Decision"));
        section.map(|section| grounds(debated.plan, &section.body)).unwrap_or_default()
    } else {
        verdict.ruling.position().unwrap_or_default().to_owned()
    };
    let text = if text.trim().is_empty() { reasons(verdict) } else { text };
    shortened(&text, RATIONALE_LIMIT_CHARS)
}

/// A Final Decision without the line that only names the option, headings and places to fill in.
fn grounds(plan: &Plan, body: &str) -> String {
    const NAMES: &[&str] = &["chosen option", "chosen options", "selected", "decision", "final decision"];
    const BARE_WORDS: usize = 8;
    let names_only = |line: &str| {
        let item = passages::marker(line).map_or(line, |item| item.content);
        bold_label(item).or_else(|| label(item)).is_some_and(|(name, value)| {
            let bare = plan.option_meant(&value).is_some() && words(&value).count() <= BARE_WORDS;
            NAMES.contains(&name.as_str())
                && (bare || name.starts_with("chosen") && words(&value).count() <= BARE_WORDS)
        })
    };
    let kept = |line: &&str| heading(line).is_none() && !names_only(line);
    let text = body.lines().filter(kept).collect::<Vec<_>>().join("\n");
    let paragraphs = tidy(&text);
    let real = paragraphs.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty() && !is_placeholder(paragraph));
    real.collect::<Vec<_>>().join("\n\n")
}

/// Why those who stood for the decision did, each in its words.
fn reasons(verdict: &Verdict) -> String {
    let stands = |option: &Option<_>| option.as_ref().is_some_and(|option| verdict.options().contains(option));
    let said = verdict.ruling.reasons.iter().filter(|reason| !is_placeholder(&reason.text));
    let (with, others): (Vec<_>, Vec<_>) = said.partition(|reason| stands(&reason.option));
    let those = if with.is_empty() { others } else { with };
    those.iter().map(|reason| format!("{}: {}", reason.seat, one_line(&reason.text))).collect::<Vec<_>>().join("\n")
}

/// The criteria of a document: what it lists, else what it says.
fn kill_switch(document: &[Section]) -> Vec<String> {
    let wanted = |section: &&Section| KILL_SWITCH.iter().any(|title| title_matches(&section.title, title));
    let Some(section) = document.iter().find(wanted) else { return Vec::new() };
    let listed = match passages::blocks(&section.body).first() {
        Some(first) => section.body.find(first.lines().next().unwrap_or_default()).unwrap_or(0),
        None => 0,
    };
    let from = section.body[..listed].rfind('\n').map_or(0, |at| at + 1);
    let said = |criterion: &String| {
        let first = criterion.lines().next().unwrap_or_default();
        !says_nothing(criteria::boxed(first).map_or(first, |(_, text)| text))
    };
    let all = criteria::criteria(&section.body[from..]).into_iter().filter(said);
    all.take(ENTRIES_LIMIT).map(|criterion| limited(&criterion)).collect()
}

/// A criterion up to its length. What is listed below it is shortened or left out; a command is there whole or not at all.
fn limited(criterion: &str) -> String {
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    for line in criterion.lines() {
        match parts.last_mut() {
            Some(part) if part.is_empty() || passages::marker(line).is_none() => part.push(line),
            _ => parts.push(vec![line]),
        }
    }
    let mut kept = String::new();
    let mut room = CRITERION_LIMIT_CHARS;
    for part in parts.into_iter().map(|lines| lines.join("\n")) {
        let is_long = part.chars().nth(TEXT_LIMIT_CHARS).is_some();
        let part = match is_long {
            true if kept.is_empty() || !part.contains('`') => shortened(&part, TEXT_LIMIT_CHARS - 1),
            true => continue,
            false => part,
        };
        // The line break before it counts too.
        let length = part.chars().count() + 1;
        if length <= room {
            kept.push_str(if kept.is_empty() { "" } else { "\n" });
            kept.push_str(&part);
            room -= length;
        }
    }
    kept
}

/// A text up to a length: whole paragraphs, else whole sentences, else whole words.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    let text = tidy(text);
    let Some((end, _)) = text.char_indices().nth(limit) else { return text };
    let start = &text[..end];
    let sentence = |at: &(usize, &str)| start[at.0 + 1..].chars().next().is_none_or(char::is_whitespace);
    let paragraph = start.rfind("\n\n").filter(|at| *at > 0);
    let stop = start.rmatch_indices(['.', '!', '?']).find(sentence).map(|(at, _)| at + 1);
    match paragraph.or(stop.filter(|at| *at > end / 3)) {
        Some(at) => text[..at].trim_end().to_owned(),
        None => format!("{}…", start.rsplit_once(char::is_whitespace).map_or(start, |(before, _)| before).trim_end()),
    }
}
