/*
 * What lib/HeddleClang.so shows.
 */
#include "tools/heddle-cc/llvm/calls.h"

#include "lib/api.h"

extern HD_API const struct hd_cc_llvm hd_cc_llvm_calls;

const struct hd_cc_llvm hd_cc_llvm_calls = {hd_llvm_scan, hd_llvm_merge, hd_llvm_is_clang, hd_llvm_clang};
