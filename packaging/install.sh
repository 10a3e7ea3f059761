#!/bin/sh
# Installs the program of this folder for one user, or for all with another prefix, and its menu entry.
set -eu

usage() {
    cat <<TEXT
Usage: ./install.sh [PREFIX]

Copies the program, its menu entry, its manual pages and its completions below PREFIX, by default ~/.local.
To remove them, run: ./install.sh --remove [PREFIX]
TEXT
}

remove=
case ${1-} in
    --help | -h) usage && exit ;;
    --remove) remove=yes && shift ;;
    -*) usage >&2 && exit 2 ;;
esac
prefix=${1:-$HOME/.local}
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
cd "$(dirname "$0")"

# Copies a file, or removes its copy.
place() { # file, path below the prefix
    if [ -n "$remove" ]; then
        rm -f "$prefix/$2"
    else
        mkdir -p "$(dirname "$prefix/$2")"
        # A program that runs cannot be overwritten, only replaced.
        rm -f "$prefix/$2"
        cp "$1" "$prefix/$2"
    fi
}

place chuhe bin/chuhe
place icon.svg share/icons/hicolor/scalable/apps/chuhe.svg
place completions/chuhe.bash share/bash-completion/completions/chuhe
place completions/_chuhe share/zsh/site-functions/_chuhe
place completions/chuhe.fish share/fish/vendor_completions.d/chuhe.fish
for page in man/*.1; do
    place "$page" "share/man/man1/$(basename "$page")"
done
entry=$prefix/share/applications/chuhe.desktop
if [ -n "$remove" ]; then
    rm -f "$entry"
    echo "removed from $prefix"
    exit
fi
mkdir -p "$(dirname "$entry")"
# A menu need not have the folder of the program in its path.
while IFS= read -r line; do
    case $line in
        Exec=*) printf 'Exec="%s" web\n' "$prefix/bin/chuhe" ;;
        *) printf '%s\n' "$line" ;;
    esac
done <chuhe.desktop >"$entry"
echo "installed: $prefix/bin/chuhe"
case ":$PATH:" in
    *":$prefix/bin:"*) echo "'chuhe web' opens the board" ;;
    *) echo "'$prefix/bin/chuhe web' opens the board; for the short form put $prefix/bin into your PATH" ;;
esac
