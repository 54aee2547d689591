"""linear-opcodes.py ARCH HEDDLE-CC HEDDLE FOLDER OPCODES.def [FORMS]: each opcode with operands that are linear in the indices.

Writes a program with a kernel for each idiom below in each form of a linear index (of the thread; of thread and block;
of a loop; in two dimensions), or in FORMS of these by turns, and compiles it. No version may fail, opcodes of the table that idioms stand for are in
the main streams, and under r2d2-functional:always each kernel's words are those of its original code, whose address
and operands --verify compares.
"""
import os
import re
import subprocess
import sys

arch, heddle_cc, heddle, folder, table, *most = sys.argv[1:]
version = int(arch[3:])

# NAME: what there is of i (an int that is linear), a (a linear offset in bytes), `in` (words), s (4 KiB of shared
# memory), t (a texture); the result goes to r. The names are opcodes, but for what is behind a dot.
# A barrier of each thread's own in shared memory, at p.
BARRIER = ('unsigned long long w = 0; unsigned p = (unsigned)__cvta_generic_to_shared(s) + 2 * (unsigned)a;'
           ' asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(p)); ')
IDIOMS = {
    'MOV': 'r = i;',
    'SEL': 'r = in[lane] & 1 ? i : i * 3;',
    'PRMT': 'r = __byte_perm(i, 2 * i + 1, 0x2514);',
    'IADD3.uniform': 'r = i + in[0];',
    'IADD3': 'r = i + in[lane];',
    'IMAD': 'r = i * in[lane] + i;',
    'IMAD_WIDE': 'long long w = (long long)i * (int)in[lane] + a; r = (int)w ^ (int)(w >> 32);',
    'IMAD_HI': 'r = __mulhi(i, (int)in[lane] << 20);',
    'LOP3': 'r = (i ^ in[lane]) & (2 * i);',
    'SHL': 'r = i << (in[lane] & 7);',
    'SHL.by': 'r = in[lane] << (i & 31);',
    'SHR': 'r = i >> (in[lane] & 7);',
    'SHF_L': 'r = __funnelshift_l(i, 5 * i, in[lane]);',
    'SHF_R': 'r = __funnelshift_r(i, in[lane], 3 * i);',
    'LEA': 'r = (i << 3) + in[lane];',
    'ISETP': 'r = i < (int)in[lane] ? 5 : 6;',
    'ISETP.wide': 'r = (long long)a * 7 < (long long)in[lane] ? 5 : 6;',
    'IMNMX': 'r = min(i, (int)in[lane]) + max(2 * i, 40);',
    'IABS': 'r = abs(i - 40) + in[lane];',
    'POPC': 'r = __popc(i);',
    'FLO': 'r = __clz(i);',
    'BREV': 'r = __brev(i);',
    'SGXT': 'asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(i), "r"(0), "r"(in[lane] & 7));',
    'IDP4A': 'r = __dp4a(i, (int)in[lane], 3 * i);',
    'FADD': 'r = __float_as_int(__int_as_float(i) + __int_as_float(in[lane]));',
    'FMUL': 'r = __float_as_int(__int_as_float(i + 0x3f800000) * __int_as_float(in[lane] + 0x3f800000));',
    'FFMA': 'r = __float_as_int(__fmaf_rn(__int_as_float(i + 0x3f800000), __int_as_float(in[lane]), __int_as_float(i)));',
    'FMNMX': 'r = __float_as_int(fminf(__int_as_float(i), __int_as_float(in[lane])));',
    'FSETP': 'r = __int_as_float(i) < __int_as_float(in[lane]) ? 3 : 4;',
    'MUFU': 'r = __float_as_int(__frsqrt_rn(__int_as_float(i + 0x3f800000)));',
    'DADD': 'r = __double2hiint(__longlong_as_double(a) + __longlong_as_double(in[lane]));',
    'DMUL': 'r = __double2hiint(__longlong_as_double(a + (1023ll << 52)) * __longlong_as_double(1024ll << 52 | in[lane]));',
    'DFMA': 'r = __double2hiint(fma(__longlong_as_double(a + (1023ll << 52)), __longlong_as_double(in[lane]), 1.0));',
    'DSETP': 'r = __longlong_as_double(a) < __longlong_as_double(in[lane]) ? 3 : 4;',
    'F2F': 'double d = __int_as_float(i + 0x3f800000); r = __double2hiint(d);',
    'F2I': 'r = (int)(__int_as_float(i + 0x41000000) * 1.0f) + (int)__int_as_float(i + 0x42000000);',
    'I2F': 'r = __float_as_int((float)i + (float)(a + 1));',
    'FRND': 'r = __float_as_int(floorf(__int_as_float(i + 0x41234567)));',
    'LDG': 'r = *(const unsigned *)((const char *)in + a);',
    'LDG.wide': 'int2 w = *(const int2 *)((const char *)in + 2 * a); r = w.x ^ w.y;',
    'LDG.ro': 'r = __ldg((const unsigned *)((const char *)in + a + 4));',
    'STG': '*(unsigned *)((char *)more + a) = i; r = 1;',
    'LD': 'const unsigned *p = in[0] == 12345 ? s : in; r = p[i];',
    'ST': 'unsigned *p = in[0] == 12345 ? s : more; p[i] = 2 * i; r = 2;',
    'LDS': 'r = s[i & 1023] + *(unsigned *)((char *)s + a);',
    'STS': 's[i] = 3 * i; __syncthreads(); r = s[lane];',
    'LDL': 'unsigned l[8]; for (int k = 0; k < 8; k++) l[k] = in[k]; r = l[i & 7] + l[in[lane] & 7];',
    'LDC': 'r = words.of[i & 63] + words.of[in[lane] & 63];',
    'LDCX': 'r = table[i & 63] + table[lane];',
    'ATOMG': 'r = atomicAdd(&more[i], (unsigned)i) * 0 + atomicMax(&more[i + 1], 3 * i) * 0;',
    'ATOMG.cas': 'r = atomicCAS(&more[i], (unsigned)i, (unsigned)(2 * i)) * 0;',
    'ATOMS': 'r = atomicAdd(&s[i], (unsigned)i) * 0 + atomicExch(&s[i], 7u * i) * 0; __syncthreads(); r = s[lane] > 0;',
    'ATOM': 'unsigned *p = in[0] == 12345 ? s : more; r = atomicAdd(&p[i], (unsigned)i) * 0;',
    'ATOMG.red': 'atomicAdd(&more[lane], (unsigned)i); r = 0;',
    'ATOMG.alike': 'r = atomicAdd(more, (unsigned)i) * 0 + atomicAdd(more + 1, 3u) * 0;',
    'REDUX': 'atomicMax(more + 2, (unsigned)i); atomicXor(more + 3, in[lane]); r = 0;',
    'ATOMG.wide': 'atomicAdd((unsigned long long *)more + i / 2, (unsigned long long)a); r = 0;',
    'SHFL': 'r = __shfl_sync(~0u, i, 3) + __shfl_xor_sync(~0u, in[lane], 1) + __shfl_sync(~0u, in[lane], i);',
    'SHFL.mask': 'r = lane < 33 ? __shfl_down_sync(0xffffffffu << (i & 0), i, 2) : 0;',
    'VOTE': 'r = __ballot_sync(~0u, i & 2) + __any_sync(~0u, i == 77);',
    'MATCH': 'r = __match_any_sync(~0u, i & 12) + __match_any_sync(~0u, (long long)a >> 5);',
    'WARPSYNC': '__syncwarp(0xffffffffu | i); r = i;',
    'BAR': 'r = __syncthreads_count(i & 1) + __syncthreads_or(i == 3);',
    'BRX': 'switch (i & 7) { case 0: r = in[1]; break; case 1: r = in[2] * 5; break; case 2: r = in[3] - 9; break;'
           ' case 3: r = in[4] ^ 3; break; case 4: r = in[5] * 11; break; case 5: r = in[6] + 1; break; default: r = 1; }',
    'CALL': 'r = call(i, a, in);',
    'CALLI': 'r = pointers[in[lane] & 1](i, a, in);',
    'SYSCALL': 'volatile int *p = (int *)malloc(i + 8); *p = 5; r = *p; free((void *)p);',
    'NANOSLEEP': 'asm volatile("nanosleep.u32 %0;" :: "r"(i)); r = i;',
    'HADD2': '__half2 h = __hadd2(half_of(i), half_of(in[lane])); r = word_of(h);',
    'HADD2_F32': 'r = __float_as_int(__half2float(half_of(i).x));',
    'HMUL2': 'asm volatile("mul.f16x2 %0, %1, %2;" : "=r"(r) : "r"(i + 0x3c003c00), "r"(in[lane]));',
    'HFMA2': '__half2 h = __hfma2(half_of(i), half_of(in[lane]), half_of(2 * i)); r = word_of(h);',
    'F2FP': 'asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(__int_as_float(i + 0x3f800000)), "f"(__int_as_float(in[lane])));',
    'HMMA_884': 'unsigned d[4]; asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3},'
                '{%4,%5},{%6,%7},{%8,%8,%8,%8};" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(i), "r"(2 * i),'
                ' "r"(in[lane]), "r"(i), "r"(0)); r = d[0] ^ d[3];',
    'HMMA_1688': 'unsigned d0, d1; asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},'
                 '{%5,%5};" : "=r"(d0), "=r"(d1) : "r"(i), "r"(2 * i), "r"(in[lane]), "r"(0)); r = d0 ^ d1;',
    'IMMA_8816': 'int d0, d1; asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1},{%2},{%3},{%4,%5};" :'
                 ' "=r"(d0), "=r"(d1) : "r"(i), "r"(in[lane]), "r"(i), "r"(2 * i)); r = d0 ^ d1;',
    'LDSM': 'unsigned p = (unsigned)__cvta_generic_to_shared(s) + (a / 4 & 1023) * 16 % 3072, q;'
            'asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(q) : "r"(p)); r = q;',
    'LDSM.linear': 'unsigned p = (unsigned)__cvta_generic_to_shared(s) + 4 * a + 16, q, v;'
                   'asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(q), "=r"(v) :'
                   ' "r"(p)); r = q + v;',
    'MOVM': 'asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(i));',
    'TEX': 'r = __float_as_int(tex2D<float>(t, __int_as_float(i), 1.5f) + tex2D<float>(t, (float)i, 2.0f));',
    'TLD': 'r = __float_as_int(tex1Dfetch<float>(line, i));',
    'TLD4': 'float4 f = tex2Dgather<float4>(t, (float)i, 1.0f); r = __float_as_int(f.x + f.w);',
    'TXD': 'r = __float_as_int(tex2DGrad<float>(t, (float)i, 1.0f, make_float2(1, 0), make_float2(0, 1)));',
    'LDGSTS': 'unsigned p = (unsigned)__cvta_generic_to_shared(s) + a; asm volatile("cp.async.ca.shared.global [%0], [%1],'
              ' 4; cp.async.wait_all;" :: "r"(p), "l"((const char *)in + a)); __syncthreads(); r = s[i];',
    'SYNCS': BARRIER + 'asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(w) : "r"(p)); r = (unsigned)(w >> 32) + i;',
    'SYNCS_WAIT': BARRIER + 'asm volatile("{ .reg .pred f; mbarrier.arrive.shared.b64 %1, [%2]; mbarrier.test_wait.shared.b64 f, [%2], %1;'
                  ' selp.u32 %0, 7, 9, f; }" : "=r"(r), "=l"(w) : "r"(p)); r += i;',
    'ARRIVES': BARRIER + 'asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(p)); r = (unsigned)w + i;',
    'STAS': BARRIER + 'asm volatile("mbarrier.expect_tx.shared.b64 [%0], 4; st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%1],'
            ' %2, [%0];" :: "r"(p), "r"((unsigned)__cvta_generic_to_shared(s) + (unsigned)a), "r"(i) : "memory"); r = s[i];',
    'REDAS': BARRIER + 'asm volatile("mbarrier.expect_tx.shared.b64 [%0], 4; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes'
             '.add.u32 [%1], %2, [%0];" :: "r"(p), "r"((unsigned)__cvta_generic_to_shared(s) + (unsigned)a), "r"(i) : "memory"); r = s[i];',
    'MAPA': 'asm volatile("{ .reg .u32 m; mapa.shared::cluster.u32 m, %1, 0; ld.shared::cluster.u32 %0, [m]; }" : "=r"(r)'
            ' : "r"((unsigned)__cvta_generic_to_shared(s) + (unsigned)a));',
}
SINCE = {'F2FP': 80, 'REDUX': 80, 'HMMA_1688': 75, 'IMMA_8816': 75, 'LDSM': 75, 'MOVM': 75, 'LDGSTS': 80, 'SYNCS': 80, 'SYNCS_WAIT': 80, 'ARRIVES': 80,
         'MAPA': 90, 'STAS': 90, 'REDAS': 90}
