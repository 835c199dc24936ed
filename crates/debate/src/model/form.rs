//! Forms: what a reply must contain to become a turn.
//!
//! A form is data. From the one description come the instructions in the brief, the check of the reply, the list of what
//! to repair, and the documentation. Prose never votes: whatever counts is in the ballot, or in a spelling that the form
//! names.

use crate::model::ballot::Ballot;
use crate::model::datum::Fields;
pub use crate::model::defect::{Defect, Need};
use crate::model::plan::{OptionId, Plan, SeatId};
use crate::model::turn::{Argument, Section};
pub use forge_prose::outline::Lookalike;
use std::sync::Arc;

/// The most bytes of a reply that are read; a longer one is cut and misses its form.
pub const REPLY_LIMIT_BYTES: usize = 512 * 1024;
/// The most entries that a ballot's list may have.
pub const BALLOT_LIST_LIMIT: usize = 64;

/// A section that a reply should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionRule {
    pub title: &'static str,
    /// How much it is needed.
    pub need: Need,
    /// What its body must look like.
    pub shape: Shape,
    /// What belongs there, for the writer.
    pub hint: &'static str,
}

/// What a section's body must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Text,
    /// Any text, also "None".
    TextOrNone,
    /// A line of text, which may also stand behind a label: `**Confidence:** HIGH`.
    Line,
    /// At most so many sentences.
    Sentences(usize),
    /// At least so many list items.
    Items(usize),
    /// At least so many questions.
    Questions(usize),
    /// A table with these columns and at least one row.
    Table(&'static [&'static str]),
    /// Each of these words occurs.
    Mentions(&'static [&'static str]),
    /// Read by a rule of the protocol's own.
    Read(ShapeRule),
}

/// A rule of a protocol for what a section must say.
#[derive(Debug, Clone, Copy)]
pub struct ShapeRule {
    /// Its name, by which two are the same.
    pub name: &'static str,
    /// What is expected, for the writer.
    pub hint: &'static str,
    /// Whether a file from outside that misses it is not a turn yet.
    pub files_need: bool,
    /// What is wrong with a section, if anything is.
    pub problem: fn(&Section, &Plan) -> Option<String>,
}

impl PartialEq for ShapeRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ShapeRule {}

/// A field of the ballot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    /// How much it is needed.
    pub need: Need,
    /// What belongs there, for the writer.
    pub help: &'static str,
    /// Other spellings in files that outside writers leave, such as `Chosen Option`.
    pub also: &'static [&'static str],
}

/// What a ballot's field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One of the plan's options.
    Option,
    /// One or more of the plan's options.
    Options,
    /// One of these words.
    Word(&'static [&'static str]),
    Flag,
    /// A text of at least so many words.
    Text(usize),
    /// A list of texts, at least so many.
    Texts(usize),
    /// A list of objects with these fields, at least so many.
    Records(usize, &'static [Field]),
}

/// A rule that depends on what was said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rail {
    /// The reason must be one: agreement without substance is not taken, nor a copy of what was said.
    NoRubberStamp {
        /// Texts of the debate that the seat may have read.
        said: Vec<String>,
    },
    /// At least one of these peers must be challenged, by the name under which the reader sees it.
    OwesChallenge {
        /// The names that may be challenged.
        peers: Vec<String>,
    },
    /// Another option than this one needs an argument of another seat in `convinced_by`.
    ChangeNeedsCause {
        /// The option that this seat held before.
        from: OptionId,
        /// The arguments of others that it was shown, as owner and id.
        citable: Vec<(SeatId, String)>,
    },
    /// Accepting an answer that rejects one's objection needs an argument of the lead in `convinced_by`.
    YieldNeedsCause,
    /// Every one of these objections must be answered, by name.
    AnswersAll { objections: Vec<String> },
    /// The section `Dissents` must name each of these roles.
    KeepsDissents { seats: Vec<SeatId> },
}

