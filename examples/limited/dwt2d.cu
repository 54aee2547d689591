/*
 * dwt2d: the reversible 5/3 wavelet of JPEG 2000 on an image, by lifting: a block has a tile with its borders in shared
 * memory, transforms its rows and then its columns, and writes four quarters: means, and details across, down and both.
 * Each level goes on with the means of the one before. Shared memory says how many blocks are resident.
 */
#include "../grids/grids.h"

#ifndef TILE
#define TILE 48			/* pixels along a side */
#endif
#define HALO 4			/* around it; the transform reaches two to the left, one and two to the right */
#define SPAN (TILE + 2 * HALO)
#define BLOCK 192

/* Beyond its ends a line goes on as in a mirror. */
BOTH int mirrored(int i, int n)
{
	i = i < 0 ? -i : i;
	i = i >= n ? 2 * (n - 1) - i : i;
	return i < 0 ? 0 : i;
}

/* A detail: what is not the mean of the neighbours. A mean: corrected by the details beside it. */
BOTH int detail(int left, int own, int right)
{
	return own - ((left + right) >> 1);
}
BOTH int smooth(int left, int own, int right)
{
	return own + ((left + right + 2) >> 2);
}

/* One lifting step along a direction of the tile: numbers of `odd` parity change, `step` apart from their neighbours.
 */
template <int (*LIFT)(int, int, int)>
__device__ void lift(int *tile, int odd, int along, int across, int margin)
{
	int count = (SPAN - 2 * margin) / 2;
	for (int i = threadIdx.x; i < count * SPAN; i += BLOCK) {
		int line = i % SPAN, place = margin + 2 * (i / SPAN) + odd;
		if (place >= SPAN - margin)
			continue;
		int *at = tile + place * along + line * across;
		*at = LIFT(at[-along], *at, at[along]);
	}
	__syncthreads();
}

__global__ void level(const int *image, int *out, int size, int stride)
{
	__shared__ int tile[SPAN * (SPAN + 1)];
	int left = blockIdx.x * TILE - HALO, top = blockIdx.y * TILE - HALO, half = size / 2;
	for (int i = threadIdx.x; i < SPAN * SPAN; i += BLOCK) {
		int x = mirrored(left + i % SPAN, size), y = mirrored(top + i / SPAN, size);
		tile[i / SPAN * (SPAN + 1) + i % SPAN] = image[y * stride + x];
	}
	__syncthreads();
	lift<detail>(tile, 1, 1, SPAN + 1, 2);
	lift<smooth>(tile, 0, 1, SPAN + 1, 4);
	lift<detail>(tile, 1, SPAN + 1, 1, 2);
	lift<smooth>(tile, 0, SPAN + 1, 1, 4);
	for (int i = threadIdx.x; i < TILE * TILE; i += BLOCK) {
		int x = left + HALO + i % TILE, y = top + HALO + i / TILE;
		if (x < size && y < size)
			out[(y / 2 + y % 2 * half) * stride + x / 2 + x % 2 * half] =
				tile[(HALO + i / TILE) * (SPAN + 1) + HALO + i % TILE];
	}
}

/* One line of n numbers `step` apart: means to the first half, details to the second. */
static void line_on_host(int *line, int n, int step, int *kept)
{
	for (int i = 0; i < n; i++)
		kept[i] = line[i * step];
	for (int i = 1; i < n; i += 2)
		kept[i] = detail(kept[i - 1], kept[i], kept[mirrored(i + 1, n)]);
	for (int i = 0; i < n; i += 2)
		kept[i] = smooth(kept[mirrored(i - 1, n)], kept[i], kept[i + 1]);
	for (int i = 0; i < n; i++)
		line[(i / 2 + i % 2 * (n / 2)) * step] = kept[i];
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "dwt2d [tiles along a side [levels]]   (default 18 of 48 pixels, 2 levels)"};
	int size = TILE * size_argument(arguments, 1, 18, 128), levels = size_argument(arguments, 2, 2, 4),
	    pixels = size * size;
	int *image = host_array<int>(pixels), *kept = host_array<int>(size);
	unsigned seed = 31;
	for (int i = 0; i < pixels; i++)
		image[i] = (int)(next_random(&seed) >> 24);
	int *from = device_copy(image, pixels), *to = device_copy(image, pixels);

	for (int i = 0, own = size; i < levels; i++, own /= 2) {
		level<<<dim3(blocks_for(own, TILE), blocks_for(own, TILE)), BLOCK>>>(from, to, own, size);
		CHECK(cudaMemcpy2D(from, size * sizeof *from, to, size * sizeof *to, own * sizeof *to, own,
				   cudaMemcpyDeviceToDevice));
	}
	CHECK_LAUNCH();

	for (int i = 0, own = size; i < levels; i++, own /= 2) {
		for (int y = 0; y < own; y++)
			line_on_host(image + y * size, own, 1, kept);
		for (int x = 0; x < own; x++)
			line_on_host(image + x, own, size, kept);
	}
	Verdict verdict = {"dwt2d", 0};
	compare(&verdict, "coefficient", to, image, pixels);
	return conclude(verdict, "%d x %d pixels, %d levels", size, size, levels);
}
