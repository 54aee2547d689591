/*
 * --verify of policies that serve operands from elsewhere than the banks: lane by lane against the register file.
 *
 * Cost: a comparison a lane.
 */
#include "runtime/policy/served.h"

#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/sm.h"

bool hd_served_is_read(const struct hd_warp *warp, const struct hd_dinst *inst)
{
	return inst->inst.role != HD_ROLE_CALLEE_SAVE && (warp->active & hd_pred(warp, inst->inst.guard));
}

bool hd_served_is_service(const struct hd_dinst *inst)
{
	return inst->inst.op == HD_OP_SYSCALL;
}

void hd_served_check(struct hd_warp *warp, uint32_t reg, const uint32_t value[HD_WARP_LANES], const char *design)
{
	for (uint32_t lanes = warp->active; lanes; lanes &= lanes - 1) {
		uint32_t lane = (uint32_t)__builtin_ctz(lanes);
		if (value[lane] == warp->regs[reg][lane])
			continue;
		hd_gpu_fault(warp->cta->sm->gpu, warp, warp->pc, lane, HD_SIM_VERIFY,
			     "%s: the collector serves R%u as %#x, but the register file has %#x", design, reg,
			     value[lane], warp->regs[reg][lane]);
		return;
	}
}
