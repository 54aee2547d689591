/*
 * heddle run --kernel, and heddle corun: compiles IR if need be, sets up arguments and device variables from the
 * specification, launches, and hands the buffers back to it (see kernel.h and spec.h).
 */
#include "tools/heddle/run/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "lib/child.h"
#include "lib/scratch.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/run/options.h"

/* ------------------------------------------------------------ the object */

static bool has_extension(const char *path, const char *extension)
{
	size_t length = strlen(path), tail = strlen(extension);
	return length > tail && !strcmp(path + length - tail, extension);
}

/* Pipes can be read only once. */
static bool is_regular(const char *path)
{
	struct stat status;
	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* The IR as this LLVM reads it: `ir` itself, or a text in the folder without what newer ones write; NULL with an error.
 */
static const char *readable_ir(struct kernel_run *run, const char *ir, const char *folder, struct hd_diag *diag)
{
	const char *name = strrchr(ir, '/');
	const char *path = hd_arena_printf(&run->arena, "%s/%s", folder, name ? name + 1 : ir);
	uint8_t *text;
	size_t size;
	if (atoi(HD_LLVM) > 20 || !is_regular(ir))
		return ir;
	if (hd_read_file(ir, &text, &size, diag))
		return NULL;
	char *older = capture_older_text((const char *)text);
	bool changed = strlen((const char *)text) == size && strcmp(older, (const char *)text) != 0; /* no bitcode */
	int status = changed ? hd_write_file(path, older, strlen(older), diag) : 0;
	free(older);
	free(text);
	return status ? NULL : changed ? path : ir;
}

/* Messages about a rewritten text name the user's file, whose lines are the same. */
static void pass_on(const char *messages, const char *source, const char *ir)
{
	uint8_t *text;
	size_t size;
	struct hd_diag quiet = hd_diag_silent();
	if (hd_read_file(messages, &text, &size, &quiet))
		return;
	const char *at = (const char *)text;
	for (const char *next; (next = strstr(at, source)); at = next + strlen(source))
		fprintf(stderr, "%.*s%s", (int)(next - at), at, ir);
	fputs(at, stderr);
	free(text);
}

/* Runs opt on `source`, which is `ir` or a rewritten text of it; its exit status, or -1. */
static int run_opt(const char *const words[], const char *source, const char *ir, const char *prefix,
		   struct kernel_run *run, struct hd_signals *signals, struct hd_diag *diag)
{
	if (source == ir)
		return hd_child_run(signals, (char *const *)words, NULL, diag);
	const char *messages = hd_arena_printf(&run->arena, "%s.messages", prefix);
	int file = open(messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0)
		return hd_error(diag, (struct hd_loc){messages, 0, 0}, "cannot write it: %s", strerror(errno));
	pid_t child = hd_child_start(signals, (char *const *)words, NULL, file, diag);
	int status = child < 0 ? -1 : hd_child_result(signals, words[0], hd_child_wait(signals, child), diag);
	close(file);
	pass_on(messages, source, ir);
	return status;
}

/* Which LLVM compiles. */
struct compiler {
	const char *opt, *plugin;
};

static struct compiler own_compiler(struct kernel_run *run)
{
	char *data = hd_data_dir();
	const char *opt = getenv("HEDDLE_OPT");
	struct compiler own = {.opt = opt && *opt ? opt : "opt-" HD_LLVM,
			       .plugin = hd_arena_printf(&run->arena, "%s/../../lib/HeddlePasses.so", data)};
	free(data);
	return own;
}

/* The newest plugin for an LLVM after this one's that `make LLVM=NN` built beside it; without one, or where HEDDLE_OPT
 * says which LLVM compiles, no opt. */
static struct compiler newer_compiler(struct kernel_run *run)
{
	enum { NEWEST = 40 };
	char *data = hd_data_dir();
	const char *chosen = getenv("HEDDLE_OPT");
	struct compiler found = {0};
	for (int version = NEWEST; version > atoi(HD_LLVM) && !found.opt && !(chosen && *chosen); version--) {
		const char *plugin =
			hd_arena_printf(&run->arena, "%s/../../llvm-%d/lib/HeddlePasses.so", data, version);
		if (!access(plugin, R_OK))
			found = (struct compiler){hd_arena_printf(&run->arena, "opt-%d", version), plugin};
	}
	free(data);
	return found;
}

static int compile_into(struct kernel_run *run, const struct compiler *compiler, const char *source, const char *ir,
			const char *prefix, struct hd_signals *signals, struct hd_diag *diag)
{
	const char *arch = run->capture.arch ? hd_arena_printf(&run->arena, "-mcpu=sm_%u%s", run->capture.arch,
							       run->capture.arch == 90 ? "a" : "")
					     : NULL;
	const char *const words[] = {
		compiler->opt,
		hd_arena_printf(&run->arena, "-load-pass-plugin=%s", compiler->plugin),
		hd_arena_printf(&run->arena, "-passes=heddle<o=%s;whole-program>", prefix),
		"-disable-output",
		source,
		arch, /* NULL: what the IR says */
		NULL,
	};
	int status = run_opt(words, source, ir, prefix, run, signals, diag) ? -1 : 0; /* it said why */
	if (!status)
		status = hd_read_file(hd_arena_printf(&run->arena, "%s.hdo", prefix), &run->bytes, &run->size, diag);
	return status;
}

/* Whether LLVM takes the text at all, whatever it says of it. */
static bool is_readable(const struct compiler *compiler, const char *source, struct hd_signals *signals)
{
	const char *const words[] = {compiler->opt, "-disable-output", source, NULL};
	struct hd_diag quiet = hd_diag_silent();
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t child = nowhere < 0 ? -1 : hd_child_start(signals, (char *const *)words, NULL, nowhere, &quiet);
	int status = child < 0 ? 0 : hd_child_wait(signals, child);
	if (nowhere >= 0)
		close(nowhere);
	return !WIFEXITED(status) || !WEXITSTATUS(status);
}

static int compile(struct kernel_run *run, struct hd_diag *diag)
{
	struct hd_signals signals;
	hd_signals_hold(&signals);
	struct hd_scratch folder;
	struct compiler compiler = own_compiler(run), newer = newer_compiler(run);
	const char *ir = run->capture.ir ? run->capture.ir : run->path;
	int status = -1;
	if (!hd_scratch_make(&folder, "heddle-run", &run->arena, diag)) {
		const char *source = readable_ir(run, ir, folder.path, diag);
		if (source && newer.opt && is_regular(ir) && !is_readable(&compiler, source, &signals) &&
		    is_readable(&newer, ir, &signals)) {
			compiler = newer;
			source = ir;
		}
		if (source)
			status = compile_into(run, &compiler, source, ir,
					      hd_arena_printf(&run->arena, "%s/kernel", folder.path), &signals, diag);
		if (status && source && is_regular(ir) && !is_readable(&compiler, source, &signals))
			hd_error(diag, (struct hd_loc){ir, 0, 0},
				 "LLVM " HD_LLVM
				 " cannot read it; where the text is of a newer LLVM, a Heddle for that one "
				 "reads it (make LLVM=22 builds its plugin, which is then used)");
	}
	hd_scratch_release(&folder);
	hd_signals_release(&signals);
	return status;
}

static int unknown_kernel(const struct kernel_run *run, const char *wanted, struct hd_diag *diag)
{
	const struct hd_metadata *metadata = &run->object.metadata;
	const char **names = hd_xcalloc(metadata->function_count + 1, sizeof *names);
	struct hd_strbuf all = {0};
	unsigned count = 0;
	for (uint32_t i = 0; i < metadata->function_count; i++)
		if (metadata->functions[i].kernel)
			names[count++] = metadata->functions[i].name;
	for (unsigned i = 0; i < count; i++)
		hd_strbuf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	char *near = hd_nearest_names(wanted, names, count);
	hd_error(diag, (struct hd_loc){run->path, 0, 0}, "no kernel '%s'; %s %s%s", wanted,
		 *near ? "did you mean" : "its kernels are:",
		 *near	 ? near
		 : count ? hd_strbuf_text(&all)
			 : "none",
		 *near ? "?" : "");
	free(near);
	free(names);
	hd_strbuf_release(&all);
	return -1;
}

/* The only one of the object; NULL: there are none, or several. */
static const char *only_kernel(const struct hd_metadata *metadata)
{
	const char *name = NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; i < metadata->function_count; i++)
		if (metadata->functions[i].kernel && !count++)
			name = metadata->functions[i].name;
	return count == 1 ? name : NULL;
}

