/*
 * heddle occupancy: how many warps of a kernel an SM of each GPU holds, what limits them, what it takes to reach the
 * next step, and all block sizes side by side. The numbers are those of the engine's CTA dispatch
 * (hd_occupancy_compute).
 */
#include "heddle/occupancy.h"
#include "heddle/figures.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/metadata/json.h"
#include "lib/strbuf.h"
#include "tools/heddle/gate/steps.h"

struct occupancy {
	HD_VEC(const char *) files;
	HD_VEC(const char *) kernels;
	HD_VEC(const char *) gpu_names;
	uint32_t registers, shared, block;
	bool registers_given, shared_given, json, table;
	struct hd_diag diag;
	struct hd_arena arena;
	struct gate_gpus gpus;
	struct cmd_input input;
	struct gate_subjects subjects;
};

enum { OPT_SHARED = 256, OPT_JSON, OPT_TABLE };

static const struct argp_option options[] = {
	{"registers", 'r', "N", 0, "registers per thread (default: the kernel's)", 0},
	{"shared", OPT_SHARED, "BYTES", 0, "shared memory per CTA; with FILE, its dynamic part", 0},
	{"block", 'b', "N", 0, "threads per CTA (default: from launch bounds or launches in the source)", 0},
	{"gpu", 'g', "NAME,...", 0, "only these GPUs (default: all)", 0},
	{"kernel", 'k', "PATTERN", 0, "only kernels whose name matches PATTERN", 0},
	{"blocks", OPT_TABLE, NULL, 0,
	 "print the table over block sizes for every kernel, even if there are several kernels", 0},
	{"json", OPT_JSON, NULL, 0, "print JSON", 0},
	{0},
};

