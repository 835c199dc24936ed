//! A model that reads its brief and answers in form: every section, every field of the ballot, in the words of the seat.
//!
//! What it says depends on the brief alone, so that a resumed debate hears what an undisturbed one would have heard.

use forge_testkit::model_server::{self, Answer, ModelServer};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// What a request asks for, read from its own words.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The seat, by the heading of its role text.
    pub(crate) seat: String,
    sections: Vec<(String, String)>,
    example: Value,
    peers: Vec<String>,
}

/// The answer to whoever only asks whether somebody is there.
const READY: &str = "```json\n{\"ready\": true}\n```\n";

/// Who votes for what; whoever is not named votes for A.
pub(crate) type Votes = &'static [(&'static str, &'static str)];

impl Asked {
    pub(crate) fn of(request: &model_server::Asked) -> Self {
        Self::in_text(&request.user)
    }

    /// What a text asks for that holds a brief, whatever an agent CLI has put before and after it.
    pub(crate) fn in_text(text: &str) -> Self {
        let text = &text.replace("@\u{200b}", "@");
        let task = text.split_once("You take part in a structured debate.").map_or(text.as_str(), |(_, brief)| brief);
        let role = task.split_once("You speak in this role:").map_or(task, |(_, rest)| rest).trim_start();
        let heading = role.lines().next().unwrap_or("").trim_start_matches('#').trim().to_lowercase();
        let seat = heading.trim_start_matches("the ").trim_end_matches(" judge").replace(' ', "-");
        let (before, form) = task.split_once("# The form of your reply").unwrap_or((task, ""));
        let form = form.split_once("# Your reply missed its form").map_or(form, |(form, _)| form);
        let (sections, ballot) = form.split_once("```json\n").unwrap_or((form, ""));
        let example = ballot.split_once("\n```").map_or(Value::Null, |(json, _)| serde_json::from_str(json).unwrap());
        let sections = sections
            .split("\n## ")
            .skip(1)
            .map(|part| part.split_once('\n').unwrap_or((part, "")))
            .map(|(title, hint)| (title.to_owned(), hint.trim().to_owned()))
            .collect();
        let (said, _) = before.split_once("You speak in this role:").unwrap_or(("", ""));
        let own = before
            .split_once("\nYou are ")
            .and_then(|(_, rest)| rest.split_once(", short name "))
            .map(|(_, rest)| rest.split_once([':', '.']).map_or(rest, |(short, _)| short));
        let named = said.split_once("# What was said").map_or("", |(_, said)| said).lines();
        let mut peers: Vec<String> = Vec::new();
        for name in named.filter_map(|line| line.strip_prefix("## ")) {
            // Headings inside of what peers wrote name nobody.
            if own.is_some() && !name.contains("(short name ") {
                continue;
            }
            let name = name.split_once("(short name ").map_or(name, |(_, short)| short.trim_end_matches(')'));
            if Some(name) != own && !peers.iter().any(|known| known == name) {
                peers.push(name.to_owned());
            }
        }
        Self { seat, sections, example, peers }
    }

    /// Whether there is a form to fill in: what an agent CLI asks on its own account has none.
    pub(crate) fn is_of_a_debate(&self) -> bool {
        !self.sections.is_empty() || self.example.is_object()
    }

    /// A reply in form.
    pub(crate) fn reply(&self, votes: Votes) -> String {
        let vote = votes.iter().find(|(seat, _)| *seat == self.seat).map_or("A", |(_, vote)| vote);
        let mut text = String::new();
        for (title, hint) in &self.sections {
            text.push_str(&format!("## {title}\n\n{}\n\n", self.body(title, hint, vote)));
        }
        if let Value::Object(fields) = &self.example {
            let ballot = Value::Object(self.ballot(fields, vote));
            text.push_str(&format!("```json\n{}\n```\n", serde_json::to_string_pretty(&ballot).unwrap()));
        }
        text
    }

