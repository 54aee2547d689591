# precompiled-off.sh HEDDLE_CC OPTIONS...: compiles precompiled.cu with each of the options, a word of several, and says
# where clang's arguments, in `log`, have a precompiled header all the same.
cc=$1
shift
for options; do
	rm -f log
	# shellcheck disable=SC2086
	"$cc" $options -c -o a.o precompiled.cu > /dev/null 2>&1 || exit 1
	if grep -q -e '-include-pch.*precompiled.cu' log || ! grep -q 'cuda-host-only.*heddle_cuda.h.*precompiled.cu' log; then
		echo "it is taken with $options"
		exit 1
	fi
done
