/*
 * Sampling's own structures, as its files share them.
 */
#ifndef HD_RUNTIME_SAMPLING_PRIVATE_H
#define HD_RUNTIME_SAMPLING_PRIVATE_H

#include "lib/vec.h"
#include "runtime/core/gpu.h"
#include "runtime/sampling/estimate.h"
#include "runtime/sampling/sampling.h"
#include "runtime/sampling/trend.h"

/* How a launch was run. */
enum hd_sampled {
	HD_SAMPLED_DETAILED,   /* with time, and counts for those that are like it */
	HD_SAMPLED_PARTLY,     /* the same, but for the time of its later blocks */
	HD_SAMPLED_FUNCTIONAL, /* without */
	HD_SAMPLED_BESIDE,     /* with time, beside others: no other launch is like it */
	HD_SAMPLED_KINDS
};

/* Launches that are alike: of one kernel, with blocks of one shape. */
struct hd_sampled_cluster {
	const struct hd_kernel *kernel;
	uint32_t block[3], dynamic_shared;
	struct hd_mix mix;		 /* of its first */
	uint64_t launches;		 /* simulated or not */
	uint64_t used;			 /* number of the last launch that was of it */
	struct hd_sampled_cluster *next; /* that of the kernel's launch after that one; NULL: there was none */
	bool warm;			 /* it has samples that are not its first launch */
	struct hd_estimator estimator;
};

/* The same without regard to their sizes. */
struct hd_sampled_family {
	const struct hd_kernel *kernel;
	uint32_t block[3], dynamic_shared;
	struct hd_trend trend;
};

/* Blocks of the grid that runs. */
struct hd_sampled_blocks {
	uint64_t wave;		       /* that run at a time; 0: not known yet */
	uint64_t window;	       /* blocks of a sample: one wave or several */
	double wave_work;	       /* of the first wave */
	uint64_t cycle;		       /* in which the others end that began with time */
	double work;		       /* at the last look */
	double *before;		       /* figures then */
	double *windows;	       /* of a window */
	double *errors;		       /* of what has been estimated */
	double *squares;	       /* of those by chance, over all launches */
	double *ends;		       /* and the others */
	struct hd_stats stats;	       /* of what had time */
	struct hd_estimator estimator; /* over windows */
};

/* Of an SM: instructions up to the last look, of the samples and of the samples' squares; of a sample, on the mean; and
 * resident warps when it was halted. */
struct hd_sampled_pace {
	uint64_t last;
	double sum, squares, mean;
	uint32_t warps;
};

/* What goes on between two stretches of a wave without time, and of the last of them. */
struct hd_sampled_stretch {
	uint64_t window;	       /* cycles */
	uint64_t reach;		       /* instructions without time for one of the samples, at most */
	bool warm;		       /* windows are samples */
	uint64_t since;		       /* cycle from which they are */
	uint64_t halted;	       /* cycle in which the warps were */
	struct hd_sampled_pace *paces; /* by SM */
	double spread;		  /* of SMs with as many warps, the most that a pace differs from their mean, a share */
	struct hd_way *ways;	  /* by SM and warp */
	struct hd_stats stats;	  /* at `since` */
	struct hd_mix mix;	  /* of the samples */
	double work, *before;	  /* at the last look */
	double skipped;		  /* work of the launch without time */
	double last_work, *means; /* of the last stretch, and what its figures were */
	struct hd_estimator estimator;
};

/* Waves of a grid from which on it is looked at by blocks, and below by stretches. */
#define HD_SAMPLED_WAVES 7

