/*
 * LINK: passes
 * Linear versions of kernels from IR to their execution: results, fallbacks, what --verify finds, the register need.
 */
#include "harness.h"
#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <inttypes.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include "heddle/sim.h"
#include "passes/pass.h"
#include "runtime/sim/sim_private.h"

#define DECLARATIONS                                       \
	"target triple = \"nvptx64-nvidia-cuda\"\n"        \
	"declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"   \
	"declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n"   \
	"declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" \
	"declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()\n" \
	"declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"  \
	"!nvvm.annotations = !{!0}\n"                      \
	"!0 = !{ptr @k, !\"kernel\", i32 1}\n"
#define INDEX                                                  \
	"  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"   \
	"  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n" \
	"  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"  \
	"  %m = mul i32 %c, %d\n"                              \
	"  %i = add i32 %m, %t\n"

/* a[i] += 3 * a[i + n] */
static const char sum[] =
	DECLARATIONS "define void @k(ptr addrspace(1) %a, i32 %n) {\n" INDEX "  %w = sext i32 %i to i64\n"
		     "  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %w\n"
		     "  %nw = sext i32 %n to i64\n"
		     "  %pb = getelementptr i32, ptr addrspace(1) %pa, i64 %nw\n"
		     "  %x = load i32, ptr addrspace(1) %pa\n"
		     "  %y = load i32, ptr addrspace(1) %pb\n"
		     "  %y3 = mul i32 %y, 3\n"
		     "  %z = add i32 %x, %y3\n"
		     "  store i32 %z, ptr addrspace(1) %pa\n"
		     "  ret void\n}\n";

/* A column sum with a loop whose address grows by a parameter, and a store of a linear value. */
static const char column[] =
	DECLARATIONS "define void @k(ptr addrspace(1) %a, i32 %n) {\nentry:\n" INDEX "  br label %loop\n"
		     "loop:\n"
		     "  %r = phi i32 [ 0, %entry ], [ %r1, %loop ]\n"
		     "  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]\n"
		     "  %row = mul nsw i32 %r, %n\n"
		     "  %at = add nsw i32 %row, %i\n"
		     "  %w = sext i32 %at to i64\n"
		     "  %p = getelementptr i32, ptr addrspace(1) %a, i64 %w\n"
		     "  %x = load i32, ptr addrspace(1) %p\n"
		     "  %s1 = add i32 %s, %x\n"
		     "  %r1 = add nsw i32 %r, 1\n"
		     "  %go = icmp slt i32 %r1, 5\n"
		     "  br i1 %go, label %loop, label %done\n"
		     "done:\n"
		     "  %v = add i32 %s1, %i\n"
		     "  %ow = sext i32 %i to i64\n"
		     "  %o = getelementptr i32, ptr addrspace(1) %a, i64 %ow\n"
		     "  store i32 %v, ptr addrspace(1) %o\n"
		     "  ret void\n}\n";

/* The index wraps around 2^32 for a large n: a condition of the launch. */
static const char wraps[] =
	DECLARATIONS "define void @k(ptr addrspace(1) %a, i32 %n) {\n" INDEX "  %j = mul i32 %i, %n\n"
		     "  %w = sext i32 %j to i64\n"
		     "  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %w\n"
		     "  %x = load i32, ptr addrspace(1) %pa\n"
		     "  %z = add i32 %x, 1\n"
		     "  store i32 %z, ptr addrspace(1) %pa\n"
		     "  ret void\n}\n";

/* Different linear values from the two sides of a branch. */
static const char sides[] =
	DECLARATIONS "define void @k(ptr addrspace(1) %a, i32 %n) {\nentry:\n" INDEX "  %w = sext i32 %i to i64\n"
		     "  %odd = and i32 %t, 1\n"
		     "  %is = icmp eq i32 %odd, 0\n"
		     "  br i1 %is, label %left, label %right\n"
		     "left:\n"
		     "  %pl = getelementptr i32, ptr addrspace(1) %a, i64 %w\n"
		     "  %xl = load volatile i32, ptr addrspace(1) %pl\n"
		     "  br label %join\n"
		     "right:\n"
		     "  %nw = sext i32 %n to i64\n"
		     "  %w2 = add nsw i64 %w, %nw\n"
		     "  %pr = getelementptr i32, ptr addrspace(1) %a, i64 %w2\n"
		     "  br label %join\n"
		     "join:\n"
		     "  %p = phi ptr addrspace(1) [ %pl, %left ], [ %pr, %right ]\n"
		     "  %x = load i32, ptr addrspace(1) %p\n"
		     "  %z = add i32 %x, 7\n"
		     "  store i32 %z, ptr addrspace(1) %p\n"
		     "  ret void\n}\n";

