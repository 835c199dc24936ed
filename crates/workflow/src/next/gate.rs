//! The gate of a phase: whether a debate is called for, whether it is planned, whether it is passed.

use super::step::{Blocker, BlockerKind, DebateOrder, Move, Step};
use super::{STATE_FILE, touch};
use crate::again::Again;
use crate::contradiction::{Contradiction, keeps};
use crate::definition::Phase;
use crate::knowledge::{Decision, Findings};
use crate::snapshot::{
    DebateRead, DebateThere, Document, Framing, Now, Origin, Overturned, Snapshot, Stranger, Unclear,
};
use crate::state::{Answered, Called, DebateFlag, DebateState, PhaseStatus};
use crate::trigger::{self, Call, Facts, Reason, RiskFacts};
use forge_debate::fact;
use forge_debate::fact::Fact;
use forge_debate::plan::{Choice, Matter, OPTIONS_LIMIT};
use forge_debate::protocols;
use forge_debate::verdict::{Finding, FindingKind, Gravity, Outcome};

/// What the gate says.
pub(super) enum Gate {
    /// Something is to be done about the debate first.
    Step(Box<Step>),
    /// It holds.
    Held(Vec<Blocker>),
    /// It is passed, or there is none.
    Open,
}

/// Whether high risks of the knowledge file can be new in a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registry {
    /// They can.
    Counts,
    /// They stood before: in the first phase, and for phases to come, since the current one answers them.
    StoodBefore,
}

/// Whether a phase debates by its documents, its settings and what was said. What the phase itself answered still calls for
/// the debate that answered it.
pub fn trigger_call(snapshot: &Snapshot, phase: &Phase, registry: Registry) -> Call {
    let answered = snapshot.state.answered.iter().filter(|one| one.phase != phase.id);
    let earlier: Vec<Answered> = answered.cloned().collect();
    with_facts(snapshot, registry, &earlier, |facts| trigger::call(phase, &snapshot.definition.debates, facts))
}

