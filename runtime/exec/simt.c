/*
 * The SIMT stack. The last entry is the one that runs; warp->pc and warp->active are its cached
 * pc and mask; whoever moves the warp sets the entry's own pc.
 *
 * A divergent branch leaves its entry waiting at the reconvergence point with all its lanes and
 * pushes an entry for each path; an entry that arrives at its `reconv` is popped. Where the entry
 * already reconverges at that point it is replaced instead, so that a loop whose lanes leave one by one does not
 * pile up entries. A branch without a reconvergence point (its paths end apart) splits its entry, and a call's stays
 * below them. So the lanes of an entry are among those of all that it reconverges with or returns from.
 *
 * A call pushes an entry with call_return set; the entries from there to the next call entry
 * are its frame. Lanes that return leave every entry of the frame, and the call entry goes with the
 * last of them: this is when CARS frees the callee's registers. Lanes that exit leave every entry.
 *
 * Cost: a branch or call is O(1), a return O(entries of the frame), an exit O(stack).
 */
#include "runtime/exec/exec.h"

/* Pops what is empty or has arrived, and caches the entry that runs next. True when a call entry was popped. */
static bool settle(struct hd_warp *warp)
{
	bool popped = false, call_popped = false;
	while (warp->stack.len) {
		const struct hd_simt *top = &hd_vec_last(&warp->stack);
		if (top->mask && top->pc != top->reconv) {
			warp->pc = top->pc;
			warp->active = top->mask;
			if (popped)
				hd_simt_wake(warp);
			return call_popped;
		}
		call_popped |= top->call_return != HD_PC_NONE;
		popped = true;
		warp->stack.len--;
	}
	warp->active = 0;
	return call_popped;
}

void hd_simt_jump(struct hd_warp *warp, uint32_t pc)
{
	hd_vec_last(&warp->stack).pc = pc;
	settle(warp);
}

static bool has_room(const struct hd_warp *warp, uint32_t entries)
{
	return warp->stack.len + entries <= HD_SIMT_DEPTH;
}

bool hd_simt_split(struct hd_warp *warp, const struct hd_simt_group *groups, uint32_t count, uint32_t reconv)
{
	if (!has_room(warp, count))
		return false;
	struct hd_simt *top = &hd_vec_last(&warp->stack);
	uint32_t first = 0, until = reconv;
	if (reconv != HD_PC_NONE && reconv != top->reconv) {
		top->pc = reconv;
	} else if (top->call_return != HD_PC_NONE) {
		top->pc = HD_PC_NONE; /* stays below until its last lane has returned */
	} else {
		/* The running entry becomes the group that runs last. */
		until = top->reconv;
		while (first + 1 < count && groups[first].pc == until)
			first++;
		top->pc = groups[first].pc;
		top->mask = groups[first].mask;
		first++;
	}
	for (uint32_t i = first; i < count; i++)
		if (groups[i].pc != until)
			hd_vec_push(&warp->stack, (struct hd_simt){.pc = groups[i].pc,
								   .reconv = until,
								   .mask = groups[i].mask,
								   .call_return = HD_PC_NONE});
	settle(warp);
	return true;
}

bool hd_simt_call(struct hd_warp *warp, uint32_t mask, uint32_t target, uint32_t callee)
{
	if (!has_room(warp, 1))
		return false;
	uint32_t call_return = warp->pc + 1;
	hd_vec_last(&warp->stack).pc = call_return;
	hd_vec_push(&warp->stack, (struct hd_simt){.pc = target,
						   .reconv = HD_PC_NONE,
						   .mask = mask,
						   .call_return = call_return,
						   .callee = callee,
						   .call = ++warp->calls});
	settle(warp);
	return true;
}

uint32_t hd_simt_pc_of(const struct hd_warp *warp, uint32_t lane)
{
	for (uint32_t i = warp->stack.len; i-- > 0;)
		if (warp->stack.data[i].mask >> lane & 1)
			return i + 1 == warp->stack.len ? warp->pc : warp->stack.data[i].pc;
	return warp->pc;
}

bool hd_simt_in_call(const struct hd_warp *warp)
{
	for (uint32_t i = warp->stack.len; i-- > 0;)
		if (warp->stack.data[i].call_return != HD_PC_NONE && warp->stack.data[i].mask & warp->active)
			return true;
	return false;
}

bool hd_simt_return(struct hd_warp *warp, uint32_t mask)
{
	hd_vec_last(&warp->stack).pc = warp->pc + 1; /* of lanes that stay */
	uint32_t i = warp->stack.len;
	uint32_t left; /* these lanes have left the entry: those of other paths may be above theirs (yield.c) */
	do {
		left = warp->stack.data[--i].mask & mask;
		warp->stack.data[i].mask &= ~mask;
	} while (!left || warp->stack.data[i].call_return == HD_PC_NONE);
	return settle(warp);
}

bool hd_simt_exit(struct hd_warp *warp, uint32_t mask, bool *call_ended)
{
	hd_vec_last(&warp->stack).pc = warp->pc + 1; /* of lanes that stay */
	for (uint32_t i = 0; i < warp->stack.len; i++)
		warp->stack.data[i].mask &= ~mask;
	warp->live &= ~mask;
	warp->waits = 0; /* those for whom others waited may be gone: they look again (meet.c) */
	*call_ended = settle(warp);
	return warp->stack.len == 0;
}

void hd_warp_name_threads(struct hd_warp *warp, const struct hd_grid *grid, uint32_t index)
{
	uint32_t first = index * HD_WARP_LANES;
	uint32_t x = first % grid->block[0], y = first / grid->block[0] % grid->block[1];
	uint32_t z = first / grid->block[0] / grid->block[1];
	if (x + HD_WARP_LANES <= grid->block[0]) { /* a row */
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
			warp->tid[0][lane] = x + lane;
			warp->tid[1][lane] = y;
			warp->tid[2][lane] = z;
		}
		return;
	}
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
		warp->tid[0][lane] = x;
		warp->tid[1][lane] = y;
		warp->tid[2][lane] = z;
		x = x + 1 == grid->block[0] ? 0 : x + 1;
		y = x ? y : y + 1 == grid->block[1] ? 0 : y + 1;
		z += !x && !y;
	}
}

void hd_warp_start(struct hd_warp *warp, struct hd_cta *cta, uint32_t index)
{
	const struct hd_grid *grid = cta->grid;
	warp->cta = cta;
	warp->index = index;
	uint32_t left = grid->block_threads - index * HD_WARP_LANES;
	warp->live = left >= HD_WARP_LANES ? HD_FULL : (1u << left) - 1;
	hd_warp_name_threads(warp, grid, index);
	memset(warp->regs[-1], 0, sizeof(warp->regs[0]));
	memset(warp->regs, 0, (size_t)grid->register_rows * sizeof(warp->regs[0]));
	memset(warp->preds, 0, sizeof(warp->preds));
	memset(warp->uregs, 0, sizeof(warp->uregs));
	warp->preds[HD_PT] = HD_FULL;
	warp->reordered = false;
	warp->turns = warp->spins = warp->spins_alike = warp->spin_mask = 0;
	warp->waits = warp->met = warp->calls = 0;
	warp->stall_until = 0;
	hd_vec_clear(&warp->stack);
	hd_vec_push(&warp->stack, (struct hd_simt){.pc = grid->entry,
						   .reconv = HD_PC_NONE,
						   .mask = warp->live,
						   .call_return = HD_PC_NONE});
	warp->pc = grid->entry;
	warp->active = warp->live;
}

void hd_warp_release(struct hd_warp *warp)
{
	hd_vec_release(&warp->stack);
}
