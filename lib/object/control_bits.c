/*
 * What control bits are made of: latencies of each architecture, what an instruction reads and writes, the text and the
 * word of the bits. Constant time each; nothing is allocated.
 *
 * The text is that of listings of nvdisasm's output that show control bits (CuAssembler's, after MaxAs). The word has
 * the fields in the order of hardware: stall 0..3, yield 4, write 5..7, read 8..10, wait 11..16; yield is 1 here where
 * hardware has 0.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/control.h"
#include "heddle/opcodes.h"

/* ---- latencies */

/* As ptxas 13.0 writes stall counts between two instructions, one after the other. Double precision takes a counter
 * before sm_90. */
#define ARITHMETIC(half, fp64)                                                                                       \
	.latency = {[HD_LAT_IADD] = 4,	 [HD_LAT_IMAX] = 4,    [HD_LAT_IMUL] = 4,    [HD_LAT_IMAD] = 4,               \
		    [HD_LAT_FADD] = 4,	 [HD_LAT_FMAX] = 4,    [HD_LAT_FMUL] = 4,    [HD_LAT_FMAD] = 4,               \
		    [HD_LAT_IMADHI] = 6, [HD_LAT_HALF] = half, [HD_LAT_DADD] = fp64, [HD_LAT_DMAX] = fp64,            \
		    [HD_LAT_DMUL] = fp64, [HD_LAT_DMAD] = fp64}

const struct hd_timing *hd_timing_of_target(const char *target)
{
	static const struct hd_timing turing = {ARITHMETIC(6, 0), .cross = 1, .cross_half = 2, .guard = 8};
	static const struct hd_timing ampere = {ARITHMETIC(4, 0), .cross = 1, .cross_half = 1, .guard = 9};
	static const struct hd_timing hopper = {ARITHMETIC(4, 8), .cross = 1, .cross_half = 1, .guard = 9};
	unsigned number = strncmp(target, "sm_", 3) == 0 ? (unsigned)strtoul(target + 3, NULL, 10) : 0;
	if (number < 75)
		return NULL;
	return number < 80 ? &turing : number < 90 ? &ampere : &hopper;
}

static uint32_t crossing(const struct hd_timing *timing, enum hd_pipeline from, enum hd_pipeline to)
{
	if (from == to || !from || !to)
		return 0;
	return from == HD_PIPELINE_HALF || to == HD_PIPELINE_HALF ? timing->cross_half : timing->cross;
}

uint32_t hd_control_latency(const struct hd_inst *inst, const struct hd_timing *timing, enum hd_pipeline reader)
{
	uint32_t extra = reader == HD_PIPELINES ? timing->guard : crossing(timing, hd_op_pipeline(inst->op), reader);
	return timing->latency[hd_inst_lat(inst)] + extra;
}

/* Special registers take a counter on every card that has counters, and so does what no stall count holds. */
bool hd_control_is_fixed(const struct hd_inst *inst, const struct hd_timing *timing)
{
	struct hd_places reads, writes;
	enum hd_lat lat = hd_inst_lat(inst);
	uint32_t longest = 0;
	if (inst->op == HD_OP_WGMMA) /* nobody reads its result before it has waited otherwise */
		return true;
	if (!hd_op_is_fixed(inst->op) || lat == HD_LAT_S2R || !timing->latency[lat])
		return false;
	hd_inst_places(inst, &reads, &writes);
	bool guards = writes.bits[HD_PLACE_WORDS - 1] & 0xff;
	for (unsigned reader = 0; reader < HD_PIPELINES + guards; reader++) {
		uint32_t cycles = hd_control_latency(inst, timing, (enum hd_pipeline)reader);
		longest = cycles > longest ? cycles : longest;
	}
	return longest <= HD_STALL_MOST;
}

/* ---- places */

static void places_of(const struct hd_regset *set, uint64_t uniform, struct hd_places *places)
{
	memcpy(places->bits, set->regs, sizeof(set->regs));
	places->bits[HD_PLACE_WORDS - 1] = set->preds | uniform << 8;
}

void hd_inst_places(const struct hd_inst *inst, struct hd_places *reads, struct hd_places *writes)
{
	struct hd_regset set;
	hd_inst_reads(inst, &set);
	places_of(&set, hd_inst_uniform_reads(inst), reads);
	hd_inst_writes(inst, &set);
	places_of(&set, hd_inst_uniform_writes(inst), writes);
}

void hd_control_sources(const struct hd_inst *inst, const struct hd_timing *timing, struct hd_places *sources)
{
	struct hd_places writes;
	hd_inst_places(inst, sources, &writes);
	sources->bits[HD_PLACE_WORDS - 1] = 0;
	if (hd_opinfo[inst->op].pipe == HD_PIPE_BRU || hd_control_is_fixed(inst, timing))
		memset(sources, 0, sizeof(*sources));
}

void hd_place_name(uint32_t place, char name[8])
{
	uint32_t uniform = HD_PLACE_PREDICATES + 8;
	if (place < HD_PLACE_PREDICATES)
		snprintf(name, 8, "R%u", place & 255);
	else if (place < uniform)
		snprintf(name, 8, "P%u", place & 7);
	else
		snprintf(name, 8, "UR%u", (place - uniform) & 63);
}

/* ---- text and word */

static char digit(uint8_t counter)
{
	return counter < HD_COUNTERS ? (char)('0' + counter) : '-';
}

void hd_control_format(const struct hd_control *control, char text[HD_CONTROL_TEXT])
{
	char wait[HD_COUNTERS + 1];
	for (uint32_t i = 0; i < HD_COUNTERS; i++)
		wait[i] = control->wait >> i & 1 ? digit(i) : '-';
	wait[HD_COUNTERS] = '\0';
	snprintf(text, HD_CONTROL_TEXT, "B%s:R%c:W%c:%c:S%02u", wait, digit(control->read), digit(control->write),
		 control->yield ? 'Y' : '-', control->stall & 15u);
}

uint32_t hd_control_encode(const struct hd_control *control)
{
	return (uint32_t)control->stall | (uint32_t)control->yield << 4 | (uint32_t)control->write << 5 |
	       (uint32_t)control->read << 8 | (uint32_t)control->wait << 11;
}

static bool is_counter(uint32_t number)
{
	return number < HD_COUNTERS || number == HD_NO_COUNTER;
}

int hd_control_decode(uint32_t word, struct hd_control *control)
{
	*control = (struct hd_control){.stall = word & 15,
				       .yield = word >> 4 & 1,
				       .write = word >> 5 & 7,
				       .read = word >> 8 & 7,
				       .wait = word >> 11 & ((1u << HD_COUNTERS) - 1)};
	return word >> 17 || !is_counter(control->write) || !is_counter(control->read) ? -1 : 0;
}
