#!/usr/bin/env bash
# Installs packages on machines with nothing prepared, as a user does, and plays the first move with each.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C
readonly ways=(deb archive wheel windows site crate)

usage() {
    cat <<TEXT
Usage: scripts/try-packages.sh WAY...

Prints each command, what it says, and its seconds; a failure ends the script.
Takes Chromium and its driver, and what scripts/package.sh and scripts/site.sh have built.

Ways:
  deb      in a fresh Debian (debootstrap; root)
  archive  the static program, for an ordinary user of a fresh Debian (debootstrap; root)
  wheel    in a fresh virtual environment, also with the client library cchess, which pip downloads
  windows  in a fresh Wine prefix, through pipes and, on a virtual screen (xvfb), by a double-click
  site     target/site from a plain file server
  crate    the crate that 'cargo package' makes, in an empty folder; compiles it
TEXT
}
case ${1---help} in --help | -h) usage && exit ;; esac
for way in "$@"; do
    [[ " ${ways[*]} " == *" $way "* ]] || { echo "try-packages.sh: '$way' is none of the ways ${ways[*]}" >&2 && exit 2; }
done

cd "$(dirname "$0")/.."
readonly root=$PWD packages=$PWD/target/packages
version=$(cargo pkgid --offline | sed 's/.*[#@]//')
work=$(mktemp -d)
readonly version work
served=
signal=TERM
# shellcheck disable=SC2329 # The trap calls it.
clean_up() {
    [ -z "$served" ] || kill "-$signal" "$served" || true
    [ ! -d "$work/wine" ] || WINEPREFIX=$work/wine wineserver -k || true
    rm -rf "$work"
}
trap clean_up EXIT

# The command that runs a line of the shell where the package is installed.
inside=(bash -c)

# Runs a line as a user types it, and prints it, what it says and its seconds.
try() { # line
    local start=$EPOCHREALTIME
    printf '$ %s\n' "$1"
    "${inside[@]}" "$1" 2>&1 </dev/null
    awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "# %.1f s\n", end - start }'
}

# Runs a line that serves a board, and plays the first move there.
play() { # line
    local address='' start=$EPOCHREALTIME
    printf '$ %s &\n' "$1"
    : >"$work/served"
    "${inside[@]}" "exec $1" >"$work/served" 2>&1 </dev/null &
    served=$!
    while [ -z "$address" ]; do
        address=$(grep -o -m 1 'http://[^ ]*/' "$work/served" || true)
        kill -0 "$served"
        sleep 0.1
    done
    echo "$address"
    awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "# served after %.1f s\n", end - start }'
    python3 tests/web/first_move.py "$address"
    kill "-$signal" "$served"
    wait "$served" 2>/dev/null || true
    served=
}

readonly session='ucci\nsetoption batch true\nposition startpos moves h2e2\ngo depth 12\nquit\n'

# Makes a fresh Debian at $work/debian, with this user, and runs what follows in it.
begin_debian() { # user
    local debian=$work/debian
    rm -rf "$debian"
    if [ ! -d target/debian ]; then
        debootstrap --variant=minbase bookworm target/debian.new >&2
        mv target/debian.new target/debian
    fi
    cp -a target/debian "$debian"
    [ "$1" = root ] || chroot "$debian" useradd --create-home "$1"
    # It forwards no signal, but what it runs ends with it.
    signal=KILL
    inside=(unshare --mount --pid --fork --kill-child "--mount-proc=$debian/proc" chroot "$debian" su --login "$1" -c)
    # What the machine has.
    try 'cat /etc/debian_version; id -un'
}

try_deb() {
    begin_debian root
    cp "$packages/chuhe_${version}_amd64.deb" "$work/debian/root/"
    try "dpkg -i chuhe_${version}_amd64.deb"
    try "printf '$session' | chuhe | grep '^bestmove'"
    try "grep -E 'Name=|Exec=|Icon=' /usr/share/applications/chuhe.desktop"
    play "chuhe web --no-open"
    try "dpkg -r chuhe && ! find /usr -name '*chuhe*' | grep ."
}

