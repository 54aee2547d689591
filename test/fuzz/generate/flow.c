/*
 * Control flow and calls. A statement inside an arm or a loop body sees the values before it; what comes out goes
 * through phis at the end.
 */
#include "test/fuzz/generate/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MERGED = 3, MAX_DEPTH = 4 };

void gen_label(struct gen *g, uint32_t label)
{
	hd_strbuf_printf(&g->body, "L%u:\n", label);
	g->label = label;
}

static void jump(struct gen *g, uint32_t label)
{
	gen_line(g, "br label %%L%u", label);
}

void gen_jump_if(struct gen *g, const char *condition, uint32_t yes, uint32_t no)
{
	gen_line(g, "br i1 %s, label %%L%u, label %%L%u", condition, yes, no);
}

static void insert(struct hd_strbuf *buffer, size_t at, const struct hd_strbuf *text)
{
	char *tail = strdup(hd_strbuf_text(buffer) + at);
	buffer->len = at;
	hd_strbuf_append(buffer, hd_strbuf_text(text));
	hd_strbuf_append(buffer, tail);
	free(tail);
}

/* ------------------------------------------------------------ values that meet */

/* Values of some types from several blocks, to become phis. */
struct merge {
	enum gen_type types[MAX_MERGED];
	unsigned count;
	HD_VEC(struct incoming {
		uint32_t label;
		char values[MAX_MERGED][160];
	})
	incoming;
};

static void merge_begin(struct gen *g, struct merge *merge)
{
	memset(merge, 0, sizeof *merge);
	merge->count = 1 + gen_below(g, MAX_MERGED);
	for (unsigned i = 0; i < merge->count; i++)
		merge->types[i] = gen_pick_any(g);
}

/* The current block goes to the merge, with values of its own. */
static void merge_from_here(struct gen *g, struct merge *merge)
{
	struct incoming incoming;
	for (unsigned i = 0; i < merge->count; i++)
		snprintf(incoming.values[i], sizeof incoming.values[i], "%s", gen_operand(g, merge->types[i]));
	incoming.label = g->label;
	hd_vec_push(&merge->incoming, incoming);
}

static void phi_text(const struct merge *merge, unsigned i, uint32_t id, struct hd_strbuf *text)
{
	hd_strbuf_printf(text, "  %%v%u = phi %s ", id, gen_name(merge->types[i]));
	for (uint32_t b = 0; b < merge->incoming.len; b++)
		hd_strbuf_printf(text, "%s[ %s, %%L%u ]", b ? ", " : "", merge->incoming.data[b].values[i],
				 merge->incoming.data[b].label);
	hd_strbuf_append(text, "\n");
}

/* At the start of a block: the phis, which come into the pool. */
static void merge_end(struct gen *g, struct merge *merge)
{
	for (unsigned i = 0; i < merge->count && merge->incoming.len; i++) {
		phi_text(merge, i, g->next_id, &g->body);
		gen_push(g, merge->types[i], g->next_id++);
	}
	hd_vec_release(&merge->incoming);
}

/* ------------------------------------------------------------ branches */

static void leave_kernel(struct gen *g)
{
	for (unsigned slot = gen_below(g, 3); slot-- > 0;) {
		enum gen_type type = gen_pick_any(g);
		const char *bits = gen_fold(g, type, gen_operand(g, type));
		const char *place = gen_temp(g, "getelementptr i64, ptr addrspace(1) %%results, i64 %u", slot);
		gen_line(g, "store i64 %s, ptr addrspace(1) %s, align 8", bits, place);
	}
	gen_line(g, "ret void");
}

