//! One debate's files: opening it, reading what is on record, putting more on record.
//!
//! Recorded facts (plan, briefs, replies, turns) are written once. Derived files (status, reports, state) are rewritten
//! whenever they differ from what the record says, and never read back. If the process dies anywhere in here, what was
//! written stands, and the next run goes on from it.

mod inspect;
mod kept;
mod opening;
mod readings;
mod seal;
mod words;
mod writing;

pub use crate::formats::turn::ATTEMPTS_LIMIT;
pub use words::{diff, is_as_is, marked_as_is, without_keys, words_of_reply, writer};
use words::{draft_of_reply, first_line_of_words};
pub use writing::Attempt;

use crate::disk::{Created, Disk, DiskError};
use crate::document::{self, Document, Front};
use crate::formats::call;
use crate::formats::plan::{self, PlanFile};
use crate::formats::turn::{self, Read, TurnBody, TurnFile, TurnHeader};
use crate::formats::verdict::TurnLine;
use crate::layout::Layout;
use crate::markdown;
use forge_debate::digest::Digest;
use forge_debate::form::Writer;
use forge_debate::framing::FRAMING;
use forge_debate::hidden::without_unseen;
use forge_debate::personas::{persona, persona_file, role_of_persona};
use forge_debate::plan::{Hand, Limits, Material, Plan, Seat, SeatId, is_labelled_rehearsal};
use forge_debate::protocols::{self, Protocol, Protocols};
use forge_debate::reading::Reading;
use forge_debate::record::{Ask, Wave};
use forge_debate::texts::Texts;
use forge_debate::turn::{AbsenceKind, Contribution, Turn, TurnKey};
use forge_prose::secrets::{Source, is_redaction_of, keys_removed};
use readings::{Readings, Seen};
use serde_json::Value;
use std::sync::Arc;

/// Why a debate cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// There is no plan.
    #[error("{path}: there is no plan here")]
    NotThere {
        /// Where it was looked for.
        path: String,
    },
    /// The plan cannot be read.
    #[error("{path}:{line}: {text}")]
    Broken {
        /// The file.
        path: String,
        /// The line.
        line: usize,
        /// What is wrong.
        text: String,
    },
    /// The plan can be read and makes no sense.
    #[error("{path}: {}", defects.join("; "))]
    Unsound {
        /// The file.
        path: String,
        /// What is wrong.
        defects: Vec<String>,
    },
    /// A file that may not change once the first turn is on record has changed.
    #[error("{path}: changed after the debate began\n{diff}")]
    Edited {
        /// The file.
        path: String,
        /// What it is.
        what: Pinned,
        /// The debate.
        debate: String,
        /// What changed.
        diff: String,
    },
}

/// A file that may not change once the first turn is on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinned {
    /// The plan, or its sealed copy.
    Plan,
    /// A challenger's persona, which lies open beside the plan.
    Persona,
    /// A text of the trail: a role, a prompt, a supplied text.
    Text,
}

impl OpenError {
    /// Whether a text of the trail was changed or is gone: then the record is not what it was. The plan and the personas lie
    /// open; they may be edited by mistake, and the edit undone.
    pub fn is_of_the_record(&self) -> bool {
        matches!(self, OpenError::Edited { what: Pinned::Text, .. })
    }
}

/// One debate on disk.
pub struct DebateFiles {
    disk: Arc<dyn Disk>,
    /// The rules.
    pub protocol: &'static Protocol,
    /// The rules that are known here.
    known: Protocols,
    /// The plan, with its materials.
    pub plan: Plan,
    /// What the plan's file says besides.
    pub file: PlanFile,
    /// Where everything is.
    pub layout: Layout,
    /// The digest of the plan's essence.
    pub plan_digest: Digest,
    /// Roles and prompts as they were when the debate began.
    pub texts: Texts,
    /// Challengers whose persona's file is not there.
    without_persona: Vec<SeatId>,
    plan_text: String,
    essence: String,
    sealed: Option<Digest>,
    readings: Readings,
}

