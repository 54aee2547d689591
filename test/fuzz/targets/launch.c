/*
 * Launch specifications of `heddle run --kernel`, the contents of small buffers, and headers of .npy files.
 */
#include "test/fuzz/targets/fuzz.h"

#include <stdlib.h>

#include "tools/heddle/run/spec.h"

enum { SMALL = 1 << 16 };

static void fill(const struct spec *spec, struct spec_data *data, struct hd_diag *diag)
{
	uint8_t *bytes;
	/* A file's place may be anywhere on this machine. */
	if ((data->init && (data->init[0] == 'f' || data->init[0] == 'n')) || data->count > SMALL)
		return;
	if (!spec_fill(spec, data, &bytes, diag))
		free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct hd_diag diag = fuzz_diag();
	struct spec spec;
	struct npy npy;
	npy_parse(&npy, bytes, size, size);
	if (!spec_read(&spec, fuzz_file(bytes, size, ".ini"), NULL, &diag)) {
		for (size_t i = 0; i < spec.args.len; i++)
			fill(&spec, &spec.args.data[i], &diag);
		for (size_t i = 0; i < spec.symbols.len; i++)
			fill(&spec, &spec.symbols.data[i], &diag);
	}
	spec_release(&spec);
	return 0;
}
