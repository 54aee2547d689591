/*
 * The calling convention as a table: one row as CARS describes it (cars-hpca24, III-A), one as
 * observed in ptxas's code.
 */
#include "lib/machine/abi.h"
#include "lib/bits.h"

#include <string.h>

#include "lib/machine/regset.h"

/* Bits first..last of a 64-bit word. */
#define BITS(first, last) ((~UINT64_C(0) >> (63 - (last))) & (~UINT64_C(0) << (first)))
/* The upper four of every eight, from bit `first` up. */
#define UPPER_FOURS UINT64_C(0xf0f0f0f0f0f0f0f0)

const struct hd_abi hd_abi_cars = {
	.name = "cars",
	.stack_pointer = HD_ABI_STACK_POINTER,
	.first_arg = HD_ABI_FIRST_ARG,
	.arg_count = HD_ABI_ARG_COUNT,
	.first_result = HD_ABI_FIRST_RESULT,
	.result_count = 12,
	.callee_saved = {BITS(HD_ABI_FIRST_SAVED, 63), BITS(0, 63), BITS(0, 63), BITS(0, 62)},
	.contiguous_saves = true,
	.reserved_registers = 2,
};

const struct hd_abi hd_abi_observed = {
	.name = "observed",
	.stack_pointer = HD_ABI_STACK_POINTER,
	.first_arg = HD_ABI_FIRST_ARG,
	.arg_count = HD_ABI_ARG_COUNT,
	.first_result = HD_ABI_FIRST_RESULT,
	.result_count = 12,
	.callee_saved = {BITS(2, 2) | BITS(HD_ABI_FIRST_SAVED, 31) | (UPPER_FOURS & BITS(32, 63)), UPPER_FOURS,
			 UPPER_FOURS, UPPER_FOURS &BITS(0, 62)},
	.contiguous_saves = false,
	.reserved_registers = 2,
};

const struct hd_abi *hd_abi_find(const char *name, size_t length)
{
	static const struct hd_abi *const rows[] = {&hd_abi_cars, &hd_abi_observed};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (strlen(rows[i]->name) == length && !memcmp(rows[i]->name, name, length))
			return rows[i];
	return NULL;
}

struct hd_abi_cursor hd_abi_begin(const struct hd_abi *abi, bool results)
{
	uint32_t first = results ? abi->first_result : abi->first_arg;
	return (struct hd_abi_cursor){.next = first, .end = first + (results ? abi->result_count : abi->arg_count)};
}

void hd_abi_take(struct hd_abi_cursor *cursor, uint32_t words, struct hd_abi_place *place)
{
	uint32_t reg = (uint32_t)hd_align_up(cursor->next, words ? words : 1), bytes = 4 * words;
	if (reg + words <= cursor->end) {
		*place = (struct hd_abi_place){.reg = (uint8_t)reg, .words = (uint8_t)words, .bytes = bytes};
		cursor->next = reg + words;
		return;
	}
	/* Later, smaller values do not fill the gap: the order of arguments stays the order of places. */
	cursor->next = cursor->end;
	cursor->stack = (uint32_t)hd_align_up(cursor->stack, bytes);
	*place = (struct hd_abi_place){.reg = 255, .offset = cursor->stack, .bytes = bytes};
	cursor->stack += bytes;
}

uint8_t hd_abi_take_aggregate(struct hd_abi_cursor *cursor, uint64_t bytes, uint32_t align)
{
	uint64_t words = (bytes + 3) / 4;
	uint32_t reg = (uint32_t)hd_align_up(cursor->next, align < 8 ? 1 : align < 16 ? 2 : 4);
	if (!words || reg + words > cursor->end)
		return 0;
	cursor->next = reg + (uint32_t)words;
	return (uint8_t)reg;
}

/* ---- services */

static const struct {
	const char *arguments;
	uint32_t results;
} services[HD_SYS_COUNT] = {
#define X(name, symbol, arguments, results) {arguments, results},
	HD_SYS_LIST(X)
#undef X
};

enum { MAX_SERVICE_ARGUMENTS = 8 };

static uint32_t place_arguments(enum hd_syscall service, struct hd_abi_place places[MAX_SERVICE_ARGUMENTS])
{
	struct hd_abi_cursor cursor = hd_abi_begin(&hd_abi_cars, false);
	uint32_t count = 0;
	for (const char *digit = services[service].arguments; *digit; digit++)
		hd_abi_take(&cursor, (uint32_t)(*digit - '0'), &places[count++]);
	return count;
}

uint32_t hd_service_argument(enum hd_syscall service, uint32_t index)
{
	struct hd_abi_place places[MAX_SERVICE_ARGUMENTS];
	place_arguments(service, places);
	return places[index].reg;
}

struct hd_regset hd_service_reads(uint32_t service)
{
	struct hd_abi_place places[MAX_SERVICE_ARGUMENTS];
	struct hd_regset set = {0};
	if (service >= HD_SYS_COUNT) {
		hd_regset_add_run(&set, HD_ABI_FIRST_ARG, HD_ABI_ARG_COUNT);
		return set;
	}
	uint32_t count = place_arguments((enum hd_syscall)service, places);
	for (uint32_t i = 0; i < count; i++)
		hd_regset_add_run(&set, places[i].reg, places[i].words);
	return set;
}

uint32_t hd_service_result_words(enum hd_syscall service)
{
	return services[service].results;
}
