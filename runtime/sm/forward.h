/*
 * Results that some readers have later than others: forward.c.
 */
#ifndef HD_RUNTIME_SM_FORWARD_H
#define HD_RUNTIME_SM_FORWARD_H

#include <stdbool.h>
#include <stdint.h>

struct hd_config;
struct hd_dinst;
struct hd_sm;
struct hd_warp;

struct hd_forwarding {
	bool used;	       /* some readers have results later than others */
	uint32_t cross_cycles; /* at most so many cycles for results of another pipeline */
	uint32_t guard_cycles; /* lat_guard */
};

void hd_forwarding_init(struct hd_forwarding *forwarding, const struct hd_config *config);
/* A result has been written. */
void hd_forward_written(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now);
/* The operands of the warp's next instruction have all been written. Whether it has to wait for one of them: then it
 * does. */
bool hd_forward_wait(struct hd_sm *sm, struct hd_warp *warp);

#endif
