/*
 * decoder: a small transformer language model with int4 weights writes tokens, one after the other, as an assistant on
 * one card does. Each step reads all weights for one token, so most of the work is matrix-vector products, and few bits
 * per weight make them fast. Weights are random: the tokens mean nothing, but each depends on all before it.
 *
 * A step: embedding; in each layer RMSNorm, queries, keys and values, rotary embedding, attention to all positions so
 * far, RMSNorm, SwiGLU; then RMSNorm and logits. The largest logit is the next token, which stays on the device.
 *
 * The host computes all of it again, and everything must be equal: quantised activations, cache, logits, tokens. A
 * tolerance would not do: a difference in the last place can round an activation to the next integer, and that can end
 * in another token. So both sides add in one order, and the exponential is written out instead of called from two
 * libraries. Only the cosines and sines of positions come from one, and both sides read them from a table.
 */
#include "../grids/grids.h"
#include <cuda_fp16.h>

#define GROUP 32     /* values that share a scale, of weights and of activations: those of a warp */
#define WORDS 4	     /* of eight int4 weights, in a group */
#define HEAD 64	     /* elements of an attention head */
#define WARPS 4	     /* of a block of the matrix-vector product, with a row each */
#define NORM 256     /* threads that normalise */
#define CHOOSERS 256 /* threads that look for the largest logit */
#define PROMPT 3     /* tokens that the model is given */
#define ALL 0xffffffffu

/*
 * Int4 weights, each 0 to 15 for -8 to 7. Word w of a group has values 4w to 4w + 3 in the low halves of its bytes and
 * 16 + 4w to 16 + 4w + 3 in the high ones: one mask, and one shift, give the four bytes that dp4a takes.
 */
struct Matrix {
	int rows, columns;
	unsigned *words; /* rows x columns / 8 */
	__half *scales;	 /* rows x columns / GROUP */
};

/* Int8 activations; each group has its scale and the sum of its integers. */
struct Quantised {
	signed char *values;
	float *scales;
	int *sums;
};

struct Layer {
	Matrix qkv, output, gate_up, down;     /* queries, keys and values are one matrix; so are gate and up */
	float *before_attention, *before_gate; /* gains of the norms */
};

struct Model {
	int layers, heads, width, hidden, vocabulary, positions;
	Matrix embedding, logits;
	Layer *layer;
	float *gain;
	float2 *turns; /* positions x HEAD / 2: cosine and sine */
};

/* What a run computes. Activations and logits of all steps are kept, to be compared; a server would reuse a buffer. */
struct State {
	int *tokens;	       /* positions + 1 */
	float *x, *qkv, *up;   /* of one step: the residual stream, 3 width, 2 hidden */
	Quantised quantised;   /* positions x activations_of(model) */
	__half *keys, *values; /* layers x positions x width */
	float *logits;	       /* positions x vocabulary */
};

/* Activations of a layer: two norms and the attention's output of `width` each, and the gated ones. */
BOTH int activations_of_layer(const Model &m)
{
	return 3 * m.width + m.hidden;
}

BOTH int activations_of(const Model &m)
{
	return m.layers * activations_of_layer(m) + m.width;
}

BOTH Quantised from(Quantised q, size_t at)
{
	return {q.values + at, q.scales + at / GROUP, q.sums + at / GROUP};
}

/* A weight as it is stored, 0 to 15. */
BOTH int stored(const Matrix &m, int row, int column)
{
	unsigned word = m.words[((size_t)row * m.columns + column) / GROUP * WORDS + column % 16 / 4];
	return word >> (column % 4 * 8 + column % GROUP / 16 * 4) & 15;
}

BOTH float weight(const Matrix &m, int row, int column)
{
	float scale = __half2float(m.scales[((size_t)row * m.columns + column) / GROUP]);
	return scale * (float)(stored(m, row, column) - 8);
}

