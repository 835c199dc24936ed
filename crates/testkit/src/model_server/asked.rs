//! What a request asks, in one shape for all wires.

use crate::http::HttpRequest;
use serde_json::Value;

/// The wire that a request speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Gemini's contents.
    Gemini,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// The model's answer: the test decides.
    Answer,
    /// The list of models.
    Models,
    /// How many tokens a request would have.
    CountTokens,
    /// A web socket, which is not served.
    Socket,
    /// A compressed body, which is not read.
    Compressed,
    /// Something else.
    Unknown,
}

/// A request that the server received.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Which one it is, counted from 1 over all errands.
    pub number: usize,
    /// What it is for.
    pub errand: Errand,
    /// The wire that it speaks; for an unknown errand the wire whose error shape is used.
    pub wire: Wire,
    /// The method.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null where it is no JSON.
    pub body: Value,
    /// The model asked for.
    pub model: String,
    /// The instructions that stand above the conversation.
    pub system: String,
    /// The text of the last message of the user.
    pub user: String,
    /// All text that was sent: the instructions and every message, results of tools included.
    pub all: String,
    /// The names of the tools that the model may call.
    pub tools: Vec<String>,
    /// The texts of the results of tools that the conversation holds, in order.
    pub results: Vec<String>,
    /// Whether the answer is to be streamed.
    pub wants_stream: bool,
}

impl Asked {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The tools that the conversation has called, in order, each by its name with its arguments.
    pub fn calls(&self) -> Vec<(String, Value)> {
        let messages = [&self.body["messages"], &self.body["input"], &self.body["contents"]];
        let messages = messages.into_iter().flat_map(elements);
        messages.flat_map(|message| calls_of(message).chain(parts_of(message).flat_map(calls_of))).collect()
    }

    /// The subagent that asks, where a host has some; none for the host itself.
    pub fn subagent(&self) -> Option<&str> {
        self.header("x-claude-code-agent-id")
    }

    pub(super) fn read(number: usize, request: HttpRequest) -> Self {
        let HttpRequest { method, path, headers, body } = request;
        let is_compressed =
            headers.iter().any(|(name, value)| name == "content-encoding" && !value.eq_ignore_ascii_case("identity"));
        let is_socket = headers.iter().any(|(name, _)| name == "upgrade");
        let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let place = path.split('?').next().unwrap_or("");
        let (wire, errand) = route(&method, place);
        let errand = match errand {
            _ if is_socket => Errand::Socket,
            _ if is_compressed => Errand::Compressed,
            errand => errand,
        };
        let messages = match wire {
            Wire::Anthropic | Wire::Chat => &body["messages"],
            Wire::Responses => &body["input"],
            Wire::Gemini => &body["contents"],
        };
        let mut said = Said::default();
        match wire {
            Wire::Anthropic => said.system(text_of(&body["system"])),
            Wire::Responses => said.system(text_of(&body["instructions"])),
            Wire::Gemini => said.system(text_of(&body["systemInstruction"])),
            Wire::Chat => {}
        }
        match messages {
            Value::String(text) => said.user(text.clone()),
            _ => elements(messages).for_each(|message| said.message(message)),
        }
        Self {
            number,
            errand,
            wire,
            model: model_of(wire, place, &body),
            system: said.system,
            user: said.user,
            all: said.all,
            tools: [&body]
                .into_iter()
                .chain(elements(messages))
                .flat_map(|holder| tools_of(&holder["tools"]))
                .collect(),
            results: said.results,
            wants_stream: body["stream"] == true || place.ends_with(":streamGenerateContent"),
            method,
            path,
            headers,
            body,
        }
    }
}

fn route(method: &str, place: &str) -> (Wire, Errand) {
    let ends = |end: &str| place.ends_with(end);
    let is_gemini = place.contains("/v1beta/models/");
    match method {
        "POST" if ends("/v1/messages") => (Wire::Anthropic, Errand::Answer),
        "POST" if ends("/v1/messages/count_tokens") => (Wire::Anthropic, Errand::CountTokens),
        "POST" if ends("/v1/chat/completions") => (Wire::Chat, Errand::Answer),
        "POST" if ends("/v1/responses") => (Wire::Responses, Errand::Answer),
        "POST" if is_gemini && (ends(":generateContent") || ends(":streamGenerateContent")) => {
            (Wire::Gemini, Errand::Answer)
        }
        "POST" if is_gemini && ends(":countTokens") => (Wire::Gemini, Errand::CountTokens),
        "GET" if ends("/v1beta/models") => (Wire::Gemini, Errand::Models),
        "GET" if ends("/v1/models") => (Wire::Chat, Errand::Models),
        _ if ends("/v1/messages") => (Wire::Anthropic, Errand::Unknown),
        _ if ends("/v1/responses") => (Wire::Responses, Errand::Unknown),
        _ if place.contains("/v1beta/") => (Wire::Gemini, Errand::Unknown),
        _ => (Wire::Chat, Errand::Unknown),
    }
}