BEFORE = {'HMMA_884': 75}
# Rows of the table that no idiom asks for, though they read registers: uniform ones and predicates, what only streams
# have, what is part of an idiom above, more matrices, and copies in bulk, whose operands are joined in quads.
OTHERS = ('UMOV R2UR R2P R2CR R2TR R2BR LEA_HI STL HMMA_16816 HMMA_1684_TF32 HMMA_1688_TF32 IMMA_16816 IMMA_16832 DMMA_884 '
          'HMMA_SP_16816 HMMA_SP_1688_TF32 IMMA_SP_16832 UBLKCP UBLKRED UTMALDG UTMASTG UTMAREDG UTMAPF WGMMA').split()
# Forms of i; a is 4 i. Each thread has a word of `in` at its lane, and i stays below 256.
FORMS = {
    'thread': 'int i = threadIdx.x;',
    'block': 'int i = blockIdx.x * 32 + threadIdx.x;',
    'plane': 'int i = (blockIdx.y * 2 + threadIdx.y) * n + threadIdx.x % 32;',
    'loop': 'for (int i = threadIdx.x, k = 0; k < n / 8; i += 32, k++) {',
}

HEAD = r'''
#include <cstdio>
#include <cuda_fp16.h>
#include <initializer_list>
__constant__ unsigned table[64];
struct words { unsigned of[64]; };
__device__ __noinline__ unsigned call(int i, long a, const unsigned *in) { return i * in[a / 4] + a; }
__device__ __noinline__ unsigned other(int i, long a, const unsigned *in) { return i - in[a / 4] * 3; }
__device__ unsigned (*const pointers[])(int, long, const unsigned *) = {call, other};
__device__ __half2 half_of(unsigned w) { return *reinterpret_cast<__half2 *>(&w); }
__device__ unsigned word_of(__half2 h) { return *reinterpret_cast<unsigned *>(&h); }
'''
MAIN = r'''
static words numbers;
static unsigned *in, *more, *out;
static cudaTextureObject_t plane, line;
template <typename K> static void run(const char *name, K kernel, dim3 grid, dim3 block)
{
	static unsigned words[1024];
	unsigned hash = 2166136261u;
	cudaMemset(more, 1, 8192);
	cudaMemset(out, 0, 4096);
	kernel<<<grid, block>>>(out, in, more, plane, line, 32, numbers);
	cudaError_t error = cudaDeviceSynchronize();
	for (unsigned *from : {out, more}) {
		cudaMemcpy(words, from, sizeof words, cudaMemcpyDeviceToHost);
		for (unsigned word : words)
			hash = (hash ^ word) * 16777619u;
	}
	printf("%s %s %08x\n", name, cudaGetErrorName(error), hash);
}
int main()
{
	static unsigned words[2048];
	static float texels[256];
	unsigned state = 1;
	for (unsigned &word : words)
		word = (state = state * 1664525 + 1013904223) >> 9;
	for (int i = 0; i < 64; i++)
		numbers.of[i] = words[i + 64];
	for (int i = 0; i < 256; i++)
		texels[i] = i * i % 61;
	cudaMalloc(&in, 8192);
	cudaMalloc(&more, 8192);
	cudaMalloc(&out, 4096);
	cudaMemcpy(in, words, 8192, cudaMemcpyHostToDevice);
	cudaMemcpyToSymbol(table, words, 256);
	cudaArray_t array;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	cudaMallocArray(&array, &format, 32, 8);
	cudaMemcpy2DToArray(array, 0, 0, texels, 128, 128, 8, cudaMemcpyHostToDevice);
	cudaResourceDesc resource = {};
	cudaTextureDesc texture = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
	cudaCreateTextureObject(&plane, &resource, &texture, nullptr);
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = in;
	resource.res.linear.desc = format;
	resource.res.linear.sizeInBytes = 8192;
	cudaCreateTextureObject(&line, &resource, &texture, nullptr);
'''


