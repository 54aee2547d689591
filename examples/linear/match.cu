/*
 * match: of each place in many short reads of a genome, the longest piece from there on that the genome has, and where.
 * The genome's places are sorted by what follows them; a thread of each read looks up all places of it by bisection.
 */
#include "../grids/grids.h"

#define BLOCK 64
#define READ 24 /* letters */

struct Genome {
	const char *text; /* ends with a 0 */
	const int *order; /* places, sorted by the text from there on */
	int length;
};

/* How many letters of the two are the same; `below`: whether the text comes before the piece in the order. */
BOTH int common(const char *text, const char *piece, int length, bool *below)
{
	int i = 0;
	while (i < length && text[i] == piece[i])
		i++;
	*below = i < length && text[i] < piece[i];
	return i;
}

BOTH int longest(const Genome &genome, const char *piece, int length, int *place)
{
	int low = 0, high = genome.length, best = 0;
	*place = -1;
	while (low < high) {
		int middle = (low + high) / 2, at = genome.order[middle];
		bool below;
		int same = common(genome.text + at, piece, length, &below);
		if (same > best) {
			best = same;
			*place = at;
		}
		if (below)
			low = middle + 1;
		else
			high = middle;
	}
	return best;
}

__global__ void match(Genome genome, const char *reads, int *lengths, int *places, int n)
{
	int read = blockIdx.x * blockDim.x + threadIdx.x;
	for (int i = 0; read < n && i < READ; i++)
		lengths[read * READ + i] = longest(genome, reads + read * READ + i, READ - i, &places[read * READ + i]);
}

static const char *sorted_text; /* for by_text */

static int by_text(const void *a, const void *b)
{
	return strcmp(sorted_text + *(const int *)a, sorted_text + *(const int *)b);
}

/* By looking at all of the text. */
static int longest_on_host(const char *text, int n, const char *piece, int length)
{
	int best = 0;
	for (int at = 0; at < n; at++) {
		bool below;
		int same = common(text + at, piece, length, &below);
		best = same > best ? same : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "match [letters of the genome [reads]]   (default 32768 letters, 2000 reads)"};
	int length = size_argument(arguments, 1, 32768, 1 << 20), n = size_argument(arguments, 2, 2000, 1 << 20);
	char *text = host_array<char>(length + READ), *reads = host_array<char>((size_t)n * READ);
	int *order = host_array<int>(length), *lengths = host_array<int>((size_t)n * READ),
	    *places = host_array<int>((size_t)n * READ);
	unsigned seed = 53;
	for (int i = 0; i < length; i++) {
		text[i] = "ACGT"[next_random(&seed) >> 30];
		order[i] = i;
	}
	for (int i = 0; i < n; i++) { /* pieces of the genome with an error here and there */
		int at = (int)(next_random(&seed) >> 4) % length;
		for (int j = 0; j < READ; j++)
			reads[i * READ + j] =
				next_random(&seed) >> 28 ? text[(at + j) % length] : "ACGT"[next_random(&seed) >> 30];
	}
	sorted_text = text;
	qsort(order, length, sizeof *order, by_text);
	Genome genome = {device_copy(text, length + READ), device_copy(order, length), length};
	int *dlengths = device_array<int>((size_t)n * READ), *dplaces = device_array<int>((size_t)n * READ);

	match<<<blocks_for(n, BLOCK), BLOCK>>>(genome, device_copy(reads, (size_t)n * READ), dlengths, dplaces, n);
	CHECK_LAUNCH();

	/* All against the same bisection here, and a thousand places, spread over all, against the whole text. */
	Verdict verdict = {"match", 0};
	Genome here = {text, order, length};
	for (int i = 0; i < n * READ; i++) {
		lengths[i] = longest(here, reads + i, READ - i % READ, &places[i]);
		if (i % blocks_for(n * READ, 1000) == 0 &&
		    lengths[i] != longest_on_host(text, length, reads + i, READ - i % READ))
			differs(&verdict, "length[%d] = %d is not the longest", i, lengths[i]);
	}
	compare(&verdict, "length", dlengths, lengths, (size_t)n * READ);
	compare(&verdict, "place", dplaces, places, (size_t)n * READ);
	return conclude(verdict, "%d letters, %d reads", length, n);
}
