/*
 * heddle-cc: nvcc's place in a build. For each CUDA source: libclang reads what only the host knows (launch sites),
 * clang compiles the device half with HeddlePasses.so, which writes the kernel object, and then the host half with
 * that object embedded as its GPU binary. Everything is made in a temporary directory and moved at the end, so
 * that a failure leaves nothing half-written.
 *
 * Exit status: 0; 2 for a usage or input error (the compiler's own messages included).
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"
#include "tools/heddle-cc/options.h"

struct job {
	struct hd_cc *cc;
	const char *directory; /* temporary */
	hd_arguments objects;  /* what the linker gets, in the inputs' order */
};

static char *path(struct job *job, const char *name)
{
	return hd_arena_printf(&job->cc->arena, "%s/%s", job->directory, name);
}

/* "dir/foo.cu" -> "foo" */
static const char *stem(struct hd_cc *cc, const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char *name = hd_arena_strdup(&cc->arena, base);
	char *dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
	return name;
}

static bool exists(const char *file)
{
	return access(file, F_OK) == 0;
}

/* Moves a finished file, across file systems too; the old one stays until the new one is whole. */
static int deliver(struct hd_cc *cc, const char *from, const char *to)
{
	struct stat info;
	if (cc->dry_run)
		return 0;
	if (lstat(to, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
		/* -o /dev/null and the like: written into, not replaced */
		uint8_t *bytes;
		size_t size;
		if (hd_read_file(from, &bytes, &size, &cc->diag))
			return -1;
		int fd = open(to, O_WRONLY);
		int status = fd < 0 || write(fd, bytes, size) < 0 ? hd_error(&cc->diag, HD_NOWHERE, "cannot write %s", to) : 0;
		if (fd >= 0)
			close(fd);
		free(bytes);
		return status;
	}
	if (rename(from, to) == 0)
		return 0;
	uint8_t *bytes;
	size_t size;
	if (stat(from, &info) || hd_read_file(from, &bytes, &size, &cc->diag))
		return -1;
	int status = hd_write_file(to, bytes, size, &cc->diag);
	free(bytes);
	if (!status)
		chmod(to, info.st_mode & 0777);
	return status;
}

static int run_step(struct job *job, hd_arguments *arguments, const char *environment)
{
	int status = hd_cc_execute(job->cc, arguments, environment);
	hd_vec_release(arguments);
	return status ? -1 : 0;
}

/* ------------------------------------------------------------ one CUDA source */

/* Pass parameters for the device half. Separators in a path would break the list. */
static const char *pass_environment(struct job *job, const char *prefix, const char *facts)
{
	struct hd_cc *cc = job->cc;
	struct hd_strbuf text = {0};
	hd_strbuf_printf(&text, "HEDDLE_PASS=o=%s", prefix);
	if (cc->max_registers)
		hd_strbuf_printf(&text, ";maxrregcount=%u", cc->max_registers);
	if (exists(facts))
		hd_strbuf_printf(&text, ";launches=%s", facts);
	const char *result = hd_arena_strdup(&cc->arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return result;
}

static int compile_device(struct job *job, const char *input, const char *prefix)
{
	struct hd_cc *cc = job->cc;
	const char *facts = hd_arena_printf(&cc->arena, "%s.facts.json", prefix);
	if (!cc->dry_run && hd_cc_scan(cc, input, facts))
		return -1;
	hd_arguments arguments = {0};
	hd_vec_push(&arguments, cc->clangxx);
	hd_cc_half_arguments(cc, true, &arguments);
	const char *rest[] = {hd_arena_printf(&cc->arena, "-fpass-plugin=%s", cc->plugin), "-emit-llvm", "-S", input, "-o",
			      hd_arena_printf(&cc->arena, "%s.ll", prefix)};
	for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
		hd_vec_push(&arguments, rest[i]);
	return run_step(job, &arguments, pass_environment(job, prefix, facts));
}

static int compile_host(struct job *job, const char *input, const char *prefix, const char *object)
{
	struct hd_cc *cc = job->cc;
	hd_arguments arguments = {0};
	hd_vec_push(&arguments, cc->clangxx);
	hd_cc_half_arguments(cc, false, &arguments);
	const char *rest[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", hd_arena_printf(&cc->arena, "%s.hdo", prefix),
			      "-c", input, "-o", object};
	for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
		hd_vec_push(&arguments, rest[i]);
	return run_step(job, &arguments, NULL);
}

/* What ptxas -v prints, from the metadata. */
static int print_report(struct job *job, const char *prefix)
{
	struct hd_cc *cc = job->cc;
	uint8_t *bytes;
	size_t size;
	struct hd_metadata metadata;
	const char *file = hd_arena_printf(&cc->arena, "%s.heddle.json", prefix);
	if (hd_read_file(file, &bytes, &size, &cc->diag))
		return -1;
	int status = hd_metadata_from_json((const char *)bytes, size, file, &cc->arena, &metadata, &cc->diag);
	for (uint32_t i = 0; !status && i < metadata.function_count; i++) {
		const struct hd_meta_function *function = &metadata.functions[i];
		fprintf(stderr, "heddle info    : Function properties for %s\n"
				"    %u bytes stack frame, %u bytes spill stores, %u bytes spill loads\n",
			function->name, function->stack_bytes, function->spill_store_bytes, function->spill_load_bytes);
		if (function->kernel)
			fprintf(stderr, "heddle info    : Used %u registers, %u bytes smem, %u bytes cmem[0]\n",
				function->registers, function->shared_bytes, HD_CB_PARAMS + function->param_bytes);
	}
	free(bytes);
	return status;
}

/* Metadata always, annotated IR and object with -keep: beside the output, under its name. */
static int deliver_side_files(struct job *job, const char *prefix, const char *output)
{
	static const struct {
		const char *suffix;
		bool always;
	} files[] = {{".heddle.json", true}, {".ll", false}, {".hdo", false}};
	struct hd_cc *cc = job->cc;
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		if (!files[i].always && !cc->keep)
			continue;
		const char *from = hd_arena_printf(&cc->arena, "%s%s", prefix, files[i].suffix);
		if (deliver(cc, from, hd_arena_printf(&cc->arena, "%s%s", output, files[i].suffix)))
			return -1;
	}
	return 0;
}

static int compile_cuda(struct job *job, const char *input, const char *object, const char **prefix)
{
	struct hd_cc *cc = job->cc;
	*prefix = path(job, hd_arena_printf(&cc->arena, "%u-%s", job->objects.len, stem(cc, input)));
	if (compile_device(job, input, *prefix))
		return -1;
	if (cc->report && !cc->dry_run && print_report(job, *prefix))
		return -1;
	return compile_host(job, input, *prefix, object);
}

/* C and C++ beside CUDA: no device half. The runtime's headers are found. */
static int compile_plain(struct job *job, const char *input, const char *object)
{
	struct hd_cc *cc = job->cc;
	hd_arguments arguments = {0};
	hd_vec_push(&arguments, cc->clangxx);
	const char *dot = strrchr(input, '.');
	const char *language = cc->language ? cc->language : dot && !strcmp(dot, ".c") ? "c" : "c++";
	const char *fixed[] = {"-x", language, "-isystem", cc->include_dir, cc->optimize ? cc->optimize : "-O3"};
	for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
		hd_vec_push(&arguments, fixed[i]);
	for (uint32_t i = 0; i < cc->common.len; i++)
		if (strcmp(language, "c") || strncmp(cc->common.data[i], "-std=c++", 8))
			hd_vec_push(&arguments, cc->common.data[i]);
	for (uint32_t i = 0; i < cc->host.len; i++)
		hd_vec_push(&arguments, cc->host.data[i]);
	if (cc->debug)
		hd_vec_push(&arguments, "-g");
	const char *rest[] = {"-c", input, "-o", object};
	for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
		hd_vec_push(&arguments, rest[i]);
	return run_step(job, &arguments, NULL);
}

/* ------------------------------------------------------------ stages */

static const char *output_prefix(struct hd_cc *cc, const char *output)
{
	size_t length = strlen(output);
	return length > 2 && !strcmp(output + length - 2, ".o") ? hd_arena_printf(&cc->arena, "%.*s", (int)length - 2, output)
								: output;
}

static int make_objects(struct job *job)
{
	struct hd_cc *cc = job->cc;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i], *prefix = NULL;
		const char *output = cc->output ? cc->output : hd_arena_printf(&cc->arena, "%s.o", stem(cc, input));
		char *object = path(job, hd_arena_printf(&cc->arena, "%u.o", i));
		if (!hd_cc_is_source(cc, input))
			return hd_error(&cc->diag, HD_NOWHERE, "%s is no source file", input);
		if (hd_cc_is_cuda(cc, input) ? compile_cuda(job, input, object, &prefix) : compile_plain(job, input, object))
			return -1;
		if (deliver(cc, object, output) || (prefix && deliver_side_files(job, prefix, output_prefix(cc, output))))
			return -1;
		hd_vec_push(&job->objects, output);
	}
	return 0;
}

