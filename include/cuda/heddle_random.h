/*
 * cuRAND's generators on the device where no toolkit's headers are at hand: XORWOW (G. Marsaglia, Xorshift RNGs, 2003),
 * Philox4x32-10 (Salmon and others, SC 2011) and MRG32k3a (L'Ecuyer, 1999), with cuRAND's seeds, sequences and offsets,
 * so that the numbers are the same.
 *
 * A jump of XORWOW takes about 2,000 instructions for each bit that is set in the sequence or the offset; one of
 * MRG32k3a about 2,000 for each bit up to the highest. Philox's cost nothing.
 */
#ifndef HEDDLE_RANDOM_H
#define HEDDLE_RANDOM_H

#define HD_RANDOM __device__ static inline

/* What a normal distribution has left for the next call. */
#define HD_RANDOM_SPARE            \
	int boxmuller_flag;        \
	int boxmuller_flag_double; \
	float boxmuller_extra;     \
	double boxmuller_extra_double;

struct curandStateXORWOW {
	unsigned int d, v[5];
	HD_RANDOM_SPARE
};
struct curandStatePhilox4_32_10 {
	uint4 ctr, output;
	uint2 key;
	unsigned int STATE; /* how many of the output are taken */
	HD_RANDOM_SPARE
};
struct curandStateMRG32k3a {
	unsigned int s1[3], s2[3];
	HD_RANDOM_SPARE
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

template <class _State>
HD_RANDOM void hd_random_no_spare(_State *state)
{
	state->boxmuller_flag = state->boxmuller_flag_double = 0;
	state->boxmuller_extra = 0;
	state->boxmuller_extra_double = 0;
}

/* ------------------------------------------------------------------ XORWOW */

struct hd_random_jumps {
	unsigned int offset[64][5], sequence[64][5];
};
#define HD_JUMPS(of, ...) {__VA_ARGS__},
static __device__ const hd_random_jumps hd_random_table = {
#include "heddle_random_jump.inc"
};
#undef HD_JUMPS

HD_RANDOM unsigned int curand(curandStateXORWOW_t *state)
{
	unsigned int first = state->v[0] ^ state->v[0] >> 2, last = state->v[4];
	for (int i = 0; i < 4; i++)
		state->v[i] = state->v[i + 1];
	state->v[4] = last ^ last << 4 ^ first ^ first << 1;
	return state->v[4] + (state->d += 362437);
}

/* The register's state after the steps whose power of x modulo its polynomial is `power`. */
HD_RANDOM void hd_random_jump(const unsigned int *power, curandStateXORWOW_t *state)
{
	unsigned int sum[5] = {0, 0, 0, 0, 0}, counter = state->d;
	for (int bit = 0; bit < 160; bit++) {
		unsigned int chosen = 0u - (power[bit / 32] >> bit % 32 & 1);
		for (int i = 0; i < 5; i++)
			sum[i] ^= state->v[i] & chosen;
		curand(state);
	}
	for (int i = 0; i < 5; i++)
		state->v[i] = sum[i];
	state->d = counter;
}

HD_RANDOM void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
	state->d += 362437 * (unsigned int)n;
	for (int k = 0; n; k++, n >>= 1)
		if (n & 1)
			hd_random_jump(hd_random_table.offset[k], state);
}

/* By n sequences of 2^67 numbers. */
HD_RANDOM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
	for (int k = 0; n; k++, n >>= 1)
		if (n & 1)
			hd_random_jump(hd_random_table.sequence[k], state);
}

HD_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
			   curandStateXORWOW_t *state)
{
	unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
	unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
	state->d = 6615241u + high + low;
	state->v[0] = 123456789u + low;
	state->v[1] = 362436069u ^ low;
	state->v[2] = 521288629u + high;
	state->v[3] = 88675123u ^ high;
	state->v[4] = 5783321u + low;
	skipahead_sequence(sequence, state);
	skipahead(offset, state);
	hd_random_no_spare(state);
}

