//! `forge export`: a verdict in another form, or a picture of it.

use super::Context;
use crate::args::{ExportArgs, Format, PictureName};
use crate::exit::Exit;
use crate::render;
use forge_artifacts::disk::DiskError;
use forge_artifacts::disk::named::{Existing, read_named, write_named};
use forge_artifacts::formats::picture::Picture;
use forge_artifacts::git;
use forge_engine::{EngineError, Export};
use std::path::Path;

/// Writes the export to standard output, or to the file that the user names.
pub(crate) fn run(context: &Context<'_>, args: &ExportArgs) -> Result<Exit, EngineError> {
    let (workspace, files) = super::inspect::opened(context, &args.debate)?;
    let survey = workspace.look(&files)?;
    context.name_origin(&files)?;
    let changed = survey.contradictions(&files)?;
    for contradiction in &changed {
        render::note(&format!("CHANGED    {contradiction}"));
    }
    if survey.verdict.is_none() {
        render::error(&format!("{} has no verdict yet", files.plan.id));
        render::note(&format!("hint: go on with forge debate run {}", files.plan.id));
        return Ok(if changed.is_empty() { Exit::Blocked } else { Exit::DoesNotHold });
    }
    let form = match (args.picture, args.format) {
        (Some(PictureName::Positions), _) => Export::Picture(Picture::Positions),
        (Some(PictureName::Challenges), _) => Export::Picture(Picture::Challenges),
        (None, Format::Md) => Export::Markdown,
        (None, Format::Json) => Export::Json,
        (None, Format::Yaml) => Export::Yaml,
        (None, Format::Adr) => Export::Adr,
        (None, Format::Html) => Export::Html,
    };
    let text = render::safe(&forge_engine::export(&survey.account(&files)?, form));
    match &args.output {
        None => render::out(&text),
        Some(path) => {
            write(context, path, &text, args.force)?;
            render::note(&format!("wrote {}", path.display()));
        }
    }
    Ok(if changed.is_empty() { Exit::Done } else { Exit::DoesNotHold })
}

/// Writes a file that is not there yet. What somebody else put there stays, unless it is the same or the user insists.
fn write(context: &Context<'_>, path: &Path, text: &str, force: bool) -> Result<(), EngineError> {
    let refused = |problem: String| EngineError::Usage(format!("--output {}: {problem}", path.display()));
    let existing = if force { Existing::Replaced } else { Existing::Kept };
    let tree = git::top(context.workspace.locks.root());
    match write_named(path, text.as_bytes(), &tree, existing) {
        Ok(true) => Ok(()),
        Ok(false) => match read_named(path, text.len() as u64) {
            Ok(bytes) if bytes == text.as_bytes() => Ok(()),
            _ => Err(refused("is there already and differs; name another file, or add --force".to_owned())),
        },
        Err(DiskError::Io { source, .. }) => Err(refused(source.to_string())),
        Err(error) => Err(EngineError::Usage(format!("--output {error}"))),
    }
}
