/*
 * One compilation of nvrtc: source and headers go to a temporary folder, heddle-cc makes the kernel object there, and
 * what it prints becomes the log. Whether it worked is told by the object, which heddle-cc puts in place whole or not
 * at all.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/compiler.h"
#include "lib/scratch.h"
#include "tools/nvrtc/program.h"

/* ------------------------------------------------------------ files */

struct work {
	struct hd_arena arena;
	struct hd_diag diag;
	struct hd_scratch folder;
	char *headers; /* the innermost of the folders in it, which names of headers start from */
	char *source, *object;
};

/* With the folders that lead there. */
static bool write_file(const char *path, const char *text, size_t length)
{
	char *folder = hd_xstrdup(path);
	for (char *at = folder + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(folder, 0700);
	}
	free(folder);
	FILE *file = fopen(path, "we");
	if (!file)
		return false;
	bool done = fwrite(text, 1, length, file) == length;
	return fclose(file) == 0 && done;
}

/* The source under the program's own name, so that it cannot hide a header; #line has that as it is. */
static bool write_source(struct work *work, nvrtcProgram program, const struct hd_nvrtc_options *options)
{
	struct hd_strbuf text = {0};
	if (options->device_by_default)
		hd_strbuf_append(&text, "#pragma clang force_cuda_host_device begin\n");
	hd_strbuf_append(&text, "#line 1 \"");
	for (const char *at = program->name; *at; at++)
		hd_strbuf_printf(&text, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
	hd_strbuf_append(&text, "\"\n");
	hd_strbuf_append(&text, program->source);
	if (options->device_by_default)
		hd_strbuf_append(&text, "\n#pragma clang force_cuda_host_device end\n");
	hd_nvrtc_names_write(program, &text);
	bool done = write_file(work->source, hd_strbuf_text(&text), text.len);
	hd_strbuf_release(&text);
	return done;
}

static bool write_files(struct work *work, nvrtcProgram program, const struct hd_nvrtc_options *options)
{
	struct hd_strbuf path = {0};
	hd_strbuf_append(&path, work->folder.path);
	for (int i = 0; i < HD_NVRTC_FOLDERS_ABOVE; i++)
		hd_strbuf_append(&path, "/headers");
	work->headers = hd_arena_strdup(&work->arena, hd_strbuf_text(&path));
	hd_strbuf_release(&path);
	work->source = hd_arena_printf(&work->arena, "%s/.program.cu", work->headers);
	work->object = hd_arena_printf(&work->arena, "%s/program.cubin", work->folder.path);
	bool done = write_source(work, program, options);
	for (uint32_t i = 0; done && i < program->headers.len; i++) {
		const struct hd_nvrtc_header *header = &program->headers.data[i];
		done = write_file(hd_arena_printf(&work->arena, "%s/%s", work->headers, header->name), header->text,
				  strlen(header->text));
	}
	if (!done)
		hd_strbuf_printf(&program->log, "nvrtc: error: cannot write to %s: %s\n", work->folder.path,
				 strerror(errno));
	return done;
}

/* ------------------------------------------------------------ messages */

/* Headers by the names that they were given, and nothing of our folder. */
static void add_log(struct hd_strbuf *log, const char *text, const struct work *work)
{
	size_t inner = strlen(work->headers), outer = strlen(work->folder.path);
	while (*text) {
		if (!strncmp(text, work->headers, inner) && text[inner] == '/')
			text += inner + 1;
		else if (!strncmp(text, work->folder.path, outer) && text[outer] == '/')
			text += outer + 1;
		else
			hd_strbuf_append_bytes(log, text++, 1);
	}
}

/* ------------------------------------------------------------ a compilation */

/* The folder of the program's name, as that of a source that lies in a file. */
static void add_source_folder(struct work *work, nvrtcProgram program, const struct hd_nvrtc_options *options,
			      hd_nvrtc_words *words)
{
	const char *slash = strrchr(program->name, '/');
	if (options->no_source_folder)
		return;
	hd_vec_push(words,
		    slash ? hd_arena_printf(&work->arena, "-I%.*s", (int)(slash - program->name) + 1, program->name)
			  : hd_arena_strdup(&work->arena, "-I."));
}

static void run_compiler(struct work *work, nvrtcProgram program, const struct hd_nvrtc_options *options)
{
	hd_nvrtc_words words = {0};
	struct hd_strbuf output = {0};
	char *compiler = hd_compiler_path();
	hd_vec_push(&words, compiler);
	hd_vec_push(&words, hd_arena_strdup(&work->arena, "-cubin"));
	hd_vec_push(&words, hd_arena_strdup(&work->arena, "-D__CUDACC_RTC__"));
	hd_vec_push(&words, hd_arena_printf(&work->arena, "-I%s", work->headers));
	for (uint32_t i = 0; i < options->words.len; i++)
		hd_vec_push(&words, options->words.data[i]);
	add_source_folder(work, program, options, &words);
	hd_vec_push(&words, hd_arena_strdup(&work->arena, "-o"));
	hd_vec_push(&words, work->object);
	hd_vec_push(&words, work->source);
	hd_vec_push(&words, NULL);
	hd_compiler_run(words.data, "nvrtc", &output);
	add_log(&program->log, hd_strbuf_text(&output), work);
	hd_strbuf_release(&output);
	hd_vec_release(&words);
	free(compiler);
}

nvrtcResult hd_nvrtc_compile(nvrtcProgram program, const struct hd_nvrtc_options *options)
{
	struct work work = {.diag.tool = "nvrtc"};
	nvrtcResult result = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	hd_arena_init(&work.arena);
	if (hd_scratch_make(&work.folder, "heddle-nvrtc", &work.arena, &work.diag)) {
		hd_arena_release(&work.arena);
		return result;
	}
	if (write_files(&work, program, options)) {
		run_compiler(&work, program, options);
		result = NVRTC_ERROR_COMPILATION;
		if (!access(work.object, R_OK))
			result = hd_read_file(work.object, &program->object, &program->object_size, &work.diag)
					 ? NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
					 : NVRTC_SUCCESS;
		if (result == NVRTC_SUCCESS && !hd_nvrtc_names_read(program))
			result = NVRTC_ERROR_INTERNAL_ERROR;
	}
	hd_scratch_release(&work.folder);
	hd_arena_release(&work.arena);
	return result;
}
