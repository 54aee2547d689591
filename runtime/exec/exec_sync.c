/*
 * Functional execution: barriers in shared memory (mbarrier). Lanes act one after the other in lane order, at issue;
 * who waits is told by whoever keeps the time (runtime/sm/mbarrier.c), which asks again when a phase may be over.
 */
#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/remote.h"
#include "runtime/exec/sync.h"

static uint32_t address_of(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane)
{
	return hd_row(warp, inst->inst.a)[lane] + inst->inst.x;
}

/* Where in the block's memory a barrier is that was found there: an address of the own block may have its rank. */
static uint32_t offset_of(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane)
{
	return address_of(warp, inst, lane) & HD_RANK_OFFSET;
}

static uint8_t *place_of(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	return hd_exec_lane_access(exec, inst, lane, address_of(exec->warp, inst, lane), HD_MEM_SHARED,
				   &exec->effect->address[lane]);
}

/* The word of a barrier that was initialised. False: there is none, or it has faulted. */
static bool read_barrier(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint8_t **place,
			 uint64_t *word)
{
	*place = place_of(exec, inst, lane);
	if (!*place)
		return false;
	memcpy(word, *place, sizeof *word);
	if (hd_mbarrier_is_one(*word))
		return true;
	HD_FAULT(exec, lane, HD_SIM_TRAP,
		 "no barrier was initialised at shared address 0x%x (mbarrier.init), or it was invalidated since",
		 address_of(exec->warp, inst, lane));
	return false;
}

static void write_word(struct hd_exec *exec, uint8_t *place, uint64_t word)
{
	uint64_t old;
	memcpy(&old, place, sizeof old);
	memcpy(place, &word, sizeof word);
	HD_TELL(exec->gpu, changed, exec, place, &old, sizeof old);
}

static bool begin(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint32_t count)
{
	uint8_t *place = place_of(exec, inst, lane);
	if (!place)
		return false;
	if (!count || count > HD_MBARRIER_MOST) {
		HD_FAULT(exec, lane, HD_SIM_TRAP, "a barrier for %u arrivals: 1 to %d are possible", count,
			 HD_MBARRIER_MOST);
		return false;
	}
	write_word(exec, place, hd_mbarrier_word(&(struct hd_mbarrier){.pending = count, .expected = count}));
	return true;
}

bool hd_sync_do(struct hd_exec *exec, uint32_t lane, const struct hd_cta *owner, uint8_t *place, enum hd_syncsop op,
		uint32_t count)
{
	uint64_t word;
	memcpy(&word, place, sizeof word);
	struct hd_mbarrier barrier = hd_mbarrier_of(word), before = barrier;
	const char *wrong = hd_mbarrier_is_one(word) ? hd_mbarrier_do(&barrier, op, count) : "it is none any more";
	if (wrong) {
		char whose[48] = "";
		if (owner != exec->warp->cta)
			snprintf(whose, sizeof whose, " of the block of rank %u", owner->rank);
		HD_FAULT(exec, lane, HD_SIM_TRAP,
			 "barrier at shared address 0x%x%s, parity %u, %u arrivals and %d bytes pending: %s (%u)",
			 (uint32_t)(place - owner->shared), whose, before.parity, before.pending, before.bytes, wrong,
			 count);
		return false;
	}
	write_word(exec, place, hd_mbarrier_word(&barrier));
	return true;
}

/* Whose barrier the lane's address names: another block's than its own. */
static bool is_remote(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane)
{
	uint32_t code = address_of(warp, inst, lane) >> HD_RANK_SHIFT;
	return code && warp->cta->cluster &&
	       hd_rank_of_code(warp->cta->cluster, warp->cta->rank, code) != warp->cta->rank;
}

/* A barrier of another block can be arrived at, and told of bytes. */
static bool find_remote(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint64_t *host, uint8_t *rank)
{
	enum hd_syncsop op = (enum hd_syncsop)HD_MODIFIER(SYNCSOP);
	const struct hd_cta *cta = exec->warp->cta;
	uint32_t address = address_of(exec->warp, inst, lane);
	const char *wrong = op == HD_SYNCS_INIT || op == HD_SYNCS_INVAL ? "initialise or invalidate"
			    : inst->inst.dst != HD_RZ			? "learn the state of"
									: NULL;
	bool remote;
	if (wrong) {
		HD_FAULT(exec, lane, HD_SIM_TRAP, "threads cannot %s a barrier of another block (shared address 0x%x)",
			 wrong, address);
		return false;
	}
	*host = (uintptr_t)hd_remote_find(exec, inst, lane, address, &exec->effect->address[lane], &remote);
	*rank = (uint8_t)hd_rank_of_code(cta->cluster, cta->rank, address >> HD_RANK_SHIFT);
	return *host;
}

static bool do_lane(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	enum hd_syncsop op = (enum hd_syncsop)HD_MODIFIER(SYNCSOP);
	uint32_t count = hd_row(exec->warp, inst->inst.c)[lane];
	uint8_t *place;
	uint64_t word;
	if (op == HD_SYNCS_INIT)
		return begin(exec, inst, lane, count);
	if (!read_barrier(exec, inst, lane, &place, &word))
		return false;
	if (op == HD_SYNCS_INVAL)
		write_word(exec, place, 0);
	else if (!hd_sync_do(exec, lane, exec->warp->cta, place, op, count))
		return false;
	hd_set_pair(exec->warp, inst->inst.dst, lane, word);
	return true;
}

