//! From all sources to what holds: the stronger source's value, but for what a project may only tighten.

use super::keys::{self, Among, KEYS, Key, SetBy};
use super::kinds::{Kind, share};
use super::made::{DebateDefaults, Made, text};
use super::reading::{Layer, Reader, Setting, unknown};
use super::{Chosen, Origin, Remark, Resolved, Sources, Text, sense, trust};
use forge_prose::secrets::redacted;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What holds, and what is wrong.
pub fn resolve(sources: &Sources<'_>) -> Resolved {
    let user = layer(sources, SetBy::User);
    let project = layer(sources, SetBy::Anyone);
    let environment = variables(sources);
    let mut merging = Merging { values: defaults(), warnings: Vec::new() };
    let is_off = |agent: &str| {
        let off = |one: &Setting| matches!(&one.names[..], [_, name, key] if name == agent && key == "enabled");
        user.settings.iter().any(|one| off(one) && one.value == json!(false))
    };
    for setting in &user.settings {
        merging.add(setting, Origin::User(sources.user.name.clone()));
    }
    for setting in &project.settings {
        let name = text(&setting.value);
        if matches!(setting.key.kind, Kind::Agent) && is_off(trust::bare_name(&name)) {
            let said = format!("{}: {name} is switched off in {}; ignored", setting.names.join("."), sources.user.name);
            merging.warn(sources, setting, said);
            continue;
        }
        if let Some(old) = unsaid(merging.values.values(), &setting.names.join("."))
            && !holds(setting.key.among, &old.value, &setting.value)
        {
            let said = format!("{}: {}", setting.names.join("."), stands(old));
            merging.warn(sources, setting, said);
            continue;
        }
        merging.add(setting, Origin::Project(sources.project.name.clone()));
        if let Some(outdone) = merging.is_outdone(setting) {
            let said = format!("{}: {outdone}", setting.names.join("."));
            merging.warn(sources, setting, said);
        }
    }
    for setting in &environment.settings {
        let name = setting.key.variable.unwrap_or_default();
        merging.add(setting, Origin::Environment(name));
    }
    let mut made = made_of(&merging.values);
    if environment.settings.iter().any(|setting| setting.key.path == "agent") {
        // Whoever names an agent in the environment means all seats.
        made.defaults.seats.clear();
    }
    let mut resolved = Resolved {
        values: merging.values.into_values().collect(),
        roster: made.roster,
        defaults: made.defaults,
        warnings: merging.warnings,
        problems: Vec::new(),
    };
    let files = [(&sources.user, &user), (&sources.project, &project)];
    sense::look_at_agents(&mut resolved, files);
    sense::look_at_seats(&mut resolved, files);
    sense::look_at_hands(&mut resolved, files);
    for layer in [environment, project, user] {
        resolved.warnings.splice(0..0, layer.warnings);
        resolved.problems.splice(0..0, layer.problems);
    }
    resolved
}

impl DebateDefaults {
    /// What holds where no file and no variable says anything.
    pub fn of_forge() -> Self {
        made_of(&defaults()).defaults
    }
}

fn made_of(values: &Values) -> Made {
    let mut made = Made::default();
    for (Place { names, .. }, chosen) in values.iter().filter(|(_, chosen)| !chosen.value.is_null()) {
        let free = chosen.key.names().zip(names).filter(|(own, _)| *own == "*").map(|(_, name)| name.as_str());
        (chosen.key.put)(&mut made, &free.collect::<Vec<_>>(), &chosen.value);
    }
    made
}

impl Resolved {
    /// What holds for a debate whose question file has a `debate_config` of its own (name, value, line). Like a project's, it
    /// may tighten what holds, be it set or forge's own, and not loosen it. What does not hold is told in the second place.
    pub fn with_question_file(
        &self,
        file: &str,
        settings: &[(String, Value, usize)],
    ) -> Result<(DebateDefaults, Vec<Remark>), Vec<Remark>> {
        let mut made = Made { defaults: self.defaults.clone(), ..Made::default() };
        let (mut problems, mut passed_over) = (Vec::new(), Vec::new());
        for (name, value, line) in settings.iter().filter(|(_, value, _)| !value.is_null()) {
            let names = ["debate_config".to_owned(), name.clone()];
            let path = names.join(".");
            let remark = |text: String| Remark { file: file.to_owned(), line: Some(*line), text: redacted(&text) };
            let Some(key) = keys::find(&names) else {
                problems.push(remark(unknown(&names)));
                continue;
            };
            let Some(checked) = key.kind.check(value, None) else {
                problems.push(remark(format!("{path}: expected {}, found {value}", key.kind.expected())));
                continue;
            };
            let own = self.values.iter().find(|chosen| chosen.path == path);
            match unsaid(self.values.iter(), &path).or(own) {
                Some(old) if !holds(key.among, &old.value, &checked) => {
                    passed_over.push(remark(format!("{path}: {}", stands(old))));
                }
                _ => (key.put)(&mut made, &[], &checked),
            }
        }
        if problems.is_empty() { Ok((made.defaults, passed_over)) } else { Err(problems) }
    }
}

/// What holds in the place of a key that nobody has set: one timeout is every protocol's.
fn unsaid<'v>(values: impl Iterator<Item = &'v Chosen> + Clone, path: &str) -> Option<&'v Chosen> {
    let is_timeout = matches!(path, "debate_config.timeout_per_judge" | "challenge.timeout_seconds");
    let is_set = values.clone().any(|chosen| chosen.path == path && !chosen.value.is_null());
    if !is_timeout || is_set {
        return None;
    }
    values.into_iter().find(|chosen| chosen.path == "timeout_seconds")
}

