// Numbers of 256 and 2048 bits: carry chains in inline PTX and in 128-bit C, Montgomery products, modular powers,
// division by shifts, a product of which each lane of a warp has a limb, carries by ballots. The host does it by the
// definition.
#include "common.h"
#include <vector>

typedef unsigned long long u64;
typedef unsigned __int128 u128;
enum { LIMBS = 4 };

struct Number {
	u64 limb[LIMBS];
};

// a + b; the carry out.
__host__ __device__ inline unsigned add(Number &r, const Number &a, const Number &b)
{
#ifdef __CUDA_ARCH__
	unsigned carry;
	asm("{\n\t"
	    "add.cc.u64  %0, %5, %9;\n\t"
	    "addc.cc.u64 %1, %6, %10;\n\t"
	    "addc.cc.u64 %2, %7, %11;\n\t"
	    "addc.cc.u64 %3, %8, %12;\n\t"
	    "addc.u32    %4, 0, 0;\n\t"
	    "}"
	    : "=&l"(r.limb[0]), "=&l"(r.limb[1]), "=&l"(r.limb[2]), "=&l"(r.limb[3]), "=r"(carry)
	    : "l"(a.limb[0]), "l"(a.limb[1]), "l"(a.limb[2]), "l"(a.limb[3]), "l"(b.limb[0]), "l"(b.limb[1]),
	      "l"(b.limb[2]), "l"(b.limb[3]));
	return carry;
#else
	u128 sum = 0;
	for (int i = 0; i < LIMBS; i++) {
		sum += (u128)a.limb[i] + b.limb[i];
		r.limb[i] = (u64)sum;
		sum >>= 64;
	}
	return (unsigned)sum;
#endif
}
// a - b; the borrow out.
__host__ __device__ inline unsigned subtract(Number &r, const Number &a, const Number &b)
{
	unsigned borrow = 0;
	for (int i = 0; i < LIMBS; i++) {
		u128 d = (u128)a.limb[i] - b.limb[i] - borrow;
		r.limb[i] = (u64)d;
		borrow = (unsigned)(d >> 64) & 1;
	}
	return borrow;
}
__host__ __device__ inline bool less(const Number &a, const Number &b)
{
	Number unused;
	return subtract(unused, a, b);
}

struct Field {
	Number modulus, square; /* square: 2^512 mod modulus */
	u64 inverse;		/* -1 / modulus mod 2^64 */
};

// a * b / 2^256 mod the modulus, limb by limb.
__host__ __device__ Number montgomery(const Field &field, const Number &a, const Number &b)
{
	u64 t[LIMBS + 2] = {};
	for (int i = 0; i < LIMBS; i++) {
		u64 carry = 0;
		for (int j = 0; j < LIMBS; j++) {
			u128 v = (u128)a.limb[j] * b.limb[i] + t[j] + carry;
			t[j] = (u64)v;
			carry = (u64)(v >> 64);
		}
		u128 v = (u128)t[LIMBS] + carry;
		t[LIMBS] = (u64)v;
		t[LIMBS + 1] = (u64)(v >> 64);
		u64 m = t[0] * field.inverse;
		v = (u128)m * field.modulus.limb[0] + t[0];
		carry = (u64)(v >> 64);
		for (int j = 1; j < LIMBS; j++) {
			v = (u128)m * field.modulus.limb[j] + t[j] + carry;
			t[j - 1] = (u64)v;
			carry = (u64)(v >> 64);
		}
		v = (u128)t[LIMBS] + carry;
		t[LIMBS - 1] = (u64)v;
		t[LIMBS] = t[LIMBS + 1] + (u64)(v >> 64);
	}
	Number r = {{t[0], t[1], t[2], t[3]}};
	if (t[LIMBS] || !less(r, field.modulus))
		subtract(r, r, field.modulus);
	return r;
}

__host__ __device__ Number power(const Field &field, Number base, const Number &exponent)
{
	Number one = {{1, 0, 0, 0}}, r = montgomery(field, one, field.square);
	base = montgomery(field, base, field.square);
	for (int bit = 64 * LIMBS - 1; bit >= 0; bit--) {
		r = montgomery(field, r, r);
		if (exponent.limb[bit / 64] >> bit % 64 & 1)
			r = montgomery(field, r, base);
	}
	return montgomery(field, r, one);
}

// a mod m, one bit at a time: what the others are checked against.
__host__ __device__ Number remainder_of(const u64 *wide, int limbs, const Number &m)
{
	Number r = {};
	for (int bit = 64 * limbs - 1; bit >= 0; bit--) {
		unsigned out = add(r, r, r);
		r.limb[0] |= wide[bit / 64] >> bit % 64 & 1;
		if (out || !less(r, m))
			subtract(r, r, m);
	}
	return r;
}

__constant__ Field device_field;

__global__ void powers(const Number *bases, const Number *exponents, Number *out, unsigned *carries, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	out[2 * i] = power(device_field, bases[i], exponents[i]);
	carries[i] = add(out[2 * i + 1], bases[i], exponents[i]);
	carries[i] |= subtract(out[2 * i + 1], out[2 * i + 1], device_field.modulus) << 1;
}