/// Whether the ballot block itself may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BallotBlock {
    /// A fenced JSON block is needed (an outside writer may use the form's other spellings).
    Required,
    /// The sections may speak for themselves.
    Optional,
}

/// What a reply must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its name in the documentation.
    pub name: &'static str,
    pub sections: Vec<SectionRule>,
    pub fields: Vec<Field>,
    /// Whether the ballot block is needed.
    pub ballot: BallotBlock,
    pub min_chars: usize,
    /// Sections without which somebody's file is not a turn yet. Agents are asked for them again once.
    pub files_need: Vec<&'static str>,
    /// Fields of the ballot that somebody's file may lack: those that the seeds' own forms do not have.
    pub files_may_lack: &'static [&'static str],
    /// Whether somebody's file may be a memo: labels in capitals, each with what follows it.
    pub reads_memos: bool,
    /// Rules that depend on the record.
    pub rails: Vec<Rail>,
    /// How files of people and outside sessions are read, where the protocol knows more spellings than labels.
    pub handwriting: Option<Handwriting>,
    /// What else files from outside may spell it like.
    pub spelling: Option<Spelling>,
    struct_of: Option<StructOf>,
}

/// The struct that a form was made from. What the form accepts and the struct does not read would be a speech that no
/// protocol hears.
#[derive(Debug, Clone, Copy)]
struct StructOf {
    is_read: fn(&Fields) -> bool,
}

/// Two forms with the same fields have the same struct.
impl PartialEq for StructOf {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for StructOf {}

/// How a protocol reads files whose writers follow a form of their own.
///
/// Such a file needs only what [`read`](Self::read) says is required; everything else that the form wants is noted.
#[derive(Debug, Clone)]
pub struct Handwriting {
    pub round: u16,
    /// The option that the seat holds so far.
    pub held: Option<OptionId>,
    /// What was argued before, with whose it is.
    pub arguments: Arc<[(SeatId, Argument)]>,
    /// Titles that stand for a section of the form.
    pub titles: &'static [(&'static str, &'static [&'static str])],
    /// The ballot's fields that are read from the text, and nowhere else.
    pub fields: &'static [Field],
    /// Reads them, and says what is missing or in doubt.
    pub read: ReadFile,
}

/// Reads a file that somebody wrote: the ballot's fields, and what is missing or in doubt.
pub type ReadFile = fn(&Handwriting, &Plan, &SeatId, &Draft) -> (Fields, Vec<Defect>);

impl PartialEq for Handwriting {
    fn eq(&self, other: &Self) -> bool {
        (self.round, &self.held, &self.arguments) == (other.round, &other.held, &other.arguments)
    }
}

impl Eq for Handwriting {}

/// A protocol's own reading of what people and outside sessions write.
#[derive(Debug, Clone)]
pub struct Spelling {
    /// The round, by which the arguments of a file that numbers none are told from those of other rounds.
    pub round: u16,
    /// What was said before and stands where a file does not mention it.
    pub held: Fields,
    /// The draft with its ballot and sections filled in as far as the file says so.
    pub read: fn(&Form, &Spelling, &Draft, &Plan, &SeatId) -> Draft,
}

impl PartialEq for Spelling {
    fn eq(&self, other: &Self) -> bool {
        (self.round, &self.held) == (other.round, &other.held)
    }
}

impl Eq for Spelling {}

impl Form {
    /// A form with these parts and no rails.
    pub fn new(name: &'static str, sections: &[SectionRule], fields: &[Field], ballot: BallotBlock) -> Self {
        Self {
            name,
            sections: sections.to_vec(),
            fields: fields.to_vec(),
            ballot,
            min_chars: 0,
            files_need: Vec::new(),
            files_may_lack: &[],
            reads_memos: false,
            rails: Vec::new(),
            handwriting: None,
            spelling: None,
            struct_of: None,
        }
    }

    /// A form that asks for these sections and this ballot.
    pub fn asking<B: Ballot>(name: &'static str, sections: &[SectionRule]) -> Self {
        let form = Self::new(name, sections, B::FIELDS, BallotBlock::Required);
        Self { struct_of: Some(StructOf { is_read: |ballot| B::of(ballot).is_some() }), ..form }
    }

