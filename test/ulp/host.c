/*
 * ulp inputs COUNT: writes a32 b32 a64 b64, the arguments of functions.def's functions, COUNT of each.
 * ulp table COUNT [check]: reads them and out32, out64, and prints each function's worst error beside CUDA's bound.
 *
 * Two figures a type: the distance to the exact result, and as CUDA's tables count, the distance to the correctly
 * rounded one. `check`: exit status 1 when the second is above the bound.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

enum { FLOAT_ONLY = 1, ABSOLUTE = 2 };
struct function {
	const char *name;
	double low, high, bound[2];
	int kind;
};
static const struct function functions[] = {
#define ULP(label, low, high, f32, f64, device, reference) {#label, low, high, {f32, f64}, 0},
#define FAR(label, low, high, f32, f64, device, reference) {#label, low, high, {f32, f64}, ABSOLUTE},
#define FAST(label, low, high, f32, device, reference) {#label, low, high, {f32, 0}, FLOAT_ONLY},
#define NEAR(label, low, high, f32, device, reference) {#label, low, high, {f32, 0}, FLOAT_ONLY | ABSOLUTE},
#include "functions.def"
#undef ULP
#undef FAR
#undef FAST
#undef NEAR
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static real reference(size_t function, real a, real b, real c, int i)
{
#define ULP(label, low, high, f32, f64, device, reference) \
	__extension__({                                    \
		if (number++ == function)                  \
			return (reference);                \
	});
#define FAR ULP
#define FAST(label, low, high, f32, device, reference) ULP(, , , , , , reference)
#define NEAR FAST
	size_t number = 0;
#include "functions.def"
	return NAN;
}

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

struct error {
	double exact, rounded; /* in ULP or absolute: to the reference, and to the reference as a number of the type */
	size_t where;
};

/* Distance in units of the last place of the reference, which is at least the smallest denormal. */
static double distance(real got, real wanted, int wide)
{
	int digits = wide ? 53 : 24, lowest = wide ? -1074 : -149, exponent;
	real largest = wide ? 0x1.fffffffffffff8p1023L : 0x1.ffffffp127L;
	if (isnan(got) || isnan(wanted))
		return isnan(got) && isnan(wanted) ? 0 : INFINITY;
	if (isinf(got) || isinf(wanted))
		return got == wanted || (isinf(got) && fabsl(wanted) >= largest && got * wanted > 0) ? 0 : INFINITY;
	frexpl(wanted, &exponent);
	exponent = wanted == 0 || exponent - digits < lowest ? lowest : exponent - digits;
	return (double)ldexpl(fabsl(got - wanted), -exponent);
}

static struct error worst_of(size_t function, size_t count, int wide, void *const in[3])
{
	struct error worst = {0, 0, function * count};
	int absolute = functions[function].kind & ABSOLUTE;
	const float *f[3] = {in[0], in[1], in[2]};
	const double *d[3] = {in[0], in[1], in[2]};
#define PICK(k, at) (wide ? (real)d[k][at] : (real)f[k][at])
	for (size_t i = 0; i < count; i++) {
		size_t at = function * count + i;
		real got = PICK(2, at), wanted = reference(function, PICK(0, at), PICK(1, at), PICK(1, at ^ 1), (int)i);
		double exact = absolute ? (double)fabsl(got - wanted) : distance(got, wanted, wide);
		double rounded = exact;
		/* The reference is rounded twice, so that half an ULP may come out as a whole one. */
		if (!absolute)
			rounded = exact <= 0.501
					  ? 0
					  : distance(got, wide ? (real)(double)wanted : (real)(float)wanted, wide);
		if (exact > worst.exact || isnan(exact))
			worst.where = at;
		worst.exact = exact > worst.exact || isnan(exact) ? exact : worst.exact;
		worst.rounded = rounded > worst.rounded || isnan(rounded) ? rounded : worst.rounded;
	}
	return worst;
}

static int print_type(const struct function *f, const struct error *worst, int wide, void *const in[3], int check)
{
	int above = !(worst->rounded <= f->bound[wide]);
	if (wide && f->kind & FLOAT_ONLY)
		return 0;
	if (f->kind & ABSOLUTE)
		printf("  %10.2g %8s %8.2g%c", worst->exact, "", f->bound[wide], above ? '*' : ' ');
	else
		printf("  %10.2f %8.0f %8.0f%c", worst->exact, worst->rounded, f->bound[wide], above ? '*' : ' ');
	if (above || !check) {
		size_t at = worst->where;
		printf(" %-12.7g", wide ? ((double *)in[0])[at] : (double)((float *)in[0])[at]);
	}
	return above;
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
	printf("%zu arguments a function; worst error to the exact result, to the correctly rounded one, CUDA's bound "
	       "on "
	       "that%s\n%-16s %s\n%-16s",
	       count, check ? "" : ", worst argument", "",
	       check ? "  float                            double"
		     : "  float                                         double",
	       "function");
	for (int type = 0; type < 2; type++)
		printf("  %10s %8s %8s %*s", "exact", "rounded", "CUDA", check ? 0 : 13, "");
	printf("\n");
	for (size_t k = 0; k < FUNCTIONS; k++) {
		struct error worst[2] = {worst_of(k, count, 0, single), worst_of(k, count, 1, wide)};
		printf("%-16s", functions[k].name);
		bad |= print_type(&functions[k], &worst[0], 0, single, check);
		bad |= print_type(&functions[k], &worst[1], 1, wide, check);
		printf("\n");
	}
	printf("%s\n", bad ? "* above CUDA's bound" : "all within CUDA's bounds");
	return check && bad;
}
