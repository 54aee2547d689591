/*
 * Parsing of nvcc's command line into struct hd_cc. One table says what each option does.
 */
#include "tools/heddle-cc/options.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/config.h"
#include "heddle/version.h"
#include "lib/path.h"
#include "lib/strbuf.h"

enum action {
	ACT_OUTPUT,
	ACT_STAGE_C,
	ACT_STAGE_DC,
	ACT_STAGE_DLINK,
	ACT_STAGE_PTX,
	ACT_STAGE_E,
	ACT_STAGE_LAUNCHES,
	ACT_STAGE_M,
	ACT_STAGE_LIB,
	ACT_STAGE_CUDA,
	ACT_IMAGE,
	ACT_RDC,
	ACT_LANGUAGE,
	ACT_CODE,
	ACT_GENCODE,
	ACT_OPTIMIZE,
	ACT_FAST_COMPILE,
	ACT_DEVICE_OPTIMIZED,
	ACT_MAXREG,
	ACT_WITHOUT,
	ACT_FLAG,
	ACT_TEXT,
	ACT_QUIET,
	ACT_COMMON,	   /* goes to both halves as it is */
	ACT_COMMON_VALUE,  /* so does its value, as a second word */
	ACT_COMMON_EQUALS, /* or behind = */
	ACT_NO_EXCEPTIONS,
	ACT_TIME_TRACE,
	ACT_OPT_INFO,
	ACT_LIST_CODE,
	ACT_LIST_ARCH,
	ACT_INCLUDE,
	ACT_REMARKS,
	ACT_DEPENDENCIES,
	ACT_DEPENDENCY_FILE,
	ACT_DEPENDENCY_TARGET,
	ACT_MAN,
	ACT_WORDS,
	ACT_STD,
	ACT_LIBDEVICE,
	ACT_LINEAR,
	ACT_HOST,
	ACT_HOST_FLAG,
	ACT_ARCHIVE,
	ACT_RUN_ARGS,
	ACT_LINK,
	ACT_LINKER,
	ACT_PTXAS,
	ACT_PASS,
	ACT_TRUTH,
	ACT_IGNORE,
	ACT_IGNORE_VALUE,
	ACT_REFUSED,
	ACT_WRAPPER,
	ACT_IGNORE_TRUTH, /* nor does true or false */
	ACT_HELP,
	ACT_VERSION
};

/* How the value is attached. */
enum form { FORM_NONE, FORM_SEPARATE /* -o F, or -o=F */, FORM_JOINED /* -IF or -I F */ };

struct option {
	const char *name, *other;
	enum form form;
	enum action action;
	size_t flag; /* offset of the bool (ACT_FLAG) or the text (ACT_TEXT) */
	const char *help;
};

#define FLAG(field) offsetof(struct hd_cc, field)

static const struct option options[] = {
#include "tools/heddle-cc/options.def"
};
static const unsigned option_count = sizeof options / sizeof *options;

const char hd_cc_help_text[] =
	"nvcc's long forms (--output-file, --gpu-architecture, ...) are accepted. Options that begin with -W "
	"or -f\n"
	"go to clang. -Rpass-analysis='heddle-.*' prints remarks on kernels, or on the whole program when "
	"linking.\n"
	"-fsave-optimization-record writes the device half's remarks to NAME.opt.yaml next to the output.\n"
	"Metadata goes to NAME.heddle.json next to the output. A link of objects or archives compiled with "
	"-dc\n"
	"links their device code first; -dlto optimises across their calls.\n"
	"HEDDLE_CLANG names the clang++ to use instead of clang++-" HD_LLVM ".\n";

bool hd_cc_option_at(unsigned index, struct hd_cc_option *option)
{
	if (index >= option_count)
		return false;
	*option = (struct hd_cc_option){options[index].name, options[index].help, options[index].form != FORM_NONE,
					options[index].form == FORM_JOINED};
	return true;
}

