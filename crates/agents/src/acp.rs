//! Agents that speak the Agent Client Protocol: `acp:<command>`.
//!
//! Each call starts the program anew in a folder of its own, under the keeper, asks once and ends it. Read [`talk`] for the
//! conversation, `hearing` for what is made of it, `mode` for how the agent is kept from writing, `adapters` for what is prepared;
//! where it runs is the matter of `cli::place`.
//!
//! Promises: the command is run without a shell; nothing that the agent asks for is granted; every count and wait has a
//! limit; values of keys are in nothing that comes back.
//!
//! If the process dies here: the keeper ends the program and removes its folder.

mod adapters;
mod hearing;
mod lines;
mod mode;
mod talk;
mod trouble;
mod usage;
mod words;

use crate::agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply};
use crate::cli::place::{Place, Tenant};
use crate::cli::{self, danger, program};
use crate::keeper::{Conversation, Ended, How, Job, Keeper, Limits};
use crate::key::Keys;
use crate::lane::Lane;
use crate::recipes::{Occasion, Recipe};
use crate::roster::{Roster, UnknownAgent};
use crate::settings::{AgentSettings, RosterSettings};
use hearing::Hearing;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use talk::{Errand, Introduction};
use tokio::time::{Instant, timeout_at};
use trouble::Setback;

/// How long an agent may take until it has greeted and opened a session, where the settings do not say.
const OPENING_LIMIT: Duration = Duration::from_secs(90);
/// How long it may take to stop when its time is up.
const STOPPING_LIMIT: Duration = Duration::from_secs(1);
/// How long it may take to end by itself once it is not needed, and again between TERM and KILL.
const GRACE: Duration = Duration::from_secs(2);
/// What is left of a call's time for its receipt.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// The most bytes of its complaints that are kept.
const STDERR_LIMIT_BYTES: usize = 64 * 1024;
/// The most characters of its complaints that are repeated.
const COMPLAINT_CHARS: usize = 300;
/// What keeps `@path` from being replaced by that file's contents; as good as invisible.
const GUARD: &str = "\u{200b}";

/// Put before a prompt that an agent would take for a command.
const OPENING: &str = "Read what follows and answer it.\n\n";
/// Calls of one agent at once, where the configuration says nothing.
const PARALLEL: usize = 4;
/// How long nobody starts another call after one that was refused for rate.
const RATE_PAUSE: Duration = Duration::from_secs(10);
/// What the configuration calls all of these agents.
const SECTION: &str = "acp";

/// Seats the agent that a command starts.
pub(crate) fn seat(roster: &Roster, name: &str, command: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    let settings = roster.settings();
    let refused = |problem: String| UnknownAgent::Settings { name: name.to_owned(), problem };
    let mut words = words::split(command).map_err(refused)?;
    let known = adapters::recipe_of(&words);
    let recipe = known.map(|(_, recipe)| recipe);
    let own = settings.agents.get(SECTION).cloned().unwrap_or_default();
    if let Some(flag) = dangerous(&words, &own, known).filter(|_| !settings.allow_dangerous) {
        let problem = format!(
            "{flag:?} would switch its safety off; leave it out, or set allow_dangerous in your own configuration"
        );
        return Err(refused(problem));
    }
    if recipe.is_none() && own.key_command.is_some() && own.key_env.is_none() {
        let problem = format!("agents.{SECTION} has a key_command and no key_env to say under which name it is given");
        return Err(refused(problem));
    }
    let Some(keeper) = settings.keeper.clone() else {
        return Err(refused("programs cannot be started here".to_owned()));
    };
    // An agent CLI has one account, however it is spoken with.
    let account = recipe.map_or_else(|| account(&words), |recipe| recipe.name.to_owned());
    let lane = roster.lane(&account, own.parallel.unwrap_or(PARALLEL));
    let command = words.remove(0);
    let Some(program) = program::find(settings, &command) else {
        let install = recipe.map(|recipe| format!("; its agent is installed with: {}", recipe.install));
        return Err(refused(format!("there is no program {command:?} on PATH{}", install.unwrap_or_default())));
    };
    Ok(Arc::new(Acp {
        name: name.to_owned(),
        command,
        program,
        arguments: words,
        recipe,
        own,
        settings: settings.clone(),
        keys: roster.keys(),
        keeper,
        lane,
    }))
}

/// The recipe of the agent CLI that a command is, or brings to the protocol.
pub(crate) fn recipe_in(command: &str) -> Option<&'static Recipe> {
    adapters::recipe_of(&words::split(command).ok()?).map(|(_, recipe)| recipe)
}

