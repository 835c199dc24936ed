//! Forms: what a reply must contain to become a turn.
//!
//! A form is data. From the one description come the instructions in the brief, the check of the reply, the list of what
//! to repair, and the documentation. Prose never votes: whatever counts is in the ballot, or in a spelling that the form
//! names.

mod ballot;
mod measure;
mod rail;

use ballot::{accept, from_labels};
pub use measure::{first_sentence, is_placeholder, items, sentences, table_rows};
use rail::check_rail;
pub use rail::is_rubber_stamp;

use crate::ballot::Ballot;
use crate::datum::{Datum, Fields, field_name};
pub use crate::defect::{Defect, Need};
use crate::option_names::OptionNames;
use crate::plan::{OptionId, Plan, SeatId};
use crate::turn::{Argument, KeptVote, Section, Speech, title_matches};
use crate::votes::Anything;
pub use forge_prose::outline::Lookalike;
use forge_prose::outline::NoHeading;
use forge_prose::words::same_words;
use std::sync::Arc;

/// The most bytes of a reply that are read; a longer one is cut and misses its form.
pub const REPLY_LIMIT_BYTES: usize = 512 * 1024;
/// The most entries that a ballot's list may have.
pub const BALLOT_LIST_LIMIT: usize = 64;

/// A section that a reply should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SectionRule {
    /// Its heading.
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
    /// Any text.
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
    /// Its name.
    pub name: &'static str,
    /// What it holds.
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
    /// True or false.
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
    AnswersAll {
        /// The objectors.
        objections: Vec<String>,
    },
    /// The section `Dissents` must name each of these roles.
    KeepsDissents {
        /// The dissenting seats.
        seats: Vec<SeatId>,
    },
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
    /// The sections.
    pub sections: Vec<SectionRule>,
    /// The ballot's fields.
    pub fields: Vec<Field>,
    /// Whether the ballot block is needed.
    pub ballot: BallotBlock,
    /// The fewest characters.
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
    /// The round.
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

    /// The labelled lines of a draft that count here: of a memo also what stands below a label, and under a heading.
    fn labels(&self, draft: &Draft) -> Vec<(String, String)> {
        if !self.reads_memos {
            return draft.labels.clone();
        }
        let headed = draft.sections.iter().map(|section| (section.title.clone(), section.body.clone()));
        draft.memo.iter().cloned().chain(headed).collect()
    }

    /// How much a section is needed of this writer.
    fn need(&self, rule: &SectionRule, writer: Writer) -> Need {
        let is_needed = writer == Writer::Outside && self.files_need.contains(&rule.title);
        match rule.need {
            _ if is_needed => Need::Required,
            need => self.need_of(need, writer),
        }
    }

    fn is_handwritten(&self, writer: Writer) -> bool {
        writer.is_outside() && self.handwriting.is_some()
    }

    /// How much something is needed of this writer: hand-written files need what their own reader says, and no more.
    fn need_of(&self, need: Need, writer: Writer) -> Need {
        if self.is_handwritten(writer) { Need::Optional } else { need }
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

impl Handwriting {
    /// The section that stands for one of the form, under its own title or another.
    fn stands_for<'d>(&self, rule: &SectionRule, draft: &'d Draft) -> Option<&'d Section> {
        let (_, titles) = self.titles.iter().find(|(title, _)| *title == rule.title)?;
        draft.sections.iter().find(|section| titles.iter().any(|title| title_matches(&section.title, title)))
    }
}

/// A reply held against its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The speech, if nothing that must be there is missing.
    pub speech: Option<Speech>,
    /// Everything that is missing or wrong, gravest first.
    pub defects: Vec<Defect>,
    /// As much of the ballot as could be read, whether there is a speech or not.
    pub ballot: Fields,
}

impl Reading {
    /// The same reading with votes that were cast before: a repair does not change a vote.
    pub fn keeping(mut self, votes: &[(String, String)]) -> Self {
        let Some(speech) = &mut self.speech else { return self };
        for (name, vote) in votes {
            let now = speech.ballot.text(name).to_owned();
            if now == *vote {
                continue;
            }
            speech.ballot.set(name, Datum::from(vote.as_str()));
            speech.kept_votes.push(KeptVote { field: name.clone(), kept: vote.clone(), refused: now });
        }
        self
    }

