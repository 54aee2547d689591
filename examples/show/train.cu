/*
 * train: steps of training a small GPT in single precision, as programs of one file do it: embeddings of tokens and
 * places, blocks of causal attention and an MLP with layer norms before them, an output that shares the tokens'
 * embedding, softmax cross-entropy, all gradients, AdamW. Matrix products are cuBLAS's, all else are kernels of this
 * file. The host trains the same model in double precision with plain loops.
 *
 *     heddle-cc -O2 train.cu -o train -lcublas && heddle run -- ./train
 *
 * Checks. In the first step both sides have equal weights: their gradients may differ by 1e-5 of the largest of a
 * tensor, ten times what single precision leaves in small models. Losses may differ by 1e-5 in each step; AdamW divides
 * by the size of a gradient, so that rounding errors move weights whose gradient is nearly zero, but such weights
 * hardly change the loss. An error of thought would be in both backward passes, so the slope of the host's loss along
 * its gradient is measured, too. The last loss must be below the first.
 */
#include "../calls/common.h"

#include <cublas_v2.h>

#define BLOCK 128
#define WARP 32
#define DEPTH 8 /* rows that a block of sum_columns reads at a time */
#define MOST_LAYERS 48
#define RATE 1e-3 /* AdamW's usual constants, with a rate for few steps */
#define BETA1 0.9
#define BETA2 0.999
#define EPSILON 1e-8
#define DECAY 0.01
#define VARIANCE_FLOOR 1e-5  /* of layer norms */
#define GELU_SCALE 0.7978845608028654 /* sqrt(2 / pi) */
#define GELU_CUBE 0.044715

struct Sizes {
	int steps, layers, width, heads, sequence, batch, vocabulary;
	int rows;    /* tokens of a batch: rows of most matrices */
	int channel; /* columns of a head */
};

/* A matrix has a row for each output, as it is multiplied transposed; qkv has queries, keys and values below each
 * other. */
template <typename T>
struct Layer {
	T *gain1, *shift1, *qkv, *qkv_bias, *out, *out_bias, *gain2, *shift2, *up, *up_bias, *down, *down_bias;
};
template <typename T>
struct Weights {
	T *tokens, *places, *gain, *shift;
	Layer<T> layers[MOST_LAYERS];
};

/* What the backward pass needs of the forward pass. Statistics are means of rows, then reciprocals of their deviations.
 */
template <typename T>
struct Kept {
	T *input, *statistics1, *normal1, *qkv, *attention, *mixed, *middle, *statistics2, *normal2, *up, *active;
};

/* Calls f(name, pointer, elements, range of random initial values, constant initial value) for each tensor of w, in the
 * order in which they lie in memory: allocation, initial values and the comparison follow this one list. */
template <typename T, typename F>
static void each_tensor(const Sizes &z, Weights<T> *w, F f)
{
	size_t c = z.width;
	float range = 0.035f; /* uniform numbers with GPT-2's deviation, 0.02 */
	f("tokens", w->tokens, z.vocabulary * c, range, 0.f);
	f("places", w->places, z.sequence * c, range, 0.f);
	for (int i = 0; i < z.layers; i++) {
		Layer<T> *l = &w->layers[i];
		f("gain1", l->gain1, c, 0.f, 1.f);
		f("shift1", l->shift1, c, 0.f, 0.f);
		f("qkv", l->qkv, 3 * c * c, range, 0.f);
		f("qkv_bias", l->qkv_bias, 3 * c, 0.f, 0.f);
		f("out", l->out, c * c, range, 0.f);
		f("out_bias", l->out_bias, c, 0.f, 0.f);
		f("gain2", l->gain2, c, 0.f, 1.f);
		f("shift2", l->shift2, c, 0.f, 0.f);
		f("up", l->up, 4 * c * c, range, 0.f);
		f("up_bias", l->up_bias, 4 * c, 0.f, 0.f);
		f("down", l->down, 4 * c * c, range, 0.f);
		f("down_bias", l->down_bias, c, 0.f, 0.f);
	}
	f("gain", w->gain, c, 0.f, 1.f);
	f("shift", w->shift, c, 0.f, 0.f);
}

/* Places the tensors of w one after another from `base`; returns how many elements all have. */
template <typename T>
static size_t place_tensors(const Sizes &z, Weights<T> *w, T *base)
{
	size_t at = 0;
	each_tensor(z, w, [&](const char *, T *&tensor, size_t n, float, float) {
		tensor = base ? base + at : NULL;
		at += n;
	});
	return at;
}

template <typename T, typename Array>
static Kept<T> new_kept(const Sizes &z, Array array)
{
	size_t n = (size_t)z.rows * z.width;
	Kept<T> k;
	k.input = array(n);
	k.statistics1 = array(2 * z.rows);
	k.normal1 = array(n);
	k.qkv = array(3 * n);
	k.attention = array((size_t)z.rows * z.heads * z.sequence);
	k.mixed = array(n);
	k.middle = array(n);
	k.statistics2 = array(2 * z.rows);
	k.normal2 = array(n);
	k.up = array(4 * n);
	k.active = array(4 * n);
	return k;
}

/* ---- Kernels. Those of rows give each row a warp, others each element a thread. ---- */

__device__ static float warp_sum(float x)
{
	for (int i = WARP / 2; i > 0; i /= 2)
		x += __shfl_xor_sync(~0u, x, i);
	return x;
}

__device__ static float warp_max(float x)
{
	for (int i = WARP / 2; i > 0; i /= 2)
		x = fmaxf(x, __shfl_xor_sync(~0u, x, i));
	return x;
}

