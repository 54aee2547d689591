/*
 * Forward progress of the lanes of one warp, as threads have it that are scheduled independently (NVIDIA, Tesla V100
 * architecture whitepaper, 2017, "Independent Thread Scheduling" and its starvation-free list with a lock a node):
 * lanes that spin until another lane of their warp releases a lock do not keep that lane from running.
 *
 * A SIMT stack runs one path to its end first. Here a path that spins gives way: lanes that wait in an entry below are
 * moved to the top, in an entry of their own where others of it run above. That keeps the stack's rule, an entry is
 * above those that it reconverges with, since both entries have the same ones. Of several waiting paths it is the one
 * that was on top longest ago.
 *
 * A path spins when it takes a loop's backward branch with the same lanes, registers and predicates as a few turns
 * before, or very often; only loops count that can be a wait (lib/object/spins.c). In such a loop a path makes way as
 * soon as its lanes sleep, and the others run meanwhile: a warp sleeps only while all of its paths do. Masks of
 * preemption points and dead operands have in them what lanes need that wait out of the stack's order
 * (passes/analysis/yields.c). Where the lanes are in different calls, CARS exchanges the warp's frames
 * (runtime/policy/cars/paths.c), and --verify stops looking at the warp.
 *
 * Lanes that ran ahead reconverge with the others where instructions need them: before barriers, writes of uniform
 * registers, products of matrices, and shuffles, votes and matches of the active lanes (.ACTIVE) a warp whose paths
 * were reordered first runs its other paths, until they come to the same instruction and are one path again, or all
 * wait. So a lane that holds a lock and comes to one of these is not helped. Operations that name lanes wait for those
 * (meet.c); the compiler's own (.HERE, REDUX) wait for nobody.
 *
 * Needs simt.c, and `spins` of decoded branches. Cost: nothing but a test of a flag for warps that never
 * spin; for those that loop with the same lanes while others wait, a hash of their registers in 9 turns from the 16th
 * on, from the 32nd, from the 64th, ...
 */
#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "lib/object/spins.h"
#include "runtime/exec/exec.h"

enum {
	FIRST_LOOK = 16,    /* backward branches before the first hash: a wait that ends soon moves nothing */
	LOOKS = 8,	    /* turns after a hash in which the state may recur: loops of up to so many iterations */
	TOO_MANY = 1 << 12, /* backward branches: the loop counts its turns, or reads a clock */
};

/* ---- moving paths */

/* Which lanes an instruction waits for. None: what names its lanes waits elsewhere (meet.c), and the forms .HERE and
 * REDUX are for the lanes that come together. Other paths, as far as they come here: products of matrices, shuffles
 * and votes of the active lanes. All lanes: barriers, and writes of uniform registers, which are only where all lanes
 * were proven to be together. The last is above all of these: a path with any next instruction will do. */
enum { NEEDS_NOBODY, NEEDS_PATHS, NEEDS_ALL, NEEDS_ANYBODY };
static unsigned needs(const struct hd_dinst *inst)
{
	if (inst->meets || hd_op_is_here(inst->inst.op, inst->inst.mods))
		return NEEDS_NOBODY;
	if (inst->effects & HD_FX_BARRIER || hd_opinfo[inst->inst.op].dst == HD_W_U)
		return NEEDS_ALL;
	return inst->effects & HD_FX_CONVERGENT ? NEEDS_PATHS : NEEDS_NOBODY;
}

struct path {
	uint32_t entry, lanes;
	bool calls; /* its calls are not those of the running path */
};

/* At the instruction, an operation among lanes, all of these would wait for some of `others`. */
static bool all_wait_for(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes, uint32_t others)
{
	HD_FOR_LANES (lane, lanes)
		if (!(hd_meeting_mask(warp, &inst->inst, lane) & others))
			return false;
	return true;
}

/* When the path can go on: 0 where it is awake. */
static uint64_t wakes_at(const struct hd_simt *entry, uint64_t now)
{
	return entry->wakes > now ? entry->wakes : 0;
}

/* Whether the path of `a` goes first: it is awake sooner, or was on top longer ago. */
static bool goes_first(const struct hd_simt *a, const struct hd_simt *b, uint64_t now)
{
	uint64_t first = wakes_at(a, now), second = wakes_at(b, now);
	return first != second ? first < second : a->turn < b->turn;
}

/* Of the waiting paths whose next instruction needs less the one that goes first; `whole`: of those that wait with all
 * lanes of their entry. False: there is none. */