/* ------------------------------------------------------------------ command line */

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct occupancy *command = state->input;
	switch (key) {
	case 'r':
		command->registers = cmd_parse_count(state, "--registers", arg, 0, UINT16_MAX);
		command->registers_given = true;
		break;
	case OPT_SHARED:
		command->shared = cmd_parse_count(state, "--shared", arg, 0, INT32_MAX);
		command->shared_given = true;
		break;
	case 'b': command->block = cmd_parse_count(state, "--block", arg, 0, GATE_MOST_THREADS); break;
	case 'g': hd_vec_push(&command->gpu_names, arg); break;
	case 'k': hd_vec_push(&command->kernels, arg); break;
	case OPT_TABLE: command->table = true; break;
	case OPT_JSON: command->json = true; break;
	case ARGP_KEY_ARG: hd_vec_push(&command->files, arg); break;
	case ARGP_KEY_END:
		if (!command->files.len && !command->registers_given)
			argp_error(state, "missing --registers or a FILE with kernels");
		if (!command->files.len && command->kernels.len)
			argp_error(state, "--kernel needs a FILE");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ------------------------------------------------------------------ text */

static unsigned percent(const struct hd_occupancy *occupancy)
{
	return occupancy->max_warps ? (100 * occupancy->warps + occupancy->max_warps / 2) / occupancy->max_warps : 0;
}

static void print_gpu(const struct hd_config *gpu, const struct gate_need *need)
{
	struct hd_occupancy now = gate_fit(gpu, need);
	struct hd_strbuf next = {0};
	gate_steps_append(&next, gpu, need);
	printf("%-14s %4u %3u of %-3u %5u %%  %-14s %s\n", gpu->name, now.ctas, now.warps, now.max_warps, percent(&now),
	       hd_occupancy_limit_name(now.limit), next.len ? hd_strbuf_text(&next) : "-");
	hd_strbuf_release(&next);
}

static void print_needs(const struct gate_need *need)
{
	if (need->name)
		printf("%s: ", need->name);
	printf("%u registers, %llu bytes of shared memory", need->registers, (unsigned long long)need->shared);
	if (need->block)
		printf(", %u threads a CTA", need->block);
	putchar('\n');
}

static void print_summary(const struct occupancy *command, const struct gate_need *need)
{
	printf("%-14s %4s %-10s %7s  %-14s %s\n", "GPU", "CTAs", "warps", "", "limited by",
	       "next step up takes one of");
	for (unsigned i = 0; i < command->gpus.count; i++)
		print_gpu(&command->gpus.config[i], need);
}

static void append_cell(struct hd_strbuf *row, const struct hd_config *gpu, const struct gate_need *need)
{
	static const char letters[HD_LIMIT_COUNT] = {'t', 'c', 'r', 's', '-'};
	struct hd_occupancy now = gate_fit(gpu, need);
	if (now.ctas)
		hd_strbuf_printf(row, " %3u %3u%% %c    ", now.warps, percent(&now), letters[now.limit]);
	else
		hd_strbuf_printf(row, "   -      %c    ", letters[now.limit]);
}

static void print_row(struct hd_strbuf *row)
{
	while (row->len && row->data[row->len - 1] == ' ')
		row->len--;
	printf("%.*s\n", (int)row->len, hd_strbuf_text(row));
	row->len = 0;
}

static uint32_t largest_block(const struct occupancy *command)
{
	uint64_t most = GATE_BLOCK_STEP;
	for (unsigned i = 0; i < command->gpus.count; i++)
		if (command->gpus.config[i].max_threads_per_cta > most)
			most = command->gpus.config[i].max_threads_per_cta;
	return (uint32_t)most;
}

static void print_table(const struct occupancy *command, struct gate_need need)
{
	struct hd_strbuf row = {0};
	hd_strbuf_printf(&row, "\n%6s", "block");
	for (unsigned i = 0; i < command->gpus.count; i++)
		hd_strbuf_printf(&row, " %-13s", command->gpus.config[i].name);
	print_row(&row);
	for (need.block = GATE_BLOCK_STEP; need.block <= largest_block(command); need.block += GATE_BLOCK_STEP) {
		hd_strbuf_printf(&row, "%6u", need.block);
		for (unsigned i = 0; i < command->gpus.count; i++)
			append_cell(&row, &command->gpus.config[i], &need);
		print_row(&row);
	}
	hd_strbuf_release(&row);
	puts("Warps, share of the SM's, limited by: t threads, c CTAs, r registers, s shared memory.");
}

/* ------------------------------------------------------------------ JSON */

static void set_step(json_t *object, const char *key, const struct gate_step *step)
{
	json_object_set_new(object, key,
			    step->warps ? json_pack("{s:I,s:I}", "to", (json_int_t)step->to, "warps",
						    (json_int_t)step->warps)
					: json_null());
}

static json_t *fit_json(const struct hd_config *gpu, const struct gate_need *need)
{
	struct hd_occupancy now = gate_fit(gpu, need);
	return json_pack("{s:s,s:I,s:I,s:I,s:I,s:s}", "gpu", gpu->name, "block", (json_int_t)need->block, "ctas",
			 (json_int_t)now.ctas, "warps", (json_int_t)now.warps, "max_warps", (json_int_t)now.max_warps,
			 "limit", hd_occupancy_limit_name(now.limit));
}

static json_t *need_json(const struct occupancy *command, const struct gate_need *need)
{
	json_t *object = json_object(), *gpus = json_array(), *table = json_array();
	json_object_set_new(object, "kernel", hd_json_text(need->name));
	json_object_set_new(object, "registers", json_integer(need->registers));
	json_object_set_new(object, "shared_bytes", json_integer((json_int_t)need->shared));
	json_object_set_new(object, "block", need->block ? json_integer(need->block) : json_null());
	json_object_set_new(object, "gpus", gpus);
	json_object_set_new(object, "blocks", table);
	for (unsigned i = 0; i < command->gpus.count; i++) {
		const struct hd_config *gpu = &command->gpus.config[i];
		struct gate_need each = *need;
		for (each.block = GATE_BLOCK_STEP; each.block <= largest_block(command); each.block += GATE_BLOCK_STEP)
			json_array_append_new(table, fit_json(gpu, &each));
		if (!need->block)
			continue;
		json_t *row = fit_json(gpu, need), *next = json_object();
		struct gate_steps steps = gate_steps_of(gpu, need);
		set_step(next, "registers", &steps.registers);
		set_step(next, "shared_bytes", &steps.shared);
		set_step(next, "block", &steps.block);
		json_object_set_new(row, "next", next);
		json_array_append_new(gpus, row);
	}
	return object;
}

/* ------------------------------------------------------------------ kernels */

typedef HD_VEC(struct gate_need) need_list;

/* One for each block size that the source states; one without when it states none. */
static void add_kernel(const struct occupancy *command, const struct gate_subject *subject, need_list *needs)
{
	uint32_t blocks[GATE_MOST_BLOCKS], dynamic;
	unsigned count = gate_blocks(subject->meta, blocks, &dynamic);
	struct gate_need need = {.name = subject->name, .registers = subject->meta->registers};
	if (command->registers_given)
		need.registers = command->registers;
	need.shared = (uint64_t)subject->meta->shared_bytes + (command->shared_given ? command->shared : dynamic);
	if (command->block || !count) {
		need.block = command->block;
		hd_vec_push(needs, need);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		need.block = blocks[i];
		hd_vec_push(needs, need);
	}
}

static bool wanted(const struct occupancy *command, const struct gate_subject *subject)
{
	for (uint32_t k = 0; k < command->kernels.len; k++)
		if (hd_meta_function_matches(subject->meta, command->kernels.data[k]))
			return subject->meta->kernel;
	return subject->meta->kernel && !command->kernels.len;
}

static int collect(struct occupancy *command, need_list *needs)
{
	if (!command->files.len)
		hd_vec_push(needs, (struct gate_need){NULL, command->registers, command->block, command->shared});
	for (uint32_t i = 0; i < command->files.len; i++)
		if (cmd_input_load(&command->input, command->files.data[i], &command->diag) != 0)
			return -1;
	if (gate_subjects_init(&command->subjects, &command->input, &command->diag) != 0)
		return -1;
	for (uint32_t i = 0; i < command->subjects.list.len; i++)
		if (wanted(command, &command->subjects.list.data[i]))
			add_kernel(command, &command->subjects.list.data[i], needs);
	if (!needs->len)
		return hd_error(&command->diag, HD_NOWHERE, "%s: no such kernel", command->files.data[0]);
	return 0;
}

static int choose_gpus(struct occupancy *command)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < command->gpu_names.len; i++)
		if (gate_gpus_add_list(&command->gpus, command->gpu_names.data[i], &mask, HD_NOWHERE, &command->diag) !=
		    0)
			return -1;
	if (command->gpu_names.len)
		return 0;
	char **all = hd_config_gpus(&command->diag);
	int status = all ? 0 : -1;
	for (unsigned i = 0; all && all[i]; i++) {
		if (status == 0 && gate_gpus_add(&command->gpus, all[i], HD_NOWHERE, &command->diag) < 0)
			status = -1;
		free(all[i]);
	}
	free(all);
	return status;
}