struct hd_sampling {
	struct hd_gpu *gpu;
	struct hd_arena arena;
	struct hd_functional *functional;
	double target;		 /* error of each cluster's mean, a share of it */
	uint32_t width;		 /* figures: counters, stalls, counts and energy of policies, joules */
	uint32_t cycles, misses; /* which of them these are, and of L2 */
	HD_VEC(struct hd_sampled_cluster *) clusters;
	HD_VEC(struct hd_sampled_family *) families;
	uint32_t policies; /* that hear of nothing now */
	uint64_t *hooks;   /* of each SM, while they do not */
	uint64_t launches[HD_SAMPLED_KINDS];
	double work, detailed_work; /* warp instructions of the program: of all launches; of those with time */
	/* The launch that runs, or ran last. */
	enum hd_sampled kind;
	uint64_t start;	    /* cycle */
	uint64_t launching; /* cycles that its launch takes by itself, which are known: figures are without */
	struct hd_sampled_cluster *cluster; /* NULL: none */
	struct hd_sampled_family *family;   /* whose trend gave the figures; NULL: the cluster did */
	double launch_work, distance;	    /* to the cluster's samples */
	double *figures;
	bool gap;	/* the launch before it had parts without time */
	double *behind; /* what launches with time may be off because of that, all together */
	struct hd_sampled_blocks blocks;
	struct hd_sampled_stretch stretch;
	uint64_t *rows;
};

/* Where a figure stands: hd_counter_info's order, then stalls, then the policies' counts and events, then joules. */
static inline uint32_t hd_sampled_stall(uint32_t reason)
{
	return hd_counter_count + reason;
}
static inline uint32_t hd_sampled_row(uint32_t row)
{
	return hd_counter_count + HD_STALL_COUNT + row;
}
static inline uint32_t hd_sampled_event(const struct hd_sampling *sampling, uint32_t row)
{
	return hd_sampled_row(sampling->gpu->count_rows) + row;
}
static inline uint32_t hd_sampled_joules(const struct hd_sampling *sampling)
{
	return sampling->width - 1;
}
/* sampling.c. Everything since the grid began, and all its figures; instructions of the program among these. */
void hd_sampled_stats(const struct hd_sampling *sampling, const struct hd_grid *grid, struct hd_stats *stats);
void hd_sampled_figures(struct hd_sampling *sampling, const struct hd_grid *grid, struct hd_stats stats,
			double *figures);
double hd_sampled_work(const struct hd_counters *counters);
/* Without time, and with it again, from this cycle on. */
void hd_sampled_leave(struct hd_sampling *sampling);
void hd_sampled_return(struct hd_sampling *sampling, uint64_t cycle);
/* Has the time go by that sampling->figures say, after launching, and adds what they say beside what was counted. */
void hd_sampled_add(struct hd_sampling *sampling, const struct hd_grid *grid, const struct hd_stats *counted,
		    uint64_t launching);
/* The same for a stretch of the grid that runs, of which `counted` was executed: the cycles pass on the SMs. */
void hd_sampled_pass(struct hd_sampling *sampling, const struct hd_stats *counted);
struct hd_mix hd_sampled_mix(const struct hd_counters *counters);
/* stretch.c. The grid is about to begin. True: it is looked at by stretches. */
void hd_sampled_stretch_init(struct hd_sampling *sampling);
bool hd_sampled_stretch_begin(struct hd_sampling *sampling, struct hd_grid *grid);
void hd_sampled_stretch_look(struct hd_sampling *sampling, struct hd_grid *grid);
/* blocks.c */
/* Figures of the grid that runs up to the beginning of this cycle; returns the work. */
double hd_sampled_look(struct hd_sampling *sampling, const struct hd_grid *grid, double *figures);
void hd_sampled_blocks_init(struct hd_sampling *sampling);
void hd_sampled_blocks_begin(struct hd_sampling *sampling, struct hd_grid *grid);
/* So many blocks of the grid have ended as it asked for; what came before this cycle is done. */
void hd_sampled_blocks_look(struct hd_sampling *sampling, struct hd_grid *grid);
/* A launch of which not all blocks had time has ended, with so much work: the others' figures are added. */
void hd_sampled_blocks_end(struct hd_sampling *sampling, const struct hd_grid *grid, const struct hd_stats *counted);
/* What is counted without time, too, and does not depend on policies. */
bool hd_sampled_exactly(const struct hd_sampling *sampling, uint32_t index);

#endif
