/*
 * The tables of the metadata's records. A row makes its key written, read, checked and part of the schema; keys are
 * printed in the order of the rows, those of a group where its first row stands.
 */
#include "lib/metadata/fields.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "heddle/figures.h"

const char *const hd_meta_class_names[HD_CLASSES] = {"grid", "block", "warp", "affine", "divergent"};

/* SELF is the struct of the table at hand. */
#define MEMBER(member) ((SELF *)0)->member
#define AT(member) .at = offsetof(SELF, member), .bytes = sizeof(MEMBER(member))
#define INTEGER(key_, member, least_, most_, ...)                                                    \
	{.key = key_, .type = HD_META_INTEGER, AT(member), .least = least_, .most = most_,           \
	 .is_signed = _Generic(MEMBER(member), int32_t: true, int64_t: true, default: false), __VA_ARGS__}
#define COUNT(key_, member, ...) INTEGER(key_, member, 0, UINT32_MAX, .form = "count", __VA_ARGS__)
#define FLAG(key_, member, ...) {.key = key_, .type = HD_META_FLAG, AT(member), __VA_ARGS__}
#define CHOICE(key_, member, names_, ...) \
	{.key = key_, .type = HD_META_CHOICE, AT(member), .names = names_, __VA_ARGS__}
#define TEXT(key_, member, ...) {.key = key_, .type = HD_META_TEXT, AT(member), __VA_ARGS__}
#define SOURCE {.key = "source", .type = HD_META_SOURCE, AT(source), .form = "source"}
#define COUNTED(type_, key_, member, count, ...) \
	{.key = key_, .type = type_, AT(member), .other = offsetof(SELF, count), __VA_ARGS__}
#define OTHER(type_, key_, member, ...) {.key = key_, .type = type_, AT(member), __VA_ARGS__}
#define NULL_UNLESS(flag) .null = HD_META_NULL_UNKNOWN, .other = offsetof(SELF, flag)
#define NULL_AT(value) .null = HD_META_NULL_VALUE, .none = value

/* Rows of metadata.def. */
#define FIGURE(type, group_, member, unit_, better_, judged_, metric_, node_, doc_) \
	FIGURE_##type(#member, member, .group = group_, .unit = unit_, .better = HD_META_##better_, \
		      .metric = #metric_, .node = node_, .doc = doc_),
#define FIGURE_NUMBER COUNT
#define FIGURE_FLAG FLAG

#define RECORD_ROWS(table) .fields = table, .count = sizeof(table) / sizeof(*table), .bytes = sizeof(SELF)
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ------------------------------------------------------------------ what functions list */

#define SELF struct hd_meta_param
static const struct hd_meta_field param_fields[] = {
	TEXT("name", name, .null = HD_META_NULL_POINTER, .doc = "name in the source, if known"),
	TEXT("type", type, .null = HD_META_NULL_POINTER, .doc = "source type, or IR type if the source is unknown"),
	CHOICE("kind", kind, NAMES("integer", "float", "pointer", "aggregate"), .doc = "of the type"),
	COUNT("offset", offset, .doc = "bytes from the first parameter"),
	COUNT("bytes", bytes, .doc = "its size"),
	COUNT("align", align, .doc = "its alignment, bytes"),
};
static const struct hd_meta_record param_record = {.name = "param",
						   .doc = "a kernel parameter",
						   RECORD_ROWS(param_fields)};
#undef SELF

#define SELF struct hd_meta_call
static const struct hd_meta_field call_fields[] = {
	COUNT("pc", pc, .doc = "the call"),
	CHOICE("kind", kind, NAMES("direct", "indirect"), .doc = "direct: the instruction names the callee"),
	COUNTED(HD_META_TEXT_LIST, "callees", callees, callee_count, .form = "name", .doc = "possible callees, sorted"),
	FLAG("recursive", recursive, .doc = "the call is within a cycle of the call graph"),
	FLAG("unknown_callees", unknown_callees, .doc = "not all possible callees are known"),
	COUNT("fru", fru, .doc = "FRU of the worst callee"),
	SOURCE,
};
static const struct hd_meta_record call_record = {.name = "call", .doc = "a call site", RECORD_ROWS(call_fields)};
#undef SELF

