//! Qwen Code: events as JSON lines, over OpenAI's wire to whoever serves the model.
//!
//! It offers tools of many kinds, also other agents', unless each is named. It reads `AGENTS.md` besides its own file, and
//! both from its home: there, the seat's file has a name of its own. Where an answer reaches the length limit it asks the
//! model to go on, and glues the pieces.

use super::reading::{
    OWN_WORD, complained, contradicted, count, ending, events, no_result, nothing, one_line, text, written,
};
use super::{Occasion, Preparation, Printed, Recipe, Said, Trouble};
use crate::agent::{FailureKind, Served};
use crate::keeper::How;
use serde_json::{Value, json};
use std::time::Duration;

/// Every tool that it would offer to the model.
const TOOLS: &[&str] = &[
    "agent",
    "ask_user_question",
    "cron_create",
    "cron_delete",
    "cron_list",
    "edit",
    "enter_plan_mode",
    "enter_worktree",
    "exit_plan_mode",
    "exit_worktree",
    "get_goal",
    "glob",
    "grep_search",
    "list_agents",
    "list_directory",
    "loop_wakeup",
    "lsp",
    "monitor",
    "notebook_edit",
    "read_file",
    "read_many_files",
    "read_mcp_resource",
    "record_artifact",
    "report_findings",
    "run_shell_command",
    "save_memory",
    "send_message",
    "skill",
    "task_stop",
    "todo_write",
    "tool_call",
    "tool_search",
    "update_goal",
    "web_fetch",
    "web_search",
    "write_file",
];
/// The only server of tools that it may start: one that nobody has.
const NO_SERVER: &str = "forge-allows-none";
/// The seat's file where the home is the user's, who may have a file of the usual name there; and the name that is looked
/// for, and not found, where the seat has none.
const SEAT_FILE: &str = "QWEN.seat.md";
/// Its code when a limit of its own is reached.
const LIMIT_CODES: [i32; 2] = [53, 55];

/// How Qwen Code is asked.
pub(super) static RECIPE: Recipe = Recipe {
    name: "qwen",
    vendor: "whoever serves OPENAI_BASE_URL, Alibaba by default",
    family: Some("alibaba"),
    install: "npm install -g @qwen-code/qwen-code",
    login: "qwen, then /auth",
    keys: &["OPENAI_API_KEY"],
    base_url: Some("OPENAI_BASE_URL"),
    base_url_key: None,
    makers: &[],
    passes: &["OPENAI_MODEL"],
    login_files: &[".qwen/oauth_creds.json"],
    config_files: &[".qwen/settings.json", ".qwen/.env"],
    writes: &[".qwen"],
    clouds: &[],
    context_file: "QWEN.md",
    expands_paths: true,
    dangerous: &[
        "--yolo",
        "-y",
        "yolo",
        "auto-edit",
        "--allowed-tools",
        "--core-tools",
        "--mcp-config",
        "--allowed-mcp-server-names",
        "--extensions",
        "-e",
        "--insecure",
    ],
    silence: Some((Duration::from_secs(90), Duration::from_secs(600))),
    prepare,
    read,
};

