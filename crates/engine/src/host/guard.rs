//! Before a tool is used: what is on record is not edited, a seat reads its own ask and hands in its own turn, and the host tells
//! a seat nothing but its task.

use super::memory::{Held, Memory};
use super::shell::{self, NotTaken};
use super::told::{Subagent, Told, may_take, role_of};
use super::{Around, Decision};
use crate::run::mover;
use crate::survey::{OpenAsk, Survey};
use crate::turns::submit_command;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog::{CHALLENGES, DEBATES};
use forge_artifacts::store::DebateFiles;
use forge_debate::plan::{Hand, SeatId};
use serde_json::{Value, json};
use std::fmt;

/// The word with which a seat's task begins.
const TASK: &str = "forge-seat";

/// The commands that pages may run unasked: with an agent named they spend.
const UNASKED: [&str; 11] =
    ["continue", "enter", "brainstorm", "research", "design", "plan", "test", "build", "validate", "review", "learn"];

/// The agent that a command would ask, where its page may run it unasked.
fn asked_agent(command: &str) -> Option<String> {
    // As a shell would read it: quotes and backslashes hide no flag.
    let bare = command.replace(['"', '\'', '\\'], "");
    let words: Vec<&str> = bare.split_whitespace().collect();
    let is_forge = |word: &str| word == "forge" || word.ends_with("/forge");
    let at = words.windows(2).position(|two| is_forge(two[0]) && UNASKED.contains(&two[1]))?;
    let named = words[at..].iter().enumerate().find_map(|(index, word)| match word.strip_prefix("--agent") {
        Some("") => words.get(at + index + 1).copied(),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    })?;
    (!matches!(named, "outside" | "rehearsal")).then(|| named.to_owned())
}

/// Why a step is not made, or an end is put off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A turn's wave is closed.
    OnRecord {
        /// The turn's file.
        file: String,
        /// The debate.
        debate: String,
    },
    /// It is a file of the record itself.
    OfTheTrail {
        /// The file.
        file: String,
        /// The debate.
        debate: String,
    },
    /// A seat may not use this tool.
    Tool(String),
    /// A seat reads nothing but what it is asked.
    NotItsAsk {
        /// Its own, where it is known.
        ask: Option<String>,
    },
    /// Another subagent holds this seat.
    Taken {
        /// The seat.
        seat: String,
    },
    /// The agent is for another role.
    OtherRole {
        /// The agent's type.
        agent: String,
        /// The seat.
        seat: String,
        /// The seat's role.
        role: String,
    },
    /// The command is not the one that a seat runs.
    Command {
        /// Why not.
        why: NotTaken,
        /// The one that it runs, where it is known.
        submit: Option<String>,
    },
    /// A seat hands in before it has read what it is asked.
    Unread,
    /// A seat hands in for another.
    OtherSeat {
        /// The one that it may run.
        submit: String,
    },
    /// The host names a subagent itself.
    NamedByHost,
    /// A seat's prompt is not a seat's task.
    NoTask,
    /// A seat's task is not one that is open.
    NotOpen {
        /// The debate.
        debate: String,
        /// The seat.
        seat: String,
    },
    /// A seat's task is given to an agent that is not held to it.
    OtherAgent {
        /// The agent's type.
        agent: String,
    },
    /// A seat ends without having handed in.
    NotHandedIn {
        /// The command, where the seat is known.
        submit: Option<String>,
    },
    /// The gate of the open phase is closed.
    Gate {
        /// The phase, by a name of forge's own: a project gives its own phases any name, and this goes into a model's context.
        phase: Option<String>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::OnRecord { file, debate } => write!(
                f,
                "{file} is on record in the debate {debate}: its wave is closed, and a change would only make the record not hold. To argue again: forge debate run {debate} --fork"
            ),
            Refusal::OfTheTrail { file, debate } => write!(
                f,
                "{file} is forge's own record of the debate {debate}, by which others check it. To see whether it holds: forge verify {debate}"
            ),
            Refusal::Tool(tool) => write!(f, "{tool} is not a seat's to use: a seat reads its ask and hands in its turn"),
            Refusal::NotItsAsk { ask: Some(ask) } => write!(f, "a seat reads nothing but its own ask: {ask}"),
            Refusal::NotItsAsk { ask: None } => {
                f.write_str("a seat reads nothing but its own ask: the file that the last word of its task names")
            }
            Refusal::Taken { seat } => {
                write!(f, "another subagent holds the seat {seat}. Stop here, and say so")
            }
            Refusal::OtherRole { agent, seat, role } => {
                write!(f, "{agent} may not take the seat {seat}, whose role is {role}; start forge-{role} or forge-seat")
            }
            Refusal::Command { why, submit: Some(submit) } => write!(f, "{why}. Yours is: {submit}"),
            Refusal::Command { why, submit: None } => write!(f, "{why}. Read your ask: it names the one that is yours"),
            Refusal::Unread => {
                f.write_str("read your ask first, with Read: the file that the last word of your task names")
            }
            Refusal::OtherSeat { submit } => write!(f, "a seat hands in for itself alone. Yours is: {submit}"),
            Refusal::NamedByHost => {
                f.write_str("--subagent is put in by forge's own hook; leave it out. Only a seat's subagent hands in its turn")
            }
            Refusal::NoTask => f.write_str(
                "a seat's prompt is the one line that `forge turn next` prints for it, and nothing else: forge-seat DEBATE SEAT ASK",
            ),
            Refusal::NotOpen { debate, seat } => write!(
                f,
                "the seat {seat} of {debate} is not open with this ask. These are: forge turn next {debate}"
            ),
            Refusal::OtherAgent { agent } => {
                write!(f, "a seat's task is for the agent forge-seat, or forge-ROLE of its role, not for {agent}")
            }
            Refusal::NotHandedIn { submit: Some(submit) } => {
                write!(f, "you have not handed in your turn. Write it in the form of your ask, and run: {submit}")
            }
            Refusal::NotHandedIn { submit: None } => {
                f.write_str("you have not handed in your turn. Read your ask (the last word of your task) and do what it says")
            }
            Refusal::Gate { phase } => write!(
                f,
                "the gate of the {} is closed. What is missing: forge gate; to go on with it: forge continue. If the person wants to stop here, stop",
                phase.as_ref().map_or_else(|| "open phase".to_owned(), |phase| format!("phase {phase}"))
            ),
        }
    }
}

