/*
 * From a plan to steps. A transform of several dimensions is one along each. A line that does not fit into shared memory
 * is cut in two, n = a b: transforms of a numbers each b apart, factors, transforms of b neighbours, whose results are
 * written a apart; b is cut further if it has to be. Lengths with large primes go through Bluestein's convolution with a
 * power of two. The inverse transform is the forward one with real and imaginary parts swapped on both sides.
 *
 * An even number n of real numbers is transformed as n / 2 pairs, each of which is a complex number. The result's
 * numbers k and n / 2 - k are then combinations of the pairs' transform at k and n / 2 - k, and the way back is alike.
 */
#include <algorithm>

#include "runtime/math/cufft/plan.cuh"

namespace hd_fft {

namespace {

enum { LONGEST = 2 }; /* cuts of a line */

struct builder {
	struct plan &plan;
	std::vector<step> *steps;
	bool failed = false, too_long = false;
	size_t size = 0;	   /* of a complex number */
	int most = 0;		   /* points in a block */
	char *work = nullptr;
	size_t used = 0, peak = 0; /* of work */

	builder(struct plan &plan, std::vector<step> *steps) : plan(plan), steps(steps)
	{
	}
	char *take(size_t count)
	{
		char *place = work + used;
		used += (count * size + 255) / 256 * 256;
		peak = std::max(peak, used);
		return place;
	}
	const void *table(char kind, int64_t n)
	{
		const void *data = table_of(plan, kind, n);
		failed = failed || !data;
		return data;
	}
};

/* Lines to transform: counts and distances, as in a step, with dimension 0 and 1 free for the parts of long ones. */
struct lines {
	unsigned counts[DIMENSIONS] = {1, 1, 1, 1, 1};
	side in, out;
	bool swapped_in = false, swapped_out = false;
};

int64_t number_of(const lines &lines)
{
	int64_t count = 1;
	for (unsigned i : lines.counts)
		count *= i;
	return count;
}

bool is_smooth(int64_t n)
{
	for (int p = 2; p <= LARGEST_PRIME; p++)
		while (n % p == 0)
			n /= p;
	return n == 1;
}

void add_stages(step &step)
{
	static const int first[] = {8, 4, 2, 3, 5, 7};
	int rest = step.n;
	unsigned before = 1;
	auto add = [&](int radix) {
		stage &stage = step.stage_list[step.stages++];
		stage.radix = radix;
		stage.before = before;
		stage.before_inverse = (unsigned)((0xffffffffull + before) / before);
		before *= radix;
		rest /= radix;
	};
	int twos = 0;
	while (!(rest >> twos & 1))
		twos++;
	for (int i = 0; i < 2 && twos >= 4 && twos % 3 == 1; i++)
		add(4); /* 4 x 4 and not 8 x 2 */
	for (int radix : first)
		while (rest % radix == 0)
			add(radix);
	for (int p = 11; p <= LARGEST_PRIME; p += 2)
		while (rest % p == 0)
			add(p);
}

/* Which lanes lie beside each other in memory: those of a line, or the same number of neighbouring lines. */
bool is_across(const step &step, const side &side)
{
	int64_t along = side.step * side.unit;
	for (int d = 0; d < DIMENSIONS; d++)
		if (step.counts[d] > 1) {
			int64_t next = side.line[d] + side.part[d] * side.unit;
			return std::abs(next) < std::abs(along);
		}
	return false;
}

step &begin(builder &builder, const lines &lines)
{
	builder.steps->emplace_back();
	step &step = builder.steps->back();
	std::copy(lines.counts, lines.counts + DIMENSIONS, step.counts);
	step.lines = number_of(lines);
	step.in = lines.in;
	step.out = lines.out;
	step.swapped_in = lines.swapped_in;
	step.swapped_out = lines.swapped_out;
	return step;
}

/* A transform in shared memory. */
step &add_short(builder &builder, const lines &lines, int64_t n)
{
	step &step = begin(builder, lines);
	step.n = (int)n;
	add_stages(step);
	step.roots = builder.table('r', n);
	step.across_in = is_across(step, step.in);
	step.across_out = is_across(step, step.out);
	/* Enough butterflies for the block's threads, and lines beside each other for whole sectors. */
	int64_t fit = std::max<int64_t>(1, builder.most / n), want = divide_up(4 * THREADS, n);
	if (step.across_in || step.across_out)
		want = std::max<int64_t>(want, 8);
	step.block_lines = (int)std::min<int64_t>({fit, want, step.lines, (int64_t)LINES});
	return step;
}

/* The largest divisor that fits, or the one nearest to the square root if the other part fits then, too. */
int64_t first_part(int64_t n, int64_t most)
{
	int64_t best = 1;
	for (int64_t a = 2; a <= most; a++)
		if (n % a == 0 && (a * a <= n || n / best > most))
			best = a;
	return best;
}

void add_smooth(builder &builder, lines given, int64_t n, int depth)
{
	if (n <= builder.most) {
		add_short(builder, given, n);
		return;
	}
	if (depth == LONGEST) {
		builder.too_long = true;
		return;
	}
	int64_t a = first_part(n, builder.most), b = n / a;
	size_t used = builder.used;
	/* Work has a line's numbers beside each other, as they are between the two. */
	side between;
	int64_t distance = n;
	if (depth == 0)
		between.data = builder.take((size_t)(number_of(given) * n));
	else
		between = given.in; /* is work already, which each block reads whole before it writes */
	if (depth == 0) {
		for (int d = 0; d < DIMENSIONS; d++) {
			between.line[d] = distance;
			distance *= given.counts[d];
		}
	}
	lines first = given;
	first.counts[depth] = (unsigned)b;
	first.in.step = given.in.step * b;
	first.in.part[depth] = given.in.step;
	first.in.line[depth] = 0;
	first.out = between;
	first.out.step = b;
	first.out.part[depth] = 1;
	first.out.line[depth] = 0;
	first.swapped_out = false;
	step &step = add_short(builder, first, a);
	step.twiddle_dimension = depth;
	step.low = builder.table('l', n);
	step.high = builder.table('h', n);
	step.low_count = (unsigned)low_count(n);

	lines second = given;
	second.counts[depth] = (unsigned)a;
	second.in = between;
	second.in.step = 1;
	second.in.part[depth] = 0;
	second.in.line[depth] = b;
	second.swapped_in = false;
	second.out.step = given.out.step * a;
	second.out.part[depth] = given.out.step;
	second.out.line[depth] = 0;
	add_smooth(builder, second, b, depth + 1);
	builder.used = used;
}

void add_chirped(builder &builder, const lines &given, int64_t n)
{
	int64_t length = chirp_length(n), distance = length;
	size_t used = builder.used;
	lines middle = given;
	middle.in = side();
	middle.in.data = builder.take((size_t)(number_of(given) * length));
	for (int d = 0; d < DIMENSIONS; d++) {
		middle.in.line[d] = distance;
		distance *= given.counts[d];
	}
	middle.out = middle.in;
	middle.swapped_in = middle.swapped_out = false;
	auto multiply = [&](kind what, const lines &lines, int64_t count, int64_t from, char table, bool in, bool out) {
		const void *factors = builder.table(table, n);
		step &step = begin(builder, lines);
		step.what = what;
		step.length = count;
		step.given = from;
		step.factors = factors;
		step.swapped_in = in;
		step.swapped_out = out;
	};
	lines into = given, from = given;
	into.out = middle.in;
	from.in = middle.in;
	multiply(CHIRP_IN, into, length, n, 'c', given.swapped_in, false);
	add_smooth(builder, middle, length, 0);
	multiply(CONVOLVE, middle, length, length, 't', false, false);
	add_smooth(builder, middle, length, 0);
	multiply(CHIRP_OUT, from, n, n, 'c', false, given.swapped_out);
	builder.used = used;
}

void add_line(builder &builder, const lines &lines, int64_t n)
{
	if (is_smooth(n))
		add_smooth(builder, lines, n, 0);
	else
		add_chirped(builder, lines, n);
}

/* ------------------------------------------------------------ real lines of even length */

/* The side of n / 2 pairs of real numbers: complex numbers if they lie like those. */
void take_pairs(side *side, const unsigned *counts, size_t size)
{
	side->size /= 2;
	bool aligned = side->unit == 1 && (uintptr_t)side->data % size == 0;
	for (int d = 0; d < DIMENSIONS; d++)
		aligned = aligned && (counts[d] == 1 || side->line[d] % 2 == 0);
	side->kind = aligned ? COMPLEX : PAIRS;
	for (int d = 0; aligned && d < DIMENSIONS; d++)
		side->line[d] /= 2;
	if (!aligned) {
		side->second = side->unit;
		side->unit *= 2;
	}
}

void set_fold(builder &builder, step *step, int64_t n)
{
	bool is_short = n <= 2 * builder.most; /* the roots of n are few */
	step->fold_low = builder.table(is_short ? 'r' : 'l', n);
	step->fold_high = is_short ? nullptr : builder.table('h', n);
	step->fold_low_count = (unsigned)low_count(n);
}

void add_real_forward(builder &builder, lines given, int64_t n)
{
	size_t first = builder.steps->size();
	take_pairs(&given.in, given.counts, builder.size);
	given.out.kind = COMPLEX;
	add_line(builder, given, n / 2);
	if (builder.steps->size() == first + 1) {
		step &only = builder.steps->back();
		only.unfolds = true;
		set_fold(builder, &only, n);
		return;
	}
	given.in = given.out; /* the pairs' transform lies where the result will */
	step &last = begin(builder, given);
	last.what = UNFOLD;
	last.given = n / 2;
	last.length = n / 4 + 1;
	set_fold(builder, &last, n);
}

void add_real_inverse(builder &builder, lines given, int64_t n)
{
	size_t first = builder.steps->size();
	given.in.kind = FOLDED;
	given.in.size = n / 2;
	take_pairs(&given.out, given.counts, builder.size);
	add_line(builder, given, n / 2);
	if (builder.steps->size() > first)
		set_fold(builder, &(*builder.steps)[first], n);
}

/* An array with its dimensions' distances, innermost last, in its own numbers. */
struct array {
	void *data = nullptr;
	int64_t apart[3] = {}, batch = 0;
};

/* `last`: how many numbers are in a line of the packed layout. */
array array_of(const plan &plan, const layout &layout, const void *data, int64_t last)
{
	array array;
	array.data = const_cast<void *>(data);
	int64_t distance = layout.given ? layout.stride : 1;
	for (int d = plan.rank - 1; d >= 0; d--) {
		array.apart[d] = distance;
		distance *= layout.given ? layout.embed[d] : d == plan.rank - 1 ? last : plan.n[d];
	}
	array.batch = layout.given ? layout.distance : distance;
	return array;
}

/* All lines along a dimension. `counts`: how many numbers each dimension has, of which the last may be a half. */
lines lines_along(const plan &plan, int along, const array &in, const array &out, const int64_t *counts)
{
	lines lines;
	int to = 2;
	lines.in.data = in.data;
	lines.out.data = out.data;
	lines.in.unit = in.apart[along];
	lines.out.unit = out.apart[along];
	lines.in.size = lines.out.size = plan.n[along];
	for (int d = plan.rank - 1; d >= 0; d--)
		if (d != along) {
			lines.counts[to] = (unsigned)counts[d];
			lines.in.line[to] = in.apart[d];
			lines.out.line[to++] = out.apart[d];
		}
	lines.counts[4] = (unsigned)plan.batch;
	lines.in.line[4] = in.batch;
	lines.out.line[4] = out.batch;
	return lines;
}

} // namespace

cufftResult steps_of(plan &plan, const void *in, void *out, bool in_place, bool inverse, std::vector<step> *steps,
	      size_t *work_bytes)
{
	builder builder(plan, steps);
	bool real_in = plan.is_forward_real(), real_out = plan.is_inverse_real();
	int last = plan.rank - 1;
	int64_t half = plan.n[last] / 2 + 1, counts[3];
	builder.size = plan.is_double() ? sizeof(double2) : sizeof(float2);
	builder.most = POINTS * sizeof(float2) / builder.size;
	builder.work = static_cast<char *>(plan.work);
	std::copy(plan.n, plan.n + 3, counts);
	if (real_in || real_out)
		counts[last] = half;
	/* In place, a line of real numbers has room for the half that becomes of it. */
	int64_t reals = in_place ? 2 * half : plan.n[last];
	array from = array_of(plan, plan.in, in, real_in ? reals : counts[last]);
	array to = array_of(plan, plan.out, out, real_out ? reals : counts[last]);
	auto add = [&](int along, const array &in, const array &out, form in_kind, form out_kind) {
		lines lines = lines_along(plan, along, in, out, counts);
		lines.in.kind = in_kind;
		lines.out.kind = out_kind;
		lines.swapped_in = lines.swapped_out = inverse;
		bool even = plan.n[along] % 2 == 0;
		if (in_kind == REAL && even)
			add_real_forward(builder, lines, plan.n[along]);
		else if (out_kind == REAL && even)
			add_real_inverse(builder, lines, plan.n[along]);
		else
			add_line(builder, lines, plan.n[along]);
	};
	if (!real_out) { /* the last dimension first: it goes from one array to the other, and the rest in place */
		add(last, from, to, real_in ? REAL : COMPLEX, real_in ? HERMITIAN : COMPLEX);
		for (int d = last - 1; d >= 0; d--)
			if (plan.n[d] > 1)
				add(d, to, to, COMPLEX, COMPLEX);
	} else { /* it comes last, and what is before goes on in work: the input stays as it is */
		array middle = from;
		if (plan.rank > 1) {
			int64_t distance = 1;
			for (int d = last; d >= 0; d--) {
				middle.apart[d] = distance;
				distance *= counts[d];
			}
			middle.batch = distance;
			middle.data = builder.take((size_t)(distance * plan.batch));
		}
		for (int d = 0; d < last; d++)
			add(d, d ? middle : from, middle, COMPLEX, COMPLEX);
		add(last, middle, to, HERMITIAN, REAL);
	}
	*work_bytes = std::max(*work_bytes, builder.peak);
	return builder.too_long ? CUFFT_INVALID_SIZE : builder.failed ? CUFFT_ALLOC_FAILED : CUFFT_SUCCESS;
}

} // namespace hd_fft
