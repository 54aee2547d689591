/*
 * particle_filter: follows a moving thing by a cloud of guesses, in its plain form: in each frame the host moves the
 * guesses and weighs them by what was seen, and the device draws as many anew: each thread looks through the sums of
 * the weights from the first one on for the place of its own number; after Rodinia's naive version, in double
 * precision.
 */
#include "../grids/grids.h"

#define BLOCK 128

__global__ void draw(const double *x, const double *y, const double *sums, const double *numbers, double *new_x,
		     double *new_y, int n)
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
static void weigh(double *x, double *y, double *sums, int n, double px, double py, unsigned *seed)
{
	double total = 0;
	for (int i = 0; i < n; i++) {
		x[i] += 1 + next_unit(seed) - 0.5;
		y[i] += -2 + next_unit(seed) - 0.5;
		double square = (x[i] - px) * (x[i] - px) + (y[i] - py) * (y[i] - py);
		total += 1 / (1 + square * square);
		sums[i] = total;
	}
	for (int i = 0; i < n; i++)
		sums[i] /= total;
}

static int first_at_least(const double *sums, int n, double number)
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
	Arguments arguments = {argc, argv, "particle_filter [particles [frames]]   (default 2000 particles, 3 frames)"};
	int n = size_argument(arguments, 1, 2000, 1 << 18), frames = size_argument(arguments, 2, 3, 100);
	double *x = host_array<double>(n), *y = host_array<double>(n), *sums = host_array<double>(n),
	       *numbers = host_array<double>(n);
	double *old_x = host_array<double>(n), *old_y = host_array<double>(n);
	double *dx = device_array<double>(n), *dy = device_array<double>(n);
	unsigned seed = 37;

	Verdict verdict = {"particle_filter", 0};
	for (int frame = 1; frame <= frames; frame++) {
		weigh(x, y, sums, n, (double)frame, -2.0 * frame, &seed);
		double start = next_unit(&seed) / n;
		for (int i = 0; i < n; i++)
			numbers[i] = start + (double)i / n;
		double *from_x = device_copy(x, n), *from_y = device_copy(y, n), *dsums = device_copy(sums, n),
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
		double *used[] = {from_x, from_y, dsums, dnumbers};
		for (double *array : used)
			CHECK(cudaFree(array));
	}
	return conclude(verdict, "%d particles, %d frames", n, frames);
}
