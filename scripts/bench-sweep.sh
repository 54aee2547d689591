#!/bin/bash
# bench-sweep.sh: what heddle sweep takes beside its runs, for runs of ten seconds, and the time and size of a gather of
# 100,000 results (RESULTS=N: of so many; they are copies of one).
# RUNS=N: so many runs of ten seconds.
set -euo pipefail
exec python3 "$(dirname "$0")/bench_sweep.py" "${B:-build}"
