/*
 * fdtd: an electromagnetic wave in two dimensions by finite differences in the time domain, three kernels a step, after
 * Polybench's fdtd-2d. A thread has a cell; or, with rows, a column of so many, in two kernels: what the cells of a column, the
 * lanes of a warp, and both electric fields share is then read once, and rows of ex begin at a line.
 */
#include "grids.h"

#define BLOCK_X 32
#define BLOCK_Y 8
#define LINE 32 /* floats */

__global__ void step_ey(const float *pulse, float *ey, const float *hz, int t, int nx, int ny)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= nx || j >= ny)
		return;
	if (i == 0)
		ey[i * ny + j] = pulse[t];
	else
		ey[i * ny + j] = fmaf(-0.5f, hz[i * ny + j] - hz[(i - 1) * ny + j], ey[i * ny + j]);
}

__global__ void step_ex(float *ex, const float *hz, int nx, int ny)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < nx && j < ny && j > 0)
		ex[i * (ny + 1) + j] = fmaf(-0.5f, hz[i * ny + j] - hz[i * ny + (j - 1)], ex[i * (ny + 1) + j]);
}

BOTH float magnetic(float hz, float ex0, float ex1, float ey0, float ey1)
{
	return fmaf(-0.7f, ex1 - ex0 + ey1 - ey0, hz);
}

__global__ void step_hz(const float *ex, const float *ey, float *hz, int nx, int ny)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < nx && j < ny)
		hz[i * ny + j] = magnetic(hz[i * ny + j], ex[i * (ny + 1) + j], ex[i * (ny + 1) + (j + 1)], ey[i * ny + j],
					  ey[(i + 1) * ny + j]);
}

/* First row of a thread's column. */
__device__ int first_row(int rows)
{
	return (blockIdx.y * blockDim.y + threadIdx.y) * rows;
}

/* Both fields, since both take the same cells of hz. A warp is a row of 32 cells: all lanes are here for the shuffle. */
__global__ void rows_of_e(const float *pulse, float *ex, float *ey, const float *hz, int t, int nx, int ny, int pitch, int rows)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, first = first_row(rows), end = min(first + rows, nx);
	float above = first && first < nx && j < ny ? hz[(first - 1) * ny + j] : 0;
	for (int i = first; i < end; i++) {
		float here = j < ny ? hz[i * ny + j] : 0, before = __shfl_up_sync(0xffffffff, here, 1);
		if (j >= ny)
			continue;
		if (threadIdx.x == 0 && j > 0)
			before = hz[i * ny + j - 1];
		ey[i * ny + j] = i ? fmaf(-0.5f, here - above, ey[i * ny + j]) : pulse[t];
		if (j > 0)
			ex[i * pitch + j] = fmaf(-0.5f, here - before, ex[i * pitch + j]);
		above = here;
	}
}

__global__ void rows_of_hz(const float *ex, const float *ey, float *hz, int nx, int ny, int pitch, int rows)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x, first = first_row(rows), end = min(first + rows, nx);
	float above = first < nx && j < ny ? ey[first * ny + j] : 0;
	for (int i = first; i < end; i++) {
		float here = j <= ny ? ex[i * pitch + j] : 0, behind = __shfl_down_sync(0xffffffff, here, 1);
		if (j >= ny)
			continue;
		float below = ey[(i + 1) * ny + j];
		if (threadIdx.x == 31)
			behind = ex[i * pitch + j + 1];
		hz[i * ny + j] = magnetic(hz[i * ny + j], here, behind, above, below);
		above = below;
	}
}

static void on_host(float pulse, float *ex, float *ey, float *hz, int nx, int ny, int pitch)
{
	for (int i = 0; i < nx; i++)
		for (int j = 0; j < ny; j++)
			ey[i * ny + j] = i ? fmaf(-0.5f, hz[i * ny + j] - hz[(i - 1) * ny + j], ey[i * ny + j]) : pulse;
	for (int i = 0; i < nx; i++)
		for (int j = 1; j < ny; j++)
			ex[i * pitch + j] = fmaf(-0.5f, hz[i * ny + j] - hz[i * ny + (j - 1)], ex[i * pitch + j]);
	for (int i = 0; i < nx; i++)
		for (int j = 0; j < ny; j++)
			hz[i * ny + j] = magnetic(hz[i * ny + j], ex[i * pitch + j], ex[i * pitch + (j + 1)],
						  ey[i * ny + j], ey[(i + 1) * ny + j]);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "fdtd [size [steps [rows]]]   (default 640 x 640, 2 steps, 1 row)"};
	int nx = size_argument(arguments, 1, 640, 4096), ny = nx, steps = size_argument(arguments, 2, 2, 1000);
	int rows = size_argument(arguments, 3, 1, 64), pitch = rows > 1 ? blocks_for(ny + 1, LINE) * LINE : ny + 1;
	size_t cells = (size_t)nx * ny, wide = (size_t)nx * pitch, high = (size_t)(nx + 1) * ny;
	float *pulse = random_floats(steps, 1), *ex = random_floats(wide, 2), *ey = random_floats(high, 3);
	float *hz = random_floats(cells, 4);
	float *dpulse = device_copy(pulse, steps), *dex = device_copy(ex, wide), *dey = device_copy(ey, high);
	float *dhz = device_copy(hz, cells);

	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(ny, BLOCK_X), blocks_for(nx, BLOCK_Y * rows));
	for (int t = 0; t < steps; t++) {
		if (rows > 1) {
			rows_of_e<<<grid, block>>>(dpulse, dex, dey, dhz, t, nx, ny, pitch, rows);
			rows_of_hz<<<grid, block>>>(dex, dey, dhz, nx, ny, pitch, rows);
		} else {
			step_ey<<<grid, block>>>(dpulse, dey, dhz, t, nx, ny);
			step_ex<<<grid, block>>>(dex, dhz, nx, ny);
			step_hz<<<grid, block>>>(dex, dey, dhz, nx, ny);
		}
		on_host(pulse[t], ex, ey, hz, nx, ny, pitch);
	}
	CHECK_LAUNCH();
	Verdict verdict = {"fdtd", 0};
	compare(&verdict, "ex", dex, ex, wide);
	compare(&verdict, "ey", dey, ey, high);
	compare(&verdict, "hz", dhz, hz, cells);
	return conclude(verdict, "%d x %d, %d steps", nx, ny, steps);
}
