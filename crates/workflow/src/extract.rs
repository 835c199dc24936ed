//! What a debate or a phase document adds to the knowledge: decisions, constraints, assumptions, risks.
//!
//! Promises: a debate that ended without a decision, and a rehearsal, add nothing; a placeholder never becomes an entry;
//! extracting twice gives the same entries under the same sources (a debate's by their number in it, a document's by
//! their words), so that merging adds them once.
//!
//! Must never: give an id, read anything but its arguments, or put words in anybody's mouth.
//!
//! Pure; if the process dies here nothing is left.

pub mod inline;
pub mod passages;
pub mod ratings;
pub mod statements;

mod validations;

use crate::knowledge::{Assumption, Constraint, Decision, Findings, Kind, Risk};
use forge_debate::digest::Digest;
use forge_debate::form::is_placeholder;
use forge_debate::plan::{Plan, same_words, words};
use forge_debate::protocols::{challenge, gate, panel};
use forge_debate::turn::{Section, Speech, Turn, TurnKey, title_matches};
use forge_debate::verdict::{Outcome, Verdict};
use passages::{bold_label, heading, label, one_line, tidy};
use statements::{Statement, is_part, of_prose, of_section};
use std::collections::BTreeMap;

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
const DECISIONS: &[&str] =
    &["Decisions", "Key Decisions", "Further Decisions", "Design Decisions", "New Decisions", "Technical Decisions"];
const CONSTRAINTS: &[&str] = &["Constraints", "New Constraints"];
const ASSUMPTIONS: &[&str] =
    &["Assumptions", "Open Assumptions", "Key Assumptions", "Validated Assumptions", "Invalidated Assumptions"];
const RISKS: &[&str] = &["Risks", "Accepted Risks", "Risk Register", "Known Risks", "Open Risks", "New Risks"];
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
    /// The earlier decisions that it was about, by id; the new one takes their place.
    pub supersedes: &'d [String],
}