/* e to the x, within 4e-6 of it up to 80: two to a whole number, times Taylor's polynomial for the rest. */
BOTH float exponential(float x)
{
	float twos = fminf(fmaxf(x * 1.44269504f, -126.0f), 126.0f), whole = rintf(twos), rest = twos - whole;
	float power = 1.54035304e-4f;
	power = fmaf(power, rest, 1.33335581e-3f);
	power = fmaf(power, rest, 9.61812911e-3f);
	power = fmaf(power, rest, 5.55041087e-2f);
	power = fmaf(power, rest, 2.40226507e-1f);
	power = fmaf(power, rest, 6.93147181e-1f);
	return ldexpf(fmaf(power, rest, 1.0f), (int)whole);
}

BOTH float gated(float gate, float up)
{
	return gate / (1.0f + exponential(-gate)) * up;
}

/* Element `first` of a pair, or its second, turned by the pair's angle. */
BOTH float turned(float a, float b, float2 turn, bool first)
{
	return first ? fmaf(a, turn.x, -(b * turn.y)) : fmaf(a, turn.y, b * turn.x);
}

BOTH float inverse_of_mean(float squares, int n)
{
	return 1.0f / sqrtf(squares / (float)n + 1e-5f);
}

/* The integer of a value in a group whose largest magnitude is `most`. */
BOTH int rounded(float value, float most)
{
	return most > 0 ? (int)rintf(value * (127.0f / most)) : 0;
}

/* The device's half. */

template <typename T> __device__ T warp_sum(T value)
{
	for (int far = 16; far; far /= 2)
		value += __shfl_xor_sync(ALL, value, far);
	return value;
}

__device__ float warp_most(float value)
{
	for (int far = 16; far; far /= 2)
		value = fmaxf(value, __shfl_xor_sync(ALL, value, far));
	return value;
}

/* Quantises the warp's group; `at` is the thread's own place, and all threads of the warp must be there. */
__device__ void quantise(float value, Quantised to, int at)
{
	float most = warp_most(fabsf(value));
	int integer = rounded(value, most), sum = warp_sum(integer);
	to.values[at] = (signed char)integer;
	if (at % GROUP == 0) {
		to.scales[at / GROUP] = most / 127.0f;
		to.sums[at / GROUP] = sum;
	}
}

__global__ void embed(Matrix embedding, const int *token, float *x)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	x[i] = weight(embedding, *token, i);
}

/* One block: a step has one vector to normalise, and its sum of squares is needed before the first result. */
__global__ void __launch_bounds__(NORM) normalise(const float *x, const float *gain, int width, Quantised to)
{
	__shared__ float parts[NORM / 32];
	float squares = 0;
	for (int i = threadIdx.x; i < width; i += NORM)
		squares = fmaf(x[i], x[i], squares);
	squares = warp_sum(squares);
	if (threadIdx.x % 32 == 0)
		parts[threadIdx.x / 32] = squares;
	__syncthreads();
	squares = 0;
	for (int warp = 0; warp < NORM / 32; warp++)
		squares += parts[warp];
	float inverse = inverse_of_mean(squares, width);
	for (int i = threadIdx.x; i < width; i += NORM)
		quantise(x[i] * inverse * gain[i], to, i);
}

/*
 * y = M x, or y + M x for the residual stream. A warp has a row, and four of its threads a group, with a word of eight
 * weights each: neighbours read neighbouring words. Weights are stored 8 too large; the first of the four threads
 * subtracts eight times the sum of the group's activations, which costs less than to subtract 8 from each weight.
 */
