//! What `forge install` writes for Codex, Gemini CLI, Qwen Code, opencode and Cursor, as those programs themselves list it.

use super::stage::Stage;
use forge_testkit::model_server::{Answer, Asked};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// What is typed behind a command, with everything in it that some program would run.
const TYPED: &str = "d1 `touch owned` $(touch owned) !{touch owned} !`touch owned` @{owned} \"it's\"";

fn ends(_: &Asked) -> Answer {
    Answer::Text("Done.".to_owned())
}

/// The pages, by the two parts of their names, and whether each is for the user alone.
fn pages(stage: &Stage) -> Vec<(String, String, bool)> {
    stage.run("forge", &["install", "codex"]).code(0);
    let files = stage.place.files_in(".codex/skills");
    let skills = files.iter().filter_map(|file| file.strip_suffix("/SKILL.md"));
    let page = |name: &str| {
        let (plugin, rest) = name.split_once('-')?;
        let is_users = files.contains(&format!("{name}/agents/openai.yaml"));
        (rest != "persona-generator").then(|| (plugin.to_owned(), rest.to_owned(), is_users))
    };
    let pages: Vec<_> = skills.filter_map(page).collect();
    assert_eq!(pages.len(), 24, "{pages:?}");
    pages
}

/// The page's words stand in a request, with what was typed in its place; and nothing of it ran.
#[track_caller]
fn is_expanded(stage: &Stage, words: &str) {
    let asked = stage.asked();
    let page = asked.iter().find(|asked| asked.all.contains(words));
    let page = &page.unwrap_or_else(|| panic!("{words:?} in none of {} requests", asked.len())).all;
    assert!(page.contains(TYPED), "{page}");
    assert!(!page.contains("{{args}}") && !page.contains("$ARGUMENTS"), "{page}");
    assert!(!stage.place.has("owned"));
}

#[test]
fn codex_lists_the_skills_and_the_rules() {
    let Some(stage) = Stage::new("codex", ends) else { return };
    let shown = stage.run("codex", &["debug", "prompt-input", "x"]).code(0).out;
    for rule in ["turn", "status", "show", "gate", "verify"] {
        assert!(shown.contains(&format!("[\\\"forge\\\", \\\"{rule}\\\"]")), "{rule}: {shown}");
    }
    let listed = skills_list(&stage);
    for (plugin, name, is_users) in pages(&stage) {
        let skill = format!("{plugin}-{name}");
        assert_eq!(shown.contains(&format!("- {skill}: ")), !is_users, "{skill}: {shown}");
        assert!(listed.contains(&skill), "{skill}: {listed:?}");
    }
    for skill in ["debate", "debate-persona-generator"] {
        assert!(shown.contains(&format!("- {skill}: ")) && listed.contains(&skill.to_owned()), "{skill}");
    }
    assert!(shown.contains("Used by $debate-start."), "{shown}");
}

/// The names that the app server lists.
fn skills_list(stage: &Stage) -> Vec<String> {
    let mut command = stage.command("codex", &["app-server"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    for message in [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": { "name": "test", "version": "1" } } }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "skills/list", "params": { "cwds": [stage.folder()] } }),
    ] {
        writeln!(to, "{message}").unwrap();
    }
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut answers = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let answer = answers.find(|answer| answer["id"] == 2).unwrap();
    drop(to);
    child.wait().unwrap();
    let data = &answer["result"]["data"][0];
    assert_eq!(data["errors"], json!([]), "{answer:#}");
    let skills = data["skills"].as_array().unwrap();
    skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn codex_takes_a_skill_by_its_name() {
    let Some(stage) = Stage::new("codex", ends) else { return };
    stage.run("codex", &["exec", &format!("$forge-debate {TYPED}")]).code(0).out("Done.");
    is_expanded(&stage, "What the user typed behind $forge-debate is the question of a debate");
}

#[test]
fn gemini_expands_a_command_and_lists_the_skills() {
    let Some(stage) = Stage::new("gemini", ends) else { return };
    let args = ["-m", "gemini-2.5-flash", "-p", &format!("/forge:gate {TYPED}")];
    stage.run("gemini", &args).code(0).out("Done.");
    is_expanded(&stage, "Run `forge gate`, with the id behind it");
    let listed = stage.run("gemini", &["skills", "list"]).code(0);
    let listed = listed.out + &listed.err;
    for skill in ["debate [Enabled]", "debate-persona-generator [Enabled]"] {
        assert!(listed.contains(skill), "{listed}");
    }
}

#[test]
fn qwen_expands_a_command_and_keeps_what_spends_from_its_model() {
    let Some(stage) = Stage::new("qwen", ends) else { return };
    let args = ["--auth-type", "openai", "-m", "loopback-1", "-p", &format!("/forge:gate {TYPED}")];
    stage.run("qwen", &args).code(0).out("Done.");
    is_expanded(&stage, "Run `forge gate`, with the id behind it");
    let asked = stage.asked();
    let first = &asked[0].all;
    for (plugin, name, is_users) in pages(&stage) {
        assert_eq!(first.contains(&format!("\n{plugin}:{name}\n")), !is_users, "{plugin}:{name}: {first}");
    }
    for skill in ["debate", "debate-persona-generator"] {
        assert!(first.contains(&format!("<name>\n{skill}\n</name>")), "{first}");
    }
}

#[test]
fn opencode_lists_the_commands_and_the_agent() {
    let Some(stage) = Stage::new("opencode", ends) else { return };
    if !super::bin().unwrap().parent().unwrap().join("opencode/opencode").exists() {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED: opencode is not installed; run FORGE_REAL_OPENCODE=1 .ci/real-clis");
        return;
    }
    let config: Value = serde_json::from_str(&stage.run("opencode", &["debug", "config"]).code(0).out).unwrap();
    for (plugin, name, _) in pages(&stage) {
        let command = &config["command"][format!("{plugin}/{name}")];
        assert!(command["template"].as_str().is_some_and(|text| !text.contains("{{")), "{plugin}/{name}: {config:#}");
    }
    assert_eq!(config["agent"]["forge-seat"]["mode"], "subagent", "{config:#}");
    let skills = stage.run("opencode", &["debug", "skill"]).code(0);
    for skill in ["debate", "debate-persona-generator"] {
        assert!(skills.out.contains(&format!("\"name\": \"{skill}\"")), "{skills}");
    }
}

/// Nothing of Cursor runs without its editor: the files are there, and say what it cannot do.
#[test]
fn cursor_has_its_files() {
    let Some(stage) = Stage::new("cursor", ends) else { return };
    for (plugin, name, _) in pages(&stage) {
        let text = stage.place.read(&format!(".cursor/commands/{plugin}-{name}.md"));
        assert!(!text.contains("{{") && !text.contains("--agent outside"), "{plugin}-{name}: {text}");
    }
    assert!(stage.place.read(".cursor/commands/forge-debate.md").contains("starts no subagents"));
}