/// What a debate adds to the knowledge.
pub fn from_debate(debated: &Debated<'_>) -> Findings {
    let Debated { plan, verdict, .. } = *debated;
    let settled = matches!(verdict.outcome, Outcome::Consensus | Outcome::Decided);
    let title = title(plan, verdict);
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
    let mut risks: Vec<Risk> = stated(Kind::Risk, document, RISKS).iter().map(|(_, one)| told(one)).collect();
    for (at, risk) in risks.iter_mut().enumerate() {
        risk.source = source('R', at);
    }
    let read = validations::read(stated(Kind::Assumption, document, ASSUMPTIONS));
    let (mut assumptions, mut validations) = (read.assumptions, read.validations);
    for elsewhere in speeches.assumptions(verdict) {
        if !assumptions.iter().any(|there| same_words(&there.text, &elsewhere.text)) {
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
        supersedes: debated.supersedes.to_vec(),
        by: decision.as_ref().map(|decision| one_line(&decision.by)).filter(|by| !by.is_empty()),
        ..Decision::default()
    };
    let further = stated(Kind::Decision, document, DECISIONS).into_iter().map(|(_, one)| titled(one.decision()));
    let further: Vec<Decision> = further.filter(|one| !same_words(&one.title, &main.title)).collect();
    let taken_here = |decision| Decision {
        phase: one_line(debated.phase),
        debate: Some(debated.plan.id.clone()),
        date: one_line(debated.date),
        locked: true,
        ..decision
    };
    std::iter::once(main).chain(further).take(ENTRIES_LIMIT).map(taken_here).collect()
}

/// Every decision that the debate locked, and what the document states besides, which rests on the first of them.
fn constraints(plan: &Plan, decisions: &[Decision], document: &[Section]) -> Vec<Constraint> {
    let origin = |decision: &Decision| decision.source.clone().unwrap_or_default();
    let of_decision =
        |one: &Decision| Constraint { text: one.title.clone(), origin: origin(one), ..Constraint::default() };
    let besides = stated(Kind::Constraint, document, CONSTRAINTS).into_iter().map(|(_, one)| one.constraint());
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

/// What a person wrote below *Decisions*, *Constraints*, *Assumptions* and *Risks* of a phase document. An item that
/// begins with an id speaks of an entry that is there already, and is none.
pub fn from_document(workflow_id: &str, phase: &str, date: &str, sections: &[Section]) -> Findings {
    let place = format!("{workflow_id}/{phase}").split_whitespace().collect::<Vec<_>>().join("-");
    let source = |text: &str| format!("{place}#{}", Digest::of(normal(text).as_bytes()).short(8));
    let own = |kind: Kind, titles: &[&str]| -> Vec<Statement> {
        let all = stated(kind, sections, titles).into_iter();
        all.filter(|(id, _)| id.is_none()).map(|(_, statement)| statement).collect()
    };
    let mut found = Findings::default();
    for statement in own(Kind::Decision, DECISIONS) {
        let decision = titled(statement.decision());
        let (phase, date) = (one_line(phase), if decision.date.is_empty() { one_line(date) } else { decision.date });
        let source = Some(source(&decision.title));
        found.decisions.push(Decision { phase, date, locked: false, source, ..decision });
    }
    for statement in own(Kind::Constraint, CONSTRAINTS) {
        let constraint = statement.constraint();
        let origin = if constraint.origin.is_empty() { one_line(phase) } else { constraint.origin };
        let source = Some(source(&constraint.text));
        found.constraints.push(Constraint { origin, locked_by: None, source, ..constraint });
    }
    for statement in own(Kind::Risk, RISKS) {
        let source = Some(source(&statement.text));
        found.risks.push(Risk { source, ..told(&statement) });
    }
    let read = validations::read(stated(Kind::Assumption, sections, ASSUMPTIONS));
    for assumption in read.assumptions.into_iter().zip(&read.numbered).filter(|(_, numbered)| !**numbered) {
        let source = Some(source(&assumption.0.text));
        found.assumptions.push(Assumption { source, ..assumption.0 });
    }
    found.validations = read.validations;
    for validation in &mut found.validations {
        let said = format!("{} {} {}", validation.assumption, validation.standing.word(), validation.because);
        validation.source = source(&said);
    }
    found
}

/// What a document says of entries that are there already: items and rows that begin with an id.
pub fn restated(kind: Kind, sections: &[Section]) -> Vec<(String, Statement)> {
    let all = stated(kind, sections, titles(kind)).into_iter();
    all.filter_map(|(id, statement)| Some((id?, statement))).collect()
}

/// The line of a document on which it states something: the first that has its first words, else the section's.
pub fn line_of(kind: Kind, sections: &[Section], text: &str) -> usize {
    const FIRST_WORDS: usize = 6;
    let begins: Vec<String> = words(text).take(FIRST_WORDS).collect();
    let of_kind =
        || sections.iter().filter(|section| titles(kind).iter().any(|title| title_matches(&section.title, title)));
    let stands = |line: &str| {
        let here: Vec<String> = words(line).collect();
        here.windows(begins.len().max(1)).any(|window| window == begins)
    };
    let found = of_kind().find_map(|section| {
        let below = section.body.lines().position(stands)?;
        Some(section.body_line + below)
    });
    found.or_else(|| of_kind().map(|section| section.line).next()).unwrap_or(1)
}

/// The headings below which entries of a kind are listed.
fn titles(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Decision => DECISIONS,
        Kind::Constraint => CONSTRAINTS,
        Kind::Assumption => ASSUMPTIONS,
        Kind::Risk => RISKS,
    }
}

/// The words of a text, whatever their case and the marks between them.
fn normal(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
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
        let synthesis = last(&|key| key.stage == panel::CORRECTION)
            .or_else(|| last(&|key| key.stage == gate::SYNTHESIS || key.stage == panel::SYNTHESIS));
        let skeptic = last(&|key| key.stage == gate::CASE && key.seat.as_str() == "skeptic");
        let is_challenge = debated.plan.protocol == "challenge";
        let lead = is_challenge.then(|| last(&|key| key.stage == challenge::OPENING)).flatten();
        Self { synthesis: synthesis.filter(speaks), skeptic, lead: lead.filter(speaks) }
    }

    fn sections(&self) -> &'d [Section] {
        self.synthesis.map(|speech| speech.sections.as_slice()).unwrap_or_default()
    }

    /// The assumptions that are stated elsewhere than in the synthesis.
    fn assumptions(&self, verdict: &Verdict) -> Vec<Assumption> {
        let of = |speech: Option<&Speech>, titles: &[&str], reader: Reader| {
            let sections = speech.map(|speech| speech.sections.as_slice()).unwrap_or_default();
            validations::read(stated_by(reader, Kind::Assumption, sections, titles)).assumptions
        };
        let mut all = of(self.skeptic, &["Hidden Assumptions"], of_prose);
        let lead = of(self.lead, ASSUMPTIONS, of_section);
        let listed = self.lead.map(|speech| speech.ballot.texts("assumptions")).unwrap_or_default();
        match lead.is_empty() {
            true => all.extend(listed.into_iter().map(|text| Assumption { text: tidy(text), ..Assumption::default() })),
            false => all.extend(lead),
        }
        all.extend(verdict.assumptions.iter().map(|stand| Assumption {
            text: tidy(&stand.assumption),
            risk_if_invalid: shortened(&stand.what_would_change, TEXT_LIMIT_CHARS),
            ..Assumption::default()
        }));
        all.retain(|assumption| !says_nothing(&assumption.text));
        all
    }
}