/// A seat's task as `forge turn next` prints it.
struct Task<'t> {
    debate: &'t str,
    seat: &'t str,
    ask: &'t str,
}

impl<'t> Task<'t> {
    fn read(line: &'t str) -> Option<Self> {
        let mut words = line.trim().splitn(4, ' ');
        let (mark, debate, seat, ask) = (words.next()?, words.next()?, words.next()?, words.next()?);
        (mark == TASK && !ask.is_empty()).then_some(Self { debate, seat, ask })
    }
}

impl Workspace {
    pub(super) fn pre_tool_use(&self, told: &Told, around: &Around<'_>) -> Result<Decision, EngineError> {
        if let Some(subagent) = &told.subagent
            && let Some(role) = role_of(&subagent.kind)
        {
            let Some(memory) = self.memory(told, around) else { return Ok(Decision::Nothing) };
            return self.seats_step(told, subagent, role, &memory, around);
        }
        match told.tool.as_str() {
            "Edit" | "Write" | "MultiEdit" => self.edit(told, told.given("file_path")),
            "NotebookEdit" => self.edit(told, told.given("notebook_path")),
            "Agent" | "Task" => self.start_seat(told, around),
            "Bash" if has_words(told.given("command"), &["turn", "submit", "--subagent"]) => {
                Ok(Decision::Refuse(Refusal::NamedByHost))
            }
            "Bash" => Ok(asked_agent(told.given("command")).map_or(Decision::Nothing, Decision::Ask)),
            _ => Ok(Decision::Nothing),
        }
    }