template <bool ADD> __global__ void __launch_bounds__(32 * WARPS) multiply(Matrix m, Quantised x, float *y)
{
	int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32, word = lane % WORDS;
	int groups = m.columns / GROUP;
	if (row >= m.rows)
		return;
	const unsigned *words = m.words + (size_t)row * groups * WORDS;
	const __half *scales = m.scales + (size_t)row * groups;
	const int *values = (const int *)x.values; /* four per word */
	float sum = 0;
	for (int group = lane / WORDS; group < groups; group += 32 / WORDS) {
		unsigned weights = words[group * WORDS + word];
		int low = weights & 0x0f0f0f0f, high = weights >> 4 & 0x0f0f0f0f;
		int product = word == 0 ? -8 * x.sums[group] : 0;
		product = __dp4a(low, values[group * 8 + word], product);
		product = __dp4a(high, values[group * 8 + 4 + word], product);
		sum = fmaf(__half2float(scales[group]) * x.scales[group], (float)product, sum);
	}
	sum = warp_sum(sum);
	if (lane == 0)
		y[row] = ADD ? y[row] + sum : sum;
}

/* Turns queries and keys by their position, and caches keys and values. A thread has two elements, HEAD / 2 apart. */
__global__ void rotate(float *qkv, const float2 *turns, int width, __half *keys, __half *values)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, pair = i % (HEAD / 2);
	int a = i / (HEAD / 2) * HEAD + pair, b = a + HEAD / 2;
	float2 turn = turns[pair];
	float query[] = {qkv[a], qkv[b]}, key[] = {qkv[width + a], qkv[width + b]};
	qkv[a] = turned(query[0], query[1], turn, true);
	qkv[b] = turned(query[0], query[1], turn, false);
	keys[a] = __float2half(turned(key[0], key[1], turn, true));
	keys[b] = __float2half(turned(key[0], key[1], turn, false));
	values[a] = __float2half(qkv[2 * width + a]);
	values[b] = __float2half(qkv[2 * width + b]);
}

/* A block has a head: its warps share the positions, then its threads have an element of the result each. */
__global__ void __launch_bounds__(HEAD) attend(const float *query, const __half *keys, const __half *values, int width,
					       int positions, Quantised to)
{
	extern __shared__ float weights[]; /* positions */
	__shared__ float total;
	int head = blockIdx.x * HEAD, lane = threadIdx.x % 32;
	float low = query[head + lane], high = query[head + lane + 32];
	for (int t = threadIdx.x / 32; t < positions; t += HEAD / 32) {
		const __half *key = keys + (size_t)t * width + head;
		float score = warp_sum(fmaf(high, __half2float(key[lane + 32]), low * __half2float(key[lane])));
		if (lane == 0)
			weights[t] = score * 0.125f; /* 1 / sqrt(HEAD) */
	}
	__syncthreads();
	if (threadIdx.x < 32) {
		float most = -INFINITY, sum = 0;
		for (int t = lane; t < positions; t += 32)
			most = fmaxf(most, weights[t]);
		most = warp_most(most); /* subtracted, so that no power overflows */
		for (int t = lane; t < positions; t += 32)
			sum += weights[t] = exponential(weights[t] - most);
		sum = warp_sum(sum);
		if (lane == 0)
			total = sum;
	}
	__syncthreads();
	int own = head + threadIdx.x;
	float sum = 0;
	for (int t = 0; t < positions; t++)
		sum = fmaf(weights[t], __half2float(values[(size_t)t * width + own]), sum);
	quantise(sum / total, to, own);
}

__global__ void gate(const float *up, int hidden, Quantised to)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	quantise(gated(up[i], up[hidden + i]), to, i);
}

/* Of equal logits the first one: a result that depends on the order of threads could not be compared. */
__device__ void take(float value, int at, float *best, int *where)
{
	if (value > *best || (value == *best && at < *where)) {
		*best = value;
		*where = at;
	}
}

__global__ void __launch_bounds__(CHOOSERS) choose(const float *logits, int vocabulary, int *token)
{
	__shared__ float values[CHOOSERS / 32];
	__shared__ int places[CHOOSERS / 32];
	float best = -INFINITY;
	int where = vocabulary;
	for (int i = threadIdx.x; i < vocabulary; i += CHOOSERS)
		take(logits[i], i, &best, &where);
	for (int far = 16; far; far /= 2)
		take(__shfl_xor_sync(ALL, best, far), __shfl_xor_sync(ALL, where, far), &best, &where);
	if (threadIdx.x % 32 == 0) {
		values[threadIdx.x / 32] = best;
		places[threadIdx.x / 32] = where;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int warp = 1; warp < CHOOSERS / 32; warp++)
			take(values[warp], places[warp], &best, &where);
		*token = where;
	}
}

