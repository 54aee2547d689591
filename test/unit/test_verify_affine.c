/*
 * LINK: passes
 * What linear values prove about accesses and branches, against a run: the claims of real kernels hold under --verify,
 * and each kind of wrong claim is found.
 */
#include "harness.h"

#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/sim.h"
#include "passes/pass.h"
#include "runtime/sim/sim_private.h"

/*
 * Of 16-byte elements a word, rows of shared memory that collide, a branch for the grid (n), one for the block, one for
 * lanes, one in a loop whose end is the same for all.
 */
static const char kernel[] = "target triple = \"nvptx64-nvidia-cuda\"\n"
			     "@rows = internal addrspace(3) global [8192 x i32] undef, align 4\n"
			     "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
			     "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
			     "declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
			     "!nvvm.annotations = !{!0}\n"
			     "!0 = !{ptr @k, !\"kernel\", i32 1}\n"
			     "define void @k(ptr addrspace(1) %a, i32 %n) {\n"
			     "entry:\n"
			     "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
			     "  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
			     "  %d = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
			     "  %m = mul i32 %c, %d\n"
			     "  %i = add i32 %m, %t\n"
			     "  %e = mul i32 %i, 4\n"
			     "  %w = sext i32 %e to i64\n"
			     "  %p = getelementptr i32, ptr addrspace(1) %a, i64 %w\n"
			     "  %x = load volatile i32, ptr addrspace(1) %p\n"
			     "  %r = mul i32 %t, 32\n"
			     "  %s = getelementptr i32, ptr addrspace(3) @rows, i32 %r\n"
			     "  store volatile i32 %x, ptr addrspace(3) %s\n"
			     "  %all = icmp slt i32 %n, 100\n"
			     "  br i1 %all, label %one, label %two\n"
			     "one:\n"
			     "  store volatile i32 1, ptr addrspace(1) %p\n"
			     "  br label %two\n"
			     "two:\n"
			     "  %odd = and i32 %c, 1\n"
			     "  %block = icmp eq i32 %odd, 0\n"
			     "  br i1 %block, label %three, label %four\n"
			     "three:\n"
			     "  store volatile i32 2, ptr addrspace(1) %p\n"
			     "  br label %four\n"
			     "four:\n"
			     "  %lanes = icmp slt i32 %t, 7\n"
			     "  br i1 %lanes, label %five, label %loop\n"
			     "five:\n"
			     "  store volatile i32 3, ptr addrspace(1) %p\n"
			     "  br label %loop\n"
			     "loop:\n"
			     "  %k = phi i32 [ 0, %four ], [ 0, %five ], [ %k1, %loop ]\n"
			     "  store volatile i32 %k, ptr addrspace(1) %p\n"
			     "  %k1 = add nsw i32 %k, 1\n"
			     "  %more = icmp slt i32 %k1, %n\n"
			     "  br i1 %more, label %loop, label %end\n"
			     "end:\n"
			     "  ret void\n}\n";

enum { WORDS = 4096, CTAS = 3, THREADS = 64 };

struct rig {
	LLVMContextRef context;
	LLVMModuleRef module;
	struct hd_diag diag;
	struct hd_unit unit;
	struct hd_meta_affine *facts;
	char message[1024], fault[1024];
};

static void keep(void *context, enum hd_severity severity, struct hd_loc loc, const char *text)
{
	struct rig *rig = context;
	(void)severity, (void)loc;
	snprintf(rig->message, sizeof rig->message, "%s", text);
}

static void compile(struct rig *rig)
{
	char *message = NULL;
	memset(rig, 0, sizeof *rig);
	rig->context = LLVMContextCreate();
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(kernel, strlen(kernel), "test");
	ck_assert_msg(!LLVMParseIRInContext(rig->context, buffer, &rig->module, &message), "%s", message);
	rig->diag = (struct hd_diag){.emit = keep, .context = rig};
	hd_unit_init(&rig->unit, rig->module, &rig->diag);
	ck_assert_int_eq(hd_options_parse(&rig->unit, "check=1;without=if-conversion"), 0);
	ck_assert_msg(!hd_pass_require(&rig->unit, HD_PASS_METADATA), "%s", rig->message);
	rig->facts = rig->unit.metadata.functions[0].affine;
	ck_assert_ptr_nonnull(rig->facts);
}

static void release(struct rig *rig)
{
	hd_unit_release(&rig->unit);
	LLVMDisposeModule(rig->module);
	LLVMContextDispose(rig->context);
}

static struct hd_module *load(struct rig *rig, struct hd_sim *sim)
{
	struct hd_module *module;
	uint8_t *bytes;
	size_t size;
	rig->unit.object.metadata = rig->unit.metadata;
	ck_assert_msg(!hd_object_write(&rig->unit.object, &bytes, &size, &rig->diag), "%s", rig->message);
	ck_assert_msg(!hd_sim_load(sim, bytes, size, "test", &module), "%s", rig->message);
	free(bytes);
	return module;
}

