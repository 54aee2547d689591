/*
 * What libclang sees in a CUDA source: kernels with their parameters as written, and launch sites with the block size
 * and dynamic shared memory where these are constants. Written as JSON for the device half's pass (launches=FILE):
 *
 *   {"kernels": [{"name", "file", "line", "params": [{"name", "type"}]}],
 *    "launches": [{"kernel", "file", "line", "block": [x, y, z] | null, "shared": bytes | null}]}
 *
 * Kernels are named by their mangled names; templates, which have none, by their plain name.
 * A dim3 variable counts as a constant when nothing in the file assigns to it or takes its address.
 */
#include <clang-c/Index.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "tools/heddle-cc/llvm/calls.h"

enum { DEEPEST_BLOCK = 64 }; /* casts, copies and variables between a launch and the constants of its block */

struct scan {
	json_t *kernels, *launches;
	HD_VEC(CXCursor) assigned; /* variables that are written to or whose address is taken */
	struct hd_hash_set assigned_ids;
	unsigned depth; /* of block_of */
};

static void add_text(json_t *object, const char *key, CXString string)
{
	const char *text = clang_getCString(string);
	json_object_set_new(object, key, json_string(text ? text : ""));
	clang_disposeString(string);
}

static void add_place(json_t *object, CXCursor cursor)
{
	CXString file;
	unsigned line;
	/* As #line has it, which is what the device half's debug information says, too. */
	clang_getPresumedLocation(clang_getCursorLocation(cursor), &file, &line, NULL);
	add_text(object, "file", file);
	json_object_set_new(object, "line", json_integer(line));
}

/* ------------------------------------------------------------ children */

struct children {
	HD_VEC(CXCursor) list;
};

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	struct children *children = data;
	hd_vec_push(&children->list, cursor);
	return CXChildVisit_Continue;
}

static struct children children_of(CXCursor cursor)
{
	struct children children = {0};
	clang_visitChildren(cursor, collect, &children);
	return children;
}

/* ------------------------------------------------------------ constants */

static bool evaluate(CXCursor expression, uint32_t *value)
{
	if (!clang_isExpression(clang_getCursorKind(expression)))
		return false;
	CXEvalResult result = clang_Cursor_Evaluate(expression);
	bool known = false;
	if (result) {
		if (clang_EvalResult_getKind(result) == CXEval_Int) {
			long long number = clang_EvalResult_getAsLongLong(result);
			known = number >= 0 && number <= UINT32_MAX;
			*value = (uint32_t)number;
		}
		clang_EvalResult_dispose(result);
	}
	return known;
}

static struct hd_hash_slot *assigned_slot(struct scan *scan, CXCursor variable, uint64_t hash)
{
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &scan->assigned_ids, hash, clang_equalCursors(scan->assigned.data[slot->id], variable));
	return slot;
}

static bool is_assigned(struct scan *scan, CXCursor variable)
{
	return hd_hash_found(assigned_slot(scan, variable, hd_hash_mix(0, clang_hashCursor(variable))));
}

static void add_assigned(struct scan *scan, CXCursor variable)
{
	uint64_t hash = hd_hash_mix(0, clang_hashCursor(variable));
	struct hd_hash_slot *slot = assigned_slot(scan, variable, hash);
	if (hd_hash_found(slot))
		return;
	hd_hash_set_put(&scan->assigned_ids, slot, hash, scan->assigned.len);
	hd_vec_push(&scan->assigned, variable);
}

static bool block_of(struct scan *scan, CXCursor expression, uint32_t block[3]);

/* dim3(x, y, z): up to three constants, the rest 1. */
static bool constructor_block(const struct children *arguments, uint32_t block[3])
{
	if (arguments->list.len == 0 || arguments->list.len > 3)
		return false;
	for (uint32_t i = 0; i < arguments->list.len; i++)
		if (!evaluate(arguments->list.data[i], &block[i]))
			return false;
	return true;
}

static bool variable_block(struct scan *scan, CXCursor reference, uint32_t block[3])
{
	CXCursor variable = clang_getCursorReferenced(reference);
	if (clang_getCursorKind(variable) != CXCursor_VarDecl || is_assigned(scan, variable))
		return false;
	CXCursor initializer = clang_Cursor_getVarDeclInitializer(variable);
	return !clang_Cursor_isNull(initializer) && block_of(scan, initializer, block);
}