static int link_program(struct job *job, const char *output)
{
	struct hd_cc *cc = job->cc;
	hd_arguments arguments = {0};
	hd_vec_push(&arguments, cc->clangxx);
	if (cc->shared)
		hd_vec_push(&arguments, "-shared");
	for (uint32_t i = 0; i < job->objects.len; i++)
		hd_vec_push(&arguments, job->objects.data[i]);
	for (uint32_t i = 0; i < cc->link.len; i++)
		hd_vec_push(&arguments, cc->link.data[i]);
	for (uint32_t i = 0; i < cc->host.len; i++)
		hd_vec_push(&arguments, cc->host.data[i]);
	const char *rest[] = {hd_arena_printf(&cc->arena, "-L%s", cc->library_dir),
			      hd_arena_printf(&cc->arena, "-Wl,-rpath,%s", cc->library_dir), "-lheddle-cudart", "-lm", "-o", output};
	for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
		hd_vec_push(&arguments, rest[i]);
	return run_step(job, &arguments, NULL);
}

static int make_program(struct job *job)
{
	struct hd_cc *cc = job->cc;
	hd_arguments prefixes = {0}, names = {0};
	const char *output = cc->output ? cc->output : "a.out";
	char *program = path(job, "program");
	int status = 0;
	for (uint32_t i = 0; i < cc->inputs.len && !status; i++) {
		const char *input = cc->inputs.data[i], *prefix = NULL;
		char *object = path(job, hd_arena_printf(&cc->arena, "%u.o", i));
		if (!hd_cc_is_source(cc, input)) {
			hd_vec_push(&job->objects, input);
			continue;
		}
		status = hd_cc_is_cuda(cc, input) ? compile_cuda(job, input, object, &prefix) : compile_plain(job, input, object);
		hd_vec_push(&job->objects, object);
		if (prefix) {
			hd_vec_push(&prefixes, prefix);
			hd_vec_push(&names, stem(cc, input));
		}
	}
	if (!status)
		status = link_program(job, program);
	if (!status)
		status = deliver(cc, program, output);
	for (uint32_t i = 0; i < prefixes.len && !status; i++)
		status = deliver_side_files(job, prefixes.data[i],
					    prefixes.len == 1 ? output
							      : hd_arena_printf(&cc->arena, "%s-%s", output, names.data[i]));
	hd_vec_release(&prefixes);
	hd_vec_release(&names);
	return status;
}

