/*
 * heddle-generate [OPTION...] SEED PREFIX: writes PREFIX.ll, one kernel `k`, and PREFIX.ini, how `heddle run --kernel
 * k` launches it. The same seed and options give the same bytes.
 *
 * Each thread has 256 bytes of `out`: 128 that it reads and writes as it likes, 16 more that such accesses may touch,
 * and 12 results of 8 bytes. What the kernel takes by value is random bytes. After the last thread's come 64 bytes that
 * all threads update atomically.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "test/fuzz/generate/gen.h"

static const struct {
	const char *name;
	unsigned weight;
	const char *help;
} features[] = {
#define X(name, weight, help) {#name, weight, help},
	GEN_FEATURES(X)
#undef X
};

struct settings {
	struct gen *g;
	const char *words[2];
	unsigned word_count, statements;
};

static void set_features(struct gen *g, const char *list, bool only, struct argp_state *state)
{
	char *copy = strdup(list), *rest = copy;
	bool named[FEATURE_COUNT] = {0};
	for (char *item; (item = strsep(&rest, ","));) {
		unsigned f = 0;
		while (f < FEATURE_COUNT && strcmp(features[f].name, item))
			f++;
		if (f == FEATURE_COUNT)
			argp_error(state, "unknown feature '%s'; --features lists them", item);
		else
			named[f] = true;
	}
	for (unsigned f = 0; f < FEATURE_COUNT; f++)
		if (named[f] != only && f != FEATURE_integer)
			g->weights[f] = 0;
	free(copy);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct settings *settings = state->input;
	switch (key) {
	case 'w': set_features(settings->g, arg, false, state); break;
	case 'o': set_features(settings->g, arg, true, state); break;
	case 's': settings->statements = (unsigned)atoi(arg); break;
	case 'f':
		for (unsigned f = 0; f < FEATURE_COUNT; f++)
			printf("%-12s %s\n", features[f].name, features[f].help);
		exit(0);
	case ARGP_KEY_ARG:
		if (settings->word_count == 2)
			return ARGP_ERR_UNKNOWN;
		settings->words[settings->word_count++] = arg;
		break;
	case ARGP_KEY_END:
		if (settings->word_count < 2)
			argp_usage(state);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ------------------------------------------------------------ the kernel */

static const char *special(struct gen *g, const char *name)
{
	gen_declare(g, "declare i32 @llvm.nvvm.read.ptx.sreg.%s()", name);
	return gen_define(g, T_I32, "call i32 @llvm.nvvm.read.ptx.sreg.%s()", name);
}

/* The thread's number, its part of the buffers, and something of many types to begin with. */
static void prologue(struct gen *g, uint32_t blocks)
{
	const char *column = special(g, "tid.x"), *row = special(g, "tid.y"), *width = special(g, "ntid.x");
	const char *block = special(g, "ctaid.x");
	const char *above = gen_temp(g, "mul i32 %s, %s", row, width),
		   *local = gen_temp(g, "add i32 %s, %s", above, column);
	const char *before = gen_temp(g, "mul i32 %s, %u", block, g->threads);
	const char *thread = gen_define(g, T_I32, "add i32 %s, %s", before, local);
	const char *wide = gen_define(g, T_I64, "zext i32 %s to i64", thread);
	const char *offset = gen_temp(g, "mul i64 %s, %u", wide, GEN_SLOT_BYTES);
	gen_line(g, "%%mine = getelementptr i8, ptr addrspace(1) %%out, i64 %s", offset);
	gen_line(g, "%%common = getelementptr i8, ptr addrspace(1) %%out, i64 %u",
		 blocks * g->threads * GEN_SLOT_BYTES);
	gen_line(g, "%%results = getelementptr i8, ptr addrspace(1) %%mine, i64 %u", GEN_SLOT_BYTES - 8 * GEN_SLOTS);
	gen_line(g, "%%any = addrspacecast ptr addrspace(1) %%mine to ptr");
	gen_push(g, T_I32, g->next_id);
	gen_line(g, "%%v%u = add i32 %%n, 0", g->next_id);
	g->next_id++;
	struct gen_region in = {"%in", "ptr addrspace(1)", GEN_IN_BYTES, false};
	struct gen_region mine = {"%mine", "ptr addrspace(1)", GEN_PRIVATE_BYTES, true};
	struct gen_region any = {"%any", "ptr", GEN_PRIVATE_BYTES, true};
	if (gen_has(g, FEATURE_memory)) {
		hd_vec_push(&g->regions, in);
		hd_vec_push(&g->regions, mine);
		hd_vec_push(&g->regions, any);
	}
	for (unsigned i = 0; i < 6; i++)
		gen_load(g, &in, i < 2 ? T_I32 : gen_pick_stored(g), false);
}

