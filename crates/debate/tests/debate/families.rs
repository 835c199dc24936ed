//! Whose weights spoke, by the names that programs, providers, routers and clouds give to models.

use crate::world::seat;
use forge_debate::family::{Served, of_hand, of_model, of_seat, of_served, shared};
use forge_debate::plan::{Duty, Hand, Seat, SeatId};

/// What a provider says has served, and whose weights these are.
const SERVED: &[(&str, &str)] = &[
    // As the makers' own services name them.
    ("claude-sonnet-4-5-20250929", "anthropic"),
    ("gpt-5", "openai"),
    ("gpt-4o-2024-08-06", "openai"),
    ("chatgpt-4o-latest", "openai"),
    ("codex-mini-latest", "openai"),
    ("o1", "openai"),
    ("o3-mini-2025-01-31", "openai"),
    ("o4-mini", "openai"),
    ("gemini-2.5-pro", "google"),
    ("grok-4-0709", "xai"),
    ("deepseek-chat", "deepseek"),
    ("deepseek-reasoner", "deepseek"),
    ("kimi-k2-0711-preview", "moonshot"),
    ("glm-4.5-air", "zhipu"),
    ("command-r-plus-08-2024", "cohere"),
    ("mistral-large-latest", "mistral"),
    ("magistral-medium-2506", "mistral"),
    ("devstral-small-2507", "mistral"),
    ("sonar-pro", "perplexity"),
    // Routers: maker/model.
    ("anthropic/claude-sonnet-4", "anthropic"),
    ("openrouter/anthropic/claude-opus-4.1", "anthropic"),
    ("openai/o3", "openai"),
    ("openai/gpt-oss-120b:free", "openai"),
    ("meta-llama/llama-3.3-70b-instruct", "meta"),
    ("x-ai/grok-4", "xai"),
    ("moonshotai/kimi-k2", "moonshot"),
    ("z-ai/glm-4.5", "zhipu"),
    ("cohere/command-r", "cohere"),
    ("microsoft/phi-4", "microsoft"),
    ("amazon/nova-pro-v1", "amazon"),
    ("qwen/qwen3-235b-a22b", "alibaba"),
    ("mistralai/mixtral-8x22b-instruct", "mistral"),
    ("google/gemma-3-27b-it", "google"),
    ("ibm-granite/granite-4.0", "ibm"),
    ("minimax/minimax-m1", "minimax"),
    ("tencent/hunyuan-a13b-instruct", "tencent"),
    ("ai21/jamba-large-1.7", "ai21"),
    // A maker's name where the model's own says nothing.
    ("x-ai/some-next-thing", "xai"),
    ("openai/some-next-thing", "openai"),
    // Clouds.
    ("us.anthropic.claude-sonnet-4-20250514-v1:0", "anthropic"),
    ("amazon.nova-lite-v1:0", "amazon"),
    ("meta.llama3-1-70b-instruct-v1:0", "meta"),
    ("arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-haiku-4-5-v1:0", "anthropic"),
    ("publishers/google/models/gemini-2.0-flash-001", "google"),
    ("publishers/anthropic/models/claude-opus-4@20250514", "anthropic"),
    ("accounts/fireworks/models/llama-v3p1-405b-instruct", "meta"),
    ("@cf/meta/llama-3.1-8b-instruct", "meta"),
    // Hosts are not makers.
    ("amazon-bedrock/anthropic.claude-3-haiku", "anthropic"),
    ("google-vertex/claude-sonnet-4", "anthropic"),
    ("azure/o3", "openai"),
    ("groq/llama-3.3-70b-versatile", "meta"),
    ("ollama/mistral", "mistral"),
    ("ollama_chat/qwen2.5-coder:32b", "alibaba"),
    // Local names and tags.
    ("qwen3-coder", "alibaba"),
    ("codeqwen1.5", "alibaba"),
    ("qwq:32b", "alibaba"),
    ("gpt-oss:20b", "openai"),
    ("gemma3:27b", "google"),
    ("codegemma", "google"),
    ("codellama:7b", "meta"),
    ("phi4", "microsoft"),
    ("yi:34b", "01-ai"),
    // On others' weights.
    ("deepseek-r1-distill-llama-70b", "meta"),
    ("deepseek-r1-distill-qwen-32b", "alibaba"),
    ("deepseek/deepseek-r1-0528-qwen3-8b", "alibaba"),
    ("nousresearch/hermes-3-llama-3.1-405b", "meta"),
    ("nvidia/llama-3.1-nemotron-70b-instruct", "meta"),
    ("dolphin-mixtral:8x7b", "mistral"),
    ("deepseek-r1:671b", "deepseek"),
    // Short marks are words: none of these is what it contains.
    ("dolphin", "dolphin"),
    ("supernova-medius", "supernova-medius"),
    ("palmyra-x5", "palmyra-x5"),
    ("yield", "yield"),
    ("marco-o1", "marco-o1"),
    ("foo3", "foo3"),
    // Nobody knows these: the name without host, tag, date, version and size.
    ("Acme/Fancy-7B-Instruct", "fancy"),
    ("fancy-70b-2025-06-01", "fancy"),
    ("fancy-v2-latest", "fancy"),
    ("fancy:20b", "fancy"),
    ("7b", "7b"),
];

