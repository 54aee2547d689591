#!/bin/bash
# setup.sh [PACKAGE]...: installs the Debian packages that Heddle needs, and those named, that are not there yet.
# Does nothing, and needs neither root nor network, when all of them are installed. Environment: HEDDLE_LLVM, the version of
# LLVM (default: 19; `make LLVM=22` sets it). Packages that the distribution has not are an error that names them.
set -euo pipefail
v=${HEDDLE_LLVM:-19}

packages=(
	make pkg-config git python3 python3-psutil
	python3-jsonschema python3-sarif-python-om # tests of reports
	python3-numpy                              # a test of the Python package
	gnuplot-nox                                                                 # figures
	python3-yaml python3-pygments              # llvm-19-tools' opt-viewer, workflows
	cmake ninja-build mandoc man-db bsdextrautils # tests of what is installed, and of CMake's CUDA language
	"clang-$v" "llvm-$v" "llvm-$v-dev" "llvm-$v-tools" "libclang-$v-dev" "libclang-rt-$v-dev" "lld-$v" # compilers, libLLVM, lit, sanitizers
	clang-format-19                                                             # make format: each version lays out otherwise
	libclc-19 libclc-19-dev                                                     # device math, the same for each LLVM
	libthrust-dev libcub-dev                                                    # Thrust and CUB for programs that use them
	libblas-dev liblapack-dev                                                   # tests of math libraries
	g++ "libomp-$v-dev"                                                         # libstdc++ for the host half and plugin.cpp; OpenMP in host code
	check zstd libelf-dev libjansson-dev libinih-dev libzstd-dev liblz4-dev zlib1g-dev nettle-dev libsqlite3-dev libcsv-dev
	"$@"
)

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
	grep -qx "$package installed" <<<"$installed" || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if (($(id -u) != 0)); then
	command -v sudo >/dev/null || {
		echo "setup: error: not root and no sudo: install these packages: ${missing[*]}" >&2
		exit 2
	}
	as_root=(sudo)
fi

install_missing() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

echo "setup: installing ${missing[*]}" >&2
# The package lists may be absent or out of date: fetch them only when the first try fails.
if ! apt-cache show "${missing[@]}" >/dev/null 2>&1 || ! install_missing; then
	"${as_root[@]}" apt-get update
	known=$(apt-cache show "${missing[@]}" 2>/dev/null | sed -n 's/^Package: //p' || true)
	unknown=$(grep -vxF "$known" < <(printf '%s\n' "${missing[@]}") || true)
	if [[ -n $unknown ]]; then
		system=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME-}" || true)
		echo "setup: error: ${system:-this system} has no package" $unknown >&2
		exit 2
	fi
	install_missing
fi
