//! `forge doctor`: the truth about each agent, with programs that answer, refuse, hang, babble and are not there.

use crate::agents::{KEY, agent, with_programs};
use crate::place::Place;
use forge_testkit::scripted_agent::records;
use serde_json::{Value, json};

const READY: &str = "{\"ready\": true}";

/// A program that says its version, and otherwise does this.
fn program(actions: &Value) -> Value {
    json!({"cases": [
        {"argument": "--version", "do": [{"print": {"text": "9.8.7 (scripted)\n"}}]},
        {"do": actions},
    ]})
}

/// A program that reads everything and prints these lines.
fn printing(lines: &[Value], code: u8) -> Value {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    program(&json!(["read_stdin", {"print": {"text": text}}, {"exit": code}]))
}

fn claude(text: &str) -> Value {
    printing(
        &[
            json!({"type": "system", "subtype": "init", "session_id": "s", "model": "claude-test-1"}),
            json!({"type": "assistant", "message": {"model": "claude-test-1", "content": [{"type": "text", "text": text}]}}),
            json!({"type": "result", "subtype": "success", "is_error": false, "result": text, "num_turns": 1,
                "stop_reason": "end_turn", "usage": {"input_tokens": 40, "output_tokens": 7}}),
        ],
        0,
    )
}

fn codex(text: &str) -> Value {
    printing(
        &[
            json!({"type": "thread.started", "thread_id": "t"}),
            json!({"type": "turn.started"}),
            json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}}),
            json!({"type": "turn.completed", "usage": {"input_tokens": 30, "output_tokens": 5}}),
        ],
        0,
    )
}

fn codex_without_login() -> Value {
    let message = "unexpected status 401 Unauthorized: Missing bearer authentication in header";
    printing(&[json!({"type": "turn.started"}), json!({"type": "turn.failed", "error": {"message": message}})], 1)
}

fn gemini(text: &str) -> Value {
    printing(
        &[
            json!({"type": "init", "session_id": "s", "model": "gemini-test"}),
            json!({"type": "message", "role": "assistant", "content": text, "delta": true}),
            json!({"type": "result", "status": "success", "stats": {"input_tokens": 20, "output_tokens": 3}}),
        ],
        0,
    )
}

fn qwen(text: &str) -> Value {
    let events = json!([
        {"type": "system", "subtype": "init", "model": "qwen-test"},
        {"type": "assistant", "message": {"model": "qwen-test", "content": [{"type": "text", "text": text}]}},
        {"type": "result", "subtype": "success", "is_error": false, "result": text, "num_turns": 1,
            "usage": {"input_tokens": 10, "output_tokens": 2}},
    ]);
    let lines: Vec<Value> = events.as_array().unwrap().clone();
    printing(&lines, 0)
}

