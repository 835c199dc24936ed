//! Everything that [`next`](crate::next::next) looks at, read once.

use crate::again::Gone;
use crate::contradiction::{self, Contradiction, Found, Settled, is_denial};
use crate::definition::Definition;
use crate::earlier::Earlier;
use crate::evidence::Sign;
use crate::extract::ids::{self, Letters, same_id};
use crate::extract::{self, passages::one_line};
use crate::knowledge::{
    Decision, DecisionStatus, Findings, Kind, Knowledge, Risk, Standing, said_words, says_the_same,
};
use crate::next::debate_call;
use crate::state::{Answered, Called, DebateStatus, State};
use forge_debate::plan::{Choice, Matter};
use forge_debate::profile::Profile;
use forge_debate::turn::Section;
use forge_debate::verdict::{Finding, Outcome};
use std::fmt;

/// A moment, as the engine's clock tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    /// `2026-01-27T14:30:22Z`.
    pub stamp: String,
    /// `2026-01-27`.
    pub date: String,
}

/// What stands on disk around a workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The phases.
    pub definition: Definition,
    /// The state file.
    pub state: State,
    /// How long the current phase has been going, where that can be told.
    pub phase_seconds: Option<i64>,
    /// The current phase's working document.
    pub document: Option<Document>,
    /// The handoff into the current phase.
    pub handoff: Option<HandoffRead>,
    /// What is known.
    pub knowledge: Knowledge,
    /// What is in it already and is to be written down: decisions of debates that another tool held, and those of this workflow's
    /// debates whose entries are gone.
    pub unwritten: Findings,
    /// Decisions of the knowledge file that only a debate may change although it does not say that one took them, by id: a handoff
    /// locks them, or another tool's debate took them.
    pub locked_elsewhere: Vec<String>,
    /// What the current phase's document adds to it.
    pub document_findings: Findings,
    /// What the documents of the phases before say that is not on record.
    pub earlier: Vec<Earlier>,
    /// What locked decisions chose and turned down; read only where the document decides something.
    pub settled: Vec<Settled>,
    /// The decision that stands and that an earlier debate of the phase took on the question that the next one would ask: id and
    /// title.
    pub decided_here: Option<(String, String)>,
    /// High risks that debates accepted, with an owner.
    pub accepted: Vec<AcceptedRisk>,
    /// Decisions that a person superseded in the knowledge file without a debate.
    pub overturned: Vec<Overturned>,
    /// The options listed for the current phase's debate.
    pub options: OptionsRead,
    /// The current phase's artifacts.
    pub artifacts: Vec<Artifact>,
    /// The debate that the state names.
    pub debate: DebateRead,
    /// Files that should be there and are not.
    pub gone: Vec<Gone>,
    /// The decision whose kill-switch tripped, until a debate on it is done.
    pub reopened: Option<Reopened>,
    /// What shows where the workflow has been.
    pub traces: Traces,
    /// Whether a rehearsal may pass a gate in this run.
    pub rehearsals: Rehearsals,
    /// Who may propose options where none are listed.
    pub framing: Framing,
}

/// What lies around a workflow and shows where it has been.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traces {
    /// What phases of this workflow left behind.
    pub signs: Vec<Sign>,
    /// The workflow's record in the archive, where that is its last word.
    pub archived: Option<String>,
    /// The ids that the phase's documents carry, where the state file has none: file and id.
    pub ids: Vec<(String, String)>,
    /// Documents at the phase's places that belong to another workflow, and so were not read.
    pub others: Vec<Unclear>,
    /// The state file's keys and their lines.
    pub state_lines: Vec<(String, usize)>,
    /// The key and the word by which the state file holds the workflow, where it is none of forge's.
    pub holding_word: Option<(String, String)>,
    /// What the user said of this workflow here; a file cannot say it.
    pub said: SaidHere,
    /// What the debates that were planned for phases answered, by their plans and records.
    pub answers: Vec<Answered>,
    /// Debates on which something rests here and that were not made here.
    pub strangers: Vec<Stranger>,
}

