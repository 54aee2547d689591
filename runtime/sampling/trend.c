/*
 * Launches of a kernel whose grids grow or shrink from one to the next, as those of wavefront codes and of
 * eliminations, make a cluster for each size, and none gets samples enough. But cost changes slowly with size. A figure
 * of a launch is that of the line through its neighbours: the nearest smaller and the nearest larger launch with time,
 * by work. Beyond all of these it is the line of least squares through the FITTED nearest ones.
 *
 * How good that is shows each time a launch has time: it is guessed as if it had none. An error is what these tries
 * say: their mean, for all launches, and t s of their spread, by segments. A launch goes without time if the error of
 * the sum over all launches, those with time among them, stays what is wanted. So single launches may be off by much
 * more. How long segments are at most is drawn: costs may go up and down from launch to launch, and guesses from every
 * second one would not show it. A launch that is much smaller or larger than all with time has time itself.
 *
 * Source: piecewise linear interpolation and leave-one-out errors are textbook; Sieve (ISPASS 2023) has launches by
 * their instructions.
 *
 * Cost: O(points + figures) a launch.
 */
#include "runtime/sampling/trend.h"

#include <math.h>
#include <string.h>

#define ALIKE 0.1      /* hd_mix_unlike */
#define NEXT 0.25     /* logarithm of sizes: this far beyond those with time a launch is still guessed */
#define SAME_SIZE 0.02 /* points of one size: the later one stays */

enum { FITTED = 4, LEAST_TRIES = 4, MOST_SKIPPED = 16 };

void hd_trend_init(struct hd_trend *trend, uint32_t width, uint32_t leading, double target, struct hd_arena *arena)
{
	*trend = (struct hd_trend){.width = width, .leading = leading, .target = target};
	trend->mean = HD_ARENA_NEW(arena, double, width);
	trend->spread = HD_ARENA_NEW(arena, double, width);
	trend->open = HD_ARENA_NEW(arena, double, width);
	trend->squares = HD_ARENA_NEW(arena, double, width);
	trend->given = HD_ARENA_NEW(arena, double, width);
	trend->guesses = HD_ARENA_NEW(arena, double, width);
	for (uint32_t i = 0; i < HD_TREND_POINTS; i++)
		trend->points[i].figures = HD_ARENA_NEW(arena, double, width);
}

/* ---- guesses */

static double off_by(const struct hd_mix *a, const struct hd_mix *b)
{
	return fabs(log(a->work / b->work));
}

/* The nearest points, nearest first; returns how many. */
static uint32_t nearest(const struct hd_trend *trend, const struct hd_mix *mix, const struct hd_trend_point **found)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < trend->count; i++) {
		const struct hd_trend_point *point = &trend->points[i];
		uint32_t at = count;
		while (at && off_by(&found[at - 1]->mix, mix) > off_by(&point->mix, mix))
			at--;
		if (at == FITTED)
			continue;
		count += count < FITTED;
		memmove(&found[at + 1], &found[at], (count - 1 - at) * sizeof(struct hd_trend_point *));
		found[at] = point;
	}
	return count;
}

static const struct hd_trend_point *neighbour(const struct hd_trend *trend, double work, bool larger)
{
	const struct hd_trend_point *best = NULL;
	for (uint32_t i = 0; i < trend->count; i++) {
		const struct hd_trend_point *point = &trend->points[i];
		bool beyond = larger ? point->mix.work >= work : point->mix.work <= work;
		if (beyond && (!best || fabs(point->mix.work - work) < fabs(best->mix.work - work)))
			best = point;
	}
	return best;
}

/* The line of least squares through some points, at this work. */
static double fitted(const struct hd_trend_point *const *points, uint32_t count, uint32_t which, double work)
{
	double x = 0, y = 0, xx = 0, xy = 0;
	for (uint32_t i = 0; i < count; i++) {
		x += points[i]->mix.work / count;
		y += points[i]->figures[which] / count;
	}
	for (uint32_t i = 0; i < count; i++) {
		double dx = points[i]->mix.work - x;
		xx += dx * dx;
		xy += dx * (points[i]->figures[which] - y);
	}
	double figure = xx > 0 ? y + xy / xx * (work - x) : y;
	return figure > 0 ? figure : 0;
}

/* False: nothing is near enough. */
static bool guess(const struct hd_trend *trend, const struct hd_mix *mix, double *figures)
{
	const struct hd_trend_point *points[FITTED] = {NULL};
	uint32_t count = nearest(trend, mix, points);
	const struct hd_trend_point *less = neighbour(trend, mix->work, false),
				    *more = neighbour(trend, mix->work, true);
	if (count < 2 || hd_mix_unlike(&points[0]->mix, mix) > ALIKE || off_by(&points[0]->mix, mix) > NEXT)
		return false;
	if (less && more) {
		points[0] = less;
		points[1] = more;
		count = 2;
	}
	for (uint32_t i = 0; i < trend->width; i++)
		figures[i] = fitted(points, count, i, mix->work);
	return true;
}

