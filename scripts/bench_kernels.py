"""Writes the generated half of `make bench-ptxas`: over 200 CUDA kernels of mixed shapes, always the same ones.

Each family below is a function that yields kernels, (name, text) pairs; a family becomes one .cu file of the directory
that is the only argument; `separate/` holds two modules that are linked together. The shapes are those of the suites: what varies inside a family is what a compiler decides
on (number of pointers, trip counts, live values, types). Nothing here runs: only the code is compared.
"""
import os
import sys

HEAD = '#include <cuda_runtime.h>\n#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)\n\n'


def kernel(name, parameters, body, before='', bounds=''):
    return name, f'{before}extern "C" __global__ void {bounds}{name}({parameters})\n{{\n{body}\n}}\n'



def streaming():
    """One element a thread from n arrays: a pointer pair for each."""
    for n in range(1, 13):
        for kind in ('float', 'double') if n < 7 else ('float',):
            parameters = ', '.join(f'const {kind} *p{i}' for i in range(n)) + f', {kind} *out, int n'
            total = ' + '.join(f'p{i}[i] * {i + 1}' for i in range(n))
            yield kernel(f'stream_{kind}_{n}', parameters, f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = {total};')
    for n in (1, 2, 4):
        stores = ' '.join(f'o{i}[i] = v * {i + 2}.0f;' for i in range(n))
        yield kernel(f'scatter_out_{n}', 'const float *in, ' + ', '.join(f'float *o{i}' for i in range(n)) + ', int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat v = in[i];\n\t{stores}')
    for n in (1, 2, 4):
        restrict = ', '.join(f'const float *__restrict__ p{i}' for i in range(n))
        total = ' + '.join(f'p{i}[i]' for i in range(n))
        yield kernel(f'grid_stride_{n}', restrict + ', float *__restrict__ out, int n',
                     '\tfor (int i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)\n' f'\t\tout[i] = {total};')


def stencils():
    for kind in ('float', 'double'):
        for radius in (1, 2, 3, 4, 8):
            taps = ' + '.join(f'in[i + {k}] * {abs(k) + 1}' for k in range(-radius, radius + 1))
            yield kernel(f'stencil1d_{kind}_{radius}', f'const {kind} *in, {kind} *out, int n',
                         f'\tint i = GLOBAL_ID;\n\tif (i >= {radius} && i < n - {radius})\n\t\tout[i] = {taps};')
    for name, points in {'5': [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)],
                         '9': [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)],
                         '25': [(a, b) for a in range(-2, 3) for b in range(-2, 3)]}.items():
        taps = ' + '.join(f'in[(y + {a}) * width + x + {b}]' for a, b in points)
        yield kernel(f'stencil2d_{name}', 'const float *in, float *out, int width, int height',
                     '\tint x = GLOBAL_ID, y = blockIdx.y * blockDim.y + threadIdx.y;\n'
                     '\tif (x > 1 && y > 1 && x < width - 2 && y < height - 2)\n'
                     f'\t\tout[y * width + x] = ({taps}) / {len(points)}.0f;')
    for kind in ('float', 'double'):
        yield kernel(f'stencil3d_{kind}', f'const {kind} *in, {kind} *out, int nx, int ny, int nz',
                     '\tint x = GLOBAL_ID, y = blockIdx.y * blockDim.y + threadIdx.y;\n'
                     '\tif (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)\n\t\treturn;\n'
                     '\tfor (int z = 1; z < nz - 1; z++) {\n\t\tint i = (z * ny + y) * nx + x;\n'
                     '\t\tout[i] = in[i] * 6 - in[i - 1] - in[i + 1] - in[i - nx] - in[i + nx] - in[i - nx * ny] -\n'
                     '\t\t\t in[i + nx * ny];\n\t}')
    yield kernel('hotspot', 'const float *power, const float *temp, float *out, int w, int h, float rx, float ry, float rz',
                 '\tint x = GLOBAL_ID, y = blockIdx.y * blockDim.y + threadIdx.y;\n\tif (x >= w || y >= h)\n\t\treturn;\n'
                 '\tint c = y * w + x, n = y ? c - w : c, s = y < h - 1 ? c + w : c, l = x ? c - 1 : c;\n'
                 '\tint r = x < w - 1 ? c + 1 : c;\n\tfloat t = temp[c];\n'
                 '\tout[c] = t + power[c] + (temp[n] + temp[s] - 2 * t) * ry + (temp[l] + temp[r] - 2 * t) * rx +\n'
                 '\t\t (80.0f - t) * rz;')


def reductions():
    operations = {'sum': 'a + b', 'max': 'a > b ? a : b', 'mul': 'a * b'}
    for kind in ('float', 'double', 'int'):
        for name, operation in operations.items():
            before = f'static __device__ inline {kind} op_{kind}_{name}({kind} a, {kind} b) {{ return {operation}; }}\n'
            op = f'op_{kind}_{name}'
            yield kernel(f'reduce_{kind}_{name}', f'const {kind} *in, {kind} *out, int n',
                         f'\t__shared__ {kind} part[256];\n\t{kind} v = in[0];\n'
                         f'\tfor (int i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)\n\t\tv = {op}(v, in[i]);\n'
                         '\tpart[threadIdx.x] = v;\n\t__syncthreads();\n\tfor (int s = 128; s > 0; s >>= 1) {\n'
                         f'\t\tif (threadIdx.x < s)\n\t\t\tpart[threadIdx.x] = {op}(part[threadIdx.x], '
                         'part[threadIdx.x + s]);\n\t\t__syncthreads();\n\t}\n\tif (!threadIdx.x)\n'
                         '\t\tout[blockIdx.x] = part[0];', before)
    for kind in ('float', 'int'):
        yield kernel(f'warp_reduce_{kind}', f'const {kind} *in, {kind} *out, int n',
                     f'\tint i = GLOBAL_ID;\n\t{kind} v = i < n ? in[i] : 0;\n'
                     '\tfor (int d = 16; d; d >>= 1)\n\t\tv += __shfl_down_sync(~0u, v, d);\n'
                     '\tif (!(threadIdx.x & 31))\n\t\tatomicAdd(out, v);')
    yield kernel('dot', 'const float *a, const float *b, float *out, int n',
                 '\tfloat s = 0;\n\tfor (int i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)\n\t\ts += a[i] * b[i];\n'
                 '\tatomicAdd(out, s);')
    yield kernel('mean_variance', 'const float *in, float *mean, float *variance, int rows, int columns',
                 '\tint r = GLOBAL_ID;\n\tif (r >= rows)\n\t\treturn;\n\tfloat s = 0, q = 0;\n'
                 '\tfor (int c = 0; c < columns; c++) {\n\t\tfloat v = in[r * columns + c];\n\t\ts += v;\n\t\tq += v * v;\n'
                 '\t}\n\ts /= columns;\n\tmean[r] = s;\n\tvariance[r] = q / columns - s * s;')


