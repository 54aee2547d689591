#!/bin/bash
# make bench-compile: device compile time with the plugin over without it: the examples, and generated
# kernels of growing size. Both runs end in PTX; pairs alternate, and the ratio is of the medians.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 scripts/bench_compile.py "${B:-build}"
