/*
 * Timelines of a run for Perfetto (`--timeline`) and Konata (`--kanata`): a watcher (core/watch.h) that keeps events
 * and writes files of them at the end. Which instructions are in them is said by a filter:
 *
 *     cycles=1000:2000,sm=0-3,warp=0-7,kernel=PATTERN
 *
 * each part at most once and in any order, a pattern last. Without a filter a timeline for Perfetto has launches,
 * blocks and warps alone, and one for Konata the instructions of SM 0.
 */
#ifndef HD_RUNTIME_WATCH_TIMELINE_H
#define HD_RUNTIME_WATCH_TIMELINE_H

#include <stdint.h>

struct hd_diag;
struct hd_gpu;

enum hd_timeline_copy { HD_COPY_TO_DEVICE, HD_COPY_FROM_DEVICE, HD_COPY_ON_DEVICE, HD_COPY_SET, HD_COPY_KINDS };

struct hd_timeline_options {
	const char *perfetto, *kanata; /* files; NULL: none */
	const char *filter;	       /* NULL: none */
	const char *name;	       /* of the run, before the names of its processes; NULL: none */
};

/* Reads a filter. 0, or -1 with the error reported. */
int hd_timeline_check(const char *filter, struct hd_diag *diag);
/* From now on events are kept. The filter has been checked. */
void hd_timeline_start(struct hd_gpu *gpu, const struct hd_timeline_options *options, struct hd_diag *diag);
/* The host has copied so many bytes, or set them. */
void hd_timeline_copied(struct hd_gpu *gpu, enum hd_timeline_copy kind, uint64_t bytes);
/* Writes the files, the first time. Before modules are unloaded. Returns 0, or -1 after reporting an error. */
int hd_timeline_end(struct hd_gpu *gpu);

#endif
