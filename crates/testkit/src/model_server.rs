//! A model server on loopback that speaks four wires on one port: Anthropic Messages, OpenAI chat completions, OpenAI
//! Responses and Gemini. It plays what the test tells it to: answers, streams, tool calls, errors, silence, garbage.
//!
//! A test sees every request in one shape ([`Asked`]) and answers in one shape ([`Answer`]), whatever the wire. The server
//! runs on threads of its own, binds 127.0.0.1 and nothing else, and is gone when it is dropped.
//!
//! Read in this order: [`Answer`], [`Asked`], then one wire.

mod anthropic;
mod asked;
mod chat;
mod gemini;
mod responses;

pub use asked::{Asked, Errand, Wire};

use crate::http::{self, After, Listening};
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

/// The model that lists of models name.
pub const LISTED_MODEL: &str = "loopback-1";
/// Requests that are kept for assertions; later ones are only counted.
pub const REQUESTS_KEPT: usize = 10_000;
/// Bytes that are no text and no answer on any wire.
const GARBAGE: &[u8] = b"\xff\xfe\x00garbage\x9f\x92\x96";
/// Characters of one piece of a streamed text.
const PIECE_CHARS: usize = 400;
/// Bytes that a flood sends at once.
const FLOOD_CHUNK_BYTES: usize = 64 * 1024;
const STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Answers with this text, streamed or whole as the request asks.
    Text(String),
    /// Answers with a reply whose details matter to the test, streamed or whole as the request asks.
    Reply(Reply),
    /// Answers whole although a stream was asked for.
    Whole(Reply),
    /// Streams these pieces with a pause before each event.
    Stream {
        /// The pieces of the text.
        pieces: Vec<String>,
        /// The pause.
        delay: Duration,
    },
    /// Answers with a status and an error in the wire's own shape.
    Status {
        /// The status.
        code: u16,
        /// Headers besides type and length.
        headers: Vec<(String, String)>,
        /// What the error says.
        message: String,
    },
    /// Answers with a status and exactly this body, as gateways do that speak no wire.
    Body {
        /// The status.
        code: u16,
        /// Headers besides type and length.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// Says that the key is wrong, in the words and with the status of the wire's own provider.
    WrongKey,
    /// Answers 200 with exactly these bytes, whatever they are.
    Raw(Vec<u8>),
    /// Answers 200 with bytes that mean nothing.
    Garbage,
    /// Takes the request and never answers.
    Hang,
    /// Streams so many events of an answer and then closes the connection in the middle of the body.
    CutAfter(usize),
    /// Answers with this status, and then sends bytes of a single event or body without an end, as fast as they are taken.
    Flood(u16),
    /// Closes the connection without a word.
    Close,
    /// Does something after a while.
    Late(Duration, Box<Answer>),
}

impl Answer {
    /// A status with an error in the wire's own shape.
    pub fn status(code: u16, message: &str) -> Self {
        Answer::Status { code, headers: Vec::new(), message: message.to_owned() }
    }

    /// A status with an error that has this name, in the shape of OpenAI's wires.
    pub fn error(code: u16, name: &str, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "type": "error", "code": name } }).to_string();
        Answer::Body { code, headers: Vec::new(), body }
    }

    /// A rate limit that ends after so many seconds.
    pub fn rate_limited(retry_after_seconds: u64) -> Self {
        let headers = vec![("retry-after".to_owned(), retry_after_seconds.to_string())];
        Answer::Status { code: 429, headers, message: "rate limit reached".to_owned() }
    }

    /// Calls of tools at once, each by its name with its arguments.
    pub fn tools<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls = calls.into_iter().map(|(name, arguments)| (name.to_owned(), arguments)).collect();
        Answer::Reply(Reply { calls, ..Reply::default() })
    }

    /// A call of a tool, with these arguments.
    pub fn tool(name: &str, arguments: Value) -> Self {
        Answer::tools([(name, arguments)])
    }
}

/// A reply in detail.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// The model that served; the one that was asked for where there is none.
    pub model: Option<String>,
    /// Tokens read and written; counted in words where there are none.
    pub tokens: Option<(u64, u64)>,
    /// Of the tokens read, those that were kept from an earlier request.
    pub cached_tokens: u64,
    /// Why it ended.
    pub ending: Ending,
    /// The tools that are called at once, each by its name, with these arguments.
    pub calls: Vec<(String, Value)>,
}

/// Why a reply ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ending {
    /// It was complete, or calls a tool.
    #[default]
    Done,
    /// It met the limit of its length.
    Length,
    /// A filter of the provider's stopped it.
    Filter,
    /// The model will not answer, and says so in the wire's own way.
    Refusal(String),
}

/// What is known of a reply when a wire writes it.
struct Served<'a> {
    reply: &'a Reply,
    pieces: &'a [String],
    model: &'a str,
    input: u64,
    output: u64,
    number: usize,
    tools: &'a Value,
}