/// What a fork starts from.
pub struct ForkSource {
    /// The plan.
    pub file: PlanFile,
    /// Its supplied texts.
    pub materials: Vec<Material>,
    /// The challengers' role texts, where the protocol has personas.
    pub personas: Vec<(SeatId, String)>,
    /// The debate itself, held against nothing.
    pub debate: DebateFiles,
    /// The plan's limits as they were sealed, if they were.
    pub sealed: Option<Limits>,
}

/// A turn on record.
#[derive(Debug, Clone)]
pub struct OnRecord {
    /// The turn.
    pub turn: Turn,
    /// Its line in the account.
    pub line: TurnLine,
    /// Its header.
    pub header: TurnHeader,
    /// What happened to the file that it was taken in from, though the turn stands.
    pub since: Option<Since>,
}

/// Whether what somebody left says that a rehearsal or a script said it: by its label, or in its own front matter.
fn is_labelled(body: &TurnBody) -> bool {
    let (TurnBody::Speech(text) | TurnBody::Left(text)) = body else { return false };
    let seen = without_unseen(text);
    let says = |name: &str, value: &Value| match (name.to_ascii_lowercase().as_str(), value) {
        ("rehearsal", Value::Bool(said)) => *said,
        ("rehearsal", Value::String(said)) => matches!(said.trim().to_lowercase().as_str(), "true" | "yes" | "on"),
        ("agent", Value::String(said)) => Hand::parse(&said.to_lowercase()).is_rehearsal(),
        _ => false,
    };
    let is_said = match Document::parse(seen.trim_start()).front {
        Front::Fields(fields) => fields.iter().any(|(name, value)| says(name.trim(), value)),
        _ => false,
    };
    is_said || is_labelled_rehearsal(text)
}

/// What happened to a file after it was taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// It was removed.
    Gone,
    /// It was changed.
    Changed,
}

/// What stands at a turn's place.
#[derive(Debug, Clone)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A turn on record.
    Turn(Arc<OnRecord>),
    /// Somebody's file that is in form and not yet taken in.
    HandedIn {
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// Somebody's file that is not in form yet: half-written, most likely.
    NotYet {
        /// The file.
        path: String,
        /// What keeps it from being a turn.
        problems: Vec<String>,
        /// What else is missing, and keeps nothing from being a turn.
        noted: Vec<String>,
        /// Whether there is anything in it at all.
        has_words: bool,
    },
    /// A turn of ours that was damaged. Its raw reply may still be on record.
    Damaged {
        /// The file.
        path: String,
        /// What is wrong.
        problems: Vec<String>,
        /// What kind of wrong.
        cause: Damage,
    },
}

/// Why a file with a turn's header is not the turn of its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It is another turn, or one of another debate.
    OtherTurn,
    /// It was made under another plan.
    OtherPlan,
    /// Its header, its words or its form are not what they were.
    Changed,
}

fn damaged(cause: Damage, problems: Vec<String>, path: String) -> Found {
    Found::Damaged { path, problems, cause }
}

/// The digest of a turn's file: over its text, so that other line ends make no difference.
pub fn digest_of_turn(bytes: &[u8]) -> Digest {
    Digest::of(document::decode(bytes).text.as_bytes())
}

/// Whether a turn that was taken in has the text of the file that was left, but for as many keys as its header says were
/// removed from it. Line ends, and empty lines at the end, make no difference. Which words look like keys is not asked: that
/// may have been another forge's opinion.
fn says_the_same(file: &TurnFile, left: &[u8], state: Source) -> bool {
    let TurnBody::Left(text) = &file.body else { return true };
    let now = document::decode(left).text;
    if file.header.keys_removed == 0 {
        return text.trim_end() == now.trim_end();
    }
    let counts = |removed: u32| match state {
        Source::AsLeft => removed == file.header.keys_removed,
        // Who cleaned the file may have written what stands in a key's place here.
        Source::Cleaned => removed <= file.header.keys_removed,
    };
    let same = |text: &str, now: &str| counts(keys_removed(text, now)) && is_redaction_of(text, now, state);
    // A key that hides behind escape sequences shows in the words only.
    same(text, &now) || same(&words_of_reply(text.as_bytes()).0, &words_of_reply(left).0)
}

