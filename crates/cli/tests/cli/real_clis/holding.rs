//! The model of a host that holds a debate, and of the subagents in its seats, whatever the host: does what the pages say,
//! and nothing of its own.

use crate::model::{self, Votes};
use forge_testkit::model_server::{Answer, Asked};
use serde_json::{Value, json};

/// A host that has done more than this does the same thing again and again.
pub(super) const CALLS_LIMIT: usize = 40;

/// A call of a tool.
pub(super) type Call = (&'static str, Value);

/// How the model of a host does things.
pub(super) struct Manner {
    /// Runs a command.
    pub(super) run: fn(&str) -> Call,
    /// Reads a file of the project.
    pub(super) read: fn(&Asked, &str) -> Call,
    /// Starts a subagent in a role, and tells it this.
    pub(super) start: fn(&str, &str) -> Call,
    /// What is to be done once subagents are started, before anything else.
    pub(super) wait: fn(&Asked) -> Option<Answer>,
    /// Writes a file of the project, where a turn is handed in by one; in one command otherwise.
    pub(super) write: Option<fn(&Asked, &str, &str) -> Call>,
}

pub(super) static CLAUDE: Manner = Manner {
    run: |command| ("Bash", json!({ "command": command, "description": "run forge" })),
    read: |asked, file| ("Read", json!({ "file_path": path(asked, "working directory: ", file) })),
    start: |role, prompt| {
        let role = format!("forge-{role}");
        let waits =
            json!({ "description": "one seat", "prompt": prompt, "subagent_type": role, "run_in_background": false });
        ("Agent", waits)
    },
    wait: |_| None,
    write: None,
};

/// The path of a file of the project, whose folder stands behind these words in what the model is told.
pub(super) fn path(asked: &Asked, words: &str, file: &str) -> String {
    let folder = asked.all.split_once(words).map_or("", |(_, rest)| rest.lines().next().unwrap_or(""));
    format!("{}/{file}", folder.trim())
}

impl Manner {
    pub(super) fn runs(&self, command: &str) -> Answer {
        Answer::tools([(self.run)(command)])
    }

    /// What the host does next about the debate that is under way; nothing once that is over.
    pub(super) fn hold(&self, asked: &Asked) -> Option<Answer> {
        let calls = asked.calls();
        let told = told(asked);
        if calls.len() > CALLS_LIMIT {
            return Some(Answer::Text(format!("I am lost: {told}")));
        }
        if let Some(state) = document(&told) {
            return match state["state"].as_str() {
                Some("over") => None,
                Some("waiting") => Some(Answer::tools(self.starts(&state))),
                _ => Some(Answer::Text(told)),
            };
        }
        let debate = calls.iter().rev().find_map(|(_, input)| line_in(&strings(input)).map(|line| line[1].clone()));
        let next = |debate: String| self.runs(&format!("forge turn next {debate} --json"));
        Some((self.wait)(asked).unwrap_or_else(|| debate.map_or(Answer::Text(told), next)))
    }

    /// A subagent for every seat that nobody has.
    fn starts(&self, state: &Value) -> Vec<Call> {
        let seats = state["seats"].as_array().into_iter().flatten().filter(|seat| seat["taken"].is_null());
        let text = |value: &Value| value.as_str().unwrap_or("").to_owned();
        seats.map(|seat| (self.start)(&text(&seat["role"]), &text(&seat["prompt"]))).collect()
    }
}

/// A subagent with the task that it was given.
pub(super) struct Seat<'a> {
    pub(super) asked: &'a Asked,
    manner: &'a Manner,
    pub(super) debate: String,
    pub(super) name: String,
    pub(super) ask: String,
}

impl<'a> Seat<'a> {
    pub(super) fn of(asked: &'a Asked, manner: &'a Manner) -> Option<Self> {
        let [_, debate, name, ask] = line_in(&asked.all)?;
        Some(Self { asked, manner, debate, name, ask })
    }

    /// Whether it speaks in the second round.
    pub(super) fn is_second(&self) -> bool {
        self.ask.contains("-r2-")
    }

    /// How many steps it has made.
    pub(super) fn step(&self) -> usize {
        self.asked.results.len()
    }

    /// Reads its ask, hands in, and is done.
    pub(super) fn usual(&self, votes: Votes) -> Answer {
        let told = told(self.asked);
        let file = format!("docs/forge/turns/{}.md", self.turn());
        let submit = format!("forge turn submit {} {} --turn {} --file", self.debate, self.name, self.turn());
        let has_submitted = self.asked.calls().iter().any(|(_, input)| strings(input).contains(&submit));
        let has_read = told.contains("# The form of your reply");
        match self.manner.write {
            _ if self.step() == 0 => self.reads(),
            Some(write) if has_read => Answer::tools([write(self.asked, &file, &words(&told, votes))]),
            None if has_read => self.runs(&format!("{submit} - <<'END_OF_TURN'\n{}\nEND_OF_TURN", words(&told, votes))),
            Some(_) if !has_submitted => self.runs(&format!("{submit} {file}")),
            _ => Answer::Text(format!("handed in: {told}")),
        }
    }

    /// The turn that it is asked for.
    fn turn(&self) -> &str {
        self.ask.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).unwrap_or("")
    }

    pub(super) fn reads(&self) -> Answer {
        Answer::tools([(self.manner.read)(self.asked, &self.ask)])
    }

    /// Runs a command.
    pub(super) fn runs(&self, command: &str) -> Answer {
        self.manner.runs(command)
    }
}

/// A turn in the form of the ask that was read.
fn words(told: &str, votes: Votes) -> String {
    let unnumbered = |line: &str| match line.split_once(['\t', '→']) {
        Some((number, rest)) if number.trim().parse::<u32>().is_ok() => rest.to_owned(),
        _ => line.to_owned(),
    };
    let ask: Vec<String> = told.lines().map(unnumbered).collect();
    model::Asked::in_text(&ask.join("\n")).reply(votes)
}

/// What came of the last step.
pub(super) fn told(asked: &Asked) -> String {
    let told = asked.results.last().map_or("", String::as_str);
    let wrapped = serde_json::from_str::<Value>(told).ok();
    wrapped.and_then(|value| value["output"].as_str().map(str::to_owned)).unwrap_or_else(|| told.to_owned())
}

/// What `forge turn next --json` printed, whatever the host has put before and after it.
fn document(told: &str) -> Option<Value> {
    let from = |(at, _)| serde_json::Deserializer::from_str(&told[at..]).into_iter::<Value>().next()?.ok();
    told.match_indices('{').filter_map(from).find(|value: &Value| value["state"].is_string())
}

/// Every string in a value, a line each.
fn strings(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => fields.values().map(strings).collect::<Vec<_>>().join("\n"),
        Value::Array(items) => items.iter().map(strings).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

/// The parts of the line that is a seat's task.
fn line_in(text: &str) -> Option<[String; 4]> {
    text.lines().find_map(line_of)
}

/// The parts of a line, if it is a seat's task.
pub(super) fn line_of(text: &str) -> Option<[String; 4]> {
    let mut words = text.split_whitespace().map(str::to_owned);
    let line = [words.next()?, words.next()?, words.next()?, words.next()?];
    (line[0] == "forge-seat" && words.next().is_none()).then_some(line)
}
