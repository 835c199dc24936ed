//! The scripted agent of the Agent Client Protocol, as a program.

fn main() -> std::io::Result<()> {
    forge_testkit::acp_agent::run()
}