/// Keys for all four, and addresses where nobody listens: nothing that is asked here may leave the machine, and an API that
/// is sent elsewhere is not asked at all.
fn with_keys(place: Place) -> Place {
    place
        .with("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        .with("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
        .with("ANTHROPIC_API_KEY", KEY)
        .with("OPENAI_API_KEY", KEY)
        .with("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .with("GEMINI_API_KEY", KEY)
}

// seed: S4-63
#[test]
fn a_probe_tells_the_truth_about_each() {
    let place = with_keys(with_programs(&[
        ("claude", claude(READY)),
        ("codex", codex_without_login()),
        ("gemini", program(&json!(["read_stdin", "hang"]))),
        ("qwen", program(&json!(["read_stdin", {"print": {"text": "\u{1}no json at all"}}]))),
    ]));
    let done = place.forge(&["doctor", "--probe", "--timeout", "8s", "--json"]).code(0).err("real calls");
    assert!(!done.out.contains(KEY) && !done.err.contains(KEY), "{done}");

    let claude = agent(&done, "claude");
    assert_eq!((&claude["works"], &claude["probe"]["result"]), (&json!(true), &json!("answered")), "{claude}");
    assert_eq!(claude["probe"]["model"], "claude-test-1");
    assert_eq!((&claude["probe"]["input_tokens"], &claude["probe"]["output_tokens"]), (&json!(40), &json!(7)));
    assert_eq!(claude["probe"]["version"], "9.8.7");
    assert!(claude["probe"]["milliseconds"].is_u64() && claude["probe"]["sandbox"].is_string(), "{claude}");

    for (name, failure, fix) in [
        ("codex", "no-auth", "codex login"),
        ("gemini", "timed-out", "--timeout"),
        ("qwen", "unparsable", "npm install -g @qwen-code/qwen-code"),
    ] {
        let probe = &agent(&done, name)["probe"];
        assert_eq!((&probe["result"], &probe["failure"]), (&json!("failed"), &json!(failure)), "{name}: {probe}");
        assert!(probe["fix"].as_str().unwrap().contains(fix), "{name}: {probe}");
        assert!(!probe["detail"].as_str().unwrap().is_empty());
        assert_eq!(agent(&done, name)["works"], false);
    }
    let opencode = agent(&done, "opencode");
    assert_eq!((&opencode["probe"], &opencode["installed"]), (&json!(null), &json!(false)));

    let report = done.json();
    assert_eq!((&report["works"], &report["probed"]), (&json!(true), &json!(true)));
    assert_eq!(report["challenge"]["level"], "DISABLED", "nobody of another family answered");
    assert_eq!(report["challenge"]["by"], "answered");
    assert_eq!(report["challenge"]["one_family"], "anthropic");
}

#[test]
fn without_a_probe_nobody_is_asked_and_the_level_is_by_what_is_installed() {
    let script = json!(["record"]);
    let names = ["claude", "codex", "gemini", "qwen"];
    for (count, level) in [(1, "DISABLED"), (2, "MINIMAL"), (3, "FUNCTIONAL"), (4, "OPTIMAL")] {
        let programs: Vec<(&str, Value)> = names.iter().take(count).map(|name| (*name, script.clone())).collect();
        let place = with_keys(with_programs(&programs));
        let report = place.forge(&["doctor", "--json"]).code(0).json();
        assert_eq!((&report["challenge"]["level"], &report["challenge"]["by"]), (&json!(level), &json!("installed")));
        assert_eq!(report["challenge"]["seats"]["lead"], "claude");
        place.forge(&["doctor"]).code(0).out(level).out("--probe").out("sandbox").out("config");
        for name in names.iter().take(count) {
            assert!(records(&place.around().join("bin"), name).unwrap().is_empty(), "{name} was run");
        }
        assert!(place.files().is_empty());
    }
}

// seed: S4-63
#[test]
fn four_that_answer_make_challenge_optimal() {
    let place = with_keys(with_programs(&[
        ("claude", claude(READY)),
        ("codex", codex(READY)),
        ("gemini", gemini(READY)),
        ("qwen", qwen("I am here, and do not do as I am told.")),
    ]));
    let done = place.forge(&["doctor", "--probe"]).code(0).out("OPTIMAL, by what answered");
    for line in ["lead: claude", "architect: gemini", "operator: codex", "adversary: qwen"] {
        assert!(done.out.contains(line), "{line} in {done}");
    }
    assert!(done.out.contains("not in the form"), "what answers out of form is said to: {done}");
    let done = place.forge(&["doctor", "--probe", "codex", "--json"]).code(0);
    assert_eq!(done.json()["agents"].as_array().unwrap().len(), 1);
    assert_eq!(agent(&done, "codex")["probe"]["result"], "answered");
    assert_eq!(done.json()["challenge"], json!(null), "one agent tells nothing about a challenge");
}

// seed: S4-12
#[test]
fn where_nobody_can_answer_it_ends_with_its_code_and_says_what_helps() {
    let place = with_programs(&[]);
    place.forge(&["doctor"]).code(5).out("DISABLED").out("npm install -g").out("forge agents");
    place.forge(&["doctor", "--probe", "--json"]).code(5);
    let place = with_programs(&[("codex", codex_without_login())]).with("CODEX_API_KEY", KEY);
    place.forge(&["doctor"]).code(0);
    place.forge(&["doctor", "--probe"]).code(5).out("no-auth").out("CODEX_API_KEY");
    let done = place.forge(&["doctor", "--probe"]).code(5).out("Nobody answered").out("what helps: the key in");
    assert!(!done.out.contains("install and log in"), "it is installed: {done}");
}

#[test]
fn names_and_times_that_cannot_be_are_refused() {
    let place = with_programs(&[]);
    place.forge(&["doctor", "--probe", "--timeout", "soon"]).code(2).err("--timeout");
    place.forge(&["doctor", "cluade"]).code(2).err("claude");
    place.forge(&["doctor", "claude"]).code(5).out("npm install -g @anthropic-ai/claude-code");
}

#[test]
fn what_is_wrong_with_the_configuration_is_said() {
    let place = with_programs(&[]).with("ANTHROPIC_API_KEY", KEY);
    place.write(".claude/forge/config.json", "{\"agentz\": {}}");
    let report = place.forge(&["doctor", "--json"]).code(0).json();
    let remarks = report["machine"]["config"].as_array().unwrap();
    assert!(remarks.iter().any(|remark| remark["text"].as_str().unwrap().contains("agentz")), "{remarks:?}");
    assert!(report["machine"]["sandbox"]["text"].is_string());
    assert_eq!(report["machine"]["seats_in"]["ok"], true, "{report}");
}

#[test]
fn nobody_is_asked_by_settings_that_are_wrong() {
    let place = with_programs(&[("mine", json!(["read_stdin", { "print": { "text": "hello" } }]))]);
    configure(&place, &json!({"agents": {"mine": {"command": "mine", "output": "result.text"}}}));
    place.forge(&["doctor"]).code(0).out("agents.mine.output");
    place.forge(&["doctor", "--probe"]).code(2).err("agents.mine.output");
}

/// Writes the user's own configuration.
fn configure(place: &Place, config: &Value) {
    std::fs::create_dir_all(place.around().join("home/.config/forge")).unwrap();
    std::fs::write(place.around().join("home/.config/forge/config.json"), config.to_string()).unwrap();
}

#[test]
fn an_own_agent_that_prints_something_else_is_told_which_setting_to_correct() {
    let printed = "\u{1b}[1mHello\u{1b}[0m, I am plain text.";
    let place = with_programs(&[
        ("plain", program(&json!(["read_stdin", {"print": {"text": printed}}]))),
        ("other", printing(&[json!({"answer": READY})], 0)),
    ]);
    let own = |command: &str| json!({"command": command, "output": "/result/text"});
    configure(&place, &json!({"agents": {"mine": own("plain"), "yours": own("other")}}));
    let done = place.forge(&["doctor", "--probe", "mine", "yours", "--json"]).code(5);
    for (name, begins) in [("mine", "Hello, I am plain text."), ("yours", "{\"answer\":")] {
        let probe = &agent(&done, name)["probe"];
        assert_eq!(probe["failure"], "unparsable", "{probe}");
        let (detail, fix) = (probe["detail"].as_str().unwrap(), probe["fix"].as_str().unwrap());
        assert!(detail.contains("/result/text") && detail.contains(begins), "{detail}");
        assert!(fix.contains(&format!("agents.{name}.output")) && !fix.contains("another model"), "{fix}");
    }
}

#[test]
fn a_model_that_would_be_a_flag_is_refused_for_every_agent() {
    let place = with_programs(&[]).with("ANTHROPIC_API_KEY", KEY);
    for name in ["anthropic:-x", "claude:--help", "ollama:-m"] {
        place.forge(&["doctor", name]).code(2).err("begins with -");
        place.forge(&["debate", "Redis or Memcached for sessions?", "--agent", name]).code(2).err("begins with -");
    }
}

#[test]
fn a_sandbox_that_is_switched_off_holds_nobody() {
    let place = with_programs(&[]).with("ANTHROPIC_API_KEY", KEY);
    configure(&place, &json!({"sandbox": "off"}));
    let done = place.forge(&["doctor"]).code(0).out("switched off by configuration");
    assert!(!done.out.contains("write only to their own folders"), "{done}");
    let sandbox = place.forge(&["doctor", "--json"]).code(0).json()["machine"]["sandbox"].clone();
    assert_eq!(sandbox["switched_off"], true);
    assert!(sandbox["text"].as_str().unwrap().contains("by their own flags alone"), "{sandbox}");
}

#[test]
fn advice_is_about_what_failed() {
    let place = with_programs(&[
        ("codex", codex_without_login()),
        ("gemini", gemini("")),
        ("crasher", program(&json!(["read_stdin", {"die": 6}]))),
        ("gone", program(&json!([{"exit": 3}]))),
    ])
    .with("OPENAI_API_KEY", KEY)
    .with("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    .with("GEMINI_API_KEY", KEY);
    configure(&place, &json!({"agents": {"mine": {"command": "crasher", "args": ["--fast"]}}}));
    let names = ["codex", "gemini", "mine", "acp:gone", "acp:no-such-program", "openai:m"];
    let args: Vec<&str> = ["doctor", "--probe", "--timeout", "20s", "--json"].into_iter().chain(names).collect();
    let done = place.forge(&args).code(5);
    for (name, fix) in [
        ("codex", "the key in OPENAI_API_KEY was refused"),
        ("gemini", "ask again, or try another model: --agent gemini:MODEL"),
        ("mine", "run it by hand: `crasher --fast`"),
        ("acp:gone", "run it by hand: `gone`; it has to speak"),
        ("openai", "see whether 127.0.0.1:9 answers, or change OPENAI_BASE_URL"),
    ] {
        let probe = agent(&done, name)["probe"].clone();
        assert!(probe["fix"].as_str().unwrap().starts_with(fix), "{name}: {probe}");
        let detail = probe["detail"].as_str().unwrap();
        assert!(!detail.contains("what helps") && !detail.contains("CODEX_API_KEY"), "{name}: {detail}");
    }
    let missing = agent(&done, "acp:no-such-program");
    assert_eq!((&missing["obstacle"]["kind"], &missing["probe"]), (&json!("not_installed"), &json!(null)));
    let done = place.forge(&["doctor", "acp:no-such-program", "gemini"]).code(0);
    assert!(done.out.contains("no program no-such-program on PATH") && done.out.contains("usable"), "{done}");
}

#[test]
fn what_helps_stands_on_a_line_of_its_own_and_nothing_is_cut_in_a_pipe() {
    let words = "status 401 Unauthorized ".to_owned() + &"and more about it ".repeat(20);
    let failed = json!({"type": "turn.failed", "error": {"message": words}});
    let place = with_programs(&[("codex", printing(&[json!({"type": "turn.started"}), failed], 1))])
        .with("CODEX_API_KEY", KEY)
        .with("OPENAI_API_KEY", KEY);
    let done = place.forge(&["doctor", "--probe", "codex"]).code(5);
    let helps = done.out.lines().find(|line| line.trim_start().starts_with("what helps:")).unwrap();
    assert!(helps.ends_with("codex login"), "{done}");
    let place = with_programs(&[("qwen", json!([{"exit": 0}]))]).with("OPENAI_API_KEY", KEY);
    let done = place.forge(&["agents"]).code(0);
    assert!(done.out.contains("whose models it would ask is not known") && !done.out.contains('…'), "{done}");
}
