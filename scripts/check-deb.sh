#!/bin/bash
# check-deb.sh FOLDER: installs the packages of FOLDER (make deb) on a bare system and uses them there, as scripts/check-fresh.sh
# does with the sources, and with its environment (DIST names the distribution): compiles and runs a program, launches a kernel
# from Python, draws a figure, builds against the headers, removes all.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
packages=$(realpath "$1")
export PACKAGES=$packages
exec "$here/check-fresh.sh" 'echo the bare system is there' \
	'apt-get update' \
	'apt-get install -y --no-install-recommends /root/packages/*.deb python3 pkg-config' \
	'heddle doctor' \
	'heddle-cc -O2 -o /root/vecadd /usr/share/heddle/examples/vecadd.cu && heddle run -- /root/vecadd 4096' \
	"python3 -c \"import heddle; print(len(heddle.gpus()), 'GPUs')\"" \
	'cc=$(command -v gcc) && echo "#include <heddle/object.h>" >/root/a.c && $cc -c $(pkg-config --cflags heddle) -o /root/a.o /root/a.c' \
	'heddle-figures --help >/dev/null && cd /root && heddle-figures --size small spills && ls figures/spills-small/*.svg' \
	'apt-get purge -y heddle heddle-figures heddle-dev heddle-doc libheddle-cudart && test ! -e /usr/share/heddle'
