//! The domain of a question, so that a challenger can be an expert in it and not in general.

use crate::plan::{Plan, words};
use std::collections::BTreeSet;

/// A field of knowledge and what each kind of challenger looks at in it.
#[derive(Debug)]
pub struct Domain {
    /// Its name.
    pub name: &'static str,
    words: &'static [&'static str],
    architect: &'static [&'static str],
    operator: &'static [&'static str],
    adversary: &'static [&'static str],
}

impl Domain {
    /// What a challenger of this role looks at here, as a Markdown list.
    pub fn focus(&self, role: &str) -> String {
        let points = match role {
            "challenger-operator" => self.operator,
            "challenger-adversary" => self.adversary,
            _ => self.architect,
        };
        points.iter().map(|point| format!("- {point}")).collect::<Vec<_>>().join("\n")
    }
}

static GENERAL: Domain = Domain {
    name: "software engineering",
    words: &[],
    architect: &[
        "boundaries that will be hard to move later",
        "complexity that does not pay for itself",
        "what happens at ten times the load",
    ],
    operator: &[
        "who is called at night, and what they can see",
        "how a change is rolled out and rolled back",
        "what it takes to debug it a year from now",
    ],
    adversary: &["inputs that nobody expects", "who gains from abusing this", "what is trusted without being checked"],
};

