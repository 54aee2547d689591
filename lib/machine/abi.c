/*
 * The calling convention as a table: one row as CARS describes it (cars-hpca24, III-A), one as
 * observed in ptxas's code.
 */
#include "lib/machine/abi.h"

#include <string.h>

/* Bits first..last of a 64-bit word. */
#define BITS(first, last) ((~UINT64_C(0) >> (63 - (last))) & (~UINT64_C(0) << (first)))
/* The upper four of every eight, from bit `first` up. */
#define UPPER_FOURS UINT64_C(0xf0f0f0f0f0f0f0f0)

const struct hd_abi hd_abi_cars = {
	.name = "cars",
	.stack_pointer = 1,
	.first_arg = 4,
	.arg_count = 12,
	.first_result = 4,
	.result_count = 12,
	.callee_saved = {BITS(16, 63), BITS(0, 63), BITS(0, 63), BITS(0, 62)},
	.contiguous_saves = true,
	.reserved_registers = 2,
};

const struct hd_abi hd_abi_observed = {
	.name = "observed",
	.stack_pointer = 1,
	.first_arg = 4,
	.arg_count = 12,
	.first_result = 4,
	.result_count = 12,
	.callee_saved = {BITS(2, 2) | BITS(16, 31) | (UPPER_FOURS & BITS(32, 63)), UPPER_FOURS, UPPER_FOURS,
			 UPPER_FOURS &BITS(0, 62)},
	.contiguous_saves = false,
	.reserved_registers = 2,
};

const struct hd_abi *hd_abi_find(const char *name)
{
	static const struct hd_abi *const rows[] = {&hd_abi_cars, &hd_abi_observed};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!strcmp(rows[i]->name, name))
			return rows[i];
	return NULL;
}

uint32_t hd_abi_assign(const struct hd_abi *abi, bool results, const uint8_t *words, uint32_t count,
		       struct hd_abi_place *places)
{
	uint32_t first = results ? abi->first_result : abi->first_arg;
	uint32_t end = first + (results ? abi->result_count : abi->arg_count);
	uint32_t next = first, stack = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = words[i], bytes = 4 * size;
		uint32_t reg = (next + size - 1) & ~(size - 1);

		if (reg + size <= end) {
			places[i] = (struct hd_abi_place){.reg = (uint8_t)reg, .words = (uint8_t)size, .bytes = bytes};
			next = reg + size;
			continue;
		}
		/* Later, smaller values do not fill the gap: the order of arguments stays the order of places. */
		next = end;
		stack = (stack + bytes - 1) & ~(bytes - 1);
		places[i] = (struct hd_abi_place){.reg = 255, .offset = stack, .bytes = bytes};
		stack += bytes;
	}
	return stack;
}
