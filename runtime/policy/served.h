/*
 * --verify of policies that serve operands from elsewhere than the banks.
 */
#ifndef HD_RUNTIME_POLICY_SERVED_H
#define HD_RUNTIME_POLICY_SERVED_H

#include "runtime/sim/engine.h"

/* What is served to the warp's next instruction is what its register holds, in the lanes that execute; else a fault in
 * the name of the design. */
void hd_served_check(struct hd_warp *warp, uint32_t reg, const uint32_t value[HD_WARP_LANES], const char *design);

#endif