/// A debate that was not made here, and what rests on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    /// The debate.
    pub debate: String,
    /// Its plan.
    pub plan_file: String,
    /// A phase, a decision or a risk.
    pub what: String,
    /// Who spoke in it.
    pub origin: Origin,
}

/// What the user said of a workflow with commands that were typed on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SaidHere {
    /// Phases that are left without a debate: `--no-debate`.
    pub no_debate: Vec<String>,
    /// Phases whose gate a rehearsal may pass: `--allow-rehearsal`.
    pub rehearsed: Vec<String>,
    /// Phases that were left here, and those that are done on the user's word: `restore --adopt`.
    pub done: Vec<String>,
    /// Phases that had their debate on the user's word: `restore --adopt`.
    pub debated: Vec<String>,
}

impl Traces {
    /// Whether a handoff leads out of a phase.
    pub fn is_handed_over(&self, phase: &str) -> bool {
        self.signs.iter().any(|sign| sign.kind.is_handoff() && sign.phase == phase)
    }

    /// The line of a key of the state file.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        self.state_lines.iter().find(|(known, _)| known == key).map(|(_, line)| *line)
    }
}

/// A high risk that a debate accepted, with an owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedRisk {
    /// The risk's id in the knowledge file.
    pub risk: String,
    /// The score at which it was accepted.
    pub score: u8,
}

/// A decision that a debate took or a handoff locks, and that a person superseded or contradicted in the knowledge file without
/// a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overturned {
    /// The person's decision.
    pub by: String,
    /// Whether it says that it supersedes the other, or only speaks against it.
    pub says_so: bool,
    /// Where it stands.
    pub file: String,
    /// The line, where it is found.
    pub line: Option<usize>,
    /// The decision that it supersedes.
    pub decision: String,
    /// The debate that took that; none where another tool's did, or a handoff locks it.
    pub debate: Option<String>,
}

impl Overturned {
    /// What it is called where answers are kept.
    pub fn matter(&self) -> String {
        format!("{} over {}", self.by, self.decision)
    }

    /// What happened.
    pub fn told(&self) -> String {
        let Self { by, decision, debate, .. } = self;
        let how = if self.says_so { "supersedes" } else { "contradicts" };
        let taken = debate.as_ref().map_or_else(|| "is locked".to_owned(), |id| format!("the debate {id} took"));
        format!("{by} {how} {decision}, which {taken}, without a debate")
    }
}

/// A decision that is to be debated again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reopened {
    /// The decision's id.
    pub decision: String,
    /// What is to be decided now.
    pub question: String,
    /// The protocol of the debate that took it.
    pub protocol: String,
    /// The options of that debate.
    pub options: Vec<Choice>,
}

/// Whether a rehearsal may pass a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rehearsals {
    /// No.
    Refused,
    /// Yes; it is recorded, and writes no knowledge.
    Allowed,
}

/// Whether a debate may be planned before its options are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Framing {
    /// A person lists them first.
    ByPeople,
    /// The debate's framer may propose them.
    ByAgent,
}

/// An entry of a document that was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclear {
    /// The document.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What stands there, and an example of what can be read.
    pub text: String,
    /// Whether a trigger or a gate depends on it: then it holds the phase, else it is only named.
    pub holds: bool,
}

impl From<Contradiction> for Unclear {
    /// A decision that may speak against a locked one.
    fn from(one: Contradiction) -> Self {
        let Contradiction { text, decision, title, .. } = one;
        let text = format!(
            "{text:?} and {decision} ({title}), which is locked, are on the same matter; write (keeps {decision}) behind it if both stand, or (supersedes {decision}), which calls for a debate"
        );
        Self { file: one.file, line: one.line, text, holds: true }
    }
}

/// A box to tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkbox {
    /// Its text.
    pub text: String,
    /// Whether it is ticked.
    pub ticked: bool,
    /// Its line, counted from 1.
    pub line: usize,
}

/// A phase's working document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// Where it is.
    pub path: String,
    /// How many components its front matter lists.
    pub components: Vec<String>,
    /// The prior decisions that its front matter challenges.
    pub challenges: Vec<String>,
    /// Its sections.
    pub sections: Vec<Section>,
    /// The boxes of its TODO section.
    pub todo: Vec<Checkbox>,
    /// What is ticked in it below a heading of escalation conditions.
    pub escalations: Vec<Checkbox>,
    /// What was not understood in it.
    pub unclear: Vec<Unclear>,
}

