/*
 * layers: one layer of a neural network, forwards and the adjustment of its weights, as Rodinia's backprop has them: the
 * forward pass leaves the products of its tree in place of the weights.
 */
#include "../calls/common.h"

#define HEIGHT 16 /* inputs of a block */
#define WIDTH 16  /* hidden units */
#ifdef SINGLE
#define RATE 0.3f
#else
#define RATE 0.3 /* in double precision, as there */
#endif
#define ETA RATE
#define MOMENTUM RATE

__global__ void layer_forward(const float *input, float *weights, float *partial, int hidden)
{
	__shared__ float node[HEIGHT], product[HEIGHT][WIDTH];
	int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int index = (hidden + 1) * HEIGHT * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);

	if (tx == 0)
		node[ty] = input[HEIGHT * by + ty + 1];
	__syncthreads();
	product[ty][tx] = weights[index];
	__syncthreads();
	product[ty][tx] *= node[ty];
	__syncthreads();
	for (int level = 1; level <= 4; level++) {
		int step = (int)__powf(2, (float)level);
		if (ty % step == 0)
			product[ty][tx] += product[ty + step / 2][tx];
		__syncthreads();
	}
	weights[index] = product[ty][tx];
	__syncthreads();
	if (tx == 0)
		partial[by * hidden + ty] = product[tx][ty];
}

__global__ void adjust_weights(const float *delta, int hidden, const float *input, float *weights, float *old)
{
	int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
	int index = (hidden + 1) * HEIGHT * by + (hidden + 1) * ty + tx + 1 + (hidden + 1);
	int index_y = HEIGHT * by + ty + 1, index_x = tx + 1;

	weights[index] += ETA * delta[index_x] * input[index_y] + MOMENTUM * old[index];
	old[index] = ETA * delta[index_x] * input[index_y] + MOMENTUM * old[index];
	__syncthreads();
	if (ty == 0 && by == 0) {
		weights[index_x] += ETA * delta[index_x] + MOMENTUM * old[index_x];
		old[index_x] = ETA * delta[index_x] + MOMENTUM * old[index_x];
	}
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
	float *got = host_array<float>(count), *partial = host_array<float>((size_t)blocks * WIDTH);
	copy_back(got, dweights, count);
	copy_back(partial, dpartial, (size_t)blocks * WIDTH);
	for (int row = 1; row <= inputs; row++)
		for (int unit = 1; unit <= WIDTH; unit++) {
			size_t i = (size_t)row * (WIDTH + 1) + unit;
			float wanted = weights[i] + ETA * delta[unit] * input[row] + MOMENTUM * old[i];
			if (!(fabsf(got[i] - wanted) <= 1e-5f))
				differs(&verdict, "weights[%zu] = %g, not %g", i, got[i], wanted);
		}
	for (int block = 0; block < blocks; block++)
		for (int unit = 0; unit < WIDTH; unit++) {
			float sum = 0;
			for (int row = block * HEIGHT + 1; row <= (block + 1) * HEIGHT; row++)
				sum += weights[(size_t)row * (WIDTH + 1) + unit + 1] * input[row];
			if (!(fabsf(partial[block * WIDTH + unit] - sum) <= 1e-4f))
				differs(&verdict, "partial[%d] = %g, not %g", block * WIDTH + unit,
					partial[block * WIDTH + unit], sum);
		}
	return conclude(verdict, "%d inputs", inputs);
}
