//! All debates of a workspace: finding one by name, listing them.

mod scan;

use crate::disk::{Disk, DiskError, Entry, EntryKind, places};
use crate::document::{self, Document, Front};
use crate::formats::plan;
use crate::layout::{is_plan_name, trail_beside};
use forge_debate::digest::Digest;
use forge_debate::plan::{check_id, nearest};
use forge_debate::protocols::{self, Protocols};
use scan::{CHALLENGE_PLAN, Folder, GATE_PLANS, Places, Scan, is_its_own};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Where `gate` and `panel` debates live.
pub const DEBATES: &str = "docs/forge/debate";
/// Where `challenge` debates live.
pub const CHALLENGES: &str = "debates";
/// The default feature directory of `judges` debates.
pub const FEATURE: &str = "docs/forge";
/// Other feature directories that judges have sat in, one per line. An index for finding, never for truth.
const FEATURES_FILE: &str = ".claude/forge/feature-dirs";

/// Which request made which debate: one small file per request, named by its digest. An index for finding, never for
/// truth: an entry counts only if the plan it names carries the same digest.
const REQUESTS: &str = ".claude/forge/requests";

/// The longest place of a debate: its files' names follow.
const PLACE_LIMIT_BYTES: usize = 512;

/// Tells an index that lacks an entry from an index that is not there.
const INDEX_MARK: &str = ".claude/forge/requests/README";

/// A debate in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// Its plan's file.
    pub plan_file: String,
    /// Its protocol.
    pub protocol: String,
    /// Its question.
    pub question: String,
    /// When it was made.
    pub created_at: String,
    /// How it stands: `pending`, `running`, an outcome, `damaged`, [`UNREADABLE`] or [`NOT_FORGES`].
    pub standing: String,
    /// Whether seats were missing.
    pub degraded: bool,
    /// Whether it was a rehearsal.
    pub rehearsal: bool,
    /// Whether something of it is not on record yet.
    pub is_open: bool,
}

/// The digest of the request that made a plan, found without parsing the plan.
fn request_of(plan: &[u8]) -> Option<Digest> {
    Digest::parse(said_of(plan, "request")?)
}

/// What a plan that forge wrote says of a plain word, found without parsing the plan.
fn said_of<'p>(plan: &'p [u8], key: &str) -> Option<&'p str> {
    let text = std::str::from_utf8(plan).ok()?;
    let rest = text.split_once(&format!("\n{key}: \""))?.1;
    Some(rest.split_once('"')?.0)
}

/// When a plan says that it was made; nothing where it cannot be read.
pub fn created_at(disk: &dyn Disk, plan_file: &str) -> Result<Option<String>, DiskError> {
    let plan = read_if_sound(disk, plan_file)?;
    Ok(plan.map(|plan| said_of(&plan, "created_at").unwrap_or_default().to_owned()))
}

fn request_file(request: Digest) -> String {
    format!("{REQUESTS}/{}", request.short(24))
}

/// Builds the index of requests where there is none.
pub fn index_requests(disk: &dyn Disk) -> Result<(), DiskError> {
    if disk.read(INDEX_MARK)?.is_some() {
        return Ok(());
    }
    for (_, path) in plans(disk)? {
        if let Some(made) = read_if_sound(disk, &path)?.as_deref().and_then(request_of) {
            disk.replace_soon(&request_file(made), path.as_bytes())?;
        }
    }
    disk.replace_soon(INDEX_MARK, b"Which request made which debate. May be deleted: it is then built anew.\n")
}

/// Remembers where the debate of a request is about to be made. Written before the plan: an entry whose plan never came
/// is simply wrong.
pub fn remember_request(disk: &dyn Disk, request: Digest, plan_file: &str) -> Result<(), DiskError> {
    index_requests(disk)?;
    disk.replace_soon(&request_file(request), plan_file.as_bytes())
}