/// The handoff into a phase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandoffRead {
    /// Where it is.
    pub path: String,
    /// The boxes of its TODO list.
    pub todo: Vec<Checkbox>,
    /// The boxes of its escalation conditions.
    pub escalations: Vec<Checkbox>,
    /// The decisions that it locks, and those that earlier handoffs lock.
    pub locked: Vec<LockedDecision>,
    /// What was not understood in it.
    pub unclear: Vec<Unclear>,
}

/// A decision in the table of a handoff's locked decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedDecision {
    /// Its id, as it stands there.
    pub id: String,
    /// What was decided.
    pub title: String,
    /// Whether challenging it requires a debate. It does unless the table says no.
    pub needs_debate: bool,
    /// The handoff.
    pub file: String,
    /// Its line there.
    pub line: usize,
}

/// The options listed for a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionsRead {
    /// Where they are listed.
    pub path: String,
    /// Whether that file is there.
    pub there: bool,
    /// The line of their heading, where it is there.
    pub line: Option<usize>,
    /// The options.
    pub options: Vec<Choice>,
    /// What was not understood there.
    pub unclear: Vec<Unclear>,
    /// Where nothing was read: the line and the heading of a list that may be meant.
    pub passed_over: Option<(usize, String)>,
}

/// An artifact that a phase must leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Where.
    pub path: String,
    /// How it stands.
    pub standing: ArtifactStanding,
}

/// How an artifact stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactStanding {
    /// It is there.
    There,
    /// It is not.
    Missing,
    /// It is there and says something, and parts of it only hold a place.
    Begun,
    /// It is there, but says nothing yet.
    Placeholder,
    /// It cannot be read.
    Unreadable(String),
}

/// The debate that the state names, as its files tell.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum DebateRead {
    /// The state names none.
    #[default]
    None,
    /// The state names one that is not on disk.
    Gone {
        /// Its id.
        id: String,
    },
    /// It is there, and was planned for something else: whoever can write the state file can name any debate.
    Another {
        /// Its id.
        id: String,
    },
    /// It is there and cannot be read.
    Damaged {
        /// Its id.
        id: String,
        /// What is wrong.
        problem: String,
        /// Whether its record is what is wrong, and not its plan.
        of_the_record: bool,
    },
    /// It is there.
    There(Box<DebateThere>),
}

/// A debate on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct DebateThere {
    /// Its id.
    pub id: String,
    /// Its protocol.
    pub protocol: &'static Profile,
    /// Its plan's file.
    pub plan_file: String,
    /// The file that tells how it ended, where there is one.
    pub result_file: Option<String>,
    /// The options of its plan.
    pub options: Vec<Choice>,
    /// What its plan says it is held about.
    pub at_stake: Vec<Matter>,
    /// How it stands.
    pub status: DebateStatus,
    /// Whether its gate passes, rehearsals counted like any other.
    pub passed: bool,
    /// Whether its record, and the file of every turn on it, are as they were.
    pub holds: bool,
    /// Whether the rehearsal agent took part.
    pub rehearsal: bool,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// What was decided, by name.
    pub decided: Vec<String>,
    /// Who decided, where a person had to.
    pub by: Option<String>,
    /// How sure the verdict is.
    pub confidence: Option<String>,
    /// Seats whose files were counted and are not on record yet.
    pub not_on_record: Vec<String>,
    /// What the gate found.
    pub findings: Vec<Finding>,
    /// Seats that have spoken, and all that will.
    pub spoken: (usize, usize),
    /// Who is waited for.
    pub waiting: Vec<Waiting>,
    /// Whose words these are, where it was not made here.
    pub origin: Option<Origin>,
    /// What is to be known of it before anybody relies on it.
    pub notes: Vec<String>,
    /// What it adds to what is known.
    pub knowledge: Findings,
}

