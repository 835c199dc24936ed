//! The protocols: each an ordinary pure function, run from the top every time.
//!
//! To add one, write its file and its prompts, and add one line to [`ALL`].

mod adversity;
pub mod challenge;
pub mod gate;
pub mod judges;
mod notes;
pub mod panel;
pub mod parts;
pub mod voters;

use crate::ballot;
use crate::blind::BlindVote;
use crate::control::{self, CONTROL, Comparison};
use crate::cost::{self, StageCost};
use crate::course::Course;
use crate::form::{Form, SectionRule};
use crate::grounding;
use crate::plan::{Duty, Families, OptionId, Plan, Seat, SeatId, nearest};
use crate::profile::Profile;
use crate::record::{Ask, Pending, Record, blind};
use crate::turn::{Speech, Stage, Turn, TurnKey};
use crate::verdict::{Confidence, Decision, Gravity, Missing, Outcome, Overruled, Verdict};
use challenge::Rebutted;
use std::collections::BTreeMap;
use std::fmt;

/// The rules of one kind of debate: what everybody may know of it, and what only a pass asks.
pub struct Protocol {
    pub profile: Profile,
    /// The rules, an ordinary pure function that is run from the top every time.
    pub deliberate: fn(&Plan, &mut Record<'_>) -> Result<Verdict, Pending>,
    /// What the seats said before they had read each other, counted.
    pub blind_vote: fn(&Plan, &[&Turn], Option<&OptionId>) -> Option<BlindVote>,
    /// The sections of the one file that a seat writes, where the plan names them for sessions that read nothing else.
    pub sections: fn(&Seat) -> &'static [SectionRule],
    /// Where a turn says that its seat stands, in a word, where its ballot takes one instead of an option.
    pub stand: fn(&Plan, &Seat, &Speech) -> Option<String>,
    /// Whom a turn challenges, with what it says.
    pub challenges: fn(&Plan, &Seat, &Speech) -> Vec<(SeatId, String)>,
    /// What a turn is as a reply to the lead's answer.
    pub rebutted: fn(&Plan, &Turn, &[&Turn]) -> Option<Rebutted>,
}

impl Protocol {
    /// A protocol whose debaters name whom they challenge, and which has nothing else of its own.
    pub const fn new(profile: Profile, deliberate: fn(&Plan, &mut Record<'_>) -> Result<Verdict, Pending>) -> Self {
        Self {
            profile,
            deliberate,
            blind_vote: |_, _, _| None,
            sections: |_| &[],
            stand: |_, _, _| None,
            challenges: parts::named_challenges,
            rebutted: |_, _, _| None,
        }
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.profile.fmt(f)
    }
}

impl PartialEq for Protocol {
    fn eq(&self, other: &Self) -> bool {
        self.profile == other.profile
    }
}

impl Eq for Protocol {}

/// The protocols that somebody knows. Whoever reads plans is given a set.
#[derive(Debug, Clone, Copy)]
pub struct Protocols(pub &'static [&'static Protocol]);

impl Default for Protocols {
    /// Those that come with forge.
    fn default() -> Self {
        Self(ALL)
    }
}

impl Protocols {
    pub fn names(self) -> Vec<&'static str> {
        self.0.iter().map(|protocol| protocol.profile.name).collect()
    }

    pub fn find(self, name: &str, version: u16) -> Option<&'static Protocol> {
        self.0.iter().copied().find(|one| one.profile.name == name && one.profile.version == version)
    }

    /// The rules of a protocol of which only the profile is at hand.
    pub fn of(self, profile: &Profile) -> Result<&'static Protocol, String> {
        self.0.iter().copied().find(|one| one.profile == *profile).ok_or_else(|| format!("unknown protocol {profile}"))
    }

    /// The newest version of the protocol of that name, or what to say about an unknown one.
    pub fn newest(self, name: &str) -> Result<&'static Protocol, String> {
        self.0.iter().copied().find(|protocol| protocol.profile.name == name).ok_or_else(|| {
            let names = self.names();
            let hint = nearest(name, names.iter().copied())
                .map(|near| format!("; did you mean {near:?}?"))
                .unwrap_or_default();
            format!("unknown protocol {name:?}; the protocols are {}{hint}", names.join(", "))
        })
    }

    /// The name of the first protocol of which this is so, for messages about what belongs to it alone.
    pub fn name_where(self, is_so: impl Fn(&Profile) -> bool) -> &'static str {
        self.0.iter().find(|protocol| is_so(&protocol.profile)).map_or("another", |protocol| protocol.profile.name)
    }
}

