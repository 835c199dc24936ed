//! The model of a host and of its subagents: does what the page and the agent file say, and nothing of its own, unless a
//! test puts something else in a seat's mouth.

use crate::model::{self, Votes};
use forge_testkit::model_server::{Answer, Asked};
use serde_json::{Value, json};

/// A host that has done more than this does the same thing again and again.
const CALLS_LIMIT: usize = 30;

/// How the host starts its subagents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It waits for them.
    Foreground,
    /// It ends its turn, and is told when each of them is done.
    Background,
}

/// A seat's next step, where it is not the usual one.
type Odd = dyn Fn(&Seat<'_>) -> Option<Answer> + Send + Sync;

/// How host and seats play.
pub(super) struct Play {
    manner: Manner,
    votes: Votes,
    first: String,
    odd: Box<Odd>,
}

/// A subagent with the task that it was given.
pub(super) struct Seat<'a> {
    pub(super) asked: &'a Asked,
    pub(super) debate: String,
    pub(super) name: String,
    pub(super) ask: String,
}

impl Play {
    pub(super) fn new(manner: Manner, votes: Votes) -> Self {
        let first = "forge debate 'Redis or Memcached for sessions?' --protocol judges --agent outside --option 'Redis: it keeps' --option 'Memcached: it forgets'";
        Self { manner, votes, first: first.to_owned(), odd: Box::new(|_| None) }
    }

    /// With two rounds at least.
    pub(super) fn twice(mut self) -> Self {
        self.first.push_str(" --min-rounds 2");
        self
    }

    /// With seats that do something else now and then.
    pub(super) fn odd(mut self, odd: impl Fn(&Seat<'_>) -> Option<Answer> + Send + Sync + 'static) -> Self {
        self.odd = Box::new(odd);
        self
    }

    pub(super) fn answer(&self, asked: &Asked) -> Answer {
        match asked.subagent() {
            Some(_) => match Seat::of(asked) {
                Some(seat) => (self.odd)(&seat).unwrap_or_else(|| seat.usual(self.votes)),
                None => Answer::Text("This is no task for a seat.".to_owned()),
            },
            None => self.host(asked),
        }
    }

    /// The host goes by its last step, and by what came of it.
    fn host(&self, asked: &Asked) -> Answer {
        let calls = calls(asked);
        let Some((last, input)) = calls.last() else {
            let goes_on = asked.all.contains("forge turn next --again");
            return bash(if goes_on { "forge turn next --again" } else { &self.first });
        };
        let told = asked.results.last().map_or("", String::as_str);
        if calls.len() > CALLS_LIMIT {
            return Answer::Text(format!("I am lost: {told}"));
        }
        if last == "Agent" {
            let started = calls.iter().filter(|(name, _)| name == "Agent").count();
            if self.manner == Manner::Background && reports(asked) < started {
                return Answer::Text("The seats are at work.".to_owned());
            }
            let id = input["prompt"].as_str().and_then(line_of).map(|line| line[1].clone());
            return bash(&format!("forge turn next {}", id.unwrap_or_default()));
        }
        let prompts: Vec<&str> = told.lines().filter_map(|line| line.trim().strip_prefix("prompt: ")).collect();
        let named = ["forge turn next ", "forge debate run "].iter().find_map(|command| told.split_once(command));
        let id = named.map(|(_, rest)| rest.split([' ', ';', '\n']).next().unwrap_or(""));
        let dead = told.lines().find_map(|line| line.split_once(" taken ").map(|(seat, _)| seat.trim()));
        match (prompts.is_empty(), dead, id) {
            (false, _, _) => Answer::tools(prompts.iter().map(|prompt| ("Agent", self.start(prompt)))),
            (true, Some(seat), Some(id)) => {
                bash(&format!("forge turn absent {id} {seat} --because 'its subagent ended without a turn'"))
            }
            (true, None, Some(id)) => bash(&format!("forge turn next {id}")),
            (true, _, None) => Answer::Text(told.to_owned()),
        }
    }

    fn start(&self, prompt: &str) -> Value {
        json!({
            "description": "one seat of the debate", "prompt": prompt, "subagent_type": "forge-seat",
            "run_in_background": self.manner == Manner::Background,
        })
    }
}

impl<'a> Seat<'a> {
    pub(super) fn of(asked: &'a Asked) -> Option<Self> {
        let messages = asked.body["messages"].to_string();
        let line = messages.split(['"', '\\']).find_map(line_of)?;
        let [_, debate, name, ask] = line;
        Some(Self { asked, debate, name, ask })
    }

    /// Whether it speaks in the second round.
    pub(super) fn is_second(&self) -> bool {
        self.ask.contains("-r2-")
    }

    /// How many steps it has made.
    pub(super) fn step(&self) -> usize {
        self.asked.results.len()
    }

    /// What came of its last step.
    pub(super) fn told(&self) -> &str {
        self.asked.results.last().map_or("", String::as_str)
    }

    /// Reads its ask, hands in, and is done.
    pub(super) fn usual(&self, votes: Votes) -> Answer {
        match calls(self.asked).last().map(|(name, _)| name.as_str()) {
            None => self.reads(),
            Some("Read") => self.hands_in(&self.words(votes)),
            Some(_) => Answer::Text("handed in".to_owned()),
        }
    }

    pub(super) fn reads(&self) -> Answer {
        Answer::tool("Read", json!({ "file_path": self.path(&self.ask) }))
    }

    pub(super) fn hands_in(&self, words: &str) -> Answer {
        bash(&format!("forge turn submit {} {} --file - <<'END_OF_TURN'\n{words}\nEND_OF_TURN", self.debate, self.name))
    }

    /// A turn in the form of the ask that it has read.
    pub(super) fn words(&self, votes: Votes) -> String {
        let unnumbered = |line: &str| match line.split_once(['\t', '→']) {
            Some((number, rest)) if number.trim().parse::<u32>().is_ok() => rest.to_owned(),
            _ => line.to_owned(),
        };
        let ask: Vec<String> = self.told().lines().map(unnumbered).collect();
        model::Asked::in_text(&ask.join("\n")).reply(votes)
    }

    /// The absolute path of a file of the project.
    pub(super) fn path(&self, file: &str) -> String {
        let all = &self.asked.all;
        let folder = all.split_once("working directory: ").map_or("", |(_, rest)| rest.lines().next().unwrap_or(""));
        format!("{}/{file}", folder.trim())
    }
}

/// A call of the shell.
pub(super) fn bash(command: &str) -> Answer {
    Answer::tool("Bash", json!({ "command": command, "description": "run forge" }))
}

/// The tools that were called so far, with their inputs.
pub(super) fn calls(asked: &Asked) -> Vec<(String, Value)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let blocks = list(&asked.body["messages"]).into_iter().flat_map(|message| list(&message["content"]));
    let used = blocks.filter(|block| block["type"] == "tool_use");
    used.map(|block| (block["name"].as_str().unwrap_or("").to_owned(), block["input"].clone())).collect()
}

/// How many subagents have told the host that they are done.
fn reports(asked: &Asked) -> usize {
    asked.all.matches("<task-notification>").count()
}

/// The parts of the line that is a seat's task.
fn line_of(text: &str) -> Option<[String; 4]> {
    let mut words = text.split_whitespace().map(str::to_owned);
    let line = [words.next()?, words.next()?, words.next()?, words.next()?];
    (line[0] == "forge-seat" && words.next().is_none()).then_some(line)
}