static bool is_dim3(CXCursor cursor)
{
	CXType type = clang_getCursorType(cursor);
	/* Types that depend on template arguments are invalid here, and clang_getUnqualifiedType takes none of these.
	 */
	if (type.kind == CXType_Invalid)
		return false;
	CXString name = clang_getTypeSpelling(clang_getUnqualifiedType(clang_getCanonicalType(type)));
	const char *text = clang_getCString(name);
	bool result = text && !strcmp(text, "dim3");
	clang_disposeString(name);
	return result;
}

static bool dim3_block(struct scan *scan, CXCursor expression, uint32_t block[3])
{
	enum CXCursorKind kind = clang_getCursorKind(expression);
	if (kind == CXCursor_DeclRefExpr)
		return variable_block(scan, expression, block);
	struct children children = children_of(expression);
	bool known = false;
	if (kind == CXCursor_CallExpr || kind == CXCursor_InitListExpr) {
		/* a copy or conversion has one argument, which may itself be a dim3 */
		if (children.list.len == 1 && is_dim3(children.list.data[0]))
			known = block_of(scan, children.list.data[0], block);
		else {
			while (children.list.len && clang_isReference(clang_getCursorKind(children.list.data[0])))
				hd_vec_remove(&children.list, 0);
			known = constructor_block(&children, block);
		}
	} else if (children.list.len) {
		known = block_of(scan, hd_vec_last(&children.list), block);
	}
	hd_vec_release(&children.list);
	return known;
}

/* An integer, a dim3 of constants, or a variable of either kind that keeps its first value. */
static bool block_of(struct scan *scan, CXCursor expression, uint32_t block[3])
{
	block[0] = block[1] = block[2] = 1;
	if (!is_dim3(expression))
		return evaluate(expression, &block[0]);
	/* Variables may be made from each other in a circle: dim3 b = b. */
	if (scan->depth == DEEPEST_BLOCK)
		return false;
	scan->depth++;
	bool known = dim3_block(scan, expression, block);
	scan->depth--;
	return known;
}

/* ------------------------------------------------------------ visits */

/* The variable that an assignment's target, `&x` or `++x` is about: x in x, x.y, x[i]. */
static void note_assigned(struct scan *scan, CXCursor target)
{
	while (!clang_Cursor_isNull(target)) {
		if (clang_getCursorKind(target) == CXCursor_DeclRefExpr) {
			add_assigned(scan, clang_getCursorReferenced(target));
			return;
		}
		struct children children = children_of(target);
		CXCursor first = children.list.len ? children.list.data[0] : clang_getNullCursor();
		hd_vec_release(&children.list);
		target = first;
	}
}

/*
 * Whether the text has it. A parse that leaves out what comes from the precompiled header has, beside its declarations,
 * the instances of templates that a constant asked for.
 */
static bool is_written(CXCursor cursor, CXCursor parent)
{
	if (clang_getCursorKind(parent) != CXCursor_TranslationUnit)
		return true;
	CXCursor pattern = clang_getSpecializedCursorTemplate(cursor);
	return clang_equalCursors(clang_getCursorLexicalParent(cursor), parent) &&
	       (clang_Cursor_isNull(pattern) ||
		!clang_equalLocations(clang_getCursorLocation(cursor), clang_getCursorLocation(pattern)));
}

static enum CXChildVisitResult find_assignments(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct scan *scan = data;
	if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)) || !is_written(cursor, parent))
		return CXChildVisit_Continue;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	struct children children = children_of(cursor);
	if (children.list.len) {
		bool unary = kind == CXCursor_UnaryOperator;
		enum CXUnaryOperatorKind unary_kind =
			unary ? clang_getCursorUnaryOperatorKind(cursor) : CXUnaryOperator_Invalid;
		if (kind == CXCursor_CompoundAssignOperator ||
		    (kind == CXCursor_BinaryOperator &&
		     clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign) ||
		    unary_kind == CXUnaryOperator_AddrOf || unary_kind == CXUnaryOperator_PreInc ||
		    unary_kind == CXUnaryOperator_PostInc || unary_kind == CXUnaryOperator_PreDec ||
		    unary_kind == CXUnaryOperator_PostDec)
			note_assigned(scan, children.list.data[0]);
		/* dim3's operator= */
		if (kind == CXCursor_CallExpr && children.list.len == 3) {
			CXString name = clang_getCursorSpelling(cursor);
			const char *text = clang_getCString(name);
			if (text && !strcmp(text, "operator="))
				note_assigned(scan, children.list.data[0]);
			clang_disposeString(name);
		}
	}
	hd_vec_release(&children.list);
	return CXChildVisit_Recurse;
}