void gen_return(struct gen *g)
{
	const struct gen_function *f = g->function;
	if (!f) {
		leave_kernel(g);
		return;
	}
	if (f->result_count == 1) {
		gen_line(g, "ret %s %s", gen_name(f->results[0]), gen_operand(g, f->results[0]));
		return;
	}
	struct hd_strbuf type = {0};
	for (uint32_t i = 0; i < f->result_count; i++)
		hd_strbuf_printf(&type, "%s%s", i ? ", " : "{", gen_name(f->results[i]));
	hd_strbuf_append(&type, "}");
	char whole[16] = "poison";
	for (uint32_t i = 0; i < f->result_count; i++) {
		const char *value = gen_operand(g, f->results[i]);
		snprintf(whole, sizeof whole, "%s",
			 gen_temp(g, "insertvalue %s %s, %s %s, %u", hd_strbuf_text(&type), whole,
				  gen_name(f->results[i]), value, i));
	}
	gen_line(g, "ret %s %s", hd_strbuf_text(&type), whole);
	hd_strbuf_release(&type);
}

/* One arm: a block with statements that goes to the merge, or leaves the function. */
static void arm(struct gen *g, uint32_t label, uint32_t end, struct merge *merge, bool may_return)
{
	uint32_t scope = g->pool.len;
	gen_label(g, label);
	gen_block(g, 1 + gen_below(g, 5));
	if (may_return && g->returns && gen_chance(g, 12)) {
		gen_return(g);
	} else {
		merge_from_here(g, merge);
		jump(g, end);
	}
	g->pool.len = scope;
}

/* Whether all threads of the block are still together in what follows. The condition is in *condition. */
static bool pick_condition(struct gen *g, const char **condition)
{
	if (g->uniform && gen_chance(g, 40)) {
		gen_declare(g, "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()");
		const char *block = gen_temp(g, "call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()");
		*condition = gen_temp(g, "icmp ult i32 %s, %u", block, gen_below(g, 3));
		return true;
	}
	*condition = gen_variable(g, T_I1);
	return false;
}

static void branch(struct gen *g)
{
	bool uniform = g->uniform;
	const char *condition;
	struct merge merge;
	uint32_t yes = g->next_label++, no = g->next_label++, end = g->next_label++;
	merge_begin(g, &merge);
	g->uniform = pick_condition(g, &condition);
	bool both = gen_chance(g, 55);
	char kept[16];
	snprintf(kept, sizeof kept, "%s", condition);
	if (!both)
		merge_from_here(g, &merge);
	gen_jump_if(g, kept, yes, both ? no : end);
	arm(g, yes, end, &merge, true);
	if (both)
		arm(g, no, end, &merge, merge.incoming.len);
	g->uniform = uniform;
	gen_label(g, end);
	merge_end(g, &merge);
}

/* A return for some of the threads, with a few statements or none before it. */
static void leave(struct gen *g)
{
	if (!g->returns)
		return;
	uint32_t gone = g->next_label++, on = g->next_label++, scope = g->pool.len;
	gen_jump_if(g, gen_variable(g, T_I1), gone, on);
	gen_label(g, gone);
	gen_block(g, gen_below(g, 3));
	gen_return(g);
	g->pool.len = scope;
	gen_label(g, on);
}

static void switches(struct gen *g)
{
	static const enum gen_type kinds[] = {T_I32, T_I32, T_I8, T_I16, T_I64};
	bool uniform = g->uniform;
	enum gen_type type = kinds[gen_below(g, 5)];
	unsigned cases = 2 + gen_below(g, 7), step = gen_chance(g, 70) ? 1 : 1 + gen_below(g, 30);
	struct merge merge;
	merge_begin(g, &merge);
	const char *value = gen_variable(g, type);
	if (gen_chance(g, 80))
		value = gen_temp(g, "urem %s %s, %u", gen_name(type), value,
				 cases * step + gen_below(g, 3) > 120 ? 120 : cases * step + gen_below(g, 3));
	uint32_t first = g->next_label, end = first + cases + 1;
	g->next_label = end + 1;
	g->uniform = false;
	gen_line(g, "switch %s %s, label %%L%u [", gen_name(type), value, first);
	for (unsigned i = 0; i < cases; i++)
		if (i * step < 120)
			gen_line(g, "  %s %u, label %%L%u", gen_name(type), i * step,
				 first + 1 + i - (i && gen_chance(g, 15)));
	gen_line(g, "]");
	for (unsigned i = 0; i <= cases; i++) {
		/* now and then into the next arm, as C's cases do */
		bool falls = i < cases && gen_chance(g, 15);
		if (falls) {
			uint32_t scope = g->pool.len;
			gen_label(g, first + i);
			gen_block(g, 1 + gen_below(g, 3));
			jump(g, first + i + 1);
			g->pool.len = scope;
		} else {
			arm(g, first + i, end, &merge, i < cases);
		}
	}
	g->uniform = uniform;
	gen_label(g, end);
	merge_end(g, &merge);
}