static bool same_table(const struct gate_need *a, const struct gate_need *b)
{
	return a->name == b->name && a->registers == b->registers && a->shared == b->shared;
}

static int print_all(const struct occupancy *command, const need_list *needs)
{
	json_t *array = command->json ? json_array() : NULL;
	bool one = true;
	for (uint32_t i = 1; i < needs->len; i++)
		one &= same_table(&needs->data[0], &needs->data[i]);
	for (uint32_t i = 0; i < needs->len; i++) {
		const struct gate_need *need = &needs->data[i];
		if (command->json) {
			json_array_append_new(array, need_json(command, need));
			continue;
		}
		if (i)
			putchar('\n');
		print_needs(need);
		if (need->block)
			print_summary(command, need);
		/* Block sizes of one kernel share a table. */
		if ((command->table || one || !need->block) && (i + 1 == needs->len || !same_table(need, need + 1)))
			print_table(command, *need);
	}
	return command->json ? cmd_print_json(json_pack("{s:o}", "kernels", array)) : CMD_OK;
}

static int run(struct occupancy *command)
{
	need_list needs = {0};
	int status = CMD_ERROR;
	if (choose_gpus(command) == 0 && collect(command, &needs) == 0)
		status = print_all(command, &needs);
	hd_vec_release(&needs);
	return status;
}

int cmd_occupancy(int argc, char **argv)
{
	static const char doc[] =
		"Prints how many warps of a kernel are resident on an SM, what limits them, and how to get "
		"more.\v"
		"FILE is a kernel object (.hdo), its metadata (.heddle.json) or a program built with "
		"heddle-cc. Without FILE, --registers, --shared and --block describe a kernel. The next step "
		"is the smallest change of registers, shared memory or block size that makes more warps "
		"resident. The numbers agree with the simulator's CTA dispatch, including each GPU's "
		"allocation granularity for registers and shared memory.";
	static const struct argp argp = {options, parse_option, "[FILE...]", doc, NULL, NULL, NULL};
	struct occupancy *command = hd_xcalloc(1, sizeof(*command)); /* configurations are large */
	*command = (struct occupancy){.diag = {.tool = "heddle"}};
	hd_arena_init(&command->arena);
	cmd_input_init(&command->input, false);
	cmd_parse(&argp, argc, argv, 0, command);
	int status = run(command);
	gate_subjects_release(&command->subjects);
	cmd_input_release(&command->input);
	hd_arena_release(&command->arena);
	hd_vec_release(&command->files);
	hd_vec_release(&command->kernels);
	hd_vec_release(&command->gpu_names);
	free(command);
	return status;
}