/// How a section is read: [`of_section`] or [`of_prose`].
type Reader = fn(Kind, &str) -> Vec<(Option<String>, Statement)>;

/// What the tables and lists of the sections with these titles state.
fn stated(kind: Kind, sections: &[Section], titles: &[&str]) -> Vec<(Option<String>, Statement)> {
    stated_by(of_section, kind, sections, titles)
}

/// What the sections with these titles state, each thing once and nothing that only holds a place.
fn stated_by(reader: Reader, kind: Kind, sections: &[Section], titles: &[&str]) -> Vec<(Option<String>, Statement)> {
    let mut all: Vec<(Option<String>, Statement)> = Vec::new();
    let wanted = |section: &&Section| titles.iter().any(|title| title_matches(&section.title, title));
    for section in sections.iter().filter(wanted) {
        let is_first = sections.first().is_some_and(|first| first.line == section.line);
        let implied = match section.title.to_lowercase() {
            title if title.contains("invalidated") => Some("invalidated"),
            title if title.contains("validated") => Some("validated"),
            _ => None,
        };
        for (id, mut statement) in reader(kind, own_part(&section.body, is_first)) {
            statement.text = shortened(&statement.text, TEXT_LIMIT_CHARS);
            statement.fields.retain(|(_, value)| !is_placeholder(value));
            if let Some(word) = implied.filter(|_| id.is_some() && statement.get(&["status"]).is_none()) {
                statement.fields.push(("status".to_owned(), word.to_owned()));
            }
            let known = all.iter().any(|(other, there)| *other == id && same_words(&there.text, &statement.text));
            if !known && !says_nothing(&statement.text) && all.len() < ENTRIES_LIMIT {
                all.push((id, statement));
            }
        }
    }
    all
}

/// A section's body up to its first own heading, or all of it where it begins with one. What stands below a document's
/// title is the whole document, and not the title's.
fn own_part(body: &str, is_first: bool) -> &str {
    let lines = passages::lines(body).all;
    let visible = lines.iter().filter(|line| !line.hidden && !line.nested);
    let first = visible.filter_map(|line| Some((line.start, heading(line.text)?.0))).next();
    match first {
        Some((start, level)) if !body[..start].trim().is_empty() || (is_first && level <= 2) => &body[..start],
        _ => body,
    }
}

