//! A workspace: the folder in which debates live, with the agents and the clock that serve them.

use crate::allowed::{self, Allowing, Difference};
use crate::config::DebateDefaults;
use crate::create::{self, Forking, Freshness, Opened, Request};
use crate::hand_in::Refused;
use crate::held::Against;
use crate::report;
use crate::survey::Survey;
use crate::verify;
use crate::workflow::AskedFor;
use forge_agents::{Roster, UnknownAgent};
use forge_artifacts::catalog::{self, FindError, Summary};
use forge_artifacts::disk::{Disk, DiskError, Refusal, WorkspaceDisk};
use forge_artifacts::lock::{Lock, LockError};
use forge_artifacts::outgoing;
use forge_artifacts::stamp::Stamp;
use forge_artifacts::store::{DebateFiles, OpenError};
use forge_debate::brief::RenderError;
use forge_debate::digest::Digest;
use forge_debate::plan::{Material, Plan, SeatId};
use forge_debate::protocols::Protocols;
use forge_debate::texts::Texts;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How often a lock that is held for a moment only is tried again, and how long to wait in between.
const LOCK_TRIES: usize = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> Stamp + Send + Sync>;

/// Why the engine stopped.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The disk failed; what was recorded is safe.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The debate cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// No such debate.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Another forge is at work on it.
    #[error("{what} is held by another forge: {holder}")]
    Busy {
        /// The debate or the workspace.
        what: String,
        /// Who holds it.
        holder: String,
    },
    /// A prompt cannot be rendered.
    #[error(transparent)]
    Prompt(#[from] RenderError),
    /// The record is not the one that the verdict on file was derived from; nothing is written over it.
    #[error("{what}; nothing is written over it")]
    Contradicted {
        /// The debate.
        debate: String,
        /// Which turn, and what is wrong with it.
        what: String,
        /// The verdict on file.
        verdict_file: String,
    },
    /// A debate carries the mark of a request and is not what that request says.
    #[error(
        "{plan_file} says that this command made it, and it is not what you typed:{}",
        allowed::lines(differences, "you say")
    )]
    NotAsTyped {
        /// The plan.
        plan_file: String,
        /// The debate.
        debate: String,
        /// In what.
        differences: Vec<Difference>,
    },
    /// A plan is not what the user made or the phase asks for.
    #[error("{plan_file} is not {}, so nobody is asked:{}", against.name(), allowed::lines(differences, against.says()))]
    NotAsHeld {
        /// The plan.
        plan_file: String,
        /// The debate.
        debate: String,
        /// What it was held against.
        against: Against,
        /// In what it differs.
        differences: Vec<Difference>,
    },
    /// A plan asks for less than the user does.
    #[error("{plan_file} is looser than you allow, so nobody is asked:{}", allowed::lines(differences, "you say"))]
    Looser {
        /// The plan.
        plan_file: String,
        /// The debate.
        debate: String,
        /// In what.
        differences: Vec<Difference>,
    },
    /// Agents are configured, and none of them can be asked.
    #[error("agents are configured, and none can be asked, so there is no debate:{}", reasons.iter().map(|reason| format!("\n  {reason}")).collect::<String>())]
    NobodyAnswers {
        /// Each agent, and why not.
        reasons: Vec<String>,
    },
    /// No agent is configured, and the user wants no rehearsal.
    #[error("no agent is configured, and no rehearsal is held (--no-rehearsal, or \"rehearsal\": false). {how}")]
    NoRehearsal {
        /// How to get an agent.
        how: &'static str,
    },
    /// An agent cannot be seated.
    #[error("{unknown}{hint}")]
    Agent {
        /// Why.
        unknown: UnknownAgent,
        /// What else may have been meant.
        hint: String,
    },
    /// A turn was handed in and not taken.
    #[error("{0}")]
    Turn(Box<Refused>),
    /// What was asked for makes no sense; says what to do.
    #[error("{0}")]
    Usage(String),
    /// It failed after something was done; files may have been kept elsewhere by then.
    #[error("{error}\ndone before that: {}", .done.join("; "))]
    Midway {
        /// What failed.
        error: Box<EngineError>,
        /// What was done before, a line each.
        done: Vec<String>,
    },
    /// forge's own mistake.
    #[error("{0}; this is a bug in forge, and what was recorded is safe")]
    Bug(String),
}

