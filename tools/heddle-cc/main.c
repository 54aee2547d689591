/*
 * heddle-cc: nvcc's place in a build. For each CUDA source: libclang reads what only the host knows (launch sites),
 * clang compiles the device half with HeddlePasses.so, which writes the kernel object, and then the host half with
 * that object embedded as its GPU binary. Relocatable device code is linked before the program is (device_link.c).
 * Everything is made in a temporary directory and moved at the end, so that a failure leaves nothing half-written.
 *
 * Exit status: 0; 2 for a usage or input error (the compiler's own messages included).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"
#include "tools/heddle-cc/compile.h"
#include "tools/heddle-cc/prelude.h"
#include "tools/heddle-cc/relocatable.h"

/* ------------------------------------------------------------ one CUDA source */

static int compile_cuda(struct hd_job *job, const char *input, const char *object, const char **prefix)
{
	struct hd_cc *cc = job->cc;
	*prefix = hd_job_path(job, hd_arena_printf(&cc->arena, "%u-%s", job->objects.len, hd_job_stem(job, input)));
	return hd_compile_cuda(job, input, *prefix, "-c", object);
}

/* ------------------------------------------------------------ stages */

static void withdraw(const struct hd_job *job, const char *output)
{
	struct stat info;
	if (!job->cc->dry_run && !stat(output, &info) && S_ISREG(info.st_mode))
		unlink(output);
}

/* The metadata first: without it there is no output, not that of a former run either, since make would take it for
 * made. `prefix` NULL: there is none. */
static int deliver_with(struct hd_job *job, const char *prefix, const char *side, const char *from, const char *output)
{
	if (!prefix || !hd_job_deliver_side_files(job, prefix, side))
		return hd_job_deliver(job, from, output);
	withdraw(job, output);
	return -1;
}

static int make_objects(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i], *prefix = NULL;
		const char *output = hd_job_object_name(job, input);
		char *object = hd_job_path(job, hd_arena_printf(&cc->arena, "%u.o", i));
		if (!hd_cc_is_source(cc, input))
			return hd_error(&cc->diag, HD_NOWHERE, "%s is not a source file", input);
		if (hd_cc_is_cuda(cc, input) ? compile_cuda(job, input, object, &prefix)
					     : hd_compile_plain(job, input, object))
			return -1;
		if (deliver_with(job, prefix, hd_job_output_prefix(job, output), object, output))
			return -1;
		hd_vec_push(&job->objects, output);
	}
	return 0;
}

static bool speaks_to_linker(const hd_arguments *words)
{
	static const char *const prefixes[] = {"-Wl", "-Xlinker", "-fuse-ld", "--ld-path", "-T", "-B", "-z", "-static"};
	for (uint32_t i = 0; i < words->len; i++)
		for (unsigned j = 0; j < sizeof prefixes / sizeof *prefixes; j++)
			if (!strncmp(words->data[i], prefixes[j], strlen(prefixes[j])))
				return true;
	return false;
}

/*
 * lld, where it stands beside clang: the system's linker takes a quarter of the time of a small program, half of it
 * for the C++ library. The user's own options for a linker mean the system's.
 */
static bool takes_lld(struct hd_cc *cc)
{
	if (speaks_to_linker(&cc->link) || speaks_to_linker(&cc->host))
		return false;
	const char *clang = hd_cc_compiler(cc), *slash = clang ? strrchr(clang, '/') : NULL;
	return slash && !access(hd_arena_printf(&cc->arena, "%.*s/ld.lld", (int)(slash - clang), clang), X_OK);
}

static int link_program(struct hd_job *job, const char *output)
{
	struct hd_cc *cc = job->cc;
	hd_arguments arguments = {0};
	hd_vec_push(&arguments, cc->clangxx);
	if (takes_lld(cc))
		hd_vec_push(&arguments, "-fuse-ld=lld");
	if (cc->shared)
		hd_vec_push(&arguments, "-shared");
	for (uint32_t i = 0; i < job->objects.len; i++)
		hd_vec_push(&arguments, job->objects.data[i]);
	for (uint32_t i = 0; i < cc->link.len; i++)
		hd_vec_push(&arguments, cc->link.data[i]);
	for (uint32_t i = 0; i < cc->host.len; i++)
		hd_vec_push(&arguments, cc->host.data[i]);
	/*
	 * The run-time library by its own name and place; nvcc's names of it, of which nothing is needed any more, are
	 * what CMake reads out of this command.
	 */
	hd_job_add(&arguments, hd_arena_printf(&cc->arena, "-L%s/lib64/stubs", cc->toolkit),
		   hd_arena_printf(&cc->arena, "-L%s/lib64", cc->toolkit), "-Xlinker", "-rpath", "-Xlinker",
		   cc->library_dir, hd_arena_printf(&cc->arena, "%s/libheddle-cudart.so", cc->library_dir),
		   "-Wl,--as-needed", "-lcudadevrt", "-lcudart_static", "-Wl,--no-as-needed", "-lrt", "-lpthread",
		   "-ldl", "-lm", "-o", output, NULL);
	int status = hd_job_run(job, &arguments, NULL);
	if (status) /* the linker knows best what is there: why it found no library of CUDA */
		hd_cc_check_libraries(cc);
	return status;
}

