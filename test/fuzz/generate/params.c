/*
 * Aggregates by value as parameters, of the kernel and of device functions: structures, packed and not, with arrays of
 * structures and arrays in them. Their members are read at constants, at the indices of threads and blocks, at loop
 * counters, at values of the kernel and at sums of these, as what they are and as what else their bytes may be; they
 * are written, copied, read whole and passed on.
 *
 * What is only read stays in constant memory, where the compiler can do without a copy: most of the kernel's are.
 */
#include "test/fuzz/generate/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 6, MAX_NEST = 4 };
/* Sizes: of all the kernel's aggregates, of the smallest room for one more; the largest ones that are passed to device
 * functions, read whole, copied. */
enum { MOST_BYTES = 3900, LEAST_BYTES = 32, CALL_BYTES = 512, WHOLE_BYTES = 96, COPY_BYTES = 1024 };

enum kind { SCALAR, POINTER, ARRAY, STRUCT };

struct gen_shape {
	enum kind kind;
	enum gen_type type; /* of a scalar */
	bool packed;
	uint32_t count, bytes, align; /* count: elements or members */
	uint32_t parts[MAX_PARTS];    /* shapes by number; an array has one */
};

/* ------------------------------------------------------------ shapes */

static const struct gen_shape *shape_of(const struct gen *g, uint32_t shape)
{
	return &g->shapes.data[shape];
}

static uint32_t round_up(uint32_t value, uint32_t align)
{
	return (value + align - 1) / align * align;
}

static uint32_t add_shape(struct gen *g, struct gen_shape shape)
{
	hd_vec_push(&g->shapes, shape);
	return g->shapes.len - 1;
}

static uint32_t make_scalar(struct gen *g, uint32_t budget)
{
	static const enum gen_type some[] = {T_I8,  T_I8,  T_I16,   T_I16,   T_I32,   T_I32,   T_I32,
					     T_I32, T_I64, T_I64,   T_F32,   T_F32,   T_F64,   T_F16,
					     T_F64, T_F32, T_V2I32, T_V4I32, T_V2I16, T_V2F32, T_V4F32};
	if (budget >= 8 && gen_chance(g, 6))
		return add_shape(g, (struct gen_shape){.kind = POINTER, .bytes = 8, .align = 8});
	for (;;) {
		enum gen_type type = some[gen_below(g, sizeof some / sizeof *some)];
		uint32_t bytes = gen_width(type) / 8;
		if (bytes <= budget && !(gen_types[type].lanes > 1 && !gen_has(g, FEATURE_vector)))
			return add_shape(
				g, (struct gen_shape){.kind = SCALAR, .type = type, .bytes = bytes, .align = bytes});
	}
}

static uint32_t make_shape(struct gen *g, unsigned depth, uint32_t budget);

static uint32_t make_array(struct gen *g, unsigned depth, uint32_t budget)
{
	static const uint32_t counts[] = {2, 3, 4, 7, 8, 16, 33, 64, 64, 100, 128, 160, 256};
	uint32_t count = counts[gen_below(g, sizeof counts / sizeof *counts)];
	while (count > budget)
		count /= 2;
	uint32_t share = gen_chance(g, 50) ? budget / count : budget / count < 16 ? budget / count : 16;
	uint32_t part = make_shape(g, depth + 1, share);
	struct gen_shape array = {.kind = ARRAY, .count = count, .align = shape_of(g, part)->align, .parts = {part}};
	array.bytes = count * shape_of(g, part)->bytes;
	return add_shape(g, array);
}

static uint32_t make_struct(struct gen *g, unsigned depth, uint32_t budget)
{
	struct gen_shape shape = {.kind = STRUCT, .packed = gen_chance(g, 20), .align = 1};
	uint32_t most = 1 + gen_below(g, MAX_PARTS), at = 0;
	while (shape.count < most && at < budget) {
		uint32_t left = budget - at;
		uint32_t part = make_shape(g, depth + 1, gen_chance(g, 60) || left < 16 ? left : left / 2);
		uint32_t align = shape.packed ? 1 : shape_of(g, part)->align;
		uint32_t end = round_up(at, align) + shape_of(g, part)->bytes;
		if (shape.count && round_up(end, align > shape.align ? align : shape.align) > budget)
			break;
		shape.parts[shape.count++] = part;
		shape.align = align > shape.align ? align : shape.align;
		at = end;
	}
	shape.bytes = round_up(at, shape.align);
	return add_shape(g, shape);
}

