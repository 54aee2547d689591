/*
 * recurrent: a layer of a recurrent network over a sequence, a launch a step. The last argument says which: 1 a plain
 * cell (tanh), 2 an LSTM cell, both forward, as inference has it; 3 and 4 the same in training, with the gradients of
 * half the squared last state by backpropagation through time. A thread has an element of the state, or of a gradient.
 * 5 and 6 are 1 and 2 as libraries compute them: a step is a product of matrices, of which blocks keep tiles in shared memory.
 */
#include "../grids/grids.h"

#define BLOCK 128
#define TILE 16 /* hidden units of a block, and columns that it has in shared memory at a time */
#define HELD 2	/* sequences of a thread: a block has TILE * HELD */

/* gates: 1 or 4 a hidden unit; weights: gates x hidden rows of 2 hidden columns, for a step's input and the last state. */
struct Layer {
	int batch, hidden, steps, gates;
	const float *weights, *inputs; /* steps x batch x hidden */
	float *state, *cell;	       /* (steps + 1) x batch x hidden */
	float *active;		       /* steps x batch x gates x hidden: gates behind their functions */
	float *d_state, *d_cell;       /* batch x hidden */
	float *d_gates;		       /* batch x gates x hidden, before their functions */
	float *d_weights;
};

BOTH float sigmoid(float x)
{
	return 1 / (1 + expf(-x));
}

/* Column d of what the step's gates read. */
BOTH float read(const Layer &l, int t, int b, int d)
{
	return d < l.hidden ? l.inputs[(t * l.batch + b) * l.hidden + d]
			    : l.state[(t * l.batch + b) * l.hidden + d - l.hidden];
}

/* The gates of a sequence at a step. */
BOTH float *active_of(const Layer &l, int t, int b)
{
	return l.active + ((size_t)t * l.batch + b) * l.hidden * l.gates;
}

BOTH float bent(const Layer &l, int gate, float sum)
{
	return l.gates == 1 || gate == 3 ? tanhf(sum) : sigmoid(sum);
}

/* From the gates of an element to its next state. */
BOTH void advance(const Layer &l, int t, int b, int j)
{
	int size = l.batch * l.hidden, at = b * l.hidden + j;
	const float *active = active_of(l, t, b);
	float next = active[j];
	if (l.gates == 4) { /* in, forget, out, candidate */
		float kept = active[l.hidden + j] * l.cell[t * size + at];
		float cell = fmaf(active[j], active[3 * l.hidden + j], kept);
		l.cell[(t + 1) * size + at] = cell;
		next = active[2 * l.hidden + j] * tanhf(cell);
	}
	l.state[(t + 1) * size + at] = next;
}

BOTH void forward(const Layer &l, int t, int at)
{
	int b = at / l.hidden, j = at % l.hidden;
	float *active = active_of(l, t, b);
	for (int gate = 0; gate < l.gates; gate++) {
		const float *row = l.weights + (size_t)(gate * l.hidden + j) * 2 * l.hidden;
		float sum = 0;
		for (int d = 0; d < 2 * l.hidden; d++)
			sum = fmaf(row[d], read(l, t, b, d), sum);
		active[gate * l.hidden + j] = bent(l, gate, sum);
	}
	advance(l, t, b, j);
}

/* From the gradient of the step's state to those of its gates. */
BOTH void backward(const Layer &l, int t, int at)
{
	int b = at / l.hidden, j = at % l.hidden, size = l.batch * l.hidden;
	const float *active = l.active + ((size_t)t * size + b * l.hidden) * l.gates;
	float *d = l.d_gates + b * l.gates * l.hidden, ds = l.d_state[at];
	if (l.gates == 1) {
		d[j] = ds * (1 - active[j] * active[j]);
		return;
	}
	float in = active[j], forget = active[l.hidden + j], out = active[2 * l.hidden + j],
	      candidate = active[3 * l.hidden + j], shown = tanhf(l.cell[(t + 1) * size + at]);
	float dc = fmaf(ds * out, 1 - shown * shown, l.d_cell[at]);
	d[j] = dc * candidate * in * (1 - in);
	d[l.hidden + j] = dc * l.cell[t * size + at] * forget * (1 - forget);
	d[2 * l.hidden + j] = ds * shown * out * (1 - out);
	d[3 * l.hidden + j] = dc * in * (1 - candidate * candidate);
	l.d_cell[at] = dc * forget;
}