/* ------------------------------------------------------------------ Philox4x32-10 */

HD_RANDOM uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
	for (int round = 0; round < 10; round++) {
		unsigned int high0 = __umulhi(0xd2511f53u, c.x), high1 = __umulhi(0xcd9e8d57u, c.z);
		c = make_uint4(high1 ^ c.y ^ k.x, 0xcd9e8d57u * c.z, high0 ^ c.w ^ k.y, 0xd2511f53u * c.x);
		k.x += 0x9e3779b9u;
		k.y += 0xbb67ae85u;
	}
	return c;
}

/* Adds n to the half of the counter from `low` on; whether it overflows. */
HD_RANDOM bool hd_random_count(unsigned int *low, unsigned int *high, unsigned long long n)
{
	unsigned long long before = (unsigned long long)*high << 32 | *low, sum = before + n;
	*low = (unsigned int)sum;
	*high = (unsigned int)(sum >> 32);
	return sum < before;
}

HD_RANDOM void hd_random_advance(curandStatePhilox4_32_10_t *state, unsigned long long n)
{
	if (hd_random_count(&state->ctr.x, &state->ctr.y, n))
		hd_random_count(&state->ctr.z, &state->ctr.w, 1);
	state->output = curand_Philox4x32_10(state->ctr, state->key);
}

HD_RANDOM unsigned int curand(curandStatePhilox4_32_10_t *state)
{
	unsigned int taken = state->STATE++;
	unsigned int number = taken == 0   ? state->output.x
			      : taken == 1 ? state->output.y
			      : taken == 2 ? state->output.z
					   : state->output.w;
	if (taken == 3) {
		state->STATE = 0;
		hd_random_advance(state, 1);
	}
	return number;
}

HD_RANDOM uint4 curand4(curandStatePhilox4_32_10_t *state)
{
	uint4 old = state->output;
	hd_random_advance(state, 1);
	uint4 next = state->output;
	switch (state->STATE) {
	case 1: return make_uint4(old.y, old.z, old.w, next.x);
	case 2: return make_uint4(old.z, old.w, next.x, next.y);
	case 3: return make_uint4(old.w, next.x, next.y, next.z);
	default: return old;
	}
}

HD_RANDOM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	unsigned int taken = state->STATE + (unsigned int)(n & 3);
	state->STATE = taken & 3;
	hd_random_advance(state, n / 4 + taken / 4);
}

HD_RANDOM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	hd_random_count(&state->ctr.z, &state->ctr.w, n);
	state->output = curand_Philox4x32_10(state->ctr, state->key);
}

HD_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
			   curandStatePhilox4_32_10_t *state)
{
	state->ctr = make_uint4(0, 0, 0, 0);
	state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
	state->STATE = 0;
	skipahead_sequence(sequence, state);
	skipahead(offset, state);
	hd_random_no_spare(state);
}

/* ------------------------------------------------------------------ MRG32k3a */

#define HD_MRG_1 4294967087u
#define HD_MRG_2 4294944443u

struct hd_random_matrix {
	unsigned int at[3][3];
};

HD_RANDOM unsigned int hd_random_product(unsigned int a, unsigned int b, unsigned int modulus)
{
	return (unsigned int)((unsigned long long)a * b % modulus);
}

HD_RANDOM unsigned int hd_random_row(const unsigned int *row, unsigned int x, unsigned int y, unsigned int z,
				     unsigned int modulus)
{
	unsigned long long sum = (unsigned long long)hd_random_product(row[0], x, modulus) +
				 hd_random_product(row[1], y, modulus) + hd_random_product(row[2], z, modulus);
	return (unsigned int)(sum % modulus);
}

