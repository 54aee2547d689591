// Macros for attributes and for CUDA's words, as projects have them in a header of their own.
#define ALIGN16 alignas(16)
#define Aligned(n) \
	alignas(n)
#define Quiet [[maybe_unused]]
#define SMEM static __shared__
#define TILE(T, name, n) __shared__ ALIGN16 T name[n]
