/*
 * backprop: one layer of a neural network: its forward pass and the adjustment of its weights, after Rodinia's kernels of
 * that name. A block of 16 x 16 threads covers 16 inputs and all 16 hidden units. The forward pass multiplies in shared
 * memory, adds up over the inputs in a tree and leaves one partial sum a block and unit; the host adds those.
 */
#include "grids.h"

#define HEIGHT 16 /* inputs of a block */
#define WIDTH 16  /* hidden units */
#define ETA 0.3f
#define MOMENTUM 0.3f

/* Row 0 of the weights is the bias, and so is input 0. */
__global__ void layer_forward(const float *input, const float *weights, float *partial, int hidden)
{
	__shared__ float node[HEIGHT], product[HEIGHT][WIDTH];
	int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int index = (hidden + 1) * HEIGHT * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);

	if (tx == 0)
		node[ty] = input[HEIGHT * by + ty + 1];
	__syncthreads();
	product[ty][tx] = weights[index] * node[ty];
	__syncthreads();
	for (int step = 1; step < HEIGHT; step *= 2) {
		if (ty % (2 * step) == 0)
			product[ty][tx] += product[ty + step][tx];
		__syncthreads();
	}
	if (ty == 0)
		partial[by * hidden + tx] = product[0][tx];
}

BOTH void adjust(float delta, float input, float *weight, float *old)
{
	float change = fmaf(ETA * delta, input, MOMENTUM * *old);
	*weight += change;
	*old = change;
}

__global__ void adjust_weights(const float *delta, int hidden, const float *input, float *weights, float *old)
{
	int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int index = (hidden + 1) * HEIGHT * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
	int index_y = HEIGHT * by + ty + 1, index_x = tx + 1;

	adjust(delta[index_x], input[index_y], &weights[index], &old[index]);
	__syncthreads();
	if (ty == 0 && by == 0)
		adjust(delta[index_x], 1, &weights[index_x], &old[index_x]);
}

static void forward_on_host(const float *input, const float *weights, float *partial, int inputs)
{
	for (int block = 0; block < inputs / HEIGHT; block++) {
		for (int unit = 0; unit < WIDTH; unit++) {
			float product[HEIGHT];
			for (int y = 0; y < HEIGHT; y++) {
				int row = block * HEIGHT + y + 1;
				product[y] = weights[row * (WIDTH + 1) + unit + 1] * input[row];
			}
			for (int step = 1; step < HEIGHT; step *= 2)
				for (int y = 0; y < HEIGHT; y += 2 * step)
					product[y] += product[y + step];
			partial[block * WIDTH + unit] = product[0];
		}
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "backprop [inputs / 16]   (default 3072)"};
	int blocks = size_argument(arguments, 1, 3072, 65535), inputs = blocks * HEIGHT;
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
			adjust(delta[unit], input[row], &weights[row * (WIDTH + 1) + unit], &old[row * (WIDTH + 1) + unit]);
	for (int unit = 1; unit <= WIDTH; unit++)
		adjust(delta[unit], 1, &weights[unit], &old[unit]);

	Verdict verdict = {"backprop", 0};
	compare(&verdict, "partial", dpartial, partial, (size_t)blocks * WIDTH);
	compare(&verdict, "weights", dweights, weights, count);
	compare(&verdict, "old", dold, old, count);
	return conclude(verdict, "%d inputs", inputs);
}