/* s times the n-th power of the matrix. */
HD_RANDOM void hd_random_power(unsigned int *s, hd_random_matrix m, unsigned long long n, unsigned int modulus)
{
	for (; n; n >>= 1) {
		if (n & 1) {
			unsigned int x = s[0], y = s[1], z = s[2];
			for (int i = 0; i < 3; i++)
				s[i] = hd_random_row(m.at[i], x, y, z, modulus);
		}
		hd_random_matrix square;
		for (int i = 0; i < 3 && n > 1; i++)
			for (int j = 0; j < 3; j++)
				square.at[i][j] =
					hd_random_row(m.at[i], m.at[0][j], m.at[1][j], m.at[2][j], modulus);
		if (n > 1)
			m = square;
	}
}

HD_RANDOM void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
	const hd_random_matrix one = {{{0, 1, 0}, {0, 0, 1}, {HD_MRG_1 - 810728u, 1403580u, 0}}};
	const hd_random_matrix two = {{{0, 1, 0}, {0, 0, 1}, {HD_MRG_2 - 1370589u, 0, 527612u}}};
	hd_random_power(state->s1, one, n, HD_MRG_1);
	hd_random_power(state->s2, two, n, HD_MRG_2);
}

/* By n subsequences of 2^76 numbers. */
HD_RANDOM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
	const hd_random_matrix one = {{{82758667u, 1871391091u, 4127413238u}, {3672831523u, 69195019u, 1871391091u}, {3672091415u, 3528743235u, 69195019u}}};
	const hd_random_matrix two = {{{1511326704u, 3759209742u, 1610795712u}, {4292754251u, 1511326704u, 3889917532u}, {3859662829u, 4292754251u, 3708466080u}}};
	hd_random_power(state->s1, one, n, HD_MRG_1);
	hd_random_power(state->s2, two, n, HD_MRG_2);
}

/* By n sequences of 2^127 numbers. */
HD_RANDOM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
	const hd_random_matrix one = {{{2427906178u, 3580155704u, 949770784u}, {226153695u, 1230515664u, 3580155704u}, {1988835001u, 986791581u, 1230515664u}}};
	const hd_random_matrix two = {{{1464411153u, 277697599u, 1610723613u}, {32183930u, 1464411153u, 1022607788u}, {2824425944u, 32183930u, 2093834863u}}};
	hd_random_power(state->s1, one, n, HD_MRG_1);
	hd_random_power(state->s2, two, n, HD_MRG_2);
}

/* 1 to 4294967087 */
HD_RANDOM double curand_MRG32k3a(curandStateMRG32k3a_t *state)
{
	const unsigned int row1[3] = {HD_MRG_1 - 810728u, 1403580u, 0}, row2[3] = {HD_MRG_2 - 1370589u, 0, 527612u};
	unsigned int one = hd_random_row(row1, state->s1[0], state->s1[1], state->s1[2], HD_MRG_1);
	unsigned int two = hd_random_row(row2, state->s2[0], state->s2[1], state->s2[2], HD_MRG_2);
	for (int i = 0; i < 2; i++) {
		state->s1[i] = state->s1[i + 1];
		state->s2[i] = state->s2[i + 1];
	}
	state->s1[2] = one;
	state->s2[2] = two;
	return one > two ? (double)(one - two) : (double)one - two + HD_MRG_1;
}

HD_RANDOM unsigned int curand(curandStateMRG32k3a_t *state)
{
	return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662); /* (2^32 - 1) / (4294967087 - 1) */
}

HD_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
			   curandStateMRG32k3a_t *state)
{
	unsigned int low = (unsigned int)seed ^ 0x55555555u, high = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
	for (int i = 0; i < 3; i++) {
		bool even = i % 2 == 0;
		state->s1[i] = seed ? hd_random_product(even ? low : high, 12345, HD_MRG_1) : 12345;
		state->s2[i] = seed ? hd_random_product(even ? high : low, 12345, HD_MRG_2) : 12345;
	}
	skipahead_subsequence(sequence, state);
	skipahead(offset, state);
	hd_random_no_spare(state);
}

#endif
