/*
 * svr: training of a support vector regression with a Gaussian kernel, by steps of the proximal gradient on its dual
 * (no bias; the kernel is computed where it is needed, never stored). Each thread has the weight of one sample; a step is
 * a launch. In the first one only some samples are support vectors.
 *
 * Checks: the weights against the host's own computation with the same functions, 1e-4 of the largest (the device's
 * exponential and its fused operations round differently); and the dual's value, which steps of this length may not
 * raise, of up to MOST_EVALUATED samples.
 */
#include <algorithm>
#include <vector>

#include "svr.h"

#define BLOCK 128
#define LAUNCHES 2 /* a second one begins with what the first has shown of allocations */
#define MOST_EVALUATED 4096 /* the dual takes the square of it */

/* What one side works on; weights before and after a step change places. */
struct Work {
	int samples, features;
	const float *values, *target;
	float *weight[2];
	int *support;
};

__global__ void step_all(const Trainer *trainer, int samples)
{
	int sample = blockIdx.x * BLOCK + threadIdx.x;
	if (sample < samples)
		trainer->step(sample);
}

static Trainer trainer_of(const Work &work, int from, int vectors)
{
	Kernel kernel = {{{{{{view_of(work.values, work.samples, work.features)}}, work.features}}}, 0.5f};
	Expansion expansion = {kernel, work.weight[from], work.support, vectors};
	/* No matrix of this kernel has an eigenvalue above the number of its rows. */
	return {{{{{expansion}, work.target}}, 1.0f / work.samples, 0.01f, 10.0f}, work.weight[1 - from]};
}

static std::vector<int> support_of(const float *weight, int samples)
{
	std::vector<int> support;
	for (int i = 0; i < samples; i++)
		if (weight[i] != 0)
			support.push_back(i);
	return support;
}

static void run_on_device(const Work &work, int steps)
{
	std::vector<float> weight(work.samples);
	for (int i = 0; i < steps; i++) {
		copy_back(weight.data(), work.weight[i % 2], work.samples);
		std::vector<int> support = support_of(weight.data(), work.samples);
		CHECK(cudaMemcpy(work.support, support.data(), support.size() * sizeof(int), cudaMemcpyHostToDevice));
		Trainer trainer = trainer_of(work, i % 2, (int)support.size()), *on_device = device_copy(&trainer, 1);
		for (int launch = 0; launch < LAUNCHES; launch++)
			step_all<<<blocks_for(work.samples, BLOCK), BLOCK>>>(on_device, work.samples);
		CHECK_LAUNCH();
		CHECK(cudaFree(on_device));
	}
}

/* The trainer of weights that are on the host. */
static Trainer host_trainer(const Work &work, int from)
{
	std::vector<int> support = support_of(work.weight[from], work.samples);
	std::copy(support.begin(), support.end(), work.support);
	return trainer_of(work, from, (int)support.size());
}

static double dual_value(const Work &work, int from)
{
	if (work.samples > MOST_EVALUATED)
		return 0;
	Trainer trainer = host_trainer(work, from);
	double value = 0;
	for (int i = 0; i < work.samples; i++) {
		double weight = work.weight[from][i], predicted = trainer.proximal.dual.residual.model.predict(i);
		value += weight * (0.5 * predicted - work.target[i]) + trainer.proximal.tube * fabs(weight);
	}
	return value;
}

/* Returns whether the dual fell, or stayed, in every step. */
static bool run_on_host(const Work &work, int steps)
{
	double value = dual_value(work, 0);
	bool falls = true;
	for (int i = 0; i < steps; i++) {
		Trainer trainer = host_trainer(work, i % 2);
		for (int sample = 0; sample < work.samples; sample++)
			trainer.step(sample);
		double next = dual_value(work, (i + 1) % 2);
		falls &= next <= value + 1e-6 * fabs(value);
		value = next;
	}
	return falls;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "svr [samples [features [steps [support vectors]]]]   (default 360, 6, 2, 20)"};
	int samples = size_argument(arguments, 1, 360, 1 << 20), features = size_argument(arguments, 2, 6, 64);
	int steps = size_argument(arguments, 3, 2, 1000), vectors = size_argument(arguments, 4, 20, 1 << 20);
	std::vector<float> values((size_t)samples * features), target(samples), weight(samples), next(samples);
	unsigned seed = 5;
	for (int i = 0; i < samples; i++) {
		for (int f = 0; f < features; f++)
			values[(size_t)i * features + f] = next_unit(&seed);
		target[i] = sinf(6 * values[(size_t)i * features]) + 0.1f * next_unit(&seed);
		if (i < vectors)
			weight[i] = 0.01f + 0.01f * next_unit(&seed);
	}

	Work device = {samples,
		       features,
		       device_copy(values.data(), values.size()),
		       device_copy(target.data(), target.size()),
		       {device_copy(weight.data(), weight.size()), device_array<float>(samples)},
		       device_array<int>(samples)};
	run_on_device(device, steps);
	std::vector<float> got(samples);
	std::vector<int> support(samples);
	copy_back(got.data(), device.weight[steps % 2], samples);
	Work host = {samples, features, values.data(), target.data(), {weight.data(), next.data()}, support.data()};
	bool falls = run_on_host(host, steps);

	Verdict verdict = {"svr"};
	const float *want = host.weight[steps % 2];
	float largest = 0;
	for (int i = 0; i < samples; i++)
		largest = fmaxf(largest, fabsf(want[i]));
	for (int i = 0; i < samples; i++)
		if (!(fabsf(got[i] - want[i]) <= 1e-4f * largest))
			differs(&verdict, "weight %d: %g, not %g", i, got[i], want[i]);
	if (!falls)
		differs(&verdict, "the dual rose");
	return conclude(verdict, "%d samples, %d features, %d steps", samples, features, steps);
}
