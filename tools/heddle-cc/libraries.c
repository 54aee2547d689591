/*
 * Libraries of a CUDA toolkit that Heddle does not have. A program that links one gets an error that says which there
 * are, where the linker would only say that it found no file.
 */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "lib/strbuf.h"
#include "tools/heddle-cc/compile.h"

/* How the names of NVIDIA's libraries begin. */
static const char *const beginnings[] = {"cublas",    "cudnn",	   "cufft",	    "cufile",	"cupti",
					 "curand",    "cusolver",  "cusparse",	    "cutensor", "cudss",
					 "nccl",      "npp",	   "nvblas",	    "nvjpeg",	"nvgraph",
					 "nvidia-ml", "nvJitLink", "nvptxcompiler", "nvrtc",	"nvshmem"};

static bool is_of_toolkit(const char *name)
{
	for (unsigned i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static bool is_in(struct hd_cc *cc, const char *folder, const char *name)
{
	return !access(hd_arena_printf(&cc->arena, "%s/lib%s.so", folder, name), R_OK) ||
	       !access(hd_arena_printf(&cc->arena, "%s/lib%s.a", folder, name), R_OK);
}

/* In our toolkit's folder, in the user's, or where the system's linker looks. */
static bool is_there(struct hd_cc *cc, const char *name)
{
	static const char *const system[] = {"/lib", "/usr/lib", "/usr/local/lib", "/usr/lib/x86_64-linux-gnu",
					     "/lib/x86_64-linux-gnu"};
	for (unsigned i = 0; i < sizeof system / sizeof *system; i++)
		if (is_in(cc, system[i], name))
			return true;
	for (uint32_t i = 0; i < cc->link.len; i++)
		if (!strncmp(cc->link.data[i], "-L", 2) && is_in(cc, cc->link.data[i] + 2, name))
			return true;
	return is_in(cc, hd_arena_printf(&cc->arena, "%s/lib64", cc->toolkit), name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "-lcublas -lcufft ..." */
static char *list_of_ours(struct hd_cc *cc)
{
	HD_VEC(const char *) names = {0};
	struct hd_strbuf list = {0};
	DIR *folder = opendir(hd_arena_printf(&cc->arena, "%s/lib64", cc->toolkit));
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		size_t length = strlen(entry->d_name);
		if (length < 7 || strncmp(entry->d_name, "lib", 3) || strcmp(entry->d_name + length - 3, ".so"))
			continue;
		char *name = hd_arena_printf(&cc->arena, "%.*s", (int)length - 6, entry->d_name + 3);
		if (is_of_toolkit(name))
			hd_vec_push(&names, name);
	}
	if (folder)
		closedir(folder);
	if (names.len)
		qsort(names.data, names.len, sizeof *names.data, by_name);
	for (uint32_t i = 0; i < names.len; i++)
		hd_strbuf_printf(&list, "%s-l%s", i ? " " : "", names.data[i]);
	hd_vec_release(&names);
	return hd_strbuf_detach(&list);
}

int hd_cc_check_libraries(struct hd_cc *cc)
{
	for (uint32_t i = 0; i < cc->link.len; i++) {
		const char *name = cc->link.data[i] + 2;
		if (strncmp(cc->link.data[i], "-l", 2) != 0 || !is_of_toolkit(name) || is_there(cc, name))
			continue;
		char *list = list_of_ours(cc);
		hd_error(&cc->diag, HD_NOWHERE, "-l%s: Heddle does not have this library of CUDA (it has %s)", name,
			 list);
		free(list);
		return -1;
	}
	return 0;
}
