/*
 * Where a warp goes on: calls, returns and other paths (struct hd_policy_hooks, calls). Extra cycles of several
 * policies add up.
 */
#ifndef HEDDLE_POLICY_CALLS_H
#define HEDDLE_POLICY_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct hd_dinst;
struct hd_policy_handle;
struct hd_warp;

/* How the lanes that a warp executes next relate to those that executed last. DIVERGED: a part of them; the others
 * wait. SWITCHED: other lanes, because the last ones have ended their path. JOINED: the last ones plus others.
 * YIELDED: other lanes, because the last ones made way. */
enum hd_path { HD_PATH_DIVERGED, HD_PATH_SWITCHED, HD_PATH_JOINED, HD_PATH_YIELDED };

struct hd_policy_calls {
	/* Called at a call. Returns the extra cycles before the warp's next issue. `memory_access` has already been
	 * called for saves and restores. */
	uint32_t (*call)(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			 uint32_t callee, uint64_t now);
	/* Called at a return, and when the last threads of a call have exited inside it. Returns the extra cycles
	 * before the warp's next issue. */
	uint32_t (*call_return)(const struct hd_policy_handle *self, struct hd_warp *warp, bool all_threads,
				uint64_t now);
	/* Called when a warp continues at warp->pc with lanes warp->active that differ from the last ones, before
	 * `fetch`. Such a path may be in another call. */
	void (*path_switch)(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_path how, uint64_t now);
	/* Called at calls, at returns, and when a warp continues on a path that may be in another call, if a policy
	 * of the combination renames registers (`operands.rename`): names of registers mean others from here on. Must
	 * drop, or write to the banks, what the policy keeps under these names. */
	void (*forget_names)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
};

#endif