fn with_facts<T>(
    snapshot: &Snapshot,
    registry: Registry,
    answered: &[Answered],
    then: impl FnOnce(&Facts<'_>) -> T,
) -> T {
    let none = Document::default();
    let document = snapshot.document.as_ref().unwrap_or(&none);
    // What speaks against this phase's own debate is mended in the document, and asks for no other debate.
    let contradictions: Vec<_> =
        snapshot.contradictions().into_iter().filter(|one| !snapshot.is_settled_here(&one.decision)).collect();
    let overturned = snapshot.overturned_but(answered);
    let here: Vec<Answered> =
        snapshot.state.answered.iter().filter(|one| one.phase == snapshot.state.phase).cloned().collect();
    let mut listed = trigger::listed(document, &snapshot.document_findings);
    listed.extend(snapshot.earlier.iter().flat_map(|one| trigger::listed(&one.document, &one.findings)));
    let before = snapshot.earlier.iter();
    let many = before.clone().map(|one| (one.document.path.as_str(), one.components(snapshot, answered)));
    let challenged: Vec<String> = before.flat_map(|one| one.challenges(snapshot, answered)).cloned().collect();
    let vanished = snapshot.vanished();
    let escalations = snapshot.escalations();
    then(&Facts {
        flag: snapshot.state.debate_flag,
        components: document.components.len(),
        components_before: many.max_by_key(|(_, count)| *count),
        challenges: &document.challenges,
        challenges_before: &challenged,
        vanished: &vanished,
        contradictions: &contradictions,
        overturned: &overturned,
        knowledge: &snapshot.knowledge,
        risks: RiskFacts {
            listed: &listed,
            answered,
            accepted: &snapshot.accepted,
            registry_counts: registry == Registry::Counts,
        },
        answered_here: &here,
        escalations: &escalations,
    })
}

fn registry_of(snapshot: &Snapshot, phase: &Phase) -> Registry {
    if snapshot.definition.position(&phase.id) == Some(0) { Registry::StoodBefore } else { Registry::Counts }
}

/// Whether the current phase debates, by everything that stands on disk.
pub fn debate_call(snapshot: &Snapshot, phase: &Phase) -> Call {
    let call = trigger_call(snapshot, phase, registry_of(snapshot, phase));
    let flag = snapshot.state.debate_flag;
    // A kill-switch that tripped is answered by a debate, whatever the phase says; skipping that one is told as well.
    if let Some(decision) = &snapshot.state.reopened_decision {
        let why = format!("the kill-switch of {decision} tripped");
        if flag != DebateFlag::Skipped {
            let about = Some(format!("whether {decision} stands"));
            let at_stake = vec![Matter::Decision(decision.clone())];
            return Call { debate: true, why: format!("{}: {why}", phase.id), skipped: None, about, at_stake };
        }
        let skipped = call.skipped.map_or_else(|| why.clone(), |own| format!("{why}; {own}"));
        return Call { skipped: Some(skipped), ..call };
    }
    // Once planned it is held: editing the document afterwards does not unask the question.
    if !call.debate && flag == DebateFlag::Unsaid && snapshot.state.debate.id.is_some() {
        let why = format!("{}: its debate is planned already", phase.id);
        return Call { debate: true, why, skipped: None, about: None, at_stake: Vec::new() };
    }
    match &snapshot.decided_here {
        // One question, one decision: a debate that asks again is about what the one before decided.
        Some((id, title)) if call.debate && call.at_stake.is_empty() => {
            let about = Some(format!("whether {id} ({title}) stands"));
            Call { about, at_stake: vec![Matter::Decision(id.clone())], ..call }
        }
        _ => call,
    }
}

/// What a phase's debate is asked: the objective, and what else calls for it.
fn question(snapshot: &Snapshot, call: &Call) -> String {
    let objective = snapshot.state.current_objective();
    match &call.about {
        Some(about) => format!("{objective}\n\nAt stake: {about}."),
        None => objective.to_owned(),
    }
}

/// What the phase's debate, which is passed and recorded, does not answer: its plan does not name it.
fn unanswered(snapshot: &Snapshot, phase: &Phase, debate: &DebateThere) -> Option<String> {
    let is_real = !debate.rehearsal && !debate.knowledge.is_empty() && snapshot.state.reopened_decision.is_none();
    if !is_real || snapshot.state.debate_flag == DebateFlag::Skipped {
        return None;
    }
    let mut answered = snapshot.state.answered.clone();
    note(&mut answered, debate_answers(debate), &phase.id);
    let reasons = with_facts(snapshot, registry_of(snapshot, phase), &answered, |facts| {
        trigger::mandatory(&snapshot.definition.debates, facts)
    });
    // What an earlier phase's debate let stand may be put in question again.
    answered.retain(|one| one.phase == phase.id);
    // A phase that is done is not held by what is only counted.
    let is_done = snapshot.state.phase_status == PhaseStatus::Completed;
    let is_counted = |reason: &Reason| matches!(reason, Reason::Components { .. } | Reason::Escalation(_));
    // Nor does a debate question what it decided itself.
    let is_own = |reason: &Reason| matches!(reason, Reason::Challenged(all) if all.iter().all(|(id, _)| snapshot.is_settled_here(id)));
    let counts = |one: &Reason| one.is_open(&answered) && !is_own(one) && !(is_done && is_counted(one));
    let open = reasons.into_iter().find(counts)?;
    Some(match open {
        Reason::NewRisk { risk, .. } => format!("the risk {} came up", risk.name()),
        Reason::Contradicted(Contradiction { decision: id, .. })
        | Reason::Overturned(Overturned { decision: id, .. }) => {
            format!("{id} is at stake")
        }
        Reason::Challenged(decisions) => {
            let ids: Vec<String> = decisions.into_iter().map(|(id, _)| id).collect();
            format!("{} at stake", are(&ids))
        }
        Reason::Vanished(Called { text, .. }) => format!("{text:?} is at stake"),
        other => other.to_string(),
    })
}

/// `D1 is`, `D1, D2 are`.
fn are(ids: &[String]) -> String {
    format!("{} {}", ids.join(", "), if ids.len() == 1 { "is" } else { "are" })
}

/// What a debate answers: what its plan names, and the risks that it left itself, at the score that it gave them. A rehearsal
/// settles no decision.
pub(super) fn debate_answers(debate: &DebateThere) -> Vec<Matter> {
    let counts = |one: &&Matter| !debate.rehearsal || !matches!(one, Matter::Decision(_));
    let own = debate.knowledge.risks.iter();
    let own = own.filter_map(|risk| Some(Matter::Risk { key: risk.source.clone()?, score: risk.score()? }));
    debate.at_stake.iter().filter(counts).cloned().chain(own).collect()
}

/// Everything that calls for a debate of the phase now, but for decisions: who goes on without one overturns them by it.
pub(super) fn left_out(snapshot: &Snapshot, phase: &Phase, answered: &[Answered]) -> Vec<Matter> {
    let reasons = with_facts(snapshot, registry_of(snapshot, phase), answered, |facts| {
        trigger::mandatory(&snapshot.definition.debates, facts)
    });
    let is_decision = |one: &Matter| matches!(one, Matter::Decision(_));
    reasons.iter().flat_map(Reason::matters).filter(|one| !is_decision(one)).collect()
}

/// What calls for a debate of the phase now and no debate has answered: risks, decisions that are contradicted, conditions that
/// are ticked. It stays called for when a file is deleted.
pub(super) fn called(snapshot: &Snapshot, phase: &Phase, answered: &[Answered]) -> Vec<Called> {
    let reasons = with_facts(snapshot, registry_of(snapshot, phase), answered, |facts| {
        trigger::mandatory(&snapshot.definition.debates, facts)
    });
    let mut called: Vec<Called> = Vec::new();
    for reason in reasons.into_iter().filter(|reason| reason.is_open(answered)) {
        let one = match reason {
            Reason::Vanished(one) => one,
            Reason::NewRisk { risk, .. } => Called { matter: risk.matter(), text: risk.text },
            Reason::Contradicted(one) => Called { matter: Matter::Decision(one.decision), text: one.title },
            Reason::Escalation(text) => Called { matter: Matter::Other(text.clone()), text },
            _ => continue,
        };
        if !called.contains(&one) {
            called.push(one);
        }
    }
    called
}

/// Adds what is answered, each matter once and at its highest score.
pub(super) fn note(answered: &mut Vec<Answered>, matters: Vec<Matter>, phase: &str) {
    for one in matters {
        let is_same = |known: &&mut Answered| known.matter == one.name() && known.phase == phase;
        match answered.iter_mut().find(is_same) {
            Some(known) => known.score = known.score.max(one.score()),
            None => {
                answered.push(Answered { matter: one.name().to_owned(), score: one.score(), phase: phase.to_owned() })
            }
        }
    }
}

pub(super) fn gate(snapshot: &Snapshot, phase: &Phase, call: &Call, now: &Now) -> Gate {
    if !call.debate {
        return Gate::Open;
    }
    let blocked = |kind, file: &str, fact| Gate::Held(vec![Blocker { kind, file: file.to_owned(), line: None, fact }]);
    match &snapshot.debate {
        DebateRead::None => plan_debate(snapshot, phase, call, now),
        DebateRead::Gone { id } => gone(snapshot, phase, id, now),
        DebateRead::Another { id } => {
            let (command, phase) = (phase.command(), &phase.id);
            let own = snapshot.state.debates.iter().rev().find(|(owner, one)| owner == phase && one != id);
            let how = match own {
                Some((_, own)) => format!("Write `debate_id: {own}`, which was"),
                None => "Write `debate_id: null`".to_owned(),
            };
            let fact = fact!(
                "debate_of_another",
                "the debate {id}, which it names, was not planned for {phase} in this workflow, and opens nothing here. {how}; or plan another: {command} --debate",
                debate = id,
                phase
            );
            blocked(BlockerKind::State, STATE_FILE, fact)
        }
        DebateRead::Damaged { id, problem, of_the_record } => {
            let command = phase.command();
            let fact = fact!(
                "debate_unreadable",
                "the debate {id} cannot be read: {problem}. Mend it, or plan another with `{command} --debate`",
                debate = id,
                problem
            );
            blocked(if *of_the_record { BlockerKind::Record } else { BlockerKind::Gate }, STATE_FILE, fact)
        }
        DebateRead::There(debate) if !debate.passed => {
            let mut held = findings(debate);
            held.extend(other_options(snapshot, debate));
            Gate::Held(held)
        }
        DebateRead::There(debate) if !snapshot.accepts(debate) => {
            let fact = fact!(
                "rehearsal",
                "this was a rehearsal, and a rehearsal passes no gate; `forge continue --allow-rehearsal` lets it pass, says so in the handoff, and writes no knowledge"
            );
            blocked(BlockerKind::Gate, &debate.plan_file, fact)
        }
        DebateRead::There(debate) if debate.origin.is_some() => Gate::Held(strangers(debate)),
        DebateRead::There(debate) => {
            let news = snapshot.knowledge.news(&debate.knowledge);
            if news.is_empty() {
                return match unanswered(snapshot, phase, debate) {
                    Some(what) => another(snapshot, phase, debate, &what, now),
                    None => Gate::Open,
                };
            }
            let said = said_of(&news, &debate.id);
            let step = Step { moves: vec![Move::Learn(news)], said, ..Step::rest(snapshot.state.clone(), Vec::new()) };
            Gate::Step(Box::new(step))
        }
    }
}

/// Whoever can fill the folder can fill it with a debate. It lets a phase be left once the user says so.
fn strangers(debate: &DebateThere) -> Vec<Blocker> {
    let fact = |origin: &Origin| {
        let id = &debate.id;
        fact!(
            "not_made_here",
            "{origin}. It lets no phase be left and records nothing here before you take it over: forge debate run {id} --adopt",
            debate = id
        )
    };
    let blocker = |fact| Blocker { kind: BlockerKind::Stranger, file: debate.plan_file.clone(), line: None, fact };
    debate.origin.iter().map(fact).map(blocker).collect()
}

/// What rests on such a debate lets no later phase be left either.
pub(super) fn rests_on_a_stranger(one: &Stranger) -> Blocker {
    let Stranger { debate: id, plan_file, what, origin } = one;
    let fact = fact!(
        "rests_on_a_stranger",
        "{origin}, and {what} rests on it. If you stand by it, take it over: forge debate run {id} --adopt (all such at once: forge restore --adopt {STATE_FILE})",
        debate = id,
        what
    );
    Blocker { kind: BlockerKind::Stranger, file: plan_file.clone(), line: None, fact }
}

/// The debate is not on disk. Where nothing of it is recorded it is planned anew; what is recorded rests on it, and holds.
fn gone(snapshot: &Snapshot, phase: &Phase, id: &str, now: &Now) -> Gate {
    let of_it = snapshot.knowledge.decisions.iter().filter(|one| one.debate.as_deref() == Some(id));
    let of_it: Vec<String> = of_it.map(|one| one.id.clone()).collect();
    if let [first, ..] = of_it.as_slice() {
        let rest = if of_it.len() == 1 { "rests" } else { "rest" };
        let (decisions, command, document) = (of_it.join(", "), phase.command(), phase.document());
        let fact = fact!(
            "debate_gone",
            "the debate {id} is gone from the disk, and {decisions} {rest} on it. If it was committed: git checkout -- docs/forge/debate/{id}. Else hold another: {command} --debate (it decides anew; `challenges: [{first}]` in {document} lets it take the place of {first})",
            debate = id,
            decisions = of_it
        );
        return Gate::Held(vec![Blocker { kind: BlockerKind::Record, file: STATE_FILE.to_owned(), line: None, fact }]);
    }
    let mut state = snapshot.state.clone();
    state.debate = DebateState::default();
    state.debates.retain(|(_, known)| known != id);
    // It was called for, whatever calls for one now.
    if state.debate_flag == DebateFlag::Unsaid {
        state.debate_flag = DebateFlag::Forced;
    }
    touch(&mut state, now);
    let said = vec![format!("the debate {id} is gone from the disk; its plan is made anew")];
    Gate::Step(Box::new(Step { moves: vec![Move::KeepSnapshot], said, ..Step::rest(state, Vec::new()) }))
}

/// The debate stands as it is, and another is planned.
fn another(snapshot: &Snapshot, phase: &Phase, debate: &DebateThere, what: &str, now: &Now) -> Gate {
    let listed = &snapshot.options;
    let labels = |options: &[Choice]| -> Vec<String> { options.iter().map(|one| one.label.clone()).collect() };
    if !listed.options.is_empty() && labels(&listed.options) == labels(&debate.options) {
        // One choice settles one question, and so do its options.
        let text = format!(
            "{what}, which the debate {} does not answer; another is called for, and these are the options of that one. List others, such as `- Keep it: nothing changes`, or go on without it, on record: {} --no-debate",
            debate.id,
            phase.command()
        );
        let (file, line, fact) = (listed.path.clone(), listed.line, fact!("options_settled", "{text}"));
        return Gate::Held(vec![Blocker { kind: BlockerKind::Options, file, line, fact }]);
    }
    let mut state = snapshot.state.clone();
    note(&mut state.answered, debate_answers(debate), &phase.id);
    state.debate = DebateState::default();
    touch(&mut state, now);
    let said = vec![not_answered(what, &debate.id).sentence().to_owned()];
    Gate::Step(Box::new(Step { moves: vec![Move::KeepSnapshot], said, ..Step::rest(state, Vec::new()) }))
}

fn not_answered(what: &str, debate: &str) -> Fact {
    fact!("not_answered", "{what}, which the debate {debate} does not answer; another is called for", debate = debate)
}

/// The options document and the plan say different things, and nobody has spoken yet.
fn other_options(snapshot: &Snapshot, debate: &DebateThere) -> Option<Blocker> {
    let listed = &snapshot.options.options;
    let told =
        |a: &Choice, b: &Choice| a.description == b.description || a.description.is_empty() || b.description.is_empty();
    let same = |a: &Choice, b: &Choice| a.label == b.label && told(a, b);
    let differ = listed.len() != debate.options.len() || listed.iter().zip(&debate.options).any(|(a, b)| !same(a, b));
    let open = debate.outcome.is_none() && debate.spoken.0 == 0 && snapshot.reopened.is_none();
    (open && differ && !listed.is_empty() && !debate.options.is_empty()).then(|| Blocker {
        kind: BlockerKind::Options,
        file: snapshot.options.path.clone(),
        line: snapshot.options.line,
        fact: other_options_listed(&debate.plan_file, &debate.id),
    })
}

/// What the debate of a phase is held about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic<'s> {
    /// The phase, or the decision that is taken again.
    pub owner: &'s String,
    /// What is asked.
    pub question: String,
    /// By which rules.
    pub protocol: &'s String,
    /// What can be chosen, as far as it is listed.
    pub options: &'s Vec<Choice>,
}

