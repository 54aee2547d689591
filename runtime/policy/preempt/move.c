/*
 * Contexts on their way (gpu-multiprogramming-lin, 2.4.2, 2.4.3): the registers of warps that have stopped, in one
 * stream for a block, then its shared memory and its SIMT stacks leave an SM as traffic of low priority past L1, and
 * come back to other places. What moves does so at once when all of it has left and when its places are there again;
 * the warps are held meanwhile.
 *
 * Cost: O(warps of a block) each time that a part of its context has left.
 */
#include <assert.h>
#include <string.h>

#include "heddle/config.h"
#include "runtime/policy/preempt/preempt.h"
#include "runtime/sm/transfer.h"

#define SPAN (UINT64_C(1) << 28) /* addresses for an SM's contexts of a grid */
#define GRID_SPAN (UINT64_C(1) << 40)

static uint64_t address_of(const struct hd_sm *sm, const struct hd_cta *cta, uint64_t offset)
{
	const struct hd_grid *grid = cta->grid;
	uint64_t registers = (uint64_t)grid->register_rows * HD_ROW_BYTES + PREEMPT_VECTOR_BYTES;
	uint64_t bytes = grid->block_warps * (registers + 1024) + grid->shared_bytes;
	uint64_t line = sm->gpu->config->l1_line, span = (bytes + line - 1) / line * line;
	return HD_TRANSFER_PHYSICAL + grid->slot * GRID_SPAN + sm->id * SPAN + (uint64_t)(cta - sm->ctas) * span +
	       offset;
}

static uint64_t shared_at(const struct hd_cta *cta)
{
	uint64_t row_bytes = (uint64_t)cta->grid->register_rows * HD_ROW_BYTES + PREEMPT_VECTOR_BYTES;
	return cta->warp_count * row_bytes;
}

static void on_moved(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
static void on_done(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);

/* There is room: an SM has one transfer at most for each warp, and two for each block (max_ctas: up to 64). */
_Static_assert(HD_MAX_TRANSFERS >= HD_MAX_WARPS + 2 * 64, "room for all transfers of an SM");

static void send(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_transfer *transfer, uint64_t arg)
{
	transfer->low = true;
	transfer->self = self;
	transfer->arg = arg;
	transfer->moved = on_moved;
	transfer->done = on_done;
	if (transfer->direction == HD_TRANSFER_OUT)
		preempt_sm_of(self, sm)->moving++;
	bool begun = hd_sm_transfer(sm, transfer);
	assert(begun);
	(void)begun;
}

/* The bytes of a warp's registers follow those of the warps of its block that stopped before it, and full lines leave;
 * the last warp's take what is left along. */
void preempt_send_registers(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp)
{
	struct preempt_warp *own = preempt_warp_of(self, warp);
	struct preempt_cta *block = preempt_cta_of(self, warp->cta);
	bool out = block->phase == PREEMPT_STOPS;
	bool ends = !out || preempt_all_at(self, warp->cta, PREEMPT_MOVING, NULL);
	uint64_t line = sm->gpu->config->l1_line, end = own->at + own->context.bytes;
	uint64_t first = own->at / line * line, last = ends && end == block->stream ? end : end / line * line;
	if (out)
		block->sent = (uint32_t)last;
	struct hd_transfer transfer = {
		.address = address_of(sm, warp->cta, first),
		.bytes = (uint32_t)(last > first ? last - first : 0),
		.direction = out ? HD_TRANSFER_OUT : HD_TRANSFER_IN,
		.grid = warp->cta->grid,
		.warp = warp,
	};
	memcpy(transfer.registers, own->context.registers.bits, sizeof(transfer.registers));
	send(self, sm, &transfer, preempt_about(PREEMPT_REGISTERS, warp->id));
}

void preempt_send_part(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta,
		       enum preempt_what what)
{
	const struct preempt_cta *block = preempt_cta_of(self, cta);
	uint32_t rest = block->stream - block->sent; /* of registers, where the last warps ended in place of leaving */
	struct hd_transfer transfer = {
		.address = address_of(sm, cta, shared_at(cta) + (what == PREEMPT_STACKS ? cta->grid->shared_bytes : 0)),
		.bytes = what == PREEMPT_STACKS ? block->stack_bytes + rest : cta->grid->shared_bytes,
		.direction = block->phase == PREEMPT_RETURNS ? HD_TRANSFER_IN : HD_TRANSFER_OUT,
		.grid = cta->grid,
		.shared = what == PREEMPT_SHARED,
	};
	transfer.address -= transfer.address % sm->gpu->config->sector;
	send(self, sm, &transfer, preempt_about(what, (uint64_t)(cta - sm->ctas)));
}

/* ---- out */

static void leave(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	struct preempt_cta *block = preempt_cta_of(self, cta);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (warp)
			hd_warp_suspend(sm, warp, (block->parts & HD_PART_REGISTERS) | HD_PART_STACK,
					&preempt_warp_of(self, warp)->context.registers);
	}
	hd_cta_suspend(sm, cta, block->parts);
	if (block->parts & HD_PART_REGISTERS)
		preempt_table_free(&mine->registers, (uint32_t)(cta - sm->ctas));
	if (block->parts & HD_PART_SHARED)
		preempt_table_free(&mine->shared, (uint32_t)(cta - sm->ctas));
	block->phase = PREEMPT_GONE;
	block->phase_from = now;
	preempt_counts_of(mine, cta)->switched_blocks++;
	mine->away++;
	preempt_one_less(self, sm, now);
}

