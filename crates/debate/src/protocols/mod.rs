//! The protocols: each an ordinary pure function, run from the top every time.
//!
//! To add one, write its file and its prompts, and add one line to [`ALL`].

mod adversity;
pub mod challenge;
pub mod gate;
pub mod judges;
mod notes;
pub mod panel;
pub(crate) mod parts;

use crate::ballot;
use crate::blind::BlindVote;
use crate::control::{self, CONTROL, Comparison};
use crate::cost::{self, PhaseCost, StageCost};
use crate::course::Course;
use crate::form::{Form, SectionRule};
use crate::grounding;
use crate::plan::{Duty, Families, OptionId, Plan, Seat, SeatId, nearest};
use crate::record::{Ask, Pending, Record, blind};
use crate::turn::{Stage, Turn, TurnKey};
use crate::verdict::{Confidence, Decision, Gravity, Missing, Outcome, Overruled, Verdict};

/// The rules of one kind of debate.
pub trait Protocol: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// The version of its rules; a plan names it.
    fn version(&self) -> u16;
    /// What it is for, in a sentence.
    fn summary(&self) -> &'static str;
    /// The seats it has when nobody says otherwise.
    fn seats(&self, roster: Option<&str>, question: &str) -> Result<Vec<SeatSketch>, String>;
    /// The fewest options it can work with.
    fn fewest_options(&self) -> usize;
    /// Rounds: the default, and the bounds of what may be asked for.
    fn rounds(&self) -> Rounds;
    /// Whether a user may ask for more rounds than an early agreement needs.
    fn has_least_rounds(&self) -> bool {
        false
    }
    /// What is unsound about a plan for this protocol in particular.
    fn defects(&self, plan: &Plan) -> Vec<String>;
    /// What is unsound about who sits where, as far as names tell. A debate that has begun is no longer asked: what forge
    /// learns about models later must not unmake a debate that was held.
    fn seating_defects(&self, _plan: &Plan) -> Vec<String> {
        Vec::new()
    }
    /// The protocol itself.
    fn deliberate(&self, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending>;
    /// Whether a turn's file is there for a seat that did not speak. Where not, an absence lies in the record only.
    fn absences_have_files(&self) -> bool {
        true
    }
    /// The fewest characters of each file that a gate looks at, the plan's included.
    fn least_length(&self) -> usize {
        0
    }
    /// Whether this stage is an office beside the debate, such as a review: whoever is absent there takes nothing from it.
    fn is_office(&self, _stage: Stage) -> bool {
        false
    }
    /// What the seats said before they had read each other, counted.
    fn blind_vote(&self, plan: &Plan, heard: &[&Turn], chosen: Option<&OptionId>) -> Option<BlindVote>;
    /// Where the debate's files are.
    fn home(&self, plan: &Plan) -> Home;
    /// The sections of the one file that a seat writes, where the plan names them for sessions that read nothing else.
    fn sections(&self, _seat: &Seat) -> &'static [SectionRule] {
        &[]
    }

    /// Whether its seats play personas that agents are given as context files of their own.
    fn has_personas(&self) -> bool {
        false
    }
    /// The file of a turn, relative to the home. A mapping one way: nothing is ever parsed back from a name.
    fn file(&self, plan: &Plan, key: &TurnKey) -> String;
    /// Calls per stage.
    fn cost(&self, plan: &Plan) -> Vec<StageCost>;
    /// The table of calls that the protocol's own description has, with its total, where it has one.
    fn phases(&self, _plan: &Plan) -> Vec<PhaseCost> {
        Vec::new()
    }
}

/// Where a debate's files are, relative to the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The directory.
    pub dir: String,
    /// What every file's name begins with; empty where the debate has a directory of its own.
    pub prefix: String,
    /// The plan's file name, without the prefix.
    pub plan: &'static str,
}

impl Home {
    /// The path of a file of this debate, relative to the workspace.
    pub fn path(&self, file: &str) -> String {
        format!("{}/{}{file}", self.dir, self.prefix)
    }
}

/// A seat before anyone sits in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatSketch {
    /// The seat's name.
    pub id: SeatId,
    /// The role text.
    pub role: String,
    /// Its duty.
    pub duty: Duty,
}

impl SeatSketch {
    /// A seat whose role text has the seat's name.
    pub fn new(id: &str, duty: Duty) -> Self {
        Self::playing(id, id, duty)
    }

