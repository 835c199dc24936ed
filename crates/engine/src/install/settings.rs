//! What forge has in a host's settings: rules for what may run unasked, and hooks. Text to text, and only the bytes that must
//! change.

use super::Wanted;
use forge_artifacts::jsonc::{self, Broken, Kind, Node, line_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The commands that a host may run unasked: they spend nothing and decide nothing.
pub(super) const UNASKED: [&str; 5] = ["turn", "status", "show", "gate", "verify"];
/// What forge looks at before a tool runs.
const TOOLS: &str = "Bash|Read|Grep|Glob|Edit|Write|MultiEdit|NotebookEdit|Agent|Task";
/// What forge looks at after a tool ran.
const WRITERS: &str = "Write|Edit|MultiEdit";
/// The events that forge is told of, by the host's name and forge's own. The last is for those who want it.
pub const HOOK_EVENTS: [(&str, &str); 6] = [
    ("SessionStart", "session-start"),
    ("PreToolUse", "pre-tool-use"),
    ("PostToolUse", "post-tool-use"),
    ("PreCompact", "pre-compact"),
    ("SubagentStop", "subagent-stop"),
    ("Stop", "stop"),
];
/// How long a hook may take. A hook that is late is no veto.
const TIMEOUT_SECONDS: u32 = 10;

/// What stands behind each command. A hook says no in words and never by its code; but a forge that has no such command, or
/// another program of that name, ends with the code that a host takes for a no, at every tool.
const NO_VETO: &str = " || true";

/// Why settings are not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SettingsError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, and what was expected.
    pub what: String,
}

impl From<Broken> for SettingsError {
    fn from(broken: Broken) -> Self {
        Self { line: broken.line, what: broken.what }
    }
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hook {
    pub(super) event: &'static str,
    matcher: Option<&'static str>,
    pub(super) command: String,
}

impl Hook {
    /// The hook as an entry of its event's list.
    pub(super) fn group(&self) -> Value {
        let run = json!([{"type": "command", "command": self.command, "timeout": TIMEOUT_SECONDS}]);
        match self.matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": run}),
            None => json!({"hooks": run}),
        }
    }
}

/// The hooks that are wanted.
pub(super) fn hooks(wanted: &Wanted) -> Vec<Hook> {
    let events = HOOK_EVENTS.iter().filter(|(event, _)| *event != "Stop" || wanted.hold_stop);
    let hook = |(event, name): &(&'static str, &str)| Hook {
        event,
        matcher: match *event {
            "PreToolUse" => Some(TOOLS),
            "PostToolUse" => Some(WRITERS),
            _ => None,
        },
        command: format!("{} hook {name}{NO_VETO}", wanted.program),
    };
    events.map(hook).collect()
}

/// The rules that are wanted.
pub(super) fn rules(wanted: &Wanted) -> Vec<String> {
    UNASKED.iter().map(|command| format!("Bash({} {command}:*)", wanted.program)).collect()
}

/// Something of forge's, as it stands in settings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Own {
    /// A rule.
    Rule(String),
    /// A hook: its event and its command.
    Hook(String, String),
}

impl Own {
    /// The program that it calls.
    pub(super) fn program(&self) -> &str {
        match self {
            Own::Rule(text) => {
                text.strip_prefix("Bash(").and_then(|rest| rest.rsplit_once(' ')).map_or("", |(program, _)| program)
            }
            Own::Hook(_, command) => command.split(" hook ").next().unwrap_or(""),
        }
    }
}

/// The names that forge goes by: `forge` in any folder, and what it is called by here.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(pub(super) BTreeSet<String>);

