#!/bin/bash
# bench-cluster.sh: what heddle sweep --engine slurm takes beside its runs, on a Slurm of many nodes on this host (Debian's
# slurm-wlm and munge, as root). NODES=N, TASKS=N and LONG=SECONDS change its numbers.
set -euo pipefail
exec python3 "$(dirname "$0")/bench_cluster.py" "${B:-build}"
