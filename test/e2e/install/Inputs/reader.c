/* What a program outside of Heddle does with its library: reads a kernel object's metadata. */
#include <stdio.h>

#include <heddle/figures.h>
#include <heddle/object.h>
#include <heddle/version.h>

static int show(void *context, const uint8_t *bytes, size_t size)
{
	struct hd_arena arena;
	struct hd_object object;
	hd_arena_init(&arena);
	int status = hd_object_read(bytes, size, "object", &arena, &object, context);
	for (uint32_t i = 0; i < object.metadata.function_count && !status; i++)
		if (object.metadata.functions[i].kernel)
			printf("%s: %u registers\n", object.metadata.functions[i].demangled,
			       object.metadata.functions[i].registers);
	hd_arena_release(&arena);
	return status;
}

int main(int argc, char **argv)
{
	struct hd_diag diag = {.tool = "reader"};
	printf("Heddle %s\n", HD_VERSION);
	return argc == 2 && hd_object_scan_file(argv[1], show, &diag, &diag) > 0 ? 0 : 1;
}
