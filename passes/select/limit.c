/*
 * Selection: how many registers a thread of the function may have, from launch bounds, the user's limit and the
 * machine's, as nvcc and ptxas take them. Linear in nothing: a few annotations.
 */
#include <stdlib.h>

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

/* Threads of a block as the bounds have it; 0 without bounds. */
static uint32_t bounded_threads(struct hd_select *sel)
{
	static const char *const dims[] = {"maxntidx", "maxntidy", "maxntidz"};
	uint32_t threads = 1;
	bool bounded = false;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t n = hd_annotation(sel->unit, sel->function, dims[i]);
		bounded = bounded || n;
		threads *= n ? n : 1;
	}
	return bounded ? threads : 0;
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