/* At most about `budget` bytes, of which there is at least one. */
static uint32_t make_shape(struct gen *g, unsigned depth, uint32_t budget)
{
	unsigned draw = gen_below(g, 100);
	if (depth == MAX_NEST || budget < 4 || (depth && draw < 40))
		return make_scalar(g, budget);
	return draw < 65 ? make_array(g, depth, budget) : make_struct(g, depth, budget);
}

static void shape_text(const struct gen *g, uint32_t number, struct hd_strbuf *out)
{
	const struct gen_shape *shape = shape_of(g, number);
	switch (shape->kind) {
	case SCALAR: hd_strbuf_append(out, gen_name(shape->type)); break;
	case POINTER: hd_strbuf_append(out, "ptr"); break;
	case ARRAY:
		hd_strbuf_printf(out, "[%u x ", shape->count);
		shape_text(g, shape->parts[0], out);
		hd_strbuf_append(out, "]");
		break;
	case STRUCT:
		hd_strbuf_append(out, shape->packed ? "<{ " : "{ ");
		for (uint32_t i = 0; i < shape->count; i++) {
			hd_strbuf_append(out, i ? ", " : "");
			shape_text(g, shape->parts[i], out);
		}
		hd_strbuf_append(out, shape->packed ? " }>" : " }");
		break;
	}
}

static uint32_t member_offset(const struct gen *g, const struct gen_shape *shape, uint32_t member)
{
	uint32_t at = 0;
	for (uint32_t i = 0;; i++) {
		const struct gen_shape *part = shape_of(g, shape->parts[i]);
		at = round_up(at, shape->packed ? 1 : part->align);
		if (i == member)
			return at;
		at += part->bytes;
	}
}

/* ------------------------------------------------------------ indices */

/* A counter of a loop around: below `limit`. */
struct counter {
	const char *name; /* NULL: none */
	uint32_t limit;
};

/* An i32 below `count`, often linear in the indices of the thread. */
static const char *index_below(struct gen *g, uint32_t count, const struct counter *counter)
{
	bool counts = counter->name && counter->limit <= count;
	if (counts && gen_chance(g, 60)) {
		uint32_t room = count - counter->limit;
		uint32_t stride = (count - 1) / (counter->limit > 1 ? counter->limit : 2);
		if (g->width <= room && gen_chance(g, 35))
			return gen_temp(g, "add nsw i32 %s, %s", counter->name, gen_special(g, "tid.x"));
		if (stride > 1 && gen_chance(g, 25))
			return gen_temp(g, "mul nsw i32 %s, %u", counter->name, 1 + gen_below(g, stride));
		if (room && gen_chance(g, 35))
			return gen_temp(g, "add nuw nsw i32 %s, %u", counter->name, gen_below(g, room + 1));
		return counter->name;
	}
	switch (gen_below(g, 8)) {
	case 0:
		if (g->width <= count)
			return gen_special(g, "tid.x");
		break;
	case 1:
		if (g->blocks <= count)
			return gen_special(g, "ctaid.x");
		break;
	case 2:
		if (g->width + g->blocks <= count) {
			const char *column = gen_special(g, "tid.x");
			return gen_temp(g, "add nsw i32 %s, %s", column, gen_special(g, "ctaid.x"));
		}
		break;
	case 3:
		if (g->width <= count)
			return gen_temp(g, "sub nsw i32 %u, %s", count - 1, gen_special(g, "tid.x"));
		break;
	case 4:
		if (g->blocks * 3 <= count) {
			const char *tripled = gen_temp(g, "mul nuw nsw i32 %s, 3", gen_special(g, "ctaid.x"));
			return gen_temp(g, "add nsw i32 %s, %u", tripled, gen_below(g, count - g->blocks * 3 + 1));
		}
		break;
	case 5:
		if (!g->function)
			return gen_temp(g, "urem i32 %%n, %u", count);
		break;
	case 6: return gen_temp(g, "urem i32 %s, %u", gen_variable(g, T_I32), count);
	default: break;
	}
	return gen_format(g, "%u", gen_below(g, count));
}

