/*
 * Memory and communication: regions, local arrays, tables, atomics, shared memory with barriers, warp operations.
 */
#include "test/fuzz/generate/gen.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------ regions */

static const struct gen_region *pick_region(struct gen *g, bool writable)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < g->regions.len; i++)
		count += !writable || g->regions.data[i].writable;
	if (!count)
		return NULL;
	uint32_t which = gen_below(g, count);
	for (uint32_t i = 0; i < g->regions.len; i++)
		if ((!writable || g->regions.data[i].writable) && which-- == 0)
			return &g->regions.data[i];
	return NULL;
}

/* A pointer to a place for `bytes` bytes; *align is what may be promised. */
static const char *address(struct gen *g, const struct gen_region *region, unsigned bytes, bool unaligned,
			   unsigned *align)
{
	static const unsigned some[] = {1, 1, 2, 4};
	*align = unaligned ? some[gen_below(g, 4)] : bytes > 16 ? 16 : bytes;
	if (*align > bytes)
		*align = bytes;
	unsigned places = region->bytes > *align ? region->bytes / *align : 1;
	if (gen_chance(g, 45)) {
		unsigned offset = gen_below(g, places) * *align;
		return gen_temp(g, "getelementptr i8, %s %s, i64 %u", region->type, region->pointer, offset);
	}
	if (gen_chance(g, 50)) {
		const char *index = gen_temp(g, "and i32 %s, %u", gen_variable(g, T_I32), places - 1);
		const char *element = gen_format(g, "[%u x i8]", *align);
		if (gen_chance(g, 50))
			index = gen_format(g, "i64 %s", gen_temp(g, "zext i32 %s to i64", index));
		else
			index = gen_format(g, "i32 %s", index);
		return gen_temp(g, "getelementptr %s, %s %s, %s", element, region->type, region->pointer, index);
	}
	const char *offset = gen_temp(g, "and i64 %s, %u", gen_variable(g, T_I64), (region->bytes - 1) & ~(*align - 1));
	return gen_temp(g, "getelementptr i8, %s %s, i64 %s", region->type, region->pointer, offset);
}

static unsigned stored_bytes(enum gen_type type)
{
	return type == T_V3I32 ? 16 : gen_width(type) / 8;
}

/* By an addition. */
const char *gen_quiet(struct gen *g, enum gen_type type, const char *loaded)
{
	const char *zero = gen_types[type].lanes > 1 ? "zeroinitializer" : type == T_F16 ? "0xH0000" : "0.0";
	return gen_define(g, type, "fadd %s %s, %s", gen_name(type), loaded, zero);
}

const char *gen_load(struct gen *g, const struct gen_region *region, enum gen_type type, bool unaligned)
{
	unsigned align;
	const char *place = address(g, region, stored_bytes(type), unaligned, &align);
	const char *how = gen_chance(g, 8) ? "load volatile" : "load";
	const char *invariant = !region->writable && gen_chance(g, 30) ? ", !invariant.load !0" : "";
	const char *value =
		gen_temp(g, "%s %s, %s %s, align %u%s", how, gen_name(type), region->type, place, align, invariant);
	if (gen_is_float(type))
		return gen_quiet(g, type, value);
	gen_push(g, type, g->next_id - 1);
	return value;
}

static void store(struct gen *g, const struct gen_region *region, enum gen_type type, bool unaligned)
{
	unsigned align;
	const char *value = gen_variable(g, type);
	char kept[160];
	if (gen_is_float(type)) {
		value = gen_observe(g, type, value);
		value = gen_temp(g, "bitcast i%u %s to %s", gen_width(type), value, gen_name(type));
	}
	snprintf(kept, sizeof kept, "%s", value);
	const char *place = address(g, region, stored_bytes(type), unaligned, &align);
	gen_line(g, "store %s%s %s, %s %s, align %u", gen_chance(g, 8) ? "volatile " : "", gen_name(type), kept,
		 region->type, place, align);
	g->cost += g->scale;
}

