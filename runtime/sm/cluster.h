/*
 * Clusters of blocks as an SM sees them: cluster.c.
 */
#ifndef HD_RUNTIME_SM_CLUSTER_H
#define HD_RUNTIME_SM_CLUSTER_H

#include <stdint.h>

struct hd_cluster;
struct hd_cta;
struct hd_dinst;
struct hd_sm;
struct hd_warp;

/* The SM gets its first cluster. */
void hd_clusters_prepare(struct hd_sm *sm);
/* A warp has arrived at its cluster's barrier, or waits there. */
void hd_cluster_barrier(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask,
			uint64_t now);
/* Between the SMs' work: the barrier has completed, and its warps go on at cluster->released. */
void hd_cluster_release(struct hd_cluster *cluster, uint64_t now);
/* A block has ended; its places are kept for the others. */
void hd_cluster_block_done(struct hd_sm *sm, struct hd_cta *cta, uint64_t now);

#endif
