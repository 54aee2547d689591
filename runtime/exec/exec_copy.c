/*
 * Functional execution: asynchronous copies from global to shared memory (LDGSTS). The bytes move when the instruction
 * issues, or with what is put off to the end of a window (later.c), as those of loads do. So a thread that reads them
 * before it has waited sees the new ones, here; --check=race says that it may not count on that.
 *
 * Fills the effect with the addresses of lanes that read global memory, and with where all lanes write.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/later.h"
#include "runtime/exec/past.h"

/* What the bytes at a global address are on the host; NULL: it has faulted. A copy does not touch what it leaves out.
 */
static const uint8_t *source_of(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane,
				const struct hd_copied *copied, uint64_t address)
{
	uint64_t *timing = &exec->effect->address[lane];
	const uint8_t *host =
		copied->bytes < inst->access_bytes ? hd_devmem_at(exec->gpu->devmem, address, copied->bytes) : NULL;
	*timing = address;
	return host ? host : hd_exec_lane_access(exec, inst, lane, address, HD_MEM_GLOBAL, timing);
}

void hd_exec_copy_source(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint64_t *address,
			 uint32_t *bytes)
{
	uint64_t at = hd_lane_pair(exec->warp, inst->inst.a, lane) + (uint64_t)(int64_t)(int32_t)inst->inst.x;
	uint32_t zeros = HD_MODIFIER(ZFILL) ? (uint32_t)at & (inst->access_bytes - 1u) : 0;
	bool reads = hd_pred(exec->warp, inst->inst.psrc) >> lane & 1;
	*address = at - zeros;
	*bytes = reads ? inst->access_bytes - zeros : 0;
}

/* False: it has faulted. */
static bool find_lane(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, struct hd_copied *copied)
{
	uint64_t address;
	const uint8_t *to = hd_exec_lane_access(exec, inst, lane, hd_row(exec->warp, inst->inst.b)[lane], HD_MEM_SHARED,
						&exec->effect->to[lane]);
	if (!to)
		return false;
	copied->to = (uint32_t)(to - exec->warp->cta->shared);
	hd_exec_copy_source(exec, inst, lane, &address, &copied->bytes);
	copied->from = copied->bytes ? source_of(exec, inst, lane, copied, address) : NULL;
	return !copied->bytes || copied->from;
}

void hd_exec_copy_lane(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_copied *copied)
{
	uint8_t *to = exec->warp->cta->shared + copied->to, old[16];
	memcpy(old, to, inst->access_bytes);
	memcpy(to, copied->from, copied->bytes);
	memset(to + copied->bytes, 0, inst->access_bytes - copied->bytes);
	HD_TELL(exec->gpu, changed, exec, to, old, inst->access_bytes);
}

/* As the lanes in exec->mask find them where the window is watched; bytes: where they are then. */
static void look_back(struct hd_exec *exec, struct hd_copied copied[HD_WARP_LANES], uint8_t bytes[HD_WARP_LANES][16])
{
	if (hd_later_holds(exec)) {
		exec->later->in_order = true;
		return;
	}
	HD_FOR_LANES (lane, exec->mask)
		if (hd_past_read(exec->later->past, copied[lane].from, copied[lane].bytes, bytes[lane]))
			copied[lane].from = bytes[lane];
}

HD_EXEC_PLAIN(op_ldgsts)
{
	struct hd_effect *effect = exec->effect;
	struct hd_copied copied[HD_WARP_LANES];
	uint32_t all = exec->mask, reads = 0;
	HD_FOR_LANES (lane, all) {
		if (!find_lane(exec, inst, lane, &copied[lane]))
			return;
		reads |= (uint32_t)(copied[lane].bytes != 0) << lane;
	}
	exec->mask = reads;
	uint8_t bytes[HD_WARP_LANES][16];
	bool watched = exec->later && exec->later->past,
	     later = exec->later && !watched && reads && hd_later_holds(exec);
	if (watched)
		look_back(exec, copied, bytes);
	if (later)
		hd_later_copy(exec, inst, copied);
	exec->mask = all;
	HD_FOR_LANES (lane, later ? all & ~reads : all)
		hd_exec_copy_lane(exec, inst, &copied[lane]);
	effect->event = HD_EVENT_MEMORY;
	effect->space = HD_MEM_GLOBAL;
	effect->mask = reads;
	effect->elsewhere = all & ~reads;
}

const struct hd_exec_clones *hd_exec_copy_find(const struct hd_inst *inst)
{
	return inst->op == HD_OP_LDGSTS ? &op_ldgsts : NULL;
}
