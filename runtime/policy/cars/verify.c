/*
 * CARS under --verify: a second register file, laid out as the hardware's would be. Values go where renaming puts them,
 * traps move them to a memory of their own and back, and every register that an instruction reads must hold what the
 * ABI's register holds, and belong to the frame and position that a stack without end would name. What it checks
 * (cars-hpca24 III-A, III-C):
 *
 *   renaming   a read of a renamed register finds the row of its own frame, with its own value
 *   traps      a push never takes a row that is in use; what a spill takes away a fill brings back
 *   leaving    what warps that other policies move do not take along (joined.c) is not read again
 *   balance    at the end of a warp RSP, RFP and the frames are where they were at its start
 *
 * Registers below R16 are never renamed and not looked at. A row that nothing was written to since its push has no
 * defined value.
 *
 * Cost: the rows of an instruction's registers are copied and compared; only under --verify.
 */
#include "runtime/exec/exec.h"
#include "runtime/exec/later.h"
#include "runtime/policy/cars/cars.h"

#define NO_FRAME 0 /* serials start at 1; 0 is the kernel itself */

struct row {
	uint32_t position, serial; /* whose it is; rows of the base: position is the register */
	uint32_t defined;	   /* lanes */
	uint32_t lost;		   /* lanes: its warp left without it */
	uint32_t value[HD_WARP_LANES];
};

struct cars_shadow {
	struct row *rows; /* the warp's registers */
	uint32_t row_count;
	struct row *memory; /* by position */
	uint32_t memory_count;
};

static struct cars_shadow *shadow_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	const struct cars_warp *mine = cars_warp_of(self, warp);
	return warp->cta->sm->gpu->options.verify && !mine->apart ? mine->shadow : NULL;
}

static struct row *grow_rows(struct hd_arena *arena, struct row *old, uint32_t *count, uint32_t wanted)
{
	if (wanted <= *count)
		return old;
	uint32_t capacity = 2 * *count > wanted ? 2 * *count : wanted;
	struct row *rows = HD_ARENA_NEW(arena, struct row, capacity);
	if (*count)
		memcpy(rows, old, *count * sizeof(*rows));
	*count = capacity;
	return rows;
}

void cars_verify_start(const struct hd_policy_handle *self, struct hd_warp *warp)
{
	struct hd_arena *arena = &warp->cta->sm->arena;
	struct cars_warp *mine = cars_warp_of(self, warp);
	if (!warp->cta->sm->gpu->options.verify)
		return;
	if (!mine->shadow)
		mine->shadow = HD_ARENA_NEW(arena, struct cars_shadow, 1);
	uint32_t rows = mine->stack.base + mine->stack.size;
	if (rows < 256) /* code of unknown origin may name any register */
		rows = 256;
	mine->shadow->rows = grow_rows(arena, mine->shadow->rows, &mine->shadow->row_count, rows);
	memset(mine->shadow->rows, 0, mine->shadow->row_count * sizeof(struct row));
	for (uint32_t i = 0; i < mine->shadow->row_count; i++)
		mine->shadow->rows[i].position = i < mine->stack.base ? i : UINT32_MAX;
}

static void fail(struct hd_warp *warp, const char *what, uint32_t number)
{
	uint32_t lane = warp->active ? (uint32_t)__builtin_ctz(warp->active) : 0;
	hd_gpu_fault(warp->cta->sm->gpu, warp, warp->pc, lane, HD_SIM_VERIFY, "CARS: %s (%u)", what, number);
}

static struct row *slot_of(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t position)
{
	const struct cars_warp *mine = cars_warp_of(self, warp);
	return &mine->shadow->rows[mine->stack.base + position % mine->stack.size];
}

/* The frame that a position belongs to, searched from the top. */
static uint32_t serial_at(const struct cars_stack *stack, uint32_t position)
{
	for (uint32_t i = stack->frames.len; i-- > 0;)
		if (stack->frames.data[i].renamed && stack->frames.data[i].start <= position)
			return stack->frames.data[i].serial;
	return NO_FRAME;
}

void cars_verify_push(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t from, uint32_t to)
{
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	if (!shadow_of(self, warp))
		return;
	if (to - stack->bottom > stack->size)
		fail(warp, "the stack holds more registers than it has", to - stack->bottom);
	for (uint32_t position = from; position < to; position++) {
		struct row *row = slot_of(self, warp, position);
		/* Its last owner has left the stack or is in memory. */
		if (row->position != UINT32_MAX && row->position < from && row->position >= stack->bottom)
			fail(warp, "a push overwrites stack position", row->position);
		*row = (struct row){.position = position, .serial = serial_at(stack, position)};
	}
}

/* The rows as they lie before the trap; their place must not hold anything else. */
void cars_verify_spill(const struct hd_policy_handle *self, struct hd_warp *warp, const struct cars_move *move)
{
	struct cars_shadow *shadow = shadow_of(self, warp);
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	if (!shadow)
		return;
	shadow->memory =
		grow_rows(&warp->cta->sm->arena, shadow->memory, &shadow->memory_count, move->from + move->rows);
	for (uint32_t position = move->from; position < move->from + move->rows; position++) {
		struct row *row = slot_of(self, warp, position);
		if (row->position != position || row->serial != serial_at(stack, position))
			fail(warp, "a trap spills a row that is not stack position", position);
		row->defined &= move->mask; /* other lanes are not stored */
		shadow->memory[position] = *row;
		row->position = UINT32_MAX;
	}
}

