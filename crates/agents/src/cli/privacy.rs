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
        // A program of the user's own may well be another agent's.
        let others = recipes::ALL.iter().filter(|other| self.recipe.is_some_and(|own| own.name != other.name));
        let logins = others.flat_map(|other| other.login_files.iter().chain(other.config_files)).copied();
        let below_home = stores.chain(logins).map(|path| home.join(path));
        let forges = ["XDG_STATE_HOME", "XDG_CONFIG_HOME"].into_iter().filter_map(|name| self.settings.variable(name));
        below_home.chain(forges.map(|folder| Path::new(folder).join("forge"))).collect()
    }

    /// Whether the program logs in with neither a key nor a file of its own: then a cloud's credentials may be what it uses.
    fn is_paid_by_a_cloud(&self, recipe: &Recipe) -> bool {
        matches!(
            access::authentication_by(self.settings, self.own, recipe),
            Authentication::Configured(_) | Authentication::Missing
        )
    }
}
