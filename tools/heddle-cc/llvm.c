/*
 * Loads the library with what needs LLVM: see llvm.h. It stays until the end.
 */
#include "tools/heddle-cc/llvm.h"

#include <dlfcn.h>

#include "lib/strbuf.h"

static void out_of_memory(void)
{
	hd_out_of_memory(0);
}

/* LLVM's initialisers allocate, and nobody catches what operator new throws there or later. */
static void end_where_new_fails(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_GLOBAL);
	void (*(*set)(void (*)(void)))(void) = NULL;
	if (library) /* std::set_new_handler */
		*(void **)&set = dlsym(library, "_ZSt15set_new_handlerPFvvE");
	if (set)
		set(out_of_memory);
}

const struct hd_cc_llvm *hd_cc_llvm(struct hd_cc *cc)
{
	const char *path = hd_arena_printf(&cc->arena, "%s/HeddleClang.so", cc->library_dir);
	if (cc->llvm || cc->llvm_missing)
		return cc->llvm;
	end_where_new_fails();
	/* Global: the plugin takes LLVM's symbols from there, as it does in opt and clang. */
	void *library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
	cc->llvm = library ? dlsym(library, HD_CC_LLVM_CALLS) : NULL;
	cc->llvm_missing = !cc->llvm;
	if (cc->llvm)
		cc->llvm->begin(out_of_memory);
	else
		hd_error(&cc->diag, HD_NOWHERE, "%s", dlerror());
	return cc->llvm;
}

int hd_cc_merge(struct hd_cc *cc, const struct hd_cc_collected *collected, const char *name, const char *path)
{
	const struct hd_cc_llvm *llvm = hd_cc_llvm(cc);
	return llvm ? llvm->merge(cc, collected, name, path) : -1;
}
