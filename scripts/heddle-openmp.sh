#!/bin/bash
# heddle-openmp [-arch=sm_XX] [-o PROGRAM] [OPTION...] SOURCE...: compiles OpenMP programs with target regions for the simulated GPU.
#
# clang compiles each source twice, for the host and for the device, and links the program. It always links: -c is not
# accepted. Sources are C and C++; objects and libraries go to the linker, as do its options. Other options are clang's, for both
# halves. HEDDLE_LLVM=N takes clang-N.
#
#   -arch=sm_XX  the device's architecture (default: sm_70)
#   -o FILE      the program (default: a.out)
#   -OLEVEL      of both halves: -O0 to -O3, -Os, -Oz (default: -O2)
#   -h           print this help

# The device halves are linked, optimised with Heddle's plugin, which links LLVM's device library, and become one image. LLVM's own
# host library (libomptarget) loads it when the program starts, through the driver API of libheddle-cudart. clang's own tools for
# the last two steps (Debian: clang-tools-19) want ptxas.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
llvm=${HEDDLE_LLVM:-19} # the build puts its own version here

fail() {
	echo "heddle-openmp: error: $1" >&2
	exit 2
}

# The manual page: the text above, and the date and version of heddle's pages.
page() {
	local foot
	foot=$("$here/heddle" --man) || fail "heddle is not beside heddle-openmp"
	printf '%s\n' '.\" Made from the help of heddle-openmp; do not edit.' "$(grep '^\.Dd ' <<<"$foot")" '.Dt HEDDLE-OPENMP 1' \
		"$(grep '^\.Os ' <<<"$foot")" '.Sh NAME' '.Nm heddle-openmp' \
		".Nd compile OpenMP programs with target regions for the simulated \&GPU" '.Sh SYNOPSIS' '.Nm' '.Op Fl arch Ns = Ns Ar sm_XX' \
		'.Op Fl o Ar program' '.Op Ar option ...' '.Ar source ...' '.Sh DESCRIPTION'
	# An option line has two blanks before it, and its words two or more behind it. A sentence has a line for itself.
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" | sed -e 's/-/\\-/g' | awk '
		/^  \\-/ {
			if (!options++) print text "\n.Sh OPTIONS\n.Bl -tag -width Ds"
			text = ""
			match($0, /^  [^ ]+( [A-Z]+)?  +/)
			split(substr($0, 3, RLENGTH - 2), flag, / +/)
			sub(/^\\-/, "", flag[1])
			print ".It Fl " flag[1] (flag[2] ? " Ar " flag[2] : "") "\n" substr($0, RLENGTH + 1)
			next
		}
		/^$/ { next }
		{ text = text (text ? " " : "") $0 }
		END { print ".El" }' | sed -e 's/\([.:]\) \([A-Z]\)/\1\n\2/g' -e "s/'/\\\\(aq/g"
	printf '%s\n' '.Sh EXIT STATUS' '0, 2 where an option is wrong or a part is not installed, or the status of the compiler that failed.' \
		'.Sh SEE ALSO' '.Xr heddle-cc 1 ,' '.Xr heddle-run 1'
}

arch=sm_70 program=a.out level=-O2 pass=O2 language=
sources=() languages=() options=() links=() depends=() target=()
while (($#)); do
	option=$1 value=
	words=("$option")
	case $option in
	# Options whose value is the next word, all that clang has for C and C++ on Linux.
	-arch | -o | -x | -l | -L | -z | -u | -T | -Xlinker | -rpath | -MF | -MT | -MQ | -D | -U | -I | -F | -B | -isystem | -iquote | \
		-idirafter | -include | -imacros | -iprefix | -iwithprefix | -iwithprefixbefore | -isysroot | -cxx-isystem | -Xclang | -mllvm | \
		-Xpreprocessor | -Xassembler | -target | -Xopenmp-target | -Xopenmp-target=* | --param | --sysroot | --config)
		(($# > 1)) || fail "no value after $option"
		value=$2 && words+=("$value") && shift
		;;
	esac
	case $option in
	-h | --help)
		sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	--man)
		page
		exit 0
		;;
	-arch) arch=$value ;;
	-arch=*) arch=${option#*=} ;;
	-o) program=$value ;;
	-o?*) program=${option#-o} ;;
	-x) language=$value ;;
	-x?*) language=${option#-x} ;;
	# clang's levels, of which opt knows fewer.
	-O | -O1 | -Og) level=$option pass=O1 ;;
	-O0 | -O2 | -Os | -Oz) level=$option pass=${option#-} ;;
	-O3 | -O[4-9]) level=-O3 pass=O3 ;;
	-Ofast) level=-O3 pass=O3 && options+=(-ffast-math) ;;
	-O*) fail "$option is no level of optimisation" ;;
	-c | -S | -E | -M | -MM | -MJ* | -fsyntax-only | -emit-llvm | -shared | -r | -static | --precompile | -fopenmp-targets=* | --offload-* | \
		-foffload-lto* | -flto* | -save-temps* | -\#\#\# | -)
		fail "$option is not supported: heddle-openmp makes a program out of sources, for one architecture (-arch)"
		;;
	-MD | -MMD | -MP) depends+=("$option") ;;
	-MF*) depends+=("${words[@]}") ;;
	-MT* | -MQ*) target+=("${words[@]}") ;;
	-z | -u | -T | -Xlinker | -rpath | -l* | -L* | -Wl,* | -s | -pie | -no-pie | -rdynamic | -fuse-ld=*) links+=("${words[@]}") ;;
	-pthread) options+=("$option") && links+=("$option") ;;
	-*) options+=("${words[@]}") ;;
	*.o | *.a | *.so | *.so.*)
		if [[ -r $option ]] && grep -qF .llvm.offloading -- "$option"; then
			fail "$option has device code of its own, which would be lost: name its sources"
		fi
		links+=("$option")
		;;
	*)
		kind=$language
		if [[ -z $kind || $kind == none ]]; then
			case $option in
			*.c) kind=c ;;
			*.C | *.cc | *.cp | *.cpp | *.cxx | *.c++ | *.CC | *.CPP | *.CXX | *.C++) kind=c++ ;;
			*) fail "$option is named neither as C or C++ source nor as an object or a library" ;;
			esac
		fi
		[[ $kind == c || $kind == c++ ]] || fail "-x $kind is not supported: sources are c or c++"
		sources+=("$option") languages+=("$kind")
		;;
	esac
	shift
