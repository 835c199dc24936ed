//! Agent CLIs: what holds for all of them. Their differences are in `recipes`, and in the user's configuration.
//!
//! Promises: a program sees what its recipe and the configuration list of forge's environment, and nothing else; it runs
//! in a folder of its own that holds nothing but the seat's context file; its prompt comes from its standard input or a
//! file of that folder, never from an argument; no key that the call knows leaves it in a reply, a receipt or a sentence.
//!
//! What runs where: the program runs under the keeper and in its sandbox, and so does the question for its version. The
//! user's own `key_command` does not: it is the user's command, with the user's environment and without a sandbox, since it
//! has to reach keyrings and ask its owner; it is bounded in time, and its process group is ended.
//!
//! Time: what the version and the key take is taken off the program's, so that all of it fits into the call's deadline.
//!
//! Must never: take a program's exit code for an answer, or its output for one without its code; write into the user's
//! home by itself; start an agent's program in another way than through the keeper; pass on a model's name that a program
//! would take for a flag.
//!
//! If the process dies here: the keeper ends the program and removes the folder. A `key_command` is left running.

pub(crate) mod access;
pub(crate) mod danger;
mod own;
pub(crate) mod place;
pub(crate) mod privacy;
pub(crate) mod program;
pub(crate) mod scratch;
pub(crate) mod secrets;
pub(crate) mod surroundings;
mod words;

use crate::agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply};
use crate::finding::advice;
use crate::keeper::{Ended, How, Job, Keeper, Limits};
use crate::key::{Key, Keys};
use crate::lane::Lane;
use crate::recipes::reading::without_ansi;
use crate::recipes::{self, Occasion, Preparation, Printed, Recipe, Said, Trouble};
use crate::roster::{Roster, UnknownAgent};
use crate::settings::{AgentSettings, OutputShape, PromptWay, RosterSettings, is_model_name};
pub use access::{Authentication, authentication};
use place::Tenant;
pub(crate) use program::packaged_version;
pub use program::{program_of, version_of};
pub(crate) use scratch::Scratch;
use secrets::Secrets;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout};
use words::{Places, opened, separated, unseparated, within};

/// Calls of one agent at once, where the configuration says nothing.
const PARALLEL: usize = 4;
/// How long nobody starts another call after one that was refused for rate.
const RATE_PAUSE: Duration = Duration::from_secs(10);
/// How long a program has between TERM and KILL.
const GRACE: Duration = Duration::from_secs(3);
/// The most of a deadline that the grace may be: one part of so many.
const GRACE_PART: u32 = 5;
/// How much a program may print: so many times the reply, since some print it twice and as JSON, ...
const STDOUT_TIMES: usize = 8;
/// ... and for what it says about itself.
const STDOUT_BASE: usize = 8 * 1024 * 1024;
/// The most bytes of complaints that are kept.
const STDERR_BYTES: usize = 256 * 1024;
/// The most of a call's time that the question for the program's version may take: one part of so many.
const VERSION_PART: u32 = 4;
/// Where the prompt is, for programs that read it from a file.
const PROMPT_FILE: &str = "prompt.md";

