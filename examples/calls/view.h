/*
 * A matrix as libraries of many layers see it: a view has a layout, which has extents, and each is asked by a call. The
 * learning workloads are built on it; their chains of calls end here.
 */
#ifndef CALLS_VIEW_H
#define CALLS_VIEW_H

#include "common.h"

struct Extents {
	int rows, columns;
	/* How far the next row is. */
	FUNCTION int row_step() const
	{
		return columns;
	}
};

/* Rows one after the other. */
struct Layout {
	Extents extents;
	FUNCTION int offset(int row, int column) const
	{
		return row * extents.row_step() + column;
	}
};

template <typename T> struct View {
	Layout layout;
	const T *data;
	FUNCTION T at(int row, int column) const
	{
		return data[layout.offset(row, column)];
	}
};

template <typename T> static View<T> view_of(const T *data, int rows, int columns)
{
	return {{{rows, columns}}, data};
}

#endif