static double deviation(const struct hd_trend *trend, uint32_t which)
{
	return trend->tries > 1 ? sqrt(trend->spread[which] / (trend->tries - 1)) : INFINITY;
}

/* Of the sum over all without time, with one more that gets `more`. */
static struct hd_error error_with(const struct hd_trend *trend, uint32_t which, double more)
{
	double given = trend->given[which] + more, open = trend->open[which] + more;
	struct hd_error error = {0};
	if (given == 0)
		return error;
	double s = deviation(trend, which), of_mean = given * given / trend->tries;
	error.chance = hd_t_quantile(trend->tries - 1) * s * sqrt(trend->squares[which] + open * open + of_mean);
	error.bias = (fabs(trend->mean[which]) + HD_SAMPLED_STATE) * given;
	return error;
}

/* The launch with time that has the nearest number of blocks; of several the latest, since costs grow and shrink. */
static const struct hd_trend_point *with_blocks(const struct hd_trend *trend, double blocks)
{
	const struct hd_trend_point *near = NULL;
	double least = INFINITY;
	for (uint32_t i = 0; i < trend->count; i++) {
		const struct hd_trend_point *point = &trend->points[i];
		double off = fabs(log(point->mix.blocks / blocks));
		if (near && (off > least || (off == least && point->number < near->number)))
			continue;
		least = off;
		near = point;
	}
	return near;
}

bool hd_trend_tells(const struct hd_trend *trend, double blocks)
{
	if (trend->tries < LEAST_TRIES || trend->skipped >= trend->allowed)
		return false;
	const struct hd_trend_point *near = with_blocks(trend, blocks);
	if (fabs(log(near->mix.blocks / blocks)) > NEXT / 2)
		return false;
	double more = near->figures[trend->leading], sum = trend->timed + trend->given[trend->leading] + more;
	struct hd_error error = error_with(trend, trend->leading, more);
	return error.chance + error.bias <= (trend->target + HD_SAMPLED_STATE) * sum;
}

bool hd_trend_guess(struct hd_trend *trend, const struct hd_mix *mix, double *figures)
{
	trend->skipped++;
	if (trend->tries < LEAST_TRIES || !guess(trend, mix, figures))
		return false;
	for (uint32_t i = 0; i < trend->width; i++) {
		trend->open[i] += figures[i];
		trend->given[i] += figures[i];
	}
	return true;
}

/* ---- launches with time */

/* By how much the guess was off, of each figure. */
static void take_try(struct hd_trend *trend, const double *figures)
{
	double count = ++trend->tries;
	for (uint32_t i = 0; i < trend->width; i++) {
		double share = figures[i] > 0 ? trend->guesses[i] / figures[i] - 1 : trend->guesses[i] > 0;
		double off = share - trend->mean[i];
		trend->mean[i] += off / count;
		trend->spread[i] += off * (share - trend->mean[i]);
	}
}

/* The same numbers in each run, and no pattern that launches could have. */
static uint32_t draw(const struct hd_trend *trend)
{
	uint64_t hash = (trend->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	return 1 + (uint32_t)(hash >> 32) % MOST_SKIPPED;
}

static void close_segment(struct hd_trend *trend)
{
	for (uint32_t i = 0; i < trend->width; i++) {
		trend->squares[i] += trend->open[i] * trend->open[i];
		trend->open[i] = 0;
	}
	trend->skipped = 0;
	trend->allowed = draw(trend);
}

/* That of the same size, a new one, or the oldest. */
static struct hd_trend_point *place_of(struct hd_trend *trend, const struct hd_mix *mix)
{
	struct hd_trend_point *oldest = &trend->points[0];
	for (uint32_t i = 0; i < trend->count; i++) {
		if (off_by(&trend->points[i].mix, mix) <= SAME_SIZE)
			return &trend->points[i];
		if (trend->points[i].number < oldest->number)
			oldest = &trend->points[i];
	}
	return trend->count < HD_TREND_POINTS ? &trend->points[trend->count++] : oldest;
}

void hd_trend_add(struct hd_trend *trend, const struct hd_mix *mix, const double *figures)
{
	close_segment(trend);
	if (guess(trend, mix, trend->guesses))
		take_try(trend, figures);
	trend->timed += figures[trend->leading];
	/* The first launch finds caches as something else has left them. */
	if (trend->number == 1)
		trend->count = 0;
	struct hd_trend_point *point = place_of(trend, mix);
	point->mix = *mix;
	point->number = ++trend->number;
	memcpy(point->figures, figures, trend->width * sizeof *figures);
}

/* ---- errors */

double hd_trend_error_of(const struct hd_trend *trend, uint32_t which, double figure)
{
	if (trend->tries < 2)
		return figure > 0 ? INFINITY : 0;
	double t = hd_t_quantile(trend->tries - 1);
	return figure * (fabs(trend->mean[which]) + t * deviation(trend, which) + HD_SAMPLED_STATE);
}

struct hd_error hd_trend_error(const struct hd_trend *trend, uint32_t which)
{
	return error_with(trend, which, 0);
}
