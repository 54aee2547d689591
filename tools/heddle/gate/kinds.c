/*
 * The kinds of instructions that figures count, for the lines that they come from (lines.c).
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "lib/machine/mix.h"
#include "tools/heddle/gate/carry.h"

static uint32_t count_any(const struct hd_object *object, const struct hd_function *code, uint32_t at)
{
	(void)object;
	(void)code;
	(void)at;
	return 1;
}

#define COUNTER(name, kind)                                                                                        \
	static uint32_t name(const struct hd_object *object, const struct hd_function *code, uint32_t at)          \
	{                                                                                                          \
		(void)object;                                                                                      \
		return hd_inst_is_of(&code->insts[at], kind);                                                      \
	}
COUNTER(count_double, HD_MIX_FP64)
COUNTER(count_conversion, HD_MIX_CONVERSION)
COUNTER(count_local, HD_MIX_LOCAL)
COUNTER(count_barrier, HD_MIX_BARRIER)
COUNTER(count_product, HD_MIX_PRODUCT)
COUNTER(count_serialized, HD_MIX_SERIALIZED)
COUNTER(count_bulk, HD_MIX_BULK)
COUNTER(count_init, HD_MIX_INIT)
COUNTER(count_await, HD_MIX_AWAIT)
#undef COUNTER

static uint32_t count_helper(const struct hd_object *object, const struct hd_function *code, uint32_t at)
{
	if (code->insts[at].op != HD_OP_CALL)
		return 0;
	for (uint32_t r = 0; r < code->reloc_count; r++) {
		const struct hd_symbol *symbol = &object->symbols[code->relocs[r].symbol];
		if (code->relocs[r].offset == at && code->relocs[r].kind == HD_REL_CALL)
			return symbol->defined && object->functions[symbol->function].helper;
	}
	return 0;
}

#define LOCAL(over_calls) {"local access", "local accesses", over_calls, HD_MIX_LOCAL, count_local}
static const struct {
	const char *metric;
	struct gate_kind kind;
} kinds[] = {
	{"instructions", {"instruction", "instructions", false, -1, count_any}},
	{"fp64_instructions",
	 {"double-precision instruction", "double-precision instructions", true, HD_MIX_FP64, count_double}},
	{"helper_calls", {"helper call", "helper calls", true, -2, count_helper}},
	{"conversion_instructions", {"conversion", "conversions", true, HD_MIX_CONVERSION, count_conversion}},
	{"stack_bytes", LOCAL(false)},
	{"local_accesses", LOCAL(true)},
	{"barrier_instructions", {"barrier", "barriers", true, HD_MIX_BARRIER, count_barrier}},
	{"wgmma", {"product of warpgroups", "products of warpgroups", true, -2, count_product}},
	{"wgmma_serialized", {"wait put in for products", "waits put in for products", true, -2, count_serialized}},
	{"bulk_copies", {"copy in bulk", "copies in bulk", true, -2, count_bulk}},
	{"shared_barriers", {"initialisation of a barrier", "initialisations of barriers", true, -2, count_init}},
	{"shared_barrier_waits", {"wait for a barrier", "waits for barriers", true, -2, count_await}},
};

const struct gate_kind gate_kind_local = LOCAL(false);

const struct gate_kind *gate_kind_of(const struct gate_metric *metric)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].metric, metric->name) == 0)
			return &kinds[i].kind;
	return NULL;
}
