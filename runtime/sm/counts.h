/*
 * What policies count.
 */
#ifndef HD_RUNTIME_SM_COUNTS_H
#define HD_RUNTIME_SM_COUNTS_H

#include <stdint.h>

#include "lib/api.h"

struct hd_gpu;
struct hd_grid;
struct hd_policy_handle;

/* Gives the policy's rows a place. */
void hd_counts_take(struct hd_gpu *gpu, struct hd_policy_handle *policy);
/* Sets them aside, of all policies, once these are known. */
void hd_counts_place(struct hd_gpu *gpu);
/* A grid begins: it has counted nothing. It has ended: what it has counted is the whole run's, too. */
void hd_counts_begin(struct hd_gpu *gpu, const struct hd_grid *grid);
void hd_counts_end(struct hd_gpu *gpu, const struct hd_grid *grid);
/* What all policies have counted of a grid so far, a sum for each row; and more of it, for a grid that has ended. */
void hd_counts_sum(const struct hd_gpu *gpu, const struct hd_grid *grid, uint64_t *rows);
void hd_counts_add(struct hd_gpu *gpu, const struct hd_grid *grid, const uint64_t *rows);
/* The policy's figures: its counts, then what its `report` adds. */
void hd_counts_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		      void (*add)(void *context, const char *key, double value, const char *unit), void *context);
/* In `report`: what that is about, a launch that ends or the run, in all. `sum`: a struct of its rows. */
HD_API void hd_policy_sum(const struct hd_policy_handle *self, const struct hd_gpu *gpu, void *sum);

#endif
