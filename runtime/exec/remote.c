/*
 * Functional execution: clusters of blocks. Where a shared address leads, what accesses to other blocks do, and the
 * instructions MAPA, CGABAR_ARV, CGABAR_WAIT, STAS and REDAS.
 *
 * With timing an access to another block takes effect when the network between SMs says that it has arrived
 * (runtime/memory/dsm.c): a load reads then, a store writes what it had at issue, an atomic does both. So what a thread
 * sees of another block does not depend on which SM is simulated first. Without timing all is done at once.
 *
 * Cost: a copy of the operands of each access.
 */
#include "runtime/exec/remote.h"

#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"
#include "runtime/exec/sync.h"

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
	if (hd_opinfo[inst->inst.op].pipe == HD_PIPE_BRU)
		return "barrier operation";
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
	if (remote) {
		remotes->free = remote->next;
		return remote;
	}
	remote = HD_ARENA_NEW(remotes->arena, struct hd_remote, 1);
	remote->other = remotes->all;
	remotes->all = remote;
	return remote;
}

/* One that is on its way from now on. */
static struct hd_remote *begin(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes,
			       enum hd_remote_kind kind, const uint64_t *host)
{
	struct hd_remote *remote = take(exec->remotes);
	remote->of = exec->remotes;
	remote->inst = inst;
	remote->warp = exec->warp;
	remote->cta = exec->warp->cta;
	remote->index = exec->warp->index;
	remote->age = exec->warp->age;
	remote->cluster = exec->warp->cta->cluster;
	remote->mask = lanes;
	remote->kind = kind;
	remote->under_way = true;
	HD_FOR_LANES (lane, lanes)
		remote->host[lane] = host[lane];
	__atomic_fetch_add(&remote->cluster->under_way, 1, __ATOMIC_RELAXED);
	exec->effect->remote = remote;
	return remote;
}

static void keep_operands(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_remote *remote)
{
	unsigned words = (inst->access_bytes + 3u) / 4;
	if (inst->effects & HD_FX_ATOMIC)
		HD_FOR_LANES (lane, remote->mask)
			remote->operands[lane] = hd_exec_atomic_operands(exec, inst, lane);
	else if (inst->effects & HD_FX_STORE)
		for (unsigned word = 0; word < words; word++)
			memcpy(remote->rows[word], hd_row(exec->warp, hd_next_reg(inst->inst.c, word)),
			       sizeof remote->rows[0]);
}

void hd_remote_put_off(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes, const uint64_t *host)
{
	keep_operands(exec, inst, begin(exec, inst, lanes, HD_REMOTE_ACCESS, host));
}

static bool sync_lane(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, const struct hd_cta *owner,
		      uint8_t *place, uint32_t count)
{
	return hd_sync_do(exec, lane, owner, place, (enum hd_syncsop)HD_MODIFIER(SYNCSOP), count);
}

void hd_remote_sync(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes, const uint64_t *host,
		    const uint8_t *rank)
{
	const uint32_t *counts = hd_row(exec->warp, inst->inst.c);
	if (hd_remote_waits(exec)) {
		struct hd_remote *remote = begin(exec, inst, lanes, HD_REMOTE_SYNC, host);
		memcpy(remote->rows[0], counts, sizeof remote->rows[0]);
		memcpy(remote->rank, rank, sizeof remote->rank);
		return;
	}
	HD_FOR_LANES (lane, lanes)
		if (!sync_lane(exec, inst, lane, exec->warp->cta->cluster->ctas[rank[lane]],
			       (uint8_t *)(uintptr_t)host[lane], counts[lane]))
			return;
}

static void store_lane(struct hd_exec *exec, const struct hd_remote *remote, uint32_t lane)
{
	unsigned bytes = remote->inst->access_bytes;
	uint8_t data[16], old[16], *to = (uint8_t *)(uintptr_t)remote->host[lane];
	for (unsigned word = 0; word < (bytes + 3) / 4; word++)
		memcpy(data + 4 * word, &remote->rows[word][lane], 4); /* little-endian host */
	memcpy(old, to, bytes);
	memcpy(to, data, bytes);
	HD_TELL(exec->gpu, changed, exec, to, old, bytes);
}

static void do_access(struct hd_exec *exec, const struct hd_remote *remote)
{
	if (!(remote->inst->effects & HD_FX_STORE)) {
		hd_exec_load_lanes(exec, remote->inst, 0, remote->host);
		return;
	}
	HD_FOR_LANES (lane, remote->mask)
		if (remote->inst->effects & HD_FX_ATOMIC)
			hd_exec_atomic_do(exec, remote->inst, lane, (uint8_t *)(uintptr_t)remote->host[lane],
					  &remote->operands[lane]);
		else
			store_lane(exec, remote, lane);
}

/* The barriers that STAS and REDAS tell of their bytes. False: one was wrong. */
static bool tell(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, const struct hd_cta *owner,
		 uint8_t *barrier)
{
	return hd_sync_do(exec, lane, owner, barrier, HD_SYNCS_COMPLETE_TX, inst->access_bytes);
}