__device__ static int own_index()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void embed(float *stream, const float *tokens, const float *places, const int *ids, Sizes z)
{
	int i = own_index(), row = i / z.width, column = i % z.width;
	if (row < z.rows)
		stream[i] = tokens[ids[row] * z.width + column] + places[row % z.sequence * z.width + column];
}

/* A thread has one place for all sequences, and so sums the place's gradient alone. A token can be anywhere: atomics.
 */
__global__ void embed_back(float *d_tokens, float *d_places, const float *d_stream, const int *ids, Sizes z)
{
	int i = own_index(), place = i / z.width, column = i % z.width;
	if (place >= z.sequence)
		return;
	float sum = 0;
	for (int row = place; row < z.rows; row += z.sequence) {
		float d = d_stream[row * z.width + column];
		atomicAdd(&d_tokens[ids[row] * z.width + column], d);
		sum += d;
	}
	d_places[i] = sum;
}

__global__ void normalise(float *out, float *statistics, const float *in, const float *gain, const float *shift,
			  int rows, int width)
{
	int row = own_index() / WARP, lane = threadIdx.x % WARP;
	if (row >= rows)
		return;
	const float *x = in + (size_t)row * width;
	float mean = 0, variance = 0;
	for (int i = lane; i < width; i += WARP)
		mean += x[i];
	mean = warp_sum(mean) / width;
	for (int i = lane; i < width; i += WARP)
		variance += (x[i] - mean) * (x[i] - mean);
	float scale = rsqrtf(warp_sum(variance) / width + (float)VARIANCE_FLOOR);
	for (int i = lane; i < width; i += WARP)
		out[(size_t)row * width + i] = (x[i] - mean) * scale * gain[i] + shift[i];
	if (lane == 0) {
		statistics[row] = mean;
		statistics[rows + row] = scale;
	}
}

/* Adds to the gradient of a norm's input: the residual stream goes past the norm, too. */
__global__ void normalise_back(float *d_in, const float *d_out, const float *in, const float *statistics,
			       const float *gain, int rows, int width)
{
	int row = own_index() / WARP, lane = threadIdx.x % WARP;
	if (row >= rows)
		return;
	size_t start = (size_t)row * width;
	float mean = statistics[row], scale = statistics[rows + row], sum = 0, along = 0;
	for (int i = lane; i < width; i += WARP) {
		float d = d_out[start + i] * gain[i];
		sum += d;
		along += d * (in[start + i] - mean) * scale;
	}
	sum = warp_sum(sum) / width;
	along = warp_sum(along) / width;
	for (int i = lane; i < width; i += WARP) {
		float unit = (in[start + i] - mean) * scale;
		d_in[start + i] += scale * (d_out[start + i] * gain[i] - sum - unit * along);
	}
}

/* Sum of a column whose parts the threads of a block hold; valid for threadIdx.y == 0. */
__device__ static float column_sum(float part)
{
	__shared__ float parts[DEPTH][WARP];
	parts[threadIdx.y][threadIdx.x] = part;
	__syncthreads();
	float sum = 0;
	for (int i = 0; i < DEPTH; i++)
		sum += parts[i][threadIdx.x];
	__syncthreads(); /* the next sum uses `parts` again */
	return sum;
}

/* Gradient of a bias. */
__global__ void sum_columns(float *sums, const float *matrix, int rows, int width)
{
	int column = blockIdx.x * WARP + threadIdx.x;
	float sum = 0;
	for (int row = threadIdx.y; row < rows && column < width; row += DEPTH)
		sum += matrix[(size_t)row * width + column];
	sum = column_sum(sum);
	if (threadIdx.y == 0 && column < width)
		sums[column] = sum;
}

/* Gradients of a norm's gain and shift. */
__global__ void normalise_back_weights(float *d_gain, float *d_shift, const float *d_out, const float *in,
				       const float *statistics, int rows, int width)
{
	int column = blockIdx.x * WARP + threadIdx.x;
	float gain = 0, shift = 0;
	for (int row = threadIdx.y; row < rows && column < width; row += DEPTH) {
		size_t i = (size_t)row * width + column;
		gain += d_out[i] * (in[i] - statistics[row]) * statistics[rows + row];
		shift += d_out[i];
	}
	gain = column_sum(gain);
	shift = column_sum(shift);
	if (threadIdx.y == 0 && column < width) {
		d_gain[column] = gain;
		d_shift[column] = shift;
	}
}

/* Where element `column` of row `row`, of `parts` widths, is among matrices that each have one head of one sequence:
 * the form that products in batches need. */
__device__ static size_t place_in_heads(int row, int column, const Sizes &z)
{
	int part = column / z.width, head = column % z.width / z.channel, sequence = row / z.sequence;
	size_t matrix = (size_t)(part * z.batch + sequence) * z.heads + head;
	return (matrix * z.sequence + row % z.sequence) * z.channel + column % z.channel;
}

__global__ void split_heads(float *heads, const float *matrix, const float *bias, int parts, Sizes z)
{
	int i = own_index(), row = i / (parts * z.width), column = i % (parts * z.width);
	if (row < z.rows)
		heads[place_in_heads(row, column, z)] = matrix[i] + (bias ? bias[column] : 0);
}

__global__ void join_heads(float *matrix, const float *heads, int parts, Sizes z)
{
	int i = own_index(), row = i / (parts * z.width), column = i % (parts * z.width);
	if (row < z.rows)
		matrix[i] = heads[place_in_heads(row, column, z)];
}

/* In place: a place attends to itself and those before it. The product that follows reads whole rows, so the rest is 0.
 */
