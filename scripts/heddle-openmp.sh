#!/bin/bash
# heddle-openmp [-arch=sm_XX] [OPTION...] SOURCE... -o PROGRAM: compiles OpenMP programs with target regions for the simulated GPU.
#
# clang compiles each source twice, for the host and for the device. The device halves are linked, optimised with Heddle's plugin,
# which links LLVM's device library, and become one image. LLVM's own host library (libomptarget) loads it when the program
# starts, through the driver API of libheddle-cudart. clang's own tools for the last two steps (Debian: clang-tools-19) want ptxas.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
llvm=${HEDDLE_LLVM:-19}
folder=$(dirname "$(readlink -f "$(command -v "clang-$llvm" || echo /nonexistent/clang)")" || true)
libraries=$folder/../lib

fail() {
	echo "heddle-openmp: error: $1" >&2
	exit 2
}

arch=sm_70 program=a.out level=-O2
sources=() options=() links=()
while (($#)); do
	case $1 in
	-arch=*) arch=${1#-arch=} ;;
	-o) program=${2:?a file after -o} && shift ;;
	-O*) level=$1 ;;
	-l* | -L* | -Wl,*) links+=("$1") ;;
	-D | -I | -U | -isystem | -include) options+=("$1" "${2:?a value after $1}") && shift ;;
	-h | --help)
		sed -n '2s/^# //p' "$0"
		exit 0
		;;
	-*) options+=("$1") ;;
	*.c | *.cc | *.cpp | *.cxx) sources+=("$1") ;;
	*) links+=("$1") ;;
	esac
	shift
done
((${#sources[@]})) || fail 'no source (heddle-openmp SOURCE... -o PROGRAM)'
[[ -x $folder/clang ]] || fail "clang-$llvm is not installed"
compgen -G "$libraries/libomptarget-nvptx-*.bc" >/dev/null || fail "OpenMP's device library is not installed (libomp-$llvm-dev)"
[[ -x $folder/opt && -x $folder/llvm-link ]] || fail "opt and llvm-link are not installed (llvm-$llvm)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
common=("$level" -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda "${options[@]}")
device=(--offload-device-only -Xopenmp-target "-march=$arch" -nogpulib -Xclang -disable-llvm-passes)
objects=() modules=()
for i in "${!sources[@]}"; do
	compiler=clang
	[[ ${sources[i]} == *.c ]] || compiler=clang++
	"$folder/$compiler" "${common[@]}" --offload-host-only -c -o "$work/$i.o" "${sources[i]}"
	"$folder/$compiler" "${common[@]}" "${device[@]}" -c -emit-llvm -o "$work/$i.bc" "${sources[i]}"
	objects+=("$work/$i.o") modules+=("$work/$i.bc")
done
"$folder/llvm-link" -o "$work/device.bc" "${modules[@]}"
HEDDLE_PASS="o=$work/device;offload;whole-program${HEDDLE_PASS:+;$HEDDLE_PASS}" "$folder/opt" \
	-load-pass-plugin="$here/../lib/HeddlePasses.so" -mcpu="$arch" -passes="default<${level#-}>" -disable-output "$work/device.bc"

# What clang-linker-wrapper writes: LLVM's struct __tgt_bin_desc, registered before main and given back at exit.
cat >"$work/image.c" <<'EOF'
#include <stdint.h>
#include <stdlib.h>
struct entry {
	void *address;
	char *name;
	uint64_t size;
	int32_t flags, reserved;
};
struct image {
	const char *begin, *end;
	struct entry *entries, *entries_end;
};
struct binary {
	int32_t count;
	struct image *images;
	struct entry *entries, *entries_end;
};
extern const char heddle_image[], heddle_image_end[];
extern struct entry __start_omp_offloading_entries[], __stop_omp_offloading_entries[];
void __tgt_register_lib(struct binary *);
void __tgt_unregister_lib(struct binary *);
__asm__(".section .rodata,\"a\"\n.balign 16\n.hidden heddle_image\n.globl heddle_image\nheddle_image: .incbin \"" IMAGE
	"\"\n.hidden heddle_image_end\n.globl heddle_image_end\nheddle_image_end:\n.text\n");
static struct image images[1];
static struct binary binary = {1, images, __start_omp_offloading_entries, __stop_omp_offloading_entries};
static void leave(void)
{
	__tgt_unregister_lib(&binary);
}
__attribute__((constructor(101))) static void enter(void)
{
	images[0] = (struct image){heddle_image, heddle_image_end, __start_omp_offloading_entries, __stop_omp_offloading_entries};
	__tgt_register_lib(&binary);
	atexit(leave);
}
EOF
"$folder/clang" -O1 -fPIC -DIMAGE="\"$work/device.hdo\"" -c -o "$work/image.o" "$work/image.c"
# libomptarget loads libcuda.so by its name, and takes the one that the program has loaded already.
driver=$(readlink -f "$here/../share/heddle/openmp")
"$folder/clang++" -o "$program" "${objects[@]}" "$work/image.o" "${links[@]}" -L"$libraries" -lomp -lomptarget \
	-Wl,--no-as-needed "$driver/libcuda.so" -Wl,--disable-new-dtags -Wl,-rpath,"$driver" -Wl,-rpath,"$(readlink -f "$libraries")"
