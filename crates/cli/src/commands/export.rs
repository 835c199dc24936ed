//! `forge export`: a verdict in another form.

use super::Context;
use crate::args::{ExportArgs, Format};
use crate::exit::Exit;
use crate::render;
use forge_engine::{EngineError, Export};

/// Writes the export to standard output.
pub(crate) fn run(context: &Context<'_>, args: &ExportArgs) -> Result<Exit, EngineError> {
    let files = context.workspace.open(&args.debate)?;
    let survey = context.workspace.survey(&files)?;
    if survey.verdict.is_none() {
        render::error(&format!("{} has no verdict yet", files.plan.id));
        render::note(&format!("hint: go on with forge debate run {}", files.plan.id));
        return Ok(Exit::Blocked);
    }
    let form = match args.format {
        Format::Md => Export::Markdown,
        Format::Json => Export::Json,
        Format::Yaml => Export::Yaml,
        Format::Adr => Export::Adr,
    };
    render::out(&render::safe(&forge_engine::export(&survey.account(&files)?, form)));
    Ok(Exit::Done)
}