/// What a debate that is called for is held about.
pub fn topic<'s>(snapshot: &'s Snapshot, phase: &'s Phase, call: &Call) -> Topic<'s> {
    let listed = &snapshot.options.options;
    let Some(again) = &snapshot.reopened else {
        let question = question(snapshot, call);
        return Topic { owner: &phase.id, question, protocol: &phase.debate.protocol, options: listed };
    };
    // If its own debate is gone, its options are too: they are listed anew.
    let is_lost = again.options.len() < fewest_options(&again.protocol);
    let options = if is_lost { listed } else { &again.options };
    Topic { owner: &again.decision, question: again.question.clone(), protocol: &again.protocol, options }
}

fn plan_debate(snapshot: &Snapshot, phase: &Phase, call: &Call, now: &Now) -> Gate {
    let state = &snapshot.state;
    let Topic { owner, question, protocol, options } = topic(snapshot, phase, call);
    let fewest = fewest_options(protocol);
    let enough = options.len() >= fewest;
    let is_of_options = |one: &Unclear| one.holds && one.file == snapshot.options.path;
    let takes_listed = std::ptr::eq(options, &snapshot.options.options);
    if takes_listed && enough && snapshot.unclear().any(|one| is_of_options(&one)) {
        // What is unclear is named with everything else that is open.
        return Gate::Held(Vec::new());
    }
    if !enough && snapshot.framing == Framing::ByPeople {
        let about = match &call.about {
            Some(about) => shortened(about),
            None if state.current_objective().trim().is_empty() => phase.id.clone(),
            None => format!("{:?}", shortened(state.current_objective())),
        };
        let read = &snapshot.options;
        let passed =
            read.passed_over.as_ref().map(|(_, title)| format!(" (the list below {title:?} is not read as options)"));
        let (passed, line) =
            (passed.unwrap_or_default(), read.passed_over.as_ref().map(|(line, _)| *line).or(read.line));
        let text = format!(
            "{} option{} listed{}{passed}; the debate on {about} needs {fewest}. List them below a heading \"Options\" as `- Name: description`, or go on without it, on record: {} --no-debate",
            options.len(),
            if options.len() == 1 { "" } else { "s" },
            names(options),
            phase.command()
        );
        let (file, fact) = (snapshot.options.path.clone(), fact!("options_missing", "{text}", needed = fewest));
        return Gate::Held(vec![Blocker { kind: BlockerKind::Options, file, line, fact }]);
    }
    if enough
        && takes_listed
        && let Some(kept_by_none) = questioned(snapshot, call).filter(|one| !options.iter().any(|it| keeps(one, it)))
    {
        let (id, title) = (&kept_by_none.id, &kept_by_none.title);
        let text = format!(
            "the debate is on whether {id} ({title}) stands, and none of the options lets it: {}. List one that does, such as `- Keep {id}: nothing changes`",
            names(options).trim_start_matches(": ")
        );
        let (file, fact) = (snapshot.options.path.clone(), fact!("no_option_keeps", "{text}", decision = id));
        return Gate::Held(vec![Blocker { kind: BlockerKind::Options, file, line: snapshot.options.line, fact }]);
    }
    if options.len() > OPTIONS_LIMIT {
        let listed = options.len();
        let fact = fact!("too_many_options", "{listed} options listed; at most {OPTIONS_LIMIT} can be debated", listed);
        let file = snapshot.options.path.clone();
        return Gate::Held(vec![Blocker { kind: BlockerKind::Options, file, line: snapshot.options.line, fact }]);
    }
    let held = state.debates.iter().filter(|(known, _)| known == owner).count();
    let order = DebateOrder {
        phase: phase.id.clone(),
        owner: owner.clone(),
        protocol: protocol.clone(),
        question,
        options: if enough { options.clone() } else { Vec::new() },
        at_stake: call.at_stake.clone(),
        occasion: occasion(&state.workflow_id, owner, held),
    };
    let mut state = state.clone();
    touch(&mut state, now);
    Gate::Step(Box::new(Step { moves: vec![Move::PlanDebate(order)], ..Step::rest(state, Vec::new()) }))
}

