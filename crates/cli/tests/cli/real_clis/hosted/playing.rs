//! The model of a host that goes by what forge prints for readers: does what the page says, in the foreground or in the
//! background, unless a test puts something else in a seat's mouth.

use super::super::holding::{CALLS_LIMIT, CLAUDE, Seat, line_of};
use crate::model::Votes;
use forge_testkit::model_server::{Answer, Asked};
use serde_json::{Value, json};

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
            Some(_) => match Seat::of(asked, &CLAUDE) {
                Some(seat) => (self.odd)(&seat).unwrap_or_else(|| seat.usual(self.votes)),
                None => Answer::Text("This is no task for a seat.".to_owned()),
            },
            None => self.host(asked),
        }
    }

    /// The host goes by its last step, and by what came of it.
    fn host(&self, asked: &Asked) -> Answer {
        let calls = asked.calls();
        let Some((last, input)) = calls.last() else {
            let goes_on = asked.all.contains("<command-name>/forge:continue");
            return CLAUDE.runs(if goes_on { "forge turn next --again" } else { &self.first });
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
            return CLAUDE.runs(&format!("forge turn next {}", id.unwrap_or_default()));
        }
        let prompts = prompts(told);
        let named = ["forge turn next ", "forge debate run "].iter().find_map(|command| told.split_once(command));
        let id = named.map(|(_, rest)| rest.split([' ', ';', '\n']).next().unwrap_or(""));
        let dead = told.lines().find_map(|line| line.split_once(" taken ").map(|(seat, _)| seat.trim()));
        match (prompts.is_empty(), dead, id) {
            (false, _, _) => Answer::tools(prompts.iter().map(|(role, prompt)| ("Agent", self.start(role, prompt)))),
            (true, Some(seat), Some(id)) => {
                CLAUDE.runs(&format!("forge turn absent {id} {seat} --because 'its subagent ended without a turn'"))
            }
            (true, None, Some(id)) => CLAUDE.runs(&format!("forge turn next {id}")),
            (true, _, None) => Answer::Text(told.to_owned()),
        }
    }

    fn start(&self, role: &str, prompt: &str) -> Value {
        json!({
            "description": "one seat of the debate", "prompt": prompt, "subagent_type": format!("forge-{role}"),
            "run_in_background": self.manner == Manner::Background,
        })
    }
}

/// How many subagents have told the host that they are done.
fn reports(asked: &Asked) -> usize {
    asked.all.matches("<task-notification>").count()
}

/// The roles of the seats that are given out, and what their subagents are told.
fn prompts(told: &str) -> Vec<(&str, &str)> {
    let mut role = "seat";
    let mut prompts = Vec::new();
    for line in told.lines() {
        if let Some((_, rest)) = line.split_once(" role ") {
            role = rest.split(',').next().unwrap_or("seat");
        } else if let Some(prompt) = line.trim().strip_prefix("prompt: ") {
            prompts.push((role, prompt));
        }
    }
    prompts
}
