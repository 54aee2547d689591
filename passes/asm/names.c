/*
 * Inline PTX: names of types and of special registers, and constants as bits.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/inst.h"
#include "passes/asm/asm.h"

static const struct {
	const char *name;
	uint32_t code;
} specials[] = {
	{"%tid.x", HD_SR_TID_X},
	{"%tid.y", HD_SR_TID_Y},
	{"%tid.z", HD_SR_TID_Z},
	{"%ctaid.x", HD_SR_CTAID_X},
	{"%ctaid.y", HD_SR_CTAID_Y},
	{"%ctaid.z", HD_SR_CTAID_Z},
	{"%ntid.x", HD_PTX_CBANK + HD_CB_NTID_X},
	{"%ntid.y", HD_PTX_CBANK + HD_CB_NTID_Y},
	{"%ntid.z", HD_PTX_CBANK + HD_CB_NTID_Z},
	{"%nctaid.x", HD_PTX_CBANK + HD_CB_NCTAID_X},
	{"%nctaid.y", HD_PTX_CBANK + HD_CB_NCTAID_Y},
	{"%nctaid.z", HD_PTX_CBANK + HD_CB_NCTAID_Z},
	{"%tid.w", HD_PTX_CONSTANT},
	{"%ctaid.w", HD_PTX_CONSTANT},
	{"%ntid.w", HD_PTX_CONSTANT + 1},
	{"%nctaid.w", HD_PTX_CONSTANT + 1},
	{"%clusterid.x", HD_SR_CLUSTERID_X},
	{"%clusterid.y", HD_SR_CLUSTERID_Y},
	{"%clusterid.z", HD_SR_CLUSTERID_Z},
	{"%clusterid.w", HD_PTX_CONSTANT},
	{"%nclusterid.x", HD_PTX_CBANK + HD_CB_NCLUSTERID_X},
	{"%nclusterid.y", HD_PTX_CBANK + HD_CB_NCLUSTERID_Y},
	{"%nclusterid.z", HD_PTX_CBANK + HD_CB_NCLUSTERID_Z},
	{"%nclusterid.w", HD_PTX_CONSTANT + 1},
	{"%cluster_ctaid.x", HD_SR_CLUSTER_CTAID_X},
	{"%cluster_ctaid.y", HD_SR_CLUSTER_CTAID_Y},
	{"%cluster_ctaid.z", HD_SR_CLUSTER_CTAID_Z},
	{"%cluster_ctaid.w", HD_PTX_CONSTANT},
	{"%cluster_nctaid.x", HD_PTX_CBANK + HD_CB_CLUSTER_X},
	{"%cluster_nctaid.y", HD_PTX_CBANK + HD_CB_CLUSTER_Y},
	{"%cluster_nctaid.z", HD_PTX_CBANK + HD_CB_CLUSTER_Z},
	{"%cluster_nctaid.w", HD_PTX_CONSTANT + 1},
	{"%cluster_ctarank", HD_SR_CLUSTER_CTARANK},
	{"%cluster_nctarank", HD_PTX_CBANK + HD_CB_CLUSTER_BLOCKS},
	{"%is_explicit_cluster", HD_PTX_CBANK + HD_CB_CLUSTER_EXPLICIT},
	{"%dynamic_smem_size", HD_PTX_CBANK + HD_CB_DYN_BYTES},
	{"%total_smem_size", HD_PTX_CBANK + HD_CB_SHARED_BYTES},
	{"%aggr_smem_size", HD_PTX_CBANK + HD_CB_SHARED_BYTES}, /* with the reserved part, of which there is none */
	{"%laneid", HD_SR_LANEID},
	{"%warpid", HD_SR_WARPID},
	{"%nwarpid", HD_SR_NWARPID},
	{"%smid", HD_SR_SMID},
	{"%nsmid", HD_SR_NSMID},
	{"%gridid", HD_SR_GRIDID},
	{"%lanemask_eq", HD_SR_LANEMASK_EQ},
	{"%lanemask_lt", HD_SR_LANEMASK_LT},
	{"%lanemask_le", HD_SR_LANEMASK_LE},
	{"%lanemask_gt", HD_SR_LANEMASK_GT},
	{"%lanemask_ge", HD_SR_LANEMASK_GE},
	{"%clock", HD_PTX_WIDE + HD_SR_CLOCK64},
	{"%clock_hi", HD_PTX_WIDE * 2 + HD_SR_CLOCK64},
	{"%clock64", HD_PTX_WIDE * 3 + HD_SR_CLOCK64},
	{"%globaltimer_lo", HD_PTX_WIDE + HD_SR_GLOBALTIMER64},
	{"%globaltimer_hi", HD_PTX_WIDE * 2 + HD_SR_GLOBALTIMER64},
	{"%globaltimer", HD_PTX_WIDE * 3 + HD_SR_GLOBALTIMER64},
};

