/*
 * recurrent_tensor: a layer of a recurrent network over a sequence on tensor cores (mma.h): what a step multiplies by
 * its weights is in half precision, and summed in single. The last argument says which cell: 1 a plain one (tanh), 2 an
 * LSTM, both forward, as inference has it; 3 and 4 the same in training, with the gradients of half the squared last
 * state by backpropagation through time. Products are kernels whose warps have 16 x 16 elements each; gates and their
 * derivatives are kernels whose threads have one each.
 */
#include <mma.h>

#include "../grids/grids.h"

using namespace nvcuda;

#define BLOCK 128
#define TILE 16

/* gates: 1 or 4 a hidden unit; rows = gates x hidden. A step reads `width` = 2 hidden columns: its input and the last
 * state. */
struct Layer {
	int batch, hidden, steps, gates, rows, width;
	const __half *weights; /* rows x width */
	__half *reads;	       /* (steps + 1) x batch x width */
	float *sums;	       /* batch x rows */
	float *state, *cell;   /* (steps + 1) x batch x hidden */
	float *active;	       /* steps x batch x rows: gates behind their functions */
	float *d_state, *d_cell; /* batch x hidden */
	__half *d_gates;       /* batch x rows, before their functions */
	float *d_weights;      /* rows x width */
};

BOTH float sigmoid(float x)
{
	return 1 / (1 + expf(-x));
}

BOTH void activate(const Layer &l, int t, int at)
{
	int b = at / l.hidden, j = at % l.hidden, size = l.batch * l.hidden;
	float *active = l.active + ((size_t)t * l.batch + b) * l.rows;
	for (int gate = 0; gate < l.gates; gate++) {
		float sum = l.sums[b * l.rows + gate * l.hidden + j];
		active[gate * l.hidden + j] = l.gates == 1 || gate == 3 ? tanhf(sum) : sigmoid(sum);
	}
	float next = active[j];
	if (l.gates == 4) { /* in, forget, out, candidate */
		float kept = active[l.hidden + j] * l.cell[t * size + at];
		float cell = fmaf(active[j], active[3 * l.hidden + j], kept);
		l.cell[(t + 1) * size + at] = cell;
		next = active[2 * l.hidden + j] * tanhf(cell);
	}
	l.state[(t + 1) * size + at] = next;
	l.reads[((size_t)(t + 1) * l.batch + b) * l.width + l.hidden + j] = __float2half(next);
}

/* From the gradient of the step's state to those of its gates. */
BOTH void differentiate(const Layer &l, int t, int at)
{
	int b = at / l.hidden, j = at % l.hidden, size = l.batch * l.hidden;
	const float *active = l.active + ((size_t)t * l.batch + b) * l.rows;
	__half *d = l.d_gates + b * l.rows;
	float ds = l.d_state[at];
	if (l.gates == 1) {
		d[j] = __float2half(ds * (1 - active[j] * active[j]));
		return;
	}
	float in = active[j], forget = active[l.hidden + j], out = active[2 * l.hidden + j],
	      candidate = active[3 * l.hidden + j], bent = tanhf(l.cell[(t + 1) * size + at]);
	float dc = fmaf(ds * out, 1 - bent * bent, l.d_cell[at]);
	d[j] = __float2half(dc * candidate * in * (1 - in));
	d[l.hidden + j] = __float2half(dc * l.cell[t * size + at] * forget * (1 - forget));
	d[2 * l.hidden + j] = __float2half(ds * bent * out * (1 - out));
	d[3 * l.hidden + j] = __float2half(dc * in * (1 - candidate * candidate));
	l.d_cell[at] = dc * forget;
}

#define OWN (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void activate_step(Layer l, int t)
{
	if (OWN < l.batch * l.hidden)
		activate(l, t, OWN);
}
__global__ void last_gradient(Layer l)
{
	if (OWN < l.batch * l.hidden)
		l.d_state[OWN] = l.state[l.steps * l.batch * l.hidden + OWN];
}
__global__ void differentiate_step(Layer l, int t)
{
	if (OWN < l.batch * l.hidden)
		differentiate(l, t, OWN);
}

