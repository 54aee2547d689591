/*
 * Sampling, the arithmetic of launches of one kernel that grow or shrink: figures of those without time lie on the line
 * through those of neighbouring sizes that had time. Knows nothing of the simulator.
 */
#ifndef HD_RUNTIME_SAMPLING_TREND_H
#define HD_RUNTIME_SAMPLING_TREND_H

#include "runtime/sampling/estimate.h"

#define HD_TREND_POINTS 32

/* A launch that had time. */
struct hd_trend_point {
	struct hd_mix mix;
	uint64_t number; /* the later, the larger */
	double *figures;
};

/*
 * Each launch with time is guessed, too, from those before it: a try. Launches without time between two of these are a
 * segment, as their errors are much the same; those of segments are independent.
 */
struct hd_trend {
	uint32_t width;	 /* figures */
	uint32_t count;	 /* points */
	uint64_t number; /* of launches with time */
	uint32_t tries;
	uint32_t allowed, skipped; /* launches of a segment: at most; so far */
	uint32_t leading;	   /* figure that is to be right to `target` */
	double target;
	double timed;		/* the leading figure of launches with time, summed */
	double *mean, *spread;	/* of each figure over the tries: by how much it was off, a share; and its squares */
	double *open, *squares; /* what a segment's launches got in this one; of earlier ones, the sum of squares */
	double *given;		/* of all */
	double *guesses;
	struct hd_trend_point points[HD_TREND_POINTS];
};

/* The sum of figure `leading` over all launches is to be right to `target`, a share of it. */
void hd_trend_init(struct hd_trend *trend, uint32_t width, uint32_t leading, double target, struct hd_arena *arena);
/* A launch had time. */
void hd_trend_add(struct hd_trend *trend, const struct hd_mix *mix, const double *figures);
/* May the next launch, with so many blocks, go without time? */
bool hd_trend_tells(const struct hd_trend *trend, double blocks);
/* Fills in the figures of a launch without time. False: it is unlike those that had. */
bool hd_trend_guess(struct hd_trend *trend, const struct hd_mix *mix, double *figures);
/* As hd_estimator_error_of and hd_estimator_error, of what the trend has told. */
double hd_trend_error_of(const struct hd_trend *trend, uint32_t which, double figure);
struct hd_error hd_trend_error(const struct hd_trend *trend, uint32_t which);

#endif