    /// The defects as lines for a repair ask or an error message.
    pub fn lines(&self) -> Vec<String> {
        self.defects.iter().map(line_of).collect()
    }

    /// Those without which there is no turn yet.
    pub fn required(&self) -> Vec<String> {
        self.lines_of(|need| need == Need::Required)
    }

    /// Those that keep nothing from being a turn.
    pub fn noted(&self) -> Vec<String> {
        self.lines_of(|need| need != Need::Required)
    }

    fn lines_of(&self, wanted: fn(Need) -> bool) -> Vec<String> {
        self.defects.iter().filter(|defect| wanted(defect.need)).map(line_of).collect()
    }

    /// Whether nothing is missing that was asked for.
    pub fn is_whole(&self) -> bool {
        self.defects.iter().all(|defect| defect.need == Need::Optional)
    }
}

fn line_of(defect: &Defect) -> String {
    let optional = if defect.need == Need::Optional { "optional: " } else { "" };
    match defect.line {
        Some(line) => format!("{optional}line {line}: {}", defect.text),
        None => format!("{optional}{}", defect.text),
    }
}

impl Form {
    /// Holds a draft against the form. `seat` is who wrote it.
    pub fn read(&self, plan: &Plan, seat: &SeatId, draft: &Draft, writer: Writer) -> Reading {
        let spelling = self.spelling.as_ref().filter(|_| writer.is_outside());
        let respelled = spelling.map(|spelling| (spelling.read)(self, spelling, draft, plan, seat));
        let draft = respelled.as_ref().unwrap_or(draft);
        let mut defects: Vec<Defect> =
            draft.problems.iter().map(|problem| Defect::new(Need::Required, problem.clone())).collect();
        let length = draft.text.trim().chars().count();
        if length < self.min_chars {
            defects.push(Defect::new(
                Need::Required,
                format!("{length} characters; at least {} are needed", self.min_chars),
            ));
        }
        if length == 0 && draft.ballot.is_none() {
            defects.push(Defect::new(Need::Required, "the reply is empty"));
        }
        // What repeats the brief says nothing of its own.
        if draft.text.contains(&plan.nonce()) {
            defects.push(Defect::new(
                Need::Required,
                "the reply repeats the brief with its marks; send only your own words",
            ));
        }
        for rule in &self.sections {
            let also =
                self.handwriting.as_ref().filter(|_| writer.is_outside()).and_then(|one| one.stands_for(rule, draft));
            if also.is_none_or(|section| !is_written(section, plan)) {
                let found = check_section(rule, self.need(rule, writer), plan, draft, writer);
                defects.extend(found.into_iter().map(|defect| Defect { section: Some(rule.title), ..defect }));
            }
        }
        let ballot = self.read_ballot(plan, seat, draft, writer, &mut defects);
        for rail in &self.rails {
            // A file without a ballot block is told what to write by whoever reads it.
            let is_told = matches!(rail, Rail::OwesChallenge { .. } | Rail::ChangeNeedsCause { .. });
            if is_told && self.is_handwritten(writer) && draft.ballot.is_none() {
                continue;
            }
            let mut found = check_rail(rail, plan, seat, &ballot, draft);
            // A stamp is a missing reason, so it weighs as much as one.
            if matches!(rail, Rail::NoRubberStamp { .. }) {
                let need =
                    self.fields.iter().find(|field| field.name == "reason").map_or(Need::Required, |field| field.need);
                // Whoever writes down whose argument was convincing has given a ground.
                let is_documented = self.is_handwritten(writer)
                    && Anything::of(&ballot).is_some_and(|said| !said.convinced_by.is_empty());
                let need = if is_documented { Need::Optional } else { need };
                found.iter_mut().for_each(|defect| defect.need = need);
            }
            defects.extend(found);
        }
        let is_readable = self.struct_of.is_none_or(|one| (one.is_read)(&ballot));
        if !is_readable && defects.iter().all(|defect| defect.need != Need::Required) {
            let text = "ballot: something in it that the form requires cannot be read";
            defects.push(Defect::new(Need::Required, text));
        }
        defects.sort_by_key(|defect| match defect.need {
            Need::Required => 0,
            Need::Due => 1,
            Need::Optional => 2,
        });
        let broken = defects.iter().any(|defect| defect.need == Need::Required);
        let due = defects.iter().filter(|defect| defect.need == Need::Due);
        let speech = (!broken).then(|| Speech {
            text: draft.text.trim().to_owned(),
            sections: draft.sections.clone(),
            ballot: ballot.clone(),
            shortcomings: due.cloned().collect(),
            kept_votes: Vec::new(),
        });
        Reading { speech, defects, ballot }
    }