impl Names {
    pub(super) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self(names.into_iter().map(str::to_owned).collect())
    }

    fn has(&self, program: &str) -> bool {
        let name = program.rsplit_once('/').map_or(program, |(_, name)| name);
        super::is_plain_program(program) && (name == "forge" || self.0.contains(program))
    }

    /// Whether a rule is about forge's own commands.
    pub(super) fn is_ruled(&self, rule: &str) -> bool {
        let inner = rule.strip_prefix("Bash(").unwrap_or_default();
        let program: &str = inner.split([' ', ':', '*', ')']).next().unwrap_or_default();
        self.has(program)
    }

    fn rule(&self, node: &Node) -> Option<Own> {
        let text = node.text()?;
        let (program, command) = text.strip_prefix("Bash(")?.strip_suffix(":*)")?.rsplit_once(' ')?;
        (self.has(program) && UNASKED.contains(&command)).then(|| Own::Rule(text.to_owned()))
    }

    fn hook(&self, event: &str, node: &Node) -> Option<Own> {
        let command = node.get("command")?.text()?;
        let (program, name) = command.strip_suffix(NO_VETO).unwrap_or(command).split_once(" hook ")?;
        let is_ours = HOOK_EVENTS.contains(&(event, name)) && self.has(program);
        is_ours.then(|| Own::Hook(event.to_owned(), command.to_owned()))
    }

    /// What of forge's stands in a text.
    pub(super) fn found(&self, text: &str) -> Result<BTreeSet<Own>, SettingsError> {
        let Some(root) = jsonc::parse(text)? else { return Ok(BTreeSet::new()) };
        let rules = root.get("permissions").and_then(|node| node.get("allow")).map_or(&[][..], Node::items);
        let rules = rules.iter().filter_map(|item| self.rule(&item.value));
        let events = root.get("hooks").map_or(&[][..], Node::items);
        let hooks = events.iter().flat_map(|event| {
            let name = event.key.clone().unwrap_or_default();
            let runs = event.value.items().iter().filter_map(|group| group.value.get("hooks")).flat_map(Node::items);
            runs.filter_map(|run| self.hook(&name, &run.value)).collect::<Vec<_>>()
        });
        Ok(rules.chain(hooks).collect())
    }
}

/// The text with what is wanted, and without what forge had there for another program or wish. `before` is the text as it was
/// before forge came, if that is known: what stands in it is not forge's.
pub fn with_forge(text: &str, wanted: &Wanted, before: Option<&str>) -> Result<String, SettingsError> {
    with(text, &rules(wanted), &hooks(wanted), &Names::of([wanted.program.as_str()]), before)
}

/// The same with these rules and hooks.
pub(super) fn with(
    text: &str,
    rules: &[String],
    hooks: &[Hook],
    names: &Names,
    before: Option<&str>,
) -> Result<String, SettingsError> {
    check_shape(text)?;
    let rule = |rule: &String| Own::Rule(rule.clone());
    let hook = |hook: &Hook| Own::Hook(hook.event.to_owned(), hook.command.clone());
    let wanted: BTreeSet<Own> = rules.iter().map(rule).chain(hooks.iter().map(hook)).collect();
    let mut text = without(text, names, &|own| !wanted.contains(own), before)?;
    let there = names.found(&text)?;
    for missing in rules.iter().filter(|one| !there.contains(&rule(one))) {
        text = jsonc::append(&text, &["permissions", "allow"], &json!(missing))?;
    }
    for missing in hooks.iter().filter(|one| !there.contains(&hook(one))) {
        text = jsonc::append(&text, &["hooks", missing.event], &missing.group())?;
    }
    Ok(text)
}

/// The text without anything of forge's, which is called `program` here.
pub fn without_forge(text: &str, program: &str, before: Option<&str>) -> Result<String, SettingsError> {
    cleared(text, &Names::of([program]), before)
}

/// The same for a forge of several names.
pub(super) fn cleared(text: &str, names: &Names, before: Option<&str>) -> Result<String, SettingsError> {
    check_shape(text)?;
    without(text, names, &|_| true, before)
}

/// The text without those of forge's entries that are to go. What stood in `before` stays, and so does what is empty but was
/// there before.
fn without(
    text: &str,
    names: &Names,
    goes: &dyn Fn(&Own) -> bool,
    before: Option<&str>,
) -> Result<String, SettingsError> {
    let theirs = before.map_or_else(|| Ok(BTreeSet::new()), |before| names.found(before))?;
    let goes = |own: &Own| goes(own) && !theirs.contains(own);
    let mut text = text.to_owned();
    let mut touched: Vec<Vec<String>> = Vec::new();
    while let Some((path, edited)) = one_less(&text, names, &goes)? {
        text = edited;
        touched.push(path);
    }
    // The inner ones first: what holds an empty list alone is empty then.
    let outer: Vec<Vec<String>> = touched.iter().map(|path| path[..1].to_vec()).collect();
    for path in touched.into_iter().chain(outer) {
        if !is_there(before, &path)? {
            text = without_empty(&text, &path)?;
        }
    }
    Ok(text)
}