def is_here(name):
    opcode = name.split('.')[0]
    return SINCE.get(opcode, 0) <= version < BEFORE.get(opcode, 1000)


def kernel(name, form):
    body, loop = IDIOMS[name], form == 'loop'
    return (f'__global__ void {name.replace(".", "_")}_{form}(unsigned *out, const unsigned *in, unsigned *more, '
            'cudaTextureObject_t t, cudaTextureObject_t line, int n, words words)\n{\n'
            '\t__shared__ unsigned s[1024];\n\tint lane = threadIdx.x, block = blockIdx.x + 2 * blockIdx.y;\n\tunsigned sum = 0;\n'
            '\tfor (int k = threadIdx.x + 32 * threadIdx.y; k < 1024; k += 32)\n\t\ts[k] = in[k];\n'
            '\t__syncthreads();\n'
            f'\t{FORMS[form]}\n\tlong a = 4l * i;\n\tunsigned r;\n\t{body}\n\tsum += r;\n' + ('\t}\n' if loop else '') +
            '\tout[(block * blockDim.y + threadIdx.y) * 32 + lane] = sum;\n}\n')


with open(table, encoding='utf-8') as file:
    rows = re.findall(r'^HD_OP\((\w+), *\w+, *(\w+), *(\w+), *(\w+),', file.read(), re.M)
