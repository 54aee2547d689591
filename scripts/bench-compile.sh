#!/bin/bash
# make bench-compile: device compile time with the plugin over without it, and the plugin's own time beside that of ptxas:
# the examples, and generated kernels of growing size. Runs take turns, and the figures are medians.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 scripts/bench_compile.py "${B:-build}"