/* -ptx and -E: one half, one file each. */
static int make_text(struct job *job)
{
	struct hd_cc *cc = job->cc;
	bool ptx = cc->stage == HD_CC_PTX;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i];
		const char *output = cc->output ? cc->output : ptx ? hd_arena_printf(&cc->arena, "%s.ptx", stem(cc, input)) : "-";
		char *file = path(job, "text");
		if (!hd_cc_is_cuda(cc, input))
			return hd_error(&cc->diag, HD_NOWHERE, "%s is no CUDA source", input);
		hd_arguments arguments = {0};
		hd_vec_push(&arguments, cc->clangxx);
		hd_cc_half_arguments(cc, ptx, &arguments);
		const char *rest[] = {ptx ? "-S" : "-E", input, "-o", strcmp(output, "-") ? file : "-"};
		for (unsigned k = 0; k < sizeof rest / sizeof *rest; k++)
			hd_vec_push(&arguments, rest[k]);
		if (run_step(job, &arguments, NULL) || (strcmp(output, "-") && deliver(cc, file, output)))
			return -1;
	}
	return 0;
}

static void remove_directory(const char *directory)
{
	DIR *dir = opendir(directory);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(directory);
}

int main(int argc, char **argv)
{
	struct hd_cc cc;
	char *directory = NULL;
	int status = hd_cc_parse(&cc, argc, argv);
	if (status == 0) {
		const char *base = getenv("TMPDIR");
		directory = hd_arena_printf(&cc.arena, "%s/heddle-cc-XXXXXX", base && *base ? base : "/tmp");
		if (!mkdtemp(directory)) {
			status = hd_error(&cc.diag, HD_NOWHERE, "cannot make a directory in %s: %s", base ? base : "/tmp",
					  strerror(errno));
		} else {
			struct job job = {.cc = &cc, .directory = directory};
			status = cc.stage == HD_CC_LINK ? make_program(&job) : cc.stage == HD_CC_OBJECT ? make_objects(&job)
												       : make_text(&job);
			hd_vec_release(&job.objects);
			remove_directory(directory);
		}
	}
	hd_cc_release(&cc);
	return status < 0 ? 2 : 0;
}
