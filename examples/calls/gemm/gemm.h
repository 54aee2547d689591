/*
 * gemm: what library.cu has for main.cu. A product of matrices in layers, as template libraries build it; none of them
 * is inlined:
 *
 *   Gemm              of a thread block: its main loop, then its epilogue
 *   ThreadblockMma    moves tiles of both operands to shared memory, step by step along k
 *   WarpMma           a warp's part of a tile, group by group along k
 *   ThreadMma         a thread's part of a group: an outer product for each k
 *   FragmentIterator  what a thread needs of shared memory for one k
 *   operands          RowMajor, ColumnMajor, Im2col: where the numbers of a tile are in memory
 *   Epilogue          what is done to the sums (its operation) before they are stored
 *
 * Members are defined in library.cu alone, which instantiates the products that main.cu launches.
 */
#ifndef GEMM_H
#define GEMM_H

#include "../common.h"

#define WARP_EDGE 32	/* rows and columns of a warp's part */
#define THREAD_ROWS 8	/* of a thread's part */
#define THREAD_COLUMNS 4
#define GROUP 8		/* steps along k of a ThreadMma */

/* In shared memory: the part of both operands that a thread block works on; `a` lies transposed. */
template <int Rows, int Columns, int Depth> struct Tile {
	static constexpr int rows = Rows, columns = Columns, depth = Depth;
	static constexpr int warp_columns = Columns / WARP_EDGE;
	static constexpr int threads = Rows / WARP_EDGE * warp_columns * 32;
	float a[Depth][Rows + 4], b[Depth][Columns]; /* four more: stores of a column go to different banks */
};

struct Accumulators {
	float value[THREAD_ROWS][THREAD_COLUMNS];
};

/* As much as a function returns in registers. */
struct Fragment {
	float a[THREAD_ROWS], b[THREAD_COLUMNS];
};

/* ---- operands: four numbers of a row, zero outside */

struct RowMajor {
	const float *data;
	int rows, columns;
	size_t step; /* from one of the batch to the next */
	DEVICE_FUNCTION float4 load(int row, int column) const;
};

struct ColumnMajor {
	const float *data;
	int rows, columns;
	size_t step;
	DEVICE_FUNCTION float4 load(int row, int column) const;
};

/* The 3 x 3 surroundings of a pixel in all channels as a row: convolution as a product. */
struct Im2col {
	const float *data; /* [channel][y][x] */
	int edge, channels;
	size_t step;
	DEVICE_FUNCTION float4 load(int pixel, int term) const;
};

/* ---- what becomes of four sums of a row */

struct Scale {
	float factor;
	DEVICE_FUNCTION float4 apply(float4 sum, int column) const;
};

struct Bias {
	const float *bias; /* of a column */
	DEVICE_FUNCTION float4 apply(float4 sum, int column) const;
};

struct BiasRelu : Bias {
	DEVICE_FUNCTION float4 apply(float4 sum, int column) const;
};

struct BiasGelu : Bias {
	DEVICE_FUNCTION float4 apply(float4 sum, int column) const;
};

/* ---- layers of the product */

template <typename Tile> struct FragmentIterator {
	const Tile *tile;
	int row, column; /* of the thread's part */
	DEVICE_FUNCTION Fragment load(int k) const;
};

template <typename Tile> struct ThreadMma {
	FragmentIterator<Tile> fragments;
	DEVICE_FUNCTION void run(int first, Accumulators *sums) const;
};

template <typename Tile> struct WarpMma {
	ThreadMma<Tile> thread;
	DEVICE_FUNCTION void run(Accumulators *sums) const;
};

template <typename Tile, typename A, typename B> struct ThreadblockMma {
	A a;
	B b;
	int depth;
	DEVICE_FUNCTION void load(Tile *tile, int k) const;
	DEVICE_FUNCTION void run(Tile *tile, const WarpMma<Tile> &warp, Accumulators *sums) const;
};

template <typename Operation> struct Epilogue {
	Operation operation;
	float *to;
	int rows, columns;
	size_t step;
	DEVICE_FUNCTION void run(int row, int column, const Accumulators &sums) const;
};

template <typename Tile, typename A, typename B, typename Operation> struct Gemm {
	typedef Tile SharedTile;
	ThreadblockMma<Tile, A, B> main_loop;
	Epilogue<Operation> epilogue;
	DEVICE_FUNCTION void run(Tile *tile) const;
	/* The product of one of the batch. */
	__device__ Gemm of(int batch) const
	{
		Gemm gemm = *this;
		gemm.main_loop.a.data += batch * main_loop.a.step;
		gemm.main_loop.b.data += batch * main_loop.b.step;
		gemm.epilogue.to += batch * epilogue.step;
		return gemm;
	}
};

/* ---- four layers of networks */

typedef Tile<64, 64, 16> LargeTile;
typedef Tile<32, 64, 16> SmallTile;

typedef Gemm<LargeTile, RowMajor, RowMajor, Bias> Linear;		/* of a transformer */
typedef Gemm<LargeTile, RowMajor, RowMajor, BiasGelu> FullyConnected;	/* of its feed-forward part */
typedef Gemm<SmallTile, RowMajor, ColumnMajor, Scale> AttentionScore;	/* queries times keys, a head each */
typedef Gemm<LargeTile, Im2col, RowMajor, BiasRelu> Convolution;	/* of a residual network, 3 x 3 */

extern template struct Gemm<LargeTile, RowMajor, RowMajor, Bias>;
extern template struct Gemm<LargeTile, RowMajor, RowMajor, BiasGelu>;
extern template struct Gemm<SmallTile, RowMajor, ColumnMajor, Scale>;
extern template struct Gemm<LargeTile, Im2col, RowMajor, BiasRelu>;

#endif