static int find_kernel(struct kernel_run *run, const char *kernel, struct hd_diag *diag)
{
	if (!kernel)
		kernel = run->spec.kernel ? run->spec.kernel : only_kernel(&run->object.metadata);
	if (!kernel)
		return hd_error(diag, (struct hd_loc){run->spec.path, 0, 0},
				"[launch]: missing kernel = NAME (%s has no kernel or several)", run->path);
	run->function = hd_metadata_find(&run->object.metadata, kernel);
	if (!run->function || !run->function->kernel)
		return unknown_kernel(run, kernel, diag);
	return 0;
}

/* A capture's code is for one architecture and newer ones. */
static int check_architecture(const struct capture *capture, const struct hd_config *gpu, struct hd_diag *diag)
{
	static const uint8_t known[] = {0, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90}; /* 0: not said */
	uint32_t capability = (uint32_t)(10 * gpu->compute_major + gpu->compute_minor);
	for (unsigned i = 0; i < sizeof known / sizeof *known && capture->arch <= capability; i++)
		if (capture->arch == known[i])
			return 0;
	if (capture->arch <= capability)
		return hd_error(diag, (struct hd_loc){capture->json, 0, 0}, "there is no architecture sm_%u",
				capture->arch);
	return hd_error(diag, (struct hd_loc){capture->json, 0, 0},
			"it was compiled for sm_%u, and %s has capability %u.%u: choose another --gpu", capture->arch,
			gpu->name, capability / 10, capability % 10);
}

