//! A program that speaks the Agent Client Protocol as a script says, well or badly.
//!
//! It is a real program (`scripted-acp-agent`) that is put into a folder of its own under any name, with `script.json` beside
//! it. The script is an object: for each method (`initialize`, `session/new`, `session/set_mode`, `session/prompt`, ...)
//! the list of actions that a request of that method sets off. A method without actions is answered as a well-behaved
//! agent would; the actions of `start` come before everything. Whatever it reads is added to `heard.jsonl` beside it, as
//! far as it may write there.
//!
//! | action | what it does |
//! |---|---|
//! | `{"result": ...}` / `{"error": {...}}` | answers the request |
//! | `{"update": {...}}` | sends a `session/update` with this update |
//! | `{"chunk": "text", "message": "id"}` | sends a piece of an answer |
//! | `{"echo": true}` | sends the text of the prompt as a piece of an answer |
//! | `{"ask": {"method": ..., "params": ...}}` | makes a request and waits for its answer |
//! | `{"tell": true}` | sends the answer to its last request as a piece of an answer |
//! | `{"environment": true}` | sends its environment as a piece of an answer, a line each |
//! | `{"print": "..."}` / `{"complain": "..."}` | prints a raw line, on standard output or standard error |
//! | `{"long": bytes}` | sends one update of that many bytes |
//! | `{"write": "path"}` | writes a file, and sends `written` or why not as a piece of an answer |
//! | `{"wait": "method"}` | reads until a message of that method comes |
//! | `{"repeat": n, "actions": [...]}` | does these so often |
//! | `{"exit": code}` / `{"hang": true}` | ends, or does nothing for ever |

use serde_json::{Value, json};
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program's own name.
pub const PROGRAM: &str = "scripted-acp-agent";
/// The one session that it opens.
pub const SESSION: &str = "session-1";

/// A scripted agent in a folder of its own.
#[derive(Debug, Clone)]
pub struct AcpAgent {
    folder: PathBuf,
    name: String,
}

impl AcpAgent {
    /// Puts the program into `folder`, which is made, under this name and with this script.
    pub fn install(folder: &Path, name: &str, script: &Value) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let program = folder.join(name);
        std::fs::copy(built()?, &program)?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        std::fs::write(folder.join("script.json"), script.to_string())?;
        Ok(Self { folder: folder.to_owned(), name: name.to_owned() })
    }

    /// The program.
    pub fn program(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// The folder for the search path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Every message that it has read.
    pub fn heard(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.join("heard.jsonl")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The methods of all messages that it has read, in order.
    pub fn heard_methods(&self) -> Vec<String> {
        self.heard().iter().filter_map(|message| message["method"].as_str().map(str::to_owned)).collect()
    }
}

/// The program as it was built; builds it where only the tests were.
fn built() -> io::Result<PathBuf> {
    let tests = std::env::current_exe()?;
    let folder = tests.parent().and_then(Path::parent).ok_or(io::ErrorKind::NotFound)?;
    let program = folder.join(PROGRAM);
    if !program.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let target = folder.parent().ok_or(io::ErrorKind::NotFound)?;
        Command::new(cargo)
            .args(["build", "--quiet", "--bin", PROGRAM, "--manifest-path"])
            .arg(manifest)
            .arg("--target-dir")
            .arg(target)
            .status()?;
    }
    Ok(program)
}

/// The program's `main`.
pub fn run() -> io::Result<()> {
    let program = std::env::current_exe()?;
    let folder = program.parent().ok_or(io::ErrorKind::NotFound)?.to_owned();
    let script = serde_json::from_slice(&std::fs::read(folder.join("script.json"))?)?;
    let mut agent = Running { script, folder, prompt: String::new(), last_answer: Value::Null, asked: 0 };
    agent.perform_all(&agent.script["start"].clone(), &Value::Null)?;
    while let Some(message) = agent.read()? {
        let Some(method) = message["method"].as_str() else { continue };
        if message.get("id").is_none() {
            continue;
        }
        if method == "session/prompt" {
            agent.prompt = message["params"]["prompt"][0]["text"].as_str().unwrap_or_default().to_owned();
        }
        let actions = agent.script[method].clone();
        let actions = if actions.is_null() { usual(method) } else { actions };
        agent.perform_all(&actions, &message["id"])?;
    }
    Ok(())
}