/* "i32 %v7", "i64 3" */
static const char *typed_index(struct gen *g, uint32_t count, const struct counter *counter)
{
	const char *index = index_below(g, count, counter);
	if (*index != '%')
		return gen_format(g, "%s %s", gen_chance(g, 50) ? "i32" : "i64", index);
	if (gen_chance(g, 50))
		return gen_format(g, "i32 %s", index);
	return gen_format(g, "i64 %s", gen_temp(g, "%s i32 %s to i64", gen_chance(g, 50) ? "sext" : "zext", index));
}

/* ------------------------------------------------------------ places */

static const struct counter no_counter = {NULL, 0};

/* A place in an aggregate: a scalar's, or a pointer's (type T_NONE). */
struct place {
	const char *pointer;
	enum gen_type type;
	unsigned align;
};

static unsigned align_at(unsigned align, uint32_t offset)
{
	unsigned bits = align | offset;
	return bits & -bits;
}

static struct place member_place(struct gen *g, const struct gen_aggregate *a, const struct counter *counter)
{
	uint32_t at = a->shape;
	struct hd_strbuf path = {0};
	struct place place = {.align = a->align, .type = T_NONE};
	hd_strbuf_append(&path, "");
	while (shape_of(g, at)->kind >= ARRAY) {
		struct gen_shape shape = *shape_of(g, at);
		uint32_t part = shape.kind == ARRAY ? 0 : gen_below(g, shape.count);
		if (shape.kind == ARRAY) {
			hd_strbuf_printf(&path, ", %s", typed_index(g, shape.count, counter));
			place.align = align_at(place.align, shape_of(g, shape.parts[0])->bytes);
		} else {
			hd_strbuf_printf(&path, ", i32 %u", part);
			place.align = align_at(place.align, member_offset(g, &shape, part));
		}
		at = shape.parts[part];
	}
	const struct gen_shape *last = shape_of(g, at);
	if (last->kind == SCALAR)
		place.type = last->type;
	place.align = place.align < last->bytes ? place.align : last->bytes;
	place.pointer = gen_temp(g, "getelementptr %s%%T%u, ptr %s, i32 0%s", gen_chance(g, 60) ? "inbounds " : "",
				 a->shape, a->pointer, hd_strbuf_text(&path));
	hd_strbuf_release(&path);
	return place;
}

/* Any bytes, whatever lies there. */
static struct place byte_place(struct gen *g, const struct gen_aggregate *a, const struct counter *counter)
{
	static const enum gen_type some[] = {T_I8, T_I16, T_I32, T_I32, T_I64, T_F32, T_F64, T_V2I32, T_V4I32, T_V4I8};
	uint32_t size = shape_of(g, a->shape)->bytes, bytes;
	struct place place;
	do {
		place.type = some[gen_below(g, gen_has(g, FEATURE_vector) ? 10 : 7)];
		bytes = gen_width(place.type) / 8;
	} while (bytes > size);
	uint32_t step = gen_chance(g, 70) ? bytes : 1u << gen_below(g, 4);
	const char *index = index_below(g, (size - bytes) / step + 1, counter), *scaled = index;
	if (*index != '%')
		scaled = gen_format(g, "%d", atoi(index) * (int)step);
	else if (step > 1)
		scaled = gen_temp(g, "mul nuw nsw i32 %s, %u", index, step);
	place.align = align_at(a->align, step);
	place.align = place.align < bytes ? place.align : bytes;
	const char *from = a->pointer;
	if (gen_chance(g, 25)) { /* from a place before it, or far behind it */
		int away = (int)gen_below(g, 6000) - 3000;
		from = gen_temp(g, "getelementptr i8, ptr %s, i32 %d", from, away);
		scaled = *scaled == '%' ? gen_temp(g, "sub nsw i32 %s, %d", scaled, away)
					: gen_format(g, "%d", atoi(scaled) - away);
	}
	place.pointer = gen_temp(g, "getelementptr i8, ptr %s, i32 %s", from, scaled);
	return place;
}

static struct place pick_place(struct gen *g, const struct gen_aggregate *a, const struct counter *counter)
{
	return gen_chance(g, 75) ? member_place(g, a, counter) : byte_place(g, a, counter);
}

