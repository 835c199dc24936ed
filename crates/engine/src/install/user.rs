//! For every project of a user: a marketplace in a folder of forge's own, switched on by the host's own plugin commands; and
//! the permission rules, which no plugin can bring along, in the user's settings.

use super::project::{Change, Line};
use super::record::{self, Record, SettingsFile};
use super::settings::{self, Names};
use super::{Wanted, hosts};
use crate::workspace::EngineError;
use forge_artifacts::disk::{Disk, EntryKind, WorkspaceDisk};
use serde_json::Value;

/// The marketplace's name, and the plugins in it.
const MARKETPLACE: &str = "forge";
const PLUGINS: [&str; 2] = ["forge@forge", "debate@forge"];
/// The folders of the marketplace whose files change from version to version.
const FOLDERS: [&str; 3] = ["forge/commands", "forge/agents", "debate/commands"];
/// The plugin's hooks.
const HOOKS: &str = "forge/hooks/hooks.json";
/// The settings, in the host's own folder.
const SETTINGS: &str = "settings.json";

/// The host's program.
pub trait HostProgram {
    /// Runs it to its end.
    fn run(&self, args: &[&str]) -> HostRun;
}

/// How a run of the host's program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRun {
    /// Whether it did what it was to do.
    pub is_done: bool,
    /// What it said.
    pub said: String,
}

/// A user's own host.
pub struct User<'d> {
    /// forge's own folder for the marketplace, opened for an installation.
    pub marketplace: &'d WorkspaceDisk,
    /// The folder of the host's settings.
    pub host_folder: &'d WorkspaceDisk,
    /// The user's own folder for what is kept.
    pub kept: &'d dyn Disk,
    /// The host's program.
    pub host: &'d dyn HostProgram,
}