/* ------------------------------------------------------------ loops */

/* At most how often; *bound is an i32. Returns whether all threads loop equally often. */
static bool pick_bound(struct gen *g, unsigned *most, const char **bound)
{
	*most = 1 + gen_below(g, g->depth > 1 ? 4 : 9);
	if (gen_chance(g, 40)) {
		*bound = gen_format(g, "%u", *most);
		return true;
	}
	*bound = gen_temp(g, "urem i32 %s, %u", gen_variable(g, T_I32), *most + 1);
	return false;
}

struct loop {
	uint32_t header, latch, exit, counter;
	char bound[16];
	struct merge carried, latched, left;
	bool bottom;	/* tested at its end */
	uint32_t scope; /* values that every iteration has from its start */
};

/* The body's statements, with ways out of it and on to the next iteration. */
static void loop_body(struct gen *g, struct loop *loop, bool breaks)
{
	unsigned parts = 1 + gen_below(g, 3);
	for (unsigned i = 0; i < parts; i++) {
		gen_block(g, 1 + gen_below(g, 5));
		if (!breaks || !gen_chance(g, 40))
			continue;
		uint32_t next = g->next_label++;
		bool leave = gen_chance(g, 60);
		const char *condition = gen_variable(g, T_I1);
		merge_from_here(g, leave ? &loop->left : &loop->latched);
		gen_jump_if(g, condition, leave ? loop->exit : loop->latch, next);
		gen_label(g, next);
	}
	merge_from_here(g, &loop->latched);
	jump(g, loop->latch);
}

/* The latch: the values for the next iteration, and the counter. Returns the header's phis. */
static void loop_latch(struct gen *g, struct loop *loop, struct hd_strbuf *phis)
{
	g->pool.len = loop->scope;
	gen_label(g, loop->latch);
	uint32_t first = g->next_id;
	merge_end(g, &loop->latched);
	struct incoming back = {.label = loop->latch};
	for (unsigned i = 0; i < loop->carried.count; i++)
		snprintf(back.values[i], sizeof back.values[i], "%%v%u", first + i);
	const char *next = gen_temp(g, "add i32 %%v%u, 1", loop->counter);
	hd_strbuf_printf(phis, "  %%v%u = phi i32 [ 0, %%L%u ], [ %s, %%L%u ]\n", loop->counter,
			 loop->carried.incoming.data[0].label, next, loop->latch);
	if (loop->bottom) {
		merge_from_here(g, &loop->left);
		const char *again = gen_temp(g, "icmp ult i32 %s, %s", next, loop->bound);
		gen_jump_if(g, again, loop->header, loop->exit);
	} else {
		jump(g, loop->header);
	}
	hd_vec_push(&loop->carried.incoming, back);
	for (unsigned i = 0; i < loop->carried.count; i++)
		phi_text(&loop->carried, i, loop->counter + 1 + i, phis);
	hd_vec_release(&loop->carried.incoming);
}

