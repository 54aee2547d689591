#!/usr/bin/python3
"""ir.py ints|wide|widest|floats|rest|atomics: coverage in LLVM IR, for what clang does not write from C.

Prints a module with `theme` (cover.h): row k of the table is a function of its own that folds all that it computes into
slot k. The module has no target; the host's code for it says what is expected.
"""

import random
import re
import sys

rows, declarations, globals_ = [], set(), []
FLOATS = {'half': 'f16', 'bfloat': 'bf16', 'float': 'f32', 'double': 'f64'}
BITS = {'half': 16, 'bfloat': 16, 'float': 32, 'double': 64}
VECTORS = ['<4 x i8>', '<3 x i32>', '<2 x i1>', '<5 x i24>', '<2 x i64>', '<2 x i128>']


def parts(t):
    """(count, element); count 0: a scalar."""
    match = re.fullmatch(r'<(\d+) x (\w+)>', t)
    return (int(match[1]), match[2]) if match else (0, t)


def suffix(t):
    count, element = parts(t)
    return (f'v{count}' if count else '') + FLOATS.get(element, element)


def width(t):
    return BITS.get(parts(t)[1]) or int(parts(t)[1][1:])


def splat(t, value):
    count, element = parts(t)
    return '<' + ', '.join([f'{element} {value}'] * count) + '>' if count else str(value)