/* Loads what is there; returns it and its type, in *type. */
static const char *load_place(struct gen *g, const struct place *place, enum gen_type *type)
{
	*type = place->type == T_NONE ? T_I64 : place->type;
	g->cost += g->scale;
	if (place->type == T_NONE) {
		const char *loaded = gen_temp(g, "load ptr, ptr %s, align %u", place->pointer, place->align);
		return gen_define(g, T_I64, "ptrtoint ptr %s to i64", loaded);
	}
	if (!gen_is_float(place->type))
		return gen_define(g, place->type, "load %s, ptr %s, align %u", gen_name(place->type), place->pointer,
				  place->align);
	const char *loaded =
		gen_temp(g, "load %s, ptr %s, align %u", gen_name(place->type), place->pointer, place->align);
	return gen_quiet(g, place->type, loaded);
}

/* ------------------------------------------------------------ statements */

static const struct gen_aggregate *pick_aggregate(struct gen *g, bool writable)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < g->aggregates.len; i++)
		count += !writable || g->aggregates.data[i].writable;
	uint32_t which = count ? gen_below(g, count) : 0;
	for (uint32_t i = 0; i < g->aggregates.len && count; i++)
		if ((!writable || g->aggregates.data[i].writable) && which-- == 0)
			return &g->aggregates.data[i];
	return NULL;
}

static void read_member(struct gen *g, const struct gen_aggregate *a)
{
	struct place place = pick_place(g, a, &no_counter);
	enum gen_type type;
	load_place(g, &place, &type);
}

/* Sums up members at a counter; the loop ends at a number, or at one that the launch fixes. */
static void read_in_loop(struct gen *g, const struct gen_aggregate *a)
{
	static const uint32_t limits[] = {2, 3, 4, 7, 8, 16};
	uint32_t before = g->label, label = g->next_label++, end = g->next_label++;
	uint32_t limit = limits[gen_below(g, 6)], step = gen_chance(g, 80) ? 1 : 2;
	bool symbolic = limit == 7 && !g->function; /* n is 1000 */
	struct counter counter = {gen_format(g, "%%i%u", label), limit};
	const char *bound = symbolic ? gen_temp(g, "lshr i32 %%n, 7") : gen_format(g, "%u", limit);
	uint32_t scope = g->pool.len;
	uint64_t scale = g->scale;
	gen_line(g, "br label %%L%u", label);
	gen_label(g, label);
	gen_line(g, "%%i%u = phi i32 [ 0, %%L%u ], [ %%j%u, %%L%u ]", label, before, label, label);
	gen_line(g, "%%s%u = phi i64 [ 0, %%L%u ], [ %%t%u, %%L%u ]", label, before, label, label);
	g->scale *= limit;
	for (unsigned i = 1 + gen_below(g, 2); i-- > 0;) {
		struct place place = pick_place(g, a, &counter);
		enum gen_type type;
		const char *loaded = load_place(g, &place, &type);
		if (i == 0)
			gen_line(g, "%%m%u = xor i64 %%s%u, %s", label, label, gen_fold(g, type, loaded));
	}
	gen_line(g, "%%t%u = mul i64 %%m%u, 31", label, label);
	gen_line(g, "%%j%u = add nuw nsw i32 %%i%u, %u", label, label, step);
	gen_line(g, "%%c%u = icmp %s i32 %%j%u, %s", label, gen_chance(g, 50) ? "slt" : "ult", label, bound);
	gen_line(g, "br i1 %%c%u, label %%L%u, label %%L%u", label, label, end);
	gen_label(g, end);
	g->scale = scale;
	g->pool.len = scope;
	gen_define(g, T_I64, "add i64 %%t%u, 0", label);
}

static void write_member(struct gen *g, const struct gen_aggregate *a)
{
	struct place place = pick_place(g, a, &no_counter);
	enum gen_type type = place.type;
	if (type == T_NONE) { /* only pointers that are the same everywhere */
		gen_line(g, "store ptr null, ptr %s, align %u", place.pointer, place.align);
		return;
	}
	const char *value = gen_variable(g, type);
	if (gen_is_float(type)) {
		value = gen_observe(g, type, value);
		value = gen_temp(g, "bitcast i%u %s to %s", gen_width(type), value, gen_name(type));
	}
	gen_line(g, "store %s %s, ptr %s, align %u", gen_name(type), value, place.pointer, place.align);
	g->cost += g->scale;
}