template <bool ADD> static void launch_multiply(const Matrix &m, Quantised x, float *y)
{
	multiply<ADD><<<blocks_for(m.rows, WARPS), 32 * WARPS>>>(m, x, y);
}

/* Step `at` on the device. Nothing waits here: the next step finds its token in device memory. */
static void device_step(const Model &m, const State &s, int at)
{
	Quantised q = from(s.quantised, (size_t)at * activations_of(m));
	embed<<<m.heads, HEAD>>>(m.embedding, s.tokens + at, s.x);
	for (int l = 0; l < m.layers; l++) {
		const Layer &layer = m.layer[l];
		__half *keys = s.keys + (size_t)l * m.positions * m.width;
		__half *values = s.values + (size_t)l * m.positions * m.width;
		Quantised attended = from(q, m.width), second = from(q, 2 * m.width), inner = from(q, 3 * m.width);
		normalise<<<1, NORM>>>(s.x, layer.before_attention, m.width, q);
		launch_multiply<false>(layer.qkv, q, s.qkv);
		rotate<<<m.heads, HEAD / 2>>>(s.qkv, m.turns + at * (HEAD / 2), m.width, keys + (size_t)at * m.width,
					      values + (size_t)at * m.width);
		attend<<<m.heads, HEAD, (at + 1) * sizeof(float)>>>(s.qkv, keys, values, m.width, at + 1, attended);
		launch_multiply<true>(layer.output, attended, s.x);
		normalise<<<1, NORM>>>(s.x, layer.before_gate, m.width, second);
		launch_multiply<false>(layer.gate_up, second, s.up);
		gate<<<m.hidden / HEAD, HEAD>>>(s.up, m.hidden, inner);
		launch_multiply<true>(layer.down, inner, s.x);
		q = from(q, activations_of_layer(m));
	}
	if (at + 1 >= PROMPT) { /* inside the prompt, the next token is known */
		float *logits = s.logits + (size_t)at * m.vocabulary;
		normalise<<<1, NORM>>>(s.x, m.gain, m.width, q);
		launch_multiply<false>(m.logits, q, logits);
		choose<<<1, CHOOSERS>>>(logits, m.vocabulary, s.tokens + at + 1);
	}
	CHECK(cudaGetLastError());
}

/* The host's half: plain loops, with sums in the order of the device. */

/* The sum of a warp's 32 values, halves onto halves as warp_sum adds them. */
static float sum_of_lanes(float *lanes)
{
	for (int far = 16; far; far /= 2)
		for (int i = 0; i < far; i++)
			lanes[i] += lanes[i + far];
	return lanes[0];
}

static void host_quantise(const float *x, int n, Quantised to)
{
	for (int group = 0; group < n / GROUP; group++) {
		float most = 0;
		for (int i = group * GROUP; i < (group + 1) * GROUP; i++)
			most = fmaxf(most, fabsf(x[i]));
		to.scales[group] = most / 127.0f;
		for (int i = group * GROUP; i < (group + 1) * GROUP; i++)
			to.sums[group] += to.values[i] = (signed char)rounded(x[i], most);
	}
}

static void host_normalise(const float *x, const float *gain, int width, float *y, Quantised to)
{
	float threads[NORM] = {}, squares = 0;
	for (int i = 0; i < width; i++)
		threads[i % NORM] = fmaf(x[i], x[i], threads[i % NORM]);
	for (int warp = 0; warp < NORM / 32; warp++)
		squares += sum_of_lanes(threads + warp * 32);
	for (int i = 0; i < width; i++)
		y[i] = x[i] * inverse_of_mean(squares, width) * gain[i];
	host_quantise(y, width, to);
}