/// Seats an agent CLI, with the model where one is named: a recipe's, or the user's own.
pub(crate) fn seat(roster: &Roster, name: &str, model: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    let settings = roster.settings();
    let wrong = |problem: String| UnknownAgent::Settings { name: name.to_owned(), problem };
    let short = name.split_once(':').map_or(name, |(short, _)| short).trim();
    let own = settings.agents.get(short).cloned().unwrap_or_default();
    let recipe = recipes::named(short);
    if !settings.allow_dangerous
        && let Some(flag) = danger::found(&own, recipe)
    {
        return Err(wrong(format!(
            "{flag:?} would switch its safety off; take it out of agents.{short}, or set allow_dangerous in your own configuration"
        )));
    }
    let command = own.command.clone().or_else(|| recipe.map(|recipe| recipe.name.to_owned()));
    let Some(command) = command else { return Err(wrong(format!("agents.{short} names no command"))) };
    let Some(program) = program::find(settings, &command) else {
        let install =
            recipe.filter(|_| own.command.is_none()).map(|recipe| format!("; install it: {}", recipe.install));
        return Err(wrong(format!("there is no program {command:?} on PATH{}", install.unwrap_or_default())));
    };
    let Some(keeper) = settings.keeper.clone() else {
        return Err(wrong("programs cannot be started here: no keeper is set".to_owned()));
    };
    if recipe.is_none()
        && own.prompt == Some(PromptWay::File)
        && !own.args.iter().flatten().any(|a| a.contains("{prompt_file}"))
    {
        return Err(wrong(format!(
            "agents.{short} reads its prompt from a file, and none of its args has {{prompt_file}}"
        )));
    }
    if recipe.is_none() && own.key_command.is_some() && own.key_env.is_none() {
        return Err(wrong(format!(
            "agents.{short} has a key_command and no key_env to say under which name it is given"
        )));
    }
    let model = Some(model.trim().to_owned()).filter(|model| !model.is_empty());
    let model = model.or_else(|| own.model.clone());
    let model = model.or_else(|| recipes::default_model(short).map(str::to_owned));
    if let Some(odd) = model.as_deref().filter(|model| !is_model_name(model)) {
        return Err(wrong(format!("{odd:?} is no model's name: it has no blanks and does not begin with -")));
    }
    let lane = roster.lane(short, own.parallel.unwrap_or(PARALLEL));
    Ok(Arc::new(Cli {
        name: name.to_owned(),
        recipe,
        own,
        settings: settings.clone(),
        command,
        program,
        keeper,
        model,
        lane,
        keys: roster.keys(),
        version: OnceCell::new(),
    }))
}

/// An agent CLI.
struct Cli {
    name: String,
    recipe: Option<&'static Recipe>,
    own: AgentSettings,
    settings: RosterSettings,
    command: String,
    program: PathBuf,
    keeper: Keeper,
    model: Option<String>,
    lane: Arc<Lane>,
    keys: Arc<Keys>,
    version: OnceCell<Option<String>>,
}

impl Agent for Cli {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a> {
        Box::pin(self.ask(call))
    }

    fn lane(&self) -> Option<Arc<Lane>> {
        Some(Arc::clone(&self.lane))
    }
}

/// A call that can be run.
struct Prepared {
    job: Job,
    input: Vec<u8>,
    notes: Vec<String>,
    secrets: Secrets,
    places: Places,
}

impl Cli {
    async fn ask(&self, call: &Call) -> Result<Reply, Failure> {
        let (began, time) = (Instant::now(), time_of(call));
        let left = || time.saturating_sub(began.elapsed());
        let mut receipt = Receipt {
            program: self.command.clone(),
            model_asked: self.model.clone(),
            version: timeout(time / VERSION_PART, self.version()).await.ok().flatten(),
            tries: 1,
            ..Receipt::default()
        };
        let late = |about: &str| (FailureKind::TimedOut, format!("{}: {about}", self.command));
        let key = match timeout(left(), self.key()).await {
            Ok(Ok(key)) if !left().is_zero() => Ok(key),
            Ok(Ok(_)) => Err(late("its time was up before it could be started")),
            Ok(Err(detail)) if !left().is_zero() => Err((FailureKind::NoAuth, detail)),
            Ok(Err(_)) | Err(_) => Err(late("its key did not come before its time was up")),
        };
        let key = match key {
            Ok(key) => key,
            Err((kind, detail)) => return Err(Failure { kind, detail, receipt }),
        };
        let prepared = match self.prepare(call, &key, left()) {
            Ok(prepared) => prepared,
            Err(error) => {
                let detail = format!("{}: its folder cannot be made: {error}", self.command);
                return Err(Failure { kind: FailureKind::Crashed, detail, receipt });
            }
        };
        let Prepared { job, input, notes, secrets, places } = prepared;
        receipt.notes = notes;
        receipt.arguments = job.arguments.iter().map(|argument| secrets.blotted(&argument.to_string_lossy())).collect();
        let ended = self.keeper.run(&job, &input).await;
        receipt.sandbox = Some(ended.sandbox.clone()).filter(|words| !words.is_empty());
        receipt.exit = match ended.how {
            How::Exited(code) => Some(i64::from(code)),
            How::Signalled(signal) => Some(-i64::from(signal)),
            _ => None,
        };
        receipt.notes.extend(remains(&ended));
        match self.judge(call, &ended, (&secrets, &places), &mut receipt) {
            Ok(bytes) => Ok(Reply { bytes, receipt }),
            Err((kind, detail)) => Err(Failure { kind, detail, receipt }),
        }
    }