/// The decision that a debate is on. One whose kill-switch tripped is taken anew, whatever the options are.
fn questioned<'s>(snapshot: &'s Snapshot, call: &Call) -> Option<&'s Decision> {
    if snapshot.reopened.is_some() {
        return None;
    }
    call.at_stake.iter().find_map(|one| match one {
        Matter::Decision(id) => snapshot.knowledge.decision(id),
        _ => None,
    })
}

/// `: Postcard, Text message`.
fn names(options: &[Choice]) -> String {
    let names: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}

/// The first line of a text, up to a length.
fn shortened(text: &str) -> String {
    const MOST_CHARS: usize = 90;
    let line = text.lines().next().unwrap_or_default();
    let short: String = line.chars().take(MOST_CHARS).collect();
    if short.len() == text.trim_end().len() { short } else { format!("{}…", short.trim_end()) }
}

/// What tells a debate of a workflow from every other: what it is held for, and its number among those.
pub fn occasion(workflow_id: &str, owner: &str, number: usize) -> String {
    format!("{workflow_id}/{owner}/{number}")
}

/// How many options a debate of a protocol needs at least.
pub fn fewest_options(protocol: &str) -> usize {
    protocols::newest(protocol).map_or(2, |protocol| protocol.profile.fewest_options)
}

