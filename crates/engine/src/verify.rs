//! Is a verdict what its files say? Derived again offline, from the raw replies.
//!
//! What forge believes when it runs a debate is checked on reading already: a turn's words against its raw reply, the plan
//! against its seal, personas and supplied texts against their digests. This goes further and names what reading forgives:
//! files that nobody asked for, replies that were in form and were not taken, times that cannot be, receipts that contradict
//! their turn, a verdict on file that does not follow.
//!
//! Promises: writes nothing and takes no lock; goes on after a problem; names every difference with its file; a clean report
//! means that the verdict was derived again from these files alone.
//!
//! It cannot tell a debate that was rewritten as a whole, replies and all, from one that was held: nothing here is signed.
//! Whoever keeps a verdict's `record_digest` elsewhere can.

mod calls;
mod files;
mod folder;
mod turns;
mod verdict;
mod votes;

pub use folder::folder;
pub(crate) use folder::mounted;
pub(crate) use turns::{slug_of, without_path};

use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog::{self, FindError};
use forge_artifacts::disk::Disk;
use forge_artifacts::document;
use forge_artifacts::formats::summary;
use forge_artifacts::layout::trail_beside;
use forge_artifacts::store::{DebateFiles, OpenError, Pinned};
use forge_debate::framing::FRAMING;
use forge_debate::protocols::Protocols;
use forge_debate::verdict::Outcome;
use std::sync::Arc;

/// The most lines of a difference that are shown.
const DIFF_LINES: usize = 12;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discrepancy {
    /// What kind of thing.
    pub kind: Kind,
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub text: String,
}

/// Kinds of discrepancies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The plan is not the sealed one, not the one that the turns were made under, or cannot be read.
    Plan,
    /// A role text, persona, supplied text or prompt is not what it was.
    Text,
    /// A turn is not what was said.
    Edited,
    /// A file that must have been there is not.
    Dropped,
    /// A file that nobody asked for.
    Added,
    /// A turn stands in another's place.
    Swapped,
    /// A reply was on record, and another one was asked for or taken.
    ReAsked,
    /// Times that cannot be.
    Backdated,
    /// A brief, a reply or a receipt is not what its turn says.
    Receipt,
    /// A turn was made after another record than the one before it.
    Chain,
    /// The verdict on file does not follow.
    Verdict,
    /// A report on file does not follow.
    Report,
    /// The whole record is another one than the one that was named.
    Record,
}

impl Kind {
    /// The word for people and machines.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Plan => "plan",
            Kind::Text => "text",
            Kind::Edited => "edited",
            Kind::Dropped => "dropped",
            Kind::Added => "added",
            Kind::Swapped => "swapped",
            Kind::ReAsked => "re-asked",
            Kind::Backdated => "backdated",
            Kind::Receipt => "receipt",
            Kind::Chain => "chain",
            Kind::Verdict => "verdict",
            Kind::Report => "report",
            Kind::Record => "record",
        }
    }
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// The debate.
    pub debate: String,
    /// The outcome as derived now; none where the debate is not over.
    pub outcome: Option<Outcome>,
    /// The options that stand, by name.
    pub decided: Vec<String>,
    /// The digest of the whole record, to be compared with one that was kept elsewhere.
    pub record_digest: Option<String>,
    /// How many turns were checked.
    pub turns: usize,
    /// For whom neither a model nor a person spoke, in words; none where everybody did.
    pub rehearsal: Option<String>,
    /// Everything that is wrong.
    pub discrepancies: Vec<Discrepancy>,
    /// What is worth knowing and not wrong.
    pub notes: Vec<String>,
}

impl Verification {
    /// Whether the verdict is what the files say.
    pub fn holds(&self) -> bool {
        self.outcome.is_some() && self.discrepancies.is_empty()
    }

    /// Whether something is not as it was. A debate that is only not over is not that.
    pub fn is_broken(&self) -> bool {
        !self.discrepancies.is_empty()
    }

    /// Holds the record against a digest that was kept elsewhere.
    pub fn compare_record(&mut self, kept: &str) {
        let kept = kept.trim();
        if self.record_digest.as_deref() != Some(kept) {
            let now = self.record_digest.as_deref().unwrap_or("none: the debate is not over");
            let text = format!("the record is {now}, and was expected to be {kept}");
            self.discrepancies.push(Discrepancy { kind: Kind::Record, file: self.debate.clone(), text });
        }
    }