#define SELF struct hd_meta_save
static const struct hd_meta_field save_fields[] = {
	COUNT("pc", pc, .doc = "the instruction"),
	INTEGER("register", reg, 0, 254, .form = "register", .doc = "first register"),
	INTEGER("count", count, 1, 255, .doc = "registers moved"),
	FLAG("restore", restore, .doc = "true: a load; false: a store"),
	INTEGER("offset", offset, INT32_MIN, INT32_MAX, .doc = "bytes from the stack pointer"),
};
static const char *save_broken(const json_t *object, const void *record, const char **expected)
{
	const struct hd_meta_save *save = record;
	(void)object;
	*expected = "registers up to R254";
	return save->reg + save->count > 255 ? "count" : NULL;
}
static const struct hd_meta_record save_record = {
	.name = "save",
	.doc = "an instruction that saves or restores callee-saved registers (a push or pop in CARS's sense)",
	.broken = save_broken,
	RECORD_ROWS(save_fields)};
#undef SELF

#define SELF struct hd_meta_launch
static const struct hd_meta_field launch_fields[] = {
	SOURCE,
	OTHER(HD_META_NUMBERS, "block", block, .length = 3, NULL_UNLESS(block_known),
	      .doc = "threads of a CTA, x, y, z"),
	INTEGER("shared_bytes", shared_bytes, 0, UINT32_MAX, NULL_UNLESS(shared_known),
		.doc = "dynamic shared memory of a CTA"),
};
static const struct hd_meta_record launch_record = {.name = "launch",
						    .doc = "a launch site in the host code; null: not a constant",
						    RECORD_ROWS(launch_fields)};
#undef SELF

#define SELF struct hd_meta_interval
static const struct hd_meta_field interval_fields[] = {
	COUNT("id", id, .doc = "index in order of entry_pc"),
	COUNT("entry_pc", entry_pc,
	      .doc = "a PREFETCH is due before this pc when control comes from elsewhere, or from a strand to its own "
		     "entry"),
	COUNTED(HD_META_PCS, "pcs", pcs, pc_count,
		.doc = "all its instructions, ascending; each instruction is in one interval"),
	OTHER(HD_META_REGISTERS, "working_set", working_set,
	      .doc = "registers to prefetch, the set bits of the PREFETCH bit-vector; none: no PREFETCH"),
	OTHER(HD_META_REGISTERS, "live_in", live_in,
	      .doc = "registers of the working set that the warp may still read, including waiting lanes; the others "
		     "only need space"),
};
static const struct hd_meta_record interval_record = {
	.name = "interval",
	.doc = "a register-interval or a strand (LTRF): control enters at its entry only",
	.open = HD_META_OPEN,
	RECORD_ROWS(interval_fields)};
#undef SELF

/* ------------------------------------------------------------------ preemption */

#define SELF struct hd_meta_pattern
static const struct hd_meta_field pattern_fields[] = {
	INTEGER("register", reg, 0, 254, .form = "register", .doc = "register of the pattern"),
	CHOICE("pattern", strided, NAMES("uniform", "strided"), .doc = "one value, or a constant stride"),
	INTEGER("stride", stride, INT32_MIN, INT32_MAX, NULL_UNLESS(stride_known),
		.doc = "from one thread to the next; null: unknown, may be 0"),
	INTEGER("dimensions", dimensions, 0, 3,
		.doc = "global (through the whole block) in blocks of at most so many dimensions; 0: never, and at pp"),
};
static const struct hd_meta_record pattern_record = {
	.name = "pattern",
	.doc = "a value pattern inside a pattern analysing group (Lin 2.3.3): min(warp width, x dimension of the "
	       "block) neighbouring threads. It holds where that x dimension is a multiple of the warp width or a "
	       "divisor of "
	       "it, for the threads that need the register: those for which it is live where they are or wait",
	RECORD_ROWS(pattern_fields)};
#undef SELF