/* To the state before. */
BOTH void spread(const Layer &l, int at)
{
	int b = at / l.hidden, j = at % l.hidden, rows = l.gates * l.hidden;
	float sum = 0;
	for (int r = 0; r < rows; r++)
		sum = fmaf(l.weights[(size_t)r * 2 * l.hidden + l.hidden + j], l.d_gates[b * rows + r], sum);
	l.d_state[at] = sum;
}

/* To a weight. */
BOTH void gather(const Layer &l, int t, int at)
{
	int row = at / (2 * l.hidden), column = at % (2 * l.hidden);
	float sum = l.d_weights[at];
	for (int b = 0; b < l.batch; b++)
		sum = fmaf(l.d_gates[b * l.gates * l.hidden + row], read(l, t, b, column), sum);
	l.d_weights[at] = sum;
}

#define OWN (blockIdx.x * blockDim.x + threadIdx.x)
__global__ void forward_step(Layer l, int t)
{
	if (OWN < l.batch * l.hidden)
		forward(l, t, OWN);
}
/* Sums in the order of forward(): what a tile has beyond the matrices is zero. */
template <int GATES> __global__ void forward_tiles(Layer l, int t)
{
	__shared__ float rows[GATES][TILE][TILE + 1], values[HELD][TILE][TILE + 1];
	int x = threadIdx.x, y = threadIdx.y, j = blockIdx.x * TILE + x, b = blockIdx.y * HELD * TILE + y;
	int row = blockIdx.x * TILE + y, columns = 2 * l.hidden;
	float sums[HELD][GATES] = {};
	for (int d = x; d - x < columns; d += TILE) {
#pragma unroll
		for (int gate = 0; gate < GATES; gate++)
			rows[gate][y][x] = row < l.hidden && d < columns
						   ? l.weights[(size_t)(gate * l.hidden + row) * columns + d]
						   : 0;
#pragma unroll
		for (int i = 0; i < HELD; i++)
			values[i][y][x] = b + i * TILE < l.batch && d < columns ? read(l, t, b + i * TILE, d) : 0;
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++)
#pragma unroll
			for (int gate = 0; gate < GATES; gate++)
#pragma unroll
				for (int i = 0; i < HELD; i++)
					sums[i][gate] = fmaf(rows[gate][x][k], values[i][y][k], sums[i][gate]);
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < HELD; i++) {
		if (j >= l.hidden || b + i * TILE >= l.batch)
			continue;
#pragma unroll
		for (int gate = 0; gate < GATES; gate++)
			active_of(l, t, b + i * TILE)[gate * l.hidden + j] = bent(l, gate, sums[i][gate]);
		advance(l, t, b + i * TILE, j);
	}
}
__global__ void last_gradient(Layer l)
{
	if (OWN < l.batch * l.hidden)
		l.d_state[OWN] = l.state[l.steps * l.batch * l.hidden + OWN];
}
__global__ void backward_step(Layer l, int t)
{
	if (OWN < l.batch * l.hidden)
		backward(l, t, OWN);
}
__global__ void spread_step(Layer l)
{
	if (OWN < l.batch * l.hidden)
		spread(l, OWN);
}
__global__ void gather_step(Layer l, int t)
{
	if (OWN < l.gates * l.hidden * 2 * l.hidden)
		gather(l, t, OWN);
}

