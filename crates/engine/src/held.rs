//! A plan held against the user's word before anybody is asked under it, however that comes about: one that was made here
//! against its copy, one that was found in a workflow against what the phase asks for now.

use crate::allowed::Difference;
use crate::survey::Survey;
use crate::typed::{compare_limits, peers, push, said, told};
use crate::workflow::AskedFor;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::formats::money;
use forge_artifacts::formats::plan::PlanFile;
use forge_artifacts::store::{DebateFiles, ForkSource};
use forge_debate::digest::Digest;
use forge_debate::framing::{self, FRAMER};
use forge_debate::plan::{Limits, Naming, Plan, Seat, SeatId};
use forge_debate::protocols;
use forge_prose::secrets::redacted;

/// What a plan is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// Its copy from when it was made here, or taken over.
    Copy,
    /// What the phase asks for.
    Phase,
    /// The texts that lie beside it.
    Texts,
}

impl Against {
    /// `PLAN is not ...`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Against::Copy => "as you made it",
            Against::Phase => "what the phase asks for, and was not made here",
            Against::Texts => "about the texts that lie beside it now",
        }
    }

    /// Who says the other thing.
    pub(crate) fn says(self) -> &'static str {
        match self {
            Against::Copy => "it was made with",
            Against::Phase => "the phase says",
            Against::Texts => "the file is",
        }
    }
}

impl Workspace {
    /// Refuses a plan that was changed since it was made here, and one of a phase that was found and asks something else.
    pub(crate) fn hold_plan(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let Some((against, differences)) = self.plan_differences(files)? else { return Ok(()) };
        if differences.is_empty() {
            return Ok(());
        }
        let (plan_file, debate) = (files.layout.plan(), files.plan.id.clone());
        Err(EngineError::NotAsHeld { plan_file, debate, against, differences })
    }

    /// Refuses to make a new debate of a plan under which nobody would be asked, or of texts that are not the plan's. Inside a
    /// host no plan of somebody else's becomes the user's.
    pub(crate) fn hold_fork(&self, source: &ForkSource) -> Result<(), EngineError> {
        if self.made.is_none() {
            return Ok(());
        }
        self.hold_plan(&source.debate)?;
        let (plan_file, debate) = (source.debate.layout.plan(), source.file.plan.id.clone());
        if let Some(host) = self.host.as_ref().filter(|_| self.is_found(&source.debate).unwrap_or(true)) {
            return Err(EngineError::Usage(format!(
                "--fork: {plan_file} was not made here, a fork would make it yours, and forge runs inside {host}. Type it in a terminal of your own: forge debate run {debate} --fork; or set inside_host.allow in your own configuration"
            )));
        }
        let differences = changed_texts(source);
        match differences.is_empty() {
            true => Ok(()),
            false => Err(EngineError::NotAsHeld { plan_file, debate, against: Against::Texts, differences }),
        }
    }

    /// The same for a run that only takes in what others left. What people and sessions of another tool planned for themselves,
    /// they write: forge asks nobody, and gives no model of a host anything to read.
    pub(crate) fn hold_plan_to_take_in(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let is_written = self.host.is_none() && !files.plan.seats.iter().any(|seat| seat.hand.is_agent());
        if is_written && self.kept_plan(files)?.is_none() { Ok(()) } else { self.hold_plan(files) }
    }

    /// Whether a debate was made here and its plan is as it was then.
    pub(crate) fn is_as_made(&self, files: &DebateFiles) -> Result<bool, EngineError> {
        let differences = self.plan_differences(files)?;
        Ok(differences.is_none_or(|(against, found)| against == Against::Copy && found.is_empty()))
    }

    fn plan_differences(&self, files: &DebateFiles) -> Result<Option<(Against, Vec<Difference>)>, EngineError> {
        if self.made.is_none() {
            return Ok(None);
        }
        if let Some(made) = self.kept_plan(files)? {
            return Ok(Some((Against::Copy, since_made(&made, &files.file))));
        }
        let Some(asked) = self.asked_for(&files.plan.id)? else { return Ok(Some((Against::Phase, Vec::new()))) };
        Ok(Some((Against::Phase, from_asked(&asked, files)?)))
    }
}

