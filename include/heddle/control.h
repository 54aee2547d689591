/*
 * Control bits of instructions, as NVIDIA's cards from Volta on have them in place of a register scoreboard (Huerta et
 * al., MICRO 2025, 4.1): how many cycles the warp waits behind the instruction, whether others go first, which of six
 * dependence counters of the warp it raises until its result is written and until its sources are read, and which of
 * them have to be at zero before it issues. Set by the lowering (lib/object/control.c), held against the code by
 * control_check.c, obeyed by the runtime under core = modern.
 *
 * A result of fixed latency is covered by stall counts, one of variable latency by counters.
 */
#ifndef HEDDLE_CONTROL_H
#define HEDDLE_CONTROL_H

#include "heddle/object.h"

enum {
	HD_COUNTERS = 6,
	HD_NO_COUNTER = 7,
	HD_COUNTER_MOST = 63,
	HD_STALL_MOST = 15,
	/* A longer stall count is obeyed only where the warp yields (Huerta, 4.1). */
	HD_STALL_WITHOUT_YIELD = 11,
};

/* One instruction's. The reuse bits, which belong to them on hardware, are hd_inst.reuse. */
struct hd_control {
	uint8_t stall; /* cycles to the next issue of the warp */
	bool yield;    /* another warp goes first, if there is one */
	uint8_t write; /* counter of its result, HD_NO_COUNTER: none */
	uint8_t read;  /* and of its sources */
	uint8_t wait;  /* a bit each counter */
};

/* What the stall counts depend on. */
struct hd_timing {
	uint16_t latency[HD_LAT_COUNT];	   /* 0: takes a counter, however long it is */
	uint16_t cross, cross_half, guard; /* as config.def has them */
};

/* Of "sm_86" and the like, as ptxas assumes them; NULL: before sm_75, whose bits nobody has published. */
HD_API const struct hd_timing *hd_timing_of_target(const char *target);
/* Whether the instruction's result is covered by stall counts; else by a counter. Without a result either is true. */
HD_API bool hd_control_is_fixed(const struct hd_inst *inst, const struct hd_timing *timing);
/* Cycles of a fixed result until an instruction of that pipeline can read it; as a guard, which predicates are. */
uint32_t hd_control_latency(const struct hd_inst *inst, const struct hd_timing *timing, enum hd_pipeline reader);

/* Cycles from the instruction's issue to the warp's next one that hardware makes of them (Huerta, 4.1). */
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
/* What an instruction reads, and writes. */
void hd_inst_places(const struct hd_inst *inst, struct hd_places *reads, struct hd_places *writes);
/* Of these what it reads later than at a fixed time behind its issue, so that it may be overwritten too early: the
 * registers of an instruction of variable latency. Predicates are read at issue. */
HD_API void hd_control_sources(const struct hd_inst *inst, const struct hd_timing *timing, struct hd_places *sources);
/* "R12", "P3", "UR7" */
HD_API void hd_place_name(uint32_t place, char name[8]);
/* A call, return or service of the runtime: the code behind it knows nothing of what is under way in front of it. */
static inline bool hd_control_parts(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].effects & (HD_FX_CALL | HD_FX_RET);
}

/* The bits of a verified function, one an instruction, in `arena`. */
HD_API struct hd_control *hd_control_compute(const struct hd_function *function, const struct hd_timing *timing,
					     struct hd_arena *arena);

/* Two instructions of which the second may come too early, on some path. */
struct hd_control_violation {
	uint32_t first, second; /* indices; first HD_NO_PC: not known */
	uint32_t place;		/* HD_PLACES: any, in front of a call or return */
	const char *what;
};
/* Whether the bits cover every dependence on every path of a verified function, for these latencies. */
HD_API bool hd_control_check(const struct hd_function *function, const struct hd_control *control,
			     const struct hd_timing *timing, struct hd_control_violation *violation);
/* "LDG R4, [R2] at 0x40 and FADD R5, R4, R4 at 0x50: R4 is read before it is written" */
HD_API void hd_control_explain(const struct hd_function *function, const struct hd_control_violation *violation,
			       char *text, size_t size);

/* "B------:R-:W0:Y:S04": the counters waited for, of sources and of the result, yield, the stall count. */
enum { HD_CONTROL_TEXT = 24 };
HD_API void hd_control_format(const struct hd_control *control, char text[HD_CONTROL_TEXT]);

/* In the object: a word an instruction. 0, or -1 for a word that is none. */
uint32_t hd_control_encode(const struct hd_control *control);
int hd_control_decode(uint32_t word, struct hd_control *control);

#endif
