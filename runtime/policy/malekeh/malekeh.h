/*
 * Malekeh: what the parts of the policy share. malekeh.c is the policy, report.c its figures, exact.c
 * the exact distances of a run before; a unit's table is ccu.c, the adaptive waiting sthld.c.
 */
#ifndef HD_RUNTIME_POLICY_MALEKEH_MALEKEH_H
#define HD_RUNTIME_POLICY_MALEKEH_MALEKEH_H

#include "runtime/policy/malekeh/ccu.h"
#include "runtime/policy/malekeh/sthld.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"

/* Counted by each SM for each grid. */
#define MALEKEH_COUNTS(X)                                                                          \
	X(operands, "operands", "register operands of instructions, duplicates included")          \
	X(hits, "operands", "register operands found in the unit, duplicates included") \
	X(registers, "registers", "register operands without duplicates")                                   \
	X(register_hits, "registers", "register operands found in the unit, without duplicates") \
	X(takeovers, "instructions", "units given to another warp")                                \
	X(dropped_near, "instructions", "units given to another warp although they held values with a near reuse")   \
	X(waits, "slots", "issue slots lost because all units held values with a near reuse") \
	X(cached_results, "registers", "results kept in a unit")                                   \
	X(dropped_results, "registers", "results not kept in a unit that invalidate an older value there")     \
	X(bypasses, "instructions", "instructions with more registers than a unit has entries")               \
	X(strayed, "instructions", \
	  "instructions of warps that left the recorded path of the first run (malekeh:exact)") \
	X(distance_1, "registers", "registers read or written and read again by the next instruction (malekeh:exact)") \
	X(distance_2, "registers", "registers read again 2 instructions later") \
	X(distance_4, "registers", "registers read again 3 or 4 instructions later") \
	X(distance_8, "registers", "registers read again 5 to 8 instructions later") \
	X(distance_16, "registers", "registers read again 9 to 16 instructions later") \
	X(distance_32, "registers", "registers read again 17 to 32 instructions later") \
	X(distance_64, "registers", "registers read again 33 to 64 instructions later") \
	X(distance_more, "registers", "registers read again more than 64 instructions later") \
	X(unread, "registers", "registers overwritten before a read, or never read again")

struct malekeh_counts {
	MALEKEH_COUNTS(HD_COUNT_FIELD)
};

/* Slots that a scheduler's chosen warp has waited (section 6: "a local counter per core"). */
struct malekeh_wait {
	uint64_t asked; /* cycle after that of the last question */
	uint32_t slots;
};

struct malekeh_sm {
	struct malekeh_wait waits[HD_MAX_SCHEDULERS];
};

/* Of a register of a warp, in instructions of the warp. */
struct malekeh_next {
	uint32_t at;   /* recording: 1 + place of the byte that gets the distance to its next read; 0: none */
	uint32_t when; /* recording: when that began; else when what was written last is read, or HD_CCU_NEVER */
};

struct malekeh_warp {
	struct hd_collector *unit; /* that it owns; NULL */
	/* With exact distances alone: */
	uint32_t issued; /* instructions */
	uint32_t at;	 /* bytes of its stream before the next one's */
	bool strayed;
	struct malekeh_next next[256];
};

/* What is known of each warp of a grid, while that runs. */
struct malekeh_stream {
	uint8_t *bytes;
	uint32_t length, capacity;
};
struct malekeh_grid {
	struct malekeh_stream *streams;
	uint64_t count;
};

/* Where distances come from: the compiler's bits, which may be recorded beside, or a run before. */
enum malekeh_distances { MALEKEH_BITS, MALEKEH_RECORD, MALEKEH_EXACT };

/* Where operands come from: units and banks as the paper has it, or all from the one or the other. */
enum malekeh_operands { MALEKEH_BOTH, MALEKEH_BANKS, MALEKEH_UNITS };

struct malekeh_gpu {
	struct hd_sthld machine;
	bool adaptive, waits, ordered; /* ordered: by the units, and by age; else by the GPU's own rule */
	bool results;		       /* units keep results, all of them, and no sources */
	uint32_t sthld;		       /* where it is not adaptive */
	enum malekeh_distances distances;
	enum malekeh_operands operands;
	const char *file;	       /* of what is recorded */
	uint64_t begun, issued;	       /* cycle and instructions at which the interval's part under way began */
	uint64_t cycles, instructions; /* of its parts before that */
	uint32_t running;	       /* grids */
};

enum malekeh_setting { MALEKEH_ENTRIES, MALEKEH_SEED, MALEKEH_RTHLD, MALEKEH_MOST, MALEKEH_LARGE, MALEKEH_STEP };
enum malekeh_energy { MALEKEH_TAG, MALEKEH_WRITE };

static inline struct malekeh_gpu *malekeh_gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}
static inline struct malekeh_sm *malekeh_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}
static inline struct malekeh_warp *malekeh_warp_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}
static inline struct hd_ccu *malekeh_unit_of(const struct hd_policy_handle *self, const struct hd_collector *collector)
{
	return hd_policy_collector(self, collector);
}
static inline struct malekeh_counts *malekeh_counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}

/* exact.c: each does nothing where distances are the compiler's. */
void malekeh_exact_start(struct hd_gpu *gpu, struct malekeh_gpu *malekeh);
void malekeh_exact_begin(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid);
void malekeh_exact_end(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid);
/* The instruction is about to be taken: when its registers are read next, for the unit and for its result. */
void malekeh_exact_take(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst,
			struct hd_ccu *unit);
void malekeh_exact_issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  const struct hd_effect *effect, uint64_t now);

/* report.c */
/* Of a grid that has ended, or is about to. */
extern const struct hd_policy_count malekeh_counts[];
extern const struct hd_policy_count malekeh_reported[];
void malekeh_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		    void (*add)(void *context, const char *key, double value, const char *unit), void *context);
extern const char *const malekeh_series[];
void malekeh_sample(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values);
void malekeh_dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out);

#endif
