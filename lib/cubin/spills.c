/*
 * Spills of NVIDIA's code. ptxas writes registers to the stack frame, and reads them back, at fixed places: STL and LDL
 * of R1 and a number. A variable that it keeps in the frame is accessed through another register, which has its
 * address, or is not in memory at all. So the bytes of spills are known where R1 is used for nothing else: in a kernel
 * whose local accesses all stand at R1, that moves R1 once to make its frame, and that calls nothing but ptxas's own
 * helpers, such as the long way of a division: another callee may get an address, and keeps its caller's registers in
 * the same way, also where ptxas has put it behind the kernel. (A call from which nothing returns is a jump within the
 * kernel.) test/e2e/check/cubins-toolkit.test compares them with
 * what ptxas says.
 *
 * Cost: linear in the instructions, and for each call logarithmic in the helpers.
 */
#include "lib/cubin/cubin.h"

#include <stdlib.h>

enum {
	INST_BYTES = 16,
	STACK = 1,
	STL = 0x187,
	LDL = 0x183,
	CALL_ABS = 0x143,
	CALL_REL = 0x144,
	RET = 0x150,
	DIRECT_CALL = 0x944,
	FORM_REGISTERS = 1
};

static unsigned size_of(const uint8_t *inst)
{
	static const uint8_t sizes[] = {1, 1, 2, 2, 4, 8, 16, 0};
	return sizes[inst[9] >> 1 & 7];
}

/* Whether R1 may be among its sources. What stands in the place of a register may be another field: then a use is seen
 * where there is none. */
static bool reads_stack(const uint8_t *inst)
{
	unsigned form = inst[1] >> 1 & 7;
	return inst[3] == STACK || inst[8] == STACK || (form == FORM_REGISTERS && inst[4] == STACK);
}

/* What a call reaches that stands in the function itself, where its use of R1 is seen, too; -1: other code. Where a
 * linker has yet to put in the address, there is 0. */
static int64_t target_of(const uint8_t *inst, uint32_t at, uint32_t count)
{
	uint32_t bits = inst[4] | (uint32_t)inst[5] << 8 | (uint32_t)inst[6] << 16 | (uint32_t)inst[7] << 24;
	int64_t target = ((int64_t)at + 1) * INST_BYTES + (int32_t)bits;
	bool direct = (inst[0] | (inst[1] & 0xf) << 8) == DIRECT_CALL;
	return direct && bits && target >= 0 && target < (int64_t)count * INST_BYTES ? target : -1;
}

/* Of an address (an empty range) and a range: 0 where it is in that. */
static int by_place(const void *a, const void *b)
{
	uint64_t at = ((const struct hd_cubin_range *)a)->from;
	const struct hd_cubin_range *range = b;
	return at < range->from ? -1 : at >= range->to;
}

static const struct hd_cubin_range *helper_at(const struct hd_cubin_ranges *helpers, uint64_t at)
{
	struct hd_cubin_range place = {at, at};
	return helpers->count ? bsearch(&place, helpers->data, helpers->count, sizeof place, by_place) : NULL;
}

void hd_cubin_spills(const uint8_t *code, uint32_t count, const struct hd_cubin_ranges *helpers,
		     struct hd_cubin_function *function)
{
	uint32_t stores = 0, loads = 0, frames = 0;
	bool calls = false, returns = false;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *inst = code + (size_t)i * INST_BYTES;
		unsigned operation = (inst[0] | (unsigned)inst[1] << 8) & 0x1ff;
		if (operation == CALL_ABS || operation == CALL_REL) {
			int64_t target = target_of(inst, i, count);
			const struct hd_cubin_range *helper = helper_at(helpers, (uint64_t)target);
			if (target < 0)
				return;
			calls |= !helper || helper->from != (uint64_t)target;
		}
		returns |= operation == RET && !helper_at(helpers, (uint64_t)i * INST_BYTES);
		if (operation == STL || operation == LDL) {
			if (inst[3] != STACK || (operation == STL && inst[4] == STACK))
				return;
			*(operation == STL ? &stores : &loads) += size_of(inst);
		} else if (reads_stack(inst) && (inst[2] != STACK || frames++)) {
			return;
		}
	}
	if ((!function->kernel || (calls && returns)) && stores + loads)
		return;
	function->spills_known = true;
	function->spill_store_bytes = stores;
	function->spill_load_bytes = loads;
}