/// The plan that carries this request's digest, if there is one.
pub fn find_request(disk: &dyn Disk, request: Digest) -> Result<Option<String>, DiskError> {
    let carries = |path: &str| -> Result<bool, DiskError> {
        Ok(read_if_sound(disk, path)?.as_deref().and_then(request_of) == Some(request))
    };
    if let Some(entry) = disk.read(&request_file(request))? {
        let path = document::decode(&entry).text;
        return Ok(if carries(path.trim())? { Some(path.trim().to_owned()) } else { None });
    }
    // No entry. Only where the whole index is missing (deleted, or not under version control) is it worth looking further.
    if disk.read(INDEX_MARK)?.is_some() {
        return Ok(None);
    }
    for (_, path) in plans(disk)? {
        if carries(&path)? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Remembers a feature directory that is not the default one.
pub fn remember_feature(disk: &dyn Disk, feature_dir: &str) -> Result<(), DiskError> {
    let mut known = features(disk)?;
    if known.iter().any(|dir| dir == feature_dir) {
        return Ok(());
    }
    known.push(feature_dir.to_owned());
    let others: String = known.iter().filter(|dir| *dir != FEATURE).map(|dir| format!("{dir}\n")).collect();
    disk.replace_soon(FEATURES_FILE, others.as_bytes())
}

fn features(disk: &dyn Disk) -> Result<Vec<String>, DiskError> {
    let mut dirs = vec![FEATURE.to_owned()];
    if let Some(bytes) = disk.read(FEATURES_FILE)? {
        let text = document::decode(&bytes).text;
        dirs.extend(text.lines().map(str::trim).filter(|dir| *dir != FEATURE && is_place(dir)).map(str::to_owned));
    }
    Ok(dirs)
}

/// Whether a folder's name can be a place for debates: relative, inside the workspace, nothing hidden on the way.
pub fn is_place(dir: &str) -> bool {
    !dir.is_empty()
        && !dir.contains('\\')
        && dir.split('/').all(|part| !part.is_empty() && !part.starts_with('.'))
        && dir.len() <= PLACE_LIMIT_BYTES
        && places::not_written(dir).is_none()
}

/// Whether something stands at a path, a file or not.
pub fn is_taken(disk: &dyn Disk, path: &str) -> Result<bool, DiskError> {
    match disk.read(path) {
        Err(error) if error.is_about_one_file() => Ok(true),
        read => Ok(read?.is_some()),
    }
}

/// A file's bytes, or nothing where something stands in its place that cannot be read as a file: one odd entry must not
/// hide all the others.
fn read_if_sound(disk: &dyn Disk, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
    match disk.read(path) {
        Err(error) if is_its_own(&error) => Ok(None),
        read => read,
    }
}

/// The debates of a workspace: id and the plan's path, sorted by path.
pub fn plans(disk: &dyn Disk) -> Result<Vec<(String, String)>, DiskError> {
    Ok(Scan::of(disk)?.plans())
}

/// Debates whose plan is gone although it was sealed, each with where the plan belongs.
pub fn without_plans(disk: &dyn Disk) -> Result<Vec<(String, String)>, DiskError> {
    Scan::of(disk)?.without_plans(disk, |_| true)
}

/// A folder in a place of debates that another tool or a person made, and why it is none of forge's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The folder's name.
    pub name: String,
    /// The folder.
    pub dir: String,
    /// Why it is not forge's.
    pub why: NotForges,
}

/// Why a folder is not forge's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotForges {
    /// Nothing in it could be a plan.
    NoContext,
    /// Its `context.md` is no plan of forge's.
    NoPlan,
    /// What stands in a plan's place says nothing that a plan says first.
    NoHeader,
}

impl std::fmt::Display for NotForges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NotForges::NoContext => "it has no context.md",
            NotForges::NoPlan => "its context.md is no plan of forge's: it names no protocol in its front matter",
            NotForges::NoHeader => {
                "its plan has no front matter with `debate_id: ID` and `phase: PHASE` between two `---` lines"
            }
        })
    }
}

/// The workspaces of others in the places of debates. They are named, and never read further or changed.
pub fn foreign(disk: &dyn Disk) -> Result<Vec<Foreign>, DiskError> {
    foreign_in(disk, &Scan::of(disk)?)
}

fn foreign_in(disk: &dyn Disk, scan: &Scan) -> Result<Vec<Foreign>, DiskError> {
    let mut found = Vec::new();
    for folder in &scan.gates {
        found.extend(foreign_gate(disk, folder)?);
    }
    for folder in scan.challenges.iter().filter(|folder| folder.problem.is_none()) {
        // A folder without a number and without a context.md is nobody's workspace.
        let is_numbered = number_of(&folder.name).is_some();
        let why = not_forges_of(disk, &folder.dir, &folder.entries)?;
        let why = why.filter(|why| is_numbered || *why != NotForges::NoContext);
        found.extend(why.map(|why| Foreign { name: folder.name.clone(), dir: folder.dir.clone(), why }));
    }
    Ok(found)
}