#define MASK .pattern = "^0x[0-3][0-9a-f]{13}$"
#define SELF struct hd_meta_point
static const struct hd_meta_field point_fields[] = {
	COUNT("pc", pc, .doc = "pp: the boundary before this instruction; bar.pp: this barrier"),
	CHOICE("kind", kind, NAMES("pp", "bar.pp"), .doc = "bar.pp: in place of a barrier"),
	INTEGER("loop_pc", loop_pc, 0, UINT32_MAX, NULL_AT(UINT32_MAX),
		.doc = "header of the loop that it cuts; null: none"),
	OTHER(HD_META_REGISTERS, "live", live.regs, .doc = "live registers of a warp that has not diverged"),
	OTHER(HD_META_REGISTERS, "live_divergent", live_divergent.regs,
	      .doc = "live registers of a warp that has: those of waiting lanes added, wherever one may wait that made "
		     "way for another path"),
	OTHER(HD_META_PREDICATES, "predicates", live.preds, .doc = "live predicates, not diverged"),
	OTHER(HD_META_PREDICATES, "predicates_divergent", live_divergent.preds, .doc = "live predicates, diverged"),
	OTHER(HD_META_MASK, "mask", mask, MASK,
	      .doc = "operand of pp or bar.pp: bits 0..52 are R0..R52, bit 53 all higher registers"),
	OTHER(HD_META_MASK, "mask_divergent", mask_divergent, MASK, .doc = "operand of the dummy instruction after pp"),
	COUNTED(HD_META_LIST, "patterns", patterns, pattern_count, .record = &pattern_record,
		.doc = "registers of live_divergent with a proven pattern; the rest is random"),
};
static const struct hd_meta_record point_record = {.name = "preemption_point",
						   .doc = "a preemption point (Lin 2.4.1)",
						   RECORD_ROWS(point_fields)};
#undef SELF

#define SELF struct hd_meta_switch
static const struct hd_meta_field switch_fields[] = {
	COUNT("pc", pc, .doc = "the boundary before this instruction"),
	CHOICE("kind", kind, NAMES("load", "barrier"),
	       .doc = "load: the first instruction that reads or overwrites a globally loaded register; barrier: warps "
		      "wait at it"),
	OTHER(HD_META_REGISTERS, "live", live.regs, .doc = "live registers of a warp that has not diverged"),
	OTHER(HD_META_REGISTERS, "live_divergent", live_divergent.regs,
	      .doc = "live registers of a diverged warp, including those of waiting lanes"),
	OTHER(HD_META_PREDICATES, "predicates", live.preds, .doc = "live predicates, not diverged"),
	OTHER(HD_META_PREDICATES, "predicates_divergent", live_divergent.preds, .doc = "live predicates, diverged"),
	OTHER(HD_META_REGISTERS, "loading", loading.regs,
	      .doc = "registers with loads in flight: saved whole, live or not"),
	COUNTED(HD_META_LIST, "patterns", patterns, pattern_count, .record = &pattern_record,
		.doc = "other registers of live_divergent with a proven pattern; the rest is random"),
	COUNT("bytes", bytes,
	      .doc = "of live_divergent and loading, in groups of 32 threads: 4 uniform, 8 strided, 128 random"),
};
static const struct hd_meta_record switch_record = {.name = "switch_point",
						    .doc = "a switch point (Lin 3.6.6)",
						    RECORD_ROWS(switch_fields)};
#undef SELF

#define SELF struct hd_meta_barrier
static const struct hd_meta_field barrier_fields[] = {
	COUNT("pc", pc, .doc = "the barrier"),
	OTHER(HD_META_REGISTERS, "live", live.regs, .doc = "live registers"),
	OTHER(HD_META_PREDICATES, "predicates", live.preds, .doc = "live predicates"),
};
static const struct hd_meta_record barrier_record = {.name = "barrier",
						     .doc = "a barrier, with the registers that waiting warps need",
						     RECORD_ROWS(barrier_fields)};
#undef SELF

/* ------------------------------------------------------------------ reuse, idempotence */

