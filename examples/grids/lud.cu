/*
 * lud: LU decomposition in blocks of 16 x 16, three kernels a diagonal block: the block itself, the blocks right of and
 * below it, and those that are both. Many small launches: what each computes before its threads run has little to be
 * shared by.
 */
#include "grids.h"

#define SIDE 16

__global__ void diagonal(float *m, int n, int offset)
{
	__shared__ float tile[SIDE][SIDE];
	int tx = threadIdx.x, place = offset * n + offset + tx;
	for (int i = 0; i < SIDE; i++, place += n)
		tile[i][tx] = m[place];
	__syncthreads();
	for (int i = 0; i < SIDE - 1; i++) {
		if (tx > i) {
			for (int j = 0; j < i; j++)
				tile[tx][i] = fmaf(-tile[tx][j], tile[j][i], tile[tx][i]);
			tile[tx][i] /= tile[i][i];
		}
		__syncthreads();
		if (tx > i)
			for (int j = 0; j < i + 1; j++)
				tile[i + 1][tx] = fmaf(-tile[i + 1][j], tile[j][tx], tile[i + 1][tx]);
		__syncthreads();
	}
	place = (offset + 1) * n + offset + tx;
	for (int i = 1; i < SIDE; i++, place += n)
		m[place] = tile[i][tx];
}

/* The first half of a block's threads solves for a block right of the diagonal, the other for one below. */
__global__ void perimeter(float *m, int n, int offset)
{
	__shared__ float corner[SIDE][SIDE], right[SIDE][SIDE], below[SIDE][SIDE];
	int tx = threadIdx.x % SIDE, next = offset + SIDE * (blockIdx.x + 1);
	bool is_right = threadIdx.x < SIDE;

	for (int i = 0; i < SIDE; i++) {
		if (is_right) {
			corner[i][tx] = m[(offset + i) * n + offset + tx];
			right[i][tx] = m[(offset + i) * n + next + tx];
		} else {
			below[i][tx] = m[(next + i) * n + offset + tx];
		}
	}
	__syncthreads();
	if (is_right) {
		for (int i = 1; i < SIDE; i++)
			for (int j = 0; j < i; j++)
				right[i][tx] = fmaf(-corner[i][j], right[j][tx], right[i][tx]);
	} else {
		for (int i = 0; i < SIDE; i++) {
			for (int j = 0; j < i; j++)
				below[tx][i] = fmaf(-below[tx][j], corner[j][i], below[tx][i]);
			below[tx][i] /= corner[i][i];
		}
	}
	__syncthreads();
	for (int i = 0; i < SIDE; i++) {
		if (is_right)
			m[(offset + i) * n + next + tx] = right[i][tx];
		else
			m[(next + i) * n + offset + tx] = below[i][tx];
	}
}

__global__ void internal(float *m, int n, int offset)
{
	__shared__ float right[SIDE][SIDE], below[SIDE][SIDE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = offset + SIDE * (blockIdx.y + 1), column = offset + SIDE * (blockIdx.x + 1);

	right[ty][tx] = m[(offset + ty) * n + column + tx];
	below[ty][tx] = m[(row + ty) * n + offset + tx];
	__syncthreads();
	float value = m[(row + ty) * n + column + tx];
	for (int i = 0; i < SIDE; i++)
		value = fmaf(-below[ty][i], right[i][tx], value);
	m[(row + ty) * n + column + tx] = value;
}

static void on_host(float *m, int n)
{
	for (int k = 0; k < n; k++) {
		for (int i = k + 1; i < n; i++) {
			m[i * n + k] /= m[k * n + k];
			for (int j = k + 1; j < n; j++)
				m[i * n + j] = fmaf(-m[i * n + k], m[k * n + j], m[i * n + j]);
		}
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "lud [size / 16]   (default 22)"};
	int blocks = size_argument(arguments, 1, 22, 256), n = blocks * SIDE;
	size_t cells = (size_t)n * n;
	float *m = random_floats(cells, 1);
	for (int i = 0; i < n; i++)
		m[(size_t)i * n + i] += n;
	float *dm = device_copy(m, cells);

	for (int i = 0; i < blocks; i++) {
		int rest = blocks - i - 1;
		diagonal<<<1, SIDE>>>(dm, n, i * SIDE);
		if (!rest)
			break;
		perimeter<<<rest, 2 * SIDE>>>(dm, n, i * SIDE);
		internal<<<dim3(rest, rest), dim3(SIDE, SIDE)>>>(dm, n, i * SIDE);
	}
	CHECK_LAUNCH();

	on_host(m, n);
	Verdict verdict = {"lud", 0};
	compare(&verdict, "m", dm, m, cells);
	return conclude(verdict, "%d x %d", n, n);
}