def gemm():
    for kind in ('float', 'double', 'int'):
        yield kernel(f'gemm_naive_{kind}', f'const {kind} *a, const {kind} *b, {kind} *c, int n',
                     f'\tint x = GLOBAL_ID, y = blockIdx.y * blockDim.y + threadIdx.y;\n\tif (x >= n || y >= n)\n'
                     f'\t\treturn;\n\t{kind} s = 0;\n\tfor (int k = 0; k < n; k++)\n\t\ts += a[y * n + k] * b[k * n + x];\n'
                     '\tc[y * n + x] = s;')
    for tile in (8, 16, 32):
        yield kernel(f'gemm_tile_{tile}', 'const float *a, const float *b, float *c, int n',
                     f'\t__shared__ float ta[{tile}][{tile}], tb[{tile}][{tile}];\n'
                     f'\tint tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * {tile} + tx, y = blockIdx.y * {tile} + ty;\n'
                     f'\tfloat s = 0;\n\tfor (int k = 0; k < n; k += {tile}) {{\n'
                     '\t\tta[ty][tx] = a[y * n + k + tx];\n\t\ttb[ty][tx] = b[(k + ty) * n + x];\n\t\t__syncthreads();\n'
                     f'\t\tfor (int j = 0; j < {tile}; j++)\n\t\t\ts += ta[ty][j] * tb[j][tx];\n\t\t__syncthreads();\n'
                     '\t}\n\tc[y * n + x] = s;')
    for rows, columns in ((2, 2), (4, 2), (4, 4), (8, 4), (8, 8)):
        yield kernel(f'gemm_block_{rows}x{columns}', 'const float *a, const float *b, float *c, int n',
                     f'\tint x = GLOBAL_ID * {columns}, y = (blockIdx.y * blockDim.y + threadIdx.y) * {rows};\n'
                     f'\tfloat s[{rows}][{columns}] = {{}};\n\tfor (int k = 0; k < n; k++)\n'
                     f'\t\tfor (int i = 0; i < {rows}; i++)\n\t\t\tfor (int j = 0; j < {columns}; j++)\n'
                     '\t\t\t\ts[i][j] += a[(y + i) * n + k] * b[k * n + x + j];\n'
                     f'\tfor (int i = 0; i < {rows}; i++)\n\t\tfor (int j = 0; j < {columns}; j++)\n'
                     '\t\t\tc[(y + i) * n + x + j] = s[i][j];')
    for order in ('row', 'column'):
        at = 'i * n + j' if order == 'row' else 'j * n + i'
        yield kernel(f'gemv_{order}', 'const float *a, const float *x, float *y, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat s = 0;\n\tfor (int j = 0; j < n; j++)\n'
                     f'\t\ts += a[{at}] * x[j];\n\ty[i] = s;')


def gathers():
    for depth in (1, 2, 3, 4):
        at = 'i'
        for _ in range(depth):
            at = f'index[{at}]'
        yield kernel(f'gather_{depth}', 'const int *index, const float *in, float *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = in[{at}];')
    yield kernel('scatter', 'const int *index, const float *in, float *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[index[i]] = in[i];')
    yield kernel('spmv', 'const int *row, const int *column, const float *value, const float *x, float *y, int n',
                 '\tint r = GLOBAL_ID;\n\tif (r >= n)\n\t\treturn;\n\tfloat s = 0;\n'
                 '\tfor (int i = row[r]; i < row[r + 1]; i++)\n\t\ts += value[i] * x[column[i]];\n\ty[r] = s;')
    yield kernel('bfs_step', 'const int *row, const int *edge, int *level, int *changed, int n, int now',
                 '\tint v = GLOBAL_ID;\n\tif (v >= n || level[v] != now)\n\t\treturn;\n'
                 '\tfor (int e = row[v]; e < row[v + 1]; e++) {\n\t\tint to = edge[e];\n\t\tif (level[to] < 0) {\n'
                 '\t\t\tlevel[to] = now + 1;\n\t\t\t*changed = 1;\n\t\t}\n\t}')
    yield kernel('pagerank', 'const int *row, const int *edge, const float *rank, const int *degree, float *out, int n',
                 '\tint v = GLOBAL_ID;\n\tif (v >= n)\n\t\treturn;\n\tfloat s = 0;\n'
                 '\tfor (int e = row[v]; e < row[v + 1]; e++)\n\t\ts += rank[edge[e]] / degree[edge[e]];\n'
                 '\tout[v] = 0.15f / n + 0.85f * s;')
    yield kernel('list_walk', 'const int *next, int *out, int n, int steps',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tint at = i;\n'
                 '\tfor (int k = 0; k < steps; k++)\n\t\tat = next[at];\n\tout[i] = at;')
    yield kernel('binary_search', 'const int *sorted, const int *keys, int *out, int n, int m',
                 '\tint i = GLOBAL_ID;\n\tif (i >= m)\n\t\treturn;\n\tint low = 0, high = n, key = keys[i];\n'
                 '\twhile (low < high) {\n\t\tint middle = (low + high) / 2;\n\t\tif (sorted[middle] < key)\n'
                 '\t\t\tlow = middle + 1;\n\t\telse\n\t\t\thigh = middle;\n\t}\n\tout[i] = low;')
    yield kernel('transpose_naive', 'const float *in, float *out, int w, int h',
                 '\tint x = GLOBAL_ID, y = blockIdx.y * blockDim.y + threadIdx.y;\n\tif (x < w && y < h)\n'
                 '\t\tout[x * h + y] = in[y * w + x];')