/* The metadata of the files that were compiled whole, each under its source's name when it is not alone. */
struct side_files {
	hd_arguments prefixes, names;
};

/* Members of a library keep their names where these tell them apart. */
static char *object_path(struct hd_job *job, uint32_t index)
{
	struct hd_cc *cc = job->cc;
	const char *stem = hd_job_stem(job, cc->inputs.data[index]);
	char *path = hd_job_path(job, hd_arena_printf(&cc->arena, "%s.o", stem));
	bool taken = cc->stage != HD_CC_ARCHIVE || access(path, F_OK) == 0;
	return taken ? hd_job_path(job, hd_arena_printf(&cc->arena, "%u-%s.o", index, stem)) : path;
}

static int compile_inputs(struct hd_job *job, struct side_files *side)
{
	struct hd_cc *cc = job->cc;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i], *prefix = NULL;
		char *object = object_path(job, i);
		if (!hd_cc_is_source(cc, input)) {
			hd_vec_push(&job->objects, input);
			continue;
		}
		if (hd_cc_is_cuda(cc, input) ? compile_cuda(job, input, object, &prefix)
					     : hd_compile_plain(job, input, object))
			return -1;
		hd_vec_push(&job->objects, object);
		if (prefix && !cc->relocatable) {
			hd_vec_push(&side->prefixes, prefix);
			hd_vec_push(&side->names, hd_job_stem(job, input));
		}
	}
	return 0;
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

/* Relocatable device code is linked first; its metadata is the program's. */
static int make_program(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	struct side_files side = {0};
	struct hd_cc_linked linked = {0};
	const char *output = hd_job_program_name(job);
	char *program = hd_job_path(job, "program");
	int status = compile_inputs(job, &side);
	if (!status && !cc->no_device_link)
		status = hd_cc_device_link(job, &job->objects, base_name(output), &linked);
	if (!status && linked.object)
		hd_vec_push(&job->objects, linked.object);
	if (!status)
		status = link_program(job, program);
	bool made = !status;
	bool alone = side.prefixes.len == 1 && !linked.prefix;
	for (uint32_t i = 0; i < side.prefixes.len && !status; i++)
		status = hd_job_deliver_side_files(job, side.prefixes.data[i],
						   alone ? output
							 : hd_arena_printf(&cc->arena, "%s-%s", output,
									   side.names.data[i]));
	if (!status)
		status = deliver_with(job, linked.prefix, output, program, output);
	else if (made)
		withdraw(job, output);
	hd_vec_release(&side.prefixes);
	hd_vec_release(&side.names);
	return status;
}

/* -dlink: the host linker is somebody else's. */
static int make_device_link(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	struct hd_cc_linked linked;
	const char *suffix = cc->image ? cc->image : "o";
	const char *output = cc->output ? cc->output : hd_arena_printf(&cc->arena, "a_dlink.%s", suffix);
	for (uint32_t i = 0; i < cc->inputs.len; i++)
		if (hd_cc_is_source(cc, cc->inputs.data[i]))
			return hd_error(&cc->diag, HD_NOWHERE,
					"-dlink takes objects and archives (compile %s with -dc)", cc->inputs.data[i]);
	if (hd_cc_device_link(job, &cc->inputs, base_name(output), &linked) ||
	    hd_job_deliver_side_files(job, linked.prefix, hd_job_output_prefix(job, output)))
		return -1;
	const char *image = hd_arena_printf(&cc->arena, "%s.hdo", linked.prefix);
	return hd_job_deliver(job, cc->image ? image : linked.object, output);
}

/* A command whose output is one file, or the standard output. */
static int make_text(struct hd_job *job, hd_arguments *arguments, const char *output)
{
	char *file = hd_job_path(job, "text");
	bool shown = !strcmp(output, "-");
	hd_job_add(arguments, "-o", shown ? "-" : file, NULL);
	return hd_job_run(job, arguments, NULL) || (!shown && hd_job_deliver(job, file, output)) ? -1 : 0;
}

/*
 * -cuda: C++ for the host compiler of somebody else's makefile. Launches and registrations are what only clang makes,
 * so that it is the assembly of the finished host half, as text of an asm declaration.
 */