__global__ void causal_softmax(float *scores, int rows, int sequence)
{
	int row = own_index() / WARP, lane = threadIdx.x % WARP, own = row % sequence;
	if (row >= rows)
		return;
	float *s = scores + (size_t)row * sequence, largest = -INFINITY, sum = 0;
	for (int i = lane; i <= own; i += WARP)
		largest = fmaxf(largest, s[i]);
	largest = warp_max(largest);
	for (int i = lane; i <= own; i += WARP)
		sum += s[i] = expf(s[i] - largest);
	sum = warp_sum(sum);
	for (int i = lane; i < sequence; i += WARP)
		s[i] = i <= own ? s[i] / sum : 0;
}

/* In place: d has the gradient of the attention, then that of the queries' products with the keys, which `scale`
 * multiplied. */
__global__ void causal_softmax_back(float *d, const float *attention, float scale, int rows, int sequence)
{
	int row = own_index() / WARP, lane = threadIdx.x % WARP;
	if (row >= rows)
		return;
	size_t start = (size_t)row * sequence;
	float sum = 0;
	for (int i = lane; i < sequence; i += WARP)
		sum += attention[start + i] * d[start + i];
	sum = warp_sum(sum);
	for (int i = lane; i < sequence; i += WARP)
		d[start + i] = attention[start + i] * (d[start + i] - sum) * scale;
}

__global__ void add_residual(float *out, const float *in, const float *product, const float *bias, int n, int width)
{
	int i = own_index();
	if (i < n)
		out[i] = in[i] + product[i] + bias[i % width];
}

/* Leaves the sum with the bias in x for the backward pass. */
__global__ void gelu(float *out, float *x, const float *bias, int n, int width)
{
	int i = own_index();
	if (i >= n)
		return;
	float v = x[i] + bias[i % width];
	x[i] = v;
	out[i] = 0.5f * v * (1 + tanhf((float)GELU_SCALE * (v + (float)GELU_CUBE * v * v * v)));
}

__global__ void gelu_back(float *d, const float *x, int n)
{
	int i = own_index();
	if (i >= n)
		return;
	float v = x[i], t = tanhf((float)GELU_SCALE * (v + (float)GELU_CUBE * v * v * v));
	float inner = (float)GELU_SCALE * (1 + 3 * (float)GELU_CUBE * v * v);
	d[i] *= 0.5f * (1 + t) + 0.5f * v * (1 - t * t) * inner;
}

/* The loss of each row; its logits become their gradient of the mean loss. */
__global__ void cross_entropy(float *logits, float *losses, const int *targets, int rows, int vocabulary)
{
	int row = own_index() / WARP, lane = threadIdx.x % WARP;
	if (row >= rows)
		return;
	float *x = logits + (size_t)row * vocabulary, largest = -INFINITY, sum = 0;
	for (int i = lane; i < vocabulary; i += WARP)
		largest = fmaxf(largest, x[i]);
	largest = warp_max(largest);
	for (int i = lane; i < vocabulary; i += WARP)
		sum += expf(x[i] - largest);
	sum = warp_sum(sum);
	int target = targets[row];
	if (lane == 0)
		losses[row] = logf(sum) - (x[target] - largest);
	__syncwarp(); /* the target's logit is overwritten now */
	for (int i = lane; i < vocabulary; i += WARP)
		x[i] = (expf(x[i] - largest) / sum - (i == target)) / rows;
}

/* Moments start at zero; unbias1 and unbias2 take out what that makes of them in the first steps. */
__global__ void adamw(float *weights, const float *gradient, float *first, float *second, int n, float unbias1,
		      float unbias2)
{
	int i = own_index();
	if (i >= n)
		return;
	float d = gradient[i];
	float m = first[i] = (float)BETA1 * first[i] + (float)(1 - BETA1) * d;
	float v = second[i] = (float)BETA2 * second[i] + (float)(1 - BETA2) * d * d;
	weights[i] -= (float)RATE * (m * unbias1 / (sqrtf(v * unbias2) + (float)EPSILON) + (float)DECAY * weights[i]);
}

/* ---- The model on the device ---- */

#define CHECK_BLAS(call) check_blas((call), __FILE__, __LINE__)
static void check_blas(cublasStatus_t status, const char *file, int line)
{
	if (status == CUBLAS_STATUS_SUCCESS)
		return;
	fprintf(stderr, "%s:%d: cuBLAS: status %d\n", file, line, (int)status);
	exit(1);
}

/* Launches kernels without waiting: a stream keeps their order. */
#define FOR_ELEMENTS(kernel, n, ...) \
	do { \
		kernel<<<blocks_for((int)(n), BLOCK), BLOCK>>>(__VA_ARGS__); \
		CHECK(cudaGetLastError()); \
	} while (0)
#define FOR_ROWS(kernel, rows, ...) FOR_ELEMENTS(kernel, (rows) * WARP, __VA_ARGS__)
#define FOR_COLUMNS(kernel, width, ...) \
	do { \
		kernel<<<blocks_for(width, WARP), dim3(WARP, DEPTH)>>>(__VA_ARGS__); \
		CHECK(cudaGetLastError()); \
	} while (0)

struct Device {
	Sizes z;
	cublasHandle_t blas;
	size_t count; /* of all weights */
	Weights<float> w, d;
	float *weights, *gradient, *first, *second;
	Kept<float> kept[MOST_LAYERS];
	float *last, *statistics, *normal, *logits, *losses; /* after the layers */
	float *d_stream, *d_small, *d_wide, *d_heads, *d_mixed, *d_attention;
	int *ids, *targets;
};

