/* The layers of gemm, each a function of its own, and the products that are made of them. */
#include "gemm.h"

/* ---- operands */

DEVICE_FUNCTION float4 RowMajor::load(int batch, int row, int column) const
{
	const float *data = this->data + batch * step;
	float value[4] = {0, 0, 0, 0};
	if (row < rows)
		for (int i = 0; i < 4; i++)
			if (column + i < columns)
				value[i] = data[(size_t)row * columns + column + i];
	return make_float4(value[0], value[1], value[2], value[3]);
}

DEVICE_FUNCTION float4 ColumnMajor::load(int batch, int row, int column) const
{
	const float *data = this->data + batch * step;
	float value[4] = {0, 0, 0, 0};
	if (row < rows)
		for (int i = 0; i < 4; i++)
			if (column + i < columns)
				value[i] = data[(size_t)(column + i) * rows + row];
	return make_float4(value[0], value[1], value[2], value[3]);
}

DEVICE_FUNCTION float4 Im2col::load(int batch, int pixel, int term) const
{
	const float *data = this->data + batch * step;
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

DEVICE_FUNCTION float Scale::apply(float sum, int) const
{
	return factor * sum;
}

DEVICE_FUNCTION float Bias::apply(float sum, int column) const
{
	return sum + bias[column];
}

DEVICE_FUNCTION float BiasRelu::apply(float sum, int column) const
{
	return fmaxf(Bias::apply(sum, column), 0);
}

DEVICE_FUNCTION float BiasGelu::apply(float sum, int column) const
{
	float x = Bias::apply(sum, column);
	return 0.5f * x * (1 + erff(x * 0.70710678f));
}

/* ---- layers of the product */

template <typename Tile> DEVICE_FUNCTION Fragment FragmentIterator<Tile>::load(const Tile *tile, int place, int k)
{
	Fragment fragment;
	for (int pair = 0; pair < PAIR; pair++) {
		for (int i = 0; i < THREAD_ROWS; i++)
			fragment.a[pair][i] = tile->a[k + pair][Place::row(place) + i];
		for (int i = 0; i < THREAD_COLUMNS; i++)
			fragment.b[pair][i] = tile->b[k + pair][Place::column(place) + i];
	}
	return fragment;
}

template <typename Tile>
DEVICE_FUNCTION Sums ThreadMma<Tile>::run(const Tile *tile, int place, int first, SUM_PARAMETERS)
{
	Sums sums = {s0, s1, s2, s3, s4, s5, s6, s7};
	for (int k = first; k < first + GROUP; k += PAIR) {
		Fragment fragment = FragmentIterator<Tile>::load(tile, place, k);
		for (int pair = 0; pair < PAIR; pair++)
			for (int i = 0; i < THREAD_ROWS * THREAD_COLUMNS; i++)
				sums.value[i] = fmaf(fragment.a[pair][i / THREAD_COLUMNS],
						     fragment.b[pair][i % THREAD_COLUMNS], sums.value[i]);
	}
	return sums;
}

template <typename Tile> DEVICE_FUNCTION Sums WarpMma<Tile>::run(const Tile *tile, int place, SUM_PARAMETERS)
{
	Sums sums = {s0, s1, s2, s3, s4, s5, s6, s7};
	for (int k = 0; k < Tile::depth; k += GROUP)
		sums = ThreadMma<Tile>::run(tile, place, k, SUM_ARGUMENTS(sums));
	return sums;
}

/* Thread t takes four numbers of one row and then of further rows. */
template <typename Tile, typename A, typename B>
DEVICE_FUNCTION void ThreadblockMma<Tile, A, B>::load(Tile *tile, int batch, int k) const
{
	for (int i = threadIdx.x; i < Tile::rows * Tile::depth / 4; i += Tile::threads) {
		int row = i / (Tile::depth / 4), column = i % (Tile::depth / 4) * 4;
		float4 value = a.load(batch, blockIdx.y * Tile::rows + row, k + column);
		tile->a[column][row] = value.x;
		tile->a[column + 1][row] = value.y;
		tile->a[column + 2][row] = value.z;
		tile->a[column + 3][row] = value.w;
	}
	for (int i = threadIdx.x; i < Tile::depth * Tile::columns / 4; i += Tile::threads) {
		int row = i / (Tile::columns / 4), column = i % (Tile::columns / 4) * 4;
		float4 value = b.load(batch, k + row, blockIdx.x * Tile::columns + column);
		tile->b[row][column] = value.x;
		tile->b[row][column + 1] = value.y;
		tile->b[row][column + 2] = value.z;
		tile->b[row][column + 3] = value.w;
	}
}

template <typename Tile, typename A, typename B>
DEVICE_FUNCTION Sums ThreadblockMma<Tile, A, B>::run(Tile *tile, int batch, int place) const
{
	Sums sums = {};
	for (int k = 0; k < depth; k += Tile::depth) {
		load(tile, batch, k);
		__syncthreads();
		sums = WarpMma<Tile>::run(tile, place, SUM_ARGUMENTS(sums));
		__syncthreads();
	}
	return sums;
}

template <typename Operation>
DEVICE_FUNCTION void Epilogue<Operation>::run(int batch, int row, int column, SUM_PARAMETERS) const
{
	Sums sums = {s0, s1, s2, s3, s4, s5, s6, s7};
	if (column >= columns)
		return;
	for (int i = 0; i < THREAD_ROWS * THREAD_COLUMNS; i++) {
		int r = row + i / THREAD_COLUMNS, c = column + i % THREAD_COLUMNS;
		if (r < rows)
			to[batch * step + (size_t)r * columns + c] = operation.apply(sums.value[i], c);
	}
}

template <typename Tile, typename A, typename B, typename Operation>
DEVICE_FUNCTION void Gemm<Tile, A, B, Operation>::run(Tile *tile, int batch) const
{
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	int row = warp / Tile::warp_columns * WARP_EDGE + lane / 8 * THREAD_ROWS;
	int column = warp % Tile::warp_columns * WARP_EDGE + lane % 8 * THREAD_COLUMNS;
	Sums sums = main_loop.run(tile, batch, Place::of(row, column));
	epilogue.run(batch, blockIdx.y * Tile::rows + row, blockIdx.x * Tile::columns + column, SUM_ARGUMENTS(sums));
}

template struct Gemm<LargeTile, RowMajor, RowMajor, Bias>;
template struct Gemm<LargeTile, RowMajor, RowMajor, BiasGelu>;
template struct Gemm<SmallTile, RowMajor, ColumnMajor, Scale>;
template struct Gemm<LargeTile, Im2col, RowMajor, BiasRelu>;
