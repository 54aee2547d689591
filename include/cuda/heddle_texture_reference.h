/*
 * Texture references, which CUDA 12 has no more: `texture<float, 2> t;` at file scope, bound by the host and named by
 * device code. For sources compiled with -heddle-texture-references. The device has a handle under the variable's name,
 * and fetches are those of texture objects (texture_indirect_functions.h).
 */
#ifndef HEDDLE_TEXTURE_REFERENCE_H
#define HEDDLE_TEXTURE_REFERENCE_H

#include "driver_types.h"
#include "texture_types.h"

/* As the host sets it, before or after binding: it counts at the next launch. */
struct __attribute__((aligned(8))) textureReference {
	int normalized;
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureAddressMode addressMode[3];
	struct cudaChannelFormatDesc channelDesc;
	int sRGB;
	unsigned int maxAnisotropy;
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias;
	float minMipmapLevelClamp;
	float maxMipmapLevelClamp;
	int disableTrilinearOptimization;
	int __cudaReserved[14];
};
typedef struct textureReference textureReference;

#if defined(__cplusplus)
extern "C" {
#endif
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref, const void *devPtr,
			    const struct cudaChannelFormatDesc *desc, size_t size);
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *texref, const void *devPtr,
			      const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array,
				   const struct cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const struct textureReference *texref);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *texref);
cudaError_t cudaGetTextureReference(const struct textureReference **texref, const void *symbol);
#if !defined(__CUDA__)
void __cudaRegisterTexture(void **fatCubinHandle, const struct textureReference *hostVar, const void **deviceAddress,
			   const char *deviceName, int dim, int norm, int ext);
#endif
#if defined(__cplusplus)
}
#endif

#if defined(__cplusplus) && defined(__CUDA__)

template <class _T, int _Dimensions = cudaTextureType1D, enum cudaTextureReadMode _Mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
	__host__ texture(int norm = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
			 enum cudaTextureAddressMode address = cudaAddressModeClamp)
		: textureReference()
	{
		normalized = norm;
		filterMode = filter;
		addressMode[0] = addressMode[1] = addressMode[2] = address;
		channelDesc = cudaCreateChannelDesc<_T>();
	}
	__host__ texture(int norm, enum cudaTextureFilterMode filter, enum cudaTextureAddressMode address,
			 struct cudaChannelFormatDesc desc)
		: texture(norm, filter, address)
	{
		channelDesc = desc;
	}
};

/* What a fetch gives: elements as they are, or floats between -1 and 1. */
template <class _T, enum cudaTextureReadMode _Mode> struct __hd_fetched {
	typedef _T type;
};
#define HD_FETCHED(type_, float_)                                                \
	template <> struct __hd_fetched<type_, cudaReadModeNormalizedFloat> {    \
		typedef float_ type;                                             \
	};
#define HD_FETCHED_ALL(scalar, prefix)                                           \
	HD_FETCHED(scalar, float)                                                \
	HD_FETCHED(prefix##1, float1) HD_FETCHED(prefix##2, float2) HD_FETCHED(prefix##4, float4)
HD_FETCHED_ALL(signed char, char)
HD_FETCHED_ALL(unsigned char, uchar)
HD_FETCHED_ALL(short, short)
HD_FETCHED_ALL(unsigned short, ushort)
HD_FETCHED(char, float)
#undef HD_FETCHED_ALL
#undef HD_FETCHED

/* On the device the parameter is the handle itself. */
#define HD_TEXTURE_FETCH(name, dimensions, parameters, ...)                                                     \
	template <class _T, enum cudaTextureReadMode _Mode>                                                     \
	__device__ static inline typename __hd_fetched<_T, _Mode>::type name(texture<_T, dimensions, _Mode> t,  \
									   parameters)                          \
	{                                                                                                       \
		cudaTextureObject_t object = *(const cudaTextureObject_t *)(const void *)&t;                    \
		return name<typename __hd_fetched<_T, _Mode>::type>(object, __VA_ARGS__);                       \
	}
#define HD_COMMA ,
HD_TEXTURE_FETCH(tex1Dfetch, cudaTextureType1D, int x, x)
HD_TEXTURE_FETCH(tex1D, cudaTextureType1D, float x, x)
HD_TEXTURE_FETCH(tex2D, cudaTextureType2D, float x HD_COMMA float y, x, y)
HD_TEXTURE_FETCH(tex3D, cudaTextureType3D, float x HD_COMMA float y HD_COMMA float z, x, y, z)
HD_TEXTURE_FETCH(tex1DLayered, cudaTextureType1DLayered, float x HD_COMMA int layer, x, layer)
HD_TEXTURE_FETCH(tex2DLayered, cudaTextureType2DLayered, float x HD_COMMA float y HD_COMMA int layer, x, y, layer)
HD_TEXTURE_FETCH(tex2DLod, cudaTextureType2D, float x HD_COMMA float y HD_COMMA float level, x, y, level)
#undef HD_COMMA
#undef HD_TEXTURE_FETCH

template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<_T, _D, _M> &tex, const void *devPtr,
					  const struct cudaChannelFormatDesc &desc, size_t size = UINT_MAX)
{
	return ::cudaBindTexture(offset, (const textureReference *)&tex, devPtr, &desc, size);
}
template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<_T, _D, _M> &tex, const void *devPtr,
					  size_t size = UINT_MAX)
{
	return cudaBindTexture(offset, tex, devPtr, tex.channelDesc, size);
}
template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<_T, _D, _M> &tex, const void *devPtr,
					    const struct cudaChannelFormatDesc &desc, size_t width, size_t height,
					    size_t pitch)
{
	return ::cudaBindTexture2D(offset, (const textureReference *)&tex, devPtr, &desc, width, height, pitch);
}
template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<_T, _D, _M> &tex, const void *devPtr,
					    size_t width, size_t height, size_t pitch)
{
	return cudaBindTexture2D(offset, tex, devPtr, tex.channelDesc, width, height, pitch);
}
template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaBindTextureToArray(const texture<_T, _D, _M> &tex, cudaArray_const_t array,
						 const struct cudaChannelFormatDesc &desc)
{
	return ::cudaBindTextureToArray((const textureReference *)&tex, array, &desc);
}
template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaBindTextureToArray(const texture<_T, _D, _M> &tex, cudaArray_const_t array)
{
	struct cudaChannelFormatDesc desc;
	cudaError_t error = ::cudaGetChannelDesc(&desc, array);
	return error == cudaSuccess ? cudaBindTextureToArray(tex, array, desc) : error;
}
template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaUnbindTexture(const texture<_T, _D, _M> &tex)
{
	return ::cudaUnbindTexture((const textureReference *)&tex);
}
template <class _T, int _D, enum cudaTextureReadMode _M>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const texture<_T, _D, _M> &tex)
{
	return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&tex);
}

#endif
#endif