/* A matrix of half precision, by rows or by columns. */
struct Matrix {
	const __half *at;
	int pitch;
};

/* C = A B, or C += A B; C is m x n by rows, the sum has k terms. */
template <typename LayoutA, typename LayoutB>
__global__ void __launch_bounds__(BLOCK) product(Matrix a, Matrix b, float *c, int m, int n, int k, bool add)
{
	constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
	constexpr bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
	int tile = OWN / 32, top = tile / (n / TILE) * TILE, left = tile % (n / TILE) * TILE;
	if (top >= m)
		return;
	wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, LayoutA> fa;
	wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, LayoutB> fb;
	wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
	if (add)
		wmma::load_matrix_sync(sum, c + (size_t)top * n + left, n, wmma::mem_row_major);
	else
		wmma::fill_fragment(sum, 0.0f);
	for (int from = 0; from < k; from += TILE) {
		wmma::load_matrix_sync(fa, a.at + (a_rows ? (size_t)top * a.pitch + from : (size_t)from * a.pitch + top), a.pitch);
		wmma::load_matrix_sync(fb, b.at + (b_rows ? (size_t)from * b.pitch + left : (size_t)left * b.pitch + from), b.pitch);
		wmma::mma_sync(sum, fa, fb, sum);
	}
	wmma::store_matrix_sync(c + (size_t)top * n + left, sum, n, wmma::mem_row_major);
}

template <typename LayoutA, typename LayoutB> static void multiply(Matrix a, Matrix b, float *c, int m, int n, int k, bool add)
{
	int threads = m / TILE * (n / TILE) * 32;
	product<LayoutA, LayoutB><<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(a, b, c, m, n, k, add);
}

using rows = wmma::row_major;
using columns = wmma::col_major;

static void run_device(const Layer &l, bool training)
{
	int blocks = (l.batch * l.hidden + BLOCK - 1) / BLOCK;
	Matrix weights = {l.weights, l.width}, to_state = {l.weights + l.hidden, l.width}, d_gates = {l.d_gates, l.rows};
	for (int t = 0; t < l.steps; t++) {
		Matrix reads = {l.reads + (size_t)t * l.batch * l.width, l.width};
		multiply<rows, columns>(reads, weights, l.sums, l.batch, l.rows, l.width, false);
		activate_step<<<blocks, BLOCK>>>(l, t);
	}
	if (training)
		last_gradient<<<blocks, BLOCK>>>(l);
	for (int t = l.steps - 1; training && t >= 0; t--) {
		Matrix reads = {l.reads + (size_t)t * l.batch * l.width, l.width};
		differentiate_step<<<blocks, BLOCK>>>(l, t);
		multiply<columns, rows>(d_gates, reads, l.d_weights, l.rows, l.width, l.batch, true);
		multiply<rows, rows>(d_gates, to_state, l.d_state, l.batch, l.hidden, l.rows, false);
	}
	CHECK_LAUNCH();
}

static float times(__half a, __half b, float sum)
{
	return fmaf(__half2float(a), __half2float(b), sum);
}

static void host_backward(const Layer &l, int t)
{
	const __half *reads = l.reads + (size_t)t * l.batch * l.width;
	for (int at = 0; at < l.batch * l.hidden; at++)
		differentiate(l, t, at);
	for (int r = 0; r < l.rows; r++)
		for (int b = 0; b < l.batch; b++)
			for (int d = 0; d < l.width; d++)
				l.d_weights[r * l.width + d] = times(l.d_gates[b * l.rows + r], reads[b * l.width + d], l.d_weights[r * l.width + d]);
	for (int at = 0; at < l.batch * l.hidden; at++) {
		int b = at / l.hidden, j = at % l.hidden;
		l.d_state[at] = 0;
		for (int r = 0; r < l.rows; r++)
			l.d_state[at] = times(l.d_gates[b * l.rows + r], l.weights[(size_t)r * l.width + l.hidden + j], l.d_state[at]);
	}
}

