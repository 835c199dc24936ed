//! Where each file of a debate is. A mapping one way: nothing is ever parsed back from a name.
//!
//! What people read lies in the debate's home, under the seeds' own names. What lets anyone check it lies in the
//! `trail` beside it: every brief, every raw reply, the sealed plan, the role texts, the supplied material.

use forge_debate::plan::{Plan, SeatId};
use forge_debate::profile::Home;
use forge_debate::protocols;
use forge_debate::turn::TurnKey;

/// The paths of one debate, relative to the workspace.
#[derive(Debug, Clone)]
pub struct Layout {
    home: Home,
}

impl Layout {
    /// The paths of this plan's debate.
    pub fn of(plan: &Plan) -> Self {
        Self { home: plan.protocol.home(plan) }
    }

    /// The debate's directory; for `judges` it is shared with other debates.
    pub fn dir(&self) -> &str {
        &self.home.dir
    }

    /// Whether the debate has a folder to itself.
    pub fn has_own_folder(&self) -> bool {
        self.home.prefix.is_empty()
    }

    /// A file of the debate by its name in the home.
    pub fn path(&self, file: &str) -> String {
        self.home.path(file)
    }

    /// Whether a path is a place of this debate's own: what a file says is not taken for one unseen.
    pub fn owns(&self, path: &str) -> bool {
        let rest = path.strip_prefix(&self.path(""));
        rest.is_some_and(|rest| rest.split('/').all(|part| !matches!(part, "" | "." | "..")) && !rest.contains('\0'))
    }

    /// The plan.
    pub fn plan(&self) -> String {
        self.path(self.home.plan)
    }

    /// The file of a turn.
    pub fn turn(&self, plan: &Plan, key: &TurnKey) -> String {
        self.path(&protocols::turn_file(plan.protocol, key))
    }

    /// The folder of the trail.
    pub fn trail_folder(&self) -> String {
        self.path("trail")
    }

    /// A file of the trail.
    pub fn trail(&self, file: &str) -> String {
        self.path(&format!("trail/{file}"))
    }

    /// The plan as it was when the first seat was asked.
    pub fn sealed_plan(&self) -> String {
        self.trail("plan.md")
    }

    /// The brief of an attempt, written before the call: the intent.
    pub fn brief(&self, key: &TurnKey, attempt: u32) -> String {
        self.trail(&format!("briefs/{}.{attempt}.md", key.slug()))
    }

    /// The raw reply of an attempt under its receipt.
    pub fn reply(&self, key: &TurnKey, attempt: u32) -> String {
        self.trail(&format!("replies/{}.{attempt}.md", key.slug()))
    }

    /// The turn made from a file that somebody else left at the turn's own place.
    pub fn taken_in(&self, key: &TurnKey) -> String {
        self.trail(&format!("turns/{}.md", key.slug()))
    }

    /// Where a file goes that stood in a turn's place and is no turn.
    pub fn set_aside(&self, key: &TurnKey, number: u32) -> String {
        self.trail(&format!("aside/{}.{number}.md", key.slug()))
    }

    /// Where a turn goes that was put aside so that its seat is asked again.
    pub fn withdrawn(&self, key: &TurnKey, number: u32) -> String {
        self.trail(&format!("withdrawn/{}.{number}.md", key.slug()))
    }

    /// The role text that a seat plays in this debate.
    pub fn role(&self, seat: &SeatId) -> String {
        self.trail(&format!("roles/{seat}.md"))
    }

    /// A prompt text that the project overrides, as it was when the debate began.
    pub fn prompt(&self, name: &str) -> String {
        self.trail(&format!("{name}.md"))
    }

    /// The directory of overridden prompts.
    pub fn prompts(&self) -> String {
        self.trail("prompts")
    }

    /// A supplied text, numbered from 1.
    pub fn material(&self, number: usize, name: &str) -> String {
        let safe: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' })
            .take(60)
            .collect();
        self.trail(&format!("materials/{number:02}-{safe}"))
    }

    /// The verdict for machines.
    pub fn verdict(&self) -> String {
        self.trail("verdict.json")
    }

    /// Who is at work on this debate.
    pub fn lock(&self) -> String {
        self.trail("lock")
    }
}

/// The trail's folder from a plan's path alone, for a plan that cannot be read.
pub fn trail_beside(plan_file: &str) -> String {
    let (dir, name) =
        plan_file.rsplit_once('/').map_or(("", plan_file), |(dir, name)| (&plan_file[..=dir.len()], name));
    // `debate-<id>-plan.md` of judges leaves its home's prefix; the others have a folder to themselves.
    let prefix = match name {
        "debate-plan.md" | "plan.md" | "context.md" => "",
        shared => shared.strip_suffix("plan.md").unwrap_or(shared),
    };
    format!("{dir}{prefix}trail")
}

/// Whether a file's name is that of a plan.
pub fn is_plan_name(name: &str) -> bool {
    matches!(name, "debate-plan.md" | "plan.md" | "context.md")
        || (name.starts_with("debate-") && name.ends_with("-plan.md"))
}