static int write_host_source(struct hd_cc *cc, const char *assembly, const char *path)
{
	uint8_t *bytes;
	size_t size;
	struct hd_strbuf text = {0};
	if (hd_read_file(assembly, &bytes, &size, &cc->diag))
		return -1;
	hd_strbuf_append(&text, "__asm__(\n\"");
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			hd_strbuf_append(&text, "\\n\"\n\"");
		else
			hd_strbuf_printf(&text, "%s%c", strchr("\"\\", bytes[i]) && bytes[i] ? "\\" : "", bytes[i]);
	}
	hd_strbuf_append(&text, "\\t.text\\n\");\n");
	int status = hd_write_file(path, hd_strbuf_text(&text), text.len, &cc->diag);
	hd_strbuf_release(&text);
	free(bytes);
	return status;
}

static int make_host_sources(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i];
		const char *prefix = hd_job_path(job, hd_arena_printf(&cc->arena, "%u", i));
		const char *assembly = hd_arena_printf(&cc->arena, "%s.s", prefix);
		const char *source = hd_arena_printf(&cc->arena, "%s.ii", prefix);
		const char *output = cc->output ? cc->output : hd_job_named(job, input, ".cu.cpp.ii");
		if (!hd_cc_is_cuda(cc, input))
			return hd_error(&cc->diag, HD_NOWHERE, "%s is not a CUDA source", input);
		if (hd_compile_cuda(job, input, prefix, "-S", assembly) ||
		    (!cc->dry_run && write_host_source(cc, assembly, source)) ||
		    deliver_with(job, prefix, hd_job_output_prefix(job, output), source, output))
			return -1;
	}
	return 0;
}

/* What parameters of the plugin say otherwise: divisions of 0 approximate, 1 full range, 2 exact; roots 0 or 1. */
static void add_fast_math(const struct hd_cc *cc, hd_arguments *arguments)
{
	bool division = hd_cc_is_true(cc->prec_div, !cc->fast_math),
	     root = hd_cc_is_true(cc->prec_sqrt, !cc->fast_math);
	hd_job_add(arguments, "-mllvm",
		   division	   ? "-nvptx-prec-divf32=2"
		   : cc->fast_math ? "-nvptx-prec-divf32=0"
				   : "-nvptx-prec-divf32=1",
		   "-mllvm", root ? "-nvptx-prec-sqrtf32=1" : "-nvptx-prec-sqrtf32=0", NULL);
	if (cc->fast_math)
		hd_vec_push(arguments, "-fgpu-approx-transcendentals");
}

/* `kind` is -M or -MM. */
static int write_rule(struct hd_job *job, const char *kind, const char *input, const char *output)
{
	hd_arguments arguments = {0};
	if (hd_cc_source_arguments(job->cc, input, &arguments))
		return -1;
	hd_job_add(&arguments, kind, "-MT", hd_job_rule_target(job, input), input,
		   job->cc->dependency_targets ? "-MP" : NULL, NULL);
	return make_text(job, &arguments, output);
}

/* -MD and -MMD where the host half is not compiled. */
static int write_rule_too(struct hd_job *job, const char *input)
{
	const char *kind = job->cc->dependencies_too;
	return kind ? write_rule(job, strcmp(kind, "-MD") ? "-MM" : "-M", input, hd_job_rule_file(job, input)) : 0;
}

/* -ptx, -E, -M and -MM: one half, one file each. */
static int make_texts(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	bool ptx = cc->stage == HD_CC_PTX;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i], *output = cc->output;
		hd_arguments arguments = {0};
		if (cc->stage == HD_CC_DEPENDENCIES) {
			if (write_rule(job, cc->dependency_kind, input,
				       cc->output	     ? cc->output
				       : cc->dependency_file ? cc->dependency_file
							     : "-"))
				return -1;
			continue;
		} else if (!hd_cc_is_cuda(cc, input)) {
			return hd_error(&cc->diag, HD_NOWHERE, "%s is not a CUDA source", input);
		} else {
			hd_vec_push(&arguments, cc->clangxx);
			hd_cc_half_arguments(cc, ptx, &arguments);
			/* Here clang itself is the back end, and no plugin links the math functions. */
			if (ptx)
				add_fast_math(cc, &arguments);
			if (ptx && !access(cc->device_library, R_OK))
				hd_job_add(&arguments, "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
					   cc->device_library, NULL);
			hd_job_add(&arguments, ptx ? "-S" : "-E", input, NULL);
			output = output || !ptx ? output : hd_job_named(job, input, ".ptx");
		}
		if (make_text(job, &arguments, output ? output : "-") || write_rule_too(job, input))
			return -1;
	}
	return 0;
}