    fn of(debate: &str) -> Self {
        Self {
            debate: debate.to_owned(),
            outcome: None,
            decided: Vec::new(),
            record_digest: None,
            turns: 0,
            rehearsal: None,
            discrepancies: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn found(&mut self, kind: Kind, file: impl Into<String>, text: impl Into<String>) {
        self.discrepancies.push(Discrepancy { kind, file: file.into(), text: text.into() });
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// A problem with the plan or with a text that the plan pins.
    fn problem(&mut self, plan_file: &str, error: &OpenError) {
        let sealed = format!("{}/plan.md", trail_beside(plan_file));
        let is_plan = |path: &str| path == plan_file || path == sealed;
        match error {
            OpenError::Edited { path, what, diff, .. } => {
                let kind = if *what == Pinned::Plan { Kind::Plan } else { Kind::Text };
                let shown: Vec<&str> =
                    diff.lines().filter(|line| !line.starts_with("---") && !line.starts_with("+++")).collect();
                let more = if shown.len() > DIFF_LINES { "\n…" } else { "" };
                let shown = shown.iter().take(DIFF_LINES).copied().collect::<Vec<_>>().join("\n");
                self.found(kind, path, format!("it was changed after the debate began\n{shown}{more}"));
            }
            OpenError::NotThere { path } if is_plan(path) => self.found(Kind::Plan, path, "it is gone"),
            OpenError::NotThere { path } => self.found(Kind::Text, path, "it is gone"),
            OpenError::Broken { path, line, text } => self.found(Kind::Plan, path, format!("line {line}: {text}")),
            OpenError::Unsound { path, defects } => self.found(Kind::Plan, path, defects.join("; ")),
            OpenError::Disk(error) => self.found(Kind::Edited, error.path(), error.to_string()),
        }
    }

    fn sort(&mut self) {
        self.discrepancies.sort_by(|a, b| (a.kind, &a.file, &a.text).cmp(&(b.kind, &b.file, &b.text)));
        self.discrepancies.dedup();
    }
}

impl Workspace {
    /// Checks every debate of the workspace. Writes nothing.
    pub fn verify_all(&self) -> Result<Vec<Verification>, EngineError> {
        let (own, _) = catalog::own_and_foreign(self.disk.as_ref())?;
        let checked: Result<Vec<_>, _> = own.iter().map(|(_, path)| self.verify_plan(path)).collect();
        let mut reports = checked?;
        for (id, plan_file) in catalog::without_plans(self.disk.as_ref())? {
            reports.push(without_plan(&id, plan_file));
        }
        Ok(reports)
    }

    /// Checks a debate by its name. Writes nothing.
    pub fn verify(&self, name: &str) -> Result<Verification, EngineError> {
        match catalog::find(self.disk.as_ref(), name) {
            Err(FindError::PlanGone { name, plan_file }) => Ok(without_plan(&name, plan_file)),
            found => self.verify_plan(&found?),
        }
    }

    /// Checks the debate whose plan is at `plan_file`, also against what this workspace knows of it. Writes nothing.
    pub fn verify_plan(&self, plan_file: &str) -> Result<Verification, EngineError> {
        let mut report = debate(&self.disk, self.protocols, plan_file)?;
        if report.turns == 0
            && !report.is_broken()
            && let Some(file) = self.known_as_closed(&report.debate)?
        {
            report.found(Kind::Dropped, file, "it knows this debate as closed, and the debate's record is gone");
        }
        Ok(report)
    }
}

/// What is wrong with a debate whose plan is gone.
fn without_plan(id: &str, plan_file: String) -> Verification {
    let mut report = Verification::of(id);
    report.found(Kind::Dropped, plan_file, "the plan is gone; its sealed copy is still in the trail");
    report
}

/// Checks the debate whose plan is at `plan_file`. Writes nothing.
pub fn debate(disk: &Arc<dyn Disk>, known: Protocols, plan_file: &str) -> Result<Verification, EngineError> {
    match check(disk, known, plan_file) {
        // Something that is no file stands where one should: that is a finding, and other debates can still be checked.
        Err(EngineError::Disk(error) | EngineError::Open(OpenError::Disk(error))) if error.is_about_one_file() => {
            Ok(unopened(plan_file, &OpenError::Disk(error)))
        }
        Err(EngineError::Open(error)) => Ok(unopened(plan_file, &error)),
        other => other,
    }
}

fn check(disk: &Arc<dyn Disk>, known: Protocols, plan_file: &str) -> Result<Verification, EngineError> {
    let (files, problems) = DebateFiles::inspect(disk, known, plan_file)?;
    let mut report = Verification::of(&files.plan.id);
    for problem in &problems {
        report.problem(plan_file, problem);
    }
    let survey = Survey::of(&files)?;
    report.turns = survey.heard.len();
    for (seat, file) in files.lost_personas() {
        match survey.has_no_context_file(&seat) {
            true => report.note(format!("{file} is missing, and {seat} was absent for that")),
            false => report.found(Kind::Text, file, "it is gone; `forge debate restore` puts it back"),
        }
    }
    let spoke = survey.heard.iter().any(|one| one.turn.key.stage != FRAMING);
    if spoke && files.disk().read(&files.layout.sealed_plan())?.is_none() {
        report.found(Kind::Plan, files.layout.sealed_plan(), "it is gone: nothing says that the plan is as it was");
    }
    let on_file = verdict::OnFile::read(&files)?;
    turns::check(&files, &survey, &on_file, &mut report)?;
    votes::check(&files, &survey, &mut report)?;
    let derived = verdict::Derived::of(&files, &survey)?;
    report.rehearsal = summary::rehearsal(&derived.account);
    files::check(&files, &survey, &derived, &on_file, &mut report)?;
    if let Some(text) = summary::replaced(&files.file.replaced(&files.texts)) {
        report.note(text);
    }
    verdict::check(&files, &survey, &derived, &on_file, &mut report)?;
    // Where something else is wrong already, another word follows, and saying so would hide the cause.
    if survey.verdict.is_some() && report.discrepancies.is_empty() {
        status(&files, &survey, on_file.is_there(), &mut report)?;
    }
    if survey.verdict.is_none() && report.discrepancies.is_empty() {
        as_if_closed(&files, &mut report)?;
    }
    report.sort();
    Ok(report)
}

/// What would follow if the waves that are complete were closed now. Of files that are not on record there is nothing else to
/// check.
fn as_if_closed(files: &DebateFiles, report: &mut Verification) -> Result<(), EngineError> {
    let survey = Survey::as_if_closed(files)?;
    report.rehearsal = summary::rehearsal(&survey.account(files)?);
    if let Some(verdict) = &survey.verdict {
        report.outcome = Some(verdict.outcome());
        report.decided = verdict.options().iter().map(|id| files.plan.option_name(id)).collect();
    }
    if !survey.provisional.is_empty() {
        let seats: Vec<&str> = survey.provisional.iter().map(|key| key.seat.as_str()).collect();
        let id = &files.plan.id;
        report.note(format!("not on record yet: {}; `forge debate run {id}` puts it on record", seats.join(", ")));
    }
    Ok(())
}

/// The status word is derived, and the only thing in which the plan may differ from its seal. Until a verdict is published
/// it may be that of an open debate.
fn status(
    files: &DebateFiles,
    survey: &Survey,
    is_published: bool,
    report: &mut Verification,
) -> Result<(), EngineError> {
    let path = files.layout.plan();
    let Some(bytes) = files.disk().read(&path)? else { return Ok(()) };
    let there = document::decode(&bytes).text;
    let word = survey.status();
    let earlier: &[&str] = if is_published { &[] } else { &["pending", "running"] };
    let mut words = earlier.iter().chain([&word]);
    if files.is_this_plan(&there) && !words.any(|word| there == files.plan_with_status(word)) {
        report.found(Kind::Report, path, format!("its status is not {word:?}, which follows"));
    }
    Ok(())
}

/// A debate that cannot even be opened.
fn unopened(plan_file: &str, error: &OpenError) -> Verification {
    let mut report = Verification::of(&id_of(plan_file));
    report.problem(plan_file, error);
    report
}

/// A debate's id from its plan's path, for a plan that does not say it.
fn id_of(plan_file: &str) -> String {
    let mut parts = plan_file.rsplit('/');
    let name = parts.next().unwrap_or(plan_file);
    match name.strip_prefix("debate-").and_then(|rest| rest.strip_suffix("-plan.md")) {
        Some(id) => id.to_owned(),
        None => parts.next().unwrap_or(name).to_owned(),
    }
}
