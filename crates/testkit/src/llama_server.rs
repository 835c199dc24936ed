//! A stand-in for llama.cpp's `llama-server`: a real program that takes its arguments (`-m FILE --host H --port P`), is not
//! ready at first, and answers those who know the key that its environment holds with its process id.
//!
//! A model file that says `broken` cannot be loaded. One that says `echo` answers with the key.

use crate::http;
use crate::scripted_agent::installing;
use serde_json::{Value, json};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};

const PROGRAM: &str = "stand-in-llama-server";
/// The variable that holds the key.
const KEY: &str = "LLAMA_API_KEY";
/// How often it says that it is not ready.
const LOADING: usize = 2;

/// Puts the program into `folder`, which is made, as `llama-server`. Gives back its path.
pub fn install(folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    installing::put(&installing::built(PROGRAM, "src/llama_server.rs")?, &folder.join("llama-server"))
}

/// The program's `main`.
pub fn run() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag).map(|at| at + 1);
        let value = at.and_then(|at| arguments.get(at)).cloned();
        value.ok_or_else(|| io::Error::other(format!("{flag} is missing")))
    };
    let model = std::fs::read_to_string(given("-m")?)?;
    if model == "broken" {
        let _ = writeln!(io::stderr(), "failed to load model");
        std::process::exit(1);
    }
    let address = format!("{}:{}", given("--host")?, given("--port")?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(address).await?;
        let mut looks = 0;
        loop {
            let (connection, _) = listener.accept().await?;
            // A connection that fails is its client's to notice.
            let _ = serve(connection, &model, &mut looks).await;
        }
    })
}

/// Answers one request. Connections are not used again, so that one after the other is served.
async fn serve(connection: TcpStream, model: &str, looks: &mut usize) -> io::Result<()> {
    let (from, mut to) = connection.into_split();
    let Some(request) = http::read_request(&mut BufReader::new(from)).await? else { return Ok(()) };
    writeln!(io::stdout(), "{} {}", request.method, request.path)?;
    let key = std::env::var(KEY).unwrap_or_default();
    let is_known =
        request.headers.iter().any(|(name, value)| name == "authorization" && *value == format!("Bearer {key}"));
    let (code, body): (u16, Value) = if request.method == "GET" {
        *looks += 1;
        (if *looks > LOADING { 200 } else { 503 }, json!({ "status": "loading" }))
    } else if is_known {
        let text = if model == "echo" { format!("The key is {key}.") } else { format!("pid {}", std::process::id()) };
        let message = json!({ "message": { "content": text }, "finish_reason": "stop" });
        (200, json!({ "model": "m", "choices": [message] }))
    } else {
        (401, json!({ "error": { "message": "no key" } }))
    };
    let headers = [("connection".to_owned(), "close".to_owned())];
    http::write_whole(&mut to, code, "application/json", &headers, body.to_string().as_bytes()).await
}