/* The newest values of each type, as they are and summed up. */
static void epilogue(struct gen *g)
{
	unsigned slot = 1;
	char sum[16] = "0";
	uint32_t count = g->pool.len;
	for (unsigned type = 0; type < T_COUNT; type++) {
		unsigned taken = 0;
		for (uint32_t i = count; i-- > 0 && taken < 3;) {
			if (g->pool.data[i].type != (enum gen_type)type)
				continue;
			const char *bits = gen_fold(g, type, gen_format(g, "%%v%u", g->pool.data[i].id));
			if (taken++ == 0 && slot < GEN_SLOTS) {
				const char *place =
					gen_temp(g, "getelementptr i64, ptr addrspace(1) %%results, i64 %u", slot++);
				gen_line(g, "store i64 %s, ptr addrspace(1) %s, align 8", bits, place);
			}
			const char *mixed = gen_temp(g, "xor i64 %s, %s", sum, bits);
			snprintf(sum, sizeof sum, "%s", gen_temp(g, "mul i64 %s, -7046029254386353131", mixed));
		}
	}
	gen_line(g, "store i64 %s, ptr addrspace(1) %%results, align 8", sum);
	gen_line(g, "ret void");
}

/* Drawn apart: the kernels of half of the seeds have always been what they are. */
static bool without_undefined(const struct gen *g)
{
	struct gen apart = {.random = ~g->random};
	return gen_chance(&apart, 50);
}

struct launch {
	uint32_t blocks, width, height;
};

static struct launch pick_launch(struct gen *g)
{
	static const uint32_t whole[] = {32, 64, 96, 128}, partial[] = {1, 7, 20, 33, 50, 100};
	g->whole_warps = gen_has(g, FEATURE_warp) && gen_chance(g, 80);
	uint32_t width = g->whole_warps ? whole[gen_below(g, 4)] : partial[gen_below(g, 6)], height = 1;
	if (width % 2 == 0 && gen_chance(g, 30)) {
		width /= 2;
		height = 2;
	}
	g->threads = width * height;
	g->width = width;
	g->blocks = 1 + gen_below(g, 3);
	return (struct launch){g->blocks, width, height};
}

/* `params` gets the launch's part about parameters by value. */
static void write_kernel(struct gen *g, const struct launch *launch, unsigned statements, struct hd_strbuf *params)
{
	struct hd_strbuf header = {0};
	hd_strbuf_append(&header, "");
	gen_begin_function(g);
	g->function = NULL;
	g->uniform = true;
	g->returns = false;
	gen_use_params(g);
	gen_label(g, g->next_label++);
	prologue(g, launch->blocks);
	if (gen_has(g, FEATURE_local))
		gen_op_local(g);
	unsigned together = gen_has(g, FEATURE_leave) && gen_chance(g, 50) ? gen_below(g, statements) : statements;
	gen_block(g, together);
	g->returns = together < statements;
	g->uniform = !g->returns;
	gen_block(g, statements - together);
	epilogue(g);
	gen_param_texts(g, &header, params);
	hd_strbuf_printf(
		&g->functions,
		"define void @k(ptr addrspace(1) %%out, ptr addrspace(1) %%in, i32 %%n%s) nounwind convergent {\n"
		"entry:\n%s  br label %%L1\n%s}\n\n",
		hd_strbuf_text(&header), hd_strbuf_text(&g->entry), hd_strbuf_text(&g->body));
	hd_strbuf_release(&header);
}