static void loops(struct gen *g)
{
	bool uniform = g->uniform, breaks = gen_chance(g, 50);
	uint64_t scale = g->scale;
	struct loop loop = {.header = g->next_label, .latch = g->next_label + 1, .exit = g->next_label + 2};
	unsigned most;
	const char *bound;
	struct hd_strbuf phis = {0};
	uint32_t body = g->next_label + 3, scope;
	g->next_label += 4;
	bool equal = pick_bound(g, &most, &bound);
	snprintf(loop.bound, sizeof loop.bound, "%s", bound);
	loop.bottom = gen_chance(g, 40);
	merge_begin(g, &loop.carried);
	merge_from_here(g, &loop.carried);
	loop.latched = loop.left = loop.carried;
	memset(&loop.latched.incoming, 0, sizeof loop.latched.incoming);
	memset(&loop.left.incoming, 0, sizeof loop.left.incoming);
	jump(g, loop.header);
	scope = g->pool.len;
	gen_label(g, loop.header);
	size_t header_start = g->body.len;
	loop.counter = g->next_id;
	g->next_id += 1 + loop.carried.count;
	gen_push(g, T_I32, loop.counter);
	for (unsigned i = 0; i < loop.carried.count; i++)
		gen_push(g, loop.carried.types[i], loop.counter + 1 + i);
	loop.scope = g->pool.len;
	g->uniform = uniform && equal && !breaks;
	g->scale *= most + loop.bottom;
	if (!loop.bottom) {
		merge_from_here(g, &loop.left);
		const char *more = gen_temp(g, "icmp ult i32 %%v%u, %s", loop.counter, loop.bound);
		gen_jump_if(g, more, body, loop.exit);
		gen_label(g, body);
	}
	loop_body(g, &loop, breaks);
	loop_latch(g, &loop, &phis);
	insert(&g->body, header_start, &phis);
	hd_strbuf_release(&phis);
	g->pool.len = scope;
	g->scale = scale;
	g->uniform = uniform;
	gen_label(g, loop.exit);
	merge_end(g, &loop.left);
}

/* Two blocks that go to each other, either of which comes first; a count of visits ends it. */
static void irreducible(struct gen *g)
{
	bool uniform = g->uniform;
	uint64_t scale = g->scale;
	unsigned most = 2 + gen_below(g, 6);
	uint32_t halves[2] = {g->next_label, g->next_label + 1}, exit = g->next_label + 2, ends[2], nexts[2];
	struct merge into[2], left;
	size_t starts[2];
	uint32_t firsts[2];
	g->next_label += 3;
	merge_begin(g, &into[0]);
	into[1] = left = into[0];
	for (unsigned h = 0; h < 2; h++)
		merge_from_here(g, &into[h]);
	uint32_t before = g->label;
	const char *condition = gen_variable(g, T_I1);
	if (before != into[0].incoming.data[0].label)
		abort();
	gen_jump_if(g, condition, halves[0], halves[1]);
	g->uniform = false;
	g->scale *= most;
	for (unsigned h = 0; h < 2; h++) {
		uint32_t scope = g->pool.len;
		gen_label(g, halves[h]);
		starts[h] = g->body.len;
		firsts[h] = g->next_id;
		g->next_id += 1 + left.count;
		for (unsigned i = 0; i < left.count; i++)
			gen_push(g, left.types[i], firsts[h] + 1 + i);
		gen_push(g, T_I32, firsts[h]);
		gen_block(g, 1 + gen_below(g, 4));
		nexts[h] = g->next_id;
		gen_temp(g, "add i32 %%v%u, 1", firsts[h]);
		const char *few = gen_temp(g, "icmp ult i32 %%v%u, %u", nexts[h], most);
		const char *wanted = gen_temp(g, "or i1 %s, %s", gen_variable(g, T_I1), gen_constant(g, T_I1));
		const char *again = gen_temp(g, "and i1 %s, %s", few, wanted);
		merge_from_here(g, &left);
		merge_from_here(g, &into[!h]);
		ends[h] = g->label;
		/* merge_from_here may have made values: the condition still dominates */
		gen_jump_if(g, again, halves[!h], exit);
		g->pool.len = scope;
	}
	for (unsigned h = 2; h-- > 0;) {
		struct hd_strbuf phis = {0};
		hd_strbuf_printf(&phis, "  %%v%u = phi i32 [ 0, %%L%u ], [ %%v%u, %%L%u ]\n", firsts[h], before,
				 nexts[!h], ends[!h]);
		for (unsigned i = 0; i < left.count; i++)
			phi_text(&into[h], i, firsts[h] + 1 + i, &phis);
		insert(&g->body, starts[h], &phis);
		hd_strbuf_release(&phis);
		hd_vec_release(&into[h].incoming);
	}
	g->scale = scale;
	g->uniform = uniform;
	gen_label(g, exit);
	merge_end(g, &left);
}