#[test]
fn a_served_model_is_of_the_family_whose_weights_it_has() {
    let hand = Hand::parse("openai:whatever-was-asked-for");
    for (model, family) in SERVED {
        assert_eq!(of_model(&hand, model).as_deref(), Some(*family), "{model}");
    }
}

#[test]
fn the_model_says_more_than_the_program_and_the_program_more_than_nothing() {
    for (hand, family) in [
        ("claude", Some("anthropic")),
        ("claude:opus", Some("anthropic")),
        ("codex", Some("openai")),
        ("gemini", Some("google")),
        ("qwen", Some("alibaba")),
        ("qwen:gpt-5", Some("openai")),
        ("opencode:anthropic/claude-sonnet-4", Some("anthropic")),
        ("opencode", Some("opencode")),
        // The wire, and not the maker.
        ("openai:fancy-7b", Some("fancy")),
        ("openai:gpt-5", Some("openai")),
        ("ollama:fancy", Some("fancy")),
        ("llama-server:qwen3", Some("alibaba")),
        ("llama.cpp:fancy", Some("fancy")),
        ("rehearsal", None),
        ("scripted:claude.yaml", None),
        ("human", None),
        ("outside", None),
    ] {
        assert_eq!(of_hand(&Hand::parse(hand)).as_deref(), family, "{hand}");
    }
}

#[test]
fn whoever_is_no_model_has_no_family_whatever_it_says_has_served() {
    for hand in ["rehearsal", "scripted:x.yaml", "human", "outside"] {
        assert_eq!(of_model(&Hand::parse(hand), "gpt-5"), None, "{hand}");
    }
}

#[test]
fn a_family_is_shared_only_by_two_or_more_seats_that_are_all_known() {
    let served = |families: &[Option<&str>]| -> Vec<Served> {
        let one = |(i, family): (usize, &Option<&str>)| Served {
            seat: seat(&format!("s{i}")),
            model: None,
            family: family.map(str::to_owned),
        };
        families.iter().enumerate().map(one).collect()
    };
    for (families, expected) in [
        (&[Some("meta"), Some("meta"), Some("meta")][..], Some("meta")),
        (&[Some("meta"), Some("meta")], Some("meta")),
        (&[Some("meta"), Some("google")], None),
        (&[Some("meta"), None], None),
        (&[None, Some("meta")], None),
        (&[None, None], None),
        (&[Some("meta")], None),
        (&[], None),
    ] {
        let served = served(families);
        let seats: Vec<_> = served.iter().map(|one| one.seat.clone()).collect();
        assert_eq!(shared(&seats, &served), expected, "{families:?}");
    }
    let two = served(&[Some("meta"), Some("meta")]);
    assert_eq!(shared(&[seat("s0"), seat("stranger")], &two), None, "a seat without a receipt is not known");
}

#[test]
fn what_the_user_says_counts_where_the_names_say_nothing() {
    let seat = |hand: &str, family: Option<&str>| Seat {
        id: SeatId::from("risk"),
        role: "risk".to_owned(),
        duty: Duty::Debater,
        hand: Hand::parse(hand),
        family: family.map(str::to_owned),
        context_file: None,
    };
    assert_eq!(of_seat(&seat("mine:v2", Some("Meta"))).as_deref(), Some("meta"));
    assert_eq!(of_seat(&seat("claude", None)).as_deref(), Some("anthropic"));
    assert_eq!(of_seat(&seat("human", Some("meta"))), None);
    assert_eq!(of_served(&seat("mine", Some("meta")), "house-model").as_deref(), Some("meta"));
    assert_eq!(of_served(&seat("mine", Some("meta")), "qwen3-coder").as_deref(), Some("alibaba"));
    assert_eq!(of_served(&seat("mine", None), "house-model").as_deref(), Some("house-model"));
}