static void print_help(void)
{
	printf("Usage: heddle-cc [OPTION...] FILE...\n"
	       "Compiles CUDA (.cu), C and C++ sources into a program that runs on the simulated GPU.\n\n");
	for (unsigned i = 0; i < option_count; i++)
		if (options[i].help)
			printf("  %s %s\n", options[i].name, options[i].help);
	printf("\n%s", hd_cc_help_text);
}

/* What the pass can leave out. */
static const char *const switches[] = {
#define HD_SWITCH(id, name, step, doc) name,
#include "passes/mir.def"
};
enum { SWITCHES = sizeof(switches) / sizeof(switches[0]) };

/* -heddle-no-NAME; several add up. */
static int set_without(struct hd_cc *cc, const char *text)
{
	unsigned i = 0;
	while (i < SWITCHES && strcmp(switches[i], text) != 0)
		i++;
	if (i == SWITCHES)
		return hd_unknown_name(&cc->diag, "-heddle-no-NAME: unknown switch", text, switches, SWITCHES);
	cc->without = cc->without ? hd_arena_printf(&cc->arena, "%s+%s", cc->without, text) : text;
	return 0;
}

static int set_linear(struct hd_cc *cc, const char *text)
{
	cc->linear = text;
	if (!strcmp(text, "never") || !strcmp(text, "saving") || !strcmp(text, "always"))
		return 0;
	return hd_error(&cc->diag, HD_NOWHERE, "-heddle-linear: expected never, saving or always, not '%s'", text);
}

static int set_max_registers(struct hd_cc *cc, const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	if (*end || end == text || value < 16 || value > 255)
		return hd_error(&cc->diag, HD_NOWHERE, "-maxrregcount: expected 16 to 255, not '%s'", text);
	cc->max_registers = (uint32_t)value;
	return 0;
}

/* `levels`: the letters that may follow -O. */
static int set_level(struct hd_cc *cc, const char **level, const char *levels, const char *text)
{
	if (strlen(text) > 1 || !strchr(levels, *text))
		return hd_error(&cc->diag, HD_NOWHERE, "unknown optimisation level '-O%s'", text);
	*level = hd_arena_printf(&cc->arena, "-O%s", *text ? text : "1");
	return 0;
}

const char *hd_cc_device_level(const struct hd_cc *cc)
{
	if (cc->device_debug && !cc->device_optimized)
		return "-O0";
	if (cc->device_optimize)
		return cc->device_optimize;
	if (cc->fast_compile)
		return cc->fast_compile;
	return cc->optimize && !strcmp(cc->optimize, "-O0") ? "-O0" : "-O3";
}

/* Levels of the device half at which it compiles as much faster as nvcc means to. */
static int set_fast_compile(struct hd_cc *cc, const char *text)
{
	static const char *const levels[][2] = {{"0", NULL}, {"min", NULL}, {"mid", "-O2"}, {"max", "-O1"}};
	for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(text, levels[i][0])) {
			cc->fast_compile = levels[i][1];
			return 0;
		}
	return hd_error(&cc->diag, HD_NOWHERE, "-Ofc: expected 0, min, mid or max, not '%s'", text);
}

/* An option of which nvcc has one value alone. */
static int check_only(struct hd_cc *cc, const char *name, const char *value, const char *only)
{
	if (!strcmp(value, only))
		return 0;
	return hd_error(&cc->diag, HD_NOWHERE, "%s: expected %s, not '%s'", name, only, value);
}

static int set_language(struct hd_cc *cc, const char *text)
{
	static const char *const known[][2] = {{"cu", "cuda"}, {"cuda", "cuda"}, {"c", "c"}, {"c++", "c++"}};
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(text, known[i][0])) {
			cc->language = known[i][1];
			return 0;
		}
	return hd_error(&cc->diag, HD_NOWHERE, "unknown language '-x %s' (expected cu, c or c++)", text);
}

