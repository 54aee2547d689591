/*
 * voxels: a part of the matrix Q of magnetic resonance images that are not on a grid, as Parboil's mri-q has it: for each voxel the
 * sum over samples, which are in constant memory, of a magnitude times sine and cosine of a product.
 */
#include "../calls/common.h"

#define SAMPLES 1024 /* of a launch */
#define THREADS 256
#define TWO_PI 6.2831853071795864769252867665590058f

struct Sample {
	float x, y, z, magnitude;
};

__constant__ Sample samples[SAMPLES];

__global__ void transform(int count, int first, const float *x, const float *y, const float *z, float *real, float *imaginary)
{
	int voxel = blockIdx.x * THREADS + threadIdx.x;
	float vx = x[voxel], vy = y[voxel], vz = z[voxel], re = real[voxel], im = imaginary[voxel];
	for (int i = 0; i < SAMPLES && first < count; i += 2, first += 2) {
		float angle = TWO_PI * (samples[i].x * vx + samples[i].y * vy + samples[i].z * vz);
		re += samples[i].magnitude * __cosf(angle);
		im += samples[i].magnitude * __sinf(angle);
		angle = TWO_PI * (samples[i + 1].x * vx + samples[i + 1].y * vy + samples[i + 1].z * vz);
		re += samples[i + 1].magnitude * __cosf(angle);
		im += samples[i + 1].magnitude * __sinf(angle);
	}
	real[voxel] = re;
	imaginary[voxel] = im;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "voxels [number]   (rounded up to 256; default 1024)"};
	int count = blocks_for(size_argument(arguments, 1, 1024, 1 << 22), THREADS) * THREADS;
	static Sample given[SAMPLES];
	float *place[3], *dplace[3], *out[2], *got[2];
	unsigned seed = 1;
	for (int i = 0; i < SAMPLES; i++)
		given[i] = {next_unit(&seed), next_unit(&seed), next_unit(&seed), next_unit(&seed)};
	for (int i = 0; i < 3; i++) {
		place[i] = host_array<float>(count);
		for (int j = 0; j < count; j++)
			place[i][j] = next_unit(&seed) - 0.5f;
		dplace[i] = device_copy(place[i], count);
	}
	for (int i = 0; i < 2; i++)
		out[i] = device_array<float>(count), got[i] = host_array<float>(count);
	CHECK(cudaMemcpyToSymbol(samples, given, sizeof given));
	transform<<<count / THREADS, THREADS>>>(SAMPLES, 0, dplace[0], dplace[1], dplace[2], out[0], out[1]);
	CHECK_LAUNCH();

	Verdict verdict = {"voxels", 0};
	for (int i = 0; i < 2; i++)
		copy_back(got[i], out[i], count);
	for (int j = 0; j < count; j += 97) { /* some of them: the host takes long */
		double re = 0, im = 0;
		for (int i = 0; i < SAMPLES; i++) {
			double angle = TWO_PI * ((double)given[i].x * place[0][j] + (double)given[i].y * place[1][j] + (double)given[i].z * place[2][j]);
			re += given[i].magnitude * cos(angle), im += given[i].magnitude * sin(angle);
		}
		if (fabs(got[0][j] - re) > 0.02 || fabs(got[1][j] - im) > 0.02)
			differs(&verdict, "voxel %d: %g %g, not %g %g", j, got[0][j], got[1][j], re, im);
	}
	return conclude(verdict, "%d voxels", count);
}