void cars_verify_fill(const struct hd_policy_handle *self, struct hd_warp *warp, const struct cars_move *move)
{
	struct cars_shadow *shadow = shadow_of(self, warp);
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	if (!shadow)
		return;
	for (uint32_t position = move->from; position < move->from + move->rows; position++) {
		struct row *row = slot_of(self, warp, position);
		if (position >= shadow->memory_count || shadow->memory[position].position != position ||
		    shadow->memory[position].serial != serial_at(stack, position)) {
			fail(warp, "a trap fills what was never spilled, stack position", position);
			return;
		}
		if (row->position != UINT32_MAX && row->position < stack->rsp && row->position > position)
			fail(warp, "a fill overwrites stack position", row->position);
		*row = shadow->memory[position];
	}
}

static void lose_row(struct row *row)
{
	row->lost = UINT32_MAX;
	row->defined = 0;
}

/* While a call is open any row of the kernel may be its caller's; what is under way finds its row wherever it is. */
void cars_verify_leave(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_registers *kept)
{
	const struct cars_shadow *shadow = shadow_of(self, warp);
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	if (!shadow)
		return;
	if (warp->injection.count || warp->injection.outstanding)
		fail(warp, "a warp leaves before a trap is over, slot", warp->id);
	for (uint32_t reg = CARS_FIRST_SAVED; reg < stack->base && kept && !stack->frames.len; reg++)
		if (!((kept->bits[reg / 64] | warp->pending.bits[reg / 64]) >> reg % 64 & 1))
			lose_row(&shadow->rows[reg]);
	for (uint32_t slot = 0; slot < stack->size; slot++) {
		struct row *row = &shadow->rows[stack->base + slot];
		if (row->position < stack->bottom || row->position >= stack->rsp)
			lose_row(row);
	}
}

void cars_verify_end(const struct hd_policy_handle *self, struct hd_warp *warp)
{
	const struct cars_warp *mine = cars_warp_of(self, warp);
	const struct cars_stack *stack = &mine->stack;
	if (!shadow_of(self, warp))
		return;
	if (!mine->exited && (stack->frames.len || stack->rsp || stack->rfp || stack->bottom))
		fail(warp, "the stack pointer does not balance at exit: RSP", stack->rsp);
}

/* ---- values */

static struct row *row_of(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg)
{
	const struct cars_warp *mine = cars_warp_of(self, warp);
	return &mine->shadow->rows[cars_stack_place(&mine->stack, reg)];
}

static bool owner_matches(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct row *row,
			  uint32_t reg)
{
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	uint32_t position = stack->rfp + reg - CARS_FIRST_SAVED;
	if (position >= stack->rsp)
		return true; /* not renamed */
	return position >= stack->bottom && row->position == position && row->serial == serial_at(stack, position);
}

static void check_read(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t reg, uint32_t mask)
{
	const struct row *row = row_of(self, warp, reg);
	if (!owner_matches(self, warp, row, reg)) {
		fail(warp, "a read finds another frame's row in place of register", reg);
		return;
	}
	if (mask & row->lost)
		fail(warp, "a read finds what its warp left without, register", reg);
	for (uint32_t lanes = mask & row->defined; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes);
		if (row->value[lane] == warp->regs[reg][lane])
			continue;
		fail(warp, "a renamed row does not hold the value of register", reg);
		return;
	}
}

static uint32_t guard_lanes(const struct hd_warp *warp, const struct hd_inst *inst)
{
	uint32_t lanes = warp->preds[inst->guard & 7];
	return warp->active & (inst->guard & HD_PRED_NOT ? ~lanes : lanes);
}

void cars_verify_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst)
{
	if (!shadow_of(self, warp))
		return;
	if (cars_warp_of(self, warp)->state != CARS_HAS_ROWS)
		fail(warp, "a warp without registers issues, slot", warp->id);
	for (uint32_t i = 0; i < inst->read_count; i++)
		if (inst->read_regs[i] >= CARS_FIRST_SAVED)
			check_read(self, warp, inst->read_regs[i], guard_lanes(warp, &inst->inst));
}

static void write_row(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg, uint32_t mask,
		      bool defined)
{
	struct row *row = row_of(self, warp, reg);
	row->lost &= ~mask;
	row->defined = defined ? row->defined | mask : row->defined & ~mask;
	for (uint32_t lanes = defined ? mask : 0; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes);
		row->value[lane] = warp->regs[reg][lane];
	}
}

/* A restore by a function without a frame of its own gives its caller's registers back. */
static void restore_rows(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst,
			 uint32_t mask)
{
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	if (stack->frames.len && hd_vec_last(&stack->frames).renamed)
		return;
	for (uint32_t k = 0; k < inst->access_bytes / 4u; k++)
		if (inst->inst.dst + k >= CARS_FIRST_SAVED)
			write_row(self, warp, inst->inst.dst + k, mask, true);
}

void cars_verify_after(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_effect *effect)
{
	if (!shadow_of(self, warp))
		return;
	if (effect->event == HD_EVENT_EXIT && effect->mask && cars_warp_of(self, warp)->stack.frames.len)
		cars_warp_of(self, warp)->exited = true;
	if (inst->inst.role == HD_ROLE_CALLEE_RESTORE && !inst->write_count) {
		restore_rows(self, warp, inst, hd_effect_lanes(effect));
		return;
	}
	/* A barrier's reduction comes when it completes, and some loads' and atomics' results at the end of a window.
	 */
	bool defined = effect->event != HD_EVENT_BARRIER && !hd_later_has_put_off(warp->cta->sm->exec, warp, inst);
	HD_FOR_HAZARD_REGS(reg, &inst->writes)
	if (reg >= CARS_FIRST_SAVED)
		write_row(self, warp, reg, hd_effect_lanes(effect), defined);
}