void gen_op_memory(struct gen *g, bool unaligned)
{
	bool write = gen_chance(g, 40);
	const struct gen_region *region = pick_region(g, write);
	if (!region)
		return;
	struct gen_region copy = *region;
	if (write)
		store(g, &copy, gen_pick_stored(g), unaligned);
	else
		gen_load(g, &copy, gen_pick_stored(g), unaligned);
}

/* A new local array with contents. It is filled in the entry block, so that it is defined wherever it is used. */
void gen_op_local(struct gen *g)
{
	if (g->regions.len > 8)
		return;
	unsigned bytes = 8u << gen_below(g, 5), words = (bytes + 16) / 4;
	struct gen_region region = {.type = "ptr", .bytes = bytes, .writable = true};
	uint32_t id = g->next_id++;
	snprintf(region.pointer, sizeof region.pointer, "%%v%u", id);
	hd_strbuf_printf(&g->entry, "  %%v%u = alloca [%u x i32], align 16\n", id, words);
	if (gen_chance(g, 50)) {
		gen_declare(g, "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)");
		hd_strbuf_printf(&g->entry,
				 "  call void @llvm.memset.p0.i64(ptr align 16 %%v%u, i8 %u, i64 %u, i1 false)\n", id,
				 gen_below(g, 256), 4 * words);
	} else {
		for (unsigned i = 0; i < words; i++) {
			uint32_t place = g->next_id++;
			hd_strbuf_printf(&g->entry, "  %%v%u = getelementptr [%u x i32], ptr %%v%u, i64 0, i64 %u\n",
					 place, words, id, i);
			hd_strbuf_printf(&g->entry, "  store i32 %s, ptr %%v%u, align 4\n", gen_constant(g, T_I32),
					 place);
		}
	}
	hd_vec_push(&g->regions, region);
}

void gen_op_copy(struct gen *g)
{
	const struct gen_region *to = pick_region(g, true), *from = pick_region(g, false);
	if (!to || !from)
		return;
	struct gen_region target = *to, source = *from;
	unsigned limit = target.bytes < source.bytes ? target.bytes : source.bytes;
	const char *to_mark = strchr(target.type, '(') ? "p1" : "p0",
		   *from_mark = strchr(source.type, '(') ? source.type : "ptr";
	char mark[8] = "p0";
	if (strchr(from_mark, '('))
		snprintf(mark, sizeof mark, "p%c", *(strchr(from_mark, '(') + 1));
	if (g->cost + limit * g->scale > GEN_MAX_COST)
		return;
	g->cost += limit * g->scale / 4;
	const char *length = gen_format(g, "%u", gen_chance(g, 30) ? limit : gen_below(g, limit + 1));
	if (gen_chance(g, 35)) {
		length = gen_temp(g, "and i64 %s, %u", gen_variable(g, T_I64), limit - 1);
		g->cost += limit * g->scale;
	}
	if (gen_chance(g, 35)) {
		const char *byte = gen_operand(g, T_I8);
		gen_declare(g, "declare void @llvm.memset.%s.i64(%s, i8, i64, i1)", to_mark, target.type);
		gen_line(g, "call void @llvm.memset.%s.i64(%s %s, i8 %s, i64 %s, i1 false)", to_mark, target.type,
			 target.pointer, byte, length);
		return;
	}
	/* Only memmove: two names may mean one array, as the private one is reached in both address spaces. */
	const char *op = "memmove", *target_place = target.pointer;
	gen_declare(g, "declare void @llvm.%s.%s.%s.i64(%s, %s, i64, i1)", op, to_mark, mark, target.type, source.type);
	if (gen_chance(g, 50))
		target_place =
			gen_temp(g, "getelementptr i8, %s %s, i64 %u", target.type, target.pointer, gen_below(g, 17));
	gen_line(g, "call void @llvm.%s.%s.%s.i64(%s %s, %s %s, i64 %s, i1 false)", op, to_mark, mark, target.type,
		 target_place, source.type, source.pointer, length);
}

