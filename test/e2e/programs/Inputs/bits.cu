// Bit-fields, unions, packed structures, 128-bit arithmetic, recursion with structures by value, placement new. Checks
// its own results.
#include <cstdint>
#include <cstdio>
#include <new>
struct Fields {
	unsigned a : 5;
	int b : 7;
	unsigned long long c : 33;
	bool d : 1;
	unsigned char e;
	signed f : 20;
};
struct __attribute__((packed)) Packed {
	char c;
	double d;
	short s;
	int i;
};
union U {
	float f;
	unsigned u;
	struct {
		unsigned m : 23, e : 8, s : 1;
	} p;
	unsigned char b[4];
};
struct Tree {
	int v;
	Tree *l, *r;
	__device__ Tree(int x) : v(x), l(0), r(0)
	{
	}
};
struct Mat {
	long long a[2][2];
};
__host__ __device__ Mat mulm(Mat x, Mat y)
{
	Mat r;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			r.a[i][j] = x.a[i][0] * y.a[0][j] + x.a[i][1] * y.a[1][j];
	return r;
}
__host__ __device__ Mat power(Mat m, unsigned n)
{
	if (n == 0)
		return Mat{{{1, 0}, {0, 1}}};
	Mat h = power(m, n / 2);
	h = mulm(h, h);
	return n & 1 ? mulm(h, m) : h;
}
__host__ __device__ uint64_t mulmod(uint64_t a, uint64_t b, uint64_t m)
{
	return (uint64_t)((unsigned __int128)a * b % m);
}
__host__ __device__ uint64_t powmod(uint64_t a, uint64_t e, uint64_t m)
{
	uint64_t r = 1;
	for (a %= m; e; e >>= 1, a = mulmod(a, a, m))
		if (e & 1)
			r = mulmod(r, a, m);
	return r;
}
__host__ __device__ uint64_t morton(unsigned x, unsigned y)
{
	uint64_t r = 0;
	for (int i = 0; i < 32; i++)
		r |= (uint64_t)(x >> i & 1) << (2 * i) | (uint64_t)(y >> i & 1) << (2 * i + 1);
	return r;
}
__host__ __device__ Fields work(Fields f, int t)
{
	f.a += t;
	f.b -= t * 3;
	f.c = f.c * 0x123456789ull + t;
	f.d = !f.d;
	f.e ^= f.a;
	f.f = f.b * f.f - t;
	return f;
}
__host__ __device__ uint64_t digest(Fields f)
{
	return f.a + 31 * (uint64_t)(int64_t)f.b + 977 * f.c + f.d + 7 * f.e + 13 * (uint64_t)(int64_t)f.f;
}
__device__ Tree *insert(Tree *t, int v, char **pool)
{
	if (!t) {
		Tree *n = new (*pool) Tree(v);
		*pool += sizeof(Tree);
		return n;
	}
	if (v < t->v)
		t->l = insert(t->l, v, pool);
	else
		t->r = insert(t->r, v, pool);
	return t;
}
__device__ void walk(Tree *t, uint64_t *h)
{
	if (!t)
		return;
	walk(t->l, h);
	*h = *h * 31 + t->v;
	walk(t->r, h);
}
__global__ void k(uint64_t *o, Packed *p)
{
	int t = threadIdx.x;
	uint64_t *r = o + 10 * t;
	Fields f{};
	f.a = t;
	f.b = t - 30;
	f.c = t * 1000003ull;
	f.f = t * 5;
	for (int i = 0; i < 4; i++)
		f = work(f, t + i);
	r[0] = digest(f);
	U u;
	u.f = 1.5f * t;
	u.p.s = 1;
	u.p.e += 2;
	r[1] = u.u + u.b[2];
	r[2] = (uint64_t)power(Mat{{{1, 1}, {1, 0}}}, t + 10).a[0][1];
	r[3] = powmod(t + 2, 0xfffffffbull * 3, 18446744073709551557ull);
	r[4] = morton(t * 77777u, ~t);
	r[5] = __brevll(r[4]) ^ __clzll(r[3] | 1) ^ __ffsll(r[4]) ^ __popcll(r[3]) ^ __byte_perm(t, 0x12345678, 0x5140);
	__int128 w = (__int128)(int64_t)r[3] * (int64_t)r[4];
	w = w / (t + 3) - (w % 1000003);
	r[6] = (uint64_t)(w >> 64) ^ (uint64_t)w;
	p[t].d += p[t].i * 0.5 + p[t].s;
	p[t].i ^= t;
	p[t].s--;
	alignas(Tree) char mem[9 * sizeof(Tree)];
	char *pool = mem;
	Tree *root = 0;
	for (int i = 0; i < 9; i++)
		root = insert(root, (t * 7 + i * 5) % 11, &pool);
	uint64_t h = 0;
	walk(root, &h);
	r[7] = h;
}
int main()
{
	uint64_t *o;
	Packed *p;
	cudaMallocManaged(&o, 64 * 80);
	cudaMallocManaged(&p, 64 * sizeof(Packed));
	for (int t = 0; t < 64; t++)
		p[t] = {(char)t, t * 1.25, (short)(t * 3), t * 7};
	k<<<1, 64>>>(o, p);
	cudaError_t e = cudaDeviceSynchronize();
	if (e)
		return puts(cudaGetErrorString(e)), 1;
	for (int t = 0; t < 64; t++) {
		uint64_t *r = o + 10 * t;
		Fields f{};
		f.a = t;
		f.b = t - 30;
		f.c = t * 1000003ull;
		f.f = t * 5;
		for (int i = 0; i < 4; i++)
			f = work(f, t + i);
		U u;
		u.f = 1.5f * t;
		u.p.s = 1;
		u.p.e += 2;
		uint64_t m = morton(t * 77777u, ~t), q = powmod(t + 2, 0xfffffffbull * 3, 18446744073709551557ull);
		__int128 w = (__int128)(int64_t)q * (int64_t)m;
		w = w / (t + 3) - (w % 1000003);
		int v[9];
		for (int i = 0; i < 9; i++)
			v[i] = (t * 7 + i * 5) % 11;
		for (int i = 0; i < 9; i++)
			for (int j = 0; j < i; j++)
				if (v[j] > v[i]) {
					int x = v[i];
					v[i] = v[j];
					v[j] = x;
				}
		uint64_t h = 0;
		for (int i = 0; i < 9; i++)
			h = h * 31 + v[i];
		bool ok = r[0] == digest(f) && r[1] == u.u + u.b[2] &&
			  r[2] == (uint64_t)power(Mat{{{1, 1}, {1, 0}}}, t + 10).a[0][1] && r[3] == q && r[4] == m &&
			  r[6] == ((uint64_t)(w >> 64) ^ (uint64_t)w) && r[7] == h;
		ok &= p[t].d == t * 1.25 + t * 7 * 0.5 + t * 3 && p[t].i == ((t * 7) ^ t) && p[t].s == t * 3 - 1 &&
		      p[t].c == (char)t;
		if (!ok)
			return printf("FAIL %d\n", t), 1;
	}
	puts("PASSED");
}
