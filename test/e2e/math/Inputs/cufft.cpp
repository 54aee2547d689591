// cuFFT beside sums in long double: a transform is computed by its definition along each dimension. The relative error in
// the 2-norm has to stay below some roundings: 4e-7 and 1e-15. What lies between the numbers of a layout must not change.
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

// Names of CUDA 13.
static_assert(CUFFT_MISSING_DEPENDENCY == 17 && CUFFT_NVSHMEM_FAILURE == 20, "NVIDIA's numbers");

typedef std::complex<long double> number;

static void demand(bool right, const char *what, int line)
{
	if (!right) {
		printf("line %d: wrong: %s\n", line, what);
		exit(1);
	}
}
#define DEMAND(x) demand(x, #x, __LINE__)
#define OK(x) demand((x) == CUFFT_SUCCESS, #x, __LINE__)

struct shape {
	int rank, n[3], batch;
	int stride, gap; // between numbers, and behind each line and transform; 1, 0: NULL for the layout
};

static std::vector<int> embed_of(const shape &s, int last)
{
	std::vector<int> embed(s.n, s.n + s.rank);
	embed[s.rank - 1] = last + s.gap;
	for (int d = 0; d + 1 < s.rank; d++)
		embed[d] += s.gap;
	return embed;
}

struct grid {
	std::vector<int> n, embed;
	int stride;
	long distance;

	long total() const
	{
		long count = 1;
		for (int i : n)
			count *= i;
		return count;
	}
	// Where number i of transform b lies.
	long at(long b, long i) const
	{
		long place = 0, scale = 1;
		for (int d = (int)n.size() - 1; d >= 0; d--) {
			place += i % n[d] * scale;
			scale *= embed[d];
			i /= n[d];
		}
		return place * stride + b * distance;
	}
};

static grid grid_of(const shape &s, int last, int packed)
{
	grid g;
	g.n.assign(s.n, s.n + s.rank);
	g.n[s.rank - 1] = last;
	g.stride = s.stride;
	g.embed = embed_of(s, s.gap ? last : packed);
	g.distance = s.stride;
	for (int i : g.embed)
		g.distance *= i;
	g.distance += s.gap;
	return g;
}

// sign * 2 pi i
static void transform(std::vector<number> &x, const int *n, int rank, int sign)
{
	long inner = 1;
	for (int d = rank - 1; d >= 0; d--) {
		std::vector<number> roots(n[d]), line(n[d]);
		for (int k = 0; k < n[d]; k++)
			roots[k] = std::polar(1.0L, sign * 2 * 3.14159265358979323846264338327950288L * k / n[d]);
		for (size_t first = 0; first < x.size(); first++) {
			if (first / inner % n[d])
				continue;
			for (int k = 0; k < n[d]; k++) {
				long double re = 0, im = 0;
				for (long j = 0, at = 0; j < n[d]; j++, at = at + k < n[d] ? at + k : at + k - n[d]) {
					const number &a = x[first + j * inner], &w = roots[at];
					re += a.real() * w.real() - a.imag() * w.imag();
					im += a.real() * w.imag() + a.imag() * w.real();
				}
				line[k] = number(re, im);
			}
			for (int k = 0; k < n[d]; k++)
				x[first + k * inner] = line[k];
		}
		inner *= n[d];
	}
}

template <class R> static cufftType type_of(bool real_in, bool real_out)
{
	bool single = sizeof(R) == 4;
	return real_in ? (single ? CUFFT_R2C : CUFFT_D2Z) : real_out ? (single ? CUFFT_C2R : CUFFT_Z2D) : single ? CUFFT_C2C : CUFFT_Z2Z;
}

template <class R> static void execute(cufftHandle plan, cufftType type, void *in, void *out, int sign)
{
	switch (type) {
	case CUFFT_C2C: OK(cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, sign)); break;
	case CUFFT_Z2Z: OK(cufftExecZ2Z(plan, (cufftDoubleComplex *)in, (cufftDoubleComplex *)out, sign)); break;
	case CUFFT_R2C: OK(cufftExecR2C(plan, (float *)in, (cufftComplex *)out)); break;
	case CUFFT_D2Z: OK(cufftExecD2Z(plan, (double *)in, (cufftDoubleComplex *)out)); break;
	case CUFFT_C2R: OK(cufftExecC2R(plan, (cufftComplex *)in, (float *)out)); break;
	default: OK(cufftExecZ2D(plan, (cufftDoubleComplex *)in, (double *)out)); break;
	}
}