    /// A seat with a role text of another name.
    pub fn playing(id: &str, role: &str, duty: Duty) -> Self {
        Self { id: SeatId::from(id), role: role.to_owned(), duty }
    }
}

/// How many rounds a protocol holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounds {
    /// When nobody says otherwise.
    pub default: u16,
    /// The fewest that may be asked for.
    pub least: u16,
    /// The most that may be asked for.
    pub most: u16,
}

/// Every protocol that forge knows.
pub static ALL: &[&dyn Protocol] = &[&judges::Judges, &gate::Gate, &panel::Panel, &challenge::Challenge];

/// The names of all protocols.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|protocol| protocol.name()).collect()
}

/// The protocol of that name and version.
pub fn find(name: &str, version: u16) -> Option<&'static dyn Protocol> {
    ALL.iter().copied().find(|protocol| protocol.name() == name && protocol.version() == version)
}

/// The newest version of the protocol of that name, or what to say about an unknown one.
pub fn newest(name: &str) -> Result<&'static dyn Protocol, String> {
    ALL.iter().copied().find(|protocol| protocol.name() == name).ok_or_else(|| {
        let names = names();
        let hint =
            nearest(name, names.iter().copied()).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        format!("unknown protocol {name:?}; the protocols are {}{hint}", names.join(", "))
    })
}

/// Rosters belong to panels; other protocols have fixed seats.
fn no_roster(protocol: &dyn Protocol, roster: Option<&str>) -> Result<(), String> {
    match roster {
        None => Ok(()),
        Some(_) => Err(format!("{} has fixed seats; --roster belongs to --protocol panel", protocol.name())),
    }
}

/// The stage in which a person decides what the seats left open.
pub const DECISION: Stage = Stage("decision");
/// The seat of that person.
pub const PERSON: &str = "person";

ballot! {
    /// A person's decision.
    pub struct DecisionBallot {
        /// the option decided for
        #[also("Decision", "Chosen Option")]
        option: OptionId,
        /// who decided
        #[also("Decided By")]
        by: String,
        /// why
        #[also("Reason")]
        because: String,
        /// true where the decision is against what the seats came to
        overrules: Option<bool>,
    }
}

/// The ask whose answer is a person's decision.
pub fn decision_ask() -> Ask {
    let form = Form::asking::<DecisionBallot>("decision", &[]);
    Ask::new(TurnKey::new(DECISION, 0, &SeatId::from(PERSON)), blind(), form, "decision")
}

/// The file of a turn that every protocol shares, or else the protocol's own name for it.
pub fn turn_file(protocol: &dyn Protocol, plan: &Plan, key: &TurnKey) -> String {
    match key.stage {
        DECISION => "decision.md".to_owned(),
        crate::framing::FRAMING => "framing.md".to_owned(),
        CONTROL => format!("control/{:02}.md", key.round),
        _ => protocol.file(plan, key),
    }
}

/// Calls per stage of the whole debate: the protocol's own, and the control arm's where the plan has one.
pub fn cost(protocol: &dyn Protocol, plan: &Plan) -> Vec<StageCost> {
    let mut stages = protocol.cost(plan);
    if let Some(alone) = plan.with_duty(Duty::Control).next() {
        let debate = cost::total(&stages);
        let seats = vec![alone.id.clone()];
        stages.push(StageCost { stage: "Control: one seat alone", seats, max_waves: 1, ..debate });
    }
    stages
}

/// Runs the plan's protocol, holds it against the control seat where there is one, and lays a person's decision over what
/// was left open.
pub fn conclude(protocol: &dyn Protocol, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
    let mut verdict = before_control(protocol, plan, record)?;
    let ask = decision_ask();
    let is_decided = record.find(&ask.key).is_some_and(|decision| decides(verdict.outcome, decision));
    if let Some(seat) = plan.with_duty(Duty::Control).next()
        && control::has_something_to_compare(&verdict)
    {
        hold_against_control(plan, seat, record, &mut verdict, is_decided)?;
    }
    if is_decided {
        let turn = record.hear_one(ask)?;
        if let Some(DecisionBallot { option, by, because, .. }) = turn.ballot() {
            let was = verdict.outcome;
            verdict.note(match was.is_settled() {
                true => notes::overruled(plan, &by, was, &verdict.options),
                false => notes::person_decided(was),
            });
            verdict.decision = Some(Decision {
                by,
                option: option.clone(),
                because,
                overrules: was.is_settled().then(|| Overruled { outcome: was, options: verdict.options.clone() }),
            });
            verdict.outcome = Outcome::Decided;
            verdict.options = vec![option];
            // What kept the seats' own agreement from standing does not keep a person's decision from it.
            verdict.findings.iter_mut().for_each(|finding| finding.gravity = Gravity::Warns);
            verdict.confidence = Confidence::Medium;
        }
    }
    Ok(verdict)
}

