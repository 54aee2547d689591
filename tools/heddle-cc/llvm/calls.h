/*
 * The calls of struct hd_cc_llvm (tools/heddle-cc/llvm.h).
 */
#ifndef HD_TOOLS_HEDDLE_CC_LLVM_CALLS_H
#define HD_TOOLS_HEDDLE_CC_LLVM_CALLS_H

#ifdef __cplusplus
extern "C" {
#else
#include "tools/heddle-cc/llvm.h"

enum hd_cc_scan_result hd_llvm_scan(const struct hd_cc_scan *scan);
int hd_llvm_merge(struct hd_cc *cc, const struct hd_cc_collected *collected, const char *name, const char *path);
#include <stdbool.h>
#endif

/* Where LLVM's own malloc fails this is called from now on. */
void hd_llvm_watch_memory(void (*out_of_memory)(void));
bool hd_llvm_is_clang(const char *program);
int hd_llvm_clang(int argc, char **argv, const char *program);

#ifdef __cplusplus
}
#endif

#endif
