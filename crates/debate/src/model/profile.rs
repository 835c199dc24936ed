//! What everybody may know of a protocol: who sits, where its files are, what its outcome rests on. The rest of forge asks
//! for these facts and never for a protocol's name, so a new protocol needs no change elsewhere.

use crate::model::cost::{PhaseCost, StageCost};
use crate::model::plan::{Duty, Hand, Plan, Seat, SeatId};
use crate::model::ruling::Outcome;
use crate::model::turn::{Speech, Stage, TurnKey};
use std::fmt;

/// The fact of an ask whose reader is shown the points of what it reads, with their labels.
pub const POINTS: &str = "points";

/// Chooses who moves an officer, from the seat that writes and the other seats.
pub type OfficerHand = fn(Option<&SeatId>, &[&Seat]) -> Hand;

/// The facts of one protocol. A new one is written as `Profile { ..., ..Profile::new(NAME, SUMMARY) }`.
pub struct Profile {
    pub name: &'static str,
    /// The version of the rules; a plan names it.
    pub version: u16,
    /// What the protocol is for, in a sentence.
    pub summary: &'static str,
    /// Who sits where nobody says otherwise.
    pub seats: Seats,
    pub fewest_options: usize,
    pub rounds: Rounds,
    /// Whether a user may ask for more rounds than an early agreement needs.
    pub has_least_rounds: bool,
    /// Whether the debate is `insufficient` as soon as one seat does not speak.
    pub needs_every_seat: bool,
    /// Whether the lead and the debaters must not all run on one model family.
    pub families_differ: bool,
    /// Whether a user may seat fewer debaters than there are.
    pub may_seat_fewer: bool,
    /// Whether one of the debaters writes the synthesis, and the plan may say which.
    pub has_writer: bool,
    /// Who moves an officer that the user named nobody for, where that is not whoever moves the other seats.
    pub officer_hand: Option<OfficerHand>,
    /// What is wrong with a plan for this protocol in particular, in words for its author.
    pub defects: fn(&Plan) -> Vec<String>,
    /// What is wrong with who sits where, as far as names tell. A debate that has begun is no longer asked: what forge learns
    /// about models later must not unmake a debate that was held.
    pub seating_defects: fn(&Plan) -> Vec<String>,

    pub place: Place,
    pub id_scheme: IdScheme,
    /// The plan's file name, without the prefix of a shared folder.
    pub plan_file: &'static str,
    /// Prompts by the names that asks give them, where they are no files of `prompts/`.
    pub prompts: &'static [(&'static str, &'static str)],
    /// The file of each stage's turns.
    pub stages: &'static [StageFile],
    /// Files that a plan announces besides those of the first wave.
    pub later_outputs: &'static [&'static str],
    pub reports: &'static [ReportFile],
    /// Whether a seat that did not speak has a file that says so. Where not, an absence lies in the record only.
    pub absences_have_files: bool,
    /// The fewest characters of each file that a gate looks at, the plan's included.
    pub least_length: usize,
    /// When the debate is over, for the plan's readers, with `{threshold}`, `{min_rounds}` and `{rounds}`.
    pub completion: &'static str,

    pub cost: fn(&Plan) -> Vec<StageCost>,
    /// The table of calls that the protocol's own description has, with its total.
    pub phases: fn(&Plan) -> Vec<PhaseCost>,
    /// The points of a turn that its readers may cite, shown to them by asks with the fact [`POINTS`].
    pub points: fn(&Speech) -> Vec<Point>,
    /// The most turns of each seat that a brief shows, for the estimate of its length.
    pub turns_shown: fn(&Plan) -> u64,

    pub evidence: Evidence,
    /// Whether the plan's threshold, and its demand that changes are documented, are rules of the count.
    pub counts_by_plan: bool,
    /// What a debate without agreement ends as.
    pub unsettled: Outcome,
    /// Whether a person at a terminal is asked to decide what was left open.
    pub asks_person: bool,
    /// Who is there to challenge others.
    pub challenges: fn(&Seat) -> bool,
    /// The configuration's group of settings for this protocol alone.
    pub settings: Option<&'static str>,
}

