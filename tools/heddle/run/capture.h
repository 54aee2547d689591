/*
 * A kernel that Triton compiled, as its cache keeps it: NAME.llir, LLVM's IR before the PTX, and NAME.json, which says
 * name, warps, shared memory and architecture.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_CAPTURE_H
#define HD_TOOLS_HEDDLE_RUN_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"
#include "lib/diag.h"

struct capture {
	const char *ir;				 /* path of the .llir; NULL: the file is no capture */
	const char *json;			 /* path of the .json; NULL: there is none */
	const char *absent;			 /* the path where the .json would be; NULL: it is there */
	const char *name;			 /* of the kernel; NULL: not said */
	uint32_t warps, warp_size, shared, arch; /* arch: 80 for sm_80; 0: not said */
	uint64_t scratch[2]; /* bytes of a block behind the extra pointers of newer versions: global, profile */
};

/* Whether the path is one of a capture: NAME.llir or NAME.json. */
bool capture_named(const char *path);
/* Reads what lies beside `path`, which ends with .llir or .json; another path gives capture->ir = NULL. 0 or -1. */
int capture_read(const char *path, struct hd_arena *arena, struct capture *capture, struct hd_diag *diag);
/*
 * The text of the IR for the reader of LLVM 19: facts that later versions added, and which may be left out, are left
 * out or said in the older form (captures, samesign, initializes, dead_on_return). Lines keep their numbers. Malloc'ed.
 */
char *capture_older_text(const char *text);

#endif