done
[[ $arch == sm_[0-9]* ]] || fail "$arch is no architecture (sm_70)"
if ((${#depends[@]})); then
	[[ " ${depends[*]} " == *' -MF'* ]] || fail "${depends[0]} needs -MF FILE"
	((${#sources[@]} < 2)) || fail "-MF FILE is for one source"
	((${#target[@]})) || target=(-MT "$program")
fi
((${#sources[@]})) || fail 'no source (heddle-openmp SOURCE... -o PROGRAM)'
folder=$(dirname "$(readlink -f "$(command -v "clang-$llvm" || echo /nonexistent/clang)")")
libraries=$folder/../lib
[[ -x $folder/clang ]] || fail "clang-$llvm is not installed"
compgen -G "$libraries/libomptarget-nvptx-*.bc" >/dev/null || fail "OpenMP's device library is not installed (libomp-$llvm-dev)"
[[ -x $folder/opt && -x $folder/llvm-link ]] || fail "opt and llvm-link are not installed (llvm-$llvm)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
common=("$level" -fopenmp -fopenmp-targets=nvptx64-nvidia-cuda "${options[@]}")
device=(--offload-device-only -Xopenmp-target "-march=$arch" -nogpulib -Xclang -disable-llvm-passes)
objects=() modules=()
for i in "${!sources[@]}"; do
	source=(-x "${languages[i]}" "${sources[i]}")
	"$folder/clang" "${common[@]}" "${depends[@]}" "${target[@]}" --offload-host-only -c -o "$work/$i.o" "${source[@]}"
	"$folder/clang" "${common[@]}" "${device[@]}" -c -emit-llvm -o "$work/$i.bc" "${source[@]}"
	objects+=("$work/$i.o") modules+=("$work/$i.bc")
done
"$folder/llvm-link" -o "$work/device.bc" "${modules[@]}"
HEDDLE_PASS="o=$work/device;offload;whole-program${HEDDLE_PASS:+;$HEDDLE_PASS}" "$folder/opt" \
	-load-pass-plugin="$here/../lib/HeddlePasses.so" -mcpu="$arch" -passes="default<$pass>" -disable-output "$work/device.bc"

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
// A program without a target region has no such section: both are null then.
extern struct entry __start_omp_offloading_entries[] __attribute__((weak, visibility("hidden")));
extern struct entry __stop_omp_offloading_entries[] __attribute__((weak, visibility("hidden")));
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