impl Profile {
    /// The profile of a protocol in which debaters vote once in a folder of their own.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self {
            name,
            version: 1,
            summary,
            seats: Seats::Fixed(&[]),
            fewest_options: 2,
            rounds: Rounds { default: 1, least: 1, most: 1 },
            has_least_rounds: false,
            needs_every_seat: false,
            families_differ: false,
            may_seat_fewer: false,
            has_writer: false,
            officer_hand: None,
            defects: |_| Vec::new(),
            seating_defects: |_| Vec::new(),
            place: Place::Folder("docs/forge/debate"),
            id_scheme: IdScheme::SlugAndTime,
            plan_file: "plan.md",
            prompts: &[],
            stages: &[],
            later_outputs: &[],
            reports: &[ReportFile::Verdict],
            absences_have_files: true,
            least_length: 0,
            completion: "",
            cost: |_| Vec::new(),
            phases: |_| Vec::new(),
            points: |_| Vec::new(),
            turns_shown: |_| 1,
            evidence: Evidence::Votes,
            counts_by_plan: false,
            unsettled: Outcome::Contested,
            asks_person: false,
            challenges: |seat| matches!(seat.duty, Duty::Debater),
            settings: None,
        }
    }

    /// The seats for a roster and a question; what to say about a roster that is not there.
    pub fn seats(&self, roster: Option<&str>, question: &str) -> Result<Vec<SeatSpec>, String> {
        match (self.seats, roster) {
            (Seats::Fixed(seats), None) => Ok(seats.to_vec()),
            (Seats::Fixed(_), Some(_)) => Err(format!("{} has fixed seats", self.name)),
            (Seats::ByRoster(seats), roster) => seats(roster, question),
        }
    }

    /// The seats, where they depend on nothing.
    pub fn fixed_seats(&self) -> &'static [SeatSpec] {
        match self.seats {
            Seats::Fixed(seats) => seats,
            Seats::ByRoster(_) => &[],
        }
    }

    /// Whether seats play personas that agents are given as context files of their own.
    pub fn has_personas(&self) -> bool {
        self.fixed_seats().iter().any(|seat| seat.persona.is_some())
    }

    /// The file of a seat's persona, where the program that moves it reads none of a name of its own.
    pub fn persona_file(&self, seat: &SeatId) -> Option<&'static str> {
        self.fixed_seats().iter().find(|spec| spec.id == seat.as_str()).and_then(|spec| spec.persona)
    }

    pub fn home(&self, plan: &Plan) -> Home {
        let (dir, prefix) = match self.place {
            Place::Folder(_) => (format!("{}/{}", plan.place, plan.id), String::new()),
            Place::Shared { below, .. } => (format!("{}/{below}", plan.place), format!("debate-{}-", plan.id)),
        };
        Home { dir, prefix, plan: self.plan_file }
    }

    /// The file of a turn, relative to the home. A mapping one way: nothing is ever parsed back from a name.
    pub fn file(&self, key: &TurnKey) -> String {
        let is_its = |file: &&StageFile| file.stage == key.stage;
        self.stages.iter().find(is_its).map_or_else(|| format!("{}.md", key.slug()), |file| file.of(key))
    }

    pub fn prompt(&self, name: &str) -> Option<&'static str> {
        self.prompts.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// The file in which a seat speaks first.
    pub fn first_file(&self, seat: &Seat) -> String {
        let own = if seat.duty == Duty::Synthesizer { StageKind::Document } else { StageKind::Debate };
        self.stages_of(own).next().map(|file| file.of(&TurnKey::new(file.stage, 1, &seat.id))).unwrap_or_default()
    }

    pub fn is_office(&self, stage: Stage) -> bool {
        self.stages_of(StageKind::Office).any(|file| file.stage == stage)
    }

    pub fn is_document(&self, stage: Stage) -> bool {
        self.stages_of(StageKind::Document).any(|file| file.stage == stage)
    }

    /// The stages of the debate's document, the last version last.
    pub fn stages_of(&self, kind: StageKind) -> impl Iterator<Item = &'static StageFile> {
        self.stages.iter().filter(move |file| file.kind == kind)
    }

    pub fn completion(&self, plan: &Plan) -> String {
        let limits = &plan.limits;
        self.completion
            .replace("{threshold}", &limits.threshold.to_string())
            .replace("{min_rounds}", &limits.min_rounds.to_string())
            .replace("{rounds}", &limits.rounds.to_string())
    }
}

