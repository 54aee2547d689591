/*
 * Sessions: parses pipeline elements, checks that a module is one for us, runs the rows of
 * passes.def on it one call at a time and hands errors and remarks to the host compiler.
 * Costs nothing beside the rows. After an error the remaining rows do nothing, so that no
 * output is half written.
 */
#include "passes/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>

#include "lib/arena.h"
#include "lib/metadata/json.h"
#include "passes/legalize/legalize.h"
#include "passes/pass.h"
#include "passes/remark.h"

_Static_assert(HD_PASS_COUNT <= HD_SESSION_ROWS, "plugin.cpp makes a pass object for each row");

struct hd_session {
	char *parameters; /* NULL: from the environment */
	bool implicit;
	struct hd_host host;
	struct hd_unit unit;
	struct hd_diag diag;
	LLVMModuleRef module; /* NULL: no unit is open */
	bool failed;	      /* this module's remaining rows do nothing */
	bool uncounted;	      /* errors that the compiler does not know of */
};

void hd_session_end_without_memory(void (*clean)(void))
{
	hd_out_of_memory_first(clean);
	hd_out_of_memory_status(2);
}

/* Whether `text` is PREFIX followed by the end or by ';' or '<'; the rest goes to *rest. */
static bool has_word(const char *text, const char *word, char next, const char **rest)
{
	size_t len = strlen(word);
	if (strncmp(text, word, len) != 0 || (text[len] && text[len] != next))
		return false;
	*rest = text + len + (text[len] != 0);
	return true;
}

/* LLVM will say that the pass is unknown; this says what there is. */
static void unknown_printer(const char *name)
{
	struct hd_diag diag = {.tool = "heddle"};
	const char *names[HD_PASS_COUNT];
	unsigned count = 0;
	for (unsigned row = 0; row < HD_PASS_COUNT; row++)
		if (hd_passes[row].print)
			names[count++] = hd_passes[row].name;
	char *nearest = hd_nearest_names(name, names, count);
	hd_error(&diag, HD_NOWHERE, "unknown printer print<heddle-%s>%s%s%s", name, *nearest ? "; did you mean " : "",
		 nearest, *nearest ? "?" : "");
	free(nearest);
}

static enum hd_request_kind parse_printer(const char *text, unsigned *row, const char **parameters)
{
	char *name = hd_xstrdup(text);
	size_t len = strcspn(text, ";>");
	name[len] = 0;
	*parameters = text + len + (text[len] == ';');
	*row = hd_pass_find(name);
	bool known = *row < HD_PASS_COUNT && hd_passes[*row].print;
	if (!known)
		unknown_printer(name);
	free(name);
	return known ? HD_REQUEST_PRINT : HD_REQUEST_NONE;
}

enum hd_request_kind hd_request_parse(const char *text, unsigned *row, const char **parameters)
{
	static const char print[] = "print<heddle-";
	size_t len = strlen(print);
	if (has_word(text, "heddle", '<', parameters))
		return HD_REQUEST_RUN;
	return strncmp(text, print, len) ? HD_REQUEST_NONE : parse_printer(text + len, row, parameters);
}

static uint64_t closure(unsigned row)
{
	uint64_t rows = UINT64_C(1) << row;
	for (unsigned other = 0; other < HD_PASS_COUNT; other++)
		if (hd_passes[row].requires >> other & 1)
			rows |= closure(other);
	return rows;
}

unsigned long long hd_session_rows(void)
{
	return closure(HD_PASS_OUTPUT);
}

const char *hd_session_title(unsigned row)
{
	return hd_passes[row].title;
}

/* opt has no place for diagnostics, and LLVM's fallback puts the place behind the severity: print them ourselves. */
static void say(enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct hd_diag plain = {.tool = "heddle"};
	if (severity == HD_ERROR)
		hd_error(&plain, loc, "%s", message);
	else if (severity == HD_NOTE)
		hd_note(&plain, loc, "%s", message);
	else
		hd_warning(&plain, loc, "%s", message);
}

static void forward(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct hd_session *session = context;
	if (session->host.diagnose(session->module, (int)severity, loc.file, loc.line, loc.column, message))
		return;
	say(severity, loc, message);
	session->uncounted |= severity == HD_ERROR;
}

/* Parameters arrive with the closing '>' of the pipeline element. */
struct hd_session *hd_session_new(const char *parameters, bool implicit, const struct hd_host *host)
{
	hd_json_never_null();
	struct hd_session *session = hd_xcalloc(1, sizeof(*session));
	session->host = *host;
	session->implicit = implicit;
	session->diag = (struct hd_diag){.emit = forward, .context = session, .tool = "heddle"};
	if (parameters) {
		session->parameters = hd_xstrdup(parameters);
		size_t len = strlen(parameters);
		if (len && parameters[len - 1] == '>')
			session->parameters[len - 1] = 0;
	}
	return session;
}

static void close_unit(struct hd_session *session)
{
	if (session->module)
		hd_unit_release(&session->unit);
	session->module = NULL;
}

void hd_session_free(struct hd_session *session)
{
	if (!session)
		return;
	close_unit(session);
	free(session->parameters);
	free(session);
}

static bool is_nvptx64(LLVMModuleRef module)
{
	const char *triple = LLVMGetTarget(module);
	return !strncmp(triple, "nvptx64", 7) && (!triple[7] || triple[7] == '-');
}

static const char *name_of(LLVMValueRef value)
{
	size_t length;
	while (LLVMIsAConstantExpr(value) && LLVMGetNumOperands(value) == 1)
		value = LLVMGetOperand(value, 0);
	return LLVMGetValueName2(value, &length);
}

static int by_name(const void *left, const void *right)
{
	return strcmp(name_of(*(const LLVMValueRef *)left), name_of(*(const LLVMValueRef *)right));
}

