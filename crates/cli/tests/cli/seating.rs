//! Who sits where when nobody is named, what is sent to whom, and what a plan may not run.

use crate::agents::{KEY, with_programs};
use crate::place::Place;
use serde_json::{Value, json};

const ASKED: [&str; 6] = ["debate", "Redis or Memcached for sessions?", "--option", "Redis", "--option", "Memcached"];

/// Three programs that are there and say nothing of use.
fn three() -> Place {
    let fails = || json!(["read_stdin", { "exit": 1 }]);
    let mut place = with_programs(&[("claude", fails()), ("codex", fails()), ("gemini", fails())]);
    place.set("ANTHROPIC_API_KEY", KEY);
    place.set("OPENAI_API_KEY", "sk-another-key-that-nobody-may-see");
    place.set("GEMINI_API_KEY", "AIza-a-third-key-that-nobody-may-see");
    // Nothing but loopback is ever asked, whatever goes wrong.
    for variable in ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"] {
        place.set(variable, "http://127.0.0.1:9");
    }
    place
}

fn and<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ASKED.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn agents_of_different_families_take_the_seats_and_the_same_command_finds_the_debate_without_them() {
    let mut place = three();
    let done = place.forge(&ASKED).code(5).err("risk: claude").err("value: codex").err("effort: gemini");
    assert!(!done.err.contains(KEY), "{done}");
    let plan = place.only(|file| file.ends_with("-plan.md") && !file.contains("trail"));
    let text = place.read(&plan);
    for hand in ["claude", "codex", "gemini"] {
        assert!(text.contains(&format!("hand: \"{hand}\"")), "{text}");
    }
    place.set("PATH", "/usr/bin:/bin");
    place.forge(&ASKED).code(5).err("redis-or-memcached-for-sessions is over, and nobody is asked");
    assert_eq!(place.only(|file| file.ends_with("-plan.md") && !file.contains("trail")), plan);
    // Their keys and addresses are still set: whoever has configured agents gets no rehearsal.
    place.forge(&and(&["--new"])).code(5).err("none can be asked").err("anthropic: ");
}

#[test]
fn before_anything_is_sent_it_is_listed_who_gets_what() {
    let place = three();
    place.write("notes.md", "Sessions are small.\n");
    let done = place.forge(&and(&["--dry-run", "--json", "--context", "notes.md"])).code(0);
    let sent = done.json()["sent_to"].clone();
    let recipients = sent.as_array().unwrap();
    assert_eq!(recipients.len(), 3, "{sent}");
    for (recipient, (vendor, seat)) in recipients.iter().zip([
        ("Anthropic", "risk (claude)"),
        ("OpenAI", "value (codex)"),
        ("Google", "effort (gemini)"),
    ]) {
        let name = recipient["recipient"].as_str().unwrap();
        assert!(name.contains(vendor) && name.contains("127.0.0.1:9"), "{name}");
        assert_eq!(recipient["seats"], json!([seat]));
        assert_eq!(recipient["files"], json!([{"name": "notes.md", "path": "notes.md", "bytes": 20}]));
    }
    let done = place.forge(&and(&["--dry-run", "--context", "notes.md"])).code(0).out("what is sent to whom");
    assert!(done.out.contains("notes.md (20 bytes)"), "{done}");
    let alone = place.forge(&and(&["--dry-run", "--json", "--agent", "rehearsal"])).code(0).json();
    assert_eq!(alone["sent_to"][0]["files"], Value::Array(Vec::new()), "{alone}");
    assert!(place.files().iter().all(|file| file == "notes.md"), "{:?}", place.files());
}

#[test]
fn what_holds_secrets_or_is_ignored_is_sent_only_when_it_is_named_twice() {
    let place = Place::new();
    place.write(".env", "TOKEN=abc\nsk-0123456789abcdef0123\n");
    place.write(".gitignore", "private.md\n");
    place.write("private.md", "Do not tell.\n");
    place.write(".git/HEAD", "ref: refs/heads/main\n");
    for (file, why) in [(".env", "usually hold secrets"), ("private.md", "leaves it out")] {
        let once = and(&["--agent", "rehearsal", "--context", file]);
        place.forge(&once).code(2).err(why).err(&format!("--context {file} --context {file}"));
        let twice = and(&["--agent", "rehearsal", "--new", "--context", file, "--context", file]);
        place.forge(&twice).code(0).err("it is named twice");
    }
    let sent: Vec<String> = place.files().into_iter().filter(|file| file.contains("trail/materials")).collect();
    assert_eq!(sent.len(), 2, "each once: {sent:?}");
    for file in place.files().iter().filter(|file| *file != ".env") {
        assert!(!place.read(file).contains("sk-0123456789abcdef0123"), "{file}");
    }
}