/* A call of a function of the program with a loaded value. */
static const char call[] =
	DECLARATIONS "define internal i32 @f(i32 %x) noinline {\n  %y = mul i32 %x, %x\n  ret i32 %y\n}\n"
		     "define void @k(ptr addrspace(1) %a, i32 %n) {\n" INDEX "  %w = sext i32 %i to i64\n"
		     "  %pa = getelementptr i32, ptr addrspace(1) %a, i64 %w\n"
		     "  %x = load i32, ptr addrspace(1) %pa\n"
		     "  %y = call i32 @f(i32 %x)\n"
		     "  store i32 %y, ptr addrspace(1) %pa\n"
		     "  ret void\n}\n";

/* a[i] + a[2 * i] + ... + a[12 * i]: a linear register for each factor, of an index in the block and one in the grid */
#define TERM(k, before)                                                   \
	"  %m" #k " = mul i32 %i, " #k "\n"                               \
	"  %w" #k " = sext i32 %m" #k " to i64\n"                         \
	"  %p" #k " = getelementptr i32, ptr addrspace(1) %a, i64 %w" #k "\n" \
	"  %x" #k " = load i32, ptr addrspace(1) %p" #k "\n"              \
	"  %s" #k " = add i32 %x" #k ", " before "\n"
static const char factors[] = DECLARATIONS "define void @k(ptr addrspace(1) %a, i32 %n) {\n" INDEX TERM(1, "0")
	TERM(2, "%s1") TERM(3, "%s2") TERM(4, "%s3") TERM(5, "%s4") TERM(6, "%s5") TERM(7, "%s6") TERM(8, "%s7")
		TERM(9, "%s8") TERM(10, "%s9") TERM(11, "%s10")
			TERM(12, "%s11") "  %o = getelementptr i32, ptr addrspace(1) %p1, i64 3000\n"
					 "  store i32 %s12, ptr addrspace(1) %o\n"
					 "  ret void\n}\n";

#define ALWAYS "r2d2-functional:always" /* also where the grid is small */
#define IN_TIME "r2d2:always"
enum { WORDS = 4096, CTAS = 3, THREADS = 80, STRIDE = 256 };

struct rig {
	LLVMContextRef context;
	LLVMModuleRef module;
	struct hd_diag diag;
	struct hd_unit unit;
	char message[1024];
	uint32_t data[WORDS];
	uint32_t x, y; /* of a block; 0: THREADS in a row */
	struct hd_counters counters;
	char fault[1024];
};

static void keep(void *context, enum hd_severity severity, struct hd_loc loc, const char *text)
{
	struct rig *rig = context;
	(void)severity, (void)loc;
	snprintf(rig->message, sizeof rig->message, "%s", text);
}

static void compile(struct rig *rig, const char *ir)
{
	char *message = NULL;
	memset(rig, 0, sizeof *rig);
	rig->context = LLVMContextCreate();
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(ir, strlen(ir), "test");
	ck_assert_msg(!LLVMParseIRInContext(rig->context, buffer, &rig->module, &message), "%s", message);
	rig->diag = (struct hd_diag){.emit = keep, .context = rig};
	hd_unit_init(&rig->unit, rig->module, &rig->diag);
	ck_assert_int_eq(hd_options_parse(&rig->unit, "check=1;linear=always"), 0);
	ck_assert_msg(!hd_pass_require(&rig->unit, HD_PASS_METADATA), "%s", rig->message);
	rig->unit.object.metadata = rig->unit.metadata;
	ck_assert_uint_eq(rig->unit.object.linear_count, 1);
}

