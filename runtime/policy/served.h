/*
 * --verify of policies that serve operands from elsewhere than the banks.
 */
#ifndef HD_RUNTIME_POLICY_SERVED_H
#define HD_RUNTIME_POLICY_SERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"

struct hd_dinst;
struct hd_warp;

/*
 * Whether the warp's next instruction, `inst`, has a use for the values that it reads. A prologue saves registers for
 * which its caller may have none, and an instruction whose guard holds in no lane does nothing.
 */
bool hd_served_is_read(const struct hd_warp *warp, const struct hd_dinst *inst);

/* Whether the runtime does it (malloc, printf): what its code does with registers is not modelled, but for its result.
 */
bool hd_served_is_service(const struct hd_dinst *inst);

/* What is served to the warp's next instruction is what its register holds, in the lanes that execute; else a fault in
 * the name of the design. */
void hd_served_check(struct hd_warp *warp, uint32_t reg, const uint32_t value[HD_WARP_LANES], const char *design);

#endif
