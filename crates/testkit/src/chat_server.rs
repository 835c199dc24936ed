//! A chat-completions server on loopback that plays what the test tells it to: answers, streams, refusals, silence,
//! broken streams.
//!
//! It runs on threads of its own, so that tests with and without an async runtime can use it, and it is fast enough to
//! be the fixed part of a benchmark. It binds 127.0.0.1 and nothing else, and is gone when it is dropped.

use crate::http::{self, After, HttpRequest, Listening};
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

/// Requests that are kept for assertions; later ones are only counted.
pub const REQUESTS_KEPT: usize = 10_000;
/// Bytes that are no text and no completion.
pub(crate) const GARBAGE: &[u8] = b"\xff\xfe\x00garbage\x9f\x92\x96";

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Answers with this text, streamed or whole as the request asks.
    Text(String),
    /// Answers with a reply whose details matter to the test, streamed or whole as the request asks.
    Reply(ChatReply),
    /// Answers whole although a stream was asked for.
    Whole(ChatReply),
    /// Streams these pieces with a pause before each.
    Stream {
        /// The pieces of the text.
        pieces: Vec<String>,
        /// The pause.
        delay: Duration,
    },
    /// Answers with a status, headers and a body.
    Status {
        /// The status.
        code: u16,
        /// Headers besides type and length.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// Answers 200 with exactly these bytes, whatever they are.
    Raw(Vec<u8>),
    /// Answers 200 with bytes that mean nothing.
    Garbage,
    /// Takes the request and never answers.
    Hang,
    /// Streams so many pieces and then closes the connection in the middle of the body.
    CutAfter(usize),
    /// Closes the connection without a word.
    Close,
    /// Does something after a while.
    Late(Duration, Box<Answer>),
}

impl Answer {
    /// An error in the shape that providers use.
    pub fn error(code: u16, error_code: &str, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "type": "error", "code": error_code } }).to_string();
        Answer::Status { code, headers: Vec::new(), body }
    }
}

/// A completion in detail.
#[derive(Debug, Clone, Default)]
pub struct ChatReply {
    /// The text.
    pub text: String,
    /// The model that served; the one that was asked for where there is none.
    pub model: Option<String>,
    /// Why it ended; `stop` where there is none.
    pub finish: Option<String>,
    /// A refusal instead of a text.
    pub refusal: Option<String>,
    /// Tokens read and written; counted in words where there are none.
    pub tokens: Option<(u64, u64)>,
}

/// A request that the server received.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    /// Which one it is, counted from 1.
    pub number: usize,
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null where it is no JSON.
    pub body: Value,
}

impl ChatRequest {
    /// The model asked for.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or("")
    }

    /// The text of the first message with a role.
    pub fn message(&self, role: &str) -> &str {
        let messages = self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        messages
            .iter()
            .find(|message| message["role"] == role)
            .and_then(|message| message["content"].as_str())
            .unwrap_or("")
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn wants_stream(&self) -> bool {
        self.body["stream"] == true
    }
}

type Play = dyn Fn(&ChatRequest) -> Answer + Send + Sync;

/// The running server.
pub struct ChatServer {
    listening: Listening,
    state: Arc<State>,
}

struct State {
    play: Box<Play>,
    count: AtomicUsize,
    connections: AtomicUsize,
    kept: Mutex<Vec<ChatRequest>>,
}

impl fmt::Debug for ChatServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatServer").field("address", &self.listening.address).finish_non_exhaustive()
    }
}

impl ChatServer {
    /// Starts a server on a free port; `play` decides about every request.
    pub fn start(play: impl Fn(&ChatRequest) -> Answer + Send + Sync + 'static) -> io::Result<Self> {
        let state = Arc::new(State {
            play: Box::new(play),
            count: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            kept: Mutex::new(Vec::new()),
        });
        let listening = Listening::start("chat-server", Arc::clone(&state), serve)?;
        Ok(Self { listening, state })
    }

    /// The base address that a client is given: `http://127.0.0.1:<port>/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.listening.address)
    }

    /// How many requests came in.
    pub fn count(&self) -> usize {
        self.state.count.load(Ordering::SeqCst)
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// The requests, in the order in which they came in, as far as they are kept.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.state.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn serve(connection: TcpStream, state: Arc<State>) -> io::Result<()> {
    state.connections.fetch_add(1, Ordering::SeqCst);
    let (from, mut to) = connection.into_split();
    let mut from = BufReader::new(from);
    while let Some(request) = http::read_request(&mut from).await? {
        let request = take_note(&state, request);
        let mut answer = (state.play)(&request);
        while let Answer::Late(pause, then) = answer {
            tokio::time::sleep(pause).await;
            answer = *then;
        }
        if play(&mut to, &request, answer).await? == After::Closes {
            return to.shutdown().await;
        }
    }
    Ok(())
}