/* cuBLAS has columns where we have rows. It sees each matrix transposed, and computes the transposed product. */

/* y = x matrix^T, for each row of x */
static void forward_product(const Device &g, float *y, const float *x, const float *matrix, int in, int out)
{
	float one = 1, zero = 0;
	CHECK_BLAS(cublasSgemm(g.blas, CUBLAS_OP_T, CUBLAS_OP_N, out, g.z.rows, in, &one, matrix, in, x, in, &zero, y,
			       out));
}

/* The gradients of that product's factors: d_matrix = d_y^T x, d_x = d_y matrix. */
static void backward_products(const Device &g, float *d_x, float *d_matrix, const float *d_y, const float *x,
			      const float *matrix, int in, int out)
{
	float one = 1, zero = 0;
	CHECK_BLAS(cublasSgemm(g.blas, CUBLAS_OP_N, CUBLAS_OP_T, in, out, g.z.rows, &one, x, in, d_y, out, &zero,
			       d_matrix, in));
	CHECK_BLAS(cublasSgemm(g.blas, CUBLAS_OP_N, CUBLAS_OP_N, in, g.z.rows, out, &one, matrix, in, d_y, out, &zero,
			       d_x, in));
}

/* square = scale a b^T for each head; a and b are sequence x channel. */
static void head_squares(const Device &g, float *square, const float *a, const float *b, float scale)
{
	int t = g.z.sequence, c = g.z.channel;
	float zero = 0;
	CHECK_BLAS(cublasSgemmStridedBatched(g.blas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &scale, b, c, (long long)t * c,
					     a, c, (long long)t * c, &zero, square, t, (long long)t * t,
					     g.z.batch * g.z.heads));
}

/* out = square a, or square^T a, for each head. */
static void head_mixes(const Device &g, float *out, const float *square, cublasOperation_t transposed, const float *a)
{
	int t = g.z.sequence, c = g.z.channel;
	float one = 1, zero = 0;
	CHECK_BLAS(cublasSgemmStridedBatched(g.blas, CUBLAS_OP_N, transposed, c, t, t, &one, a, c, (long long)t * c,
					     square, t, (long long)t * t, &zero, out, c, (long long)t * c,
					     g.z.batch * g.z.heads));
}

static Device new_device(const Sizes &z, const float *weights, const int *ids, const int *targets)
{
	Device g = {z};
	size_t n = (size_t)z.rows * z.width;
	CHECK_BLAS(cublasCreate(&g.blas));
	g.count = place_tensors<float>(z, &g.w, NULL);
	g.weights = device_copy(weights, g.count);
	g.gradient = device_array<float>(g.count);
	g.first = device_array<float>(g.count);
	g.second = device_array<float>(g.count);
	place_tensors(z, &g.w, g.weights);
	place_tensors(z, &g.d, g.gradient);
	for (int i = 0; i < z.layers; i++)
		g.kept[i] = new_kept<float>(z, device_array<float>);
	g.last = device_array<float>(n);
	g.statistics = device_array<float>(2 * z.rows);
	g.normal = device_array<float>(n);
	g.logits = device_array<float>((size_t)z.rows * z.vocabulary);
	g.losses = device_array<float>(z.rows);
	g.d_stream = device_array<float>(n);
	g.d_small = device_array<float>(n);
	g.d_wide = device_array<float>(4 * n);
	g.d_heads = device_array<float>(3 * n);
	g.d_mixed = device_array<float>(n);
	g.d_attention = device_array<float>((size_t)z.rows * z.heads * z.sequence);
	g.ids = device_copy(ids, z.rows);
	g.targets = device_copy(targets, z.rows);
	return g;
}

/* From k.input to `out`. d_small and d_wide are free in the forward pass and take products before their bias. */
static void device_layer(const Device &g, const Layer<float> &w, const Kept<float> &k, float *out)
{
	const Sizes &z = g.z;
	int rows = z.rows, c = z.width, n = rows * c, lines = rows * z.heads;
	FOR_ROWS(normalise, rows, k.normal1, k.statistics1, k.input, w.gain1, w.shift1, rows, c);
	forward_product(g, g.d_wide, k.normal1, w.qkv, c, 3 * c);
	FOR_ELEMENTS(split_heads, 3 * n, k.qkv, g.d_wide, w.qkv_bias, 3, z);
	head_squares(g, k.attention, k.qkv, k.qkv + n, 1 / sqrtf((float)z.channel));
	FOR_ROWS(causal_softmax, lines, k.attention, lines, z.sequence);
	head_mixes(g, g.d_mixed, k.attention, CUBLAS_OP_N, k.qkv + 2 * n);
	FOR_ELEMENTS(join_heads, n, k.mixed, g.d_mixed, 1, z);
	forward_product(g, g.d_small, k.mixed, w.out, c, c);
	FOR_ELEMENTS(add_residual, n, k.middle, k.input, g.d_small, w.out_bias, n, c);

	FOR_ROWS(normalise, rows, k.normal2, k.statistics2, k.middle, w.gain2, w.shift2, rows, c);
	forward_product(g, k.up, k.normal2, w.up, c, 4 * c);
	FOR_ELEMENTS(gelu, 4 * n, k.active, k.up, w.up_bias, 4 * n, 4 * c);
	forward_product(g, g.d_small, k.active, w.down, 4 * c, c);
	FOR_ELEMENTS(add_residual, n, out, k.middle, g.d_small, w.down_bias, n, c);
}

