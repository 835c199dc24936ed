//! A debate that carries the mark of a request, held against the request itself: the mark stands in the plan, and a plan may
//! have come from anywhere.

use crate::allowed::Difference;
use crate::create::{Request, Seating};
use crate::held::{self, Against};
use crate::workflow::AskedFor;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::store::DebateFiles;
use forge_debate::brief::one_line;
use forge_debate::digest::Digest;
use forge_debate::framing::FRAMER;
use forge_debate::plan::{Choice, Demands, Families, Hand, Limits, Plan, Seat};

/// Refuses a debate that is not the one that this request would make.
pub(crate) fn check(workspace: &Workspace, request: &Request, files: &DebateFiles) -> Result<(), EngineError> {
    if request.occasion.is_some() {
        // What a phase asks for stands in documents that change; `forge continue` says so, and `--regenerate` takes it over.
        return if workspace.is_found(files)? { check_found_occasion(request, files) } else { Ok(()) };
    }
    every_field_is_compared(&files.plan);
    let own = workspace.made_here(files)?;
    let is_found = workspace.is_found(files)?;
    let wanted = Request { families: Families::MayBeTheSame, ..request.clone() }.plan()?;
    let wanted = Plan { families: request.families, ..wanted };
    let mut differences = Vec::new();
    compare_words(request, &wanted, files, is_found, &mut differences);
    compare_seats(request, &wanted, (&files.plan, own.as_ref(), is_found), &mut differences);
    compare_limits(&wanted, &files.plan, &mut differences);
    if differences.is_empty() {
        return Ok(());
    }
    Err(EngineError::NotAsTyped { plan_file: files.layout.plan(), debate: files.plan.id.clone(), differences })
}

/// A phase's debate that was made elsewhere asks what the phase asks, or it is none of this workflow.
fn check_found_occasion(request: &Request, files: &DebateFiles) -> Result<(), EngineError> {
    let Request { protocol, question, options, at_stake, materials: documents, .. } = request.clone();
    let protocol = protocol.name.to_owned();
    let differences = held::from_asked(&AskedFor { protocol, question, options, at_stake, documents }, files)?;
    let (plan_file, debate) = (files.layout.plan(), files.plan.id.clone());
    match differences.is_empty() {
        true => Ok(()),
        false => Err(EngineError::NotAsHeld { plan_file, debate, against: Against::Phase, differences }),
    }
}

/// Names every field of a plan, so that a new one cannot be forgotten here and in [`crate::allowed`].
fn every_field_is_compared(plan: &Plan) {
    let Plan {
        id: _,
        protocol: _,
        question: _,
        options: _,
        materials: _,
        seats: _,
        limits,
        seed: _,
        naming: _,
        families: _,
        demands,
        place: _,
        phase: _,
        roster: _,
        synthesizer: _,
        created_at: _,
        at_stake: _,
    } = plan;
    let Limits {
        rounds: _,
        min_rounds: _,
        threshold: _,
        timeout_seconds: _,
        max_calls: _,
        max_tokens: _,
        max_cost: _,
        min_challengers: _,
    } = limits;
    let Demands { robust: _, grounded: _, stances: _, documented_changes: _ } = demands;
}

pub(crate) fn push(found: &mut Vec<Difference>, what: &str, plan: String, yours: String) {
    if plan != yours {
        found.push(Difference::new(what, plan, yours));
    }
}

pub(crate) fn said(text: &Option<String>) -> String {
    text.as_ref().map_or_else(|| "none".to_owned(), |text| format!("{text:?}"))
}

pub(crate) fn peers(plan: &Plan) -> String {
    format!("{:?}", plan.naming).to_lowercase()
}

pub(crate) fn told(options: &[Choice]) -> String {
    let one = |option: &Choice| match option.description.trim() {
        "" => option.to_string(),
        description => format!("{option}: {}", one_line(description)),
    };
    let all: Vec<String> = options.iter().map(one).collect();
    if all.is_empty() { "none".to_owned() } else { all.join("; ") }
}

