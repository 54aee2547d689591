#!/bin/bash
# make bench-scale: host time and memory of simulations that grow in one way: SMs, blocks, kernel length, launches, streams.
# One host thread. Prints; asserts nothing. REPEAT=3: the least time of so many runs counts.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 scripts/bench_scale.py "${B:-build}" --repeat "${REPEAT:-3}"
