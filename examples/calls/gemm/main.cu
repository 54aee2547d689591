/*
 * gemm: products of matrices as layers of neural networks need them, by the layered templates of library.cu. The first
 * argument chooses the layer: 1 linear (a bias is added), 2 fully connected (GELU on top), 3 attention scores (queries
 * times transposed keys, scaled, a head for each of `batch`), 4 convolution (3 x 3; m is the image's edge, n its
 * filters, k its channels, `batch` the images).
 *
 * The check is against the host's sums in the same order with the same fused multiply and add: 1e-6 of the largest
 * value, since only the epilogue may differ.
 */
#include <vector>

#include "gemm.h"

template <typename Product> __global__ void multiply(const Product *product)
{
	__shared__ typename Product::SharedTile tile;
	product->run(&tile, blockIdx.z);
}

#define LAUNCHES 2 /* as a layer is called again and again */

struct Sizes {
	int m, n, k, batch;
};

/* Numbers of one kind, on both sides. */
struct Numbers {
	std::vector<float> host;
	float *device;
	Numbers(size_t count, unsigned seed) : host(count)
	{
		for (float &number : host)
			number = next_unit(&seed) - 0.5f;
		device = device_copy(host.data(), count);
	}
	~Numbers()
	{
		CHECK(cudaFree(device));
	}
};

/* Runs a product whose results are `rows` by `columns`, and compares it with `want(image, row, column)`. */
template <typename Product, typename Reference>
static void run(Verdict *verdict, const Product &product, int batch, Reference want)
{
	typedef typename Product::SharedTile Tile;
	int rows = product.epilogue.rows, columns = product.epilogue.columns;
	dim3 grid(blocks_for(columns, Tile::columns), blocks_for(rows, Tile::rows), batch);
	Product *on_device = device_copy(&product, 1);
	for (int i = 0; i < LAUNCHES; i++)
		multiply<<<grid, Tile::threads>>>(on_device);
	CHECK_LAUNCH();
	CHECK(cudaFree(on_device));
	std::vector<float> got((size_t)batch * rows * columns);
	copy_back(got.data(), product.epilogue.to, got.size());
	for (size_t i = 0; i < got.size(); i++) {
		int column = (int)(i % columns), row = (int)(i / columns % rows);
		float value = want((int)(i / columns / rows), row, column);
		if (!(fabsf(got[i] - value) <= 1e-6f * (1 + fabsf(value))))
			differs(verdict, "row %d, column %d: %.9g, not %.9g", row, column, got[i], value);
	}
}

/* The sum of `count` products, fused as the device's. */
template <typename A, typename B> static float sum_products(int count, A a, B b)
{
	float sum = 0;
	for (int k = 0; k < count; k++)
		sum = fmaf(a(k), b(k), sum);
	return sum;
}

/* Linear and fully connected layers: rows of m numbers times weights that all of the batch share. */
template <typename Product, typename Activation>
static void run_dense(Verdict *verdict, const Sizes &s, Activation activate)
{
	Numbers a((size_t)s.batch * s.m * s.k, 1), b((size_t)s.k * s.n, 2), bias(s.n, 3);
	Numbers to((size_t)s.batch * s.m * s.n, 4);
	size_t step_a = (size_t)s.m * s.k, step_to = (size_t)s.m * s.n;
	Product product = {{{a.device, s.m, s.k, step_a}, {b.device, s.k, s.n, 0}, s.k},
			   {{bias.device}, to.device, s.m, s.n, step_to}};
	run(verdict, product, s.batch, [&](int image, int row, int column) {
		const float *line = &a.host[image * step_a + (size_t)row * s.k];
		float sum = sum_products(
			s.k, [&](int k) { return line[k]; }, [&](int k) { return b.host[(size_t)k * s.n + column]; });
		return activate(sum + bias.host[column]);
	});
}

static void run_linear(Verdict *verdict, const Sizes &s)
{
	run_dense<Linear>(verdict, s, [](float x) { return x; });
}

static void run_fully_connected(Verdict *verdict, const Sizes &s)
{
	run_dense<FullyConnected>(verdict, s, [](float x) { return 0.5f * x * (1 + erff(x * 0.70710678f)); });
}

static void run_attention(Verdict *verdict, const Sizes &s)
{
	size_t step_a = (size_t)s.m * s.k, step_b = (size_t)s.n * s.k, step_to = (size_t)s.m * s.n;
	Numbers queries(s.batch * step_a, 1), keys(s.batch * step_b, 2), to(s.batch * step_to, 3);
	float factor = 1 / sqrtf((float)s.k);
	AttentionScore product = {{{queries.device, s.m, s.k, step_a}, {keys.device, s.k, s.n, step_b}, s.k},
				  {{factor}, to.device, s.m, s.n, step_to}};
	run(verdict, product, s.batch, [&](int head, int row, int column) {
		const float *query = &queries.host[head * step_a + (size_t)row * s.k];
		const float *key = &keys.host[head * step_b + (size_t)column * s.k];
		return factor * sum_products(s.k, [&](int k) { return query[k]; }, [&](int k) { return key[k]; });
	});
}

static float pixel(const float *image, int edge, int y, int x)
{
	return y >= 0 && y < edge && x >= 0 && x < edge ? image[y * edge + x] : 0;
}

static void run_convolution(Verdict *verdict, const Sizes &s)
{
	int pixels = s.m * s.m, terms = 9 * s.k;
	size_t step_a = (size_t)s.k * pixels, step_to = (size_t)pixels * s.n;
	Numbers images(s.batch * step_a, 1), filters((size_t)terms * s.n, 2), bias(s.n, 3), to(s.batch * step_to, 4);
	Convolution product = {{{images.device, s.m, s.k, step_a}, {filters.device, terms, s.n, 0}, terms},
			       {{{bias.device}}, to.device, pixels, s.n, step_to}};
	run(verdict, product, s.batch, [&](int image, int row, int column) {
		const float *channels = &images.host[image * step_a];
		auto near = [&](int k) {
			int tap = k % 9;
			return pixel(channels + (size_t)(k / 9) * pixels, s.m, row / s.m + tap / 3 - 1,
				     row % s.m + tap % 3 - 1);
		};
		float sum = sum_products(terms, near, [&](int k) { return filters.host[(size_t)k * s.n + column]; });
		return fmaxf(sum + bias.host[column], 0);
	});
}

static const struct Layer {
	const char *name;
	void (*run)(Verdict *verdict, const Sizes &sizes);
	Sizes sizes;
} layers[] = {
	{"linear", run_linear, {512, 128, 128, 1}},
	{"fully connected", run_fully_connected, {256, 256, 128, 1}},
	{"attention scores", run_attention, {128, 128, 64, 6}},
	{"convolution", run_convolution, {14, 64, 24, 3}},
};

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "gemm [layer 1 to 4 [m [n, a multiple of 4 [k [batch]]]]]   (default 1; sizes by layer)"};
	const Layer &layer = layers[size_argument(arguments, 1, 1, sizeof layers / sizeof *layers) - 1];
	Sizes sizes = {size_argument(arguments, 2, layer.sizes.m, 1 << 16),
		       size_argument(arguments, 3, layer.sizes.n, 1 << 16) + 3 & ~3,
		       size_argument(arguments, 4, layer.sizes.k, 1 << 16),
		       size_argument(arguments, 5, layer.sizes.batch, 1 << 12)};
	Verdict verdict = {"gemm"};
	layer.run(&verdict, sizes);
	return conclude(verdict, "%s, m %d, n %d, k %d, batch %d", layer.name, sizes.m, sizes.n, sizes.k, sizes.batch);
}