static int set_relocatable(struct hd_cc *cc, const char *text)
{
	cc->relocatable = !strcmp(text, "true");
	if (!cc->relocatable && strcmp(text, "false") != 0)
		return hd_error(&cc->diag, HD_NOWHERE, "-rdc: expected true or false, not '%s'", text);
	return 0;
}

static int set_libdevice(struct hd_cc *cc, const char *folder)
{
	glob_t found = {0};
	if (glob(hd_arena_printf(&cc->arena, "%s/libdevice*.bc", folder), 0, NULL, &found)) {
		globfree(&found);
		return hd_error(&cc->diag, HD_NOWHERE, "no libdevice*.bc in '%s'", folder);
	}
	cc->libdevice = hd_arena_strdup(&cc->arena, found.gl_pathv[0]);
	globfree(&found);
	return 0;
}

static int set_remark_scope(struct hd_cc *cc, const char *text)
{
	if (strcmp(text, "kernels") != 0 && strcmp(text, "functions") != 0 && strcmp(text, "all") != 0)
		return hd_error(&cc->diag, HD_NOWHERE, "-heddle-remarks: expected kernels, functions or all, not '%s'",
				text);
	cc->remark_scope = text;
	return 0;
}

static const char *after(const char *argument, const char *prefix)
{
	size_t length = strlen(prefix);
	return strncmp(argument, prefix, length) ? NULL : argument + length;
}

/* clang's options for optimization records, which are the device half's here. 1: it is none of them. */
static int take_record_option(struct hd_cc *cc, const char *argument)
{
	const char *save = after(argument, "-fsave-optimization-record"), *value;
	if (save) {
		/* Strings of a bitstream would go into a section of the object, which exists on other systems only. */
		if (*save && strcmp(save, "=yaml") != 0)
			return hd_error(&cc->diag, HD_NOWHERE,
					"'%s': only YAML is supported (llvm-remarkutil converts it)", argument);
	} else if ((value = after(argument, "-foptimization-record-file="))) {
		cc->record_file = value;
	} else if ((value = after(argument, "-foptimization-record-passes="))) {
		cc->record_passes = value;
	} else {
		return 1;
	}
	cc->record = true;
	return 0;
}

/* Both halves show clang's own remarks; those of the plugin are shown once more of the linked device code. */
static int take_remark_option(struct hd_cc *cc, const char *argument)
{
	const char *analysis = after(argument, "-Rpass-analysis=");
	if (analysis && strchr(analysis, ';'))
		return hd_error(&cc->diag, HD_NOWHERE, "'%s': a pattern of passes must not contain ';'", argument);
	if (analysis)
		cc->remarks = analysis;
	hd_vec_push(&cc->common, argument);
	return 0;
}

/* What is in no table and goes to clang. */
static int pass_on(struct hd_cc *cc, const char *argument)
{
	int status = take_record_option(cc, argument);
	if (status <= 0)
		return status;
	if (argument[1] == 'R')
		return take_remark_option(cc, argument);
	cc->ptxas_errors = cc->ptxas_errors || !strcmp(argument, "-Werror");
	hd_vec_push(&cc->common, argument);
	return 0;
}

/* Headers that ours come before: a toolkit's, or libcu++ alone. */
static bool is_of_toolkit(struct hd_cc *cc, const char *folder)
{
	return access(hd_arena_printf(&cc->arena, "%s/cuda_runtime_api.h", folder), R_OK) == 0 ||
	       access(hd_arena_printf(&cc->arena, "%s/cuda/std/version", folder), R_OK) == 0;
}

/*
 * A folder of headers. That of a toolkit, which many a makefile names, comes after ours: what ours have replaces
 * NVIDIA's, the rest (curand_kernel.h) is found there, and so are the template libraries beside, as nvcc finds them.
 */
static void add_include(struct hd_cc *cc, const char *option, const char *folder)
{
	bool toolkit = is_of_toolkit(cc, folder);
	const char *libraries = hd_arena_printf(&cc->arena, "%s/cccl", folder);
	hd_vec_push(&cc->common, toolkit ? "-isystem" : option);
	hd_vec_push(&cc->common, folder);
	if (toolkit && access(libraries, R_OK | X_OK) == 0) {
		hd_vec_push(&cc->common, "-isystem");
		hd_vec_push(&cc->common, libraries);
	}
}

