//! Which sandbox the running kernel has.

/// The kernel's sandbox for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Landlock, in this version of its interface.
    Landlock {
        /// The version.
        abi: i32,
    },
    /// Landlock is built in and switched off at boot.
    LandlockOff,
    /// None that forge can use.
    None,
}

impl Kernel {
    /// What it means, in a sentence.
    pub fn said(self) -> String {
        match self {
            Kernel::Landlock { abi } => format!("Landlock (abi {abi}): agent CLIs write only to their own folders"),
            Kernel::LandlockOff => {
                "Landlock is built into this kernel but switched off (boot with lsm=landlock,...): agent CLIs are held by their own flags alone".to_owned()
            }
            Kernel::None => "this system has no Landlock: agent CLIs are held by their own flags alone".to_owned(),
        }
    }
}

/// Asks the kernel. A thread of its own restricts itself by a rule that forbids it nothing it would do, and ends.
#[cfg(target_os = "linux")]
pub fn kernel() -> Kernel {
    use landlock::{ABI, Access as _, AccessFs, LandlockStatus, Ruleset, RulesetAttr as _};
    let asked = std::thread::spawn(|| {
        let status = Ruleset::default()
            .handle_access(AccessFs::from_all(ABI::V1) & AccessFs::MakeSym)
            .and_then(Ruleset::create)
            .and_then(|created| created.restrict_self());
        match status.map(|status| status.landlock) {
            Ok(LandlockStatus::Available { effective_abi, kernel_abi }) => {
                Kernel::Landlock { abi: kernel_abi.unwrap_or(effective_abi as i32) }
            }
            Ok(LandlockStatus::NotEnabled) => Kernel::LandlockOff,
            Ok(LandlockStatus::NotImplemented) | Err(_) => Kernel::None,
        }
    });
    asked.join().unwrap_or(Kernel::None)
}

/// Other systems have none that forge can use.
#[cfg(not(target_os = "linux"))]
pub fn kernel() -> Kernel {
    Kernel::None
}