/// A turn's line in the account.
fn line_of(turn: &Turn, file: String, digest: Digest, rehearsal: bool, header: &TurnHeader) -> TurnLine {
    TurnLine {
        key: turn.key.clone(),
        file,
        digest,
        agent: header.agent.clone(),
        rehearsal,
        model_served: header.model_served.clone(),
        asked_at: header.asked_at.clone(),
        answered_at: header.answered_at.clone(),
        attempts: header.attempts,
        input_tokens: header.input_tokens,
        output_tokens: header.output_tokens,
        cost_microdollars: header.cost_microdollars,
        cost_by: header.cost_by.clone(),
        host: header.host.clone(),
        text: turn.speech().map(|speech| speech.text.clone()),
    }
}

/// Creates the files of a new debate; the plan's file, whose `text` was [written](plan::write) from these, comes last and is the
/// commit point.
///
/// If the process dies before it, there is no debate, only files that the next creation under this name replaces.
pub fn create(
    disk: &Arc<dyn Disk>,
    known: Protocols,
    file: PlanFile,
    materials: &[Material],
    texts: &Texts,
    text: String,
) -> Result<DebateFiles, OpenError> {
    let plan = plan::with_materials(file.plan.clone(), materials.to_vec());
    let layout = Layout::of(&plan);
    let defects = plan.defects();
    if !defects.is_empty() {
        return Err(OpenError::Unsound { path: layout.plan(), defects });
    }
    let path = layout.plan();
    let taken = || OpenError::Unsound {
        path: layout.plan(),
        defects: vec!["a debate of this name is already there; give this one another --id".to_owned()],
    };
    if disk.read(&path)?.is_some() {
        return Err(taken());
    }
    for (i, material) in materials.iter().enumerate() {
        disk.replace_soon(&layout.material(i + 1, &material.name), material.text.as_bytes())?;
    }
    if !disk.list(&layout.prompts())?.is_empty() {
        // A creation that died left prompts that may have been given up since.
        for name in Texts::names().filter(|name| name.starts_with("prompts/") && texts.is_embedded(name)) {
            disk.remove(&layout.prompt(name))?;
        }
    }
    for (name, text) in texts.overrides().filter(|(name, _)| name.starts_with("prompts/")) {
        disk.replace_soon(&layout.prompt(name), text.as_bytes())?;
    }
    for seat in &plan.seats {
        let role = texts.role(&plan, seat);
        disk.replace_soon(&layout.role(&seat.id), role.as_bytes())?;
        if plan.protocol.has_personas()
            && let Some(file) = persona_file(&plan, &seat.id)
        {
            disk.replace_soon(&layout.path(&file), persona(&plan, &seat.id, &role).as_bytes())?;
        }
    }
    disk.settle()?;
    match disk.create_new(&path, text.as_bytes())? {
        Created::New => DebateFiles::as_made(disk, known, file, materials, texts, text),
        Created::AlreadyThere => Err(taken()),
    }
}

/// A plan's file with the digests of all that is written beside it.
pub fn with_digests(file: PlanFile, materials: &[Material], texts: &Texts) -> PlanFile {
    let plan = plan::with_materials(file.plan.clone(), materials.to_vec());
    let prompts = texts.overrides().filter(|(name, _)| name.starts_with("prompts/"));
    let role = |seat: &Seat| (seat.id.clone(), Digest::of(texts.role(&plan, seat).as_bytes()));
    PlanFile {
        materials: materials.iter().map(|m| (m.name.clone(), Digest::of(m.text.as_bytes()))).collect(),
        roles: plan.seats.iter().map(role).collect(),
        own_roles: projects_roles(&plan, texts),
        prompts: prompts.map(|(name, text)| (name.to_owned(), Digest::of(text.as_bytes()))).collect(),
        ..file
    }
}

/// The seats that play a role text of the project's own, each with its role.
pub fn projects_roles(plan: &Plan, texts: &Texts) -> Vec<(SeatId, String)> {
    let projects = texts.without_seats();
    // A persona that was given for the seat stands before the project's role, unless it is that role's own text.
    let is_projects = |seat: &&Seat| {
        !texts.is_embedded(&format!("roles/{}", seat.role)) && texts.role(plan, seat) == projects.role(plan, seat)
    };
    plan.seats.iter().filter(is_projects).map(|seat| (seat.id.clone(), seat.role.clone())).collect()
}