type Play = dyn Fn(&Asked) -> Answer + Send + Sync;

/// The running server.
pub struct ModelServer {
    listening: Listening,
    state: Arc<State>,
}

struct State {
    play: Box<Play>,
    models: Option<Answer>,
    count: AtomicUsize,
    connections: AtomicUsize,
    kept: Mutex<Vec<Asked>>,
}

impl fmt::Debug for ModelServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelServer").field("address", &self.listening.address).finish_non_exhaustive()
    }
}

impl ModelServer {
    /// Starts a server on a free port; `play` decides about every request for an answer. Requests for a list of models or
    /// a count of tokens are answered without it.
    pub fn start(play: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> io::Result<Self> {
        Self::with(Box::new(play), None)
    }

    /// Starts a server that is only asked for its list of models, and does this with whoever asks.
    pub fn start_listing(models: Answer) -> io::Result<Self> {
        Self::with(Box::new(|_| Answer::Close), Some(models))
    }

    fn with(play: Box<Play>, models: Option<Answer>) -> io::Result<Self> {
        let (count, connections) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let state = Arc::new(State { play, models, count, connections, kept: Mutex::new(Vec::new()) });
        let listening = Listening::start("model-server", Arc::clone(&state), serve)?;
        Ok(Self { listening, state })
    }

    /// The address without a path, as Anthropic's and Gemini's clients want it: `http://127.0.0.1:<port>`.
    pub fn root(&self) -> String {
        format!("http://{}", self.listening.address)
    }

    /// The address as OpenAI's clients want it: `http://127.0.0.1:<port>/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.listening.address)
    }

    /// How many requests for an answer came in.
    pub fn count(&self) -> usize {
        self.requests().iter().filter(|asked| asked.errand == Errand::Answer).count()
    }

