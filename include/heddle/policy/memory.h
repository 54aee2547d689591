/*
 * Accesses of warps and packets between an SM and L2 (struct hd_policy_hooks, memory).
 */
#ifndef HEDDLE_POLICY_MEMORY_H
#define HEDDLE_POLICY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct hd_dinst;
struct hd_grid;
struct hd_hazard;
struct hd_packet;
struct hd_policy_handle;
struct hd_sm;
struct hd_warp;

/* First use of loaded registers: hook first_use. */
struct hd_first_use {
	const struct hd_dinst *inst;	   /* the warp's next instruction */
	const struct hd_hazard *registers; /* registers used for the first time */
	bool waits;			   /* true: the instruction waits for some of them; false: it issues */
};

/* A reply of L2. */
#define HD_NO_PACKET UINT32_MAX
struct hd_reply {
	const struct hd_packet *packet; /* its line, sectors, kind and size */
	const struct hd_grid *grid;	/* grid of the request */
	uint32_t latency;		/* cycles since the request left the SM */
	bool missed;			/* some data were not in L2 */
};

struct hd_policy_memory {
	/* Called for a local access with a role. Returns false to keep it from the memory system (CARS: a rename). */
	bool (*memory_access)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			      uint64_t now);
	/* Called when a global or local access goes to the load/store unit. Returns whether it bypasses L1; its
	 * lines there are written back, or updated by a store. One policy that returns true suffices. */
	bool (*l1_bypass)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/* Called once per load or atomic that must wait for memory: its first line missed L1, was in flight, or
	 * bypasses L1. */
	void (*load_miss)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/* Called once per loaded register, at its first use by an instruction that issues or must wait for it
	 * (global and local loads). */
	void (*first_use)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
			  uint64_t now);
	/* Called when an SM can send a packet to L2. `heads` has the first ready packet of each grid's miss queue, in
	 * the baseline's order, which alternates (struct hd_packet: runtime/memory/packet.h). Returns an index, or
	 * HD_NO_PACKET to send none now; called again in the next cycle. Only one policy of a combination may have
	 * this hook. */
	uint32_t (*send)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads,
			 uint32_t count, uint64_t now);
	/* Called when a reply of L2 reaches the SM. */
	void (*reply)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_reply *reply,
		      uint64_t now);
};

#endif
