/* The row CODE: the disassembly of a unit's functions. */
#include "lib/object/listing.h"
#include "passes/pass.h"

/* The disassembly as `heddle dis` has it, under a head of one line. */
static void print_function(FILE *out, const struct hd_object *object, const struct hd_function *function, bool control)
{
	const struct hd_listing_style plain = {.control = control};
	struct hd_listing listing;
	struct hd_arena arena;
	hd_arena_init(&arena);
	fprintf(out, "%s %s: registers %u, frame %u\n", function->kernel ? "kernel" : "function", function->name,
		function->registers, function->frame_bytes);
	hd_listing_init(&listing, object, function, &arena);
	hd_listing_print(out, &listing, &plain);
	hd_arena_release(&arena);
}

void hd_print_listing(FILE *out, const struct hd_unit *unit, bool control)
{
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		print_function(out, &unit->object, &unit->object.functions[f], control);
}

void hd_code_print_unit(FILE *out, const struct hd_unit *unit)
{
	hd_print_listing(out, unit, false);
}