fn take_note(state: &State, request: HttpRequest) -> ChatRequest {
    let number = state.count.fetch_add(1, Ordering::SeqCst) + 1;
    let HttpRequest { method, path, headers, body } = request;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let request = ChatRequest { number, method, path, headers, body };
    if number <= REQUESTS_KEPT {
        state.kept.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
    }
    request
}

async fn play(to: &mut OwnedWriteHalf, request: &ChatRequest, answer: Answer) -> io::Result<After> {
    const STREAM: &str = "text/event-stream";
    const JSON: &str = "application/json";
    match answer {
        Answer::Text(text) => {
            return Box::pin(play(to, request, Answer::Reply(ChatReply { text, ..ChatReply::default() }))).await;
        }
        Answer::Reply(reply) if request.wants_stream() => {
            let pieces = [reply.text.clone()];
            let body: String =
                events(request, &reply, &pieces).iter().map(|event| format!("data: {event}\n\n")).collect();
            http::write_whole(to, 200, STREAM, &[], body.as_bytes()).await?;
        }
        Answer::Reply(reply) | Answer::Whole(reply) => {
            http::write_whole(to, 200, JSON, &[], whole(request, &reply).to_string().as_bytes()).await?;
        }
        Answer::Stream { pieces, delay } => {
            let reply = ChatReply { text: pieces.concat(), ..ChatReply::default() };
            to.write_all(http::head(200, STREAM, &[], None).as_bytes()).await?;
            for event in events(request, &reply, &pieces) {
                tokio::time::sleep(delay).await;
                http::write_chunk(to, &format!("data: {event}\n\n")).await?;
            }
            http::write_end(to).await?;
        }
        Answer::Status { code, headers, body } => http::write_whole(to, code, JSON, &headers, body.as_bytes()).await?,
        Answer::Raw(bytes) => http::write_whole(to, 200, STREAM, &[], &bytes).await?,
        Answer::Garbage => http::write_whole(to, 200, STREAM, &[], GARBAGE).await?,
        Answer::Hang => std::future::pending::<()>().await,
        Answer::CutAfter(count) => {
            let pieces = vec!["piece ".to_owned(); count];
            to.write_all(http::head(200, STREAM, &[], None).as_bytes()).await?;
            for event in events(request, &ChatReply::default(), &pieces).into_iter().take(count) {
                http::write_chunk(to, &format!("data: {event}\n\n")).await?;
            }
            return Ok(After::Closes);
        }
        Answer::Close | Answer::Late(..) => return Ok(After::Closes),
    }
    Ok(After::Stays)
}

/// The data of every event of a streamed reply, its end included.
fn events(request: &ChatRequest, reply: &ChatReply, pieces: &[String]) -> Vec<String> {
    let model = reply.model.as_deref().unwrap_or(request.model());
    let chunk = |delta: Value, finish: Value| {
        json!({
            "id": "chat-1", "object": "chat.completion.chunk", "model": model,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
        })
        .to_string()
    };
    let mut events: Vec<String> = pieces
        .iter()
        .filter(|piece| !piece.is_empty())
        .map(|piece| chunk(json!({ "role": "assistant", "content": piece }), Value::Null))
        .collect();
    if let Some(refusal) = &reply.refusal {
        events.push(chunk(json!({ "refusal": refusal }), Value::Null));
    }
    events.push(chunk(json!({}), json!(reply.finish.as_deref().unwrap_or("stop"))));
    if request.body["stream_options"]["include_usage"] == true {
        events.push(
            json!({ "object": "chat.completion.chunk", "model": model, "choices": [], "usage": usage(request, reply) })
                .to_string(),
        );
    }
    events.push("[DONE]".to_owned());
    events
}

fn whole(request: &ChatRequest, reply: &ChatReply) -> Value {
    json!({
        "id": "chat-1", "object": "chat.completion", "model": reply.model.as_deref().unwrap_or(request.model()),
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": reply.text, "refusal": reply.refusal },
            "finish_reason": reply.finish.as_deref().unwrap_or("stop"),
        }],
        "usage": usage(request, reply),
    })
}

fn usage(request: &ChatRequest, reply: &ChatReply) -> Value {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let read = || words(request.message("system")) + words(request.message("user"));
    let (input, output) = reply.tokens.unwrap_or_else(|| (read(), words(&reply.text)));
    json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output })
}
