/* A line about launches that take longer than two seconds, for people who wait (progress.c). */
#ifndef HD_RUNTIME_GPU_PROGRESS_H
#define HD_RUNTIME_GPU_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hd_gpu;

struct hd_progress {
	FILE *out;		 /* a terminal; NULL: off */
	double (*clock)(void);	 /* seconds of the host */
	double started, printed; /* when the grids that run began, and the line was last written */
	uint64_t cycle, issued;	 /* at that start */
	uint32_t countdown;	 /* cycles until the next look at the clock, skipped ones apart */
	bool shown;
};

void hd_progress_init(struct hd_progress *progress, FILE *out);
/* The first grid for some time begins; some cycles were worked through; the last one has ended. */
void hd_progress_start(struct hd_progress *progress, const struct hd_gpu *gpu);
void hd_progress_look(struct hd_progress *progress, const struct hd_gpu *gpu);
void hd_progress_end(struct hd_progress *progress);

static inline void hd_progress_cycles(struct hd_progress *progress, const struct hd_gpu *gpu, uint64_t cycles)
{
	if (!progress->out)
		return;
	if (progress->countdown < cycles)
		hd_progress_look(progress, gpu);
	else
		progress->countdown -= (uint32_t)cycles;
}

#endif
