//! What a seat's program has no business reading: the user's keys, the logins of other agents, and the workspace.
//!
//! Only a list: the sandbox refuses what stands in it, where the kernel can. A place that the program needs is left out.

use super::access::{self, Authentication};
use crate::keeper::Hidden;
use crate::recipes::{self, Recipe};
use crate::settings::{AgentSettings, RosterSettings};
use std::path::{Path, PathBuf};

/// Places below a home that hold keys.
static PRIVATE: &str = include_str!("../../data/private.txt");

/// For whom something is hidden.
pub(crate) struct Reader<'a> {
    pub(crate) settings: &'a RosterSettings,
    pub(crate) own: &'a AgentSettings,
    pub(crate) recipe: Option<&'static Recipe>,
    /// Places without which the program does not work: its own file, its folder, what it writes.
    pub(crate) needs: Vec<PathBuf>,
}

impl Reader<'_> {
    /// What is hidden from the program.
    pub(crate) fn hidden(&self) -> Hidden {
        let needs: Vec<PathBuf> = self.needs.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let allowed: Vec<PathBuf> = self.own.readable.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let hide = |path: PathBuf| {
            let path = path.canonicalize().ok()?;
            let is_needed = needs.iter().chain(&allowed).any(|need| need.starts_with(&path));
            (!is_needed && !allowed.iter().any(|place| path.starts_with(place))).then_some(path)
        };
        Hidden {
            keys: self.keys().into_iter().filter_map(hide).collect(),
            workspace: self.settings.workspace.clone().and_then(hide),
        }
    }

    fn keys(&self) -> Vec<PathBuf> {
        let Some(home) = self.settings.variable("HOME").filter(|home| !home.is_empty()).map(Path::new) else {
            return Vec::new();
        };
        let clouds = self.recipe.filter(|recipe| self.is_paid_by_a_cloud(recipe)).map(|recipe| recipe.clouds);
        let stores = PRIVATE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let stores = stores.filter(|store| !clouds.unwrap_or_default().contains(store));
        let others = recipes::ALL.iter().filter(|other| !self.is(other));
        let logins = others.flat_map(|other| other.login_files.iter().chain(other.config_files).chain(other.writes));
        let all: Vec<&str> = stores.chain(logins.copied()).collect();
        let below_home = all.iter().map(|path| home.join(path));
        // Where the user keeps these folders elsewhere, they hold the same things there.
        let moved =
            [("XDG_CONFIG_HOME", ".config/"), ("XDG_DATA_HOME", ".local/share/"), ("XDG_STATE_HOME", ".local/state/")];
        let moved =
            moved.into_iter().filter_map(|(name, place)| Some((Path::new(self.settings.variable(name)?), place)));
        let below_others = moved.flat_map(|(folder, place)| {
            all.iter().filter_map(move |path| Some(folder.join(path.strip_prefix(place)?))).collect::<Vec<_>>()
        });
        below_home.chain(below_others).collect()
    }

    /// Whether this recipe's program is the one that reads: as its agent, or as a command of the user's own.
    fn is(&self, recipe: &Recipe) -> bool {
        let is_command = || self.own.command.as_deref().and_then(|command| Path::new(command).file_stem());
        match self.recipe {
            Some(own) => own.name == recipe.name,
            None => is_command().is_some_and(|name| name == recipe.name),
        }
    }

    /// Whether the program logs in with neither a key nor a file of its own: then a cloud's credentials may be what it uses.
    fn is_paid_by_a_cloud(&self, recipe: &Recipe) -> bool {
        matches!(
            access::authentication_by(self.settings, self.own, recipe),
            Authentication::Configured(_) | Authentication::Missing
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn hidden(own: AgentSettings, recipe: Option<&'static Recipe>, needs: &[&str]) -> Vec<String> {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for file in [
            "home/.ssh/id_rsa",
            "home/.codex/auth.json",
            "home/.claude/.credentials.json",
            "home/.aws/config",
            "elsewhere/gh/hosts.yml",
            "work/a.txt",
            "work/bin/agent",
        ] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "x").unwrap();
        }
        let at = |path: &str| root.join(path).display().to_string();
        let settings = RosterSettings {
            workspace: Some(root.join("work")),
            ..RosterSettings::with_environment([
                ("HOME", at("home").as_str()),
                ("XDG_CONFIG_HOME", at("elsewhere").as_str()),
            ])
        };
        let own = AgentSettings { readable: own.readable.iter().map(|path| root.join(path)).collect(), ..own };
        let needs = needs.iter().map(|path| root.join(path)).collect();
        let found = Reader { settings: &settings, own: &own, recipe, needs }.hidden();
        let shown = |path: &PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
        let mut all: Vec<String> = found.keys.iter().chain(&found.workspace).map(shown).collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn everybody_reads_only_what_is_theirs() {
        let has = |all: &[String], path: &str| all.iter().any(|one| Path::new(path).starts_with(one));
        let own = |command: &str| AgentSettings { command: Some(command.to_owned()), ..AgentSettings::default() };
        let all = hidden(own("acme"), None, &[]);
        for path in
            ["home/.ssh", "home/.codex/auth.json", "home/.claude/.credentials.json", "elsewhere/gh", "work/a.txt"]
        {
            assert!(has(&all, path), "{path}: {all:?}");
        }
        let all = hidden(own("/opt/bin/codex"), None, &[]);
        assert!(!has(&all, "home/.codex/auth.json") && has(&all, "home/.claude/.credentials.json"), "{all:?}");
        let claude = recipes::named("claude");
        let all = hidden(AgentSettings::default(), claude, &[]);
        assert!(!has(&all, "home/.claude/.credentials.json") && has(&all, "home/.codex/auth.json"), "{all:?}");
        let all = hidden(own("acme"), None, &["work/bin/agent"]);
        assert!(!has(&all, "work/a.txt") && has(&all, "home/.ssh"), "{all:?}");
        let readable = AgentSettings { readable: vec![PathBuf::from("home/.aws")], ..own("acme") };
        let all = hidden(readable, None, &[]);
        assert!(!has(&all, "home/.aws") && has(&all, "home/.ssh"), "{all:?}");
    }
}