/* CPATH is as -I to clang: a toolkit's folder there becomes one of the command line, the others stay. */
static void take_environment(struct hd_cc *cc)
{
	const char *path = getenv("CPATH");
	struct hd_strbuf rest = {0};
	while (path && *path) {
		size_t length = strcspn(path, ":");
		const char *folder = hd_arena_printf(&cc->arena, "%.*s", (int)length, path);
		if (length && is_of_toolkit(cc, folder))
			add_include(cc, "-I", folder);
		else
			hd_strbuf_printf(&rest, "%s%s", rest.len ? ":" : "", length ? folder : ".");
		path += length + (path[length] == ':');
	}
	if (rest.len)
		setenv("CPATH", hd_strbuf_text(&rest), 1);
	else
		unsetenv("CPATH");
	hd_strbuf_release(&rest);
}

/* -Xcompiler; a toolkit's headers come after ours there, too. */
static void add_host_options(struct hd_cc *cc, const char *list)
{
	uint32_t first = cc->host.len;
	hd_cc_add_list(cc, &cc->host, list, NULL);
	for (uint32_t i = first; i < cc->host.len; i++) {
		const char *folder = after(cc->host.data[i], "-I");
		if (folder && *folder && is_of_toolkit(cc, folder))
			cc->host.data[i] = hd_arena_printf(&cc->arena, "-isystem%s", folder);
	}
}

/* What libheddle-cudart stands in for. */
static bool is_runtime_library(const char *name)
{
	return !strcmp(name, "cudart") || !strcmp(name, "cudart_static") || !strcmp(name, "cudadevrt") ||
	       !strcmp(name, "cuda") || !strcmp(name, "nvToolsExt");
}

static int set_truth(struct hd_cc *cc, enum hd_cc_truth *truth, const char *name, const char *value)
{
	*truth = !strcmp(value, "true") ? HD_CC_TRUE : HD_CC_FALSE;
	if (*truth == HD_CC_FALSE && strcmp(value, "false") != 0)
		return hd_error(&cc->diag, HD_NOWHERE, "%s: expected true or false, not '%s'", name, value);
	return 0;
}

static bool is_either(const char *word, const char *one, const char *other)
{
	return !strcmp(word, one) || !strcmp(word, other);
}

/* What it says of the code and the limit of registers; the rest tunes an assembler that is not there. */
static int take_ptxas_options(struct hd_cc *cc, const char *value)
{
	hd_arguments list = {0};
	int status = 0;
	hd_cc_add_list(cc, &list, value, NULL);
	for (uint32_t i = 0; i < list.len && !status; i++) {
		const char *word = list.data[i] + strspn(list.data[i], "-");
		const char *limit = after(word, "maxrregcount");
		cc->report = cc->report || is_either(word, "v", "verbose");
		cc->warn_spills = cc->warn_spills || is_either(word, "warn-spills", "warn-on-spills");
		cc->warn_local = cc->warn_local || is_either(word, "warn-lmem-usage", "warn-on-local-memory-usage");
		cc->ptxas_errors = cc->ptxas_errors || is_either(word, "Werror", "warning-as-error");
		if (limit && *limit == '=')
			status = set_max_registers(cc, limit + 1);
		else if (limit && !*limit && i + 1 < list.len)
			status = set_max_registers(cc, list.data[++i]);
		else if (*word == 'O')
			status = set_level(cc, &cc->device_optimize, "0123", word + 1);
		else if (after(word, "opt-level="))
			status = set_level(cc, &cc->device_optimize, "0123", after(word, "opt-level="));
	}
	hd_vec_release(&list);
	return status;
}

