#!/usr/bin/env bash
# Builds release archives: the program with its licences, completions and manual pages, a package for Debian and Ubuntu,
# a Python wheel, and their checksums.
#
# The same sources, compiler and SOURCE_DATE_EPOCH (by default the time of the last commit) give the same bytes.
set -euo pipefail
shopt -s inherit_errexit
export LC_ALL=C TZ=UTC
umask 022

readonly default_targets=(x86_64-unknown-linux-musl aarch64-unknown-linux-gnu x86_64-pc-windows-gnu)
readonly known_targets=("${default_targets[@]}" x86_64-unknown-linux-gnu deb wheel)
# What the packages for one system are made for.
readonly native_target=x86_64-unknown-linux-gnu

usage() {
    cat <<TEXT
Usage: scripts/package.sh [--target TARGET]... [--out FOLDER]

Builds an archive for each target, by default the first three, into target/packages, and SHA256SUMS of all archives of
this version there.
Each program runs its self-test: natively, under QEMU (ARM) or under Wine (Windows).
The last lines say of each archive how its program was run, or that it was not.

Targets:
  x86_64-unknown-linux-musl  a static program for every Linux, tar.gz
  aarch64-unknown-linux-gnu  a static program for every Linux on 64-bit ARM, tar.gz
  x86_64-pc-windows-gnu      a program for Windows, zip
  x86_64-unknown-linux-gnu   a static program with the C library of this machine, tar.gz
  deb                        a package for Debian and Ubuntu with that program, menu entry, manual pages and completions
  wheel                      a Python package with that program and a module 'chuhe' that says where it is

Exit status: 0 every target was packed, 1 at least one could not be built, 2 wrong arguments.
TEXT
}

print_error() { printf 'package.sh: %s\n' "$*" >&2; }

# Checks that a tool is installed; otherwise prints how to install it.
need() { # tool, for what, how to get it
    command -v "$1" >/dev/null && return
    print_error "$2: '$1' is missing; $3"
    return 1
}

# Prints the C compiler of a target, which also links; zstd is compiled with it.
compiler_of() { # target
    case $1 in
        *-windows-gnu) echo x86_64-w64-mingw32-gcc ;;
        x86_64-*-musl) echo musl-gcc ;;
        aarch64-*) if is_native "$1"; then echo cc; else echo aarch64-linux-gnu-gcc; fi ;;
        *) echo cc ;;
    esac
}

# Checks that this machine runs programs of a target natively.
is_native() { # target
    [[ $1 == *-linux-* && $(uname -s) == Linux && $1 == "$(uname -m)"-* ]]
}

# Checks the requirements of a target and prints what is missing.
can_build() { # target
    local target=$1 libraries ok=0
    case $target in
        deb) need dpkg-deb deb "it is part of Debian and Ubuntu" || ok=1 ;;
        wheel)
            need maturin wheel "install it with 'pip install maturin'" || ok=1
            python3 -c 'import venv, ensurepip' || ok=1
            ;;
    esac
    case $target in deb | wheel) target=$native_target ;; esac
    libraries=$(rustc --print target-libdir --target "$target" 2>/dev/null || true)
    if ! compgen -G "$libraries/libstd-*.rlib" >/dev/null; then
        print_error "$target: its Rust standard library is missing; install it with 'rustup target add $target'"
        ok=1
    fi
    local compiler package
    compiler=$(compiler_of "$target")
    case $compiler in
        x86_64-w64-mingw32-gcc) package=gcc-mingw-w64-x86-64 ;;
        musl-gcc) package=musl-tools ;;
        aarch64-linux-gnu-gcc) package='gcc-aarch64-linux-gnu libc6-dev-arm64-cross' ;;
        *) package=gcc ;;
    esac
    need "$compiler" "$target" "install it with 'apt-get install $package'" || ok=1
    if [[ $target == *-windows-* ]]; then
        need zip "$target" "install it with 'apt-get install zip'" || ok=1
    fi
    return "$ok"
}

