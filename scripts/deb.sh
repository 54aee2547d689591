#!/bin/bash
# deb.sh STAGE OUT: Debian packages of an installation under STAGE/usr (make install DESTDIR=STAGE PREFIX=/usr), into OUT.
#
#   libheddle-cudart  what compiled programs need: the runtime, math libraries, the GPUs' figures
#   heddle            the programs, the compiler's parts, the Python package
#   heddle-figures    heddle-figures, its plans and scripts; the sources that they run are heddle-doc's examples
#   heddle-dev        headers, libheddle.a, pkg-config, CMake
#   heddle-doc        the docs and examples
#
# Dependencies on shared libraries are those that dpkg-shlibdeps finds (package dpkg-dev). `make check-deb` installs the
# result in a bare system. Environment: SOURCE_DATE_EPOCH, the date of all files (default: that of the last commit).
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
stage=$(realpath "$1")/usr
mkdir -p "$2"
out=$(realpath "$2")
version=$(sed -n 's/^#define HD_VERSION "\(.*\)"/\1/p' "$here/include/heddle/version.h")
llvm=${HEDDLE_LLVM:-19}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
architecture=$(dpkg --print-architecture)
command -v dpkg-shlibdeps >/dev/null || { echo 'deb: error: dpkg-shlibdeps is not installed (package dpkg-dev)' >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# Which package a file of the installation belongs to: the first pattern that it matches.
package_of() {
	case $1 in
	share/heddle/manifest.txt | share/heddle/folders.txt) ;;
	lib/libheddle-*.so | lib/libnvrtc.so | share/heddle/gpus/*) echo libheddle-cudart ;;
	bin/heddle-figures | share/man/man1/heddle-figures.1 | share/heddle/scripts/*) echo heddle-figures ;;
	include/* | lib/*.a | lib/pkgconfig/* | lib/cmake/*) echo heddle-dev ;;
	share/doc/* | share/heddle/examples/*) echo heddle-doc ;;
	*) echo heddle ;;
	esac
}

(cd "$stage" && find . \( -type f -o -type l \) -printf '%P\n') | LC_ALL=C sort >"$work/files"
while IFS= read -r file; do
	package=$(package_of "$file")
	[[ -z $package ]] || echo "$file" >>"$work/$package.files"
done <"$work/files"

for package in libheddle-cudart heddle heddle-figures heddle-dev heddle-doc; do
	mkdir -p "$work/$package/usr" "$work/$package/DEBIAN"
	tar -C "$stage" --no-recursion -cf - -T "$work/$package.files" | tar -C "$work/$package/usr" -xf -
done

# Programs and libraries of these folders, each with a zero byte after it: what is executable may be a script.
programs() {
	local file
	find "$@" -type f \( -perm -u+x -o -name '*.so' \) -print0 | while IFS= read -r -d '' file; do
		[[ $(head -c 4 "$file" | od -An -tx1) != ' 7f 45 4c 46' ]] || printf '%s\0' "$file"
	done
}

# As Debian's policy has it: no debug information, compressed manual pages, modules of Python where Python looks.
programs "$work"/*/usr | xargs -0 "llvm-strip-$llvm" --strip-unneeded
find "$work" -path '*/usr/lib/*.so' -type f -exec chmod 644 {} +
find "$work" -path '*/usr/share/man/*' -type f -exec gzip -9n {} +
mkdir -p "$work/heddle/usr/lib/python3/dist-packages" "$work/heddle-doc/usr/share/doc/heddle-doc"
ln -s ../../../share/heddle/python/heddle "$work/heddle/usr/lib/python3/dist-packages/heddle"
[[ ! -d $work/heddle-doc/usr/share/doc/heddle ]] ||
	mv "$work/heddle-doc/usr/share/doc/heddle"/* "$work/heddle-doc/usr/share/doc/heddle-doc/"
rm -rf "$work/heddle-doc/usr/share/doc/heddle"

# The packages with the shared libraries that a package's programs need, one list.
libraries() {
	local package=$1 tree=$work/shlibs
	mkdir -p "$tree/debian"
	printf 'Source: heddle\n\nPackage: %s\nArchitecture: any\n' "$package" >"$tree/debian/control"
	programs "$work/$package/usr" |
		(cd "$tree" && xargs -0 dpkg-shlibdeps -O --ignore-missing-info -l"$work/libheddle-cudart/usr/lib" \
			-x"$package" -xlibheddle-cudart 2>"$work/shlibs.log") | sed -n 's/^shlibs:Depends=//p' ||
		{ cat "$work/shlibs.log" >&2; return 1; }
}

# NAME ARCHITECTURE SECTION DEPENDS EXTRA DESCRIPTION...: packs one package. DESCRIPTION is a line and further lines.
pack() {
	local package=$1 arch=$2 section=$3 depends=$4 extra=$5 tree=$work/$1
	shift 5
	mkdir -p "$tree/usr/share/doc/$package"
	cp "$here/LICENSE" "$tree/usr/share/doc/$package/copyright"
	printf 'heddle (%s) unstable; urgency=medium\n\n  * The changes are in heddle-doc, CHANGELOG.md.\n\n -- %s  %s\n' \
		"$version" "$maintainer" "$(date -uRd "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$tree/usr/share/doc/$package/changelog.gz"
	{
		printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\n' "$package" "$version" "$arch" "$maintainer"
		printf 'Section: %s\nPriority: optional\nInstalled-Size: %s\n' "$section" "$(du -sk "$tree/usr" | cut -f 1)"
		[[ -z $depends ]] || printf 'Depends: %s\n' "$depends"
		[[ -z $extra ]] || printf '%s\n' "$extra"
		printf 'Description: %s\n' "$1"
		shift
		printf ' %s\n' "$@"
	} >"$tree/DEBIAN/control"
	(cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
	find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -print0 | xargs -0 -r touch -hd "@$SOURCE_DATE_EPOCH"
	dpkg-deb --root-owner-group --build "$tree" "$out/${package}_${version}_${arch}.deb" >/dev/null
	echo "$out/${package}_${version}_${arch}.deb"
}

# What Python leaves beside the modules goes with them.
printf '#!/bin/sh\nset -e\nfind /usr/share/heddle -type d -name __pycache__ -prune -exec rm -rf {} +\n' >"$work/heddle/DEBIAN/prerm"
chmod 755 "$work/heddle/DEBIAN/prerm"
printf '#!/bin/sh\nset -e\nrm -rf /usr/share/heddle/scripts/__pycache__ /usr/share/heddle/scripts/figures/__pycache__\n' \
	>"$work/heddle-figures/DEBIAN/prerm"
chmod 755 "$work/heddle-figures/DEBIAN/prerm"

maintainer='Heddle developers <heddle@localhost>'
# /usr/lib has libraries that the linker's cache is to know.
echo 'activate-noawait ldconfig' >"$work/libheddle-cudart/DEBIAN/triggers"
runtime=$(libraries libheddle-cudart)
tools=$(libraries heddle)
pack libheddle-cudart "$architecture" libs "$runtime" 'Recommends: heddle' \
	'simulated GPU behind the CUDA runtime interface' \
	'Programs that heddle-cc compiled run on a simulated GPU with this library.' \
	'It has the models of the GPUs and libraries in the place of cuBLAS, cuFFT,' \
	'cuSOLVER, cuSPARSE, cuRAND, NCCL and nvrtc.'
pack heddle "$architecture" devel \
	"libheddle-cudart (= $version), clang-$llvm, llvm-$llvm, lld-$llvm, g++, $tools" \
	"Recommends: python3
Suggests: heddle-dev, heddle-doc, heddle-figures, libomp-$llvm-dev, libthrust-dev, libcub-dev" \
	'compiler and simulator for register files of GPUs' \
	'heddle-cc compiles CUDA C++, heddle runs programs and single kernels on' \
	'simulated GPUs, compares designs, checks for races, and gates the resources of' \
	'kernels. The Python module heddle launches kernels on arrays.'
pack heddle-figures all devel "heddle (= $version), heddle-doc (= $version), python3, gnuplot-nox" '' \
	"figures of papers, drawn from Heddle's simulations" \
	'heddle-figures repeats the simulations of papers about register files of GPUs' \
	'and draws their figures.'
pack heddle-dev "$architecture" libdevel \
	"heddle (= $version), libelf-dev, libjansson-dev, libinih-dev, libzstd-dev, liblz4-dev, zlib1g-dev, nettle-dev" '' \
	'headers of Heddle' \
	'Headers and a static library that read kernel objects and their metadata, headers' \
	'for policies in shared objects, files for pkg-config and CMake.'
pack heddle-doc all doc '' 'Suggests: heddle' \
	'documentation and examples of Heddle' \
	'The pages about the compiler, the metadata, the model of the GPU and the papers' \
	'that it implements, and CUDA programs to begin with.'