    /// How many requests came in, errands included.
    pub fn total(&self) -> usize {
        self.state.count.load(Ordering::SeqCst)
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Every request, errands included, in the order in which they came in, as far as they are kept.
    pub fn requests(&self) -> Vec<Asked> {
        self.state.kept.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn serve(connection: TcpStream, state: Arc<State>) -> io::Result<()> {
    state.connections.fetch_add(1, Ordering::SeqCst);
    let (from, mut to) = connection.into_split();
    let mut from = BufReader::new(from);
    while let Some(request) = http::read_request(&mut from).await? {
        let number = state.count.fetch_add(1, Ordering::SeqCst) + 1;
        let asked = Asked::read(number, request);
        if number <= REQUESTS_KEPT {
            state.kept.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
        }
        let answer = match (asked.errand, &state.models) {
            (Errand::Answer, _) => Some((state.play)(&asked)),
            (Errand::Models, models) => models.clone(),
            _ => None,
        };
        let after = match answer {
            Some(mut answer) => {
                while let Answer::Late(pause, then) = answer {
                    tokio::time::sleep(pause).await;
                    answer = *then;
                }
                play(&mut to, &asked, answer).await?
            }
            None => run(&mut to, &asked).await?,
        };
        if after == After::Closes {
            return to.shutdown().await;
        }
    }
    Ok(())
}

/// What is no request for an answer.
async fn run(to: &mut OwnedWriteHalf, asked: &Asked) -> io::Result<After> {
    let (code, body) = match asked.errand {
        Errand::Models if asked.wire == Wire::Gemini => {
            (200, json!({ "models": [{ "name": format!("models/{LISTED_MODEL}"), "displayName": LISTED_MODEL }] }))
        }
        Errand::Models => {
            let model = json!({ "id": LISTED_MODEL, "object": "model", "type": "model", "display_name": LISTED_MODEL });
            (200, json!({ "object": "list", "data": [model], "has_more": false }))
        }
        Errand::CountTokens => {
            let tokens = words(&asked.all);
            (200, json!({ "input_tokens": tokens, "totalTokens": tokens }))
        }
        // Clients that would rather speak over a socket go on over HTTP after this.
        Errand::Socket => (426, error(asked.wire, 426, "no sockets here")),
        Errand::Compressed => (415, error(asked.wire, 415, "bodies are read as they are; this one is compressed")),
        Errand::Answer | Errand::Unknown => (404, error(asked.wire, 404, "nothing is served here")),
    };
    let body = if asked.method == "HEAD" { String::new() } else { body.to_string() };
    http::write_whole(to, code, JSON, &[], body.as_bytes()).await?;
    Ok(After::Stays)
}

async fn play(to: &mut OwnedWriteHalf, asked: &Asked, answer: Answer) -> io::Result<After> {
    match answer {
        Answer::Text(text) => {
            return Box::pin(play(to, asked, Answer::Reply(Reply { text, ..Reply::default() }))).await;
        }
        Answer::Reply(reply) if asked.wants_stream => {
            let events = events(asked, &reply, &cut(&reply.text));
            http::write_whole(to, 200, STREAM, &[], events.concat().as_bytes()).await?;
        }
        Answer::Reply(reply) | Answer::Whole(reply) => {
            http::write_whole(to, 200, JSON, &[], whole(asked, &reply).to_string().as_bytes()).await?;
        }
        Answer::Stream { pieces, delay } => {
            let reply = Reply { text: pieces.concat(), ..Reply::default() };
            to.write_all(http::head(200, STREAM, &[], None).as_bytes()).await?;
            for event in events(asked, &reply, &pieces) {
                tokio::time::sleep(delay).await;
                http::write_chunk(to, &event).await?;
            }
            http::write_end(to).await?;
        }
        Answer::Status { code, headers, message } => {
            let body = error(asked.wire, code, &message).to_string();
            http::write_whole(to, code, JSON, &headers, body.as_bytes()).await?;
        }
        Answer::Body { code, headers, body } => http::write_whole(to, code, JSON, &headers, body.as_bytes()).await?,
        Answer::WrongKey => {
            let (code, body) = wrong_key(asked.wire);
            http::write_whole(to, code, JSON, &[], body.to_string().as_bytes()).await?;
        }
        Answer::Raw(bytes) => http::write_whole(to, 200, STREAM, &[], &bytes).await?,
        Answer::Garbage => http::write_whole(to, 200, STREAM, &[], GARBAGE).await?,
        Answer::Hang => std::future::pending::<()>().await,
        Answer::CutAfter(count) => {
            let pieces = vec!["piece ".to_owned(); count];
            let reply = Reply { text: pieces.concat(), ..Reply::default() };
            to.write_all(http::head(200, STREAM, &[], None).as_bytes()).await?;
            for event in events(asked, &reply, &pieces).iter().take(count) {
                http::write_chunk(to, event).await?;
            }
            return Ok(After::Closes);
        }
        Answer::Flood(code) => {
            let (kind, begun) = if code == 200 { (STREAM, "data: \"") } else { (JSON, "\"") };
            to.write_all(http::head(code, kind, &[], None).as_bytes()).await?;
            http::write_chunk(to, begun).await?;
            let filling = "x".repeat(FLOOD_CHUNK_BYTES);
            // Ends when the client closes.
            loop {
                http::write_chunk(to, &filling).await?;
            }
        }
        Answer::Close | Answer::Late(..) => return Ok(After::Closes),
    }
    Ok(After::Stays)
}

/// The events of a streamed reply as they go over the wire, its end included.
fn events(asked: &Asked, reply: &Reply, pieces: &[String]) -> Vec<String> {
    let served = Served::of(asked, reply, pieces);
    match asked.wire {
        Wire::Anthropic => anthropic::events(&served),
        Wire::Chat => chat::events(&served, asked.body["stream_options"]["include_usage"] == true),
        Wire::Responses => responses::events(&served),
        Wire::Gemini => gemini::events(&served),
    }
}

fn whole(asked: &Asked, reply: &Reply) -> Value {
    let pieces = [reply.text.clone()];
    let served = Served::of(asked, reply, &pieces);
    match asked.wire {
        Wire::Anthropic => anthropic::whole(&served),
        Wire::Chat => chat::whole(&served),
        Wire::Responses => responses::whole(&served),
        Wire::Gemini => gemini::whole(&served),
    }
}

fn error(wire: Wire, code: u16, message: &str) -> Value {
    match wire {
        Wire::Anthropic => anthropic::error(code, message),
        Wire::Chat | Wire::Responses => chat::error(code, message),
        Wire::Gemini => gemini::error(code, message),
    }
}

fn wrong_key(wire: Wire) -> (u16, Value) {
    match wire {
        Wire::Anthropic => (401, anthropic::error(401, "invalid x-api-key")),
        Wire::Chat | Wire::Responses => (401, chat::error(401, "Incorrect API key provided.")),
        Wire::Gemini => (400, gemini::wrong_key()),
    }
}

impl<'a> Served<'a> {
    fn of(asked: &'a Asked, reply: &'a Reply, pieces: &'a [String]) -> Self {
        let (input, output) = reply.tokens.unwrap_or_else(|| (words(&asked.all), words(&reply.text)));
        let model = reply.model.as_deref().unwrap_or(&asked.model);
        Self { reply, pieces, model, input, output, number: asked.number, tools: &asked.body["tools"] }
    }

    /// The calls of tools, each with an id of its own that begins like this.
    fn calls(&self, id: &str) -> impl Iterator<Item = (String, &str, &Value)> {
        let number = self.number;
        let calls = self.reply.calls.iter().enumerate();
        calls.map(move |(at, (name, arguments))| (format!("{id}{number}_{at}"), name.as_str(), arguments))
    }

    fn spoken(&self) -> impl Iterator<Item = &String> {
        self.pieces.iter().filter(|piece| !piece.is_empty())
    }
}

/// A text in pieces, as a stream has them.
fn cut(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect()
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// One event of a stream that names its events.
fn named(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
