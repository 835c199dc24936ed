//! The model server, spoken to byte for byte: one shape in, one shape out, four wires between.

use forge_testkit::model_server::{Answer, Asked, Ending, Errand, ModelServer, Reply, Wire};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

const SYSTEM: &str = "You are the system.";
const EARLIER: &str = "An earlier question.";
const USER: &str = "The last question.";

/// Sends bytes, and reads until the server has no more to say.
fn send(server: &ModelServer, head: &str, body: &[u8]) -> (u16, String) {
    let mut connection = TcpStream::connect(server.root().strip_prefix("http://").unwrap()).unwrap();
    connection.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    connection.write_all(body).unwrap();
    connection.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, answer.split_once("\r\n\r\n").map_or("", |(_, body)| body).to_owned())
}

fn post(server: &ModelServer, path: &str, body: &Value) -> (u16, String) {
    let body = body.to_string();
    send(server, &format!("POST {path} HTTP/1.1\r\ncontent-length: {}\r\n", body.len()), body.as_bytes())
}

/// The same conversation on every wire, streamed and whole: path and body.
fn conversations() -> Vec<(Wire, bool, &'static str, Value)> {
    let mut all = Vec::new();
    for stream in [true, false] {
        let roles = json!([
            { "role": "user", "content": EARLIER }, { "role": "assistant", "content": "An earlier answer." },
            { "role": "user", "content": [{ "type": "text", "text": USER }] },
        ]);
        let mut with_system = vec![json!({ "role": "system", "content": SYSTEM })];
        with_system.extend(roles.as_array().unwrap().clone());
        all.push((
            Wire::Anthropic,
            stream,
            "/v1/messages?beta=true",
            json!({
                "model": "m-1", "stream": stream, "system": [{ "type": "text", "text": SYSTEM }], "messages": roles,
                "tools": [{ "name": "Bash", "input_schema": {} }],
            }),
        ));
        all.push((
            Wire::Chat,
            stream,
            "/v1/chat/completions",
            json!({
                "model": "m-1", "stream": stream, "messages": with_system,
                "tools": [{ "type": "function", "function": { "name": "Bash" } }],
            }),
        ));
        all.push((
            Wire::Responses,
            stream,
            "/v1/responses",
            json!({
                "model": "m-1", "stream": stream, "instructions": SYSTEM,
                "input": [
                    { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": EARLIER }] },
                    { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": USER }] },
                ],
                "tools": [{ "type": "function", "name": "Bash" }],
            }),
        ));
        all.push((
            Wire::Gemini,
            stream,
            if stream {
                "/v1beta/models/m-1:streamGenerateContent?alt=sse"
            } else {
                "/v1beta/models/m-1:generateContent"
            },
            json!({
                "systemInstruction": { "parts": [{ "text": SYSTEM }] },
                "contents": [
                    { "role": "user", "parts": [{ "text": EARLIER }] }, { "role": "user", "parts": [{ "text": USER }] },
                ],
                "tools": [{ "functionDeclarations": [{ "name": "Bash" }] }],
            }),
        ));
    }
    all
}

/// The text of an answer, read as a client of that wire reads it.
fn text_of(wire: Wire, stream: bool, body: &str) -> String {
    let documents: Vec<Value> = match stream {
        true => body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter(|data| *data != "[DONE]")
            .map(|data| serde_json::from_str(data).unwrap())
            .collect(),
        false => vec![serde_json::from_str(body).unwrap()],
    };
    let pointer = match (wire, stream) {
        (Wire::Anthropic, true) => "/delta/text",
        (Wire::Anthropic, false) => "/content/0/text",
        (Wire::Chat, true) => "/choices/0/delta/content",
        (Wire::Chat, false) => "/choices/0/message/content",
        (Wire::Responses, true) => "/delta",
        (Wire::Responses, false) => "/output/0/content/0/text",
        (Wire::Gemini, _) => "/candidates/0/content/parts/0/text",
    };
    documents.iter().filter_map(|document| document.pointer(pointer).and_then(Value::as_str)).collect()
}

#[test]
fn every_wire_is_read_into_one_shape_and_answered_in_its_own() {
    let long = "words, ".repeat(300);
    let expected = long.clone();
    let server = ModelServer::start(move |_| Answer::Text(long.clone())).unwrap();
    for (wire, stream, path, body) in conversations() {
        let (status, answer) = post(&server, path, &body);
        assert_eq!((status, text_of(wire, stream, &answer)), (200, expected.clone()), "{wire:?} {stream}");
        let asked: Asked = server.requests().pop().unwrap();
        assert_eq!((asked.wire, asked.errand, asked.wants_stream), (wire, Errand::Answer, stream));
        assert_eq!((asked.model.as_str(), asked.system.as_str(), asked.user.as_str()), ("m-1", SYSTEM, USER));
        assert!(asked.all.contains(SYSTEM) && asked.all.contains(EARLIER) && asked.all.contains(USER));
        assert_eq!((asked.tools, asked.results.len()), (vec!["Bash".to_owned()], 0));
    }
    assert_eq!(server.count(), conversations().len());
}

#[test]
fn details_are_told_in_each_wires_own_words() {
    let reply = |ending| Reply {
        text: "So".to_owned(),
        model: Some("served-2".to_owned()),
        tokens: Some((70, 7)),
        cached_tokens: 50,
        ending,
        calls: Vec::new(),
    };
    for (ending, marks) in [
        (Ending::Done, ["end_turn", "\"stop\"", "completed", "STOP"]),
        (Ending::Length, ["max_tokens", "\"length\"", "max_output_tokens", "MAX_TOKENS"]),
        (Ending::Refusal("I will not.".to_owned()), ["\"refusal\"", "I will not.", "I will not.", "SAFETY"]),
    ] {
        let ended = ending.clone();
        let server = ModelServer::start(move |_| Answer::Reply(reply(ended.clone()))).unwrap();
        for (wire, stream, path, mut body) in conversations() {
            body["stream_options"] = json!({ "include_usage": true });
            let (_, answer) = post(&server, path, &body);
            let mark = marks[match wire {
                Wire::Anthropic => 0,
                Wire::Chat => 1,
                Wire::Responses => 2,
                Wire::Gemini => 3,
            }];
            assert!(answer.contains(mark), "{wire:?} {stream} {ending:?}: {answer}");
            assert!(answer.contains("served-2") && answer.contains("50") && answer.contains("7"), "{answer}");
        }
    }
}

#[test]
fn tools_are_called_and_their_results_are_seen() {
    let server = ModelServer::start(|asked| match asked.results.len() {
        0 => Answer::tools([("Bash", json!({ "command": "ls" })), ("Read", json!({ "file_path": "notes" }))]),
        _ => Answer::Text("done".to_owned()),
    })
    .unwrap();
    for (wire, stream, path, mut body) in conversations() {
        let (_, answer) = post(&server, path, &body);
        for part in ["Bash", "ls", "Read", "notes"] {
            assert!(answer.contains(part), "{wire:?} {stream}: {answer}");
        }
        let (messages, result) = match wire {
            Wire::Anthropic => (
                "messages",
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": "FILES" }] }),
            ),
            Wire::Chat => ("messages", json!({ "role": "tool", "tool_call_id": "t", "content": "FILES" })),
            Wire::Responses => ("input", json!({ "type": "function_call_output", "call_id": "t", "output": "FILES" })),
            Wire::Gemini => (
                "contents",
                json!({ "role": "user", "parts": [{ "functionResponse": { "name": "Bash", "response": { "output": "FILES" } } }] }),
            ),
        };
        body[messages].as_array_mut().unwrap().push(result);
        let (_, answer) = post(&server, path, &body);
        assert_eq!(text_of(wire, stream, &answer), "done", "{wire:?} {stream}");
        let asked = server.requests().pop().unwrap();
        assert_eq!((asked.user.as_str(), asked.results.len()), (USER, 1), "{wire:?}");
        assert!(asked.results[0].contains("FILES") && asked.all.contains("FILES"), "{wire:?}");
    }
}

#[test]
fn errors_have_each_wires_own_shape() {
    let server = ModelServer::start(|asked| match asked.number % 2 {
        0 => Answer::rate_limited(7),
        _ => Answer::WrongKey,
    })
    .unwrap();
    for (wire, _, path, body) in conversations() {
        let (status, answer) = post(&server, path, &body);
        let error: Value = serde_json::from_str(&answer).unwrap();
        let (code, pointer, mark) = match wire {
            Wire::Anthropic => (401, "/error/type", "authentication_error"),
            Wire::Chat | Wire::Responses => (401, "/error/code", "invalid_api_key"),
            Wire::Gemini => (400, "/error/details/0/reason", "API_KEY_INVALID"),
        };
        assert_eq!((status, error.pointer(pointer)), (code, Some(&json!(mark))), "{answer}");
        assert_eq!(post(&server, path, &body).0, 429);
    }
}

#[test]
fn a_body_in_chunks_is_read_and_a_compressed_one_is_refused() {
    let server = ModelServer::start(|asked| Answer::Text(asked.user.clone())).unwrap();
    let head = "POST /v1/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n";
    let body = json!({ "messages": [{ "role": "user", "content": USER }] }).to_string();
    let (first, second) = body.split_at(10);
    let chunks =
        format!("{:x}\r\n{first}\r\n{:X};kind=odd\r\n{second}\r\n0\r\ntrailer: 1\r\n\r\n", first.len(), second.len());
    assert_eq!(text_of(Wire::Chat, false, &send(&server, head, chunks.as_bytes()).1), USER);
    let head = "POST /v1/responses HTTP/1.1\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n";
    assert_eq!(send(&server, head, b"\x1f\x8b\x08").0, 415);
    let head = "GET /v1/responses HTTP/1.1\r\nupgrade: websocket\r\nconnection: upgrade\r\n";
    assert_eq!(send(&server, head, b"").0, 426);
    assert_eq!(server.count(), 1, "only one was for an answer");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn errands_are_run_without_the_test() {
    let server = ModelServer::start(|_| panic!("no answer was asked for")).unwrap();
    let get = |path: &str| send(&server, &format!("GET {path} HTTP/1.1\r\n"), b"");
    assert!(get("/v1/models").1.contains("\"data\""));
    assert!(get("/v1beta/models").1.contains("models/loopback-1"));
    let body = json!({ "messages": [{ "role": "user", "content": "one two three" }] });
    assert!(post(&server, "/v1/messages/count_tokens", &body).1.contains("\"input_tokens\":3"));
    let body = json!({ "contents": [{ "parts": [{ "text": "one two" }], "role": "user" }] });
    assert!(post(&server, "/v1beta/models/m:countTokens", &body).1.contains("\"totalTokens\":2"));
    assert_eq!(send(&server, "HEAD / HTTP/1.1\r\n", b""), (404, String::new()));
    assert_eq!(server.count(), 0);
}

#[test]
fn faults_break_off_where_they_should() {
    let server = ModelServer::start(|asked| match asked.number {
        1 => Answer::CutAfter(2),
        2 => Answer::Close,
        _ => Answer::Garbage,
    })
    .unwrap();
    let (_, _, path, body) = conversations().remove(0);
    let (status, answer) = post(&server, path, &body);
    assert!(status == 200 && answer.contains("message_start") && !answer.contains("message_stop"), "{answer}");
    assert_eq!(post(&server, path, &body), (0, String::new()));
    assert!(post(&server, path, &body).1.contains("garbage"));
}

#[test]
fn faults_are_played_as_told_and_everything_is_counted() {
    let server = ModelServer::start(|asked| match asked.number {
        1 => Answer::Body { code: 418, headers: vec![("x-odd".to_owned(), "1".to_owned())], body: "tea".to_owned() },
        2 => Answer::error(400, "context_length_exceeded", "too many"),
        _ => Answer::Reply(Reply { ending: Ending::Filter, ..Reply::default() }),
    })
    .unwrap();
    let chat = json!({ "model": "m-1", "messages": [] });
    assert_eq!(post(&server, "/v1/chat/completions", &chat), (418, "tea".to_owned()));
    let (status, body) = post(&server, "/v1/chat/completions", &chat);
    let error: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, &error["error"]["code"]), (400, &json!("context_length_exceeded")));
    let filtered = [
        ("/v1/messages", "/stop_reason", "refusal"),
        ("/v1/chat/completions", "/choices/0/finish_reason", "content_filter"),
        ("/v1/responses", "/incomplete_details/reason", "content_filter"),
        ("/v1beta/models/m-1:generateContent", "/candidates/0/finishReason", "SAFETY"),
    ];
    for (path, pointer, word) in filtered {
        let body: Value = serde_json::from_str(&post(&server, path, &chat).1).unwrap();
        assert_eq!(body.pointer(pointer), Some(&json!(word)), "{path}: {body}");
    }
    send(&server, "GET /v1/models HTTP/1.1\r\n", b"");
    assert_eq!((server.count(), server.total(), server.connections()), (6, 7, 7));

    let listing = ModelServer::start_listing(Answer::Raw(b"{\"data\": []}".to_vec())).unwrap();
    assert_eq!(send(&listing, "GET /v1/models HTTP/1.1\r\n", b"").1, "{\"data\": []}");
}
