//! Checking a folder that somebody sent: no workspace, only the debate's own files.

use super::{Verification, debate};
use crate::workspace::EngineError;
use forge_artifacts::catalog;
use forge_artifacts::disk::{Disk, DiskError, Durability, MountedFolder, WorkspaceDisk};
use forge_artifacts::document;
use forge_artifacts::formats::plan;
use forge_artifacts::layout::{is_plan_name, trail_beside};
use forge_debate::protocols::Protocols;
use std::path::Path;
use std::sync::Arc;

/// Where a debate is shown whose plan does not say where it lay.
const NOWHERE: &str = "debates";

/// A debate's folder, shown where it lay in its workspace.
pub(crate) struct Mounted<'p> {
    /// Where its files are read; nothing can be written.
    pub(crate) disk: Arc<dyn Disk>,
    /// Its plan, as the disk shows it.
    pub(crate) plan_file: String,
    place: String,
    home: &'p Path,
}

/// Checks every debate whose plan lies in a folder, or the one debate whose plan is given. Writes nothing.
pub fn folder(path: &Path, known: Protocols) -> Result<Vec<Verification>, EngineError> {
    let mut reports = Vec::new();
    for Mounted { disk, plan_file, place, home } in mounted(path, known)? {
        let mut report = debate(&disk, known, &plan_file)?;
        for found in &mut report.discrepancies {
            if let Some(rest) = found.file.strip_prefix(&place).and_then(|rest| rest.strip_prefix('/')) {
                found.file = home.join(rest).display().to_string();
            }
        }
        reports.push(report);
    }
    Ok(reports)
}

/// Every debate whose plan lies in a folder, or the one debate whose plan is given.
pub(crate) fn mounted(path: &Path, known: Protocols) -> Result<Vec<Mounted<'_>>, EngineError> {
    let shown = path.display();
    let (home, only) = match path.file_name().and_then(|name| name.to_str()) {
        Some(name) if path.is_file() => (path.parent().unwrap_or(Path::new("")), Some(name.to_owned())),
        _ => (path, None),
    };
    let home = if home.as_os_str().is_empty() { Path::new(".") } else { home };
    let open = || WorkspaceDisk::open(home, Durability::None);
    let names: Vec<String> = match only {
        Some(name) => vec![name],
        None => open()?.list("")?.into_iter().map(|entry| entry.name).filter(|name| is_plan_name(name)).collect(),
    };
    if names.is_empty() {
        return Err(EngineError::Usage(format!(
            "{shown}: there is no debate in this folder; expected the folder of one, with its debate-plan.md, plan.md, context.md or debate-*-plan.md, or a name that `forge debate list` shows"
        )));
    }
    let mut found = Vec::new();
    for name in names {
        if !is_plan_name(&name) {
            return Err(EngineError::Usage(format!(
                "{shown}: there is no debate here, since this is no debate's plan; give its folder or its plan, or a name that `forge debate list` shows"
            )));
        }
        let folder = open()?;
        if name == "context.md"
            && let Some(why) = catalog::not_forges(&folder, "")?
        {
            return Err(EngineError::Usage(format!("{shown} is not forge's: {why}, so there is nothing to check")));
        }
        let place = place(&folder, known, &name)?;
        let disk: Arc<dyn Disk> = Arc::new(MountedFolder::at(folder, &place));
        found.push(Mounted { disk, plan_file: format!("{place}/{name}"), place, home });
    }
    Ok(found)
}

/// Where in a workspace the folder lay, as its sealed plan says or, if there is none that can be read, its plan.
fn place(folder: &WorkspaceDisk, known: Protocols, name: &str) -> Result<String, DiskError> {
    for path in [format!("{}/plan.md", trail_beside(name)), name.to_owned()] {
        if let Some(bytes) = folder.read(&path)?
            && let Ok(mut file) = plan::read(&document::decode(&bytes).text, known)
        {
            if file.plan.place.is_empty() {
                file.plan.place = NOWHERE.to_owned();
            }
            return Ok(file.plan.protocol.home(&file.plan).dir);
        }
    }
    Ok(NOWHERE.to_owned())
}
