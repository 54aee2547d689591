/*
 * Clusters of blocks as an SM sees them. A warp that waits at its cluster's barrier costs no issue slots; which warps
 * of other SMs have arrived is known when all have come to the end of a window (runtime/gpu/clusters.c), and in time,
 * since nothing behind the barrier issues before cluster_barrier_latency is over. The places of a block that has ended
 * stay its own until all blocks of the cluster have.
 *
 * Cost: O(1) an arrival, O(warps of the cluster) a release.
 */
#include "runtime/sm/cluster.h"

#include "heddle/opcodes.h"
#include "runtime/exec/remote.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

void hd_clusters_prepare(struct hd_sm *sm)
{
	hd_remotes_prepare(sm->exec, &sm->arena);
	hd_lsu_open_port(sm->lsu, &sm->arena);
}

/* Without timing nobody waits for a cycle. */
static void go_on(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason)
{
	if (!sm->gpu->functional)
		hd_warp_continue(sm, warp, now, at, reason);
}

void hd_cluster_barrier(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask,
			uint64_t now)
{
	const struct hd_cluster *cluster = warp->cta->cluster;
	if (!mask || !cluster || inst->inst.op == HD_OP_CGABAR_ARV) {
		go_on(sm, warp, now, now + 1, HD_STALL_control);
		return;
	}
	hd_sm_counters(sm, warp)->barriers++;
	if (warp->cluster_phase != cluster->phase) {
		bool later = cluster->released > now + 1;
		go_on(sm, warp, now, later ? cluster->released : now + 1, later ? HD_STALL_barrier : HD_STALL_control);
		return;
	}
	sm->barriers.parked[warp->id] = (struct hd_parked){inst, mask, 0};
	warp->state = HD_WARP_BARRIER;
	if (!sm->gpu->functional)
		hd_warp_set_wait(sm, warp, HD_STALL_barrier);
}

static bool waits(const struct hd_sm *sm, const struct hd_cta *cta, const struct hd_warp *warp)
{
	return warp->cta == cta && warp->state == HD_WARP_BARRIER &&
	       sm->barriers.parked[warp->id].inst->inst.op == HD_OP_CGABAR_WAIT;
}

void hd_cluster_release(struct hd_cluster *cluster, uint64_t now)
{
	for (uint32_t rank = 0; rank < cluster->size; rank++) {
		struct hd_cta *cta = cluster->ctas[rank];
		struct hd_sm *sm = cta->sm;
		for (uint32_t i = 0; i < cta->warp_count; i++) {
			struct hd_warp *warp = cta->warps[i];
			if (!waits(sm, cta, warp))
				continue;
			warp->state = HD_WARP_RUNNING;
			go_on(sm, warp, now, cluster->released, HD_STALL_barrier);
		}
	}
}

void hd_cluster_block_done(struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct hd_cluster_event event = {.cycle = now, .cluster = cta->cluster, .rank = cta->rank};
	event.kind = HD_CLUSTER_END;
	hd_vec_push(&sm->exec->remotes->events, event);
}
