/*
 * Texture fetches computed by the thread, with ordinary loads: what the texture unit is held against. Addressing,
 * filtering with 8 bits of fraction and conversion as CUDA's programming guide defines them ("Texture Fetching").
 */
namespace software {
#define HD_HERE __device__ static inline

/* The channels of a type that a fetch can return. */
template <class T> struct __hd_texel;
#define HD_TEXEL(type, scalar, n, expression)                      \
	template <> struct __hd_texel<type> {                      \
		typedef scalar element;                            \
		enum { channels = n };                             \
		HD_HERE type make(const scalar *v)                 \
		{                                                  \
			return expression;                         \
		}                                                  \
	};
#define HD_TEXELS(prefix, scalar)                                              \
	HD_TEXEL(scalar, scalar, 1, v[0])                                      \
	HD_TEXEL(prefix##1, scalar, 1, make_##prefix##1(v[0]))                 \
	HD_TEXEL(prefix##2, scalar, 2, make_##prefix##2(v[0], v[1]))           \
	HD_TEXEL(prefix##4, scalar, 4, make_##prefix##4(v[0], v[1], v[2], v[3]))
HD_TEXELS(char, signed char)
HD_TEXEL(char, char, 1, v[0])
HD_TEXELS(uchar, unsigned char)
HD_TEXELS(short, short)
HD_TEXELS(ushort, unsigned short)
HD_TEXELS(int, int)
HD_TEXELS(uint, unsigned int)
HD_TEXELS(float, float)
#undef HD_TEXELS
#undef HD_TEXEL

/* Index i of n elements, brought into range; false outside of a border. */
HD_HERE bool __hd_place(int *i, int n, int mode)
{
	if ((unsigned int)*i < (unsigned int)n)
		return true;
	int period;
	switch (mode) {
	case cudaAddressModeClamp:
		*i = *i < 0 ? 0 : n - 1;
		return true;
	case cudaAddressModeWrap:
		*i %= n;
		*i += *i < 0 ? n : 0;
		return true;
	case cudaAddressModeMirror:
		period = *i % (2 * n);
		period += period < 0 ? 2 * n : 0;
		*i = period < n ? period : 2 * n - 1 - period;
		return true;
	default:
		return false;
	}
}

/* A channel at `at` as an element of the fetch's result. */
template <class E> HD_HERE E __hd_channel(const hd_texture *t, unsigned long long at)
{
	int word;
	if (t->bits == 8)
		word = *(const signed char *)at;
	else if (t->bits == 16)
		word = *(const short *)at;
	else
		word = *(const int *)at;
	unsigned int bits = (unsigned int)word & (0xffffffffu >> (32 - t->bits));
	if (t->kind == cudaChannelFormatKindFloat)
		return (E)(t->bits == 16 ? (float)__builtin_bit_cast(_Float16, (unsigned short)bits)
					 : __builtin_bit_cast(float, bits));
	if (!t->normalized_read)
		return t->kind == cudaChannelFormatKindSigned ? (E)word : (E)bits;
	if (t->kind == cudaChannelFormatKindUnsigned)
		return (E)((float)bits / (t->bits == 8 ? 255.0f : 65535.0f));
	float value = (float)word / (t->bits == 8 ? 127.0f : 32767.0f);
	return (E)(value < -1.0f ? -1.0f : value);
}

/* The element at integer coordinates, which need not be in range. */
template <class E> HD_HERE void __hd_element(const hd_texture *t, int x, int y, int z, int n, E *v)
{
	bool inside = __hd_place(&x, t->size[0], t->address_mode[0]);
	inside &= __hd_place(&y, t->size[1], t->address_mode[1]);
	inside &= __hd_place(&z, t->size[2], t->address_mode[2]);
	unsigned long long at = t->base + z * t->slice + y * t->pitch + (unsigned long long)x * (t->channels * t->bits / 8);
	for (int c = 0; c < n; c++)
		v[c] = c >= t->channels ? (E)(c == 3) : inside ? __hd_channel<E>(t, at + c * (t->bits / 8)) : (E)t->border[c];
}

/* Where a coordinate is between two elements: the lower one, and how far to the upper in steps of 1/256. */
HD_HERE float __hd_between(float x, int *lower)
{
	float below = floorf(x - 0.5f);
	*lower = (int)below;
	return rintf((x - 0.5f - below) * 256.0f) / 256.0f;
}

/* The channels of a fetch in `dims` dimensions; what is further is an index. Called: inlined into each form of fetch it would
 * be compiled for a hundred times. */
template <class E> __device__ __noinline__ static void __hd_sample(const hd_texture *t, int dims, float x, float y, float z, int n, E *v)
{
	if (t->normalized_coords) {
		x *= (float)t->size[0];
		y = dims > 1 ? y * (float)t->size[1] : y;
		z = dims > 2 ? z * (float)t->size[2] : z;
	}
	if (!t->linear) {
		__hd_element<E>(t, (int)floorf(x), (int)floorf(y), (int)floorf(z), n, v);
		return;
	}
	int i, j = (int)y, k = (int)z;
	float across = __hd_between(x, &i), down = dims > 1 ? __hd_between(y, &j) : 0;
	float into = dims > 2 ? __hd_between(z, &k) : 0;
	float sum[4] = {0, 0, 0, 0}, corner[4];
	for (int c = 0; c < 1 << dims; c++) {
		float weight = (c & 1 ? across : 1 - across) * (c & 2 ? down : 1 - down) * (c & 4 ? into : 1 - into);
		__hd_element<float>(t, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1), n, corner);
		for (int e = 0; e < n; e++)
			sum[e] += weight * corner[e];
	}
	for (int e = 0; e < n; e++)
		v[e] = (E)sum[e];
}
template <class T> HD_HERE T __hd_fetch(cudaTextureObject_t object, int dims, float x, float y, float z)
{
	typename __hd_texel<T>::element v[4];
	__hd_sample((const hd_texture *)object, dims, x, y, z, __hd_texel<T>::channels, v);
	return __hd_texel<T>::make(v);
}

/* From the level of a mipmapped array, or between two of them in steps of 1/256. */
template <class T> HD_HERE T __hd_fetch_level(cudaTextureObject_t object, int dims, float x, float y, float z, float level)
{
	typedef typename __hd_texel<T>::element E;
	const int n = __hd_texel<T>::channels;
	const hd_texture *t = (const hd_texture *)object;
	E v[4], next[4];
	level = fminf(fmaxf(level + t->level_bias, t->first_level), t->last_level);
	int lower = (int)(t->linear_levels ? level : level + 0.5f);
	float between = t->linear_levels ? rintf((level - (float)lower) * 256.0f) / 256.0f : 0;
	__hd_sample(t + lower, dims, x, y, z, n, v);
	if (between > 0) {
		__hd_sample(t + lower + 1, dims, x, y, z, n, next);
		for (int e = 0; e < n; e++)
			v[e] = (E)((1 - between) * (float)v[e] + between * (float)next[e]);
	}
	return __hd_texel<T>::make(v);
}
/* The level at which a step along a gradient is one element. */
HD_HERE float __hd_gradient_level(cudaTextureObject_t object, float3 dx, float3 dy)
{
	const hd_texture *t = (const hd_texture *)object;
	float w = (float)t->size[0], h = (float)t->size[1], d = (float)t->size[2];
	float across = dx.x * dx.x * w * w + dx.y * dx.y * h * h + dx.z * dx.z * d * d;
	float down = dy.x * dy.x * w * w + dy.y * dy.y * h * h + dy.z * dy.z * d * d;
	return 0.5f * log2f(fmaxf(across, down));
}

HD_HERE float __hd_layer(cudaTextureObject_t object, int layer)
{
	int last = ((const hd_texture *)object)->size[2] - 1;
	return (float)(layer < 0 ? 0 : layer > last ? last : layer);
}

/* Linear memory: an index, and zero outside. */
template <class T> HD_HERE T tex1Dfetch(cudaTextureObject_t object, int x)
{
	typedef typename __hd_texel<T>::element E;
	const hd_texture *t = (const hd_texture *)object;
	E v[4] = {};
	if ((unsigned int)x < (unsigned int)t->size[0])
		__hd_element<E>(t, x, 0, 0, __hd_texel<T>::channels, v);
	return __hd_texel<T>::make(v);
}

#define HD_FETCH(name, parameters, dims, x, y, z)                                     \
	template <class T> HD_HERE T name parameters                                  \
	{                                                                             \
		return __hd_fetch<T>(object, dims, x, y, z);                          \
	}
#define HD_OBJECT cudaTextureObject_t object
HD_FETCH(tex1D, (HD_OBJECT, float x), 1, x, 0, 0)
HD_FETCH(tex2D, (HD_OBJECT, float x, float y), 2, x, y, 0)
HD_FETCH(tex3D, (HD_OBJECT, float x, float y, float z), 3, x, y, z)
HD_FETCH(tex1DLayered, (HD_OBJECT, float x, int layer), 1, x, 0, __hd_layer(object, layer))
HD_FETCH(tex2DLayered, (HD_OBJECT, float x, float y, int layer), 2, x, y, __hd_layer(object, layer))
#undef HD_FETCH

#define HD_FETCH(name, parameters, dims, x, y, z, level)                               \
	template <class T> HD_HERE T name parameters                                  \
	{                                                                             \
		return __hd_fetch_level<T>(object, dims, x, y, z, level);             \
	}
HD_FETCH(tex1DLod, (HD_OBJECT, float x, float level), 1, x, 0, 0, level)
HD_FETCH(tex2DLod, (HD_OBJECT, float x, float y, float level), 2, x, y, 0, level)
HD_FETCH(tex3DLod, (HD_OBJECT, float x, float y, float z, float level), 3, x, y, z, level)
HD_FETCH(tex1DLayeredLod, (HD_OBJECT, float x, int layer, float level), 1, x, 0, __hd_layer(object, layer), level)
HD_FETCH(tex2DLayeredLod, (HD_OBJECT, float x, float y, int layer, float level), 2, x, y, __hd_layer(object, layer),
	 level)
HD_FETCH(tex1DGrad, (HD_OBJECT, float x, float dx, float dy), 1, x, 0, 0,
	 __hd_gradient_level(object, make_float3(dx, 0, 0), make_float3(dy, 0, 0)))
HD_FETCH(tex2DGrad, (HD_OBJECT, float x, float y, float2 dx, float2 dy), 2, x, y, 0,
	 __hd_gradient_level(object, make_float3(dx.x, dx.y, 0), make_float3(dy.x, dy.y, 0)))
HD_FETCH(tex3DGrad, (HD_OBJECT, float x, float y, float z, float4 dx, float4 dy), 3, x, y, z,
	 __hd_gradient_level(object, make_float3(dx.x, dx.y, dx.z), make_float3(dy.x, dy.y, dy.z)))
#undef HD_FETCH
#undef HD_OBJECT

/* One channel of the four elements that a filter would take: lower left, lower right, upper right, upper left. */
template <class T> HD_HERE T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0)
{
	typedef typename __hd_texel<T>::element E;
	const hd_texture *t = (const hd_texture *)object;
	E v[4], element[4];
	int i, j;
	__hd_between(t->normalized_coords ? x * (float)t->size[0] : x, &i);
	__hd_between(t->normalized_coords ? y * (float)t->size[1] : y, &j);
	for (int c = 0; c < 4; c++) {
		__hd_element<E>(t, i + (c == 1 || c == 2), j + (c < 2), 0, 4, element);
		v[c] = element[channel & 3];
	}
	return __hd_texel<T>::make(v);
}

#undef HD_HERE
}