static uint32_t do_syncs(struct hd_exec *exec, const struct hd_remote *remote)
{
	uint32_t ranks = 0;
	HD_FOR_LANES (lane, remote->mask) {
		const struct hd_cta *owner = remote->cluster->ctas[remote->rank[lane]];
		if (remote->kind == HD_REMOTE_TELLS
			    ? !tell(exec, remote->inst, lane, owner, remote->barrier[lane])
			    : !sync_lane(exec, remote->inst, lane, owner, (uint8_t *)(uintptr_t)remote->host[lane],
					 remote->rows[0][lane]))
			break;
		ranks |= UINT32_C(1) << remote->rank[lane];
	}
	return ranks;
}

/* The warp is behind it already, and of what has no result may have ended: a fault is told with the place then. */
uint32_t hd_remote_do(struct hd_exec *exec, struct hd_remote *remote)
{
	uint32_t unread[2][HD_WARP_LANES] = {{0}}, ranks = 0; /* where RZ leads */
	struct hd_warp there = {.regs = remote->inst->write_count ? remote->warp->regs : unread + 2,
				.cta = remote->cta,
				.pc = (uint32_t)(remote->inst - exec->gpu->program.code.data),
				.index = remote->index,
				.age = remote->age};
	hd_warp_name_threads(&there, remote->cta->grid, there.index);
	exec->warp = &there;
	exec->mask = remote->mask;
	if (remote->kind != HD_REMOTE_SYNC)
		do_access(exec, remote);
	if (remote->kind != HD_REMOTE_ACCESS)
		ranks = do_syncs(exec, remote);
	exec->fault = false; /* hd_gpu.error says so */
	exec->warp = NULL;
	hd_remote_drop(remote);
	return ranks;
}

void hd_remote_drop(struct hd_remote *remote)
{
	remote->cluster->under_way--;
	remote->under_way = false;
	remote->next = remote->of->free;
	remote->of->free = remote;
}

/* ---- STAS and REDAS */

/* Where a lane's data and its barrier are, of one block. False: it has faulted. */
static bool find_told(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, struct hd_remote *found,
		      bool *remote)
{
	const struct hd_cta *cta = exec->warp->cta;
	bool atomic = inst->effects & HD_FX_ATOMIC, elsewhere;
	uint32_t address = hd_row(exec->warp, inst->inst.a)[lane] + inst->inst.x;
	uint32_t barrier = hd_row(exec->warp, atomic ? inst->inst.c : inst->inst.b)[lane];
	struct hd_dinst word = *inst;
	uint64_t timing;
	found->host[lane] = (uintptr_t)hd_remote_find(exec, inst, lane, address, &exec->effect->address[lane], remote);
	if (!found->host[lane])
		return false;
	word.access_bytes = HD_MBARRIER_BYTES;
	found->barrier[lane] = hd_remote_find(exec, &word, lane, barrier, &timing, &elsewhere);
	if (!found->barrier[lane])
		return false;
	uint32_t rank = hd_rank_of_code(cta->cluster, cta->rank, address >> HD_RANK_SHIFT);
	found->rank[lane] = (uint8_t)rank;
	if (rank == hd_rank_of_code(cta->cluster, cta->rank, barrier >> HD_RANK_SHIFT))
		return true;
	HD_FAULT(exec, lane, HD_SIM_TRAP,
		 "the data go to shared address 0x%x, and the barrier at 0x%x is in another block", address, barrier);
	return false;
}

/* What is sent to the own block is there at once. */
HD_EXEC_PLAIN(op_stas)
{
	struct hd_effect *effect = exec->effect;
	struct hd_remote found = {.inst = inst, .cluster = exec->warp->cta->cluster, .kind = HD_REMOTE_TELLS};
	uint32_t all = exec->mask, remote = 0;
	HD_FOR_LANES (lane, all) {
		bool elsewhere;
		if (!find_told(exec, inst, lane, &found, &elsewhere))
			return;
		remote |= (uint32_t)elsewhere << lane;
	}
	uint32_t waits = hd_remote_waits(exec) ? remote : 0;
	if (waits) {
		struct hd_remote *sent = begin(exec, inst, waits, HD_REMOTE_TELLS, found.host);
		memcpy(sent->barrier, found.barrier, sizeof sent->barrier);
		memcpy(sent->rank, found.rank, sizeof sent->rank);
		keep_operands(exec, inst, sent);
	}
	found.mask = all & ~waits;
	keep_operands(exec, inst, &found);
	do_access(exec, &found);
	HD_FOR_LANES (lane, found.mask) {
		const struct hd_cta *cta = exec->warp->cta;
		if (!tell(exec, inst, lane, remote >> lane & 1 ? cta->cluster->ctas[found.rank[lane]] : cta,
			  found.barrier[lane]))
			return;
	}
	effect->event = HD_EVENT_MEMORY;
	effect->space = waits ? HD_MEM_REMOTE : HD_MEM_SHARED;
	effect->mask = waits ? waits : all;
	effect->elsewhere = all & ~effect->mask;
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
	case HD_OP_STAS:
	case HD_OP_REDAS: return &op_stas;
	default: return NULL;
	}
}