fn layer(sources: &Sources<'_>, whose: SetBy) -> Layer {
    let file = if whose == SetBy::User { &sources.user } else { &sources.project };
    let reader = Reader { file: &file.name, whose, users_file: &sources.user.name, home: sources.home };
    match &file.text {
        Text::Absent => Layer::default(),
        Text::Found(text) => reader.read(text),
        Text::Unreadable(why) => Layer {
            problems: vec![Remark { file: file.name.clone(), line: None, text: why.clone() }],
            ..Layer::default()
        },
    }
}

fn variables(sources: &Sources<'_>) -> Layer {
    let mut layer = Layer::default();
    for key in KEYS {
        let Some(variable) = key.variable else { continue };
        let said = sources.environment.get(variable).map(|value| value.trim()).filter(|value| !value.is_empty());
        let Some(said) = said else { continue };
        match key.kind.check(&json!(said), sources.home) {
            Some(value) => {
                layer.settings.push(Setting { names: vec![key.path.to_owned()], key, value, line: 0 });
            }
            None => {
                let text = format!("expected {}", key.kind.expected());
                layer.problems.push(Remark { file: variable.to_owned(), line: None, text });
            }
        }
    }
    layer
}

/// Values in the order in which they are shown.
type Values = BTreeMap<Place, Chosen>;

/// The order of the table, but for agents: all of one agent stands together.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    group: usize,
    agent: Option<String>,
    key: usize,
    names: Vec<String>,
}

fn place(key: &Key, names: &[String]) -> Place {
    let group = KEYS.iter().position(|one| one.names().next() == key.names().next()).unwrap_or(KEYS.len());
    let agent = names.get(1).filter(|_| key.path.starts_with("agents.")).cloned();
    let key = KEYS.iter().position(|one| one.path == key.path).unwrap_or(KEYS.len());
    Place { group, agent, key, names: names.to_vec() }
}

fn defaults() -> Values {
    let fixed = KEYS.iter().filter(|key| key.names().all(|name| name != "*") && key.path != "$schema");
    let chosen = |key: &'static Key| {
        let value = key.default.and_then(|default| serde_json::from_str(default).ok()).unwrap_or_default();
        let (path, origin) = (key.path.to_owned(), Origin::Default);
        let names: Vec<String> = key.names().map(str::to_owned).collect();
        (place(key, &names), Chosen { path, key, value, origin, outdone: Vec::new() })
    };
    fixed.map(chosen).collect()
}

struct Merging {
    values: Values,
    warnings: Vec<Remark>,
}

impl Merging {
    fn add(&mut self, setting: &Setting, origin: Origin) {
        let new = Chosen {
            path: setting.names.join("."),
            key: setting.key,
            value: setting.value.clone(),
            origin,
            outdone: Vec::new(),
        };
        match self.values.entry(place(setting.key, &setting.names)) {
            Entry::Vacant(place) => drop(place.insert(new)),
            Entry::Occupied(mut place) => {
                let old = place.get_mut();
                let is_users = matches!(new.origin, Origin::User(_));
                if !is_users && !holds(setting.key.among, &old.value, &new.value) {
                    old.outdone.push((new.value, new.origin));
                } else {
                    let mut outdone = std::mem::take(&mut old.outdone);
                    let was = std::mem::replace(old, new);
                    outdone.push((was.value, was.origin));
                    old.outdone = outdone;
                }
            }
        }
    }

    /// Why what the project says does not hold, if it does not.
    fn is_outdone(&self, setting: &Setting) -> Option<String> {
        let chosen = self.values.get(&place(setting.key, &setting.names))?;
        (!matches!(chosen.origin, Origin::Project(_) | Origin::Environment(_))).then(|| stands(chosen))
    }

    fn warn(&mut self, sources: &Sources<'_>, setting: &Setting, text: String) {
        let file = sources.project.name.clone();
        self.warnings.push(Remark { file, line: Some(setting.line), text: redacted(&text) });
    }
}

/// That a value stands against another, who says so, and who may say otherwise.
fn stands(chosen: &Chosen) -> String {
    let Chosen { value, key, .. } = chosen;
    let flag = key.flag.map(|flag| format!("{flag}, or ")).unwrap_or_default();
    match &chosen.origin {
        Origin::Default => {
            format!("{value} stands, forge's own; only you may loosen it: {flag}{} in your own configuration", key.path)
        }
        Origin::User(file) => format!("{value} stands, as {file} says"),
        origin => format!("{value} stands, as {origin} says"),
    }
}

/// Whether a stronger source's value takes the place of a weaker one's. Where there is none, anything does.
fn holds(among: Among, old: &Value, new: &Value) -> bool {
    if old.is_null() {
        return true;
    }
    match among {
        Among::TheProjects => true,
        Among::TheSmaller => new.as_f64() <= old.as_f64(),
        Among::TheFalse => new == &json!(false) || old == &json!(true),
        Among::TheTrue => new == &json!(true) || old == &json!(false),
        Among::TheLarger => match share(new).zip(share(old)) {
            Some((new, old)) => new.is_at_least(&old),
            None => new.as_f64() >= old.as_f64(),
        },
    }
}
