//! From what a user asked for to a debate on disk: the one that this request made before, or a new one.
//!
//! The same request finds the same debate, finished or not. That is what makes "run the same command again" work after
//! any crash, and what keeps a finished debate from being paid twice.

use crate::allowed::{Allowing, Caps};
use crate::budget::check_prices;
use crate::ledger::Used;
use crate::made::not_kept;
use crate::seat::no_such_seat;
use crate::typed;
use crate::workspace::{EngineError, Workspace};
use forge_agents::UnknownAgent;
use forge_artifacts::catalog::{self, CHALLENGES};
use forge_artifacts::disk::EntryKind;
use forge_artifacts::document;
use forge_artifacts::formats::plan::{self as plan_text, PlanFile, Replaced};
use forge_artifacts::layout::Layout;
use forge_artifacts::store::{self, DebateFiles, ForkSource, OpenError};
use forge_debate::control;
use forge_debate::digest::Digest;
use forge_debate::plan::{
    Choice, Demands, Duty, Families, Hand, Limits, Material, Matter, Naming, Plan, Seat, SeatId, check_id, nearest,
};
use forge_debate::profile::{Home, IdScheme, Profile, SeatSpec, Seats};
use forge_debate::protocols::{self, Protocols};
use forge_debate::texts::Texts;
use forge_debate::voting::Threshold;
use forge_prose::secrets::{has_key, redacted};
use std::collections::BTreeMap;

/// The most debates that may share a name, told apart by a number.
const NAMESAKES_LIMIT: usize = 1000;
/// What a request says instead of an agent where forge chooses.
pub const AUTOMATIC: &str = "auto";
const SLUG_LIMIT: usize = 48;
const CREATION_LOCK: &str = ".claude/forge/create.lock";
/// Where a project overrides roles and prompts.
const OVERRIDES: &str = ".claude/forge";

/// What a user asks for.
#[derive(Debug, Clone)]
pub struct Request {
    /// The question.
    pub question: String,
    /// The rules.
    pub protocol: &'static Profile,
    /// The options; none means that a framer proposes them.
    pub options: Vec<Choice>,
    /// Supplied texts.
    pub materials: Vec<Material>,
    /// Who moves seats that nothing else is said about.
    pub hand: Hand,
    /// Whether the user named an agent, or forge chooses among those it finds.
    pub seating: Seating,
    /// Whose weights agents run on whose names do not tell it, by the agents' names before any colon.
    pub stated_families: BTreeMap<String, String>,
    /// Who moves particular seats.
    pub seats: Vec<(SeatId, Hand)>,
    /// The panel's roster.
    pub roster: Option<String>,
    /// The panel's synthesizer.
    pub synthesizer: Option<SeatId>,
    /// Rounds, if not the protocol's default.
    pub rounds: Option<u16>,
    /// The rounds that are held even where the seats agree before.
    pub min_rounds: Option<u16>,
    /// How many must agree.
    pub threshold: Threshold,
    /// How long one ask may take.
    pub timeout_seconds: u32,
    /// Where chance comes from; the question itself if nothing is said.
    pub seed: Option<u64>,
    /// The most calls.
    pub max_calls: Option<u32>,
    /// The most tokens.
    pub max_tokens: Option<u64>,
    /// The most that it may cost, in millionths of a US dollar.
    pub max_cost: Option<u64>,
    /// How peers are shown.
    pub naming: Naming,
    /// Whether one family may fill all seats.
    pub families: Families,
    /// What is demanded of the verdict.
    pub demands: Demands,
    /// Who answers the same question alone, for comparison, if anybody.
    pub control: Option<Hand>,
    /// The phase or another word for a gate's name.
    pub phase: Option<String>,
    /// The feature directory of judges.
    pub feature_dir: Option<String>,
    /// A name for the debate; for judges the question id.
    pub id: Option<String>,
    /// What the debate is held for, where something other than its words tells it from others, such as a phase of a
    /// workflow: one occasion, one debate.
    pub occasion: Option<String>,
    /// What the debate is held about besides its question, where a workflow holds it.
    pub at_stake: Vec<Matter>,
    /// What only a challenge has.
    pub challenge: ChallengeRequest,
}

/// What a user asks for of a challenge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChallengeRequest {
    /// How many challengers sit, if not all: those that `seats` names, then in the protocol's order.
    pub challengers: Option<u16>,
    /// The fewest that must have spoken; 1 if nothing is said.
    pub min_challengers: Option<u16>,
    /// Personas of the user's own.
    pub personas: Vec<(SeatId, String)>,
}