/* A table with contents as a region of this function. */
void gen_op_table(struct gen *g)
{
	if (g->regions.len > 8)
		return;
	unsigned space = (const unsigned[]){4, 1, 0}[gen_below(g, 3)], bytes = 16u << gen_below(g, 4),
		 words = (bytes + 16) / 4;
	struct gen_region region = {.bytes = bytes,
				    .type = space == 4 ? "ptr addrspace(4)"
					    : space    ? "ptr addrspace(1)"
						       : "ptr"};
	uint32_t id = g->next_global++;
	hd_strbuf_printf(&g->globals, "@t%u = internal addrspace(%u) %s [%u x i32] [", id, space ? space : 1,
			 space == 4 ? "constant" : "global", words);
	for (unsigned i = 0; i < words; i++)
		hd_strbuf_printf(&g->globals, "%si32 %s", i ? ", " : "", gen_constant(g, T_I32));
	hd_strbuf_append(&g->globals, "], align 16\n");
	snprintf(region.pointer, sizeof region.pointer, "@t%u", id);
	if (!space) {
		hd_strbuf_printf(&g->entry, "  %%v%u = addrspacecast ptr addrspace(1) @t%u to ptr\n", g->next_id, id);
		snprintf(region.pointer, sizeof region.pointer, "%%v%u", g->next_id++);
	}
	hd_vec_push(&g->regions, region);
}

/* ------------------------------------------------------------ atomics */

/* On memory of the thread's own: what comes back is known. */
static void private_atomic(struct gen *g)
{
	const struct gen_region *region = pick_region(g, true);
	static const enum gen_type types[] = {T_I32, T_I32, T_I32, T_I64, T_I64, T_I8, T_I16, T_I16};
	enum gen_type type = types[gen_below(g, 8)];
	unsigned align;
	if (!region)
		return;
	struct gen_region copy = *region;
	const char *name = gen_name(type), *place = address(g, &copy, stored_bytes(type), false, &align);
	const char *a = gen_operand(g, type), *b = gen_operand(g, type);
	const char *order = PICK(g, "monotonic", "acquire", "release", "acq_rel", "seq_cst");
	if (gen_chance(g, 25)) {
		const char *pair = gen_temp(g, "cmpxchg %s %s, %s %s, %s %s acq_rel monotonic", copy.type, place, name,
					    a, name, b);
		gen_define(g, type, "extractvalue {%s, i1} %s, 0", name, pair);
		gen_define(g, T_I1, "extractvalue {%s, i1} %s, 1", name, pair);
		return;
	}
	const char *op = PICK(g, "xchg", "add", "sub", "and", "or", "xor", "max", "min", "umax", "umin", "uinc_wrap",
			      "udec_wrap", "nand");
	gen_define(g, type, "atomicrmw %s %s %s, %s %s %s", op, copy.type, place, name, a, order);
}

/* On memory of all threads: operations of one kind at each place, whose order does not matter. */
static void common_atomic(struct gen *g)
{
	static const char *const ops[] = {"add", "xor", "max", "umin", "and", "or", "umax", "min"};
	unsigned which = gen_below(g, 8);
	bool wide = which >= 4;
	const char *place = gen_temp(g, "getelementptr i8, ptr addrspace(1) %%common, i64 %u", 8 * which);
	gen_temp(g, "atomicrmw %s ptr addrspace(1) %s, %s %s monotonic", ops[which], place, wide ? "i64" : "i32",
		 gen_operand(g, wide ? T_I64 : T_I32));
}

void gen_op_atomic(struct gen *g)
{
	if (!g->function && gen_chance(g, 50))
		common_atomic(g);
	else
		private_atomic(g);
}

/* ------------------------------------------------------------ shared memory */

void gen_barrier(struct gen *g)
{
	gen_declare(g, "declare void @llvm.nvvm.barrier0() convergent");
	gen_line(g, "call void @llvm.nvvm.barrier0()");
}

const char *gen_linear_thread(struct gen *g)
{
	static const char *const names[] = {"tid.x", "tid.y", "ntid.x"};
	const char *part[3];
	for (unsigned i = 0; i < 3; i++)
		part[i] = gen_special(g, names[i]);
	const char *row = gen_temp(g, "mul i32 %s, %s", part[1], part[2]);
	return gen_temp(g, "add i32 %s, %s", row, part[0]);
}

