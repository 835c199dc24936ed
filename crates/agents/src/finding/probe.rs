//! One tiny question to an agent: does it answer, how fast, and with which model? A real call, which may cost a little.

use super::advice::{Fault, without_hint};
use crate::agent::{Call, FailureKind, Served};
use crate::roster::Roster;
use forge_debate::brief::Brief;
use forge_debate::datum::Fields;
use forge_debate::form::{BallotBlock, Field, Form, Kind, Need};
use forge_debate::plan::SeatId;
use forge_debate::turn::{Stage, TurnKey};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// The most bytes of an answer to a probe.
const REPLY_LIMIT_BYTES: usize = 64 * 1024;
/// The most tokens of an answer to a probe; models that think first need some.
const OUTPUT_TOKENS: u32 = 1_000;
/// What ends the call goes on a little longer than the deadline that the agent keeps itself.
const MARGIN: Duration = Duration::from_secs(5);

const READY: &[Field] = &[Field { name: "ready", kind: Kind::Flag, need: Need::Required, help: "true", also: &[] }];

/// What came of a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// How long it took.
    pub took: Duration,
    /// What the provider says it used.
    pub served: Served,
    /// The program's version, where the receipt has it.
    pub version: Option<String>,
    /// What the program was held in, where it is one.
    pub sandbox: Option<String>,
    /// Whether it answered.
    pub result: ProbeResult,
}

/// Whether an agent answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeResult {
    /// It answered as it was asked to.
    Ready,
    /// It answered, and not in the form that was asked for; its turns may miss theirs.
    OutOfForm,
    /// It did not.
    Failed {
        /// The kind of failure.
        kind: FailureKind,
        /// What it was, for advice.
        fault: Fault,
        /// What happened, in a sentence.
        detail: String,
    },
}

impl Probed {
    /// Whether anything came back.
    pub fn answered(&self) -> bool {
        !matches!(self.result, ProbeResult::Failed { .. })
    }
}

/// Asks the agent of that name, and waits for at most so long.
pub async fn probe(roster: &Roster, name: &str, deadline: Duration) -> Probed {
    let begun = Instant::now();
    let failed = |took: Duration, kind: FailureKind, detail: String| Probed {
        took,
        served: Served::default(),
        version: None,
        sandbox: None,
        result: ProbeResult::Failed { kind, fault: Fault::Plain(kind), detail },
    };
    let agent = match roster.find(name) {
        Ok(agent) => agent,
        Err(unknown) => return failed(begun.elapsed(), FailureKind::Unreachable, unknown.to_string()),
    };
    let call = call(deadline);
    let lane = agent.lane();
    let answering = async {
        let _pass = match &lane {
            Some(lane) => Some(lane.enter().await),
            None => None,
        };
        let begun = Instant::now();
        (agent.answer(&call).await, begun.elapsed())
    };
    let Ok((answer, took)) = timeout(deadline + MARGIN, answering).await else {
        let detail = format!("no answer within {} s", deadline.as_secs());
        return failed(begun.elapsed(), FailureKind::TimedOut, detail);
    };
    let (receipt, result) = match answer {
        Ok(reply) => {
            let text = String::from_utf8_lossy(&reply.bytes);
            let result = if text.trim().is_empty() {
                let detail = "an empty answer".to_owned();
                ProbeResult::Failed { kind: FailureKind::Crashed, fault: Fault::Nothing, detail }
            } else if says_ready(&text) {
                ProbeResult::Ready
            } else {
                ProbeResult::OutOfForm
            };
            (reply.receipt, result)
        }
        Err(failure) => {
            let (fault, detail) = (Fault::of(&failure), without_hint(&failure.detail).to_owned());
            (failure.receipt, ProbeResult::Failed { kind: failure.kind, fault, detail })
        }
    };
    Probed { took, served: receipt.served, version: receipt.version, sandbox: receipt.sandbox, result }
}

/// The call that a probe is.
fn call(deadline: Duration) -> Call {
    let seat = SeatId::from("probe");
    let brief = Brief {
        key: TurnKey::new(Stage("probe"), 0, &seat),
        role: "probe".to_owned(),
        case: "This is a test of whether you can be reached. Use no tools and read no files.\n".to_owned(),
        task: "Answer with exactly this and nothing else:\n\n```json\n{\"ready\": true}\n```\n".to_owned(),
        form: Form::new("probe", &[], READY, BallotBlock::Required).into(),
        question: "Are you there?".to_owned(),
        options: Vec::new(),
        quotable: None,
        seed: 0,
        peers: Vec::new(),
        own: Vec::new(),
        role_text: String::new(),
        held: None,
        facts: Fields::default(),
    };
    Call {
        brief,
        attempt: 1,
        is_repair: false,
        deadline,
        reply_limit_bytes: REPLY_LIMIT_BYTES,
        max_output_tokens: OUTPUT_TOKENS,
        persona: None,
    }
}

/// Whether a JSON object in the answer says so, fenced or not.
fn says_ready(text: &str) -> bool {
    let object = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let parsed = object.and_then(|object| serde_json::from_str::<Value>(object).ok());
    parsed.is_some_and(|value| value.get("ready") == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_is_read_with_and_without_a_fence() {
        for text in
            ["{\"ready\": true}", "Sure!\n```json\n{\"ready\":true}\n```\n", "{\n \"ready\" : true, \"x\": {} }"]
        {
            assert!(says_ready(text), "{text}");
        }
        for text in ["ready: true", "", "}{", "{\"ready\": false}", "{\"ready\": \"true\"}", "I am \u{1F600}{"] {
            assert!(!says_ready(text), "{text}");
        }
    }
}