/// How agents come to their seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seating {
    /// The user named them.
    Named,
    /// forge chooses. Its choices do not tell requests apart: what is found may differ tomorrow, and the same command still
    /// goes on with the same debate.
    Chosen {
        /// Who moves which seat; empty until it is chosen.
        seats: Vec<(SeatId, Hand)>,
    },
}

impl Seating {
    /// Left to forge, and not chosen yet.
    pub fn open() -> Self {
        Seating::Chosen { seats: Vec::new() }
    }
}

/// Whether an earlier debate of the same request will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Go on with it.
    GoOn,
    /// Make another.
    New,
}

/// A debate, and whether it was made just now.
pub struct Opened {
    /// The debate.
    pub files: DebateFiles,
    /// Whether this request had made it before.
    pub existed: bool,
    /// What could not be kept of it.
    pub note: Option<String>,
}

impl Request {
    /// The request without what looks like a key in its texts; one with a key in a name is refused, since names are looked
    /// for, and stand in paths and on command lines.
    fn without_keys(&self) -> Result<Self, EngineError> {
        let mut clean = self.clone();
        clean.question = redacted(&clean.question);
        clean_texts(&mut clean.options, &mut clean.materials);
        for (_, persona) in &mut clean.challenge.personas {
            *persona = redacted(persona);
        }
        let hands = self.seats.iter().map(|(_, hand)| hand).chain([&self.hand]).chain(&self.control);
        let names = hands.map(ToString::to_string).chain(self.materials.iter().map(|material| material.name.clone()));
        let own = [&self.id, &self.phase, &self.feature_dir, &self.roster];
        refuse_keys(names.chain(own.into_iter().flatten().cloned()))?;
        Ok(clean)
    }

    /// The digest that tells requests apart.
    fn digest(&self) -> Digest {
        if let Some(occasion) = &self.occasion {
            return occasion_digest(occasion);
        }
        let mut parts = vec![
            "request@1".to_owned(),
            self.protocol.name.to_owned(),
            self.question.clone(),
            match &self.seating {
                Seating::Chosen { .. } if !self.hand.is_rehearsal() => AUTOMATIC.to_owned(),
                _ => self.hand.to_string(),
            },
            format!("{:?}", self.roster),
            format!("{:?}", self.synthesizer),
            format!("{:?} {} {}", self.rounds, self.threshold, self.timeout_seconds),
            format!("{:?} {:?} {:?}", self.seed, self.max_calls, self.max_tokens),
            format!("{:?} {:?}", self.naming, self.families),
            format!("{:?} {:?} {:?}", self.phase, self.feature_dir, self.id),
        ];
        if self.demands != Demands::default() {
            parts.push(format!("{:?}", self.demands));
        }
        parts.extend(self.min_rounds.iter().map(|least| format!("min_rounds {least}")));
        parts.extend(self.max_cost.iter().map(|most| format!("max_cost {most}")));
        parts.extend(self.control.iter().map(|hand| format!("control {hand}")));
        parts.extend(self.options.iter().map(|o| format!("option {} {} {}", o.id, o.label, o.description)));
        parts.extend(self.seats.iter().map(|(seat, hand)| format!("seat {seat} {hand}")));
        parts.extend(self.materials.iter().map(|m| format!("material {} {}", m.name, Digest::of(m.text.as_bytes()))));
        let ChallengeRequest { challengers, min_challengers, personas } = &self.challenge;
        parts.extend(challengers.iter().map(|count| format!("challengers {count}")));
        parts.extend(min_challengers.iter().map(|least| format!("min_challengers {least}")));
        parts.extend(personas.iter().map(|(seat, text)| format!("persona {seat} {}", Digest::of(text.as_bytes()))));
        Digest::of_parts(parts)
    }

    /// The plan that this request makes; its name is still to be given.
    pub fn plan(&self) -> Result<Plan, EngineError> {
        self.without_keys()?.checked_plan()
    }

