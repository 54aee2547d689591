#!/bin/bash
# install.sh TREE PREFIX MANIFEST FILE...: copies the files of a tree to the same places under PREFIX, and lists them there.
# install.sh --remove PREFIX MANIFEST:     removes the listed files, and the folders that this leaves empty.
set -euo pipefail

remove() {
	local prefix=$1 manifest=$2 file folder
	[[ -f $prefix/$manifest ]] || {
		echo "uninstall: error: no $prefix/$manifest: Heddle is not installed there" >&2
		exit 2
	}
	while read -r file; do
		rm -f "$prefix/$file"
		folder=$(dirname "$file")
		while [[ $folder != . ]]; do
			rmdir "$prefix/$folder" 2>/dev/null || break
			folder=$(dirname "$folder")
		done
	done < <(cat "$prefix/$manifest" && echo "$manifest")
}

copy() {
	local tree=$1 prefix=$2 manifest=$3 file mode
	shift 3
	for file; do
		mode=644
		[[ $file == bin/* ]] && mode=755
		if [[ -L $tree/$file ]]; then # relative, and what they lead to is installed, too
			mkdir -p "$(dirname "$prefix/$file")"
			ln -sfn "$(readlink "$tree/$file")" "$prefix/$file"
		else
			install -D -m "$mode" "$tree/$file" "$prefix/$file"
		fi
	done
	printf '%s\n' "$@" | LC_ALL=C sort >"$prefix/$manifest"
	echo "installed in $prefix"
}

if [[ $1 == --remove ]]; then
	remove "$2" "$3"
else
	# What an older version had and this one has not would stay for ever.
	[[ ! -f $2/$3 ]] || remove "$2" "$3"
	copy "$@"
fi