impl DebateFiles {
    /// Opens the debate whose plan is at `path`.
    pub fn open(disk: &Arc<dyn Disk>, known: Protocols, path: &str) -> Result<Self, OpenError> {
        match Self::read(disk, known, path) {
            // A forge beside us may have framed the options and sealed the plan between our two reads. Once more tells.
            Err(OpenError::Edited { .. }) => Self::read(disk, known, path),
            settled => settled,
        }
    }

    /// The plan at `path` as it is now, with its materials, whatever was sealed: what a fork starts from.
    /// Personas come along as their files are now.
    pub fn read_for_fork(disk: &Arc<dyn Disk>, known: Protocols, path: &str) -> Result<ForkSource, OpenError> {
        let Some(bytes) = disk.read(path)? else { return Err(OpenError::NotThere { path: path.to_owned() }) };
        let text = document::decode(&bytes).text;
        let broken = |defect: plan::PlanDefect| OpenError::Broken {
            path: path.to_owned(),
            line: defect.line,
            text: defect.text,
        };
        let file = plan::read(&text, known).map_err(broken)?;
        let layout = Layout::of(&file.plan);
        let mut materials = Vec::new();
        for (i, (name, _)) in file.materials.iter().enumerate() {
            let at = layout.material(i + 1, name);
            let bytes = disk.read(&at)?.ok_or(OpenError::NotThere { path: at })?;
            materials.push(Material { name: name.clone(), text: document::decode(&bytes).text });
        }
        let mut personas = Vec::new();
        for seat in file.plan.debaters().into_iter().filter(|_| file.plan.protocol.has_personas()) {
            let Some(name) = persona_file(&file.plan, &seat.id) else { continue };
            let there = match disk.read(&layout.path(&name))? {
                None => disk.read(&layout.role(&seat.id))?,
                there => there,
            };
            if let Some(bytes) = there {
                let text = document::decode(&bytes).text;
                personas.push((seat.id.clone(), role_of_persona(&file.plan, &seat.id, &text).to_owned()));
            }
        }
        let debate = Self::parse(disk, known, path, path, &bytes)?;
        let sealed = disk.read(&layout.sealed_plan())?;
        let sealed = sealed.and_then(|bytes| plan::read(&document::decode(&bytes).text, known).ok());
        Ok(ForkSource { file, materials, personas, debate, sealed: sealed.map(|file| file.plan.limits) })
    }

    /// Writes the plan's readable part anew from its front matter, while that may still change.
    pub fn rewrite_plan(&self) -> Result<(), DiskError> {
        let file = PlanFile { plan: self.plan.clone(), ..self.file.clone() };
        self.put_derived(&self.layout.plan(), plan::write(&file, &self.texts).as_bytes())
    }

    /// Reads again what may not change, and the plan itself only if it has: what every pass begins with.
    pub fn refresh(self) -> Result<Self, OpenError> {
        let path = self.layout.plan();
        let Some(bytes) = self.disk.read(&path)? else { return Err(OpenError::NotThere { path }) };
        let mut files = self;
        if bytes != files.plan_text.as_bytes() {
            let now = document::decode(&bytes);
            if !now.problems.is_empty() || plan::essence(&now.text) != files.essence {
                return Self::open(&Arc::clone(&files.disk), files.known, &path);
            }
            files.plan_text = now.text;
        }
        files.check_seal()?;
        // Supplied texts and roles are pinned in memory since the debate was opened; the personas lie open in the
        // debate's folder, where agents read them, and are held against their pins before every wave.
        if files.plan.protocol.has_personas() {
            files.read_texts(&mut opening::stop)?;
        }
        Ok(files)
    }

    /// Puts options into a plan that has none: proposed by a framer.
    pub fn put_options(&self, options: Vec<forge_debate::plan::Choice>) -> Result<(), DiskError> {
        let mut file = self.file.clone();
        file.plan = self.plan.clone();
        file.plan.options = options;
        file.framed = true;
        self.disk.replace(&self.layout.plan(), plan::write(&file, &self.texts).as_bytes())
    }

    /// The path of a turn's file.
    pub fn turn_path(&self, key: &TurnKey) -> String {
        self.layout.turn(&self.plan, key)
    }