    fn checked_plan(&self) -> Result<Plan, EngineError> {
        let protocol = self.protocol;
        let seats = self.seated(protocol)?;
        let rounds = protocol.rounds;
        let wanted = self.rounds.unwrap_or(rounds.default);
        if wanted < rounds.least || wanted > rounds.most {
            let bounds = if rounds.least == rounds.most {
                rounds.least.to_string()
            } else {
                format!("{} to {}", rounds.least, rounds.most)
            };
            return Err(EngineError::Usage(format!("--rounds {wanted}: {} holds {bounds} rounds", protocol.name)));
        }
        let least = self.min_rounds.unwrap_or(1);
        if self.min_rounds.is_some() && !protocol.has_least_rounds {
            return Err(belongs("--min-rounds", protocol, |other| other.has_least_rounds));
        }
        if !(1..=wanted).contains(&least) {
            return Err(EngineError::Usage(format!(
                "--min-rounds {least}: expected 1 to {wanted}, the most rounds (--rounds)"
            )));
        }
        self.check_names(protocol)?;
        let place = self.feature_dir.clone().unwrap_or_else(|| protocol.place.default_place().to_owned());
        let plan = Plan {
            id: "unnamed".to_owned(),
            protocol,
            question: self.question.trim().to_owned(),
            options: self.options.clone(),
            materials: self.materials.clone(),
            seats,
            limits: Limits {
                rounds: wanted,
                min_rounds: least,
                threshold: self.threshold,
                timeout_seconds: self.timeout_seconds,
                max_calls: self.max_calls,
                max_tokens: self.max_tokens,
                max_cost: self.max_cost,
                min_challengers: self.challenge.min_challengers.unwrap_or(1),
            },
            seed: self.seed.unwrap_or_else(|| Digest::of(self.question.as_bytes()).seed()),
            naming: self.naming,
            families: self.families,
            demands: self.demands,
            place,
            phase: self.phase.clone().unwrap_or_else(|| "decision".to_owned()),
            roster: self.roster.clone(),
            synthesizer: self.synthesizer.clone(),
            at_stake: self.at_stake.clone(),
            created_at: String::new(),
        };
        let defects = plan.defects();
        if defects.is_empty() { Ok(plan) } else { Err(EngineError::Usage(defects.join("\n"))) }
    }

    /// Names that become parts of paths, and flags that belong to other protocols.
    fn check_names(&self, protocol: &Profile) -> Result<(), EngineError> {
        let usage = |text: String| Err(EngineError::Usage(text));
        type OwnsFlag = fn(&Profile) -> bool;
        let of_some: [(bool, &str, OwnsFlag); 4] = [
            (self.synthesizer.is_some(), "--synthesizer", |other| other.has_writer),
            (self.feature_dir.is_some(), "--feature-dir", |other| other.place.is_shared()),
            (self.phase.is_some(), "--phase", |other| other.id_scheme == IdScheme::PhaseAndTime),
            (self.challenge.challengers.is_some(), "--challengers", |other| other.may_seat_fewer),
        ];
        if let Some((_, flag, is_owner)) = of_some.into_iter().find(|(given, _, owns)| *given && !owns(protocol)) {
            return Err(belongs(flag, protocol, is_owner));
        }
        if let Some(dir) = &self.feature_dir
            && !catalog::is_place(dir)
        {
            return usage(format!(
                "--feature-dir (feature_dir) {dir:?}: expected a folder inside the workspace with nothing hidden on the way, such as docs/feature"
            ));
        }
        for (flag, name) in [("--phase", &self.phase), ("--id (question_id)", &self.id)] {
            if let Some(name) = name
                && let Err(problem) = check_id(name)
            {
                return usage(format!("{flag} {name:?}: {problem}"));
            }
        }
        Ok(())
    }

