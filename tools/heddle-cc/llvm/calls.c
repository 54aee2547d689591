/*
 * What lib/HeddleClang.so shows.
 */
#include "tools/heddle-cc/llvm/calls.h"

#include "lib/api.h"
#include "lib/arena.h"

static void begin(void (*out_of_memory)(void))
{
	hd_out_of_memory_status(2); /* this library has lib/ for itself */
	hd_llvm_watch_memory(out_of_memory);
}

extern HD_API const struct hd_cc_llvm hd_cc_llvm_calls;

const struct hd_cc_llvm hd_cc_llvm_calls = {begin, hd_llvm_scan, hd_llvm_merge, hd_llvm_is_clang, hd_llvm_clang};
