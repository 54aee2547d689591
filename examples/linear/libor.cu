/*
 * libor: a portfolio of swaptions by Monte Carlo over paths of forward rates in the LIBOR market model: a thread
 * follows a path of normal numbers, with all rates in an array of its own, and values the portfolio at its end.
 */
#include "../grids/grids.h"

#define BLOCK 64
#define RATES 40
#define STEPS 20 /* to the first payment; rates from there on are still open */
#define OPTIONS 8
#define INTERVAL 0.25f

__constant__ float volatility[RATES];

struct Option {
	int end; /* payments until then */
	float strike;
};

__constant__ Option options[OPTIONS];

/* A path's rates, step by step; number i of the paths' normal numbers stands with those of the other paths. */
BOTH void follow(float *rate, const float *normals, const float *volatilities, int path, int paths)
{
	for (int step = 0; step < STEPS; step++) {
		float jump = sqrtf(INTERVAL) * normals[(size_t)step * paths + path], drift = 0;
		for (int i = step + 1; i < RATES; i++) {
			float own = INTERVAL * volatilities[i - step - 1];
			drift += own * rate[i] / (1 + INTERVAL * rate[i]);
			rate[i] *= expf(drift * volatilities[i - step - 1] - 0.5f * own * volatilities[i - step - 1] +
					volatilities[i - step - 1] * jump);
		}
	}
}

BOTH float value(const float *rate, const Option *all)
{
	float worth = 1, payments = 0, total = 0, discount = 1;
	int next = 0;
	for (int i = STEPS; i < RATES && next < OPTIONS; i++) {
		worth /= 1 + INTERVAL * rate[i];
		payments += INTERVAL * worth;
		while (next < OPTIONS && all[next].end == i + 1) {
			float swap = worth + all[next].strike * payments - 1;
			if (swap < 0)
				total -= 100 * swap;
			next++;
		}
	}
	for (int i = 0; i < STEPS; i++)
		discount /= 1 + INTERVAL * rate[i];
	return discount * total;
}

__global__ void paths_values(const float *normals, float *values, int paths)
{
	int path = blockIdx.x * blockDim.x + threadIdx.x;
	if (path >= paths)
		return;
	float rate[RATES];
	for (int i = 0; i < RATES; i++)
		rate[i] = 0.05f;
	follow(rate, normals, volatility, path, paths);
	values[path] = value(rate, options);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "libor [paths]   (default 5120)"};
	int paths = size_argument(arguments, 1, 5120, 1 << 20);
	float *normals = host_array<float>((size_t)STEPS * paths), *values = host_array<float>(paths),
	      volatilities[RATES];
	unsigned seed = 43;
	for (int i = 0; i < STEPS * paths; i++) {
		float radius = sqrtf(-2 * logf(1 - next_unit(&seed)));
		normals[i] = radius * cosf(2 * (float)M_PI * next_unit(&seed));
	}
	for (int i = 0; i < RATES; i++)
		volatilities[i] = 0.2f;
	Option all[OPTIONS];
	for (int i = 0; i < OPTIONS; i++)
		all[i] = {STEPS + 4 + 2 * i, 0.045f + 0.0025f * (i % 4)};
	CHECK(cudaMemcpyToSymbol(volatility, volatilities, sizeof volatilities));
	CHECK(cudaMemcpyToSymbol(options, all, sizeof all));
	float *dvalues = device_array<float>(paths);

	paths_values<<<blocks_for(paths, BLOCK), BLOCK>>>(device_copy(normals, (size_t)STEPS * paths), dvalues, paths);
	CHECK_LAUNCH();

	for (int path = 0; path < paths; path++) {
		float rate[RATES];
		for (int i = 0; i < RATES; i++)
			rate[i] = 0.05f;
		follow(rate, normals, volatilities, path, paths);
		values[path] = value(rate, all);
	}
	/* Values are up to some tens, of rates that 20 exponentials of both sides may round otherwise. */
	Verdict verdict = {"libor", 0};
	compare_near(&verdict, "value", dvalues, values, paths, 2e-3f);
	return conclude(verdict, "%d paths", paths);
}