class Row:
    """Lines of one function, with results folded into %fold."""

    def __init__(self):
        self.lines, self.n = [], 0

    def add(self, text):
        self.n += 1
        self.lines.append(f'  %v{self.n} = {text}')
        return f'%v{self.n}'

    def do(self, text):
        self.lines.append('  ' + text)

    def load(self, t, at):
        count, _ = parts(t)
        bits = width(t) * (count or 1)
        if bits % 8 == 0:
            return self.add(f'load {t}, ptr {self.at(at)}, align 1')
        # The bits of whole bytes beyond the type have to be zero in memory.
        whole = self.add(f'load i{(bits + 7) // 8 * 8}, ptr {self.at(at)}, align 1')
        cut = self.add(f'trunc i{(bits + 7) // 8 * 8} {whole} to i{bits}')
        return self.add(f'bitcast i{bits} {cut} to {t}') if count else cut

    def at(self, offset):
        return self.add(f'getelementptr i8, ptr %in, i64 {offset}')

    def ints(self, t):
        """Two operands and a third, with corners among them: inputs of cover.h."""
        return [self.load(t, at) for at in ((0, 40, 80) if width(t) <= 128 else (0, 24, 64))]

    def call(self, result, name, args):
        types = ', '.join(re.match(r'(<[^>]*>|\{[^}]*\}|\w+)', arg)[0] for arg in args)
        declarations.add(f'declare {result} @{name}({types})')
        return self.add(f'call {result} @{name}({", ".join(args)})')

    def fold(self, t, value):
        count, element = parts(t)
        for i in range(count or 1):
            one = self.add(f'extractelement {t} {value}, i32 {i}') if count else value
            if element in BITS:
                one = self.add(f'bitcast {element} {one} to i{BITS[element]}')
            self.fold_int(width(t), one)

    def fold_int(self, bits, value):
        whole = max(128, (bits + 63) // 64 * 64)
        if bits < whole:
            value = self.add(f'zext i{bits} {value} to i{whole}')
        for at in range(0, whole, 64):
            part = self.add(f'lshr i{whole} {value}, {at}') if at else value
            word = self.add(f'trunc i{whole} {part} to i64')
            old = self.add('load i64, ptr %out')
            mixed = self.add(f'mul i64 {old}, -7046029254386353131')
            self.do(f'store i64 {self.add(f"add i64 {mixed}, {word}")}, ptr %out')

    def end(self):
        rows.append('\n'.join(self.lines))


def integers(types=('i1', 'i3', 'i24', 'i33', 'i64', 'i65', 'i96', 'i100', 'i128', *VECTORS)):
    for t in types:
        row = Row()
        a, b, c = row.ints(t)
        s, yes = suffix(t), splat(t, 1) if t != '<2 x i1>' else splat(t, 'true')
        amount = row.add(f'urem {t} {b}, {splat(t, width(t))}') if width(t) > 2 else splat(t, 0)
        for name in ['ctpop', 'bitreverse'] + (['bswap'] if width(t) % 16 == 0 else []):
            row.fold(t, row.call(t, f'llvm.{name}.{s}', [f'{t} {a}']))
        for name in 'ctlz', 'cttz', 'abs':
            row.fold(t, row.call(t, f'llvm.{name}.{s}', [f'{t} {a}', 'i1 false']))
        row.end()
        row = Row()
        a, b, c = row.ints(t)
        amount = row.add(f'urem {t} {b}, {splat(t, width(t))}') if width(t) > 2 else splat(t, 0)
        for name in 'smin smax umin umax uadd.sat sadd.sat usub.sat ssub.sat'.split():
            row.fold(t, row.call(t, f'llvm.{name}.{s}', [f'{t} {a}', f'{t} {b}']))
        for name in 'ushl.sat', 'sshl.sat':
            row.fold(t, row.call(t, f'llvm.{name}.{s}', [f'{t} {a}', f'{t} {amount}']))
        if width(t) > 128 and width(t) & (width(t) - 1):  # the host's code generator has no such remainder
            c = width(t) + 77
        for name in 'fshl', 'fshr':
            row.fold(t, row.call(t, f'llvm.{name}.{s}', [f'{t} {a}', f'{t} {b}', f'{t} {c}']))
        row.end()
        overflow(t)
        fixed_point(t)
        if not doubled(t):
            continue
        row = Row()
        a, b, c = row.ints(t)
        result = re.sub(r'i\d+', 'i8', t)
        for name in 'ucmp', 'scmp':
            for other in (b, a):
                row.fold(result, row.call(result, f'llvm.{name}.{suffix(result)}.{s}', [f'{t} {a}', f'{t} {other}']))
        row.end()


def doubled(t):
    """Scalars, and vectors that the host's code generator does not have to widen, which it cannot here."""
    return parts(t)[0] & (parts(t)[0] - 1) == 0


def overflow(t):
    row = Row()
    a, b, c = row.ints(t)
    flag = re.sub(r'i\d+', 'i1', t)
    calls = [(name, a, b) for name in 'uadd sadd usub ssub umul smul'.split()]
    if width(t) > 64:  # products of a few bits more than fit
        small = row.add(f'ashr {t} {b}, {splat(t, width(t) - 12)}')
        calls += [('umul', a, small), ('smul', a, small), ('smul', row.add(f'ashr {t} {a}, {splat(t, 11)}'), small)]
    for name, left, right in calls:
        both = row.call(f'{{{t}, {flag}}}', f'llvm.{name}.with.overflow.{suffix(t)}', [f'{t} {left}', f'{t} {right}'])
        row.fold(t, row.add(f'extractvalue {{{t}, {flag}}} {both}, 0'))
        row.fold(flag, row.add(f'extractvalue {{{t}, {flag}}} {both}, 1'))
    row.end()


def fixed_point(t):
    """Products and quotients that fit 128 bits; the host's code has no others either."""
    if width(t) > 33 or width(t) == 1 or not doubled(t):
        return
    row = Row()
    a, b, c = row.ints(t)
    b = row.add(f'or {t} {b}, {splat(t, 1)}')
    for name in 'smul.fix umul.fix smul.fix.sat umul.fix.sat sdiv.fix.sat udiv.fix.sat sdiv.fix'.split():
        if 'div' in name and parts(t)[0]:
            continue
        if name == 'sdiv.fix':  # the quotient may not overflow
            a = row.add(f'ashr {t} {a}, {width(t) // 2 + 1}')
        for scale in (0, width(t) // 2) if name == 'sdiv.fix' else (0, width(t) // 2, width(t) - 1):
            row.fold(t, row.call(t, f'llvm.{name}.{suffix(t)}', [f'{t} {a}', f'{t} {b}', f'i32 {scale}']))
    row.end()


WIDE, WIDEST = ['i129', 'i256'], ['i152', 'i300', 'i512']
PREDICATES = 'eq ne ult ule ugt uge slt sle sgt sge'.split()


def wide_operations(types):
    integers(types)
    for t in types:
        for part in wide_arithmetic, wide_conversions, wide_flow:
            row = Row()
            part(row, t)
            row.end()


def wide():
    """More than 128 bits: every operation, then expressions at random of up to 512 bits."""
    wide_operations(WIDE)
    for bits, vectors in ((256, ['<8 x i32>', '<4 x double>', '<2 x i128>', '<32 x i8>', '<16 x half>']),
                          (192, ['<3 x i64>', '<6 x float>', '<12 x i16>'])):
        row = Row()
        for vector in vectors:
            row.fold(f'i{bits}', row.add(f'bitcast {vector} {row.load(vector, 8)} to i{bits}'))
            moved = row.add(f'add i{bits} {row.load(f"i{bits}", 40)}, {row.load(f"i{bits}", 0)}')
            row.fold(vector, row.add(f'bitcast i{bits} {moved} to {vector}'))
        row.end()
    row = Row()  # initialisers
    globals_.append(f'@number = internal global i200 {-3 ** 120}')
    globals_.append(f'@numbers = internal global {{i8, [2 x i256]}} {{i8 7, [2 x i256] [i256 {5 ** 100}, i256 {-7 ** 80}]}}')
    row.fold('i200', row.add('load volatile i200, ptr @number'))
    for i in range(2):
        at = row.add(f'getelementptr {{i8, [2 x i256]}}, ptr @numbers, i32 0, i32 1, i32 {i}')
        row.fold('i256', row.add(f'load volatile i256, ptr {at}'))
    row.end()
    wide_expressions(8)


def widest():
    wide_operations(WIDEST)
    wide_expressions(24)


def wide_expressions(count):
    draw = random.Random(1)
    for _ in range(count):
        wide_expression(draw)


def wide_arithmetic(row, t):
    a, b, c = row.ints(t)
    bits = width(t)
    some = row.add(f'or {t} {b}, 1')
    small = row.add(f'lshr {t} {some}, {bits - 70}')
    small = row.add(f'or {t} {small}, 1')
    for op in 'add sub mul and or xor'.split():
        row.fold(t, row.add(f'{op} {t} {a}, {b}'))
    row.fold(t, row.add(f'mul {t} {a}, -1234567'))
    for op in 'udiv sdiv urem srem'.split():
        for by in (some, small, '-7') if bits < 512 else (some,):
            row.fold(t, row.add(f'{op} {t} {c}, {by}'))
        for by in ('1', '64', '-64', str(1 << 70), str(-1 << bits - 1)):
            row.fold(t, row.add(f'{op} {t} {c}, {by}'))
    for amount in [row.add(f'urem {t} {x}, {bits}') for x in (b, c)] + ['0', '1', '67', '128', str(bits - 1)]:
        for op in 'shl lshr ashr'.split():
            row.fold(t, row.add(f'{op} {t} {a}, {amount}'))
    near = row.add(f'xor {t} {a}, 1')
    for other in (b, near, a, '0', '-1'):
        for predicate in PREDICATES:
            row.fold('i1', row.add(f'icmp {predicate} {t} {a}, {other}'))


def wide_conversions(row, t):
    a, b, c = row.ints(t)
    bits = width(t)
    for other in ('i1', 'i32', 'i64', 'i128', 'i140', 'i512'):
        if width(other) == bits:
            continue
        narrow = width(other) < bits
        for op in ('trunc',) if narrow else ('zext', 'sext'):
            row.fold(other, row.add(f'{op} {t} {a} to {other}'))
        if narrow:
            row.fold(t, row.add(f'zext {other} {row.load(other, 16)} to {t}'))
            row.fold(t, row.add(f'sext {other} {row.load(other, 16)} to {t}'))
    # LLVM 19's host code makes no infinity of what a float does not hold: those have numbers of at most 127 bits.
    small = [row.add(f'{op} {t} {a}, {by}') for op, by in
             (('lshr', bits - 60), ('lshr', bits - 100), ('lshr', bits - 127), ('ashr', bits - 20), ('ashr', bits - 65))]
    for value in [a, b, c] + small:
        for real in ('float', 'double') if value in small else ('double',):
            for sign in ('u', 's') if real == 'double' else ('u',) if value in small[:3] else ('s',):
                number = row.add(f'{sign}itofp {t} {value} to {real}')
                row.fold(real, number)
                if value in small and (sign == 's') == (value in small[3:]):
                    number = row.add(f'fdiv {real} {number}, 8.0')
                    row.fold(t, row.add(f'fptosi {real} {number} to {t}'))
                    number = row.call(real, f'llvm.fabs.{suffix(real)}', [f'{real} {number}'])
                    row.fold(t, row.add(f'fptoui {real} {number} to {t}'))


def wide_flow(row, t):
    """Arguments, results, a loop, a switch."""
    a, b, c = row.ints(t)
    name = f'through_{t}'
    globals_.append(f"""define {t} @{name}({t} %a, i32 %n, {t} %b) noinline {{
  br label %next
next:
  %sum = phi {t} [%a, %0], [%more, %next]
  %i = phi i32 [0, %0], [%j, %next]
  %twice = mul {t} %sum, %b
  %more = add {t} %twice, 3
  %j = add i32 %i, 1
  %done = icmp uge i32 %j, %n
  br i1 %done, label %end, label %next
end:
  %low = and {t} %more, 3
  switch {t} %low, label %other [{t} 0, label %zero {t} 1, label %one]
zero:
  br label %other
one:
  br label %other
other:
  %out = phi {t} [%more, %zero], [%a, %one], [%b, %end]
  ret {t} %out
}}
@pointer_{t} = internal global ptr @{name}""")
    for x, y in ((a, b), (b, c), (c, '5')):
        out = row.add(f'call {t} @{name}({t} {x}, i32 4, {t} {y})')
        row.fold(t, out)
        target = row.add(f'load volatile ptr, ptr @pointer_{t}')
        row.fold(t, row.add(f'call {t} {target}({t} {out}, i32 3, {t} {x})'))


def wide_expression(draw):
    """Operations on values of random widths; the last few are folded."""
    row = Row()
    values = [(t, row.load(t, draw.choice((0, 16, 40, 60)))) for t in (f'i{draw.randrange(1, 513)}' for _ in range(4))]

    def of(t):
        have, value = draw.choice(values)
        if have == t:
            return value
        op = 'trunc' if width(have) > width(t) else draw.choice(('zext', 'sext'))
        return row.add(f'{op} {have} {value} to {t}')

    for _ in range(12):
        t = f'i{draw.choice((draw.randrange(1, 513), draw.randrange(129, 257)))}'
        op = draw.choice('add sub mul and or xor shl lshr ashr udiv srem icmp select'.split())
        a, b = of(t), of(t)
        if op in ('shl', 'lshr', 'ashr'):
            amount = row.add(f'urem i32 {of("i32")}, {width(t)}')
            cast = 'zext' if width(t) > 32 else 'trunc'
            b = amount if t == 'i32' else row.add(f'{cast} i32 {amount} to {t}')
            if width(t) < 10:  # the amount's bits may not fit
                b = '0'
        if op in ('udiv', 'srem'):
            b = row.add(f'or {t} {b}, 1')
            if op == 'srem':  # nor the least number by -1
                b = row.add(f'lshr {t} {b}, 1')
                b = row.add(f'or {t} {b}, 1') if width(t) > 1 else None
            if b is None:
                continue
        if op == 'icmp':
            values.append(('i1', row.add(f'icmp {draw.choice(PREDICATES)} {t} {a}, {b}')))
        elif op == 'select':
            values.append((t, row.add(f'select i1 {of("i1")}, {t} {a}, {t} {b}')))
        else:
            values.append((t, row.add(f'{op} {t} {a}, {b}')))
    for t, value in values[-6:]:
        row.fold(t, value)
    row.end()


def floats():
    for t in ['half', 'bfloat', 'float', 'double', '<3 x float>', '<2 x half>']:
        count, element = parts(t)
        for op in 'fptosi', 'fptoui':
            row = Row()
            for bits in (1, 3, 8, 16, 24, 32, 33, 48, 64, 65, 96, 128):
                result = f'<{count} x i{bits}>' if count else f'i{bits}'
                for at in (0, 24, 88):
                    value = row.load(t, at)
                    row.fold(result, row.call(result, f'llvm.{op}.sat.{suffix(result)}.{suffix(t)}', [f'{t} {value}']))
            row.end()
        row = Row()
        result = f'<{count} x i1>' if count else 'i1'
        for bit in list(range(10)) + [10]:
            for at in (0, 24, 88):
                value = row.load(t, at)
                mask = 1 << bit if bit < 10 else 0x263
                row.fold(result, row.call(result, f'llvm.is.fpclass.{suffix(t)}', [f'{t} {value}', f'i32 {mask}']))
        row.end()
    for t in '<2 x half>', '<3 x float>', '<2 x double>', '<4 x bfloat>':
        alike(t)


def alike(t):
    """A function of a vector is the function of its elements: the bits agree on one machine."""
    count, element = parts(t)
    more = 'exp exp2 log log2 log10 sin cos ' if element in ('float', 'double') else ''
    for name in (more + 'exp10 asin acos atan sinh cosh tanh tan').split():
        row = Row()
        a = row.load(t, 0)
        whole = row.call(t, f'llvm.{name}.{suffix(t)}', [f'{t} {a}'])
        for i in range(count):
            one = row.add(f'extractelement {t} {a}, i32 {i}')
            one = row.call(element, f'llvm.{name}.{suffix(element)}', [f'{element} {one}'])
            bits = [row.add(f'bitcast {element} {x} to i{BITS[element]}')
                    for x in (one, row.add(f'extractelement {t} {whole}, i32 {i}'))]
            row.fold('i1', row.add(f'icmp eq i{BITS[element]} {bits[0]}, {bits[1]}'))
        row.end()


def bitcasts():
    for a, b in [('<3 x i32>', 'i96'), ('<12 x i8>', 'i96'), ('<3 x float>', 'i96'), ('<6 x i16>', '<3 x i32>'),
                 ('<5 x i8>', 'i40'), ('<3 x i16>', 'i48'), ('<16 x i8>', 'i128'), ('<2 x i64>', '<4 x i32>'),
                 ('<3 x i8>', 'i24'), ('<8 x i1>', 'i8'), ('<4 x half>', 'double'), ('<2 x double>', 'i128'),
                 ('<2 x i48>', '<3 x i32>'), ('<2 x i48>', '<6 x i16>'), ('<2 x i48>', 'i96'),
                 ('<4 x i24>', '<3 x i32>'), ('<4 x i24>', 'i96'), ('<4 x i24>', '<2 x i48>'),
                 ('<2 x i24>', '<3 x i16>'), ('<2 x i24>', 'i48'), ('<2 x i24>', '<3 x half>'),
                 ('<8 x i6>', '<3 x i16>'), ('<8 x i6>', 'i48'), ('<8 x i6>', '<2 x i24>'),
                 ('<5 x i3>', 'i15'), ('<5 x i3>', '<3 x i5>'), ('<12 x i1>', '<3 x i4>'), ('<16 x i4>', 'double'),
                 ('<2 x i40>', '<5 x i16>'), ('<2 x i40>', 'i80'), ('<3 x i40>', '<2 x i60>'),
                 ('<2 x i33>', '<3 x i22>'), ('<3 x i64>', '<2 x i96>'), ('<3 x double>', '<4 x i48>'),
                 ('<9 x i32>', '<6 x i48>'), ('<2 x i120>', '<3 x i80>'), ('<5 x float>', '<2 x i80>')]:
        row = Row()
        for x, y in ((a, b), (b, a)):
            row.fold(y, row.add(f'bitcast {x} {row.load(x, 8)} to {y}'))
        row.end()


def constant_expressions():
    """Casts of constants that LLVM's own folding leaves, used as they are and by element."""
    row = Row()
    floats = '<2 x float> bitcast (<1 x i64> <i64 819620375069398193> to <2 x float>)'
    row.fold('float', row.add(f'fadd float extractelement ({floats}, i64 1), 2.0'))
    lane = row.add('and i32 %thread, 1')
    row.fold('float', row.add(f'extractelement {floats}, i32 {lane}'))
    words = '<4 x i32> bitcast (<1 x i128> <i128 -123456789012345678901234567890> to <4 x i32>)'
    row.fold('<4 x i32>', row.add(f'xor {words}, {row.load("<4 x i32>", 8)}'))
    row.fold('i32', row.add(f'add i32 {row.load("i32", 8)}, extractelement ({words}, i32 2)'))
    pair = 'i64 bitcast (<2 x i32> <i32 33554432, i32 128> to i64)'
    for op, other in (('xor', '133143986145'), ('add', '-5'), ('sub', '1311768467463790320')):
        row.fold('i64', row.add(f'or i64 {row.load("i64", 8)}, {op} ({pair}, i64 {other})'))
    row.fold('<2 x i32>', row.add('add <2 x i32> ' + row.load('<2 x i32>', 8) +
                                  ', xor (<2 x i32> bitcast (<1 x i64> <i64 819620375069398193> to <2 x i32>), <2 x i32> <i32 7, i32 -9>)'))
    row.end()


def masked():
    for t in '<4 x i32>', '<3 x i8>', '<2 x double>', '<4 x half>':
        count, element = parts(t)
        mask = f'<{count} x i1>'
        row = Row()
        on, old, new = row.load(mask, 3), row.load(t, 16), row.load(t, 48)
        cell = row.add(f'alloca {t}, align 16')
        name = f'{suffix(t)}.p0'
        for constant in (on, '<' + ', '.join(f'i1 {i % 2}' for i in range(count)) + '>'):
            row.do(f'store {t} {old}, ptr {cell}')
            got = row.call(t, f'llvm.masked.load.{name}', [f'ptr {row.at(64)}', 'i32 1', f'{mask} {constant}', f'{t} {new}'])
            row.fold(t, got)
            declarations.add(f'declare void @llvm.masked.store.{name}({t}, ptr, i32, {mask})')
            declarations.add(f'declare void @llvm.masked.compressstore.{suffix(t)}({t}, ptr, {mask})')
            row.do(f'call void @llvm.masked.store.{name}({t} {new}, ptr {cell}, i32 16, {mask} {constant})')
            row.fold(t, row.add(f'load {t}, ptr {cell}'))
            got = row.call(t, f'llvm.masked.expandload.{suffix(t)}', [f'ptr {row.at(64)}', f'{mask} {constant}', f'{t} {old}'])
            row.fold(t, got)
            row.do(f'call void @llvm.masked.compressstore.{suffix(t)}({t} {got}, ptr {cell}, {mask} {constant})')
            row.fold(t, row.add(f'load {t}, ptr {cell}'))
        pointers = f'<{count} x ptr>'
        where = row.add(f'getelementptr {element}, ptr {cell}, <{count} x i32> <' +
                        ', '.join(f'i32 {count - 1 - i}' for i in range(count)) + '>')
        align = 'i32 1'
        row.fold(t, row.call(t, f'llvm.masked.gather.{suffix(t)}.v{count}p0', [f'{pointers} {where}', align, f'{mask} {on}', f'{t} {new}']))
        declarations.add(f'declare void @llvm.masked.scatter.{suffix(t)}.v{count}p0({t}, {pointers}, i32, {mask})')
        row.do(f'call void @llvm.masked.scatter.{suffix(t)}.v{count}p0({t} {new}, {pointers} {where}, {align}, {mask} {on})')
        row.fold(t, row.add(f'load {t}, ptr {cell}'))
        row.end()


def rearranged():
    row = Row()
    for t in '<4 x i32>', '<3 x i8>', '<2 x double>':
        row.fold(t, row.call(t, f'llvm.vector.reverse.{suffix(t)}', [f'{t} {row.load(t, 8)}']))
    v = row.load('<8 x i16>', 16)
    low = row.call('<4 x i16>', 'llvm.vector.extract.v4i16.v8i16', [f'<8 x i16> {v}', 'i64 4'])
    row.fold('<4 x i16>', low)
    row.fold('<8 x i16>', row.call('<8 x i16>', 'llvm.vector.insert.v8i16.v4i16', [f'<8 x i16> {v}', f'<4 x i16> {low}', 'i64 0']))
    row.fold('<4 x i32>', row.call('<4 x i32>', 'llvm.experimental.stepvector.v4i32', []))
    for base, end in ((0, 2), (-2, -1), (5, 3)):
        row.fold('<4 x i1>', row.call('<4 x i1>', 'llvm.get.active.lane.mask.v4i1.i32', [f'i32 {base}', f'i32 {end}']))
    m = row.add('sitofp <4 x i16> ' + low + ' to <4 x float>')
    row.fold('<4 x float>', row.call('<4 x float>', 'llvm.matrix.multiply.v4f32.v4f32.v4f32',
                                     [f'<4 x float> {m}', f'<4 x float> {m}', 'i32 2', 'i32 2', 'i32 2']))
    row.end()


def arguments():
    """va_arg as an instruction, with arguments in front that fill the registers."""
    globals_.append('''define i64 @listed(i32 %count, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, ...) noinline {
  %list = alloca [24 x i8], align 8
  %twin = alloca [24 x i8], align 8
  call void @llvm.va_start.p0(ptr %list)
  %first = va_arg ptr %list, i32
  call void @llvm.va_copy.p0(ptr %twin, ptr %list)
  br label %next
next:
  %i = phi i32 [0, %0], [%j, %next]
  %sum = phi i64 [0, %0], [%total, %next]
  %x = va_arg ptr %list, double
  %y = va_arg ptr %list, i64
  %z = va_arg ptr %list, ptr
  %w = va_arg ptr %list, i32
  %u = va_arg ptr %twin, double
  %xi = bitcast double %x to i64
  %ui = bitcast double %u to i64
  %zi = ptrtoint ptr %z to i64
  %wi = sext i32 %w to i64
  %s1 = mul i64 %sum, 31
  %s2 = add i64 %s1, %xi
  %s3 = xor i64 %s2, %y
  %s4 = add i64 %s3, %zi
  %s5 = xor i64 %s4, %wi
  %s6 = add i64 %s5, %ui
  %y2 = va_arg ptr %twin, i64
  %z2 = va_arg ptr %twin, ptr
  %w2 = va_arg ptr %twin, i32
  %w2i = zext i32 %w2 to i64
  %total = sub i64 %s6, %w2i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %count
  br i1 %more, label %next, label %end
end:
  call void @llvm.va_end.p0(ptr %twin)
  call void @llvm.va_end.p0(ptr %list)
  %f1 = sext i32 %first to i64
  %r = add i64 %total, %f1
  ret i64 %r
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)''')
    row = Row()
    words = [row.load('i64', 8 * i) for i in range(10)]
    real = row.add(f'bitcast i64 {words[1]} to double')
    pointer = row.add(f'inttoptr i64 {words[2]} to ptr')
    small = row.add(f'trunc i64 {words[3]} to i32')
    group = f'double {real}, i64 {words[4]}, ptr {pointer}, i32 {small}'
    fixed = ', '.join(f'i64 {word}' for word in words[:6])
    for count in 1, 3:
        row.fold('i64', row.add(f'call i64 (i32, i64, i64, i64, i64, i64, i64, ...) @listed(i32 {count}, {fixed}, i32 {small}, ' +
                                ', '.join([group] * count) + ')'))
    row.end()


def library():
    row = Row()
    cell = row.add('alloca [40 x i8], align 8')
    for name, args in (('memcpy', f'ptr {cell}, ptr {row.at(3)}, i64 37'), ('memmove', None), ('memset', None)):
        if name == 'memmove':
            up = row.add(f'getelementptr i8, ptr {cell}, i64 5')
            args = f'ptr {up}, ptr {cell}, i64 20'
        elif name == 'memset':
            up = row.add(f'getelementptr i8, ptr {cell}, i64 30')
            args = f'ptr {up}, i32 {row.load("i32", 60)}, i64 7'
        declarations.add('declare ptr @memset(ptr, i32, i64)' if name == 'memset' else f'declare ptr @{name}(ptr, ptr, i64)')
        got = row.add(f'call ptr @{name}({args}) nobuiltin')
        got = row.add(f'ptrtoint ptr {got} to i64')
        begin = row.add(f'ptrtoint ptr {cell} to i64')
        row.fold('i64', row.add(f'sub i64 {got}, {begin}'))
    for i in range(4):
        word = row.add(f'getelementptr i64, ptr {cell}, i64 {i}')
        row.fold('i64', row.add(f'load i64, ptr {word}'))
    row.end()


def finite(row, t, at):
    """Small whole numbers, so that the order of sums is all that matters."""
    ints = t.replace(parts(t)[1], 'i8')
    value = row.add(f'sitofp {ints} {row.load(ints, at)} to {t}')
    return row.add(f'fdiv {t} {value}, {splat(t, "3.0")}')


def reductions():
    for t in '<4 x float>', '<3 x double>', '<2 x half>', '<5 x float>':
        count, element = parts(t)
        row = Row()
        a, s = finite(row, t, 8), suffix(t)
        start = row.add(f'extractelement {t} {finite(row, t, 40)}, i32 0')
        for name in 'fadd', 'fmul':
            row.fold(element, row.call(element, f'llvm.vector.reduce.{name}.{s}', [f'{element} {start}', f'{t} {a}']))
        for name in 'fmax fmin fmaximum fminimum'.split():
            row.fold(element, row.call(element, f'llvm.vector.reduce.{name}.{s}', [f'{t} {a}']))
        row.end()
    for t in '<4 x i32>', '<3 x i64>', '<8 x i8>', '<2 x i128>', '<8 x i1>':
        row = Row()
        a, element = row.load(t, 9), parts(t)[1]
        for name in 'add mul and or xor smax smin umax umin'.split():
            row.fold(element, row.call(element, f'llvm.vector.reduce.{name}.{suffix(t)}', [f'{t} {a}']))
        row.end()


def parts_of_floats():
    for t, whole in ('float', 'i32'), ('double', 'i32'), ('half', 'i32'):
        row = Row()
        for at in 0, 24, 88:
            a = row.load(t, at)
            if t == 'half':  # the host's library has none for the denormals of half
                a = finite(row, t, at)
            sane = row.add(f'call i1 @llvm.is.fpclass.{suffix(t)}({t} {a}, i32 504)')
            declarations.add(f'declare i1 @llvm.is.fpclass.{suffix(t)}({t}, i32)')
            a = row.add(f'select i1 {sane}, {t} {a}, {t} 1.5')  # of infinities and NaNs the exponent is not said
            pair = row.call(f'{{{t}, {whole}}}', f'llvm.frexp.{suffix(t)}.{whole}', [f'{t} {a}'])
            row.fold(t, row.add(f'extractvalue {{{t}, {whole}}} {pair}, 0'))
            row.fold(whole, row.add(f'extractvalue {{{t}, {whole}}} {pair}, 1'))
        row.end()
        if t == 'half':
            continue
        row = Row()
        a = finite(row, t, 17)
        for name, result in ('lrint', 'i64'), ('lround', 'i64'), ('llrint', 'i64'), ('llround', 'i64'):
            row.fold(result, row.call(result, f'llvm.{name}.{result}.{suffix(t)}', [f'{t} {a}']))
        row.end()


def hints():
    """What says something to the optimizer and nothing to the machine; sizes of objects; copies that stay inline."""
    row = Row()
    a, cell = row.load('i32', 4), row.add('alloca [24 x i8], align 8')
    small = row.add(f'and i32 {a}, 255')
    declarations.update(['declare void @llvm.assume(i1)', 'declare void @llvm.prefetch.p0(ptr, i32, i32, i32)', 'declare void @llvm.donothing()',
                         'declare void @llvm.lifetime.start.p0(i64, ptr)', 'declare void @llvm.lifetime.end.p0(i64, ptr)',
                         'declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)', 'declare void @llvm.sideeffect()',
                         'declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)', 'declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)',
                         'declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)'])
    row.do(f'call void @llvm.assume(i1 {row.add(f"icmp ult i32 {small}, 256")})')
    row.do(f'call void @llvm.assume(i1 true) ["align"(ptr {cell}, i64 8)]')
    row.do(f'call void @llvm.lifetime.start.p0(i64 24, ptr {cell})')
    row.do(f'call void @llvm.memset.inline.p0.i64(ptr {cell}, i8 90, i64 24, i1 false)')
    row.do(f'call void @llvm.memcpy.inline.p0.p0.i64(ptr {cell}, ptr {row.at(7)}, i64 13, i1 false)')
    row.do(f'call void @llvm.memset.p0.i32(ptr {row.add(f"getelementptr i8, ptr {cell}, i32 17")}, i8 -3, i32 5, i1 true)')
    row.do(f'call void @llvm.prefetch.p0(ptr {cell}, i32 0, i32 3, i32 1)')
    row.do('call void @llvm.donothing()')
    row.do('call void @llvm.sideeffect()')
    for at in 0, 8, 16:
        row.fold('i64', row.add(f'load i64, ptr {row.add(f"getelementptr i8, ptr {cell}, i32 {at}")}'))
    row.do(f'call void @llvm.lifetime.end.p0(i64 24, ptr {cell})')
    for name, args in (('expect.i32', [f'i32 {small}', 'i32 3']), ('expect.with.probability.i32', [f'i32 {small}', 'i32 3', 'double 0.5']),
                       ('ssa.copy.i32', [f'i32 {small}'])):
        if name != 'ssa.copy.i32':  # the host's code generator does not know that one
            row.fold('i32', row.call('i32', 'llvm.' + name, args))
    row.fold('float', row.call('float', 'llvm.arithmetic.fence.f32', [f'float {finite(row, "float", 30)}']))
    row.fold('i1', row.call('i1', 'llvm.is.constant.i32', ['i32 7']))
    row.fold('i64', row.call('i64', 'llvm.objectsize.i64.p0', [f'ptr {cell}', 'i1 false', 'i1 true', 'i1 false']))
    row.fold('i64', row.call('i64', 'llvm.objectsize.i64.p0', ['ptr %in', 'i1 true', 'i1 true', 'i1 false']))
    kept = row.add(f'freeze i32 {small}')
    row.fold('i32', row.add(f'mul i32 {kept}, 3'))
    row.fold('i32', row.add(f'and i32 {row.add("freeze i32 undef")}, 0'))
    row.end()
    for t in '{i32, [2 x i16], {double, <2 x i32>}}', '[3 x {i8, i64}]':
        row = Row()
        first = row.add(f'load {t}, ptr %in')
        if t[0] == '{':
            double = row.add(f'extractvalue {t} {first}, 2, 0')
            mixed = row.add(f'insertvalue {t} {first}, i16 9, 1, 1')
            mixed = row.add(f'insertvalue {t} {mixed}, i32 {row.load("i32", 50)}, 0')
            row.fold('double', double)
            row.fold('i16', row.add(f'extractvalue {t} {mixed}, 1, 0'))
            row.fold('i16', row.add(f'extractvalue {t} {mixed}, 1, 1'))
            row.fold('i32', row.add(f'extractvalue {t} {mixed}, 0'))
            row.fold('<2 x i32>', row.add(f'extractvalue {t} {mixed}, 2, 1'))
        else:
            mixed = row.add(f'insertvalue {t} {first}, i64 {row.load("i64", 64)}, 1, 1')
            cell = row.add(f'alloca {t}')
            row.do(f'store {t} {mixed}, ptr {cell}')
            for i in range(3):
                row.fold('i64', row.add(f'load i64, ptr {row.add(f"getelementptr {t}, ptr {cell}, i32 0, i32 {i}, i32 1")}'))
        row.end()


def initialisers():
    """Globals of every type, with pointers to globals and functions, differences of addresses, themselves, an alias."""
    record = '{i1, i24, i128, half, bfloat, <3 x i16>, [2 x {i8, double}], i65, <4 x i1>, float, <2 x float>}'
    packed = '<{i8, i64, i16, [2 x <{i8, i32}>]}>'
    globals_.append(f'''@record = internal constant {record} {{i1 true, i24 -77, i128 -123456789012345678901234567890, half 0xH4248,
  bfloat 0xRC0A0, <3 x i16> <i16 -1, i16 2, i16 300>, [2 x {{i8, double}}] [{{i8, double}} {{i8 -3, double 2.5}}, {{i8, double}} {{i8 7, double 0x7FF0000000000000}}],
  i65 -5, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, float 0x3FD5555560000000, <2 x float> <float -1.5, float 8.0>}}
@packed = internal global {packed} <{{i8 1, i64 -2, i16 3, [2 x <{{i8, i32}}>] [<{{i8, i32}}> <{{i8 4, i32 5}}>, <{{i8, i32}}> <{{i8 undef, i32 6}}>]}}>
@words = internal global [6 x i32] [i32 11, i32 22, i32 33, i32 44, i32 55, i32 66]
@links = internal constant [4 x ptr] [ptr getelementptr (i32, ptr @words, i64 3), ptr @words, ptr getelementptr ([6 x i32], ptr @other, i64 0, i64 2),
  ptr inttoptr (i64 ptrtoint (ptr getelementptr ([6 x i32], ptr @words, i64 0, i64 5) to i64) to ptr)]
@other = alias [6 x i32], ptr @words
@gaps = internal constant [3 x i64] [i64 sub (i64 ptrtoint (ptr getelementptr (i32, ptr @words, i64 4) to i64), i64 ptrtoint (ptr @words to i64)), i64 77, i64 zeroinitializer]
@self = internal global {{ptr, ptr}} {{ptr @self, ptr getelementptr ({{ptr, ptr}}, ptr @self, i32 0, i32 1)}}
@steps = internal constant [3 x {{ptr, i16}}] [{{ptr, i16}} {{ptr @tripled, i16 5}}, {{ptr, i16}} {{ptr @flipped, i16 -6}}, {{ptr, i16}} {{ptr @tripled, i16 poison}}]
@empty = internal global [9 x i64] zeroinitializer
define internal i64 @tripled(i64 %x, ptr %p) noinline {{
  %r = mul i64 %x, 3
  ret i64 %r
}}
define internal i64 @flipped(i64 %x, ptr %p) noinline {{
  %v = load i32, ptr %p
  %w = zext i32 %v to i64
  %r = xor i64 %x, %w
  ret i64 %r
}}''')
    row = Row()
    place = lambda path: row.add(f'getelementptr {record}, ptr @record, i32 0, {path}')
    for path, t in (('i32 0', 'i1'), ('i32 1', 'i24'), ('i32 2', 'i128'), ('i32 3', 'half'), ('i32 4', 'bfloat'), ('i32 5', '<3 x i16>'),
                    ('i32 7', 'i65'), ('i32 8', '<4 x i1>'), ('i32 9', 'float'), ('i32 10', '<2 x float>')):
        row.fold(t, row.add(f'load {t}, ptr {place(path)}'))
    odd = row.add('and i32 %thread, 1')
    row.fold('i8', row.add(f'load i8, ptr {place(f"i32 6, i32 {odd}, i32 0")}'))
    row.fold('double', row.add(f'load double, ptr {place(f"i32 6, i32 {odd}, i32 1")}'))
    for path, t in (('i32 0', 'i8'), ('i32 1', 'i64'), ('i32 2', 'i16'), ('i32 3, i32 0, i32 1', 'i32'), ('i32 3, i32 1, i32 1', 'i32')):
        at = row.add(f'getelementptr {packed}, ptr @packed, i32 0, {path}')
        row.fold(t, row.add(f'load {t}, ptr {at}, align 1'))
    row.end()
    row = Row()
    four = row.add('and i32 %thread, 3')
    link = row.add(f'load ptr, ptr {row.add(f"getelementptr [4 x ptr], ptr @links, i32 0, i32 {four}")}')
    row.fold('i32', row.add(f'load i32, ptr {link}'))
    row.fold('i1', row.add(f'icmp eq ptr {link}, getelementptr (i32, ptr @words, i64 2)'))
    three = row.add('urem i32 %thread, 3')
    row.fold('i64', row.add(f'load i64, ptr {row.add(f"getelementptr [3 x i64], ptr @gaps, i32 0, i32 {three}")}'))
    self = row.add('load ptr, ptr @self')
    row.fold('i1', row.add(f'icmp eq ptr {self}, @self'))
    inner = row.add(f'load ptr, ptr {row.add(f"getelementptr {{ptr, ptr}}, ptr {self}, i32 0, i32 1")}')
    row.fold('i64', row.add(f'sub i64 {row.add(f"ptrtoint ptr {inner} to i64")}, ptrtoint (ptr @self to i64)'))
    function = row.add(f'load ptr, ptr {row.add(f"getelementptr [3 x {{ptr, i16}}], ptr @steps, i32 0, i32 {three}, i32 0")}')
    row.fold('i64', row.add(f'call i64 {function}(i64 {row.load("i64", 8)}, ptr {link})'))
    row.fold('i16', row.add(f'load i16, ptr {row.add(f"getelementptr [3 x {{ptr, i16}}], ptr @steps, i32 0, i32 {odd_of(row)}, i32 1")}'))
    row.fold('i64', row.add(f'load i64, ptr {row.add(f"getelementptr [9 x i64], ptr @empty, i32 0, i32 {three}")}'))
    row.end()


def odd_of(row):
    return row.add('and i32 %thread, 1')


ORDERS = ['monotonic', 'acquire', 'release', 'acq_rel', 'seq_cst']
SCOPES = ['singlethread', 'block', 'device', 'agent', 'workgroup', 'cluster', 'wavefront']


def scopes(turn):
    """The whole system's, and one of the named ones in turn, so that each meets every operation and ordering."""
    return ['', f'syncscope("{SCOPES[turn % len(SCOPES)]}") ']


def update(t, op, space):
    """One operation in every ordering and scope on one word, each result folded."""
    row = Row()
    pointer = f'ptr addrspace({space})' if space else 'ptr'
    if space == 3:
        cell = row.add('getelementptr [64 x i64], ptr addrspace(3) @cells, i32 0, i32 %thread')
    elif space == 5:
        cell, pointer = row.add('alloca i64, align 8'), 'ptr'
    else:
        cell = row.add('getelementptr i64, ptr %out, i64 1')
    row.do(f'store i64 {row.load("i64", 8)}, {pointer} {cell}, align 8')
    for i, order in enumerate(ORDERS):
        for k, scope in enumerate(scopes(len(rows) + i)):
            value = row.load(t, 16 + 8 * i + 40 * k)
            if parts(t)[1] in BITS:  # finite and of like size, so that no NaN arises
                value = row.add(f'sitofp {t.replace(parts(t)[1], "i8")} {row.load(t.replace(parts(t)[1], "i8"), 16 + 8 * i + 40 * k)} to {t}')
                if not i and not k:
                    row.do(f'store {t} {value}, {pointer} {cell}, align 8')
            if op == 'cmpxchg':
                expected = value if (i + k) % 2 else row.add(f'load {t}, {pointer} {cell}, align 8')
                weaker = order if order in ('monotonic', 'acquire', 'seq_cst') else 'acquire'
                weak = 'weak volatile ' if i == 2 else ''
                pair = row.add(f'cmpxchg {weak}{pointer} {cell}, {t} {expected}, {t} {value} {scope}{order} {weaker}, align 8')
                row.fold(t, row.add(f'extractvalue {{{t}, i1}} {pair}, 0'))
                if not weak:
                    row.fold('i1', row.add(f'extractvalue {{{t}, i1}} {pair}, 1'))
                continue
            row.fold(t, row.add(f'atomicrmw {"volatile " if k else ""}{op} {pointer} {cell}, {t} {value} {scope}{order}, align 8'))
    row.fold('i64', row.add(f'load i64, {pointer} {cell}, align 8'))
    row.do(f'store i64 0, {pointer} {cell}, align 8')
    row.end()


def accesses(t):
    """Loads and stores: volatile, and atomic in every ordering and scope."""
    row = Row()
    for space in 0, 3:
        pointer = f'ptr addrspace({space})' if space else 'ptr'
        cell = row.add('getelementptr [64 x i64], ptr addrspace(3) @cells, i32 0, i32 %thread') if space else \
            row.add('getelementptr i64, ptr %out, i64 1')
        row.do(f'store i64 0, {pointer} {cell}, align 8')
        row.do(f'store volatile {t} {row.load(t, 0)}, {pointer} {cell}, align 8')
        row.fold(t, row.add(f'load volatile {t}, {pointer} {cell}, align 8'))
        for i, scope in enumerate(scopes(len(rows)) + scopes(len(rows) + 1)[1:]):
            for k, (write, read) in enumerate((('unordered', 'unordered'), ('monotonic', 'monotonic'), ('release', 'acquire'),
                                               ('seq_cst', 'seq_cst'))):
                v = 'volatile ' if k % 2 else ''
                row.do(f'store atomic {v}{t} {row.load(t, 8 * k + 40 * i)}, {pointer} {cell} {scope}{write}, align 8')
                row.fold(t, row.add(f'load atomic {v}{t}, {pointer} {cell} {scope}{read}, align 8'))
        row.do(f'store i64 0, {pointer} {cell}, align 8')
    for scope in [scopes(0)[0]] + [scopes(i)[1] for i in range(len(SCOPES))]:
        for order in ORDERS[1:]:
            row.do(f'fence {scope}{order}')
    row.end()


def atomics():
    globals_.append('@cells = internal addrspace(3) global [64 x i64] undef')
    for t in 'i8', 'i16', 'i32', 'i64':
        for op in 'xchg add sub and nand or xor max min umax umin uinc_wrap udec_wrap cmpxchg'.split():
            for space in 0, 3, 5:
                update(t, op, space)
        accesses(t)
    for t in 'half', 'bfloat', 'float', 'double':
        for op in 'fadd fsub fmin fmax xchg'.split():
            for space in 0, 3:
                update(t, op, space)
        accesses(t)
    for t in '<2 x half>', '<2 x bfloat>', '<2 x float>':
        for op in 'fadd', 'fsub', 'fmin', 'fmax':
            for space in 0, 3:
                update(t, op, space)


def rest():
    bitcasts()
    constant_expressions()
    masked()
    rearranged()
    arguments()
    library()
    reductions()
    parts_of_floats()
    hints()
    initialisers()


def main():
    {'ints': integers, 'wide': wide, 'widest': widest, 'floats': floats, 'rest': rest, 'atomics': atomics}[sys.argv[1]]()
    print('\n'.join(globals_))
    for i, body in enumerate(rows):
        print(f'define void @row{i}(ptr %in, ptr %out, i32 %thread) noinline {{\n{body}\n  ret void\n}}')
    print('define i32 @theme(ptr %in, ptr %out, i32 %thread) {')
    for i in range(len(rows)):
        print(f'  %o{i} = getelementptr i64, ptr %out, i64 {i}\n  call void @row{i}(ptr %in, ptr %o{i}, i32 %thread)')
    print(f'  ret i32 {len(rows)}\n}}')
    print('\n'.join(sorted(declarations)))


main()