static void run_device(const Layer &l, bool training, bool in_tiles)
{
	int size = l.batch * l.hidden, blocks = (size + BLOCK - 1) / BLOCK;
	int weights = (l.gates * l.hidden * 2 * l.hidden + BLOCK - 1) / BLOCK;
	dim3 tiles((l.hidden + TILE - 1) / TILE, (l.batch + HELD * TILE - 1) / (HELD * TILE)), threads(TILE, TILE);
	for (int t = 0; t < l.steps; t++)
		if (!in_tiles)
			forward_step<<<blocks, BLOCK>>>(l, t);
		else if (l.gates == 1)
			forward_tiles<1><<<tiles, threads>>>(l, t);
		else
			forward_tiles<4><<<tiles, threads>>>(l, t);
	if (training)
		last_gradient<<<blocks, BLOCK>>>(l);
	for (int t = l.steps - 1; training && t >= 0; t--) {
		backward_step<<<blocks, BLOCK>>>(l, t);
		gather_step<<<weights, BLOCK>>>(l, t);
		spread_step<<<blocks, BLOCK>>>(l);
	}
	CHECK_LAUNCH();
}

static void run_host(const Layer &l, bool training)
{
	int size = l.batch * l.hidden;
	for (int t = 0; t < l.steps; t++)
		for (int at = 0; at < size; at++)
			forward(l, t, at);
	for (int at = 0; at < size; at++)
		l.d_state[at] = l.state[l.steps * size + at];
	for (int t = l.steps - 1; training && t >= 0; t--) {
		for (int at = 0; at < size; at++)
			backward(l, t, at);
		for (int at = 0; at < l.gates * l.hidden * 2 * l.hidden; at++)
			gather(l, t, at);
		for (int at = 0; at < size; at++)
			spread(l, at);
	}
}

/* All of it, of zeros but for weights and inputs. */
template <typename Array> static Layer layer_of(int batch, int hidden, int steps, int gates, Array array)
{
	size_t size = (size_t)batch * hidden;
	Layer l = {batch, hidden, steps, gates};
	l.state = array((steps + 1) * size);
	l.cell = array((steps + 1) * size);
	l.active = array(steps * size * gates);
	l.d_state = array(size);
	l.d_cell = array(size);
	l.d_gates = array(size * gates);
	l.d_weights = array((size_t)gates * hidden * 2 * hidden);
	return l;
}

static float *zeros_on_device(size_t n)
{
	return device_copy(host_array<float>(n), n);
}
static float *zeros_on_host(size_t n)
{
	return host_array<float>(n);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "recurrent [batch [hidden [steps [kind]]]]   (kind 1 plain, 2 LSTM, 3 and 4 the same in training, "
			       "5 and 6 kinds 1 and 2 in tiles; default 16, 72, 4, 4)"};
	int batch = size_argument(arguments, 1, 16, 1024), hidden = size_argument(arguments, 2, 72, 2048);
	int steps = size_argument(arguments, 3, 4, 256), kind = size_argument(arguments, 4, 4, 6);
	int gates = kind % 2 ? 1 : 4;
	bool training = kind == 3 || kind == 4;
	size_t weights = (size_t)gates * hidden * 2 * hidden, size = (size_t)batch * hidden;
	Layer host = layer_of(batch, hidden, steps, gates, zeros_on_host);
	Layer device = layer_of(batch, hidden, steps, gates, zeros_on_device);
	float *w = random_floats(weights, 1), *x = random_floats(size * steps, 2);
	for (size_t i = 0; i < weights; i++)
		w[i] /= sqrtf((float)hidden);
	host.weights = w;
	host.inputs = x;
	device.weights = device_copy(w, weights);
	device.inputs = device_copy(x, size * steps);

	run_device(device, training, kind > 4);
	run_host(host, training);

	/* expf and tanhf of the device and the host differ in their last bits. */
	Verdict verdict = {"recurrent", 0};
	compare_near(&verdict, "state", device.state, host.state, size * (steps + 1), 1e-5f);
	if (training)
		compare_near(&verdict, "gradient", device.d_weights, host.d_weights, weights, 1e-4f);
	return conclude(verdict, "%d sequences of %d, %d units, kind %d", batch, steps, hidden, kind);
}
