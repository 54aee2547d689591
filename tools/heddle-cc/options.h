/*
 * heddle-cc's command line: nvcc's usual options, sorted into what each half of the
 * compilation and the linker get.
 */
#ifndef HD_TOOLS_HEDDLE_CC_OPTIONS_H
#define HD_TOOLS_HEDDLE_CC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/child.h"
#include "lib/diag.h"
#include "lib/vec.h"

typedef HD_VEC(const char *) hd_arguments;

enum hd_cc_stage {
	HD_CC_LINK,
	HD_CC_OBJECT,	    /* -c, -dc */
	HD_CC_DEVICE_LINK,  /* -dlink */
	HD_CC_PTX,	    /* -ptx */
	HD_CC_PREPROCESS,   /* -E */
	HD_CC_LAUNCHES,	    /* -heddle-launches */
	HD_CC_DEPENDENCIES, /* -M, -MM */
	HD_CC_IMAGE,	    /* -cubin, -fatbin */
	HD_CC_ARCHIVE,	    /* -lib */
	HD_CC_HOST_SOURCE   /* -cuda */
};

/* The version of CUDA that the headers and the runtime API are of; include/cuda/cuda.h has the same. */
#define HD_CUDA_RELEASE "12.5"
#define HD_CUDA_BUILD "82"

/* An architecture that an option names. */
struct hd_cc_target {
	const char *name;
	int number;   /* 75 */
	bool special; /* sm_90a: for that architecture alone */
};

enum hd_cc_truth { HD_CC_UNSAID, HD_CC_TRUE, HD_CC_FALSE };

struct hd_cc_llvm;

struct hd_cc {
	struct hd_arena arena; /* strings made here */
	struct hd_diag diag;
	enum hd_cc_stage stage;
	const char *output;			 /* NULL: by the input's name, or a.out */
	const char *language;			 /* -x; NULL: by extension */
	const char *arch;			 /* "sm_70" */
	const char *arch_names, *code_names;	 /* -arch, and all of -code, with commas; NULL: not given */
	HD_VEC(struct hd_cc_target) targets;	 /* all architectures that options name */
	const char *output_directory;		 /* -odir; NULL: here */
	const char *keep_directory;		 /* -keep-dir; NULL: beside the output */
	const char *from_stdin;			 /* the file that standard input was put into; NULL: none */
	const char *image;			 /* "cubin" or "fatbin"; NULL: none is asked for */
	const char *dependency_kind;		 /* "-M" or "-MM" */
	const char *optimize;			 /* "-O3" */
	const char *device_optimize;		 /* -Xptxas -ON; NULL: by hd_cc_device_level */
	const char *fast_compile;		 /* -Ofc: "-O1"; NULL: as without */
	const char *time_trace;			 /* -fdevice-time-trace; "-": by the output's name */
	const char *archiver;			 /* -arbin; NULL: ar */
	const char *libdevice;			 /* a toolkit's; NULL: ours */
	uint32_t max_registers;			 /* 0: no cap */
	uint32_t target_registers;		 /* that the architecture has for a thread; 0: 255 */
	const char *without;			 /* improvements left out, joined by +; NULL none */
	const char *remarks;			 /* -Rpass-analysis=REGEX; NULL: none */
	const char *remark_scope;		 /* -heddle-remarks; NULL: the pass's default */
	bool record;				 /* -fsave-optimization-record */
	const char *record_file, *record_passes; /* -foptimization-record-file and -passes; NULL: clang's default */
	const char *linear;	 /* which kernels get a linear version; NULL: where it saves instructions */
	bool relocatable;	 /* -rdc=true */
	bool lto;		 /* -dlto */
	bool ipra;		 /* -heddle-ipra */
	bool texture_references; /* -heddle-texture-references */
	bool no_header;		 /* -heddle-no-pch */
	/* What -use_fast_math leaves open, in any order with it; the last of several counts. */
	enum hd_cc_truth fmad, ftz, prec_div, prec_sqrt;
	bool arch_given;
	bool reported;				    /* the scan has reported errors of the source */
	bool scanned_quickly;			    /* the scan has not seen what is wrong in instances of templates */
	bool device_optimized;			    /* -dopt on */
	bool no_device_link;			    /* -nodlink */
	bool forward_linker;			    /* -forward-unknown-to-host-linker */
	bool lists_code, lists_arch;		    /* -code-ls, -arch-ls */
	bool run;				    /* -run */
	bool warn_spills, warn_local, ptxas_errors; /* -Xptxas -warn-spills, -warn-lmem-usage, -Werror */
	bool forward_unknown, debug, line_info, device_debug, fast_math, verbose, dry_run, keep, report, shared, quiet;
	hd_arguments inputs;  /* sources, objects, archives, in order */
	hd_arguments common;  /* preprocessor, language and warning options for both halves */
	hd_arguments host;    /* -Xcompiler */
	hd_arguments device;  /* for the device half only */
	hd_arguments archive; /* -Xarchive */
	hd_arguments run_arguments;
	hd_arguments parameters;			 /* -Xheddle: of the pass */
	hd_arguments link;				 /* -L, -l, -Xlinker, with the inputs' order kept by `inputs` */
	const char *dependencies_too;			 /* "-MD" or "-MMD" */
	bool dependency_targets;			 /* -MP */
	const char *dependency_file, *dependency_target; /* -MF, -MT; NULL: by the output */
	const struct hd_cc_llvm *llvm;			 /* llvm.h; NULL: not loaded yet, or */
	bool llvm_missing;				 /* it cannot be */
	/* places, found beside the running program */
	char *clang, *clangxx, *plugin, *device_library, *include_dir, *library_dir, *toolkit;
};