/// The supplied texts and personas that are not those whose digests the plan gives.
fn changed_texts(source: &ForkSource) -> Vec<Difference> {
    let mut found = Vec::new();
    for ((name, pinned), there) in source.file.materials.iter().zip(&source.materials) {
        push(&mut found, &format!("material {name}"), pinned.short(8), Digest::of(there.text.as_bytes()).short(8));
    }
    for (seat, persona) in &source.personas {
        let pinned = source.file.roles.iter().find(|(id, _)| id == seat).map(|(_, digest)| digest.short(8));
        let there = Digest::of(persona.as_bytes()).short(8);
        push(&mut found, &format!("persona of {seat}"), pinned.unwrap_or_else(|| "nothing".to_owned()), there);
    }
    found
}

/// In what a plan differs from its copy. Options may be listed where there were none.
fn since_made(made: &PlanFile, now: &PlanFile) -> Vec<Difference> {
    let (plan, own) = (&now.plan, &made.plan);
    let mut found = Vec::new();
    push(&mut found, "debate_id", plan.id.clone(), own.id.clone());
    compare_names(plan, own, &mut found);
    if !own.options.is_empty() {
        push(&mut found, "options", told(&plan.options), told(&own.options));
    }
    push(&mut found, "created_at", plan.created_at.clone(), own.created_at.clone());
    push(&mut found, "materials", digests(&now.materials), digests(&made.materials));
    push(&mut found, "prompts", digests(&now.prompts), digests(&made.prompts));
    push(&mut found, "role texts", digests(&now.roles), digests(&made.roles));
    push(&mut found, "the project's roles", pairs(&now.own_roles), pairs(&made.own_roles));
    let who = |seat: &Seat| {
        let more =
            [&seat.family, &seat.context_file].map(|one| one.as_ref().map_or(String::new(), |one| format!(", {one}")));
        format!("{}, {}{}", part(seat), seat.hand, more.concat())
    };
    compare_seats(plan, own, who, &mut found);
    compare_limits(own, plan, &mut found);
    for ((what, says), (_, made)) in caps(plan).into_iter().zip(caps(own)) {
        push(&mut found, what, says, made);
    }
    push(&mut found, "roster", said(&plan.roster), said(&own.roster));
    found
}

/// In what a phase's plan differs from what the phase asks for. Rules are held against the user's by [`crate::allowed`], and
/// who sits where is the project's to choose.
pub(crate) fn from_asked(asked: &AskedFor, files: &DebateFiles) -> Result<Vec<Difference>, EngineError> {
    let plan = &files.plan;
    let rules = &protocols::newest(&asked.protocol).map_err(EngineError::Usage)?.profile;
    let mut wanted = Plan {
        protocol: rules,
        question: redacted(&asked.question).trim().to_owned(),
        at_stake: asked.at_stake.clone(),
        seed: Digest::of(redacted(&asked.question).as_bytes()).seed(),
        naming: Naming::Anonymous,
        roster: None,
        synthesizer: None,
        seats: Vec::new(),
        ..plan.clone()
    };
    for spec in rules.seats(None, &wanted.question).map_err(EngineError::Usage)? {
        let there = plan.seat(&SeatId::from(spec.id)).or(plan.seats.first()).cloned();
        wanted.seats.extend(there.map(|there| Seat {
            family: there.family,
            context_file: there.context_file,
            ..Seat::new(&spec, there.hand)
        }));
    }
    // Whoever proposes options sits there only where none are listed.
    wanted
        .seats
        .extend(plan.seats.iter().filter(|seat| asked.options.is_empty() && seat.id.as_str() == FRAMER).cloned());
    let mut found = Vec::new();
    compare_names(plan, &wanted, &mut found);
    push(&mut found, "roster", said(&plan.roster), said(&wanted.roster));
    let options: Vec<_> = asked
        .options
        .iter()
        .cloned()
        .map(|mut option| {
            option.label = redacted(&option.label);
            option.description = redacted(&option.description);
            option
        })
        .collect();
    if !(options.is_empty() && (plan.options.is_empty() || is_framed(files)?)) {
        push(&mut found, "options", told(&plan.options), told(&options));
    }
    compare_seats(plan, &wanted, part, &mut found);
    push(&mut found, "seed", plan.seed.to_string(), wanted.seed.to_string());
    push(&mut found, "peers", peers(plan), peers(&wanted));
    let asked_text = |name: &str| asked.documents.iter().find(|one| one.name == name);
    for (name, digest) in &files.file.materials {
        let now = asked_text(name).map(|one| Digest::of(redacted(&one.text).as_bytes()).short(8));
        push(&mut found, &format!("material {name}"), digest.short(8), now.unwrap_or_else(|| "nothing".to_owned()));
    }
    Ok(found)
}

