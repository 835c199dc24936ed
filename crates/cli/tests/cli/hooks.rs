//! `forge hook`: what a host is told before its steps. The exit code is 0 or 1, whatever happens.

use crate::place::{Done, Place};
use serde_json::{Value, json};
use std::fs;

const OPTIONS: [&str; 4] = ["--option", "Build it", "--option", "Buy it"];
const SESSION: &str = "0a1b2c3d-session";

/// A debate that waits for three judges.
fn open(place: &Place, id: &str) {
    let args = ["debate", "Build or buy?", "--protocol", "judges", "--agent", "outside", "--id", id];
    place.forge(&[&args[..], &OPTIONS].concat()).code(3);
}

/// A debate that is over.
fn over(place: &Place, id: &str) {
    let args = ["debate", "Build or buy?", "--protocol", "judges", "--agent", "rehearsal", "--id", id];
    place.forge(&[&args[..], &OPTIONS].concat());
}

fn ask(place: &Place, id: &str, seat: &str) -> String {
    place.only(|file| {
        file.contains(&format!("debate-{id}-trail")) && file.ends_with(&format!("outside/opening-r1-{seat}.md"))
    })
}

fn hook(place: &Place, event: &str, told: &Value) -> Done {
    place.forge_fed(&["hook", event], told.to_string().as_bytes())
}