static void run_host(const Layer &l, bool training)
{
	for (int t = 0; t < l.steps; t++) {
		const __half *reads = l.reads + (size_t)t * l.batch * l.width;
		for (int at = 0; at < l.batch * l.rows; at++) {
			int b = at / l.rows, r = at % l.rows;
			l.sums[at] = 0;
			for (int d = 0; d < l.width; d++)
				l.sums[at] = times(l.weights[(size_t)r * l.width + d], reads[b * l.width + d], l.sums[at]);
		}
		for (int at = 0; at < l.batch * l.hidden; at++)
			activate(l, t, at);
	}
	for (int at = 0; at < l.batch * l.hidden; at++)
		l.d_state[at] = l.state[l.steps * l.batch * l.hidden + at];
	for (int t = l.steps - 1; training && t >= 0; t--)
		host_backward(l, t);
}

/* All of it, of zeros but for weights and inputs. */
struct Zeros {
	bool device;
	template <typename T> T *of(size_t n) const
	{
		T *array = host_array<T>(n);
		return device ? device_copy(array, n) : array;
	}
};

static Layer layer_of(int batch, int hidden, int steps, int gates, Zeros zeros)
{
	size_t size = (size_t)batch * hidden;
	Layer l = {batch, hidden, steps, gates, gates * hidden, 2 * hidden};
	l.sums = zeros.of<float>(size * gates);
	l.state = zeros.of<float>((steps + 1) * size);
	l.cell = zeros.of<float>((steps + 1) * size);
	l.active = zeros.of<float>(steps * size * gates);
	l.d_state = zeros.of<float>(size);
	l.d_cell = zeros.of<float>(size);
	l.d_gates = zeros.of<__half>(size * gates);
	l.d_weights = zeros.of<float>((size_t)l.rows * l.width);
	return l;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "recurrent_tensor [batch [hidden [steps [kind]]]]   (batch and hidden in 16; kind 1 plain, 2 LSTM, 3 and 4 "
			       "the same in training; default 2, 6, 6, 4)"};
	int batch = TILE * size_argument(arguments, 1, 2, 64), hidden = TILE * size_argument(arguments, 2, 6, 128);
	int steps = size_argument(arguments, 3, 6, 256), kind = size_argument(arguments, 4, 4, 4), gates = kind % 2 ? 1 : 4;
	Layer host = layer_of(batch, hidden, steps, gates, Zeros{false}), device = layer_of(batch, hidden, steps, gates, Zeros{true});
	size_t weights = (size_t)host.rows * host.width, reads = (size_t)(steps + 1) * batch * host.width;
	__half *w = host_array<__half>(weights), *x = host_array<__half>(reads);
	float *numbers = random_floats(weights, 1), *inputs = random_floats(reads, 2);
	for (size_t i = 0; i < weights; i++)
		w[i] = __float2half(numbers[i] / sqrtf((float)hidden));
	for (size_t i = 0; i < reads; i++)
		x[i] = __float2half(i % host.width < (size_t)hidden ? inputs[i] : 0);
	host.weights = w;
	device.weights = device_copy(w, weights);
	device.reads = device_copy(x, reads);
	host.reads = x;

	run_device(device, kind > 2);
	run_host(host, kind > 2);

	/* Sums differ in their last bits, and what is rounded to half precision after them sometimes by one of its. */
	Verdict verdict = {"recurrent_tensor", 0};
	compare_near(&verdict, "state", device.state, host.state, (size_t)batch * hidden * (steps + 1), 1e-3f);
	if (kind > 2)
		compare_near(&verdict, "gradient", device.d_weights, host.d_weights, weights, 2e-3f);
	return conclude(verdict, "%d sequences of %d, %d units, kind %d", batch, steps, hidden, kind);
}