#[test]
fn a_plan_runs_no_command_unless_the_user_says_so() {
    let place = Place::new();
    place.forge(&and(&["--agent", "outside", "--id", "q1"])).code(3);
    let plan = place.only(|file| file.ends_with("-plan.md") && !file.contains("trail"));
    for hand in ["acp:touch owned", "local:model.gguf", "scripted:../elsewhere.yaml"] {
        place.edit(&plan, |text| {
            text.lines()
                .map(|line| match line.trim().starts_with("hand:") {
                    true => format!("{}hand: \"{hand}\"\n", &line[..line.len() - line.trim_start().len()]),
                    false => format!("{line}\n"),
                })
                .collect()
        });
        place.forge(&["debate", "run", "q1"]).code(2).err("--allow-commands");
    }
    assert!(!place.files().iter().any(|file| file.contains("owned")), "{:?}", place.files());
}

#[test]
fn a_plan_that_came_with_the_folder_runs_no_command_for_whoever_asks_the_same_question() {
    let place = Place::new();
    place.forge(&and(&["--id", "q1"])).code(0).err("REHEARSAL");
    let plan = place.only(|file| file.ends_with("-plan.md") && !file.contains("trail"));
    // As somebody would commit it: the same request, nobody has spoken, and other hands.
    let is_record = |file: &&String| file.starts_with("docs/forge/sadd") && **file != plan && !file.contains("/roles/");
    for file in place.files().iter().filter(is_record) {
        std::fs::remove_file(place.path(file)).unwrap();
    }
    place.edit(&plan, |text| text.replace("hand: \"rehearsal\"", "hand: \"acp:touch owned\""));
    place.forge(&and(&["--id", "q1"])).code(2).err("the plan says acp:touch owned, you say rehearsal");
    place.forge(&["debate", "run", "q1"]).code(2).err("touch owned").err("--allow-commands");
    assert!(!place.files().iter().any(|file| file.contains("owned")), "{:?}", place.files());
}