/* d_stream has the gradient of the layer's output, then that of its input. */
static void device_layer_back(const Device &g, const Layer<float> &w, const Layer<float> &d, const Kept<float> &k)
{
	const Sizes &z = g.z;
	int rows = z.rows, c = z.width, n = rows * c, lines = rows * z.heads;
	FOR_COLUMNS(sum_columns, c, d.down_bias, g.d_stream, rows, c);
	backward_products(g, g.d_wide, d.down, g.d_stream, k.active, w.down, 4 * c, c);
	FOR_ELEMENTS(gelu_back, 4 * n, g.d_wide, k.up, 4 * n);
	FOR_COLUMNS(sum_columns, 4 * c, d.up_bias, g.d_wide, rows, 4 * c);
	backward_products(g, g.d_small, d.up, g.d_wide, k.normal2, w.up, c, 4 * c);
	FOR_COLUMNS(normalise_back_weights, c, d.gain2, d.shift2, g.d_small, k.middle, k.statistics2, rows, c);
	FOR_ROWS(normalise_back, rows, g.d_stream, g.d_small, k.middle, k.statistics2, w.gain2, rows, c);

	FOR_COLUMNS(sum_columns, c, d.out_bias, g.d_stream, rows, c);
	backward_products(g, g.d_small, d.out, g.d_stream, k.mixed, w.out, c, c);
	FOR_ELEMENTS(split_heads, n, g.d_mixed, g.d_small, NULL, 1, z);
	head_squares(g, g.d_attention, g.d_mixed, k.qkv + 2 * n, 1);
	head_mixes(g, g.d_heads + 2 * n, k.attention, CUBLAS_OP_T, g.d_mixed);
	FOR_ROWS(causal_softmax_back, lines, g.d_attention, k.attention, 1 / sqrtf((float)z.channel), lines,
		 z.sequence);
	head_mixes(g, g.d_heads, g.d_attention, CUBLAS_OP_N, k.qkv + n);
	head_mixes(g, g.d_heads + n, g.d_attention, CUBLAS_OP_T, k.qkv);
	FOR_ELEMENTS(join_heads, 3 * n, g.d_wide, g.d_heads, 3, z);
	FOR_COLUMNS(sum_columns, 3 * c, d.qkv_bias, g.d_wide, rows, 3 * c);
	backward_products(g, g.d_small, d.qkv, g.d_wide, k.normal1, w.qkv, c, 3 * c);
	FOR_COLUMNS(normalise_back_weights, c, d.gain1, d.shift1, g.d_small, k.input, k.statistics1, rows, c);
	FOR_ROWS(normalise_back, rows, g.d_stream, g.d_small, k.input, k.statistics1, w.gain1, rows, c);
}

/* Loss and gradient. Each gradient is written whole, so none needs zeros first; the tokens' has two parts, the output's
 * first. */
static double device_gradient(const Device &g)
{
	const Sizes &z = g.z;
	int rows = z.rows, c = z.width;
	FOR_ELEMENTS(embed, rows * c, g.kept[0].input, g.w.tokens, g.w.places, g.ids, z);
	for (int i = 0; i < z.layers; i++)
		device_layer(g, g.w.layers[i], g.kept[i], i + 1 < z.layers ? g.kept[i + 1].input : g.last);
	FOR_ROWS(normalise, rows, g.normal, g.statistics, g.last, g.w.gain, g.w.shift, rows, c);
	forward_product(g, g.logits, g.normal, g.w.tokens, c, z.vocabulary);
	FOR_ROWS(cross_entropy, rows, g.logits, g.losses, g.targets, rows, z.vocabulary);

	backward_products(g, g.d_small, g.d.tokens, g.logits, g.normal, g.w.tokens, c, z.vocabulary);
	FOR_COLUMNS(normalise_back_weights, c, g.d.gain, g.d.shift, g.d_small, g.last, g.statistics, rows, c);
	CHECK(cudaMemsetAsync(g.d_stream, 0, (size_t)rows * c * sizeof *g.d_stream));
	FOR_ROWS(normalise_back, rows, g.d_stream, g.d_small, g.last, g.statistics, g.w.gain, rows, c);
	for (int i = z.layers - 1; i >= 0; i--)
		device_layer_back(g, g.w.layers[i], g.d.layers[i], g.kept[i]);
	FOR_ELEMENTS(embed_back, z.sequence * c, g.d.tokens, g.d.places, g.d_stream, g.ids, z);

	float *losses = host_array<float>(rows);
	double sum = 0;
	copy_back(losses, g.losses, rows);
	for (int i = 0; i < rows; i++)
		sum += losses[i];
	free(losses);
	return sum / rows;
}

static void device_update(const Device &g, int step)
{
	float unbias1 = 1 / (1 - pow(BETA1, step)), unbias2 = 1 / (1 - pow(BETA2, step));
	FOR_ELEMENTS(adamw, g.count, g.weights, g.gradient, g.first, g.second, (int)g.count, unbias1, unbias2);
}

/* ---- The model on the host: all gradients add to what is there ---- */

struct Host {
	Sizes z;
	size_t count;
	Weights<double> w, d;
	double *weights, *gradient, *first, *second;
	Kept<double> kept[MOST_LAYERS];
	double *last, *statistics, *normal, *logits;
	const int *ids, *targets;
};

