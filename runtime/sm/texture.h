/*
 * The texture units of an SM, between its L1 and the registers: texture.c.
 */
#ifndef HD_RUNTIME_SM_TEXTURE_H
#define HD_RUNTIME_SM_TEXTURE_H

#include <stdint.h>

struct hd_config;
struct hd_inflight;
struct hd_sm;
struct hd_warp;

/* Texture units. */
struct hd_textures {
	uint32_t units;	 /* lanes that they filter a cycle */
	uint32_t behind; /* cycles from there to the result */
	uint64_t free;	 /* the first cycle in which they have nothing to do */
};

/* Latencies in cycles and units a SM are the configuration's. */
void hd_texture_init(struct hd_textures *textures, const struct hd_config *config);
/* A kernel that fetches is going to have blocks on the SM: room for what its fetches touch. Once for all. */
void hd_texture_prepare(struct hd_sm *sm);
/* The fetch that has just been executed, of which at least one lane was active, under the token that it has among
 * the loads under way. Its line accesses become those of the request. */
void hd_texture_start(struct hd_sm *sm, struct hd_warp *warp, uint32_t token);
/* L1 has all that a fetch needs in cycle `now`: the cycle in which its result is there. */
uint64_t hd_texture_filter(struct hd_textures *textures, const struct hd_inflight *entry, uint64_t now);

#endif