static bool find_path(const struct hd_gpu *gpu, const struct hd_warp *warp, uint64_t now, unsigned need, bool whole,
		      struct path *found)
{
	const struct hd_dinst *code = gpu->program.code.data;
	const struct hd_simt *stack = warp->stack.data;
	bool any = false, calls = false;
	uint32_t above = 0;
	for (uint32_t i = warp->stack.len; i-- > 0; above |= stack[i].mask) {
		uint32_t lanes = stack[i].mask & ~above;
		bool other_calls = calls || stack[i].call_return != HD_PC_NONE;
		calls = other_calls;
		if (i + 1 == warp->stack.len || !(lanes & ~warp->waits) ||
		    (need != NEEDS_ANYBODY && code[stack[i].pc].meets &&
		     all_wait_for(warp, &code[stack[i].pc], lanes, warp->active)) ||
		    needs(&code[stack[i].pc]) >= need || (whole && lanes != stack[i].mask) ||
		    (any && !goes_first(&stack[i], &stack[found->entry], now)))
			continue;
		*found = (struct path){i, lanes, other_calls};
		any = true;
	}
	return any;
}

static void move_to_top(struct hd_warp *warp, uint32_t entry)
{
	struct hd_simt *stack = warp->stack.data, moved = stack[entry];
	memmove(&stack[entry], &stack[entry + 1], (warp->stack.len - entry - 1) * sizeof(*stack));
	stack[warp->stack.len - 1] = moved;
}

static void run_path(struct hd_exec *exec, const struct path *path)
{
	struct hd_warp *warp = exec->warp;
	struct hd_simt *entry = &warp->stack.data[path->entry];
	hd_vec_last(&warp->stack).pc = warp->pc;
	if (entry->mask == path->lanes) {
		move_to_top(warp, path->entry);
	} else {
		struct hd_simt ahead = *entry;
		entry->mask &= ~path->lanes;
		ahead.mask = path->lanes;
		hd_vec_push(&warp->stack, ahead);
	}
	hd_vec_last(&warp->stack).turn = ++warp->turns;
	warp->reordered = true;
	warp->spins = warp->spins_alike = 0;
	exec->effect->yielded = true;
	HD_TELL(exec->gpu, yielded, warp, path->calls);
	hd_simt_wake(warp);
	hd_simt_jump(warp, hd_vec_last(&warp->stack).pc);
}

/* ---- spinning */

static uint64_t state_of(const struct hd_warp *warp)
{
	uint32_t lanes[HD_WARP_LANES] = {0};
	uint64_t hash = hd_hash_mix(warp->pc, warp->active);
	for (uint32_t reg = 0; reg < warp->cta->grid->register_rows; reg++)
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			lanes[lane] = ((lanes[lane] << 5) + lanes[lane]) ^ warp->regs[reg][lane];
	HD_FOR_LANES (lane, warp->active)
		hash = hd_hash_mix(hash, lanes[lane]);
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		hash = hd_hash_mix(hash, warp->preds[pred] & warp->active);
	return hash;
}

static bool is_spinning(struct hd_warp *warp, bool long_too)
{
	if (warp->active != warp->spin_mask)
		warp->spins_alike = 0;
	warp->spin_mask = warp->active;
	uint32_t count = ++warp->spins_alike;
	if (++warp->spins >= TOO_MANY) {
		warp->spins = 0;
		return long_too;
	}
	if (count < FIRST_LOOK)
		return false;
	uint32_t since = count - (UINT32_C(0x80000000) >> __builtin_clz(count));
	if (!since)
		warp->spin_state = state_of(warp);
	return since && since <= LOOKS && state_of(warp) == warp->spin_state;
}

/* A replica follows its warp and needs no order of its own. */
static bool can_yield(const struct hd_exec *exec)
{
	const struct hd_warp *warp = exec->warp;
	return warp->stack.len >= 2 && warp->stack.len < HD_SIMT_DEPTH && !warp->replica;
}

void hd_simt_spin(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	struct path path;
	if (can_yield(exec) && is_spinning(warp, inst->spins == HD_SPIN_LONG) &&
	    find_path(exec->gpu, warp, exec->now, NEEDS_PATHS, false, &path))
		run_path(exec, &path);
}

uint64_t hd_sleep_cycles(const struct hd_gpu *gpu, const struct hd_warp *warp, const struct hd_inst *inst,
			 uint32_t mask)
{
	const uint64_t most = 1000000;
	uint64_t ns = hd_operand_value(warp, inst, HD_SLOT_B, mask);
	return (uint64_t)((double)(ns < most ? ns : most) * gpu->config->core_mhz / 1000);
}

void hd_simt_slept(struct hd_warp *warp)
{
	warp->spins = TOO_MANY;
}

