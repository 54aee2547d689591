/*
 * CARS beside a policy that moves warps and their registers (hd_policy_hooks.joins; GPUDuet and Virtual Thread,
 * duet/stacks.c). No paper has this. A launch has one allocation for all warps, so that the other policy knows what a
 * warp has (allocation.c); which warps have their rows is the other policy's to say, and warps neither wait on the
 * stalled-warp list nor change places at barriers. A warp that is away keeps its pointers; the rows of the stack from
 * the bottom to RSP leave and come back with its registers, those that traps have put into memory stay there. It calls,
 * returns and traps only while it is there.
 *
 * Cost: O(1) a warp that leaves or comes back, and under --verify its rows.
 */
#include <assert.h>

#include "runtime/policy/cars/cars.h"
#include "runtime/sm/hooks.h"

bool cars_is_joined(const struct hd_gpu *gpu)
{
	HD_HOOKED (gpu, self, joins)
		if (!strcmp(self->hooks->joins, "cars"))
			return true;
	return false;
}

struct cars_rows cars_rows_of_launch(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	const struct cars_gpu *cars = cars_gpu_of(self, gpu);
	const struct cars_levels *levels = &cars->kernel->levels;
	uint32_t all = levels->rows[cars->level];
	return (struct cars_rows){.all = all, .base = levels->base < all ? levels->base : all, .stack = cars->deepest};
}

uint32_t cars_rows_in_use(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	const struct cars_stack *stack = &cars_warp_of(self, warp)->stack;
	return stack->rsp - stack->bottom;
}

void cars_follow(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_registers *kept)
{
	struct cars_sm *cars = cars_sm_of(self, warp->cta->sm);
	struct cars_warp *mine = cars_warp_of(self, warp);
	bool away = (warp->away & HD_PART_REGISTERS) != 0;
	if (away && mine->state == CARS_HAS_ROWS) {
		mine->state = CARS_AWAY;
		cars->free_rows += mine->wanted;
		cars_verify_leave(self, warp, kept);
	} else if (!away && mine->state == CARS_AWAY) {
		assert(cars->free_rows >= mine->wanted);
		mine->state = CARS_HAS_ROWS;
		cars->free_rows -= mine->wanted;
	}
}