static void release(struct rig *rig)
{
	hd_unit_release(&rig->unit);
	LLVMDisposeModule(rig->module);
	LLVMContextDispose(rig->context);
}

static int run(struct rig *rig, const char *policy, uint32_t n)
{
	struct {
		uint64_t address;
		uint32_t n;
	} params = {.n = n};
	struct hd_config config;
	struct hd_sim *sim;
	struct hd_module *module;
	uint8_t *bytes;
	size_t size;
	hd_config_defaults(&config);
	config.sm_count = 2;
	struct hd_sim_options options = {.config = &config, .policy = policy, .verify = true, .diag = &rig->diag};
	ck_assert_msg(!hd_sim_new(&options, &sim), "%s", rig->message);
	ck_assert_msg(!hd_object_write(&rig->unit.object, &bytes, &size, &rig->diag), "%s", rig->message);
	ck_assert_msg(!hd_sim_load(sim, bytes, size, "test", &module), "%s", rig->message);
	free(bytes);
	for (uint32_t i = 0; i < WORDS; i++)
		rig->data[i] = i * i;
	ck_assert_int_eq(hd_sim_malloc(sim, sizeof rig->data, &params.address), 0);
	hd_sim_write(sim, params.address, rig->data, sizeof rig->data);
	struct hd_launch launch = {.kernel = hd_sim_kernel(module, "k"),
				   .grid = {CTAS, 1, 1},
				   .block = {rig->x ? rig->x : THREADS, rig->x ? rig->y : 1, 1},
				   .params = &params,
				   .param_bytes = 12};
	int error = hd_sim_launch(sim, &launch);
	snprintf(rig->fault, sizeof rig->fault, "%s", error ? hd_sim_error_text(sim) : "");
	rig->counters = hd_sim_launch_stats(sim, 0)->stats.counters;
	hd_sim_read(sim, params.address, rig->data, sizeof rig->data);
	hd_sim_free(sim);
	return error;
}

/* The linear version leaves what the original code leaves and --verify agrees; `shorter`: in fewer instructions. */
static void expect_same(const char *ir, uint32_t n, bool shorter)
{
	struct rig rig;
	uint32_t original[WORDS];
	compile(&rig, ir);
	ck_assert_msg(!run(&rig, "baseline", n), "%s", rig.fault);
	uint64_t instructions = rig.counters.warp_instructions;
	ck_assert_uint_eq(rig.counters.linear_launches, 0);
	memcpy(original, rig.data, sizeof original);
	ck_assert_msg(!run(&rig, ALWAYS, n), "%s", rig.fault);
	ck_assert_int_eq(memcmp(original, rig.data, sizeof original), 0);
	ck_assert_uint_eq(rig.counters.linear_launches, 1);
	if (shorter)
		ck_assert_uint_lt(rig.counters.warp_instructions, instructions);
	instructions = rig.counters.warp_instructions;
	ck_assert_msg(!run(&rig, IN_TIME, n), "%s", rig.fault);
	ck_assert_int_eq(memcmp(original, rig.data, sizeof original), 0);
	ck_assert_uint_eq(rig.counters.warp_instructions - rig.counters.stream_instructions, instructions);
	release(&rig);
}

START_TEST(results_are_those_of_the_original)
{
	expect_same(sum, STRIDE, true);
	expect_same(column, STRIDE, false);
	expect_same(sides, STRIDE, true);
	expect_same(wraps, 8, true);
}
END_TEST

/* The streams run once an SM, once an SM and warp of the block shape, once a block. */
START_TEST(streams_are_counted)
{
	struct rig rig;
	compile(&rig, sum);
	const struct hd_linear *linear = &rig.unit.object.linears[0];
	uint32_t length[HD_STREAM_MAIN];
	for (unsigned i = 0; i < HD_STREAM_MAIN; i++)
		length[i] = linear->start[i + 1] - linear->start[i];
	ck_assert_msg(!run(&rig, ALWAYS, STRIDE), "%s", rig.fault);
	ck_assert_uint_eq(rig.counters.linear_coefficient_instructions, 2 * length[HD_STREAM_COEFFICIENT]);
	ck_assert_uint_eq(rig.counters.linear_thread_instructions, 2 * 3 * length[HD_STREAM_THREAD]);
	ck_assert_uint_eq(rig.counters.linear_block_instructions, CTAS * length[HD_STREAM_BLOCK]);
	release(&rig);
}
END_TEST

