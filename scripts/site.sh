#!/usr/bin/env bash
# Builds the board as a static web site, with the engine in WebAssembly, into target/site; --test tests it in a browser.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C

usage() {
    cat <<TEXT
Usage: scripts/site.sh [--test | --measure PROGRAM]

Builds target/site: files for any web server, such as 'python3 -m http.server --directory target/site'.
Takes clang (which compiles zstd) and 'rustup target add wasm32-unknown-unknown'; the first time it installs
wasm-bindgen, of the version that site/Cargo.lock names, in target/tools.
  --test             then runs the tests of the site in a headless Chromium
  --measure PROGRAM  then prints size, time to the first move and speed beside that of this release build of chuhe
TEXT
}
case ${1-} in
    '' | --test) [ $# -le 1 ] || { usage >&2 && exit 2; } ;;
    --measure) [ $# = 2 ] || { usage >&2 && exit 2; } ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
esac
program=$(realpath "${2:-.}")
cd "$(dirname "$0")/.."

command -v clang >/dev/null || { echo "site.sh: clang is missing; it compiles zstd for the site" >&2 && exit 1; }
compgen -G "$(rustc --print target-libdir --target wasm32-unknown-unknown)/libstd-*.rlib" >/dev/null ||
    { echo "site.sh: install the library with 'rustup target add wasm32-unknown-unknown'" >&2 && exit 1; }
readonly program target=${CARGO_TARGET_DIR:-$PWD/target}
readonly site=target/site

# Installs the program that writes the JavaScript of the module; its version must be that of the library.
bindgen=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' site/Cargo.lock)
readonly bindgen
if [ "$(target/tools/bin/wasm-bindgen --version 2>/dev/null)" != "wasm-bindgen $bindgen" ]; then
    env -u CARGO_TARGET_DIR cargo install wasm-bindgen-cli --version "$bindgen" --root target/tools --force
fi

# The search needs the stack that it has natively. Paths of this machine are no part of the module.
RUSTFLAGS="-C target-feature=+simd128 -C link-arg=-zstack-size=33554432 --remap-path-prefix=$PWD=chuhe \
--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo \
--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=rust" CC_wasm32_unknown_unknown=clang \
    cargo build --release --locked --manifest-path site/Cargo.toml --target wasm32-unknown-unknown --target-dir "$target"

rm -rf "$site"
mkdir -p "$site"
target/tools/bin/wasm-bindgen --target web --no-typescript --out-name chuhe --out-dir "$site" \
    "$target/wasm32-unknown-unknown/release/chuhe_site.wasm"
cp assets/web/*.{html,js,css} assets/icon.svg assets/glyphs/glyphs.txt "$site"
cp -r assets/web/vendor "$site"
# In place of the transport to the program.
cp site/page/* "$site"
scripts/licences.sh "$site/licences" wasm32-unknown-unknown site/Cargo.toml
cp LICENSE-* "$site/licences"

# Nothing is loaded from elsewhere. Modules are loaded at once, not one after the other as each names the next, and the
# engine with them.
policy="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
policy+="connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
head="<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">\n"
head+='<link rel="manifest" href="./manifest.webmanifest">\n<link rel="apple-touch-icon" href="./icon.png">\n'
head+='<link rel="preload" href="./chuhe_bg.wasm" as="fetch" type="application/wasm" crossorigin>\n'
for file in assets/web/*.js; do
    head+="<link rel=\"modulepreload\" href=\"./$(basename "$file")\">\n"
done
sed -i "s|^<link rel=\"icon|$head&|" "$site/index.html"
grep -q Content-Security-Policy "$site/index.html"

# Prints the checksum of a file as browsers compare it.
integrity() { # file
    local bytes
    bytes=$(sha256sum "$1" | head -c 64 | sed 's/../\\x&/g')
    # shellcheck disable=SC2059 # The bytes are written as escapes of a format.
    printf 'sha256-%s' "$(printf "$bytes" | base64)"
}

# The files that the service worker keeps; a version that changes with any of them.
files=$(cd "$site" && find . -type f ! -path './licences/*' ! -name 'LICENSE*' ! -name '*.md' ! -name service-worker.js | sort)
version=$(cd "$site" && xargs sha256sum <<<"$files" | sha256sum | head -c 16)
list=$(cd "$site" && while read -r file; do
    [ "$file" != ./index.html ] || printf "\\\\n  ['./', '%s']," "$(integrity "$file")"
    printf "\\\\n  ['%s', '%s']," "$file" "$(integrity "$file")"
done <<<"$files")
sed -i "s|VERSION|$version|; s|/\* FILES \*/|$list\\n|" "$site/service-worker.js"
bytes=$(cd "$site" && xargs cat <<<"$files" | wc -c)
echo "$site: $((bytes / 1000)) kB, $(cd "$site" && xargs cat <<<"$files" | gzip -9 | wc -c | awk '{ print int($1 / 1000) }') kB compressed"

case ${1-} in
    --test) python3 tests/web/site.py "$site" ;;
    --measure) python3 tests/web/site.py --measure "$program" "$site" ;;
esac
