/*
 * heddle-mutate SEED FROM TO: writes a damaged copy of a file. The same seed gives the same damage (damage.h). Of a
 * kernel object every other seed damages the contents of its sections, which are packed: it is written without packing
 * first. Tools must answer any such file with an exit status of 0, 1 or 2.
 *
 * heddle-mutate plain FROM TO: writes the object without packing and without damage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/object/parts.h"
#include "test/fuzz/damage.h"

/* The same object with its sections as they are when they are unpacked. */
static int lay_open(struct damage *damage, struct hd_diag *diag)
{
	struct hd_object object;
	struct hd_arena arena;
	uint8_t *bytes;
	size_t size;
	hd_arena_init(&arena);
	int status = hd_object_read(damage->bytes, damage->size, "the object", &arena, &object, diag);
	if (!status)
		status = object_write_packed(&object, HD_CODEC_NONE, &bytes, &size, diag);
	hd_arena_release(&arena);
	if (status)
		return -1;
	free(damage->bytes);
	damage->bytes = bytes;
	damage->size = size;
	return 0;
}

static bool is_object(const struct damage *damage)
{
	return damage->size >= 64 && hd_object_declared_size(damage->bytes) == damage->size;
}

int main(int argc, char **argv)
{
	struct hd_diag diag = {.tool = "heddle-mutate"};
	struct damage damage = {0};
	if (argc != 4) {
		fprintf(stderr, "Usage: heddle-mutate SEED|plain FROM TO\n");
		return 2;
	}
	bool plain = strcmp(argv[1], "plain") == 0;
	damage.random = strtoull(argv[1], NULL, 0);
	if (hd_read_file(argv[2], &damage.bytes, &damage.size, &diag))
		return 2;
	if (is_object(&damage) && (plain || damage_draw(&damage) % 2) && lay_open(&damage, &diag))
		return 2;
	if (!plain)
		damage_some(&damage);
	int status = hd_write_file(argv[3], damage.bytes, damage.size, &diag);
	free(damage.bytes);
	return status ? 2 : 0;
}
