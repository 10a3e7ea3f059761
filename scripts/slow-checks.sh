#!/usr/bin/env bash
# Checks that take too long for every change. Each needs rustup with the nightly compiler, except kill, and besides:
#   thread-sanitizer  rust-src of nightly: threaded searches and their tables under ThreadSanitizer
#   memory            miri and rust-src of nightly, valgrind: the modules with unsafe code, then searches
#   overflow          only the stable compiler: all tests with debug assertions and overflow checks
#   fuzz              cargo-fuzz: all fuzz targets in turn, FUZZ_MINUTES in all (30); the corpus is in fuzz/corpus
#   wasm              target wasm32-unknown-unknown of the stable compiler, clang: the library compiles for a browser
#   kill              Python 3: scripts/kill-and-full-disk.py for KILL_MINUTES (10) on PROGRAM (a release build)
# Nightly and its parts: rustup toolchain install nightly --component rust-src,miri
# cargo-fuzz: cargo install cargo-fuzz
set -euo pipefail
export LC_ALL=C
readonly checks=(thread-sanitizer memory overflow fuzz wasm kill)

usage() {
    cat <<TEXT
Usage: scripts/slow-checks.sh [NAME…]

Runs these checks, or all of them: ${checks[*]}.
FUZZ_MINUTES, KILL_MINUTES and PROGRAM in the environment change what they do; the
beginning of the script says what each needs.
Exit status: 0 everything passed, 1 something failed or is missing, 2 wrong arguments.
TEXT
}

thread-sanitizer() {
    # The standard library is built as well, since the sanitizer must see its locks and channels.
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    sanitized() {
        RUSTFLAGS=-Zsanitizer=thread cargo +nightly test --locked -Zbuild-std --target "$host" \
            --target-dir target/thread-sanitizer --no-default-features "$@"
    }
    sanitized --lib -- util:: search:: engine:: protocol:: && sanitized --test search -- engine:: mates_are_proved
}

memory() {
    # Miri accepts calls of functions for vector instructions only if the program is compiled for them. It cannot
    # allocate more memory than the machine has, as two tests do, and takes hours for the test of the threads that
    # back pages, which valgrind and ThreadSanitizer run.
    local features=+avx2,+fma,+bmi1,+bmi2,+popcnt,+avx512f,+avx512bw
    [[ $(uname -m) == x86_64 ]] || features=
    RUSTFLAGS=${features:+-Ctarget-feature=$features} MIRIFLAGS=-Zmiri-disable-isolation \
        cargo +nightly miri test --locked --target-dir target/miri --no-default-features --lib -- \
        util::simd util::huge_pages a_torn_entry --skip absurd --skip memory_starts || return
    # What Miri cannot do: system calls for pages, and searches.
    local host runner
    host=$(rustc -vV | sed -n 's/^host: //p')
    runner=CARGO_TARGET_$(tr a-z- A-Z_ <<<"$host")_RUNNER
    checked() { env "$runner=valgrind --quiet --error-exitcode=1" cargo test --locked --target "$host" "$@"; }
    checked --lib -- util:: search::transposition search::threads &&
        checked --test search -- the_same_search_twice threads_that_search_together
}

overflow() {
    CARGO_PROFILE_TEST_DEBUG_ASSERTIONS=true CARGO_PROFILE_TEST_OVERFLOW_CHECKS=true \
        cargo test --locked --features lab --target-dir target/overflow
}

fuzz() {
    local targets target failed=0
    mapfile -t targets < <(cargo +nightly fuzz list)
    cargo +nightly fuzz build || return
    # Threads of the server that begin or end with the process count as leaks.
    local -x ASAN_OPTIONS=detect_leaks=0
    # Targets that write files are many times faster in memory.
    [[ ! -w /dev/shm ]] || local -x TMPDIR=/dev/shm
    for target in "${targets[@]}"; do
        cargo +nightly fuzz run "$target" -- -max_total_time=$((${FUZZ_MINUTES:-30} * 60 / ${#targets[@]})) \
            -dict=fuzz/words.dict -detect_leaks=0 -timeout=60 -print_final_stats=1 || failed=1
    done
    return $failed
}

wasm() {
    cargo check --locked --lib --no-default-features --features library --target wasm32-unknown-unknown
}

kill() {
    local program=${PROGRAM:-target/release/chuhe}
    [[ -n ${PROGRAM-} ]] || cargo build --locked --release || return
    scripts/kill-and-full-disk.py "$program" --minutes "${KILL_MINUTES:-10}"
}

for name; do
    case " ${checks[*]} " in
        *" $name "*) ;;
        *)
            [[ $name == -h || $name == --help ]] && usage && exit 0
            printf "slow-checks.sh: '%s' is not understood; see --help\n" "$name" >&2
            exit 2
            ;;
    esac
done
(($# > 0)) || set -- "${checks[@]}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
failed=()
for name; do
    printf '== %s\n' "$name"
    begin=$SECONDS
    "$name" || failed+=("$name")
    printf '== %s: %d s\n' "$name" $((SECONDS - begin))
done
((${#failed[@]} == 0)) || {
    printf 'slow-checks.sh: failed: %s\n' "${failed[*]}" >&2
    exit 1
}
