#!/bin/bash
# make bench-sampling: errors and time of `heddle run --sampling` against full runs, over examples/workloads.txt.
# Prints; asserts nothing. SIZES=tests|default|figures|long (scripts/plans/sampling.txt), GPUS="v100 ...", ERROR=percents, NAMES="..." only these, JOBS=2.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 scripts/bench_sampling.py "${B:-build}"