/* ------------------------------------------------------------ calls */

const char *gen_result_type(const struct gen_function *f, char *text, size_t size)
{
	text[0] = '\0';
	if (f->result_count == 1)
		return gen_name(f->results[0]);
	for (uint32_t i = 0; i < f->result_count; i++)
		snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? ", " : "{", gen_name(f->results[i]));
	strcat(text, "}");
	return text;
}

/* A pointer to at least so much memory that may be written: a generic one. NULL: there is none. */
static const char *memory_argument(struct gen *g, uint32_t bytes)
{
	for (uint32_t i = g->regions.len; i-- > 0;) {
		const struct gen_region *region = &g->regions.data[i];
		if (region->writable && region->bytes >= bytes && !strcmp(region->type, "ptr"))
			return region->pointer;
	}
	return NULL;
}

void gen_call(struct gen *g, const struct gen_function *f, const char *callee, const char *depth)
{
	struct hd_strbuf args = {0};
	char type[256];
	for (uint32_t i = 0; i < f->param_count; i++) {
		bool is_depth = f->depth && i == 0;
		hd_strbuf_printf(&args, "%s%s %s", i ? ", " : "", gen_name(f->params[i]),
				 is_depth ? depth : gen_operand(g, f->params[i]));
	}
	if (f->region_bytes)
		hd_strbuf_printf(&args, "%sptr %s", f->param_count ? ", " : "", memory_argument(g, f->region_bytes));
	const char *result = gen_result_type(f, type, sizeof type);
	uint32_t call = g->next_id;
	gen_temp(g, "call %s %s(%s)", result, callee, hd_strbuf_text(&args));
	g->cost += f->cost * g->scale;
	if (f->result_count == 1)
		gen_push(g, f->results[0], call);
	else
		for (uint32_t i = 0; i < f->result_count; i++)
			gen_define(g, f->results[i], "extractvalue %s %%v%u, %u", result, call, i);
	hd_strbuf_release(&args);
}

static bool can_call(struct gen *g, const struct gen_function *f)
{
	return (!f->cross || g->uniform) && g->cost + f->cost * g->scale < GEN_MAX_COST &&
	       (!f->region_bytes || memory_argument(g, f->region_bytes));
}

static void call(struct gen *g, bool recursive)
{
	const struct gen_function *fits[32];
	unsigned count = 0;
	for (uint32_t i = 0; i < g->callable.len && count < 32; i++)
		if (can_call(g, &g->callable.data[i]) && g->callable.data[i].depth == recursive)
			fits[count++] = &g->callable.data[i];
	if (!count)
		return;
	const struct gen_function *f = fits[gen_below(g, count)];
	const char *depth = NULL;
	char kept[16];
	if (recursive) {
		snprintf(kept, sizeof kept, "%s", gen_temp(g, "urem i32 %s, 5", gen_variable(g, T_I32)));
		depth = kept;
	}
	gen_call(g, f, f->name, depth);
}

