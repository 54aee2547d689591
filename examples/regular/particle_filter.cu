/*
 * particle_filter: follows a moving thing by a cloud of guesses, in its plain form: in each frame the host moves the
 * guesses and weighs them by what was seen, and the device draws as many anew: each thread looks through the sums of
 * the weights from the first one on for the place of its own number.
 */
#include "../grids/grids.h"

#define BLOCK 128

__global__ void draw(const float *x, const float *y, const float *sums, const float *numbers, float *new_x,
		     float *new_y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int chosen = n - 1;
	for (int j = 0; j < n; j++)
		if (sums[j] >= numbers[i]) {
			chosen = j;
			break;
		}
	new_x[i] = x[chosen];
	new_y[i] = y[chosen];
}

/* Moves guesses, and gives the sums of their weights, of the last one on 1; where the thing is seen is (px, py). */
static void weigh(float *x, float *y, float *sums, int n, float px, float py, unsigned *seed)
{
	double total = 0;
	for (int i = 0; i < n; i++) {
		x[i] += 1 + next_unit(seed) - 0.5f;
		y[i] += -2 + next_unit(seed) - 0.5f;
		double square = (x[i] - px) * (x[i] - px) + (y[i] - py) * (y[i] - py);
		total += 1 / (1 + square * square);
		sums[i] = (float)total;
	}
	for (int i = 0; i < n; i++)
		sums[i] = (float)(sums[i] / total);
}

static int first_at_least(const float *sums, int n, float number)
{
	int low = 0, high = n - 1;
	while (low < high) {
		int middle = (low + high) / 2;
		if (sums[middle] >= number)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "particle_filter [particles [frames]]   (default 3000 particles, 4 frames)"};
	int n = size_argument(arguments, 1, 3000, 1 << 18), frames = size_argument(arguments, 2, 4, 100);
	float *x = host_array<float>(n), *y = host_array<float>(n), *sums = host_array<float>(n),
	      *numbers = host_array<float>(n);
	float *old_x = host_array<float>(n), *old_y = host_array<float>(n);
	float *dx = device_array<float>(n), *dy = device_array<float>(n);
	unsigned seed = 37;

	Verdict verdict = {"particle_filter", 0};
	for (int frame = 1; frame <= frames; frame++) {
		weigh(x, y, sums, n, (float)frame, -2.0f * frame, &seed);
		float start = next_unit(&seed) / n;
		for (int i = 0; i < n; i++)
			numbers[i] = start + (float)i / n;
		float *from_x = device_copy(x, n), *from_y = device_copy(y, n), *dsums = device_copy(sums, n),
		      *dnumbers = device_copy(numbers, n);
		draw<<<blocks_for(n, BLOCK), BLOCK>>>(from_x, from_y, dsums, dnumbers, dx, dy, n);
		CHECK_LAUNCH();
		memcpy(old_x, x, n * sizeof *x);
		memcpy(old_y, y, n * sizeof *y);
		for (int i = 0; i < n; i++) {
			int chosen = first_at_least(sums, n, numbers[i]);
			x[i] = old_x[chosen];
			y[i] = old_y[chosen];
		}
		compare(&verdict, "x", dx, x, n);
		compare(&verdict, "y", dy, y, n);
		float *used[] = {from_x, from_y, dsums, dnumbers};
		for (float *array : used)
			CHECK(cudaFree(array));
	}
	return conclude(verdict, "%d particles, %d frames", n, frames);
}
