/* Initial values that are refused, each at its place. */
#define TRY(name, text, ...)                               \
	__global__ void name(unsigned *p)                  \
	{                                                  \
		asm volatile(text __VA_ARGS__);            \
	}
TRY(longer, "{ .global .b32 g[2] = {1, 2, 3}; ld.global.b32 %0, [g]; }", : "=r"(*p))
TRY(deeper, "{ .global .b32 g[2] = {{1}, 2}; ld.global.b32 %0, [g]; }", : "=r"(*p))
TRY(shared, "{ .shared .b32 s = 1; ld.shared.b32 %0, [s]; }", : "=r"(*p))
TRY(narrow, "{ .global .b32 g = 1; .global .u32 a = g; ld.global.b32 %0, [a]; }", : "=r"(*p))
TRY(real, "{ .global .b32 g = 1; .global .f64 a = g; ld.global.b32 %0, [a]; }", : "=r"(*p))
TRY(mask, "{ .global .b32 g; .global .u8 a[2] = {0xfff(g)}; ld.global.u8 %0, [a]; }", : "=r"(*p))