static float host_product(const Matrix &m, int row, Quantised x)
{
	float lanes[32] = {};
	for (int group = 0; group < m.columns / GROUP; group++) {
		int products[WORDS] = {-8 * x.sums[group]};
		for (int i = 0; i < GROUP; i++)
			products[i % 16 / 4] += stored(m, row, group * GROUP + i) * x.values[group * GROUP + i];
		float scale = __half2float(m.scales[(size_t)row * (m.columns / GROUP) + group]) * x.scales[group];
		for (int word = 0; word < WORDS; word++) {
			float *lane = &lanes[group * WORDS % 32 + word];
			*lane = fmaf(scale, (float)products[word], *lane);
		}
	}
	return sum_of_lanes(lanes);
}

static void host_multiply(const Matrix &m, Quantised x, float *y, bool add)
{
	for (int row = 0; row < m.rows; row++)
		y[row] = add ? y[row] + host_product(m, row, x) : host_product(m, row, x);
}

static void host_rotate(const Model &m, int at, float *qkv, __half *keys, __half *values)
{
	for (int i = 0; i < 2 * m.width; i++) /* queries, then keys */
		if (i % HEAD < HEAD / 2) {
			float a = qkv[i], b = qkv[i + HEAD / 2];
			float2 turn = m.turns[at * (HEAD / 2) + i % HEAD];
			qkv[i] = turned(a, b, turn, true);
			qkv[i + HEAD / 2] = turned(a, b, turn, false);
		}
	for (int i = 0; i < m.width; i++) {
		keys[i] = __float2half(qkv[m.width + i]);
		values[i] = __float2half(qkv[2 * m.width + i]);
	}
}

static void host_attend(const Model &m, int positions, const float *query, const __half *keys, const __half *values,
			float *weights, float *y)
{
	for (int head = 0; head < m.width; head += HEAD) {
		float most = -INFINITY, sums[32] = {};
		for (int t = 0; t < positions; t++) {
			const __half *key = keys + (size_t)t * m.width + head;
			float lanes[32];
			for (int i = 0; i < 32; i++)
				lanes[i] = fmaf(query[head + i + 32], __half2float(key[i + 32]),
						query[head + i] * __half2float(key[i]));
			weights[t] = sum_of_lanes(lanes) * 0.125f;
			most = fmaxf(most, weights[t]);
		}
		for (int t = 0; t < positions; t++)
			sums[t % 32] += weights[t] = exponential(weights[t] - most);
		float total = sum_of_lanes(sums);
		for (int i = head; i < head + HEAD; i++) {
			float sum = 0;
			for (int t = 0; t < positions; t++)
				sum = fmaf(weights[t], __half2float(values[(size_t)t * m.width + i]), sum);
			y[i] = sum / total;
		}
	}
}

/* Step `at` on the host; `y` has room for `hidden` and for the positions. */
static void host_step(const Model &m, const State &s, int at, float *y)
{
	Quantised q = from(s.quantised, (size_t)at * activations_of(m));
	for (int i = 0; i < m.width; i++)
		s.x[i] = weight(m.embedding, s.tokens[at], i);
	for (int l = 0; l < m.layers; l++) {
		const Layer &layer = m.layer[l];
		__half *keys = s.keys + (size_t)l * m.positions * m.width;
		__half *values = s.values + (size_t)l * m.positions * m.width;
		Quantised attended = from(q, m.width), second = from(q, 2 * m.width), inner = from(q, 3 * m.width);
		host_normalise(s.x, layer.before_attention, m.width, y, q);
		host_multiply(layer.qkv, q, s.qkv, false);
		host_rotate(m, at, s.qkv, keys + (size_t)at * m.width, values + (size_t)at * m.width);
		host_attend(m, at + 1, s.qkv, keys, values, y + m.hidden, y);
		host_quantise(y, m.width, attended);
		host_multiply(layer.output, attended, s.x, true);
		host_normalise(s.x, layer.before_gate, m.width, y, second);
		host_multiply(layer.gate_up, second, s.up, false);
		for (int i = 0; i < m.hidden; i++)
			y[i] = gated(s.up[i], s.up[m.hidden + i]);
		host_quantise(y, m.hidden, inner);
		host_multiply(layer.down, inner, s.x, true);
		q = from(q, activations_of_layer(m));
	}
	if (at + 1 < PROMPT)
		return;
	float *logits = s.logits + (size_t)at * m.vocabulary;
	host_normalise(s.x, m.gain, m.width, y, q);
	host_multiply(m.logits, q, logits, false);
	for (int i = 0; i < m.vocabulary; i++)
		if (logits[i] > logits[s.tokens[at + 1]]) /* from token 0 on */
			s.tokens[at + 1] = i;
}