/* The second line is what build systems know nvcc by, the third where they read the version of CUDA. */
static void print_version(void)
{
	printf("heddle-cc %s (LLVM 19)\n"
	       "in the place of nvcc: NVIDIA (R) Cuda compiler driver\n"
	       "Cuda compilation tools, release " HD_CUDA_RELEASE ", V" HD_CUDA_RELEASE "." HD_CUDA_BUILD "\n",
	       HD_VERSION);
}

static int apply(struct hd_cc *cc, const struct option *option, const char *value)
{
	switch (option->action) {
	case ACT_OUTPUT: cc->output = value; return 0;
	case ACT_STAGE_C: cc->stage = HD_CC_OBJECT; return 0;
	case ACT_STAGE_DC:
		cc->stage = HD_CC_OBJECT;
		cc->relocatable = true;
		return 0;
	case ACT_STAGE_DLINK: cc->stage = HD_CC_DEVICE_LINK; return 0;
	case ACT_RDC: return set_relocatable(cc, value);
	case ACT_STAGE_PTX: cc->stage = HD_CC_PTX; return 0;
	case ACT_STAGE_E: cc->stage = HD_CC_PREPROCESS; return 0;
	case ACT_STAGE_LAUNCHES: cc->stage = HD_CC_LAUNCHES; return 0;
	case ACT_STAGE_M: cc->dependency_kind = option->name; return 0;
	case ACT_STAGE_LIB: cc->stage = HD_CC_ARCHIVE; return 0;
	case ACT_STAGE_CUDA: cc->stage = HD_CC_HOST_SOURCE; return 0;
	case ACT_IMAGE: cc->image = option->name + 1; return 0;
	case ACT_LANGUAGE: return set_language(cc, value);
	case ACT_CODE:
		cc->code_names = cc->code_names ? hd_arena_printf(&cc->arena, "%s,%s", cc->code_names, value) : value;
		return 0;
	case ACT_GENCODE: return hd_cc_add_gencode(cc, value);
	case ACT_OPTIMIZE: return set_level(cc, &cc->optimize, "0123sz", value);
	case ACT_FAST_COMPILE: return set_fast_compile(cc, value);
	case ACT_DEVICE_OPTIMIZED: cc->device_optimized = true; return check_only(cc, option->name, value, "on");
	case ACT_WITHOUT: return set_without(cc, value);
	case ACT_LINEAR: return set_linear(cc, value);
	case ACT_MAXREG: return set_max_registers(cc, value);
	case ACT_FLAG: *(bool *)((char *)cc + option->flag) = true; return 0;
	case ACT_TEXT: *(const char **)((char *)cc + option->flag) = value; return 0;
	case ACT_QUIET:
		cc->quiet = true;
		hd_vec_push(&cc->common, "-w");
		return 0;
	case ACT_COMMON: hd_vec_push(&cc->common, option->name); return 0;
	case ACT_INCLUDE: add_include(cc, option->name, value); return 0;
	case ACT_COMMON_VALUE:
		hd_vec_push(&cc->common, option->name);
		hd_vec_push(&cc->common, value);
		return 0;
	case ACT_COMMON_EQUALS:
		hd_vec_push(&cc->common, hd_arena_printf(&cc->arena, "%s=%s", option->name, value));
		return 0;
	case ACT_NO_EXCEPTIONS: hd_vec_push(&cc->host, "-fno-exceptions"); return 0;
	case ACT_TIME_TRACE: cc->time_trace = value; return 0;
	case ACT_OPT_INFO:
		hd_vec_push(&cc->device, "-Rpass=inline");
		return check_only(cc, option->name, value, "inline");
	case ACT_LIST_CODE: cc->lists_code = true; return 0;
	case ACT_LIST_ARCH: cc->lists_arch = true; return 0;
	case ACT_STD: hd_vec_push(&cc->common, hd_arena_printf(&cc->arena, "-std=%s", value)); return 0;
	case ACT_LIBDEVICE: return set_libdevice(cc, value);
	case ACT_REMARKS: return set_remark_scope(cc, value);
	case ACT_HOST: add_host_options(cc, value); return 0;
	case ACT_HOST_FLAG: hd_vec_push(&cc->host, option->name); return 0;
	case ACT_ARCHIVE: hd_cc_add_list(cc, &cc->archive, value, NULL); return 0;
	case ACT_RUN_ARGS: hd_cc_add_list(cc, &cc->run_arguments, value, NULL); return 0;
	case ACT_LINK:
		if (strcmp(option->name, "-l") || !is_runtime_library(value))
			hd_vec_push(&cc->link, hd_arena_printf(&cc->arena, "%s%s", option->name, value));
		return 0;
	case ACT_LINKER: hd_cc_add_list(cc, &cc->link, value, "-Xlinker"); return 0;
	case ACT_PASS: hd_cc_add_list(cc, &cc->parameters, value, NULL); return 0;
	case ACT_TRUTH: return set_truth(cc, (enum hd_cc_truth *)((char *)cc + option->flag), option->name, value);
	case ACT_PTXAS: return take_ptxas_options(cc, value);
	case ACT_IGNORE:
	case ACT_IGNORE_VALUE: return 0;
	case ACT_REFUSED: return hd_error(&cc->diag, HD_NOWHERE, "%s is not supported", option->name);
	case ACT_WRAPPER: return hd_cc_ask_wrapper(cc, value);
	case ACT_IGNORE_TRUTH: return set_truth(cc, &(enum hd_cc_truth){HD_CC_UNSAID}, option->name, value);
	case ACT_DEPENDENCIES: cc->dependencies_too = option->name; return 0;
	case ACT_DEPENDENCY_FILE: cc->dependency_file = value; return 0;
	case ACT_DEPENDENCY_TARGET: cc->dependency_target = value; return 0;
	case ACT_MAN: hd_cc_manual(); return 1;
	case ACT_WORDS: hd_cc_words(); return 1;
	case ACT_HELP: print_help(); return 1;
	case ACT_VERSION: print_version(); return 1;
	}
	return 0;
}