    fn read_ballot(
        &self,
        plan: &Plan,
        seat: &SeatId,
        draft: &Draft,
        writer: Writer,
        defects: &mut Vec<Defect>,
    ) -> Fields {
        let mut given = draft.ballot.clone().unwrap_or_default();
        let handwriting = self.handwriting.as_ref().filter(|_| writer.is_outside());
        let is_read = |name: &str| handwriting.is_some_and(|one| one.fields.iter().any(|field| field.name == name));
        if let Some(handwriting) = handwriting {
            let (written, missing) = (handwriting.read)(handwriting, plan, seat, draft);
            written.iter().for_each(|(name, value)| given.put(name, value.clone()));
            defects.extend(missing);
        }
        if writer.is_outside() {
            let labels = &self.labels(draft);
            for field in self.fields.iter().filter(|field| !is_read(field.name)) {
                // Where the sections may speak for themselves, they decide; only what stands beside them is taken from labels.
                if self.ballot == BallotBlock::Optional && !matches!(field.name, "confidence" | "reason") {
                    continue;
                }
                // What the ballot says, it says; labels in the prose may be somebody else's.
                if given.get(field.name).is_some() {
                    continue;
                }
                match from_labels(field, labels, plan) {
                    Ok(Some(value)) => given.put(field.name, value),
                    Ok(None) => {}
                    Err(problem) => defects.push(Defect::new(Need::Required, problem)),
                }
            }
        }
        if let Some(problem) = &draft.ballot_problem {
            let need =
                if self.ballot == BallotBlock::Required && given.is_empty() { Need::Required } else { Need::Due };
            defects.push(Defect::new(need, problem.clone()));
            if given.is_empty() {
                return given;
            }
        } else if given.is_empty()
            && self.ballot == BallotBlock::Required
            && !self.fields.is_empty()
            && !writer.is_outside()
        {
            defects.push(Defect::new(
                Need::Required,
                "there is no ballot: end the reply with one fenced ```json block as the form shows",
            ));
            return given;
        }
        let mut ballot = Fields::new();
        for field in &self.fields {
            let may_lack = self.files_may_lack.contains(&field.name)
                || (self.ballot == BallotBlock::Optional && draft.ballot.is_none());
            let need = if writer.is_outside() && may_lack {
                Need::Optional
            } else {
                // Without an option or a reason that can be read nothing is said, whoever writes.
                let is_core = matches!(field.name, "option" | "reason");
                if is_core { field.need } else { self.need_of(field.need, writer) }
            };
            match given.get(field.name).filter(|value| **value != Datum::Null) {
                None if need == Need::Optional || is_read(field.name) => {}
                None => {
                    let text = match field.also.first().filter(|_| writer.is_outside() && draft.ballot.is_none()) {
                        Some(label) => format!("no {}: write `**{label}:** ...` ({})", field.name, field.help),
                        None => format!("ballot: {:?} is missing ({})", field.name, field.help),
                    };
                    defects.push(Defect::new(need, text).owes(format!("ballot: {:?} is missing", field.name)));
                }
                Some(value) if value.as_text().is_some_and(|text| same_words(text, field.help)) => {
                    defects.push(Defect::new(need, format!("ballot: {:?} repeats the form", field.name)));
                }
                Some(value) => match accept(&field.kind, value, plan, field.name) {
                    Ok(value) => ballot.put(field.name, value),
                    Err(problem) => defects.push(Defect::new(need, format!("ballot: {problem}"))),
                },
            }
        }
        for (name, value) in given.iter() {
            if !self.has_field(&field_name(name)) {
                ballot.put(name, value.clone());
            }
        }
        ballot
    }