    /// What stands at the place of the turn that would answer this ask.
    pub fn find(&self, ask: &Ask) -> Result<Found, DiskError> {
        if let Some(one) = self.readings.of(ask, self.disk.as_ref()) {
            return Ok(Found::Turn(one));
        }
        let seen = Seen::on(self.disk.as_ref());
        let found = self.find_anew(ask, &seen)?;
        if let Found::Turn(one) = &found {
            seen.files().into_iter().for_each(|from| self.readings.keep(ask, from, Arc::clone(one)));
        }
        Ok(found)
    }

    /// Reads whose sources nobody keeps.
    fn unseen(&self) -> Seen<'_> {
        Seen::on(self.disk.as_ref())
    }

    /// Keeps what a pass asked for, and the turns that it heard, in their order.
    pub fn keep_asked(&self, waves: Vec<Wave>, heard: &[Arc<OnRecord>]) {
        self.readings.keep_asked(waves, heard);
    }

    /// What the last pass asked for, and the turns that it heard.
    pub fn asked_before(&self) -> (Vec<Wave>, Vec<Arc<OnRecord>>) {
        self.readings.asked()
    }

    /// Whether every turn that was read is in its files as it was then.
    pub fn is_as_read(&self) -> bool {
        self.readings.are_as_they_were(self.disk.as_ref())
    }

    /// Whether what was read is believed from now on without another look at its files, for as long as nobody else may write
    /// them; tells whether it was until now.
    pub fn believe_readings(&self, believed: bool) -> bool {
        self.readings.believe(believed)
    }

    fn find_anew(&self, ask: &Ask, seen: &Seen<'_>) -> Result<Found, DiskError> {
        let path = self.turn_path(&ask.key);
        let taken_in = seen.read(&self.layout.taken_in(&ask.key))?;
        let there = match seen.read(&path) {
            // Something stands there that cannot be a turn. It is not ours to remove; whoever put it there is told.
            Err(error) if error.is_about_one_file() => Err(error),
            there => Ok(there?),
        };
        if let Some(bytes) = taken_in {
            return self.taken_in(ask, &bytes, there.as_ref().map(|there| there.as_deref()).ok(), seen);
        }
        match there {
            Err(error) => {
                Ok(Found::NotYet { problems: vec![error.to_string()], noted: Vec::new(), path, has_words: true })
            }
            Ok(None) => Ok(Found::Nothing),
            Ok(Some(bytes)) => self.at_its_place(ask, path, bytes, seen),
        }
    }

    /// What somebody left at a turn's place, whatever was taken in before: while a wave is open, its files are their writers'.
    pub fn find_left(&self, ask: &Ask) -> Result<Found, DiskError> {
        let path = self.turn_path(&ask.key);
        match self.disk.read(&path) {
            Err(error) if error.is_about_one_file() => {
                Ok(Found::NotYet { problems: vec![error.to_string()], noted: Vec::new(), path, has_words: true })
            }
            there => match there? {
                None => Ok(Found::Nothing),
                Some(bytes) => self.at_its_place(ask, path, bytes, &self.unseen()),
            },
        }
    }

    fn at_its_place(&self, ask: &Ask, path: String, bytes: Vec<u8>, seen: &Seen<'_>) -> Result<Found, DiskError> {
        let decoded = document::decode(&bytes);
        match turn::read(&decoded.text) {
            Read::Ours(file) => {
                let is_claimed = self.claims_to_be_on_record(ask, &file);
                let found = self.on_record(ask, *file, &bytes, path.clone(), None, seen)?;
                Ok(match found {
                    Found::Turn(_) if is_claimed => {
                        let text = format!(
                            "{path}: it says of itself that forge took it down, and forge keeps what others say in its trail"
                        );
                        damaged(Damage::Changed, vec![text], path)
                    }
                    found => found,
                })
            }
            Read::Damaged { line, text } => Ok(damaged(Damage::Changed, vec![format!("{path}:{line}: {text}")], path)),
            Read::Plain => {
                let reading = self.hold_against_form(ask, &bytes, Writer::Outside);
                let has_words = !decoded.text.trim().is_empty();
                Ok(match reading.speech {
                    Some(_) => Found::HandedIn { bytes },
                    None => Found::NotYet { problems: reading.required(), noted: reading.noted(), path, has_words },
                })
            }
        }
    }

    /// Whether a file at a turn's place has the header of a turn for which nobody was called. forge writes such a turn there
    /// only for a person's decision, and for a seat that stayed away.
    fn claims_to_be_on_record(&self, ask: &Ask, file: &TurnFile) -> bool {
        if file.header.attempts > 0
            || ask.key == protocols::decision_ask().key
            || !writer(&file.header.agent).is_outside()
        {
            return false;
        }
        match &file.body {
            TurnBody::Speech(_) | TurnBody::Left(_) => true,
            // Nobody says of a person that they stay away.
            TurnBody::Absence(absence) => {
                let is_person = self.plan.seat(&ask.key.seat).is_some_and(|seat| seat.hand == Hand::Human);
                is_person && absence.kind != AbsenceKind::NoContextFile
            }
        }
    }

    /// A file that somebody left, read as the turn that it becomes when it is taken in under this header.
    pub fn as_if_taken_in(&self, ask: &Ask, header: &TurnHeader, bytes: &[u8]) -> Result<Option<OnRecord>, DiskError> {
        let text = writing::left_turn(&ask.key, header, bytes).1;
        let Read::Ours(file) = turn::read(&text) else { return Ok(None) };
        Ok(match self.on_record(ask, *file, text.as_bytes(), self.turn_path(&ask.key), None, &self.unseen())? {
            Found::Turn(one) => Some(Arc::unwrap_or_clone(one)),
            _ => None,
        })
    }

    /// A turn that was taken off the record, read as the answer to this ask that it once was.
    pub fn find_withdrawn(&self, ask: &Ask, path: &str) -> Result<Found, DiskError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(Found::Nothing) };
        let path = path.to_owned();
        match turn::read(&document::decode(&bytes).text) {
            Read::Ours(file) => self.on_record(ask, *file, &bytes, path, None, &self.unseen()),
            _ => Ok(damaged(Damage::Changed, vec![format!("{path}: not a turn")], path)),
        }
    }

    /// The turn in the trail, held against the file that it was taken in from; `there` is none where something stands in its
    /// place that is no file.
    fn taken_in(
        &self,
        ask: &Ask,
        bytes: &[u8],
        there: Option<Option<&[u8]>>,
        seen: &Seen<'_>,
    ) -> Result<Found, DiskError> {
        let path = self.layout.taken_in(&ask.key);
        let Read::Ours(file) = turn::read(&document::decode(bytes).text) else {
            return Ok(damaged(Damage::Changed, vec![format!("{path}: not a turn")], path));
        };
        // A seat that did not speak left no file.
        if let TurnBody::Absence(_) = file.body {
            return self.on_record(ask, *file, bytes, path, None, seen);
        }
        let is_as_left = |now: &[u8]| file.header.reply == Some(Digest::of(document::decode(now).text.as_bytes()));
        let since = match there {
            Some(None) => Some(Since::Gone),
            Some(Some(now)) if is_as_left(now) => None,
            // Whoever took the keys out of the file did as they were told.
            Some(Some(now)) if says_the_same(&file, now, Source::Cleaned) => None,
            _ => Some(Since::Changed),
        };
        // The file that was left is still there as it was: then our copy must say the same.
        if let Some(Some(left)) = there
            && is_as_left(left)
            && !says_the_same(&file, left, Source::AsLeft)
        {
            let problems =
                vec![format!("{path}: its words are not those of the file that was taken in; it was edited")];
            return Ok(damaged(Damage::Changed, problems, path));
        }
        self.on_record(ask, *file, bytes, path, since, seen)
    }

    fn on_record(
        &self,
        ask: &Ask,
        file: TurnFile,
        bytes: &[u8],
        path: String,
        since: Option<Since>,
        seen: &Seen<'_>,
    ) -> Result<Found, DiskError> {
        if file.written_key != ask.key.slug() || file.header.debate != self.plan.id {
            let text =
                format!("{path}: this is {} of {}, not {}", file.written_key, file.header.debate, ask.key.slug());
            return Ok(damaged(Damage::OtherTurn, vec![text], path));
        }
        // The framer speaks before there are options, and so under another plan.
        if file.header.plan != self.plan_digest && ask.key.stage != FRAMING {
            let text = format!("{path}: this turn was made under another plan ({})", file.header.plan);
            return Ok(damaged(Damage::OtherPlan, vec![text], path));
        }
        if let Some(problem) = self.unbound(ask, &file, seen)? {
            return Ok(damaged(Damage::Changed, vec![format!("{path}: {problem}")], path));
        }
        let is_rehearsal = file.header.rehearsal || (file.header.attempts == 0 && is_labelled(&file.body));
        let reading = match file.body {
            TurnBody::Absence(absence) => Err(absence),
            TurnBody::Speech(text) => {
                let writer = writer(&file.header.agent);
                let read_before = self.readings.of_reply(ask, &text, file.body_line).filter(|_| !writer.is_outside());
                let reading = read_before.unwrap_or_else(|| {
                    let draft = markdown::draft(&text, file.body_line);
                    ask.form.read(&self.plan, &ask.key.seat, &draft, writer)
                });
                Ok(reading.keeping(&file.header.kept_votes))
            }
            TurnBody::Left(text) => Ok(self.read_left(ask, text.as_bytes())),
        };
        let contribution = match reading {
            Err(absence) => Contribution::Absence(absence),
            Ok(Reading { speech: Some(speech), .. }) => Contribution::Speech(speech),
            Ok(reading) => {
                let problems = reading.lines().iter().map(|line| format!("{path}: {line}")).collect();
                return Ok(damaged(Damage::Changed, problems, path));
            }
        };
        let turn = Turn { key: ask.key.clone(), contribution: contribution.into() };
        let line = line_of(&turn, path, digest_of_turn(bytes), is_rehearsal, &file.header);
        Ok(Found::Turn(Arc::new(OnRecord { turn, line, header: file.header, since })))
    }

    /// Keeps a turn that was just made from its only reply as what a pass will read of its file.
    fn foresee(&self, ask: &Ask, header: &TurnHeader, words: &str, text: &str) -> Option<()> {
        let reply = header.calls.first()?.reply?;
        if header.attempts != 1 || !header.kept_votes.is_empty() {
            return None;
        }
        let body_line = text[..text.find("\n---\n")?].lines().count() + 2;
        let speech = self.readings.of_reply(ask, words, body_line)?.speech?;
        let turn = Turn { key: ask.key.clone(), contribution: Contribution::Speech(speech).into() };
        let (path, digest) = (self.turn_path(&ask.key), Digest::of(text.as_bytes()));
        let line = line_of(&turn, path.clone(), digest, header.rehearsal, header);
        let one = OnRecord { turn, line, header: header.clone(), since: None };
        // What is foreseen is what is read: every test of every debate shows it.
        #[cfg(debug_assertions)]
        if let Ok(Found::Turn(read)) = self.find_anew(ask, &self.unseen()) {
            debug_assert_eq!(format!("{one:?}"), format!("{read:?}"));
        }
        let from = vec![
            (self.layout.taken_in(&ask.key), None),
            (path, Some(digest)),
            (self.layout.reply(&ask.key, 1), Some(reply)),
        ];
        self.readings.keep(ask, from, Arc::new(one));
        Some(())
    }

    /// Why a turn is not what was really said: an agent's words must be those of the raw reply that its header names.
    /// Turns from outside have their own copy in the trail, and a person's decision is its own source.
    fn unbound(&self, ask: &Ask, file: &TurnFile, seen: &Seen<'_>) -> Result<Option<&'static str>, DiskError> {
        let is_outside = writer(&file.header.agent).is_outside();
        let words = match &file.body {
            TurnBody::Speech(_) if file.header.attempts == 0 && is_outside => return Ok(None),
            TurnBody::Left(_) if file.header.attempts > 0 || !is_outside => {
                return Ok(Some("it says that somebody left what an agent said; it was edited"));
            }
            TurnBody::Left(_) | TurnBody::Absence(_) => return Ok(None),
            TurnBody::Speech(words) => words,
        };
        let (Some(reply), 1..) = (file.header.reply, file.header.attempts) else {
            return Ok(Some("an agent spoke without having been called; it was edited"));
        };
        // The reply that was taken is the last attempt's or, where a repair was worse, an earlier one's.
        for attempt in (1..=file.header.attempts.min(ATTEMPTS_LIMIT)).rev() {
            let Some(bytes) = seen.read(&self.layout.reply(&ask.key, attempt))? else { continue };
            if let Some((_, raw)) = call::read_reply(&bytes)
                && Digest::of(&raw) == reply
            {
                let same = words_of_reply(&raw).0 == *words;
                return Ok((!same).then_some("its words are not those of its raw reply; it was edited"));
            }
        }
        Ok(Some("the raw reply that it names is not on record"))
    }

    /// A reply to this ask without what looks like a key, if something in it does.
    pub fn without_keys(&self, ask: &Ask, bytes: &[u8]) -> Option<Vec<u8>> {
        let (clean, drafted) = words::clean(bytes);
        if let Some(drafted) = drafted {
            self.readings.keep_drafted(ask, clean.as_deref().unwrap_or(bytes), drafted);
        }
        clean
    }

    /// Holds raw bytes against the ask's form. An agent's passed [`without_keys`] before they were put on record; those from
    /// outside are read as they will be recorded.
    pub fn hold_against_form(&self, ask: &Ask, bytes: &[u8], writer: Writer) -> Reading {
        if writer.is_outside() {
            return self.read_left(ask, without_keys(bytes).as_deref().unwrap_or(bytes));
        }
        let (words, draft) = self.readings.drafted(ask, bytes).unwrap_or_else(|| words::drafted(bytes, 1));
        let reading = ask.form.read(&self.plan, &ask.key.seat, &draft, writer);
        self.readings.keep_reply(ask, words, &reading);
        reading
    }

    /// What somebody left, held against the form; lines are those of the file.
    fn read_left(&self, ask: &Ask, bytes: &[u8]) -> Reading {
        let draft = draft_of_reply(bytes, first_line_of_words(bytes));
        let writer = if is_as_is(bytes) { Writer::OutsideAsIs } else { Writer::Outside };
        ask.form.read(&self.plan, &ask.key.seat, &draft, writer)
    }

    /// The path of a challenger's persona.
    pub fn persona_path(&self, seat: &SeatId) -> Option<String> {
        let file = if self.plan.protocol.has_personas() { persona_file(&self.plan, seat) } else { None };
        file.map(|file| self.layout.path(&file))
    }

    /// The path of a challenger's persona, where its file is gone.
    pub fn lost_persona(&self, seat: &SeatId) -> Option<String> {
        if self.without_persona.contains(seat) { self.persona_path(seat) } else { None }
    }

    /// Every persona whose file is gone: whose, and where it was.
    pub fn lost_personas(&self) -> Vec<(SeatId, String)> {
        self.without_persona.iter().filter_map(|seat| Some((seat.clone(), self.persona_path(seat)?))).collect()
    }

    /// The paths of all personas.
    pub fn personas(&self) -> Vec<String> {
        self.plan.seats.iter().filter_map(|seat| self.persona_path(&seat.id)).collect()
    }

    /// Writes the personas under the names that they have in this plan.
    pub fn put_personas(&self, plan: &Plan) -> Result<(), DiskError> {
        for seat in plan.seats.iter().filter(|_| plan.protocol.has_personas()) {
            if let (Some(file), Some(role)) = (persona_file(plan, &seat.id), self.role(&seat.id)) {
                self.disk.replace(&self.layout.path(&file), persona(plan, &seat.id, &role).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes a persona's file anew from what is on record.
    pub fn put_persona(&self, seat: &SeatId) -> Result<(), DiskError> {
        match (self.persona_path(seat), self.role(seat)) {
            (Some(path), Some(role)) => self.disk.replace(&path, persona(&self.plan, seat, &role).as_bytes()),
            _ => Ok(()),
        }
    }

    /// The disk underneath.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// The text of a role, as this debate pinned it.
    pub fn role(&self, seat: &SeatId) -> Option<String> {
        self.plan.seat(seat).map(|seat| self.texts.role(&self.plan, seat))
    }
}
