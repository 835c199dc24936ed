//! Recipes: what the real CLIs printed against a model server on this machine, and what is read from it.

use forge_agents::keeper::How;
use forge_agents::recipes::{self, Occasion, Preparation, Printed, Said, Trouble};
use forge_agents::{AgentSettings, FailureKind, Served};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// What the model said whenever it said something.
const ANSWER: &str = "Answer of the model.\n\nSecond paragraph.";

fn recorded(cli: &str, case: &str) -> Result<Said, Trouble> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(cli);
    let text = |ending: &str| std::fs::read_to_string(folder.join(format!("{case}.{ending}"))).unwrap();
    let code: i32 = text("exit").trim().parse().unwrap();
    let how = if code < 0 { How::OutOfTime } else { How::Exited(code) };
    read(cli, &how, &text("stdout"), &text("stderr"))
}

fn read(cli: &str, how: &How, stdout: &str, stderr: &str) -> Result<Said, Trouble> {
    (recipes::named(cli).unwrap().read)(&Printed { how, stdout, stderr })
}

#[test]
fn answers_are_read_with_what_they_used() {
    let used = |model: Option<&str>, cost| Served {
        model: model.map(str::to_owned),
        input_tokens: Some(123),
        output_tokens: Some(17),
        cached_tokens: Some(10),
        cost_microdollars: cost,
    };
    for (cli, served) in [
        ("claude", used(Some("claude-stub-served"), Some(807))),
        ("codex", used(None, None)),
        ("gemini", used(Some("gemini-stub-served"), None)),
        ("qwen", used(Some("qwen-stub"), None)),
        ("opencode", used(None, Some(0))),
    ] {
        let said = recorded(cli, "ok").unwrap();
        assert_eq!((said.text.as_str(), &said.served), (ANSWER, &served), "{cli}");
    }
}

/// What a model thinks is billed as written, and stands in these programs' totals only.
#[test]
fn thoughts_are_written_too() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for (cli, total) in [("gemini", "\"total_tokens\":"), ("qwen", "\"total_tokens\":"), ("opencode", "\"total\":")] {
        let stdout = std::fs::read_to_string(folder.join(cli).join("ok.stdout")).unwrap();
        let thinking = stdout.replace(&format!("{total}140"), &format!("{total}1140"));
        assert_ne!(stdout, thinking, "{cli}");
        let said = read(cli, &How::Exited(0), &thinking, "").unwrap();
        assert_eq!((said.served.input_tokens, said.served.output_tokens), (Some(123), Some(1017)), "{cli}");
    }
    // Codex counts thoughts within what was written.
    let stdout = std::fs::read_to_string(folder.join("codex").join("ok.stdout")).unwrap();
    assert!(stdout.contains("reasoning_output_tokens"));
}

