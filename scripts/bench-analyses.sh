#!/bin/bash
# make bench-analyses: what the register analyses cost beside register allocation, on the examples and on generated
# kernels of up to 100,000 instructions; the code that PREFETCHes add, and why; and how long register-intervals are in
# runs of the examples, beside the longest there could be.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 scripts/bench_analyses.py "${B:-build}"