static bool is_kernel(CXCursor cursor)
{
	struct children children = children_of(cursor);
	bool kernel = false;
	for (uint32_t i = 0; i < children.list.len; i++)
		kernel = kernel || clang_getCursorKind(children.list.data[i]) == CXCursor_CUDAGlobalAttr;
	hd_vec_release(&children.list);
	return kernel;
}

/* Whether a declaration stands in a template, where mangling may meet what only an instance has. */
static bool in_template(CXCursor declaration)
{
	CXCursor lexical = clang_getCursorLexicalParent(declaration);
	for (CXCursor at = lexical; !clang_isInvalid(clang_getCursorKind(at)); at = clang_getCursorSemanticParent(at)) {
		enum CXCursorKind kind = clang_getCursorKind(at);
		if (kind == CXCursor_TranslationUnit)
			break;
		if (kind == CXCursor_FunctionTemplate || kind == CXCursor_ClassTemplate ||
		    kind == CXCursor_ClassTemplatePartialSpecialization)
			return true;
	}
	return false;
}

/* Empty for a launch through a pointer: nobody knows of which kernel, and the pointer's own name may be that of
 * another. */
static CXString kernel_name(CXCursor kernel)
{
	enum CXCursorKind kind = clang_getCursorKind(kernel);
	if (clang_isDeclaration(kind) && kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod &&
	    kind != CXCursor_FunctionTemplate)
		kernel = clang_getNullCursor();
	else if (kind != CXCursor_FunctionTemplate && !in_template(kernel)) {
		CXString mangled = clang_Cursor_getMangling(kernel);
		const char *text = clang_getCString(mangled);
		if (text && *text)
			return mangled;
		clang_disposeString(mangled);
	}
	return clang_getCursorSpelling(kernel);
}

static void add_kernel(struct scan *scan, CXCursor cursor)
{
	json_t *kernel = json_object(), *params = json_array();
	add_text(kernel, "name", kernel_name(cursor));
	add_place(kernel, cursor);
	int count = clang_Cursor_getNumArguments(cursor);
	for (int i = 0; i < count; i++) {
		CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
		json_t *param = json_object();
		add_text(param, "name", clang_getCursorSpelling(argument));
		add_text(param, "type", clang_getTypeSpelling(clang_getCursorType(argument)));
		json_array_append_new(params, param);
	}
	json_object_set_new(kernel, "params", params);
	json_array_append_new(scan->kernels, kernel);
}

static bool is_configuration(CXCursor cursor)
{
	if (clang_getCursorKind(cursor) != CXCursor_CallExpr)
		return false;
	CXString name = clang_getCursorSpelling(cursor);
	const char *text = clang_getCString(name);
	bool result = text && !strcmp(text, "__cudaPushCallConfiguration");
	clang_disposeString(name);
	return result;
}

static json_t *block_json(struct scan *scan, CXCursor configuration)
{
	uint32_t block[3];
	if (clang_Cursor_getNumArguments(configuration) < 2 ||
	    !block_of(scan, clang_Cursor_getArgument(configuration, 1), block))
		return json_null();
	return json_pack("[I,I,I]", (json_int_t)block[0], (json_int_t)block[1], (json_int_t)block[2]);
}

static json_t *shared_json(CXCursor configuration)
{
	uint32_t bytes;
	if (clang_Cursor_getNumArguments(configuration) < 3)
		return json_integer(0);
	CXCursor argument = clang_Cursor_getArgument(configuration, 2);
	if (clang_isInvalid(clang_getCursorKind(argument)))
		return json_integer(0);
	return evaluate(argument, &bytes) ? json_integer(bytes) : json_null();
}

static void add_launch(struct scan *scan, CXCursor call, CXCursor configuration)
{
	json_t *launch = json_object();
	add_text(launch, "kernel", kernel_name(clang_getCursorReferenced(call)));
	add_place(launch, call);
	json_object_set_new(launch, "block", block_json(scan, configuration));
	json_object_set_new(launch, "shared", shared_json(configuration));
	json_array_append_new(scan->launches, launch);
}