/// What a folder among gates and panels is, where it is not forge's. One that forge made has a trail.
fn foreign_gate(disk: &dyn Disk, folder: &Folder) -> Result<Option<Foreign>, DiskError> {
    let Some(plan) = folder.gate_plan().filter(|_| !folder.has("trail")) else { return Ok(None) };
    let bytes = read_if_sound(disk, &folder.path(plan))?;
    let is_foreign = bytes.is_some_and(|bytes| !has_header(&document::decode(&bytes).text));
    let (name, dir) = (folder.name.clone(), folder.dir.clone());
    Ok(is_foreign.then_some(Foreign { name, dir, why: NotForges::NoHeader }))
}

/// What the folder of this name is, where it is not forge's.
pub fn foreign_at(disk: &dyn Disk, name: &str) -> Result<Option<Foreign>, DiskError> {
    let dir = format!("{CHALLENGES}/{name}");
    Ok(not_forges(disk, &dir)?.map(|why| Foreign { name: name.to_owned(), dir, why }))
}

/// Why the challenge in this folder is not forge's, where it is not.
pub fn not_forges(disk: &dyn Disk, dir: &str) -> Result<Option<NotForges>, DiskError> {
    not_forges_of(disk, dir, &disk.list(dir)?)
}

fn not_forges_of(disk: &dyn Disk, dir: &str, entries: &[Entry]) -> Result<Option<NotForges>, DiskError> {
    // What begins with a dot is no part of a workspace; a write that died leaves such files.
    let entries: Vec<&Entry> = entries.iter().filter(|entry| !entry.name.starts_with('.')).collect();
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    // A trail without a context.md is forge's: a creation that died, or a plan that is gone.
    if entries.is_empty() || (has("trail") && (!has("context.md") || is_sealed(disk, dir)?)) {
        return Ok(None);
    }
    match entries.iter().find(|entry| entry.name == "context.md") {
        None => Ok(Some(NotForges::NoContext)),
        Some(entry) if entry.kind == EntryKind::Folder => Ok(Some(NotForges::NoContext)),
        // What stands there and cannot be read may be forge's.
        Some(_) => Ok(match read_if_sound(disk, &inside(dir, "context.md"))? {
            Some(bytes) if !names_protocol(&document::decode(&bytes).text) => Some(NotForges::NoPlan),
            _ => None,
        }),
    }
}

fn inside(dir: &str, name: &str) -> String {
    if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") }
}

/// The debates of a workspace that are forge's, as [`plans`] has them, and what others made.
#[expect(clippy::type_complexity)]
pub fn own_and_foreign(disk: &dyn Disk) -> Result<(Vec<(String, String)>, Vec<Foreign>), DiskError> {
    own_and_foreign_in(disk, &Scan::of(disk)?)
}

#[expect(clippy::type_complexity)]
fn own_and_foreign_in(disk: &dyn Disk, scan: &Scan) -> Result<(Vec<(String, String)>, Vec<Foreign>), DiskError> {
    let others = foreign_in(disk, scan)?;
    let dirs: BTreeSet<&str> = others.iter().map(|one| one.dir.as_str()).collect();
    let is_forges = |path: &str| !path.rsplit_once('/').is_some_and(|(dir, _)| dirs.contains(dir));
    let own = scan.plans().into_iter().filter(|(_, path)| is_forges(path)).collect();
    Ok((own, others))
}

fn is_sealed(disk: &dyn Disk, dir: &str) -> Result<bool, DiskError> {
    Ok(disk.list(&inside(dir, "trail"))?.iter().any(|entry| entry.name == "plan.md"))
}

/// The challenge that this request was about to make when forge died: only its plan is missing.
pub fn abandoned(disk: &dyn Disk, request: Digest) -> Result<Option<String>, DiskError> {
    let Some(entry) = disk.read(&request_file(request))? else { return Ok(None) };
    let path = document::decode(&entry).text;
    let place = path.trim().strip_prefix(CHALLENGES).and_then(|rest| rest.strip_prefix('/'));
    let Some(id) = place.and_then(|rest| rest.strip_suffix("/context.md")) else { return Ok(None) };
    let dir = format!("{CHALLENGES}/{id}");
    let is_free = check_id(id).is_ok()
        && disk.read(path.trim())?.is_none()
        && foreign_at(disk, id)?.is_none()
        && !is_sealed(disk, &dir)?;
    Ok(is_free.then(|| id.to_owned()))
}