impl User<'_> {
    fn settings(&self) -> SettingsFile<'_> {
        SettingsFile {
            disk: self.host_folder,
            path: SETTINGS,
            shown: self.host_folder.root().join(SETTINGS).display().to_string(),
            kept: self.kept,
            folder: record::key(self.host_folder.root()),
        }
    }

    /// What installing would write.
    pub fn plan(&self, wanted: &Wanted) -> Result<Vec<Line>, EngineError> {
        let mut lines = Vec::new();
        let tree = hosts::plugin_tree(wanted);
        for file in &tree {
            let change = match self.marketplace.read(&file.path)? {
                None => Change::New,
                Some(bytes) if bytes == file.text.as_bytes() => Change::Same,
                Some(_) => Change::Renewed,
            };
            let text = (change != Change::Same).then(|| file.text.clone());
            lines.push(Line { path: self.shown(&file.path), change, text });
        }
        let (read, edited) = self.edited(wanted)?;
        let change = match &read {
            Some(read) if *read == edited => Change::Same,
            Some(_) => Change::Edited,
            None => Change::New,
        };
        lines.push(Line { path: self.settings().shown, change, text: (change != Change::Same).then_some(edited) });
        Ok(lines)
    }

    fn shown(&self, path: &str) -> String {
        self.marketplace.root().join(path).display().to_string()
    }

    /// The user's settings, and what they are to be. The hooks come with the plugin.
    fn edited(&self, wanted: &Wanted) -> Result<(Option<String>, String), EngineError> {
        let file = self.settings();
        let read = file.read()?;
        let record = file.record()?;
        let names = Names::of(
            [&wanted.program].into_iter().chain(record.iter().map(|record| &record.program)).map(String::as_str),
        );
        let text = read.as_deref().unwrap_or("");
        // What is there before the first install is the user's own, whatever it says.
        let before = match &record {
            Some(record) => record.before.as_deref(),
            None => Some(text),
        };
        let edited = settings::with(text, &settings::rules(wanted), &[], &names, before);
        Ok((read.clone(), edited.map_err(|error| file.refused(&error))?))
    }

    /// Installs, and tells what was done.
    pub fn install(&self, wanted: &Wanted) -> Result<Vec<Line>, EngineError> {
        let lines = self.plan(wanted)?;
        self.refuse_other_marketplace()?;
        let tree = hosts::plugin_tree(wanted);
        for folder in FOLDERS {
            self.marketplace.sweep(folder)?;
            for entry in self.marketplace.list(folder)? {
                let path = format!("{folder}/{}", entry.name);
                if entry.kind == EntryKind::File && !tree.iter().any(|file| file.path == path) {
                    self.marketplace.remove(&path)?;
                }
            }
        }
        for file in &tree {
            if self.marketplace.read(&file.path)?.as_deref() != Some(file.text.as_bytes()) {
                self.marketplace.replace(&file.path, file.text.as_bytes())?;
            }
        }
        let root = self.marketplace.root().display().to_string();
        self.told(&["plugin", "marketplace", "add", &root])?;
        for plugin in PLUGINS {
            self.told(&["plugin", "install", plugin, "--scope", "user"])?;
        }
        // The host has written its own keys by now.
        let (read, edited) = self.edited(wanted)?;
        if read.as_deref() != Some(edited.as_str()) {
            let file = self.settings();
            let known = file.record()?.filter(|record| !record.after.is_empty());
            let before = known.map_or_else(|| read.clone(), |record| record.before);
            let record = Record { before, after: record::digest(&edited), program: wanted.program.clone() };
            file.write(read.as_deref(), Some(&edited), Some(&record))?;
        }
        Ok(lines)
    }

    /// Takes out what is forge's, and tells what was done.
    pub fn remove(&self, program: &str, dry_run: bool) -> Result<Vec<Line>, EngineError> {
        let file = self.settings();
        let mut lines = Vec::new();
        if let Some(text) = file.read()? {
            let record = file.record()?;
            let names = Names::of([program].into_iter().chain(record.iter().map(|record| record.program.as_str())));
            let before = record.as_ref().and_then(|record| record.before.as_deref());
            let cleared = settings::cleared(&text, &names, before).map_err(|error| file.refused(&error))?;
            if cleared != text {
                lines.push(Line { path: file.shown.clone(), change: Change::Edited, text: Some(cleared.clone()) });
                if !dry_run {
                    file.write(Some(&text), Some(&cleared), None)?;
                }
            }
        }
        if !dry_run {
            for plugin in self.installed_plugins()? {
                self.told(&["plugin", "uninstall", &plugin, "--scope", "user"])?;
            }
            if self.known_marketplace()?.is_some_and(|path| path == self.marketplace.root().display().to_string()) {
                self.told(&["plugin", "marketplace", "remove", MARKETPLACE])?;
            }
        }
        let wanted = Wanted { program: program.to_owned(), hold_stop: false, agents_md: false };
        for file in hosts::plugin_tree(&wanted) {
            if self.marketplace.read(&file.path)?.is_some() {
                lines.push(Line { path: self.shown(&file.path), change: Change::Removed, text: None });
                if !dry_run {
                    self.marketplace.remove(&file.path)?;
                }
            }
        }
        if !dry_run {
            file.forget()?;
        }
        Ok(lines)
    }

    /// The host takes a name for another folder without a word.
    fn refuse_other_marketplace(&self) -> Result<(), EngineError> {
        let own = self.marketplace.root().display().to_string();
        match self.known_marketplace()? {
            Some(path) if path != own => Err(EngineError::Usage(format!(
                "claude knows another marketplace called {MARKETPLACE} ({path}). Take it out first, if you do not need it: claude plugin marketplace remove {MARKETPLACE}; or install for one project: forge install claude --project"
            ))),
            _ => Ok(()),
        }
    }

    /// Where the marketplace of forge's name lies, if the host knows one.
    fn known_marketplace(&self) -> Result<Option<String>, EngineError> {
        let known = self.asked(&["plugin", "marketplace", "list", "--json"])?;
        let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let ours = known.iter().find(|entry| text(entry, "name").as_deref() == Some(MARKETPLACE));
        Ok(ours
            .map(|entry| text(entry, "path").or_else(|| text(entry, "repo")).unwrap_or_else(|| "elsewhere".to_owned())))
    }

    fn installed_plugins(&self) -> Result<Vec<String>, EngineError> {
        let installed = self.asked(&["plugin", "list", "--json"])?;
        let is_users = |entry: &&Value| entry.get("scope").and_then(Value::as_str) == Some("user");
        let ids = installed.iter().filter(is_users).filter_map(|entry| entry.get("id")?.as_str());
        Ok(ids.filter(|id| PLUGINS.contains(id)).map(str::to_owned).collect())
    }

    fn asked(&self, args: &[&str]) -> Result<Vec<Value>, EngineError> {
        let run = self.host.run(args);
        let value = if run.is_done { serde_json::from_str(&run.said).ok() } else { None };
        value.ok_or_else(|| failed(args, &run))
    }

    fn told(&self, args: &[&str]) -> Result<(), EngineError> {
        let run = self.host.run(args);
        if run.is_done { Ok(()) } else { Err(failed(args, &run)) }
    }

    /// What the host's own validator says of the marketplace and its plugins, where it is not content.
    pub fn validated(&self) -> Vec<String> {
        let root = self.marketplace.root();
        let folders = [root.to_owned(), root.join("forge"), root.join("debate")];
        let runs = folders
            .iter()
            .map(|folder| self.host.run(&["plugin", "validate", "--strict", &folder.display().to_string()]));
        runs.filter(|run| !run.is_done).map(|run| run.said.trim().to_owned()).collect()
    }

    /// What is installed, as far as the user's settings and the hooks tell.
    pub fn installed(&self, program: &str) -> Result<Wanted, EngineError> {
        let file = self.settings();
        let record = file.record()?;
        let names = Names::of([program].into_iter().chain(record.iter().map(|record| record.program.as_str())));
        let found = names.found(&file.read()?.unwrap_or_default()).map_err(|error| file.refused(&error))?;
        let called = found.iter().map(|own| own.program().to_owned()).next();
        let hooks = self.marketplace.read(HOOKS)?.unwrap_or_default();
        let hold_stop = String::from_utf8_lossy(&hooks).contains("\"Stop\"");
        Ok(Wanted { program: called.unwrap_or_else(|| program.to_owned()), hold_stop, agents_md: false })
    }

    /// Whether the host has the marketplace and both plugins.
    pub fn is_installed(&self) -> Result<bool, EngineError> {
        let own = self.marketplace.root().display().to_string();
        Ok(self.known_marketplace()? == Some(own) && self.installed_plugins()?.len() == PLUGINS.len())
    }
}

fn failed(args: &[&str], run: &HostRun) -> EngineError {
    let said = run.said.trim();
    let said = if said.is_empty() { "it said nothing" } else { said };
    EngineError::Usage(format!("claude {} failed: {said}. Mend that, then run the same command again", args.join(" ")))
}
