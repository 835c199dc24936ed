//! The ruling: what the seats came to by a protocol's rules, with the evidence that it rests on. What is found out about a
//! finished debate besides, and what a person decides over it, stands beside it.

use crate::model::fact::{Effect, Fact, Note};
use crate::model::plan::{OptionId, SeatId};
use crate::model::turn::{AbsenceKind, TurnKey};
use crate::model::voting::{Change, Rule, Vote};

/// How a debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    Consensus,
    /// A decision stands (`gate`, `panel`), or a person has decided.
    Decided,
    /// The seats do not agree; a person must decide.
    Contested,
    /// The lead and a challenger differ in their assumptions; a person must decide.
    Tradeoff,
    /// The gate is not passed.
    Blocked,
    /// Too few seats spoke.
    Insufficient,
}

impl Outcome {
    /// The word used in files and output.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Consensus => "consensus",
            Outcome::Decided => "decided",
            Outcome::Contested => "contested",
            Outcome::Tradeoff => "tradeoff",
            Outcome::Blocked => "blocked",
            Outcome::Insufficient => "insufficient",
        }
    }

    /// Whether a person is to decide.
    pub fn needs_a_person(self) -> bool {
        matches!(self, Outcome::Contested | Outcome::Tradeoff)
    }

    /// Whether there is something that a person can overrule.
    pub fn is_settled(self) -> bool {
        matches!(self, Outcome::Consensus | Outcome::Decided)
    }
}

/// Why a debate that came to its end is left to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contest {
    /// No option has the votes that the protocol wants.
    NoWinner,
    /// These seats, without which a panel does not decide, were silent.
    Silent(Vec<SeatId>),
    /// Nobody wrote the document that the decision needs.
    NoSynthesis,
    /// The referee finds the disagreement fundamental, for this reason.
    Escalated(String),
    /// The synthesis names another option than the seats chose.
    OtherName {
        /// What the synthesis names.
        named: Option<OptionId>,
        /// What the seats chose.
        chosen: OptionId,
    },
    /// A round went by in which nobody challenged anybody.
    NobodyChallenged,
    /// A robust verdict was demanded, and this one is fragile.
    Fragile,
}

/// How sure the verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Confidence {
    High,
    Medium,
    Low,
    /// Somebody must give input first.
    RequiresInput,
}

impl Confidence {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::High => "HIGH",
            Confidence::Medium => "MEDIUM",
            Confidence::Low => "LOW",
            Confidence::RequiresInput => "REQUIRES_INPUT",
        }
    }

    /// Reads HIGH, MEDIUM (or MED) and LOW.
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_ascii_uppercase().as_str() {
            "HIGH" => Some(Confidence::High),
            "MEDIUM" | "MED" => Some(Confidence::Medium),
            "LOW" => Some(Confidence::Low),
            _ => None,
        }
    }

    /// One step less sure; what a degraded verdict can claim at most.
    pub fn lowered(self) -> Self {
        match self {
            Confidence::High => Confidence::Medium,
            Confidence::Medium => Confidence::Low,
            other => other,
        }
    }
}

/// A position that lost and is kept, word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dissent {
    pub seat: SeatId,
    /// What it held instead, where it was one of the options.
    pub option: Option<OptionId>,
    pub text: String,
}

/// What a seat gives as its reason, in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub seat: SeatId,
    /// The option it ended on, where it voted.
    pub option: Option<OptionId>,
    /// Its stand in one word where it did not vote: `agree`, `GO`, ...
    pub stand: Option<String>,
    /// Why, in its words.
    pub text: String,
}

/// A turn that did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedTurn {
    pub key: TurnKey,
    pub kind: AbsenceKind,
    pub detail: String,
}

/// Something that was due of a seat, asked for twice, and is still missing: its turns count all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Debt {
    pub seat: SeatId,
    pub what: Fact,
    pub turns: Vec<TurnKey>,
}

/// A seat that spoke and whose vote does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abstention {
    pub seat: SeatId,
    /// What it voted for, where it voted.
    pub option: Option<OptionId>,
    /// Why it does not count.
    pub why: Fact,
}

/// One version of the lead's position (`challenge`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// 1 for the opening.
    pub version: u16,
    /// The round after which it stood; 0 for the opening.
    pub round: u16,
    pub text: String,
    pub because: Vec<Cause>,
}

/// What changed a position (`challenge`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Whose objection it was; none for what the lead says besides.
    pub seat: Option<SeatId>,
    /// What the lead took up.
    pub text: String,
}

/// What a party's stand rests on (`challenge`, after the last round).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumption {
    pub seat: SeatId,
    /// Why it still disagrees.
    pub why: String,
    /// What would make the other side right.
    pub what_would_change: String,
    pub assumption: String,
}

/// How grave a finding of the gate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gravity {
    /// The gate does not pass.
    Blocks,
    /// Worth a look; blocks only under `--strict`.
    Warns,
}

/// One thing that the gate found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub gravity: Gravity,
    /// Which file: in a verdict by its name in the debate's home, without what the home puts before it.
    pub file: String,
    pub line: Option<usize>,
    pub kind: FindingKind,
    /// What is wrong and what was expected.
    pub fact: Fact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FindingKind {
    /// Nobody has written the file.
    Missing,
    /// Somebody has begun to write it.
    Unfinished,
    /// It breaks a rule.
    Rule,
}

