/*
 * What plugin.cpp calls: one run of the steps over one module, with LLVM's diagnostics and
 * remarks behind a table of callbacks. The C side never sees the pass manager.
 */
#ifndef HD_PASSES_SESSION_H
#define HD_PASSES_SESSION_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A piece of a remark: plain text, or a value with a key for -fsave-optimization-record. */
struct hd_remark_part {
	const char *key; /* NULL: plain text */
	const char *text;
};

/* The compiler that loaded the plugin. */
struct hd_host {
	/*
	 * severity: 0 note, 1 warning, 2 error; file NULL: no place known. Returns whether the compiler took
	 * the message; it then counts errors itself, and will fail. opt takes none.
	 */
	bool (*diagnose)(LLVMModuleRef module, int severity, const char *file, unsigned line, unsigned column,
			 const char *message);
	/* Whether anybody listens to remarks of the pass. */
	bool (*wants_remarks)(LLVMModuleRef module, const char *pass);
	/* file NULL: the function's own place. */
	void (*remark)(LLVMValueRef function, const char *pass, const char *name, const char *file, unsigned line,
		       unsigned column, const struct hd_remark_part *parts, unsigned count);
	/* What the program calls a value of the IR, by its debug information; NULL: nothing. */
	const char *(*variable)(LLVMValueRef value);
	void (*fail)(LLVMModuleRef module); /* errors were reported that nobody counted; may not return */
};

/* Where memory runs out in the plugin the compiler ends with status 2 and a message, and `clean` removes its files. */
void hd_session_end_without_memory(void (*clean)(void));

/* Bound on the rows of passes.def, for templates. */
enum { HD_SESSION_ROWS = 32 };

struct hd_session;

/*
 * What a pipeline element means: `heddle`, `heddle<parameters>`, `print<heddle-NAME>` or
 * `print<heddle-NAME;parameters>`.
 */
enum hd_request_kind { HD_REQUEST_NONE, HD_REQUEST_RUN, HD_REQUEST_PRINT };
enum hd_request_kind hd_request_parse(const char *text, unsigned *row, const char **parameters);

/* Rows that `heddle` runs, as bits. */
unsigned long long hd_session_rows(void);
/* Name of a row for -time-passes, e.g. "heddle-select". */
const char *hd_session_title(unsigned row);

/*
 * `parameters` as in the pipeline; NULL: from HEDDLE_PASS in the environment. `implicit`: the
 * pass was not asked for by name, so modules of other targets are left alone.
 */
struct hd_session *hd_session_new(const char *parameters, bool implicit, const struct hd_host *host);
void hd_session_free(struct hd_session *session);
/*
 * Before the first pass on a module, which it changes: the math functions that it calls are linked in (`libdevice` of
 * HEDDLE_PASS, or our own), and undefined values are let be. Other targets are left alone.
 */
void hd_session_prepare(LLVMModuleRef module);
/* Runs one row; the first call takes the module on, the last row's releases it. Quiet after an error. */
void hd_session_step(struct hd_session *session, LLVMModuleRef module, unsigned row);
/* Computes the row and prints it on stderr, as LLVM's own printers do. */
void hd_session_print(struct hd_session *session, LLVMModuleRef module, unsigned row);

#ifdef __cplusplus
}
#endif
#endif