/* A member holds the address of memory, and is used as such. */
static void write_pointer(struct gen *g, const struct gen_aggregate *a)
{
	const struct gen_region *region = g->regions.len ? &g->regions.data[g->regions.len - 1] : NULL;
	struct place place = member_place(g, a, &no_counter);
	if (place.type != T_NONE || !region || strcmp(region->type, "ptr"))
		return;
	gen_line(g, "store ptr %s, ptr %s, align %u", region->pointer, place.pointer, place.align);
	const char *back = gen_temp(g, "load ptr, ptr %s, align %u", place.pointer, place.align);
	gen_define(g, T_I32, "load i32, ptr %s, align 4", back);
	gen_line(g, "store ptr null, ptr %s, align %u", place.pointer, place.align);
	g->cost += 4 * g->scale;
}

/* Copies bytes out of it, with a length that may be known at run time only, and reads one of them. */
static void copy_out(struct gen *g, const struct gen_aggregate *a)
{
	uint32_t size = shape_of(g, a->shape)->bytes, bytes = 8;
	while (2 * bytes <= size && bytes < 128)
		bytes *= 2;
	if (bytes > size)
		return;
	uint32_t id = g->next_id++, from = gen_below(g, size - bytes + 1) & ~(a->align - 1);
	hd_strbuf_printf(&g->entry, "  %%v%u = alloca [%u x i8], align 16\n", id, bytes);
	gen_declare(g, "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)");
	gen_declare(g, "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)");
	const char *length = gen_format(g, "%u", gen_chance(g, 50) ? bytes : gen_below(g, bytes + 1));
	if (gen_chance(g, 30))
		length = gen_temp(g, "and i64 %s, %u", gen_variable(g, T_I64), bytes - 1);
	const char *source = gen_temp(g, "getelementptr i8, ptr %s, i64 %u", a->pointer, from);
	gen_line(g, "call void @llvm.memset.p0.i64(ptr align 16 %%v%u, i8 %u, i64 %u, i1 false)", id, gen_below(g, 256),
		 bytes);
	gen_line(g, "call void @llvm.memcpy.p0.p0.i64(ptr align 16 %%v%u, ptr align %u %s, i64 %s, i1 false)", id,
		 a->align, source, length);
	const char *at = gen_temp(g, "and i64 %s, %u", gen_variable(g, T_I64), bytes - 4);
	gen_define(g, T_I32, "load i32, ptr %s, align 4", gen_temp(g, "getelementptr i8, ptr %%v%u, i64 %s", id, at));
	g->cost += bytes * g->scale;
}

/*
 * A member of the value of the whole. LLVM 19 makes a load of the member alone from it, at its type's own alignment:
 * one that a packed structure has elsewhere is not read so.
 */
static void read_whole(struct gen *g, const struct gen_aggregate *a)
{
	uint32_t at = a->shape, offset = 0;
	struct hd_strbuf path = {0};
	if (shape_of(g, at)->bytes > WHOLE_BYTES)
		return;
	const char *whole = gen_temp(g, "load %%T%u, ptr %s, align %u", a->shape, a->pointer, a->align);
	while (shape_of(g, at)->kind >= ARRAY) {
		struct gen_shape shape = *shape_of(g, at);
		uint32_t part = gen_below(g, shape.count);
		hd_strbuf_printf(&path, ", %u", part);
		at = shape.parts[shape.kind == ARRAY ? 0 : part];
		offset += shape.kind == ARRAY ? part * shape_of(g, at)->bytes : member_offset(g, &shape, part);
	}
	if (shape_of(g, at)->align > a->align || offset % shape_of(g, at)->align) {
		hd_strbuf_release(&path);
		return;
	}
	const char *member = gen_temp(g, "extractvalue %%T%u %s%s", a->shape, whole, hd_strbuf_text(&path));
	const struct gen_shape *last = shape_of(g, at);
	if (last->kind == POINTER)
		gen_define(g, T_I64, "ptrtoint ptr %s to i64", member);
	else if (gen_is_float(last->type))
		gen_quiet(g, last->type, member);
	else
		gen_push(g, last->type, g->next_id - 1);
	g->cost += 16 * g->scale;
	hd_strbuf_release(&path);
}