    fn body(&self, title: &str, hint: &str, vote: &str) -> String {
        let seat = &self.seat;
        if title == "Dissents" {
            let kept: Vec<String> = self.peers.iter().map(|peer| format!("- {peer}: kept in its own words.")).collect();
            return if kept.is_empty() { "None.".to_owned() } else { kept.join("\n") };
        }
        if hint.contains("**Chosen Option:**") {
            return format!("**Chosen Option:** {vote}\n\nIt is what the cases carry.");
        }
        if let Some((_, columns)) = hint.split_once("(a table: ") {
            let columns = columns.trim_end_matches(')');
            let count = columns.split('|').count();
            return format!("| {columns} |\n|{}\n|{}", "---|".repeat(count), " something |".repeat(count));
        }
        if let Some((_, names)) = hint.split_once("(name each: ") {
            return names
                .trim_end_matches(')')
                .split(", ")
                .map(|name| format!("- {name}: two weeks."))
                .collect::<Vec<_>>()
                .join("\n");
        }
        if hint.contains("`**Status:** GO`") {
            return "**Status:** GO\n\nThe team that is there can run it.".to_owned();
        }
        if hint.contains("by its number") {
            return (1..=6).map(|n| format!("- Q{n}: the {seat} has seen to it.")).collect::<Vec<_>>().join("\n");
        }
        if hint.contains("questions)") {
            return (1..=6).map(|n| format!("- What follows from case {n}?")).collect::<Vec<_>>().join("\n");
        }
        if hint.contains("threshold") {
            return "- Error rate: over 5 % for one day.\n  - Detection: the dashboard.\n  - Timeline: every Monday.\n  - Fallback: the old way.".to_owned();
        }
        if hint.contains("bullet list") {
            return format!("- Option {vote}, says {seat}.\n- It can be undone within a week.");
        }
        format!("Option {vote}, for the {seat} has a ground that can be checked.")
    }

    fn ballot(&self, fields: &Map<String, Value>, vote: &str) -> Map<String, Value> {
        let seat = &self.seat;
        let text = |what: &str| {
            json!(format!("{what}: the {seat} names a ground that can be checked by anyone who reads it."))
        };
        fields
            .iter()
            .filter(|(name, _)| {
                !matches!(
                    name.as_str(),
                    "dissent" | "misrepresented" | "convinced_by" | "convinced_because" | "changed_because"
                )
            })
            .map(|(name, example)| {
                let value = match (name.as_str(), example) {
                    ("option", _) => json!(vote),
                    ("options", Value::Array(items)) if items.iter().any(Value::is_object) => json!([
                        {"label": "Build it", "description": "The team writes it."},
                        {"label": "Buy it", "description": "A vendor delivers it."},
                        {"label": "Wait", "description": "Nothing is done this quarter."},
                    ]),
                    ("confidence", _) => json!("MEDIUM"),
                    ("recommendation", _) => json!("GO"),
                    ("ruling", _) => json!("continue"),
                    ("verdict", _) => json!(if vote == "A" { "disagree" } else { "partial" }),
                    ("objection_strength", _) => json!("moderate"),
                    ("response", _) => json!("ACCEPT"),
                    ("approves", _) => json!([vote]),
                    ("quotes", _) => json!([]),
                    ("answers", _) => self
                        .peers
                        .iter()
                        .map(|to| json!({"to": to, "answer": "PARTIAL", "reason": text("answer")}))
                        .collect(),
                    ("challenges", _) => {
                        self.peers.iter().take(1).map(|to| json!({"to": to, "text": text("challenge")})).collect()
                    }
                    ("arguments", _) => {
                        json!([{"id": "a1", "text": text("first")}, {"id": "a2", "text": text("second")}])
                    }
                    (_, Value::String(blank)) if blank == "<true or false>" => json!(true),
                    (_, Value::Array(_)) => json!([text(name)]),
                    _ => text(name),
                };
                (name.clone(), value)
            })
            .collect()
    }
}

/// A server whose model answers in form, unless `odd` says otherwise.
pub(crate) fn serve(
    votes: Votes,
    odd: impl Fn(&model_server::Asked, &Asked) -> Option<Answer> + Send + Sync + 'static,
) -> ModelServer {
    ModelServer::start(move |request| {
        let asked = Asked::of(request);
        odd(request, &asked).unwrap_or_else(|| Answer::Text(asked.reply(votes)))
    })
    .unwrap()
}

/// A server of all wires whose models answer in form, unless `odd` says otherwise.
pub(crate) fn serve_all_wires(
    votes: Votes,
    odd: impl Fn(&model_server::Asked, &Asked) -> Option<Answer> + Send + Sync + 'static,
) -> ModelServer {
    ModelServer::start(move |request| {
        let asked = Asked::in_text(&request.all);
        let in_form = || if asked.is_of_a_debate() { asked.reply(votes) } else { READY.to_owned() };
        odd(request, &asked).unwrap_or_else(|| Answer::Text(in_form()))
    })
    .unwrap()
}

/// A server whose model answers in form, each time after a pause.
pub(crate) fn serve_slowly(votes: Votes, pause: Duration) -> ModelServer {
    serve(votes, move |_, asked| Some(Answer::Late(pause, Box::new(Answer::Text(asked.reply(votes))))))
}

/// The text of a brief as it was sent: what its file holds below the front matter.
pub(crate) fn sent(request: &model_server::Asked) -> String {
    format!("{}\n{}", request.system, request.user)
}