/* An option as people are told of it. */
struct hd_cc_option {
	const char *name, *help; /* help NULL: it is understood and means nothing; begins with the value's name */
	bool takes_value, joined;
};
bool hd_cc_option_at(unsigned index, struct hd_cc_option *option);
extern const char hd_cc_help_text[]; /* what stands below the options */
/* The manual page, and the options one a line, with = where a value follows and the values there are, if known
 * (manual.c). */
void hd_cc_manual(void);
void hd_cc_words(void);
/* The PTX level whose builtins device code has: target.c. */
const char *hd_cc_ptx_level(const struct hd_cc *cc);
void hd_cc_list_targets(void); /* target.c: the architectures that are modelled, each behind a blank */
void hd_cc_print_targets(const struct hd_cc *cc); /* as -code-ls and -arch-ls have them */

/* Whether the option is true, or would be with `unsaid` in its place. */
static inline bool hd_cc_is_true(enum hd_cc_truth truth, bool unsaid)
{
	return truth == HD_CC_UNSAID ? unsaid : truth == HD_CC_TRUE;
}
/* The device half's -O: nvcc's -O is the host's, and its device code at its best whatever that says. */
const char *hd_cc_device_level(const struct hd_cc *cc);
/* The clang that compiles: its file, found in PATH, without links; NULL: none. It lives in the arena. */
const char *hd_cc_compiler(struct hd_cc *cc);
/* 0; 1 when --help or --version was printed; -1 with the error reported. */
int hd_cc_parse(struct hd_cc *cc, int argc, char **argv);
void hd_cc_release(struct hd_cc *cc);

/* Option files in place (words.c); and the parts of "a,b c" to a list, each behind `prefix` where there is one. */
int hd_cc_expand(struct hd_cc *cc, int argc, char **argv, hd_arguments *words);
/* Takes over what a wrapper of MPI as the host compiler adds (wrapper.c); another program is nothing. 0 or -1. */
int hd_cc_ask_wrapper(struct hd_cc *cc, const char *program);
void hd_cc_add_list(struct hd_cc *cc, hd_arguments *to, const char *list, const char *prefix);

/* Architectures (target.c): names as -code has them, -gencode's value, and the choice among all. 0 or -1. */
int hd_cc_add_gencode(struct hd_cc *cc, const char *text);
int hd_cc_choose_target(struct hd_cc *cc);

bool hd_cc_is_stdin(const char *input); /* "-" */
bool hd_cc_is_cuda(const struct hd_cc *cc, const char *input);
bool hd_cc_is_source(const struct hd_cc *cc, const char *input); /* CUDA, C or C++ */

/* Arguments of the device or host half up to, but without, input, output and action. */
void hd_cc_half_arguments(const struct hd_cc *cc, bool device, hd_arguments *arguments);

/* The compiler, and the same for the host half of a CUDA source, or for C or C++. 0, or -1: it is no source. */
int hd_cc_source_arguments(struct hd_cc *cc, const char *input, hd_arguments *arguments);

/* Places and flags as nvcc lists them ahead of its commands, with -v and -dryrun only. */
void hd_cc_print_variables(const struct hd_cc *cc);

/*
 * Reads a CUDA source with libclang, with the device half's precompiled header (prelude.h; NULL: none): kernels with
 * their parameters' names and types, launch sites with the block sizes that can be evaluated. Writes JSON to `path`.
 * Errors in the source are left to the compiler. False, without a file, when libclang failed on it. `refused`: a file
 * for the places of __shared__ variables that clang would have to initialize, "OFFSET LINE COLUMN FILE" each; it is not
 * made where there are none. `whole`: the source is parsed as the compiler does, with the instances of templates, which
 * takes many times as long; otherwise only where there are errors without them, or cc->scanned_quickly is true.
 */
bool hd_cc_scan(struct hd_cc *cc, struct hd_signals *signals, const char *input, const char *header, bool whole,
		const char *path, const char *refused);

/*
 * Runs a program and waits. Its exit status; -1 when it cannot be started or is ended by a signal, reported unless the
 * signal is ours, too. `environment`: one extra NAME=VALUE or NULL.
 */
int hd_cc_execute(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *environment);
/* Starts it and returns, without a word about the command: see hd_child_start. */
pid_t hd_cc_start(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *environment,
		  int messages);
/* hd_child_result for what hd_cc_start started; of a compiler that ran out of stack it says what helps. */
int hd_cc_result(struct hd_cc *cc, const struct hd_signals *signals, const char *name, int status);

#endif
