//! Where a program that answers runs: its folder, its home, its environment, what it may write, and what of all that must
//! not be repeated. The same rules for agent CLIs and for agents of the Agent Client Protocol.
//!
//! Must never write into the user's home, or send a key to an address that it was not set for.
//!
//! If the process dies here: a folder without anything of a user's is left among the scratch folders.

use super::privacy::Reader;
use super::scratch::Scratch;
use super::secrets::Secrets;
use super::words::Places;
use super::{access, surroundings};
use crate::agent::Call;
use crate::keeper::Hidden;
use crate::key::Key;
use crate::recipes::{self, Occasion, Preparation, Recipe};
use crate::settings::{AgentSettings, RosterSettings};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A place to run.
pub(crate) struct Place {
    /// All of it; removed at the end.
    pub(crate) scratch: Scratch,
    /// The arguments that were prepared.
    pub(crate) arguments: Vec<String>,
    /// The whole environment.
    pub(crate) environment: BTreeMap<String, String>,
    /// What may be written.
    pub(crate) writable: Vec<PathBuf>,
    /// What may not be read.
    pub(crate) hidden: Hidden,
    /// What must not be repeated.
    pub(crate) secrets: Secrets,
    /// What its paths stand for, to whoever is told of them.
    pub(crate) places: Places,
}

/// For whom a place is made.
pub(crate) struct Tenant<'a> {
    pub(crate) settings: &'a RosterSettings,
    pub(crate) own: &'a AgentSettings,
    pub(crate) recipe: Option<&'static Recipe>,
    pub(crate) model: Option<&'a str>,
    pub(crate) key: &'a Key,
    pub(crate) program: &'a Path,
}

impl Tenant<'_> {
    /// Makes a place for a call that may take so long. `prepare` says what stands in it, `guarded` makes words of others
    /// fit for the program to read.
    pub(crate) fn place(
        &self,
        call: &Call,
        time: Duration,
        prepare: impl FnOnce(&Occasion<'_>) -> Preparation,
        guarded: impl FnOnce(&str) -> String,
    ) -> io::Result<Place> {
        let scratch = Scratch::make(&self.settings.scratch)?;
        let users = access::users_home(self.settings, self.own, self.recipe);
        let home = users.clone().unwrap_or_else(|| scratch.home());
        let occasion = Occasion {
            model: self.model,
            folder: &scratch.folder(),
            home: &home,
            home_is_the_users: users.is_some(),
            aside: &scratch.aside(),
            has_context_file: call.persona.is_some(),
            key_variable: self.key.variable.as_deref(),
            key: self.key.value.as_deref(),
            base_url: self.base_url(),
            deadline: time,
            settings: self.own,
        };
        let prepared = prepare(&occasion);
        for (file, text) in &prepared.files {
            scratch.write(file, text)?;
        }
        for (link, to) in &prepared.links {
            scratch.link(link, to)?;
        }
        if let Some(persona) = &call.persona {
            let name = prepared.context_file.unwrap_or_else(|| recipes::context_file(self.recipe, self.own));
            scratch.write(&scratch.folder().join(name), &guarded(persona))?;
        }
        let whose = if users.is_some() { surroundings::Whose::Users } else { surroundings::Whose::Fresh };
        let asked =
            surroundings::Asked { settings: self.settings, own: self.own, recipe: self.recipe, home: &home, whose };
        let environment = surroundings::environment(&asked, &scratch.temporary(), prepared.environment);
        let mut secrets = Secrets::default();
        self.key.value.iter().for_each(|key| secrets.add(key));
        environment.iter().for_each(|(name, value)| secrets.add_variable(name, value));
        self.base_url().into_iter().for_each(|address| secrets.add_address(address));
        prepared.secrets.iter().for_each(|text| secrets.add_setting(text));
        let writable = self.writable(scratch.root(), users.as_deref());
        let needs = std::iter::once(self.program.to_owned()).chain(writable.iter().cloned()).collect();
        let reader = Reader { settings: self.settings, own: self.own, recipe: self.recipe, needs };
        let places = Places::new(&scratch, prepared.stands_for);
        let (arguments, hidden) = (prepared.arguments, reader.hidden());
        Ok(Place { scratch, arguments, environment, writable, hidden, secrets, places })
    }

    /// Another address than the vendor's: as the configuration says, or else a variable whose key may go there.
    fn base_url(&self) -> Option<&str> {
        let variable = || access::address_variable(self.settings, self.own, self.recipe?, self.model);
        self.own.base_url.as_deref().or_else(|| self.settings.variable(variable()?))
    }

    fn writable(&self, root: &Path, users_home: Option<&Path>) -> Vec<PathBuf> {
        let writes = self.recipe.map(|recipe| recipe.writes).unwrap_or_default();
        let below_home = users_home.into_iter().flat_map(|home| writes.iter().map(move |path| home.join(path)));
        let outside = below_home.chain(self.own.writable.iter().cloned()).filter(|path| path.exists());
        std::iter::once(root.to_owned()).chain(outside).collect()
    }
}