#[test]
fn every_failure_is_what_it_is() {
    use forge_debate::turn::AbsenceKind::{Crashed, NoAuth, RateLimited, Refused, TimedOut, TooLong, Unreachable};
    let all = |kind| [("claude", kind), ("codex", kind), ("gemini", kind), ("qwen", kind), ("opencode", kind)];
    let but = |kind, others: &[(&'static str, FailureKind)]| {
        all(kind)
            .map(|(cli, kind)| (cli, others.iter().find(|(other, _)| *other == cli).map_or(kind, |(_, kind)| *kind)))
    };
    for (case, expected) in [
        ("401", all(NoAuth)),
        ("403", all(NoAuth)),
        ("no_key", all(NoAuth)),
        ("404", all(Unreachable)),
        ("refused", all(Unreachable)),
        ("429", all(RateLimited)),
        // It tries on until it is ended.
        ("500", but(Crashed, &[("opencode", TimedOut)])),
        ("garbage", all(Crashed)),
        ("empty", all(Crashed)),
        ("toolong", all(TooLong)),
        // Neither of these two can be told from an empty answer.
        ("refusal", but(Refused, &[("codex", Crashed), ("qwen", Crashed)])),
    ] {
        for (cli, kind) in expected {
            // opencode asks without a key, and is told by the provider.
            if (cli, case) == ("opencode", "no_key") {
                continue;
            }
            let trouble = recorded(cli, case).expect_err(&format!("{cli} {case}"));
            assert_eq!(trouble.kind, kind, "{cli} {case}: {trouble:?}");
            assert!(!trouble.detail.trim().is_empty(), "{cli} {case}");
            assert!(!trouble.detail.contains('\n'), "{cli} {case}: {}", trouble.detail);
        }
    }
}

#[test]
fn an_answer_that_was_cut_is_none_where_that_can_be_told() {
    for cli in ["claude", "codex", "qwen", "opencode"] {
        let trouble = recorded(cli, "max_tokens").expect_err(cli);
        assert_eq!(trouble.kind, FailureKind::TooLong, "{cli}: {trouble:?}");
    }
    // This one keeps it to itself.
    assert_eq!(recorded("gemini", "max_tokens").unwrap().text, ANSWER);
}

#[test]
fn what_a_failed_call_used_is_not_lost() {
    let trouble = recorded("claude", "max_tokens").unwrap_err();
    assert_eq!((trouble.served.output_tokens, trouble.served.cost_microdollars), (Some(68), Some(3_228)));
    assert_eq!(trouble.tries, Some(4));
    assert_eq!(recorded("claude", "401").unwrap_err().status, Some(401));
    assert_eq!(recorded("gemini", "429").unwrap_err().status, Some(429));
}

#[test]
fn an_answer_counts_only_with_code_zero_and_a_last_event() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for recipe in recipes::ALL {
        let cli = recipe.name;
        let stdout = std::fs::read_to_string(folder.join(cli).join("ok.stdout")).unwrap();
        let refused = |how: &How, stdout: &str| read(cli, how, stdout, "").expect_err(cli).kind;
        assert_eq!(refused(&How::Exited(1), &stdout), FailureKind::Crashed, "{cli}");
        assert_eq!(refused(&How::Signalled(9), &stdout), FailureKind::Crashed, "{cli}");
        for how in [How::NeverSpoke, How::FellSilent, How::OutOfTime] {
            assert_eq!(refused(&how, &stdout), FailureKind::TimedOut, "{cli}");
        }
        assert_eq!(refused(&How::Flooded, &stdout), FailureKind::Crashed, "{cli}");
        assert_eq!(refused(&How::NotStarted("no".to_owned()), ""), FailureKind::Unreachable, "{cli}");
        let lines: Vec<&str> = stdout.lines().collect();
        let cut = lines[..lines.len() - 1].join("\n");
        assert_eq!(refused(&How::Exited(0), &cut), FailureKind::Unparsable, "{cli}");
        assert_eq!(refused(&How::Exited(0), "hello"), FailureKind::Unparsable, "{cli}");
        assert_eq!(refused(&How::Exited(0), ""), FailureKind::Crashed, "{cli}");
        assert_eq!(refused(&How::Exited(1), "Please log in"), FailureKind::NoAuth, "{cli}");
    }
}

#[test]
fn a_program_that_waits_out_a_rate_limit_was_refused_for_rate() {
    let claude = r#"{"type":"system","subtype":"api_retry","attempt":1,"error_status":429,"error":"rate_limit_error"}"#;
    let codex = r#"{"type":"error","message":"Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)"}"#;
    for (cli, stdout, stderr) in [
        ("claude", claude, ""),
        ("codex", codex, ""),
        ("qwen", "", "Retrying in 60s (attempt 1/10): [API Error: 429 rate limited]\n"),
    ] {
        let trouble = read(cli, &How::OutOfTime, stdout, stderr).unwrap_err();
        assert_eq!(trouble.kind, FailureKind::RateLimited, "{cli}: {trouble:?}");
    }
}

#[test]
fn tools_that_a_model_asked_for_are_noted() {
    let stdout =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude/ok.stdout")).unwrap();
    let denied = stdout.replace("\"permission_denials\":[]", "\"permission_denials\":[{\"tool_name\":\"Bash\"}]");
    let said = read("claude", &How::Exited(0), &denied, "").unwrap();
    assert_eq!(said.notes, ["wanted to use Bash and was not let"]);
}

#[test]
fn defaults_are_dated_and_name_a_model_where_one_is_needed() {
    assert!(recipes::models_as_of().starts_with("20"));
    assert!(recipes::default_model("gemini").is_some());
    assert_eq!(recipes::default_model("claude"), None);
    assert_eq!(recipes::default_model("nobody"), None);
}

/// How a recipe's program would be started in a user's home.
fn prepared(cli: &str, home: &Path) -> Preparation {
    (recipes::named(cli).unwrap().prepare)(&Occasion {
        model: None,
        folder: Path::new("/seat/work"),
        home,
        home_is_the_users: true,
        aside: Path::new("/seat/aside"),
        has_context_file: false,
        key_variable: None,
        key: None,
        base_url: None,
        deadline: Duration::from_secs(60),
        settings: &AgentSettings::default(),
    })
}

