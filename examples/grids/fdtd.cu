/*
 * fdtd: an electromagnetic wave in two dimensions by finite differences in the time domain, three kernels a step, after
 * Polybench's fdtd-2d.
 */
#include "grids.h"

#define BLOCK_X 32
#define BLOCK_Y 8

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

static void on_host(float pulse, float *ex, float *ey, float *hz, int nx, int ny)
{
	for (int i = 0; i < nx; i++)
		for (int j = 0; j < ny; j++)
			ey[i * ny + j] = i ? fmaf(-0.5f, hz[i * ny + j] - hz[(i - 1) * ny + j], ey[i * ny + j]) : pulse;
	for (int i = 0; i < nx; i++)
		for (int j = 1; j < ny; j++)
			ex[i * (ny + 1) + j] = fmaf(-0.5f, hz[i * ny + j] - hz[i * ny + (j - 1)], ex[i * (ny + 1) + j]);
	for (int i = 0; i < nx; i++)
		for (int j = 0; j < ny; j++)
			hz[i * ny + j] = magnetic(hz[i * ny + j], ex[i * (ny + 1) + j], ex[i * (ny + 1) + (j + 1)],
						  ey[i * ny + j], ey[(i + 1) * ny + j]);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "fdtd [size [steps]]   (default 640 x 640, 2 steps)"};
	int nx = size_argument(arguments, 1, 640, 4096), ny = nx, steps = size_argument(arguments, 2, 2, 1000);
	size_t cells = (size_t)nx * ny, wide = (size_t)nx * (ny + 1), high = (size_t)(nx + 1) * ny;
	float *pulse = random_floats(steps, 1), *ex = random_floats(wide, 2), *ey = random_floats(high, 3);
	float *hz = random_floats(cells, 4);
	float *dpulse = device_copy(pulse, steps), *dex = device_copy(ex, wide), *dey = device_copy(ey, high);
	float *dhz = device_copy(hz, cells);

	dim3 block(BLOCK_X, BLOCK_Y), grid(blocks_for(ny, BLOCK_X), blocks_for(nx, BLOCK_Y));
	for (int t = 0; t < steps; t++) {
		step_ey<<<grid, block>>>(dpulse, dey, dhz, t, nx, ny);
		step_ex<<<grid, block>>>(dex, dhz, nx, ny);
		step_hz<<<grid, block>>>(dex, dey, dhz, nx, ny);
		on_host(pulse[t], ex, ey, hz, nx, ny);
	}
	CHECK_LAUNCH();
	Verdict verdict = {"fdtd", 0};
	compare(&verdict, "ex", dex, ex, wide);
	compare(&verdict, "ey", dey, ey, high);
	compare(&verdict, "hz", dhz, hz, cells);
	return conclude(verdict, "%d x %d, %d steps", nx, ny, steps);
}