# Compiles the icon and the version that Windows shows of the program, and prints the path of the object.
resources() {
    local numbers=${version%%[-+]*}
    mkdir -p "$build_folder"
    x86_64-w64-mingw32-windres --codepage=65001 --include-dir=packaging "-DNUMBERS=${numbers//./,},0" \
        "-DVERSION=\\\"$version\\\"" packaging/windows.rc "$build_folder/resources.o" || return
    printf '%s\n' "$build_folder/resources.o"
}

# Runs a command with the flags of the compiler for a target.
with_flags() { # target, command
    local target=$1 flags compiler
    # The program must not contain paths of this machine; the sources of the standard library have one if installed.
    compiler=$(rustc --verbose --version | sed -n 's/^commit-hash: //p')
    flags="--remap-path-prefix=$root=/chuhe --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"
    flags+=" --remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rustc/$compiler"
    case $target in
        *-windows-gnu)
            flags+=" -C link-arg=-Wl,--no-insert-timestamp -C link-arg=$(resources)"
            ;;
        *) flags+=" -C target-feature=+crt-static" ;;
    esac
    # The linker of rustc brings the parts of musl itself.
    if [[ $target != *-musl ]]; then flags+=" -C linker=$(compiler_of "$target")"; fi
    RUSTFLAGS=$flags CARGO_INCREMENTAL=0 CARGO_PROFILE_DIST_STRIP=symbols "${@:2}"
}

# Builds the program of a target and prints its path.
build() { # target
    local program=chuhe
    [[ $1 != *-windows-* ]] || program=chuhe.exe
    with_flags "$1" cargo build --profile dist --locked --bin chuhe --target "$1" >&2
    printf '%s\n' "$build_folder/$1/dist/$program"
}

# Checks that a program is statically linked.
is_static() { # program
    local headers
    headers=$(readelf --program-headers "$1") && [[ $headers != *INTERP* ]]
}

# Checks that a program for Windows has its icon and version.
has_resources() { # program
    local words
    words=$(x86_64-w64-mingw32-strings --encoding=l "$1")
    [[ $(x86_64-w64-mingw32-objdump --section-headers "$1") == *" .rsrc "* && $'\n'$words$'\n' == *$'\n'"$version"$'\n'* ]]
}

# Wine before version 9 lacks a library for random numbers that every Rust program loads. Builds it and prints the Windows
# name of its folder.
wine_path() {
    mkdir -p "$work/libraries"
    x86_64-w64-mingw32-gcc -shared -o "$work/libraries/bcryptprimitives.dll" -x c - -x none -ladvapi32 <<'TEXT'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) {
    return SystemFunction036(bytes, (ULONG)count);
}
TEXT
    printf 'Z:%s\\libraries\n' "${work//\//\\}"
}

# Sets `runner` to the command that runs a program of a target here, and `way` to its name; fails if there is none.
find_runner() { # target
    runner=()
    if is_native "$1"; then
        way=natively
        return
    fi
    case $1 in
        aarch64-*-linux-*)
            way="under QEMU"
            runner=("$(command -v qemu-aarch64-static || command -v qemu-aarch64)") || return
            ;;
        *-windows-*)
            way="under Wine"
            # A folder of its own, so that the user's settings stay as they are.
            runner=(env "WINEPREFIX=$work/wine" "WINEPATH=$(wine_path)" WINEDEBUG=-all "$(command -v wine)") || return
            ;;
        *) return 1 ;;
    esac
}

# Runs the self-test of a program where possible and records how it was run.
test_program() { # target, program
    local runner way
    if find_runner "$1"; then
        "${runner[@]}" "$2" self-test >&2 </dev/null
        printf '%s: self-test passed, run %s\n' "$1" "$way" >>"$work/runs"
    else
        printf '%s: not run, since nothing here runs it\n' "$1" >>"$work/runs"
    fi
}

