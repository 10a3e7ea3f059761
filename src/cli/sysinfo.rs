//! Description of the program and the machine for bug reports.

use std::fmt::Write as _;

use crate::engine::DEFAULT_HASH_MEGABYTES;

/// Returns lines of a name and a value.
pub fn description() -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line("version", concat!("Chuhe ", env!("CARGO_PKG_VERSION")));
    line("target", &target());
    line("build", if cfg!(debug_assertions) { "with debug assertions" } else { "without debug assertions" });
    line("system", &system());
    line("processor", &processor_features());
    line("cores", &std::thread::available_parallelism().map_or_else(|error| error.to_string(), |n| n.to_string()));
    line("table", &format!("{DEFAULT_HASH_MEGABYTES} MB by default"));
    text
}

/// Returns the target of the build.
fn target() -> String {
    let environment = if cfg!(target_env = "musl") {
        "musl"
    } else if cfg!(target_env = "gnu") {
        "gnu"
    } else if cfg!(target_env = "msvc") {
        "msvc"
    } else {
        "other"
    };
    let linking = if cfg!(target_feature = "crt-static") { ", static" } else { "" };
    format!("{} {} {environment}{linking}", std::env::consts::ARCH, std::env::consts::OS)
}

/// Returns the operating system; on Linux with kernel and distribution.
fn system() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).map(|name| name.trim_matches('"'));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let parts = [std::env::consts::OS, kernel.trim(), name.unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Returns the features of the processor that speed up an engine.
fn processor_features() -> String {
    #[cfg(target_arch = "x86_64")]
    let found = {
        use std::arch::is_x86_feature_detected as has;
        [
            ("sse4.1", has!("sse4.1")),
            ("popcnt", has!("popcnt")),
            ("bmi2", has!("bmi2")),
            ("avx2", has!("avx2")),
            ("avx512bw", has!("avx512bw")),
            ("avx512vnni", has!("avx512vnni")),
        ]
    };
    #[cfg(target_arch = "aarch64")]
    let found = {
        use std::arch::is_aarch64_feature_detected as has;
        [("neon", has!("neon")), ("dotprod", has!("dotprod")), ("i8mm", has!("i8mm"))]
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let found: [(&str, bool); 0] = [];
    let names: Vec<&str> = found.into_iter().filter(|(_, is_present)| *is_present).map(|(name, _)| name).collect();
    if names.is_empty() { "no special features".to_owned() } else { names.join(" ") }
}