void hd_simt_sleep(struct hd_exec *exec, uint64_t cycles)
{
	struct hd_warp *warp = exec->warp;
	struct path path;
	if (!can_yield(exec))
		return;
	hd_vec_last(&warp->stack).wakes = exec->now + 1 + cycles;
	if (find_path(exec->gpu, warp, exec->now, NEEDS_PATHS, false, &path) &&
	    goes_first(&warp->stack.data[path.entry], &hd_vec_last(&warp->stack), exec->now))
		run_path(exec, &path);
}

bool hd_simt_may_yield(const struct hd_gpu *gpu, const struct hd_warp *warp)
{
	struct path path;
	return warp->stack.len >= 2 && warp->stack.len < HD_SIMT_DEPTH &&
	       find_path(gpu, warp, 0, NEEDS_PATHS, false, &path);
}

/* ---- reconverging */

enum { NO_ENTRY = -1 };

/* The entry that this one's lanes go on in when it is popped. */
static int entry_below(const struct hd_simt *stack, int entry)
{
	int below = entry - 1;
	while (below >= 0 && (stack[below].mask & stack[entry].mask) != stack[entry].mask)
		below--;
	return below;
}

static bool same_place(const struct hd_simt *a, const struct hd_simt *b)
{
	return a->pc == b->pc && a->reconv == b->reconv && a->call_return == b->call_return && a->callee == b->callee;
}

/* Two paths are at the same place when they are, and so are all that they reconverge with. */
static bool may_join(const struct hd_simt *stack, int a, int b)
{
	while (a != b && a != NO_ENTRY && b != NO_ENTRY && same_place(&stack[a], &stack[b])) {
		a = entry_below(stack, a);
		b = entry_below(stack, b);
	}
	return a == b;
}

/* The entries of both paths become one each, the lower of two; the upper ones are marked by their pc. What they stand
 * on goes first, because masks say which that is. */
static void join(struct hd_simt *stack, int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;
	if (a == b)
		return;
	join(stack, entry_below(stack, a), entry_below(stack, b));
	stack[low].mask |= stack[high].mask;
	stack[high].mask = 0;
	stack[high].pc = HD_PC_NONE;
}

/* Joins the running path with one that waits at the same instruction. */
static bool join_waiting(struct hd_warp *warp)
{
	struct hd_simt *stack = warp->stack.data;
	int top = (int)warp->stack.len - 1, joined = NO_ENTRY;
	uint32_t above = stack[top].mask, kept = 0;
	stack[top].pc = warp->pc;
	for (int i = top - 1; i >= 0 && joined == NO_ENTRY; above |= stack[i--].mask)
		if (stack[i].mask && !(stack[i].mask & (above | warp->met)) && may_join(stack, top, i))
			joined = i;
	if (joined == NO_ENTRY)
		return false;
	join(stack, top, joined);
	move_to_top(warp, (uint32_t)joined);
	for (uint32_t i = 0; i < warp->stack.len; i++)
		if (stack[i].pc != HD_PC_NONE)
			stack[kept++] = stack[i];
	warp->stack.len = kept;
	hd_simt_jump(warp, warp->pc);
	return true;
}

bool hd_simt_gather(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	struct path path;
	if (needs(inst) == NEEDS_NOBODY || !exec->mask || warp->active == warp->live)
		return false;
	if (join_waiting(warp))
		return true;
	if (!find_path(exec->gpu, warp, exec->now, needs(inst), true, &path))
		return false;
	run_path(exec, &path);
	return true;
}

/* ---- operations among lanes */

static void stop_here(struct hd_exec *exec)
{
	exec->warp->reordered = true;
	exec->effect->yielded = true;
}

bool hd_simt_join(struct hd_exec *exec)
{
	if (!join_waiting(exec->warp))
		return false;
	stop_here(exec);
	return true;
}

bool hd_simt_part(struct hd_exec *exec, uint32_t lanes)
{
	struct hd_warp *warp = exec->warp;
	if (warp->stack.len >= HD_SIMT_DEPTH)
		return false;
	struct hd_simt *entry = &hd_vec_last(&warp->stack), ahead = *entry;
	entry->pc = ahead.pc = warp->pc;
	entry->mask &= ~lanes;
	ahead.mask = lanes;
	hd_vec_push(&warp->stack, ahead);
	stop_here(exec);
	hd_simt_jump(warp, warp->pc);
	return true;
}

/* Who waits to reconverge comes last. */
bool hd_simt_leave(struct hd_exec *exec)
{
	struct hd_warp *warp = exec->warp;
	struct path path;
	stop_here(exec);
	if (warp->stack.len >= HD_SIMT_DEPTH || (!find_path(exec->gpu, warp, exec->now, NEEDS_ANYBODY, true, &path) &&
						 !find_path(exec->gpu, warp, exec->now, NEEDS_ANYBODY, false, &path)))
		return false;
	run_path(exec, &path);
	return true;
}