    /// The form in words, with an example of the ballot: the last part of every brief.
    pub fn describe(&self, plan: &Plan) -> String {
        let mut out = String::new();
        if !self.sections.is_empty() {
            out.push_str("Write these sections, each under a level-two Markdown heading with exactly this title:\n\n");
            for rule in &self.sections {
                out.push_str(&format!("## {}\n{}{}\n\n", rule.title, rule.hint, shape_hint(rule.shape)));
            }
        }
        if !self.fields.is_empty() {
            let after = if self.sections.is_empty() { "Reply with" } else { "After the sections, end with" };
            out.push_str(&format!(
                "{after} exactly one fenced block that starts with ```json. It is your ballot; only what stands in it is counted:\n\n```json\n{}\n```\n\n",
                example(&self.fields, plan, 0)
            ));
            for field in &self.fields {
                out.push_str(&format!("- `{}` ({}): {}\n", field.name, field.need.word(), field.help));
            }
        }
        out
    }
}

impl Shape {
    /// What is expected beside the section's own hint, in brackets.
    pub fn hint(self) -> String {
        shape_hint(self)
    }
}

fn shape_hint(shape: Shape) -> String {
    match shape {
        Shape::Text | Shape::Line => String::new(),
        Shape::TextOrNone => " (`None` where there are none)".to_owned(),
        Shape::Sentences(most) => format!(" (at most {most} sentences)"),
        Shape::Items(least) => format!(" (a bullet list, at least {least})"),
        Shape::Questions(least) => format!(" (a list, at least {least} questions)"),
        Shape::Table(columns) => format!(" (a table: {})", columns.join(" | ")),
        Shape::Mentions(parts) => format!(" (name each: {})", parts.join(", ")),
        Shape::Read(rule) => format!(" ({})", rule.hint),
    }
}

/// The ballot with blanks in it. No value of it is one that could be meant: what is copied does not count.
fn example(fields: &[Field], plan: &Plan, depth: usize) -> String {
    let pad = "  ".repeat(depth + 1);
    let ids: Vec<&str> = plan.options.iter().map(|option| option.id.as_str()).collect();
    let lines: Vec<String> = fields
        .iter()
        .map(|field| {
            let value = match field.kind {
                Kind::Option => format!("\"<{}>\"", one_of(&ids)),
                Kind::Options => format!("[\"<{}>\"]", one_of(&ids)),
                Kind::Word(all) => format!("\"<{}>\"", one_of(all)),
                Kind::Flag => "\"<true or false>\"".to_owned(),
                Kind::Text(_) => "\"<...>\"".to_owned(),
                Kind::Texts(_) => "[\"<...>\"]".to_owned(),
                Kind::Records(_, inner) => format!("[{}]", example(inner, plan, depth + 1)),
            };
            format!("{pad}\"{}\": {value}", field.name)
        })
        .collect();
    format!("{{\n{}\n{}}}", lines.join(",\n"), "  ".repeat(depth))
}

