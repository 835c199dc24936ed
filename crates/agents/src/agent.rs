//! What an agent is: one trait, so that agents can come from configuration.

use crate::lane::Lane;
use forge_debate::brief::Brief;
use forge_debate::turn::AbsenceKind;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Someone who can be asked.
pub trait Agent: Send + Sync {
    /// The name under which it was seated, such as `openai:gpt-5`.
    fn name(&self) -> &str;

    /// Answers a brief before the deadline, or says why not. Never waits longer than the call's deadline by itself;
    /// the engine cuts it off anyway. Dropping the future ends the call.
    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a>;

    /// The lane that this agent shares with others that use the same account or the same machine. Whoever asks enters it
    /// first, and its deadline begins when it is in.
    fn lane(&self) -> Option<Arc<Lane>> {
        None
    }

    /// Bytes that it sends along with a brief, as far as it knows: a form as a schema.
    fn added_bytes(&self, _brief: &Brief) -> usize {
        0
    }

    /// Ends what it keeps running between calls, if anything; the next call starts it anew.
    fn rest(&self) {}
}

/// The future of an answer.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>>;

/// One ask of one agent.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is asked.
    pub brief: Brief,
    /// 1 for the first attempt; a repair or a repetition after a crash counts on.
    pub attempt: u32,
    /// Whether this is the repair of a reply that missed its form.
    pub is_repair: bool,
    /// How long the agent has.
    pub deadline: Duration,
    /// The most bytes of an answer that are kept.
    pub reply_limit_bytes: usize,
    /// The most tokens that the answer may have, where the agent can be told.
    pub max_output_tokens: u32,
    /// The seat's persona, for an agent that reads a context file of its own (`GEMINI.md`, `AGENTS.md`, ...). The brief does
    /// not repeat it.
    pub persona: Option<String>,
}

/// The bytes that came back, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer exactly as received.
    pub bytes: Vec<u8>,
    /// How it came about.
    pub receipt: Receipt,
}

/// What a call was and cost. Holds no secret: it is written to a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Receipt {
    /// What was run or called: `rehearsal`, `POST http://127.0.0.1:8080/v1/chat/completions`, ...
    pub program: String,
    /// The program's version, where known.
    pub version: Option<String>,
    /// The arguments it was started with, without secrets; empty for what is no program.
    pub arguments: Vec<String>,
    /// What the program was held in: `landlock (abi 7): writes only to its own folder`, or why there was nothing.
    pub sandbox: Option<String>,
    /// The model that was asked for.
    pub model_asked: Option<String>,
    /// What served it, where the provider says so.
    pub served: Served,
    /// HTTP status or exit code of the last try, where there is one.
    pub exit: Option<i64>,
    /// Tries within this call (rate limits, connection errors).
    pub tries: u32,
    /// Of those, the ones that may have been paid and that nobody said the usage of: a cut answer, a call that ran out of time.
    pub untold_tries: u32,
    /// What a reader should know: `waited 2 s for the rate limit`, `the stream was cut`, ...
    pub notes: Vec<String>,
}

/// What the provider says it used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Served {
    /// The model.
    pub model: Option<String>,
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Of the tokens read, those that the provider had kept from an earlier call.
    pub cached_tokens: Option<u64>,
    /// What the agent itself says that it cost, in millionths of a US dollar.
    pub cost_microdollars: Option<u64>,
}

impl Served {
    /// Both: what an earlier try used, and what this one did.
    pub fn and(self, later: &Served) -> Served {
        let sum = |a: Option<u64>, b: Option<u64>| a.map_or(b, |a| Some(a + b.unwrap_or(0)));
        Served {
            model: later.model.clone().or(self.model),
            input_tokens: sum(self.input_tokens, later.input_tokens),
            output_tokens: sum(self.output_tokens, later.output_tokens),
            cached_tokens: sum(self.cached_tokens, later.cached_tokens),
            cost_microdollars: sum(self.cost_microdollars, later.cost_microdollars),
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// What happened, in a sentence for the person who reads the absence.
    pub detail: String,
    /// How it came about; the call may have been paid.
    pub receipt: Receipt,
}

/// Failures are absences seen from the agent's side.
pub type FailureKind = AbsenceKind;