tried = {name.split('.')[0] for name in IDIOMS} | set(OTHERS)
untried = [opcode for opcode, *sources in rows if set(sources) != {'_'} and opcode not in tried]
assert rows and not untried, f'no idiom for {untried}'

names = [name for name in IDIOMS if is_here(name)]
forms = [*FORMS]
taken = int(most[0]) if most else len(forms)
pairs = [(name, forms[(at + i) % len(forms)]) for at, name in enumerate(names) for i in range(taken)]
source = os.path.join(folder, f'opcodes-{arch}.cu')
with open(source, 'w', encoding='utf-8') as file:
    file.write(HEAD)
    for name, form in pairs:
        file.write(kernel(name, form))
    file.write(MAIN)
    for name, form in pairs:
        shape = 'dim3(2, 2), dim3(32, 2)' if form == 'plane' else '4, 32'
        file.write(f'\trun("{name} {form}", {name.replace(".", "_")}_{form}, {shape});\n')
    file.write('}\n')
program = source[:-3]
command = [heddle_cc, '-Xcompiler', '-O0', f'-arch={arch}', '-heddle-linear', 'always', '-Xheddle', 'check=1', '-Xheddle', 'remarks=all',
           '-Rpass-analysis=heddle-linear', '-o', program, source]
done = subprocess.run(command, stderr=subprocess.PIPE, encoding='utf-8', check=False)
said = [line for line in done.stderr.splitlines() if 'error' in line or 'no linear version' in line]
assert not done.returncode and not said, '\n'.join(said) or done.stderr