/* Whether the argument is the name, or the name with "=" and its value. */
static bool is_named(const char *argument, const char *name, const struct option *option, const char **value)
{
	size_t length = strlen(name);
	*value = NULL;
	if (strncmp(argument, name, length) != 0)
		return false;
	if (option->form != FORM_NONE && argument[length] == '=')
		*value = argument + length + 1;
	return !argument[length] || *value;
}

/* The option that `argument` is, with its joined value in *value (NULL: it may follow). As nvcc does, it takes a long
 * name with one dash, too. */
static const struct option *find_option(const char *argument, const char **value)
{
	for (unsigned i = 0; i < option_count; i++)
		if (is_named(argument, options[i].name, &options[i], value) ||
		    is_named(argument, options[i].other, &options[i], value))
			return &options[i];
	for (unsigned i = 0; i < option_count; i++)
		if (!strncmp(options[i].other, "--", 2) && is_named(argument, options[i].other + 1, &options[i], value))
			return &options[i];
	for (unsigned i = 0; i < option_count; i++) {
		size_t length = strlen(options[i].name);
		if (options[i].form == FORM_JOINED && !strncmp(argument, options[i].name, length)) {
			*value = argument + length;
			return &options[i];
		}
	}
	return NULL;
}

static int unknown_option(struct hd_cc *cc, const char *argument)
{
	const char *names[sizeof options / sizeof *options];
	for (unsigned i = 0; i < option_count; i++)
		names[i] = argument[1] == '-' ? options[i].other : options[i].name;
	char *near = hd_nearest_names(argument, names, option_count);
	hd_error(&cc->diag, HD_NOWHERE, "unknown option '%s'%s%s%s", argument, *near ? "; did you mean " : "", near,
		 *near ? "?" : "");
	free(near);
	return -1;
}