/// The first of the words, or of the configuration, that would switch a program's safety off. What stands before the word
/// that names a known program is its launcher's, and means something else there.
fn dangerous(words: &[String], own: &AgentSettings, known: Option<(usize, &Recipe)>) -> Option<String> {
    let (launching, arguments) = words.split_at(known.map_or(0, |(at, _)| at + 1));
    let with = |words: &[String]| AgentSettings { args: Some(words.to_vec()), command: None, ..own.clone() };
    danger::found(&with(launching), None).or_else(|| danger::found(&with(arguments), known.map(|(_, recipe)| recipe)))
}

/// The account of a command that is not known: the same one whatever model it is told to use.
fn account(words: &[String]) -> String {
    let mut kept = vec![SECTION];
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        if MODEL_FLAGS.contains(&word) {
            rest.next();
        } else if !word.starts_with(MODEL_BEGINNING) {
            kept.push(word);
        }
    }
    kept.join("\0")
}

struct Acp {
    name: String,
    command: String,
    program: PathBuf,
    arguments: Vec<String>,
    recipe: Option<&'static Recipe>,
    own: AgentSettings,
    settings: RosterSettings,
    keys: Arc<Keys>,
    keeper: Keeper,
    lane: Arc<Lane>,
}

impl Acp {
    fn job(&self, place: &Place, call: &Call) -> Job {
        Job {
            program: self.program.clone(),
            arguments: self.arguments.iter().chain(&place.arguments).map(Into::into).collect(),
            environment: place.environment.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            folder: place.scratch.folder(),
            writable: place.writable.clone(),
            hidden: place.hidden.clone(),
            sandbox: self.settings.sandbox,
            scratch: Some(place.scratch.root().to_owned()),
            limits: Limits {
                // The conversation has its own, and an agent that thinks is silent.
                first_byte: call.deadline,
                idle: call.deadline,
                total: call.deadline,
                grace: GRACE,
                // Ours is met first, and says more.
                stdout_bytes: lines::CALL_LIMIT_BYTES + lines::LINE_LIMIT_BYTES,
                stderr_bytes: STDERR_LIMIT_BYTES,
            },
        }
    }

    async fn ask(&self, call: &Call, receipt: &mut Receipt) -> Result<String, Setback> {
        let started = Instant::now();
        let known = self.recipe.map(|recipe| recipe.keys_for(self.own.model.as_deref())).unwrap_or_default();
        let key = timeout_at(started + call.deadline, self.keys.of(&self.settings, &self.own, &known)).await;
        let key = key
            .map_err(|_| Setback::new(FailureKind::TimedOut, format!("agents.{SECTION}.key_command took too long")))?
            .map_err(|problem| Setback::new(FailureKind::NoAuth, format!("agents.{SECTION}: {problem}")))?;
        let (settings, own, recipe) = (&self.settings, &self.own, self.recipe);
        let tenant = Tenant { settings, own, recipe, model: own.model.as_deref(), key: &key, program: &self.program };
        let prepare = |occasion: &Occasion<'_>| adapters::preparation(recipe, occasion);
        let mut place = tenant
            .place(call, call.deadline, prepare, guarded)
            .map_err(|error| Setback::new(FailureKind::Crashed, format!("its folder cannot be made: {error}")))?;
        receipt.arguments.extend(place.arguments.iter().cloned());
        let outcome = self.run(call, &mut place, started, receipt).await;
        let blot = |text: String| place.secrets.blotted(&text);
        let tell = |text: String| blot(place.places.told(&text));
        receipt.notes = std::mem::take(&mut receipt.notes).into_iter().map(tell).collect();
        receipt.arguments = std::mem::take(&mut receipt.arguments).into_iter().map(blot).collect();
        outcome.map(blot).map_err(|setback| Setback { detail: tell(setback.detail), ..setback })
    }

    async fn run(
        &self,
        call: &Call,
        place: &mut Place,
        started: Instant,
        receipt: &mut Receipt,
    ) -> Result<String, Setback> {
        let stopping = STOPPING_LIMIT.min(call.deadline / 10);
        let errand = Errand {
            folder: place.scratch.folder(),
            prompt: prompt(&call.brief.text()),
            opening: self.settings.first_byte.unwrap_or(OPENING_LIMIT),
            until: started + call.deadline - stopping * 2,
            stopping,
            reply_limit_bytes: call.reply_limit_bytes,
        };
        let conversation = self.keeper.converse(&self.job(place, call));
        place.scratch.leave();
        let Conversation { input, output, ending } = conversation
            .map_err(|why| Setback::new(FailureKind::Unreachable, format!("it could not be started: {why}")))?;
        let hearing = Arc::new(Hearing::new(call.reply_limit_bytes));
        let introduction = Mutex::new(Introduction::default());
        let told = talk::talk(input, output, &errand, &hearing, &introduction).await;
        self.sum_up(&hearing, introduction, receipt);
        // Where there is no time left to wait for its end, that comes about without us.
        let ended = timeout_at(started + call.deadline.saturating_sub(LAST_WORDS), ending.end()).await.ok();
        if let Some(ended) = &ended {
            note_end(ended, receipt);
        }
        told.map_err(|setback| explained(setback, ended.as_ref()))?;
        let heard = hearing.heard();
        if let Some(remark) = heard.breakdown() {
            return Err(trouble::remark(remark));
        }
        let answer = heard.answer().replace(&format!("@{GUARD}"), "@");
        if answer.trim().is_empty() {
            return Err(Setback::new(FailureKind::Crashed, "it ended its turn and answered with nothing"));
        }
        Ok(answer)
    }

