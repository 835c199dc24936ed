//! The model server by hand, to see what a client does with it: prints its address, then every request.
//!
//! `cargo run -p forge-testkit --example model_server -- PLAY [TEXT]`, where PLAY is `text`, `empty`, `garbage`, `hang`,
//! `cut`, `length`, `refusal`, `key`, `tool:NAME:JSON` or a status such as `429`.

#![allow(clippy::print_stdout)]

use forge_testkit::model_server::{Answer, Asked, Ending, ModelServer, Reply};
use std::io;

fn main() -> io::Result<()> {
    let play = std::env::args().nth(1).unwrap_or_else(|| "text".to_owned());
    let text = std::env::args().nth(2).unwrap_or_else(|| "A loopback answer.".to_owned());
    let server = ModelServer::start(move |asked| answer(&play, &text, asked))?;
    println!("{}", server.root());
    let mut told = 0;
    loop {
        std::thread::sleep(std::time::Duration::from_millis(100));
        for asked in server.requests().iter().skip(told) {
            told += 1;
            println!(
                "\n#{} {:?} {:?} {} {}\nmodel {:?}, stream {}, tools {:?}, results {}",
                asked.number,
                asked.wire,
                asked.errand,
                asked.method,
                asked.path,
                asked.model,
                asked.wants_stream,
                asked.tools,
                asked.results.len()
            );
            println!("headers {:?}", asked.headers);
            println!("--- system\n{}\n--- user\n{}\n--- body\n{}", asked.system, asked.user, asked.body);
        }
    }
}

fn answer(play: &str, text: &str, asked: &Asked) -> Answer {
    let ending = |ending| Answer::Reply(Reply { text: text.to_owned(), ending, ..Reply::default() });
    match play.split(':').next().unwrap_or("") {
        "empty" => Answer::Text(String::new()),
        "garbage" => Answer::Garbage,
        "hang" => Answer::Hang,
        "cut" => Answer::CutAfter(2),
        "key" => Answer::WrongKey,
        "length" => ending(Ending::Length),
        "refusal" => Answer::Reply(Reply { ending: Ending::Refusal("I will not.".to_owned()), ..Reply::default() }),
        "tool" if asked.results.is_empty() => {
            let mut parts = play.splitn(3, ':').skip(1);
            let name = parts.next().unwrap_or("");
            let arguments = parts.next().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
            Answer::tool(name, arguments)
        }
        "429" => Answer::rate_limited(2),
        word => word.parse().map_or_else(|_| Answer::Text(text.to_owned()), |code| Answer::status(code, "as told")),
    }
}
