/*
 * Clusters of blocks as data: blocks of a grid that are resident at the same time, in one GPC, with a barrier of all
 * their threads, and that access each other's shared memory.
 *
 * SMs only read a cluster while they work; what their warps do to it is noted (struct hd_cluster_event) and takes
 * effect when all of them have come to the end of a window (runtime/gpu/clusters.c), in the order of cycles and SMs.
 */
#ifndef HD_RUNTIME_CORE_CLUSTER_H
#define HD_RUNTIME_CORE_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"

struct hd_cta;
struct hd_grid;

struct hd_cluster {
	struct hd_grid *grid;
	bool used;
	uint32_t size;			      /* blocks */
	uint32_t left;			      /* of these, that have not ended */
	uint32_t ended;			      /* a bit for each that has */
	uint32_t under_way;		      /* accesses between its blocks */
	uint64_t places_free;		      /* with none left: cycle from which others may have its places */
	struct hd_cta *ctas[HD_CLUSTER_MOST]; /* by rank */
	/* The barrier. Threads that have exited do not count. */
	uint32_t threads, arrived;
	uint32_t phase;	   /* how often it has completed */
	uint64_t taken;	   /* cycle of the last arrival */
	uint64_t released; /* cycle from which those that waited for the last phase go on */
};

/* Threads of a warp arrive, or exit: of these so many have arrived. Or a block ends. */
enum hd_cluster_event_kind { HD_CLUSTER_ARRIVE, HD_CLUSTER_EXIT, HD_CLUSTER_END };
struct hd_cluster_event {
	uint64_t cycle;
	struct hd_cluster *cluster;
	uint32_t threads, arrived, rank;
	enum hd_cluster_event_kind kind;
};

/* Which block of its cluster a shared address is of: `code` is its upper byte. UINT32_MAX: of none. */
static inline uint32_t hd_rank_of_code(const struct hd_cluster *cluster, uint32_t own, uint32_t code)
{
	uint32_t rank = !code ? own : code == HD_RANK_FIRST ? 0 : code;
	if (!cluster)
		return rank ? UINT32_MAX : 0;
	return rank < HD_RANK_FIRST ? rank : UINT32_MAX;
}

#endif