impl From<UnknownAgent> for EngineError {
    fn from(unknown: UnknownAgent) -> Self {
        EngineError::Agent { unknown, hint: String::new() }
    }
}

impl EngineError {
    /// For programs.
    pub fn code(&self) -> &'static str {
        match self {
            EngineError::Disk(error)
            | EngineError::Open(OpenError::Disk(error))
            | EngineError::Find(FindError::Disk(error)) => match error.is_about_one_file() {
                true => "bad_file",
                false => "disk",
            },
            EngineError::Open(OpenError::NotThere { .. }) => "no_plan",
            EngineError::Open(OpenError::Broken { .. } | OpenError::Unsound { .. }) => "bad_plan",
            EngineError::Open(OpenError::Edited { .. }) => "edited",
            EngineError::Find(FindError::Unknown { .. }) => "unknown_debate",
            EngineError::Find(FindError::PlanGone { .. }) => "plan_gone",
            EngineError::Find(FindError::NotForges { .. }) => "not_forges",
            EngineError::Find(FindError::Ambiguous { .. }) => "ambiguous_debate",
            EngineError::Busy { .. } => "busy",
            EngineError::Prompt(_) => "bad_prompt",
            EngineError::Contradicted { .. } => "contradicted",
            EngineError::NotAsTyped { .. } => "not_as_typed",
            EngineError::NotAsHeld { .. } => "not_as_held",
            EngineError::Looser { .. } => "looser",
            EngineError::NobodyAnswers { .. } => "nobody_answers",
            EngineError::NoRehearsal { .. } => "no_agent",
            EngineError::Agent { .. } => "unknown_agent",
            EngineError::Turn(refused) => refused.code(),
            EngineError::Usage(_) => "usage",
            EngineError::Midway { error, .. } => error.code(),
            EngineError::Bug(_) => "bug",
        }
    }
}

/// What was written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regenerated {
    /// The plan's file.
    pub plan_file: String,
    /// Whether a seat has been asked already.
    pub sealed: bool,
    /// Seats whose files have words.
    pub writers: Vec<SeatId>,
    /// What the plan took over, in words.
    pub changed: Vec<String>,
    /// Where the plan as it was is kept, if it says something else now.
    pub kept: Option<String>,
}

impl Regenerated {
    /// Whether the plan itself was left as it is.
    pub fn is_left_alone(&self) -> bool {
        self.sealed || !self.writers.is_empty()
    }
}

/// Puts another question and other options into a plan in which nobody has spoken, and tells what changed.
fn renew(files: &DebateFiles, asked: AskedFor) -> Result<Vec<String>, EngineError> {
    let AskedFor { question, options, at_stake, documents, .. } = asked;
    let mut changed = Vec::new();
    let mut plan = files.plan.clone();
    plan.at_stake = at_stake;
    if question != plan.question {
        changed.push(format!("the objective is now {question:?}"));
        plan.seed = Digest::of(question.as_bytes()).seed();
        plan.question = question;
    }
    if !options.is_empty() && options != plan.options {
        let names: Vec<String> = options.iter().map(ToString::to_string).collect();
        changed.push(format!("the options are now {}", names.join(", ")));
        plan.options = options;
    }
    let defects = plan.defects();
    if !defects.is_empty() {
        return Err(EngineError::Usage(defects.join("\n")));
    }
    files.unseal()?;
    if documents == files.plan.materials {
        files.put_plan(plan)?;
        return Ok(changed);
    }
    let is_new = |one: &&Material| !files.plan.materials.contains(one);
    let names: Vec<&str> = documents.iter().filter(is_new).map(|one| one.name.as_str()).collect();
    changed.push(match names.as_slice() {
        [] => "what is no longer there is no longer sent".to_owned(),
        names => format!("what is sent is as it is now: {}", names.join(", ")),
    });
    files.put_plan_with(plan, &documents)?;
    Ok(changed)
}

impl From<Refused> for EngineError {
    fn from(refused: Refused) -> Self {
        EngineError::Turn(Box::new(refused))
    }
}

