//! Memory that the process may still use.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the memory in bytes that this process can get, where the system reports it: what is available on the machine
/// and within the limits of the control groups of the process.
pub fn available_memory() -> Option<u64> {
    let of_machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_on_machine(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let of_groups = available_in_groups(&groups, Path::new("/sys/fs/cgroup"));
    [of_machine, of_groups].into_iter().flatten().min()
}

fn available_on_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes.saturating_mul(1024))
}

/// Returns what the limits of these control groups (the text of `/proc/self/cgroup`) and of those around them leave;
/// `None` without a limit. `root` is the folder where the file systems of control groups are mounted.
fn available_in_groups(groups: &str, root: &Path) -> Option<u64> {
    let left = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        // The second version has no names of controllers; in the first one, each has a folder.
        let (root, names) = match controllers {
            "" => (root.to_path_buf(), ["memory.max", "memory.current", ""]),
            _ if controllers.split(',').any(|name| name == "memory") => {
                (root.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_"])
            }
            _ => return Vec::new(),
        };
        // In a container, the path may be that outside of it; then its root is that of the container.
        let folders = Path::new(group.trim_start_matches('/')).ancestors().map(|folder| root.join(folder));
        folders.filter_map(|folder| available_in_group(&folder, names)).collect()
    });
    left.min()
}

fn available_in_group(folder: &Path, [limit, usage, prefix]: [&str; 3]) -> Option<u64> {
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let limit = number(folder.join(limit))?;
    let usage = number(folder.join(usage))?;
    let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    // These count as used, but are given up for anything else.
    let cached = statistics.lines().filter_map(|line| {
        let (name, bytes) = line.split_once(' ')?;
        let name = name.strip_prefix(prefix)?;
        let is_cache = ["inactive_file", "active_file", "slab_reclaimable"].contains(&name);
        bytes.trim().parse::<u64>().ok().filter(|_| is_cache)
    });
    Some(limit.saturating_sub(usage.saturating_sub(cached.sum())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_reports_what_is_available() {
        let meminfo = "MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(available_on_machine(meminfo), Some(20_480_000_000));
        assert_eq!(available_on_machine("MemTotal: 1 kB"), None);
    }

    #[test]
    fn limits_of_control_groups_and_of_those_around_them_count() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let left = |groups| available_in_groups(groups, root.path());
        // Second version: a limit, none, and one further out.
        write("a/b/memory.max", "5000\n");
        write("a/b/memory.current", "2000\n");
        write("a/b/memory.stat", "anon 7\ninactive_file 300\nactive_file 150\nslab_reclaimable 50\n");
        write("a/memory.max", "max\n");
        write("a/memory.current", "9000\n");
        assert_eq!(left("0::/a/b\n"), Some(3500));
        assert_eq!(left("0::/a\n"), None);
        write("memory.max", "10000\n");
        write("memory.current", "12000\n");
        assert_eq!(left("0::/a/b\n"), Some(0));
        // First version.
        write("memory/c/memory.limit_in_bytes", "8000\n");
        write("memory/c/memory.usage_in_bytes", "3000\n");
        write("memory/c/memory.stat", "inactive_file 9\ntotal_inactive_file 600\ntotal_active_file 400\n");
        assert_eq!(left("8:pids:/x\n4:memory:/c\n"), Some(6000));
        // A container that sees only its own root.
        assert_eq!(left("0::/somewhere/else\n"), Some(0));
        assert_eq!(left(""), None);
    }
}
