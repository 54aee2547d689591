/*
 * Links at run time (cuLinkCreate and its like): inputs are kept in a temporary folder, and heddle-cc joins them as it
 * does for -dlink -cubin. What it prints is the log. An input counts by what it is, whatever type is named: kernel
 * objects (-cubin, nvrtc), host objects with relocatable device code and archives of them.
 */
#include "runtime/cudart/driver.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/compiler.h"
#include "lib/scratch.h"

/* A buffer of the program's for messages. What it holds then goes to the option of its size. */
struct log {
	char *text;
	size_t size, used;
	void **count;
};

struct CUlinkState_st {
	struct hd_arena arena;
	struct hd_scratch folder;
	HD_VEC(char *) inputs; /* their files, in the arena */
	struct log info, error;
	void **wall_time;   /* milliseconds, as the float that is there; NULL: not asked for */
	unsigned registers; /* 0: no limit */
	uint8_t *image;
	size_t image_size;
};

/* ------------------------------------------------------------ states */

static bool is_link(const struct hd_cudart *cudart, CUlinkState state)
{
	for (uint32_t i = 0; state && i < cudart->links.len; i++)
		if (cudart->links.data[i] == state)
			return true;
	return false;
}

static void take_option(CUlinkState state, CUjit_option option, void **value)
{
	switch (option) {
	case CU_JIT_INFO_LOG_BUFFER: state->info.text = *value; break;
	case CU_JIT_ERROR_LOG_BUFFER: state->error.text = *value; break;
	case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
		state->info.size = (unsigned)(uintptr_t)*value;
		state->info.count = value;
		break;
	case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
		state->error.size = (unsigned)(uintptr_t)*value;
		state->error.count = value;
		break;
	case CU_JIT_WALL_TIME: state->wall_time = value; break;
	case CU_JIT_MAX_REGISTERS: state->registers = (unsigned)(uintptr_t)*value; break;
	default: break; /* has no meaning here */
	}
}

/* Nothing is cut within: the buffer holds its size less one of the text. */
static void add_log(struct log *log, const char *text, size_t length)
{
	size_t room = log->text && log->size > log->used + 1 ? log->size - log->used - 1 : 0;
	length = length < room ? length : room;
	if (log->text && log->size) {
		memcpy(log->text + log->used, text, length);
		log->used += length;
		log->text[log->used] = '\0';
	}
}

/* The options of the sizes are the program's until it adds something: it may give them to another link first. */
static void write_counts(CUlinkState state)
{
	struct log *logs[] = {&state->info, &state->error};
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		if (logs[i]->count)
			*logs[i]->count = (void *)(uintptr_t)logs[i]->used;
}

void hd_driver_link_release(CUlinkState state)
{
	hd_scratch_release(&state->folder);
	hd_vec_release(&state->inputs);
	hd_arena_release(&state->arena);
	free(state->image);
	free(state);
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut)
{
	CUresult result = hd_driver_begin();
	if (result != CUDA_SUCCESS)
		return result;
	if (!stateOut || (numOptions && (!options || !optionValues)))
		return CUDA_ERROR_INVALID_VALUE;
	HD_CUDART(cudart);
	CUlinkState state = hd_xcalloc(1, sizeof *state);
	hd_arena_init(&state->arena);
	if (hd_scratch_make(&state->folder, "heddle-link", &state->arena, &cudart->diag)) {
		hd_driver_link_release(state);
		return CUDA_ERROR_OPERATING_SYSTEM;
	}
	for (unsigned i = 0; i < numOptions; i++)
		take_option(state, options[i], &optionValues[i]);
	add_log(&state->info, "", 0);
	add_log(&state->error, "", 0);
	hd_vec_push(&cudart->links, state);
	*stateOut = state;
	return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state)
{
	HD_CUDART(cudart);
	if (!is_link(cudart, state))
		return CUDA_ERROR_INVALID_HANDLE;
	for (uint32_t i = 0; i < cudart->links.len; i++)
		if (cudart->links.data[i] == state)
			cudart->links.data[i] = cudart->links.data[--cudart->links.len];
	hd_driver_link_release(state);
	return CUDA_SUCCESS;
}

/* ------------------------------------------------------------ inputs */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), of_end = strlen(end);
	return length >= of_end && !strcmp(text + length - of_end, end);
}