/* Lanes that an instruction reads of linear registers in rows of which it does not read all, by 4.2: of a block's part
 * two, of a coefficient two, and so of each of the sixteen from it on. Sixteen fill a row, which is then read whole. */
static uint64_t lanes_read(const struct hd_linear *linear, const struct hd_inst *inst)
{
	const uint8_t fields[] = {inst->dst, inst->a, inst->b, inst->c};
	enum hd_lr_kind kind = hd_lr_kind(inst->linear);
	uint32_t first = fields[hd_lr_slot(inst->linear)], end = first + 1;
	uint64_t lanes = kind == HD_LR_OFFSET || kind == HD_LR_SUM ? 2 : 0;
	if (kind == HD_LR_COEFFICIENT && hd_lr_reg(inst->linear))
		end = first + HD_LR_COUNT;
	if (kind != HD_LR_SUM && kind != HD_LR_COEFFICIENT)
		return lanes;
	for (uint32_t row = 0; row * HD_LR_COUNT < linear->coefficients; row++) {
		uint64_t of_row = 0;
		for (uint32_t i = first; i < end && i < linear->coefficients; i++)
			of_row += i / HD_LR_COUNT == row ? 2 : 0;
		lanes += of_row < HD_WARP_LANES ? of_row : 0;
	}
	return lanes;
}

/* The same in time: with 3 blocks of 80 threads on 2 SMs, coefficients by one lane, thread-index parts by all of each
 * warp, block-index parts by sixteen lanes of one. They are accesses of banks, and take time. */
static void expect_streams(const char *ir, uint32_t coefficients)
{
	struct rig rig;
	compile(&rig, ir);
	const struct hd_linear *linear = &rig.unit.object.linears[0];
	ck_assert_uint_eq(linear->coefficients, coefficients);
	uint64_t length[HD_STREAM_MAIN];
	for (unsigned i = 0; i < HD_STREAM_MAIN; i++)
		length[i] = linear->start[i + 1] - linear->start[i];
	ck_assert_msg(!run(&rig, ALWAYS, STRIDE), "%s", rig.fault);
	struct hd_counters none = rig.counters;
	ck_assert_msg(!run(&rig, IN_TIME, STRIDE), "%s", rig.fault);
	const struct hd_counters *counters = &rig.counters;
	ck_assert_uint_eq(none.stream_instructions, 0);
	ck_assert_uint_eq(counters->linear_launches, 1);
	ck_assert_uint_eq(counters->linear_coefficient_instructions, 0);
	ck_assert_uint_eq(counters->stream_instructions, 2 * length[HD_STREAM_COEFFICIENT] +
								 2 * 3 * length[HD_STREAM_THREAD] +
								 CTAS * length[HD_STREAM_BLOCK]);
	ck_assert_uint_eq(counters->thread_instructions - none.thread_instructions,
			  2 * length[HD_STREAM_COEFFICIENT] + 2 * 3 * 32 * length[HD_STREAM_THREAD] +
				  CTAS * HD_LR_COUNT * length[HD_STREAM_BLOCK]);
	ck_assert_uint_gt(counters->cycles, none.cycles);
	ck_assert_uint_gt(counters->bank_reads, none.bank_reads);
	/* A coefficient is written by two lanes in each SM, and a block's sixteen parts fill a row; each scheduler has
	 * a copy in its register file. */
	ck_assert_uint_eq(counters->bank_lane_writes, 4 * 2 * 2 * linear->coefficients);
	uint64_t lanes = 0;
	for (uint32_t i = 0; i < linear->body.inst_count; i++) {
		uint64_t times = i < linear->start[HD_STREAM_THREAD]  ? 2
				 : i < linear->start[HD_STREAM_BLOCK] ? 2 * 3
				 : i < linear->start[HD_STREAM_MAIN]  ? CTAS
								      : CTAS * 3;
		lanes += times * lanes_read(linear, &linear->body.insts[i]);
	}
	ck_assert_uint_gt(lanes, 0);
	ck_assert_uint_eq(counters->bank_lane_reads, lanes);
	release(&rig);
}