/* Bytes of scratch memory for all blocks, which fit into what is left of the GPU's memory. 0 or -1. */
static int scratch_bytes(const struct kernel_run *run, uint64_t block_bytes, uint64_t *left, uint64_t *bytes,
			 struct hd_diag *diag)
{
	const uint32_t *grid = run->spec.grid;
	*bytes = block_bytes;
	bool over = false;
	for (unsigned i = 0; i < 3; i++)
		over = __builtin_mul_overflow(*bytes, (uint64_t)grid[i], bytes) || over;
	if (over || *bytes > *left)
		return hd_error(diag, (struct hd_loc){run->capture.json, 0, 0},
				"the GPU has no room for %llu bytes of scratch memory for each of the %ux%ux%u blocks",
				(unsigned long long)block_bytes, grid[0], grid[1], grid[2]);
	*left -= *bytes;
	return 0;
}

/* Newer versions of Triton pass one or two pointers behind the arguments: memory for scratch, null where there is none.
 */
static int add_scratch(struct kernel_run *run, const struct hd_config *gpu, struct hd_diag *diag)
{
	struct spec *spec = &run->spec;
	uint64_t left = gpu->dram_bytes;
	static const struct spec_type byte = {"u8", 1, false, false}, pointer = {"u64", 8, false, false};
	uint32_t given = spec->args.len, extra = run->function->param_count - given;
	if (!run->capture.ir || run->function->param_count < given || extra > 2)
		return 0;
	for (uint32_t i = 0; i < extra; i++)
		if (run->function->params[given + i].kind != HD_PARAM_POINTER)
			return 0;
	for (uint32_t i = 0; i < extra; i++) {
		uint64_t bytes;
		if (scratch_bytes(run, run->capture.scratch[i], &left, &bytes, diag))
			return -1;
		struct spec_data data = {.index = given + i, .buffer = bytes > 0, .type = bytes ? &byte : &pointer};
		data.count = bytes ? bytes : 1;
		data.value = bytes ? NULL : "0";
		hd_vec_push(&spec->args, data);
	}
	return 0;
}

static int check_arguments(const struct kernel_run *run, struct hd_diag *diag)
{
	const struct hd_meta_function *function = run->function;
	const struct spec *spec = &run->spec;
	int status = 0;
	if (spec->args.len != function->param_count)
		status = hd_error(diag, (struct hd_loc){spec->path, 0, 0},
				  "%s takes %u arguments, but the specification has %u", function->name,
				  function->param_count, spec->args.len);
	for (uint32_t i = 0; i < spec->args.len && i < function->param_count; i++) {
		const struct spec_data *data = &spec->args.data[i];
		const struct hd_meta_param *param = &function->params[i];
		uint64_t bytes = data->buffer ? 8 : data->count * data->type->bytes;
		if ((uint64_t)param->offset + param->bytes > function->param_bytes)
			return hd_error(diag, (struct hd_loc){run->path, 0, 0},
					"parameter %u lies beyond the %u bytes of parameters", i,
					function->param_bytes);
		if (bytes != param->bytes)
			status = hd_error(diag, (struct hd_loc){spec->path, data->line, 0},
					  "arg%u has %llu bytes, the parameter %s%s%s has %u in %s", i,
					  (unsigned long long)bytes, param->name ? param->name : "",
					  param->name ? " of type " : "of type ", param->type ? param->type : "?",
					  param->bytes, run->path);
	}
	return status;
}

