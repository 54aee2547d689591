#!/bin/bash
# install.sh TREE PREFIX MANIFEST FILE...: copies the files of a tree to the same places under PREFIX, and lists them there.
# install.sh --remove PREFIX MANIFEST:     removes the listed files, what Python wrote beside modules of these, and the folders that
#                                          copying made, where they are empty then.
# The folders that were made are listed beside MANIFEST, in folders.txt.
set -euo pipefail

# Each folder that a path of the input leads through, the deepest first.
folders() {
	awk '{ while (sub("/[^/]*$", "") && !seen[$0]++) print }' | LC_ALL=C sort -r
}

# The beginnings of the files that Python compiles the input's modules into.
compiled() {
	sed -n 's|\([^/]*\)\.py$|__pycache__/\1|p'
}

remove() {
	local prefix=$1 manifest=$2 files module made
	local list=${manifest%/*}/folders.txt
	[[ -f $prefix/$manifest ]] || {
		echo "uninstall: error: no $prefix/$manifest: Heddle is not installed there" >&2
		exit 2
	}
	files=$(cat "$prefix/$manifest" && printf '%s\n' "$manifest" "$list")
	made=$(cat "$prefix/$list" 2>/dev/null || true)
	(cd "$prefix" && xargs -d '\n' rm -f -- <<<"$files")
	compiled <<<"$files" | while IFS= read -r module; do rm -f -- "$prefix/$module".*.pyc; done
	made=$(compiled <<<"$files" | sed 's|/[^/]*$||')$'\n'$made
	(cd "$prefix" && LC_ALL=C sort -ru <<<"$made" | xargs -d '\n' rmdir --ignore-fail-on-non-empty -- 2>/dev/null) || true
}

# The files of the input with this mode; links as they are: they are relative, and what they lead to is installed, too.
copy_with() {
	tar -C "$2" --mode="$1" --no-recursion -cf - -T - | tar -C "$3" --touch --no-same-owner --preserve-permissions -xf -
}

copy() {
	local tree=$1 prefix=$2 manifest=$3 files made
	shift 3
	files=$(printf '%s\n' "$@" | LC_ALL=C sort)
	umask 022
	mkdir -p "$prefix"
	made=$(printf '%s\n' "$files" "$manifest" | folders | while IFS= read -r folder; do
		[[ -d $prefix/$folder ]] || echo "$folder"
	done)
	grep '^bin/' <<<"$files" | copy_with 755 "$tree" "$prefix"
	grep -v '^bin/' <<<"$files" | copy_with 644 "$tree" "$prefix"
	echo "$files" >"$prefix/$manifest"
	echo "$made" >"$prefix/${manifest%/*}/folders.txt"
	echo "installed in $prefix"
}

if [[ $1 == --remove ]]; then
	remove "$2" "$3"
else
	# What an older version had and this one has not would stay for ever.
	[[ ! -f $2/$3 ]] || remove "$2" "$3"
	copy "$@"
fi