START_TEST(streams_run_in_time)
{
	expect_streams(sum, 3);
	expect_streams(factors, 12 * 2); /* sixteen of them are a row, and not all */
}
END_TEST

/* a[i] = (n + 1) * y - x, and (n + 1) * x, for thread (x, y) */
#define PRODUCT                                            \
	"  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" \
	"  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()\n" \
	"  %xw = sext i32 %x to i64\n"                       \
	"  %yw = sext i32 %y to i64\n"                       \
	"  %nw = sext i32 %n to i64\n"                       \
	"  %n1 = add i64 %nw, 1\n"
#define STORED                                                            \
	"  %pa = getelementptr i64, ptr addrspace(1) %a, i64 %xw\n"         \
	"  %pb = getelementptr i64, ptr addrspace(1) %pa, i64 %yw\n"        \
	"  store i64 %v, ptr addrspace(1) %pb\n"                            \
	"  ret void\n}\n"
static const char across[] =
	DECLARATIONS "define void @k(ptr addrspace(1) %a, i32 %n) {\n" PRODUCT "  %v = mul i64 %n1, %xw\n" STORED;
static const char down[] =
	DECLARATIONS "define void @k(ptr addrspace(1) %a, i32 %n) {\n" PRODUCT "  %d = mul i64 %n1, %yw\n"
		     "  %v = sub i64 %d, %xw\n" STORED;

/*
 * A thread's part has a row of high words where the value of some lane does not fit 32 bits, be it the last one's or
 * the first's alone. The row is written for each warp of the block's shape in each of two SMs, a copy for each of four
 * schedulers, and read by two instructions of each warp of each block, for the value's low and high word.
 */
static void expect_high_words(const char *ir, uint32_t y, uint32_t fits)
{
	struct rig rig;
	compile(&rig, ir);
	rig.x = 32, rig.y = y;
	ck_assert_msg(!run(&rig, IN_TIME, fits), "%s", rig.fault);
	ck_assert_uint_eq(rig.counters.linear_launches, 1);
	struct hd_counters narrow = rig.counters;
	ck_assert_msg(!run(&rig, IN_TIME, fits + 1), "%s", rig.fault);
	ck_assert_uint_eq(rig.counters.bank_reads - narrow.bank_reads, CTAS * y * 2);
	ck_assert_uint_eq(rig.counters.bank_writes - narrow.bank_writes, 2 * y * 4);
	release(&rig);
}

START_TEST(one_wide_lane_makes_a_part_wide)
{
	/* 31 * 69273666 = 2^31 - 2, and 31 more is beyond; 30 * 69273667 is not. */
	expect_high_words(across, 1, 69273665);
	/* In row 1 lane 0 has 2^31 - 1, then 2^31; lane 1 one less. */
	expect_high_words(down, 2, 0x7ffffffe);
}
END_TEST

START_TEST(failed_condition_runs_the_original_code)
{
	struct rig rig;
	compile(&rig, wraps);
	ck_assert_uint_ge(rig.unit.object.linears[0].check_count, 1);
	/* (3 * 80 - 1) * 2^25 needs more than 31 bits; all threads but the first wrap to addresses outside. */
	ck_assert_int_eq(run(&rig, ALWAYS, 1u << 25), HD_SIM_BAD_ADDRESS);
	ck_assert_uint_eq(rig.counters.linear_check_fallbacks, 1);
	ck_assert_uint_eq(rig.counters.linear_launches, 0);
	ck_assert_msg(!run(&rig, ALWAYS, 8), "%s", rig.fault);
	ck_assert_uint_eq(rig.counters.linear_launches, 1);
	release(&rig);
}
END_TEST

/* Coefficients 20 and thread-index parts 4 * 10 an SM, block-index parts 4 a block; 5 spared a warp: on two SMs n
 * blocks take 120 + 4 * n and spare 20 * n. */