static int write_text(const char *prefix, const char *extension, const struct hd_strbuf *text)
{
	struct hd_diag diag = {.tool = "heddle-generate"};
	struct hd_strbuf path = {0};
	hd_strbuf_printf(&path, "%s%s", prefix, extension);
	int status = hd_write_file(hd_strbuf_text(&path), text->data, text->len, &diag);
	hd_strbuf_release(&path);
	return status;
}

static int write_files(const struct gen *g, const struct launch *launch, const struct hd_strbuf *params,
		       const struct settings *settings)
{
	struct hd_strbuf ir = {0}, spec = {0};
	hd_strbuf_printf(&ir,
			 "; heddle-generate, seed %s\n"
			 "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
			 "target triple = \"nvptx64-nvidia-cuda\"\n\n%s\n%s%s\n"
			 "!nvvm.annotations = !{!1}\n!0 = !{}\n!1 = !{ptr @k, !\"kernel\", i32 1}\n",
			 settings->words[0], hd_strbuf_text(&g->globals), hd_strbuf_text(&g->functions),
			 hd_strbuf_text(&g->declarations));
	hd_strbuf_printf(&spec,
			 "[launch]\ngrid = %u\nblock = %u,%u\n"
			 "[arg0]\nkind = buffer\ntype = u64\ncount = %u\ninit = random:1\n"
			 "[arg1]\nkind = buffer\ntype = u64\ncount = %u\ninit = random:2\n"
			 "[arg2]\nkind = i32\nvalue = 1000\n%s",
			 launch->blocks, launch->width, launch->height,
			 (launch->blocks * g->threads * GEN_SLOT_BYTES + 64) / 8, (GEN_IN_BYTES + 16) / 8,
			 hd_strbuf_text(params));
	int status = write_text(settings->words[1], ".ll", &ir);
	if (!status)
		status = write_text(settings->words[1], ".ini", &spec);
	hd_strbuf_release(&ir);
	hd_strbuf_release(&spec);
	return status;
}

int main(int argc, char **argv)
{
	static const struct argp_option options[] = {{"without", 'w', "A,B,...", 0, "leave these features out", 0},
						     {"only", 'o', "A,B,...", 0,
						      "these features and integer arithmetic only", 0},
						     {"statements", 's', "N", 0,
						      "size of the kernel (default: by chance, 10 to 70)", 0},
						     {"features", 'f', NULL, 0, "list the features", 0},
						     {0}};
	static const struct argp argp = {
		options, parse, "SEED PREFIX", "Writes PREFIX.ll, a random kernel, and PREFIX.ini, its launch.",
		NULL,	 NULL,	NULL};
	struct gen *g = calloc(1, sizeof *g);
	struct settings settings = {.g = g};
	for (unsigned f = 0; f < FEATURE_COUNT; f++)
		g->weights[f] = features[f].weight;
	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &settings);
	g->random = strtoull(settings.words[0], NULL, 0);
	/* Each kernel has some of the features only, so that what it has meets more often. */
	for (unsigned f = 0; f < FEATURE_COUNT; f++) {
		bool leave_out = f == FEATURE_undefined ? without_undefined(g) : gen_chance(g, 25);
		if (leave_out && f != FEATURE_integer)
			g->weights[f] = 0;
	}
	if (!settings.statements)
		settings.statements = 10 + gen_below(g, 61);
	struct launch launch = pick_launch(g);
	struct hd_strbuf params = {0};
	hd_strbuf_append(&params, "");
	gen_make_functions(g);
	gen_make_params(g);
	write_kernel(g, &launch, settings.statements, &params);
	int status = write_files(g, &launch, &params, &settings);
	hd_strbuf_release(&params);
	hd_vec_release(&g->aggregates);
	hd_vec_release(&g->shapes);
	hd_vec_release(&g->params);
	hd_vec_release(&g->takers);
	hd_vec_release(&g->pool);
	hd_vec_release(&g->regions);
	hd_vec_release(&g->callable);
	hd_strbuf_release(&g->globals);
	hd_strbuf_release(&g->declarations);
	hd_strbuf_release(&g->functions);
	hd_strbuf_release(&g->body);
	hd_strbuf_release(&g->entry);
	free(g);
	return status ? 2 : 0;
}