fn other_options_listed(plan: &str, debate: &str) -> Fact {
    fact!(
        "options_changed",
        "it lists other options than {plan}; `forge debate --regenerate --id {debate}` takes them over",
        plan,
        debate
    )
}

fn held_by(finding: &Finding) -> Blocker {
    let Finding { file, line, fact, .. } = finding.clone();
    Blocker { kind: BlockerKind::Gate, file, line, fact }
}

fn findings(debate: &DebateThere) -> Vec<Blocker> {
    let kind = match debate.outcome {
        _ if !debate.holds => BlockerKind::Record,
        Some(outcome) if outcome.needs_a_person() => BlockerKind::Person,
        Some(Outcome::Insufficient) => BlockerKind::Insufficient,
        _ => BlockerKind::Gate,
    };
    let kind_of = |finding: &Finding| match finding.kind {
        FindingKind::Unfinished => BlockerKind::Unfinished,
        FindingKind::Missing | FindingKind::Rule => kind,
    };
    let mut blockers: Vec<Blocker> = debate
        .findings
        .iter()
        .filter(|finding| finding.gravity == Gravity::Blocks)
        .map(|finding| Blocker { kind: kind_of(finding), ..held_by(finding) })
        .collect();
    if blockers.is_empty() {
        let id = &debate.id;
        let fact = fact!("no_verdict", "the debate {id} has no verdict that passes its gate", debate = id);
        blockers.push(Blocker { kind, file: debate.plan_file.clone(), line: None, fact });
    }
    blockers
}

