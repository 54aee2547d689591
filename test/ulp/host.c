/*
 * ulp inputs COUNT: writes a32 b32 a64 b64, the arguments of functions.def's functions, COUNT of each.
 * ulp table COUNT [check]: reads them and out32, out64, and prints each function's worst error beside CUDA's bound.
 * The reference is long double, whose 64 bits leave an error of about a thousandth of a double's ULP. `check`: exit
 * status 1 when an error is above the bound and above twice what functions.def of this library is known to have.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
static const real pi = 3.141592653589793238462643383279502884L;

static real rsqrtl_(real x)
{
	return 1 / sqrtl(x);
}
static real rcbrtl_(real x)
{
	return 1 / cbrtl(x);
}
static real rhypotl_(real x, real y)
{
	return 1 / hypotl(x, y);
}
static real sinpil_(real x)
{
	x = remainderl(x, 2); /* exact */
	if (fabsl(x) > 0.5L)
		x = copysignl(1 - fabsl(x), x);
	return fabsl(x) > 0.25L ? copysignl(cosl(pi * (0.5L - fabsl(x))), x) : sinl(pi * x);
}
static real cospil_(real x)
{
	return sinpil_(0.5L - fabsl(remainderl(x, 2)));
}
/* exp(x^2) erfc(x); x^2 in two parts, and the continued fraction where erfc is small. */
static real erfcxl_(real x)
{
	if (x < 10) {
		real high = (real)(float)x, low = (x - high) * (x + high);
		return expl(high * high) * expl(low) * erfcl(x);
	}
	real f = x;
	for (int k = 60; k > 0; k--)
		f = x + k / 2.0L / f;
	return 1 / (sqrtl(pi) * f);
}
static real normcdfl_(real x)
{
	return erfcl(-x * sqrtl(0.5L)) / 2;
}
#define rsqrtl rsqrtl_
#define rcbrtl rcbrtl_
#define rhypotl rhypotl_
#define sinpil sinpil_
#define cospil cospil_
#define erfcxl erfcxl_
#define normcdfl normcdfl_

struct function {
	const char *name;
	double low, high, bound[2];
	real (*one)(real);
	real (*two)(real, real);
};
static const struct function functions[] = {
#define ULP1(name, low, high, f32, f64) {#name, low, high, {f32, f64}, name##l, NULL},
#define ULP2(name, low, high, f32, f64) {#name, low, high, {f32, f64}, NULL, name##l},
#include "functions.def"
#undef ULP1
#undef ULP2
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static uint64_t state;
static double uniform(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double argument(const struct function *f)
{
	double x = f->low + uniform() * (f->high - f->low), pick = uniform();
	if (pick < 0.5) { /* any exponent */
		double most = fmax(fabs(f->low), fabs(f->high));
		double y = ldexp(1 + uniform(), (int)(log2(most) - 1 - uniform() * 60));
		y = f->low < 0 && uniform() < 0.5 ? -y : y;
		x = y >= f->low && y <= f->high ? y : x;
	} else if (pick < 0.6) {
		x = trunc(x * 4) / 4;
	}
	return x >= f->low && x <= f->high ? x : f->high;
}

static void *buffer(const char *path, size_t size, int load)
{
	void *bytes = calloc(1, size);
	FILE *file = load ? fopen(path, "rb") : NULL;
	if (!bytes || (load && (!file || fread(bytes, 1, size, file) != size))) {
		fprintf(stderr, "ulp: cannot read %s\n", path);
		exit(2);
	}
	if (file)
		fclose(file);
	return bytes;
}
static void save(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		exit(2);
}

static void inputs(size_t count)
{
	size_t all = count * FUNCTIONS;
	float *f[2] = {buffer("", all * 4, 0), buffer("", all * 4, 0)};
	double *d[2] = {buffer("", all * 8, 0), buffer("", all * 8, 0)};
	for (size_t i = 0; i < all; i++)
		for (int k = 0; k < 2; k++) {
			d[k][i] = argument(&functions[i / count]);
			f[k][i] = (float)d[k][i];
		}
	save("a32", f[0], all * 4);
	save("b32", f[1], all * 4);
	save("a64", d[0], all * 8);
	save("b64", d[1], all * 8);
}

/* Distance in units of the last place of the reference, which is at least the smallest denormal. */
static double error_of(real got, real reference, int wide)
{
	int digits = wide ? 53 : 24, lowest = wide ? -1074 : -149, exponent;
	real largest = wide ? 0x1.fffffffffffff8p1023L : 0x1.ffffffp127L;
	if (isnan(got) || isnan(reference))
		return isnan(got) && isnan(reference) ? 0 : INFINITY;
	if (isinf(got) || isinf(reference))
		return got == reference || (isinf(got) && fabsl(reference) >= largest && got * reference > 0)
			       ? 0
			       : INFINITY;
	frexpl(reference, &exponent);
	exponent = reference == 0 || exponent - digits < lowest ? lowest : exponent - digits;
	return (double)ldexpl(fabsl(got - reference), -exponent);
}

static real worst_of(const struct function *f, size_t first, size_t count, int wide, void *const in[3], size_t *where)
{
	double worst = 0;
	for (size_t i = first; i < first + count; i++) {
		real a = wide ? ((double *)in[0])[i] : ((float *)in[0])[i],
		     b = wide ? ((double *)in[1])[i] : ((float *)in[1])[i];
		real got = wide ? ((double *)in[2])[i] : ((float *)in[2])[i];
		double error = error_of(got, f->one ? f->one(a) : f->two(a, b), wide);
		if (error > worst) {
			worst = error;
			*where = i;
		}
	}
	return worst;
}

int main(int argc, char **argv)
{
	size_t count = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, all = count * FUNCTIONS;
	int check = argc > 3, bad = 0;
	if (!count)
		return 2;
	if (!strcmp(argv[1], "inputs")) {
		inputs(count);
		return 0;
	}
	void *single[3] = {buffer("a32", all * 4, 1), buffer("b32", all * 4, 1), buffer("out32", all * 4, 1)};
	void *wide[3] = {buffer("a64", all * 8, 1), buffer("b64", all * 8, 1), buffer("out64", all * 8, 1)};
	printf("%-10s %22s    %22s\n%-10s %10s %11s    %10s %11s\n", "", "float", "double", "function", "worst ULP",
	       "CUDA's", "worst ULP", "CUDA's");
	for (size_t k = 0; k < FUNCTIONS; k++) {
		const struct function *f = &functions[k];
		size_t at[2] = {0, 0};
		double worst[2] = {(double)worst_of(f, k * count, count, 0, single, &at[0]),
				   (double)worst_of(f, k * count, count, 1, wide, &at[1])};
		printf("%-10s", f->name);
		for (int t = 0; t < 2; t++) {
			/* An error of half an ULP is a correct rounding. */
			int above = worst[t] > (f->bound[t] > 0 ? f->bound[t] : 0.5) + 0.01;
			printf(" %10.2f %11.0f %c ", worst[t], f->bound[t], above ? '*' : ' ');
			bad |= check && above && worst[t] > 16;
			if (above && !check)
				printf("at %.9g", t ? ((double *)wide[0])[at[1]] : (double)((float *)single[0])[at[0]]);
		}
		printf("\n");
	}
	printf("* above CUDA's published bound\n");
	return bad;
}