/* nvcc's -Werror has kinds: what follows is one when it begins with one. */
static bool is_warning_kinds(const char *argument)
{
	static const char *const kinds[] = {"all-warnings",
					    "cross-execution-space-call",
					    "reorder",
					    "deprecated-declarations",
					    "default-stream-launch",
					    "missing-launch-bounds",
					    "ext-lambda-captures-this"};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (after(argument, kinds[i]))
			return true;
	return false;
}

/* Those that the argument, or the one behind it, has; NULL: it is another option. */
static const char *warning_kinds(const char *argument, const char *next)
{
	const char *rest = after(argument + (argument[1] == '-'), "-Werror");
	const char *kinds = rest && *rest == '=' ? rest + 1 : rest && !*rest ? next : NULL;
	return kinds && is_warning_kinds(kinds) ? kinds : NULL;
}

/* Those that are clang's, too; the calls that another speaks of are errors anyway. */
static void take_warning_kinds(struct hd_cc *cc, const char *kinds)
{
	if (strstr(kinds, "reorder"))
		hd_vec_push(&cc->common, "-Werror=reorder");
	if (strstr(kinds, "deprecated-declarations"))
		hd_vec_push(&cc->common, "-Werror=deprecated-declarations");
	if (!strstr(kinds, "all-warnings"))
		return;
	hd_vec_push(&cc->common, "-Werror");
	cc->ptxas_errors = true;
}

static int parse_argument(struct hd_cc *cc, const hd_arguments *words, uint32_t *index)
{
	const char *argument = words->data[*index], *value;
	const char *next = *index + 1 < words->len ? words->data[*index + 1] : NULL;
	if (*argument != '-' || !argument[1]) {
		hd_vec_push(&cc->inputs, argument);
		return 0;
	}
	const struct option *option = find_option(argument, &value);
	if (!option) {
		const char *kinds = warning_kinds(argument, next);
		if (kinds) {
			take_warning_kinds(cc, kinds);
			*index += kinds == next;
			return 0;
		}
		bool passed_on = argument[1] == 'W' || argument[1] == 'f' || after(argument, "-Rpass");
		if (!passed_on && cc->forward_linker) {
			hd_vec_push(&cc->link, argument);
			return 0;
		}
		if (!passed_on && cc->forward_unknown) {
			hd_vec_push(&cc->host, argument);
			return 0;
		}
		return passed_on ? pass_on(cc, argument) : unknown_option(cc, argument);
	}
	if (option->action == ACT_OPTIMIZE && !value) { /* -O 2, too, unless there is a file of that name */
		bool level = next && *next && strspn(next, "0123") == 1 && !next[1] && access(next, F_OK) != 0;
		*index += level;
		value = level ? next : "";
	}
	if (option->form != FORM_NONE && !value) {
		value = next;
		if (!value)
			return hd_error(&cc->diag, HD_NOWHERE, "%s needs a value", argument);
		++*index;
	}
	return apply(cc, option, value);
}

/* ------------------------------------------------------------ places */

static char *beside(const char *base, const char *path)
{
	struct hd_strbuf text = {0};
	hd_strbuf_printf(&text, "%s/%s", base, path);
	char *real = hd_path_real(hd_strbuf_text(&text));
	if (real) {
		hd_strbuf_release(&text);
		return real;
	}
	return hd_strbuf_detach(&text);
}

const char *hd_cc_compiler(struct hd_cc *cc)
{
	char *found = hd_child_find(cc->clangxx), *real = found ? hd_path_real(found) : NULL;
	const char *path = real ? hd_arena_strdup(&cc->arena, real) : NULL;
	free(found);
	free(real);
	return path;
}

static void find_places(struct hd_cc *cc)
{
	char *data = hd_data_dir();
	const char *clang = getenv("HEDDLE_CLANG");
	cc->clangxx = hd_xstrdup(clang && *clang ? clang : "clang++-" HD_LLVM);
	cc->plugin = beside(data, "../../lib/HeddlePasses.so");
	cc->library_dir = beside(data, "../../lib");
	cc->device_library = cc->libdevice ? hd_xstrdup(cc->libdevice) : beside(data, "device.bc");
	cc->include_dir = beside(data, "include/cuda");
	cc->toolkit = beside(data, "cuda");
	free(data);
}