/* -cubin and -fatbin: the kernel object is what the driver API loads. */
static int make_images(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i];
		const char *suffix = hd_arena_printf(&cc->arena, ".%s", cc->image);
		const char *output = cc->output ? cc->output : hd_job_named(job, input, suffix);
		const char *prefix = hd_job_path(job, hd_arena_printf(&cc->arena, "%u", i));
		if (!hd_cc_is_cuda(cc, input))
			return hd_error(&cc->diag, HD_NOWHERE, "%s is not a CUDA source", input);
		/* The object last: it is also one of the side files, which -keep copies. */
		if (hd_compile_device(job, input, prefix) ||
		    hd_job_deliver_side_files(job, prefix, hd_job_output_prefix(job, output)) ||
		    hd_job_deliver(job, hd_arena_printf(&cc->arena, "%s.hdo", prefix), output) ||
		    write_rule_too(job, input))
			return -1;
	}
	return 0;
}

/* -heddle-launches: what hd_compile_device finds out first, for those who call clang and opt themselves. */
static int make_launches(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		const char *input = cc->inputs.data[i];
		const char *output = cc->output ? cc->output : hd_job_named(job, input, ".launches.json");
		char *facts = hd_job_path(job, "launches.json");
		if (!hd_cc_is_cuda(cc, input))
			return hd_error(&cc->diag, HD_NOWHERE, "%s is not a CUDA source", input);
		if (cc->dry_run)
			continue;
		if (!hd_job_scan(job, input, hd_prelude_find(cc, &job->signals, true), true, facts))
			return hd_error(&cc->diag, (struct hd_loc){.file = input}, "cannot read the kernel launches");
		if (hd_job_deliver(job, facts, strcmp(output, "-") ? output : "/dev/stdout"))
			return -1;
	}
	return 0;
}

/* -lib: an archive of all objects, anew. */
static int make_archive(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	struct side_files side = {0};
	hd_arguments arguments = {0};
	const char *archive = hd_job_path(job, "library.a");
	int status = compile_inputs(job, &side);
	if (!status) {
		/* Letters go behind the first ones, where ar wants them all. */
		const char *key = "qcs";
		for (uint32_t i = 0; i < cc->archive.len; i++)
			if (strncmp(cc->archive.data[i], "--", 2) != 0)
				key = hd_arena_printf(&cc->arena, "%s%s", key,
						      cc->archive.data[i] + (*cc->archive.data[i] == '-'));
		hd_job_add(&arguments, cc->archiver ? cc->archiver : "ar", key, NULL);
		for (uint32_t i = 0; i < cc->archive.len; i++)
			if (!strncmp(cc->archive.data[i], "--", 2))
				hd_vec_push(&arguments, cc->archive.data[i]);
		hd_vec_push(&arguments, archive);
		for (uint32_t i = 0; i < job->objects.len; i++)
			hd_vec_push(&arguments, job->objects.data[i]);
		const char *output = cc->output ? cc->output : "a.a";
		status = hd_job_run(job, &arguments, NULL) || hd_job_deliver(job, archive, output) ? -1 : 0;
	}
	hd_vec_release(&side.prefixes);
	hd_vec_release(&side.names);
	return status;
}

/* -run: the program takes the place of this one, as a shell would start it. */
static int run_program(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	hd_arguments arguments = {0};
	const char *output = hd_job_program_name(job);
	hd_vec_push(&arguments, strchr(output, '/') ? output : hd_arena_printf(&cc->arena, "./%s", output));
	for (uint32_t i = 0; i < cc->run_arguments.len; i++)
		hd_vec_push(&arguments, cc->run_arguments.data[i]);
	int status = hd_cc_execute(cc, &job->signals, &arguments, NULL);
	hd_vec_release(&arguments);
	return status;
}

/* 0, -1, or with -run the program's own status. */
static int run(struct hd_job *job)
{
	if (hd_job_read_stdin(job) || hd_job_mend_sources(job))
		return -1;
	switch (job->cc->stage) {
	case HD_CC_LINK: return make_program(job) ? -1 : job->cc->run ? run_program(job) : 0;
	case HD_CC_OBJECT: return make_objects(job);
	case HD_CC_DEVICE_LINK: return make_device_link(job);
	case HD_CC_LAUNCHES: return make_launches(job);
	case HD_CC_IMAGE: return make_images(job);
	case HD_CC_ARCHIVE: return make_archive(job);
	case HD_CC_HOST_SOURCE: return make_host_sources(job);
	default: return make_texts(job);
	}
}

int main(int argc, char **argv)
{
	hd_out_of_memory_status(2);
	hd_json_never_null();
	struct hd_cc cc;
	int status = hd_cc_parse(&cc, argc, argv), program = 0;
	if (status == 0) {
		struct hd_job job;
		status = hd_job_init(&job, &cc);
		if (!status)
			status = program = run(&job);
		hd_job_release(&job);
	}
	hd_cc_release(&cc);
	return status < 0 ? 2 : program;
}