pub(super) fn said_of(news: &Findings, from: &str) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(news.decisions.iter().map(|entry| {
        let instead = match entry.supersedes.as_slice() {
            [] => String::new(),
            earlier => format!("; supersedes {}", earlier.join(", ")),
        };
        format!("recorded {}: {} (from {from}{instead})", entry.id, entry.title)
    }));
    said.extend(news.constraints.iter().map(|entry| format!("recorded {}: {} (from {from})", entry.id, entry.text)));
    said.extend(news.assumptions.iter().map(|entry| format!("recorded {}: {} (from {from})", entry.id, entry.text)));
    said.extend(news.risks.iter().map(|entry| format!("recorded {}: {} (from {from})", entry.id, entry.text)));
    said.extend(
        news.validations.iter().map(|entry| format!("{} {} (from {from})", entry.assumption, entry.standing.word())),
    );
    said
}

/// What a check of a phase's gate looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GateScope {
    /// Open boxes, unwritten sections and missing artifacts count too.
    pub work: bool,
    /// Warnings of the debate count too.
    pub strict: bool,
    /// What is not on record yet counts too.
    pub record: bool,
}

/// What a check of the current phase's gate finds. Nothing only where there is a reason to pass: the phase is left, no debate
/// is called for, or its debate is passed and counts.
pub fn gate_blockers(snapshot: &Snapshot, step: &Step, scope: GateScope) -> Vec<Blocker> {
    let state = &snapshot.state;
    let is_left = step.state.phase != state.phase || (step.blockers.is_empty() && step.call.is_none());
    if snapshot.definition.is_over(state) || (state.phase_status == PhaseStatus::Completed && is_left) {
        return Vec::new();
    }
    let blocker = |kind, file: &str, fact| Blocker { kind, file: file.to_owned(), line: None, fact };
    let counts = |kind: BlockerKind| {
        kind.is_gate() || matches!(kind, BlockerKind::Options | BlockerKind::State | BlockerKind::Unclear)
    };
    // Whose the debate is, is asked where its phase is left. Here it is whether the debate passes: a clone in CI knows nobody.
    let is_asked = |one: &&Blocker| one.kind != BlockerKind::Stranger && (counts(one.kind) || scope.work);
    let mut blockers: Vec<Blocker> = step.blockers.iter().filter(is_asked).cloned().collect();
    // Whether a debate is called for is told by these files; without them nothing passes.
    let told_by = snapshot.gone.iter().filter(|gone| matches!(gone.again, Again::Knowledge(_) | Again::Handoff(_)));
    blockers.extend(told_by.map(|gone| {
        let fact = fact!("file_to_be_made", "not there; `forge continue` makes it from the record");
        blocker(BlockerKind::State, &gone.file, fact)
    }));
    let held = blockers.iter().any(|one| counts(one.kind));
    let debate = snapshot.debate.there();
    match &step.call {
        None if !held => {
            let fact = fact!("call_unknown", "whether a debate is called for cannot be told");
            blockers.push(blocker(BlockerKind::State, STATE_FILE, fact));
        }
        Some(call) if call.debate => {
            let passed = debate.is_some_and(|debate| debate.passed && snapshot.accepts(debate));
            if !passed && !held {
                let open = debate.filter(|debate| !debate.passed).map(findings).unwrap_or_default();
                let file = debate.map_or(&snapshot.options.path, |debate| &debate.plan_file);
                let fact =
                    fact!("debate_called", "a debate is called for and not passed; `forge continue` goes on with it");
                match open.is_empty() {
                    true => blockers.push(blocker(BlockerKind::Gate, file, fact)),
                    false => blockers.extend(open),
                }
            }
            let phase = snapshot.definition.phase(&state.phase);
            let open = phase.zip(debate).filter(|_| passed && !held);
            if let Some((what, debate)) = open.and_then(|(phase, it)| Some((unanswered(snapshot, phase, it)?, it))) {
                let fact = not_answered(&what, &debate.id);
                blockers.push(blocker(BlockerKind::Gate, &debate.plan_file, fact));
            }
            let warnings = debate.iter().flat_map(|debate| &debate.findings);
            let warnings = warnings.filter(|one| scope.strict && one.gravity == Gravity::Warns);
            blockers.extend(warnings.map(held_by));
            if let Some(debate) = debate.filter(|debate| scope.record && !debate.not_on_record.is_empty()) {
                let seats = debate.not_on_record.join(", ");
                let fact = fact!(
                    "not_on_record",
                    "not on record yet: {seats}; `forge continue` puts it on record",
                    seats = debate.not_on_record
                );
                blockers.push(blocker(BlockerKind::Gate, &debate.plan_file, fact));
            }
        }
        _ => {}
    }
    if scope.work && snapshot.document.is_none() {
        let path = format!("docs/forge/phases/{}.md", state.phase);
        let fact = fact!("document_missing", "missing; `forge continue` makes it");
        blockers.push(blocker(BlockerKind::Artifact, &path, fact));
    }
    blockers
}