/// The folder, the agents, the clock.
#[derive(Clone)]
pub struct Workspace {
    /// Where files are read and written.
    pub disk: Arc<dyn Disk>,
    /// Where locks are taken.
    pub locks: Arc<WorkspaceDisk>,
    /// Who can be asked.
    pub roster: Arc<Roster>,
    /// The rules that are known here.
    pub protocols: Protocols,
    /// Where the time comes from.
    pub clock: Clock,
    /// The rules that the user's configuration gives debates.
    pub defaults: Arc<DebateDefaults>,
    /// Where it is kept which debates were made here, outside of the workspace. None where nobody keeps it: then no debate is
    /// known to be somebody else's.
    pub made: Option<Arc<dyn Disk>>,
    /// Where words wait that were handed in, until their wave is complete: outside of the workspace. None where nobody keeps
    /// them: then they lie open at once.
    pub vault: Option<Arc<dyn Disk>>,
    /// How often a debate that another forge holds is tried again before that is told.
    pub patience: usize,
    /// The host that runs forge and may not speak for people, if one does.
    pub host: Option<String>,
}

impl Workspace {
    /// Finds the debate for a request, or makes it.
    pub fn open_or_create(&self, request: &Request, freshness: Freshness) -> Result<Opened, EngineError> {
        create::open_or_create(self, request, freshness)
    }

    /// Whether every seat of a plan can be seated, and held against the plan's cap on money; says what is wrong with the
    /// first that cannot.
    pub fn check_hands(&self, plan: &Plan) -> Result<(), EngineError> {
        create::check_hands(self, plan)
    }

    /// Whether what a request says can be held, before anybody is looked for whom forge would choose.
    pub fn check_named(&self, request: &Request) -> Result<(), EngineError> {
        create::check_named(self, request)
    }

    /// The debate that this request made before, if it did.
    pub fn made_before(&self, request: &Request) -> Result<Option<DebateFiles>, EngineError> {
        create::made_before(self, request)
    }

    /// Opens a debate by its name.
    pub fn open(&self, name: &str) -> Result<DebateFiles, EngineError> {
        let path = catalog::find(self.disk.as_ref(), name)?;
        self.open_file(&path)
    }

    /// Opens the debate whose plan lies at this path of the workspace.
    pub fn open_file(&self, path: &str) -> Result<DebateFiles, EngineError> {
        Ok(DebateFiles::open(&self.disk, self.protocols, path)?)
    }

    /// Opens the debate of a folder or plan anywhere on this machine, for reading: the workspace that is returned with it
    /// shows that folder alone and writes nothing.
    pub fn open_folder(&self, path: &Path) -> Result<(Self, DebateFiles), EngineError> {
        let mut found = verify::mounted(path, self.protocols)?;
        let count = found.len();
        let (Some(only), 1) = (found.pop(), count) else {
            return Err(EngineError::Usage(format!(
                "{}: {count} debates are in this folder; give the plan of one",
                path.display()
            )));
        };
        let files = DebateFiles::open(&only.disk, self.protocols, &only.plan_file)?;
        Ok((Self { disk: only.disk, ..self.clone() }, files))
    }

