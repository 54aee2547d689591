/*
 * Sampling, the arithmetic (estimate.h). Ratio estimation: a launch's figure is its work, which is always known, times
 * the mean of figure / work over simulated launches that are alike. Its error has three parts.
 *
 * - The mean is one of a few samples: t * s / sqrt(n), the same for all launches that get it, so that it grows with the
 *   sum of their work.
 * - Each launch differs from the mean like the samples do among each other: s for each, which adds up as squares.
 * - A launch with other work than the samples may cost less, or more, than in proportion to it. Between a cost that
 *   does not depend on work and one in proportion to it lies the difference of the work to that of the samples.
 *
 * Launches of a kernel make several clusters, and two samples of one may be close to each other by chance. What they
 * say of the spread is held against that of all of the kernel's clusters together, and the larger one counts.
 *
 * A launch that is like none of those that were simulated gets figures half way between these two, with the distance as
 * its error.
 *
 * Cost: O(figures) a launch.
 */
#include "runtime/sampling/estimate.h"

#include <math.h>
#include <string.h>

double hd_mix_unlike(const struct hd_mix *a, const struct hd_mix *b)
{
	double shares = 0;
	for (uint32_t i = 0; i < HD_MIX_SHARES; i++)
		shares += fabs(a->shares[i] - b->shares[i]);
	return fmax(fabs(log(a->lanes / b->lanes)), shares);
}

double hd_mix_distance(const struct hd_mix *a, const struct hd_mix *b)
{
	double sizes = fmax(fabs(log(a->work / b->work)), fabs(log(a->blocks / b->blocks)));
	return fmax(sizes, hd_mix_unlike(a, b));
}