/// On what a debate rests that was not made here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// How many seats spoke.
    pub seats: usize,
    /// How many of them by a file that somebody left.
    pub by_files: usize,
    /// Whether any of it is on record.
    pub is_on_record: bool,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seats, by_files, is_on_record } = self;
        let record = if *is_on_record { "its record came with the folder" } else { "nothing of it is on record" };
        match by_files {
            0 => write!(f, "this debate was not made here: {record}"),
            _ => write!(
                f,
                "this debate was not made here: {by_files} of {seats} seats spoke by files that came with the folder, and {}",
                if *is_on_record { "so did the record" } else { record }
            ),
        }
    }
}

/// A seat that has not spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The seat.
    pub seat: String,
    /// Whether forge itself would ask it.
    pub is_agent: bool,
    /// Where its turn belongs.
    pub turn_file: String,
    /// What it is to read first, where that is written.
    pub brief_file: Option<String>,
}

impl Snapshot {
    /// What is known, as it is shown: what a debate that was not made here decided is claimed.
    pub fn known_here(&self) -> Knowledge {
        let mut known = self.knowledge.clone();
        let is_strangers = |debate: &str| self.traces.strangers.iter().any(|one| one.debate == debate);
        for one in &mut known.decisions {
            one.claimed = one.debate_named().is_some_and(is_strangers);
        }
        known
    }

    /// Everything that was not understood in what was read. Doubts about options hold only while a debate on them is to be
    /// planned, and are told until somebody has spoken in it.
    pub fn unclear(&self) -> impl Iterator<Item = Unclear> {
        let document = self.document.iter().flat_map(|document| &document.unclear);
        let handoff = self.handoff.iter().flat_map(|handoff| &handoff.unclear);
        let depends = self.plans_on_options();
        // Where no debate is called for and nothing is listed, prose may look like options and is none.
        let is_about_them = depends || self.debate != DebateRead::None || !self.options.options.is_empty();
        let told = self.options.unclear.iter().filter(|_| is_about_them);
        let options: Vec<Unclear> = told.map(|one| Unclear { holds: one.holds && depends, ..one.clone() }).collect();
        let others = &self.traces.others;
        let mut doubtful = self.doubtful_conditions();
        doubtful.extend(self.said_of_locked());
        doubtful.extend(self.found().doubtful.into_iter().map(Unclear::from));
        for one in &self.earlier {
            let found = one.found(self, &self.settled).doubtful.into_iter().map(Unclear::from);
            // What another tool's phase says is told; it holds nothing that was left long ago.
            doubtful.extend(found.map(|it| Unclear { holds: one.left_here, ..it }));
            doubtful.extend(one.unrecorded());
        }
        document.chain(handoff).chain(&self.knowledge.unclear).chain(others).cloned().chain(options).chain(doubtful)
    }

    /// The conditions that call for a debate: those of the handoff, and of them those that the phase's document ticks.
    pub fn escalations(&self) -> Vec<Checkbox> {
        let handoff = self.handoff.as_ref().map(|handoff| handoff.escalations.clone()).unwrap_or_default();
        let document = self.document.iter().flat_map(|document| &document.escalations);
        let mut ticked: Vec<Checkbox> = document.filter(|one| self.is_condition(one)).cloned().collect();
        // Whoever writes that an assumption is wrong says that its condition has come about.
        let wrong = self.document_findings.validations.iter().filter(|one| one.standing == Standing::Invalidated);
        for one in wrong {
            let is_its = |condition: &&Checkbox| {
                let rest = condition.text.strip_prefix(one.assumption.as_str());
                rest.is_some_and(|rest| rest.starts_with(" turns out wrong"))
            };
            ticked.extend(handoff.iter().filter(is_its).map(|one| Checkbox { ticked: true, ..one.clone() }));
        }
        handoff.into_iter().chain(ticked).collect()
    }

    /// Whether what is ticked in the phase's document is a condition of the handoff.
    fn is_condition(&self, ticked: &Checkbox) -> bool {
        const FIRST_WORDS: usize = 3;
        let begins = |text: &str| said_words(text).into_iter().take(FIRST_WORDS).collect::<Vec<_>>();
        // `A1 turns out wrong: checked, did not happen`
        let rest = ticked.text.split_once(':').map_or("", |(_, rest)| rest);
        if said_words(rest).iter().any(|word| is_denial(word)) {
            return false;
        }
        let conditions = self.handoff.iter().flat_map(|handoff| &handoff.escalations);
        let mut conditions = conditions.map(|one| begins(&one.text));
        conditions.any(|condition| condition == begins(&ticked.text))
    }