    /// A file that seats will read and that the user did not name: one of forge's own `place`, or one that a workflow file
    /// names. What the repository leaves out, what usually holds secrets, and a file with other names too is refused.
    pub(crate) fn read_to_send(&self, path: &str, place: &str) -> Result<Option<Vec<u8>>, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(None) };
        if let Some(why) = outgoing::held_back_in_tree(self.locks.root(), path, place) {
            let text = format!("{path}: {why}, so it is sent to nobody; move it away, or give it another name");
            return Err(EngineError::Usage(text));
        }
        match self.locks.names(path)? {
            Some(count) if count > 1 => {
                Err(DiskError::Refused { path: path.to_owned(), why: Refusal::Names(count) }.into())
            }
            _ => Ok(Some(bytes)),
        }
    }

    /// The roles and prompts with which a request's debate would be made: forge's, the project's, and the user's personas.
    pub fn texts_for(&self, request: &Request) -> Result<Texts, EngineError> {
        create::texts_for(self, request)
    }

    /// Makes a new debate from the plan of another, as that plan is now. It may spend what the other has left, or what the
    /// user gives it anew; without `allow` the plan alone holds.
    pub fn fork(&self, name: &str, forking: Forking, allow: Option<&Allowing<'_>>) -> Result<DebateFiles, EngineError> {
        let path = catalog::find(self.disk.as_ref(), name)?;
        create::fork(self, &path, forking, allow)
    }

    /// Renews a debate: its plan takes over what its phase asks for now, while nobody has written anything, and its readable
    /// part and the reports are written anew.
    pub fn regenerate(&self, name: &str) -> Result<Regenerated, EngineError> {
        let files = self.open(name)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        report::refuse_another_record(&files, &survey)?;
        if survey.verdict.as_ref().is_some_and(|verdict| verdict.decision.is_some()) {
            self.refuse_found_decision(&files)?;
        }
        let mut done = Regenerated {
            plan_file: files.layout.plan(),
            sealed: files.is_sealed()?,
            writers: survey.writers(),
            changed: Vec::new(),
            kept: None,
        };
        let before = self.disk.read(&done.plan_file)?;
        // What somebody else changed in it does not become the user's by this.
        let is_as_made = self.is_as_made(&files)?;
        if !done.is_left_alone() {
            let kept = self.copy_aside(&done.plan_file)?;
            match self.asked_for(&files.plan.id)? {
                Some(asked) => done.changed = renew(&files, asked)?,
                None => {
                    // What was laid out for people says what the plan said before.
                    files.unseal()?;
                    files.rewrite_plan()?;
                }
            }
            if self.disk.read(&done.plan_file)? == before {
                self.disk.remove(&kept)?;
            } else {
                done.kept = Some(kept);
            }
        }
        let files = self.open(&files.layout.plan())?;
        if !done.changed.is_empty() && is_as_made {
            self.keep_made(&files);
        }
        let survey = Survey::of(&files)?;
        if survey.verdict.is_some() {
            report::publish(&files, &survey)?;
        } else {
            report::publish_open(&files, &survey)?;
        }
        Ok(done)
    }

    /// Reads a debate and tells where it stands, as if every wave that is complete were closed now.
    pub fn look(&self, files: &DebateFiles) -> Result<Survey, EngineError> {
        let survey = Survey::as_if_closed(files)?;
        if self.is_decided_by_others(files, &survey)? { Survey::as_if_undecided(files) } else { Ok(survey) }
    }

    /// Reads a debate and tells where its record stands.
    pub fn survey(&self, files: &DebateFiles) -> Result<Survey, EngineError> {
        Survey::of(files)
    }

    /// All debates: those that are over as the last run left them, the others as if every wave that is complete were closed
    /// now.
    pub fn list(&self) -> Result<Vec<Summary>, EngineError> {
        let mut all = catalog::summaries(self.disk.as_ref(), self.protocols)?;
        for row in all.iter_mut().filter(|row| row.is_open) {
            // One that cannot be read is told by whoever asks for it.
            let Ok(files) = self.open_file(&row.plan_file) else { continue };
            let Ok(survey) = Survey::as_if_closed(&files) else { continue };
            let outcome = survey.verdict.as_ref().map(|verdict| verdict.outcome().word());
            row.standing = outcome.unwrap_or_else(|| survey.status()).to_owned();
        }
        Ok(all)
    }

    /// Holds a debate against every other forge until dropped.
    pub(crate) fn hold(&self, files: &DebateFiles) -> Result<Lock, EngineError> {
        self.lock_with_patience(&files.layout.lock(), &format!("debate {}", files.plan.id), self.patience)
    }

    /// Like [`lock`](Self::lock) for a lock that is only ever held for a moment.
    pub(crate) fn lock_patiently(&self, path: &str, what: &str) -> Result<Lock, EngineError> {
        self.lock_with_patience(path, what, LOCK_TRIES)
    }

    /// Tries a lock so often, with a pause in between.
    pub(crate) fn lock_with_patience(&self, path: &str, what: &str, tries: usize) -> Result<Lock, EngineError> {
        let mut last = self.lock(path, what);
        for _ in 0..tries {
            match last {
                Err(EngineError::Busy { .. }) => std::thread::sleep(LOCK_PAUSE),
                settled => return settled,
            }
            last = self.lock(path, what);
        }
        last
    }

    pub(crate) fn lock(&self, path: &str, what: &str) -> Result<Lock, EngineError> {
        let who = format!("since {}", (self.clock)());
        Lock::acquire(&self.locks, path, &who).map_err(|error| match error {
            LockError::Busy { holder } => EngineError::Busy { what: what.to_owned(), holder },
            LockError::Disk(error) => EngineError::Disk(error),
        })
    }
}
