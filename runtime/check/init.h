/*
 * What the files of --check=init share about the instruction that is about to be executed. Private to runtime/check.
 */
#ifndef HD_RUNTIME_CHECK_INIT_H
#define HD_RUNTIME_CHECK_INIT_H

#include "runtime/check/state.h"

struct hd_init {
	struct hd_check *check;
	const struct hd_exec *exec;
	const struct hd_dinst *inst;
	struct hd_values *values;
	uint32_t told; /* lanes of which it was said that it means nothing whether they execute it */
};
/* What is known of the memory at an address, and where in it; NULL: it is not followed. */
struct hd_fresh *hd_init_fresh(const struct hd_init *init, const struct hd_cta *owner, unsigned space, uint64_t address,
			       uint32_t bytes, uint64_t *at);

/* lanes.c: what lanes tell each other, matrices of the whole warp, uniform registers. False: it is none of these. */
bool hd_init_lanes(const struct hd_init *init);
/* Of matrices that are loaded from shared memory. */
void hd_init_load_matrix(const struct hd_init *init, const struct hd_accesses *accesses);
/* A value of this origin means something, or is handed out, where the warp is; without the lane. */
struct hd_finding hd_init_finding(const struct hd_init *init, const struct hd_origin_of *of, const char *what);
/* handed.c: the lane stores what nothing has written, as it is, at this offset in device memory; and memory is new. */
void hd_handed_store(const struct hd_init *init, uint32_t lane, uint64_t at, const struct hd_origin_of *of);
void hd_handed_forget(struct hd_check *check, uint64_t from, uint64_t bytes);
void hd_handed_release(struct hd_check *check);
/* texels.c: a fetch from a texture. */
void hd_init_texture(const struct hd_init *init);

#endif