static Host new_host(const Sizes &z, const float *weights, const int *ids, const int *targets)
{
	Host h = {z};
	h.count = place_tensors<double>(z, &h.w, NULL);
	h.weights = host_array<double>(h.count);
	h.gradient = host_array<double>(h.count);
	h.first = host_array<double>(h.count);
	h.second = host_array<double>(h.count);
	place_tensors(z, &h.w, h.weights);
	place_tensors(z, &h.d, h.gradient);
	for (size_t i = 0; i < h.count; i++)
		h.weights[i] = weights[i];
	for (int i = 0; i < z.layers; i++)
		h.kept[i] = new_kept<double>(z, host_array<double>);
	h.last = host_array<double>((size_t)z.rows * z.width);
	h.statistics = host_array<double>(2 * z.rows);
	h.normal = host_array<double>((size_t)z.rows * z.width);
	h.logits = host_array<double>((size_t)z.rows * z.vocabulary);
	h.ids = ids;
	h.targets = targets;
	return h;
}

/* y = matrix x + bias for each row; without a bias where it is NULL. */
static void host_linear(double *y, const double *x, const double *matrix, const double *bias, int rows, int in, int out)
{
	for (int row = 0; row < rows; row++)
		for (int o = 0; o < out; o++) {
			double sum = bias ? bias[o] : 0;
			for (int i = 0; i < in; i++)
				sum += matrix[(size_t)o * in + i] * x[(size_t)row * in + i];
			y[(size_t)row * out + o] = sum;
		}
}

static void host_linear_back(double *d_x, double *d_matrix, double *d_bias, const double *d_y, const double *x,
			     const double *matrix, int rows, int in, int out)
{
	for (int row = 0; row < rows; row++)
		for (int o = 0; o < out; o++) {
			double d = d_y[(size_t)row * out + o];
			if (d_bias)
				d_bias[o] += d;
			for (int i = 0; i < in; i++) {
				d_matrix[(size_t)o * in + i] += d * x[(size_t)row * in + i];
				d_x[(size_t)row * in + i] += d * matrix[(size_t)o * in + i];
			}
		}
}

static void host_norm(double *y, double *statistics, const double *x, const double *gain, const double *shift, int rows,
		      int width)
{
	for (int row = 0; row < rows; row++, x += width, y += width) {
		double mean = 0, variance = 0;
		for (int i = 0; i < width; i++)
			mean += x[i] / width;
		for (int i = 0; i < width; i++)
			variance += (x[i] - mean) * (x[i] - mean) / width;
		double scale = 1 / sqrt(variance + VARIANCE_FLOOR);
		for (int i = 0; i < width; i++)
			y[i] = (x[i] - mean) * scale * gain[i] + shift[i];
		statistics[row] = mean;
		statistics[rows + row] = scale;
	}
}

static void host_norm_back(double *d_x, double *d_gain, double *d_shift, const double *d_y, const double *x,
			   const double *statistics, const double *gain, int rows, int width)
{
	for (int row = 0; row < rows; row++, d_x += width, d_y += width, x += width) {
		double mean = statistics[row], scale = statistics[rows + row], sum = 0, along = 0;
		for (int i = 0; i < width; i++) {
			double unit = (x[i] - mean) * scale;
			d_gain[i] += d_y[i] * unit;
			d_shift[i] += d_y[i];
			sum += d_y[i] * gain[i] / width;
			along += d_y[i] * gain[i] * unit / width;
		}
		for (int i = 0; i < width; i++)
			d_x[i] += scale * (d_y[i] * gain[i] - sum - (x[i] - mean) * scale * along);
	}
}

/* Calls f(query, first key, first value, its row's attention, offset of its results) for each head of each row. Keys
 * and values of later places of the sequence lie 3 * width apart. */
template <typename F>
static void each_query(const Sizes &z, F f)
{
	for (int row = 0; row < z.rows; row++)
		for (int head = 0; head < z.heads; head++) {
			int place = row % z.sequence, column = head * z.channel;
			size_t first = (size_t)(row - place) * 3 * z.width + column;
			f(place, (size_t)row * 3 * z.width + column, first + z.width, first + 2 * z.width,
			  ((size_t)row * z.heads + head) * z.sequence, (size_t)row * z.width + column);
		}
}

static void host_attention(const Sizes &z, const Kept<double> &k)
{
	const double *x = k.qkv;
	each_query(z, [&](int place, size_t query, size_t key, size_t value, size_t line, size_t out) {
		double sum = 0, *p = k.attention + line;
		for (int j = 0; j <= place; j++) {
			double score = 0;
			for (int i = 0; i < z.channel; i++)
				score += x[query + i] * x[key + (size_t)j * 3 * z.width + i];
			sum += p[j] = exp(score / sqrt(z.channel)); /* scores are small: no need of their maximum */
		}
		for (int i = 0; i < z.channel; i++)
			k.mixed[out + i] = 0;
		for (int j = 0; j <= place; j++) {
			p[j] /= sum;
			for (int i = 0; i < z.channel; i++)
				k.mixed[out + i] += p[j] * x[value + (size_t)j * 3 * z.width + i];
		}
	});
}

static void host_attention_back(const Sizes &z, double *d_qkv, const double *d_mixed, const Kept<double> &k)
{
	const double *x = k.qkv;
	double *d = host_array<double>(z.sequence);
	each_query(z, [&](int place, size_t query, size_t key, size_t value, size_t line, size_t out) {
		const double *p = k.attention + line;
		double sum = 0;
		for (int j = 0; j <= place; j++) {
			size_t v = value + (size_t)j * 3 * z.width;
			d[j] = 0;
			for (int i = 0; i < z.channel; i++) {
				d[j] += d_mixed[out + i] * x[v + i];
				d_qkv[v + i] += d_mixed[out + i] * p[j];
			}
			sum += p[j] * d[j];
		}
		for (int j = 0; j <= place; j++) {
			double score = p[j] * (d[j] - sum) / sqrt(z.channel);
			for (int i = 0; i < z.channel; i++) {
				d_qkv[query + i] += score * x[key + (size_t)j * 3 * z.width + i];
				d_qkv[key + (size_t)j * 3 * z.width + i] += score * x[query + i];
			}
		}
	});
	free(d);
}