static uint32_t count_cuda(const struct hd_cc *cc)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < cc->inputs.len; i++)
		count += hd_cc_is_cuda(cc, cc->inputs.data[i]);
	return count;
}

/* What the options say together. */
static int check(struct hd_cc *cc)
{
	if (cc->image && cc->stage != HD_CC_DEVICE_LINK)
		cc->stage = HD_CC_IMAGE;
	if (cc->dependency_kind) { /* with -c, -ptx and so on: for the rule's sake alone */
		cc->stage = HD_CC_DEPENDENCIES;
		cc->dependencies_too = NULL;
	}
	if (!cc->inputs.len)
		return hd_error(&cc->diag, HD_NOWHERE, "no input files");
	if (cc->record_file && count_cuda(cc) > 1)
		return hd_error(&cc->diag, HD_NOWHERE, "-foptimization-record-file takes only one source");
	if (cc->dependency_file && !cc->dependencies_too && !cc->dependency_kind)
		return hd_error(&cc->diag, HD_NOWHERE, "-MF needs -M, -MM, -MD or -MMD");
	if (cc->dependencies_too && cc->stage == HD_CC_PREPROCESS)
		return hd_error(&cc->diag, HD_NOWHERE, "%s cannot be used with -E (use -M or -MM)",
				cc->dependencies_too);
	if (cc->dependency_file && cc->inputs.len > 1)
		return hd_error(&cc->diag, HD_NOWHERE, "-MF takes only one source");
	bool joins = cc->stage == HD_CC_LINK || cc->stage == HD_CC_DEVICE_LINK || cc->stage == HD_CC_ARCHIVE;
	if (cc->output && cc->inputs.len > 1 && !joins)
		return hd_error(&cc->diag, HD_NOWHERE, "-o with several inputs needs a link step");
	for (uint32_t i = 0; i < cc->inputs.len; i++)
		if (hd_cc_is_stdin(cc->inputs.data[i]) ? !cc->language : access(cc->inputs.data[i], R_OK) != 0)
			return hd_cc_is_stdin(cc->inputs.data[i])
				       ? hd_error(&cc->diag, HD_NOWHERE, "standard input needs -x cu, c or c++")
				       : hd_error(&cc->diag, HD_NOWHERE, "cannot read %s", cc->inputs.data[i]);
	return 0;
}

int hd_cc_parse(struct hd_cc *cc, int argc, char **argv)
{
	hd_arguments words = {0};
	memset(cc, 0, sizeof *cc);
	hd_arena_init(&cc->arena);
	cc->diag.tool = "heddle-cc";
	int status = hd_cc_expand(cc, argc, argv, &words);
	for (uint32_t i = 0; i < words.len && !status; i++)
		status = parse_argument(cc, &words, &i);
	hd_vec_release(&words);
	if (status)
		return status;
	if (cc->lists_code || cc->lists_arch) {
		hd_cc_print_targets(cc);
		return 1;
	}
	find_places(cc);
	take_environment(cc);
	if (hd_cc_choose_target(cc))
		return -1;
	hd_cc_print_variables(cc);
	return check(cc);
}

void hd_cc_release(struct hd_cc *cc)
{
	hd_vec_release(&cc->inputs);
	hd_vec_release(&cc->common);
	hd_vec_release(&cc->host);
	hd_vec_release(&cc->link);
	hd_vec_release(&cc->parameters);
	hd_vec_release(&cc->device);
	hd_vec_release(&cc->archive);
	hd_vec_release(&cc->run_arguments);
	hd_vec_release(&cc->targets);
	free(cc->clangxx);
	free(cc->plugin);
	free(cc->library_dir);
	free(cc->device_library);
	free(cc->include_dir);
	free(cc->toolkit);
	hd_arena_release(&cc->arena);
}