/// What a well-behaved agent does.
fn usual(method: &str) -> Value {
    match method {
        "initialize" => json!([{ "result": {
            "protocolVersion": 1,
            "agentCapabilities": { "loadSession": false },
            "agentInfo": { "name": "scripted", "version": "1.2.3" },
            "authMethods": [{ "id": "login", "name": "Log in at the desk" }],
        } }]),
        "session/new" => json!([{ "result": { "sessionId": SESSION } }]),
        "session/set_mode" => json!([{ "result": {} }]),
        "session/prompt" => json!([{ "chunk": "An answer." }, { "result": { "stopReason": "end_turn" } }]),
        _ => json!([{ "error": { "code": -32601, "message": "Method not found" } }]),
    }
}

struct Running {
    script: Value,
    folder: PathBuf,
    prompt: String,
    last_answer: Value,
    asked: u64,
}

impl Running {
    /// The next message; none at the end of its input.
    fn read(&mut self) -> io::Result<Option<Value>> {
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.folder.join("heard.jsonl"));
        if let Ok(mut log) = log {
            log.write_all(line.as_bytes())?;
        }
        Ok(Some(serde_json::from_str(&line)?))
    }

    fn perform_all(&mut self, actions: &Value, id: &Value) -> io::Result<()> {
        for action in actions.as_array().into_iter().flatten() {
            self.perform(action, id)?;
        }
        Ok(())
    }

    fn perform(&mut self, action: &Value, id: &Value) -> io::Result<()> {
        let Some((what, value)) = action.as_object().and_then(|fields| fields.iter().next()) else { return Ok(()) };
        match what.as_str() {
            "result" => send(&json!({ "jsonrpc": "2.0", "id": id, "result": value })),
            "error" => send(&json!({ "jsonrpc": "2.0", "id": id, "error": value })),
            "update" => update(value),
            "chunk" => chunk(value.as_str().unwrap_or_default(), action.get("message")),
            "echo" => chunk(&self.prompt, None),
            "tell" => chunk(&self.last_answer.to_string(), None),
            "environment" => {
                let lines: Vec<_> = std::env::vars().map(|(name, value)| format!("{name}={value}\n")).collect();
                chunk(&lines.concat(), None)
            }
            "ask" => self.ask(value),
            "print" => print(value.as_str().unwrap_or_default()),
            "complain" => writeln!(io::stderr(), "{}", value.as_str().unwrap_or_default()),
            "long" => {
                let filler = "x".repeat(usize::try_from(value.as_u64().unwrap_or(0)).unwrap_or(0));
                update(
                    &json!({ "sessionUpdate": "available_commands_update", "availableCommands": [{ "name": "c", "description": filler }] }),
                )
            }
            "write" => {
                let written = std::fs::write(value.as_str().unwrap_or_default(), "written\n");
                chunk(&written.map_or_else(|error| format!("not written: {error}"), |()| "written".to_owned()), None)
            }
            "wait" => {
                while let Some(message) = self.read()? {
                    if message["method"] == *value {
                        break;
                    }
                }
                Ok(())
            }
            "repeat" => {
                for _ in 0..value.as_u64().unwrap_or(0) {
                    self.perform_all(&action["actions"], id)?;
                }
                Ok(())
            }
            "exit" => std::process::exit(i32::try_from(value.as_i64().unwrap_or(0)).unwrap_or(1)),
            "hang" => loop {
                std::thread::park();
            },
            _ => Err(io::Error::other(format!("unknown action {what:?}"))),
        }
    }

    fn ask(&mut self, request: &Value) -> io::Result<()> {
        self.asked += 1;
        let id = format!("own-{}", self.asked);
        send(&json!({ "jsonrpc": "2.0", "id": id, "method": request["method"], "params": request["params"] }))?;
        while let Some(message) = self.read()? {
            if message["id"] == json!(id) {
                self.last_answer = message;
                break;
            }
        }
        Ok(())
    }
}

fn update(update: &Value) -> io::Result<()> {
    send(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": SESSION, "update": update } }))
}

fn chunk(text: &str, message: Option<&Value>) -> io::Result<()> {
    let mut piece = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
    if let Some(message) = message {
        piece["messageId"] = message.clone();
    }
    update(&piece)
}

fn send(message: &Value) -> io::Result<()> {
    print(&message.to_string())
}

fn print(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}
