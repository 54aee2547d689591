/*
 * LINK: passes
 * Every NVVM intrinsic that this LLVM knows, in a kernel of its own with operands from memory: lowering takes it or
 * refuses it with an error that says so; it never stops in another way. HEDDLE_LIST=1 prints what becomes of each.
 */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>

#include "passes/session.h"

enum outcome { TAKEN, REFUSED, SKIPPED, CRASHED };

static char said[256];
static bool failed;

static bool keep(LLVMModuleRef module, int severity, const char *file, unsigned line, unsigned column, const char *text)
{
	(void)module, (void)file, (void)line, (void)column;
	if (severity == 2 && !*said)
		snprintf(said, sizeof said, "%s", text);
	failed |= severity == 2;
	return true;
}

static bool no_remarks(LLVMModuleRef module, const char *pass)
{
	(void)module, (void)pass;
	return false;
}

static void no_failure(LLVMModuleRef module)
{
	(void)module;
}

/* The type parameters of an overloaded intrinsic: pointers are generic ones unless its name has a space. */
static unsigned overloads(LLVMContextRef context, const char *name, LLVMTypeRef types[2])
{
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	unsigned space = strstr(name, ".g2s") || strstr(name, "shared") ? 3 : strstr(name, "global") ? 1 : 0;
	if (!strncmp(name, "llvm.nvvm.ldg.", 14) || !strncmp(name, "llvm.nvvm.ldu.", 14)) {
		types[0] = name[strlen(name) - 1] == 'f' ? LLVMFloatTypeInContext(context) : word;
		if (name[strlen(name) - 1] == 'p')
			types[0] = LLVMPointerTypeInContext(context, 0);
		types[1] = LLVMPointerTypeInContext(context, 1);
		return 2;
	}
	if (!strncmp(name, "llvm.nvvm.atomic.", 17)) {
		types[0] = strstr(name, ".f.") ? LLVMFloatTypeInContext(context) : word;
		types[1] = LLVMPointerTypeInContext(context, 0);
		return 2;
	}
	types[0] = LLVMPointerTypeInContext(context, space);
	types[1] = types[0];
	return 1;
}

/* A value of the type: a constant where one is demanded, else read through the kernel's parameter. */
static LLVMValueRef operand(LLVMBuilderRef builder, LLVMValueRef kernel, LLVMTypeRef type, bool constant)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (kind == LLVMMetadataTypeKind || kind == LLVMTokenTypeKind || kind == LLVMLabelTypeKind)
		return NULL;
	if (constant)
		return LLVMConstNull(type);
	return LLVMBuildLoad2(builder, type, LLVMGetParam(kernel, 0), "");
}

static LLVMValueRef kernel_of(LLVMModuleRef module)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, false);
	LLVMValueRef kernel = LLVMAddFunction(module, "k", type);
	LLVMSetTarget(module, "nvptx64-nvidia-cuda");
	LLVMSetDataLayout(module, "e-i64:64-i128:128-v16:16-v32:32-n16:32:64");
	LLVMSetFunctionCallConv(kernel, 71); /* ptx_kernel */
	return kernel;
}

/* The module with one call, or NULL for an intrinsic that no program can write out. */
static LLVMModuleRef module_with(LLVMContextRef context, unsigned id)
{
	LLVMModuleRef module = LLVMModuleCreateWithNameInContext("m", context);
	LLVMValueRef kernel = kernel_of(module);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMTypeRef types[2], params[32], type;
	size_t length;
	unsigned count =
		LLVMIntrinsicIsOverloaded(id) ? overloads(context, LLVMIntrinsicGetName(id, &length), types) : 0;
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, types, count);
	unsigned immediate = LLVMGetEnumAttributeKindForName("immarg", 6);
	type = LLVMGlobalGetValueType(function);
	LLVMGetParamTypes(type, params);
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, kernel, "entry"));
	LLVMValueRef args[32];
	for (unsigned i = 0; i < LLVMCountParamTypes(type); i++) {
		args[i] = operand(builder, kernel, params[i],
				  LLVMGetEnumAttributeAtIndex(function, i + 1, immediate) != NULL);
		if (!args[i])
			return NULL;
	}
	LLVMValueRef call = LLVMBuildCall2(builder, type, function, args, LLVMCountParamTypes(type), "");
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) != LLVMVoidTypeKind)
		LLVMBuildStore(builder, call, LLVMGetParam(kernel, 0));
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
	return LLVMVerifyModule(module, LLVMReturnStatusAction, NULL) ? NULL : module;
}

