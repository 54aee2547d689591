/*
 * Sets and constraints of pointsto. A set is a list of chunks in the order of their bases, to which any thread may add
 * at any time: bits by atomicOr, chunks by compare-and-swap of the link before them. Sets only grow, so whoever reads one
 * meanwhile sees a part of it, and comes again.
 */
#include "pointsto.h"

/* ---- sets */

DEVICE_FUNCTION int new_chunk(const Program &program, int base, unsigned long long bits)
{
	int index = atomicAdd(program.pool.used, 1);
	if (index >= program.pool.count)
		return NO_CHUNK;
	program.pool.chunks[index] = {bits, base, NO_CHUNK};
	return index;
}

/* The last link of the list at `link` that leads to a chunk of at least this base. */
DEVICE_FUNCTION int *find_link(const Program &program, int *link, int base)
{
	while (*link != NO_CHUNK && program.pool.chunks[*link].base < base)
		link = &program.pool.chunks[*link].next;
	return link;
}

/* Puts a chunk behind the link; false when another thread was faster. */
DEVICE_FUNCTION bool insert_chunk(const Program &program, int *link, int next, int chunk)
{
	program.pool.chunks[chunk].next = next;
	__threadfence();
	return atomicCAS(link, next, chunk) == next;
}

DEVICE_FUNCTION bool add_to_chunk(Chunk *chunk, unsigned long long bits)
{
	if ((bits & ~chunk->bits) == 0)
		return false;
	return (bits & ~atomicOr(&chunk->bits, bits)) != 0;
}

/* Adds members of one chunk to a set; whether any is new. */
DEVICE_FUNCTION bool add_bits(const Program &program, int *set, int base, unsigned long long bits)
{
	int chunk = NO_CHUNK;
	for (int *link = find_link(program, set, base);; link = find_link(program, link, base)) {
		int next = *link;
		if (next != NO_CHUNK && program.pool.chunks[next].base < base)
			continue;
		if (next != NO_CHUNK && program.pool.chunks[next].base == base)
			return add_to_chunk(&program.pool.chunks[next], bits);
		if (chunk == NO_CHUNK)
			chunk = new_chunk(program, base, bits);
		if (chunk == NO_CHUNK)
			return false; /* the pool is exhausted, which `used` tells */
		if (insert_chunk(program, link, next, chunk))
			return true;
	}
}

DEVICE_FUNCTION bool add_member(const Program &program, int *set, int member)
{
	return add_bits(program, set, member / CHUNK_BITS, 1ull << member % CHUNK_BITS);
}

DEVICE_FUNCTION bool add_set(const Program &program, int *set, int other)
{
	bool grown = false;
	for (; other != NO_CHUNK; other = program.pool.chunks[other].next)
		grown |= add_bits(program, set, program.pool.chunks[other].base, program.pool.chunks[other].bits);
	return grown;
}

DEVICE_FUNCTION int set_size(const Program &program, int set)
{
	int size = 0;
	for (; set != NO_CHUNK; set = program.pool.chunks[set].next)
		size += __popcll(program.pool.chunks[set].bits);
	return size;
}

/* ---- members, one by one */

typedef bool (*Visit)(const Program &program, int member, int variable);

DEVICE_FUNCTION bool visit_bits(const Program &program, int chunk, Visit visit, int variable)
{
	bool grown = false;
	unsigned long long bits = program.pool.chunks[chunk].bits;
	for (; bits; bits &= bits - 1) {
		int member = program.pool.chunks[chunk].base * CHUNK_BITS + __ffsll((long long)bits) - 1;
		grown |= visit(program, member, variable);
	}
	return grown;
}

DEVICE_FUNCTION bool visit_members(const Program &program, int set, Visit visit, int variable)
{
	bool grown = false;
	for (; set != NO_CHUNK; set = program.pool.chunks[set].next)
		grown |= visit_bits(program, set, visit, variable);
	return grown;
}

/* `variable` is copied to `member`, and a variable's set to another. */
DEVICE_FUNCTION bool add_source(const Program &program, int member, int variable)
{
	return add_member(program, &program.sources[member], variable);
}

DEVICE_FUNCTION bool pull(const Program &program, int member, int variable)
{
	return member != variable && add_set(program, &program.points_to[variable], program.points_to[member]);
}

/* ---- constraints */

DEVICE_FUNCTION bool apply_addresses(const Program &program, int variable)
{
	bool grown = false;
	const Constraints &all = program.kinds[ADDRESS];
	for (int i = all.first[variable]; i < all.first[variable + 1]; i++)
		grown |= add_member(program, &program.points_to[variable], all.right[i]);
	return grown;
}

DEVICE_FUNCTION bool apply_copies(const Program &program, int variable)
{
	bool grown = false;
	const Constraints &all = program.kinds[COPY];
	for (int i = all.first[variable]; i < all.first[variable + 1]; i++)
		grown |= add_source(program, variable, all.right[i]);
	return grown;
}

/* left = *right: whatever right points to is copied to left. */
DEVICE_FUNCTION bool apply_loads(const Program &program, int variable)
{
	bool grown = false;
	const Constraints &all = program.kinds[LOAD];
	for (int i = all.first[variable]; i < all.first[variable + 1]; i++)
		grown |= add_set(program, &program.sources[variable], program.points_to[all.right[i]]);
	return grown;
}

/* *left = right: right is copied to whatever left points to. */
DEVICE_FUNCTION bool apply_stores(const Program &program, int variable)
{
	bool grown = false;
	const Constraints &all = program.kinds[STORE];
	for (int i = all.first[variable]; i < all.first[variable + 1]; i++)
		grown |= visit_members(program, program.points_to[variable], add_source, all.right[i]);
	return grown;
}

DEVICE_FUNCTION bool propagate(const Program &program, int variable)
{
	return visit_members(program, program.sources[variable], pull, variable);
}
