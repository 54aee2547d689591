"""Random kernels whose lanes meet at shuffles, ballots and matches that stand elsewhere for others.

    meet-random.py SEED > KERNEL.cu

Each round is one operation of all lanes of a warp, or of groups of 8 or 16 of them. A hash of seed, lane and round says
how a lane comes to it: one of some ifs behind one another, a side of a branch, a turn of a loop, a function. What each
lane finds out is worked out here, lane by lane, and is in the program.
"""
import random
import sys

M32 = 0xffffffff


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values = [(lane * 2654435761 ^ seed) & 0xffff for lane in range(32)]
        self.ended = set(lane for lane in range(32) if self.random.random() < 0.1) if self.random.random() < 0.3 else set()
        self.code = []

    def way(self, ways):
        """A predicate of the lane, and by it which way each lane goes."""
        a, b = self.random.randrange(1, 32, 2), self.random.randrange(32)
        return f'(lane * {a} + {b}) / 3 % {ways}', [(lane * a + b) // 3 % ways for lane in range(32)]

    def operation(self, kind, mask, mode):
        return {'xor': f'__shfl_xor_sync({mask}, v, {mode})', 'idx': f'__shfl_sync({mask}, v, (lane & {mode}) ^ 1, {mode + 1})',
                'ballot': f'__ballot_sync({mask}, v >> {mode} & 1)', 'match': f'__match_any_sync({mask}, v & {mode})',
                'all': f'__all_sync({mask}, (v & {mode}) != 0)'}[kind]

    def result(self, kind, group, mode):
        v, out = self.values, {}
        for lane in group:
            if kind == 'xor':
                out[lane] = v[lane ^ mode]
            elif kind == 'idx':
                out[lane] = v[(lane & ~mode) | ((lane & mode) ^ 1)]
            elif kind == 'ballot':
                out[lane] = sum(1 << l for l in group if v[l] >> mode & 1)
            elif kind == 'match':
                out[lane] = sum(1 << l for l in group if v[l] & mode == v[lane] & mode)
            else:
                out[lane] = int(all(v[l] & mode for l in group))
        return out

    def round(self):
        width = self.random.choice([32, 32, 16, 8])
        kinds = ['ballot', 'match', 'all'] + ([] if self.ended else ['xor', 'idx'])
        kind = self.random.choice(kinds)
        mode = {'xor': self.random.choice([1, 2, 4]), 'idx': 7}.get(kind, self.random.randrange(1, 8))
        mask = '0xffffffffu' if width == 32 else f'({(1 << width) - 1:#x}u << (lane & {32 - width}))'
        ways = self.random.choice([2, 3, 4])
        condition, way = self.way(ways)
        operation = self.operation(kind, mask, mode)
        before = [self.random.randrange(1, 1000) for _ in range(ways)]
        for lane in range(32):
            self.values[lane] = (self.values[lane] + before[way[lane]]) & 0xffff
        shape = self.random.choice(['ifs', 'branch', 'loop', 'function'])
        self.code.append(f'    w = {condition};')
        if shape == 'loop':
            steps = ', '.join(map(str, before))
            self.code.append(f'    {{ const int steps[] = {{{steps}}};\n#pragma unroll 1\n    for (int i = 0; i < {ways}; i++)\n'
                             f'        if (w == i) {{ v = (v + steps[i]) & 0xffff; r = {operation}; }} }}')
        else:
            for i in range(ways):
                head = 'else ' if i and shape != 'ifs' else ''
                what = f'far{len(self.code)}_{i}(v, lane)' if shape == 'function' and i % 2 else operation
                if what is not operation:
                    self.functions.append(f'__device__ __noinline__ unsigned {what.split("(")[0]}(unsigned v, int lane) {{ return {operation}; }}')
                self.code.append(f'    {head}if (w == {i}) {{ v = (v + {before[i]}) & 0xffff; r = {what}; }}')
        self.code.append('    v = (v * 5 + r) & 0xffff;')
        new = {}
        for first in range(0, 32, width):
            group = [lane for lane in range(first, first + width) if lane not in self.ended]
            new.update(self.result(kind, group, mode))
        for lane, value in new.items():
            self.values[lane] = (self.values[lane] * 5 + value) & 0xffff

    def make(self):
        self.functions = []
        start = ', '.join(map(str, self.values))
        ended = sum(1 << lane for lane in self.ended)
        for _ in range(self.random.randrange(2, 7)):
            self.round()
        want = ', '.join('0' if lane in self.ended else str(self.values[lane]) for lane in range(32))
        return '\n'.join(['#include <cstdio>', f'__constant__ unsigned start[] = {{{start}}};'] + self.functions +
                         ['__global__ void k(unsigned *out) {', '    int lane = threadIdx.x & 31, w;',
                          '    unsigned v = start[lane], r = 0;', f'    if ({ended:#x}u >> lane & 1) return;'] + self.code +
                         ['    out[threadIdx.x] = v;', '}', 'int main() {', f'    unsigned want[] = {{{want}}}, got[64], *d;',
                          '    int bad = 0;', '    cudaMalloc(&d, sizeof got); cudaMemset(d, 0, sizeof got);',
                          '    k<<<1, 64>>>(d); cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);',
                          '    for (int t = 0; t < 64; t++) bad += got[t] != want[t & 31];',
                          '    printf("%s\\n", bad || cudaGetLastError() ? "FAILED" : "PASSED");', '    return bad != 0;', '}', ''])


print(Maker(int(sys.argv[1])).make())
