//! Judges in the subagents of the real Codex, Qwen Code and Gemini CLI, as their pages say.

use super::holding::{Manner, Seat, path, told};
use super::stage::Stage;
use crate::place::front;
use forge_testkit::model_server::{Answer, Asked};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;

const DEBATE: &str = "forge debate 'Redis or Memcached for sessions?' --protocol judges --agent outside --id d1 --option 'Redis: it keeps' --option 'Memcached: it forgets'";

/// Its rules hold for a command alone, so that a turn is handed in by a file.
static CODEX: Manner = Manner {
    run: |command| ("exec_command", json!({ "cmd": command })),
    read: |_, file| (CODEX.run)(&format!("cat {file}")),
    start: |_, prompt| {
        ("spawn_agent", json!({ "message": format!("You are one seat of a debate. Hand in by a file.\n{prompt}") }))
    },
    wait: wait_for_all,
    write: Some(|_, file, text| {
        (CODEX.run)(&format!("mkdir -p docs/forge/turns && cat > {file} <<'END_OF_TURN'\n{text}\nEND_OF_TURN"))
    }),
};

static QWEN: Manner = Manner {
    run: |command| {
        ("run_shell_command", json!({ "command": command, "description": "run forge", "is_background": false }))
    },
    read: |asked, file| ("read_file", json!({ "file_path": path(asked, "working in the directory: ", file) })),
    start: |_, prompt| {
        let seat = json!({ "description": "one seat", "prompt": prompt, "subagent_type": "forge-seat", "run_in_background": false });
        ("agent", seat)
    },
    wait: |_| None,
    write: None,
};

/// It lets no command through with a backtick in it.
static GEMINI: Manner = Manner {
    run: |command| ("run_shell_command", json!({ "command": command, "description": "run forge" })),
    read: |_, file| ("read_file", json!({ "file_path": file })),
    start: |_, prompt| ("invoke_agent", json!({ "agent_name": "forge-seat", "prompt": prompt })),
    wait: |_| None,
    write: Some(|_, file, text| ("write_file", json!({ "file_path": file, "content": text }))),
};

/// Codex's `wait_agent` returns with the first that is done: again for the others, and then all are closed.
fn wait_for_all(asked: &Asked) -> Option<Answer> {
    let calls = asked.calls();
    let done: Vec<(&str, Value, &Value)> = calls
        .iter()
        .zip(&asked.results)
        .map(|((name, input), result)| (name.as_str(), serde_json::from_str(result).unwrap_or_default(), input))
        .collect();
    let of = |tool: &'static str| done.iter().filter(move |(name, ..)| *name == tool);
    let ended: BTreeSet<String> = of("wait_agent")
        .filter_map(|(_, result, _)| result["status"].as_object())
        .flat_map(|status| status.keys().cloned())
        .collect();
    let closed: BTreeSet<&str> = of("close_agent").filter_map(|(_, _, input)| input["target"].as_str()).collect();
    let started = of("spawn_agent").filter_map(|(_, result, _)| result["agent_id"].as_str());
    let (ready, at_work): (Vec<&str>, Vec<&str>) =
        started.filter(|id| !closed.contains(id)).partition(|id| ended.contains(*id));
    match (ready.is_empty(), at_work.is_empty()) {
        (_, false) => Some(Answer::tool("wait_agent", json!({ "targets": at_work, "timeout_ms": 60_000 }))),
        (false, true) => Some(Answer::tools(ready.into_iter().map(|id| ("close_agent", json!({ "target": id }))))),
        (true, true) => None,
    }
}

/// The model of the host and of its subagents.
fn plays(manner: &'static Manner) -> impl Fn(&Asked) -> Answer + Send + Sync + 'static {
    move |asked| {
        if let Some(seat) = Seat::of(asked, manner) {
            return seat.usual(&[("effort", "B")]);
        }
        // What a host asks on its own account has no question of ours.
        if !asked.all.contains("Redis or Memcached") || asked.all.contains("memory extraction subagent") {
            return Answer::Text("Nothing to do.".to_owned());
        }
        match asked.calls().len() {
            0 => manner.runs(DEBATE),
            1 => manner.runs("forge turn next d1 --json"),
            _ => manner.hold(asked).unwrap_or_else(|| Answer::Text(told(asked))),
        }
    }
}

/// A stage for a test that takes its time: only where `.ci/full` asks for it.
fn at_length(host: &str, manner: &'static Manner) -> Option<Stage> {
    if std::env::var_os("FORGE_FULL").is_none() {
        let test = std::thread::current().name().unwrap_or("").to_owned();
        let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: it takes its time; .ci/full runs it (FORGE_FULL=1)");
        return None;
    }
    Stage::new(host, plays(manner))
}

/// Three have spoken, each in a subagent of its own, and the verdict holds. Returns the turns.
#[track_caller]
fn holds(stage: &Stage, program: &str, args: &[&str]) -> Vec<String> {
    let place = &stage.place;
    let done = stage.run(program, args).code(0);
    let all: Vec<String> = stage.asked().iter().flat_map(|asked| asked.results.clone()).collect();
    let verdict = "docs/forge/sadd/debate-d1-trail/verdict.json";
    assert!(place.has(verdict), "{done}\n{all:#?}");
    let verdict = place.json(verdict);
    assert_eq!((&verdict["outcome"], &verdict["degraded"]), (&json!("consensus"), &json!(false)), "{verdict:#}");
    place.forge(&["verify", "d1"]).code(0).out("HOLDS");
    let turns = place.files().into_iter().filter(|file| file.contains("-trail/turns/"));
    let turns: Vec<String> = turns.map(|file| place.read(&file)).collect();
    assert_eq!(turns.len(), 3, "{turns:#?}");
    assert_eq!(place.files_in("docs/forge/turns"), Vec::<String>::new(), "drafts are gone once their turns are in");
    turns
}

/// Each turn names the subagent whose shell handed it in.
#[track_caller]
fn are_named(turns: &[String], host: &str) {
    let shells: BTreeSet<String> = turns.iter().filter_map(|turn| front(turn, "shell")).collect();
    assert!(shells.len() == 3 && shells.iter().all(|shell| shell.starts_with(host)), "{shells:?}: {turns:#?}");
}

/// In the sandbox that it has by itself, with no leave but that of the rules.
#[test]
fn codex_holds_a_debate() {
    let Some(stage) = at_length("codex", &CODEX) else { return };
    let turns = holds(&stage, "codex", &["exec", "$forge-debate Redis or Memcached for sessions?"]);
    are_named(&turns, "codex/");
    assert!(stage.place.around().join("home/.local/state/forge").exists());
}

#[test]
fn qwen_holds_a_debate() {
    let Some(stage) = at_length("qwen", &QWEN) else { return };
    // Nobody is there to be asked, and no rule lets it start subagents.
    let typed =
        ["--auth-type", "openai", "-m", "loopback-1", "-p", "/forge:debate Redis or Memcached for sessions?", "-y"];
    let turns = holds(&stage, "qwen", &typed);
    are_named(&turns, "qwen/");
}

/// The agent lies in the user's own folder: one of the project's is found once the user has acknowledged it.
#[test]
fn gemini_holds_a_debate() {
    let Some(stage) = at_length("gemini", &GEMINI) else { return };
    let agents = stage.place.around().join("home/.gemini/agents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("forge-seat.md"), stage.place.read(".gemini/agents/forge-seat.md")).unwrap();
    let typed =
        ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", "/forge:debate Redis or Memcached for sessions?"];
    holds(&stage, "gemini", &typed);
}
