/*
 * What a policy tells people, and what it verifies of itself (struct hd_policy_hooks, observation). None of these may
 * change anything but the policy's own notes.
 */
#ifndef HEDDLE_POLICY_OBSERVATION_H
#define HEDDLE_POLICY_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct hd_dinst;
struct hd_effect;
struct hd_gpu;
struct hd_policy_count;
struct hd_policy_handle;
struct hd_warp;

struct hd_policy_observation {
	/* Called with --verify, before and after the execution of each instruction. Report faults with
	 * hd_gpu_fault. */
	void (*verify_before)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst);
	void (*verify_after)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			     const struct hd_effect *effect);
	/* Called when the state of the simulation is printed (--dump-state). Writes that of the policy. */
	void (*dump)(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out);
	/* Called by the watchdog. Writes why the policy holds the warp (hd_warp_hold). Returns false if another
	 * policy holds it. */
	bool (*why_held)(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size);
	/* Figures over time: their names, ended by NULL. */
	const char *const *series;
	/* Called with --sample at the end of each interval. Writes one value per name in `series`. */
	void (*sample)(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values);
	/* Called when statistics are written. Calls add(context, key, value, unit) for figures under the policy's
	 * name: of the launch gpu->grid, or of the whole run if that is NULL. */
	void (*report)(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		       void (*add)(void *context, const char *key, double value, const char *unit), void *context);
	/* What these figures mean: ends with a row without a name, NULL: nothing is said. A name with * stands for
	 * several; the first row that matches counts. */
	const struct hd_policy_count *reported;
};

#endif
