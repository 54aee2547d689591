#!/bin/bash
# without-toolkit.sh COMMAND [ARG...]: runs COMMAND as on a machine without a CUDA toolkit.
#
# Compilers and makefiles find a toolkit by themselves and behave otherwise where they do, so that what works beside
# one may fail without. In a mount namespace of the command's own, empty folders lie over the customary places and over
# what CUDA_HOME and CUDA_PATH name; the variables are unset, and paths into these places leave the search paths. Where
# the system allows no such namespace, the command runs with the variables changed only, and a line says so.
set -euo pipefail

if [[ ${1-} == --inside ]]; then # in the namespace: places up to --, then the command
	shift
	while [[ $1 != -- ]]; do
		if [[ -d $1 ]]; then mount -t tmpfs -o ro,size=4k none "$1"; else mount --bind /dev/null "$1"; fi
		shift
	done
	shift
	exec "$@"
fi
(($#)) || { echo 'usage: without-toolkit.sh COMMAND [ARG...]' >&2; exit 2; }

# Folders of toolkits by their real names, and the programs of a distribution's own toolkit, which it has among all others.
found=()
for place in "${CUDA_HOME-}" "${CUDA_PATH-}" "${CUDA_ROOT-}" /usr/local/cuda* /opt/cuda* /usr/lib/cuda* \
	/usr/lib/nvidia-cuda-toolkit; do
	[[ -n $place && -d $place ]] && found+=("$place")
done
((${#found[@]})) && readarray -t found < <(realpath -- "${found[@]}")
places=()
for place in "${found[@]}"; do
	[[ $place != / && $place != /usr && " ${places[*]-} " != *" $place "* ]] && places+=("$place")
done
inside() { # whether a real path leads into one of them
	local place
	for place in "${places[@]}"; do
		[[ $1/ == "$place"/* ]] && return 0
	done
	return 1
}

unset CUDA_HOME CUDA_PATH CUDA_ROOT CUDACXX CUDAHOSTCXX NVCC NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
for name in PATH LIBRARY_PATH LD_LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH; do
	[[ -n ${!name-} ]] || continue
	IFS=: read -ra parts <<<"${!name}"
	readarray -t real < <(realpath -m -- "${parts[@]/#%/.}")
	kept=
	for i in "${!parts[@]}"; do
		inside "${real[i]}" || kept+=${kept:+:}${parts[i]}
	done
	export "$name=$kept"
	[[ -n $kept ]] || unset "$name"
done
readarray -t found < <(type -aP nvcc ptxas nvlink)
((${#found[@]})) && readarray -t -O "${#places[@]}" places < <(realpath -- "${found[@]}")

((${#places[@]})) || exec "$@"
namespace=(unshare --mount)
(($(id -u) == 0)) || namespace+=(--map-root-user)
if ! "${namespace[@]}" true 2>/dev/null; then
	echo "without-toolkit: no mount namespace here: ${places[*]} stay in sight" >&2
	exec "$@"
fi
exec "${namespace[@]}" "$0" --inside "${places[@]}" -- "$@"