#define SELF struct hd_meta_reuse
static const struct hd_meta_field reuse_fields[] = {
#define HD_META_REUSE FIGURE
#include "heddle/metadata.def"
	OTHER(HD_META_NUMBERS, "histogram", histogram, .length = HD_REUSE_BUCKETS,
	      .doc = "near and far operands by distance: 1, 2, 3-4, 5-8, 9-16, 17-32, 33-64, more"),
	COUNTED(HD_META_DIGITS, "tags", tags, tag_count, .length = 1, .digits = "0123456789abcdef",
		.pattern = "^[0-9a-f]*$",
		.doc = "a digit for each instruction: 1 dst, 2 a, 4 b and 8 c is near, added up"),
	COUNTED(HD_META_DIGITS, "exact", exact, tag_count, .length = 4, .digits = HD_REUSE_DIGITS,
		.pattern = "^[-0-9a-z]*$",
		.doc = "what is certain, four digits for each instruction, of dst, a, b and c: 1 to 9 and a (10) to z "
		       "(35) "
		       "the distance, 0 never read again, - no claim"),
};
const struct hd_meta_record hd_meta_reuse_record = {.name = "reuse",
						    .doc = "Malekeh's register reuse distances",
						    RECORD_ROWS(reuse_fields)};
#undef SELF

#define SELF struct hd_meta_place
static const struct hd_meta_field place_fields[] = {
	TEXT("function", function, .form = "name", .doc = "its symbol"),
	COUNT("pc", pc, .doc = "in that function"),
	SOURCE,
};
static const struct hd_meta_record place_record = {.name = "place",
						   .doc = "an instruction of the program",
						   RECORD_ROWS(place_fields)};
#undef SELF

#define SELF struct hd_meta_idempotence
static const struct hd_meta_field idempotence_fields[] = {
	OTHER(HD_META_IS_NONE, "idempotent", why, .doc = "true: the block can be restarted"),
	CHOICE("why", why, NAMES("store", "atomic", "volatile", "call", "service", "clock"), NULL_AT(HD_BREAK_NONE),
	       .doc = "the cause that prevents it; null: none"),
	OTHER(HD_META_RECORD, "at", at, .null = HD_META_NULL_POINTER, .record = &place_record,
	      .doc = "the instruction that prevents it, here or in a called function"),
	OTHER(HD_META_RECORD, "read", read, .null = HD_META_NULL_POINTER, .record = &place_record,
	      .doc = "a load of memory that the store may overwrite; null for other causes"),
};
static const char *idempotence_broken(const json_t *object, const void *record, const char **expected)
{
	const struct hd_meta_idempotence *facts = record;
	bool can = object ? json_is_true(json_object_get(object, "idempotent")) : facts->why == HD_BREAK_NONE;
	*expected = can ? "null, as idempotent is true" : "what breaks idempotence";
	return can == (facts->why == HD_BREAK_NONE) ? NULL : "why";
}
static const struct hd_meta_record idempotence_record = {
	.name = "idempotence",
	.doc = "whether a thread block can be restarted from its start with the same memory contents",
	.broken = idempotence_broken,
	RECORD_ROWS(idempotence_fields)};
#undef SELF

/* ------------------------------------------------------------------ linear values */

#define VECTOR OTHER(HD_META_TEXTS, "vector", vector, .length = HD_META_VECTOR, .form = "vector")

#define SELF struct hd_meta_linear_register
static const struct hd_meta_field linear_register_fields[] = {
	VECTOR,
	INTEGER("thread_part", thread_part, 0, 15, NULL_AT(-1),
		.doc = "the thread-index register, shared by linear registers with equal thread parts; null: no tid in "
		       "the vector"),
	INTEGER("bits", bits, 32, 64, .multiple = 32, .doc = "its width"),
	COUNT("uses", uses, .doc = "operands that read it"),
};
static const struct hd_meta_record linear_register_record = {.name = "linear_register",
							     .doc = "a linear register (R2D2 3.1.4)",
							     RECORD_ROWS(linear_register_fields)};
#undef SELF

#define SELF struct hd_meta_iterations
static const struct hd_meta_field iterations_fields[] = {TEXT("symbol", symbol, .form = "name"),
							 TEXT("most", most, .form = "polynomial")};
