// Products of nvcuda::wmma::experimental: signed and unsigned numbers of 4 bits, and bits, against the host. Ends with the
// number of products and of wrong sums.
#include <cstdio>
#include <mma.h>

using namespace nvcuda::wmma;
using nvcuda::wmma::experimental::bmmaBitOp;
using nvcuda::wmma::experimental::bmmaBitOpAND;
using nvcuda::wmma::experimental::bmmaBitOpXOR;
namespace narrow = nvcuda::wmma::experimental::precision;

enum { LINES = 8, WORDS = 6, LDM = 11 }; // words from line to line, of which a factor takes 4; numbers of a sum's line

template <class Type>
__global__ void nibbles(const unsigned *a, const unsigned *b, int *c, layout_t layout, bool saturates)
{
	fragment<matrix_a, 8, 8, 32, Type, row_major> left;
	fragment<matrix_b, 8, 8, 32, Type, col_major> right;
	fragment<accumulator, 8, 8, 32, int> sum;
	load_matrix_sync(left, a, 8 * WORDS);
	load_matrix_sync(right, b, 8 * WORDS);
	load_matrix_sync(sum, c, LDM, layout);
	mma_sync(sum, left, right, sum, saturates);
	store_matrix_sync(c, sum, LDM, layout);
}

__global__ void bits(const unsigned *a, const unsigned *b, int *c, bmmaBitOp op)
{
	fragment<matrix_a, 8, 8, 128, narrow::b1, row_major> left;
	fragment<matrix_b, 8, 8, 128, narrow::b1, col_major> right;
	fragment<accumulator, 8, 8, 128, int> sum, none;
	load_matrix_sync(left, a, 32 * WORDS);
	load_matrix_sync(right, b, 32 * WORDS);
	load_matrix_sync(sum, c, LDM, mem_row_major);
	fill_fragment(none, 0);
	if (op == bmmaBitOpXOR)
		bmma_sync(none, left, right, none);
	else
		bmma_sync(none, left, right, none, bmmaBitOpAND);
	for (int i = 0; i < sum.num_elements; i++)
		sum.x[i] += none.x[i];
	store_matrix_sync(c, sum, LDM, mem_row_major);
}

static unsigned *a, *b;
static int *c, products, wrong;

static unsigned number()
{
	static unsigned state = 99;
	state = state * 1664525u + 1013904223u;
	return state ^ state >> 15;
}

static int nibble(const unsigned *x, int line, int k, bool has_sign)
{
	int value = x[line * WORDS + k / 8] >> k % 8 * 4 & 15;
	return has_sign && value > 7 ? value - 16 : value;
}

// kind: 0 unsigned, 1 signed, 2 xor, 3 and
static void product(int kind, layout_t layout, bool saturates)
{
	int before[LINES * LDM];
	for (int i = 0; i < LINES * WORDS; i++)
		a[i] = number(), b[i] = number();
	for (int i = 0; i < LINES * LDM; i++)
		before[i] = c[i] = saturates ? 0x7fffff00 + (int)(number() & 255) : (int)number() >> 8;
	switch (kind) {
	case 0: nibbles<narrow::u4><<<1, 32>>>(a, b, c, layout, saturates); break;
	case 1: nibbles<narrow::s4><<<1, 32>>>(a, b, c, layout, saturates); break;
	default: bits<<<1, 32>>>(a, b, c, kind == 2 ? bmmaBitOpXOR : bmmaBitOpAND);
	}
	if (cudaDeviceSynchronize() != cudaSuccess)
		wrong++;
	products++;
	for (int row = 0; row < 8; row++)
		for (int column = 0; column < 8; column++) {
			int at = layout == mem_row_major ? row * LDM + column : column * LDM + row;
			long long sum = before[at];
			for (int k = 0; k < 32; k++)
				if (kind < 2)
					sum += nibble(a, row, k, kind) * nibble(b, column, k, kind);
			for (int word = 0; word < 4; word++) {
				unsigned x = a[row * WORDS + word], y = b[column * WORDS + word];
				if (kind >= 2)
					sum += __builtin_popcount(kind == 2 ? x ^ y : x & y);
			}
			if (saturates && sum > 0x7fffffff)
				sum = 0x7fffffff;
			wrong += c[at] != (int)sum;
			c[at] = before[at];
		}
	for (int i = 0; i < LINES * LDM; i++) // nothing else was written
		wrong += c[i] != before[i];
}

int main()
{
	cudaMallocManaged(&a, LINES * WORDS * sizeof *a);
	cudaMallocManaged(&b, LINES * WORDS * sizeof *b);
	cudaMallocManaged(&c, LINES * LDM * sizeof *c);
	for (int kind = 0; kind < 2; kind++)
		for (int saturates = 0; saturates < 2; saturates++) {
			product(kind, mem_row_major, saturates);
			product(kind, mem_col_major, saturates);
		}
	product(2, mem_row_major, false);
	if (LEVEL >= 80)
		product(3, mem_row_major, false);
	printf("sm_%d: %d products, %d wrong\n", LEVEL, products, wrong);
}