fn compare_words(request: &Request, wanted: &Plan, files: &DebateFiles, is_found: bool, found: &mut Vec<Difference>) {
    let plan = &files.plan;
    push(found, "protocol", plan.protocol.name.to_owned(), wanted.protocol.name.to_owned());
    push(found, "objective", format!("{:?}", plan.question.trim()), format!("{:?}", wanted.question));
    // Options that nobody typed are proposed by a framer or written into the plan by the user.
    if is_found || !wanted.options.is_empty() {
        push(found, "options", told(&plan.options), told(&wanted.options));
    }
    let named = |plan: &[(String, Digest)]| {
        let all: Vec<String> = plan.iter().map(|(name, digest)| format!("{name} ({})", digest.short(8))).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    };
    let given: Vec<(String, Digest)> =
        wanted.materials.iter().map(|one| (one.name.clone(), Digest::of(one.text.as_bytes()))).collect();
    push(found, "materials", named(&files.file.materials), named(&given));
    for (seat, persona) in &request.challenge.personas {
        let played = plan.seat(seat).map(|seat| files.texts.role(plan, seat)).unwrap_or_default();
        if played.trim() != persona.trim() {
            found.push(Difference::new(&format!("persona of {seat}"), "another text", "your file's"));
        }
    }
    if let Some(id) = &request.id {
        push(found, "debate_id", plan.id.clone(), id.clone());
    }
    if plan.at_stake != wanted.at_stake {
        found.push(Difference::new("at_stake", "something of a workflow's", "nothing"));
    }
    push(found, "place", plan.place.clone(), wanted.place.clone());
    push(found, "phase", plan.phase.clone(), wanted.phase.clone());
    push(found, "roster", said(&plan.roster), said(&wanted.roster));
    let synthesizer = |plan: &Plan| said(&plan.synthesizer.as_ref().map(ToString::to_string));
    push(found, "synthesizer", synthesizer(plan), synthesizer(wanted));
}

/// Who sits where. A seat that was left to forge is whoever forge put there; where that is not known, any agent that it could
/// have put there.
fn compare_seats(
    request: &Request,
    wanted: &Plan,
    (plan, own, is_found): (&Plan, Option<&Plan>, bool),
    found: &mut Vec<Difference>,
) {
    let left_to_forge = matches!(request.seating, Seating::Chosen { .. });
    let is_named = |seat: &Seat| !left_to_forge || request.seats.iter().any(|(id, _)| *id == seat.id);
    let is_choice = |hand: &Hand| matches!(hand, Hand::Agent(name) if forge_agents::command_in(name).is_none());
    for seat in &wanted.seats {
        let what = format!("seat {}", seat.id);
        let Some(there) = plan.seat(&seat.id) else {
            found.push(Difference::new(&what, "nobody", &seat.hand));
            continue;
        };
        let part = |seat: &Seat| format!("{} ({})", seat.role, seat.duty.word());
        push(found, &what, part(there), part(seat));
        match own.and_then(|own| own.seat(&seat.id)) {
            _ if is_named(seat) => push(found, &what, there.hand.to_string(), seat.hand.to_string()),
            Some(known) => push(found, &what, there.hand.to_string(), known.hand.to_string()),
            None if is_found && !is_choice(&there.hand) => {
                found.push(Difference::new(&what, &there.hand, "auto"));
            }
            None => {}
        }
    }
    let is_framer = |seat: &Seat| left_to_forge && request.options.is_empty() && seat.id.as_str() == FRAMER;
    for extra in plan.seats.iter().filter(|seat| wanted.seat(&seat.id).is_none()) {
        if !(is_framer(extra) && is_choice(&extra.hand)) {
            found.push(Difference::new(&format!("seat {}", extra.id), &extra.hand, "nobody"));
        }
    }
}

pub(crate) fn compare_limits(wanted: &Plan, plan: &Plan, found: &mut Vec<Difference>) {
    let (now, yours) = (&plan.limits, &wanted.limits);
    push(found, "rounds", now.rounds.to_string(), yours.rounds.to_string());
    push(found, "min_rounds", now.min_rounds.to_string(), yours.min_rounds.to_string());
    push(found, "threshold", now.threshold.to_string(), yours.threshold.to_string());
    push(found, "min_challengers", now.min_challengers.to_string(), yours.min_challengers.to_string());
    push(found, "seed", plan.seed.to_string(), wanted.seed.to_string());
    push(found, "peers", peers(plan), peers(wanted));
    let switches = [
        ("require_robust", plan.demands.robust, wanted.demands.robust),
        ("require_grounding", plan.demands.grounded, wanted.demands.grounded),
        ("require_stance_maintenance", plan.demands.stances, wanted.demands.stances),
        ("require_change_documentation", plan.demands.documented_changes, wanted.demands.documented_changes),
    ];
    for (what, says, yours) in switches {
        push(found, what, says.to_string(), yours.to_string());
    }
    if plan.families == Families::MayBeTheSame && wanted.families == Families::MustDiffer {
        found.push(Difference::new("families", "may-be-the-same", "must-differ"));
    }
}