#[test]
fn in_the_users_home_qwen_has_neither_servers_nor_extensions_nor_hooks() {
    let prepared = prepared("qwen", Path::new("/nobody"));
    let has = |pair: [&str; 2]| prepared.arguments.windows(2).any(|two| two == pair);
    assert!(has(["--extensions", "none"]) && has(["--allowed-mcp-server-names", "forge-allows-none"]));
    // What takes a list must not take the next argument.
    for list in ["--extensions", "--allowed-mcp-server-names"] {
        let at = prepared.arguments.iter().position(|argument| argument == list).unwrap();
        assert!(prepared.arguments[at + 2].starts_with("--"), "{:?}", prepared.arguments);
    }
    let settings: Value = serde_json::from_str(&prepared.files[0].1).unwrap();
    assert_eq!(settings["disableAllHooks"], true);
}

#[test]
fn of_the_users_settings_claude_is_given_keys_in_variables_only() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".claude")).unwrap();
    let theirs = json!({ "apiKeyHelper": "/bin/key", "hooks": {}, "env": { "ANTHROPIC_AUTH_TOKEN": "their-token" } });
    std::fs::write(home.path().join(".claude/settings.json"), theirs.to_string()).unwrap();
    let prepared = prepared("claude", home.path());
    let files: Vec<&str> = prepared.files.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(files, [json!({ "apiKeyHelper": "/bin/key" }).to_string()]);
    assert!(prepared.environment.contains(&("ANTHROPIC_AUTH_TOKEN".to_owned(), "their-token".to_owned())));
}

#[test]
fn of_the_users_configuration_opencode_sees_models_and_providers_only() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".config/opencode");
    std::fs::create_dir_all(&folder).unwrap();
    let theirs = r#"{ // mine
        "model": "acme/big", "mcp": { "files": { "type": "local", "command": ["rm"] } }, "plugin": ["p"],
        "instructions": ["x.md"], "permission": { "bash": "allow" }, "agent": {}, "tools": { "bash": true },
        "provider": { "acme": { "options": { "apiKey": "acme-key-0123456789", "baseURL": "https://u:pw12@h/v1" } }, },
    }"#;
    std::fs::write(folder.join("opencode.jsonc"), theirs).unwrap();
    let prepared = prepared("opencode", home.path());
    assert!(prepared.links.is_empty(), "{prepared:?}");
    let variable = |name: &str| prepared.environment.iter().find(|(one, _)| one == name).unwrap().1.clone();
    let configuration: Value = serde_json::from_str(&variable("OPENCODE_CONFIG_CONTENT")).unwrap();
    let options = json!({ "apiKey": "acme-key-0123456789", "baseURL": "https://u:pw12@h/v1" });
    let expected = json!({
        "autoupdate": false, "share": "disabled", "permission": { "*": "deny" },
        "model": "acme/big", "provider": { "acme": { "options": options } },
    });
    assert_eq!(configuration, expected);
    for own in ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        assert!(variable(own).starts_with("/seat/aside"), "{own}");
    }
    assert_eq!(prepared.secrets, ["acme-key-0123456789", "https://u:pw12@h/v1"]);
}

#[test]
fn of_the_users_home_opencode_is_linked_to_its_login_only() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".local/share/opencode");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("auth.json"), "{}").unwrap();
    std::fs::write(folder.join("opencode.db"), "").unwrap();
    let prepared = prepared("opencode", home.path());
    let link = Path::new("/seat/aside/data/opencode/auth.json").to_owned();
    assert_eq!(prepared.links, [(link, folder.join("auth.json"))]);
}

#[test]
fn a_vendors_key_is_not_what_opencode_sends_to_another_address() {
    let base_url = Some("http://127.0.0.1:9/v1".to_owned());
    let not_told = AgentSettings { base_url, ..AgentSettings::default() };
    let told = AgentSettings { key_env: Some("ANTHROPIC_API_KEY".to_owned()), ..not_told.clone() };
    for (variable, settings, is_sent) in [
        ("ANTHROPIC_API_KEY", &not_told, false),
        ("ANTHROPIC_API_KEY", &told, true),
        ("OPENAI_API_KEY", &not_told, true),
    ] {
        let prepared = (recipes::named("opencode").unwrap().prepare)(&Occasion {
            model: Some("m"),
            folder: Path::new("/seat/work"),
            home: Path::new("/seat/home"),
            home_is_the_users: false,
            aside: Path::new("/seat/aside"),
            has_context_file: false,
            key_variable: Some(variable),
            key: Some("k"),
            base_url: Some("http://127.0.0.1:9/v1"),
            deadline: Duration::from_secs(60),
            settings,
        });
        let (_, content) = prepared.environment.iter().find(|(name, _)| name == "OPENCODE_CONFIG_CONTENT").unwrap();
        assert_eq!(content.contains(&format!("{{env:{variable}}}")), is_sent, "{variable}: {content}");
    }
}

