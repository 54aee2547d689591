/*
 * Which warp issues what, and when (struct hd_policy_hooks, issue). A policy that blocks a warp for long uses
 * hd_warp_hold, which costs nothing while the warp waits.
 */
#ifndef HEDDLE_POLICY_ISSUE_H
#define HEDDLE_POLICY_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

struct hd_dinst;
struct hd_effect;
struct hd_policy_handle;
struct hd_warp;

struct hd_policy_issue {
	/* Called when a warp becomes resident, before its body. The policy may let it run a stream first
	 * (hd_warp_run) or hold it. Warps of its block with higher indices are not resident yet. */
	void (*warp_start)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when the stream of a warp has ended, with nothing in flight; registers are as the stream left
	 * them. The choice is that of warp_start. */
	void (*stream_end)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when a warp comes to its next instruction. */
	void (*fetch)(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now);
	/* Called after `fetch`. Returns the byte address of the warp's next instruction in the instruction cache,
	 * and sets *bytes to its length; `address` and *bytes are the baseline's (inst_bytes * pc, inst_bytes). All
	 * lines of it are fetched, so it may include code added by the policy. Only one policy of a combination may
	 * have this hook. */
	uint64_t (*code_place)(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc,
			       uint64_t address, uint32_t *bytes);
	/* Called every cycle for every ready warp. Returns whether it may issue; one policy that refuses suffices. */
	bool (*can_issue)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  uint64_t now);
	/* Called every cycle for every warp that can issue. Returns its rank: warps with the smallest value issue
	 * first; the scheduler's rule decides among equal ones. Must not suspend, stop or hold a warp. */
	uint64_t (*prefer)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			   uint64_t now);
	/*
	 * Called twice, first when the warp reaches the instruction (`known` is false), then when its operands are
	 * available (`known` is true), in warp->regs and warp->preds. Returns whether the instruction is executed
	 * without an issue slot (runtime/sm/elide.c). True in the first call means that it may be elided and is not
	 * fetched. *at is `now`; the second call sets it to the cycle from which the result can be used. One policy
	 * that returns true suffices. Not called for control, barriers, stores and atomics.
	 */
	bool (*elide)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      bool known, uint64_t now, uint64_t *at);
	/* Called after a program instruction was issued and executed; `effect` describes its effects. */
	void (*issued)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_effect *effect, uint64_t now);
	/* Called when the result can be used. */
	void (*write_back)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			   uint64_t now);
	/* Called when the two-level scheduler moves a warp into its active set. Returns the cycles until the warp may
	 * issue; it occupies its place meanwhile. Must not change the warp. */
	uint32_t (*activate)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when the warp leaves the set, for a long wait or at its end. Must not change the warp. */
	void (*deactivate)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when a warp waits at an incomplete barrier. */
	void (*barrier_wait)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
	/* Called when a warp continues behind a barrier; all warps released by the barrier are running again. */
	void (*barrier_resume)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
};

#endif