    pub(super) fn memory<'a>(&self, told: &'a Told, around: &Around<'a>) -> Option<Memory<'a>> {
        let root = self.locks.root();
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned()).display().to_string();
        around.memory.map(|disk| Memory { disk, session: &told.session, root })
    }

    /// A step of a subagent that holds a seat, or is about to take one.
    fn seats_step(
        &self,
        told: &Told,
        subagent: &Subagent,
        role: &str,
        memory: &Memory<'_>,
        around: &Around<'_>,
    ) -> Result<Decision, EngineError> {
        let held = memory.held_by(&subagent.id)?;
        match told.tool.as_str() {
            "Read" => self.read_ask(told, subagent, role, memory, held),
            "Bash" => {
                let submit = held.as_ref().map(Held::submit);
                let submission = match shell::submission(told.given("command"), around.programs) {
                    Ok(submission) => submission,
                    Err(why) => return Ok(Decision::Refuse(Refusal::Command { why, submit })),
                };
                let Some(held) = held else {
                    // Where nothing can be kept nobody is held up.
                    memory.check()?;
                    return Ok(Decision::Refuse(Refusal::Unread));
                };
                if (&submission.debate, &submission.seat) != (&held.debate, &held.seat) {
                    return Ok(Decision::Refuse(Refusal::OtherSeat { submit: held.submit() }));
                }
                let mut command = told.given("command").to_owned();
                if let Some(name) = subagent.name() {
                    command.insert_str(submission.flags_at, &format!(" --subagent {name}"));
                }
                // Asks name forge by its name alone, which need not be on the path.
                if around.program.contains('/') {
                    command.replace_range(submission.program, &shell::quoted(around.program));
                }
                Ok(Decision::Change { input: with(&told.input, "command", json!(command)), is_granted: true })
            }
            tool => Ok(Decision::Refuse(Refusal::Tool(tool.to_owned()))),
        }
    }

    /// The first ask that a subagent reads is its own.
    fn read_ask(
        &self,
        told: &Told,
        subagent: &Subagent,
        role: &str,
        memory: &Memory<'_>,
        held: Option<Held>,
    ) -> Result<Decision, EngineError> {
        let path = told.path_in(self.locks.root(), told.given("file_path"));
        if let Some(held) = held {
            let is_its_own = path.is_some_and(|path| held.asks.contains(&path));
            let ask = Some(held.ask().to_owned());
            return Ok(if is_its_own { Decision::Nothing } else { Decision::Refuse(Refusal::NotItsAsk { ask }) });
        }
        let Some(asked) = path.map(|path| self.open_ask_at(&path)).transpose()?.flatten() else {
            return Ok(Decision::Refuse(Refusal::NotItsAsk { ask: None }));
        };
        if !may_take(role, &asked.role) {
            return Ok(Decision::Refuse(other_role(&subagent.kind, &asked)));
        }
        match memory.take(&subagent.id, &asked)? {
            true => Ok(Decision::Nothing),
            false => Ok(Decision::Refuse(Refusal::Taken { seat: asked.seat })),
        }
    }

    /// The host starts a subagent.
    fn start_seat(&self, told: &Told, around: &Around<'_>) -> Result<Decision, EngineError> {
        let (agent, prompt) = (told.given("subagent_type"), told.given("prompt"));
        let tasks: Vec<Task<'_>> = prompt.lines().filter_map(Task::read).collect();
        let Some(role) = role_of(agent) else {
            let agent = agent.to_owned();
            return Ok(if tasks.is_empty() {
                Decision::Nothing
            } else {
                Decision::Refuse(Refusal::OtherAgent { agent })
            });
        };
        let [task] = tasks.as_slice() else { return Ok(Decision::Refuse(Refusal::NoTask)) };
        let asked = self.open_ask_at(task.ask)?;
        let Some(asked) = asked.filter(|asked| asked.debate == task.debate && asked.seat == task.seat) else {
            let (debate, seat) = (task.debate.to_owned(), task.seat.to_owned());
            return Ok(Decision::Refuse(Refusal::NotOpen { debate, seat }));
        };
        if !may_take(role, &asked.role) {
            return Ok(Decision::Refuse(other_role(agent, &asked)));
        }
        if let Some(memory) = self.memory(told, around) {
            memory.free(asked.ask())?;
        }
        let line = format!("{TASK} {} {} {}", asked.debate, asked.seat, asked.ask());
        // In a folder of its own it would not find what it is asked.
        let is_isolated = told.input.get("isolation").is_some();
        if prompt == line && !is_isolated {
            return Ok(Decision::Nothing);
        }
        let mut input = with(&told.input, "prompt", json!(line));
        if let Some(fields) = input.as_object_mut() {
            fields.remove("isolation");
        }
        Ok(Decision::Change { input, is_granted: false })
    }

    /// The open seat of somebody outside that is asked in this file.
    fn open_ask_at(&self, path: &str) -> Result<Option<Held>, EngineError> {
        for files in self.debates_around(path)? {
            let survey = Survey::of(&files)?;
            let is_asked = |open: &&OpenAsk| {
                files.outside_brief_path(&open.ask.key) == path && mover(&files, &open.ask.key) == Hand::Outside
            };
            if let Some(open) = survey.open.iter().find(is_asked)
                && !self.has_spoken(&files, open)?
            {
                let key = &open.ask.key;
                let role = files.plan.seat(&key.seat).map_or_else(|| key.seat.to_string(), |seat| seat.role.clone());
                let parts = files.outside_brief_parts(key)?;
                return Ok(Some(Held {
                    debate: files.plan.id.clone(),
                    plan_file: files.layout.plan(),
                    seat: key.seat.to_string(),
                    role,
                    turn: key.slug(),
                    asks: std::iter::once(path.to_owned()).chain(parts).collect(),
                }));
            }
        }
        Ok(None)
    }

    /// Somebody edits a file.
    fn edit(&self, told: &Told, path: &str) -> Result<Decision, EngineError> {
        let Some(file) = told.path_in(self.locks.root(), path) else { return Ok(Decision::Nothing) };
        for files in self.debates_around(&file)? {
            let debate = files.plan.id.clone();
            if file.starts_with(&format!("{}/", files.layout.trail_folder())) {
                return Ok(Decision::Refuse(Refusal::OfTheTrail { file, debate }));
            }
            let survey = Survey::of(&files)?;
            if survey.heard.iter().any(|one| files.turn_path(&one.turn.key) == file) {
                return Ok(Decision::Refuse(Refusal::OnRecord { file, debate }));
            }
        }
        Ok(Decision::Nothing)
    }

    /// The debates that a file may belong to, by where it is. One that cannot be opened is not forge's to guard.
    fn debates_around(&self, path: &str) -> Result<Vec<DebateFiles>, EngineError> {
        let own_folder = |place: &str| {
            let rest = path.strip_prefix(place)?.strip_prefix('/')?;
            Some(format!("{place}/{}", rest.split_once('/')?.0))
        };
        if let Some(folder) = own_folder(DEBATES).or_else(|| own_folder(CHALLENGES)) {
            return Ok(self.open(&folder).into_iter().collect());
        }
        let shared = path.match_indices("sadd/").find(|(at, _)| *at == 0 || path[..*at].ends_with('/'));
        let Some((folder, rest)) = shared.map(|(at, mark)| path.split_at(at + mark.len())) else {
            return Ok(Vec::new());
        };
        let names = self.disk.list(folder.trim_end_matches('/'))?.into_iter().map(|entry| entry.name);
        let is_of = |plan: &String| {
            let home = plan.strip_suffix("plan.md");
            home.is_some_and(|home| home.starts_with("debate-") && rest.starts_with(home))
        };
        Ok(names.filter(is_of).filter_map(|plan| self.open(&format!("{folder}{plan}")).ok()).collect())
    }
}

impl Held {
    /// The command that hands the turn in.
    pub(super) fn submit(&self) -> String {
        format!("{} <<'END_OF_TURN'", submit_command(&self.debate, &SeatId::from(self.seat.as_str()), &self.turn))
    }
}

fn other_role(agent: &str, asked: &Held) -> Refusal {
    Refusal::OtherRole { agent: agent.to_owned(), seat: asked.seat.clone(), role: asked.role.clone() }
}

/// Whether a command has all of these words, in this order.
fn has_words(command: &str, wanted: &[&str]) -> bool {
    let mut words = command.split(|c: char| c.is_whitespace() || "'\"=".contains(c));
    wanted.iter().all(|wanted| words.any(|word| word == *wanted))
}

/// A tool's input with one value replaced.
fn with(input: &Value, name: &str, value: Value) -> Value {
    let mut changed = input.clone();
    changed[name] = value;
    changed
}
