/*
 * cosines: the discrete cosine transform of an image's squares of eight: as two products with a matrix in constant memory, a number
 * a thread, of an image that is a texture; and as transforms of lines in registers, rows and then columns, in shared memory.
 */
#include "../calls/common.h"

#define SIDE 8
#define WIDE 32 /* of what a block of by_lines works on */
#define HIGH 16
#define STRIDE (WIDE + 1)

__constant__ float matrix[SIDE * SIDE]; /* [place][frequency] */

__global__ void by_matrix(float *to, int width, cudaTextureObject_t image)
{
	__shared__ float now[SIDE * SIDE], next[SIDE * SIDE];
	int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * SIDE + tx, y = blockIdx.y * SIDE + ty;
	now[ty * SIDE + tx] = tex2D<float>(image, x + 0.5f, y + 0.5f);
	__syncthreads();
	float sum = 0;
#pragma unroll
	for (int i = 0; i < SIDE; i++)
		sum += matrix[i * SIDE + ty] * now[i * SIDE + tx];
	next[ty * SIDE + tx] = sum;
	__syncthreads();
	sum = 0;
#pragma unroll
	for (int i = 0; i < SIDE; i++)
		sum += next[ty * SIDE + i] * matrix[i * SIDE + tx];
	now[ty * SIDE + tx] = sum;
	__syncthreads();
	to[y * width + x] = now[ty * SIDE + tx];
}

/* cos(k pi / 16) / 2, and the square root of 1 / 8 */
#define C1 0.49039264f
#define C2 0.46193977f
#define C3 0.41573481f
#define C4 0.35355339f
#define C5 0.27778512f
#define C6 0.19134172f
#define C7 0.09754516f

__device__ inline void line(float *v, int step)
{
	float a0 = v[0] + v[7 * step], a1 = v[step] + v[6 * step], a2 = v[2 * step] + v[5 * step], a3 = v[3 * step] + v[4 * step];
	float d0 = v[0] - v[7 * step], d1 = v[step] - v[6 * step], d2 = v[2 * step] - v[5 * step], d3 = v[3 * step] - v[4 * step];
	float outer = a0 + a3, inner = a1 + a2, far = a0 - a3, near = a1 - a2;
	v[0] = C4 * (outer + inner);
	v[step] = C1 * d0 + C3 * d1 + C5 * d2 + C7 * d3;
	v[2 * step] = C2 * far + C6 * near;
	v[3 * step] = C3 * d0 - C7 * d1 - C1 * d2 - C5 * d3;
	v[4 * step] = C4 * (outer - inner);
	v[5 * step] = C5 * d0 - C1 * d1 + C7 * d2 + C3 * d3;
	v[6 * step] = C6 * far - C2 * near;
	v[7 * step] = C7 * d0 - C5 * d1 + C3 * d2 - C1 * d3;
}

__global__ void by_lines(float *to, const float *from, int width)
{
	__shared__ float part[HIGH * STRIDE];
	int row = threadIdx.y * SIDE + threadIdx.x, column = threadIdx.z * SIDE;
	size_t place = (size_t)(blockIdx.y * HIGH + column) * width + blockIdx.x * WIDE + row;
	float *mine = part + column * STRIDE + row;
	from += place, to += place;
#pragma unroll
	for (int i = 0; i < SIDE; i++)
		mine[i * STRIDE] = from[i * width];
	__syncthreads();
	line(part + (column + threadIdx.x) * STRIDE + row - threadIdx.x, 1);
	__syncthreads();
	line(mine, STRIDE);
	__syncthreads();
#pragma unroll
	for (int i = 0; i < SIDE; i++)
		to[i * width] = mine[i * STRIDE];
}

static void check(Verdict *verdict, const char *name, const float *got, const float *right, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fabsf(got[i] - right[i]) > 1e-3f)
			differs(verdict, "%s: %zu is %g, not %g", name, i, got[i], right[i]);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "cosines [size]   (a multiple of 32; default 64)"};
	int size = blocks_for(size_argument(arguments, 1, 64, 4096), WIDE) * WIDE;
	size_t count = (size_t)size * size;
	float *image = host_array<float>(count), *right = host_array<float>(count), *got = host_array<float>(count), given[SIDE * SIDE];
	unsigned seed = 1;
	for (size_t i = 0; i < count; i++)
		image[i] = next_unit(&seed) - 0.5f;
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++)
			given[i * SIDE + k] = (float)(sqrt(k ? 0.25 : 0.125) * cos((2 * i + 1) * k * M_PI / 16));
	for (size_t y = 0; y < (size_t)size; y++)
		for (size_t x = 0; x < (size_t)size; x++) {
			double sum = 0;
			for (int i = 0; i < SIDE; i++)
				for (int j = 0; j < SIDE; j++)
					sum += given[i * SIDE + y % SIDE] * given[j * SIDE + x % SIDE] *
					       image[(y / SIDE * SIDE + i) * size + x / SIDE * SIDE + j];
			right[y * size + x] = (float)sum;
		}
	CHECK(cudaMemcpyToSymbol(matrix, given, sizeof given));
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	CHECK(cudaMallocArray(&array, &format, size, size));
	CHECK(cudaMemcpy2DToArray(array, 0, 0, image, size * sizeof(float), size * sizeof(float), size, cudaMemcpyHostToDevice));
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
	cudaTextureDesc description = {};
	description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
	cudaTextureObject_t texture;
	CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
	float *to = device_array<float>(count), *from = device_copy(image, count);

	Verdict verdict = {"cosines", 0};
	by_matrix<<<dim3(size / SIDE, size / SIDE), dim3(SIDE, SIDE)>>>(to, size, texture);
	CHECK_LAUNCH();
	copy_back(got, to, count);
	check(&verdict, "by_matrix", got, right, count);
	by_lines<<<dim3(size / WIDE, size / HIGH), dim3(SIDE, WIDE / SIDE, HIGH / SIDE)>>>(to, from, size);
	CHECK_LAUNCH();
	copy_back(got, to, count);
	check(&verdict, "by_lines", got, right, count);
	return conclude(verdict, "%d x %d", size, size);
}
