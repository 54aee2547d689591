/*
 * Functional execution: clusters of blocks. Where a shared address leads, what accesses to other blocks do, and the
 * instructions MAPA, CGABAR_ARV and CGABAR_WAIT.
 *
 * With timing an access to another block takes effect when the network between SMs says that it has arrived
 * (runtime/memory/dsm.c): a load reads then, a store writes what it had at issue, an atomic does both. So what a thread
 * sees of another block does not depend on which SM is simulated first. Without timing all is done at once.
 *
 * Cost: a copy of the operands of each access.
 */
#include "runtime/exec/remote.h"

#include "heddle/opcodes.h"

void hd_remotes_prepare(struct hd_exec *exec, struct hd_arena *arena)
{
	if (exec->remotes)
		return;
	exec->remotes = HD_ARENA_NEW(arena, struct hd_remotes, 1);
	exec->remotes->arena = arena;
}

void hd_remotes_release(struct hd_exec *exec)
{
	if (exec && exec->remotes)
		hd_vec_release(&exec->remotes->events);
}

/* ---- addresses */

static const char *access_name(const struct hd_dinst *inst)
{
	return inst->effects & HD_FX_ATOMIC ? "atomic" : inst->effects & HD_FX_STORE ? "store" : "load";
}

static uint8_t *fault(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint32_t address, uint32_t rank)
{
	const struct hd_cta *cta = exec->warp->cta;
	uint32_t offset = address & HD_RANK_OFFSET, size = cta->cluster ? cta->cluster->size : 1;
	if (rank >= size)
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
			 "%u-byte %s at shared address 0x%x of a block that is not there; the cluster has %u block%s",
			 inst->access_bytes, access_name(inst), address, size, size == 1 ? "" : "s");
	else if (cta->cluster->ended >> rank & 1)
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
			 "%u-byte %s at shared address 0x%x of the block of rank %u, which has ended",
			 inst->access_bytes, access_name(inst), offset, rank);
	else
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
			 "%u-byte %s at shared address 0x%x of the block of rank %u, which has %u bytes of shared "
			 "memory",
			 inst->access_bytes, access_name(inst), offset, rank, cta->grid->shared_bytes);
	return NULL;
}

uint8_t *hd_remote_find(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint32_t address,
			uint64_t *timing, bool *remote)
{
	const struct hd_cta *cta = exec->warp->cta;
	const struct hd_cluster *cluster = cta->cluster;
	uint32_t rank = hd_rank_of_code(cluster, cta->rank, address >> HD_RANK_SHIFT);
	uint32_t offset = address & HD_RANK_OFFSET, room = cta->grid->shared_bytes;
	*remote = false;
	if (rank == cta->rank)
		return hd_exec_lane_access(exec, inst, lane, offset, HD_MEM_SHARED, timing);
	if (!cluster && address >> HD_RANK_SHIFT > HD_RANK_FIRST) /* an offset below the memory */
		return hd_exec_lane_access(exec, inst, lane, address, HD_MEM_SHARED, timing);
	if (!cluster || rank >= cluster->size || cluster->ended >> rank & 1 || offset >= room ||
	    inst->access_bytes > room - offset || offset & (inst->access_bytes - 1u))
		return fault(exec, inst, lane, address, rank);
	const struct hd_cta *peer = cluster->ctas[rank];
	*remote = true;
	*timing = hd_remote_address(peer->exec->sm, peer->shared_offset + offset);
	return peer->shared + offset;
}

/* ---- accesses */

static struct hd_remote *take(struct hd_remotes *remotes)
{
	struct hd_remote *remote = remotes->free;
	if (!remote)
		return HD_ARENA_NEW(remotes->arena, struct hd_remote, 1);
	remotes->free = remote->next;
	return remote;
}