fn model_of(wire: Wire, place: &str, body: &Value) -> String {
    let in_path = || place.rsplit('/').next().and_then(|last| last.split_once(':')).map_or("", |(model, _)| model);
    let model = if wire == Wire::Gemini { in_path() } else { body["model"].as_str().unwrap_or("") };
    model.to_owned()
}

/// The names of tools in the shapes of all wires; those of a group by their own names.
fn tools_of(tools: &Value) -> Vec<String> {
    elements(tools)
        .flat_map(|tool| match &tool["tools"] {
            Value::Array(_) => elements(&tool["tools"]).collect(),
            _ => vec![tool],
        })
        .flat_map(|tool| {
            let declared = elements(&tool["functionDeclarations"]).map(|function| &function["name"]);
            let own = [&tool["name"], &tool["function"]["name"]];
            let kind = (tool["type"] != "function").then_some(&tool["type"]);
            let named: Vec<&Value> = declared.chain(own).filter(|name| name.is_string()).collect();
            if named.is_empty() { kind.into_iter().collect() } else { named }
        })
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

/// What a message is made of, calls included.
fn parts_of(message: &Value) -> impl Iterator<Item = &Value> {
    [&message["content"], &message["parts"], &message["tool_calls"]].into_iter().flat_map(elements)
}

/// The call that a part is, if it is one, in the shapes of all wires.
fn calls_of(part: &Value) -> impl Iterator<Item = (String, Value)> {
    let arguments = |value: &Value| match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        value => value.clone(),
    };
    let call = match part["type"].as_str() {
        Some("tool_use") => Some((&part["name"], &part["input"])),
        Some("function_call") => Some((&part["name"], &part["arguments"])),
        Some("function") => Some((&part["function"]["name"], &part["function"]["arguments"])),
        _ => part.get("functionCall").map(|call| (&call["name"], &call["args"])),
    };
    call.map(|(name, given)| (name.as_str().unwrap_or("").to_owned(), arguments(given))).into_iter()
}

#[derive(Default)]
struct Said {
    system: String,
    user: String,
    all: String,
    results: Vec<String>,
}

impl Said {
    fn system(&mut self, text: String) {
        add(&mut self.system, &text);
        add(&mut self.all, &text);
    }

    fn user(&mut self, text: String) {
        add(&mut self.all, &text);
        self.user = text;
    }

    fn message(&mut self, message: &Value) {
        let parts = [&message["content"], &message["parts"]];
        let mut results: Vec<String> =
            parts.iter().flat_map(|parts| elements(parts)).filter(|part| is_result(part)).map(text_of).collect();
        if is_result(message) || message["role"] == "tool" {
            results.push(text_of(message));
        }
        let is_said = results.is_empty();
        self.results.extend(results);
        let text = text_of(message);
        match message["role"].as_str() {
            Some("system" | "developer") => self.system(text),
            Some("user") if is_said => self.user(text),
            _ => add(&mut self.all, &text),
        }
    }
}

fn is_result(part: &Value) -> bool {
    matches!(part["type"].as_str(), Some("tool_result" | "function_call_output" | "custom_tool_call_output"))
        || part.get("functionResponse").is_some()
}

fn add(to: &mut String, text: &str) {
    if !to.is_empty() && !text.is_empty() {
        to.push_str("\n\n");
    }
    to.push_str(text);
}

/// Every text in a message or an instruction, in the shapes of all wires, in order.
fn text_of(value: &Value) -> String {
    let mut text = String::new();
    gather(value, &mut text);
    text
}

fn gather(value: &Value, text: &mut String) {
    match value {
        Value::String(piece) => add(text, piece),
        Value::Array(parts) => parts.iter().for_each(|part| gather(part, text)),
        Value::Object(fields) => {
            for name in ["text", "content", "parts", "output", "refusal"] {
                if let Some(inner) = fields.get(name) {
                    gather(inner, text);
                }
            }
            if let Some(response) = fields.get("functionResponse") {
                add(text, &response["response"].to_string());
            }
        }
        _ => {}
    }
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