/* clang lists what host code names by addresses of its own memory, another order in each run. */
static void sort_used(LLVMModuleRef module)
{
	LLVMValueRef list = LLVMGetNamedGlobal(module, "__clang_gpu_used_external");
	LLVMValueRef array = list ? LLVMGetInitializer(list) : NULL;
	if (!array || !LLVMIsAConstantArray(array))
		return;
	unsigned count = (unsigned)LLVMGetNumOperands(array);
	LLVMValueRef *elements = hd_xcalloc(count, sizeof *elements);
	for (unsigned i = 0; i < count; i++)
		elements[i] = LLVMGetOperand(array, i);
	qsort(elements, count, sizeof *elements, by_name);
	LLVMSetInitializer(list, LLVMConstArray2(LLVMTypeOf(elements[0]), elements, count));
	free(elements);
}

/* What is wrong with parameters or a library is said by the steps, which meet it again. */
void hd_session_prepare(LLVMModuleRef module)
{
	struct hd_diag quiet = hd_diag_silent();
	struct hd_unit unit;
	if (!is_nvptx64(module))
		return;
	hd_unit_init(&unit, module, &quiet);
	if (!hd_options_parse(&unit, getenv("HEDDLE_PASS"))) {
		hd_legal_fast_math(&unit);
		hd_legal_flush(unit.source);
		hd_legal_link_early(&unit);
	}
	hd_unit_release(&unit);
	hd_legal_dependences(module);
	hd_legal_allow_undefined(module);
	hd_legal_split_loads(module);
	sort_used(module);
}

static bool is_wrong_cast(LLVMValueRef value)
{
	if (!LLVMIsAConstantExpr(value) || LLVMGetConstOpcode(value) != LLVMBitCast)
		return false;
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0));
	LLVMTypeRef to = LLVMTypeOf(value);
	return LLVMGetTypeKind(from) == LLVMPointerTypeKind && LLVMGetTypeKind(to) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(from) != LLVMGetPointerAddressSpace(to);
}

/*
 * Where a class has a virtual base, clang 19 hands the table for its construction on by a bitcast between address
 * spaces, which is no valid IR: it becomes the cast that is meant.
 */
static void repair_casts(LLVMValueRef value)
{
	LLVMValueRef from;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++) {
		LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
		if (!LLVMIsAConstantExpr(operand))
			continue;
		repair_casts(operand);
		operand = LLVMGetOperand(value, (unsigned)i);
		if (!is_wrong_cast(operand))
			continue;
		from = LLVMGetOperand(operand, 0);
		LLVMReplaceAllUsesWith(operand, LLVMConstAddrSpaceCast(from, LLVMTypeOf(operand)));
	}
}

static void repair_source(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				repair_casts(inst);
}

/* Whether the module is not valid, and why. */
static bool verify(LLVMModuleRef module, char **message)
{
	bool invalid = LLVMVerifyModule(module, LLVMReturnStatusAction, message);
	if (invalid && strstr(*message, "Invalid bitcast")) {
		LLVMDisposeMessage(*message);
		repair_source(module);
		invalid = LLVMVerifyModule(module, LLVMReturnStatusAction, message);
	}
	return invalid;
}

static int check_source(struct hd_session *session, LLVMModuleRef module)
{
	char *message = NULL;
	const char *triple = LLVMGetTarget(module);
	int status = 0;
	if (!is_nvptx64(module))
		return hd_error(&session->diag, HD_NOWHERE,
				"the module's target is %s%s%s, but heddle compiles only nvptx64%s",
				*triple ? "'" : "no target", triple, *triple ? "'" : "",
				strncmp(triple, "nvptx-", 6) == 0
					? " (its addresses have 64 bits, and CUDA 12 ended code of 32 bits)"
					: "");
	if (verify(module, &message)) {
		message[strcspn(message, "\n")] = 0;
		status = hd_error(&session->diag, HD_NOWHERE, "the module does not verify: %s", message);
	}
	LLVMDisposeMessage(message);
	return status;
}

/* Takes the module on. Returns whether there is something to do. */
static bool open_unit(struct hd_session *session, LLVMModuleRef module)
{
	const char *parameters = session->parameters ? session->parameters : getenv("HEDDLE_PASS");
	if (session->module == module)
		return true;
	close_unit(session);
	session->failed = session->uncounted = false;
	if (session->implicit && !is_nvptx64(module))
		return false;
	session->module = module;
	session->diag.errors = 0;
	hd_unit_init(&session->unit, module, &session->diag);
	session->failed = check_source(session, module) || hd_options_parse(&session->unit, parameters);
	return true;
}

/* Once a module: the compiler has to fail, too. */
static void stop(struct hd_session *session)
{
	FILE *refused = session->unit.options.refused ? fopen(session->unit.options.refused, "w") : NULL;
	if (refused)
		fclose(refused);
	session->failed = true;
	if (session->uncounted)
		session->host.fail(session->module);
	session->uncounted = false;
}

void hd_session_step(struct hd_session *session, LLVMModuleRef module, unsigned row)
{
	if (!open_unit(session, module))
		return;
	if (session->failed || hd_pass_require(&session->unit, row) ||
	    (row == HD_PASS_METADATA && hd_remarks_emit(&session->unit, &session->host)))
		stop(session);
	if (row == HD_PASS_OUTPUT)
		close_unit(session);
}

void hd_session_print(struct hd_session *session, LLVMModuleRef module, unsigned row)
{
	if (!open_unit(session, module))
		return;
	if (session->failed || hd_pass_require(&session->unit, row))
		stop(session);
	else
		hd_passes[row].print(stderr, &session->unit);
	fflush(stderr);
	close_unit(session);
}