/// A plan names its protocol so.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        (self.name, self.version) == (other.name, other.version)
    }
}

impl Eq for Profile {}

#[derive(Debug, Clone, Copy)]
pub enum Seats {
    Fixed(&'static [SeatSpec]),
    /// By a roster's name and what the question is about.
    ByRoster(fn(Option<&str>, &str) -> Result<Vec<SeatSpec>, String>),
}

/// A seat before anyone sits in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatSpec {
    pub id: &'static str,
    /// The name of the role's text.
    pub role: &'static str,
    pub duty: Duty,
    /// The file of its persona, where the program that moves it reads none of a name of its own.
    pub persona: Option<&'static str>,
    /// The model family that takes the seat where there is a choice.
    pub family: Option<&'static str>,
}

impl SeatSpec {
    /// A seat whose role's text has the seat's name.
    pub const fn new(id: &'static str, duty: Duty) -> Self {
        Self { id, role: id, duty, persona: None, family: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounds {
    pub default: u16,
    pub least: u16,
    pub most: u16,
}

/// Where debates are made unless the user says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Each in a folder of its own in this one.
    Folder(&'static str),
    /// Many in one folder, in a place that the user may choose; each file's name begins with `debate-<id>-`.
    Shared { place: &'static str, below: &'static str },
}

impl Place {
    pub fn default_place(self) -> &'static str {
        match self {
            Place::Folder(place) | Place::Shared { place, .. } => place,
        }
    }

    pub fn is_shared(self) -> bool {
        matches!(self, Place::Shared { .. })
    }
}

/// How a debate is named that the user gives no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdScheme {
    /// A word of the user's, such as a phase, and the time.
    PhaseAndTime,
    /// The question's first words.
    Slug,
    SlugAndTime,
    /// The next number in the folder, and the question's first words.
    NumberAndSlug,
}

/// What is written for readers and never read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFile {
    /// The verdict with its reasons.
    Verdict,
    /// The verdict for programs that read the judges' own format.
    Result,
    /// How the debate stands.
    State,
    /// All turns in order.
    Transcript,
}

impl ReportFile {
    pub const ALL: [ReportFile; 4] =
        [ReportFile::Result, ReportFile::State, ReportFile::Transcript, ReportFile::Verdict];

    pub fn file(self) -> &'static str {
        match self {
            ReportFile::Verdict => "verdict.md",
            ReportFile::Result => "result.yaml",
            ReportFile::State => "state.json",
            ReportFile::Transcript => "transcript.md",
        }
    }

    /// Whether it is there while the debate is open.
    pub fn is_of_open(self) -> bool {
        matches!(self, ReportFile::State | ReportFile::Transcript)
    }
}

/// What an outcome rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    Votes,
    /// One seat decides, and its reasons are checked.
    OneSeat,
    /// The debaters object to a lead's position or agree with it.
    Objections,
}

/// The file of a stage's turns: a path with `{seat}`, `{round}`, `{round:02}` and `{round:03}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageFile {
    pub stage: Stage,
    pub file: &'static str,
    pub kind: StageKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageKind {
    Debate,
    /// An office beside the debate, such as a review: whoever is absent there takes nothing from the debate.
    Office,
    /// The debate's document. It names what was chosen, whoever writes it: no vote of its writer.
    Document,
}

impl StageFile {
    pub const fn new(stage: Stage, file: &'static str) -> Self {
        Self { stage, file, kind: StageKind::Debate }
    }

    pub const fn office(stage: Stage, file: &'static str) -> Self {
        Self { stage, file, kind: StageKind::Office }
    }

    pub const fn document(stage: Stage, file: &'static str) -> Self {
        Self { stage, file, kind: StageKind::Document }
    }

    fn of(&self, key: &TurnKey) -> String {
        self.file
            .replace("{seat}", key.seat.as_str())
            .replace("{round}", &key.round.to_string())
            .replace("{round:02}", &format!("{:02}", key.round))
            .replace("{round:03}", &format!("{:03}", key.round))
    }
}

/// A point of somebody's words that others may cite by its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Such as `R1`.
    pub label: String,
    pub text: String,
}

/// Where a debate's files are, relative to the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
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
