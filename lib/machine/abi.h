/*
 * The calling convention, one table row each (docs/architecture.md, The machine).
 */
#ifndef HD_LIB_MACHINE_ABI_H
#define HD_LIB_MACHINE_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"

/* What all conventions have in common: a kernel's entry, the runtime's services and CARS's hardware know no other. */
enum {
	HD_ABI_STACK_POINTER = 1,
	HD_ABI_FIRST_ARG = 4,
	HD_ABI_ARG_COUNT = 12,
	HD_ABI_FIRST_RESULT = 4,
	HD_ABI_FIRST_SAVED = 16 /* of the run of callee-saved registers (cars-hpca24, III-A) */
};

struct hd_abi {
	const char *name;
	uint8_t stack_pointer;	      /* R1; the callee gives it back unchanged. The stack grows down. */
	uint8_t first_arg, arg_count; /* argument registers R4..R15 */
	uint8_t first_result, result_count;
	uint64_t callee_saved[4]; /* bit per register */
	bool contiguous_saves;	  /* saves are a run from the first callee-saved register up (CARS) */
	/*
	 * Registers that every thread is given beyond the highest that its code names, as `ptxas -v` and the cubin's
	 * EIATTR_REGCOUNT count them on Volta and later: a kernel of nothing but EXIT has 4, its R0 and R1 and these.
	 * The hardware keeps them for traps; limits (launch bounds, -maxrregcount, 255) include them.
	 */
	uint8_t reserved_registers;
};

extern const struct hd_abi hd_abi_cars;	    /* callee-saved R16 up, as cars-hpca24 III has it: the default */
extern const struct hd_abi hd_abi_observed; /* as observed in ptxas's code */
/* By the first `length` bytes of a name, "cars" or "observed"; NULL. */
const struct hd_abi *hd_abi_find(const char *name, size_t length);

static inline bool hd_abi_is_saved(const struct hd_abi *abi, uint32_t reg)
{
	return reg < 255 && (abi->callee_saved[reg / 64] >> (reg % 64) & 1);
}

/* Where one argument or result goes: registers [reg, reg+words), or the stack at byte `offset` of the argument area. */
struct hd_abi_place {
	uint8_t reg, words; /* words 0: on the stack */
	uint32_t offset, bytes;
};

/* Registers and stack bytes given out so far, in the order of the values. */
struct hd_abi_cursor {
	uint32_t next, end; /* the first free register; behind the last */
	uint32_t stack;	    /* bytes */
};

struct hd_abi_cursor hd_abi_begin(const struct hd_abi *abi, bool results);
/*
 * The next value, of 1, 2 or 4 words (pairs and quads aligned); what does not fit the registers goes on the stack,
 * naturally aligned. Values wider than 4 words are split by the caller into words of their own.
 */
void hd_abi_take(struct hd_abi_cursor *cursor, uint32_t words, struct hd_abi_place *place);
/*
 * The first register of the next by-value aggregate, of the bytes and the alignment; 0: it lies on the stack, and the
 * registers stay free for the values behind it.
 */
uint8_t hd_abi_take_aggregate(struct hd_abi_cursor *cursor, uint64_t bytes, uint32_t align);

/* First register of a service's argument; those of its results begin at HD_ABI_FIRST_RESULT. */
uint32_t hd_service_argument(enum hd_syscall service, uint32_t index);
/* Registers that its arguments are in, without those that alignment leaves free; all that arguments may be in when
 * there is no such service. */
struct hd_regset hd_service_reads(uint32_t service);
uint32_t hd_service_result_words(enum hd_syscall service);

#endif