// kind: 'c' complex, 'r' real to complex, 'i' complex to real.
template <class R> static void check(char kind, shape s, bool in_place, int sign)
{
	bool real_in = kind == 'r', real_out = kind == 'i';
	int last = s.n[s.rank - 1], half = last / 2 + 1, reals = in_place ? 2 * half : last;
	grid in = grid_of(s, real_in ? last : real_out ? half : last, real_in ? reals : real_out ? half : last);
	grid out = grid_of(s, real_in ? half : last, real_in ? half : real_out ? reals : last);
	cufftType type = type_of<R>(real_in, real_out);
	sign = real_in ? CUFFT_FORWARD : real_out ? CUFFT_INVERSE : sign;

	// numbers, as the definition has them, and their transforms
	std::mt19937 random(s.n[0] * 31 + s.batch);
	std::uniform_real_distribution<R> uniform(-1, 1);
	std::vector<std::vector<number>> x(s.batch), y;
	long count = 1;
	for (int d = 0; d < s.rank; d++)
		count *= s.n[d];
	for (auto &values : x) {
		for (long i = 0; i < count; i++)
			values.push_back(number(uniform(random), real_in || real_out ? 0 : uniform(random)));
		if (real_out) { // a real result: its own transform is what goes in, rounded
			transform(values, s.n, s.rank, CUFFT_FORWARD);
			for (auto &value : values)
				value = number((R)value.real(), (R)value.imag());
		}
	}
	y = x;
	for (auto &values : y)
		transform(values, s.n, s.rank, sign);

	// one array, with a mark where no number lies
	int in_parts = real_in ? 1 : 2, out_parts = real_out ? 1 : 2;
	size_t in_size = (size_t)(in.distance * s.batch + 8) * in_parts, out_size = (size_t)(out.distance * s.batch + 8) * out_parts;
	if (in_place)
		in_size = out_size = in_size > out_size ? in_size : out_size;
	std::vector<R> before(in_size, 77), after(out_size, 77), kept;
	for (int b = 0; b < s.batch; b++)
		for (long i = 0; i < in.total(); i++) {
			long whole = real_out ? i / half * last + i % half : i;
			before[in.at(b, i) * in_parts] = (R)x[b][whole].real();
			if (!real_in)
				before[in.at(b, i) * in_parts + 1] = (R)x[b][whole].imag();
		}
	R *from, *to;
	DEMAND(cudaMalloc((void **)&from, in_size * sizeof(R)) == cudaSuccess && cudaMalloc((void **)&to, out_size * sizeof(R)) == cudaSuccess);
	cudaMemcpy(from, before.data(), in_size * sizeof(R), cudaMemcpyHostToDevice);
	cudaMemcpy(to, after.data(), out_size * sizeof(R), cudaMemcpyHostToDevice);

	cufftHandle plan;
	std::vector<int> in_embed = in.embed, out_embed = out.embed;
	OK(cufftPlanMany(&plan, s.rank, s.n, s.gap ? in_embed.data() : nullptr, s.stride, (int)in.distance,
			 s.gap ? out_embed.data() : nullptr, s.stride, (int)out.distance, type, s.batch));
	execute<R>(plan, type, from, in_place ? from : to, sign);
	DEMAND(cudaDeviceSynchronize() == cudaSuccess);
	OK(cufftDestroy(plan));
	cudaMemcpy(after.data(), in_place ? from : to, out_size * sizeof(R), cudaMemcpyDeviceToHost);
	if (!in_place) { // what went in stays
		kept.resize(in_size);
		cudaMemcpy(kept.data(), from, in_size * sizeof(R), cudaMemcpyDeviceToHost);
		DEMAND(kept == before);
	}
	cudaFree(from);
	cudaFree(to);

	long double wrong = 0, size = 0;
	for (int b = 0; b < s.batch; b++)
		for (long i = 0; i < out.total(); i++) {
			long whole = real_in ? i / half * last + i % half : i, place = out.at(b, i) * out_parts;
			number right = y[b][whole];
			number got(after[place], real_out ? 0 : after[place + 1]);
			wrong += std::norm(got - (real_out ? number(right.real(), 0) : right));
			size += std::norm(right);
			after[place] = 77;
			if (!real_out)
				after[place + 1] = 77;
		}
	long double error = sqrtl(wrong / size), bound = sizeof(R) == 4 ? 4e-7L : 1e-15L;
	bool marked = true;
	if (!in_place)
		for (R value : after)
			marked = marked && value == 77;
	if (!(error <= bound) || !marked) {
		printf("%s %c %d x %d x %d (rank %d), batch %d, stride %d, gap %d%s, sign %d: error %.3Lg%s\n",
		       sizeof(R) == 4 ? "float" : "double", kind, s.n[0], s.n[1], s.n[2], s.rank, s.batch, s.stride, s.gap,
		       in_place ? ", in place" : "", sign, error, marked ? "" : ", and wrote beside it");
		exit(1);
	}
	if (getenv("CUFFT_ERRORS"))
		printf("%s %c %d x %d x %d: %.3Lg\n", sizeof(R) == 4 ? "float" : "double", kind, s.n[0], s.n[1], s.n[2], error);
}

