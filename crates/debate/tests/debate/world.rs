//! A debate run to its end: the protocol from the top again and again, some of the open asks answered in between.

use forge_debate::datum::{Datum, Fields};
use forge_debate::plan::{Choice, Demands, Duty, Families, Hand, Limits, Naming, OptionId, Plan, Seat, SeatId, letter};
use forge_debate::protocols::{self, Protocol};
use forge_debate::record::{Ask, Pending, Record};
use forge_debate::turn::{Absence, AbsenceKind, Contribution, Speech, Stage, Turn, TurnKey};
use forge_debate::verdict::Verdict;
use forge_debate::voting::Threshold;
use std::collections::BTreeMap;

pub(crate) type Turns = BTreeMap<TurnKey, Turn>;

/// More passes than any debate of these tests can need: ten rounds of a panel of eight, one ask at a time, fit thrice.
const PASSES_LIMIT: usize = 1000;

/// A sound plan with the protocol's own seats, three options and its default rounds.
pub(crate) fn plan(protocol: &str) -> Plan {
    plan_with_roster(protocol, None)
}

pub(crate) fn plan_with_roster(protocol: &str, roster: Option<&str>) -> Plan {
    let rules = protocols::newest(protocol).unwrap();
    let question = "Where do we keep login sessions?";
    let seats = rules.profile.seats(roster, question).unwrap();
    Plan {
        id: "sessions-001".to_owned(),
        protocol: &rules.profile,
        question: question.to_owned(),
        options: options(&["Redis", "Memcached", "Postgres table"]),
        materials: Vec::new(),
        seats: seats.iter().map(|spec| Seat::new(spec, Hand::Agent(format!("scripted:{}", spec.id)))).collect(),
        limits: Limits {
            rounds: rules.profile.rounds.default,
            threshold: Threshold::TWO_THIRDS,
            min_rounds: 1,
            timeout_seconds: 120,
            max_calls: None,
            max_tokens: None,
            max_cost: None,
            min_challengers: 1,
        },
        seed: 7,
        naming: Naming::Anonymous,
        families: Families::MustDiffer,
        demands: Demands::default(),
        place: "docs/forge".to_owned(),
        phase: "design".to_owned(),
        roster: roster.map(str::to_owned),
        synthesizer: None,
        at_stake: Vec::new(),
        created_at: "2026-01-15T14:30:22Z".to_owned(),
    }
}

/// A panel of one expert, the contrarian and the moonshot, with a referee.
pub(crate) fn small_panel(rounds: u16) -> Plan {
    let mut plan = plan_with_roster("panel", Some("board"));
    plan.seats.retain(|seat| ["ceo", "contrarian", "moonshot", "referee"].contains(&seat.id.as_str()));
    plan.limits.rounds = rounds;
    plan
}

/// A challenge with these challengers only.
pub(crate) fn challenge_with(challengers: &[&str], rounds: u16) -> Plan {
    let mut plan = plan("challenge");
    plan.seats.retain(|seat| seat.duty == Duty::Lead || challengers.contains(&seat.id.as_str()));
    plan.limits.rounds = rounds;
    plan
}

pub(crate) fn options(labels: &[&str]) -> Vec<Choice> {
    labels
        .iter()
        .enumerate()
        .map(|(i, label)| Choice { id: letter(i), label: (*label).to_owned(), description: String::new() })
        .collect()
}

pub(crate) fn rules(plan: &Plan) -> &'static Protocol {
    protocols::Protocols::default().of(plan.protocol).unwrap()
}

pub(crate) fn seat(name: &str) -> SeatId {
    SeatId::from(name)
}

pub(crate) fn option(name: &str) -> OptionId {
    OptionId::from(name)
}

pub(crate) fn key(stage: Stage, round: u16, name: &str) -> TurnKey {
    TurnKey::new(stage, round, &seat(name))
}

pub(crate) fn absent(kind: AbsenceKind) -> Contribution {
    Contribution::Absence(Absence { kind, detail: format!("the agent {}", kind.phrase()) })
}

pub(crate) fn speech(ballot: Fields) -> Speech {
    Speech { text: String::new(), sections: Vec::new(), ballot, shortcomings: Vec::new(), kept_votes: Vec::new() }
}

pub(crate) fn turn(key: TurnKey, contribution: Contribution) -> Turn {
    Turn { key, contribution: contribution.into() }
}

/// In which order open asks are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// All that are open, then the next pass.
    Waves,
    /// The first that is open, then the next pass.
    FirstOnly,
    /// The last that is open, then the next pass.
    LastOnly,
    /// One that the number picks, then the next pass.
    AnyOne(u64),
}

