#!/usr/bin/env bash
# Copies the licences of all crates that are linked into a program, and of the drawn characters, into a folder.
#
# Usage: scripts/licences.sh FOLDER TARGET [MANIFEST]
set -euo pipefail
shopt -s inherit_errexit nullglob
folder=$1
cd "$(dirname "$0")/.."
mkdir -p "$folder/glyphs"
cp assets/glyphs/OFL.txt "$folder/glyphs/"
# Those that packages leave out.
cp -R assets/licences/. "$folder/"
crates=$(cargo tree --locked --manifest-path "${3:-Cargo.toml}" --edges normal,no-proc-macro --target "$2" --prefix none \
    --format '{p}' | sort -u)
while read -r crate number _; do
    [[ $crate != chuhe* ]] || continue
    for file in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$crate-${number#v}"/{LICENSE,LICENCE,COPYING,UNLICENSE,NOTICE}*; do
        [[ -f $file ]] || continue
        mkdir -p "$folder/$crate"
        cp "$file" "$folder/$crate/"
    done
done <<<"$crates"
