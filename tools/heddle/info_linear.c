/*
 * heddle info: linear values (R2D2 3.1) and the coalescing report of a kernel, from its metadata. Linear in that.
 */
#include "tools/heddle/info_linear.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "heddle/figures.h"

static void print_summary(const struct hd_meta_affine *affine)
{
	printf("    linear values: %u of %u, %u registers", affine->linear_values, affine->values,
	       affine->register_count);
	if (affine->wanted_registers > affine->register_count)
		printf(" of %u wanted", affine->wanted_registers);
	printf(", %u instructions removed", affine->removed);
	if (affine->condition_count)
		printf(", on %u condition%s", affine->condition_count, affine->condition_count == 1 ? "" : "s");
	putchar('\n');
}

static void print_branches(const struct hd_meta_affine *affine)
{
	const struct {
		uint32_t count;
		const char *text;
	} classes[] = {{affine->branch_classes[HD_CLASS_GRID], "the same for all threads"},
		       {affine->branch_classes[HD_CLASS_BLOCK], "for a block"},
		       {affine->branch_classes[HD_CLASS_WARP], "for a warp"},
		       {affine->branch_classes[HD_CLASS_AFFINE], "linear in the thread index"},
		       {affine->branch_classes[HD_CLASS_DIVERGENT], "divergent"}};
	const char *separator = "    branches: ";
	for (unsigned i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		if (!classes[i].count)
			continue;
		printf("%s%u %s", separator, classes[i].count, classes[i].text);
		separator = ", ";
	}
	if (separator[0] == ',')
		putchar('\n');
}

static void print_registers(const struct hd_meta_affine *affine)
{
	for (uint32_t r = 0; r < affine->register_count; r++) {
		const struct hd_meta_linear_register *reg = &affine->registers[r];
		printf("    %%lr%-2u", r);
		if (reg->thread_part >= 0)
			printf(" %%tr%-2d", reg->thread_part);
		else
			printf("      ");
		printf(" %2u bits, %2u uses: {", reg->bits, reg->uses);
		for (unsigned i = 0; i < HD_META_VECTOR; i++)
			printf("%s%s", i ? ", " : "", reg->vector[i]);
		puts("}");
	}
	for (uint32_t c = 0; c < affine->condition_count; c++) {
		const struct hd_meta_condition *condition = &affine->conditions[c];
		printf("    if %" PRId64 " <= {", condition->low);
		for (unsigned i = 0; i < HD_META_VECTOR; i++)
			printf("%s%s", i ? ", " : "", condition->vector[i]);
		printf("} <= %" PRId64, condition->high);
		for (uint32_t l = 0; l < condition->iteration_count; l++)
			printf(", %s <= %s", condition->iterations[l].symbol, condition->iterations[l].most);
		putchar('\n');
	}
}

/* "4", "16-17" or "?" */
static const char *bounds(char text[32], uint32_t least, uint32_t most)
{
	if (!most)
		return "?";
	snprintf(text, 32, least == most ? "%u" : "%u-%u", least, most);
	return text;
}

static void print_place(const struct hd_meta_access *access)
{
	if (access->source.file)
		printf("%s:%u", access->source.file, access->source.line);
	else
		printf("pc %04x", access->pc);
}

static void print_access(const struct hd_meta_access *access)
{
	static const char *const kinds[] = {"load", "store", "atomic"}, *const spaces[] = {"global", "shared",
											   "generic"};
	char sectors[32], conflicts[32];
	printf("    ");
	print_place(access);
	printf(": %s %s of %u bytes, stride %s, alignment %u, ", spaces[access->space], kinds[access->kind],
	       access->bytes, access->lane_stride ? access->lane_stride : "?", access->alignment);
	if (access->space == HD_ACCESS_GLOBAL)
		printf("%s sectors", bounds(sectors, access->sectors_least, access->sectors_most));
	else if (access->space == HD_ACCESS_GENERIC)
		printf("nothing proven");
	else
		printf("bank conflicts %s", bounds(conflicts, access->conflicts_least, access->conflicts_most));
	if (access->assumes == HD_ASSUME_BLOCK)
		printf(", in blocks of %ux%ux%u", access->block[0], access->block[1], access->block[2]);
	else if (access->assumes == HD_ASSUME_WHOLE_ROWS)
		printf(", where blockDim.x is a multiple of 32");
	putchar('\n');
}

void info_print_linear(const struct hd_meta_function *kernel, bool all)
{
	const struct hd_meta_affine *affine = kernel->affine;
	struct hd_arena arena;
	char advice[256];
	if (!affine)
		return;
	print_summary(affine);
	print_branches(affine);
	if (all)
		print_registers(affine);
	hd_arena_init(&arena);
	const uint32_t *copies = hd_meta_access_copies(affine, &arena);
	for (uint32_t i = 0; i < affine->access_count; i++) {
		const struct hd_meta_access *access = &affine->accesses[i];
		if (all)
			print_access(access);
		/* Members of one structure, unrolled copies: once is enough. */
		if (!copies[i] || !hd_meta_access_advice(access, advice, sizeof(advice)))
			continue;
		printf("    ");
		print_place(access);
		printf(": %s", advice);
		printf(copies[i] > 1 ? " (%u such accesses)\n" : "\n", copies[i]);
	}
	hd_arena_release(&arena);
}
