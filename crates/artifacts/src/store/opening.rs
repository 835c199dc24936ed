//! Opening a debate: the plan, its seal, its supplied texts, its roles and prompts, each held against what was pinned.

use super::{DebateFiles, OpenError, Pinned, diff};
use crate::disk::Disk;
use crate::document;
use crate::formats::plan::{self, PlanFile};
use crate::layout::Layout;
use forge_debate::digest::Digest;
use forge_debate::personas::{persona, role_of_persona};
use forge_debate::plan::{Material, Plan};
use forge_debate::protocols::Protocols;
use forge_debate::texts::Texts;
use std::sync::Arc;

/// What is done about a problem: whoever runs a debate stops at the first, whoever checks one notes it and goes on.
pub(super) type Minding<'m> = dyn FnMut(OpenError) -> Result<(), OpenError> + 'm;

/// Stops at the first problem.
pub(super) fn stop(error: OpenError) -> Result<(), OpenError> {
    Err(error)
}

impl DebateFiles {
    pub(super) fn read(disk: &Arc<dyn Disk>, known: Protocols, path: &str) -> Result<Self, OpenError> {
        let Some(bytes) = disk.read(path)? else { return Err(OpenError::NotThere { path: path.to_owned() }) };
        let mut files = Self::parse(disk, known, path, path, &bytes)?;
        files.check_seal()?;
        files.read_materials(&mut stop)?;
        files.read_texts(&mut stop)?;
        files.sound()
    }

    /// The debate whose plan belongs at `path`, from the bytes of the file `from`; nothing else is read yet.
    pub(super) fn parse(
        disk: &Arc<dyn Disk>,
        known: Protocols,
        path: &str,
        from: &str,
        bytes: &[u8],
    ) -> Result<Self, OpenError> {
        let broken = |line: usize, text: String| OpenError::Broken { path: from.to_owned(), line, text };
        let decoded = document::decode(bytes);
        if let Some(problem) = decoded.problems.first() {
            return Err(broken(problem.line, problem.text.clone()));
        }
        let file = plan::read(&decoded.text, known).map_err(|defect| broken(defect.line, defect.text))?;
        let mut plan = file.plan.clone();
        if plan.place.is_empty() {
            plan.place = place_of(path);
        }
        let layout = Layout::of(&plan);
        if layout.plan() != path {
            let text = format!("debate_id and place name {}, but the plan lies here", layout.plan());
            return Err(broken(1, text));
        }
        Ok(Self::of(disk, known, file, plan, Texts::embedded(), decoded.text))
    }

    fn of(disk: &Arc<dyn Disk>, known: Protocols, file: PlanFile, plan: Plan, texts: Texts, plan_text: String) -> Self {
        let essence = plan::essence(&plan_text);
        Self {
            disk: Arc::clone(disk),
            protocol: file.protocol,
            known,
            plan_digest: Digest::of(essence.as_bytes()),
            essence,
            sealed: None,
            readings: super::Readings::default(),
            layout: Layout::of(&plan),
            plan,
            file,
            texts,
            without_persona: Vec::new(),
            plan_text,
        }
    }

    /// The debate whose files were just written: as it would be read of them.
    pub(super) fn as_made(
        disk: &Arc<dyn Disk>,
        known: Protocols,
        mut file: PlanFile,
        materials: &[Material],
        given: &Texts,
        text: String,
    ) -> Result<Self, OpenError> {
        let decode = |text: &str| document::decode(text.as_bytes());
        let layout = Layout::of(&file.plan);
        // What is no plain text, and a plan without a place, is read with what is made of that.
        if file.plan.place.is_empty() || decode(&text).text != text || !decode(&text).problems.is_empty() {
            return Self::open(disk, known, &layout.plan());
        }
        let mut texts = Texts::embedded();
        for seat in &file.plan.seats {
            texts.replace(format!("seats/{}", seat.id), decode(&given.role(&file.plan, seat)).text);
        }
        for (name, prompt) in given.overrides().filter(|(name, _)| name.starts_with("prompts/")) {
            texts.replace(name, decode(prompt).text);
        }
        let as_read = |one: &Material| Material { name: one.name.clone(), text: decode(&one.text).text };
        file.plan.materials = Vec::new();
        let plan = plan::with_materials(file.plan.clone(), materials.iter().map(as_read).collect());
        let made = Self::of(disk, known, file, plan, texts, text);
        // What was written is what is read: every test that makes a debate shows it.
        #[cfg(debug_assertions)]
        if let Ok(read) = Self::open(disk, known, &made.layout.plan()) {
            debug_assert_eq!((&made.plan, &made.file), (&read.plan, &read.file));
            debug_assert_eq!((made.plan_digest, &made.plan_text), (read.plan_digest, &read.plan_text));
            debug_assert_eq!(made.texts, read.texts);
        }
        Ok(made)
    }