/* 32 random bits, mixed: low bits of next_random repeat soon, and its numbers 2^k apart resemble each other. */
static unsigned random_bits(unsigned *seed)
{
	unsigned bits = next_random(seed);
	for (int i = 0; i < 3; i++)
		bits = (bits ^ bits >> 15) * 0x9e3779b1u; /* 2^32 over the golden ratio, odd */
	return bits ^ bits >> 16;
}

/*
 * Random weights of about `size`: sums of two numbers from 0 to 7, so small weights are frequent and the mean is 0.
 * With another mean all rows have a common part, which grows from layer to layer, until all tokens are one.
 */
static Matrix random_matrix(int rows, int columns, float size, unsigned *seed)
{
	size_t groups = (size_t)rows * columns / GROUP;
	Matrix m = {rows, columns, host_array<unsigned>(groups * WORDS), host_array<__half>(groups)};
	for (size_t i = 0; i < groups * WORDS; i++)
		m.words[i] = (random_bits(seed) & 0x77777777) + (random_bits(seed) & 0x77777777) + 0x11111111;
	for (size_t i = 0; i < groups; i++) /* 3.24: root of the mean square of those sums */
		m.scales[i] = __float2half(size / 3.24f * (0.5f + next_unit(seed)));
	return m;
}

static float *random_gains(int n, unsigned *seed)
{
	float *gains = host_array<float>(n);
	for (int i = 0; i < n; i++)
		gains[i] = 0.5f + next_unit(seed);
	return gains;
}

/* Products of a normalised vector keep its size when weights have that of 1 / sqrt(columns). */
static Model random_model(int layers, int heads, int vocabulary, int positions)
{
	int width = heads * HEAD, hidden = 3 * width;
	float size = 1 / sqrtf((float)width), inner = 1 / sqrtf((float)hidden);
	unsigned seed = 1;
	Model m = {layers, heads, width, hidden, vocabulary, positions, random_matrix(vocabulary, width, 1, &seed),
		   random_matrix(vocabulary, width, size, &seed), host_array<Layer>(layers),
		   random_gains(width, &seed), host_array<float2>((size_t)positions * (HEAD / 2))};
	for (int l = 0; l < layers; l++)
		m.layer[l] = {random_matrix(3 * width, width, size, &seed), random_matrix(width, width, size, &seed),
			      random_matrix(2 * hidden, width, size, &seed), random_matrix(width, hidden, inner, &seed),
			      random_gains(width, &seed), random_gains(width, &seed)};
	for (int i = 0; i < positions * (HEAD / 2); i++) {
		float angle = (float)(i / (HEAD / 2)) * powf(10000.0f, -2.0f * (float)(i % (HEAD / 2)) / HEAD);
		m.turns[i] = make_float2(cosf(angle), sinf(angle));
	}
	return m;
}

static Matrix to_device(Matrix m)
{
	size_t groups = (size_t)m.rows * m.columns / GROUP;
	m.words = device_copy(m.words, groups * WORDS);
	m.scales = device_copy(m.scales, groups);
	return m;
}

