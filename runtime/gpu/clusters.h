/*
 * Clusters of blocks on the whole GPU: clusters.c.
 */
#ifndef HD_RUNTIME_GPU_CLUSTERS_H
#define HD_RUNTIME_GPU_CLUSTERS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_clusters;
struct hd_cta;
struct hd_grid;
struct hd_run;

struct hd_clusters *hd_clusters_new(struct hd_run *run);
void hd_clusters_free(struct hd_clusters *clusters);
/* Cycles that SMs may go through without learning of each other's clusters. */
uint64_t hd_clusters_lead(const struct hd_run *run);
/* Clusters of so many blocks that the GPU has room for at a time, of `ctas` on each SM. */
uint32_t hd_clusters_fit(const struct hd_run *run, uint32_t blocks, uint32_t ctas);
/* One pass: clusters of the grid get places, as many as find any. Returns the cycle of the next pass; HD_NEVER: when a
 * block has ended. */
uint64_t hd_clusters_dispatch(struct hd_run *run, struct hd_grid *grid, uint64_t now);
/* Without timing: the first block of the next one. NULL: there is no room. */
struct hd_cta *hd_clusters_begin(struct hd_run *run, struct hd_grid *grid, uint64_t now);
/* Places of clusters that have ended are free from `now` on. Returns the next cycle in which some are. */
uint64_t hd_clusters_retire(struct hd_run *run, uint64_t now);
/* What the SMs have done to clusters, and what has arrived on the way between them, in the cycles before `end`. Returns
 * the next cycle with work. */
uint64_t hd_clusters_step(struct hd_run *run, uint64_t end);
/* Without timing: the first of these. */
void hd_clusters_note(struct hd_run *run);
/* A fault has ended all. */
void hd_clusters_abandon(struct hd_run *run);

#endif
