#!/bin/bash
# make bench-instructions: host instructions of thirteen small simulations under valgrind, beside those that
# test/e2e/Inputs/host-instructions.txt keeps. Prints; asserts nothing. UPDATE=1 writes the file again.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 scripts/bench_instructions.py "${B:-build}" ${UPDATE:+--update}
