#!/bin/bash
# check-arm64.sh [--beside HEDDLE] [FOLDER]: Heddle for arm64 hosts, built and run on an x86-64 one (Debian), against the build for
# this one.
#
# Unpacks Debian's arm64 packages as a system in FOLDER (default build/arm64, 130 MB; no root is needed), builds heddle,
# heddle-cc and the runtime's libraries for it, and runs both builds of heddle on the objects of build/test/programs (PROGRAMS
# names another folder): info, dis, occupancy, kernels and recorded programs under several policies and GPUs. Outputs, memory and
# statistics have to be the same to the byte, and every command has to succeed: two that fail alike prove nothing. arm64's
# programs run under qemu-aarch64-static (package qemu-user-static; QEMU names another). Before: make base programs.
# `--beside` builds nothing and runs HEDDLE of this machine instead.
# Prints a line for each difference, one for each command that failed on both sides, and a sum; exit status 1 when there is one.
set -euo pipefail
other=
if [[ ${1-} == --beside ]]; then
	[[ -x ${2-} ]] || { echo 'check-arm64: error: --beside needs a program: HEDDLE of this machine' >&2; exit 2; }
	other=$(realpath "$2")
	shift 2
fi
[[ $# == 0 ]] || set -- "$(realpath -m "$1")"
[[ -z ${PROGRAMS-} ]] || PROGRAMS=$(realpath -m "$PROGRAMS")
cd "$(dirname "$0")/.."
here=$PWD
folder=${1:-$PWD/build/arm64}
programs=${PROGRAMS:-$PWD/build/test/programs}
[[ -e $programs/nbody.hdo ]] || { echo 'check-arm64: error: no programs: make base programs' >&2; exit 2; }

build() {
	qemu=$(command -v "${QEMU:-qemu-aarch64-static}") ||
		{ echo 'check-arm64: error: no qemu-aarch64-static (QEMU names it)' >&2; exit 2; }
	local packages=$folder/packages
	if [[ ! -e $system/done ]]; then
		mkdir -p "$packages"/{state,cache/archives/partial} "$system"
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${MIRROR:-http://deb.debian.org/debian} bookworm main" \
			>"$packages/sources.list"
		: >"$packages/state/status"
		apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$packages/state"
			-o "Dir::State::status=$packages/state/status" -o "Dir::Cache=$packages/cache"
			-o "Dir::Etc::sourcelist=$packages/sources.list" -o Dir::Etc::sourceparts=/dev/null
			-o APT::Install-Recommends=false -o APT::Sandbox::User= -o Debug::NoLocking=1)
		"${apt[@]}" update
		"${apt[@]}" --download-only -y install libc6-dev libstdc++-12-dev libelf-dev libjansson-dev libinih-dev libzstd-dev \
			liblz4-dev zlib1g-dev nettle-dev libsqlite3-dev libcsv-dev >/dev/null
		for package in "$packages"/cache/archives/*.deb; do
			dpkg -x "$package" "$system"
		done
		touch "$system/done"
	fi

	target="--target=aarch64-linux-gnu --sysroot=$system"
	make -j"$(nproc)" WERROR=1 B="$folder/build" CC="${CC:-clang-19} $target" CXX="${CXX:-clang++-19} $target" \
		"$folder"/build/{bin/heddle,bin/heddle-cc,lib/libheddle-cudart.so,lib/libheddle-sim.so} >"$folder/make.log" ||
		{ tail "$folder/make.log"; exit 1; }
	mkdir -p "$folder/build/share"
	ln -sfn "$PWD/build/share/heddle" "$folder/build/share/heddle"
}
system=$folder/system
[[ -n $other ]] || build

# ---------------------------------------------------------------- what is compared

launches=$folder/launches
rm -rf "$launches" "$folder"/out.{x86,arm64}
mkdir -p "$launches" "$folder"/out.{x86,arm64}
# launch NAME GRID BLOCK (TYPE COUNT INIT | i32 VALUE -)...
launch() {
	local file=$launches/$1.ini at=0
	printf '[launch]\ngrid = %s\nblock = %s\n' "$2" "$3" >"$file"
	for ((shift = 4; shift <= $#; shift += 3, at++)); do
		if [[ ${!shift} == i32 ]]; then
			printf '[arg%d]\nkind = i32\nvalue = %s\n' $at "${@:shift+1:1}"
		else
			printf '[arg%d]\nkind = buffer\ntype = %s\ncount = %s\ninit = %s\noutput = out\n' $at "${@:shift:3}"
		fi
	done | sed "s/^output = out/&.$1/" | awk '/^\[/ { part = substr($0, 2, 4) } /^output/ { $0 = $0 "." part } 1' >>"$file"
}
launch step 4 128 f32 2048 random:1:-1:1 f32 2048 value:0 f32 1536 random:2:-1:1 i32 512 -
launch matmul 3,4 16,16 f32 3072 random:1:-1:1 f32 2304 random:2:-1:1 f32 3072 value:0 i32 64 - i32 48 - i32 48 -
launch histogram_shared 4 256 u8 8000 random:3:0:255 i32 8000 - u32 256 value:0

# Neighbouring windows of addresses: under qemu a reserved page takes memory.
record() { build/bin/heddle run --quiet --functional --slot="$1" --record="$launches/$2.run" -- "$programs/$2" >/dev/null; }
record 0 nbody
record 1 shapes
record 0 calls-fib
record 1 barriers

# keep FILE COMMAND...: what a command prints, in FILE, and its status there where it failed.
keep() {
	local file=$1 status=0
	shift
	"$@" >"$file" 2>&1 || status=$?
	((status == 0)) || echo "status $status" >>"$file"
}

found=$(find "$programs" -name '*.hdo' -printf '%P\n' | sort)
mapfile -t objects <<<"$found"

# All runs of one build, in its own folder: the same names in both.
compare() {
	local heddle=("$@") object command
	for object in "${objects[@]}"; do
		for command in info 'info --json' dis occupancy; do
			# shellcheck disable=SC2086
			keep "${object//\//.}.${command// /}.text" "${heddle[@]}" $command "$programs/$object"
		done
	done
	local kernel file gpu policy
	while read -r kernel file gpu policy; do
		local name=$kernel.$gpu.$policy options=(-g "$gpu" -p "$policy")
		[[ $policy != functional ]] || options=(--functional)
		keep "$name.text" "${heddle[@]}" run --quiet --stats="$name.json" "${options[@]}" --kernel "$kernel" \
			--launch "$launches/$kernel.ini" "$programs/$file.hdo"
		for out in out.*; do
			[[ ! -e $out ]] || mv "$out" "$name.$out"
		done
	done < <(
		for policy in functional baseline cars ltrf malekeh bow rfc shrf r2d2 dac darsie vw duet vt swl:2; do
			echo step nbody v100-sim "$policy"
			echo matmul matmul titanv-sim "$policy"
			echo histogram_shared histogram rtx2060-sim "$policy"
		done
		for gpu in gtx480 titanv t4 rtx2080ti rtx3070 a100 h100 maxwell-duet; do
			echo step nbody "$gpu" baseline
			echo matmul matmul "$gpu" baseline
		done
	)
	for policy in baseline ccbp smk spatial; do
		keep "corun.fib.$policy.text" "${heddle[@]}" corun --no-alone --corun-cycles=0 --json -p "$policy" \
			"$launches"/{calls-fib,barriers}.run
	done
	keep corun.nbody.text "${heddle[@]}" corun --no-alone --corun-cycles=0 --json "$launches"/{nbody,shapes}.run
	# What the host needed.
	sed -i -E 's/"(user_seconds|peak_bytes)": [0-9.]+/"\1": 0/' ./*.json ./corun.*
}
(cd "$folder/out.x86" && compare "$here/build/bin/heddle")
if [[ -n $other ]]; then
	(cd "$folder/out.arm64" && compare "$other")
else
	(cd "$folder/out.arm64" && QEMU_LD_PREFIX=$system compare "$qemu" "$folder/build/bin/heddle")
fi
cd "$folder"
diff -rq out.x86 out.arm64 >differences || true
# Of those that say the same.
(cd out.x86 && grep -l '^status [0-9]*$' ./*.text || true) | while read -r file; do
	! cmp -s "out.x86/$file" "out.arm64/$file" || echo "$file: failed on both sides: $(grep -m 1 error "out.x86/$file" || tail -n 1 "out.x86/$file")"
done >failures
cat differences failures
echo "arm64: $(find out.x86 -type f | wc -l) outputs of ${#objects[@]} objects compared," \
	"$(wc -l <differences) differ, $(wc -l <failures) commands failed on both sides"
[[ ! -s differences && ! -s failures ]]
