/*
 * Warps and blocks that stop, leave their places or move (struct hd_policy_hooks, contexts; what moves them is in
 * runtime/sm/context.h). A policy with these sets `moves`.
 */
#ifndef HEDDLE_POLICY_CONTEXTS_H
#define HEDDLE_POLICY_CONTEXTS_H

#include <stdint.h>

struct hd_cta;
struct hd_policy_handle;
struct hd_sm;
struct hd_warp;

struct hd_policy_contexts {
	/* Called when a block sent by hd_cta_send has arrived, suspended. No SM is active: the policy may also
	 * access its state of `from`. */
	void (*cta_arrive)(const struct hd_policy_handle *self, struct hd_sm *from, struct hd_sm *sm,
			   struct hd_cta *cta, uint64_t now);
	/* Called before a policy kills a block; the block is unchanged until the hook returns. warp_done is not
	 * called for its warps. */
	void (*cta_kill)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	/* Called when a warp reaches the point where it should stop (hd_warp_stop). */
	void (*stopped)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when nothing that the policy waits for (hd_warp_await) is in flight any more. */
	void (*drained)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
};

#endif
