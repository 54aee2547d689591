/*
 * Loads and stores of global memory with a cache operator (__ldcg, __stcs, ...), for every type that CUDA C++ has them
 * for. Each is the PTX instruction of its name.
 */
#ifndef HEDDLE_CUDA_CACHE_H
#define HEDDLE_CUDA_CACHE_H

/* T: the type; E: of its elements, as in the program; S: the element's PTX type; C and U: its constraint and register
 * type. */
#define HD_LOAD_1(op, T, S, C, U)                                                                 \
	__device__ static inline T __ld##op(const T *p)                                           \
	{                                                                                         \
		U v;                                                                              \
		asm volatile("ld.global." #op "." S " %0, [%1];" : "=" C(v) : "l"(p) : "memory"); \
		return (T)v;                                                                      \
	}
#define HD_LOAD_2(op, T, E, S, C, U)                                                                                 \
	__device__ static inline T __ld##op(const T *p)                                                              \
	{                                                                                                            \
		U x, y;                                                                                              \
		asm volatile("ld.global." #op ".v2." S " {%0, %1}, [%2];" : "=" C(x), "=" C(y) : "l"(p) : "memory"); \
		T v = {(E)x, (E)y};                                                                                  \
		return v;                                                                                            \
	}
#define HD_LOAD_4(op, T, E, S, C, U)                                              \
	__device__ static inline T __ld##op(const T *p)                           \
	{                                                                         \
		U x, y, z, w;                                                     \
		asm volatile("ld.global." #op ".v4." S " {%0, %1, %2, %3}, [%4];" \
			     : "=" C(x), "=" C(y), "=" C(z), "=" C(w)             \
			     : "l"(p)                                             \
			     : "memory");                                         \
		T v = {(E)x, (E)y, (E)z, (E)w};                                   \
		return v;                                                         \
	}
#define HD_STORE_1(op, T, S, C, U)                                                              \
	__device__ static inline void __st##op(T *p, T v)                                       \
	{                                                                                       \
		asm volatile("st.global." #op "." S " [%0], %1;" ::"l"(p), C((U)v) : "memory"); \
	}
#define HD_STORE_2(op, T, E, S, C, U)                                                                                 \
	__device__ static inline void __st##op(T *p, T v)                                                             \
	{                                                                                                             \
		asm volatile("st.global." #op ".v2." S " [%0], {%1, %2};" ::"l"(p), C((U)v.x), C((U)v.y) : "memory"); \
	}
#define HD_STORE_4(op, T, E, S, C, U)                                                                             \
	__device__ static inline void __st##op(T *p, T v)                                                         \
	{                                                                                                         \
		asm volatile("st.global." #op ".v4." S " [%0], {%1, %2, %3, %4};" ::"l"(p), C((U)v.x), C((U)v.y), \
			     C((U)v.z), C((U)v.w)                                                                 \
			     : "memory");                                                                         \
	}

#define HD_CACHED(what, op)                                                                                                  \
	HD_##what##_1(op, char, "s8", "r", int) HD_##what##_1(op, signed char, "s8", "r", int) HD_##what##_1(                \
		op, unsigned char, "u8", "r",                                                                                \
		unsigned int) HD_##what##_1(op, short, "s16", "h",                                                           \
					    short) HD_##what##_1(op, unsigned short, "u16", "h",                             \
								 unsigned short) HD_##what##_1(op, int, "s32", "r",          \
											       int)                          \
		HD_##what##_1(op, unsigned int, "u32", "r", unsigned int) HD_##what##_1(                                     \
			op, long, "s64", "l", long) HD_##what##_1(op, unsigned long, "u64", "l",                             \
								  unsigned long) HD_##what##_1(op, long long, "s64",         \
											       "l", long long)               \
			HD_##what##_1(op, unsigned long long, "u64", "l", unsigned long long) HD_##what##_1(                 \
				op, float, "f32",                                                                            \
				"f", float) HD_##what##_1(op, double, "f64",                                                 \
							  "d", double) HD_##what##_2(op, char2, signed char, "s8", "r", int) \
				HD_##what##_2(op, uchar2, unsigned char, "u8", "r", unsigned int) HD_##what##_2(             \
					op, short2, short, "s16", "h",                                                       \
					short) HD_##what##_2(op, ushort2, unsigned short, "u16", "h", unsigned short)        \
					HD_##what##_2(op, int2, int, "s32", "r",                                             \
						      int) HD_##what##_2(op, uint2, unsigned int, "u32", "r",                \
									 unsigned int)                                       \
						HD_##what##_2(op, longlong2, long long, "s64", "l",                          \
							      long long) HD_##what##_2(op, ulonglong2,                       \
										       unsigned long long, "u64", "l",       \
										       unsigned long long)                   \
							HD_##what##_2(op, float2, float, "f32", "f",                         \
								      float) HD_##what##_2(op, double2, double, "f64",       \
											   "d", double)                      \
								HD_##what##_4(op, char4, signed char, "s8", "r",             \
									      int) HD_##what##_4(op, uchar4,                 \
												 unsigned char,              \
												 "u8", "r", unsigned int)    \
									HD_##what##_4(op, short4, short, "s16", "h",         \
										      short)                                 \
										HD_##what##_4(op, ushort4,                   \
											      unsigned short,                \
											      "u16", "h",                    \
											      unsigned short)                \
											HD_##what##_4(op, int4, int,         \
												      "s32", "r", int)       \
												HD_##what##_4(               \
													op, uint4,           \
													unsigned int,        \
													"u32", "r",          \
													unsigned int)        \
													HD_##what##_4(       \
														op,          \
														float4,      \
														float,       \
														"f32",       \
														"f",         \
														float)

HD_CACHED(LOAD, ca)
HD_CACHED(LOAD, cg)
HD_CACHED(LOAD, cs)
HD_CACHED(LOAD, cv)
HD_CACHED(LOAD, lu)
HD_CACHED(STORE, cg)
HD_CACHED(STORE, cs)
HD_CACHED(STORE, wb)
HD_CACHED(STORE, wt)

#undef HD_CACHED
#undef HD_LOAD_1
#undef HD_LOAD_2
#undef HD_LOAD_4
#undef HD_STORE_1
#undef HD_STORE_2
#undef HD_STORE_4

#endif