const char *gen_shared_array(struct gen *g, const char *element, unsigned count)
{
	const char *name = gen_format(g, "@s%u", g->next_global++);
	hd_strbuf_printf(&g->globals, "%s = internal addrspace(3) global [%u x %s] undef, align 16\n", name, count,
			 element);
	return name;
}

/* Every thread writes an element, and after the barrier reads that of another. */
static void exchange(struct gen *g)
{
	static const enum gen_type exchanged[] = {T_I8, T_I16, T_I32, T_I32, T_I64, T_V2I32, T_V4I32};
	enum gen_type type = exchanged[gen_below(g, gen_has(g, FEATURE_vector) ? 7 : 5)];
	const char *name = gen_name(type), *array = gen_shared_array(g, name, g->threads), *self = gen_linear_thread(g);
	char array_kept[16], self_kept[16];
	snprintf(array_kept, sizeof array_kept, "%s", array);
	snprintf(self_kept, sizeof self_kept, "%s", self);
	unsigned bytes = stored_bytes(type);
	const char *value = gen_variable(g, type);
	const char *mine = gen_temp(g, "getelementptr [%u x %s], ptr addrspace(3) %s, i32 0, i32 %s", g->threads, name,
				    array_kept, self_kept);
	gen_line(g, "store %s %s, ptr addrspace(3) %s, align %u", name, value, mine, bytes);
	gen_barrier(g);
	unsigned stride = gen_below(g, g->threads), start = gen_below(g, g->threads);
	const char *scaled = gen_temp(g, "mul i32 %s, %u", self_kept, stride);
	const char *moved = gen_temp(g, "add i32 %s, %u", scaled, start);
	const char *other = gen_temp(g, "urem i32 %s, %u", moved, g->threads);
	const char *place = gen_temp(g, "getelementptr [%u x %s], ptr addrspace(3) %s, i32 0, i32 %s", g->threads, name,
				     array_kept, other);
	gen_define(g, type, "load %s, ptr addrspace(3) %s, align %u", name, place, bytes);
	gen_barrier(g);
}

/* All threads count into a few elements. */
static void shared_count(struct gen *g)
{
	char array[16], self[16], mine[16];
	const char *op = PICK(g, "add", "xor", "umax", "min", "or", "and");
	snprintf(array, sizeof array, "%s", gen_shared_array(g, "i32", g->threads));
	snprintf(self, sizeof self, "%s", gen_linear_thread(g));
	snprintf(mine, sizeof mine, "%s",
		 gen_temp(g, "getelementptr [%u x i32], ptr addrspace(3) %s, i32 0, i32 %s", g->threads, array, self));
	gen_line(g, "store i32 %s, ptr addrspace(3) %s, align 4", gen_constant(g, T_I32), mine);
	gen_barrier(g);
	const char *bin = gen_temp(g, "urem i32 %s, %u", gen_variable(g, T_I32), 1 + gen_below(g, g->threads));
	const char *place =
		gen_temp(g, "getelementptr [%u x i32], ptr addrspace(3) %s, i32 0, i32 %s", g->threads, array, bin);
	gen_temp(g, "atomicrmw %s ptr addrspace(3) %s, i32 %s monotonic", op, place, gen_variable(g, T_I32));
	gen_barrier(g);
	gen_define(g, T_I32, "load i32, ptr addrspace(3) %s, align 4", mine);
	gen_barrier(g);
}

void gen_op_shared(struct gen *g)
{
	if (!g->uniform)
		return;
	g->cost += 20 * g->scale;
	switch (gen_below(g, 4)) {
	case 0: shared_count(g); break;
	case 1: {
		const char *op = PICK(g, "popc", "and", "or");
		gen_declare(g, "declare i32 @llvm.nvvm.barrier0.%s(i32) convergent", op);
		gen_define(g, T_I32, "call i32 @llvm.nvvm.barrier0.%s(i32 %s)", op, gen_variable(g, T_I32));
		break;
	}
	default: exchange(g); break;
	}
}

/* ------------------------------------------------------------ warps */