def counting():
    for kind in ('unsigned char', 'int'):
        tag = kind.split()[-1]
        yield kernel(f'histogram_{tag}', f'const {kind} *in, int *bins, int n',
                     '\tfor (int i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)\n\t\tatomicAdd(&bins[in[i] & 255], 1);')
        yield kernel(f'histogram_shared_{tag}', f'const {kind} *in, int *bins, int n',
                     '\t__shared__ int part[256];\n\tpart[threadIdx.x] = 0;\n\t__syncthreads();\n'
                     '\tfor (int i = GLOBAL_ID; i < n; i += gridDim.x * blockDim.x)\n\t\tatomicAdd(&part[in[i] & 255], 1);\n'
                     '\t__syncthreads();\n\tatomicAdd(&bins[threadIdx.x], part[threadIdx.x]);')
    yield kernel('count_if', 'const float *in, int *out, int n, float limit',
                 '\tint i = GLOBAL_ID;\n\tint hit = i < n && in[i] > limit;\n\tint c = __popc(__ballot_sync(~0u, hit));\n'
                 '\tif (!(threadIdx.x & 31))\n\t\tatomicAdd(out, c);')
    yield kernel('compact', 'const float *in, float *out, int *count, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n && in[i] > 0.0f)\n\t\tout[atomicAdd(count, 1)] = in[i];')
    for op in ('Max', 'Min', 'Xor', 'Exch'):
        yield kernel(f'atomic_{op.lower()}', 'const int *in, int *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tatomic{op}(out + (i & 15), in[i]);')
    yield kernel('atomic_cas_add', 'const double *in, unsigned long long *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tunsigned long long old = *out, seen;\n\tdo {\n'
                 '\t\tseen = old;\n\t\told = atomicCAS(out, seen, __double_as_longlong(in[i] + __longlong_as_double(seen)));\n'
                 '\t} while (seen != old);')


def transcendental():
    for name in ('expf', 'logf', 'sqrtf', 'rsqrtf', 'exp2f', 'log2f', 'fabsf', 'floorf'):
        yield kernel(f'map_{name}', 'const float *in, float *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = {name}(in[i]);')
    for name in ('__expf', '__logf', '__sinf', '__cosf'):
        yield kernel(f'fast{name}', 'const float *in, float *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = {name}(in[i]) + {name}(in[i] * 2.0f);')
    yield kernel('divide', 'const float *a, const float *b, float *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = a[i] / b[i];')
    yield kernel('fast_divide', 'const float *a, const float *b, float *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = __fdividef(a[i], b[i]);')
    yield kernel('black_scholes', 'const float *price, const float *strike, const float *years, float *call, float *put, '
                 'int n, float rate, float sigma',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n'
                 '\tfloat s = price[i], x = strike[i], t = years[i], root = sqrtf(t);\n'
                 '\tfloat d1 = (__logf(s / x) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root);\n'
                 '\tfloat d2 = d1 - sigma * root;\n\tfloat k = 1.0f / (1.0f + 0.2316419f * fabsf(d1));\n'
                 '\tfloat c1 = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * -1.821255978f)));\n'
                 '\tc1 *= 0.39894228f * __expf(-0.5f * d1 * d1);\n\tk = 1.0f / (1.0f + 0.2316419f * fabsf(d2));\n'
                 '\tfloat c2 = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * -1.821255978f)));\n'
                 '\tc2 *= 0.39894228f * __expf(-0.5f * d2 * d2);\n\tfloat e = __expf(-rate * t);\n'
                 '\tcall[i] = s * c1 - x * e * c2;\n\tput[i] = x * e * (1.0f - c2) - s * (1.0f - c1);')
    yield kernel('nbody', 'const float4 *bodies, float4 *force, int n, float soft',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat4 me = bodies[i];\n\tfloat x = 0, y = 0, z = 0;\n'
                 '\tfor (int j = 0; j < n; j++) {\n\t\tfloat4 b = bodies[j];\n'
                 '\t\tfloat dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;\n'
                 '\t\tfloat r = rsqrtf(dx * dx + dy * dy + dz * dz + soft);\n\t\tr = b.w * r * r * r;\n'
                 '\t\tx += dx * r;\n\t\ty += dy * r;\n\t\tz += dz * r;\n\t}\n\tforce[i] = make_float4(x, y, z, 0);')
    yield kernel('softmax', 'const float *in, float *out, int rows, int columns',
                 '\tint r = GLOBAL_ID;\n\tif (r >= rows)\n\t\treturn;\n\tfloat top = -1e30f, s = 0;\n'
                 '\tfor (int c = 0; c < columns; c++)\n\t\ttop = fmaxf(top, in[r * columns + c]);\n'
                 '\tfor (int c = 0; c < columns; c++)\n\t\ts += __expf(in[r * columns + c] - top);\n'
                 '\tfor (int c = 0; c < columns; c++)\n\t\tout[r * columns + c] = __expf(in[r * columns + c] - top) / s;')


