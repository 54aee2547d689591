import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a, b, c, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    column = tl.program_id(0)
    row = tl.program_id(1)
    a_at = a + (row * M + tl.arange(0, M))[:, None] * k + tl.arange(0, K)[None, :]
    b_at = b + tl.arange(0, K)[:, None] * n + (column * N + tl.arange(0, N))[None, :]
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, k, K):
        x = tl.load(a_at)
        y = tl.load(b_at)
        total = tl.dot(x, y, total)
        a_at += K
        b_at += K * n
    c_at = c + (row * M + tl.arange(0, M))[:, None] * n + (column * N + tl.arange(0, N))[None, :]
    tl.store(c_at, total)