    /// Conditions of the handoff that say more than forge wrote and have an open box, and what is ticked below such a heading of
    /// the document and is none of them.
    fn doubtful_conditions(&self) -> Vec<Unclear> {
        let mut found = Vec::new();
        let written = crate::handoff::escalations(&self.knowledge);
        if let Some(handoff) = &self.handoff {
            for one in handoff.escalations.iter().filter(|one| !one.ticked) {
                let said = said_words(&one.text);
                let is_about = |known: &&String| said_words(known).first() == said.first();
                let all: Vec<Vec<String>> = written.iter().filter(is_about).map(|known| said_words(known)).collect();
                let goes_on = all.iter().any(|known| said.starts_with(known));
                // A person may have put the entry itself into other words since.
                let is_begun = all.iter().any(|known| known.iter().take(3).eq(said.iter().take(3)));
                if all.is_empty() || all.contains(&said) || is_begun && !goes_on {
                    continue;
                }
                let text = format!(
                    "whether {:?} has come about cannot be told: its box is open, and it says something else than the condition; tick the box if it has, or take the words out",
                    one_line(&one.text)
                );
                found.push(Unclear { file: handoff.path.clone(), line: one.line, text, holds: true });
            }
        }
        if let Some(document) = &self.document {
            let others = document.escalations.iter().filter(|one| !self.is_condition(one));
            found.extend(others.map(|one| {
                let text = format!(
                    "{:?} is ticked and is no condition of the handoff, so it calls for no debate; `--debate` does",
                    one_line(&one.text)
                );
                Unclear { file: document.path.clone(), line: one.line, text, holds: false }
            }));
        }
        found
    }

    /// Words of the phase's document against locked decisions that are neither a decision nor a challenge. What begins with the
    /// decision's id is said of it; another sentence may tell how it came about, or what may come (`A later workflow may supersede
    /// D1`), unless it says that it is so.
    fn said_of_locked(&self) -> Vec<Unclear> {
        let Some(document) = &self.document else { return Vec::new() };
        // What a decision of the document contradicts calls for its debate already.
        let against = self.found().against;
        let is_told = |id: &String| against.iter().any(|one| one.decision == *id);
        let is_open = |id: &String| !(document.challenges.contains(id) || is_told(id) || self.is_settled_here(id));
        let said = extract::against_locked(&document.sections, &self.knowledge);
        let says_so = |said: &str| {
            const OVERTURNS: [&str; 5] = ["supersede", "overrule", "overturn", "revoke", "invalidate"];
            const PERHAPS: [&str; 6] = ["may", "might", "could", "would", "later", "whether"];
            let words = said_words(said);
            words.iter().any(|word| OVERTURNS.iter().any(|verb| word.starts_with(verb)))
                && !words.iter().any(|word| PERHAPS.contains(&word.as_str()))
        };
        let is_said_of = |said: &str, id: &str| {
            let bare = said.trim_start_matches(|c: char| !c.is_alphanumeric());
            ids::head(Kind::Decision, Letters::Own, bare).is_some_and(|head| same_id(&head.id, id)) || says_so(said)
        };
        let told = |(line, id, said): (usize, String, String)| Unclear {
            file: document.path.clone(),
            line,
            text: format!(
                "{said:?} speaks against {id}, which is locked, and calls for no debate where it stands; write `challenges: [{id}]` at the top, which does, or (keeps {id}) behind it"
            ),
            holds: is_said_of(&said, &id),
        };
        said.into_iter().filter(|(_, id, _)| is_open(id)).map(told).collect()
    }

    /// Whether a debate is called for and not planned yet, so that what is listed becomes its options.
    fn plans_on_options(&self) -> bool {
        let phase = self.definition.phase(&self.state.phase);
        self.debate == DebateRead::None && phase.is_some_and(|phase| debate_call(self, phase).debate)
    }