static const struct hd_meta_record iterations_record = {.name = "iterations",
							.doc = "a loop",
							RECORD_ROWS(iterations_fields)};
#undef SELF

#define SELF struct hd_meta_condition
static const struct hd_meta_field condition_fields[] = {
	VECTOR,
	INTEGER("low", low, INT64_MIN, INT64_MAX, .doc = "lower bound"),
	INTEGER("high", high, INT64_MIN, INT64_MAX, .doc = "upper bound"),
	COUNTED(HD_META_LIST, "iterations", iterations, iteration_count, .record = &iterations_record,
		.doc = "maximum back edges of the loops whose iterations are in the vector"),
};
static const struct hd_meta_record condition_record = {
	.name = "linear_condition",
	.doc = "low <= vector <= high over the integers, for all threads of a launch and all iterations",
	RECORD_ROWS(condition_fields)};
#undef SELF

#define SELF struct hd_meta_access
_Static_assert(offsetof(SELF, sectors_most) == offsetof(SELF, sectors_least) + sizeof(uint32_t), "two bounds");
_Static_assert(offsetof(SELF, conflicts_most) == offsetof(SELF, conflicts_least) + sizeof(uint32_t), "two bounds");
#define KNOWN_NUMBERS(key_, member, length_, ...) \
	OTHER(HD_META_NUMBERS, key_, member, .length = length_, .least = 1, .null = HD_META_NULL_ZERO, __VA_ARGS__)
static const struct hd_meta_field access_fields[] = {
	COUNT("pc", pc, .doc = "the access"),
	CHOICE("kind", kind, NAMES("load", "store", "atomic"), .doc = "kind of access"),
	CHOICE("space", space, NAMES("global", "shared", "generic"),
	       .doc = "memory space; generic: unknown and unproven"),
	INTEGER("bytes", bytes, 1, 16, .doc = "of a lane"),
	TEXT("address", address, .null = HD_META_NULL_POINTER, .doc = "the coefficient vector of the address"),
	CHOICE("assumes", assumes, NAMES("nothing", "block", "whole_rows"),
	       .doc = "block: the blocks are of the size `block`; whole_rows: the x dimension of the blocks is a "
		      "multiple of "
		      "32"),
	KNOWN_NUMBERS("block", block, 3, .doc = "threads per block, x, y, z; null unless `assumes` is block"),
	TEXT("lane_stride", lane_stride, .null = HD_META_NULL_POINTER,
	     .doc = "bytes from one lane to the next, a polynomial"),
	INTEGER("stride", stride, INT64_MIN, INT64_MAX, NULL_UNLESS(stride_known), .doc = "lane stride as a number"),
	COUNT("alignment", alignment,
	      .doc = "of the first lane's address, where pointer parameters have that of cudaMalloc, 256"),
	KNOWN_NUMBERS("sectors_per_request", sectors_least, 2,
		      .doc = "global: fewest and most 32-byte sectors of a request"),
	KNOWN_NUMBERS(
		"bank_conflict_degree", conflicts_least, 2,
		.doc = "shared: fewest and most accesses of the busiest bank, 1 without conflicts; 8-byte accesses "
		       "in half-warps, 16-byte ones in quarter-warps"),
	INTEGER("row_step", row_step, INT32_MIN, INT32_MAX, NULL_AT(0),
		.doc = "shared: bytes by which the rows of the array would have to be longer for its conflicts to be "
		       "gone, negative: shorter"),
	SOURCE,
};
static const struct hd_meta_record access_record = {.name = "access",
						    .doc = "a global, shared or generic access as warps with all lanes "
							   "active execute it; null where nothing is proven",
						    RECORD_ROWS(access_fields)};
#undef SELF

#define SELF struct hd_meta_branch
static const struct hd_meta_field branch_fields[] = {
	COUNT("pc", pc, .doc = "the branch"),
	CHOICE("class", class, NAMES("grid", "block", "warp", "affine", "divergent"), .doc = "as in `classes`"),
	FLAG("iterates", iterates, .doc = "class holds for threads in the same iteration of the enclosing loops"),
	SOURCE,
};
static const struct hd_meta_record branch_record = {
	.name = "branch_class",
	.doc = "a conditional branch of the original code, with the uniformity of its condition",
	RECORD_ROWS(branch_fields)};