/* Registers of which nothing is set here: counters that no one counts with, and what the driver hands on. No
 * part of shared memory is reserved. */
static bool constant_special(const char *name, uint64_t *code)
{
	static const struct {
		const char *name;
		unsigned value;
	} fixed[] = {{"%current_graph_exec", 0},
		     {"%reserved_smem_offset_begin", 0},
		     {"%reserved_smem_offset_end", 0},
		     {"%reserved_smem_offset_cap", 0}};
	static const struct {
		const char *prefix;
		unsigned count;
	} numbered[] = {{"%envreg", 32}, {"%pm", 8}, {"%reserved_smem_offset_", 2}};
	size_t length;
	unsigned long n;
	char *end;

	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
		if (!strcmp(name, fixed[i].name)) {
			*code = HD_PTX_CONSTANT + fixed[i].value;
			return true;
		}
	for (size_t i = 0; i < sizeof numbered / sizeof numbered[0]; i++) {
		length = strlen(numbered[i].prefix);
		if (strncmp(name, numbered[i].prefix, length) || !isdigit((unsigned char)name[length]))
			continue;
		n = strtoul(name + length, &end, 10);
		*code = HD_PTX_CONSTANT;
		return n < numbered[i].count && (!*end || !strcmp(end, "_64"));
	}
	return false;
}

bool hd_ptx_special_named(const char *name, uint64_t *code)
{
	for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
		if (!strcmp(name, specials[i].name)) {
			*code = specials[i].code;
			return true;
		}
	return constant_special(name, code);
}

struct hd_ptx_type hd_ptx_type_named(const char *name)
{
	static const struct {
		const char *name;
		struct hd_ptx_type type;
	} types[] = {
		{"u8", {8, 'u'}},     {"u16", {16, 'u'}},    {"u32", {32, 'u'}}, {"u64", {64, 'u'}},
		{"s8", {8, 's'}},     {"s16", {16, 's'}},    {"s32", {32, 's'}}, {"s64", {64, 's'}},
		{"b8", {8, 'b'}},     {"b16", {16, 'b'}},    {"b32", {32, 'b'}}, {"b64", {64, 'b'}},
		{"f16", {16, 'h'}},   {"bf16", {16, 'g'}},   {"f32", {32, 'f'}}, {"f64", {64, 'f'}},
		{"f16x2", {32, 'h'}}, {"bf16x2", {32, 'g'}}, {"pred", {1, 'p'}}, {"b128", {128, 'b'}},
		{"u16x2", {32, 'v'}}, {"s16x2", {32, 'w'}},
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (!strcmp(name, types[i].name))
			return types[i].type;
	return (struct hd_ptx_type){0, 0};
}

uint64_t hd_ptx_float_bits(const struct hd_ptx_part *part, unsigned bits)
{
	if (part->kind == HD_PTX_SINGLE || bits == 64)
		return part->number;
	double wide;
	memcpy(&wide, &part->number, sizeof wide);
	float narrow = (float)wide;
	uint32_t word;
	memcpy(&word, &narrow, sizeof word);
	return word;
}