    fn seated(&self, protocol: &Profile) -> Result<Vec<Seat>, EngineError> {
        let mut seats: Vec<Seat> = seats_of(protocol, self.roster.as_deref(), &self.question)?
            .iter()
            .map(|spec| Seat::new(spec, self.hand.clone()))
            .collect();
        if let Some(count) = self.challenge.challengers {
            self.keep_challengers(&mut seats, count)?;
        }
        let control = |hand: &Hand| {
            let id = SeatId::from(control::SEAT);
            Seat { role: id.to_string(), id, duty: Duty::Control, hand: hand.clone(), family: None, context_file: None }
        };
        seats.extend(self.control.iter().map(control));
        if let Seating::Chosen { seats: chosen } = &self.seating {
            for (id, hand) in chosen {
                if let Some(seat) = seats.iter_mut().find(|seat| seat.id == *id) {
                    seat.hand = hand.clone();
                } else if id.as_str() == forge_debate::framing::FRAMER && self.options.is_empty() {
                    seats.push(framer(hand));
                }
            }
        }
        for (id, hand) in &self.seats {
            if let Some(seat) = seats.iter_mut().find(|seat| seat.id == *id) {
                seat.hand = hand.clone();
            } else if id.as_str() == forge_debate::framing::FRAMER {
                seats.push(framer(hand));
            } else if id.as_str() == control::SEAT {
                seats.push(control(hand));
            } else {
                let mut names: Vec<&str> = seats.iter().map(|seat| seat.id.as_str()).collect();
                names.push(forge_debate::framing::FRAMER);
                names.extend(Some(control::SEAT).filter(|_| self.control.is_none()));
                return Err(no_such_seat(protocol.name, id.as_str(), names.into_iter()));
            }
        }
        let is_named = |seat: &Seat| self.seats.iter().any(|(id, _)| *id == seat.id);
        let debaters: Vec<&Seat> = seats.iter().filter(|seat| seat.duty == Duty::Debater).collect();
        if let Some(hand) = protocol.officer_hand.map(|choose| choose(self.synthesizer.as_ref(), &debaters)) {
            for seat in seats.iter_mut().filter(|seat| seat.duty == Duty::Referee && !is_named(seat)) {
                seat.hand = hand.clone();
            }
        }
        for seat in &mut seats {
            seat.family = self.stated_family(&seat.hand);
        }
        Ok(seats)
    }

    /// Leaves so many challengers: those that the user named a hand for, then in the protocol's order.
    fn keep_challengers(&self, seats: &mut Vec<Seat>, count: u16) -> Result<(), EngineError> {
        let count = usize::from(count);
        let all: Vec<SeatId> = seats.iter().filter(|one| one.duty == Duty::Debater).map(|one| one.id.clone()).collect();
        if !(1..=all.len()).contains(&count) {
            let names: Vec<&str> = all.iter().map(SeatId::as_str).collect();
            return Err(EngineError::Usage(format!(
                "--challengers {count}: expected 1 to {} ({}, in this order)",
                all.len(),
                names.join(", ")
            )));
        }
        let is_named = |id: &SeatId| self.seats.iter().any(|(named, _)| named == id);
        let named: Vec<&SeatId> = all.iter().filter(|id| is_named(id)).collect();
        if named.len() > count {
            let names: Vec<&str> = named.iter().map(|id| id.as_str()).collect();
            let text = format!("--challengers {count}: --seat names {} ({})", named.len(), names.join(", "));
            return Err(EngineError::Usage(text));
        }
        let kept = challengers_kept(&all, count, is_named);
        seats.retain(|seat| seat.duty != Duty::Debater || kept.contains(&seat.id));
        Ok(())
    }

    fn stated_family(&self, hand: &Hand) -> Option<String> {
        let Hand::Agent(name) = hand else { return None };
        self.stated_families.get(name.split(':').next().unwrap_or(name)).cloned()
    }
}

/// What to say about a flag of another protocol.
fn belongs(flag: &str, protocol: &Profile, is_owner: impl Fn(&Profile) -> bool) -> EngineError {
    let owner = Protocols::default().name_where(is_owner);
    EngineError::Usage(format!("{flag} belongs to --protocol {owner}, not to {}", protocol.name))
}

/// The seats of a protocol for a roster and a question.
pub fn seats_of(protocol: &Profile, roster: Option<&str>, question: &str) -> Result<Vec<SeatSpec>, EngineError> {
    protocol.seats(roster, question).map_err(|problem| match protocol.seats {
        Seats::ByRoster(_) => EngineError::Usage(problem),
        Seats::Fixed(_) => {
            let owner = Protocols::default().name_where(|other| matches!(other.seats, Seats::ByRoster(_)));
            EngineError::Usage(format!("{problem}; --roster belongs to --protocol {owner}"))
        }
    })
}

/// The challengers who sit where not all do: those that are named, then in the protocol's order.
pub fn challengers_kept(all: &[SeatId], count: usize, is_named: impl Fn(&SeatId) -> bool) -> Vec<SeatId> {
    let (named, others): (Vec<&SeatId>, Vec<&SeatId>) = all.iter().partition(|id| is_named(id));
    named.into_iter().chain(others).take(count).cloned().collect()
}

