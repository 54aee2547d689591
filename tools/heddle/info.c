/*
 * heddle info: the figures of each kernel and function, from the metadata of an object, of a
 * program that contains objects, or of a .heddle.json; and the occupancy on a GPU.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/object.h"
#include "heddle/occupancy.h"
#include "lib/metadata/fields.h"
#include "lib/metadata/json.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/cubin_input.h"
#include "tools/heddle/gate/steps.h"
#include "tools/heddle/info_intervals.h"
#include "tools/heddle/info_linear.h"

struct info {
	HD_VEC(const char *) files;
	const char *gpu;
	const char *intervals; /* the trace; NULL: not asked for */
	uint32_t block, dynamic_shared;
	bool json, accesses, figures;
	bool occupancy; /* asked for by --gpu, --block or --shared */
	struct hd_config config;
};

enum { OPT_JSON = 256, OPT_SHARED, OPT_ACCESSES, OPT_FIGURES, OPT_INTERVALS };

static const struct argp_option options[] = {
	{"gpu", 'g', "NAME", 0, "GPU whose occupancy is computed (default v100)", 0},
	{"block", 'b', "N", 0, "threads per CTA (default: from launch bounds or launches in the source)", 0},
	{"shared", OPT_SHARED, "BYTES", 0, "dynamic shared memory per CTA", 0},
	{"accesses", OPT_ACCESSES, NULL, 0,
	 "list each kernel's linear registers, and its memory accesses with sectors and bank conflicts", 0},
	{"figures", OPT_FIGURES, NULL, 0, "list all figures of each kernel and function with unit and meaning", 0},
	{"intervals", OPT_INTERVALS, "TRACE", 0,
	 "print only how long register-intervals are in a run, and the most that any choice of places could reach; "
	 "`heddle trace issue PROGRAM` writes TRACE (-: standard input)",
	 0},
	{"json", OPT_JSON, NULL, 0, "print JSON", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct info *info = state->input;
	switch (key) {
	case 'g': info->gpu = arg; break;
	case 'b': info->block = cmd_parse_count(state, "--block", arg, 1, CMD_MOST_THREADS); break;
	case OPT_SHARED: info->dynamic_shared = cmd_parse_count(state, "--shared", arg, 0, INT32_MAX); break;
	case OPT_JSON: info->json = true; return 0;
	case OPT_ACCESSES: info->accesses = true; return 0;
	case OPT_FIGURES: info->figures = true; return 0;
	case OPT_INTERVALS: info->intervals = arg; return 0;
	case ARGP_KEY_ARG: hd_vec_push(&info->files, arg); return 0;
	case ARGP_KEY_NO_ARGS: argp_error(state, "no input file"); return 0;
	case ARGP_KEY_END:
		if (info->intervals && info->files.len > 1)
			argp_error(state, "--intervals takes one FILE, the program that was traced");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
	info->occupancy = true;
	return 0;
}

/* Threads of a CTA: the command line, else what the source promises or its launches show; 0 unknown. */
static uint32_t block_of(const struct info *info, const struct hd_meta_function *kernel)
{
	if (info->block)
		return info->block;
	if (kernel->reqntid[0])
		return kernel->reqntid[0] * (kernel->reqntid[1] ? kernel->reqntid[1] : 1) *
		       (kernel->reqntid[2] ? kernel->reqntid[2] : 1);
	for (uint32_t i = 0; i < kernel->launch_count; i++)
		if (kernel->launches[i].block_known)
			return kernel->launches[i].block[0] * kernel->launches[i].block[1] *
			       kernel->launches[i].block[2];
	return kernel->max_threads;
}

static struct hd_occupancy occupancy_of(const struct info *info, const struct hd_meta_function *kernel, uint32_t block)
{
	struct hd_sm_limits limits = hd_sm_limits_of(&info->config);
	return hd_occupancy_compute(&limits, kernel->registers, block,
				    (uint64_t)kernel->shared_bytes + info->dynamic_shared);
}

/* null: the GPU does not run NVIDIA's code of this unit. */
static json_t *occupancy_json(const struct info *info, const struct cmd_unit *unit,
			      const struct hd_meta_function *kernel)
{
	if (unit->cubin && !cubin_runs_on(unit, &info->config))
		return json_null();
	uint32_t block = block_of(info, kernel);
	json_t *object = json_object();
	json_object_set_new(object, "gpu", hd_json_text(info->config.name));
	json_object_set_new(object, "block_threads", block ? json_integer(block) : json_null());
	if (!block)
		return object;
	struct hd_occupancy occupancy = occupancy_of(info, kernel, block);
	json_object_set_new(object, "ctas", json_integer(occupancy.ctas));
	json_object_set_new(object, "warps", json_integer(occupancy.warps));
	json_object_set_new(object, "max_warps", json_integer(occupancy.max_warps));
	json_object_set_new(object, "limit", json_string(hd_occupancy_limit_name(occupancy.limit)));
	return object;
}

static json_t *functions_json(const struct info *info, const struct cmd_unit *unit, bool kernels)
{
	const struct hd_metadata *metadata = &unit->metadata;
	json_t *array = json_array();
	for (uint32_t i = 0; i < metadata->function_count; i++) {
		const struct hd_meta_function *function = &metadata->functions[i];
		if (function->kernel != kernels)
			continue;
		json_t *object = unit->cubin ? cubin_figures(unit, function) : hd_metadata_function_json(function);
		if (kernels && info->occupancy)
			json_object_set_new(object, "occupancy", occupancy_json(info, unit, function));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *cubin_json(const struct cmd_unit *unit)
{
	json_t *object = json_object();
	json_object_set_new(object, "module", hd_json_text(unit->metadata.module));
	json_object_set_new(object, "target", hd_json_text(unit->metadata.target));
	json_object_set_new(object, "producer", hd_json_text(unit->metadata.producer));
	json_object_set_new(object, "flags", hd_json_text(unit->metadata.flags));
	json_object_set_new(object, "user_constant_bytes", json_integer(unit->cubin->user_constant_bytes));
	return object;
}

static int print_json(const struct info *info, const struct cmd_input *input)
{
	json_t *document = json_object(), *objects = json_array();
	json_object_set_new(document, "objects", objects);
	for (uint32_t i = 0; i < input->units.len; i++) {
		const struct cmd_unit *unit = &input->units.data[i];
		json_t *object = unit->cubin ? cubin_json(unit) : hd_metadata_json(&unit->metadata);
		json_object_set_new(object, "file", hd_json_text(unit->path));
		json_object_set_new(object, "kernels", functions_json(info, unit, true));
		json_object_set_new(object, "functions", functions_json(info, unit, false));
		json_array_append_new(objects, object);
	}
	return cmd_print_json(document);
}

static void print_row(const struct hd_meta_function *function)
{
	char spills[32];
	snprintf(spills, sizeof(spills), "%u/%u", function->spill_store_bytes, function->spill_load_bytes);
	printf("%-8s %4u %6u %11s %7u %6u %4u %6u", function->kernel ? "kernel" : "function", function->registers,
	       function->stack_bytes, spills, function->shared_bytes, function->instructions, function->fru,
	       function->max_stack_depth);
	if (function->kernel)
		printf(" %5u %5u", function->low_watermark, function->high_watermark);
	else
		printf(" %5s %5s", "-", "-");
	printf(" %5u  %s%s\n", function->call_depth, hd_meta_shown_name(function),
	       function->helper	     ? " (helper)"
	       : function->recursive ? " (recursive)"
				     : "");
}

static void print_count(const char **separator, uint32_t count, const char *one, const char *more)
{
	if (!count)
		return;
	printf("%s%u %s", *separator, count, count == 1 ? one : more);
	*separator = ", ";
}

/* What the figures of the row leave out. */
static void print_open(const struct hd_meta_function *function)
{
	const char *separator = "    not proven: ";
	print_count(&separator, function->unproven_accesses, "access", "accesses");
	print_count(&separator, function->unknown_calls, "call with unknown callees", "calls with unknown callees");
	if (separator[0] == ',')
		putchar('\n');
	separator = "    not bounded: ";
	print_count(&separator, function->recursive_calls, "recursive call", "recursive calls");
	print_count(&separator, function->dynamic_frames, "frame of dynamic size", "frames of dynamic size");
	if (separator[0] == ',')
		putchar('\n');
}

static void print_chain(const struct hd_metadata *metadata, const struct hd_meta_function *kernel)
{
	printf("    high-watermark chain: ");
	for (uint32_t i = 0; i < kernel->chain_count; i++) {
		const struct hd_meta_function *link = hd_metadata_find(metadata, kernel->high_watermark_chain[i]);
		printf("%s%s", i ? " -> " : "", link ? hd_meta_shown_name(link) : kernel->high_watermark_chain[i]);
		if (link)
			printf(" [%u]", link->fru);
	}
	putchar('\n');
}

/* A launch bound leaves the block size open. */
static void print_occupancy_range(const struct info *info, const struct hd_meta_function *kernel, uint32_t block)
{
	struct gate_need need = {.registers = kernel->registers,
				 .block = block,
				 .shared = (uint64_t)kernel->shared_bytes + info->dynamic_shared};
	struct gate_range range = gate_fit_range(&info->config, &need);
	printf("      with up to %u threads a CTA: %.0f to %.0f %%, the least limited by %s\n", block,
	       100.0 * range.least.warps / range.least.max_warps, 100.0 * range.most.warps / range.most.max_warps,
	       hd_occupancy_limit_name(range.least.limit));
}

static void print_occupancy(const struct info *info, const struct hd_meta_function *kernel)
{
	uint32_t block = block_of(info, kernel);
	if (!block) {
		printf("    occupancy: block size unknown, give --block\n");
		return;
	}
	struct hd_occupancy occupancy = occupancy_of(info, kernel, block);
	if (!occupancy.ctas) {
		printf("    occupancy on %s with %u threads a CTA: cannot be launched (%s)\n", info->config.name, block,
		       hd_occupancy_limit_name(occupancy.limit));
		return;
	}
	printf("    occupancy on %s with %u threads a CTA: %u CTAs, %u of %u warps (%.0f %%), limited by %s\n",
	       info->config.name, block, occupancy.ctas, occupancy.warps, occupancy.max_warps,
	       100.0 * occupancy.warps / occupancy.max_warps, hd_occupancy_limit_name(occupancy.limit));
	if (!info->block && gate_block_is_bound(kernel))
		print_occupancy_range(info, kernel, block);
}

static unsigned long long registers_needed(const struct hd_meta_linear_version *version, uint32_t threads,
					   uint32_t ctas)
{
	const struct hd_linear linear = {.threads = version->thread_registers,
					 .coefficients = version->coefficient_registers};
	return hd_linear_registers(&linear, threads, ctas, true);
}

/* What linear registers need of an SM beside the threads' own, and what the CTAs leave (R2D2 4.4, 5.6). */
static void print_linear_registers(const struct info *info, const struct hd_meta_function *kernel)
{
	const struct hd_meta_linear_version *version = kernel->linear_version;
	uint32_t block = block_of(info, kernel), threads = (block + HD_WARP_LANES - 1) / HD_WARP_LANES * HD_WARP_LANES;
	struct hd_occupancy occupancy = occupancy_of(info, kernel, block);
	if (!block || !occupancy.ctas)
		return;
	/* What it calls may need more than its own code. */
	uint32_t registers =
		kernel->call_count && kernel->registers > version->registers ? kernel->registers : version->registers;
	uint32_t of_sm = hd_sm_limits_of(&info->config).registers;
	printf("      %u CTAs leave %llu registers, it needs %llu\n", occupancy.ctas,
	       (unsigned long long)hd_linear_free_registers(of_sm, registers, threads, occupancy.ctas),
	       registers_needed(version, threads, occupancy.ctas));
}

static void print_cluster(const struct hd_meta_function *kernel)
{
	const uint32_t *size = kernel->cluster;
	if (size[0])
		printf("    cluster: %u x %u x %u blocks\n", size[0], size[1], size[2]);
	else if (kernel->max_cluster)
		printf("    cluster: at most %u block%s\n", kernel->max_cluster, kernel->max_cluster == 1 ? "" : "s");
}

/* What runs beside a warp's instructions. */
static void print_async(const struct hd_meta_function *function)
{
	const char *separator = "    products of warpgroups: ";
	print_count(&separator, function->products, "instruction", "instructions");
	print_count(&separator, function->product_registers, "register in flight", "registers in flight");
	print_count(&separator, function->product_groups, "group left at a wait", "groups left at a wait");
	print_count(&separator, function->serialized, "wait put in", "waits put in");
	if (separator[0] == ',')
		putchar('\n');
	separator = "    registers that warps hand on: ";
	print_count(&separator, function->resizes, "instruction", "instructions");
	print_count(&separator, function->least_registers, "register at least", "registers at least");
	print_count(&separator, function->most_registers, "register at most", "registers at most");
	if (separator[0] == ',')
		putchar('\n');
	separator = "    beside the warps: ";
	print_count(&separator, function->bulk_copies, "copy in bulk", "copies in bulk");
	print_count(&separator, function->stage_bytes, "byte a stage", "bytes a stage");
	print_count(&separator, function->unknown_stages, "stage of unknown size", "stages of unknown size");
	print_count(&separator, function->store_groups, "group of stores left at a wait",
		    "groups of stores left at a wait");
	print_count(&separator, function->shared_barriers, "initialisation of a barrier",
		    "initialisations of barriers");
	print_count(&separator, function->shared_barrier_waits, "wait for a barrier", "waits for barriers");
	print_count(&separator, function->ahead_waits, "of them with a copy ahead", "of them with a copy ahead");
	print_count(&separator, function->serial_waits, "with no copy in flight behind it",
		    "with no copy in flight behind them");
	print_count(&separator, function->unproven_waits, "of which neither is proven", "of which neither is proven");
	if (separator[0] == ',')
		putchar('\n');
}

static void print_linear_version(const struct info *info, const struct hd_meta_function *kernel)
{
	const struct hd_meta_linear_version *version = kernel->linear_version;
	if (!version)
		return;
	printf("    linear version: %u registers; %u linear, %u thread-index, %u coefficient registers; %u "
	       "instructions, streams "
	       "of %u, %u and %u\n",
	       version->registers, version->linear_registers, version->thread_registers, version->coefficient_registers,
	       version->instructions, version->coefficient_instructions, version->thread_instructions,
	       version->block_instructions);
	if (info->occupancy)
		print_linear_registers(info, kernel);
}

static void print_figures(const struct hd_meta_function *function, const char *part, const struct hd_meta_record *table,
			  const void *record)
{
	for (uint32_t i = 0; record && i < table->count; i++) {
		const struct hd_meta_field *figure = &table->fields[i];
		char path[64], value[16], state[64] = "";
		uint32_t places;
		if (!hd_meta_is_figure(figure))
			continue;
		uint32_t number = hd_meta_figure_value(figure, record);
		snprintf(path, sizeof(path), "%s%s%s", part[0] ? part : figure->group,
			 part[0] || figure->group[0] ? "." : "", figure->key);
		bool flag = figure->type == HD_META_FLAG;
		snprintf(value, sizeof(value), "%u", number);
		if (table == &hd_meta_function_record)
			hd_meta_state_text(hd_meta_state_of(function, figure->metric, &places), places, state,
					   sizeof(state));
		printf("    %-38s %10s %-12s  %s%s%s%s\n", path,
		       !flag	? value
		       : number ? "yes"
				: "no",
		       flag ? "" : figure->unit, state[0] ? "(" : "", state, state[0] ? ") " : "", figure->doc);
	}
}

/* Those of metadata.def that a cubin says, and those that only cubins have. */
static void print_cubin_figures(const struct cmd_unit *unit, const struct hd_meta_function *function)
{
	json_t *known = cubin_figures(unit, function);
	for (uint32_t i = 0; i < hd_meta_function_record.count; i++) {
		const struct hd_meta_field *figure = &hd_meta_function_record.fields[i];
		char path[64];
		if (!hd_meta_is_figure(figure))
			continue;
		snprintf(path, sizeof(path), "%s%s%s", figure->group, figure->group[0] ? "." : "", figure->key);
		const json_t *group = figure->group[0] ? json_object_get(known, figure->group) : known;
		const json_t *value = json_object_get(group, figure->key);
		if (value)
			printf("    %-38s %10" JSON_INTEGER_FORMAT " %-12s  %s\n", path, json_integer_value(value),
			       figure->unit, figure->doc);
	}
#define GATE_CUBIN(metric, measure, member, doc) \
	printf("    %-38s %10u %-12s  %s\n", metric, cubin_function(unit, function)->member, measure, doc);
#include "tools/heddle/gate/cubin.def"
#undef GATE_CUBIN
	json_decref(known);
}

static void print_all_figures(const struct hd_meta_function *function)
{
	print_figures(function, "", &hd_meta_function_record, function);
	print_figures(function, "reuse", &hd_meta_reuse_record, function->reuse);
	print_figures(function, "affine", &hd_meta_affine_record, function->affine);
	print_figures(function, "linear_version", &hd_meta_linear_version_record, function->linear_version);
}

/* A function of NVIDIA's code; `-` stands for what only heddle-cc knows of its own code. */
static void print_cubin_row(const struct cmd_unit *unit, const struct hd_meta_function *function)
{
	const struct hd_cubin_function *own = cubin_function(unit, function);
	char insts[16] = "-", spills[32] = "-";
	if (own->insts)
		snprintf(insts, sizeof(insts), "%u", function->instructions);
	if (own->insts && (own->spills_known || !function->local_accesses))
		snprintf(spills, sizeof(spills), "%u+%u", function->spill_store_bytes, function->spill_load_bytes);
	printf("%-8s %4u %6u %11s %7u %6s %4s %6s %5s %5s %5s  %s\n", function->kernel ? "kernel" : "function",
	       function->registers, function->kernel ? function->max_stack_bytes : function->stack_bytes, spills,
	       function->shared_bytes, insts, "-", "-", "-", "-", "-", hd_meta_shown_name(function));
	const char *separator = "    ";
	print_count(&separator, own->constant_bytes, "byte of constant bank 0", "bytes of constant bank 0");
	print_count(&separator, function->param_bytes, "of them parameters", "of them parameters");
	print_count(&separator, own->barriers, "barrier", "barriers");
	print_count(&separator, own->indirect_calls, "indirect call", "indirect calls");
	print_count(&separator, function->local_accesses, "local access", "local accesses");
	print_count(&separator, function->fp64_instructions, "double-precision instruction",
		    "double-precision instructions");
	if (separator[0] == ',')
		putchar('\n');
	print_open(function);
}

static void print_cubin_occupancy(const struct info *info, const struct cmd_unit *unit,
				  const struct hd_meta_function *kernel)
{
	if (cubin_runs_on(unit, &info->config))
		print_occupancy(info, kernel);
	else
		printf("    occupancy: %s does not run this code\n", info->config.name);
}

static void print_table(const struct info *info, const struct cmd_unit *unit)
{
	const struct hd_metadata *metadata = &unit->metadata;
	bool colour = cmd_colour();
	printf("%s: %s, %s, %s", unit->path, metadata->module[0] ? metadata->module : "(no name)", metadata->target,
	       metadata->mode == HD_MODE_RELOCATABLE ? "relocatable" : "whole program");
	if (unit->cubin)
		printf(", code of %s (-: known of heddle-cc's code only)", metadata->producer);
	putchar('\n');
	if (unit->cubin && unit->cubin->user_constant_bytes)
		printf("    __constant__: %u bytes\n", unit->cubin->user_constant_bytes);
	printf("%s%-8s %4s %6s %11s %7s %6s %4s %6s %5s %5s %5s  %s%s\n", colour ? "\033[1m" : "", "", "regs", "stack",
	       "spills", "shared", "insts", "FRU", "depth", "low", "high", "calls", "name", colour ? "\033[0m" : "");
	/* Kernels first, and what a kernel has beyond its row below it. */
	for (int kernels = 1; kernels >= 0; kernels--) {
		for (uint32_t i = 0; i < metadata->function_count; i++) {
			const struct hd_meta_function *function = &metadata->functions[i];
			if (function->kernel != (kernels == 1))
				continue;
			if (unit->cubin) {
				print_cubin_row(unit, function);
				if (kernels && info->occupancy)
					print_cubin_occupancy(info, unit, function);
				print_cluster(function);
				if (info->figures)
					print_cubin_figures(unit, function);
				continue;
			}
			print_row(function);
			print_open(function);
			if (kernels && function->chain_count > 1)
				print_chain(metadata, function);
			if (kernels && info->occupancy)
				print_occupancy(info, function);
			info_print_linear(function, info->accesses);
			print_cluster(function);
			print_async(function);
			print_linear_version(info, function);
			if (info->figures)
				print_all_figures(function);
		}
	}
}

static int print_all(const struct info *info, const struct cmd_input *input)
{
	if (info->json)
		return print_json(info, input);
	for (uint32_t i = 0; i < input->units.len; i++) {
		if (i)
			putchar('\n');
		print_table(info, &input->units.data[i]);
	}
	return CMD_OK;
}

int cmd_info(int argc, char **argv)
{
	static const char doc[] =
		"Prints the compiler's figures for each kernel and function.\v"
		"FILE is a kernel object (.hdo), its metadata (.heddle.json), a program built with "
		"heddle-cc, or what nvcc built: an object, library, archive or executable, a fat binary or a cubin. "
		"Of nvcc's code, `-` stands for what only heddle-cc knows of its own.\n\n"
		"Columns:\n"
		"  regs       registers per thread (kernels: over the whole call graph)\n"
		"  stack      bytes of the function's own stack frame\n"
		"  spills     bytes stored/loaded by spills\n"
		"  shared     static shared memory per CTA, bytes\n"
		"  insts      machine instructions\n"
		"  FRU        function register usage\n"
		"  depth      MaxStackDepth: registers on the deepest call chain\n"
		"  low, high  Low and High watermark\n"
		"  calls      length of the longest call chain\n\n"
		"Lines below a row list what its figures do not cover: accesses without a proof, and calls "
		"that make depth or stack unbounded. Lines below a kernel list its linear values (R2D2), where "
		"its branches are uniform, and accesses with avoidable sectors or conflicts. Pn is kernel "
		"parameter n, counted from 0.";
	static const struct argp argp = {options, parse_option, "FILE...", doc, NULL, NULL, NULL};
	struct info info = {.gpu = "v100"};
	struct hd_diag diag = {.tool = "heddle"};
	int status = CMD_ERROR;
	cmd_parse(&argp, argc, argv, 0, &info);
	if (info.intervals) {
		status = info_intervals(info.files.data[0], info.intervals, info.json);
		hd_vec_release(&info.files);
		return status;
	}
	struct cmd_input input;
	cmd_input_init(&input, false);
	input.take_cubins = true;
	if (!info.occupancy || hd_config_load(&info.config, info.gpu, &diag) == 0)
		status = CMD_OK;
	for (uint32_t i = 0; status == CMD_OK && i < info.files.len; i++)
		if (cmd_input_load(&input, info.files.data[i], &diag) != 0)
			status = CMD_ERROR;
	if (status == CMD_OK)
		status = print_all(&info, &input);
	cmd_input_release(&input);
	hd_vec_release(&info.files);
	return status;
}
