/*
 * align: the scores of two sequences' alignments (Needleman and Wunsch), in squares of 16 along diagonals, a launch each, a warp
 * half a square: down and up again, each in shared memory along its own diagonals, as Rodinia's nw has them.
 */
#include "../calls/common.h"

#define SIDE 16

__device__ __host__ inline int largest(int a, int b, int c)
{
	int ab = a > b ? a : b;
	return ab > c ? ab : c;
}

__device__ inline void square(const int *similar, int *scores, int columns, int penalty, int bx, int by)
{
	__shared__ int now[SIDE + 1][SIDE + 1], ref[SIDE][SIDE];
	int tx = threadIdx.x, base = columns * SIDE * by + SIDE * bx, at = base + tx + columns + 1;
	if (tx == 0)
		now[tx][0] = scores[base + tx];
	for (int y = 0; y < SIDE; y++)
		ref[y][tx] = similar[at + columns * y];
	__syncthreads();
	now[tx + 1][0] = scores[base + columns + columns * tx];
	__syncthreads();
	now[0][tx + 1] = scores[base + tx + 1];
	__syncthreads();
	for (int m = 0; m < SIDE; m++) {
		if (tx <= m) {
			int x = tx + 1, y = m - tx + 1;
			now[y][x] = largest(now[y - 1][x - 1] + ref[y - 1][x - 1], now[y][x - 1] - penalty, now[y - 1][x] - penalty);
		}
		__syncthreads();
	}
	for (int m = SIDE - 2; m >= 0; m--) {
		if (tx <= m) {
			int x = tx + SIDE - m, y = SIDE - tx;
			now[y][x] = largest(now[y - 1][x - 1] + ref[y - 1][x - 1], now[y][x - 1] - penalty, now[y - 1][x] - penalty);
		}
		__syncthreads();
	}
	for (int y = 0; y < SIDE; y++)
		scores[at + y * columns] = now[y + 1][tx + 1];
}

/* A diagonal of the upper left half, and of the lower right one. */
__global__ void align_first(const int *similar, int *scores, int columns, int penalty, int diagonal)
{
	square(similar, scores, columns, penalty, blockIdx.x, diagonal - 1 - blockIdx.x);
}

__global__ void align_second(const int *similar, int *scores, int columns, int penalty, int diagonal, int width)
{
	square(similar, scores, columns, penalty, blockIdx.x + width - diagonal, width - blockIdx.x - 1);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "align [length]   (rounded up to 16; default 96)"};
	int width = blocks_for(size_argument(arguments, 1, 96, 8192), SIDE), columns = width * SIDE + 1, penalty = 10;
	size_t count = (size_t)columns * columns;
	int *similar = host_array<int>(count), *scores = host_array<int>(count), *got = host_array<int>(count);
	unsigned seed = 1;
	for (size_t i = 0; i < count; i++)
		similar[i] = (int)(next_random(&seed) >> 28) - 4;
	for (int i = 1; i < columns; i++)
		scores[(size_t)i * columns] = scores[i] = -i * penalty;
	int *dsimilar = device_copy(similar, count), *dscores = device_copy(scores, count);
	for (int diagonal = 1; diagonal <= width; diagonal++)
		align_first<<<diagonal, SIDE>>>(dsimilar, dscores, columns, penalty, diagonal);
	for (int diagonal = width - 1; diagonal >= 1; diagonal--)
		align_second<<<diagonal, SIDE>>>(dsimilar, dscores, columns, penalty, diagonal, width);
	CHECK_LAUNCH();

	Verdict verdict = {"align", 0};
	copy_back(got, dscores, count);
	for (int i = 1; i < columns; i++)
		for (int j = 1; j < columns; j++) {
			size_t at = (size_t)i * columns + j;
			scores[at] = largest(scores[at - columns - 1] + similar[at], scores[at - 1] - penalty, scores[at - columns] - penalty);
			if (got[at] != scores[at])
				differs(&verdict, "score %d %d: %d, not %d", i, j, got[at], scores[at]);
		}
	return conclude(verdict, "%d x %d", columns - 1, columns - 1);
}