#[test]
fn another_family_that_turns_up_later_makes_no_other_debate() {
    let fails = || json!(["read_stdin", { "exit": 1 }]);
    let mut place = with_programs(&[("claude", fails())]);
    place.set("ANTHROPIC_API_KEY", KEY);
    place.set("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    let asked = and(&["--protocol", "challenge", "--allow-same-family"]);
    place.forge(&asked).code(5).err("lead");
    let bin = place.around().join("bin");
    forge_testkit::scripted_agent::install(&bin, "gemini", &fails()).unwrap();
    place.set("GEMINI_API_KEY", "AIza-a-third-key-that-nobody-may-see");
    place.set("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9");
    place.forge(&asked).code(5).err("this command held it before");
}

#[test]
fn whose_weights_an_agent_runs_on_goes_with_the_agent() {
    let place = with_programs(&[]);
    let own = |command: &str, family: &str| json!({ "command": command, "family": family });
    let config = json!({ "agents": { "mine": own("/bin/cat", "meta"), "yours": own("/bin/cat", "mistral") } });
    std::fs::create_dir_all(place.around().join("home/.config/forge")).unwrap();
    std::fs::write(place.around().join("home/.config/forge/config.json"), config.to_string()).unwrap();
    let families = |plan: &str| {
        let text = place.read(plan);
        text.lines().filter_map(|line| line.trim().strip_prefix("family: ")).map(str::to_owned).collect::<Vec<_>>()
    };
    place.forge(&and(&["--agent", "outside", "--id", "q1"])).code(3);
    let plan = place.only(|file| file.ends_with("-plan.md") && !file.contains("trail"));
    assert_eq!(families(&plan), Vec::<String>::new());
    place.forge(&["debate", "run", "q1", "--agent", "mine"]).err("seats");
    assert_eq!(families(&plan), ["\"meta\"", "\"meta\"", "\"meta\""]);
}

#[test]
fn a_dry_run_refuses_what_the_run_would_refuse() {
    let place = three();
    for (agent, word) in [("claud", "did you mean"), ("acp:", "acp:COMMAND"), ("openrouter", "openrouter:MODEL")] {
        place.forge(&and(&["--dry-run", "--agent", agent])).code(2).err(word);
    }
    place.forge(&and(&["--dry-run", "--seat", "risk=gemni"])).code(2).err("gemini");
}

#[test]
fn nobody_is_looked_for_where_every_seat_is_named_and_a_missing_model_is_said() {
    let mut place = with_programs(&[]);
    let named = ["--seat", "risk=rehearsal", "--seat", "value=rehearsal", "--seat", "effort=rehearsal"];
    let done = place.forge(&and(&named)).code(0);
    assert!(!done.err.contains("no agent was found"), "{done}");
    place.set("OPENAI_API_KEY", KEY);
    place.set("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    place.forge(&and(&["--new"])).code(5).err("openai: ").err("--agent openai:MODEL");
}

#[test]
fn flags_that_cannot_be_are_said_before_anybody_is_looked_for() {
    let place = three();
    for (flags, word) in [
        (&["--seat", "risk=cluade"][..], "did you mean \"claude\"?"),
        (&["--seat", "riks=claude"], "riks"),
        (&["--seat", "risk=anthropic:-x"], "begins with -"),
        (&["--rounds", "99"], "--rounds 99"),
    ] {
        let done = place.forge(&and(flags)).code(2).err(word);
        assert!(!done.err.contains("as found on this machine"), "{done}");
    }
    assert!(place.files().is_empty(), "{:?}", place.files());
}

#[test]
fn a_debate_that_is_over_is_shown_with_what_is_true_of_it() {
    let place = Place::new();
    let asked = and(&["--agent", "rehearsal"]);
    let first = place.forge(&asked).code(0).err("  cost     ");
    let again = place.forge(&asked).code(0).err("is over, and nobody is asked");
    assert!(!again.err.contains("  cost ") && !again.err.contains("going on with"), "{again}");
    assert_eq!(again.out, first.out);
    let id = "redis-or-memcached-for-sessions";
    let run = place.forge(&["debate", "run", id]).code(0);
    assert!(!run.err.contains("  cost "), "{run}");
    place.forge(&["debate", "run", id, "--fork"]).code(0).err("  cost     ");
}

#[test]
fn a_challenge_with_one_family_is_held_only_if_somebody_says_so_whoever_chose_it() {
    let fails = || json!(["read_stdin", { "exit": 1 }]);
    let mut place = with_programs(&[("codex", fails())]);
    place.set("OPENAI_API_KEY", "sk-another-key-that-nobody-may-see");
    place.set("OPENAI_BASE_URL", "http://127.0.0.1:9");
    for named in [&[][..], &["--agent", "codex"]] {
        let asked = and(&[&["--protocol", "challenge"], named].concat());
        let done = place.forge(&asked).code(2).err("one model family (openai)").err("--allow-same-family");
        done.err("forge agents").err("--agent rehearsal");
        assert!(place.files().is_empty(), "{:?}", place.files());
    }
    place.forge(&and(&["--protocol", "challenge", "--allow-same-family", "--dry-run"])).code(0);
    // The default protocol goes on with what there is, and says so.
    place.forge(&and(&["--dry-run"])).code(0).err("one model family (openai)");
}

#[test]
fn a_makers_model_of_an_unknown_name_is_the_makers_unless_another_server_is_asked() {
    let mut place = with_programs(&[("claude", json!(["read_stdin", { "exit": 1 }]))]);
    place.set("ANTHROPIC_API_KEY", KEY);
    let asked = and(&["--protocol", "challenge", "--seat", "lead=claude", "--agent", "anthropic:opus", "--dry-run"]);
    place.forge(&asked).code(2).err("one model family (anthropic)");
    // A gateway may serve anybody's models under any name.
    place.set("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    place.forge(&asked).code(0);
}

#[test]
fn recipients_are_named_as_far_as_they_are_known_and_files_are_listed_before_they_are_sent() {
    let place = with_programs(&[("qwen", json!([{"exit": 1}])), ("other", json!([{"exit": 1}]))])
        .with("OPENAI_API_KEY", KEY)
        .with("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    let config = json!({"agents": {"gw": {"api": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}}});
    std::fs::create_dir_all(place.around().join("home/.config/forge")).unwrap();
    std::fs::write(place.around().join("home/.config/forge/config.json"), config.to_string()).unwrap();
    place.write("notes.md", "Eleven byte");
    let mut args = vec!["debate", "Redis or Memcached for sessions?", "--option", "Redis", "--option", "Memcached"];
    args.extend(["--seat", "risk=acp:qwen --acp", "--seat", "value=gw", "--seat", "effort=acp:other"]);
    args.extend(["--context", "notes.md", "--timeout", "20s"]);
    let done = place.forge(&[args.as_slice(), &["--dry-run"]].concat()).code(0);
    for line in ["127.0.0.1:9 (by OPENAI_BASE_URL), in place of whoever", "127.0.0.1:9 (by agents.gw.base_url)\n"] {
        assert!(done.out.contains(line), "{line} in {done}");
    }
    assert!(done.out.contains("whomever acp:other asks"), "nobody knows that one: {done}");
    let done = place.forge(&args).err("sends    notes.md (11 bytes) to 127.0.0.1:9 (by agents.gw.base_url)");
    assert_eq!(done.err.matches("  sends    ").count(), 3, "{done}");
    // A debate without files says nothing of the kind.
    let done =
        place.forge(&["debate", "Tabs or spaces?", "--option", "Tabs", "--option", "Spaces", "--agent", "rehearsal"]);
    assert!(!done.err.contains("sends"), "{done}");
}

#[test]
fn whoever_else_may_move_a_seat_is_said_only_of_a_seat() {
    let place = with_programs(&[]);
    let debate = ["debate", "Redis or Memcached for sessions?", "--option", "Redis", "--option", "Memcached"];
    for more in [[].as_slice(), &["--dry-run"]] {
        let said = |flags: &[&str]| place.forge(&[&debate, flags, more].concat()).code(2).err;
        assert!(said(&["--seat", "risk=xyzzy", "--agent", "rehearsal"]).contains("moved by human or outside"));
        for flags in [["--agent", "xyzzy"], ["--agent", "claude"], ["--seat", "risk=claude"]] {
            let said = said(&flags);
            assert!(!said.contains("human or outside"), "{said}");
        }
    }
}
