/*
 * Texture fetches through texture objects (heddle_texture.h): one instruction of the texture unit each, whose results
 * are words of 32 bits, floats or integers as the texture has them. Of three-dimensional gradients the thread computes
 * the level, as ptxas's code does in some hundred instructions. Cubemaps are not there.
 */
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#if defined(__cplusplus) && defined(__CUDA__)

#include "heddle_texture.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#define HD_HERE __device__ static inline

/* The channels of a type that a fetch can return. */
template <class _E> HD_HERE _E __hd_channel(unsigned int word, _E)
{
	return (_E)word;
}
HD_HERE float __hd_channel(unsigned int word, float)
{
	return __builtin_bit_cast(float, word);
}
template <class _T> struct __hd_texel;
#define HD_TEXEL(type, scalar, expression)                                                           \
	template <> struct __hd_texel<type> {                                                        \
		HD_HERE type make(unsigned int r, unsigned int g, unsigned int b, unsigned int a)    \
		{                                                                                    \
			scalar v[4] = {__hd_channel(r, (scalar)0), __hd_channel(g, (scalar)0),         \
				       __hd_channel(b, (scalar)0), __hd_channel(a, (scalar)0)};        \
			return expression;                                                           \
		}                                                                                    \
	};
#define HD_TEXELS(prefix, scalar)                                              \
	HD_TEXEL(scalar, scalar, v[0])                                      \
	HD_TEXEL(prefix##1, scalar, make_##prefix##1(v[0]))                    \
	HD_TEXEL(prefix##2, scalar, make_##prefix##2(v[0], v[1]))           \
	HD_TEXEL(prefix##4, scalar, make_##prefix##4(v[0], v[1], v[2], v[3]))
HD_TEXELS(char, signed char)
HD_TEXEL(char, char, v[0])
HD_TEXELS(uchar, unsigned char)
HD_TEXELS(short, short)
HD_TEXELS(ushort, unsigned short)
HD_TEXELS(int, int)
HD_TEXELS(uint, unsigned int)
HD_TEXELS(float, float)
#undef HD_TEXELS
#undef HD_TEXEL

/* The result of a fetch, of which no more is asked for than T has. */
#define HD_FETCH(name, parameters, opcode, coordinates, ...)                                                     \
	template <class _T> HD_HERE _T name parameters                                                           \
	{                                                                                                        \
		unsigned int r, g, b, a;                                                                         \
		asm(opcode " {%0, %1, %2, %3}, [%4, " coordinates ";"                                            \
		    : "=r"(r), "=r"(g), "=r"(b), "=r"(a)                                                         \
		    : "l"(object), __VA_ARGS__);                                                                 \
		return __hd_texel<_T>::make(r, g, b, a);                                                         \
	}
#define HD_OBJECT cudaTextureObject_t object
/* Linear memory: an index, and zero outside. */
HD_FETCH(tex1Dfetch, (HD_OBJECT, int x), "tex.1d.v4.u32.s32", "{%5}]", "r"(x))
HD_FETCH(tex1D, (HD_OBJECT, float x), "tex.1d.v4.u32.f32", "{%5}]", "f"(x))
HD_FETCH(tex2D, (HD_OBJECT, float x, float y), "tex.2d.v4.u32.f32", "{%5, %6}]", "f"(x), "f"(y))
HD_FETCH(tex3D, (HD_OBJECT, float x, float y, float z), "tex.3d.v4.u32.f32", "{%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))
HD_FETCH(tex1DLayered, (HD_OBJECT, float x, int layer), "tex.a1d.v4.u32.f32", "{%5, %6}]", "r"(layer), "f"(x))
HD_FETCH(tex2DLayered, (HD_OBJECT, float x, float y, int layer), "tex.a2d.v4.u32.f32", "{%5, %6, %7, %7}]", "r"(layer),
	 "f"(x), "f"(y))
HD_FETCH(tex1DLod, (HD_OBJECT, float x, float level), "tex.level.1d.v4.u32.f32", "{%5}], %6", "f"(x), "f"(level))
HD_FETCH(tex2DLod, (HD_OBJECT, float x, float y, float level), "tex.level.2d.v4.u32.f32", "{%5, %6}], %7", "f"(x), "f"(y),
	 "f"(level))
HD_FETCH(tex3DLod, (HD_OBJECT, float x, float y, float z, float level), "tex.level.3d.v4.u32.f32", "{%5, %6, %7, %7}], %8",
	 "f"(x), "f"(y), "f"(z), "f"(level))
HD_FETCH(tex1DLayeredLod, (HD_OBJECT, float x, int layer, float level), "tex.level.a1d.v4.u32.f32", "{%5, %6}], %7",
	 "r"(layer), "f"(x), "f"(level))
HD_FETCH(tex2DLayeredLod, (HD_OBJECT, float x, float y, int layer, float level), "tex.level.a2d.v4.u32.f32",
	 "{%5, %6, %7, %7}], %8", "r"(layer), "f"(x), "f"(y), "f"(level))
HD_FETCH(tex1DGrad, (HD_OBJECT, float x, float dx, float dy), "tex.grad.1d.v4.u32.f32", "{%5}], %6, %7", "f"(x), "f"(dx),
	 "f"(dy))
HD_FETCH(tex2DGrad, (HD_OBJECT, float x, float y, float2 dx, float2 dy), "tex.grad.2d.v4.u32.f32",
	 "{%5, %6}], {%7, %8}, {%9, %10}", "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))

/* The level at which a step along the longer gradient is one element. */
HD_HERE float __hd_gradient_level(HD_OBJECT, float4 dx, float4 dy)
{
	const hd_texture *t = (const hd_texture *)object;
	float w = (float)t->size[0], h = (float)t->size[1], d = (float)t->size[2];
	float across = dx.x * dx.x * w * w + dx.y * dx.y * h * h + dx.z * dx.z * d * d;
	float down = dy.x * dy.x * w * w + dy.y * dy.y * h * h + dy.z * dy.z * d * d;
	return 0.5f * log2f(fmaxf(across, down));
}
template <class _T> HD_HERE _T tex3DGrad(HD_OBJECT, float x, float y, float z, float4 dx, float4 dy)
{
	return tex3DLod<_T>(object, x, y, z, __hd_gradient_level(object, dx, dy));
}

/* One channel of the four elements that a filter would take: lower left, lower right, upper right, upper left. */
#define HD_GATHER(channel) \
	HD_FETCH(__hd_gather_##channel, (HD_OBJECT, float x, float y), "tld4." #channel ".2d.v4.u32.f32", "{%5, %6}]", "f"(x), "f"(y))
HD_GATHER(r)
HD_GATHER(g)
HD_GATHER(b)
HD_GATHER(a)
#undef HD_GATHER
template <class _T> HD_HERE _T tex2Dgather(HD_OBJECT, float x, float y, int channel = 0)
{
	switch (channel & 3) {
	case 0: return __hd_gather_r<_T>(object, x, y);
	case 1: return __hd_gather_g<_T>(object, x, y);
	case 2: return __hd_gather_b<_T>(object, x, y);
	default: return __hd_gather_a<_T>(object, x, y);
	}
}
#undef HD_FETCH
#undef HD_OBJECT

/* The older form, which leaves the result in its first argument. */
template <class _T> HD_HERE void tex1Dfetch(_T *result, cudaTextureObject_t object, int x)
{
	*result = tex1Dfetch<_T>(object, x);
}
template <class _T> HD_HERE void tex1D(_T *result, cudaTextureObject_t object, float x)
{
	*result = tex1D<_T>(object, x);
}
template <class _T> HD_HERE void tex2D(_T *result, cudaTextureObject_t object, float x, float y)
{
	*result = tex2D<_T>(object, x, y);
}
template <class _T> HD_HERE void tex3D(_T *result, cudaTextureObject_t object, float x, float y, float z)
{
	*result = tex3D<_T>(object, x, y, z);
}

#undef HD_HERE
#endif
#endif
