//! A model file on this machine: starts llama.cpp's `llama-server` with it, until the roster rests or is dropped.
//!
//! Only when a user names it: nothing is searched for, nothing is fetched. The server runs under the keeper like every other
//! program, so it ends with the roster, with forge, and with forge's death; one that has ended is started anew by the next
//! call. It listens on loopback behind a key that is made
//! for this run and passed in its environment.

use super::connection::{Connection, PARALLEL_HERE};
use super::local;
use super::model::Model;
use crate::agent::{Agent, Answering, Call, Failure, FailureKind, Receipt};
use crate::cli::Scratch;
use crate::cli::privacy::Reader;
use crate::keeper::{Conversation, Hidden, How, Job, Keeper, Limits, Sandbox};
use crate::lane::Lane;
use crate::roster::{Roster, UnknownAgent};
use crate::settings::{AgentSettings, RosterSettings};
use crate::voice::one_line;
use std::ffi::OsString;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};

/// The program, where the configuration names no other.
const PROGRAM: &str = "llama-server";
/// How often a server that loads its model is asked whether it is ready.
const LOOK: Duration = Duration::from_millis(100);
/// The longest that a server runs.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// The most that a server may print.
const PRINTED_LIMIT: usize = 1 << 30;
/// What is kept of its complaints.
const COMPLAINTS_LIMIT: usize = 64 * 1024;
/// The most characters of them that are repeated.
const COMPLAINT_CHARS: usize = 300;
/// How long it has to end by itself.
const GRACE: Duration = Duration::from_secs(2);
/// Devices that compute; whoever uses one writes to it.
const DEVICES: [&str; 7] =
    ["/dev/dri", "/dev/kfd", "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-modeset", "/dev/shm"];

/// Seats a model file.
pub(crate) fn seat(roster: &Roster, name: &str, file: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    let settings = roster.settings();
    let problem = |problem: String| UnknownAgent::Settings { name: name.to_owned(), problem };
    let path = settings.workspace.clone().unwrap_or_default().join(file);
    let path = std::path::absolute(path).map_err(|error| problem(error.to_string()))?;
    if !path.is_file() {
        return Err(problem(format!("there is no file {}", path.display())));
    }
    let empty = AgentSettings::default();
    let own = settings.agents.get("local").unwrap_or(&empty);
    let program = program(own.command.as_deref().unwrap_or(PROGRAM), settings).map_err(problem)?;
    let keeper = settings.keeper.clone().ok_or_else(|| problem("no program can be run here".to_owned()))?;
    let writable = DEVICES.iter().map(PathBuf::from).filter(|device| device.exists()).chain(own.writable.clone());
    let needs = [&path, &program].into_iter().chain(&settings.scratch).cloned().collect();
    let hidden = Reader { settings, own, recipe: None, needs }.hidden();
    Ok(Arc::new(File {
        name: name.to_owned(),
        path,
        program,
        arguments: own.args.clone().unwrap_or_default(),
        keeper,
        sandbox: settings.sandbox,
        writable: writable.collect(),
        hidden,
        scratch: settings.scratch.clone(),
        lane: Arc::new(Lane::new(own.parallel.unwrap_or(PARALLEL_HERE))),
        running: Mutex::default(),
    }))
}

fn program(said: &str, settings: &RosterSettings) -> Result<PathBuf, String> {
    let program = crate::cli::program::find(settings, said);
    program.ok_or_else(|| {
        format!("there is no {said} on PATH: install llama.cpp, or set agents.local.command to where llama-server is")
    })
}

/// A model file, and the server that runs it once somebody has asked.
struct File {
    name: String,
    path: PathBuf,
    program: PathBuf,
    arguments: Vec<String>,
    keeper: Keeper,
    sandbox: Sandbox,
    writable: Vec<PathBuf>,
    hidden: Hidden,
    scratch: Vec<PathBuf>,
    lane: Arc<Lane>,
    running: Mutex<Arc<OnceCell<Running>>>,
}

/// A server that is ready. Dropped, it ends.
struct Running {
    model: Model,
    server: Mutex<Server>,
}

impl Running {
    /// Whether it is one no more: the program has ended, or the runtime on which it was started has.
    fn is_over(&self) -> bool {
        self.server.lock().unwrap_or_else(PoisonError::into_inner).draining.is_finished()
    }
}

/// A server that was started. Dropped, it ends.
struct Server {
    conversation: Conversation,
    draining: JoinHandle<()>,
}