    /// Decisions of debates that were superseded by hand, but for those that were answered already.
    pub fn overturned_but(&self, answered: &[Answered]) -> Vec<Overturned> {
        let is_answered = |one: &&Overturned| answered.iter().any(|known| known.matter == one.matter());
        self.overturned.iter().filter(|one| !is_answered(one)).cloned().collect()
    }

    /// Whether a debate of this visit to the phase took a decision or let it stand: what speaks against it then is mended in
    /// the document, and asks for no other debate.
    pub fn is_settled_here(&self, id: &str) -> bool {
        self.is_of_this_phase(id) || self.is_answered_here(id)
    }

    /// Whether a decision was taken by the debate that the state names, or by another of this visit to the phase.
    pub fn is_of_this_phase(&self, id: &str) -> bool {
        let taken = self.knowledge.decisions.iter().find(|one| one.id == id).filter(|one| one.debate.is_some());
        let Some(decision) = taken else { return false };
        decision.debate == self.state.debate.id
            || decision.supersedes.iter().any(|earlier| self.is_answered_here(earlier))
    }

    /// Whether the phase's debates were about a matter: those that are over, and the one that is recorded.
    fn is_answered_here(&self, name: &str) -> bool {
        let before = self.state.answered.iter().any(|one| one.phase == self.state.phase && one.matter == name);
        let recorded = |debate: &&DebateThere| !debate.knowledge.is_empty();
        let now =
            self.debate.there().filter(recorded).is_some_and(|one| one.at_stake.iter().any(|it| it.name() == name));
        before || now
    }

    /// The decisions of the phase document, and of those before, that speak against locked ones.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let before = self.earlier.iter().flat_map(|one| one.found(self, &self.settled).against);
        self.found().against.into_iter().chain(before).collect()
    }

    /// What called for a debate of the phase and stands nowhere any more. One that is there and says otherwise counts as said.
    pub fn vanished(&self) -> Vec<Called> {
        let listed = self.earlier.iter().flat_map(|one| &one.findings.risks).chain(&self.document_findings.risks);
        let risks: Vec<&Risk> = self.knowledge.risks.iter().chain(listed).collect();
        let is_there = |one: &&Called| match &one.matter {
            Matter::Decision(id) => self.knowledge.decision(id).is_some(),
            Matter::Other(condition) => {
                let handoff = self.handoff.iter().flat_map(|handoff| &handoff.escalations);
                let document = self.document.iter().flat_map(|document| &document.escalations);
                handoff.chain(document).any(|one| one.text == *condition)
            }
            matter => risks.iter().any(|risk| {
                risk.source.as_deref() == Some(matter.name())
                    || risk.id == matter.name()
                    || says_the_same(&risk.text, &one.text)
            }),
        };
        self.state.called.iter().filter(|one| !is_there(one)).cloned().collect()
    }

    fn found(&self) -> Found {
        let Some(document) = &self.document else { return Found::default() };
        contradiction::find(document, &standing(&self.document_findings), &self.knowledge, &self.settled)
    }

    /// Whether a debate counts: a rehearsal does only where that very one was allowed, now or before.
    pub fn accepts(&self, debate: &DebateThere) -> bool {
        !debate.rehearsal
            || self.rehearsals == Rehearsals::Allowed
            || (self.traces.said.rehearsed.contains(&self.state.phase)
                && self.state.debate.gate_passed
                && self.state.debate.id.as_ref() == Some(&debate.id))
    }
}

/// What a document decides: a decision that it calls proposed or rejected speaks against nothing.
pub(crate) fn standing(findings: &Findings) -> Findings {
    let mut findings = findings.clone();
    let is_idle = |one: &Decision| matches!(one.status, DecisionStatus::Proposed | DecisionStatus::Rejected);
    findings.decisions.retain(|one| !(is_idle(one) && one.id.is_empty()));
    findings
}

impl DebateRead {
    /// The debate, if it is there.
    pub fn there(&self) -> Option<&DebateThere> {
        match self {
            DebateRead::There(debate) => Some(debate),
            _ => None,
        }
    }
}