/* `by`: bytes by which the pointer is off its allocation's start. */
static int run(struct rig *rig, uint32_t threads, uint64_t by)
{
	struct {
		uint64_t address;
		uint32_t n;
	} params = {.n = 5};
	struct hd_config config;
	struct hd_sim *sim;
	hd_config_defaults(&config);
	config.sm_count = 2;
	struct hd_sim_options options = {.config = &config, .policy = "baseline", .verify = true, .diag = &rig->diag};
	ck_assert_msg(!hd_sim_new(&options, &sim), "%s", rig->message);
	struct hd_module *module = load(rig, sim);
	ck_assert_int_eq(hd_sim_malloc(sim, WORDS * 4, &params.address), 0);
	params.address += by;
	struct hd_launch launch = {.kernel = hd_sim_kernel(module, "k"),
				   .grid = {CTAS, 1, 1},
				   .block = {threads, 1, 1},
				   .params = &params,
				   .param_bytes = 12};
	int error = hd_sim_launch(sim, &launch);
	snprintf(rig->fault, sizeof rig->fault, "%s", error ? hd_sim_error_text(sim) : "");
	hd_sim_free(sim);
	return error;
}

static void expect_caught(struct rig *rig, const char *what)
{
	ck_assert_int_eq(run(rig, THREADS, 0), HD_SIM_VERIFY);
	ck_assert_msg(strstr(rig->fault, what), "%s", rig->fault);
}

static struct hd_meta_access *access_in(struct rig *rig, enum hd_access_space space, enum hd_access_kind kind)
{
	for (uint32_t i = 0; i < rig->facts->access_count; i++)
		if (rig->facts->accesses[i].space == space && rig->facts->accesses[i].kind == kind)
			return &rig->facts->accesses[i];
	ck_abort_msg("no such access");
	return NULL;
}

static struct hd_meta_branch *branch_of(struct rig *rig, enum hd_value_class class, bool iterates)
{
	for (uint32_t i = 0; i < rig->facts->branch_count; i++)
		if (rig->facts->branches[i].class == class && rig->facts->branches[i].iterates == iterates)
			return &rig->facts->branches[i];
	ck_abort_msg("no such branch");
	return NULL;
}

START_TEST(claims_hold)
{
	struct rig rig;
	compile(&rig);
	const struct hd_meta_access *load = access_in(&rig, HD_ACCESS_GLOBAL, HD_ACCESS_LOAD),
				    *rows = access_in(&rig, HD_ACCESS_SHARED, HD_ACCESS_STORE);
	ck_assert_int_eq(load->assumes, HD_ASSUME_WHOLE_ROWS);
	ck_assert_uint_eq(load->sectors_least, 16);
	ck_assert_uint_eq(load->sectors_most, 16);
	ck_assert_uint_eq(rows->conflicts_least, 32);
	ck_assert_int_eq(run(&rig, THREADS, 0), 0);
	/* Blocks that the report does not speak for, and a pointer inside an allocation. */
	ck_assert_msg(!run(&rig, 40, 0), "%s", rig.fault);
	ck_assert_msg(!run(&rig, THREADS, 20), "%s", rig.fault);
	release(&rig);
}
END_TEST

START_TEST(wrong_accesses_are_found)
{
	struct rig rig;
	compile(&rig);
	struct hd_meta_access *load = access_in(&rig, HD_ACCESS_GLOBAL, HD_ACCESS_LOAD),
			      *rows = access_in(&rig, HD_ACCESS_SHARED, HD_ACCESS_STORE), right = *load;
	load->stride = 4;
	expect_caught(&rig, "the address is 16 bytes from its neighbour's, the metadata says 4");
	*load = right;
	load->sectors_least = load->sectors_most = 4;
	expect_caught(&rig, "the request has 16 sectors, the metadata says 4 to 4");
	load->sectors_least = load->sectors_most = 32;
	expect_caught(&rig, "the request has 16 sectors, the metadata says 32 to 32");
	*load = right;
	load->alignment = 4096;
	expect_caught(&rig, "is no multiple of 4096");
	*load = right;
	rows->conflicts_least = rows->conflicts_most = 1;
	expect_caught(&rig, "the request has 32 accesses of the busiest bank, the metadata says 1 to 1");
	release(&rig);
}
END_TEST

START_TEST(wrong_branches_are_found)
{
	struct rig rig;
	compile(&rig);
	struct hd_meta_branch *block = branch_of(&rig, HD_CLASS_BLOCK, false),
			      *lanes = branch_of(&rig, HD_CLASS_AFFINE, false);
	branch_of(&rig, HD_CLASS_GRID, false);
	branch_of(&rig, HD_CLASS_GRID, true);
	block->class = HD_CLASS_GRID;
	expect_caught(&rig, "the same for all threads, and it is not");
	block->class = HD_CLASS_BLOCK;
	lanes->class = HD_CLASS_WARP;
	expect_caught(&rig, "the same for the lanes of a warp, and it is not");
	lanes->class = HD_CLASS_BLOCK;
	expect_caught(&rig, "the same for the threads of a block, and it is not");
	release(&rig);
}
END_TEST

/* The loop goes on and ends: whoever says that all iterations agree is wrong. */
START_TEST(iterations_are_told_apart)
{
	struct rig rig;
	compile(&rig);
	branch_of(&rig, HD_CLASS_GRID, true)->iterates = false;
	expect_caught(&rig, "the same for all threads, and it is not");
	release(&rig);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("verify_affine", (const TTest *const[]){
						    claims_hold,
						    wrong_accesses_are_found,
						    wrong_branches_are_found,
						    iterations_are_told_apart,
						    NULL,
					    });
}