def hashing():
    for rounds in (1, 2, 4, 8, 16, 32):
        yield kernel(f'murmur_{rounds}', 'const unsigned *in, unsigned *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tunsigned h = in[i];\n#pragma unroll\n'
                     f'\tfor (int r = 0; r < {rounds}; r++) {{\n\t\th ^= h >> 16;\n\t\th *= 0x85ebca6bu;\n\t\th ^= h >> 13;\n'
                     '\t\th *= 0xc2b2ae35u;\n\t\th ^= h >> 16;\n\t}\n\tout[i] = h;')
    for kind in ('unsigned', 'unsigned long long'):
        tag = '64' if 'long' in kind else '32'
        yield kernel(f'xorshift_{tag}', f'{kind} *state, {kind} *out, int n, int steps',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\t{kind} x = state[i], s = 0;\n'
                     '\tfor (int k = 0; k < steps; k++) {\n\t\tx ^= x << 13;\n\t\tx ^= x >> 7;\n\t\tx ^= x << 17;\n'
                     '\t\ts += x;\n\t}\n\tout[i] = s;')
    yield kernel('fnv', 'const unsigned char *in, unsigned *out, int n, int length',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tunsigned h = 2166136261u;\n'
                 '\tfor (int k = 0; k < length; k++)\n\t\th = (h ^ in[i * length + k]) * 16777619u;\n\tout[i] = h;')
    for rounds in (4, 16):
        body = ''.join(
            f'\t{{ unsigned s = (e >> 6 | e << 26) ^ (e >> 11 | e << 21), f = (e & g) ^ (~e & h);\n'
            f'\tunsigned t = d + s + f + w[i * 16 + {r % 16}] + {0x428a2f98 + r * 77}u; d = h; h = g; g = e; e = a + t;\n'
            '\ta = t + ((a & b) ^ (a & c) ^ (b & c)); c = b; b = a ^ s; }\n' for r in range(rounds))
        yield kernel(f'sha_rounds_{rounds}', 'const unsigned *w, unsigned *out, int n',
                     '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n'
                     '\tunsigned a = 1, b = 2, c = 3, d = 4, e = 5, g = 6, h = 7;\n' + body +
                     '\tout[i] = a ^ b ^ c ^ d ^ e ^ g ^ h;')
    yield kernel('crc32', 'const unsigned *table, const unsigned char *in, unsigned *out, int n, int length',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tunsigned c = ~0u;\n\tfor (int k = 0; k < length; k++)\n'
                 '\t\tc = table[(c ^ in[i * length + k]) & 255] ^ c >> 8;\n\tout[i] = ~c;')
    for kind in ('int', 'unsigned', 'long long'):
        tag = kind.replace(' ', '')
        yield kernel(f'divmod_{tag}', f'const {kind} *a, const {kind} *b, {kind} *q, {kind} *r, int n',
                     '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tq[i] = a[i] / b[i];\n\tr[i] = a[i] % b[i];')
    for divisor in (3, 7, 10, 1000):
        yield kernel(f'divide_by_{divisor}', 'const int *in, int *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = in[i] / {divisor} + in[i] % {divisor};')


def loops():
    for trip in (3, 4, 7, 16, 64, 100):
        yield kernel(f'fixed_loop_{trip}', 'const float *in, float *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat s = 0;\n'
                     f'\tfor (int k = 0; k < {trip}; k++)\n\t\ts = s * 0.5f + in[i + k * n];\n\tout[i] = s;')
    for unroll in (1, 2, 4, 8, 16):
        yield kernel(f'unroll_{unroll}', 'const float *in, float *out, int n, int m',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat s = 0;\n#pragma unroll {unroll}\n'
                     '\tfor (int k = 0; k < m; k++)\n\t\ts += in[i * m + k];\n\tout[i] = s;')
    for depth in (2, 3):
        opening = ''.join(f'\tfor (int k{d} = 0; k{d} < m; k{d}++)\n' for d in range(depth))
        index = ' + '.join(f'k{d} * {d + 1}' for d in range(depth))
        for kind in ('float', 'int'):
            yield kernel(f'nest_{depth}_{kind}', f'const {kind} *in, {kind} *out, int n, int m',
                         f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\t{kind} s = 0;\n{opening}'
                         f'\t\ts += in[i + {index}];\n\tout[i] = s;')
    yield kernel('triangle', 'const float *in, float *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat s = 0;\n\tfor (int a = 0; a < i; a++)\n'
                 '\t\tfor (int b = a; b < i; b++)\n\t\t\ts += in[a] * in[b];\n\tout[i] = s;')
    yield kernel('mandelbrot', 'int *out, int w, int h, int limit',
                 '\tint px = GLOBAL_ID, py = blockIdx.y * blockDim.y + threadIdx.y;\n\tif (px >= w || py >= h)\n\t\treturn;\n'
                 '\tfloat cx = 3.0f * px / w - 2.0f, cy = 2.0f * py / h - 1.0f, x = 0, y = 0;\n\tint k = 0;\n'
                 '\twhile (k < limit && x * x + y * y < 4.0f) {\n\t\tfloat t = x * x - y * y + cx;\n\t\ty = 2 * x * y + cy;\n'
                 '\t\tx = t;\n\t\tk++;\n\t}\n\tout[py * w + px] = k;')
    yield kernel('collatz', 'const unsigned *in, int *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tunsigned v = in[i];\n\tint k = 0;\n\twhile (v > 1) {\n'
                 '\t\tv = v & 1 ? 3 * v + 1 : v / 2;\n\t\tk++;\n\t}\n\tout[i] = k;')
    yield kernel('gcd', 'const int *a, const int *b, int *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tint x = a[i], y = b[i];\n\twhile (y) {\n'
                 '\t\tint t = x % y;\n\t\tx = y;\n\t\ty = t;\n\t}\n\tout[i] = x;')
    yield kernel('floyd', 'int *d, int n, int k',
                 '\tint x = GLOBAL_ID, y = blockIdx.y * blockDim.y + threadIdx.y;\n\tif (x >= n || y >= n)\n\t\treturn;\n'
                 '\tint through = d[y * n + k] + d[k * n + x];\n\tif (through < d[y * n + x])\n\t\td[y * n + x] = through;')
    yield kernel('kmeans', 'const float *points, const float *centres, int *member, int n, int k, int dims',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat best = 1e30f;\n\tint at = 0;\n'
                 '\tfor (int c = 0; c < k; c++) {\n\t\tfloat s = 0;\n\t\tfor (int d = 0; d < dims; d++) {\n'
                 '\t\t\tfloat v = points[d * n + i] - centres[c * dims + d];\n\t\t\ts += v * v;\n\t\t}\n'
                 '\t\tif (s < best) {\n\t\t\tbest = s;\n\t\t\tat = c;\n\t\t}\n\t}\n\tmember[i] = at;')