/// Takes what looks like a key out of options and supplied texts.
fn clean_texts(options: &mut [Choice], materials: &mut [Material]) {
    for option in options {
        option.label = redacted(&option.label);
        option.description = redacted(&option.description);
    }
    for material in materials {
        material.text = redacted(&material.text);
    }
}

/// Refuses names that look like keys.
pub(crate) fn refuse_keys(mut names: impl Iterator<Item = String>) -> Result<(), EngineError> {
    match names.find(|name| has_key(name)) {
        None => Ok(()),
        Some(name) => Err(EngineError::Usage(format!(
            "{}: what looks like a key stands in a name; keys come from the environment, or from key_env or key_command in your own configuration",
            redacted(&name)
        ))),
    }
}

fn framer(hand: &Hand) -> Seat {
    let id = SeatId::from(forge_debate::framing::FRAMER);
    Seat { role: id.to_string(), id, duty: Duty::Framer, hand: hand.clone(), family: None, context_file: None }
}

/// The digest of a request that is told apart by its occasion alone.
pub(crate) fn occasion_digest(occasion: &str) -> Digest {
    Digest::of_parts(["occasion@1", occasion])
}

/// Whether every seat's hand can be seated.
pub(crate) fn check_hands(workspace: &Workspace, plan: &Plan) -> Result<(), EngineError> {
    check_each(workspace, plan.seats.iter().map(|seat| &seat.hand), Asked::ForAll)?;
    check_prices(&workspace.roster, plan, plan.limits.max_cost)
}

/// Whether what a request says can be held, while those whom forge chooses are not chosen yet.
pub(crate) fn check_named(workspace: &Workspace, request: &Request) -> Result<(), EngineError> {
    // Of which families they will be is not known either.
    Request { families: Families::MayBeTheSame, ..request.clone() }.plan()?;
    check_seats(workspace, request)
}

/// Whether those whom the user named for single seats can be seated.
fn check_seats(workspace: &Workspace, request: &Request) -> Result<(), EngineError> {
    check_each(workspace, request.seats.iter().map(|(_, hand)| hand), Asked::ForOneSeat)
}

/// What a hand was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// One seat, which people can move too.
    ForOneSeat,
    /// All that nobody else moves.
    ForAll,
}

fn check_each<'a>(
    workspace: &Workspace,
    hands: impl Iterator<Item = &'a Hand>,
    asked: Asked,
) -> Result<(), EngineError> {
    for hand in hands {
        if let Hand::Agent(name) = hand {
            workspace.roster.find(name).map_err(|unknown| {
                let is_unknown = matches!(unknown, UnknownAgent::NoSuch { .. });
                let hint = match nearest(name, ["human", "outside"]) {
                    Some(near) => format!("; did you mean {near:?}?"),
                    None if is_unknown && asked == Asked::ForOneSeat => {
                        "; a seat can also be moved by human or outside".to_owned()
                    }
                    None => String::new(),
                };
                EngineError::Agent { unknown, hint }
            })?;
        }
    }
    Ok(())
}

/// The debate that this request made before, if it did.
pub(crate) fn made_before(workspace: &Workspace, request: &Request) -> Result<Option<DebateFiles>, EngineError> {
    let request = &request.without_keys()?;
    match catalog::find_request(workspace.disk.as_ref(), request.digest())? {
        Some(path) => open_typed(workspace, request, &path).map(Some),
        None => Ok(None),
    }
}

/// Opens the debate that carries a request's mark, if it is what the request says.
fn open_typed(workspace: &Workspace, request: &Request, path: &str) -> Result<DebateFiles, EngineError> {
    let files = workspace.open_file(path)?;
    typed::check(workspace, request, &files)?;
    Ok(files)
}

