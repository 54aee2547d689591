/*
 * Control bits of instructions, which NVIDIA's cards since Volta use instead of a register scoreboard (Huerta et al.,
 * MICRO 2025, 4.1): cycles that the warp waits after the instruction, whether other warps go first, which of the
 * warp's six dependence counters it raises until its result is written and until its sources are read, and which
 * counters must be zero before it issues. The lowering sets them (lib/object/control.c), control_check.c checks them
 * against the code, and the runtime obeys them with core = modern.
 *
 * Stall counts cover results of fixed latency, counters those of variable latency.
 */
#ifndef HEDDLE_CONTROL_H
#define HEDDLE_CONTROL_H

#include "heddle/object.h"

enum {
	HD_COUNTERS = 6,
	HD_NO_COUNTER = 7,
	HD_COUNTER_MOST = 63,
	HD_STALL_MOST = 15,
	/* A longer stall count is obeyed only if the warp yields (Huerta, 4.1). */
	HD_STALL_WITHOUT_YIELD = 11,
};

/* Control bits of one instruction. Its reuse bits, which hardware stores with them, are hd_inst.reuse. */
struct hd_control {
	uint8_t stall; /* cycles to the next issue of the warp */
	bool yield;    /* another ready warp goes first */
	uint8_t write; /* counter for its result; HD_NO_COUNTER: none */
	uint8_t read;  /* counter for its sources; HD_NO_COUNTER: none */
	uint8_t wait;  /* counters to wait for, one bit each */
};

/* Latencies on which stall counts depend. */
struct hd_timing {
	uint16_t latency[HD_LAT_COUNT];	   /* 0: always uses a counter */
	uint16_t cross, cross_half, guard; /* as in config.def */
};

/* Returns the latencies that ptxas assumes for a target such as "sm_86"; NULL before sm_75, whose bits are not
 * published. */
HD_API const struct hd_timing *hd_timing_of_target(const char *target);
/* Returns whether stall counts cover the instruction's result (false: a counter does). An instruction without a
 * result returns true or false. */
HD_API bool hd_control_is_fixed(const struct hd_inst *inst, const struct hd_timing *timing);
/* Returns the cycles until an instruction of pipeline `reader` can read a fixed-latency result; for predicates, as
 * a guard. */
uint32_t hd_control_latency(const struct hd_inst *inst, const struct hd_timing *timing, enum hd_pipeline reader);

/* Returns the cycles from the instruction's issue to the warp's next issue, as hardware interprets the bits
 * (Huerta, 4.1). */
static inline uint32_t hd_control_cycles(const struct hd_control *control)
{
	if (control->stall == 0)
		return control->yield ? 45 : 1;
	if (control->stall > HD_STALL_WITHOUT_YIELD && !control->yield)
		return 2;
	return control->stall == 1 && control->yield ? 2 : control->stall;
}

/* Registers, then predicates and uniform registers: 320 places. */
enum { HD_PLACES = 320, HD_PLACE_PREDICATES = 256, HD_PLACE_WORDS = HD_PLACES / 64 };
struct hd_places {
	uint64_t bits[HD_PLACE_WORDS];
};
/* Sets the places that an instruction reads and writes. */
void hd_inst_places(const struct hd_inst *inst, struct hd_places *reads, struct hd_places *writes);
/* Sets the places that an instruction of variable latency reads at a variable time after issue, which could be
 * overwritten too early. Predicates are read at issue. */
HD_API void hd_control_sources(const struct hd_inst *inst, const struct hd_timing *timing, struct hd_places *sources);
/* "R12", "P3", "UR7" */
HD_API void hd_place_name(uint32_t place, char name[8]);
/* A call, return or runtime service: code after it does not know what is in flight before it. */
static inline bool hd_control_parts(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].effects & (HD_FX_CALL | HD_FX_RET);
}

/* Computes the bits of a verified function, one per instruction, in `arena`. */
HD_API struct hd_control *hd_control_compute(const struct hd_function *function, const struct hd_timing *timing,
					     struct hd_arena *arena);

/* Two instructions, the second of which may issue too early on some path. */
struct hd_control_violation {
	uint32_t first, second; /* indices; first is HD_NO_PC if unknown */
	uint32_t place;		/* HD_PLACES: any place, before a call or return */
	const char *what;
};
/* Returns whether the bits cover every dependence on every path of a verified function with these latencies; if
 * not, sets *violation. */
HD_API bool hd_control_check(const struct hd_function *function, const struct hd_control *control,
			     const struct hd_timing *timing, struct hd_control_violation *violation);
/* "LDG R4, [R2] at 0x40 and FADD R5, R4, R4 at 0x50: R4 is read before it is written" */
HD_API void hd_control_explain(const struct hd_function *function, const struct hd_control_violation *violation,
			       char *text, size_t size);

/* "B------:R-:W0:Y:S04": awaited counters, counter for sources, counter for the result, yield, stall count. */
enum { HD_CONTROL_TEXT = 24 };
HD_API void hd_control_format(const struct hd_control *control, char text[HD_CONTROL_TEXT]);

/* Encoding in the object: one word per instruction. Decoding returns 0, or -1 for an invalid word. */
uint32_t hd_control_encode(const struct hd_control *control);
int hd_control_decode(uint32_t word, struct hd_control *control);

#endif