static uint64_t sum_expected(const struct hd_exec *exec, const struct hd_dinst *inst)
{
	uint64_t sum = 0;
	HD_FOR_LANES (lane, exec->mask)
		sum += hd_row(exec->warp, inst->inst.c)[lane];
	return sum;
}

HD_EXEC_PLAIN(op_syncs)
{
	uint32_t all = exec->mask, remote = 0;
	uint64_t host[HD_WARP_LANES];
	uint8_t rank[HD_WARP_LANES];
	exec->effect->expected = hd_syncs_expects((enum hd_syncsop)HD_MODIFIER(SYNCSOP)) ? sum_expected(exec, inst) : 0;
	HD_FOR_LANES (lane, all) {
		bool elsewhere = is_remote(exec->warp, inst, lane);
		if (elsewhere ? !find_remote(exec, inst, lane, &host[lane], &rank[lane]) : !do_lane(exec, inst, lane))
			return;
		remote |= (uint32_t)elsewhere << lane;
	}
	if (remote)
		hd_remote_sync(exec, inst, remote, host, rank);
	exec->effect->elsewhere = hd_remote_waits(exec) ? remote : 0;
	exec->effect->event = HD_EVENT_SYNC;
}

/* ---- waiting */

static uint32_t parity_of(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane)
{
	uint32_t value = hd_row(warp, inst->inst.b)[lane];
	return HD_MODIFIER(PHASE) == HD_PHASE_TOKEN ? value >> 30 & 1 : value & 1;
}

uint32_t hd_sync_over(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask)
{
	uint32_t over = 0;
	HD_FOR_LANES (lane, mask) {
		uint64_t word;
		memcpy(&word, warp->cta->shared + offset_of(warp, inst, lane), sizeof word);
		over |= (uint32_t)hd_mbarrier_is_over(word, parity_of(warp, inst, lane)) << lane;
	}
	return over;
}

uint64_t hd_sync_word(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane, uint32_t *address,
		      uint32_t *parity)
{
	uint64_t word;
	*address = offset_of(warp, inst, lane);
	*parity = parity_of(warp, inst, lane);
	if (*address > warp->cta->grid->shared_bytes - sizeof word)
		return 0;
	memcpy(&word, warp->cta->shared + *address, sizeof word);
	return word;
}

uint32_t hd_sync_limit(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask)
{
	uint32_t least = UINT32_MAX;
	if (!HD_MODIFIER(TIMED))
		return UINT32_MAX;
	HD_FOR_LANES (lane, mask) {
		uint32_t limit = hd_row(warp, inst->inst.c)[lane];
		least = limit < least ? limit : least;
	}
	return least;
}

void hd_sync_answer(struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint32_t over)
{
	if (inst->inst.pdst != HD_PT)
		warp->preds[inst->inst.pdst] = (warp->preds[inst->inst.pdst] & ~mask) | over;
}

HD_EXEC_PLAIN(op_syncs_wait)
{
	uint32_t all = exec->mask;
	uint8_t *place;
	uint64_t word;
	HD_FOR_LANES (lane, all)
		if (!read_barrier(exec, inst, lane, &place, &word))
			return;
	uint32_t over = hd_sync_over(exec->warp, inst, all);
	hd_sync_answer(exec->warp, inst, all, over);
	if (!over) /* the code may turn until it is, and other lanes be what it waits for */
		hd_simt_slept(exec->warp);
	exec->effect->event = HD_EVENT_WAIT;
	exec->effect->elsewhere = over;
}

/* Only the warp's copies are looked at, whoever keeps the time. */
HD_EXEC_PLAIN(op_arrives)
{
	uint32_t all = exec->mask;
	uint8_t *place;
	uint64_t word;
	HD_FOR_LANES (lane, all) {
		if (!read_barrier(exec, inst, lane, &place, &word))
			return;
		if (HD_MODIFIER(NOINC))
			continue;
		struct hd_mbarrier barrier = hd_mbarrier_of(word);
		if (barrier.pending == HD_MBARRIER_MOST) {
			HD_FAULT(exec, lane, HD_SIM_TRAP, "more than %d arrivals are pending at a barrier",
				 HD_MBARRIER_MOST);
			return;
		}
		barrier.pending++;
		write_word(exec, place, hd_mbarrier_word(&barrier));
	}
	exec->effect->event = HD_EVENT_ARRIVES;
}

void hd_sync_arrive(struct hd_exec *exec, struct hd_warp *warp, uint32_t mask, const uint32_t *address)
{
	struct hd_warp *before = exec->warp;
	exec->warp = warp;
	HD_FOR_LANES (lane, mask)
		if (!hd_sync_do(exec, lane, warp->cta, warp->cta->shared + address[lane], HD_SYNCS_ARRIVE, 1))
			break;
	exec->warp = before;
}

void hd_sync_addresses(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint32_t *address)
{
	HD_FOR_LANES (lane, mask)
		address[lane] = offset_of(warp, inst, lane);
}

const struct hd_exec_clones *hd_exec_sync_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_SYNCS: return &op_syncs;
	case HD_OP_SYNCS_WAIT: return &op_syncs_wait;
	case HD_OP_ARRIVES: return &op_arrives;
	default: return NULL;
	}
}