/// Finds the debate of a request, or makes it.
pub(crate) fn open_or_create(
    workspace: &Workspace,
    request: &Request,
    freshness: Freshness,
) -> Result<Opened, EngineError> {
    let request = &request.without_keys()?;
    let rules = workspace.protocols.of(request.protocol).map_err(EngineError::Usage)?;
    let mut plan = request.checked_plan()?;
    workspace.give_context_files(&mut plan);
    check_seats(workspace, request)?;
    check_hands(workspace, &plan)?;
    let _held = workspace.lock_patiently(CREATION_LOCK, "this workspace")?;
    catalog::index_requests(workspace.disk.as_ref())?;
    let mut digest = request.digest();
    if freshness == Freshness::New {
        digest = Digest::of_parts([digest.to_string(), (workspace.clock)().to_string(), "new".to_owned()]);
    } else if let Some(path) = catalog::find_request(workspace.disk.as_ref(), digest)? {
        return Ok(Opened { files: open_typed(workspace, request, &path)?, existed: true, note: None });
    }
    plan.created_at = (workspace.clock)().to_string();
    plan.id = match (&request.id, catalog::abandoned(workspace.disk.as_ref(), digest)?) {
        (Some(id), _) => id.clone(),
        (None, Some(id)) => id,
        (None, None) => free_name(workspace, &plan)?,
    };
    if plan.place == CHALLENGES
        && let Some(other) = catalog::foreign_at(workspace.disk.as_ref(), &plan.id)?
    {
        return Err(EngineError::Usage(format!(
            "{} is not forge's: {}. Give this debate another --id",
            other.dir, other.why
        )));
    }
    if request.id.is_some() || plan.place == CHALLENGES {
        refuse_lying_there(workspace, &plan)?;
    }
    let texts = texts_for(workspace, request)?;
    let file = PlanFile {
        protocol: rules,
        plan: plan.clone(),
        request: Some(digest),
        materials: Vec::new(),
        roles: Vec::new(),
        own_roles: Vec::new(),
        prompts: Vec::new(),
        framed: false,
        status: "pending".to_owned(),
    };
    if plan.protocol.place.is_shared() && plan.place != plan.protocol.place.default_place() {
        catalog::remember_feature(workspace.disk.as_ref(), &plan.place)?;
    }
    let home = plan.protocol.home(&plan);
    let file = store::with_digests(file, &plan.materials, &texts);
    let mut note = None;
    let text = plan_text::write(&file, &texts);
    if workspace.disk.read(&home.path(home.plan))?.is_none() {
        note = not_kept(workspace.keep_making(&home.path(home.plan), &file.plan.created_at, &text));
    }
    catalog::remember_request(workspace.disk.as_ref(), digest, &home.path(home.plan))?;
    let files =
        store::create(&workspace.disk, workspace.protocols, file, &plan.materials, &texts, text).map_err(|error| {
            match error {
                OpenError::Unsound { path, defects } => EngineError::Usage(format!("{path}: {}", defects.join("; "))),
                other => EngineError::Open(other),
            }
        })?;
    Ok(Opened { files, existed: false, note })
}

/// What the user says of a fork.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forking {
    /// What it may spend instead of what the debate that it is made from has left.
    pub anew: Caps,
    /// Whether the plan and its texts are taken over as they are, whoever wrote them.
    pub adopts: bool,
}

/// Makes a new debate from a plan as it is now, if that is the user's or asks for no more than the user allows.
pub(crate) fn fork(
    workspace: &Workspace,
    path: &str,
    forking: Forking,
    allow: Option<&Allowing<'_>>,
) -> Result<DebateFiles, EngineError> {
    let source = DebateFiles::read_for_fork(&workspace.disk, workspace.protocols, path)?;
    if !forking.adopts {
        workspace.hold_fork(&source)?;
    }
    let limits = match allow {
        Some(allow) => allow(&source.file.plan)?.left_for_fork(workspace, &source, forking)?,
        None => source.file.plan.limits.clone(),
    };
    let ForkSource { mut file, mut materials, personas, debate, .. } = source;
    file.plan.limits = limits;
    file.plan.question = redacted(&file.plan.question);
    clean_texts(&mut file.plan.options, &mut materials);
    refuse_keys(file.plan.seats.iter().map(|seat| seat.hand.to_string()))?;
    let _held = workspace.lock_patiently(CREATION_LOCK, "this workspace")?;
    file.plan.created_at = (workspace.clock)().to_string();
    file.plan.id = free_name(workspace, &file.plan)?;
    file.request = None;
    file.status = "pending".to_owned();
    let mut texts = overrides(workspace)?;
    for (seat, persona) in personas {
        texts.replace(format!("seats/{seat}"), redacted(&persona));
    }
    let file = store::with_digests(file, &materials, &texts);
    let text = plan_text::write(&file, &texts);
    let files = store::create(&workspace.disk, workspace.protocols, file, &materials, &texts, text)?;
    workspace.keep_made(&files);
    let (limits, anew) = (&files.plan.limits, &forking.anew);
    // What is given anew is taken from nobody.
    workspace.charge_for_fork(
        &debate,
        Used {
            calls: limits.max_calls.filter(|_| anew.max_calls.is_none()).unwrap_or(0),
            tokens: limits.max_tokens.filter(|_| anew.max_tokens.is_none()).unwrap_or(0),
            cost: limits.max_cost.filter(|_| anew.max_cost.is_none()).unwrap_or(0),
        },
    )?;
    Ok(files)
}