impl File {
    /// The server that runs, or the place of the one to be started.
    fn running(&self) -> Arc<OnceCell<Running>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.get().is_some_and(Running::is_over) {
            *running = Arc::default();
        }
        Arc::clone(&running)
    }

    async fn start(&self, until: Instant) -> Result<Running, (FailureKind, String)> {
        let unable = |how: String| (FailureKind::Unreachable, format!("{} {how}", self.program.display()));
        let key = random().map_err(unable)?;
        let mut scratch = Scratch::make(&self.scratch)
            .map_err(|error| unable(format!("cannot be run, since its folder cannot be made: {error}")))?;
        // Free a moment ago; where somebody else has taken it since, the server says so and ends.
        let port = TcpListener::bind(("127.0.0.1", 0))
            .and_then(|free| free.local_addr())
            .map_err(|error| unable(format!("has no free port: {error}")))?
            .port();
        let server = self.keeper.converse(&self.job(&scratch, port, &key));
        scratch.leave();
        let server = Server::drained(server.map_err(unable)?);
        let base = format!("http://127.0.0.1:{port}/v1");
        let connection = Connection::here(&base, &key, Arc::clone(&self.lane)).map_err(unable)?;
        loop {
            if server.draining.is_finished() {
                return Err(unable(server.complaint().await));
            }
            match timeout_at(until, ready(&connection, &key)).await {
                Ok(true) => break,
                Ok(false) => sleep(LOOK).await,
                Err(_) => return Err((FailureKind::TimedOut, "the model was not loaded in time".to_owned())),
            }
        }
        let named = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Running { model: Model::new(&self.name, named, Arc::new(connection)), server: Mutex::new(server) })
    }

    fn job(&self, scratch: &Scratch, port: u16, key: &str) -> Job {
        let (path, port) = (self.path.clone().into_os_string(), OsString::from(port.to_string()));
        let own = self.arguments.iter().map(OsString::from);
        let place = [OsString::from("-m"), path, "--host".into(), "127.0.0.1".into(), "--port".into(), port];
        Job {
            program: self.program.clone(),
            arguments: own.chain(place).collect(),
            environment: vec![
                ("LLAMA_API_KEY".into(), key.into()),
                ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
                ("HOME".into(), scratch.home().into()),
                ("TMPDIR".into(), scratch.temporary().into()),
            ],
            folder: scratch.folder(),
            writable: std::iter::once(scratch.root().to_owned()).chain(self.writable.iter().cloned()).collect(),
            hidden: self.hidden.clone(),
            sandbox: self.sandbox,
            scratch: Some(scratch.root().to_owned()),
            limits: Limits {
                first_byte: LIFETIME,
                idle: LIFETIME,
                total: LIFETIME,
                grace: GRACE,
                stdout_bytes: PRINTED_LIMIT,
                stderr_bytes: COMPLAINTS_LIMIT,
            },
        }
    }
}

impl Server {
    /// Reads what it prints and keeps none of it, so that it never waits for a reader.
    fn drained(mut conversation: Conversation) -> Self {
        let mut output = std::mem::replace(&mut conversation.output, Box::new(tokio::io::empty()));
        let draining = tokio::spawn(async move {
            let _ = tokio::io::copy(&mut output, &mut tokio::io::sink()).await;
        });
        Self { conversation, draining }
    }

    /// Why it has ended.
    async fn complaint(self) -> String {
        let ended = self.conversation.end().await;
        let how = match ended.how {
            How::Exited(code) => format!("ended with code {code}"),
            How::NotStarted(why) | How::Lost(why) => why,
            other => format!("ended ({other:?})"),
        };
        let said = String::from_utf8_lossy(&ended.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        format!("{how}: {}", one_line(last, COMPLAINT_CHARS))
    }
}

/// Whether a server has loaded its model.
async fn ready(connection: &Connection, key: &str) -> bool {
    let mut health = connection.base.clone();
    health.set_path("/health");
    match connection.client.get(health).send().await {
        Ok(answer) if answer.status().as_u16() == 404 => {
            local::models(&connection.client, connection.url("models"), Some(key)).await.is_ok()
        }
        Ok(answer) => answer.status().is_success(),
        Err(_) => false,
    }
}

fn random() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("has no key: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Agent for File {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a> {
        Box::pin(async move {
            let until = Instant::now() + call.deadline;
            let running = self.running();
            match running.get_or_try_init(|| self.start(until)).await {
                Ok(running) => {
                    let left = until.saturating_duration_since(Instant::now());
                    running.model.answer(&Call { deadline: left, ..call.clone() }).await
                }
                Err((kind, detail)) => {
                    let program = self.program.display().to_string();
                    let model_asked = Some(self.path.display().to_string());
                    Err(Failure { kind, detail, receipt: Receipt { program, model_asked, ..Receipt::default() } })
                }
            }
        })
    }

    fn lane(&self) -> Option<Arc<Lane>> {
        Some(Arc::clone(&self.lane))
    }

    fn rest(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
    }
}