/// `A, B or C`.
pub(crate) fn one_of(words: &[&str]) -> String {
    match words {
        [] => "...".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn check_section(rule: &SectionRule, need: Need, plan: &Plan, draft: &Draft, writer: Writer) -> Vec<Defect> {
    let title = rule.title;
    let matching: Vec<&Section> = draft.sections.iter().filter(|s| title_matches(&s.title, title)).collect();
    let Some(section) = matching.first() else {
        let is_line = |(label, value): &(String, String)| title_matches(label, title) && !is_placeholder(value);
        let stands_behind_a_label = rule.shape == Shape::Line && draft.labels.iter().chain(&draft.memo).any(is_line);
        return if stands_behind_a_label { Vec::new() } else { vec![missing_section(rule, need, draft)] };
    };
    let mut defects = Vec::new();
    if let Some(second) = matching.get(1).filter(|second| !section.body.contains(second.body.as_str())) {
        defects.push(
            Defect::new(Need::Due, format!("section {title:?} stands here again (first on line {})", section.line))
                .at(second.line),
        );
    }
    let has_value = section.title.split_once([':', '—', '–', '：']).is_some_and(|(_, value)| !value.trim().is_empty());
    let copies = forge_prose::words::same_words(&section.body, &format!("{}{}", rule.hint, shape_hint(rule.shape)));
    if section.body.trim().is_empty() && !has_value {
        defects.push(Defect::new(need, format!("section {title:?} is empty ({})", rule.hint)).at(section.line));
    } else if copies || (!has_value && rule.shape != Shape::TextOrNone && !is_written(section, plan)) {
        let text = format!("section {title:?} is not written yet: it has only blanks, \"TBD\" or \"none\"");
        defects.push(Defect::new(need, text).at(section.line));
    } else if let Some(problem) = shape_problem(rule.shape, section, plan) {
        let is_needed = matches!(rule.shape, Shape::Read(rule) if rule.files_need) && writer == Writer::Outside;
        let need = match need {
            _ if is_needed => Need::Required,
            Need::Required => Need::Due,
            need => need,
        };
        defects.push(Defect::new(need, format!("section {title:?}: {problem}")).at(section.line));
    }
    defects
}

/// Whether a section says something: an option may be called "Do nothing".
pub(crate) fn is_written(section: &Section, plan: &Plan) -> bool {
    let outline = section.outline();
    let names = OptionNames::of(&plan.options);
    outline.is_written(&section.title)
        || outline.said().any(|block| !block.is_blank() && !names.named(&block.text()).is_empty())
}

/// A section that is not there; where something looks like it, why that is none.
fn missing_section(rule: &SectionRule, need: Need, draft: &Draft) -> Defect {
    let title = rule.title;
    let near = draft.lookalikes.iter().find(|one| title_matches(&one.title, title));
    match near {
        None => {
            // A heading that shares a word with the wanted one was perhaps meant for it.
            let wanted = forge_prose::words::words(title);
            let shares = |section: &&Section| {
                let said = forge_prose::words::words(&section.title);
                said.iter().any(|word| word.len() > 3 && wanted.contains(word)) && said.len() <= wanted.len() + 1
            };
            match draft.sections.iter().find(shares) {
                Some(other) => {
                    let text = format!(
                        "section {title:?} is missing; line {} is {:?}: write `## {title}`",
                        other.line, other.title
                    );
                    Defect::new(need, text).at(other.line)
                }
                None => Defect::new(need, format!("section {title:?} is missing ({})", rule.hint)),
            }
        }
        Some(near) => {
            let why = match near.why {
                NoHeading::Bold => "it is bold, not a heading",
                NoHeading::InCode => "it stands in a code fence",
                NoHeading::Nested => "it stands in a quotation or a list",
                NoHeading::Plain => "it is no heading",
            };
            Defect::new(need, format!("section {title:?} is missing: {why}; write `## {title}`")).at(near.line)
        }
    }
}

fn shape_problem(shape: Shape, section: &Section, plan: &Plan) -> Option<String> {
    let body = section.body.as_str();
    match shape {
        Shape::Text | Shape::TextOrNone | Shape::Line => None,
        Shape::Sentences(most) => {
            let count = sentences(body);
            (count > most).then(|| format!("{count} sentences; at most {most}"))
        }
        Shape::Items(least) => {
            let count = items(body).len().max(table_rows(body).len().saturating_sub(1));
            (count < least).then(|| format!("{count} list items; at least {least}"))
        }
        Shape::Questions(least) => {
            let count = body.matches(['?', '？']).count();
            (count < least).then(|| format!("{count} questions; at least {least}"))
        }
        Shape::Table(columns) => {
            let rows = table_rows(body);
            let head = rows.first().cloned().unwrap_or_default().to_lowercase();
            if let Some(column) = columns.iter().find(|column| !head.contains(&column.to_lowercase())) {
                Some(format!("no table with a column {column:?}"))
            } else {
                (rows.len() < 2).then(|| "the table has no rows".to_owned())
            }
        }
        Shape::Mentions(parts) => {
            let lower = body.to_lowercase();
            parts
                .iter()
                .find(|part| !lower.contains(&part.to_lowercase()))
                .map(|part| format!("{part:?} is not mentioned"))
        }
        Shape::Read(rule) => (rule.problem)(section, plan),
    }
}
