/*
 * backprop: one layer of a neural network: its forward pass and the adjustment of its weights. A block of 16 x 16 threads
 * covers 16 inputs and all 16 units. The forward pass multiplies in shared memory, adds up over the inputs in a tree,
 * leaves one partial sum a block and unit, which the host adds, and stores the tree where the weights were.
 *
 * It does not save work: a step of the tree has its reach from __powf, threads find their part by a remainder, and rates
 * are of type double.
 */
#include "grids.h"

#define HEIGHT 16 /* inputs of a block */
#define WIDTH 16  /* hidden units */
#define LEVELS 4 /* of a tree of 16 */
#define RATE 0.3
#define MOMENTUM 0.3

/* Row 0 of the weights is the bias, and so is input 0. */
BOTH int index_of(int row, int hidden, int unit)
{
	return (hidden + 1) * (row + 1) + unit + 1;
}

__global__ void layer_forward(const float *input, float *weights, float *partial, int units)
{
	__shared__ float activity[HEIGHT], tree[HEIGHT][WIDTH];
	int unit = threadIdx.x, leaf = threadIdx.y, row = HEIGHT * blockIdx.y + leaf;
	float *weight = weights + index_of(row, units, unit);

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

BOTH float change(float delta, float input, float old)
{
	return (float)(RATE * delta * input + MOMENTUM * old);
}

/* The first block's first row adjusts the bias, too. */
__global__ void adjust_weights(const float *delta, int units, const float *input, float *weights, float *old)
{
	int unit = threadIdx.x, row = HEIGHT * blockIdx.y + threadIdx.y, index = index_of(row, units, unit);
	float error = delta[unit + 1], step = change(error, input[row + 1], old[index]);

	weights[index] += step;
	old[index] = step;
	if (row == 0) {
		step = change(error, 1, old[unit + 1]);
		weights[unit + 1] += step;
		old[unit + 1] = step;
	}
}

static void forward_on_host(const float *input, float *weights, float *partial, int inputs)
{
	for (int block = 0; block < inputs / HEIGHT; block++) {
		for (int unit = 0; unit < WIDTH; unit++) {
			float product[HEIGHT];
			for (int y = 0; y < HEIGHT; y++) {
				int row = block * HEIGHT + y;
				product[y] = weights[index_of(row, WIDTH, unit)] * input[row + 1];
			}
			for (int step = 2; step <= HEIGHT; step *= 2)
				for (int y = 0; y < HEIGHT; y += step)
					product[y] += product[y + step / 2];
			for (int y = 0; y < HEIGHT; y++)
				weights[index_of(block * HEIGHT + y, WIDTH, unit)] = product[y];
			partial[block * WIDTH + unit] = product[0];
		}
	}
}

static void adjust_on_host(float delta, float input, float *weight, float *old)
{
	*old = change(delta, input, *old);
	*weight += *old;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "backprop [inputs / 16]   (default 1536)"};
	int blocks = size_argument(arguments, 1, 1536, 65535), inputs = blocks * HEIGHT;
	size_t count = (size_t)(inputs + 1) * (WIDTH + 1);
	float *input = random_floats(inputs + 1, 1), *weights = random_floats(count, 2);
	float *delta = random_floats(WIDTH + 1, 3), *old = random_floats(count, 4);
	float *partial = host_array<float>((size_t)blocks * WIDTH);
	float *dinput = device_copy(input, inputs + 1), *dweights = device_copy(weights, count);
	float *ddelta = device_copy(delta, WIDTH + 1), *dold = device_copy(old, count);
	float *dpartial = device_array<float>((size_t)blocks * WIDTH);

	layer_forward<<<dim3(1, blocks), dim3(WIDTH, HEIGHT)>>>(dinput, dweights, dpartial, WIDTH);
	adjust_weights<<<dim3(1, blocks), dim3(WIDTH, HEIGHT)>>>(ddelta, WIDTH, dinput, dweights, dold);
	CHECK_LAUNCH();

	forward_on_host(input, weights, partial, inputs);
	for (int row = 1; row <= inputs; row++)
		for (int unit = 1; unit <= WIDTH; unit++)
			adjust_on_host(delta[unit], input[row], &weights[row * (WIDTH + 1) + unit], &old[row * (WIDTH + 1) + unit]);
	for (int unit = 1; unit <= WIDTH; unit++)
		adjust_on_host(delta[unit], 1, &weights[unit], &old[unit]);

	Verdict verdict = {"backprop", 0};
	compare(&verdict, "partial", dpartial, partial, (size_t)blocks * WIDTH);
	compare(&verdict, "weights", dweights, weights, count);
	compare(&verdict, "old", dold, old, count);
	return conclude(verdict, "%d inputs", inputs);
}