/* The layers themselves stay on the host, which launches their kernels. */
static Model to_device(Model m)
{
	Layer *layers = host_array<Layer>(m.layers);
	for (int l = 0; l < m.layers; l++) {
		const Layer &layer = m.layer[l];
		layers[l] = {to_device(layer.qkv), to_device(layer.output), to_device(layer.gate_up),
			     to_device(layer.down), device_copy(layer.before_attention, m.width),
			     device_copy(layer.before_gate, m.width)};
	}
	m.layer = layers;
	m.embedding = to_device(m.embedding);
	m.logits = to_device(m.logits);
	m.gain = device_copy(m.gain, m.width);
	m.turns = device_copy(m.turns, (size_t)m.positions * (HEAD / 2));
	return m;
}

#define NEW(type, count) (device ? device_array<type>(count) : host_array<type>(count))
static State new_state(const Model &m, bool device)
{
	size_t activations = (size_t)m.positions * activations_of(m), cached = (size_t)m.layers * m.positions * m.width;
	State s = {};
	s.tokens = NEW(int, m.positions + 1);
	s.x = NEW(float, m.width);
	s.qkv = NEW(float, 3 * m.width);
	s.up = NEW(float, 2 * m.hidden);
	s.quantised = {NEW(signed char, activations), NEW(float, activations / GROUP), NEW(int, activations / GROUP)};
	s.keys = NEW(__half, cached);
	s.values = NEW(__half, cached);
	s.logits = NEW(float, (size_t)m.positions * m.vocabulary);
	return s;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "decoder [tokens [layers [heads of 64 [vocabulary]]]]   (default 8, 2, 4, 512)"};
	int tokens = size_argument(arguments, 1, 8, 2048), layers = size_argument(arguments, 2, 2, 64);
	int heads = size_argument(arguments, 3, 4, 64), vocabulary = size_argument(arguments, 4, 512, 65536);
	int steps = PROMPT - 1 + tokens; /* the last token of the prompt brings the first new one */
	Model model = random_model(layers, heads, vocabulary, steps), on_device = to_device(model);
	State host = new_state(model, false), device = new_state(model, true);
	for (int i = 0; i < PROMPT; i++)
		host.tokens[i] = (7 + 31 * i) % vocabulary;
	CHECK(cudaMemcpy(device.tokens, host.tokens, PROMPT * sizeof *host.tokens, cudaMemcpyHostToDevice));

	for (int at = 0; at < steps; at++)
		device_step(on_device, device, at);
	CHECK_LAUNCH();

	float *y = host_array<float>(model.hidden + steps);
	for (int at = 0; at < steps; at++)
		host_step(model, host, at, y);

	size_t activations = (size_t)steps * activations_of(model), cached = (size_t)layers * steps * model.width;
	Verdict verdict = {"decoder", 0};
	compare(&verdict, "token", device.tokens, host.tokens, steps + 1);
	compare(&verdict, "activation", device.quantised.values, host.quantised.values, activations);
	compare(&verdict, "scale", device.quantised.scales, host.quantised.scales, activations / GROUP);
	compare(&verdict, "sum", device.quantised.sums, host.quantised.sums, activations / GROUP);
	compare(&verdict, "key", (unsigned short *)device.keys, (unsigned short *)host.keys, cached);
	compare(&verdict, "value", (unsigned short *)device.values, (unsigned short *)host.values, cached);
	compare(&verdict, "logit", device.logits, host.logits, (size_t)steps * vocabulary);
	int *written = host_array<int>(steps + 1);
	copy_back(written, device.tokens, steps + 1);
	for (int i = 0; i <= steps; i++)
		printf("%s%d", i == 0 ? "prompt " : i == PROMPT ? ", then " : " ", written[i]);
	putchar('\n');
	return conclude(verdict, "%d tokens, %d layers, width %d, vocabulary %d", tokens, layers, model.width,
			vocabulary);
}