/// Whether a person's decision counts over what the seats came to: over what they left open always, over what they settled
/// where it says that it overrules them. What is blocked, or was not debated, no person decides.
pub fn decides(outcome: Outcome, decision: &Turn) -> bool {
    let overrules = || decision.ballot().is_some_and(|ballot: DecisionBallot| ballot.overrules == Some(true));
    outcome.needs_a_person() || (outcome.is_settled() && overrules())
}

/// What the seats came to, before one seat alone is heard and before anybody decides over them.
pub fn before_control(protocol: &dyn Protocol, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
    let mut verdict = protocol.deliberate(plan, record)?;
    let (offices, missing): (Vec<Missing>, Vec<Missing>) =
        std::mem::take(&mut verdict.missing).into_iter().partition(|missing| protocol.is_office(missing.key.stage));
    verdict.missing = missing;
    offices.iter().for_each(|missing| verdict.note(notes::office_absent(missing)));
    if verdict.is_degraded() && matches!(verdict.outcome, Outcome::Consensus | Outcome::Decided) {
        verdict.confidence = verdict.confidence.lowered();
    }
    if plan.families == Families::MayBeTheSame && plan.protocol == "challenge" {
        verdict.note(notes::one_family_allowed());
    }
    let heard = record.heard();
    verdict.blind = protocol.blind_vote(plan, &heard, verdict.options.first());
    verdict.course = Course::of(plan, &heard);
    verdict.grounding = grounding::of(plan, &heard);
    if plan.demands.robust {
        demand_robustness(plan, &mut verdict);
    }
    Ok(verdict)
}

/// Hears the seat alone and compares. A person need not wait for it: once a decision is on record, the answers that are
/// there stay there, no more are asked for, and what is not whole is compared with nothing.
fn hold_against_control(
    plan: &Plan,
    seat: &Seat,
    record: &mut Record<'_>,
    verdict: &mut Verdict,
    is_decided: bool,
) -> Result<(), Pending> {
    let heard = record.heard();
    let asks = control::asks(seat, heard.len());
    let wanted = asks.len();
    let there: Vec<Ask> = asks.iter().filter(|ask| record.find(&ask.key).is_some()).cloned().collect();
    let answered = there.len();
    if !is_decided || answered == wanted {
        let alone = record.hear(asks)?;
        verdict.control = Some(Comparison::of(plan, seat, verdict, &heard, &alone));
        return Ok(());
    }
    if answered > 0 {
        record.hear(there)?;
    }
    verdict.note(notes::control_cut_short(&seat.id, answered, wanted));
    Ok(())
}

/// The turns that a blocked debate waits for, of those that were heard: the ones whose files block, or the last one where
/// no turn's file does.
pub fn to_mend<'k>(
    protocol: &dyn Protocol,
    plan: &Plan,
    verdict: &Verdict,
    heard: impl Iterator<Item = &'k TurnKey>,
) -> Vec<&'k TurnKey> {
    if verdict.outcome != Outcome::Blocked {
        return Vec::new();
    }
    let heard: Vec<&TurnKey> = heard.collect();
    let blocks = |key: &&&TurnKey| {
        let file = turn_file(protocol, plan, key);
        verdict.findings.iter().any(|finding| finding.gravity == Gravity::Blocks && finding.file == file)
    };
    let named: Vec<&TurnKey> = heard.iter().filter(blocks).copied().collect();
    if named.is_empty() { heard.last().copied().into_iter().collect() } else { named }
}

/// A winner that hangs on one seat is left to a person.
fn demand_robustness(plan: &Plan, verdict: &mut Verdict) {
    let Some(robustness) = verdict.robustness.as_ref().filter(|robustness| robustness.is_fragile()) else { return };
    if !matches!(verdict.outcome, Outcome::Consensus | Outcome::Decided) {
        return;
    }
    verdict.note(notes::fragile(plan, &verdict.options, &robustness.pivots()));
}
