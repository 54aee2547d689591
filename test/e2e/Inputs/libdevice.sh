#!/bin/sh
# libdevice.sh HEDDLE_CC HEDDLE CLANG OPT FOLDER: see libdevice.test.
set -e
for folder in "$CUDA_HOME/nvvm/libdevice" "$CUDA_PATH/nvvm/libdevice" /usr/local/cuda*/nvvm/libdevice /usr/lib/cuda/nvvm/libdevice; do
	library=$(ls "$folder"/libdevice*.bc 2>/dev/null | head -n 1)
	[ -z "$library" ] || break
done
[ -n "$library" ] || { echo "no toolkit's libdevice: skipped"; exit 0; }
root=$(cd "$(dirname "$0")/../../.." && pwd)
rm -rf "$5"
mkdir -p "$5"
cat > "$5/app.cu" <<'END'
#include <cstdio>
#include <cmath>
__global__ void k(double *d) { d[threadIdx.x] = erfinv(d[threadIdx.x]) + pow(d[threadIdx.x], 3.5) + sinf(0.5f); }
int main() {
	double *d;
	cudaMallocManaged(&d, 8 * 32);
	for (int i = 0; i < 32; i++)
		d[i] = i / 40.0;
	k<<<1, 32>>>(d);
	if (cudaDeviceSynchronize())
		return 1;
	int bad = 0;
	for (int i = 0; i < 32; i++) /* erf(erfinv(x)) = x */
		bad += fabs(erf(d[i] - pow(i / 40.0, 3.5) - (double)sinf(0.5f)) - i / 40.0) > 1e-6;
	return bad;
}
END
for level in "" -G; do
	"$1" $level -o "$5/ours" "$5/app.cu" && "$5/ours"
	"$1" $level -ldir "$folder" -o "$5/theirs" "$5/app.cu" && "$5/theirs"
done
LIBDEVICE=$library CLANG=$3 HEDDLE=$2 OPT=$4 WORK=$5 sh "$root/scripts/bench-ulp.sh" 256 check | sed 's/^all/both/'