    /// What came of it: the answer's bytes, or why there are none.
    fn judge(
        &self,
        call: &Call,
        ended: &Ended,
        (secrets, places): (&Secrets, &Places),
        receipt: &mut Receipt,
    ) -> Result<Vec<u8>, (FailureKind, String)> {
        let stdout = String::from_utf8_lossy(&ended.stdout);
        let stderr = without_ansi(&String::from_utf8_lossy(&ended.stderr));
        let printed = Printed { how: &ended.how, stdout: &stdout, stderr: &stderr };
        let read = match self.recipe {
            Some(recipe) => (recipe.read)(&printed),
            None => own::read(&printed, self.own.output.as_ref().unwrap_or(&OutputShape::Text)),
        };
        let said = read.map(|said| within(said, call.reply_limit_bytes));
        let (served, tries, notes) = match &said {
            Ok(said) => (&said.served, said.tries, &said.notes),
            Err(trouble) => (&*trouble.served, trouble.tries, &trouble.notes),
        };
        receipt.notes.extend(notes.iter().map(|note| secrets.blotted(&places.told(note))));
        receipt.tries = tries.unwrap_or(1).max(1);
        receipt.served = served.clone();
        match said {
            Ok(Said { text, served, .. }) => {
                receipt.notes.extend(self.another_model(served.model.as_deref()));
                let text = if self.neutralises() { unseparated(&text) } else { Cow::Borrowed(text.as_str()) };
                Ok(secrets.blotted(&text).into_bytes())
            }
            Err(Trouble { kind, detail, status, .. }) => {
                if kind == FailureKind::RateLimited {
                    self.lane.hold(RATE_PAUSE);
                }
                receipt.notes.extend(status.map(|status| format!("{}{status}", advice::STATUS_NOTE)));
                let detail = places.told(&detail);
                Err((kind, secrets.blotted(&format!("{}: {detail}{}", self.command, self.hint(kind)))))
            }
        }
    }

    /// What a person can do about it.
    fn hint(&self, kind: FailureKind) -> String {
        self.recipe.map(|recipe| advice::hint(&self.settings, &self.name, recipe, kind)).unwrap_or_default()
    }

    fn another_model(&self, served: Option<&str>) -> Option<String> {
        let (asked, served) = (self.model.as_deref()?, served?);
        // What is asked for may be a short name, or have its provider before it.
        let is_same = served.contains(asked) || asked.contains(served);
        (!is_same).then(|| format!("asked for {asked}, served by {served}"))
    }

    /// Whether text from others is kept from being read as a path. For the user's own programs nobody knows: so it is.
    fn neutralises(&self) -> bool {
        self.recipe.is_none_or(|recipe| recipe.expands_paths)
    }

    async fn version(&self) -> Option<String> {
        self.version.get_or_init(|| version_of(&self.settings, &self.program)).await.clone()
    }

    async fn key(&self) -> Result<Key, String> {
        let known = self.recipe.map(|recipe| recipe.keys_for(self.model.as_deref())).unwrap_or_default();
        self.keys.of(&self.settings, &self.own, &known).await.map_err(|problem| format!("{}: {problem}", self.command))
    }