    /// Whether the struct that the form was made from reads this ballot.
    pub(crate) fn is_heard(&self, ballot: &Fields) -> bool {
        self.struct_of.is_none_or(|one| (one.is_read)(ballot))
    }

    /// The same form, whose ballot asks for this too.
    pub fn and<B: Ballot>(mut self) -> Self {
        self.fields.extend(B::FIELDS);
        self
    }

    /// The same form, in which the sections may speak for themselves.
    pub fn with_optional_ballot(mut self) -> Self {
        self.ballot = BallotBlock::Optional;
        self
    }

    /// The same form with one more section.
    pub fn section(mut self, section: SectionRule) -> Self {
        self.sections.push(section);
        self
    }

    /// The same form, in which files of outside writers are read so.
    pub fn handwritten(mut self, handwriting: Handwriting) -> Self {
        self.handwriting = Some(handwriting);
        self
    }

    /// The same form with a reading of its own for files from outside.
    pub fn spelled(mut self, spelling: Spelling) -> Self {
        self.spelling = Some(spelling);
        self
    }

    /// The same form with one more field of the ballot.
    pub fn field(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// The same form with one more rail.
    pub fn rail(mut self, rail: Rail) -> Self {
        self.rails.push(rail);
        self
    }

    /// The same form with a least length.
    pub fn at_least(mut self, chars: usize) -> Self {
        self.min_chars = chars;
        self
    }

    /// The same form, in which somebody's file is not a turn yet without these sections.
    pub fn files_need(mut self, titles: impl IntoIterator<Item = &'static str>) -> Self {
        self.files_need = titles.into_iter().collect();
        self
    }

    /// The same form, in which somebody's file may be a memo, and may lack these fields.
    pub fn or_memo(mut self, lacking: &'static [&'static str]) -> Self {
        (self.reads_memos, self.files_may_lack) = (true, lacking);
        self
    }

    /// The votes of a ballot: the options and words that are counted. A repair may not change them.
    pub fn votes(&self, ballot: &Fields) -> Vec<(String, String)> {
        let is_vote = |field: &&Field| match field.kind {
            Kind::Option | Kind::Options => field.name != "approves",
            Kind::Word(_) => matches!(field.name, "verdict" | "recommendation" | "response"),
            _ => false,
        };
        let votes = self.fields.iter().filter(is_vote);
        votes.filter_map(|field| Some((field.name.to_owned(), ballot.get(field.name)?.as_text()?.to_owned()))).collect()
    }

    /// Whether the ballot has a field of that name.
    pub fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }
}

/// A reply taken apart, but not judged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// The text without the ballot block.
    pub text: String,
    /// The sections under real headings.
    pub sections: Vec<Section>,
    /// The ballot block, if there is one that could be read.
    pub ballot: Option<Fields>,
    /// Why there is no ballot although there seems to be one.
    pub ballot_problem: Option<String>,
    /// Lines such as `**Chosen Option:** B`, as (label, value).
    pub labels: Vec<(String, String)>,
    /// Lines such as `VOTE: REJECT`, as (label, value): they count only where a form reads memos.
    pub memo: Vec<(String, String)>,
    /// Lines that look like headings and are none.
    pub lookalikes: Vec<Lookalike>,
    /// What was wrong with the bytes: not UTF-8, cut at the limit, ...
    pub problems: Vec<String>,
    /// The line of the file on which the text begins.
    pub first_line: usize,
}

/// Whose spelling rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Writer {
    /// An agent that was given the form in its brief.
    Agent,
    /// A person or an outside session: the seeds' own spellings count too.
    Outside,
    /// The same, who said that the file is to be taken as it is: sections that files need may be missing.
    OutsideAsIs,
}

impl Writer {
    /// Whether forge did not ask this writer itself.
    pub fn is_outside(self) -> bool {
        self != Writer::Agent
    }
}
