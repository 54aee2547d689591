#!/usr/bin/python3
"""nvvm.py HEADER [kept]: coverage of every NVVM intrinsic whose value follows from its operands.

Prints a coverage program (cover.h) with a function for each, whose results it folds into one slot, and the same by
nvvm.h on the host. HEADER is LLVM's IntrinsicsNVPTX.h, the list of what there is. What is not modelled here has to be named
in ELSEWHERE with the test that runs it, or in NEVER with the reason why CUDA C++ for these GPUs has none of it: a name
that is in no list stops the script. `kept`: without those whose meaning LLVM's optimizer does not keep.
"""

import os
import re
import sys

PARTS = {'f': 'float', 'd': 'double', 'f16': 'f16', 'bf16': 'bf16', 'f16x2': 'f16x2', 'bf16x2': 'bf16x2'}
INTS = {'i': 's32', 'ui': 'u32', 'll': 's64', 'ull': 'u64', 's': 's16', 'us': 'u16'}
MODES = {'rn': 0, 'rz': 1, 'rm': 2, 'rp': 3}

ELSEWHERE = [
    (r'atomic\.', 'nvvm-atomics.test'),
    (r'barrier|bar\.|membar|vote|match|shfl|redux|activemask|fns', 'warp.test, nvvm-warp.test, shuffle-pairs.test'),
    (r'read\.ptx\.sreg|nanosleep|exit', 'warp.test, nvvm-warp.test, registers.test'),
    (r'ldg|ldu|ptr\.|isspacep|move\.ptr|reflect', 'nvvm-warp.test'),
    (r'(sin|cos|ex2|lg2|rsqrt|sqrt|rcp|tanh|div)\.(approx|full)|sqrt\.f', 'nvvm-warp.test'),
    (r'cp\.async\.(c[ag]|commit|wait)', '../async-copy.test'),
    (r'cp\.async\.mbarrier|mbarrier', '../mbarrier.test'),
    (r'rotate|swap\.lo\.hi|f2tf32|saturate\.d', 'rounding.test'),
    (r'(add|mul|fma|div|rcp|sqrt)\.r[nzmp]\.[fd]$', 'rounding.test'),
]
NEVER = [
    (r'compiler\.', 'messages to the front end'),
    (r'wgmma|mma|ldmatrix|stmatrix', 'tensor cores'),
    (r'cp\.async\.bulk|fence\.proxy', 'copies in bulk'),
    (r'cluster|mapa|getctarank|setmaxnreg|griddepcontrol|\.shared\.cluster', 'sm_90'),
    (r'tex|suld|sust|tld4|txq|suq|istypep|surf', 'textures by handle: clang emits inline PTX'),
]
# instcombine makes plain casts of these: they round to nearest, and have no value beyond the range.
CHANGED = r'(i|ui|ll|ull)2[fd]\.rz|[fd]2(i|ui|ll|ull)\.rz'


def signature(name):
    """(result, arguments, what the host computes), of the name after llvm.nvvm., or None."""
    parts = name.split('.')
    op, last, flags = parts[0], parts[-1], parts[1:]
    ftz = int('ftz' in flags)
    mode = next((MODES[p] for p in flags if p in MODES), 0)
    real = PARTS.get(last)
    if 'approx' in flags or 'full' in flags:
        return None
    if op in ('add', 'mul', 'div') and real and 'ftz' in flags:
        return real, [real] * 2, f'directed_{op}(a, b, {mode})'
    if op == 'fma' and last == 'f' and ftz:
        return real, [real] * 3, f'directed_fma(a, b, c, {mode})'
    if op in ('rcp', 'sqrt') and ftz:
        return real, [real], f'directed_{op}(a, {mode})'
    if op == 'fma' and last in ('f16', 'bf16', 'f16x2', 'bf16x2'):
        return real, [real] * 3, f'fused_{last}(a, b, c, {ftz}, {int("relu" in flags)}, {int("sat" in flags)})'
    if op in ('fmin', 'fmax'):
        rule = f'{int(op == "fmax")}, {ftz}, {int("nan" in flags)}, {int("xorsign" in flags)}'
        return real, [real] * 2, f'extreme_{last}(a, b, {rule})'
    if op in ('abs', 'neg') and real:
        return real, [real], f'{op}_{last}(a)'
    if op == 'fabs':
        return real, [real], f'({real})__builtin_fabs({"flush(a)" if ftz else "a"})'
    if op in ('floor', 'ceil', 'trunc', 'round') and real:
        function = 'rint' if op == 'round' else op
        return real, [real], f'({real})__builtin_{function}({"flush(a)" if ftz else "a"})'
    if op == 'saturate' and last == 'f':
        return real, [real], f'saturated({"flush(a)" if ftz else "a"})'
    return conversion(op, flags, ftz, mode) or integer(name, op, flags)


def conversion(op, flags, ftz, mode):
    match = re.fullmatch(r'([fd])2(i|ui|ll|ull)', op)
    if match and flags[0] in MODES:
        to = INTS[match[2]]
        bits, signed = to[1:], int(to[0] == 's')
        return to, [PARTS[match[1]]], f'({to})whole({"flush(a)" if ftz else "a"}, {mode}, {bits}, {signed}, {int(match[1] == "d")})'
    match = re.fullmatch(r'(i|ui|ll|ull)2([fd])', op)
    if match:
        return PARTS[match[2]], [INTS[match[1]]], f'real_{match[2]}(a, {mode})'
    if op == 'd2f':
        return 'float', ['double'], f'narrow(a, {mode}, {ftz})'
    if op == 'f2h':  # .ftz is about single precision: the operand
        return 's16', ['float'], f'(s16)half_bits({"flush(a)" if ftz else "a"}, 0, 0)'
    if op == 'bf2h':
        return 's16', ['bf16'], f'(s16)half_bits(flushed(value_bf16(a), half_format, {ftz}), 0, 0)'
    if op == 'f2bf16':
        return 'bf16', ['float'], f'brain(a, {mode}, {int("relu" in flags)})'
    match = re.fullmatch(r'ff2(f16|bf16)x2', op)
    if match:
        return match[1] + 'x2', ['float', 'float'], f'pair_{match[1]}(a, b, {mode}, {int("relu" in flags)})'
    return None