/// A step as a host tells of it.
fn step(place: &Place, tool: &str, input: Value) -> Value {
    json!({"session_id": SESSION, "cwd": place.work(), "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
}

/// The same step of a subagent.
fn by(mut told: Value, kind: &str, id: &str) -> Value {
    told["agent_type"] = json!(kind);
    told["agent_id"] = json!(id);
    told
}

/// What a host is told about a step.
#[derive(Debug, PartialEq)]
enum Told {
    Nothing,
    No(String),
    Changed(Value),
}

#[track_caller]
fn told(place: &Place, said: &Value) -> Told {
    let done = hook(place, "pre-tool-use", said).code(0);
    if done.out.is_empty() {
        return Told::Nothing;
    }
    let output = &done.json()["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PreToolUse", "{done}");
    match &output["updatedInput"] {
        Value::Null => {
            assert_eq!(output["permissionDecision"], "deny", "{done}");
            Told::No(output["permissionDecisionReason"].as_str().unwrap().to_owned())
        }
        input => Told::Changed(input.clone()),
    }
}

#[track_caller]
fn no(place: &Place, said: &Value, words: &str) {
    match told(place, said) {
        Told::No(why) => assert!(why.contains(words), "{words:?} is not in {why:?}"),
        other => panic!("{said}: {other:?}, and not a no with {words:?}"),
    }
}

#[track_caller]
fn passes(place: &Place, said: &Value) {
    assert_eq!(told(place, said), Told::Nothing, "{said}");
}

#[test]
fn a_hook_that_cannot_answer_holds_nobody_up() {
    let place = Place::new();
    let before = place.tree();
    let good = step(&place, "Read", json!({"file_path": "x"})).to_string();
    let broken: [(&[&str], &[u8]); 10] = [
        (&["hook", "pre-tool-use"], b""),
        (&["hook", "pre-tool-use"], b"{"),
        (&["hook", "pre-tool-use"], b"[1]"),
        (&["hook", "pre-tool-use"], b"\xff\xfe"),
        (&["hook", "stop"], b"null"),
        (&["hook", "notification"], good.as_bytes()),
        (&["hook"], good.as_bytes()),
        (&["hook", "--what"], good.as_bytes()),
        (&["-C", "nowhere", "hook", "pre-tool-use"], good.as_bytes()),
        (&["hook", "PreToolUse"], good.as_bytes()),
    ];
    for (args, input) in broken {
        let done = place.forge_fed(args, input).code(1);
        assert!(done.out.is_empty(), "{done}");
    }
    for input in [
        json!({}),
        json!({"tool_name": 7, "tool_input": []}),
        json!({"tool_name": "Agent"}),
        json!({"cwd": "/nowhere"}),
    ] {
        for event in ["session-start", "pre-tool-use", "subagent-stop", "stop"] {
            let done = hook(&place, event, &input).code(0);
            assert!(done.out.is_empty(), "{done}");
        }
    }
    assert_eq!(place.tree(), before, "nothing was written");
}

#[test]
fn whoever_forge_asks_itself_is_asked_nothing() {
    let mut place = Place::new();
    over(&place, "d1");
    let edit = step(&place, "Write", json!({"file_path": place.path("docs/forge/sadd/debate-d1-risk.md")}));
    no(&place, &edit, "on record");
    place.set("FORGE_SEAT", "1.2.3");
    passes(&place, &edit);
    place.forge_fed(&["hook", "no-such-event"], b"{").code(0);
}

#[test]
fn a_session_is_told_what_waits_here_and_nothing_else() {
    let place = Place::new();
    let begin = json!({"session_id": SESSION, "source": "startup"});
    let lines =
        |place: &Place| hook(place, "session-start", &begin).code(0).out.lines().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(lines(&place), [""; 0]);
    over(&place, "done");
    assert_eq!(lines(&place), [""; 0], "what is over waits for nobody");
    open(&place, "d1");
    assert_eq!(lines(&place), ["forge: the debate d1 waits for risk, value, effort: forge turn next d1"]);
    place.forge(&["start", "Sessions that survive a restart"]).code(0);
    place.forge(&["brainstorm"]);
    let told = lines(&place);
    assert!(told[0].contains("the phase brainstorm"), "{told:?}");
    assert!(
        !told.concat().contains("Build or buy") && !told.concat().contains("survive"),
        "no words of others: {told:?}"
    );
    for number in 2..15 {
        open(&place, &format!("d{number}"));
    }
    assert_eq!(lines(&place).len(), 10);

    // The same folder on another machine: nobody there made these debates.
    let elsewhere = place.around().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let place = place.with("HOME", &elsewhere.display().to_string());
    assert_eq!(lines(&place).len(), 1, "{:?}", lines(&place));
}

#[test]
fn what_is_on_record_is_not_edited() {
    let place = Place::new();
    over(&place, "d1");
    open(&place, "d1-risk");
    place.write("notes.md", "mine");
    place.write("docs/forge/sadd/notes.md", "mine");
    std::os::unix::fs::symlink(place.path("docs/forge/sadd/debate-d1-value.md"), place.path("link.md")).unwrap();
    let sadd = "docs/forge/sadd";
    let turn = &format!("{sadd}/debate-d1-risk.md");
    let absolute = |file: &str| place.path(file).display().to_string();
    for tool in ["Edit", "Write", "MultiEdit"] {
        no(&place, &step(&place, tool, json!({"file_path": absolute(turn)})), "forge debate run d1 --fork");
    }
    no(&place, &step(&place, "NotebookEdit", json!({"notebook_path": absolute(turn)})), "on record");
    for file in [turn.as_str(), "docs/../docs/forge/sadd/./debate-d1-value.md", "link.md"] {
        no(&place, &step(&place, "Edit", json!({"file_path": file})), "on record in the debate d1");
    }
    for file in ["debate-d1-trail/verdict.json", "debate-d1-trail/plan.md", "debate-d1-trail/new.md"] {
        no(&place, &step(&place, "Write", json!({"file_path": format!("{sadd}/{file}")})), "forge verify d1");
    }
    let free = [
        "notes.md",
        "docs/forge/sadd/notes.md",
        "docs/forge/sadd/debate-d1-plan.md",
        "docs/forge/sadd/debate-d1-risk-value.md",
        "docs/forge/debate/none/advocate.md",
        "debates/README.md",
        "/etc/hostname",
        "../outside.md",
        "",
        "new/folder/file.md",
    ];
    for file in free {
        passes(&place, &step(&place, "Write", json!({"file_path": file})));
    }
    for (tool, input) in [("Read", json!({"file_path": turn})), ("Bash", json!({"command": "ls"})), ("Glob", json!({}))]
    {
        passes(&place, &step(&place, tool, input));
    }
}

#[test]
fn a_seat_reads_its_ask_and_hands_in_its_turn() {
    let place = Place::new();
    open(&place, "d1");
    let (risk, value) = (ask(&place, "d1", "risk"), ask(&place, "d1", "value"));
    let read = |file: &str| step(&place, "Read", json!({"file_path": place.path(file)}));
    let run = |command: &str| step(&place, "Bash", json!({"command": command, "description": "hand in"}));
    let submit = |seat: &str| format!("forge turn submit d1 {seat} --file - <<'END'\nwords\nEND");
    let seat = |said: Value| by(said, "forge-seat", "a1");

    // Before it has read what it is asked it does nothing else.
    no(&place, &seat(run(&submit("risk"))), "read your ask first");
    no(&place, &seat(run("cat README.md")), "no other command");
    no(&place, &seat(read("docs/forge/sadd/debate-d1-plan.md")), "its own ask");
    no(&place, &seat(read("nowhere.md")), "its own ask");
    passes(&place, &seat(read(&risk)));
    passes(&place, &seat(read(&risk)));

    // Then that seat is its own.
    for file in
        [value.as_str(), "docs/forge/sadd/debate-d1-value.md", "/etc/hostname", "../home/.claude/projects/x.jsonl"]
    {
        no(&place, &seat(read(file)), &risk);
    }
    for command in ["cat x", "forge show d1", "forge turn next d1", "ls; ls"] {
        no(&place, &seat(run(command)), "Yours is: forge turn submit d1 risk --turn opening-r1-risk --file -");
    }
    no(&place, &seat(run(&submit("value"))), "for itself alone");
    for tool in ["Grep", "Glob", "Write", "Edit", "Agent", "WebFetch"] {
        no(&place, &seat(step(&place, tool, json!({"pattern": "x", "file_path": risk}))), "not a seat's to use");
    }
    let Told::Changed(input) = told(&place, &seat(run(&submit("risk")))) else { panic!() };
    assert_eq!(input["description"], "hand in");
    let command = input["command"].as_str().unwrap();
    // The test calls forge by its path, so that is how it is called again.
    let forge = crate::place::FORGE;
    assert_eq!(command, format!("'{forge}' turn submit --subagent forge-seat/a1 d1 risk --file - <<'END'\nwords\nEND"));

    // Nobody else takes it, until the host starts it anew.
    let other = |said: Value| by(said, "forge:seat", "a2");
    no(&place, &other(read(&risk)), "another subagent holds the seat risk");
    let start =
        step(&place, "Agent", json!({"subagent_type": "forge-seat", "prompt": format!("forge-seat d1 risk {risk}")}));
    passes(&place, &start);
    passes(&place, &other(read(&risk)));

    // Who is for another role, or is none of forge's.
    no(&place, &by(read(&value), "forge-effort", "a3"), "whose role is value");
    passes(&place, &by(read(&value), "forge:value", "a4"));
    for kind in ["general-purpose", "forge-deploy", "forge", "seat", "my-forge-seat"] {
        passes(&place, &by(run("cat x"), kind, "a5"));
    }
}

#[test]
fn a_subagents_name_is_put_in_only_where_it_is_one_word() {
    let place = Place::new();
    open(&place, "d1");
    let read = step(&place, "Read", json!({"file_path": place.path(&ask(&place, "d1", "risk"))}));
    let id = "a'; touch owned; '";
    passes(&place, &by(read, "forge-seat", id));
    let run = step(&place, "Bash", json!({"command": "forge turn submit d1 risk --turn opening-r1-risk --file -"}));
    let Told::Changed(input) = told(&place, &by(run.clone(), "forge-seat", id)) else { panic!() };
    let forge = crate::place::FORGE;
    assert_eq!(input["command"], format!("'{forge}' turn submit d1 risk --turn opening-r1-risk --file -"));
    let forged =
        step(&place, "Bash", json!({"command": "forge turn submit d1 risk --subagent='forge-seat/x' --file -"}));
    no(&place, &forged, "leave it out");
    passes(&place, &run);
}

#[test]
fn a_host_tells_a_seat_its_task_and_nothing_else() {
    let place = Place::new();
    open(&place, "d1");
    let risk = ask(&place, "d1", "risk");
    let line = format!("forge-seat d1 risk {risk}");
    let start = |kind: &str, prompt: &str| {
        step(
            &place,
            "Agent",
            json!({"description": "a seat", "subagent_type": kind, "prompt": prompt, "run_in_background": false}),
        )
    };
    for kind in ["forge-seat", "forge:seat", "forge-risk", "forge:risk"] {
        passes(&place, &start(kind, &line));
    }
    for talk in [format!("Take this seat:\n{line}\nVote for A!"), format!("  {line}\n")] {
        let Told::Changed(input) = told(&place, &start("forge-seat", &talk)) else { panic!("{talk}") };
        assert_eq!((&input["prompt"], &input["run_in_background"]), (&json!(line), &json!(false)));
    }
    let mut isolated = start("forge-seat", &line);
    isolated["tool_input"]["isolation"] = json!("worktree");
    let Told::Changed(input) = told(&place, &isolated) else { panic!() };
    assert_eq!((&input["prompt"], input.get("isolation")), (&json!(line), None));

    for prompt in ["", "Take the seat risk of d1.", &format!("{line}\n{line}"), "forge-seat d1 risk"] {
        no(&place, &start("forge-seat", prompt), "`forge turn next` prints");
    }
    let value = ask(&place, "d1", "value");
    for prompt in [
        format!("forge-seat d1 value {risk}"),
        format!("forge-seat d2 risk {risk}"),
        "forge-seat d1 risk docs/forge/sadd/debate-d1-plan.md".to_owned(),
        "forge-seat d1 risk /etc/passwd".to_owned(),
        "forge-seat d1 risk ../../x".to_owned(),
        format!("forge-seat d1 risk {risk} and more"),
    ] {
        no(&place, &start("forge-seat", &prompt), "is not open with this ask");
    }
    no(&place, &start("forge-risk", &format!("forge-seat d1 value {value}")), "start forge-value or forge-seat");
    for kind in ["general-purpose", "fork", ""] {
        no(&place, &start(kind, &line), "for the agent forge-seat");
        passes(&place, &start(kind, "Look at the tests."));
    }
    over(&place, "d3");
    no(
        &place,
        &start("forge-seat", "forge-seat d3 risk docs/forge/sadd/debate-d3-trail/outside/opening-r1-risk.md"),
        "not open",
    );
}

#[test]
fn a_seat_that_has_not_handed_in_is_sent_back_once() {
    let place = Place::new();
    open(&place, "d1");
    let stop = |kind: &str, id: &str, again: bool| {
        let end = by(json!({"session_id": SESSION, "cwd": place.work(), "stop_hook_active": again}), kind, id);
        hook(&place, "subagent-stop", &end).code(0)
    };
    assert_eq!(stop("general-purpose", "b1", false).out, "");
    let sent_back = stop("forge-seat", "a1", false).json();
    assert_eq!(sent_back["decision"], "block", "{sent_back}");
    assert!(sent_back["reason"].as_str().unwrap().contains("Read your ask"), "{sent_back}");
    assert_eq!(stop("forge-seat", "a1", true).out, "", "once is enough");

    let risk = ask(&place, "d1", "risk");
    passes(&place, &by(step(&place, "Read", json!({"file_path": place.path(&risk)})), "forge-risk", "a2"));
    let sent_back = stop("forge-risk", "a2", false).json();
    assert!(
        sent_back["reason"].as_str().unwrap().contains("forge turn submit d1 risk --turn opening-r1-risk --file -"),
        "{sent_back}"
    );
    place
        .forge_fed(
            &["turn", "submit", "d1", "risk", "--as-is", "--file", "-"],
            b"**Recommended Option:** A\n**Confidence Level:** LOW\n\n**Rationale:** It can be undone within a week.",
        )
        .code(0);
    assert_eq!(stop("forge-risk", "a2", false).out, "");
}

#[test]
fn a_closed_gate_puts_the_end_off_once() {
    let place = Place::new();
    let stop = |told: Value| hook(&place, "stop", &told).code(0);
    assert_eq!(stop(json!({})).out, "");
    place.forge(&["start", "Sessions that survive a restart"]).code(0);
    assert_eq!(stop(json!({})).out, "", "there is no gate yet");
    place.forge(&["brainstorm"]);
    place.forge(&["gate"]).code(3);
    let put_off = stop(json!({"stop_hook_active": false, "background_tasks": []})).json();
    assert_eq!(put_off["decision"], "block");
    assert!(put_off["reason"].as_str().unwrap().contains("the phase brainstorm"), "{put_off}");
    assert_eq!(stop(json!({"stop_hook_active": true})).out, "");
    assert_eq!(stop(json!({"background_tasks": [{"id": "x"}]})).out, "");
}

// seed: S1-19
#[test]
fn before_a_conversation_is_cut_the_state_is_kept() {
    let place = Place::new();
    assert_eq!(hook(&place, "pre-compact", &json!({"trigger": "auto"})).code(0).out, "");
    assert_eq!(place.files(), Vec::<String>::new(), "a folder without a workflow is left alone");
    place.forge(&["start", "Sessions that survive a restart"]).code(0);
    let snapshots = || place.files_in(".claude/forge/snapshots").len();
    place.edit(".claude/forge/active-workflow.md", |text| format!("{text}\nMy own note.\n"));
    let before = snapshots();
    assert_eq!(hook(&place, "pre-compact", &json!({"trigger": "manual"})).code(0).out, "");
    assert_eq!(snapshots(), before + 1);
    hook(&place, "pre-compact", &json!({})).code(0);
    assert_eq!(snapshots(), before + 1, "the same state is kept once");
}

// seed: S1-19
#[test]
fn a_written_file_moves_what_the_orchestrator_is_told() {
    let place = Place::new();
    place.forge(&["start", "Sessions that survive a restart"]).code(0);
    place.forge(&["brainstorm"]);
    let wrote = |place: &Place, file: &str| {
        let told = step(place, "Write", json!({"file_path": place.path(file), "content": "x"}));
        assert_eq!(hook(place, "post-tool-use", &told).code(0).out, "");
    };
    // Without an orchestrator nothing is kept anywhere.
    let before = place.tree();
    wrote(&place, "docs/forge/brainstorm-options.md");
    assert_eq!(place.tree(), before);
    let data = place.around().join("ao");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("s1"), "status=working\n").unwrap();
    let place = place.with("AO_DATA_DIR", data.to_str().unwrap()).with("AO_SESSION", "s1");
    wrote(&place, "src/main.rs");
    assert_eq!(fs::read_to_string(data.join("s1")).unwrap(), "status=working\n", "no file of the workflow");
    wrote(&place, "docs/forge/brainstorm-options.md");
    let told = fs::read_to_string(data.join("s1")).unwrap();
    assert!(told.starts_with("status=working\n") && told.contains("forge_phase=brainstorm\n"), "{told}");
}

/// The pages may enter phases unasked, which spends nothing; with an agent it does.
#[test]
fn the_person_is_asked_before_a_phase_asks_an_agent() {
    let place = Place::new();
    for (command, is_asked) in [
        ("forge research 'The objective'", false),
        ("forge continue", false),
        ("forge continue --agent outside", false),
        ("forge continue --agent=outside", false),
        ("forge status --agent claude", false),
        ("grep -- --agent forge continue.md", false),
        ("forge continue --agent claude", true),
        ("forge continue --agent='openai:gpt-5'", true),
        ("/opt/forge brainstorm x --debate --agent \"rehearsal\"", false),
        ("forge brainstorm --\"agent\" codex", true),
        ("forge enter design --agen\\t codex", true),
        ("forge design --agent''=codex", true),
        ("cd sub && forge learn --agent gemini", true),
    ] {
        let said = hook(&place, "pre-tool-use", &step(&place, "Bash", json!({"command": command}))).code(0);
        assert_eq!(said.out.contains("\"permissionDecision\": \"ask\""), is_asked, "{command}: {said}");
        assert!(is_asked || said.out.is_empty(), "{command}: {said}");
    }
}