int kernel_load(struct kernel_run *run, const char *path, const char *kernel, const char *launch,
		const char *const *defines, const struct hd_config *gpu, struct hd_diag *diag)
{
	memset(run, 0, sizeof *run);
	hd_arena_init(&run->arena);
	if (path &&
	    (capture_read(path, &run->arena, &run->capture, diag) || check_architecture(&run->capture, gpu, diag)))
		return -1;
	const struct spec_known known = {defines, run->capture.warps * run->capture.warp_size, run->capture.shared,
					 run->capture.absent};
	if (spec_read(&run->spec, launch, &known, diag))
		return -1;
	kernel = kernel ? kernel : run->capture.name;
	run->path = path = path ? path : run->spec.file;
	if (!path)
		return hd_error(diag, (struct hd_loc){launch, 0, 0}, "[launch] needs file = PATH");
	bool ir = has_extension(path, ".ll") || has_extension(path, ".bc") || run->capture.ir;
	if (ir && access(path, R_OK))
		return hd_error(diag, HD_NOWHERE, "cannot read %s: %s", path, strerror(errno));
	if (ir ? compile(run, diag) : hd_read_file(path, &run->bytes, &run->size, diag))
		return -1;
	/* Not the code: a function that cannot be read is no concern of the others. */
	if (hd_object_open(run->bytes, run->size, path, &run->arena, &run->object, diag) ||
	    hd_object_load_all_metadata(&run->object, diag) || find_kernel(run, kernel, diag))
		return -1;
	return add_scratch(run, gpu, diag) ? -1 : check_arguments(run, diag);
}

static const char *source_name(const struct kernel_run *run, const struct spec_data *data)
{
	return data->symbol ? NULL : run->function->params[data->index].name;
}

/* NULL with an error. */
static struct spec_data *find_data(struct kernel_run *run, const char *name, struct hd_diag *diag)
{
	uint32_t count = run->spec.args.len + run->spec.symbols.len, known = 0;
	const char **names = hd_xcalloc(2 * count + 1, sizeof *names);
	struct spec_data *data, *found = NULL;
	for (uint32_t i = 0; (data = spec_nth(&run->spec, i)) && !found; i++) {
		char own[96];
		spec_data_name(data, own, sizeof own);
		const char *source = source_name(run, data);
		if (!strcmp(name, own) || (source && !strcmp(name, source)))
			found = data;
		if (!data->buffer)
			continue;
		names[known++] = hd_arena_strdup(&run->arena, own);
		if (source)
			names[known++] = source;
	}
	if (!found)
		hd_unknown_name(diag, "--dump: no buffer", name, names, known);
	free(names);
	return found;
}

static int dump_one(struct kernel_run *run, const char *text, struct hd_diag *diag)
{
	size_t length = strcspn(text, "=");
	const char *name = hd_arena_printf(&run->arena, "%.*s", (int)length, text);
	const char *path = text[length] ? text + length + 1 : hd_arena_printf(&run->arena, "%s.npy", name);
	if (!*name || !*path)
		return hd_error(diag, HD_NOWHERE, "--dump needs NAME or NAME=PATH, not '%s'", text);
	struct spec_data *data = find_data(run, name, diag);
	if (!data)
		return -1;
	if (!data->buffer)
		return hd_error(diag, spec_at(&run->spec, data->line), "--dump: '%s' is a value, not a buffer", name);
	if (data->dump)
		return hd_error(diag, HD_NOWHERE, "--dump: '%s' is there twice", name);
	if (!spec_is_writable(path))
		return hd_error(diag, HD_NOWHERE, "--dump: cannot write '%s': %s", path, strerror(errno));
	const struct spec_data *other = spec_writer(&run->spec, path, NULL);
	char own[96];
	if (other && other != data) {
		spec_data_name(other, own, sizeof own);
		return hd_error(diag, HD_NOWHERE, "--dump: '%s' and '%s' would both be written to '%s'", own, name,
				path);
	}
	data->dump = path;
	return 0;
}

int kernel_dump(struct kernel_run *run, const char *const *texts, struct hd_diag *diag)
{
	int status = 0;
	for (; *texts; texts++)
		status |= dump_one(run, *texts, diag);
	return status;
}

