#!/bin/bash
# make bench-calls: what waits at calls and returns in code of nvcc, of examples/calls compiled module by module: docs/model.md,
# Two cores. ARCH: sm_75 by default. Says so and succeeds where there is no nvcc.
set -euo pipefail
cd "$(dirname "$0")/.."
nvcc=$(PATH="$PATH:${CUDA_PATH:-/usr/local/cuda}/bin" command -v nvcc) || {
	echo 'nvcc not found'
	exit 0
}
exec python3 scripts/bench_calls.py "${B:-build}/bench/calls" "$nvcc" "${ARCH:-sm_75}"
