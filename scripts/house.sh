#!/usr/bin/env bash
# Prints the size of the source, its tests and its pages, each figure with its ceiling, and fails above one. A change
# that adds more than the ceilings allow takes something else away.
#
#   part        lines, kilobytes and files of src by part; tests and examples are the Rust files of those folders
#   search      files and lines of src/search, with and without unit tests; files with methods of Searcher
#   parameters  what the search can be tuned by, and its constants (src/search/params.rs)
#   options     what a front end can set (docs/options.md, generated from the table of options)
#   flags       arguments of commands that begin with two hyphens
#   face        items of the list that 'cargo doc' makes; inside: items that other crates could name but it hides
#   pages       README, CHANGELOG, CONTRIBUTING and docs: words (two Chinese characters are one), longest line in bytes
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."

usage() {
    cat <<TEXT
Usage: scripts/house.sh [--fast | --builds [REVISION]]

Prints the figures and fails if one is above its ceiling.
  --fast      leave out the public face, which takes a run of 'cargo doc'
  --builds    print the seconds of a clean release build too; with a revision of git those of both
              in turns, three times each
Exit status: 0 all figures are below their ceilings, 1 one is above, 2 wrong arguments.
TEXT
}

mode=${1-}
case $mode in
    '' | --fast) [ $# -le 1 ] || { usage >&2 && exit 2; } ;;
    --builds) [ $# -le 2 ] || { usage >&2 && exit 2; } ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && exit 2 ;;
esac

above=0
# Prints a figure; a second number is its ceiling.
figure() {
    local mark=
    if [ -n "${3-}" ] && [ "$2" -gt "$3" ]; then
        mark='  above its ceiling'
        above=1
    fi
    printf '%-38s %8s %8s%s\n' "$1" "$2" "${3-}" "$mark"
}

readonly engine=(src/{types,util,tables,position,rules,notation,counting,tablebase,eval,book,solver,search,engine,protocol})
files_of() { find "$@" -name '*.rs'; }
lines() { xargs cat | wc -l; }
kilobytes() { xargs cat | wc -c | awk '{ print int(($1 + 999) / 1000) }'; }
count() { grep -rhoE "$@" | wc -l || true; }
# Lines before the unit tests of each file.
without_tests() { xargs awk 'FNR == 1 { tests = 0 } /^#\[cfg\((all\()?test/ { tests = 1 } !tests { n++ } END { print n }'; }

printf '%-38s %8s %8s\n' figure found ceiling
figure 'engine: lines' "$(files_of "${engine[@]}" | lines)" 31590
figure 'commands: lines' "$(files_of src/commands src/console src/cli | lines)" 12400
figure 'laboratory: lines' "$(files_of src/lab | lines)" 7790
figure 'src: lines' "$(files_of src | lines)" 51930
figure 'src: kilobytes' "$(files_of src | kilobytes)" 2260
figure 'src: files' "$(files_of src | wc -l)" 225
figure 'tests: lines' "$(files_of tests | lines)" 19520
figure 'tests: kilobytes' "$(files_of tests | kilobytes)" 918
figure 'examples: lines' "$(files_of examples | lines)" 2500
figure 'rustfmt::skip' "$(count 'rustfmt::skip' src)" 3
figure 'unsafe blocks and functions: files' "$(grep -rlE 'unsafe (fn|\{|impl)' src | wc -l)" 2
figure 'search: files' "$(files_of src/search | wc -l)" 14
figure 'search: lines' "$(files_of src/search | lines)" 6000
figure 'search: lines without unit tests' "$(files_of src/search | without_tests)" 4900
figure 'search: files with impl Searcher' "$(grep -rlE '^impl(<.*>)? Searcher' src | wc -l)" 3
figure 'search: parameters' "$(count '^    [a-z_]+ = -?[0-9_]+, ' src/search/params.rs)" 100
figure 'search: constants' "$(count '^(pub |pub\(.*\) )?const ' src/search/params.rs)" 45
figure 'options' "$(grep -cE '^(\| |\| \| )`[A-Za-z_ ]+`' docs/options.md)" 30
figure 'flags' "$(count '#\[arg\(.*\blong\b' src)" 148
figure 'flags of the laboratory' "$(count '#\[arg\(.*\blong\b' src/lab)" 58

readonly pages=(README.md README.zh.md CHANGELOG.md CONTRIBUTING.md docs/*.md)
figure 'pages: words' "$(cat "${pages[@]}" | perl -CS -ne '
    $chinese += s/\p{Han}/ /g; $other += () = /[\p{L}\p{N}]\S*/g; END { print int($other + $chinese / 2) }')" 30000
figure 'pages: longest line in bytes' "$(cat "${pages[@]}" | awk 'length > most { most = length } END { print most }')" 400

if [ "$mode" != --fast ]; then
    cargo doc --quiet --no-deps
    face=$(grep -o '<li>' "${CARGO_TARGET_DIR:-target}/doc/chuhe/all.html" | wc -l)
    items=$(count '^pub (const fn|unsafe fn|fn|struct|enum|trait|const|static|type) ' src)
    figure 'face: items' "$face" 400
    figure 'inside: items' $((items - face)) 600
fi

# Prints the seconds that a clean release build of the tree in a folder takes.
build_seconds() {
    local target start
    target=$(mktemp -d)
    start=$(date +%s)
    (cd "$2" && CARGO_TARGET_DIR=$target cargo build --release --quiet)
    figure "$1" $(($(date +%s) - start))
    rm -rf "$target"
}
if [ "$mode" = --builds ]; then
    cargo fetch --quiet
    if [ $# = 2 ]; then
        other=$(mktemp -d)/tree
        git worktree add --quiet --detach "$other" "$2"
        trap 'git worktree remove --force "$other"' EXIT
        for _ in 1 2 3; do
            build_seconds "clean release build of $2: seconds" "$other"
            build_seconds 'clean release build: seconds' .
        done
    else
        build_seconds 'clean release build: seconds' .
    fi
fi
exit $above