static void check_calls()
{
	cufftHandle plan, other;
	size_t bytes = 0, same = 1;
	int n[] = {4, 6, 0, 8}, version, part;
	float2 values[16] = {}, *data;
	void *work;
	OK(cufftGetVersion(&version));
	OK(cufftGetProperty(MAJOR_VERSION, &part));
	DEMAND(version / 1000 == part);
	DEMAND(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE && cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE);
	DEMAND(cufftPlan1d(&plan, 8, (cufftType)7, 1) == CUFFT_INVALID_TYPE);
	DEMAND(cufftPlanMany(&plan, 4, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
	DEMAND(cufftPlanMany(&plan, 3, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
	DEMAND(cufftExecC2C(99, values, values, CUFFT_FORWARD) == CUFFT_INVALID_PLAN && cufftDestroy(99) == CUFFT_INVALID_PLAN);
	cudaMalloc((void **)&data, sizeof values);
	values[1].x = 1;
	cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice);
	OK(cufftCreate(&plan));
	DEMAND(cufftExecC2C(plan, data, data, CUFFT_FORWARD) == CUFFT_INVALID_PLAN);
	OK(cufftSetAutoAllocation(plan, 0));
	OK(cufftMakePlan1d(plan, 4, CUFFT_C2C, 4, &bytes));
	OK(cufftGetSize(plan, &same));
	DEMAND(bytes == same && bytes == 0);
	DEMAND(cufftMakePlan1d(plan, 4, CUFFT_C2C, 4, &bytes) == CUFFT_INVALID_PLAN);
	DEMAND(cufftExecC2C(plan, data, data, 0) == CUFFT_INVALID_VALUE && cufftExecC2C(plan, nullptr, data, CUFFT_FORWARD) == CUFFT_INVALID_VALUE);
	DEMAND(cufftExecR2C(plan, (float *)data, data) == CUFFT_INVALID_TYPE);
	DEMAND(cufftXtSetCallback(plan, nullptr, CUFFT_CB_LD_COMPLEX, nullptr) == CUFFT_NOT_IMPLEMENTED);
	cudaStream_t stream;
	cudaStreamCreate(&stream);
	OK(cufftSetStream(plan, stream));
	OK(cufftXtExec(plan, data, data, CUFFT_INVERSE)); // exp(2 pi i k / 4): 1, i, -1, -i, without any rounding
	cudaMemcpyAsync(values, data, sizeof values, cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(stream);
	DEMAND(values[0].x == 1 && values[1].y == 1 && values[2].x == -1 && values[3].y == -1 && values[1].x == 0 && values[5].x == 0);
	OK(cufftCreate(&other));
	OK(cufftSetAutoAllocation(other, 0));
	OK(cufftMakePlan1d(other, 37, CUFFT_C2C, 1, &bytes)); // a convolution of 128 numbers in memory of the program's
	DEMAND(other != plan && bytes == 128 * sizeof(float2));
	float2 *line;
	cudaMalloc((void **)&line, 37 * sizeof(float2));
	DEMAND(cufftExecC2C(other, line, line, CUFFT_FORWARD) == CUFFT_NO_WORKSPACE);
	cudaMalloc(&work, bytes);
	OK(cufftSetWorkArea(other, work));
	OK(cufftExecC2C(other, line, line, CUFFT_FORWARD));
	DEMAND(cudaDeviceSynchronize() == cudaSuccess);
	long long size = 16;
	OK(cufftCreate(&other));
	DEMAND(cufftXtMakePlanMany(other, 1, &size, nullptr, 1, 0, CUDA_C_16F, nullptr, 1, 0, CUDA_C_16F, 1, &bytes, CUDA_C_16F) == CUFFT_NOT_SUPPORTED);
	OK(cufftXtMakePlanMany(other, 1, &size, nullptr, 1, 0, CUDA_R_64F, nullptr, 1, 0, CUDA_C_64F, 1, &bytes, CUDA_C_64F));
	OK(cufftDestroy(plan));
	DEMAND(cufftDestroy(plan) == CUFFT_INVALID_PLAN);
}

// A size asked for before a plan is made, by each of the calls, is that of the plan; plans made by a call for their rank.
static void check_sizes()
{
	int n[3] = {37, 12, 26};
	size_t guess, asked, made, kept;
	for (int rank = 1; rank <= 3; rank++)
		for (cufftType type : {CUFFT_C2C, CUFFT_R2C, CUFFT_Z2D}) {
			cufftHandle plan, many;
			OK(cufftCreate(&plan));
			OK(cufftCreate(&many));
			OK(cufftSetAutoAllocation(plan, 0));
			OK(cufftSetAutoAllocation(many, 0));
			if (rank == 1) {
				OK(cufftEstimate1d(n[0], type, 1, &guess));
				OK(cufftGetSize1d(plan, n[0], type, 1, &asked));
				OK(cufftMakePlan1d(plan, n[0], type, 1, &made));
			} else if (rank == 2) {
				OK(cufftEstimate2d(n[0], n[1], type, &guess));
				OK(cufftGetSize2d(plan, n[0], n[1], type, &asked));
				OK(cufftMakePlan2d(plan, n[0], n[1], type, &made));
			} else {
				OK(cufftEstimate3d(n[0], n[1], n[2], type, &guess));
				OK(cufftGetSize3d(plan, n[0], n[1], n[2], type, &asked));
				OK(cufftMakePlan3d(plan, n[0], n[1], n[2], type, &made));
			}
			OK(cufftGetSize(plan, &kept));
			DEMAND(guess == made && asked == made && kept == made && made > 0);
			OK(cufftEstimateMany(rank, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, &guess));
			OK(cufftGetSizeMany(many, rank, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, &asked));
			OK(cufftMakePlanMany(many, rank, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, &kept));
			DEMAND(guess == made && asked == made && kept == made);
			if (type == CUFFT_C2C) { // both plans make the same of the same numbers, and back
				int count = n[0] * (rank > 1 ? n[1] : 1) * (rank > 2 ? n[2] : 1);
				std::vector<float2> in(count), first(count), second(count);
				for (int i = 0; i < count; i++)
					in[i] = {float(i % 7), float(i % 5)};
				float2 *data, *other;
				void *work;
				cudaMalloc((void **)&data, count * sizeof *data);
				cudaMalloc((void **)&other, count * sizeof *other);
				cudaMalloc(&work, made);
				OK(cufftSetWorkArea(plan, work));
				OK(cufftSetWorkArea(many, work));
				cudaMemcpy(data, in.data(), count * sizeof *data, cudaMemcpyHostToDevice);
				OK(cufftExecC2C(plan, data, other, CUFFT_FORWARD));
				cudaMemcpy(first.data(), other, count * sizeof *data, cudaMemcpyDeviceToHost);
				OK(cufftExecC2C(many, data, data, CUFFT_FORWARD));
				cudaMemcpy(second.data(), data, count * sizeof *data, cudaMemcpyDeviceToHost);
				DEMAND(!memcmp(first.data(), second.data(), count * sizeof *data));
				OK(cufftExecC2C(plan, other, other, CUFFT_INVERSE));
				cudaMemcpy(first.data(), other, count * sizeof *data, cudaMemcpyDeviceToHost);
				for (int i = 0; i < count; i++)
					DEMAND(fabsf(first[i].x / count - in[i].x) < 1e-4f && fabsf(first[i].y / count - in[i].y) < 1e-4f);
				cudaFree(data);
				cudaFree(other);
				cudaFree(work);
			}
			OK(cufftDestroy(plan));
			OK(cufftDestroy(many));
		}
	cufftHandle none = 12345;
	DEMAND(cufftGetSize1d(none, 8, CUFFT_C2C, 1, &made) == CUFFT_INVALID_PLAN && cufftEstimate1d(8, CUFFT_C2C, 1, nullptr) == CUFFT_INVALID_VALUE);
	DEMAND(cufftEstimate2d(0, 8, CUFFT_C2C, &made) == CUFFT_INVALID_SIZE);
}

int main(int argc, char **)
{
	check_calls();
	check_sizes();
	// each radix and a mixture; a prime with a stage of its own; a convolution
	for (int n : {1, 2, 8, 12, 35, 13, 37})
		check<float>('c', {1, {n, 0, 0}, 3, 1, 0}, n % 2, n % 4 < 2 ? CUFFT_FORWARD : CUFFT_INVERSE);
	check<double>('c', {1, {1680, 0, 0}, 1, 1, 0}, true, CUFFT_INVERSE); // in two parts: 40 x 42
	check<double>('c', {1, {67, 0, 0}, 2, 3, 1}, false, CUFFT_INVERSE);
	for (int in_place : {0, 1}) {
		check<float>('r', {1, {9, 0, 0}, 3, 1, 0}, in_place, 0);
		check<double>('i', {1, {10, 0, 0}, 3, 1, 0}, in_place, 0);
		check<float>('r', {3, {3, 4, 6}, 2, 1, 0}, in_place, 0);
		check<float>('i', {3, {4, 3, 5}, 2, 1, 0}, in_place, 0);
	}
	check<float>('c', {2, {6, 10, 0}, 2, 2, 3}, false, CUFFT_FORWARD);
	check<float>('r', {2, {5, 7, 0}, 2, 2, 3}, false, 0);
	check<double>('i', {2, {5, 8, 0}, 2, 2, 3}, false, 0);
	check<double>('r', {2, {3, 6, 0}, 2, 2, 3}, false, 0); // pairs that do not lie like a complex number
	for (int in_place : {0, 1}) { // 37 pairs: a step of their own makes the result of their transform
		check<float>('r', {1, {74, 0, 0}, 2, 1, 0}, in_place, 0);
		check<float>('i', {1, {74, 0, 0}, 2, 1, 0}, in_place, 0);
	}
	if (argc > 1) {
		for (int n = 2; n <= 70; n++) {
			check<float>('c', {1, {n, 0, 0}, n % 5 + 1, 1, 0}, n % 2, n % 4 < 2 ? CUFFT_FORWARD : CUFFT_INVERSE);
			check<double>('c', {1, {n, 0, 0}, n % 5 + 1, 1 + n % 2, n % 2}, false, CUFFT_FORWARD);
			check<float>('r', {1, {n, 0, 0}, 4, 1, 0}, n % 3 == 0, 0);
			check<double>('i', {1, {n, 0, 0}, 4, 1, 0}, n % 3 == 0, 0);
		}
		for (int n : {96, 243, 256, 625, 1000, 1024, 1031, 2048, 2401, 4096, 4199, 6561, 10007, 16384})
			for (int in_place : {0, 1}) {
				check<float>('c', {1, {n, 0, 0}, 1, 1, 0}, in_place, CUFFT_FORWARD);
				check<double>('r', {1, {n, 0, 0}, 1, 1, 0}, in_place, 0);
				check<float>('i', {1, {n, 0, 0}, 1, 1, 0}, in_place, 0);
			}
		check<float>('c', {2, {17, 3000, 0}, 1, 1, 0}, true, CUFFT_INVERSE);
		check<float>('r', {3, {20, 31, 33}, 2, 1, 0}, true, 0);
		check<double>('c', {3, {41, 1, 12}, 3, 2, 1}, false, CUFFT_FORWARD);
	}
	printf("cufft: PASSED\n");
}