void hd_remote_put_off(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes, const uint64_t *host)
{
	struct hd_remote *remote = take(exec->remotes);
	unsigned words = (inst->access_bytes + 3u) / 4;
	remote->of = exec->remotes;
	remote->inst = inst;
	remote->warp = exec->warp;
	remote->cluster = exec->warp->cta->cluster;
	remote->mask = lanes;
	memcpy(remote->host, host, sizeof remote->host);
	if (inst->effects & HD_FX_ATOMIC)
		HD_FOR_LANES (lane, lanes)
			remote->operands[lane] = hd_exec_atomic_operands(exec, inst, lane);
	else if (inst->effects & HD_FX_STORE)
		for (unsigned word = 0; word < words; word++)
			memcpy(remote->rows[word], hd_row(exec->warp, hd_next_reg(inst->inst.c, word)),
			       sizeof remote->rows[0]);
	__atomic_fetch_add(&remote->cluster->under_way, 1, __ATOMIC_RELAXED);
	exec->effect->remote = remote;
}

static void do_store(struct hd_exec *exec, const struct hd_remote *remote)
{
	unsigned bytes = remote->inst->access_bytes;
	HD_FOR_LANES (lane, remote->mask) {
		uint8_t data[16], old[16], *to = (uint8_t *)(uintptr_t)remote->host[lane];
		for (unsigned word = 0; word < (bytes + 3) / 4; word++)
			memcpy(data + 4 * word, &remote->rows[word][lane], 4); /* little-endian host */
		memcpy(old, to, bytes);
		memcpy(to, data, bytes);
		HD_TELL(exec->gpu, changed, exec, to, old, bytes);
	}
}

void hd_remote_do(struct hd_exec *exec, struct hd_remote *remote)
{
	exec->warp = remote->warp;
	exec->mask = remote->mask;
	if (remote->inst->effects & HD_FX_ATOMIC)
		HD_FOR_LANES (lane, remote->mask)
			hd_exec_atomic_do(exec, remote->inst, lane, (uint8_t *)(uintptr_t)remote->host[lane],
					  &remote->operands[lane]);
	else if (remote->inst->effects & HD_FX_STORE)
		do_store(exec, remote);
	else
		hd_exec_load_lanes(exec, remote->inst, 0, remote->host);
	exec->warp = NULL;
	hd_remote_drop(remote);
}

void hd_remote_drop(struct hd_remote *remote)
{
	remote->cluster->under_way--;
	remote->next = remote->of->free;
	remote->of->free = remote;
}

/* ---- clusters */

void hd_cluster_note(struct hd_exec *exec, uint32_t lanes, enum hd_cluster_event_kind kind)
{
	struct hd_warp *warp = exec->warp;
	struct hd_cluster *cluster = warp->cta->cluster;
	struct hd_cluster_event event = {.cycle = exec->now, .cluster = cluster, .rank = warp->cta->rank, .kind = kind};
	if (warp->cluster_phase != cluster->phase && kind == HD_CLUSTER_ARRIVE)
		warp->cluster_lanes = 0;
	event.threads = (uint32_t)__builtin_popcount(lanes);
	if (kind == HD_CLUSTER_ARRIVE) {
		warp->cluster_phase = cluster->phase;
		warp->cluster_lanes |= lanes;
	} else {
		if (warp->cluster_phase == cluster->phase)
			event.arrived = (uint32_t)__builtin_popcount(warp->cluster_lanes & lanes);
		warp->cluster_lanes &= ~lanes;
	}
	hd_vec_push(&exec->remotes->events, event);
}

HD_EXEC(op_mapa)
{
	HD_DEFINE_A(address);
	HD_DEFINE_B(rank);
	uint32_t codes[HD_WARP_LANES], ranks[HD_WARP_LANES];
	*(hd_u32row *)ranks = rank;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		codes[lane] = hd_rank_code(ranks[lane]) << HD_RANK_SHIFT;
	HD_STORE((address & HD_RANK_OFFSET) | HD_LOAD(codes));
}

HD_EXEC_PLAIN(op_cgabar)
{
	exec->effect->event = HD_EVENT_CLUSTER;
	if (exec->warp->cta->cluster && inst->inst.op == HD_OP_CGABAR_ARV)
		hd_cluster_note(exec, exec->mask, HD_CLUSTER_ARRIVE);
}

const struct hd_exec_clones *hd_exec_cluster_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_MAPA: return &op_mapa;
	case HD_OP_CGABAR_ARV:
	case HD_OP_CGABAR_WAIT: return &op_cgabar;
	default: return NULL;
	}
}