#undef SELF

struct class_counts {
	uint32_t of[HD_CLASSES];
};
#define SELF struct class_counts
static const struct hd_meta_field classes_fields[] = {
	COUNT("grid", of[HD_CLASS_GRID], .doc = "all threads"),
	COUNT("block", of[HD_CLASS_BLOCK], .doc = "the threads of a block"),
	COUNT("warp", of[HD_CLASS_WARP], .doc = "the lanes of a warp that execute it together"),
	COUNT("affine", of[HD_CLASS_AFFINE],
	      .doc = "different in each lane, but linear in the thread index or a comparison of such values"),
	COUNT("divergent", of[HD_CLASS_DIVERGENT], .doc = "none of these"),
};
static const struct hd_meta_record classes_record = {
	.name = "classes",
	.doc = "number of values or branches by uniformity: threads with equal values",
	RECORD_ROWS(classes_fields)};
#undef SELF

#define SELF struct hd_meta_affine
static const struct hd_meta_field affine_fields[] = {
	COUNTED(HD_META_LIST, "linear_registers", registers, register_count, .record = &linear_register_record,
		.beside = true, .doc = "linear registers found by the analysis, most valuable first (R2D2 3.1)"),
#define HD_META_AFFINE FIGURE
#include "heddle/metadata.def"
	OTHER(HD_META_RECORD, "value_classes", value_classes, .record = &classes_record,
	      .doc = "IR instructions with a result"),
	OTHER(HD_META_RECORD, "branch_classes", branch_classes, .record = &classes_record,
	      .doc = "conditional branches of the IR"),
	COUNTED(HD_META_LIST, "branches", branches, branch_count, .record = &branch_record,
		.doc = "conditional branches in order of pc"),
	COUNTED(HD_META_TEXT_LIST, "coefficients", scalars, scalar_count, .form = "polynomial",
		.doc = "polynomials in coefficient registers that operands read"),
	COUNTED(HD_META_LIST, "conditions", conditions, condition_count, .record = &condition_record,
		.doc = "conditions for a launch to run the linear version"),
	COUNTED(HD_META_LIST, "accesses", accesses, access_count, .record = &access_record,
		.doc = "the coalescing report: global, shared and generic accesses in order of pc"),
};
const struct hd_meta_record hd_meta_affine_record = {
	.name = "affine",
	.doc = "linear values of a kernel (R2D2 3.1): polynomials are text over launch constants, such as P5+4*P1 or "
	       "smin32(P2,64)",
	RECORD_ROWS(affine_fields)};
#undef SELF

#define SELF struct hd_meta_linear_version
static const struct hd_meta_field linear_version_fields[] = {
#define HD_META_LINEAR FIGURE
#include "heddle/metadata.def"
	COUNTED(HD_META_LIST, "calls", calls, call_count, .record = &call_record,
		.doc = "call sites of the main stream in order of pc"),
	COUNTED(HD_META_LIST, "intervals", intervals, interval_count, .record = &interval_record,
		.doc = "register-intervals of the main stream (LTRF)"),
	COUNTED(HD_META_PCS, "divergent_pcs", divergent_pcs, divergent_pc_count,
		.doc = "divergent branches of the main stream, ascending"),
	COUNTED(HD_META_DIGITS, "dead_operands", dead_operands, dead_operand_count, .length = 1, .digits = "01234567",
		.pattern = "^[0-7]*$", .may_be_empty = true,
		.doc = "dead operands as for the function (LTRF+); 0 in the streams"),
	COUNTED(HD_META_LIST, "preemption_points", points, point_count, .record = &point_record,
		.doc = "places in the main stream where the kernel may be preempted (Lin)"),
	COUNTED(HD_META_LIST, "barriers", barriers, barrier_count, .record = &barrier_record,
		.doc = "barriers of the main stream, points or not"),
	OTHER(HD_META_OPTIONAL, "reuse", reuse, .record = &hd_meta_reuse_record),
};
const struct hd_meta_record hd_meta_linear_version_record = {
	.name = "linear_version",
	.doc = "the linear version of a kernel (R2D2 3.2); absent where there is none. Each pc is counted from the "
	       "start of "
	       "its body: the streams, then the main stream",
	RECORD_ROWS(linear_version_fields)};
