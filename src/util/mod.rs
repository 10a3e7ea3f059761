//! General-purpose code without any Xiangqi: files, logs, random numbers, hashes, threads, vector instructions.

pub mod append_log;
pub mod atomic_file;
pub mod cancel;
pub mod cores;
pub mod folder;
pub mod folder_lock;
pub mod full_disk;
pub mod huge_pages;
pub mod math;
pub mod memory;
pub mod page_backing;
pub mod parallel;
pub mod random;
pub mod read_limit;
pub mod record_file;
pub mod shard;
pub mod simd;
pub mod stable_hash;
pub mod time_limit;
