/*
 * Sampling, the arithmetic: what launches have in common, and figures of those that were not simulated with time, with
 * their error. Knows nothing of the simulator. docs/sampling.md says where the methods come from.
 */
#ifndef HD_RUNTIME_SAMPLING_ESTIMATE_H
#define HD_RUNTIME_SAMPLING_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

#define HD_MIX_SHARES 7
/* Of a figure that has no time: what caches, DRAM and network would have been like, had there been time before it, is
 * not known to those that have. Measured, docs/sampling.md: samples are off by this much in the same way. */
#define HD_SAMPLED_STATE 0.01

/* What a launch executed: the same whatever the hardware. */
struct hd_mix {
	double work;		      /* warp instructions of the program, above 0 */
	double lanes;		      /* active ones of an instruction, above 0 */
	double blocks;		      /* of the grid, above 0 */
	double shares[HD_MIX_SHARES]; /* of `work`, by kind */
};

/* How far two are apart: the largest of the differences of the logarithms of work, lanes and blocks, and the sum of
 * those of the shares. 0.1: they differ by a tenth in something. */
double hd_mix_distance(const struct hd_mix *a, const struct hd_mix *b);
/* The same whatever the amount: of lanes and shares alone. */
double hd_mix_unlike(const struct hd_mix *a, const struct hd_mix *b);

/* Student's t: how many standard errors the mean of freedom + 1 values lies at most from the true one, with 95 %
 * probability. `freedom` 0: infinity. */
double hd_t_quantile(uint32_t freedom);

/*
 * Figures of parts of a run, launches that are alike or stretches of a launch, as means over those that were simulated
 * of the figure for each unit of work. What is not simulated gets its work times that.
 */
struct hd_estimator {
	uint32_t width;	  /* figures */
	uint32_t samples; /* parts that were simulated */
	double work;	  /* their mean */
	double *mean;	  /* of each figure for a unit of work */
	double *spread;	  /* sums of squares of what differs from that */
	double *doubt;	  /* of each, the mean error of the samples themselves, for a unit of work */
	uint64_t skipped; /* parts that were not */
	double skipped_work, skipped_squares; /* sums of their work and of its squares */
	double *given;			      /* of each figure, the sum of what they got */
	double *strangeness;		      /* of each, what is to be added to the error for parts that are unlike */
	struct hd_estimator *kin; /* the next in a ring of estimators whose samples spread alike; NULL: it is alone */
};

void hd_estimator_init(struct hd_estimator *estimator, uint32_t width, struct hd_arena *arena);
/* Few samples may be close to each other by chance. With kin, an error is no less than the kin's spread makes it, as a
 * share of their means: launches of one kernel that are of several clusters. */
void hd_estimator_join(struct hd_estimator *estimator, struct hd_estimator *kin);
/* A part that was simulated; work is above 0. `errors` of its figures where these are estimates themselves; NULL: none.
 */
void hd_estimator_sample(struct hd_estimator *estimator, const double *figures, const double *errors, double work);
/* Its samples were none. What parts got from them stays theirs. */
void hd_estimator_forget(struct hd_estimator *estimator);
/* Fills in the figures of a part that was not. One that is not alike has a `distance` (hd_mix_distance) to what was
 * simulated, which is taken as its relative error; 0: it is alike. There must be a sample. */
void hd_estimator_guess(struct hd_estimator *estimator, double work, double distance, double *figures);
/* Half the width of the interval in which figure `which` of one part lies with 95 % probability, of which part
 * hd_estimator_guess has told the mean; infinity with one sample only, unless the figure is 0. */
double hd_estimator_error_of(const struct hd_estimator *estimator, uint32_t which, double work, double distance);

/* The same of the sum of a figure over all parts that were not simulated, in two pieces: one by chance, of which
 * squares add up over estimators, and one that may go the same way in all of them. */
struct hd_error {
	double chance, bias;
};
struct hd_error hd_estimator_error(const struct hd_estimator *estimator, uint32_t which);
/* The part of an error that this much work has, whatever the samples: caches and DRAM are not as they would be. */
double hd_estimator_state(const struct hd_estimator *estimator, uint32_t which, double work);
/* Is the mean of this figure known to `target`, a share of it? Two samples are needed. */
bool hd_estimator_settled(const struct hd_estimator *estimator, uint32_t which, double target);

#endif
