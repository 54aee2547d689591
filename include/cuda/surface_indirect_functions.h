/*
 * Reads and writes through surface objects (heddle_texture.h). The first coordinate is in bytes, the others in elements,
 * as CUDA has it; what is outside reads as zero, is clamped, or traps.
 */
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__CUDA__)

#include "heddle_texture.h"
#include "surface_types.h"

#define HD_HERE __device__ static inline

/* The address of `size` bytes at a place; NULL where nothing is to be read or written. */
HD_HERE char *__hd_surface(cudaSurfaceObject_t object, int x, int y, int z, int size, cudaSurfaceBoundaryMode mode)
{
	const hd_texture *t = (const hd_texture *)object;
	int last[3] = {t->size[0] * (t->channels * t->bits / 8) - size, t->size[1] - 1, t->size[2] - 1};
	int at[3] = {x, y, z};
	for (int i = 0; i < 3; i++) {
		if (at[i] >= 0 && at[i] <= last[i])
			continue;
		if (mode == cudaBoundaryModeTrap)
			__builtin_trap();
		if (mode == cudaBoundaryModeZero)
			return nullptr;
		at[i] = at[i] < 0 ? 0 : last[i];
	}
	return (char *)(t->base + at[2] * t->slice + at[1] * t->pitch + (unsigned int)at[0]);
}
template <class _T> HD_HERE _T __hd_surface_read(const char *at)
{
	_T value = {};
	if (at)
		value = *(const _T *)at;
	return value;
}
template <class _T> HD_HERE void __hd_surface_write(char *at, const _T &value)
{
	if (at)
		*(_T *)at = value;
}

#define HD_SURFACE(name, suffix, coordinates, y, z)                                                                    \
	template <class _T>                                                                                            \
	HD_HERE _T name##suffix##read(cudaSurfaceObject_t object, HD_UNPACK coordinates,                               \
				     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                              \
	{                                                                                                              \
		return __hd_surface_read<_T>(__hd_surface(object, x, y, z, sizeof(_T), mode));                         \
	}                                                                                                              \
	template <class _T>                                                                                            \
	HD_HERE void name##suffix##read(_T *result, cudaSurfaceObject_t object, HD_UNPACK coordinates,                 \
					cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                           \
	{                                                                                                              \
		*result = __hd_surface_read<_T>(__hd_surface(object, x, y, z, sizeof(_T), mode));                      \
	}                                                                                                              \
	template <class _T>                                                                                            \
	HD_HERE void name##suffix##write(_T value, cudaSurfaceObject_t object, HD_UNPACK coordinates,                  \
					 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                          \
	{                                                                                                              \
		__hd_surface_write(__hd_surface(object, x, y, z, sizeof(_T), mode), value);                            \
	}
#define HD_UNPACK(...) __VA_ARGS__
HD_SURFACE(surf1D, , (int x), 0, 0)
HD_SURFACE(surf2D, , (int x, int y), y, 0)
HD_SURFACE(surf3D, , (int x, int y, int z), y, z)
HD_SURFACE(surf1D, Layered, (int x, int layer), 0, layer)
HD_SURFACE(surf2D, Layered, (int x, int y, int layer), y, layer)
#undef HD_UNPACK
#undef HD_SURFACE
#undef HD_HERE

#endif
#endif