static void host_layer(const Host &h, const Layer<double> &w, const Kept<double> &k, double *out)
{
	int rows = h.z.rows, c = h.z.width, n = rows * c;
	host_norm(k.normal1, k.statistics1, k.input, w.gain1, w.shift1, rows, c);
	host_linear(k.qkv, k.normal1, w.qkv, w.qkv_bias, rows, c, 3 * c);
	host_attention(h.z, k);
	host_linear(k.middle, k.mixed, w.out, w.out_bias, rows, c, c);
	for (int i = 0; i < n; i++)
		k.middle[i] += k.input[i];
	host_norm(k.normal2, k.statistics2, k.middle, w.gain2, w.shift2, rows, c);
	host_linear(k.up, k.normal2, w.up, w.up_bias, rows, c, 4 * c);
	for (int i = 0; i < 4 * n; i++)
		k.active[i] = 0.5 * k.up[i] * (1 + tanh(GELU_SCALE * (k.up[i] + GELU_CUBE * pow(k.up[i], 3))));
	host_linear(out, k.active, w.down, w.down_bias, rows, 4 * c, c);
	for (int i = 0; i < n; i++)
		out[i] += k.middle[i];
}

static void host_layer_back(const Host &h, double *d_stream, const Layer<double> &w, const Layer<double> &d,
			    const Kept<double> &k)
{
	int rows = h.z.rows, c = h.z.width, n = rows * c;
	double *d_wide = host_array<double>(4 * n), *d_normal2 = host_array<double>(n),
	       *d_mixed = host_array<double>(n), *d_qkv = host_array<double>(3 * n), *d_normal1 = host_array<double>(n);
	host_linear_back(d_wide, d.down, d.down_bias, d_stream, k.active, w.down, rows, 4 * c, c);
	for (int i = 0; i < 4 * n; i++) {
		double x = k.up[i], t = tanh(GELU_SCALE * (x + GELU_CUBE * x * x * x));
		d_wide[i] *= (1 + t + x * (1 - t * t) * GELU_SCALE * (1 + 3 * GELU_CUBE * x * x)) / 2;
	}
	host_linear_back(d_normal2, d.up, d.up_bias, d_wide, k.normal2, w.up, rows, c, 4 * c);
	host_norm_back(d_stream, d.gain2, d.shift2, d_normal2, k.middle, k.statistics2, w.gain2, rows, c);
	host_linear_back(d_mixed, d.out, d.out_bias, d_stream, k.mixed, w.out, rows, c, c);
	host_attention_back(h.z, d_qkv, d_mixed, k);
	host_linear_back(d_normal1, d.qkv, d.qkv_bias, d_qkv, k.normal1, w.qkv, rows, c, 3 * c);
	host_norm_back(d_stream, d.gain1, d.shift1, d_normal1, k.input, k.statistics1, w.gain1, rows, c);
	double *all[] = {d_wide, d_normal2, d_mixed, d_qkv, d_normal1};
	for (double *array : all)
		free(array);
}

/* Logits become probabilities. */
static double host_loss(const Host &h)
{
	const Sizes &z = h.z;
	int c = z.width;
	double loss = 0;
	for (int i = 0; i < z.rows * c; i++)
		h.kept[0].input[i] = h.w.tokens[h.ids[i / c] * c + i % c] + h.w.places[i / c % z.sequence * c + i % c];
	for (int i = 0; i < z.layers; i++)
		host_layer(h, h.w.layers[i], h.kept[i], i + 1 < z.layers ? h.kept[i + 1].input : h.last);
	host_norm(h.normal, h.statistics, h.last, h.w.gain, h.w.shift, z.rows, c);
	host_linear(h.logits, h.normal, h.w.tokens, NULL, z.rows, c, z.vocabulary);
	for (int row = 0; row < z.rows; row++) {
		double *p = h.logits + (size_t)row * z.vocabulary, sum = 0;
		for (int i = 0; i < z.vocabulary; i++)
			sum += p[i] = exp(p[i]);
		for (int i = 0; i < z.vocabulary; i++)
			p[i] /= sum;
		loss -= log(p[h.targets[row]]) / z.rows;
	}
	return loss;
}

static double host_gradient(const Host &h)
{
	const Sizes &z = h.z;
	int c = z.width, n = z.rows * c;
	double loss = host_loss(h), *d_normal = host_array<double>(n), *d_stream = host_array<double>(n);
	memset(h.gradient, 0, h.count * sizeof *h.gradient);
	for (int row = 0; row < z.rows; row++)
		h.logits[(size_t)row * z.vocabulary + h.targets[row]] -= 1;
	for (size_t i = 0; i < (size_t)z.rows * z.vocabulary; i++)
		h.logits[i] /= z.rows;
	host_linear_back(d_normal, h.d.tokens, NULL, h.logits, h.normal, h.w.tokens, z.rows, c, z.vocabulary);
	host_norm_back(d_stream, h.d.gain, h.d.shift, d_normal, h.last, h.statistics, h.w.gain, z.rows, c);
	for (int i = z.layers - 1; i >= 0; i--)
		host_layer_back(h, d_stream, h.w.layers[i], h.d.layers[i], h.kept[i]);
	for (int i = 0; i < n; i++) {
		h.d.tokens[h.ids[i / c] * c + i % c] += d_stream[i];
		h.d.places[i / c % z.sequence * c + i % c] += d_stream[i];
	}
	free(d_normal);
	free(d_stream);
	return loss;
}