    /// Makes the seat's folder and everything in it, and the job.
    fn prepare(&self, call: &Call, key: &Key, time: Duration) -> io::Result<Prepared> {
        let (text, neutralised) = self.prompt(&call.brief.text());
        let notes = (neutralised > 0).then(|| format!("`@` neutralised {neutralised} times"));
        let by_file = self.recipe.is_none() && self.own.prompt == Some(PromptWay::File);
        let prepare = |occasion: &Occasion<'_>| match self.recipe {
            Some(recipe) => {
                let mut prepared = (recipe.prepare)(occasion);
                prepared.arguments.extend(self.own.args.iter().flatten().cloned());
                prepared
            }
            None => self.own_preparation(occasion, Some(&text).filter(|_| by_file)),
        };
        let (settings, own, recipe) = (&self.settings, &self.own, self.recipe);
        let tenant = Tenant { settings, own, recipe, model: self.model.as_deref(), key, program: &self.program };
        let mut place = tenant.place(call, time, prepare, |persona| self.separated(persona).0)?;
        let job = Job {
            program: self.program.clone(),
            arguments: place.arguments.into_iter().map(OsString::from).collect(),
            environment: place.environment.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            folder: place.scratch.folder(),
            writable: place.writable,
            hidden: place.hidden,
            sandbox: self.settings.sandbox,
            scratch: Some(place.scratch.root().to_owned()),
            limits: self.limits(call, time),
        };
        place.scratch.leave();
        let input = if by_file { Vec::new() } else { text.into_bytes() };
        let notes = notes.into_iter().collect();
        Ok(Prepared { job, input, notes, secrets: place.secrets, places: place.places })
    }

    /// What the user's own program is given: its arguments, its key, and its prompt where it reads a file.
    fn own_preparation(&self, occasion: &Occasion<'_>, prompt: Option<&String>) -> Preparation {
        let prompt = prompt.map(|text| (occasion.folder.join(PROMPT_FILE), text.clone()));
        let prompt_file = prompt.as_ref().map(|(file, _)| file.display().to_string());
        let arguments = own::arguments(&self.own, self.model.as_deref(), prompt_file.as_deref());
        let key = occasion.key_variable.zip(occasion.key);
        let environment = key.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        Preparation { arguments, environment, files: prompt.into_iter().collect(), ..Preparation::default() }
    }

    fn limits(&self, call: &Call, total: Duration) -> Limits {
        let silence = self.recipe.and_then(|recipe| recipe.silence).unwrap_or((total, total));
        Limits {
            first_byte: self.settings.first_byte.unwrap_or(silence.0).min(total),
            idle: self.settings.idle.unwrap_or(silence.1).min(total),
            total,
            grace: GRACE.min(call.deadline / GRACE_PART),
            stdout_bytes: call.reply_limit_bytes.saturating_mul(STDOUT_TIMES).saturating_add(STDOUT_BASE),
            stderr_bytes: STDERR_BYTES,
        }
    }

    /// The prompt as the program may see it, and how many paths were kept from being read.
    fn prompt(&self, text: &str) -> (String, usize) {
        let (text, neutralised) = self.separated(text);
        (opened(text), neutralised)
    }

    fn separated(&self, text: &str) -> (String, usize) {
        if self.neutralises() { separated(text) } else { (text.to_owned(), 0) }
    }
}

/// How long a call's program may take, with everything that comes before it.
fn time_of(call: &Call) -> Duration {
    // Ending it comes after that: whoever asks waits a little longer than the deadline.
    call.deadline
}

/// What a program left besides its answer.
pub(crate) fn remains(ended: &Ended) -> Vec<String> {
    let mut notes = Vec::new();
    if ended.leaked_pipe {
        notes.push("something that it left behind held its output open".to_owned());
    }
    if !ended.left_behind.is_empty() {
        notes.push(format!("left behind and ended: {}", ended.left_behind.join(", ")));
    }
    notes
}