#undef SELF

/* ------------------------------------------------------------------ functions, the document */

#define SELF struct hd_meta_function
static const struct hd_meta_group function_groups[] = {
#define HD_META_GROUP(name, doc) {name, doc},
#include "heddle/metadata.def"
	{0},
};
static const struct hd_meta_field function_fields[] = {
	TEXT("name", name, .form = "name", .doc = "symbol name"),
	TEXT("demangled", demangled, .form = "name",
	     .doc = "source name with parameter list; the symbol if it is not mangled"),
	SOURCE,
#define HD_META_FUNCTION FIGURE
#include "heddle/metadata.def"
	OTHER(HD_META_NUMBERS, "reqntid", reqntid, .group = "launch_bounds", .length = 3,
	      .doc = "required block size x, y, z"),
	OTHER(HD_META_NUMBERS, "cluster", cluster, .group = "launch_bounds", .length = 3,
	      .doc = "blocks of a cluster x, y, z (__cluster_dims__)"),
	COUNTED(HD_META_TEXT_LIST, "high_watermark_chain", high_watermark_chain, chain_count, .group = "stackdepth",
		.form = "name", .doc = "functions of the deepest chain, from this one down"),
	COUNTED(HD_META_LIST, "saves", saves, save_count, .group = "stackdepth", .record = &save_record,
		.doc = "saves and restores of callee-saved registers, in order of pc"),
	COUNTED(HD_META_LIST, "params", params, param_count, .record = &param_record, .at_launch = true,
		.doc = "kernel parameters in order"),
	COUNTED(HD_META_LIST, "calls", calls, call_count, .record = &call_record, .at_launch = true,
		.doc = "call sites in order of pc"),
	COUNTED(HD_META_LIST, "launches", launches, launch_count, .record = &launch_record, .at_launch = true,
		.doc = "launch sites found in the host code"),
	COUNTED(HD_META_LIST, "intervals", intervals, interval_count, .record = &interval_record,
		.count_key = "interval_count", .doc = "register-intervals (LTRF, Algorithms 1 and 2)"),
	COUNTED(HD_META_LIST, "strands", strands, strand_count, .group = "ltrf", .record = &interval_record,
		.count_key = "strand_count", .doc = "strands"),
	COUNTED(HD_META_PCS, "divergent_pcs", divergent_pcs, divergent_pc_count, .group = "liveness",
		.doc = "divergent branches, ascending: places where lanes begin to wait for others on another path"),
	COUNTED(HD_META_DIGITS, "dead_operands", dead_operands, dead_operand_count, .group = "liveness", .length = 1,
		.digits = "01234567", .pattern = "^[0-7]*$", .may_be_empty = true,
		.doc = "dead operands, one digit per instruction: sum of 1 for a, 2 for b, 4 for c; empty if unknown"),
	COUNTED(HD_META_LIST, "preemption_points", points, point_count, .record = &point_record,
		.doc = "places where the kernel may be preempted (Lin)"),
	COUNTED(HD_META_LIST, "barriers", barriers, barrier_count, .group = "preempt", .record = &barrier_record,
		.doc = "barriers at which warps wait, points or not, in order of pc"),
	COUNTED(HD_META_LIST, "switch_points", switches, switch_count, .record = &switch_record,
		.doc = "places where a warp may stall for long: first uses of globally loaded values, and barriers "
		       "(Lin)"),
	OTHER(HD_META_OPTIONAL, "reuse", reuse, .record = &hd_meta_reuse_record),
	OTHER(HD_META_OPTIONAL, "idempotence", idempotence, .record = &idempotence_record),
	OTHER(HD_META_OPTIONAL, "affine", affine, .record = &hd_meta_affine_record),
	OTHER(HD_META_OPTIONAL, "linear_version", linear_version, .record = &hd_meta_linear_version_record),
};
const struct hd_meta_record hd_meta_function_record = {
	.name = "function",
	.doc = "a kernel or device function; each analysis adds an object under its name",
	.groups = function_groups,
	.open = HD_META_OPEN_OBJECTS,
	RECORD_ROWS(function_fields)};