double hd_t_quantile(uint32_t freedom)
{
	static const double table[] = {INFINITY, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
				       2.201,	 2.179,	 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
				       2.074,	 2.069,	 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
	enum { COUNT = sizeof table / sizeof *table };
	if (freedom < COUNT)
		return table[freedom];
	/* The first terms of the expansion around the normal distribution: right to 0.001 from here on. */
	double z = 1.95996, rest = 4.0 * freedom;
	return z + (z * z * z + z) / rest;
}

void hd_estimator_init(struct hd_estimator *estimator, uint32_t width, struct hd_arena *arena)
{
	*estimator = (struct hd_estimator){.width = width};
	estimator->mean = HD_ARENA_NEW(arena, double, width);
	estimator->spread = HD_ARENA_NEW(arena, double, width);
	estimator->doubt = HD_ARENA_NEW(arena, double, width);
	estimator->given = HD_ARENA_NEW(arena, double, width);
	estimator->strangeness = HD_ARENA_NEW(arena, double, width);
}

void hd_estimator_join(struct hd_estimator *estimator, struct hd_estimator *kin)
{
	estimator->kin = kin->kin ? kin->kin : kin;
	kin->kin = estimator;
}

/* Welford's way, which loses no digits where the values hardly differ. */
void hd_estimator_sample(struct hd_estimator *estimator, const double *figures, const double *errors, double work)
{
	double count = ++estimator->samples;
	estimator->work += (work - estimator->work) / count;
	for (uint32_t i = 0; i < estimator->width; i++) {
		double ratio = figures[i] / work, off = ratio - estimator->mean[i];
		estimator->mean[i] += off / count;
		estimator->doubt[i] += ((errors ? errors[i] / work : 0) - estimator->doubt[i]) / count;
		estimator->spread[i] += off * (ratio - estimator->mean[i]);
	}
}

void hd_estimator_forget(struct hd_estimator *estimator)
{
	estimator->samples = 0;
	estimator->work = 0;
	memset(estimator->mean, 0, estimator->width * sizeof *estimator->mean);
	memset(estimator->doubt, 0, estimator->width * sizeof *estimator->doubt);
	memset(estimator->spread, 0, estimator->width * sizeof *estimator->spread);
}

/* The work that a part's cost is in proportion to. One that is unlike may cost as much as the samples, whatever its
 * work, or in proportion: half way between, on a scale of ratios, is off by the least. */
static double work_for(const struct hd_estimator *estimator, double work, double distance)
{
	return distance > 0 ? sqrt(work * estimator->work) : work;
}

void hd_estimator_guess(struct hd_estimator *estimator, double work, double distance, double *figures)
{
	double costs = work_for(estimator, work, distance);
	bool alike = distance == 0;
	estimator->skipped += alike;
	estimator->skipped_work += alike ? work : 0;
	estimator->skipped_squares += alike ? work * work : 0;
	for (uint32_t i = 0; i < estimator->width; i++) {
		figures[i] = estimator->mean[i] * costs;
		estimator->given[i] += alike ? figures[i] : 0;
		estimator->strangeness[i] += figures[i] * distance;
	}
}

/* Standard deviation of figure / work; a single sample says nothing of it. */
static double deviation(const struct hd_estimator *estimator, uint32_t which)
{
	if (estimator->samples < 2)
		return estimator->mean[which] ? INFINITY : 0;
	return sqrt(estimator->spread[which] / (estimator->samples - 1));
}

/* Student's t times the deviation that all kin have together, as a share of their means; 0: they do not tell. */
static double kin_reach(const struct hd_estimator *estimator, uint32_t which)
{
	uint32_t freedom = 0;
	double squares = 0;
	for (const struct hd_estimator *at = estimator->kin; at; at = at == estimator ? NULL : at->kin) {
		double mean = at->mean[which];
		if (at->samples < 2 || mean == 0)
			continue;
		freedom += at->samples - 1;
		squares += at->spread[which] / (mean * mean);
	}
	return freedom ? hd_t_quantile(freedom) * sqrt(squares / freedom) : 0;
}

/* Student's t times the deviation of figure / work: the samples' own, or that of all kin where it is more. */
static double reach(const struct hd_estimator *estimator, uint32_t which)
{
	double s = deviation(estimator, which);
	double own = estimator->samples > 1 ? hd_t_quantile(estimator->samples - 1) * s : s;
	return fmax(own, kin_reach(estimator, which) * fabs(estimator->mean[which]));
}

/* By how much the sum over parts with this work, and these squares of it, may be off by chance. */
static double chance_of(const struct hd_estimator *estimator, uint32_t which, double work, double squares)
{
	double each = reach(estimator, which);
	return each > 0 ? each * sqrt(work * work / estimator->samples + squares) : 0;
}

double hd_estimator_state(const struct hd_estimator *estimator, uint32_t which, double work)
{
	return HD_SAMPLED_STATE * estimator->mean[which] * work;
}

double hd_estimator_error_of(const struct hd_estimator *estimator, uint32_t which, double work, double distance)
{
	double mean = estimator->mean[which];
	if (distance > 0)
		return mean * work_for(estimator, work, distance) * distance;
	return chance_of(estimator, which, work, work * work) + estimator->doubt[which] * work +
	       hd_estimator_state(estimator, which, work) + mean * fabs(work - estimator->work);
}

struct hd_error hd_estimator_error(const struct hd_estimator *estimator, uint32_t which)
{
	const double mean = estimator->mean[which];
	struct hd_error error = {.bias = estimator->strangeness[which]};
	if (!estimator->skipped)
		return error;
	error.chance = chance_of(estimator, which, estimator->skipped_work, estimator->skipped_squares);
	error.bias += mean * fabs(estimator->skipped_work - (double)estimator->skipped * estimator->work);
	error.bias += estimator->doubt[which] * estimator->skipped_work;
	error.bias += hd_estimator_state(estimator, which, estimator->skipped_work);
	/* Later samples may have moved the mean that earlier launches got. */
	error.bias += fabs(estimator->given[which] - mean * estimator->skipped_work);
	return error;
}

bool hd_estimator_settled(const struct hd_estimator *estimator, uint32_t which, double target)
{
	double n = estimator->samples;
	if (n < 2)
		return false;
	return reach(estimator, which) / sqrt(n) <= target * fabs(estimator->mean[which]);
}
