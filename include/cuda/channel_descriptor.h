/* cudaCreateChannelDesc<T>(): the format of elements of a scalar or vector type. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#if defined(__cplusplus)

#include "cuda_runtime_api.h"

template <class _T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define HD_CHANNELS(type, channels, element, kind)                                                                      \
	template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()                                          \
	{                                                                                                               \
		int bits = 8 * (int)sizeof(element);                                                                    \
		return cudaCreateChannelDesc(bits, (channels) > 1 ? bits : 0, (channels) > 2 ? bits : 0,                \
					     (channels) > 3 ? bits : 0, cudaChannelFormatKind##kind);                   \
	}
#define HD_VECTORS(prefix, element, kind)              \
	HD_CHANNELS(prefix##1, 1, element, kind)       \
	HD_CHANNELS(prefix##2, 2, element, kind)       \
	HD_CHANNELS(prefix##3, 3, element, kind)       \
	HD_CHANNELS(prefix##4, 4, element, kind)
HD_CHANNELS(char, 1, char, Signed)
HD_CHANNELS(signed char, 1, char, Signed)
HD_CHANNELS(unsigned char, 1, char, Unsigned)
HD_CHANNELS(short, 1, short, Signed)
HD_CHANNELS(unsigned short, 1, short, Unsigned)
HD_CHANNELS(int, 1, int, Signed)
HD_CHANNELS(unsigned int, 1, int, Unsigned)
HD_CHANNELS(float, 1, float, Float)
HD_VECTORS(char, char, Signed)
HD_VECTORS(uchar, char, Unsigned)
HD_VECTORS(short, short, Signed)
HD_VECTORS(ushort, short, Unsigned)
HD_VECTORS(int, int, Signed)
HD_VECTORS(uint, int, Unsigned)
HD_VECTORS(float, float, Float)
#undef HD_VECTORS
#undef HD_CHANNELS

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

#endif
#endif