def integer(name, op, flags):
    if op == 'sad':
        t = INTS[flags[0]]
        return t, [t] * 3, f'({t})((a > b ? (u64)a - (u64)b : (u64)b - (u64)a) + (u64)c)'
    if op == 'mulhi':
        t = INTS[flags[0]]
        return t, [t] * 2, f'({t})(({"s" if t[0] == "s" else "u"}128)a * b >> {t[1:]})'
    if op == 'mul24':
        t = INTS[flags[0]]
        return t, [t] * 2, f'low24(a, {int(t == "s32")}) * low24(b, {int(t == "s32")})'
    if op in ('min', 'max') and flags[0] in INTS:
        t = INTS[flags[0]]
        return t, [t] * 2, f'a {"<" if op == "min" else ">"} b ? a : b'
    match = re.fullmatch(r'idp(2|4)a\.([us])\.([us])', name)
    if match and match[1] == '4':
        return 'u32', ['u32'] * 3, f'bytes_product(a, b, c, {int(match[2] == "s")}, {int(match[3] == "s")})'
    fixed = {
        'prmt': ('u32', ['u32'] * 3, 'permuted(a, b, c)'),
        'd2i.lo': ('u32', ['double'], '(u32)bits_of_d(a)'),
        'd2i.hi': ('u32', ['double'], '(u32)(bits_of_d(a) >> 32)'),
        'lohi.i2d': ('double', ['u32', 'u32'], 'as_f64((u64)b << 32 | a)'),
        'bitcast.f2i': ('u32', ['float'], 'bits_of_f(a)'),
        'bitcast.i2f': ('float', ['u32'], 'as_f32(a)'),
        'bitcast.d2ll': ('u64', ['double'], 'bits_of_d(a)'),
        'bitcast.ll2d': ('double', ['u64'], 'as_f64(a)'),
        'move.i16': ('u16', ['u16'], 'a'),
        'move.i32': ('u32', ['u32'], 'a'),
        'move.i64': ('u64', ['u64'], 'a'),
        'move.float': ('float', ['float'], 'a'),
        'move.double': ('double', ['double'], 'a'),
        'brev32': ('u32', ['u32'], '__builtin_bitreverse32(a)'),
        'brev64': ('u64', ['u64'], '__builtin_bitreverse64(a)'),
        'clz.i': ('u32', ['u32'], 'a ? (u32)__builtin_clz(a) : 32'),
        'clz.ll': ('u32', ['u64'], 'a ? (u32)__builtin_clzll(a) : 64'),
        'popc.i': ('u32', ['u32'], '(u32)__builtin_popcount(a)'),
        'popc.ll': ('u32', ['u64'], '(u32)__builtin_popcountll(a)'),
    }
    return fixed.get(name)


def names(header):
    text = open(header, encoding='utf-8').read()
    return sorted(set(re.findall(r'// llvm\.nvvm\.(\S+)', text)))


def listed(name, table, find):
    return any(find(pattern, name) for pattern, _ in table)


def main():
    rows, unknown = [], []
    for name in names(sys.argv[1]):
        what = None if listed(name, NEVER, re.search) else signature(name)
        if what and len(sys.argv) > 2 and re.match(CHANGED, name):
            continue
        if what:
            rows.append((name, *what))
        elif not listed(name, ELSEWHERE, re.match) and not listed(name, NEVER, re.search):
            unknown.append(name)
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    missing = [test for _, tests in ELSEWHERE for test in tests.split(', ') if not os.path.exists(os.path.join(folder, test))]
    if missing:
        sys.exit('there is no ' + ', '.join(missing))
    if unknown:
        sys.exit('no test runs these intrinsics, and nothing says why: ' + ' '.join(unknown))
    print('#include "nvvm.h"')
    for k, (name, result, arguments, model) in enumerate(rows):
        typed = ', '.join(f'{t} {letter}' for t, letter in zip(arguments, 'abc'))
        print(f'#ifdef __NVPTX__\nextern {result} op{k}({typed}) __asm__("llvm.nvvm.{name}");\n#else\n'
              f'static {result} op{k}({typed})\n{{\n\treturn {model};\n}}\n#endif')
        given = ', '.join(f'{t}_of(in, i + {place})' for place, t in enumerate(arguments))
        print(f'static NOINLINE u64 row{k}(const u64 *in)\n{{\n\tu64 sum = 0;\n\tfor (unsigned i = 0; i < 8; i++)\n'
              f'\t\tsum = sum * 0x9e3779b97f4a7c15 + {result}_bits(op{k}({given}));\n\treturn sum;\n}}')
    print('static unsigned theme(const u64 *in, u64 *out, unsigned thread)\n{\n\tunsigned n = 0;\n\t(void)thread;')
    for k, row in enumerate(rows):
        print(f'\tRESULT(row{k}(in)); /* {row[0]} */')
    print('\treturn n;\n}')


main()