static enum CXChildVisitResult find_kernels(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct scan *scan = data;
	if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)) || !is_written(cursor, parent))
		return CXChildVisit_Continue;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if ((kind == CXCursor_FunctionDecl || kind == CXCursor_FunctionTemplate) && is_kernel(cursor))
		add_kernel(scan, cursor);
	if (kind == CXCursor_CallExpr) {
		struct children children = children_of(cursor);
		for (uint32_t i = 0; i < children.list.len; i++)
			if (is_configuration(children.list.data[i])) {
				add_launch(scan, cursor, children.list.data[i]);
				break;
			}
		hd_vec_release(&children.list);
	}
	return CXChildVisit_Recurse;
}

/* ------------------------------------------------------------ the file */

/* libclang reads errors into sources that need clang's own headers, and takes them from beside the compiler. */
static CXTranslationUnit parse(const char *input, const hd_arguments *command, bool quick, bool quick_header)
{
	CXTranslationUnit unit = NULL;
	CXIndex index = clang_createIndex(quick_header, 0);
	unsigned options = CXTranslationUnit_KeepGoing | (quick ? CXTranslationUnit_Incomplete : 0);
	enum CXErrorCode error = clang_parseTranslationUnit2FullArgv(index, input, command->data, (int)command->len,
								     NULL, 0, options, &unit);
	return error == CXError_Success ? unit : NULL;
}

/* `placeless`: only such as no text is to blame for, a precompiled header of another version or a damaged one. */
static bool has_errors(CXTranslationUnit unit, bool placeless)
{
	bool errors = false;
	for (unsigned i = 0; i < clang_getNumDiagnostics(unit) && !errors; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
		CXFile file = NULL;
		clang_getFileLocation(clang_getDiagnosticLocation(diagnostic), &file, NULL, NULL, NULL);
		errors = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error && !(placeless && file);
		clang_disposeDiagnostic(diagnostic);
	}
	return errors;
}

/*
 * As the device half sees it: there a kernel's mangled name is the kernel's, not its host stub's.
 * First without the instances of templates and without what the precompiled header has, which nobody asks for here and
 * which take most of a parse's time. Whole where that has errors, of which what could be read counts; without the
 * precompiled header where that is at fault.
 */
static CXTranslationUnit parse_file(const struct hd_cc_scan *asked, bool *whole)
{
	bool header = asked->device.len;
	const hd_arguments *command = header ? &asked->device : &asked->plain;
	CXTranslationUnit unit = *whole ? NULL : parse(asked->input, command, true, header);
	if (unit && !has_errors(unit, false))
		return unit;
	*whole = true;
	unit = header ? parse(asked->input, command, false, false) : NULL;
	return unit && !has_errors(unit, true) ? unit : parse(asked->input, &asked->plain, false, false);
}

/* The walk takes a fraction of the parse's time; an expression that takes for ever to evaluate must not hold up the
 * build. */
static void limit_time(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	rlim_t seconds = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
	setrlimit(RLIMIT_CPU, &(struct rlimit){2 * seconds + 20, 2 * seconds + 20});
}

/* A line of hd_cc_scan's `refused`, where this is what the compiler will say. */
static void add_refused(struct hd_strbuf *places, CXDiagnostic diagnostic)
{
	CXString message = clang_getDiagnosticSpelling(diagnostic), name;
	CXFile file;
	unsigned line, column, offset;
	const char *text = clang_getCString(message);
	if (text && !strcmp(text, "initialization is not supported for __shared__ variables")) {
		clang_getFileLocation(clang_getDiagnosticLocation(diagnostic), &file, &line, &column, &offset);
		name = clang_getFileName(file);
		if (clang_getCString(name))
			hd_strbuf_printf(places, "%u %u %u %s\n", offset, line, column, clang_getCString(name));
		clang_disposeString(name);
	}
	clang_disposeString(message);
}

static int write_refused(const struct hd_cc_scan *asked, CXTranslationUnit unit)
{
	struct hd_strbuf places = {0};
	unsigned count = clang_getNumDiagnostics(unit);
	for (unsigned i = 0; i < count; i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
		add_refused(&places, diagnostic);
		clang_disposeDiagnostic(diagnostic);
	}
	int status = places.len ? hd_write_file(asked->refused, places.data, places.len, asked->diag) : 0;
	hd_strbuf_release(&places);
	return status;
}

/*
 * clang's error at a launch in a kernel or a device function: it has no words for what the programmer meant. Where the
 * kernel that is launched is a template's, it names the function that takes the launch's configuration.
 */
