/*
 * The circular register stack of a warp (cars-hpca24 III-A, III-C, IV-A, Figures 3 and 6).
 *
 *   call    pushes the caller's RFP, sets RFP to RSP; the site says how many registers the callee will want (its FRU),
 *           and when they are not free, whole frames go to memory from the bottom
 *   push    moves RSP; from then on R16..R16 + RSP - RFP - 1 are the registers from RFP up
 *   return  once all threads of the call are back: RSP = RFP, the caller's RFP is restored, and its frame is
 *           filled when it is in memory
 *
 * Positions count up as in a stack without end; what is in registers are the positions from `bottom` to RSP, which
 * never lie further apart than the stack is large. A pop by some of a call's threads must leave the frame to the
 * others, so pops move nothing and the return releases all (the paper's bit in the SIMT stack).
 *
 * Cost: O(1) an operation, plus the frames that a trap moves.
 */
#include <assert.h>

#include "lib/bits.h"
#include "runtime/policy/cars/cars.h"

void cars_stack_reset(struct cars_stack *stack, uint32_t base, uint32_t size)
{
	struct cars_stack old = *stack;
	*stack = (struct cars_stack){.base = base, .size = size, .frames = old.frames};
	hd_vec_clear(&stack->frames);
}

static void set_frame(struct cars_stack *stack, uint32_t rfp)
{
	stack->rfp = rfp;
	stack->rfp_slot = stack->size ? rfp % stack->size : 0;
}

static uint32_t frame_end(const struct cars_stack *stack, uint32_t index)
{
	return index + 1 < stack->frames.len ? stack->frames.data[index + 1].start : stack->rsp;
}

/* Spills frames from the bottom until `rows` more fit. */
static struct cars_move make_room(struct cars_stack *stack, uint32_t rows)
{
	struct cars_move move = {.from = stack->bottom};
	while (stack->rsp + rows - stack->bottom > stack->size && stack->resident < stack->frames.len) {
		/* The threads of a call are among those of the calls below it. */
		if (!move.mask)
			move.mask = stack->frames.data[stack->resident].mask;
		stack->bottom = frame_end(stack, stack->resident++);
	}
	move.rows = stack->bottom - move.from;
	return move;
}

static void note_peak(struct cars_stack *stack)
{
	stack->peak = hd_larger(stack->peak, stack->rsp);
}

struct cars_move cars_stack_call(struct cars_stack *stack, uint32_t fru, uint32_t mask, bool renames,
				 struct hd_arena *arena)
{
	struct cars_move move = {0};
	bool renamed = renames && fru <= stack->size;
	if (renamed)
		move = make_room(stack, fru);
	hd_vec_push_in(&stack->frames, arena,
		       (struct cars_frame){.start = stack->rsp,
					   .caller_rfp = stack->rfp,
					   .mask = mask,
					   .serial = ++stack->serial,
					   .renamed = renamed});
	if (renamed) {
		stack->rsp++;
		set_frame(stack, stack->rsp);
		note_peak(stack);
	}
	return move;
}

struct cars_move cars_stack_push(struct cars_stack *stack, uint32_t reg, uint32_t count)
{
	struct cars_move move = {0};
	uint32_t top = stack->rfp + (reg - CARS_FIRST_SAVED) + count;
	if (top <= stack->rsp)
		return move;
	move = make_room(stack, top - stack->rsp);
	stack->rsp = top;
	note_peak(stack);
	return move;
}

/* The frame that RFP is in comes back when it is in memory; those below stay there. */
struct cars_move cars_stack_fill(struct cars_stack *stack)
{
	struct cars_move move = {0};
	uint32_t start = stack->rfp ? stack->rfp - 1 : 0;
	if (!stack->rfp || start >= stack->bottom)
		return move;
	move.from = start;
	move.rows = stack->bottom - start;
	stack->bottom = start;
	while (stack->resident && stack->frames.data[stack->resident - 1].start >= start)
		stack->resident--;
	move.mask = stack->frames.data[stack->resident].mask;
	return move;
}

void cars_stack_drop(struct cars_stack *stack, uint32_t depth)
{
	while (stack->frames.len > depth) {
		const struct cars_frame *frame = &hd_vec_pop(&stack->frames);
		if (!frame->renamed)
			continue;
		stack->rsp = frame->start;
		set_frame(stack, frame->caller_rfp);
	}
	/* Calls left without return: their spilled rows are given up. */
	stack->bottom = hd_smaller(stack->bottom, stack->rsp);
	stack->resident = hd_smaller(stack->resident, stack->frames.len);
}

struct cars_move cars_stack_return(struct cars_stack *stack, uint32_t depth)
{
	cars_stack_drop(stack, depth);
	return cars_stack_fill(stack);
}

uint32_t cars_stack_rows(const struct cars_stack *stack, uint32_t index)
{
	return frame_end(stack, index) - stack->frames.data[index].start;
}

struct cars_move cars_stack_spill(struct cars_stack *stack)
{
	struct cars_move move = {.from = stack->bottom, .rows = stack->rsp - stack->bottom};
	if (move.rows)
		move.mask = stack->frames.data[stack->resident].mask;
	stack->bottom = stack->rsp;
	stack->resident = stack->frames.len;
	return move;
}

void cars_stack_take_back(struct cars_stack *stack, const struct cars_parked *parked, struct hd_arena *arena)
{
	hd_vec_push_in(&stack->frames, arena,
		       (struct cars_frame){.start = stack->rsp,
					   .caller_rfp = stack->rfp,
					   .mask = parked->mask,
					   .serial = ++stack->serial,
					   .call = parked->call,
					   .renamed = parked->renamed});
	if (parked->renamed) {
		set_frame(stack, stack->rsp + 1);
		stack->rsp += parked->rows;
	}
	stack->bottom = stack->rsp;
	stack->resident = stack->frames.len;
}
