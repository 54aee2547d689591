/*
 * gemm: what library.cu has for main.cu. A product of matrices in layers, as template libraries build it; none of them
 * is inlined:
 *
 *   Gemm              of a thread block: its main loop, then its epilogue
 *   ThreadblockMma    moves tiles of both operands to shared memory, step by step along k
 *   WarpMma           a warp's part of a tile, group by group along k
 *   ThreadMma         a thread's part of a group: outer products
 *   FragmentIterator  what a thread needs of shared memory for two of k
 *   operands          RowMajor, ColumnMajor, Im2col: where the numbers of a tile are in memory
 *   Epilogue          what is done to the sums (its operation) before they are stored
 *
 * Sums and fragments go from layer to layer in registers: arguments one by one, since a structure by value would go
 * through memory, and results as structures. Members are defined in library.cu alone, which instantiates the products
 * that main.cu launches.
 */
#ifndef GEMM_H
#define GEMM_H

#include "../common.h"

#define WARP_EDGE 16	/* rows and columns of a warp's part */
#define THREAD_ROWS 4	/* of a thread's part */
#define THREAD_COLUMNS 2
#define GROUP 8		/* steps along k of a ThreadMma */
#define PAIR 2		/* of a fragment */

/* In shared memory: the part of both operands that a thread block works on; `a` lies transposed. */
template <int Rows, int Columns, int Depth> struct Tile {
	static constexpr int rows = Rows, columns = Columns, depth = Depth;
	static constexpr int warp_columns = Columns / WARP_EDGE;
	static constexpr int threads = Rows / WARP_EDGE * warp_columns * 32;
	float a[Depth][Rows + 4], b[Depth][Columns]; /* four more: stores of a column go to different banks */
};

/* A thread's part of the product, as a result; and as parameters and arguments. */
struct Sums {
	float value[THREAD_ROWS * THREAD_COLUMNS];
};
#define SUM_PARAMETERS float s0, float s1, float s2, float s3, float s4, float s5, float s6, float s7
#define SUM_ARGUMENTS(sums)                                                                                         \
	sums.value[0], sums.value[1], sums.value[2], sums.value[3], sums.value[4], sums.value[5], sums.value[6], \
		sums.value[7]

/* As much as a function returns in registers. */
struct Fragment {
	float a[PAIR][THREAD_ROWS], b[PAIR][THREAD_COLUMNS];
};

/* Where a thread's part of a tile is: one argument in place of two. */
struct Place {
	static __device__ int of(int row, int column)
	{
		return row << 16 | column;
	}
	static __device__ int row(int place)
	{
		return place >> 16;
	}
	static __device__ int column(int place)
	{
		return place & 0xffff;
	}
};

/* ---- operands: four numbers of a row of one of the batch, zero outside */

struct RowMajor {
	const float *data;
	int rows, columns;
	size_t step; /* from one of the batch to the next */
	DEVICE_FUNCTION float4 load(int batch, int row, int column) const;
};

struct ColumnMajor {
	const float *data;
	int rows, columns;
	size_t step;
	DEVICE_FUNCTION float4 load(int batch, int row, int column) const;
};

/* The 3 x 3 surroundings of a pixel in all channels as a row: convolution as a product. */
struct Im2col {
	const float *data; /* [channel][y][x] */
	int edge, channels;
	size_t step;
	DEVICE_FUNCTION float4 load(int batch, int pixel, int term) const;
};

/* ---- what becomes of a sum */

struct Scale {
	float factor;
	DEVICE_FUNCTION float apply(float sum, int column) const;
};

struct Bias {
	const float *bias; /* of a column */
	DEVICE_FUNCTION float apply(float sum, int column) const;
};

struct BiasRelu : Bias {
	DEVICE_FUNCTION float apply(float sum, int column) const;
};

struct BiasGelu : Bias {
	DEVICE_FUNCTION float apply(float sum, int column) const;
};

/* ---- layers of the product */

template <typename Tile> struct FragmentIterator {
	DEVICE_FUNCTION static Fragment load(const Tile *tile, int place, int k);
};

template <typename Tile> struct ThreadMma {
	DEVICE_FUNCTION static Sums run(const Tile *tile, int place, int first, SUM_PARAMETERS);
};

template <typename Tile> struct WarpMma {
	DEVICE_FUNCTION static Sums run(const Tile *tile, int place, SUM_PARAMETERS);
};

template <typename Tile, typename A, typename B> struct ThreadblockMma {
	A a;
	B b;
	int depth;
	DEVICE_FUNCTION void load(Tile *tile, int batch, int k) const;
	DEVICE_FUNCTION Sums run(Tile *tile, int batch, int place) const;
};

template <typename Operation> struct Epilogue {
	Operation operation;
	float *to;
	int rows, columns;
	size_t step;
	DEVICE_FUNCTION void run(int batch, int row, int column, SUM_PARAMETERS) const;
};

template <typename Tile, typename A, typename B, typename Operation> struct Gemm {
	typedef Tile SharedTile;
	ThreadblockMma<Tile, A, B> main_loop;
	Epilogue<Operation> epilogue;
	DEVICE_FUNCTION void run(Tile *tile, int batch) const;
};

/* ---- four layers of networks */

typedef Tile<32, 32, 16> LargeTile;
typedef Tile<16, 32, 16> SmallTile;

typedef Gemm<LargeTile, RowMajor, RowMajor, Bias> Linear;		/* of a transformer */
typedef Gemm<LargeTile, RowMajor, RowMajor, BiasGelu> FullyConnected;	/* of its feed-forward part */
typedef Gemm<SmallTile, RowMajor, ColumnMajor, Scale> AttentionScore;	/* queries times keys, a head each */
typedef Gemm<LargeTile, Im2col, RowMajor, BiasRelu> Convolution;	/* of a residual network, 3 x 3 */

extern template struct Gemm<LargeTile, RowMajor, RowMajor, Bias>;
extern template struct Gemm<LargeTile, RowMajor, RowMajor, BiasGelu>;
extern template struct Gemm<SmallTile, RowMajor, ColumnMajor, Scale>;
extern template struct Gemm<LargeTile, Im2col, RowMajor, BiasRelu>;

#endif