# Writes completions and manual pages, which are the same for every target, with the first program that runs here.
write_texts() { # target, program
    [[ -d $texts ]] && return
    local runner way program=(cargo run --quiet --locked --bin chuhe --)
    if [[ $1 == *-linux-* ]] && find_runner "$1"; then program=("${runner[@]}" "$2"); fi
    mkdir -p "$texts.new/completions" "$texts.new/man"
    "${program[@]}" man --dir "$texts.new/man"
    "${program[@]}" completions bash >"$texts.new/completions/chuhe.bash"
    "${program[@]}" completions zsh >"$texts.new/completions/_chuhe"
    "${program[@]}" completions fish >"$texts.new/completions/chuhe.fish"
    "${program[@]}" completions powershell >"$texts.new/completions/_chuhe.ps1"
    "${program[@]}" completions elvish >"$texts.new/completions/chuhe.elv"
    mv "$texts.new" "$texts"
}

# Builds, checks and packs one target.
pack() { # target
    local target=$1 program name folder
    name="chuhe-$version-$target"
    rm -f "$out/$name".{tar.gz,zip}
    program=$(build "$target")
    if [[ $target == *-linux-* ]] && ! is_static "$program"; then
        print_error "$target: the program is not static"
        return 1
    fi
    if [[ $target == *-windows-* ]] && ! has_resources "$program"; then
        print_error "$target: the program has no icon"
        return 1
    fi
    test_program "$target" "$program"
    write_texts "$target" "$program"

    folder="$work/$name"
    mkdir -p "$folder/licences"
    cp "$program" "$folder/"
    cp README*.md CONTRIBUTING.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$folder/"
    cp -r docs "$folder/"
    # Files that the pages show or link.
    mkdir -p "$folder/assets/glyphs" "$folder/books" "$folder/scripts"
    cp assets/board.png assets/icon.svg "$folder/assets/"
    cp assets/glyphs/{README.md,OFL.txt} "$folder/assets/glyphs/"
    cp books/README.md "$folder/books/"
    cp scripts/xboard-match.py "$folder/scripts/"
    cp -r "$texts/completions" "$texts/man" "$folder/"
    [[ $target != *-linux-* ]] || cp assets/icon.svg packaging/{install.sh,chuhe.desktop} "$folder/"
    scripts/licences.sh "$folder/licences" "$target"
    chmod -R u=rwX,go=rX "$folder"
    find "$folder" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
    case $target in
        *-windows-*) (cd "$work" && find "$name" -print | sort | zip -q -X -9 "$out/$name.zip" -@) ;;
        *)
            tar --directory "$work" --create --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" \
                --owner=0 --group=0 --numeric-owner "$name" | gzip --no-name -9 >"$out/$name.tar.gz"
            ;;
    esac
    printf '%s\n' "$out/$name".*
}

# Builds the package for Debian and Ubuntu, and runs the program in it.
pack_deb() {
    local program folder=$work/deb
    rm -f "$out/chuhe_${version}_amd64.deb"
    program=$(build "$native_target")
    is_static "$program"
    write_texts "$native_target" "$program"
    mkdir -p "$folder/install" "$folder/tree/DEBIAN" "$folder/tree/usr/share/doc/chuhe"
    cp -r "$texts/completions" "$texts/man" assets/icon.svg packaging/{install.sh,chuhe.desktop} "$program" \
        "$folder/install/"
    "$folder/install/install.sh" "$folder/tree/usr" >&2
    cp packaging/chuhe.desktop "$folder/tree/usr/share/applications/"
    # Where zsh looks in these systems.
    mkdir -p "$folder/tree/usr/share/zsh/vendor-completions"
    mv "$folder/tree/usr/share/zsh/site-functions/_chuhe" "$folder/tree/usr/share/zsh/vendor-completions/"
    rmdir "$folder/tree/usr/share/zsh/site-functions"
    cat LICENSE-MIT LICENSE-APACHE >"$folder/tree/usr/share/doc/chuhe/copyright"
    scripts/licences.sh "$folder/tree/usr/share/doc/chuhe/licences" "$native_target"
    cat >"$folder/tree/DEBIAN/control" <<TEXT
Package: chuhe
Version: $version
Architecture: amd64
Maintainer: The authors of Chuhe <nobody@chuhe.invalid>
Installed-Size: $(du --apparent-size -sk "$folder/tree/usr" | cut -f 1)
Section: games
Priority: optional
Recommends: xdg-utils
Description: Xiangqi (Chinese chess): an engine and a board in the browser
 Chuhe plays and analyses Xiangqi. 'chuhe web' opens its board in the browser;
 front ends start it as an engine that speaks UCCI and UCI.
TEXT
    chmod -R u=rwX,go=rX "$folder/tree"
    find "$folder/tree" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$folder/tree" "$out/chuhe_${version}_amd64.deb" >&2
    dpkg-deb --extract "$out/chuhe_${version}_amd64.deb" "$folder/extracted"
    "$folder/extracted/usr/bin/chuhe" self-test >&2 </dev/null
    printf 'deb: self-test passed, run natively\n' >>"$work/runs"
    printf '%s\n' "$out/chuhe_${version}_amd64.deb"
}

