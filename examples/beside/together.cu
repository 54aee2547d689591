/*
 * together: kernels of kernels.h run beside each other, each in a stream of its own, and each is what it would be alone.
 */
#include "kernels.h"

#define MOST 4 /* kernels at a time */

struct Kind {
	const char *name;
	void (*prepare)(Work *);
	void (*start)(Work *);
	void (*expect)(Work *);
};

#define LAUNCH(kernel, ...) \
	[](Work *w) { kernel<<<w->blocks, BLOCK, 0, w->stream>>>(__VA_ARGS__); }

static const Kind kinds[] = {
	{"gather", prepare_table, LAUNCH(gather, w->da, (float *)w->dto), expect_gather},
	{"sweep", prepare_table, LAUNCH(sweep, w->da, (float *)w->dto), expect_sweep},
	{"columns", prepare_table, LAUNCH(columns, w->da, (float *)w->dto), expect_columns},
	{"follow", prepare_table, LAUNCH(follow, w->da, (float *)w->dto), expect_follow},
	{"triad", prepare_stream, LAUNCH(triad, w->da, w->db, (float *)w->dto, w->n), expect_triad},
	{"field", prepare_stream, LAUNCH(field, w->da, w->db, (float *)w->dto, w->n), expect_field},
	{"scale", prepare_stream, LAUNCH(scale, w->da, (float *)w->dto, w->n), expect_scale},
	{"pair", prepare_stream, LAUNCH(pair, w->da, w->db, (float *)w->dto, w->n), expect_pair},
	{"path", prepare_path, LAUNCH(path, (int *)w->da, (int *)w->dto), expect_path},
	{"count", prepare_count, LAUNCH(count, (unsigned *)w->da, w->dto, w->n), expect_count},
	{"product", prepare_product, LAUNCH(product, w->da, w->db, (float *)w->dto), expect_product},
	{"roots", prepare_roots, LAUNCH(roots, w->da, (float *)w->dto), expect_roots},
	{"sums", prepare_sums, LAUNCH(sums, (unsigned *)w->da, w->dto), expect_sums},
	{"walk", prepare_walk, LAUNCH(walk, (unsigned *)w->da, w->dto), expect_walk},
};

static const Kind *kind_of(const char *name)
{
	for (const Kind &kind : kinds)
		if (!strcmp(name, kind.name))
			return &kind;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *usage = "together [blocks [numbers in 1024s [KERNEL...]]]   (default 128 blocks, 256; gather triad path)\n"
			    "KERNEL, up to four of them: gather sweep columns follow triad field scale pair path count product roots sums walk";
	Arguments arguments = {argc < 3 ? argc : 3, argv, usage};
	int blocks = size_argument(arguments, 1, 128, 65535), n = 1024 * size_argument(arguments, 2, 256, 1 << 14);
	const char *standard[] = {"gather", "triad", "path"}, **chosen = argc > 3 ? (const char **)argv + 3 : standard;
	int works = argc > 3 ? argc - 3 : 3;
	Work work[MOST];
	Verdict verdict = {"together", 0};
	for (int i = 0; i < works; i++) {
		if (works > MOST || !kind_of(chosen[i])) {
			fprintf(stderr, "usage: %s\n", usage);
			return 2;
		}
		work[i] = {blocks, n};
		CHECK(cudaStreamCreateWithFlags(&work[i].stream, cudaStreamNonBlocking));
		kind_of(chosen[i])->prepare(&work[i]);
	}
	for (int i = 0; i < works; i++) {
		kind_of(chosen[i])->start(&work[i]);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < works; i++) {
		kind_of(chosen[i])->expect(&work[i]);
		compare(&verdict, chosen[i], work[i].dto, work[i].to, work[i].outs);
	}
	return conclude(verdict, "%d kernels, %d blocks, %d numbers", works, blocks, n);
}
