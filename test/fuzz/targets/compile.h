/*
 * The passes over a module, for the targets `ir` and `ptx`.
 */
#ifndef HD_TEST_FUZZ_TARGETS_COMPILE_H
#define HD_TEST_FUZZ_TARGETS_COMPILE_H

#include <llvm-c/Core.h>

/* Runs what the plugin runs over a valid module of nvptx64, which it changes. The object goes to a file that is
 * overwritten. */
void fuzz_compile(LLVMModuleRef module);

#endif