static void host_update(const Host &h, int step)
{
	for (size_t i = 0; i < h.count; i++) {
		double d = h.gradient[i];
		h.first[i] = BETA1 * h.first[i] + (1 - BETA1) * d;
		h.second[i] = BETA2 * h.second[i] + (1 - BETA2) * d * d;
		double m = h.first[i] / (1 - pow(BETA1, step)), v = h.second[i] / (1 - pow(BETA2, step));
		h.weights[i] -= RATE * (m / (sqrt(v) + EPSILON) + DECAY * h.weights[i]);
	}
}

/* ---- Checks ---- */

/* The slope of the loss along the gradient is the gradient's square, up to the step's square and roundings. */
static void check_slope(Verdict *verdict, const Host &h)
{
	double square = 0, side[2], step = 1e-5;
	for (size_t i = 0; i < h.count; i++)
		square += h.gradient[i] * h.gradient[i];
	double *saved = host_array<double>(h.count);
	memcpy(saved, h.weights, h.count * sizeof *saved);
	for (int up = 0; up < 2; up++) {
		for (size_t i = 0; i < h.count; i++)
			h.weights[i] = saved[i] + (up ? step : -step) * h.gradient[i];
		side[up] = host_loss(h);
	}
	memcpy(h.weights, saved, h.count * sizeof *saved);
	free(saved);
	double slope = (side[1] - side[0]) / (2 * step);
	if (!(fabs(slope - square) <= 1e-6 * square))
		differs(verdict, "slope of the host's loss %.9g, not %.9g", slope, square);
}

static void check_gradients(Verdict *verdict, Device *g, Host *h)
{
	float *got = host_array<float>(g->count);
	copy_back(got, g->gradient, g->count);
	each_tensor(h->z, &h->d, [&](const char *name, double *expected, size_t n, float, float) {
		const float *own = got + (expected - h->gradient);
		double largest = 0;
		for (size_t i = 0; i < n; i++)
			largest = fmax(largest, fabs(expected[i]));
		for (size_t i = 0; i < n; i++)
			if (!(fabs(own[i] - expected[i]) <= 1e-5 * largest))
				differs(verdict, "gradient of %s[%zu] = %.9g, not %.9g", name, i, own[i], expected[i]);
	});
	free(got);
}

static float *initial_weights(const Sizes &z)
{
	Weights<float> w;
	unsigned seed = 1;
	float *weights = host_array<float>(place_tensors<float>(z, &w, NULL));
	place_tensors(z, &w, weights);
	each_tensor(z, &w, [&](const char *, float *tensor, size_t n, float range, float value) {
		for (size_t i = 0; i < n; i++)
			tensor[i] = range ? range * (2 * next_unit(&seed) - 1) : value;
	});
	return weights;
}

int main(int argc, char **argv)
{
	Arguments arguments = {
		argc, argv,
		"train [steps [layers [width [heads [sequence [batch [vocabulary]]]]]]]   (width: a multiple "
		"of heads; default 3, 2, 32, 2, 16, 2, 64)"};
	Sizes z;
	z.steps = size_argument(arguments, 1, 3, 1000);
	z.layers = size_argument(arguments, 2, 2, MOST_LAYERS);
	z.width = size_argument(arguments, 3, 32, 1024);
	z.heads = size_argument(arguments, 4, 2, 64);
	z.sequence = size_argument(arguments, 5, 16, 1024);
	z.batch = size_argument(arguments, 6, 2, 64);
	z.vocabulary = size_argument(arguments, 7, 64, 8192);
	z.rows = z.batch * z.sequence;
	z.channel = z.width / z.heads;
	if (z.width % z.heads || z.vocabulary < 2) {
		fprintf(stderr, "usage: %s\n", arguments.usage);
		return 2;
	}
	/* One batch for all steps, of random tokens: the model can only learn by heart which follows which. */
	int *ids = host_array<int>(z.rows), *targets = host_array<int>(z.rows);
	unsigned seed = 2;
	for (int row = 0; row < z.rows; row++) {
		ids[row] = row % z.sequence ? targets[row - 1] : (int)(next_unit(&seed) * z.vocabulary);
		targets[row] = (int)(next_unit(&seed) * z.vocabulary);
	}
	float *weights = initial_weights(z);
	Device *device = new Device(new_device(z, weights, ids, targets));
	Host *host = new Host(new_host(z, weights, ids, targets));

	Verdict verdict = {"train", 0};
	double first = 0, last = 0;
	for (int step = 1; step <= z.steps; step++) {
		double on_device = device_gradient(*device), on_host = host_gradient(*host);
		printf("step %d: loss %.6f on the device, %.6f on the host\n", step, on_device, on_host);
		if (!(fabs(on_device - on_host) <= 1e-5))
			differs(&verdict, "step %d: the losses differ by %.2g", step, fabs(on_device - on_host));
		if (step == 1) {
			check_gradients(&verdict, device, host);
			check_slope(&verdict, *host);
			first = on_device;
		}
		last = on_device;
		device_update(*device, step);
		host_update(*host, step);
	}
	if (z.steps > 1 && !(last < first))
		differs(&verdict, "the loss does not fall");
	CHECK(cudaDeviceSynchronize());
	CHECK_BLAS(cublasDestroy(device->blas));
	return conclude(verdict, "%d steps, %d layers of width %d, %d heads, %d x %d tokens of %d", z.steps, z.layers,
			z.width, z.heads, z.batch, z.sequence, z.vocabulary);
}