static void shuffle(struct gen *g)
{
	const char *mode = PICK(g, "idx", "bfly", "up", "down");
	bool is_float = gen_has(g, FEATURE_floats) && gen_chance(g, 25), predicate = gen_chance(g, 25) && !is_float;
	bool up = !strcmp(mode, "up");
	/* Segments of 32, 16, 8 or 4 lanes, as CUDA's width makes them. */
	unsigned width = 32u >> (gen_chance(g, 60) ? 0 : 1 + gen_below(g, 3));
	unsigned clamp = (32 - width) << 8 | (up ? 0 : 31);
	const char *lane = gen_format(g, "%u", gen_below(g, 32));
	if (gen_chance(g, 40))
		lane = gen_temp(g, "and i32 %s, 31", gen_variable(g, T_I32));
	const char *type = is_float ? "float" : "i32", *mark = is_float ? "f32" : "i32", *value;
	if (is_float) {
		value = gen_observe(g, T_F32, gen_variable(g, T_F32));
		value = gen_temp(g, "bitcast i32 %s to float", value);
	} else {
		value = gen_variable(g, T_I32);
	}
	if (predicate) {
		gen_declare(g, "declare {i32, i1} @llvm.nvvm.shfl.sync.%s.i32p(i32, i32, i32, i32) convergent", mode);
		const char *pair =
			gen_temp(g, "call {i32, i1} @llvm.nvvm.shfl.sync.%s.i32p(i32 -1, i32 %s, i32 %s, i32 %u)", mode,
				 value, lane, clamp);
		gen_define(g, T_I32, "extractvalue {i32, i1} %s, 0", pair);
		gen_define(g, T_I1, "extractvalue {i32, i1} %s, 1", pair);
		return;
	}
	gen_declare(g, "declare %s @llvm.nvvm.shfl.sync.%s.%s(i32, %s, i32, i32) convergent", type, mode, mark, type);
	gen_define(g, is_float ? T_F32 : T_I32, "call %s @llvm.nvvm.shfl.sync.%s.%s(i32 -1, %s %s, i32 %s, i32 %u)",
		   type, mode, mark, type, value, lane, clamp);
}

static void vote(struct gen *g)
{
	const char *condition = gen_variable(g, T_I1);
	if (gen_chance(g, 40)) {
		gen_declare(g, "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent");
		gen_define(g, T_I32, "call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %s)", condition);
		return;
	}
	const char *op = PICK(g, "all", "any", "uni");
	gen_declare(g, "declare i1 @llvm.nvvm.vote.%s.sync(i32, i1) convergent", op);
	gen_define(g, T_I1, "call i1 @llvm.nvvm.vote.%s.sync(i32 -1, i1 %s)", op, condition);
}

static void match(struct gen *g)
{
	bool wide = gen_chance(g, 30);
	const char *type = wide ? "i64" : "i32";
	/* Few different values, so that some match. */
	const char *value = gen_temp(g, "and %s %s, 3", type, gen_variable(g, wide ? T_I64 : T_I32));
	if (gen_chance(g, 60)) {
		gen_declare(g, "declare i32 @llvm.nvvm.match.any.sync.%s(i32, %s) convergent", type, type);
		gen_define(g, T_I32, "call i32 @llvm.nvvm.match.any.sync.%s(i32 -1, %s %s)", type, type, value);
		return;
	}
	gen_declare(g, "declare {i32, i1} @llvm.nvvm.match.all.sync.%sp(i32, %s) convergent", type, type);
	const char *pair =
		gen_temp(g, "call {i32, i1} @llvm.nvvm.match.all.sync.%sp(i32 -1, %s %s)", type, type, value);
	gen_define(g, T_I32, "extractvalue {i32, i1} %s, 0", pair);
	gen_define(g, T_I1, "extractvalue {i32, i1} %s, 1", pair);
}

void gen_op_warp(struct gen *g)
{
	if (!g->uniform || !g->whole_warps)
		return;
	switch (gen_below(g, 6)) {
	case 0:
	case 1:
	case 2: shuffle(g); break;
	case 3: match(g); break;
	case 4:
		gen_declare(g, "declare void @llvm.nvvm.bar.warp.sync(i32) convergent");
		gen_line(g, "call void @llvm.nvvm.bar.warp.sync(i32 -1)");
		break;
	default: vote(g); break;
	}
}