# Builds the Python wheel, installs it into an environment of its own, and runs the program that its module names.
pack_wheel() {
    local wheel path
    rm -f "$out/chuhe-$version"-*.whl
    scripts/licences.sh python/chuhe/licences "$native_target"
    with_flags "$native_target" maturin build --profile dist --target "$native_target" --out "$out" >&2
    wheel=$(echo "$out/chuhe-$version"-*.whl)
    python3 -m venv "$work/environment"
    "$work/environment/bin/pip" install --quiet --no-index "$wheel" >&2
    path=$("$work/environment/bin/python" -c 'import chuhe; print(chuhe.engine_path())')
    is_static "$path"
    "$path" self-test >&2 </dev/null
    "$work/environment/bin/chuhe" --version >&2
    printf 'wheel: self-test passed, run natively\n' >>"$work/runs"
    printf '%s\n' "$wheel"
}

targets=()
out=
while (($# > 0)); do
    case $1 in
        --target)
            if [[ " ${known_targets[*]} " != *" ${2-} "* || -z ${2-} ]]; then
                print_error "'${2-}' is not one of the targets ${known_targets[*]}"
                exit 2
            fi
            targets+=("$2")
            shift
            ;;
        --out)
            out=${2-}
            if [[ -z $out ]]; then
                print_error "--out needs a folder"
                exit 2
            fi
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            print_error "unknown argument '$1'; see --help"
            exit 2
            ;;
    esac
    shift
done
((${#targets[@]} > 0)) || targets=("${default_targets[@]}")

[[ -z $out ]] || { mkdir -p "$out" && out=$(cd "$out" && pwd); }
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
need cargo packages "install Rust from https://rustup.rs" || exit 1
need readelf packages "install it with 'apt-get install binutils'" || exit 1
build_folder=$(cargo metadata --no-deps --locked --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
version=$(cargo pkgid | sed 's/.*[#@]//')
[[ -n $out ]] || { out=$root/target/packages && mkdir -p "$out"; }
# Without a history: the earliest time that zip can store.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH
readonly root build_folder version out
work=$(mktemp -d)
# shellcheck disable=SC2329 # The trap calls it.
clean_up() {
    [[ ! -d $work/wine ]] || WINEPREFIX=$work/wine wineserver -k || true
    rm -rf "$work" "$root/python/chuhe/licences"
}
trap clean_up EXIT
texts=$work/texts
readonly work texts

status=0
for target in "${targets[@]}"; do
    packed=1
    if can_build "$target"; then
        # A subshell, so that a failure ends this target alone. `set -e` has no effect inside a condition.
        set +e
        case $target in
            deb | wheel) (set -e && "pack_$target") ;;
            *) (set -e && pack "$target") ;;
        esac
        packed=$?
        set -e
    fi
    if ((packed != 0)); then
        print_error "$target: not packed"
        status=1
    fi
done
archives=$(cd "$out" &&
    find . -maxdepth 1 -regex ".*/chuhe[-_]$version[-_].*\.\(tar\.gz\|zip\|deb\|whl\)" -printf '%f\n' | sort)
if [[ -n $archives ]]; then
    (cd "$out" && xargs sha256sum <<<"$archives" >SHA256SUMS && cat SHA256SUMS)
fi
[[ ! -s $work/runs ]] || cat "$work/runs"
exit "$status"
