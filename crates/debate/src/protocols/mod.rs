//! The protocols: each an ordinary pure function, run from the top every time.
//!
//! To add one, write its file and its prompts, and add one line to [`ALL`]. It needs a profile and `deliberate`; the rest of
//! [`Protocol`] has defaults.

mod adversity;
pub mod challenge;
pub mod gate;
pub mod judges;
mod notes;
pub mod panel;
pub mod parts;
pub mod voters;

pub use crate::rules::decision::{DECISION, DecisionBallot, PERSON, decision_ask};

use crate::model::cost::{self, StageCost};
use crate::model::form::SectionRule;
use crate::model::objections::ReplyJudgement;
use crate::model::plan::{Duty, OptionId, Plan, Seat, SeatId, nearest};
use crate::model::profile::{Profile, ReportFile};
use crate::model::ruling::Ruling;
use crate::model::turn::{CONTROL, Speech, Turn, TurnKey};
use crate::rules::blind::BlindVote;
use crate::rules::framing::FRAMING;
use crate::rules::record::{Ask, Pending, Record};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The rules of one kind of debate: what everybody may know of it, and what only a pass asks.
pub struct Protocol {
    pub profile: Profile,
    /// The rules, an ordinary pure function that is run from the top every time.
    pub deliberate: fn(&Plan, &mut Record<'_>) -> Result<Ruling, Pending>,
    /// What the seats said before they had read each other, counted.
    pub blind_vote: fn(&Plan, &[&Turn], Option<&OptionId>) -> Option<BlindVote>,
    /// The sections of the one file that a seat writes, where the plan names them for sessions that read nothing else.
    pub sections: fn(&Seat) -> &'static [SectionRule],
    /// Where a turn says that its seat stands, in a word, where its ballot takes one instead of an option.
    pub stand: fn(&Plan, &Seat, &Speech) -> Option<String>,
    /// Whom a turn challenges, with what it says.
    pub challenges: fn(&Plan, &Seat, &Speech) -> Vec<(SeatId, String)>,
    /// How a turn that replies to the lead's answer is taken; nothing for other turns.
    pub judge_reply: fn(&Plan, &Turn, &[&Turn]) -> Option<ReplyJudgement>,
}

impl Protocol {
    /// A protocol whose debaters name whom they challenge, and which has nothing else of its own.
    pub const fn new(profile: Profile, deliberate: fn(&Plan, &mut Record<'_>) -> Result<Ruling, Pending>) -> Self {
        Self {
            profile,
            deliberate,
            blind_vote: |_, _, _| None,
            sections: |_| &[],
            stand: |_, _, _| None,
            challenges: parts::named_challenges,
            judge_reply: |_, _, _| None,
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

/// The file of a turn that every protocol shares, or else the protocol's own name for it.
pub fn turn_file(profile: &Profile, key: &TurnKey) -> String {
    match key.stage {
        DECISION => "decision.md".to_owned(),
        FRAMING => "framing.md".to_owned(),
        CONTROL => format!("control/{:02}.md", key.round),
        _ => profile.file(key),
    }
}

/// Every name that a turn of these rounds or a report of this plan could have in its home. In a folder that debates share these are looked
/// for one by one: listing it would cost more the more debates there are.
pub fn possible_files(plan: &Plan, rounds: u16) -> BTreeSet<String> {
    let profile = plan.protocol;
    let (decision, framing) = (decision_ask().key, crate::rules::framing::ask().key);
    let mut names: BTreeSet<String> = [decision, framing].iter().map(|key| turn_file(profile, key)).collect();
    names.extend(ReportFile::ALL.iter().map(|report| report.file().to_owned()));
    for seat in &plan.seats {
        for round in 0..=rounds {
            let keys = profile.stages.iter().map(|file| TurnKey::new(file.stage, round, &seat.id));
            names.extend(keys.map(|key| turn_file(profile, &key)));
        }
    }
    names
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

/// What a protocol asks first, before anything is on record.
pub fn first_asks(protocol: &Protocol, plan: &Plan) -> Vec<Ask> {
    let nothing = BTreeMap::new();
    (protocol.deliberate)(plan, &mut Record::new(&nothing)).map_or_else(|pending| pending.asks, |_| Vec::new())
}