/// A risk whose text also tells what its ratings say that is no rating: the knowledge keeps levels only.
fn told(statement: &Statement) -> Risk {
    let risk = statement.risk();
    let unrated: Vec<String> = statement.unrated().iter().map(|one| shortened(one, NOTE_LIMIT_CHARS)).collect();
    if unrated.is_empty() {
        return risk;
    }
    let note = format!(" ({})", unrated.join(", "));
    let room = TEXT_LIMIT_CHARS.saturating_sub(note.chars().count());
    Risk { text: shortened(&risk.text, room) + &note, ..risk }
}

/// Whether a text as a whole names nothing: a placeholder, `None identified.`, `No further risks`. What only begins so is
/// something: `No backups`.
fn says_nothing(text: &str) -> bool {
    const NOTHING: &[&str] = &[
        "no",
        "none",
        "nothing",
        "n a",
        "not applicable",
        "none yet",
        "none so far",
        "none known",
        "none found",
        "none identified",
        "none identified yet",
        "none at this time",
        "nothing yet",
        "nothing identified",
    ];
    const BETWEEN: &[&str] = &["further", "other", "more", "additional", "new", "known", "open"];
    const THINGS: &[&str] = &["risk", "constraint", "assumption", "decision"];
    const MOST_WORDS: usize = 4;
    let bare = text.trim().trim_matches(['(', ')', '_', '*']);
    let said: Vec<String> = words(bare).take(MOST_WORDS + 1).collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    let is_thing = |word: &str| THINGS.contains(&word.strip_suffix('s').unwrap_or(word));
    let no_things = match said.as_slice() {
        ["no", thing] => is_thing(thing),
        ["no", between, thing] => BETWEEN.contains(between) && is_thing(thing),
        _ => false,
    };
    is_placeholder(bare) || said.is_empty() || no_things || NOTHING.contains(&said.join(" ").as_str())
}

/// The question and what was chosen, in a line; empty where nothing was.
fn title(plan: &Plan, verdict: &Verdict) -> String {
    let labels: Vec<String> = verdict
        .options
        .iter()
        .map(|id| plan.option(id).map_or_else(|| id.to_string(), |option| one_line(&option.label)))
        .collect();
    let chosen = match (labels.is_empty(), &verdict.position) {
        (true, Some(position)) => shortened(&one_line(position), TITLE_LIMIT_CHARS),
        _ => labels.join(" + "),
    };
    let question = plan.question.lines().map(one_line).find(|line| !line.is_empty()).unwrap_or_default();
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
    } else if debated.plan.protocol == "gate" {
        let section = document.iter().find(|section| title_matches(&section.title, "Final Decision"));
        section.map(|section| grounds(debated.plan, &section.body)).unwrap_or_default()
    } else {
        verdict.position.clone().unwrap_or_default()
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
    let stands = |option: &Option<_>| option.as_ref().is_some_and(|option| verdict.options.contains(option));
    let said = verdict.reasons.iter().filter(|reason| !is_placeholder(&reason.text));
    let (with, others): (Vec<_>, Vec<_>) = said.partition(|reason| stands(&reason.option));
    let those = if with.is_empty() { others } else { with };
    those.iter().map(|reason| format!("{}: {}", reason.seat, one_line(&reason.text))).collect::<Vec<_>>().join("\n")
}

/// The criteria of a document, each with what belongs to it. Labels that stand beside a criterion belong to it too.
fn kill_switch(document: &[Section]) -> Vec<String> {
    let wanted = |section: &&Section| KILL_SWITCH.iter().any(|title| title_matches(&section.title, title));
    let Some(section) = document.iter().find(wanted) else { return Vec::new() };
    let mut criteria: Vec<String> = Vec::new();
    for block in passages::blocks(&section.body) {
        let first = block.lines().next().unwrap_or_default();
        if let Some(last) = criteria.last_mut().filter(|_| is_part(&block)) {
            last.push_str(&format!("\n- {}", block.replace('\n', "\n  ")));
        } else if !says_nothing(first) && criteria.len() < ENTRIES_LIMIT {
            criteria.push(block);
        }
    }
    criteria.iter().map(|criterion| limited(criterion)).collect()
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
fn shortened(text: &str, limit: usize) -> String {
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
