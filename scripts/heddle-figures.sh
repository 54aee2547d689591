#!/bin/sh
# heddle-figures [OPTION...] NAME...: repeats the simulations of papers and draws their figures, from an installation.
here=$(dirname "$(readlink -f "$0")")
exec python3 "$here/../share/heddle/scripts/draw_figures.py" "$@"