/// The plans of debates that have no verdict on file, those of each place by their names: looked for by name alone, so that it costs little however
/// many are over. `is_there` tells whether a file is.
pub fn unfinished(disk: &dyn Disk, is_there: impl Fn(&str) -> bool) -> Result<Vec<String>, DiskError> {
    let mut open = Vec::new();
    let mut look = |plans: &[String]| {
        let trail = |plan: &String| format!("{}/verdict.json", trail_beside(plan));
        if plans.first().is_some_and(|plan| !is_there(&trail(plan))) {
            open.extend(plans.iter().find(|plan| is_there(plan)).cloned());
        }
    };
    for (place, plans) in [(DEBATES, &GATE_PLANS[..]), (CHALLENGES, &[CHALLENGE_PLAN])] {
        let folders = disk.list(place)?.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
        for folder in folders.filter(|entry| !entry.name.starts_with('.')) {
            let inside = |plan: &&str| format!("{place}/{}/{plan}", folder.name);
            look(&plans.iter().map(inside).collect::<Vec<_>>());
        }
    }
    for feature in features(disk)? {
        let dir = format!("{feature}/sadd");
        let names = disk.list(&dir).or_else(|error| if is_its_own(&error) { Ok(Vec::new()) } else { Err(error) })?;
        let plans = names.iter().filter(|entry| entry.name.starts_with("debate-") && entry.name.ends_with("-plan.md"));
        plans.for_each(|entry| look(&[format!("{dir}/{}", entry.name)]));
    }
    Ok(open)
}

/// Whether a text is a plan of forge's, whole or damaged: its front matter names one of forge's protocols.
fn names_protocol(text: &str) -> bool {
    match Document::parse(text).front {
        Front::None => false,
        Front::Fields(fields) => fields.get("protocol").and_then(|value| value.as_str()).is_some_and(|name| {
            let bare = name.split('@').next().unwrap_or(name);
            protocols::names().contains(&bare)
        }),
        Front::Broken { .. } => tells(text),
    }
}

/// Whether a text begins as a plan does, in forge's form or in the seed's bare one.
fn has_header(text: &str) -> bool {
    match Document::parse(text).front {
        Front::None => false,
        Front::Fields(fields) => ["debate_id", "protocol", "phase"].iter().any(|key| fields.contains_key(*key)),
        Front::Broken { .. } => tells(text),
    }
}

/// Cut off or edited by mistake: what is left of a header tells whose it is.
fn tells(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("debate_id:") || line.starts_with("protocol:"))
}

/// The number with which a challenge's folder begins.
fn number_of(name: &str) -> Option<u32> {
    const DIGITS_LIMIT: usize = 9;
    let digits = name.bytes().take_while(u8::is_ascii_digit).count();
    let ends = !name[digits..].starts_with(char::is_alphanumeric);
    if ends && (1..=DIGITS_LIMIT).contains(&digits) { name[..digits].parse().ok() } else { None }
}

/// The number of the next challenge: one more than the highest that is there, whoever made it.
pub fn next_number(disk: &dyn Disk) -> Result<u32, DiskError> {
    let highest = disk.list(CHALLENGES)?.iter().filter_map(|entry| number_of(&entry.name)).max();
    Ok(highest.unwrap_or(0) + 1)
}

/// Why a name finds no debate.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// No debate has that name.
    #[error("there is no debate {name:?} here{}", hint.as_ref().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default())]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest name.
        hint: Option<String>,
    },
    /// A debate has that name, and its plan is gone.
    #[error(
        "debate {name:?} is here, and its plan {plan_file} is gone; its sealed copy is {}/plan.md",
        trail_beside(plan_file)
    )]
    PlanGone {
        /// What was asked for.
        name: String,
        /// Where the plan belongs.
        plan_file: String,
    },
    /// A workspace of another tool or a person has that name.
    #[error("{dir} is not forge's: {why}. forge leaves it as it is, and checks and shows only debates that it made")]
    NotForges {
        /// The folder.
        dir: String,
        /// Why it is not.
        why: NotForges,
    },
    /// Several debates have that name or begin with it.
    #[error("{name:?} could be {}; say which", candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The plans of those it could be.
        candidates: Vec<String>,
    },
}

