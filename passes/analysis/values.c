/*
 * Arithmetic on affine values of the thread index, modulo 2^32, and the table that numbers them.
 * Each operation gives a value that covers every result that its operands allow; all are
 * constant work.
 */
#include "passes/analysis/values.h"

const struct hd_value hd_value_random = {.kind = HD_VALUE_RANDOM};

struct hd_value hd_value_uniform(bool local)
{
	return (struct hd_value){.kind = HD_VALUE_AFFINE,
				 .local = local,
				 .x = hd_factor_known(0),
				 .y = hd_factor_known(0),
				 .rows = hd_factor_known(0),
				 .z = hd_factor_known(0)};
}

struct hd_value hd_value_constant(uint32_t number)
{
	struct hd_value value = hd_value_uniform(false);
	value.base = hd_factor_known((int32_t)number);
	return value;
}

bool hd_value_is_cta_uniform(const struct hd_value *value)
{
	return hd_value_is_uniform_in_group(value) && !value->local && hd_factor_is_zero(value->y) &&
	       hd_factor_is_zero(value->rows) && hd_factor_is_zero(value->z);
}

uint32_t hd_value_dimensions(const struct hd_value *value)
{
	bool flat = hd_factor_is_zero(value->y) && value->x.known && value->rows.known &&
		    value->x.value == value->rows.value;
	if (value->kind != HD_VALUE_AFFINE || value->local)
		return 0;
	if (hd_value_is_uniform_in_group(value) && flat)
		return hd_factor_is_zero(value->z) ? 3 : 2;
	return flat ? 2 : 1;
}

static struct hd_factor add_factors(struct hd_factor a, struct hd_factor b)
{
	return a.known && b.known ? hd_factor_known((int32_t)((uint32_t)a.value + (uint32_t)b.value))
				  : (struct hd_factor){0};
}

static struct hd_factor scale(struct hd_factor a, struct hd_factor by)
{
	if (hd_factor_is_zero(a) || hd_factor_is_zero(by))
		return hd_factor_known(0);
	return a.known && by.known ? hd_factor_known((int32_t)((uint32_t)a.value * (uint32_t)by.value))
				   : (struct hd_factor){0};
}

struct hd_value hd_value_add(struct hd_value a, struct hd_value b)
{
	if (a.kind != HD_VALUE_AFFINE || b.kind != HD_VALUE_AFFINE)
		return hd_value_random;
	return (struct hd_value){
		.kind = HD_VALUE_AFFINE,
		.local = a.local || b.local,
		.base = add_factors(a.base, b.base),
		.x = add_factors(a.x, b.x),
		.y = add_factors(a.y, b.y),
		.rows = add_factors(a.rows, b.rows),
		.z = add_factors(a.z, b.z),
	};
}

struct hd_value hd_value_scaled(struct hd_value a, struct hd_factor by)
{
	return (struct hd_value){
		.kind = a.kind,
		.local = a.local,
		.base = scale(a.base, by),
		.x = scale(a.x, by),
		.y = scale(a.y, by),
		.rows = scale(a.rows, by),
		.z = scale(a.z, by),
	};
}

/* Something of which only uniformity is known: what it depends on stays, with unknown factors. */
struct hd_value hd_value_mixed(const struct hd_value *sources, uint32_t count)
{
	struct hd_value value = hd_value_uniform(false);
	for (uint32_t i = 0; i < count; i++) {
		if (!hd_value_is_uniform_in_group(&sources[i]))
			return hd_value_random;
		value.local |= sources[i].local;
		value.y.known &= hd_factor_is_zero(sources[i].y) && hd_factor_is_zero(sources[i].rows);
		value.z.known &= hd_factor_is_zero(sources[i].z);
	}
	return value;
}