def arithmetic():
    for kind in ('float', 'double'):
        for degree in (2, 4, 8, 16):
            value = f'{degree}'
            for d in range(degree, 0, -1):
                value = f'({value} * x + {d}.25)' if kind == 'double' else f'({value} * x + {d}.25f)'
            yield kernel(f'horner_{kind}_{degree}', f'const {kind} *in, {kind} *out, int n',
                         f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\t{kind} x = in[i];\n\tout[i] = {value};')
    for name in ('sqrt', 'fabs', 'floor'):
        yield kernel(f'double_{name}', 'const double *in, double *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = {name}(in[i]);')
    yield kernel('double_divide', 'const double *a, const double *b, double *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = a[i] / b[i];')
    yield kernel('long_multiply', 'const long long *a, const long long *b, long long *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = a[i] * b[i] + (a[i] >> 3) - (b[i] << 5);')
    yield kernel('modmul', 'const unsigned *a, const unsigned *b, unsigned *out, int n, unsigned p',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = (unsigned long long)a[i] * b[i] % p;')
    yield kernel('quantize', 'const float *in, signed char *out, int n, float scale',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = max(-128, min(127, (int)rintf(in[i] * scale)));')
    yield kernel('complex_multiply', 'const float2 *a, const float2 *b, float2 *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat2 x = a[i], y = b[i];\n'
                 '\tout[i] = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);')
    for size in (3, 4):
        product = '\n'.join(f'\tc[i * {size * size} + {r * size + k}] = ' + ' + '.join(
            f'a[i * {size * size} + {r * size + j}] * b[i * {size * size} + {j * size + k}]' for j in range(size)) + ';'
            for r in range(size) for k in range(size))
        yield kernel(f'matrix_{size}', 'const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{product}')
    for points in (2, 4, 8):
        loads = '\n'.join(f'\tfloat2 v{k} = data[i + {k} * n];' for k in range(points))
        steps, half = '', points // 2
        while half:
            for k in range(points):
                if not k & half:
                    steps += (f'\t{{ float2 a = v{k}, b = v{k + half}; v{k} = make_float2(a.x + b.x, a.y + b.y);\n'
                              f'\tv{k + half} = make_float2((a.x - b.x) * {k + 1} * 0.3f - (a.y - b.y) * 0.7f, (a.x - b.x) * 0.7f'
                              ' + (a.y - b.y) * 0.3f); }\n')
            half //= 2
        stores = '\n'.join(f'\tdata[i + {k} * n] = v{k};' for k in range(points))
        yield kernel(f'fft_{points}', 'float2 *data, int n', f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{loads}\n{steps}{stores}')


def structures():
    for fields in (2, 4, 6, 8, 12):
        members = ' '.join(f'float f{k};' for k in range(fields))
        before = f'struct record_{fields} {{ {members} }};\n'
        updates = '\n'.join(f'\tr[i].f{k} += r[i].f{(k + 1) % fields} * dt;' for k in range(fields))
        yield kernel(f'records_{fields}', f'record_{fields} *r, int n, float dt',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{updates}', before)
        arrays = ', '.join(f'float *f{k}' for k in range(fields))
        updates = '\n'.join(f'\tf{k}[i] += f{(k + 1) % fields}[i] * dt;' for k in range(fields))
        yield kernel(f'arrays_{fields}', arrays + ', int n, float dt',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{updates}')
    yield kernel('particles', 'float3 *position, float3 *velocity, int n, float dt',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat3 p = position[i], v = velocity[i];\n'
                 '\tp.x += v.x * dt;\n\tp.y += v.y * dt;\n\tp.z += v.z * dt;\n\tif (p.x < 0 || p.x > 1)\n\t\tv.x = -v.x;\n'
                 '\tif (p.y < 0 || p.y > 1)\n\t\tv.y = -v.y;\n\tif (p.z < 0 || p.z > 1)\n\t\tv.z = -v.z;\n'
                 '\tposition[i] = p;\n\tvelocity[i] = v;')
    yield kernel('float4_axpy', 'const float4 *x, float4 *y, int n, float a',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat4 u = x[i], v = y[i];\n'
                 '\ty[i] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);')


def bytes_():
    yield kernel('to_grey', 'const uchar4 *in, unsigned char *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tuchar4 p = in[i];\n'
                 '\tout[i] = (p.x * 77 + p.y * 150 + p.z * 29) >> 8;')
    yield kernel('blend', 'const uchar4 *a, const uchar4 *b, uchar4 *out, int n, int alpha',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tuchar4 p = a[i], q = b[i];\n'
                 '\tout[i] = make_uchar4((p.x * alpha + q.x * (255 - alpha)) >> 8, (p.y * alpha + q.y * (255 - alpha)) >> 8,\n'
                 '\t\t\t     (p.z * alpha + q.z * (255 - alpha)) >> 8, 255);')
    yield kernel('threshold', 'const unsigned char *in, unsigned char *out, int n, int limit',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = in[i] > limit ? 255 : 0;')
    yield kernel('popcount', 'const unsigned *in, int *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = __popc(in[i]) + __clz(in[i]) + __ffs(in[i]);')
    yield kernel('bit_reverse', 'const unsigned *in, unsigned *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = __brev(in[i]) ^ __byte_perm(in[i], 0, 0x0123);')
    yield kernel('upper_case', 'char *text, int n',
                 "\tint i = GLOBAL_ID;\n\tif (i < n && text[i] >= 'a' && text[i] <= 'z')\n\t\ttext[i] -= 32;")
    yield kernel('sobel', 'const unsigned char *in, unsigned char *out, int w, int h',
                 '\tint x = GLOBAL_ID, y = blockIdx.y * blockDim.y + threadIdx.y;\n'
                 '\tif (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)\n\t\treturn;\n\tconst unsigned char *p = in + y * w + x;\n'
                 '\tint gx = p[1 - w] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];\n'
                 '\tint gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[1 - w];\n'
                 '\tint g = abs(gx) + abs(gy);\n\tout[y * w + x] = g > 255 ? 255 : g;')
    yield kernel('word_sum_of_bytes', 'const unsigned *in, int *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tunsigned w = in[i];\n'
                 '\tout[i] = (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);')


def branches():
    for cases in (3, 5, 8, 16):
        arms = '\n'.join(f'\tcase {c}: v = v * {c + 3} + {c * c}; break;' for c in range(cases))
        yield kernel(f'switch_{cases}', 'const int *op, int *data, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tint v = data[i];\n\tswitch (op[i]) {{\n{arms}\n'
                     '\tdefault: v = -v;\n\t}\n\tdata[i] = v;')
        arms = '\n'.join(f'\tcase {c}: data[i] = data[i + {c}] + other[i * {c}]; break;' for c in range(cases))
        yield kernel(f'switch_memory_{cases}', 'const int *op, const float *other, float *data, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tswitch (op[i]) {{\n{arms}\n\t}}')
    yield kernel('clamp_chain', 'float *data, int n, float low, float high',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat v = data[i];\n\tif (v < low)\n\t\tv = low - v;\n'
                 '\telse if (v > high)\n\t\tv = v - high;\n\telse if (v > 0)\n\t\tv = v * v;\n\tdata[i] = v;')
    yield kernel('interpreter', 'const unsigned char *code, int *stack, int n, int length',
                 '\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tint acc = 0, x = i;\n'
                 '\tfor (int pc = 0; pc < length; pc++) {\n\t\tswitch (code[pc]) {\n\t\tcase 0: acc += x; break;\n'
                 '\t\tcase 1: acc -= x; break;\n\t\tcase 2: acc *= x; break;\n\t\tcase 3: x = acc; break;\n'
                 '\t\tcase 4: x = stack[i]; break;\n\t\tcase 5: stack[i] = acc; break;\n\t\tcase 6: acc ^= x << 3; break;\n'
                 '\t\tdefault: x++;\n\t\t}\n\t}\n\tstack[i] = acc;')
    for count in (2, 4, 8):
        tests = '\n'.join(f'\tif (v & {1 << c})\n\t\tv = v * {2 * c + 3} + in[i + {c + 1}];' for c in range(count))
        yield kernel(f'conditions_{count}', 'const int *in, int *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tint v = in[i];\n{tests}\n\tout[i] = v;')
    for size in (4, 8, 16):
        loads = '\n'.join(f'\tint v{k} = data[i * {size} + {k}];' for k in range(size))
        swaps = ''.join(f'\t{{ int a = min(v{k}, v{k + 1}), b = max(v{k}, v{k + 1}); v{k} = a; v{k + 1} = b; }}\n'
                        for r in range(size) for k in range(r % 2, size - 1, 2))
        stores = '\n'.join(f'\tdata[i * {size} + {k}] = v{k};' for k in range(size))
        yield kernel(f'sort_network_{size}', 'int *data, int n', f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{loads}\n{swaps}{stores}')


def pressure():
    for live in (8, 16, 24, 32, 48, 64, 96, 128):
        loads = '\n'.join(f'\tfloat v{k} = in[i + {k} * n];' for k in range(live))
        body = '\n'.join(f'\tv{k} = v{k} * v{(k * 7 + 3) % live} + v{(k * 5 + 1) % live};' for k in range(live))
        total = ' + '.join(f'v{k}' for k in range(live))
        yield kernel(f'live_{live}', 'const float *in, float *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{loads}\n{body}\n{body}\n\tout[i] = {total};')
    for live in (8, 16, 32, 64, 100):
        declare = ', '.join(f's{k} = {k}' for k in range(live))
        body = '\n'.join(f'\t\ts{k} = s{k} * x + s{(k + 1) % live};' for k in range(live))
        total = ' + '.join(f's{k}' for k in range(live))
        yield kernel(f'accumulate_{live}', 'const float *in, float *out, int n, int m',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n\tfloat {declare};\n\tfor (int k = 0; k < m; k++) {{\n'
                     f'\t\tfloat x = in[k];\n{body}\n\t}}\n\tout[i] = {total};')
    for live in (8, 24, 48):
        loads = '\n'.join(f'\tdouble v{k} = in[i + {k} * n];' for k in range(live))
        body = '\n'.join(f'\tv{k} = v{k} * v{(k * 7 + 3) % live} + v{(k * 5 + 1) % live};' for k in range(live))
        total = ' + '.join(f'v{k}' for k in range(live))
        yield kernel(f'live_double_{live}', 'const double *in, double *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{loads}\n{body}\n\tout[i] = {total};')
    for threads, blocks in ((256, 2), (256, 4), (512, 2), (1024, 1), (1024, 2)):
        for live in (40, 80):
            loads = '\n'.join(f'\tfloat v{k} = in[i + {k} * n];' for k in range(live))
            body = '\n'.join(f'\tv{k} = v{k} * v{(k * 7 + 3) % live} + v{(k * 5 + 1) % live};' for k in range(live))
            total = ' + '.join(f'v{k}' for k in range(live))
            yield kernel(f'bounds_{threads}_{blocks}_{live}', 'const float *in, float *out, int n',
                         f'\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n{loads}\n{body}\n\tout[i] = {total};',
                         bounds=f'__launch_bounds__({threads}, {blocks}) ')


def local():
    for size in (4, 16, 64):
        yield kernel(f'local_array_{size}', 'const int *in, int *out, int n',
                     f'\tint a[{size}], i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n'
                     f'\tfor (int k = 0; k < {size}; k++)\n\t\ta[k] = in[i * {size} + k];\n\tint s = 0;\n'
                     f'\tfor (int k = 0; k < 10; k++)\n\t\ts += a[in[k] & {size - 1}];\n\tout[i] = s;')
    for size in (8, 32):
        yield kernel(f'insertion_sort_{size}', 'float *data, int n',
                     f'\tfloat a[{size}];\n\tint i = GLOBAL_ID;\n\tif (i >= n)\n\t\treturn;\n#pragma unroll 1\n'
                     f'\tfor (int k = 0; k < {size}; k++) {{\n\t\tfloat v = data[i * {size} + k];\n\t\tint j = k;\n'
                     '\t\tfor (; j > 0 && a[j - 1] > v; j--)\n\t\t\ta[j] = a[j - 1];\n\t\ta[j] = v;\n\t}\n#pragma unroll 1\n'
                     f'\tfor (int k = 0; k < {size}; k++)\n\t\tdata[i * {size} + k] = a[k];')
    yield kernel('local_histogram', 'const unsigned char *in, int *out, int n',
                 '\tunsigned char bins[32] = {};\n\tint i = GLOBAL_ID;\n\tfor (int k = 0; k < n; k++)\n'
                 '\t\tbins[in[i * n + k] & 31]++;\n\tint best = 0;\n\tfor (int k = 0; k < 32; k++)\n'
                 '\t\tif (bins[k] > bins[best])\n\t\t\tbest = k;\n\tout[i] = best;')


def shared():
    yield kernel('scan_shared', 'const int *in, int *out, int n',
                 '\t__shared__ int part[256];\n\tint t = threadIdx.x, i = GLOBAL_ID;\n\tpart[t] = i < n ? in[i] : 0;\n'
                 '\t__syncthreads();\n\tfor (int d = 1; d < 256; d *= 2) {\n\t\tint v = t >= d ? part[t - d] : 0;\n'
                 '\t\t__syncthreads();\n\t\tpart[t] += v;\n\t\t__syncthreads();\n\t}\n\tif (i < n)\n\t\tout[i] = part[t];')
    yield kernel('bitonic', 'int *data',
                 '\t__shared__ int v[512];\n\tint t = threadIdx.x;\n\tv[t] = data[blockIdx.x * 512 + t];\n'
                 '\tfor (int k = 2; k <= 512; k *= 2)\n\t\tfor (int j = k / 2; j > 0; j /= 2) {\n\t\t\t__syncthreads();\n'
                 '\t\t\tint o = t ^ j;\n\t\t\tif (o > t) {\n\t\t\t\tint a = v[t], b = v[o];\n'
                 '\t\t\t\tif ((a > b) == !(t & k)) {\n\t\t\t\t\tv[t] = b;\n\t\t\t\t\tv[o] = a;\n\t\t\t\t}\n\t\t\t}\n\t\t}\n'
                 '\t__syncthreads();\n\tdata[blockIdx.x * 512 + t] = v[t];')
    for tile in (16, 32):
        yield kernel(f'transpose_{tile}', 'const float *in, float *out, int w, int h',
                     f'\t__shared__ float t[{tile}][{tile} + 1];\n\tint x = blockIdx.x * {tile} + threadIdx.x;\n'
                     f'\tint y = blockIdx.y * {tile} + threadIdx.y;\n\tfor (int k = 0; k < {tile}; k += 8)\n'
                     '\t\tt[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];\n\t__syncthreads();\n'
                     f'\tx = blockIdx.y * {tile} + threadIdx.x;\n\ty = blockIdx.x * {tile} + threadIdx.y;\n'
                     f'\tfor (int k = 0; k < {tile}; k += 8)\n\t\tout[(y + k) * h + x] = t[threadIdx.x][threadIdx.y + k];')
    for radius in (1, 4):
        taps = ' + '.join(f's[t + {k}] * {abs(k - radius) + 1}' for k in range(2 * radius + 1))
        yield kernel(f'shared_stencil_{radius}', 'const float *in, float *out, int n',
                     f'\t__shared__ float s[256 + {2 * radius}];\n\tint t = threadIdx.x, i = GLOBAL_ID;\n'
                     f'\ts[t + {radius}] = in[i];\n\tif (t < {radius}) {{\n\t\ts[t] = i >= {radius} ? in[i - {radius}] : 0;\n'
                     f'\t\ts[t + 256 + {radius}] = i + 256 < n ? in[i + 256] : 0;\n\t}}\n\t__syncthreads();\n\tout[i] = {taps};')
    yield kernel('shared_swap', 'float *data, int n',
                 '\textern __shared__ float dynamic[];\n\tint t = threadIdx.x, i = GLOBAL_ID;\n\tdynamic[t] = data[i];\n'
                 '\t__syncthreads();\n\tdata[i] = dynamic[blockDim.x - 1 - t];')
    yield kernel('needleman', 'const int *reference, int *matrix, int columns, int penalty, int step',
                 '\t__shared__ int t[17][17];\n\tint x = threadIdx.x, base = blockIdx.x * 16 * columns + step * 16;\n'
                 '\tfor (int k = 0; k < 17; k++)\n\t\tt[k][x] = matrix[base + k * columns + x];\n\t__syncthreads();\n'
                 '\tfor (int m = 0; m < 16; m++) {\n\t\tif (x <= m) {\n\t\t\tint c = x + 1, r = m - x + 1;\n'
                 '\t\t\tt[r][c] = max(t[r - 1][c - 1] + reference[base + r * columns + c],\n'
                 '\t\t\t\t      max(t[r][c - 1], t[r - 1][c]) - penalty);\n\t\t}\n\t\t__syncthreads();\n\t}\n'
                 '\tfor (int k = 1; k < 17; k++)\n\t\tmatrix[base + k * columns + x] = t[k][x];')


def calls():
    for arguments in (1, 3, 6):
        parameters = ', '.join(f'float a{k}' for k in range(arguments))
        total = ' + '.join(f'a{k} * a{(k + 1) % arguments}' for k in range(arguments))
        before = f'__device__ __attribute__((noinline)) float callee_{arguments}({parameters}) {{ return {total}; }}\n'
        passed = ', '.join(f'in[i + {k}]' for k in range(arguments))
        yield kernel(f'call_{arguments}', 'const float *in, float *out, int n',
                     f'\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = callee_{arguments}({passed}) + in[i];', before)
    before = ('__device__ __attribute__((noinline)) int mix_(int a, int b) { return (a ^ b) * 31 + (a >> 3); }\n'
              '__device__ __attribute__((noinline)) int outer_(int a, int b) { return mix_(a, b) + mix_(b, a) * a; }\n')
    yield kernel('call_chain', 'const int *in, int *out, int n',
                 '\tint i = GLOBAL_ID;\n\tif (i < n)\n\t\tout[i] = outer_(in[i], i) + outer_(i, n);', before)


def separate():
    """Relocatable device functions with values that live across calls into another module, and kernels that call them."""

    def function(name, parameters, body, result='float'):
        return name, f'extern "C" __device__ __attribute__((noinline)) {result} {name}({parameters})\n{{\n{body}\n}}\n'

    for kind in ('float', 'double', 'int'):
        for live in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24) if kind == 'float' else (1, 3, 6, 10):
            loads = ''.join(f'\t{kind} v{k} = p[{3 * k + 1}];\n' for k in range(live))
            total = ''.join(f' + v{k} * {k + 2}' for k in range(live))
            yield function(f'keep_{kind}_{live}', f'const {kind} *p, {kind} x',
                           f'{loads}\treturn away_{kind}(x){total};', kind)
    for calls in (2, 3, 5):
        steps = '\n'.join(f'\tx = away_float(x) * a + y;\n\ty = away_float(y + {k}) - b;' for k in range(calls))
        yield function(f'chain_{calls}', 'float x, float y, float a, float b', f'{steps}\n\treturn x + y + a;')
    yield function('around_loop', 'const float *p, int n, float x',
                   '\tfor (int k = 0; k < n; k++)\n\t\tx = away_float(x + p[k]);\n\treturn x;')
    yield function('through_pointer', 'float *p, int n', '\tfor (int k = 0; k < n; k++)\n\t\taway_store(p + k, k);\n\treturn p[n];')
    for size in (4, 16):
        yield function(f'array_{size}', 'const float *p, int n',
                       f'\tfloat a[{size}];\n\tfor (int k = 0; k < {size}; k++)\n\t\ta[k] = p[k * n];\n'
                       f'\taway_store(a, n);\n\treturn a[n & {size - 1}];')
    yield function('depth', 'int n', '\treturn n < 2 ? away_int(n) : depth(n - 1) * n + depth(n - 2);', 'int')
    yield function('one_path', 'float x, float y, float z', '\tif (x < y)\n\t\tz += away_float(x) * y;\n\treturn z * 2;')
    yield kernel('calls_all', 'float *p, double *d, int *i, int n',
                 '\tfloat s = keep_float_4(p, p[0]) + keep_float_16(p, s) + chain_3(p[1], p[2], p[3], p[4]) + array_16(p, n);\n'
                 '\tif (n > 3)\n\t\ts += around_loop(p, n, s) + through_pointer(p, n) + one_path(s, p[5], p[6]);\n'
                 '\tp[0] = s;\n\td[0] = keep_double_6(d, d[1]);\n\ti[0] = keep_int_10(i, n) + depth(n);')
    yield kernel('calls_pointer', 'float *p, int which',
                 '\tfloat (*table[3])(const float *, float) = {keep_float_0, keep_float_1, keep_float_2};\n'
                 '\tp[0] = table[which](p, p[1]) + keep_float_24(p, p[2]);')


AWAY = '\n'.join(f'extern "C" __device__ {kind} away_{kind}({kind} x);' for kind in ('float', 'double', 'int')) + \
    '\nextern "C" __device__ void away_store(float *p, int k);\n'
AWAY_BODIES = '\n'.join(f'extern "C" __device__ {kind} away_{kind}({kind} x) {{ return x * 3; }}'
                        for kind in ('float', 'double', 'int')) + \
    '\nextern "C" __device__ void away_store(float *p, int k) { *p = k; }\n'

FAMILIES = (streaming, stencils, reductions, gemm, gathers, counting, transcendental, hashing, loops, arithmetic, structures,
            bytes_, branches, pressure, local, shared, calls)


def write(directory, name, text):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name + '.cu'), 'w') as file:
        file.write(HEAD + text)


def main():
    directory, count = sys.argv[1], 0
    for family in FAMILIES:
        kernels = list(family())
        count += len(kernels)
        write(directory, family.__name__.strip('_'), '\n'.join(text for _, text in kernels))
    functions = list(separate())
    write(os.path.join(directory, 'separate'), 'separate', AWAY + '\n'.join(text for _, text in functions))
    write(os.path.join(directory, 'separate'), 'away', AWAY_BODIES)
    print(f'{count} kernels in {len(FAMILIES)} files; {len(functions)} functions and kernels with callees in another module')


if __name__ == '__main__':
    main()