/// The plan's path of the debate that a name means: its id, a path to its plan or directory, or the beginning of its id.
pub fn find(disk: &dyn Disk, name: &str) -> Result<String, FindError> {
    let wanted = name.trim().trim_end_matches('/');
    let bare = wanted.strip_prefix("./").unwrap_or(wanted);
    // Where it would be, first: a known name costs no listing of hundreds of others.
    let mut there = Vec::new();
    for path in usual_places(disk, bare)? {
        if disk.read(&path)?.is_some() {
            there.push(path);
        }
    }
    match (there.pop(), there.is_empty()) {
        (Some(path), true) => return forges(disk, path),
        (Some(path), false) => {
            there.push(path);
            return Err(FindError::Ambiguous { name: name.to_owned(), candidates: there });
        }
        (None, _) => {}
    }
    // Each place is listed once, and of its folders only those are looked into that may be meant.
    let places = Places::of(disk)?;
    let scan =
        places.looked_into(disk, |id, dir| id == bare || dir == bare || (!bare.is_empty() && id.starts_with(bare)))?;
    let all = scan.plans();
    let folder = |path: &str| path.rsplit_once('/').map(|(dir, _)| dir.to_owned()).unwrap_or_default();
    let exact: Vec<&(String, String)> =
        all.iter().filter(|(id, path)| id == bare || path == bare || folder(path) == bare).collect();
    let matching = if exact.is_empty() {
        all.iter().filter(|(id, _)| !bare.is_empty() && id.starts_with(bare)).collect()
    } else {
        exact
    };
    match matching.as_slice() {
        [(_, path)] => forges(disk, path.clone()),
        [] => match scan.without_plans(disk, |id| id == bare)?.pop() {
            Some((_, plan_file)) => Err(FindError::PlanGone { name: name.to_owned(), plan_file }),
            None if let Some(Foreign { dir, why, .. }) = named(foreign_in(disk, &scan)?, bare) => {
                Err(FindError::NotForges { dir, why })
            }
            None => Err(FindError::Unknown { name: name.to_owned(), hint: near(disk, &places, bare)? }),
        },
        several => Err(FindError::Ambiguous {
            name: name.to_owned(),
            candidates: several.iter().take(8).map(|(_, path)| path.clone()).collect(),
        }),
    }
}

/// The debate whose name is nearest to this one.
fn near(disk: &dyn Disk, places: &Places, name: &str) -> Result<Option<String>, DiskError> {
    // A folder of that very name is there where making its debate was cut off.
    let Some(near) = nearest(name, places.ids().filter(|id| *id != name)) else { return Ok(None) };
    let is_debate = !places.looked_into(disk, |id, _| id == near)?.plans().is_empty();
    Ok(is_debate.then(|| near.to_owned()))
}

/// Where the plan would be that a whole name means: an id, or the path of a plan or of its folder.
fn usual_places(disk: &dyn Disk, name: &str) -> Result<Vec<String>, DiskError> {
    let gate = |id: &str| GATE_PLANS.map(|plan| format!("{DEBATES}/{id}/{plan}"));
    let challenge = |id: &str| format!("{CHALLENGES}/{id}/{CHALLENGE_PLAN}");
    if check_id(name).is_ok() {
        let judges = format!("{FEATURE}/sadd/debate-{name}-plan.md");
        return Ok(gate(name).into_iter().chain([challenge(name), judges]).collect());
    }
    let (dir, file) = match name.rsplit_once('/') {
        Some((dir, file)) if is_plan_name(file) => (dir, Some(file)),
        _ => (name, None),
    };
    let (place, id) = dir.rsplit_once('/').unwrap_or(("", dir));
    let folder = match place {
        DEBATES if check_id(id).is_ok() => gate(id).to_vec(),
        CHALLENGES if check_id(id).is_ok() => vec![challenge(id)],
        _ if id == "sadd" && file.is_some() && features(disk)?.iter().any(|one| one == place) => vec![name.to_owned()],
        _ => Vec::new(),
    };
    Ok(folder.into_iter().filter(|path| file.is_none() || path == name).collect())
}

/// The plan's path, unless it is no plan of forge's.
fn forges(disk: &dyn Disk, path: String) -> Result<String, FindError> {
    let (dir, _) = path.rsplit_once('/').unwrap_or_default();
    let (place, name) = dir.rsplit_once('/').unwrap_or_default();
    let other = match place {
        CHALLENGES => foreign_at(disk, name)?,
        DEBATES => {
            let (name, dir, entries) = (name.to_owned(), dir.to_owned(), disk.list(dir)?);
            foreign_gate(disk, &Folder { name, dir, entries, problem: None })?
        }
        _ => None,
    };
    match other {
        Some(Foreign { dir, why, .. }) => Err(FindError::NotForges { dir, why }),
        None => Ok(path),
    }
}