/* One of two members, by an address that is chosen at run time. */
static void read_either(struct gen *g, const struct gen_aggregate *a)
{
	struct place one = pick_place(g, a, &no_counter), two = one;
	char first[16], second[16];
	snprintf(first, sizeof first, "%s", one.pointer); /* texts last for a few more alone */
	for (unsigned i = 0; i < 8; i++) {
		two = pick_place(g, a, &no_counter);
		if (two.type == one.type)
			break;
	}
	if (two.type != one.type || one.type == T_NONE)
		return;
	one.align = one.align < two.align ? one.align : two.align;
	snprintf(second, sizeof second, "%s", two.pointer);
	one.pointer = gen_temp(g, "select i1 %s, ptr %s, ptr %s", gen_variable(g, T_I1), first, second);
	enum gen_type type;
	load_place(g, &one, &type);
}

/* ------------------------------------------------------------ calls */

static void pass_on(struct gen *g, const struct gen_aggregate *a)
{
	uint32_t count = 0, which;
	for (uint32_t i = 0; i < g->takers.len; i++)
		count += g->takers.data[i].shape == a->shape;
	if (!count)
		return;
	which = gen_below(g, count);
	for (uint32_t i = 0; i < g->takers.len; i++) {
		const struct gen_taker *taker = &g->takers.data[i];
		if (taker->shape != a->shape || which-- != 0)
			continue;
		if ((taker->writes && !a->writable) || g->cost + taker->cost * g->scale > GEN_MAX_COST)
			return;
		char how[64] = "ptr";
		if (taker->by_value)
			snprintf(how, sizeof how, "ptr byval(%%T%u) align %u", a->shape, taker->align);
		const char *x = gen_operand(g, T_I32), *y = gen_operand(g, T_I64);
		gen_define(g, T_I64, "call i64 %s(%s %s, i32 %s, i64 %s)", taker->name, how, a->pointer, x, y);
		g->cost += taker->cost * g->scale;
		return;
	}
}

void gen_op_params(struct gen *g)
{
	const struct gen_aggregate *found = pick_aggregate(g, gen_chance(g, 30));
	if (!found)
		return;
	struct gen_aggregate a = *found;
	switch (gen_below(g, 12)) {
	case 0:
	case 1:
	case 2:
	case 3: read_member(g, &a); break;
	case 4:
	case 5:
		if (g->cost + 400 * g->scale < GEN_MAX_COST)
			read_in_loop(g, &a);
		break;
	case 6: copy_out(g, &a); break;
	case 7: read_whole(g, &a); break;
	case 8:
		if (a.writable)
			write_pointer(g, &a);
		break;
	case 9:
		if (a.passed)
			read_either(g, &a);
		break;
	case 10:
		if (a.passed)
			pass_on(g, &a);
		break;
	default:
		if (a.writable)
			write_member(g, &a);
		break;
	}
}

/* ------------------------------------------------------------ what there is */

static void write_taker(struct gen *g, const struct gen_aggregate *of, bool by_value)
{
	static const struct gen_function result = {.results = {T_I64}, .result_count = 1};
	struct gen_taker taker = {.shape = of->shape,
				  .by_value = by_value,
				  .writes = !by_value && gen_chance(g, 50),
				  .align = of->align};
	struct gen_aggregate own = {of->shape, "%p", of->align, by_value || taker.writes, true};
	char how[64] = "ptr";
	snprintf(taker.name, sizeof taker.name, "@y%u", g->takers.len);
	if (by_value)
		snprintf(how, sizeof how, "ptr byval(%%T%u) align %u", of->shape, of->align);
	gen_begin_function(g);
	g->function = &result;
	g->uniform = g->returns = false;
	hd_vec_push(&g->aggregates, own);
	gen_push(g, T_I32, g->next_id++);
	gen_push(g, T_I64, g->next_id++);
	gen_label(g, g->next_label++);
	for (unsigned i = 3 + gen_below(g, 8); i-- > 0;)
		gen_op_params(g);
	gen_return(g);
	hd_strbuf_printf(&g->functions,
			 "define internal i64 %s(%s %%p, i32 %%v0, i64 %%v1)%s nounwind {\nentry:\n"
			 "%s  br label %%L1\n%s}\n\n",
			 taker.name, how, gen_chance(g, 70) ? " noinline" : "", hd_strbuf_text(&g->entry),
			 hd_strbuf_text(&g->body));
	taker.cost = g->cost + 10 + shape_of(g, of->shape)->bytes / 4;
	hd_vec_push(&g->takers, taker);
}