#undef SELF

/* Its version comes before these, its functions after them: kernels and device functions apart. */
#define SELF struct hd_metadata
static const struct hd_meta_field document_fields[] = {
	TEXT("producer", producer, .doc = "tool and LLVM version"),
	TEXT("module", module, .doc = "source file or module name"),
	TEXT("target", target, .doc = "GPU architecture, such as sm_70"),
	TEXT("flags", flags, .doc = "pass parameters in canonical order"),
	CHOICE("mode", mode, NAMES("whole-program", "relocatable"), .doc = "whole-program: the call graph is complete"),
};
const struct hd_meta_record hd_meta_document_record = {.name = "document", RECORD_ROWS(document_fields)};
#undef SELF

/* ------------------------------------------------------------------ figures */

uint32_t hd_meta_figure_value(const struct hd_meta_field *figure, const void *record)
{
	const char *member = (const char *)record + figure->at;
	uint32_t number;
	if (figure->type == HD_META_FLAG)
		return *(const bool *)(const void *)member;
	memcpy(&number, member, sizeof(number));
	return number;
}

static const struct hd_meta_field *find_figure(const struct hd_meta_record *record, const char *group, size_t len,
					       const char *key)
{
	for (uint32_t i = 0; i < record->count; i++) {
		const struct hd_meta_field *field = &record->fields[i];
		const char *of = field->group ? field->group : "";
		if (hd_meta_is_figure(field) && strlen(of) == len && memcmp(of, group, len) == 0 &&
		    strcmp(field->key, key) == 0)
			return field;
	}
	return NULL;
}

const struct hd_meta_field *hd_meta_figure_at(const char *path)
{
	const struct hd_meta_record *function = &hd_meta_function_record;
	const char *dot = strchr(path, '.');
	size_t len = dot ? (size_t)(dot - path) : 0;
	const struct hd_meta_field *found = find_figure(function, path, len, dot ? dot + 1 : path);
	for (uint32_t i = 0; i < function->count && !found && dot; i++) {
		const struct hd_meta_field *field = &function->fields[i];
		if (field->type == HD_META_OPTIONAL && strlen(field->key) == len && memcmp(field->key, path, len) == 0)
			found = find_figure(field->record, "", 0, dot + 1);
	}
	return found;
}

/* ------------------------------------------------------------------ states */

static const struct {
	const char *metric;
	enum hd_meta_state state;
	const char *path;
} states[] = {
#define HD_META_STATE(metric, state, path) {#metric, HD_META_##state, path},
#include "heddle/metadata.def"
};

/* The number of a plain figure of the function itself, which is where states have theirs. */
static uint32_t figure_of(const struct hd_meta_function *function, const char *path)
{
	const struct hd_meta_field *figure = hd_meta_figure_at(path);
	return figure ? hd_meta_figure_value(figure, function) : 0;
}

enum hd_meta_state hd_meta_state_of(const struct hd_meta_function *function, const char *metric, uint32_t *places)
{
	enum hd_meta_state worst = HD_META_IS_NUMBER;
	*places = 0;
	for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (strcmp(states[i].metric, metric) != 0 || states[i].state < worst)
			continue;
		bool inverse = states[i].path[0] == '!';
		uint32_t number = figure_of(function, states[i].path + inverse);
		number = inverse ? !number : number;
		if (!number)
			continue;
		*places = (states[i].state == worst ? *places : 0) + number;
		worst = states[i].state;
	}
	return worst;
}

const char *hd_meta_state_text(enum hd_meta_state state, uint32_t places, char *text, size_t size)
{
	static const char *const words[] = {"", "unproven", "unbounded"};
	snprintf(text, size, state == HD_META_UNPROVEN ? "%s at %u place%s" : "%s", words[state], places,
		 places == 1 ? "" : "s");
	return text;
}