/// The workspace of others that a name means: its folder's name, its path, or the beginning of its name.
fn named(all: Vec<Foreign>, name: &str) -> Option<Foreign> {
    let exact = all.iter().position(|one| one.name == name || one.dir == name);
    let begins = || all.iter().position(|one| !name.is_empty() && one.name.starts_with(name));
    let at = exact.or_else(begins)?;
    all.into_iter().nth(at)
}

#[derive(Deserialize)]
struct VerdictHead {
    debate: String,
    protocol: String,
    question: String,
    outcome: String,
    degraded: bool,
    rehearsal: bool,
    created_at: String,
}

/// One line per debate, from what the last run wrote for readers. `show` and `status` read the record itself. What cannot be
/// read is named, and keeps nothing else from being listed.
pub fn summaries(disk: &dyn Disk, known: Protocols) -> Result<Vec<Summary>, DiskError> {
    let scan = Scan::of(disk)?;
    let (own, others) = own_and_foreign_in(disk, &scan)?;
    let line = |id: &str, plan_file: &str, question: String, standing: &str| Summary {
        id: id.to_owned(),
        plan_file: plan_file.to_owned(),
        protocol: "-".to_owned(),
        question,
        created_at: String::new(),
        standing: standing.to_owned(),
        degraded: false,
        rehearsal: false,
        is_open: false,
    };
    let mut all = Vec::new();
    for (id, plan_file) in own {
        match summary(disk, known, id.clone(), plan_file.clone()) {
            Err(error) if is_its_own(&error) => all.push(line(&id, &plan_file, error.to_string(), UNREADABLE)),
            summary => all.push(summary?),
        }
    }
    let unreadable = scan.unreadable();
    all.extend(unreadable.map(|(one, problem)| line(&one.name, &one.dir, problem.to_string(), UNREADABLE)));
    all.extend(others.iter().map(|one| line(&one.name, &one.dir, one.why.to_string(), NOT_FORGES)));
    Ok(all)
}

/// How a debate stands in a list of which something cannot be read.
pub const UNREADABLE: &str = "unreadable";
/// How a workspace of others stands in a list.
pub const NOT_FORGES: &str = "not forge's";

fn summary(disk: &dyn Disk, known: Protocols, id: String, plan_file: String) -> Result<Summary, DiskError> {
    let trail = trail_beside(&plan_file);
    let verdict = match disk.read(&format!("{trail}/verdict.json")) {
        Err(error) if error.is_about_one_file() => None,
        read => read?,
    };
    if let Some(bytes) = verdict
        && let Ok(head) = serde_json::from_slice::<VerdictHead>(&bytes)
        && head.debate == id
    {
        return Ok(Summary {
            id,
            plan_file,
            protocol: head.protocol,
            question: head.question,
            created_at: head.created_at,
            standing: head.outcome,
            degraded: head.degraded,
            rehearsal: head.rehearsal,
            is_open: false,
        });
    }
    let read = match disk.read(&plan_file) {
        Ok(bytes) => plan::read(&bytes.map(|bytes| document::decode(&bytes).text).unwrap_or_default(), known),
        Err(error @ DiskError::Denied { .. }) => return Err(error),
        Err(error) => Err(plan::PlanDefect { line: 1, text: error.to_string() }),
    };
    Ok(match read {
        Ok(file) => {
            let begun = read_if_sound(disk, &format!("{trail}/plan.md"))?.is_some();
            Summary {
                id,
                plan_file,
                protocol: file.plan.protocol.to_string(),
                rehearsal: file.plan.is_rehearsal(),
                question: file.plan.question,
                created_at: file.plan.created_at,
                standing: if begun { "running" } else { "pending" }.to_owned(),
                degraded: false,
                is_open: true,
            }
        }
        Err(defect) => Summary {
            id,
            plan_file,
            protocol: "?".to_owned(),
            question: format!("line {}: {}", defect.line, defect.text),
            created_at: String::new(),
            standing: "damaged".to_owned(),
            degraded: false,
            rehearsal: false,
            is_open: false,
        },
    })
}
