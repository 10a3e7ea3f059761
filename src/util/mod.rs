//! General-purpose code without any Xiangqi: files, logs, random numbers, hashes, threads, vector
//! instructions, and what a browser lacks of an operating system.

pub mod atomic_file;
pub mod cancel;
pub mod files;
pub mod host;
pub mod huge_pages;
pub mod math;
pub mod memory;
pub mod parallel;
pub mod record_file;
pub mod shard;
pub mod simd;