def words(policy):
    command = [heddle, 'run', '--quiet', '--functional', '--verify', '--policy', policy, '--', program]
    return subprocess.run(command, stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout.splitlines()


original, linear = words('baseline'), words('r2d2-functional:always')
assert len(original) == len(pairs) and all(' cudaSuccess ' in line for line in original), original
different = [f'{a} / {b}' for a, b in zip(original, linear) if a != b]
assert not different, '\n'.join(different)

listing = subprocess.run([heddle, 'dis', program], stdout=subprocess.PIPE, encoding='utf-8', check=True).stdout
mains = '\n'.join(part.split('\nmain\n')[1] for part in listing.split('\nlinear version of ')[1:])
there = set(re.findall(r'^\s+[0-9a-f]{4}\s+(?:@!?\w+\s+)?([A-Z][A-Z0-9_]*(?:\.WIDE|\.WAIT|\.HI|\.F32|\.L\b|\.R\b|\.\d+)?)', mains, re.M))
there = {name.replace('.', '_') for name in there} | {name.split('.')[0] for name in there}
missing = sorted({name.split('.')[0] for name in names} - there)
assert not missing, f'in no main stream: {missing}'
print(f'{arch}: {len(names)} idioms, {taken} form{"s" if taken != 1 else ""} each, {listing.count("linear version of ")} linear versions')
