/*
 * The calling convention, one table row each (design section 3).
 */
#ifndef HD_LIB_MACHINE_ABI_H
#define HD_LIB_MACHINE_ABI_H

#include <stdbool.h>
#include <stdint.h>

struct hd_abi {
	const char *name;
	uint8_t stack_pointer;        /* R1; the callee gives it back unchanged. The stack grows down. */
	uint8_t first_arg, arg_count; /* argument registers R4..R15 */
	uint8_t first_result, result_count;
	uint64_t callee_saved[4];     /* bit per register */
	bool contiguous_saves;        /* saves are a run from the first callee-saved register up (CARS) */
	/*
	 * Registers that every thread is given beyond the highest that its code names, as `ptxas -v` and the cubin's
	 * EIATTR_REGCOUNT count them on Volta and later: a kernel of nothing but EXIT has 4, its R0 and R1 and these.
	 * The hardware keeps them for traps; limits (launch bounds, -maxrregcount, 255) include them.
	 */
	uint8_t reserved_registers;
};

extern const struct hd_abi hd_abi_cars;     /* callee-saved R16 up, as cars-hpca24 III has it: the default */
extern const struct hd_abi hd_abi_observed; /* as observed in ptxas's code */
const struct hd_abi *hd_abi_find(const char *name); /* "cars", "observed"; NULL */

static inline bool hd_abi_is_saved(const struct hd_abi *abi, uint32_t reg)
{
	return reg < 255 && (abi->callee_saved[reg / 64] >> (reg % 64) & 1);
}

/* Where one argument or result goes: registers [reg, reg+words), or the stack at byte `offset` of the argument area. */
struct hd_abi_place {
	uint8_t reg, words; /* words 0: on the stack */
	uint32_t offset, bytes;
};

/*
 * Assigns places to `count` values of words[i] registers (1, 2 or 4; pairs and quads aligned), in order;
 * what does not fit the registers goes on the stack, naturally aligned. Returns the stack bytes.
 * Values wider than 4 words are split by the caller into words of their own.
 */
uint32_t hd_abi_assign(const struct hd_abi *abi, bool results, const uint8_t *words, uint32_t count,
		       struct hd_abi_place *places);

#endif