/* Functions of one signature, called through a table (the first that were made: see gen_make_functions). */
static void indirect(struct gen *g)
{
	enum { TABLE = 4 };
	if (g->callable.len < TABLE || strcmp(g->callable.data[0].name, "@i0") || !can_call(g, &g->callable.data[0]))
		return;
	const struct gen_function *f = &g->callable.data[0];
	char target[16];
	if (gen_chance(g, 30)) {
		const char *condition = gen_variable(g, T_I1);
		snprintf(target, sizeof target, "%s",
			 gen_temp(g, "select i1 %s, ptr @i%u, ptr @i%u", condition, gen_below(g, TABLE),
				  gen_below(g, TABLE)));
	} else {
		const char *index = gen_temp(g, "and i32 %s, %u", gen_variable(g, T_I32), TABLE - 1);
		const char *place = gen_temp(g, "getelementptr [%u x ptr], ptr addrspace(4) @functions, i32 0, i32 %s",
					     TABLE, index);
		snprintf(target, sizeof target, "%s", gen_temp(g, "load ptr, ptr addrspace(4) %s, align 8", place));
	}
	struct gen_function worst = *f;
	for (uint32_t i = 0; i < TABLE; i++)
		if (g->callable.data[i].cost > worst.cost)
			worst.cost = g->callable.data[i].cost;
	gen_call(g, &worst, target, NULL);
}

/* ------------------------------------------------------------ statements */

static void statement(struct gen *g, enum gen_feature feature)
{
	enum gen_type type;
	switch (feature) {
	case FEATURE_integer: gen_op_integer(g); break;
	case FEATURE_shift: gen_op_shift(g); break;
	case FEATURE_divide: gen_op_divide(g); break;
	case FEATURE_bits: gen_op_bits(g); break;
	case FEATURE_compare: gen_op_compare(g); break;
	case FEATURE_cast: gen_op_cast(g); break;
	case FEATURE_floats:
	case FEATURE_doubles:
	case FEATURE_halfs:
		type = gen_pick_float(g);
		if (type != T_NONE)
			gen_op_float(g, type);
		break;
	case FEATURE_vector: gen_op_vector(g); break;
	case FEATURE_branch: branch(g); break;
	case FEATURE_switches: switches(g); break;
	case FEATURE_loop: loops(g); break;
	case FEATURE_irreducible: irreducible(g); break;
	case FEATURE_call: call(g, false); break;
	case FEATURE_recursion: call(g, true); break;
	case FEATURE_indirect: indirect(g); break;
	case FEATURE_memory: gen_op_memory(g, false); break;
	case FEATURE_unaligned: gen_op_memory(g, true); break;
	case FEATURE_local: gen_op_local(g); break;
	case FEATURE_copy: gen_op_copy(g); break;
	case FEATURE_table: gen_op_table(g); break;
	case FEATURE_atomic: gen_op_atomic(g); break;
	case FEATURE_shared: gen_op_shared(g); break;
	case FEATURE_warp: gen_op_warp(g); break;
	case FEATURE_nvvm: gen_op_nvvm(g); break;
	case FEATURE_groups: gen_op_groups(g); break;
	case FEATURE_params: gen_op_params(g); break;
	case FEATURE_byval: gen_op_byval(g); break;
	case FEATURE_varargs: gen_op_varargs(g); break;
	case FEATURE_dynamic: gen_op_dynamic(g); break;
	case FEATURE_libm: gen_op_libm(g); break;
	case FEATURE_undefined: gen_op_undefined(g); break;
	case FEATURE_leave: leave(g); break;
	case FEATURE_wide:
	case FEATURE_odd:
	case FEATURE_COUNT: gen_op_integer(g); break;
	}
}

static bool is_flow(enum gen_feature feature)
{
	return feature == FEATURE_branch || feature == FEATURE_switches || feature == FEATURE_loop ||
	       feature == FEATURE_irreducible || feature == FEATURE_leave;
}

void gen_block(struct gen *g, unsigned statements)
{
	unsigned total = 0;
	for (unsigned f = 0; f < FEATURE_COUNT; f++)
		total += g->weights[f];
	for (unsigned i = 0; i < statements; i++) {
		unsigned draw = gen_below(g, total), f = 0;
		while (draw >= g->weights[f])
			draw -= g->weights[f++];
		if (!is_flow(f)) {
			statement(g, f);
		} else if (g->depth < MAX_DEPTH && g->cost + 200 * g->scale < GEN_MAX_COST) {
			g->depth++;
			statement(g, f);
			g->depth--;
		}
	}
}
