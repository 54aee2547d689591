#!/bin/bash
# make bench-ptxas: registers, stack and code size of every kernel and function of the examples beside those of
# ptxas -O3 on the same IR. Says so and succeeds where there is no ptxas.
set -euo pipefail
cd "$(dirname "$0")/.."
ptxas=$(PATH="$PATH:${CUDA_PATH:-/usr/local/cuda}/bin" command -v ptxas) || {
	echo 'ptxas not found'
	exit 0
}
exec python3 scripts/bench_ptxas.py "${B:-build}" "$ptxas" "$@"