START_TEST(small_grids_run_the_original_code)
{
	struct hd_linear linear = {.start = {0, 20, 30, 34}, .saved = 5000};
	ck_assert(!hd_linear_pays(&linear, 7, 4, 2));
	ck_assert(hd_linear_pays(&linear, 8, 4, 2));
	ck_assert(!hd_linear_pays(&linear, 8, 4, 3));
	ck_assert(!hd_linear_pays(&linear, 1, 4, 80)); /* one SM: 20 + 40 + 4 */
	linear.saved = 1000;			       /* no more than a block's parts */
	ck_assert(!hd_linear_pays(&linear, UINT32_MAX, 4, 2));

	struct rig rig;
	compile(&rig, sum);
	ck_assert_uint_gt(rig.unit.object.linears[0].saved, 0);
	ck_assert_msg(!run(&rig, "r2d2-functional", STRIDE), "%s", rig.fault);
	ck_assert_uint_eq(rig.counters.linear_launches, 0);
	ck_assert_uint_eq(rig.counters.linear_small_fallbacks, 1);
	rig.unit.object.linears[0].saved = 1000000;
	ck_assert_msg(!run(&rig, "r2d2-functional", STRIDE), "%s", rig.fault);
	ck_assert_uint_eq(rig.counters.linear_launches, 1);
	release(&rig);
}
END_TEST

/* The first instruction of a stream with this opcode. */
static struct hd_inst *find(const struct hd_linear *linear, enum hd_stream stream, enum hd_op op)
{
	for (uint32_t i = linear->start[stream]; i < linear->body.inst_count; i++)
		if (linear->body.insts[i].op == op)
			return &linear->body.insts[i];
	ck_abort_msg("no such instruction");
	return NULL;
}

static void expect_caught(struct rig *rig, const char *what)
{
	ck_assert_int_eq(run(rig, ALWAYS, STRIDE), HD_SIM_VERIFY);
	ck_assert_msg(strstr(rig->fault, what) && strstr(rig->fault, "linear version"), "%s", rig->fault);
}

START_TEST(verification_catches_wrong_linear_registers)
{
	struct rig rig;
	compile(&rig, sum);
	struct hd_linear *linear = &rig.unit.object.linears[0];
	struct hd_inst *inst = find(linear, HD_STREAM_THREAD, HD_OP_IMAD_WIDE);
	ck_assert_uint_eq(inst->x, 4); /* 4 * tid.x */
	inst->x = 8;
	expect_caught(&rig, "the address is");
	inst->x = 4;

	inst = find(linear, HD_STREAM_BLOCK, HD_OP_S2R);
	inst->mods = HD_MOD(SR, HD_SR_CTAID_Y);
	expect_caught(&rig, "the address is");
	inst->mods = HD_MOD(SR, HD_SR_CTAID_X);

	/* Another access in place of the right one: its address is off by an element. */
	inst = find(linear, HD_STREAM_MAIN, HD_OP_STG);
	inst->x += 4;
	expect_caught(&rig, "STG");
	inst->x -= 4;
	ck_assert_msg(!run(&rig, ALWAYS, STRIDE), "%s", rig.fault);
	release(&rig);
}
END_TEST

/* A linear value that is stored, not an address: the data differ. */
START_TEST(verification_catches_wrong_values)
{
	struct rig rig;
	compile(&rig, column);
	struct hd_linear *linear = &rig.unit.object.linears[0];
	struct hd_inst *inst = NULL;
	for (uint32_t i = linear->start[HD_STREAM_MAIN]; i < linear->body.inst_count; i++)
		if (linear->body.insts[i].linear && linear->body.insts[i].op == HD_OP_IADD3)
			inst = &linear->body.insts[i];
	ck_assert_ptr_nonnull(inst);
	inst->srcmods ^= hd_lr_slot(inst->linear) == HD_SLOT_A ? HD_NEG_A : HD_NEG_B;
	expect_caught(&rig, "a word of the operand");
	release(&rig);
}
END_TEST

static bool reads_a_register(const struct hd_inst *inst)
{
	return inst->a != HD_RZ && !inst->linear && hd_op_width(inst->op, inst->mods, HD_SLOT_A);
}

