/* The layers of gemm, each a function of its own, and the products that are made of them. */
#include "gemm.h"

/* ---- operands */

DEVICE_FUNCTION float4 RowMajor::load(int row, int column) const
{
	float value[4] = {0, 0, 0, 0};
	if (row < rows)
		for (int i = 0; i < 4; i++)
			if (column + i < columns)
				value[i] = data[(size_t)row * columns + column + i];
	return make_float4(value[0], value[1], value[2], value[3]);
}

DEVICE_FUNCTION float4 ColumnMajor::load(int row, int column) const
{
	float value[4] = {0, 0, 0, 0};
	if (row < rows)
		for (int i = 0; i < 4; i++)
			if (column + i < columns)
				value[i] = data[(size_t)(column + i) * rows + row];
	return make_float4(value[0], value[1], value[2], value[3]);
}

DEVICE_FUNCTION float4 Im2col::load(int pixel, int term) const
{
	float value[4] = {0, 0, 0, 0};
	int y = pixel / edge, x = pixel % edge;
	for (int i = 0; i < 4; i++) {
		int channel = (term + i) / 9, tap = (term + i) % 9;
		int from_y = y + tap / 3 - 1, from_x = x + tap % 3 - 1;
		bool inside = (unsigned)from_y < (unsigned)edge && (unsigned)from_x < (unsigned)edge;
		if (inside && y < edge && channel < channels)
			value[i] = data[(channel * edge + from_y) * edge + from_x];
	}
	return make_float4(value[0], value[1], value[2], value[3]);
}

/* ---- operations of the epilogue */

DEVICE_FUNCTION float4 Scale::apply(float4 sum, int) const
{
	return make_float4(factor * sum.x, factor * sum.y, factor * sum.z, factor * sum.w);
}

DEVICE_FUNCTION float4 Bias::apply(float4 sum, int column) const
{
	return make_float4(sum.x + bias[column], sum.y + bias[column + 1], sum.z + bias[column + 2],
			   sum.w + bias[column + 3]);
}

DEVICE_FUNCTION float4 BiasRelu::apply(float4 sum, int column) const
{
	float4 value = Bias::apply(sum, column);
	return make_float4(fmaxf(value.x, 0), fmaxf(value.y, 0), fmaxf(value.z, 0), fmaxf(value.w, 0));
}

static __device__ float gelu(float x)
{
	return 0.5f * x * (1 + erff(x * 0.70710678f));
}

DEVICE_FUNCTION float4 BiasGelu::apply(float4 sum, int column) const
{
	float4 value = Bias::apply(sum, column);
	return make_float4(gelu(value.x), gelu(value.y), gelu(value.z), gelu(value.w));
}

/* ---- layers of the product */

template <typename Tile> DEVICE_FUNCTION Fragment FragmentIterator<Tile>::load(int k) const
{
	Fragment fragment;
	for (int i = 0; i < THREAD_ROWS; i++)
		fragment.a[i] = tile->a[k][row + i];
	for (int i = 0; i < THREAD_COLUMNS; i++)
		fragment.b[i] = tile->b[k][column + i];
	return fragment;
}

template <typename Tile> DEVICE_FUNCTION void ThreadMma<Tile>::run(int first, Accumulators *sums) const
{
	Accumulators mine = *sums;
	for (int k = first; k < first + GROUP; k++) {
		Fragment fragment = fragments.load(k);
		for (int i = 0; i < THREAD_ROWS; i++)
			for (int j = 0; j < THREAD_COLUMNS; j++)
				mine.value[i][j] = fmaf(fragment.a[i], fragment.b[j], mine.value[i][j]);
	}
	*sums = mine;
}

template <typename Tile> DEVICE_FUNCTION void WarpMma<Tile>::run(Accumulators *sums) const
{
	for (int k = 0; k < Tile::depth; k += GROUP)
		thread.run(k, sums);
}

/* Thread t takes four numbers of one row and then of further rows. */
template <typename Tile, typename A, typename B>
DEVICE_FUNCTION void ThreadblockMma<Tile, A, B>::load(Tile *tile, int k) const
{
	for (int i = threadIdx.x; i < Tile::rows * Tile::depth / 4; i += Tile::threads) {
		int row = i / (Tile::depth / 4), column = i % (Tile::depth / 4) * 4;
		float4 value = a.load(blockIdx.y * Tile::rows + row, k + column);
		tile->a[column][row] = value.x;
		tile->a[column + 1][row] = value.y;
		tile->a[column + 2][row] = value.z;
		tile->a[column + 3][row] = value.w;
	}
	for (int i = threadIdx.x; i < Tile::depth * Tile::columns / 4; i += Tile::threads) {
		int row = i / (Tile::columns / 4), column = i % (Tile::columns / 4) * 4;
		float4 value = b.load(k + row, blockIdx.x * Tile::columns + column);
		tile->b[row][column] = value.x;
		tile->b[row][column + 1] = value.y;
		tile->b[row][column + 2] = value.z;
		tile->b[row][column + 3] = value.w;
	}
}

template <typename Tile, typename A, typename B>
DEVICE_FUNCTION void ThreadblockMma<Tile, A, B>::run(Tile *tile, const WarpMma<Tile> &warp, Accumulators *sums) const
{
	for (int k = 0; k < depth; k += Tile::depth) {
		load(tile, k);
		__syncthreads();
		warp.run(sums);
		__syncthreads();
	}
}

template <typename Operation> DEVICE_FUNCTION void Epilogue<Operation>::run(int row, int column, const Accumulators &sums) const
{
	if (column >= columns)
		return;
	for (int i = 0; i < THREAD_ROWS && row + i < rows; i++) {
		const float *sum = sums.value[i];
		float4 value = operation.apply(make_float4(sum[0], sum[1], sum[2], sum[3]), column);
		*(float4 *)&to[(size_t)(row + i) * columns + column] = value;
	}
}

template <typename Tile, typename A, typename B, typename Operation>
DEVICE_FUNCTION void Gemm<Tile, A, B, Operation>::run(Tile *tile) const
{
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int row = warp / Tile::warp_columns * WARP_EDGE + lane / 8 * THREAD_ROWS;
	int column = warp % Tile::warp_columns * WARP_EDGE + lane % 8 * THREAD_COLUMNS;
	WarpMma<Tile> of_warp = {{{tile, row, column}}};
	Accumulators sums = {};
	main_loop.run(tile, of_warp, &sums);
	epilogue.run(blockIdx.y * Tile::rows + row, blockIdx.x * Tile::columns + column, sums);
}

template struct Gemm<LargeTile, RowMajor, RowMajor, Bias>;
template struct Gemm<LargeTile, RowMajor, RowMajor, BiasGelu>;
template struct Gemm<SmallTile, RowMajor, ColumnMajor, Scale>;
template struct Gemm<LargeTile, Im2col, RowMajor, BiasRelu>;