int kernel_check_outputs(struct kernel_run *run, const struct run_options *options, struct hd_diag *diag)
{
	struct spec_data *data;
	int status = 0;
	for (uint32_t i = 0; (data = spec_nth(&run->spec, i)); i++) {
		const char *output = data->output ? run_options_writer(options, data->output) : NULL;
		const char *dump = data->dump ? run_options_writer(options, data->dump) : NULL;
		if (output)
			status = hd_error(diag, spec_at(&run->spec, data->output_line),
					  "%s would write the output '%s', too", output, data->output);
		if (dump)
			status = hd_error(diag, HD_NOWHERE, "--dump and %s would both write %s", dump, data->dump);
	}
	return status;
}

void kernel_release(struct kernel_run *run)
{
	spec_release(&run->spec);
	free(run->bytes);
	hd_arena_release(&run->arena);
}

/* ------------------------------------------------------------ the launch */

/* Device copies of the specification's data: arguments, then symbols. */
struct device_data {
	struct spec_data *data;
	uint64_t address;
	uint64_t bytes;
};

struct launching {
	struct kernel_run *run;
	struct hd_sim *sim;
	struct hd_module *module;
	struct hd_diag *diag;
	uint8_t *params;
	HD_VEC(struct device_data) copies;
};

static int no_memory(struct launching *launching, const struct spec_data *data, uint64_t bytes)
{
	return hd_error(launching->diag, (struct hd_loc){launching->run->spec.path, data->line, 0},
			"no device memory for %llu bytes", (unsigned long long)bytes);
}

static int set_up_argument(struct launching *launching, struct spec_data *data)
{
	const struct hd_meta_param *param = &launching->run->function->params[data->index];
	uint8_t *bytes;
	if (spec_fill(&launching->run->spec, data, &bytes, launching->diag))
		return -1;
	int status = 0;
	uint64_t size = data->count * data->type->bytes;
	if (data->buffer) {
		struct device_data copy = {data, 0, size};
		if (hd_sim_malloc(launching->sim, size, &copy.address) ||
		    hd_sim_write(launching->sim, copy.address, bytes, size))
			status = no_memory(launching, data, size);
		hd_vec_push(&launching->copies, copy);
		memcpy(launching->params + param->offset, &copy.address, sizeof copy.address);
	} else {
		memcpy(launching->params + param->offset, bytes, param->bytes);
	}
	free(bytes);
	return status;
}

static int set_up_symbol(struct launching *launching, struct spec_data *data)
{
	const struct spec *spec = &launching->run->spec;
	struct hd_loc loc = {spec->path, data->line, 0};
	struct device_data copy = {data, 0, 0};
	uint64_t size;
	uint8_t *bytes;
	if (hd_sim_symbol(launching->module, data->symbol, &copy.address, &size)) {
		const struct hd_object *object = &launching->run->object;
		const char **names = hd_xcalloc(object->symbol_count + 1, sizeof *names);
		unsigned count = 0;
		for (uint32_t i = 0; i < object->symbol_count; i++)
			if (object->symbols[i].kind == HD_SYM_VARIABLE && object->symbols[i].space != HD_SPACE_SHARED)
				names[count++] = object->symbols[i].name;
		char *near = hd_nearest_names(data->symbol, names, count);
		hd_error(launching->diag, loc, "%s has no variable '%s'%s%s%s", launching->run->path, data->symbol,
			 *near ? "; did you mean " : "", near, *near ? "?" : "");
		free(near);
		free(names);
		return -1;
	}
	if (!data->count_given)
		data->count = size / data->type->bytes;
	copy.bytes = data->count * data->type->bytes;
	if (!data->count_given && copy.bytes != size)
		return hd_error(launching->diag, loc, "%s has %llu bytes, which is not a multiple of the %u of type %s",
				data->symbol, (unsigned long long)size, data->type->bytes, data->type->name);
	if (copy.bytes > size)
		return hd_error(launching->diag, loc, "%s has %llu bytes, but %llu are given", data->symbol,
				(unsigned long long)size, (unsigned long long)copy.bytes);
	hd_vec_push(&launching->copies, copy);
	if (!data->init)
		return 0;
	if (spec_fill(spec, data, &bytes, launching->diag))
		return -1;
	int status = hd_sim_write(launching->sim, copy.address, bytes, copy.bytes);
	free(bytes);
	return status ? no_memory(launching, data, copy.bytes) : 0;
}