// 32 limbs of 64 bits times 32: a warp a product, low and high halves of the columns; carries are settled by ballots.
__global__ void product(const u64 *a, const u64 *b, u64 *out)
{
	int lane = threadIdx.x, warp = blockIdx.x;
	u64 x = a[32 * warp + lane], y = b[32 * warp + lane], low = 0, middle = 0, high = 0;
	u64 place[2] = {}, above[2] = {};
	for (int half = 0; half < 2; half++) {
		low = middle = high = 0;
		int column = lane + 32 * half;
		for (int i = 0; i < 32; i++) {
			u64 xi = __shfl_sync(~0u, x, i), yj = __shfl_sync(~0u, y, (column - i) & 31);
			if (column - i < 0 || column - i > 31)
				continue;
			asm("mad.lo.cc.u64 %0, %3, %4, %0;\n\tmadc.hi.cc.u64 %1, %3, %4, %1;\n\taddc.u64 %2, %2, 0;"
			    : "+l"(low), "+l"(middle), "+l"(high)
			    : "l"(xi), "l"(yj));
		}
		/* the column's sum is three limbs; the next lanes take the upper ones */
		u64 from1 = __shfl_up_sync(~0u, middle, 1), from2 = __shfl_up_sync(~0u, high, 2);
		u64 last1 = __shfl_sync(~0u, middle, 31), last2 = __shfl_sync(~0u, high, 30),
		    last3 = __shfl_sync(~0u, high, 31);
		from1 = lane ? from1 : above[0];
		from2 = lane > 1 ? from2 : lane ? above[1] : place[1];
		u64 sum = low + from1;
		unsigned over = sum < low;
		sum += from2;
		over += sum < from2;
		unsigned in = half ? (unsigned)place[0] : 0;
		while (__any_sync(~0u, over || (lane == 0 && in))) {
			unsigned up = __shfl_up_sync(~0u, over, 1), top = __shfl_sync(~0u, over, 31);
			if (lane == 0)
				up = in;
			u64 before = sum;
			sum += up;
			over = sum < before;
			in = 0;
			place[0] = half ? 0 : place[0] + top;
		}
		place[1] = last2, above[0] = last1, above[1] = last3;
		out[64 * warp + column] = sum;
	}
}

int main()
{
	Field field = {{{0xffffffffffffff61, 0x1122334455667788, 0x8899aabbccddeeff, 0xf0e1d2c3b4a59687}}, {}, 1};
	for (int i = 0; i < 6; i++)
		field.inverse *= 2 + field.modulus.limb[0] * field.inverse; /* Newton: of -m */
	u64 wide[9] = {};
	wide[8] = 1;
	field.square = remainder_of(wide, 9, field.modulus);
	OK(cudaMemcpyToSymbol(device_field, &field, sizeof field));

	const int n = 40, products = 3;
	Number *bases = shared_array<Number>(n), *exponents = shared_array<Number>(n),
	       *out = shared_array<Number>(2 * n);
	unsigned *carries = shared_array<unsigned>(n);
	u64 seed = 88172645463325252u;
	auto next = [&seed] { return seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17; };
	for (int i = 0; i < n; i++)
		for (int k = 0; k < LIMBS; k++)
			bases[i].limb[k] = i == 1 ? ~0ull : next(), exponents[i].limb[k] = i % 5 == 0 ? k == 0
											   : i == 2   ? ~0ull
												      : next();
	powers<<<2, 32>>>(bases, exponents, out, carries, n);
	finish_kernel();
	for (int i = 0; i < n; i++) {
		Number sum, want = power(field, bases[i], exponents[i]),
			    reduced = remainder_of(bases[i].limb, LIMBS, field.modulus);
		unsigned carry = add(sum, bases[i], exponents[i]);
		carry |= subtract(sum, sum, field.modulus) << 1;
		expect_same(out + 2 * i, &want, 1, "power");
		expect_same(out + 2 * i + 1, &sum, 1, "sum");
		expect(carries[i] == carry, "carry", i);
		if (i % 5 == 0) /* to the power of one */
			expect_same(&want, &reduced, 1, "itself");
	}

	u64 *a = shared_array<u64>(32 * products), *b = shared_array<u64>(32 * products),
	    *c = shared_array<u64>(64 * products);
	for (int i = 0; i < 32 * products; i++)
		a[i] = i < 32 ? ~0ull : next(), b[i] = i < 32 ? ~0ull : i % 3 ? next() : 0;
	product<<<products, 32>>>(a, b, c);
	finish_kernel();
	for (int p = 0; p < products; p++) {
		std::vector<u64> want(64);
		for (int i = 0; i < 32; i++) {
			u64 carry = 0;
			for (int j = 0; j < 32; j++) {
				u128 v = (u128)a[32 * p + i] * b[32 * p + j] + want[i + j] + carry;
				want[i + j] = (u64)v;
				carry = (u64)(v >> 64);
			}
			want[i + 32] = carry;
		}
		expect_same(c + 64 * p, want.data(), 64, "product");
	}
	puts("PASSED");
}
