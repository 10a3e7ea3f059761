#!/usr/bin/env bash
# Builds Chuhe for 64-bit ARM Linux and runs its tests in the emulator QEMU: the library's own tests, move counts,
# evaluation and search, notations and rules, the node count of bench, and a session in UCCI.
#
# The emulator is ten to twenty times slower than the machine, so this is no part of continuous integration.
set -euo pipefail
export LC_ALL=C

readonly target=aarch64-unknown-linux-gnu
readonly test_crates=(position search notation rules)

usage() {
    cat <<TEXT
Usage: scripts/test-arm.sh [FILTER]

Builds for $target and runs the library's tests, those of
${test_crates[*]}, bench and a UCCI session under QEMU.
FILTER runs only those tests whose names contain it.

Needs: rustup target add $target
       apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
Exit status: 0 everything passed, 1 something failed or is missing, 2 wrong arguments.
TEXT
}

fail() {
    printf 'test-arm.sh: %s\n' "$*" >&2
    exit 1
}

need() { # tool, how to get it
    command -v "$1" >/dev/null || fail "'$1' is missing; $2"
}

case ${1-} in
    -h | --help)
        usage
        exit 0
        ;;
    -*)
        printf "test-arm.sh: '%s' is not understood; see --help\n" "$1" >&2
        exit 2
        ;;
esac
if (($# > 1)); then
    printf 'test-arm.sh: one filter at most; see --help\n' >&2
    exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
need cargo "install Rust from https://rustup.rs"
need aarch64-linux-gnu-gcc "install it with 'apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross'"
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
    fail "'qemu-aarch64-static' is missing; install it with 'apt-get install qemu-user-static'"
compgen -G "$(rustc --print target-libdir --target "$target")/libstd-*.rlib" >/dev/null ||
    fail "the Rust standard library of $target is missing; install it with 'rustup target add $target'"
# Where the C library for ARM lies that the programs load when they start.
readonly system=${ARM_SYSTEM:-/usr/aarch64-linux-gnu}
[[ -e $system/lib/ld-linux-aarch64.so.1 ]] ||
    fail "no C library for ARM in $system; set ARM_SYSTEM or 'apt-get install libc6-dev-arm64-cross'"

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="$emulator -L $system"
started=$SECONDS

cargo test --locked --features lab --target "$target" --lib "${test_crates[@]/#/--test=}" -- ${1+"$1"}

cargo build --locked --profile test --target "$target" --bin chuhe
folder=$(cargo metadata --no-deps --locked --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
program=("$emulator" -L "$system" "$folder/$target/debug/chuhe")

# The node count that the program itself expects; the self-test compares a shorter one.
expected=$(git log -1 --grep='^Bench: [0-9]' --format=%B 2>/dev/null | sed -n 's/^Bench: \([0-9]*\)$/\1/p' || true)
found=$("${program[@]}" bench | sed -n 's/^total nodes \([0-9][0-9]*\)$/\1/p')
[[ -n $found ]] || fail "bench told no node count"
[[ $found == "${expected:-$found}" ]] || fail "bench: $found nodes, but the last message that names a count says $expected"
printf 'bench: %s nodes%s\n' "$found" "${expected:+, as expected}"

# A mate in one for Red: no other position gives that answer.
answers=$(printf '%s\n' ucci 'setoption batch true' 'position startpos moves h2e2 h9g7' 'go depth 7' \
    'position fen 3a2b2/3k5/9/7N1/9/9/9/4K4/9/6R2 w - - 0 1' 'position fen 9/9/9' 'go depth 4' quit |
    "${program[@]}") || fail "the UCCI session ended with status $?"
[[ $(grep -c '^ucciok' <<<"$answers") == 1 ]] || fail "UCCI: no ucciok"
mapfile -t moves < <(sed -n 's/^bestmove \([a-i][0-9][a-i][0-9]\).*/\1/p' <<<"$answers")
[[ ${#moves[@]} == 2 && ${moves[1]} == g0d0 ]] || fail "UCCI: the moves were '${moves[*]}', not two with g0d0 last"
[[ ${answers##*$'\n'} == bye ]] || fail "UCCI: the last line was '${answers##*$'\n'}', not bye"
printf 'UCCI session: ok\n'

"${program[@]}" self-test
printf 'everything passed on %s in %s seconds\n' "$target" "$((SECONDS - started))"
