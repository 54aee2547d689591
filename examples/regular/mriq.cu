/*
 * mriq: the Q of a magnetic resonance image's reconstruction: for each voxel a sum over all samples of k-space, of
 * their magnitude times the wave at this place. Samples pass through constant memory in parts, a launch each.
 */
#include "../grids/grids.h"

#define BLOCK 256
#define PART 1024 /* samples of a launch */

struct Sample {
	float x, y, z, magnitude;
};

__constant__ Sample samples[PART];

__global__ void add_waves(const float *x, const float *y, const float *z, float *real, float *imaginary, int voxels,
			  int count)
{
	int voxel = blockIdx.x * blockDim.x + threadIdx.x;
	if (voxel >= voxels)
		return;
	float px = x[voxel], py = y[voxel], pz = z[voxel], re = real[voxel], im = imaginary[voxel];
	for (int i = 0; i < count; i++) {
		float angle = 2 * (float)M_PI * fmaf(samples[i].x, px, fmaf(samples[i].y, py, samples[i].z * pz));
		re = fmaf(samples[i].magnitude, cosf(angle), re);
		im = fmaf(samples[i].magnitude, sinf(angle), im);
	}
	real[voxel] = re;
	imaginary[voxel] = im;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "mriq [voxels [samples]]   (default 16384 voxels, 64 samples)"};
	int voxels = size_argument(arguments, 1, 16384, 1 << 22), n = size_argument(arguments, 2, 64, 1 << 20);
	float *x = random_floats(voxels, 1), *y = random_floats(voxels, 2), *z = random_floats(voxels, 3);
	Sample *all = (Sample *)random_floats((size_t)4 * n, 4);
	float *dx = device_copy(x, voxels), *dy = device_copy(y, voxels), *dz = device_copy(z, voxels);
	float *dreal = device_array<float>(voxels), *dimaginary = device_array<float>(voxels);

	for (int from = 0; from < n; from += PART) {
		int count = n - from < PART ? n - from : PART;
		CHECK(cudaMemcpyToSymbol(samples, all + from, count * sizeof *all));
		add_waves<<<blocks_for(voxels, BLOCK), BLOCK>>>(dx, dy, dz, dreal, dimaginary, voxels, count);
		CHECK_LAUNCH();
	}

	float *real = host_array<float>(voxels), *imaginary = host_array<float>(voxels);
	for (int voxel = 0; voxel < voxels; voxel++) {
		double re = 0, im = 0;
		for (int i = 0; i < n; i++) {
			double angle = 2 * M_PI *
				       ((double)all[i].x * x[voxel] + (double)all[i].y * y[voxel] +
					(double)all[i].z * z[voxel]);
			re += all[i].magnitude * cos(angle);
			im += all[i].magnitude * sin(angle);
		}
		real[voxel] = (float)re;
		imaginary[voxel] = (float)im;
	}
	/* Angles are below 19, rounded to 1e-6; each of the n terms is at most one. */
	Verdict verdict = {"mriq", 0};
	compare_near(&verdict, "real", dreal, real, voxels, 4e-6f * n);
	compare_near(&verdict, "imaginary", dimaginary, imaginary, voxels, 4e-6f * n);
	return conclude(verdict, "%d voxels, %d samples", voxels, n);
}