    fn sum_up(&self, hearing: &Hearing, introduction: Mutex<Introduction>, receipt: &mut Receipt) {
        let introduction = introduction.into_inner().unwrap_or_else(PoisonError::into_inner);
        let heard = hearing.heard();
        receipt.version = introduction.version;
        receipt.served = heard.served.clone();
        receipt.served.model = heard.served.model.clone().or(introduction.model);
        receipt.notes.extend(introduction.notes);
        let counted = [
            (heard.tool_calls, "tool calls"),
            (heard.permissions, "permissions asked for and refused"),
            (heard.requests, "other requests refused"),
            (heard.strays, "lines that are no messages, left out"),
            (heard.remarks(), "of the program's own remarks left out of the answer"),
        ];
        receipt.notes.extend(counted.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    }
}

impl Agent for Acp {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a> {
        Box::pin(async move {
            let mut receipt = Receipt {
                program: self.command.clone(),
                arguments: self.arguments.clone(),
                model_asked: model_asked(&self.arguments),
                tries: 1,
                ..Receipt::default()
            };
            match self.ask(call, &mut receipt).await {
                Ok(text) => Ok(Reply { bytes: text.into_bytes(), receipt }),
                Err(Setback { kind, detail }) => {
                    if kind == FailureKind::RateLimited {
                        self.lane.hold(RATE_PAUSE);
                    }
                    Err(Failure { kind, detail, receipt })
                }
            }
        })
    }

    fn lane(&self) -> Option<Arc<Lane>> {
        Some(Arc::clone(&self.lane))
    }
}

/// What became of the program, in the receipt.
fn note_end(ended: &Ended, receipt: &mut Receipt) {
    receipt.sandbox = Some(ended.sandbox.clone());
    if let How::Exited(code) = ended.how {
        receipt.exit = Some(i64::from(code));
    }
    receipt.notes.extend(cli::remains(ended));
}

/// A failure of the program itself, with what is known about its end.
fn explained(setback: Setback, ended: Option<&Ended>) -> Setback {
    let Some(ended) = ended.filter(|_| matches!(setback.kind, FailureKind::Crashed | FailureKind::Unparsable)) else {
        return setback;
    };
    let kind = match &ended.how {
        How::NotStarted(why) => {
            return Setback::new(FailureKind::Unreachable, format!("it could not be started: {why}"));
        }
        How::Lost(why) => return Setback { detail: format!("{}; {why}", setback.detail), ..setback },
        How::Exited(0) | How::OutOfTime => String::new(),
        How::Exited(code) => format!("; it ended with code {code}"),
        How::Signalled(signal) => format!("; it ended by signal {signal}"),
        How::Flooded => "; it printed too much".to_owned(),
        How::NeverSpoke | How::FellSilent => "; it was silent for too long".to_owned(),
    };
    let complaints = String::from_utf8_lossy(&ended.stderr);
    let lines = complaints.lines().map(str::trim).filter(|line| line.contains(char::is_alphanumeric));
    let lines: Vec<_> = lines.collect();
    // The last line is where programs say what stopped them.
    let last: String = lines.last().map(|line| line.chars().take(COMPLAINT_CHARS).collect()).unwrap_or_default();
    let complaint = if last.is_empty() { last } else { format!("; its last complaint: {last}") };
    Setback { detail: format!("{}{kind}{complaint}", setback.detail), ..setback }
}

/// The prompt as it is sent: no `@path` in it is one, and it does not begin as a command does.
fn prompt(brief: &str) -> String {
    let text = guarded(brief);
    if text.trim_start().starts_with(['/', '!']) { format!("{OPENING}{text}") } else { text }
}

/// Text in which no `@path` is one.
fn guarded(text: &str) -> String {
    text.replace('@', &format!("@{GUARD}"))
}

/// Flags before a model's name.
const MODEL_FLAGS: [&str; 2] = ["-m", "--model"];
/// How the one begins that has it in itself.
const MODEL_BEGINNING: &str = "--model=";

/// The model that the arguments name.
fn model_asked(arguments: &[String]) -> Option<String> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if MODEL_FLAGS.contains(&argument.as_str()) {
            return rest.next().cloned();
        }
        if let Some(model) = argument.strip_prefix(MODEL_BEGINNING) {
            return Some(model.to_owned());
        }
    }
    None
}