static DOMAINS: &[Domain] = &[
    Domain {
        name: "data storage and caching",
        words: &[
            "redis",
            "memcached",
            "cache",
            "caching",
            "database",
            "postgres",
            "postgresql",
            "mysql",
            "sqlite",
            "mongodb",
            "storage",
            "store",
            "session",
            "sessions",
            "sql",
            "nosql",
            "index",
            "replication",
            "sharding",
            "dynamodb",
            "kv",
            "schema",
            "migration",
        ],
        architect: &[
            "the consistency model, and where it is violated",
            "growth of data, keys and hot partitions",
            "coupling of callers to the store's data model",
        ],
        operator: &[
            "backup, restore, and the last time a restore was tried",
            "eviction, failover and what callers see meanwhile",
            "upgrades and migrations of data that cannot stop",
        ],
        adversary: &[
            "data that outlives its permission: retention, deletion, leaks between tenants",
            "cache poisoning, key injection, unbounded keys",
            "what an attacker does with read access to a replica",
        ],
    },
    Domain {
        name: "identity and security",
        words: &[
            "auth",
            "authentication",
            "authorization",
            "oauth",
            "oauth2",
            "jwt",
            "token",
            "tokens",
            "login",
            "password",
            "passwords",
            "encryption",
            "security",
            "secrets",
            "permissions",
            "rbac",
            "sso",
            "saml",
            "passkey",
            "passkeys",
            "mfa",
        ],
        architect: &[
            "where trust boundaries lie and how many there are",
            "revocation, rotation and clock skew",
            "what every future service must do to take part",
        ],
        operator: &[
            "the lock-out that happens to everybody at once",
            "rotation of keys while traffic flows",
            "audit trails that answer a real question",
        ],
        adversary: &[
            "replay, fixation, confused deputy",
            "token theft and how long it is worth something",
            "downgrade paths and recovery flows",
        ],
    },
    Domain {
        name: "interfaces and integration",
        words: &[
            "api",
            "apis",
            "rest",
            "graphql",
            "grpc",
            "webhook",
            "webhooks",
            "queue",
            "kafka",
            "rabbitmq",
            "event",
            "events",
            "microservice",
            "microservices",
            "monolith",
            "integration",
            "protocol",
            "message",
            "messages",
            "service",
            "services",
        ],
        architect: &[
            "contracts, versioning, and who may break whom",
            "ordering, duplication and retries",
            "the number of hops on the path of one request",
        ],
        operator: &[
            "tracing a request across everything it touches",
            "back-pressure and what is dropped first",
            "deploying two sides that change together",
        ],
        adversary: &[
            "forged, replayed and reordered messages",
            "amplification: one request that causes a thousand",
            "fields that leak more than the caller may know",
        ],
    },
    Domain {
        name: "infrastructure and delivery",
        words: &[
            "kubernetes",
            "docker",
            "deploy",
            "deployment",
            "ci",
            "cd",
            "cloud",
            "aws",
            "gcp",
            "azure",
            "terraform",
            "infrastructure",
            "serverless",
            "lambda",
            "monitoring",
            "observability",
            "cluster",
            "hosting",
            "region",
            "regions",
            "vm",
            "vms",
        ],
        architect: &[
            "blast radius of one failing part",
            "lock-in, and the price of leaving",
            "state that hides in what is called stateless",
        ],
        operator: &[
            "the runbook for the worst hour",
            "cost at idle, at peak and by mistake",
            "drift between what is declared and what runs",
        ],
        adversary: &[
            "the build chain and who can inject into it",
            "credentials that machines hold",
            "noisy neighbours and exhaustion of quotas",
        ],
    },
    Domain {
        name: "user-facing software",
        words: &[
            "ui",
            "ux",
            "frontend",
            "react",
            "vue",
            "svelte",
            "angular",
            "mobile",
            "ios",
            "android",
            "offline",
            "web",
            "browser",
            "css",
            "accessibility",
            "app",
            "page",
            "onboarding",
            "spa",
            "htmx",
        ],
        architect: &[
            "state shared between client and server",
            "what the first load costs on a slow phone",
            "components that will be reused, and those that only claim to be",
        ],
        operator: &[
            "releases that cannot be called back",
            "errors that only users see",
            "supporting three versions at once",
        ],
        adversary: &[
            "input that becomes markup or code",
            "what a hostile client can claim",
            "dark corners: sharing, exports, deep links",
        ],
    },
    Domain {
        name: "machine learning and AI systems",
        words: &[
            "model",
            "models",
            "llm",
            "ml",
            "ai",
            "training",
            "inference",
            "embedding",
            "embeddings",
            "prompt",
            "prompts",
            "rag",
            "agent",
            "agents",
            "dataset",
            "gpu",
            "finetune",
        ],
        architect: &[
            "evaluation: how a regression would be noticed",
            "coupling to one vendor's model and its versions",
            "data that feeds back on itself",
        ],
        operator: &[
            "latency and cost per answer, at peak",
            "drift, and who watches for it",
            "what happens when the model is unavailable",
        ],
        adversary: &[
            "injected instructions in content",
            "leakage of training or context data",
            "outputs that are trusted without a check",
        ],
    },
    Domain {
        name: "languages and code structure",
        words: &[
            "rust",
            "go",
            "golang",
            "python",
            "typescript",
            "javascript",
            "java",
            "kotlin",
            "rewrite",
            "refactor",
            "library",
            "framework",
            "monorepo",
            "compiler",
            "types",
            "testing",
            "tests",
            "language",
        ],
        architect: &[
            "boundaries that the compiler or the build can hold",
            "the cost of the second team that joins",
            "dependencies that decide more than they should",
        ],
        operator: &[
            "build and test time, every day, for everyone",
            "finding and keeping people who know it",
            "debugging in production",
        ],
        adversary: &[
            "supply chain: who can publish into this build",
            "unsafe corners and what reaches them",
            "parsers that meet hostile input",
        ],
    },
    Domain {
        name: "product and business",
        words: &[
            "pricing",
            "market",
            "customer",
            "customers",
            "launch",
            "revenue",
            "mvp",
            "product",
            "roadmap",
            "hire",
            "hiring",
            "budget",
            "contract",
            "vendor",
            "buy",
            "build",
            "license",
            "team",
            "office",
            "remote",
        ],
        architect: &[
            "which doors this closes",
            "what it assumes about the next two years",
            "where it adds a dependency on somebody else's plan",
        ],
        operator: &[
            "who does the work, and what they stop doing",
            "the first ninety days in detail",
            "what it costs to run, not to start",
        ],
        adversary: &[
            "how a competitor or a hostile customer would exploit it",
            "legal and contractual exposure",
            "incentives that it creates by accident",
        ],
    },
];

/// Every domain.
pub(crate) fn all() -> impl Iterator<Item = &'static Domain> {
    DOMAINS.iter().chain([&GENERAL])
}

/// The domain whose words occur most often in the question and its options; ties go to the earlier one.
pub fn detect(plan: &Plan) -> &'static Domain {
    let mut text = plan.question.clone();
    for option in &plan.options {
        text.push(' ');
        text.push_str(&option.label);
    }
    let said: BTreeSet<String> = words(&text).collect();
    let score = |domain: &Domain| domain.words.iter().filter(|word| said.contains(**word)).count();
    DOMAINS.iter().rev().max_by_key(|domain| score(domain)).filter(|domain| score(domain) > 0).unwrap_or(&GENERAL)
}