#[test]
fn opencode_asks_the_maker_whose_key_it_has_where_that_maker_is() {
    let opencode = recipes::named("opencode").unwrap();
    assert_eq!(opencode.keys_for(Some("openai/gpt-5.1")), ["OPENAI_API_KEY"]);
    assert_eq!(opencode.keys_for(None), opencode.keys);
    assert_eq!(opencode.keys_for(Some("acme/big")), opencode.keys);
    for (variable, model, address, enabled, there) in [
        ("ANTHROPIC_API_KEY", None, "http://127.0.0.1:9", Some("anthropic"), "http://127.0.0.1:9/v1"),
        ("OPENAI_API_KEY", Some("openai/m"), "http://127.0.0.1:9/v1/", Some("openai"), "http://127.0.0.1:9/v1"),
        ("GEMINI_API_KEY", None, "http://127.0.0.1:9/", Some("google"), "http://127.0.0.1:9/v1beta"),
        ("ANTHROPIC_API_KEY", Some("acme/big"), "http://127.0.0.1:9/v1", None, "http://127.0.0.1:9/v1"),
    ] {
        let prepared = (opencode.prepare)(&Occasion {
            model,
            folder: Path::new("/seat/work"),
            home: Path::new("/seat/home"),
            home_is_the_users: false,
            aside: Path::new("/seat/aside"),
            has_context_file: true,
            key_variable: Some(variable),
            key: Some("k"),
            base_url: Some(address),
            deadline: Duration::from_secs(60),
            settings: &AgentSettings::default(),
        });
        let of = |name: &str| prepared.environment.iter().find(|(one, _)| one == name).map(|(_, value)| value.clone());
        let configuration: Value = serde_json::from_str(&of("OPENCODE_CONFIG_CONTENT").unwrap()).unwrap();
        assert_eq!(configuration["enabled_providers"][0].as_str(), enabled, "{configuration}");
        let (_, maker) = configuration["provider"].as_object().unwrap().iter().next().unwrap();
        assert_eq!(maker["options"]["baseURL"], there, "{configuration}");
        assert_eq!(configuration["instructions"], json!(["/seat/work/AGENTS.md"]));
        assert!(of("OPENCODE_DISABLE_PROJECT_CONFIG").is_some() && of(variable).is_some());
        // What it looks for under another name is there too.
        assert_eq!(of("GOOGLE_GENERATIVE_AI_API_KEY").is_some(), variable == "GEMINI_API_KEY");
    }
}

#[test]
fn what_opencode_logs_names_the_model_and_what_it_waits_for() {
    let stdout = concat!(
        r#"{"type":"text","part":{"text":"Hello."}}"#,
        "\n",
        r#"{"type":"step_finish","part":{"reason":"stop","tokens":{"input":3,"output":1},"cost":0.5}}"#
    );
    let log =
        "timestamp=1 level=INFO run=r message=stream providerID=anthropic modelID=claude-x small=false agent=build\n";
    let said = read("opencode", &How::Exited(0), stdout, log).unwrap();
    assert_eq!((said.text.as_str(), said.served.model.as_deref()), ("Hello.", Some("claude-x")));
    let failing = format!(
        "{log}timestamp=2 level=ERROR run=r message=\"stream error\" modelID=claude-x error.error=\"AI_APICallError: rate limit reached\"\n"
    );
    let trouble = read("opencode", &How::OutOfTime, "", &failing).unwrap_err();
    assert_eq!(trouble.kind, FailureKind::RateLimited, "{trouble:?}");
    // Its log is no complaint.
    let trouble = read("opencode", &How::Exited(1), "", log).unwrap_err();
    assert!(!trouble.detail.contains("timestamp="), "{trouble:?}");
}

#[test]
fn a_cost_that_cannot_be_is_none() {
    let stdout =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude/ok.stdout")).unwrap();
    let cost = |printed: &str| {
        let at = stdout.find("\"total_cost_usd\":").unwrap() + "\"total_cost_usd\":".len();
        let rest = &stdout[at..];
        let end = rest.find([',', '}']).unwrap();
        let changed = format!("{}{printed}{}", &stdout[..at], &rest[end..]);
        read("claude", &How::Exited(0), &changed, "").unwrap().served.cost_microdollars
    };
    assert_eq!(cost("0.25"), Some(250_000));
    assert_eq!(cost("1000000"), Some(1_000_000_000_000));
    for absurd in ["1000001", "1e300", "-0.1", "\"NaN\"", "null"] {
        assert_eq!(cost(absurd), None, "{absurd}");
    }
}
