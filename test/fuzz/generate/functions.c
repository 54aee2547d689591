/*
 * Device functions: one family of a common signature for the table that indirect calls go through, some of any
 * signature, and one that calls itself.
 */
#include "test/fuzz/generate/gen.h"

#include <stdio.h>

void gen_begin_function(struct gen *g)
{
	g->body.len = g->entry.len = 0;
	hd_strbuf_append(&g->body, "");
	hd_strbuf_append(&g->entry, "");
	g->pool.len = g->regions.len = g->aggregates.len = 0;
	g->next_id = g->depth = 0;
	g->next_label = 1;
	g->label = 0;
	g->scale = 1;
	g->cost = 0;
}

static void pick_signature(struct gen *g, struct gen_function *f, unsigned max_params)
{
	f->param_count = 1 + gen_below(g, max_params);
	for (uint32_t i = 0; i < f->param_count; i++)
		f->params[i] = gen_pick_any(g);
	f->result_count = gen_chance(g, 70) ? 1 : 2 + gen_below(g, 4);
	for (uint32_t i = 0; i < f->result_count; i++)
		f->results[i] = gen_pick_any(g);
	if (gen_has(g, FEATURE_local) && gen_chance(g, 40))
		f->region_bytes = 8u << gen_below(g, 4);
}

/* Calls itself with a smaller first parameter. */
static void recursive_body(struct gen *g, const struct gen_function *f)
{
	uint32_t more = g->next_label++, stop = g->next_label++;
	const char *done = gen_temp(g, "icmp eq i32 %%v0, 0");
	gen_jump_if(g, done, stop, more);
	uint32_t scope = g->pool.len;
	gen_label(g, stop);
	gen_block(g, 2);
	gen_return(g);
	g->pool.len = scope;
	gen_label(g, more);
	char less[16];
	snprintf(less, sizeof less, "%s", gen_temp(g, "sub i32 %%v0, 1"));
	gen_block(g, 2 + gen_below(g, 4));
	for (unsigned i = 1 + gen_chance(g, 25); i-- > 0;) {
		struct gen_function self = *f;
		self.cost = 0;
		gen_call(g, &self, f->name, less);
		gen_block(g, 1 + gen_below(g, 4));
	}
}

static void write_function(struct gen *g, struct gen_function *f, unsigned statements)
{
	gen_begin_function(g);
	g->function = f;
	g->uniform = f->cross;
	g->returns = gen_has(g, FEATURE_leave) && !f->cross;
	struct hd_strbuf header = {0};
	char type[256];
	const char *inlining = gen_chance(g, 75) ? " noinline" : "";
	hd_strbuf_printf(&header, "define internal %s %s(", gen_result_type(f, type, sizeof type), f->name);
	for (uint32_t i = 0; i < f->param_count; i++) {
		hd_strbuf_printf(&header, "%s%s %%v%u", i ? ", " : "", gen_name(f->params[i]), g->next_id);
		if (!f->depth || i) /* nothing but the recursion itself looks at the depth */
			gen_push(g, f->params[i], g->next_id);
		g->next_id++;
	}
	if (f->region_bytes) {
		struct gen_region region = {.type = "ptr", .bytes = f->region_bytes, .writable = true};
		snprintf(region.pointer, sizeof region.pointer, "%%v%u", g->next_id++);
		hd_vec_push(&g->regions, region);
		hd_strbuf_printf(&header, "%sptr %s", f->param_count ? ", " : "", region.pointer);
	}
	hd_strbuf_printf(&header, ")%s%s nounwind {\nentry:\n", inlining, f->cross ? " convergent" : "");
	gen_label(g, g->next_label++);
	/* Something of type i32 is the root of all values that are made when none is there. */
	gen_define(g, T_I32, "add i32 %s, 0", gen_constant(g, T_I32));
	if (f->param_count > f->depth)
		gen_define(g, T_I64, "add i64 %s, 1",
			   gen_fold(g, f->params[f->depth], gen_format(g, "%%v%u", (unsigned)f->depth)));
	if (f->depth)
		recursive_body(g, f);
	else
		gen_block(g, statements);
	gen_return(g);
	hd_strbuf_printf(&g->functions, "%s%s  br label %%L1\n%s}\n\n", hd_strbuf_text(&header),
			 hd_strbuf_text(&g->entry), hd_strbuf_text(&g->body));
	hd_strbuf_release(&header);
	f->cost = g->cost * (f->depth ? 8 : 1) + 10;
}

static void add_function(struct gen *g, struct gen_function *f, unsigned statements)
{
	write_function(g, f, statements);
	hd_vec_push(&g->callable, *f);
}

void gen_make_functions(struct gen *g)
{
	if (gen_has(g, FEATURE_indirect)) {
		struct gen_function model = {0};
		pick_signature(g, &model, 4);
		uint32_t before = g->callable.len;
		for (unsigned i = 0; i < 4; i++) {
			struct gen_function f = model;
			snprintf(f.name, sizeof f.name, "@i%u", i);
			/* they do not call each other: the table is used from outside only */
			uint32_t count = g->callable.len;
			g->callable.len = before;
			write_function(g, &f, 3 + gen_below(g, 8));
			g->callable.len = count;
			hd_vec_push(&g->callable, f);
		}
		hd_strbuf_append(
			&g->globals,
			"@functions = internal addrspace(4) constant [4 x ptr] [ptr @i0, ptr @i1, ptr @i2, ptr @i3]\n");
	}
	unsigned count = gen_has(g, FEATURE_call) ? 1 + gen_below(g, 4) : 0;
	for (unsigned i = 0; i < count; i++) {
		struct gen_function f = {.cross = (gen_has(g, FEATURE_shared) || gen_has(g, FEATURE_warp)) &&
						  gen_chance(g, 25)};
		snprintf(f.name, sizeof f.name, "@f%u", i);
		pick_signature(g, &f, gen_chance(g, 20) ? 14 : 5);
		add_function(g, &f, 5 + gen_below(g, 20));
	}
	if (gen_has(g, FEATURE_recursion) && gen_chance(g, 50)) {
		struct gen_function f = {.depth = true};
		snprintf(f.name, sizeof f.name, "@r0");
		pick_signature(g, &f, 4);
		f.params[0] = T_I32;
		add_function(g, &f, 0);
	}
}