/// Whether the options are those that a framer proposed, on record.
fn is_framed(files: &DebateFiles) -> Result<bool, EngineError> {
    let survey = Survey::of(files)?;
    let proposed = survey.framing.iter().filter_map(|heard| heard.turn.speech()).map(framing::options);
    Ok(proposed.into_iter().any(|options| options == files.plan.options))
}

/// What is asked, by which rules, and where it lies.
fn compare_names(plan: &Plan, wanted: &Plan, found: &mut Vec<Difference>) {
    let rules = |plan: &Plan| plan.protocol.to_string();
    push(found, "protocol", rules(plan), rules(wanted));
    push(found, "objective", format!("{:?}", plan.question.trim()), format!("{:?}", wanted.question.trim()));
    let stakes = |plan: &Plan| {
        let all: Vec<String> = plan.at_stake.iter().map(|one| format!("{:?} ({})", one.name(), one.score())).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    push(found, "at_stake", stakes(plan), stakes(wanted));
    push(found, "place", plan.place.clone(), wanted.place.clone());
    push(found, "phase", plan.phase.clone(), wanted.phase.clone());
    let synthesizer = |plan: &Plan| said(&plan.synthesizer.as_ref().map(ToString::to_string));
    push(found, "synthesizer", synthesizer(plan), synthesizer(wanted));
}

fn compare_seats(plan: &Plan, wanted: &Plan, tells: impl Fn(&Seat) -> String, found: &mut Vec<Difference>) {
    let nobody = || "nobody".to_owned();
    for seat in &wanted.seats {
        let there = plan.seat(&seat.id).map_or_else(nobody, &tells);
        push(found, &format!("seat {}", seat.id), there, tells(seat));
    }
    for extra in plan.seats.iter().filter(|seat| wanted.seat(&seat.id).is_none()) {
        push(found, &format!("seat {}", extra.id), tells(extra), nobody());
    }
}

/// How much may be spent and waited, in words.
fn caps(plan: &Plan) -> [(&'static str, String); 4] {
    let Limits { max_calls, max_tokens, max_cost, timeout_seconds, .. } = &plan.limits;
    let word = |most: Option<String>| most.unwrap_or_else(|| "none".to_owned());
    [
        ("max_calls", word(max_calls.map(|most| most.to_string()))),
        ("max_tokens", word(max_tokens.map(|most| most.to_string()))),
        ("max_cost", word(max_cost.map(money::plain))),
        ("timeout_seconds", timeout_seconds.to_string()),
    ]
}

fn part(seat: &Seat) -> String {
    format!("{} ({})", seat.role, seat.duty.word())
}

fn digests<N: ToString>(all: &[(N, Digest)]) -> String {
    let all: Vec<(String, String)> = all.iter().map(|(name, digest)| (name.to_string(), digest.short(8))).collect();
    pairs(&all)
}

fn pairs<N: ToString>(all: &[(N, String)]) -> String {
    let all: Vec<String> = all.iter().map(|(name, what)| format!("{} ({what})", name.to_string())).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}