/// A debate that has ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ended {
    pub(crate) verdict: Verdict,
    pub(crate) turns: Turns,
    /// What the last pass asked for, wave by wave.
    pub(crate) waves: Vec<Vec<Ask>>,
    /// Turns on record that the last pass did not ask for.
    pub(crate) strangers: Vec<TurnKey>,
}

impl Ended {
    pub(crate) fn asked(&self) -> Vec<&Ask> {
        self.waves.iter().flatten().collect()
    }

    /// The seats asked in a stage and round, in order.
    pub(crate) fn seats_asked(&self, stage: Stage, round: u16) -> Vec<&str> {
        let of_wave = |ask: &&Ask| ask.key.stage == stage && ask.key.round == round;
        self.asked().into_iter().filter(of_wave).map(|ask| ask.key.seat.as_str()).collect()
    }

    pub(crate) fn asked_in(&self, stage: Stage) -> usize {
        self.asked().iter().filter(|ask| ask.key.stage == stage).count()
    }

    pub(crate) fn has_note(&self, part: &str) -> bool {
        let owed = self.verdict.ruling.owed.iter().map(|owed| &owed.what);
        self.verdict.ruling.notes.iter().map(|note| &note.fact).chain(owed).any(|fact| fact.sentence().contains(part))
    }
}

/// One pass over these turns.
pub(crate) fn pass(plan: &Plan, turns: &Turns) -> Result<Ended, Vec<Ask>> {
    let mut record = Record::new(turns);
    match forge_debate::conclude(rules(plan), plan, &mut record) {
        Ok(verdict) => Ok(Ended {
            verdict,
            turns: turns.clone(),
            waves: record.waves().iter().map(|wave| wave.to_vec()).collect(),
            strangers: {
                let is_asked =
                    |key: &&TurnKey| record.waves().iter().flat_map(|wave| wave.iter()).any(|ask| ask.key == **key);
                turns.keys().filter(|key| !is_asked(key)).cloned().collect()
            },
        }),
        Err(Pending { asks }) => Err(asks),
    }
}

/// Runs the debate to its end. `answer` sees the ask and the turns on record at that moment.
pub(crate) fn run(plan: &Plan, pace: Pace, mut answer: impl FnMut(&Ask, &Turns) -> Contribution) -> Ended {
    let mut turns = Turns::new();
    for n in 0..PASSES_LIMIT {
        let open = match pass(plan, &turns) {
            Ok(ended) => return ended,
            Err(open) => open,
        };
        assert!(!open.is_empty(), "a pass ended with neither a verdict nor an ask");
        let picked: Vec<&Ask> = match pace {
            Pace::Waves => open.iter().collect(),
            Pace::FirstOnly => vec![&open[0]],
            Pace::LastOnly => vec![&open[open.len() - 1]],
            Pace::AnyOne(seed) => vec![&open[(seed.rotate_left(n as u32 % 64) as usize ^ n) % open.len()]],
        };
        for ask in picked {
            assert!(!turns.contains_key(&ask.key), "{} is asked although it is on record", ask.key);
            let contribution = answer(ask, &turns);
            turns.insert(ask.key.clone(), turn(ask.key.clone(), contribution));
        }
    }
    panic!("no verdict after {PASSES_LIMIT} passes");
}

/// Whatever can stand in a ballot.
pub(crate) trait IntoDatum {
    fn into_datum(self) -> Datum;
}

impl IntoDatum for Datum {
    fn into_datum(self) -> Datum {
        self
    }
}

impl IntoDatum for &str {
    fn into_datum(self) -> Datum {
        Datum::from(self)
    }
}

impl IntoDatum for String {
    fn into_datum(self) -> Datum {
        Datum::from(self)
    }
}

impl IntoDatum for bool {
    fn into_datum(self) -> Datum {
        Datum::from(self)
    }
}

impl IntoDatum for Fields {
    fn into_datum(self) -> Datum {
        Datum::Record(self)
    }
}

impl<T: IntoDatum> IntoDatum for Vec<T> {
    fn into_datum(self) -> Datum {
        Datum::List(self.into_iter().map(IntoDatum::into_datum).collect())
    }
}

impl<T: IntoDatum, const N: usize> IntoDatum for [T; N] {
    fn into_datum(self) -> Datum {
        Datum::List(self.into_iter().map(IntoDatum::into_datum).collect())
    }
}

/// `fields! { "option": "A", "converge": true }`
macro_rules! fields {
    ($($name:literal : $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut fields = forge_debate::datum::Fields::new();
        $(fields.set($name, $crate::world::IntoDatum::into_datum($value));)*
        fields
    }};
}
pub(crate) use fields;
