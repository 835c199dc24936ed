//! Prints what redaction costs beside a digest of the same bytes: `cargo bench -p forge-prose`, and for texts of one kind
//! `cargo bench -p forge-prose -- JSON`. Asserts nothing.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    missing_docs,
    reason = "times are printed and decide nothing"
)]

use forge_prose::secrets::redacted;
use sha2::Digest as _;

const REPETITIONS: usize = 25;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn main() {
    let asked_for: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let prose = "## Position\n\nWe should keep the cache in one process: it is small, the traffic is even, and nobody has shown a need for more than that. \
        The risk-adjusted cost of a second system — operations, upgrades, backups — is larger than what it saves (see `docs/cache.md`, 2024-11-03).\n\n- **Latency**: p99 stays below 20 ms\n- *Cost*: about $40 a month, https://example.org/pricing?plan=small\n\n";
    let json = "{\"seat\": \"risk\", \"option\": \"B\", \"because\": \"It is \\\"good enough\\\" and cheap.\\nNobody asked for more.\", \"confidence\": 4, \"sources\": [\"docs/cache.md:12\", \"https://example.org/a\"], \"digest\": \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"},\n";
    let code = "pub(crate) fn survey_of(files: &DebateFiles, record: &mut Record) -> Result<Survey, EngineError> {\n    let asks = conclude(&files.plan, record)?;\n    asks.iter().map(|ask| files.look_up(ask)).collect::<Result<Vec<_>, _>>()\n}\n";
    // Bytes as a picture has them, in base64.
    let mut seed = 1_u64;
    let mut letter = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(ALPHABET[(seed >> 58) as usize])
    };
    let picture: String = (0..1 << 16).map(|_| letter()).collect();
    let lines: String = (0..1 << 9).map(|_| (0..76).map(|_| letter()).chain(['\n']).collect::<String>()).collect();
    let markdown = format!("{prose}```rust\n{code}```\n\n");
    let escaped = markdown.replace('"', "\\\"").replace('\n', "\\n").replace('—', "\\u2014");
    let escaped = format!("{{\"role\": \"assistant\", \"content\": \"{escaped}\"}},\n");
    for (what, piece) in [
        ("English Markdown", prose),
        ("Markdown with code", &markdown),
        ("JSON", json),
        ("Markdown in JSON", &escaped),
        ("JSON with \\/", &json.replace('/', "\\/")),
        ("Rust", code),
        ("German", "Größe und Maß: für jeden Schlüssel prüfen wir, ob er überhaupt nötig ist.\n"),
        ("Japanese", "鍵は、どのように綴られていても、ファイルには残らない。\n"),
        ("a picture in base64", &picture),
        ("lines of base64", &lines),
        ("hexadecimal digits", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
        ("JSON escapes only", "\\u0041"),
        ("percent only", "%41"),
        ("beginnings only", "ghp_"),
        ("addresses only", "a://b:c@"),
        ("spaces", " "),
    ] {
        if !asked_for.iter().all(|word| what.contains(word)) {
            continue;
        }
        let text = piece.repeat((1 << 20) / piece.len());
        let best = |work: &dyn Fn() -> usize| {
            let time = |_| {
                let began = std::time::Instant::now();
                std::hint::black_box(work());
                began.elapsed().as_nanos()
            };
            (0..REPETITIONS).map(time).min().unwrap_or(1)
        };
        let digest = best(&|| sha2::Sha256::digest(text.as_bytes()).len());
        let here = best(&|| redacted(&text).len());
        println!("{what:>22}: {:.2} x ({} us of {} us)", here as f64 / digest as f64, here / 1000, digest / 1000);
    }
}