/* A factor that differs from group to group makes the product a stride of a group only. */
struct hd_value hd_value_multiply(struct hd_value a, struct hd_value b)
{
	if (a.kind != HD_VALUE_AFFINE || b.kind != HD_VALUE_AFFINE)
		return hd_value_random;
	if (!hd_value_is_cta_uniform(&b)) {
		struct hd_value swap = a;
		a = b;
		b = swap;
	}
	if (hd_value_is_cta_uniform(&b)) {
		struct hd_value product = hd_value_scaled(a, b.base);
		if (b.is_ntid_x && hd_factor_is_zero(a.x) && hd_factor_is_zero(a.rows) && hd_factor_is_zero(a.z)) {
			product.rows = a.y;
			product.y = hd_factor_known(0);
		}
		return product;
	}
	if (hd_value_is_uniform_in_group(&a) && hd_value_is_uniform_in_group(&b))
		return hd_value_mixed((struct hd_value[]){a, b}, 2);
	if (!hd_value_is_uniform_in_group(&a) && !hd_value_is_uniform_in_group(&b))
		return hd_value_random;
	struct hd_value product = hd_value_uniform(true);
	product.x.known = false;
	return product;
}

static struct hd_factor join_factors(struct hd_factor a, struct hd_factor b)
{
	return a.known && b.known && a.value == b.value ? a : (struct hd_factor){0};
}

/* Either of them, the same one for all lanes. */
struct hd_value hd_value_join(struct hd_value a, struct hd_value b)
{
	if (a.kind == HD_VALUE_UNSEEN || b.kind == HD_VALUE_UNSEEN)
		return a.kind == HD_VALUE_UNSEEN ? b : a;
	if (a.kind == HD_VALUE_RANDOM || b.kind == HD_VALUE_RANDOM)
		return hd_value_random;
	return (struct hd_value){
		.kind = HD_VALUE_AFFINE,
		.local = a.local || b.local,
		.is_ntid_x = a.is_ntid_x && b.is_ntid_x,
		.base = join_factors(a.base, b.base),
		.x = join_factors(a.x, b.x),
		.y = join_factors(a.y, b.y),
		.rows = join_factors(a.rows, b.rows),
		.z = join_factors(a.z, b.z),
	};
}

static bool same_factor(struct hd_factor a, struct hd_factor b)
{
	return a.known == b.known && (!a.known || a.value == b.value);
}

static bool same(const struct hd_value *a, const struct hd_value *b)
{
	return a->kind == b->kind && a->local == b->local && a->is_ntid_x == b->is_ntid_x &&
	       same_factor(a->base, b->base) && same_factor(a->x, b->x) && same_factor(a->y, b->y) &&
	       same_factor(a->rows, b->rows) && same_factor(a->z, b->z);
}

/* ---- the table of values */

static uint64_t hash_factor(uint64_t hash, struct hd_factor factor)
{
	return hd_hash_mix(hash, factor.known ? (uint32_t)factor.value : UINT64_C(1) << 32);
}

/* The value's number. */
uint32_t hd_value_number(struct hd_value_table *table, struct hd_value value)
{
	uint64_t hash = (uint64_t)value.kind << 2 | (uint64_t)value.local << 1 | (uint64_t)value.is_ntid_x;
	const struct hd_factor factors[] = {value.base, value.x, value.y, value.rows, value.z};
	struct hd_hash_slot *slot;
	for (unsigned i = 0; i < 5; i++)
		hash = hash_factor(hash, factors[i]);
	HD_HASH_FIND(slot, &table->numbers, hash, same(&table->values.data[slot->id], &value));
	if (hd_hash_found(slot))
		return slot->id;
	hd_hash_set_put(&table->numbers, slot, hash, table->values.len);
	hd_vec_push_in(&table->values, table->arena, value);
	return table->values.len - 1;
}

struct hd_value_table *hd_value_table_new(struct hd_arena *arena)
{
	struct hd_value_table *table = HD_ARENA_NEW(arena, struct hd_value_table, 1);
	table->arena = table->numbers.arena = arena;
	hd_value_number(table, (struct hd_value){0});
	hd_value_number(table, hd_value_random);
	return table;
}

uint32_t hd_value_join_numbers(struct hd_value_table *table, uint32_t a, uint32_t b)
{
	if (a == b || b == HD_NUMBER_UNSEEN || a == HD_NUMBER_RANDOM)
		return a;
	return a == HD_NUMBER_UNSEEN
		       ? b
		       : hd_value_number(table, hd_value_join(table->values.data[a], table->values.data[b]));
}