static bool is_nested_launch(const char *text)
{
	static const char kernel[] = "reference to __global__ function '";
	static const char configuration[] = "reference to __host__ function '__cudaPushCallConfiguration'";
	return text &&
	       (!strncmp(text, kernel, sizeof kernel - 1) || !strncmp(text, configuration, sizeof configuration - 1)) &&
	       (strstr(text, "' in __global__ function") || strstr(text, "' in __device__ function"));
}

/* Says at each such launch that it is not supported: once for a line, where clang may have two errors. */
static bool report_nested(const struct hd_cc_scan *asked, CXTranslationUnit unit)
{
	bool any = false;
	CXFile file_before = NULL;
	unsigned line_before = 0;
	for (unsigned i = 0; i < clang_getNumDiagnostics(unit); i++) {
		CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
		CXString message = clang_getDiagnosticSpelling(diagnostic);
		if (is_nested_launch(clang_getCString(message))) {
			CXFile file;
			struct hd_loc loc;
			clang_getFileLocation(clang_getDiagnosticLocation(diagnostic), &file, &loc.line, &loc.column,
					      NULL);
			CXString name = clang_getFileName(file);
			loc.file = clang_getCString(name);
			if (!any)
				dup2(asked->errors, STDERR_FILENO);
			if (!any || loc.line != line_before || !clang_File_isEqual(file, file_before))
				hd_error(asked->diag, loc,
					 "a kernel launches a kernel: dynamic parallelism is not supported");
			any = true;
			file_before = file;
			line_before = loc.line;
			clang_disposeString(name);
		}
		clang_disposeString(message);
		clang_disposeDiagnostic(diagnostic);
	}
	return any;
}

/* ------------------------------------------------------------ without exceptions */

struct exceptions {
	const struct hd_cc_scan *asked;
	bool any;
};

/* clang leaves it to CUDA's device half to refuse these, and compiles them as it likes. */
static enum CXChildVisitResult find_exceptions(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct exceptions *found = data;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	CXSourceLocation place = clang_getCursorLocation(cursor);
	struct hd_loc loc;
	CXFile file;
	(void)parent;
	if (clang_Location_isInSystemHeader(place))
		return CXChildVisit_Continue;
	if (kind != CXCursor_CXXThrowExpr && kind != CXCursor_CXXTryStmt)
		return CXChildVisit_Recurse;
	clang_getFileLocation(place, &file, &loc.line, &loc.column, NULL);
	CXString name = clang_getFileName(file);
	loc.file = clang_getCString(name);
	if (!found->any)
		dup2(found->asked->errors, STDERR_FILENO);
	found->any = true;
	hd_error(found->asked->diag, loc, "'%s' with exceptions disabled (-noeh, -fno-exceptions)",
		 kind == CXCursor_CXXThrowExpr ? "throw" : "try");
	clang_disposeString(name);
	return CXChildVisit_Recurse;
}

/* The option is of host code, which is therefore parsed as such. Reports `throw` and `try` outside of system headers.
 */
static bool report_exceptions(const struct hd_cc_scan *asked)
{
	struct exceptions found = {.asked = asked};
	CXTranslationUnit unit = parse(asked->input, &asked->host, true, false);
	if (unit)
		clang_visitChildren(clang_getTranslationUnitCursor(unit), find_exceptions, &found);
	return found.any;
}

enum hd_cc_scan_result hd_llvm_scan(const struct hd_cc_scan *asked)
{
	bool whole = asked->whole;
	CXTranslationUnit unit = parse_file(asked, &whole);
	if (!unit || (whole && write_refused(asked, unit)))
		return HD_CC_SCAN_FAILED;
	if (whole && report_nested(asked, unit))
		return HD_CC_SCAN_REPORTED;
	if (asked->host.len && report_exceptions(asked))
		return HD_CC_SCAN_REPORTED;
	limit_time();
	struct scan scan = {.kernels = json_array(), .launches = json_array()};
	CXCursor root = clang_getTranslationUnitCursor(unit);
	clang_visitChildren(root, find_assignments, &scan);
	clang_visitChildren(root, find_kernels, &scan);
	json_t *facts = json_pack("{s:o,s:o}", "kernels", scan.kernels, "launches", scan.launches);
	char *text = facts ? json_dumps(facts, JSON_INDENT(1)) : NULL;
	if (!text || hd_write_file(asked->path, text, strlen(text), asked->diag))
		return HD_CC_SCAN_FAILED;
	return whole ? HD_CC_SCAN_DONE : HD_CC_SCAN_QUICK;
}
