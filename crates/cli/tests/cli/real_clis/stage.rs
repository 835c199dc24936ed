//! A repository in which forge is installed for one of the hosts beside Claude Code, with forge on the path, as a person
//! has it, and a model of our own behind the host's address.

use super::{KEYS, Turn, bin};
use crate::place::{Done, FORGE, Place};
use forge_testkit::model_server::{Answer, Asked, Errand, ModelServer};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// No session takes this many seconds.
const SECONDS: &str = "120";

pub(super) struct Stage {
    pub(super) place: Place,
    pub(super) server: ModelServer,
    _turn: Turn,
}

impl Stage {
    /// A stage for a host, or nothing where the CLIs are not installed.
    pub(super) fn new(host: &str, answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Option<Self> {
        let bin = bin()?;
        let turn = Turn::take();
        let server = ModelServer::start(answer).unwrap();
        let place = Place::new();
        let tools = place.around().join("bin");
        fs::create_dir(&tools).unwrap();
        symlink(FORGE, tools.join("forge")).unwrap();
        let beside = bin.parent().map(|above| above.join("opencode")).unwrap_or_default();
        let path = format!("{}:{}:{}:/usr/bin:/bin", tools.display(), bin.display(), beside.display());
        let mut place = place
            .with("PATH", &path)
            .with("OPENAI_BASE_URL", &server.base_url())
            .with("ANTHROPIC_BASE_URL", &server.root())
            .with("GOOGLE_GEMINI_BASE_URL", &server.root());
        for (name, key, _) in KEYS {
            place.set(name, key);
        }
        // A shell that begins anew, as Codex has it, finds forge as well.
        fs::write(place.around().join("home/.profile"), format!("PATH={}:$PATH\n", tools.display())).unwrap();
        let stage = Self { place, server, _turn: turn };
        stage.run("git", &["init", "-q"]).code(0);
        stage.prepare();
        stage.run("forge", &["install", host]).code(0);
        Some(stage)
    }

    /// What a person has set up: the way in, and that the folder is theirs.
    fn prepare(&self) {
        let folder = self.folder();
        let codex = format!(
            "model = \"loopback-1\"\nmodel_provider = \"loop\"\n[model_providers.loop]\nname = \"loop\"\nbase_url = \"{}\"\nenv_key = \"OPENAI_API_KEY\"\nwire_api = \"responses\"\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n",
            self.server.base_url(),
            folder.display()
        );
        let key = json!({ "security": { "auth": { "selectedType": "gemini-api-key" } } });
        let trusted = json!({ folder.display().to_string(): "TRUST_FOLDER" });
        for (file, text) in [
            (".codex/config.toml", codex),
            (".gemini/settings.json", key.to_string()),
            (".gemini/trustedFolders.json", trusted.to_string()),
        ] {
            let file = self.place.around().join("home").join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
    }

    /// The project's folder, as programs see it.
    pub(super) fn folder(&self) -> PathBuf {
        self.place.work().canonicalize().unwrap()
    }

    /// A program in the project.
    pub(super) fn command(&self, program: &str, args: &[&str]) -> Command {
        let variables = self.place.command(&[]);
        let mut command = Command::new("/usr/bin/timeout");
        command.args(["-k", "5", SECONDS, program]).args(args).current_dir(self.place.work()).env_clear();
        command.envs(variables.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a program to its end.
    pub(super) fn run(&self, program: &str, args: &[&str]) -> Done {
        let done = self.command(program, args).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let args = format!("(in the place of forge: {program} {})", args.join(" "));
        Done { args, code: done.status.code().unwrap_or(-1), out: text(&done.stdout), err: text(&done.stderr) }
    }

    /// The requests for answers.
    pub(super) fn asked(&self) -> Vec<Asked> {
        self.server.requests().into_iter().filter(|asked| asked.errand == Errand::Answer).collect()
    }
}
