/*
 * nvrtc's programs. A program is a source and headers in memory, what has to be found of its names, and, once it was
 * compiled, the messages and the kernel object. The compiler is heddle-cc, a process of its own that works in a
 * temporary folder. Programs share nothing, so that threads may compile at the same time.
 */
#ifndef HD_TOOLS_NVRTC_PROGRAM_H
#define HD_TOOLS_NVRTC_PROGRAM_H

#include <stdbool.h>

#pragma GCC visibility push(default)
#include "cuda/nvrtc.h"
#pragma GCC visibility pop

#include "lib/strbuf.h"
#include "lib/vec.h"

/* How many folders lie between the temporary one and that of the source: a header may be named with as many "../". */
enum { HD_NVRTC_FOLDERS_ABOVE = 6 };

struct hd_nvrtc_header {
	char *name, *text;
};

struct hd_nvrtc_name {
	char *expression;
	char *lowered; /* NULL: not known */
};

struct _nvrtcProgram {
	char *name, *source;
	HD_VEC(struct hd_nvrtc_header) headers;
	HD_VEC(struct hd_nvrtc_name) names;
	bool compiled; /* a compilation was tried */
	uint8_t *object;
	size_t object_size; /* 0: none */
	struct hd_strbuf log;
};

typedef HD_VEC(char *) hd_nvrtc_words;

/* What a program's options are to heddle-cc. */
struct hd_nvrtc_options {
	hd_nvrtc_words words;
	bool device_by_default; /* functions without a word are the device's */
	bool no_source_folder;
};

/* Reads the options; false, with a line in `log`, for one that is none of nvrtc's. Release it either way. */
bool hd_nvrtc_options_read(struct hd_nvrtc_options *options, int count, const char *const *given,
			   struct hd_strbuf *log);
void hd_nvrtc_options_release(struct hd_nvrtc_options *options);

/* Compiles into program->object and program->log. */
nvrtcResult hd_nvrtc_compile(nvrtcProgram program, const struct hd_nvrtc_options *options);

/* The text to put behind the source, so that the object has a word for each name; and the names read from there. */
void hd_nvrtc_names_write(const struct _nvrtcProgram *program, struct hd_strbuf *text);
bool hd_nvrtc_names_read(nvrtcProgram program);

#endif