/* In a folder of its own, so that messages have its name. */
static CUresult keep(CUlinkState state, const uint8_t *bytes, size_t size, const char *name, const char *suffix)
{
	const char *slash = name ? strrchr(name, '/') : NULL, *base = slash	      ? slash + 1
								      : name && *name ? name
										      : "input";
	char *folder = hd_arena_printf(&state->arena, "%s/%u", state->folder.path, state->inputs.len);
	char *path = hd_arena_printf(&state->arena, "%s/%s%s", folder, base, ends_with(base, suffix) ? "" : suffix);
	FILE *file = mkdir(folder, 0700) ? NULL : fopen(path, "we");
	bool done = file && fwrite(bytes, 1, size, file) == size;
	done = file && fclose(file) == 0 && done;
	if (done)
		hd_vec_push(&state->inputs, path);
	return done ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

static CUresult add(CUlinkState state, const uint8_t *bytes, size_t size, const char *name)
{
	static const char archive[] = "!<arch>\n";
	const char *suffix = ".o";
	size_t declared = 0;
	if (size >= 64 && !memcmp(bytes, "\177ELF", 4)) {
		declared = hd_object_declared_size(bytes);
		if (declared > size)
			return CUDA_ERROR_INVALID_IMAGE;
		suffix = declared ? ".cubin" : suffix;
	} else if (size >= 8 && !memcmp(bytes, archive, 8)) {
		suffix = ".a";
	} else {
		HD_CUDART(cudart);
		return hd_driver_refuse(cudart, bytes, size, name && *name ? name : "an input of the link");
	}
	return keep(state, bytes, declared ? declared : size, name, suffix);
}

static CUresult begin_add(CUlinkState state, unsigned count, CUjit_option *options, void **values)
{
	CUresult result = hd_driver_begin();
	if (result != CUDA_SUCCESS)
		return result;
	HD_CUDART(cudart);
	if (!is_link(cudart, state))
		return CUDA_ERROR_INVALID_HANDLE;
	write_counts(state);
	return state->image || (count && (!options || !values)) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
		       unsigned int numOptions, CUjit_option *options, void **optionValues)
{
	const uint8_t *bytes = data;
	CUresult result = begin_add(state, numOptions, options, optionValues);
	if (result != CUDA_SUCCESS)
		return result;
	if (!bytes || !size || size > PTRDIFF_MAX || (unsigned)type > CU_JIT_INPUT_LIBRARY)
		return CUDA_ERROR_INVALID_VALUE;
	if (size >= 16 && !memcmp(bytes, "\xb1\x43\x62\x46", 4)) { /* a wrapper: what it leads to has its own size */
		memcpy(&bytes, bytes + 8, sizeof bytes);
		size = memcmp(bytes, "\177ELF", 4) ? 4 : hd_object_declared_size(bytes);
		size = size ? size : 64;
	}
	return add(state, bytes, size, name);
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
		       CUjit_option *options, void **optionValues)
{
	struct hd_diag silent = hd_diag_silent();
	uint8_t *bytes;
	size_t size;
	CUresult result = begin_add(state, numOptions, options, optionValues);
	if (result != CUDA_SUCCESS)
		return result;
	if (!path || !*path || (unsigned)type > CU_JIT_INPUT_LIBRARY)
		return CUDA_ERROR_INVALID_VALUE;
	if (hd_read_file(path, &bytes, &size, &silent))
		return CUDA_ERROR_FILE_NOT_FOUND;
	result = size ? add(state, bytes, size, path) : CUDA_ERROR_INVALID_IMAGE;
	free(bytes);
	return result;
}

/* ------------------------------------------------------------ the link */

/* The inputs by the names that they were given. */
static void take_log(CUlinkState state, const char *text)
{
	const char *folder = state->folder.path;
	size_t length = strlen(folder);
	struct hd_strbuf named = {0};
	while (*text) {
		if (!strncmp(text, folder, length) && text[length] == '/') {
			text += length + 1;
			text += strspn(text, "0123456789");
			text += *text == '/';
		} else {
			hd_strbuf_append_bytes(&named, text++, 1);
		}
	}
	struct log *log = state->image ? &state->info : &state->error;
	add_log(log, hd_strbuf_text(&named), named.len);
	write_counts(state);
	if (!log->text && named.len) /* nobody else would say it */
		fputs(hd_strbuf_text(&named), stderr);
	hd_strbuf_release(&named);
}

static void run(CUlinkState state, const char *output)
{
	struct hd_diag silent = hd_diag_silent();
	HD_VEC(char *) words = {0};
	struct hd_strbuf said = {0};
	char *compiler = hd_compiler_path();
	static char *const first[] = {"-dlink", "-cubin", "-o"};
	hd_vec_push(&words, compiler);
	for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
		hd_vec_push(&words, first[i]);
	hd_vec_push(&words, hd_arena_strdup(&state->arena, output));
	if (state->registers)
		hd_vec_push(&words, hd_arena_printf(&state->arena, "-maxrregcount=%u", state->registers));
	for (uint32_t i = 0; i < state->inputs.len; i++)
		hd_vec_push(&words, state->inputs.data[i]);
	hd_vec_push(&words, NULL);
	hd_compiler_run(words.data, "heddle", &said);
	if (hd_read_file(output, &state->image, &state->image_size, &silent))
		state->image = NULL;
	take_log(state, hd_strbuf_text(&said));
	hd_strbuf_release(&said);
	hd_vec_release(&words);
	free(compiler);
}

static float milliseconds(const struct timespec *from, const struct timespec *to)
{
	return (float)(to->tv_sec - from->tv_sec) * 1e3f + (float)(to->tv_nsec - from->tv_nsec) * 1e-6f;
}

CUresult cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
	struct timespec begin, end;
	CUresult result = begin_add(state, 0, NULL, NULL);
	if (result != CUDA_SUCCESS)
		return result;
	if (!cubinOut || !state->inputs.len)
		return CUDA_ERROR_INVALID_VALUE;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	run(state, hd_arena_printf(&state->arena, "%s/linked.cubin", state->folder.path));
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (state->wall_time) {
		float time = milliseconds(&begin, &end);
		memcpy(state->wall_time, &time, sizeof time);
	}
	if (!state->image)
		return CUDA_ERROR_UNKNOWN;
	*cubinOut = state->image;
	if (sizeOut)
		*sizeOut = state->image_size;
	return CUDA_SUCCESS;
}