impl Workspace {
    /// Notes for every seat with a persona in which file its program looks for it.
    pub(crate) fn give_context_files(&self, plan: &mut Plan) {
        let has_personas = plan.protocol.has_personas();
        for seat in plan.seats.iter_mut().filter(|seat| seat.duty == Duty::Debater && has_personas) {
            seat.context_file = match &seat.hand {
                Hand::Agent(name) => self.roster.context_file(name).map(str::to_owned),
                Hand::Human | Hand::Outside => None,
            };
        }
    }
}

fn free_name(workspace: &Workspace, plan: &Plan) -> Result<String, EngineError> {
    let now = (workspace.clock)().compact();
    let slug = slug(&plan.question);
    let base = match plan.protocol.id_scheme {
        IdScheme::PhaseAndTime => format!("{}-{now}", plan.phase),
        IdScheme::Slug => slug,
        IdScheme::NumberAndSlug => format!("{:03}-{slug}", catalog::next_number(workspace.disk.as_ref())?),
        IdScheme::SlugAndTime => format!("{slug}-{now}"),
    };
    for number in 1..=NAMESAKES_LIMIT {
        let id = if number == 1 { base.clone() } else { format!("{base}-{number}") };
        check_id(&id).map_err(|problem| EngineError::Usage(format!("{id:?} cannot name a debate: {problem}")))?;
        let home = plan.protocol.home(&Plan { id: id.clone(), ..plan.clone() });
        // A sealed plan without a plan is a debate that somebody deleted in part; its turns are not ours.
        let free = workspace.disk.read(&home.path(home.plan))?.is_none()
            && workspace.disk.read(&home.path("trail/plan.md"))?.is_none();
        if free && lying_there(workspace, plan, &home)?.is_empty() {
            return Ok(id);
        }
    }
    Err(EngineError::Usage(format!("{NAMESAKES_LIMIT} debates are named {base}; give this one a name with --id")))
}

/// The files that lie already where turns of this debate would, or in its trail: they were written before anybody was asked,
/// and speak for nobody. What forge itself lays out before the plan may be left from a run that was stopped.
fn lying_there(workspace: &Workspace, plan: &Plan, home: &Home) -> Result<Vec<String>, EngineError> {
    let is_of_a_turn = |name: &str| {
        let stem = name.split('.').next().unwrap_or(name);
        stem != "trail" && stem.chars().any(char::is_lowercase)
    };
    let mut lying: Vec<String> = Vec::new();
    if home.prefix.is_empty() {
        let names = workspace.disk.list(&home.dir)?.into_iter().map(|entry| entry.name);
        lying.extend(names.filter(|name| is_of_a_turn(name)).map(|name| home.path(&name)));
    } else {
        for path in protocols::possible_files(plan, plan.limits.rounds).iter().map(|name| home.path(name)) {
            lying.extend(catalog::is_taken(workspace.disk.as_ref(), &path)?.then_some(path));
        }
    }
    let trail = home.path("trail");
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in workspace.disk.list(&format!("{trail}{folder}"))? {
            let below = format!("{folder}/{}", entry.name);
            match entry.kind {
                EntryKind::Folder => folders.push(below),
                EntryKind::File if is_laid_out(plan, &below) => {}
                EntryKind::File | EntryKind::Other => lying.push(format!("{trail}{below}")),
            }
        }
    }
    Ok(lying)
}

/// Whether making the debate writes this file of the trail anew or removes it, so that it does not matter what is in it.
fn is_laid_out(plan: &Plan, below: &str) -> bool {
    let layout = Layout::of(plan);
    let trail = layout.trail_folder();
    let is_it = |path: String| path.strip_prefix(&trail) == Some(below);
    let materials = plan.materials.iter().enumerate().map(|(i, material)| layout.material(i + 1, &material.name));
    let roles = plan.seats.iter().map(|seat| layout.role(&seat.id));
    let prompts = Texts::names().filter(|name| name.starts_with("prompts/")).map(|name| layout.prompt(name));
    is_it(layout.lock()) || materials.chain(roles).chain(prompts).any(is_it)
}

