#!/bin/sh
# pictures.sh BUILD: makes docs/report.png and docs/report-source.png, what `heddle report` shows in a browser.
# `make pictures` installs the browser and pngquant, and builds what is run.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "$1")
for tool in chromium pngquant; do
	command -v $tool >/dev/null || { echo "pictures.sh: $tool is not installed (scripts/setup.sh $tool)" >&2; exit 2; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# shot VIEW FILE: the page at this address, 1,400 pixels wide, with 256 colours.
shot() {
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/user" --window-size=1400,860 \
		--screenshot="$work/shot.png" "file://$work/page.html#$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	pngquant --force --strip --output "$2" 256 "$work/shot.png"
}

part='--gpu v100 --set sm_count=4 --set l2_slices=4 --set dram_channels=2'
run() { # run PROGRAM...: a page of its runs under CARS and without
	"$build/bin/heddle" run --quiet $part --policy baseline --policy cars --by-instruction --stats "$work/stats.json" -- "$@" >"$work/log" ||
		{ cat "$work/log" >&2; exit 1; }
	"$build/bin/heddle" report --title "$(basename "$1")" -o "$work/page.html" "$work/stats.json" "$1"
}

run "$build/examples/calls/mst" 8192 4
shot overview docs/report.png
shot source docs/report-source.png
