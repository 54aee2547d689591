/*
 * The precompiled header: heddle_cuda.h, which stands ahead of every CUDA source, as clang keeps it once it is parsed.
 * One for each half and each way to compile lies in $XDG_CACHE_HOME/heddle (or ~/.cache/heddle). It is made at the
 * first compilation that has none, and made again when clang, a header or an option that it depends on is another one.
 * Whatever goes wrong with it leads to the plain parse, so that it changes how long a compilation takes and nothing
 * else. docs/usage.md lists what turns it off.
 */
#ifndef HD_TOOLS_HEDDLE_CC_PRELUDE_H
#define HD_TOOLS_HEDDLE_CC_PRELUDE_H

#include "tools/heddle-cc/options.h"

/* The precompiled header for a half, found or made; in cc's arena. NULL: the half has to parse the header itself. */
const char *hd_prelude_find(struct hd_cc *cc, struct hd_signals *signals, bool device);

/* Puts it in the place of `-include heddle_cuda.h` among a half's arguments. NULL is nothing. */
void hd_prelude_use(hd_arguments *arguments, const char *header);

/* Whether all of the half's options are known to ask for no other output, so that the halves may run beside each other.
 */
bool hd_prelude_is_usual(struct hd_cc *cc, bool device);

/*
 * The headers of `input` for make, in `file`, as a plain parse lists them: the source first, and nothing of how the
 * precompiled header was made. 0, or -1 with the error reported.
 */
int hd_prelude_mend_dependencies(struct hd_cc *cc, const char *file, const char *input);

#endif