static void expect_said(struct rig *rig, const char *what)
{
	ck_assert_int_eq(run(rig, ALWAYS, STRIDE), HD_SIM_VERIFY);
	ck_assert_msg(strstr(rig->fault, what), "%s", rig->fault);
}

/* What the metadata says of the main stream is held against its execution: each kind with one thing wrong. */
START_TEST(verification_covers_the_main_stream)
{
	struct rig rig;
	compile(&rig, column);
	const struct hd_linear *linear = &rig.unit.object.linears[0];
	struct hd_meta_linear_version *said = rig.unit.metadata.functions[0].linear_version;
	uint32_t main = linear->start[HD_STREAM_MAIN], count = linear->body.inst_count, covered = 0;
	for (uint32_t i = 0; i < said->interval_count; i++) {
		ck_assert_uint_ge(said->intervals[i].entry_pc, main * HD_INST_BYTES);
		covered += said->intervals[i].pc_count;
	}
	ck_assert_uint_eq(covered, count - main);
	ck_assert_uint_eq(said->reuse->tag_count, count);
	ck_assert_uint_eq(said->dead_operand_count, count);

	struct hd_meta_interval interval = said->intervals[0];
	memset(said->intervals[0].working_set, 0, sizeof interval.working_set);
	expect_said(&rig, "is not in the working set of interval 0 of k");
	said->intervals[0] = interval;

	ck_assert_uint_ge(said->point_count, 1);
	struct hd_meta_registers live = said->points[0].live;
	memset(&said->points[0].live, 0, sizeof live);
	expect_said(&rig, "a preemption point before this would not have saved it");
	said->points[0].live = live;

	uint32_t at = 4 * main;
	while (at < 4 * count && (!said->reuse->exact[at] || said->reuse->exact[at] > HD_REUSE_EXACT_MOST))
		at++;
	ck_assert_uint_lt(at, 4 * count);
	said->reuse->exact[at]++;
	expect_said(&rig, "than its reuse distance says");
	said->reuse->exact[at]--;

	at = main;
	while (!reads_a_register(&linear->body.insts[at]) || said->dead_operands[at] & 1)
		at++;
	said->dead_operands[at] |= 1;
	expect_said(&rig, "is read after it was tagged as not read again");
	release(&rig);
}
END_TEST

START_TEST(verification_covers_calls_of_the_main_stream)
{
	struct rig rig;
	compile(&rig, call);
	struct hd_meta_function *kernel = rig.unit.metadata.functions;
	while (!kernel->kernel)
		kernel++;
	struct hd_meta_linear_version *said = kernel->linear_version;
	const struct hd_linear *linear = &rig.unit.object.linears[0];
	ck_assert_uint_eq(said->call_count, 1);
	ck_assert_uint_eq(linear->body.insts[said->calls[0].pc / HD_INST_BYTES].op, HD_OP_CALL);
	ck_assert_uint_ne(said->calls[0].pc, kernel->calls[0].pc);
	ck_assert_uint_eq(said->calls[0].fru, kernel->calls[0].fru);
	ck_assert_msg(!run(&rig, ALWAYS, STRIDE), "%s", rig.fault);

	said->calls[0].pc += HD_INST_BYTES;
	expect_said(&rig, "the call of f in k is not in the metadata");
	said->calls[0].pc -= HD_INST_BYTES;
	release(&rig);
}
END_TEST

/* Section 5.6: four thread-index registers, 16 block-index registers and 67 coefficient registers, 128 threads, 16
 * blocks. */
START_TEST(register_need_of_section_5_6)
{
	struct hd_linear linear = {.threads = 4, .linears = 16, .coefficients = 67};
	ck_assert_uint_eq(hd_linear_registers(&linear, 128, 16, false), 1091);
	/* 32 registers a thread leave none of 65,536; three 8-byte registers less leave 3 * 2 * 128 * 16. */
	ck_assert_uint_eq(hd_linear_free_registers(65536, 32, 128, 16), 0);
	ck_assert_uint_eq(hd_linear_free_registers(65536, 32 - 3 * 2, 128, 16), 12288);
	ck_assert_uint_eq(hd_linear_free_registers(65536, 33, 128, 16), 0);
	/* By 4.2 whole warp registers: two a block, sixteen coefficients in each. */
	ck_assert_uint_eq(hd_linear_registers(&linear, 128, 16, true), 1024 + 1024 + 160);
}
END_TEST

