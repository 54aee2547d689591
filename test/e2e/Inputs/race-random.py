"""Random kernels with races in global memory, and without, and whether --check=race-global says which.

    race-random.py SEED > KERNELS.cu
    race-random.py SEED OUTPUT-OF-THE-CHECK

Some threads of some blocks read and write a few words, each with a statement on a line of its own, between barriers,
__syncwarp and messages from block to block, some of which lack their fence. Which accesses are ordered is worked out
here by vector clocks of threads, and once more as the check has it where it takes more for ordered than is (the lanes
of a warp that sends or receives are taken for one). Each race that is told must be one after the first; of each race
after the second one of its two accesses must be told of. A third of the kernels leave out what would race, a third
have that and one operation less.
"""
import random
import re
import sys

WORDS, KERNELS = 8, 9


def join(to, other):
    for thread, time in other.items():
        to[thread] = max(to.get(thread, 0), time)


class Model:
    """What each thread knows of the others, {thread: time}, and what was accessed, by byte."""

    def __init__(self, wider):
        self.wider, self.clocks, self.fenced, self.accesses, self.count = wider, {}, {}, {}, 0

    def clock(self, thread):
        return self.clocks.setdefault(thread, {thread: 1})

    def races_of(self, operation):
        """(number of the other operation, whether one of the two is atomic and the other not, word)."""
        kind, threads, place, _ = operation
        found = set()
        for byte in place or ():
            for thread in threads:
                for other, by, was, time in self.accesses.get(byte, []):
                    if by != thread and {kind, was} not in ({'read'}, {'atomic'}) and self.clock(thread).get(by, 0) < time:
                        found.add((other, 'atomic' in (kind, was), byte // 4))
            if kind == 'write' and len(threads) > 1:
                found.add((self.count, False, byte // 4))
        return found

    def take(self, operation):
        kind, threads, place, how = operation
        if kind in ('barrier', 'warp'):
            together = {}
            for thread in threads:
                join(together, self.clock(thread))
            for thread in threads:
                self.clocks[thread] = dict(together)
                self.clocks[thread][thread] += 1
        elif kind == 'message':
            self.send(*threads, how)
        for byte in place or ():
            for thread in threads:
                self.accesses.setdefault(byte, []).append((self.count, thread, kind, self.clock(thread)[thread]))
        self.count += 1

    def send(self, sender, receiver, how):
        own, lanes = dict(self.clock(sender)), range(32 if self.wider else 1)
        for lane in lanes:
            join(own, self.clock(sender + lane))
        if how in ('fence', 'atomic'):
            self.fenced[sender] = own
        said = own if how == 'release' else self.fenced.get(sender, {})
        if how == 'release of the block':  # whose scope has no thread of another block: a fence in front does not help
            said = {}
        for lane in lanes:
            join(self.clock(receiver + lane), said)
            if self.wider:
                join(self.clock(sender + lane), own)
            self.clock(sender + lane)[sender + lane] += 1


class Kernel:
    def __init__(self, seed, number):
        self.random = random.Random(f'{seed} {number}')
        self.number = number
        self.blocks, self.warps = self.random.choice([(1, 1), (1, 3), (2, 1), (2, 2), (3, 2), (4, 1)])
        self.size = 32 * self.warps
        self.messages = self.blocks > 1 and self.random.random() < 0.7
        lanes = [self.random.sample(range(32), 3) for _ in range(self.blocks * self.warps)]
        self.actors = [32 * warp + lane for warp, own in enumerate(lanes) for lane in own]
        self.heads = [block * self.size for block in range(self.blocks)]  # those that send and receive
        self.operations = []
        self.mode = number % 3
        self.make()

    # ---- operations: (name, threads, word or flag, bytes, variant)

    def access(self):
        who = self.random.random()
        threads = [self.random.choice(self.actors)]
        if who < 0.15:
            first = threads[0] // 32 * 32
            threads = list(range(first, first + 32))
        elif who < 0.2:
            first = threads[0] // self.size * self.size
            threads = list(range(first, first + self.size))
        kinds = ['read', 'read', 'read', 'write', 'write'] + ([] if self.messages else ['atomic'])
        kind = self.random.choice(kinds)
        word = self.random.randrange(WORDS)
        size = self.random.choice([4, 4, 4, 8] + ([1] if kind == 'read' else [])) if kind != 'atomic' else 4
        offset = self.random.randrange(4) if size == 1 else 0
        if size == 8:
            word &= ~1
        return kind, threads, range(4 * word + offset, 4 * word + offset + size), None

    def order(self):
        kind = self.random.choice(['barrier', 'barrier', 'warp'] + ['message'] * (5 * self.messages))
        if kind == 'barrier':
            block = self.random.randrange(self.blocks)
            return kind, range(block * self.size, (block + 1) * self.size), None, None
        if kind == 'warp':
            warp = self.random.choice(self.actors) // 32
            return kind, range(32 * warp, 32 * warp + 32), None, None
        how = self.random.choice(['fence', 'fence', 'release', 'atomic', 'nothing', 'block', 'release of the block'])
        return kind, self.random.sample(self.heads, 2), None, how

    def make(self):
        model = Model(False)
        for _ in range(self.random.randrange(10, 45) * (2 if self.mode else 1)):
            operation = self.access() if self.random.random() < 0.65 else self.order()
            if not self.mode or not model.races_of(operation):
                model.take(operation)
                self.operations.append(operation)
        orders = [i for i, operation in enumerate(self.operations) if operation[2] is None]
        self.random.shuffle(orders)
        for index in orders[:8] if self.mode == 2 else []:
            operation = self.operations.pop(index)
            if self.races(False):
                break
            self.operations.insert(index, operation)

    def races(self, wider):
        """Pairs of operations that race. `wider`: what the check is allowed to take for ordered is."""
        model, found, atomics = Model(wider), set(), {}
        for index, operation in enumerate(self.operations):
            found |= {(other, index, mixed, word) for other, mixed, word in model.races_of(operation)}
            model.take(operation)
            if operation[0] == 'atomic':
                atomics.setdefault(operation[2][0] // 4, set()).update((index, thread) for thread in operation[1])
        if wider:  # an atomic operation is behind those that were there before
            found = {race for race in found if not race[2] or len(atomics[race[3]]) < 2}
        return {race[:2] for race in found}

    # ---- the source

    def statement(self, index):
        kind, threads, place, how = self.operations[index]
        if kind == 'message':
            sender, receiver = threads
            flag = f'f + {index}'
            send = {'fence': f'__threadfence(); *(volatile unsigned *)({flag}) = 1;',
                    'atomic': f'__threadfence(); atomicExch({flag}, 1);',
                    'release': f'asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"({flag}) : "memory");',
                    'release of the block': f'asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"({flag}) : "memory");',
                    'nothing': f'*(volatile unsigned *)({flag}) = 1;',
                    'block': f'__threadfence_block(); *(volatile unsigned *)({flag}) = 1;'}[how]
            return f'if (me == {sender}) {{ {send} }} if (me == {receiver}) while (*(volatile unsigned *)({flag}) == 0);'
        who = f'me == {threads[0]}' if len(threads) == 1 else f'me >= {threads[0]} && me <= {threads[-1]}'
        if kind in ('barrier', 'warp'):
            return f'if ({who}) {"__syncthreads" if kind == "barrier" else "__syncwarp"}();'
        at, value = f'(char *)m + {place[0]}', f'{index << 12}u + me'
        name, register = {1: ('u8', 'r'), 4: ('u32', 'r'), 8: ('u64', 'l')}[len(place)]
        if kind == 'read':
            return (f'if ({who}) {{ {"unsigned long long" if len(place) == 8 else "unsigned"} t; '
                    f'asm volatile("ld.global.{name} %0, [%1];" : "={register}"(t) : "l"({at}) : "memory"); s += t; }}')
        if kind == 'atomic':
            return f'if ({who}) atomicAdd(m + {place[0] // 4}, 1);'
        if len(place) == 8:
            value = f'({value}) * 0x100000001ull'
        return f'if ({who}) asm volatile("st.global.{name} [%0], %1;" ::"l"({at}), "{register}"({value}) : "memory");'

    def source(self):
        yield f'__global__ void kernel{self.number}(unsigned *m, unsigned *f, unsigned *o) {{'
        yield '    int me = blockIdx.x * blockDim.x + threadIdx.x; unsigned s = 0;'
        for index in range(len(self.operations)):
            yield '    ' + self.statement(index)
        yield '    o[me] = s;'
        yield '}'


def source(kernels):
    """The lines, and by line which operation of which kernel stands there."""
    lines, places = ['#include <cstdio>'], {}
    for kernel in kernels:
        for index, line in enumerate(kernel.source()):
            lines.append(line)
            places[len(lines)] = (kernel.number, index - 2)
    lines += ['int main() {', '    unsigned *m;', '    cudaMalloc(&m, 8192);']
    for kernel in kernels:
        lines.append('    cudaMemset(m, 0, 8192);')
        lines.append(f'    kernel{kernel.number}<<<{kernel.blocks}, {kernel.size}>>>(m, m + 64, m + 256);')
    lines += ['    printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));', '}']
    return lines, places


def compare(kernels, places, text):
    told = {kernel.number: set() for kernel in kernels}
    for match in re.finditer(r':(\d+):\d+: error: kernel kernel\d+\(.*? race \(.*\n.*?:(\d+):\d+: note: ', text):
        (number, here), (_, there) = places[int(match[1])], places[int(match[2])]
        told[number].add((here, there))
    bad, racy, clean = 0, 0, 0
    for kernel in kernels:
        are, must = kernel.races(False), kernel.races(True)
        racy, clean = racy + len(are), clean + (not are)
        for here, there in told[kernel.number]:
            if (here, there) not in are and (there, here) not in are:
                print(f'kernel{kernel.number}: told, and no race: {kernel.statement(here)} AND {kernel.statement(there)}')
                bad += 1
        for one, other in must:
            if not any(here in (one, other) for here, _ in told[kernel.number]):
                print(f'kernel{kernel.number}: not told: {kernel.statement(one)} AND {kernel.statement(other)}')
                bad += 1
    print(f'{"FAILED" if bad or "no error" not in text else "PASSED"}: {racy} pairs race, {clean} of {len(kernels)} kernels are correct')


def main():
    kernels = [Kernel(int(sys.argv[1]), number) for number in range(KERNELS)]
    lines, places = source(kernels)
    if len(sys.argv) == 2:
        print('\n'.join(lines))
    else:
        compare(kernels, places, open(sys.argv[2]).read())


main()