static int set_up(struct launching *launching)
{
	struct spec *spec = &launching->run->spec;
	for (uint32_t i = 0; i < spec->args.len; i++)
		if (set_up_argument(launching, &spec->args.data[i]))
			return -1;
	for (uint32_t i = 0; i < spec->symbols.len; i++)
		if (set_up_symbol(launching, &spec->symbols.data[i]))
			return -1;
	return 0;
}

static int submit(struct launching *launching, uint64_t stream)
{
	const struct kernel_run *run = launching->run;
	struct hd_launch request = {
		.kernel = hd_sim_kernel(launching->module, run->function->name),
		.dynamic_shared = run->spec.shared,
		.cooperative = run->spec.cooperative,
		.params = launching->params,
		.param_bytes = run->function->param_bytes,
		.stream = stream,
		.priority = run->spec.priority,
	};
	uint64_t ticket;
	memcpy(request.grid, run->spec.grid, sizeof request.grid);
	memcpy(request.block, run->spec.block, sizeof request.block);
	if (!request.kernel)
		return hd_error(launching->diag, HD_NOWHERE, "%s: %s has no code", run->path, run->function->name);
	return hd_sim_submit(launching->sim, &request, &ticket); /* faults are reported through diag */
}

static bool prints(const struct launching *launching)
{
	for (uint32_t i = 0; i < launching->copies.len; i++)
		if (launching->copies.data[i].data->print)
			return true;
	return false;
}

/* The exit status: the worst of all results. */
static int collect(struct launching *launching, bool print)
{
	int status = CMD_OK;
	for (uint32_t i = 0; i < launching->copies.len; i++) {
		const struct device_data *copy = &launching->copies.data[i];
		uint8_t *bytes = hd_xmalloc(copy->bytes + 1);
		int result = hd_sim_read(launching->sim, copy->address, bytes, copy->bytes);
		if (!result)
			result = spec_results(&launching->run->spec, copy->data, bytes, print, launching->diag);
		free(bytes);
		if (result < 0)
			status = CMD_ERROR;
		else if (result && !status)
			status = CMD_FINDING;
	}
	return status;
}

static int collect_all(struct launching *launchings, uint32_t count, enum kernel_results results)
{
	int status = CMD_OK;
	for (uint32_t i = 0; i < count && results != KERNEL_FORGET; i++) {
		bool print = results == KERNEL_PRINT;
		if (print && count > 1 && prints(&launchings[i]))
			printf("%s:\n", launchings[i].run->spec.path);
		int result = collect(&launchings[i], print);
		status = result > status ? result : status;
	}
	return status;
}

static void report_checks(const struct hd_sim *sim, const struct hd_sim_options *options)
{
	char text[512];
	hd_sim_check_summary(sim, text, sizeof text);
	if (options->check)
		hd_note(options->diag, HD_NOWHERE, "--check: %s", text);
}

/* Loads them, sets their data up and puts them on their way. */
static int start_all(struct launching *launchings, uint32_t count, uint64_t stream)
{
	for (uint32_t i = 0; i < count; i++) {
		struct launching *each = &launchings[i];
		each->params = hd_xcalloc(1, each->run->function->param_bytes + 1);
		if (hd_sim_load(each->sim, each->run->bytes, each->run->size, each->run->path, &each->module) ||
		    set_up(each))
			return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		if (submit(&launchings[i], stream + i))
			return -1;
	return 0;
}

int kernels_run(struct kernel_run *runs, uint32_t count, uint64_t stream, const struct hd_sim_options *options,
		enum kernel_results results, char **stats)
{
	struct hd_sim *sim;
	int status = CMD_ERROR;
	*stats = NULL;
	if (hd_sim_new(options, &sim))
		return CMD_ERROR;
	struct launching *launchings = hd_xcalloc(count, sizeof *launchings);
	for (uint32_t i = 0; i < count; i++)
		launchings[i] = (struct launching){.run = &runs[i], .sim = sim, .diag = options->diag};
	if (!start_all(launchings, count, stream)) {
		status = hd_sim_wait_all(sim) ? CMD_ERROR : collect_all(launchings, count, results);
		*stats = hd_sim_stats_json(sim);
		hd_sim_check_end(sim);
		for (uint32_t i = 0; i < count; i++)
			runs[i].found = hd_sim_check_places(sim) > 0;
		report_checks(sim, options);
	}
	if (hd_sim_timeline_end(sim))
		status = CMD_ERROR;
	hd_sim_free(sim);
	for (uint32_t i = 0; i < count; i++) {
		hd_vec_release(&launchings[i].copies);
		free(launchings[i].params);
	}
	free(launchings);
	return status;
}