/// Every protocol that forge knows.
pub static ALL: &[&Protocol] = &[&judges::PROTOCOL, &gate::PROTOCOL, &panel::PROTOCOL, &challenge::PROTOCOL];

/// The protocol where the user names none.
pub static DEFAULT: &Protocol = &judges::PROTOCOL;

/// Its name as a value of the configuration.
pub const DEFAULT_SETTING: &str = judges::SETTING;

/// The protocol of a workflow's phase that names none, and of a plan in the seed's bare form, which names only its phase.
pub static DEFAULT_OF_PHASE: &Protocol = &gate::PROTOCOL;

/// The protocol that needs models of several families: `forge doctor` says how it would be held.
pub static BETWEEN_FAMILIES: &Protocol = &challenge::PROTOCOL;

/// The names of all protocols.
pub fn names() -> Vec<&'static str> {
    Protocols::default().names()
}

/// The newest version of the protocol of that name, or what to say about an unknown one.
pub fn newest(name: &str) -> Result<&'static Protocol, String> {
    Protocols::default().newest(name)
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
pub fn turn_file(profile: &Profile, key: &TurnKey) -> String {
    match key.stage {
        DECISION => "decision.md".to_owned(),
        crate::framing::FRAMING => "framing.md".to_owned(),
        CONTROL => format!("control/{:02}.md", key.round),
        _ => profile.file(key),
    }
}

/// Calls per stage of the whole debate: the protocol's own, and the control arm's where the plan has one.
pub fn cost(plan: &Plan) -> Vec<StageCost> {
    let mut stages = (plan.protocol.cost)(plan);
    if let Some(alone) = plan.with_duty(Duty::Control).next() {
        let debate = cost::total(&stages);
        let seats = vec![alone.id.clone()];
        stages.push(StageCost { stage: "Control: one seat alone", seats, max_waves: 1, ..debate });
    }
    stages
}

/// Runs the plan's protocol, holds it against the control seat where there is one, and lays a person's decision over what
/// was left open.
pub fn conclude(protocol: &Protocol, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
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

/// What a protocol asks first, before anything is on record.
pub fn first_asks(protocol: &Protocol, plan: &Plan) -> Vec<Ask> {
    let nothing = BTreeMap::new();
    (protocol.deliberate)(plan, &mut Record::new(&nothing)).map_or_else(|pending| pending.asks, |_| Vec::new())
}

/// What the seats came to, before one seat alone is heard and before anybody decides over them.
pub fn before_control(protocol: &Protocol, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
    let mut verdict = (protocol.deliberate)(plan, record)?;
    let (offices, missing): (Vec<Missing>, Vec<Missing>) = std::mem::take(&mut verdict.missing)
        .into_iter()
        .partition(|missing| plan.protocol.is_office(missing.key.stage));
    verdict.missing = missing;
    offices.iter().for_each(|missing| verdict.note(notes::office_absent(missing)));
    if verdict.is_degraded() && matches!(verdict.outcome, Outcome::Consensus | Outcome::Decided) {
        verdict.confidence = verdict.confidence.lowered();
    }
    if plan.families == Families::MayBeTheSame && plan.protocol.families_differ {
        verdict.note(notes::one_family_allowed());
    }
    let heard = record.heard();
    verdict.blind = (protocol.blind_vote)(plan, &heard, verdict.options.first());
    verdict.course = Course::of(protocol, plan, &heard);
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
pub fn to_mend<'k>(plan: &Plan, verdict: &Verdict, heard: impl Iterator<Item = &'k TurnKey>) -> Vec<&'k TurnKey> {
    if verdict.outcome != Outcome::Blocked {
        return Vec::new();
    }
    let heard: Vec<&TurnKey> = heard.collect();
    let blocks = |key: &&&TurnKey| {
        let file = turn_file(plan.protocol, key);
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
