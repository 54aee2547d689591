/* Initial values that are refused, each at its place. */
#define TRY(name, text, ...)                               \
	__global__ void name(unsigned *p)                  \
	{                                                  \
		asm volatile(text __VA_ARGS__);            \
	}
TRY(longer, "{ .global .b32 g[2] = {1, 2, 3}; ld.global.b32 %0, [g]; }", : "=r"(*p))
TRY(deeper, "{ .global .b32 g[2] = {{1}, 2}; ld.global.b32 %0, [g]; }", : "=r"(*p))
TRY(shared, "{ .shared .b32 s = 1; ld.shared.b32 %0, [s]; }", : "=r"(*p))
TRY(address, "{ .global .b32 g = 1; .global .u64 a = g; ld.global.b32 %0, [a]; }", : "=r"(*p))