    /// The debate, if its plan makes sense.
    pub(super) fn sound(self) -> Result<Self, OpenError> {
        let mut defects = self.plan.lasting_defects();
        let seating = (self.plan.protocol.seating_defects)(&self.plan);
        if !seating.is_empty() && !self.has_begun()? {
            defects.extend(seating);
        }
        if defects.is_empty() { Ok(self) } else { Err(OpenError::Unsound { path: self.layout.plan(), defects }) }
    }

    fn changed(&self, what: Pinned, path: String, diff: String) -> OpenError {
        OpenError::Edited { path, what, debate: self.plan.id.clone(), diff }
    }

    pub(super) fn read_materials(&mut self, mind: &mut Minding<'_>) -> Result<(), OpenError> {
        let mut texts = Vec::new();
        for (i, (name, digest)) in self.file.materials.iter().enumerate() {
            let path = self.layout.material(i + 1, name);
            let Some(bytes) = self.disk.read(&path)? else {
                mind(self.changed(Pinned::Text, path, "it is gone".to_owned()))?;
                continue;
            };
            if Digest::of(&bytes) != *digest {
                mind(self.changed(Pinned::Text, path, format!("its digest is no longer {digest}")))?;
            }
            texts.push(Material { name: name.clone(), text: document::decode(&bytes).text });
        }
        self.plan.materials = texts;
        Ok(())
    }

    pub(super) fn read_texts(&mut self, mind: &mut Minding<'_>) -> Result<(), OpenError> {
        self.read_roles(mind)?;
        let pinned = |name: &str| self.file.prompts.iter().find(|(n, _)| n == name).map(|(_, digest)| *digest);
        // One listing tells whether there is anything to read at all.
        let any = !self.disk.list(&self.layout.prompts())?.is_empty();
        let mut found = Vec::new();
        for name in Texts::names().filter(|name| name.starts_with("prompts/")) {
            let path = self.layout.prompt(name);
            match (if any { self.disk.read(&path)? } else { None }, pinned(name)) {
                (None, None) => {}
                (None, Some(_)) => mind(self.changed(Pinned::Text, path, "it is gone".to_owned()))?,
                (Some(bytes), digest) => {
                    match digest {
                        Some(digest) if digest != Digest::of(&bytes) => {
                            mind(self.changed(Pinned::Text, path, format!("its digest is no longer {digest}")))?;
                        }
                        None => {
                            mind(self.changed(
                                Pinned::Text,
                                path,
                                "the plan knows of no such prompt; it was added".to_owned(),
                            ))?;
                        }
                        _ => {}
                    }
                    found.push((name, document::decode(&bytes).text));
                }
            }
        }
        for (name, text) in found {
            self.texts.replace(name, text);
        }
        Ok(())
    }

    fn read_roles(&mut self, mind: &mut Minding<'_>) -> Result<(), OpenError> {
        let mut without_persona = Vec::new();
        for seat in &self.plan.seats {
            let path = self.layout.role(&seat.id);
            let pinned = self.file.roles.iter().find(|(id, _)| *id == seat.id).map(|(_, digest)| *digest);
            let bytes = match (self.disk.read(&path)?, pinned) {
                (Some(bytes), _) => bytes,
                (None, None) => continue,
                (None, Some(_)) => {
                    mind(self.changed(Pinned::Text, path, "it is gone".to_owned()))?;
                    continue;
                }
            };
            let is_as_pinned = pinned.is_none_or(|digest| digest == Digest::of(&bytes));
            if let Some(digest) = pinned.filter(|_| !is_as_pinned) {
                mind(self.changed(Pinned::Text, path, format!("its digest is no longer {digest}")))?;
            }
            let role = document::decode(&bytes).text;
            if let Some(public) = self.persona_path(&seat.id) {
                match self.disk.read(&public)?.map(|now| document::decode(&now).text) {
                    // One that is gone keeps its challenger from speaking, and nobody else.
                    None => without_persona.push(seat.id.clone()),
                    Some(now) => {
                        let role_now = role_of_persona(&self.plan, &seat.id, &now);
                        // Of two that differ the pinned one tells which was changed.
                        let is_same = match pinned {
                            Some(digest) if !is_as_pinned => Digest::of(role_now.as_bytes()) == digest,
                            _ => now == persona(&self.plan, &seat.id, &role),
                        };
                        if !is_same {
                            mind(self.changed(
                                Pinned::Persona,
                                public,
                                diff(&persona(&self.plan, &seat.id, &role), &now),
                            ))?;
                        }
                    }
                }
            }
            self.texts.replace(format!("seats/{}", seat.id), role);
        }
        self.without_persona = without_persona;
        Ok(())
    }
}

/// Where a plan that does not say it must live, from where it was found.
fn place_of(path: &str) -> String {
    // Every home is one folder below its place: `<place>/<id>/` or `<place>/sadd/`.
    path.rsplitn(3, '/').nth(2).unwrap_or_default().to_owned()
}
