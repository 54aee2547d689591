#!/bin/sh
# heddle-figures [OPTION...] NAME...: repeats the simulations of papers and draws their figures, from an installation.
here=$(dirname "$(readlink -f "$0")")
command -v python3 >/dev/null || {
	echo 'heddle-figures: error: python3 is not installed' >&2
	exit 2
}
exec python3 -B "$here/../share/heddle/scripts/draw_figures.py" "$@"
