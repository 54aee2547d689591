/*
 * Selection: how many registers a thread of the function may have, from launch bounds, the user's limit and the
 * machine's, as nvcc and ptxas take them; and how many of its words may be spilled to shared memory. Costs a few
 * annotations, and the kernel's instructions where it asks for such spills.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/bits.h"
#include "passes/select/select.h"

uint32_t hd_sel_capability(const struct hd_select *sel)
{
	return hd_capability(sel->function);
}

/* As the CUDA C++ Programming Guide has it in its table of compute capabilities. */
uint32_t hd_sel_sm_threads(LLVMValueRef function)
{
	uint32_t number = hd_capability(function);
	if (number == 75)
		return 1024;
	return number >= 86 && number <= 89 ? 1536 : 2048;
}

/* Turing was the first with a uniform datapath. */
enum hd_uniform_use hd_sel_uniform_use(struct hd_select *sel)
{
	const char *use = sel->unit->options.uniform;
	if (sel->linear || !strcmp(use, "never"))
		return HD_UNIFORM_NEVER;
	if (!strcmp(use, "always"))
		return HD_UNIFORM_ALWAYS;
	return hd_capability(sel->function) >= 75 ? HD_UNIFORM_SHORT : HD_UNIFORM_NEVER;
}

/* The product of the three, at most what an SM has registers for; 0: none is given. */
static uint32_t product_of(struct hd_select *sel, const char *const dims[3])
{
	uint64_t threads = 1;
	bool bounded = false;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t n = hd_annotation(sel->unit, sel->function, dims[i]);
		bounded = bounded || n;
		threads *= n ? n : 1;
		threads = threads < HD_SM_REGISTERS ? threads : HD_SM_REGISTERS;
	}
	return bounded ? (uint32_t)threads : 0;
}

/* Threads of a block as the source promises or bounds them; 0 without bounds. */
static uint32_t bounded_threads(struct hd_select *sel)
{
	static const char *const exact[] = {"reqntidx", "reqntidy", "reqntidz"}, *const most[] = {"maxntidx",
												  "maxntidy",
												  "maxntidz"};
	uint32_t threads = product_of(sel, exact);
	return threads ? threads : product_of(sel, most);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t hd_sel_register_limit(struct hd_select *sel)
{
	uint32_t fixed = hd_annotation(sel->unit, sel->function, "maxnreg");
	uint32_t ctas = hd_annotation(sel->unit, sel->function, "minctasm"), threads = bounded_threads(sel);
	uint32_t machine = sel->unit->options.target_registers;
	uint32_t limit = least(fixed ? fixed : HD_MAX_REGS, machine ? machine : HD_MAX_REGS);
	uint32_t per_cta = (threads + HD_WARP_LANES - 1) / HD_WARP_LANES * HD_WARP_LANES;
	if (hd_is_helper(sel->function)) /* the registers that nobody saves */
		return HD_ABI_FIRST_SAVED + sel->func->abi->reserved_registers;
	if (!threads && fixed)
		return limit;
	if (!threads) /* as nvcc has it: -maxrregcount is for functions without bounds */
		return sel->unit->options.max_registers ? least(sel->unit->options.max_registers, limit) : limit;
	if (!ctas || ctas > sel->func->sm_threads / per_cta)
		ctas = 1; /* what the SM cannot hold is not asked for */
	uint32_t each = HD_SM_REGISTERS / (per_cta * ctas) & ~7u;
	return each >= 16 ? least(each, limit) : limit;
}

uint32_t hd_sel_entry_registers(struct hd_select *sel)
{
	bool known = bounded_threads(sel) || sel->unit->options.max_registers ||
		     hd_annotation(sel->unit, sel->function, "maxnreg");
	return known ? hd_sel_register_limit(sel) / HD_RESIZE_STEP * HD_RESIZE_STEP : 0;
}

/* ---- spills in shared memory */

/* Shared memory and blocks of an SM, and what CUDA takes of the former for each block: the CUDA C++ Programming Guide's
 * table of compute capabilities. */
struct sm {
	uint32_t shared, blocks, reserved;
};

static struct sm sm_of(uint32_t capability)
{
	switch (capability) {
	case 52:
	case 61:
	case 70: return (struct sm){98304, 32, 0};
	case 75: return (struct sm){65536, 16, 0};
	case 80:
	case 87: return (struct sm){167936, capability == 80 ? 32 : 16, 1024};
	case 86: return (struct sm){102400, 16, 1024};
	case 89: return (struct sm){102400, 24, 1024};
	default: return capability >= 90 ? (struct sm){233472, 32, 1024} : (struct sm){65536, 32, 0};
	}
}

#define STATIC_SHARED 49152u  /* of a block, as all static shared memory */
#define SHARED_UNIT 256u      /* the larger unit of allocation, of Volta and before */
#define LARGEST_BLOCK 1024u   /* what ptxas assumes without bounds */

/* Whether the kernel is one whose blocks all have the shared memory of its code alone, as ptxas asks. */
static bool has_own_shared(const struct hd_select *sel)
{
	const struct hd_mfunc *func = sel->func;
	if (!func->kernel || func->calls_program || func->dynamic_stack || sel->linear ||
	    sel->unit->options.relocatable)
		return false;
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			const struct hd_minst *inst = &func->blocks.data[id].insts.data[i];
			if (hd_x_is_constant(inst->xkind) && inst->x == HD_CONST_X(0, HD_CB_DYN_SHARED))
				return false;
		}
	return true;
}

void hd_sel_spill_room(struct hd_select *sel, const struct hd_function *out)
{
	struct hd_mfunc *func = sel->func;
	if ((!sel->spills_in_shared && strcmp(sel->unit->options.spills, "shared") != 0) || !has_own_shared(sel))
		return;
	uint32_t threads = bounded_threads(sel), offset = (uint32_t)hd_align_up(out->shared_bytes, 4);
	threads = threads ? threads : LARGEST_BLOCK;
	uint32_t each = (threads + HD_WARP_LANES - 1) / HD_WARP_LANES * HD_WARP_LANES;
	struct sm sm = sm_of(hd_capability(sel->function));
	uint32_t registers = (func->max_registers + 7) / 8 * 8;
	uint32_t blocks = least(least(func->sm_threads, HD_SM_REGISTERS / registers) / each, sm.blocks);
	uint32_t share = sm.shared / (blocks ? blocks : 1) / SHARED_UNIT * SHARED_UNIT;
	share = share > sm.reserved ? least(share - sm.reserved, STATIC_SHARED) : 0;
	if (share > offset)
		func->spills = (struct hd_mspills){(share - offset) / (4 * threads), threads, offset, UINT32_MAX, 0};
}
