/*
 * A matrix as libraries of many layers see it: a view has a layout, which has extents; what is outside reads as zero. The
 * learning workloads are built on it; their chains of calls end here.
 */
#ifndef CALLS_VIEW_H
#define CALLS_VIEW_H

#include "common.h"

struct Extents {
	int rows, columns;
	/* How far the next row is. */
	__host__ __device__ int row_step() const
	{
		return columns;
	}
};

/* Rows one after the other. */
struct Layout {
	Extents extents;
	__host__ __device__ bool inside(int row, int column) const
	{
		return (unsigned)row < (unsigned)extents.rows && (unsigned)column < (unsigned)extents.columns;
	}
	__host__ __device__ int offset(int row, int column) const
	{
		return row * extents.row_step() + column;
	}
};

template <typename T> struct View {
	Layout layout;
	const T *data;
	FUNCTION T at(int row, int column) const
	{
		return layout.inside(row, column) ? data[layout.offset(row, column)] : T();
	}
};

template <typename T> static View<T> view_of(const T *data, int rows, int columns)
{
	return {{{rows, columns}}, data};
}

#endif