/// A debate is never made over files that lie at its places already.
fn refuse_lying_there(workspace: &Workspace, plan: &Plan) -> Result<(), EngineError> {
    let home = plan.protocol.home(plan);
    let there = lying_there(workspace, plan, &home)?;
    // Where there is a plan, it is said that there is a debate of that name.
    if there.is_empty() || workspace.disk.read(&home.path(home.plan))?.is_some() {
        return Ok(());
    }
    let lies = if there.len() == 1 { "lies" } else { "lie" };
    Err(EngineError::Usage(format!(
        "{} {lies} there from before this debate and would speak for a seat that nobody asked; move it away, or give the debate another name with --id",
        there.join(", ")
    )))
}

/// A question's first line as part of a file's name.
fn slug(question: &str) -> String {
    let mut slug = String::new();
    for word in forge_debate::plan::words(question.trim().lines().next().unwrap_or_default()) {
        let word: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        if word.is_empty() {
            continue;
        }
        if slug.len() + word.len() + 1 > SLUG_LIMIT {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    if slug.is_empty() { format!("q-{}", Digest::of(question.as_bytes()).short(8)) } else { slug }
}

/// The texts with which a request's debate is made.
pub(crate) fn texts_for(workspace: &Workspace, request: &Request) -> Result<Texts, EngineError> {
    let mut texts = overrides(workspace)?;
    for (seat, persona) in &request.challenge.personas {
        texts.replace(format!("seats/{seat}"), redacted(persona));
    }
    Ok(texts)
}

impl Workspace {
    /// The texts of a debate that are not forge's own, each where it is now: what a plan says is the project's and the project
    /// does not have, or the user did not give, lies in the debate's trail alone.
    pub fn replaced(&self, files: &DebateFiles) -> Result<Vec<Replaced>, EngineError> {
        let is_found = self.is_found(files)?;
        let mut found = Vec::new();
        for one in files.file.replaced(&files.texts) {
            match one {
                Replaced::Project(name) => found.extend(self.where_it_lies(files, name)?),
                Replaced::Persona(seat) if is_found => found.push(Replaced::Trail(format!("roles/{seat}"))),
                other => found.push(other),
            }
        }
        Ok(found)
    }

    fn where_it_lies(&self, files: &DebateFiles, name: String) -> Result<Vec<Replaced>, EngineError> {
        let now = self.disk.read(&format!("{OVERRIDES}/{name}.md"))?;
        let mut texts = Texts::embedded();
        if let Some(bytes) = &now {
            texts.replace(name.clone(), redacted(&document::decode(bytes).text));
        }
        let plan = &files.plan;
        let Some(role) = name.strip_prefix("roles/") else {
            let is_same = now.is_some() && texts.get(&name) == files.texts.get(&name);
            return Ok(vec![if is_same { Replaced::Project(name) } else { Replaced::Trail(name) }]);
        };
        let played = plan.seats.iter().filter(|seat| seat.role == role && !files.texts.is_own_role(plan, seat));
        let (same, other): (Vec<&Seat>, Vec<&Seat>) =
            played.partition(|seat| now.is_some() && texts.role(plan, seat) == files.texts.role(plan, seat));
        let mut found: Vec<Replaced> = other.iter().map(|seat| Replaced::Trail(format!("roles/{}", seat.id))).collect();
        found.extend((!same.is_empty()).then_some(Replaced::Project(name)));
        Ok(found)
    }
}

/// The project's own roles and prompts.
fn overrides(workspace: &Workspace) -> Result<Texts, EngineError> {
    let mut texts = Texts::embedded();
    let disk = workspace.disk.as_ref();
    for entry in disk.list(&format!("{OVERRIDES}/roles"))? {
        if let Some(name) = entry.name.strip_suffix(".md")
            && let Some(bytes) = workspace.read_to_send(&format!("{OVERRIDES}/roles/{}", entry.name), OVERRIDES)?
        {
            texts.replace(format!("roles/{name}"), redacted(&document::decode(&bytes).text));
        }
    }
    if !disk.list(&format!("{OVERRIDES}/prompts"))?.is_empty() {
        for name in Texts::names().filter(|name| name.starts_with("prompts/")) {
            if let Some(bytes) = workspace.read_to_send(&format!("{OVERRIDES}/{name}.md"), OVERRIDES)? {
                texts.replace(name, redacted(&document::decode(&bytes).text));
            }
        }
    }
    Ok(texts)
}