/* Whether it is one of those that are tried: of textures, surfaces and matrices there are a thousand of one kind. */
static bool is_tried(unsigned id)
{
	size_t length;
	const char *name = LLVMIntrinsicGetName(id, &length);
	return strncmp(name, "llvm.nvvm.tex.", 14) != 0 && strncmp(name, "llvm.nvvm.su", 12) != 0 &&
	       strncmp(name, "llvm.nvvm.wmma", 14) != 0;
}

static bool is_nvvm(unsigned id)
{
	size_t length;
	return !strncmp(LLVMIntrinsicGetName(id, &length), "llvm.nvvm.", 10);
}

static enum outcome lower(unsigned id)
{
	LLVMContextRef context = LLVMContextCreate();
	LLVMModuleRef module = module_with(context, id);
	const struct hd_host host = {.diagnose = keep, .wants_remarks = no_remarks, .fail = no_failure};
	if (!module)
		return SKIPPED;
	struct hd_session *session = hd_session_new("check", false, &host);
	for (unsigned row = 0; row < HD_SESSION_ROWS; row++)
		if (hd_session_rows() >> row & 1)
			hd_session_step(session, module, row);
	return failed ? REFUSED : TAKEN;
}

struct answer {
	unsigned id;
	enum outcome outcome;
	char said[sizeof said];
};

/* In a child process: lowers one after the other and writes to the pipe what was said. */
static void child(unsigned id, int out)
{
	for (; is_nvvm(id); id++) {
		if (!is_tried(id))
			continue;
		struct answer answer = {.id = id};
		*said = '\0';
		failed = false;
		answer.outcome = lower(id);
		memcpy(answer.said, said, sizeof said);
		if (write(out, &answer, sizeof answer) != sizeof answer)
			_exit(1);
	}
	_exit(0);
}

/* Tries those from *id on until there is none left or a child has died of one, which *id is then; false: none left. */
static bool try_intrinsics(unsigned *id, void (*take)(const struct answer *answer))
{
	int ends[2], status;
	struct answer answer;
	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (!pid)
		child(*id, ends[1]);
	close(ends[1]);
	while (read(ends[0], &answer, sizeof answer) == sizeof answer) {
		take(&answer);
		*id = answer.id + 1;
	}
	close(ends[0]);
	waitpid(pid, &status, 0);
	while (is_nvvm(*id) && !is_tried(*id))
		++*id;
	return is_nvvm(*id);
}

static unsigned counts[4], unclear;

static void count(const struct answer *answer)
{
	static const char *const outcomes[] = {"taken", "refused", "skipped", "CRASHED"};
	size_t length;
	bool vague = answer->outcome == REFUSED && !strstr(answer->said, "unsupported");
	counts[answer->outcome]++;
	unclear += vague;
	if (getenv("HEDDLE_LIST") || answer->outcome == CRASHED || vague)
		printf("%-8s %s%s%s\n", outcomes[answer->outcome], LLVMIntrinsicGetName(answer->id, &length),
		       *answer->said ? ": " : "", answer->said);
}

START_TEST(every_nvvm_intrinsic_is_taken_or_refused)
{
	unsigned id = LLVMLookupIntrinsicID("llvm.nvvm.read.ptx.sreg.tid.x", 29);
	char place[512] = "";
	/* The libraries, from build/test/unit. */
	ck_assert_int_gt(readlink("/proc/self/exe", place, sizeof place - 32), 0);
	char *end = strstr(place, "/test/unit/");
	ck_assert_ptr_nonnull(end);
	strcpy(end, "/share/heddle");
	setenv("HEDDLE_DATA", place, 1);
	while (is_nvvm(id - 1))
		id--;
	while (try_intrinsics(&id, count))
		count(&(struct answer){.id = id++, .outcome = CRASHED});
	printf("NVVM intrinsics: %u taken, %u refused, %u not to be written out\n", counts[TAKEN], counts[REFUSED],
	       counts[SKIPPED]);
	ck_assert_uint_eq(counts[CRASHED], 0);
	ck_assert_uint_eq(unclear, 0);
	ck_assert_uint_gt(counts[TAKEN], 300);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {every_nvvm_intrinsic_is_taken_or_refused, NULL};
	return hd_suite_of("intrinsics", tests);
}