void gen_make_params(struct gen *g)
{
	uint32_t count = gen_has(g, FEATURE_params) ? 1 + gen_below(g, 3) : 0, left = MOST_BYTES;
	for (uint32_t i = 0; i < count && left >= LEAST_BYTES; i++) {
		uint32_t budget = gen_chance(g, 25) ? left : gen_chance(g, 50) ? 700 : 100, shape;
		do
			shape = make_shape(g, 0, budget < left ? budget : left);
		while (shape_of(g, shape)->kind < ARRAY);
		struct gen_shape root = *shape_of(g, shape);
		if (root.bytes > left)
			break;
		struct gen_aggregate a = {.shape = shape, .align = root.align, .passed = gen_chance(g, 40)};
		a.align = gen_chance(g, 25) ? 16 : a.align;
		a.writable = a.passed && gen_chance(g, 60);
		snprintf(a.pointer, sizeof a.pointer, "%%p%u", i);
		hd_strbuf_printf(&g->globals, "%%T%u = type ", shape);
		shape_text(g, shape, &g->globals);
		hd_strbuf_append(&g->globals, "\n");
		left -= root.bytes + 16 < left ? root.bytes + 16 : left;
		if (root.bytes <= CALL_BYTES && a.passed) {
			write_taker(g, &a, false);
			write_taker(g, &a, true);
		}
		hd_vec_push(&g->params, a);
	}
}

/* A copy of the thread's own, made before anything else happens. */
static void add_copy(struct gen *g, const struct gen_aggregate *from)
{
	struct gen_aggregate copy = {.shape = from->shape, .align = from->align, .writable = true, .passed = true};
	uint32_t id = g->next_id++, bytes = shape_of(g, from->shape)->bytes;
	snprintf(copy.pointer, sizeof copy.pointer, "%%v%u", id);
	gen_declare(g, "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)");
	hd_strbuf_printf(&g->entry,
			 "  %%v%u = alloca %%T%u, align %u\n"
			 "  call void @llvm.memcpy.p0.p0.i64(ptr align %u %%v%u, ptr align %u %s, i64 %u, i1 false)\n",
			 id, from->shape, from->align, from->align, id, from->align, from->pointer, bytes);
	hd_vec_push(&g->aggregates, copy);
	g->cost += bytes / 2;
}

void gen_use_params(struct gen *g)
{
	for (uint32_t i = 0; i < g->params.len; i++) {
		const struct gen_aggregate *a = &g->params.data[i];
		uint32_t bytes = shape_of(g, a->shape)->bytes;
		hd_vec_push(&g->aggregates, *a);
		if (bytes <= COPY_BYTES && gen_chance(g, 25))
			add_copy(g, a);
		if (!a->passed || a->align < 16 || bytes < 24)
			continue;
		struct gen_region region = {.type = "ptr", .bytes = 8, .writable = a->writable};
		while (2 * region.bytes + 16 <= bytes)
			region.bytes *= 2;
		snprintf(region.pointer, sizeof region.pointer, "%s", a->pointer);
		hd_vec_push(&g->regions, region);
	}
}

void gen_param_texts(const struct gen *g, struct hd_strbuf *header, struct hd_strbuf *launch)
{
	for (uint32_t i = 0; i < g->params.len; i++) {
		const struct gen_aggregate *a = &g->params.data[i];
		hd_strbuf_printf(header, ", ptr byval(%%T%u) align %u %s", a->shape, a->align, a->pointer);
		hd_strbuf_printf(launch, "[arg%u]\nkind = struct\ncount = %u\ninit = random:%u\n", 3 + i,
				 shape_of(g, a->shape)->bytes, 3 + i);
	}
}