fn prepare(occasion: &Occasion<'_>) -> Preparation {
    let mut prepared = Preparation::default();
    let settings_file = occasion.aside.join("settings.json");
    prepared.arguments =
        ["-o", "stream-json", "--approval-mode", "default", "--chat-recording", "false", "--exclude-tools"]
            .map(str::to_owned)
            .to_vec();
    prepared.arguments.push(TOOLS.join(","));
    // In the user's home there are servers and extensions whose tools nobody can name beforehand. What takes a list goes on
    // to the next flag, so these have one after them.
    prepared.arguments.extend(["--allowed-mcp-server-names", NO_SERVER, "--extensions", "none"].map(str::to_owned));
    prepared.arguments.extend(["--max-session-turns", "4"].map(str::to_owned));
    for (name, value) in [
        ("QWEN_CODE_NO_RELAUNCH", "true"),
        ("QWEN_TELEMETRY_ENABLED", "false"),
        ("QWEN_CODE_SYSTEM_SETTINGS_PATH", settings_file.display().to_string().as_str()),
    ] {
        prepared.environment.push((name.to_owned(), value.to_owned()));
    }
    if let Some(model) = occasion.model {
        prepared.arguments.extend(["-m".to_owned(), model.to_owned()]);
        prepared.environment.push(("OPENAI_MODEL".to_owned(), model.to_owned()));
    }
    if let Some(key) = occasion.key {
        prepared.environment.push(("OPENAI_API_KEY".to_owned(), key.to_owned()));
    }
    if let Some(address) = occasion.base_url {
        prepared.environment.push(("OPENAI_BASE_URL".to_owned(), address.to_owned()));
    }
    prepared.context_file = (occasion.home_is_the_users || !occasion.has_context_file).then_some(SEAT_FILE);
    let mut settings = json!({
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "disableAllHooks": true,
        "tools": { "discoveryCommand": "", "callCommand": "" },
        "mcp": { "serverCommand": "" },
        "general": { "enableAutoUpdate": false },
        "memory": { "enableManagedAutoMemory": false, "enableManagedAutoDream": false, "enableAutoSkill": false },
        "model": { "generationConfig": { "maxRetries": 0, "timeout": milliseconds(occasion.deadline) } },
        "context": { "fileName": [prepared.context_file.unwrap_or(RECIPE.context_file)] },
    });
    if occasion.key.is_some() {
        settings["security"] = json!({ "auth": { "selectedType": "openai" } });
    }
    prepared.files.push((settings_file, settings.to_string()));
    prepared
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn read(printed: &Printed<'_>) -> Result<Said, Trouble> {
    let events = events(printed.stdout);
    // It tells only on its standard error why it waits.
    let waits = printed.stderr.lines().rev().find(|line| line.starts_with("Retrying in"));
    if let Some(trouble) = ending(printed, waits.map(|line| (line, None))) {
        return Err(trouble);
    }
    let code = match printed.how {
        How::Exited(code) => *code,
        _ => 0,
    };
    let of_type = |kind: &'static str| events.iter().filter(move |event| text(event, "/type") == kind);
    let Some(result) = of_type("result").next_back() else {
        let trouble = no_result(printed);
        return Err(if LIMIT_CODES.contains(&code) {
            Trouble { kind: FailureKind::Budget, ..trouble }
        } else {
            trouble
        });
    };
    let answers: Vec<&Value> = of_type("assistant").collect();
    let served = Served {
        model: answers
            .iter()
            .rev()
            .map(|answer| text(answer, "/message/model"))
            .find(|m| !m.is_empty())
            .map(str::to_owned),
        input_tokens: count(result, "/usage/input_tokens"),
        output_tokens: written(
            count(result, "/usage/output_tokens"),
            count(result, "/usage/total_tokens"),
            count(result, "/usage/input_tokens"),
        ),
        cached_tokens: count(result, "/usage/cache_read_input_tokens"),
        cost_microdollars: None,
    };
    let tries = count(result, "/num_turns").and_then(|turns| u32::try_from(turns).ok());
    let is_error = result.pointer("/is_error").and_then(Value::as_bool).unwrap_or(true);
    if is_error || text(result, "/subtype") != "success" {
        let said = text(result, "/error/message");
        let said = if said.is_empty() { text(result, "/result") } else { said };
        return Err(Trouble { served: served.into(), tries, ..complained(said, None) });
    }
    let went_on = of_type("system").any(|event| event.pointer("/data/preserveText") == Some(&Value::Bool(true)));
    if went_on {
        let detail = "the answer reached the length limit and was put together from pieces".to_owned();
        return Err(Trouble { served: served.into(), tries, ..Trouble::new(FailureKind::TooLong, detail) });
    }
    let said = text(result, "/result");
    if said.trim().is_empty() {
        return Err(Trouble { tries, ..nothing(served) });
    }
    if code != 0 {
        return Err(Trouble { tries, ..contradicted(code, served) });
    }
    let denied = result.pointer("/permission_denials").and_then(Value::as_array).into_iter().flatten();
    let notes = denied.map(|denial| format!("wanted to use {} and was not let", one_line(text(denial, "/tool_name"))));
    let notes = notes.chain(served.model.as_ref().map(|_| OWN_WORD.to_owned())).collect();
    Ok(Said { text: said.to_owned(), served, tries, notes })
}