try_archive() {
    local name
    # Both are static.
    name=$(cd "$packages" && find . -name "chuhe-$version-x86_64-unknown-linux-*.tar.gz" | sort -r | head -n 1)
    name=$(basename "$name" .tar.gz)
    begin_debian player
    cp "$packages/$name.tar.gz" "$work/debian/home/player/"
    try "tar xzf $name.tar.gz"
    try "$name/install.sh"
    try "printf '$session' | .local/bin/chuhe | grep '^bestmove'"
    play ".local/bin/chuhe web --no-open"
    # A double-click starts it at a terminal without arguments.
    printf '#!/bin/sh\nexec %s' "$(printf '%q ' "${inside[@]}")" >"$work/start"
    printf "'exec ./%s/chuhe'\n" "$name" >>"$work/start"
    chmod +x "$work/start"
    echo "\$ $name/chuhe    # at a terminal"
    python3 tests/program/terminal.py "$work/start" | tr -d '\r' | grep -v -E '^(option|info)'
    # What the program keeps of a user stays.
    try "$name/install.sh --remove && ! find .local/bin .local/share -type f | grep ."
}

try_wheel() {
    inside=(env "HOME=$work" bash -c "cd $work && eval \"\$1\"" bash)
    try "python3 -m venv fresh"
    try "fresh/bin/pip install $(echo "$packages/chuhe-$version"-*.whl)"
    try "printf '$session' | fresh/bin/chuhe | grep '^bestmove'"
    play "fresh/bin/chuhe web --no-open"
    try "fresh/bin/pip install --quiet cchess==1.25.5"
    cat >"$work/client.py" <<'TEXT'
import chuhe
from cchess.engine import UcciEngine

engine = UcciEngine()
engine.load(chuhe.engine_path())
engine.wait_for_ready()
engine.go_from("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1", {"depth": 12})
while not ((action := engine.get_action()) and action["action"] == "bestmove"):
    pass
print(action["move"])
TEXT
    try "fresh/bin/python client.py"
}

try_windows() {
    local name=chuhe-$version-x86_64-pc-windows-gnu
    mkdir -p "$work/home"
    inside=(env "HOME=$work/home" "WINEPREFIX=$work/wine" WINEDEBUG=-all bash -c "cd $work/home && eval \"\$1\"" bash)
    try "wineboot --init && wineserver --wait && wine --version"
    # Wine before version 9 lacks a library for random numbers that every Rust program loads.
    x86_64-w64-mingw32-gcc -shared -o "$work/wine/drive_c/windows/system32/bcryptprimitives.dll" -x c - -x none \
        -ladvapi32 <<'TEXT'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return SystemFunction036(bytes, (ULONG)count); }
TEXT
    try "unzip -q $packages/$name.zip"
    try "printf '$session' | wine $name/chuhe.exe | grep '^bestmove'"
    # Wine opens pages with the browser of the desktop: here a script that takes a copy, since the page goes with the program.
    mkdir "$work/home/desktop"
    # shellcheck disable=SC2016 # The script expands it.
    printf '#!/bin/sh\ncp "${1#file://}" "%s/opened"\n' "$work" >"$work/home/desktop/xdg-open"
    chmod +x "$work/home/desktop/xdg-open"
    double_click "$name"
}

# Starts the program of a folder as the desktop of Windows does, and plays on the board that opens in the browser.
double_click() { # folder
    # What runs without a screen stays without one.
    WINEPREFIX=$work/wine wineserver --wait
    local start=$EPOCHREALTIME address
    echo "\$ wine start $1/chuhe.exe    # a console of its own"
    xvfb-run --auto-servernum "${inside[@]}" "PATH=$work/home/desktop:$PATH wine start /wait /unix $1/chuhe.exe" \
        >"$work/served" 2>&1 </dev/null &
    served=$!
    until [ -s "$work/opened" ]; do
        kill -0 "$served"
        sleep 0.1
    done
    address=$(grep -o 'http://[^"]*' "$work/opened")
    echo "the browser is opened with $address"
    awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "# served after %.1f s\n", end - start }'
    python3 tests/web/first_move.py "$address"
    WINEPREFIX=$work/wine wineserver -k || true
    wait "$served" || true
    served=
}

try_site() {
    inside=(bash -c)
    play "python3 -u -m http.server --bind 127.0.0.1 --directory target/site 0"
}

try_crate() {
    inside=(env -u CARGO_TARGET_DIR "HOME=$work" "CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}"
        "RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}" bash -c "cd $work && eval \"\$1\"" bash)
    cargo package --quiet --locked --no-verify --allow-dirty
    cp "${CARGO_TARGET_DIR:-$root/target}/package/chuhe-$version.crate" "$work/"
    try "tar xzf chuhe-$version.crate"
    try "cd chuhe-$version && cargo install --quiet --path . --root ../installed"
    try "printf '$session' | installed/bin/chuhe | grep '^bestmove'"
    play "installed/bin/chuhe web --no-open"
}

for way in "$@"; do
    signal=TERM
    echo "== $way"
    "try_$way"
done
