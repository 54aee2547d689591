/*
 * layers: one layer of a neural network, forwards and the adjustment of its weights, in blocks of 16 x
 * 16 threads. The forward pass leaves the sums of its tree in place of the weights.
 */
#include "../calls/common.h"

#define HEIGHT 16 /* inputs of a block */
#define WIDTH 16  /* hidden units */
#ifdef SINGLE
#define RATE 0.3f
#else
#define RATE 0.3 /* in double precision */
#endif
#define LEVELS 4 /* of a tree of 16 */

/* Of the weight between input 16 y + leaf + 1 and a unit; row 0 is the bias. */
__device__ inline size_t place(int units, int leaf, int unit)
{
	return (size_t)(units + 1) * (HEIGHT * blockIdx.y + leaf + 1) + unit + 1;
}

__global__ void layer_forward(const float *input, float *weights, float *partial, int units)
{
	__shared__ float activity[HEIGHT], tree[HEIGHT][WIDTH];
	int unit = threadIdx.x, leaf = threadIdx.y;
	float *weight = weights + place(units, leaf, unit);

	if (unit == leaf)
		activity[unit] = input[HEIGHT * blockIdx.y + unit + 1];
	__syncthreads();
	tree[leaf][unit] = *weight * activity[leaf];
	for (int level = 0; level < LEVELS; level++) {
		int reach = __powf(2, level);
		__syncthreads();
		if (leaf % (2 * reach) == 0)
			tree[leaf][unit] += tree[leaf + reach][unit];
	}
	*weight = tree[leaf][unit];
	if (leaf == 0)
		partial[units * blockIdx.y + unit] = tree[0][unit];
}

__device__ inline void adjust(float *weight, float *old, float gradient)
{
	float step = RATE * gradient + RATE * *old;
	*weight += step;
	*old = step;
}

__global__ void adjust_weights(const float *delta, int units, const float *input, float *weights, float *old)
{
	int unit = threadIdx.x, leaf = threadIdx.y;
	size_t at = place(units, leaf, unit);
	float error = delta[unit + 1];
	adjust(weights + at, old + at, error * input[HEIGHT * blockIdx.y + leaf + 1]);
	if (leaf + blockIdx.y == 0)
		adjust(weights + unit + 1, old + unit + 1, error);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "layers [inputs / 16]   (default 256)"};
	int blocks = size_argument(arguments, 1, 256, 65535), inputs = blocks * HEIGHT;
	size_t count = (size_t)(inputs + 1) * (WIDTH + 1);
	unsigned seed = 1;
	float *input = host_array<float>(inputs + 1), *weights = host_array<float>(count), *old = host_array<float>(count);
	float delta[WIDTH + 1];
	for (int i = 0; i <= inputs; i++)
		input[i] = next_unit(&seed);
	for (size_t i = 0; i < count; i++)
		weights[i] = next_unit(&seed), old[i] = next_unit(&seed);
	for (int i = 0; i <= WIDTH; i++)
		delta[i] = next_unit(&seed);
	float *dinput = device_copy(input, inputs + 1), *dweights = device_copy(weights, count);
	float *dforward = device_copy(weights, count), *ddelta = device_copy(delta, WIDTH + 1);
	float *dold = device_copy(old, count), *dpartial = device_array<float>((size_t)blocks * WIDTH);

	layer_forward<<<dim3(1, blocks), dim3(WIDTH, HEIGHT)>>>(dinput, dforward, dpartial, WIDTH);
	adjust_weights<<<dim3(1, blocks), dim3(WIDTH, HEIGHT)>>>(ddelta, WIDTH, dinput, dweights, dold);
	CHECK_LAUNCH();

	Verdict verdict = {"layers", 0};
	float *got = host_array<float>(count), *steps = host_array<float>(count), *tree = host_array<float>(count);
	float *partial = host_array<float>((size_t)blocks * WIDTH);
	copy_back(got, dweights, count);
	copy_back(steps, dold, count);
	copy_back(tree, dforward, count);
	copy_back(partial, dpartial, (size_t)blocks * WIDTH);
	input[0] = 1; /* of the bias */
	for (int row = 0; row <= inputs; row++)
		for (int unit = 1; unit <= WIDTH; unit++) {
			size_t i = (size_t)row * (WIDTH + 1) + unit;
			float step = RATE * delta[unit] * input[row] + RATE * old[i];
			if (!(fabsf(steps[i] - step) <= 1e-5f && fabsf(got[i] - weights[i] - step) <= 1e-5f))
				differs(&verdict, "weights[%zu] = %g, changed by %g, not %g", i, got[i], steps[i], step);
		}
	for (int block = 0; block < blocks; block++)
		for (int unit = 0; unit < WIDTH; unit++) {
			size_t first = (size_t)(block * HEIGHT + 1) * (WIDTH + 1) + unit + 1;
			float sum = 0;
			for (int row = 0; row < HEIGHT; row++)
				sum += weights[first + row * (WIDTH + 1)] * input[block * HEIGHT + row + 1];
			if (!(fabsf(partial[block * WIDTH + unit] - sum) <= 1e-4f && tree[first] == partial[block * WIDTH + unit]))
				differs(&verdict, "sum %d = %g, %g in the tree, not %g", block * WIDTH + unit,
					partial[block * WIDTH + unit], tree[first], sum);
		}
	return conclude(verdict, "%d inputs", inputs);
}
