/*
 * align: the scores of two sequences' alignments (Needleman and Wunsch), in squares of 16 along diagonals, a launch each, 16
 * threads a square. In a square they walk along its own diagonals, in shared memory.
 */
#include "../calls/common.h"

#define SIDE 16

__device__ __host__ inline int largest(int a, int b, int c)
{
	int ab = a > b ? a : b;
	return ab > c ? ab : c;
}

/* A thread has a column of the square, and is one row behind its left neighbour. */
__device__ inline void square(const int *similar, int *scores, int columns, int penalty, int column, int row)
{
	__shared__ int score[SIDE + 1][SIDE + 1], reward[SIDE][SIDE];
	int mine = threadIdx.x, corner = (columns * row + column) * SIDE;
	const int *from = similar + corner + columns + 1 + mine;
	int *to = scores + corner;

	for (int i = 0; i < SIDE; i++)
		reward[i][mine] = from[columns * i];
	score[0][mine + 1] = to[mine + 1];
	score[mine + 1][0] = to[columns * (mine + 1)];
	if (mine == SIDE - 1)
		score[0][0] = to[0];
	for (int wave = 0; wave < 2 * SIDE - 1; wave++) {
		int i = wave - mine;
		__syncthreads();
		if (i >= 0 && i < SIDE)
			score[i + 1][mine + 1] = largest(score[i][mine] + reward[i][mine], score[i + 1][mine] - penalty,
							 score[i][mine + 1] - penalty);
	}
	for (int i = 1; i <= SIDE; i++)
		to[columns * i + mine + 1] = score[i][mine + 1];
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