/* Its registers have left: shared memory, then stacks. */
void preempt_send_rest(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct preempt_cta *block = preempt_cta_of(self, cta);
	struct preempt_counts *counts = preempt_counts_of(preempt_sm_of(self, sm), cta);
	bool shared = block->parts & HD_PART_SHARED && cta->grid->shared_bytes;
	block->phase = PREEMPT_LEAVES;
	if (block->phase_from)
		counts->register_phase += now - block->phase_from;
	block->phase_from = now;
	*(shared ? &counts->shared_bytes : &counts->kept_bytes) += cta->grid->shared_bytes;
	preempt_send_part(self, sm, cta, shared ? PREEMPT_SHARED : PREEMPT_STACKS);
}

void preempt_note_moved(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct preempt_warp *own = preempt_warp_of(self, warp);
	own->stage = PREEMPT_MOVED;
	preempt_counts_of(preempt_sm_of(self, sm), warp->cta)->warp_cycles += now - own->stopped;
	if (preempt_all_at(self, warp->cta, PREEMPT_MOVED, NULL))
		preempt_send_rest(self, sm, warp->cta, now);
}

void preempt_let_go(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	struct preempt_cta *block = preempt_cta_of(self, cta);
	for (uint32_t i = 0; i < cta->warp_count && !(block->parts & HD_PART_REGISTERS); i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp)
			continue;
		struct preempt_warp *own = preempt_warp_of(self, warp);
		hd_warp_suspend(sm, warp, HD_PART_REGISTERS, &own->context.registers);
		own->at = block->stream;
		block->stream += own->context.bytes;
	}
	hd_cta_suspend(sm, cta, HD_PART_REGISTERS | HD_PART_SHARED);
	preempt_table_free(&mine->registers, (uint32_t)(cta - sm->ctas));
	preempt_table_free(&mine->shared, (uint32_t)(cta - sm->ctas));
	block->parts |= HD_PART_REGISTERS | HD_PART_SHARED;
}

/* ---- back */

void preempt_take_ranges(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_cta *cta, uint8_t parts)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	uint32_t index = (uint32_t)(cta - sm->ctas), shared = sm->grids[cta->grid->slot].shared_per_cta;
	bool taken = true;
	if (parts & HD_PART_REGISTERS)
		taken &= preempt_table_take(&mine->registers, index, preempt_rows_of(sm, cta->grid));
	if (parts & HD_PART_SHARED && shared)
		taken &= preempt_table_take(&mine->shared, index, shared);
	/* It has these places: the tables are as large as the SM, and have an entry for each block. */
	assert(taken);
	(void)taken;
}

static void back(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	struct preempt_counts *counts = preempt_counts_of(mine, cta);
	preempt_cta_of(self, cta)->phase = PREEMPT_HERE;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp)
			continue;
		memset(preempt_warp_of(self, warp), 0, sizeof(struct preempt_warp));
		hd_warp_stop(sm, warp, 0);
		hd_warp_resume(sm, warp, now);
	}
	if (--mine->returning)
		return;
	mine->state = mine->away ? PREEMPT_AWAY : PREEMPT_IDLE;
	hd_sm_request_dispatch(sm);
	if (mine->away)
		return;
	if (mine->grid == HD_MAX_GRIDS)
		counts->restore_cycles += now - mine->left;
	mine->grid = HD_MAX_GRIDS;
}

/* The block has its places again, and its context is on its way to them. */
bool preempt_bring_back(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct preempt_cta *block = preempt_cta_of(self, cta);
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	if (!hd_cta_resume(sm, cta, now))
		return false;
	mine->away--;
	mine->returning++;
	block->stays = sm->grids[cta->grid->slot].placed > hd_policy_share(sm, cta->grid);
	block->phase = PREEMPT_RETURNS;
	block->coming = 1; /* the stacks */
	preempt_take_ranges(self, sm, cta, block->parts);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp)
			continue;
		hd_warp_hold(sm, warp);
		if (!(block->parts & HD_PART_REGISTERS) || !preempt_warp_of(self, warp)->context.count)
			continue;
		block->coming++;
		preempt_send_registers(self, sm, warp);
	}
	if (block->parts & HD_PART_SHARED && cta->grid->shared_bytes) {
		block->coming++;
		preempt_send_part(self, sm, cta, PREEMPT_SHARED);
	}
	preempt_send_part(self, sm, cta, PREEMPT_STACKS);
	return true;
}

/* ---- transfers have ended */

static void on_moved(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	enum preempt_what what = (enum preempt_what)(arg >> PREEMPT_WHAT_SHIFT);
	if (what == PREEMPT_REGISTERS) {
		preempt_note_moved(self, sm, &sm->warps[(uint32_t)arg], now);
		return;
	}
	struct hd_cta *cta = &sm->ctas[(uint32_t)arg];
	struct preempt_cta *block = preempt_cta_of(self, cta);
	struct preempt_counts *counts = preempt_counts_of(preempt_sm_of(self, sm), cta);
	*(what == PREEMPT_SHARED ? &counts->shared_phase : &counts->stack_phase) += now - block->phase_from;
	block->phase_from = now;
	if (what == PREEMPT_SHARED)
		preempt_send_part(self, sm, cta, PREEMPT_STACKS);
	else
		leave(self, sm, cta, now);
}

static void on_done(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	enum preempt_what what = (enum preempt_what)(arg >> PREEMPT_WHAT_SHIFT);
	struct hd_cta *cta = what == PREEMPT_REGISTERS ? sm->warps[(uint32_t)arg].cta : &sm->ctas[(uint32_t)arg];
	struct preempt_cta *block = preempt_cta_of(self, cta);
	if (block->phase == PREEMPT_RETURNS) {
		if (!--block->coming)
			back(self, sm, cta, now);
		return;
	}
	if (!--mine->moving && !mine->leaving)
		preempt_finish_request(self, sm, now);
}