START_TEST(checks_are_interval_arithmetic)
{
	uint8_t constants[HD_CB_BYTES] = {0};
	uint32_t ntid = 256, grid = 1000, n = (uint32_t)-5;
	memcpy(constants + HD_CB_NTID_X, &ntid, 4);
	memcpy(constants + HD_CB_NCTAID_X, &grid, 4);
	memcpy(constants + HD_CB_PARAMS, &n, 4);
	/* ctaid.x * ntid.x + tid.x: 0 to 999 * 256 + 255 */
	int64_t index[] = {HD_CHECK_INDEX, 3, HD_CHECK_BANK32, HD_CB_NTID_X, HD_CHECK_MULTIPLY,
			   HD_CHECK_INDEX, 0, HD_CHECK_ADD};
	struct hd_linear_check check = {0, 255999, index, 8};
	ck_assert(hd_linear_check_holds(&check, constants));
	check.high = 255998;
	ck_assert(!hd_linear_check_holds(&check, constants));
	check.low = 1, check.high = INT64_MAX;
	ck_assert(!hd_linear_check_holds(&check, constants));
	/* n * (0 up to 9): -45 to 0 */
	int64_t loop[] = {HD_CHECK_BANK32, HD_CB_PARAMS, HD_CHECK_CONSTANT, 9, HD_CHECK_UP_TO, HD_CHECK_MULTIPLY};
	check = (struct hd_linear_check){-45, 0, loop, 6};
	ck_assert(hd_linear_check_holds(&check, constants));
	check.low = -44;
	ck_assert(!hd_linear_check_holds(&check, constants));
	/* What does not fit 62 bits is unbounded. */
	int64_t far[] = {HD_CHECK_CONSTANT, INT64_MAX, HD_CHECK_CONSTANT, INT64_MAX, HD_CHECK_MULTIPLY};
	check = (struct hd_linear_check){INT64_MIN, INT64_MAX, far, 5};
	ck_assert(!hd_linear_check_holds(&check, constants));
}
END_TEST

START_TEST(damaged_versions_are_refused)
{
	struct rig rig;
	compile(&rig, sum);
	struct hd_linear *linear = &rig.unit.object.linears[0], good = *linear;
	ck_assert_int_eq(hd_object_verify(&rig.unit.object, "test", &rig.diag), 0);
	linear->start[HD_STREAM_BLOCK] = linear->body.inst_count;
	ck_assert_int_ne(hd_object_verify(&rig.unit.object, "test", &rig.diag), 0);
	*linear = good;
	linear->thread_of[0] = (uint8_t)linear->threads;
	ck_assert_int_ne(hd_object_verify(&rig.unit.object, "test", &rig.diag), 0);
	*linear = good;
	linear->coefficients = 0;
	ck_assert_int_ne(hd_object_verify(&rig.unit.object, "test", &rig.diag), 0);
	*linear = good;
	linear->kernel = 7;
	ck_assert_int_ne(hd_object_verify(&rig.unit.object, "test", &rig.diag), 0);
	*linear = good;
	linear->twins[linear->start[HD_STREAM_MAIN]] = 1000000;
	ck_assert_int_ne(hd_object_verify(&rig.unit.object, "test", &rig.diag), 0);
	release(&rig);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("linear", (const TTest *const[]){
					     results_are_those_of_the_original,
					     streams_are_counted,
					     streams_run_in_time,
					     one_wide_lane_makes_a_part_wide,
					     failed_condition_runs_the_original_code,
					     small_grids_run_the_original_code,
					     verification_catches_wrong_linear_registers,
					     verification_catches_wrong_values,
					     verification_covers_the_main_stream,
					     verification_covers_calls_of_the_main_stream,
					     register_need_of_section_5_6,
					     checks_are_interval_arithmetic,
					     damaged_versions_are_refused,
					     NULL,
				     });
}