/// The text without the first entry that goes, and the keys of the list that held it.
fn one_less(
    text: &str,
    names: &Names,
    goes: &dyn Fn(&Own) -> bool,
) -> Result<Option<(Vec<String>, String)>, SettingsError> {
    let Some(root) = jsonc::parse(text)? else { return Ok(None) };
    if let Some(list) = root.get("permissions").and_then(|node| node.get("allow")) {
        let is_gone = |node: &Node| names.rule(node).is_some_and(|own| goes(&own));
        if let Some(index) = list.items().iter().position(|item| is_gone(&item.value)) {
            let path = vec!["permissions".to_owned(), "allow".to_owned()];
            return Ok(Some((path, jsonc::cut(text, list, index)?)));
        }
    }
    for event in root.get("hooks").map_or(&[][..], Node::items) {
        let name = event.key.clone().unwrap_or_default();
        for (at, group) in event.value.items().iter().enumerate() {
            let Some(runs) = group.value.get("hooks") else { continue };
            let is_gone = |node: &Node| names.hook(&name, node).is_some_and(|own| goes(&own));
            let Some(index) = runs.items().iter().position(|run| is_gone(&run.value)) else { continue };
            // A group that somebody added a hook to is theirs.
            let edited = match runs.items().len() {
                1 => jsonc::cut(text, &event.value, at)?,
                _ => jsonc::cut(text, runs, index)?,
            };
            return Ok(Some((vec!["hooks".to_owned(), name], edited)));
        }
    }
    Ok(None)
}

fn is_there(before: Option<&str>, path: &[String]) -> Result<bool, SettingsError> {
    let Some(root) = before.map(jsonc::parse).transpose()?.flatten() else { return Ok(false) };
    Ok(path.iter().try_fold(&root, |node, key| node.get(key)).is_some())
}

/// The text without the member at a path, if there is nothing in it.
fn without_empty(text: &str, path: &[String]) -> Result<String, SettingsError> {
    let Some(root) = jsonc::parse(text)? else { return Ok(text.to_owned()) };
    let Some((last, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let holder = above.iter().try_fold(&root, |node, key| node.get(key));
    let Some((holder, index)) = holder.and_then(|node| Some((node, node.position(last)?))) else {
        return Ok(text.to_owned());
    };
    let span = &holder.items()[index].value.span;
    let is_empty = text[span.start + 1..span.end - 1].trim().is_empty();
    if is_empty { Ok(jsonc::cut(text, holder, index)?) } else { Ok(text.to_owned()) }
}

/// Holds a text against what forge expects of the keys that it touches.
fn check_shape(text: &str) -> Result<(), SettingsError> {
    let Some(root) = jsonc::parse(text)? else { return Ok(()) };
    let shape = Shape { text };
    shape.object(&root, "the settings")?;
    if let Some(permissions) = shape.member(&root, "permissions")? {
        shape.object(permissions, "\"permissions\"")?;
        if let Some(allow) = shape.member(permissions, "allow")? {
            shape.list(allow, "\"permissions.allow\"")?;
        }
    }
    if let Some(hooks) = shape.member(&root, "hooks")? {
        shape.object(hooks, "\"hooks\"")?;
        for (event, _) in HOOK_EVENTS {
            if let Some(groups) = shape.member(hooks, event)? {
                shape.list(groups, &format!("\"hooks.{event}\""))?;
            }
        }
    }
    Ok(())
}

struct Shape<'t> {
    text: &'t str,
}

impl Shape<'_> {
    fn wrong(&self, at: usize, what: String) -> SettingsError {
        SettingsError { line: line_of(self.text, at), what }
    }

    fn object(&self, node: &Node, name: &str) -> Result<(), SettingsError> {
        let is_it = matches!(node.kind, Kind::Object(_));
        let what = || format!("{name} is {}; expected an object in {{ }}", node.name());
        if is_it { Ok(()) } else { Err(self.wrong(node.span.start, what())) }
    }

    fn list(&self, node: &Node, name: &str) -> Result<(), SettingsError> {
        let is_it = matches!(node.kind, Kind::Array(_));
        let what = || format!("{name} is {}; expected a list in [ ]", node.name());
        if is_it { Ok(()) } else { Err(self.wrong(node.span.start, what())) }
    }

    /// A member that stands there once at most: which of two counts is not for forge to say.
    fn member<'n>(&self, node: &'n Node, key: &str) -> Result<Option<&'n Node>, SettingsError> {
        let mut all = node.items().iter().filter(|item| item.key.as_deref() == Some(key));
        let first = all.next();
        match all.next() {
            Some(second) => {
                Err(self.wrong(second.start, format!("\"{key}\" stands here a second time; keep one of them")))
            }
            None => Ok(first.map(|item| &item.value)),
        }
    }
}