impl Finding {
    pub fn blocks(file: impl Into<String>, line: Option<usize>, fact: Fact) -> Self {
        Self { gravity: Gravity::Blocks, file: file.into(), line, kind: FindingKind::Rule, fact }
    }

    pub fn warns(file: impl Into<String>, line: Option<usize>, fact: Fact) -> Self {
        Self { gravity: Gravity::Warns, ..Self::blocks(file, line, fact) }
    }
}

/// A person's decision on a debate that the seats left open, or against what they came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub by: String,
    pub option: OptionId,
    pub because: String,
    /// What the seats had come to, where the decision is against it.
    pub overrules: Option<PriorOutcome>,
}

/// What the seats had come to before a person decided against it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriorOutcome {
    /// How the debate had ended.
    pub outcome: Outcome,
    /// The option that stood.
    pub options: Vec<OptionId>,
}

/// The evidence that an outcome rests on, by its shape. Whoever counts it again needs no protocol.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Basis {
    /// Too little was said.
    #[default]
    Nothing,
    /// One seat decided, and its document was checked: the findings say how.
    Checks,
    Votes(VoteCount),
    Objections(Confrontation),
}

/// Votes, and how they are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoteCount {
    pub rule: Rule,
    /// Those that count, in seat order.
    pub votes: Vec<Vote>,
    /// Changes of position, in order.
    pub changes: Vec<Change>,
}

/// A position, and who objects to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Confrontation {
    /// The option that the position is for.
    pub option: Option<OptionId>,
    /// Each challenger, and whether its objections are settled.
    pub stands: Vec<(SeatId, bool)>,
    /// Seats whose objection is minor and stood in nobody's way.
    pub minor: Vec<SeatId>,
    /// Versions of the position; the last one stands.
    pub positions: Vec<Position>,
    /// What the parties' stands rest on, where objections are left.
    pub assumptions: Vec<Assumption>,
}

/// What the seats came to, by the rules of their protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    pub outcome: Outcome,
    /// Why it is left to a person, where it is contested.
    pub contest: Option<Contest>,
    /// The option that stands. More than one only for a stated combination (`gate`).
    pub options: Vec<OptionId>,
    pub confidence: Confidence,
    pub rounds: u16,
    pub basis: Basis,
    pub reasons: Vec<Reason>,
    /// What lost and is kept.
    pub dissents: Vec<Dissent>,
    /// Seats that spoke and whose votes do not count.
    pub abstentions: Vec<Abstention>,
    /// Turns of seats that argue and did not speak. Any makes the verdict degraded.
    pub missing: Vec<MissedTurn>,
    /// What seats still owe.
    pub owed: Vec<Debt>,
    /// What was found wrong with the debate's files and rounds.
    pub findings: Vec<Finding>,
    /// What a reader must know besides.
    pub notes: Vec<Note>,
}

impl Ruling {
    /// An outcome and nothing else yet.
    pub fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            contest: None,
            options: Vec::new(),
            confidence: if outcome.is_settled() { Confidence::High } else { Confidence::RequiresInput },
            rounds: 0,
            basis: Basis::Nothing,
            reasons: Vec::new(),
            dissents: Vec::new(),
            abstentions: Vec::new(),
            missing: Vec::new(),
            owed: Vec::new(),
            findings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The votes that count, in seat order.
    pub fn votes(&self) -> &[Vote] {
        match &self.basis {
            Basis::Votes(ballots) => &ballots.votes,
            _ => &[],
        }
    }

    /// Changes of position, in order.
    pub fn changes(&self) -> &[Change] {
        match &self.basis {
            Basis::Votes(ballots) => &ballots.changes,
            _ => &[],
        }
    }

    /// The position that was attacked, and by whom.
    pub fn confrontation(&self) -> Option<&Confrontation> {
        match &self.basis {
            Basis::Objections(confrontation) => Some(confrontation),
            _ => None,
        }
    }

    /// Versions of the lead's position.
    pub fn positions(&self) -> &[Position] {
        self.confrontation().map_or(&[], |confrontation| &confrontation.positions)
    }

    /// The position that stands.
    pub fn position(&self) -> Option<&str> {
        self.positions().last().map(|position| position.text.as_str())
    }

    /// Seats whose objection is minor and stood in nobody's way.
    pub fn minor_objections(&self) -> &[SeatId] {
        self.confrontation().map_or(&[], |confrontation| &confrontation.minor)
    }

    /// What the parties' stands rest on.
    pub fn assumptions(&self) -> &[Assumption] {
        self.confrontation().map_or(&[], |confrontation| &confrontation.assumptions)
    }

    /// Takes a note, with what it does to the outcome.
    pub fn note(&mut self, note: Note) {
        match &note.effect {
            Effect::Voids => {
                self.outcome = Outcome::Insufficient;
                self.contest = None;
                self.confidence = Confidence::RequiresInput;
                self.options.clear();
            }
            Effect::Contests(why) => self.leave_open(why.clone()),
            Effect::Footnote => {}
        }
        self.notes.push(note);
    }

    /// Leaves to a person what the seats seemed to have settled.
    pub fn leave_open(&mut self, why: Contest) {
        self.outcome = Outcome::Contested;
        self.contest = Some(why);
        self.confidence = Confidence::RequiresInput;
        self.options.clear();
    }

    /// Whether seats were missing where they should have spoken.
    pub fn is_degraded(&self) -> bool {
        !self.missing.is_empty()
    }
}
