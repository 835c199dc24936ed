//! What lies in the places of debates: every folder is listed once, however many there are, and whatever is asked of it.

use super::{CHALLENGES, DEBATES, features};
use crate::disk::{Disk, DiskError, Entry, EntryKind};
use std::rc::Rc;

/// The names that a plan has among gates and panels.
pub(super) const GATE_PLANS: [&str; 2] = ["debate-plan.md", "plan.md"];
/// The name that a plan has among challenges.
pub(super) const CHALLENGE_PLAN: &str = "context.md";

/// The places of debates as they were found.
pub(super) struct Scan {
    /// The folders of gates and panels.
    pub(super) gates: Vec<Folder>,
    /// The folders of challenges.
    pub(super) challenges: Vec<Folder>,
    /// The folders that judges share.
    pub(super) judges: Rc<[Folder]>,
}

/// One folder and what is in it.
pub(super) struct Folder {
    /// Its name.
    pub(super) name: String,
    /// Its path.
    pub(super) dir: String,
    /// Its entries, sorted by name; none where it cannot be listed.
    pub(super) entries: Vec<Entry>,
    /// Why it cannot be listed.
    pub(super) problem: Option<DiskError>,
}

impl Folder {
    fn of(disk: &dyn Disk, name: String, dir: String) -> Result<Self, DiskError> {
        match disk.list(&dir) {
            Ok(entries) => Ok(Self { name, dir, entries, problem: None }),
            Err(problem) if is_its_own(&problem) => Ok(Self { name, dir, entries: Vec::new(), problem: Some(problem) }),
            Err(error) => Err(error),
        }
    }

    /// Whether something of this name is in it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).is_ok()
    }

    /// The path of something in it.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.dir)
    }

    /// The plan in a folder of gates.
    pub(super) fn gate_plan(&self) -> Option<&'static str> {
        GATE_PLANS.into_iter().find(|plan| self.has(plan))
    }
}

/// Whether it says something about one folder only, so that the others can still be told.
pub(super) fn is_its_own(error: &DiskError) -> bool {
    error.is_about_one_file() || matches!(error, DiskError::Denied { .. })
}

/// The id of the judges debate whose plan has this name.
fn id_of_judges(name: &str) -> Option<&str> {
    name.strip_prefix("debate-")?.strip_suffix("-plan.md")
}

/// What the places of debates hold by its names: each is listed once, and no folder in them is opened.
pub(super) struct Places {
    /// The names of the folders of gates and panels.
    gates: Vec<String>,
    /// Those of challenges.
    challenges: Vec<String>,
    /// The folders that judges share.
    judges: Rc<[Folder]>,
}

impl Places {
    /// Lists the places.
    pub(super) fn of(disk: &dyn Disk) -> Result<Self, DiskError> {
        let below = |place: &str| -> Result<Vec<String>, DiskError> {
            let folders = disk.list(place)?.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
            Ok(folders.map(|entry| entry.name).filter(|name| !name.starts_with('.')).collect())
        };
        let shared = features(disk)?.into_iter().map(|feature| format!("{feature}/sadd"));
        // A feature's own folder may be gone or anything else by now; the default one must be usable.
        let judges = shared.map(|dir| Folder::of(disk, dir.clone(), dir)).collect::<Result<_, _>>()?;
        Ok(Self { gates: below(DEBATES)?, challenges: below(CHALLENGES)?, judges })
    }

    /// The names that debates have or could have.
    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        let judges =
            self.judges.iter().flat_map(|one| one.entries.iter().filter_map(|entry| id_of_judges(&entry.name)));
        self.gates.iter().chain(&self.challenges).map(String::as_str).chain(judges)
    }

    /// The same with what is in those folders of gates, panels and challenges of which this is so, by name and path.
    pub(super) fn looked_into(
        &self,
        disk: &dyn Disk,
        is_wanted: impl Fn(&str, &str) -> bool,
    ) -> Result<Scan, DiskError> {
        let below = |place: &str, names: &[String]| -> Result<Vec<Folder>, DiskError> {
            let folders = names.iter().map(|name| (name, format!("{place}/{name}")));
            let wanted = folders.filter(|(name, dir)| is_wanted(name, dir));
            wanted.map(|(name, dir)| Folder::of(disk, name.clone(), dir)).collect()
        };
        let (gates, challenges) = (below(DEBATES, &self.gates)?, below(CHALLENGES, &self.challenges)?);
        Ok(Scan { gates, challenges, judges: Rc::clone(&self.judges) })
    }
}

impl Scan {
    /// Lists everything.
    pub(super) fn of(disk: &dyn Disk) -> Result<Self, DiskError> {
        Places::of(disk)?.looked_into(disk, |_, _| true)
    }

    /// The folders that cannot be listed.
    pub(super) fn unreadable(&self) -> impl Iterator<Item = (&Folder, &DiskError)> {
        let all = self.gates.iter().chain(&self.challenges).chain(self.judges.iter());
        all.filter_map(|folder| Some((folder, folder.problem.as_ref()?)))
    }

    /// Id and path of every plan, sorted by path.
    pub(super) fn plans(&self) -> Vec<(String, String)> {
        let gates = self.gates.iter().filter_map(|one| Some((one.name.clone(), one.path(one.gate_plan()?))));
        let challenges = self.challenges.iter().filter(|one| one.has(CHALLENGE_PLAN));
        let challenges = challenges.map(|one| (one.name.clone(), one.path(CHALLENGE_PLAN)));
        let judges = self.judges.iter().flat_map(|one| {
            let ids = one
                .entries
                .iter()
                .filter_map(|entry| Some((id_of_judges(&entry.name)?.to_owned(), one.path(&entry.name))));
            ids.collect::<Vec<_>>()
        });
        let mut found: Vec<(String, String)> = gates.chain(challenges).chain(judges).collect();
        found.sort_by(|a, b| a.1.cmp(&b.1));
        found
    }

    /// Id and path of every plan of these ids that is gone although it was sealed.
    pub(super) fn without_plans(
        &self,
        disk: &dyn Disk,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, String)>, DiskError> {
        let mut found = Vec::new();
        let is_sealed = |trail: &str| Ok::<_, DiskError>(disk.list(trail)?.iter().any(|entry| entry.name == "plan.md"));
        let gates = self.gates.iter().filter(|one| one.gate_plan().is_none()).map(|one| (one, GATE_PLANS[0]));
        let challenges = self.challenges.iter().filter(|one| !one.has(CHALLENGE_PLAN)).map(|one| (one, CHALLENGE_PLAN));
        for (one, plan) in gates.chain(challenges).filter(|(one, _)| one.has("trail") && is_wanted(&one.name)) {
            if is_sealed(&one.path("trail"))? {
                // Which protocol's plan it was, its turns would tell; its folder is what a reader needs.
                found.push((one.name.clone(), one.path(plan)));
            }
        }
        for one in self.judges.iter() {
            for entry in &one.entries {
                let id = entry.name.strip_prefix("debate-").and_then(|rest| rest.strip_suffix("-trail"));
                let Some(id) = id.filter(|id| is_wanted(id)) else { continue };
                let plan = format!("debate-{id}-plan.md");
                if !one.has(&plan) && is_sealed(&one.path(&entry.name))? {
                    found.push((id.to_owned(), one.path(&plan)));
                }
            }
        }
        Ok(found)
    }
}
