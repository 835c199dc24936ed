//! The providers that forge knows by name. One line each; a user adds others by configuration.

/// The wire that a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions, and the many servers that speak them.
    OpenAi,
    /// OpenAI's responses.
    OpenAiResponses,
    /// Gemini's generateContent.
    Gemini,
}

impl Wire {
    /// What the configuration calls each of them.
    pub const NAMES: [(&'static str, Wire); 4] = [
        ("openai", Wire::OpenAi),
        ("openai-responses", Wire::OpenAiResponses),
        ("anthropic", Wire::Anthropic),
        ("gemini", Wire::Gemini),
    ];

    /// The wire of that name.
    pub fn named(name: &str) -> Option<Wire> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, wire)| wire)
    }
}

/// A provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    /// The agent's name before the colon.
    pub name: &'static str,
    /// Who is sent what is asked.
    pub vendor: &'static str,
    /// Whose weights all of its models are, where it serves its own only.
    pub family: Option<&'static str>,
    /// The wire.
    pub wire: Wire,
    /// Where it answers by default.
    pub base_url: &'static str,
    /// The variable that names another address.
    pub base_url_variable: Option<&'static str>,
    /// Variables that may hold the key, the best first. None for servers on this machine.
    pub keys: &'static [&'static str],
    /// Whether it runs on this machine, so that it is looked for at its usual port.
    pub is_local: bool,
}

/// Every provider that forge knows by itself, in the order in which they are preferred.
#[rustfmt::skip]
pub static ALL: &[Provider] = &[
    Provider { name: "anthropic", vendor: "Anthropic", family: Some("anthropic"), wire: Wire::Anthropic, base_url: "https://api.anthropic.com/v1", base_url_variable: Some("ANTHROPIC_BASE_URL"), keys: &["ANTHROPIC_API_KEY"], is_local: false },
    Provider { name: "openai", vendor: "OpenAI", family: Some("openai"), wire: Wire::OpenAi, base_url: "https://api.openai.com/v1", base_url_variable: Some("OPENAI_BASE_URL"), keys: &["OPENAI_API_KEY"], is_local: false },
    Provider { name: "google", vendor: "Google", family: Some("google"), wire: Wire::Gemini, base_url: "https://generativelanguage.googleapis.com/v1beta", base_url_variable: Some("GOOGLE_GEMINI_BASE_URL"), keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"], is_local: false },
    Provider { name: "openrouter", vendor: "OpenRouter", family: None, wire: Wire::OpenAi, base_url: "https://openrouter.ai/api/v1", base_url_variable: None, keys: &["OPENROUTER_API_KEY"], is_local: false },
    Provider { name: "ollama", vendor: "this machine (Ollama)", family: None, wire: Wire::OpenAi, base_url: "http://127.0.0.1:11434/v1", base_url_variable: Some("OLLAMA_HOST"), keys: &[], is_local: true },
    Provider { name: "llamacpp", vendor: "this machine (llama.cpp)", family: None, wire: Wire::OpenAi, base_url: "http://127.0.0.1:8080/v1", base_url_variable: Some("LLAMACPP_BASE_URL"), keys: &[], is_local: true },
    Provider { name: "lmstudio", vendor: "this machine (LM Studio)", family: None, wire: Wire::OpenAi, base_url: "http://127.0.0.1:1234/v1", base_url_variable: Some("LMSTUDIO_BASE_URL"), keys: &[], is_local: true },
];
