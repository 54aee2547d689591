"""What single instructions do, one lane after the other, as include/heddle/opcodes.def says it."""

import math
import struct

from interpreter import (BOOL, COMPARE, LOCAL, M32, M64, MUFU, OPERATIONS, SHARED, SIZES, TYPES, Stuck, from_float, mixed,
                         predicate, product, put, put_predicate, reader, signed, tag, to_float, total, value,
                         writer)

LOCAL_END, SHARED_END = LOCAL + (1 << 32), SHARED + (1 << 24)


def is_signed(inst):
    return 'SIGN' not in inst.mods


def number(inst, slot, x):
    """An integer operand with its sign."""
    return -x if inst.operands[slot].get('negated') else x


# ---- integers

def lanewise(function):
    def operation(warp, inst, lanes):
        sources = [reader(inst, slot) for slot in 'abc' if slot in inst.operands]
        write = writer(inst) if 'dst' in inst.operands else None
        for t in lanes:
            result = function(inst, t, *[source(warp, t) for source in sources])
            if result is not None:
                write(t, result)
    return operation


def add3(inst, t, *sources):
    """Negated words enter as complements and ones; under EX without the ones, and with the carry."""
    words, carry = [], 0
    for slot, x in zip('abc', sources):
        negated = inst.operands[slot].get('negated')
        words.append(x & M32 ^ (M32 if negated else 0))
        carry += bool(negated)
    if 'EX' in inst.mods:
        carry = predicate(t, inst.facts['predicates']['sources'][0])
    result = sum(words) + carry
    put_predicate(t, inst, result > M32)
    return result & M32


def multiply(inst, t, a, b, c):
    a, b, c = (number(inst, slot, x) for slot, x in zip('abc', (a, b, c)))
    return a * b + c & M32


def wide(inst, t, a, b, c):
    if is_signed(inst):
        a, b = signed(a), signed(b)
    if 'immediate' in inst.operands['c']:
        c = signed(c)
    return (a & (-1 if is_signed(inst) else M32)) * b + c & M64


def high(inst, t, a, b, c):
    if is_signed(inst):
        a, b = signed(a), signed(b)
    return (a * b >> 32) + c & M32


def logic(inst, t, a, b, c):
    lut, result = inst.mods.get('LUT', 0), 0
    for i in range(8):
        if lut >> i & 1:
            result |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
    put_predicate(t, inst, result & M32)
    return result & M32


def left(inst, t, a, b):
    return a << (b & 31) & M32 if 'WRAP' in inst.mods else a << b & M32 if b < 32 else 0


def right(inst, t, a, b):
    a = signed(a) if is_signed(inst) else a
    return a >> (b & 31 if 'WRAP' in inst.mods else min(b, 32)) & M32


def funnel_left(inst, t, a, b, c):
    b = b & 31 if 'WRAP' in inst.mods else min(b, 64 if 'SHIFTED' in inst.mods else 32)
    return (c << 32 | a) << b >> 32 & M32


def funnel_right(inst, t, a, b, c):
    b = b & 31 if 'WRAP' in inst.mods else min(b, 64 if 'SHIFTED' in inst.mods else 32)
    c = signed(c) if inst.mods.get('SHIFTED') == 'S64' else c
    return (c << 32 | a) >> b & M32


def scaled_add(inst, t, a, b):
    shift = inst.mods.get('SHAMT', 0)
    negated = inst.operands['a'].get('negated'), inst.operands['b'].get('negated')
    a, b = a << shift & M32 ^ (M32 if negated[0] else 0), b ^ (M32 if negated[1] else 0)
    result = a + b + sum(map(bool, negated))
    put_predicate(t, inst, result > M32)
    return result & M32


def scaled_add_high(inst, t, a, b, c):
    carry = predicate(t, inst.facts['predicates']['sources'][0]) if 'EX' in inst.mods else 0
    return ((c << 32 | a) << inst.mods.get('SHAMT', 0) >> 32) + b + carry & M32


def compare(inst, t, a, b):
    if is_signed(inst):
        a, b = signed(a), signed(b)
    sources = [predicate(t, text) for text in inst.facts['predicates']['sources']]
    holds = COMPARE[inst.mods['CMP']](a, b)
    if 'EX' in inst.mods and a == b:
        holds = sources[1]
    put_predicate(t, inst, BOOL[inst.mods['BOOL']](bool(holds), sources[0]))


def least(inst, t, a, b):
    pick = min if inst.mods['MINMAX'] == 'MIN' else max
    return pick(a, b, key=signed if is_signed(inst) else None)


def permute(inst, t, a, b, c):
    result = 0
    for i in range(4):
        selector = b >> 4 * i & 15
        byte = (c if selector & 4 else a) >> (selector & 3) * 8 & 0xff
        result |= (0xff * (byte >> 7) if selector & 8 else byte) << 8 * i
    return result


def leading(inst, t, b):
    b = b ^ (M32 if b >> 31 and is_signed(inst) else 0)
    at = b.bit_length() - 1
    return (31 - at if 'SH' in inst.mods and at >= 0 else at) & M32


def extend(inst, t, a, b):
    if b >= 32:
        return a
    a &= (1 << b) - 1
    return signed(a, b) & M32 if b and is_signed(inst) else a


def dot(inst, t, a, b, c):
    for i in range(4):
        x, y = a >> 8 * i & 0xff, b >> 8 * i & 0xff
        c += (signed(x, 8) if is_signed(inst) else x) * (signed(y, 8) if inst.mods.get('SIGNB') == 'S8' else y)
    return c & M32


def to_predicates(inst, t, a, b):
    for i in range(7):
        if b >> i & 1:
            t.preds[i] = bool(a >> i & 1)


def combine(inst, t):
    a, b = (predicate(t, text) for text in inst.facts['predicates']['sources'])
    put_predicate(t, inst, BOOL[inst.mods['BOOL']](a, b))


def special(warp, inst, lanes):
    names = {'SR_TID': lambda t: t.tid, 'SR_CTAID': lambda t: warp.block.ctaid}
    masks = {'EQ': lambda n: 1 << n, 'LT': lambda n: (1 << n) - 1, 'LE': lambda n: (2 << n) - 1,
             'GT': lambda n: M32 & ~((2 << n) - 1), 'GE': lambda n: M32 & ~((1 << n) - 1)}
    name, _, axis = inst.mods['SR'].partition('.')
    for t in lanes:
        if name in names:
            put(t, inst, names[name](t)['XYZ'.index(axis)])
        elif name == 'SR_LANEID':
            put(t, inst, t.lane)
        elif name.startswith('SR_LANEMASK'):
            put(t, inst, masks[inst.mods['SR'][-2:]](t.lane))
        else:
            put(t, inst, mixed(tag(inst), t.index // 32) & 0xff)


# ---- floating point

def floats(inst, sources, size):
    if 'floats' not in inst.made:
        inst.made['floats'] = [(size == 8 and 'immediate' in at, at.get('absolute'), at.get('negated'))
                               for at in (inst.operands[slot] for slot in 'abc' if slot in inst.operands)]
    result, mask = [], (1 << 8 * size) - 1
    for (upper, absolute, negated), x in zip(inst.made['floats'], sources):
        x = to_float(x << 32 & M64 if upper else x & mask, size)
        x = abs(x) if absolute else x
        result.append(-x if negated else x)
    return result


def clipped(inst, x):
    return min(max(x, 0.0), 1.0) if 'SAT' in inst.mods and x == x else 0.0 if 'SAT' in inst.mods else x


def real(size, function):
    return lanewise(lambda inst, t, *sources: from_float(clipped(inst, function(*floats(inst, sources, size))), size))


def real_compare(size):
    def function(inst, t, *sources):
        holds = COMPARE[inst.mods['CMP']](*floats(inst, sources, size))
        put_predicate(t, inst, BOOL[inst.mods['BOOL']](bool(holds), predicate(t, inst.facts['predicates']['sources'][0])))
    return lanewise(function)


def real_least(inst, t, a, b):
    a, b = floats(inst, (a, b), 4)
    if a != a or b != b:
        return from_float(math.nan if 'NAN' in inst.mods or a == b else b if a != a else a, 4)
    return from_float((min if inst.mods['MINMAX'] == 'MIN' else max)(a, b), 4)


def flushed(x):
    """A denormal float is zero."""
    return math.copysign(0.0, x) if abs(x) < 2.0 ** -126 else x


def function_of(inst, t, b):
    name = inst.mods['MUFUFN']
    if name.endswith('64H'):
        x = to_float(b << 32 & M64, 8)
        return from_float(MUFU[name[:3]](x), 8) >> 32
    at = inst.operands['b']
    x = to_float(b, 4)
    x = abs(x) if at.get('absolute') else x
    x = -x if at.get('negated') else x
    if 'FTZ' not in inst.mods:
        return from_float(MUFU[name](x), 4)
    return from_float(flushed(to_float(from_float(MUFU[name](flushed(x)), 4), 4)), 4)


ROUND = {'RM': math.floor, 'RP': math.ceil, 'RZ': math.trunc, None: round}


def source_of(inst, b):
    """A converted value: a float, or an integer."""
    kind, at = inst.mods['STYPE'], inst.operands['b']
    size = TYPES[kind]
    if kind == 'BF16':
        x = to_float(b << 16 & M32, 4)
    elif kind[0] == 'F':
        x = to_float(b << 32 & M64 if size == 8 and 'immediate' in at else b & (1 << 8 * size) - 1, size)
    else:
        return signed(b, 8 * size) if kind[0] == 'S' else b & (1 << 8 * size) - 1
    x = abs(x) if at.get('absolute') else x
    return -x if at.get('negated') else x


def converted(inst, x):
    kind = inst.mods['DTYPE']
    size = TYPES[kind]
    if kind == 'BF16':
        return from_float(x, 4) >> 16
    if kind[0] == 'F':
        return from_float(clipped(inst, float(x)), size)
    low, high_ = (-(1 << 8 * size - 1), (1 << 8 * size - 1) - 1) if kind[0] == 'S' else (0, (1 << 8 * size) - 1)
    if x != x:
        return 0
    x = (low if x < 0 else high_) if abs(x) == math.inf else min(max(ROUND[inst.mods.get('RND')](x), low), high_)
    return x & (1 << 32 * max(size // 4, 1)) - 1


def convert(inst, t, b):
    return converted(inst, source_of(inst, b))


def widen(inst, t, b):
    half = b >> 16 if inst.mods.get('UPPER') else b & 0xffff
    return from_float(struct.unpack('<e', struct.pack('<H', half))[0], 4)


def integral(inst, t, b):
    x = source_of(inst, b)
    return converted(inst, float(ROUND[inst.mods.get('RND')](x)) if abs(x) < math.inf else x)


# ---- memory

def space_of(inst, address):
    if inst.op in ('LDS', 'STS', 'ATOMS'):
        return 'shared', address & M32
    if inst.op in ('LDL', 'STL'):
        return 'local', address & M32
    if inst.op in ('LD', 'ST', 'ATOM'):
        if SHARED <= address < SHARED_END:
            return 'shared', address - SHARED
        if LOCAL <= address < LOCAL_END:
            return 'local', address - LOCAL
    return 'global', address


def address_of(warp, t, inst):
    return value(warp, t, inst, 'a') + inst.facts['number'] & M64


def memory_of(warp, t, space):
    return warp.block.memory if space == 'global' else warp.block.shared if space == 'shared' else t.local


def load(warp, inst, lanes):
    size, with_sign, write = SIZES[inst.mods.get('SIZE')], inst.mods.get('SIZE', '')[:1] == 'S', writer(inst)
    for t in lanes:
        space, address = space_of(inst, address_of(warp, t, inst))
        x = memory_of(warp, t, space).load(address, size)
        if space != 'local':
            t.accesses.append(('load', space, address, size, 0))
        write(t, signed(x, 8 * size) & M32 if with_sign else x)


def store(warp, inst, lanes):
    size, read = SIZES[inst.mods.get('SIZE')], reader(inst, 'c')
    mask = (1 << 8 * size) - 1
    for t in lanes:
        space, address = space_of(inst, address_of(warp, t, inst))
        x = read(warp, t) & mask
        memory_of(warp, t, space).store(address, size, x)
        if space != 'local':
            t.accesses.append(('store', space, address, size, x))


def load_constant(warp, inst, lanes):
    size = SIZES[inst.mods.get('SIZE')]
    for t in lanes:
        address = (value(warp, t, inst, 'a') + inst.facts['number']) & M32
        bank = inst.mods.get('BANK', 0)
        x = warp.block.launch.bank.load(address, size) if bank == 0 else mixed(bank, address)
        put(t, inst, signed(x, 8 * size) & M32 if inst.mods.get('SIZE', '')[:1] == 'S' else x)


def atomic(warp, inst, lanes):
    size, kind, operation = TYPES[inst.mods['DTYPE']], inst.mods['DTYPE'], inst.mods['ATOMOP']
    for t in lanes:
        space, address = space_of(inst, address_of(warp, t, inst))
        memory = memory_of(warp, t, space)
        old, b = memory.load(address, size), value(warp, t, inst, 'b')
        swapped = value(warp, t, inst, 'c') if operation == 'CAS' else 0
        memory.store(address, size, combined(operation, kind, size, old, b, swapped))
        if space != 'local':
            t.accesses.append(('atomic', space, address, size, b))
        put(t, inst, old)


def combined(operation, kind, size, old, b, c):
    if kind[0] in 'FB':
        return mixed(size, old, b) if operation != 'EXCH' else b
    key = (lambda x: signed(x, 8 * size)) if kind[0] == 'S' else None
    return {'ADD': lambda: old + b, 'MIN': lambda: min(old, b, key=key), 'MAX': lambda: max(old, b, key=key),
            'INC': lambda: 0 if old >= b else old + 1, 'DEC': lambda: b if old == 0 or old > b else old - 1,
            'AND': lambda: old & b, 'OR': lambda: old | b, 'XOR': lambda: old ^ b, 'EXCH': lambda: b,
            'CAS': lambda: c if old == b else old}[operation]() & (1 << 8 * size) - 1


# ---- across the warp

def groups(warp, inst, lanes, slot):
    """Lanes that take part with one another: those that are there, or with equal masks in the slot. Lanes that wait for
    some that are elsewhere are beyond a stack."""
    if inst.mods.get('MEMBERS') in ('ACTIVE', 'HERE'):
        return [lanes]
    masked, result = inst.op == 'WARPSYNC' or inst.mods.get('MEMBERS') == 'MASK', {}
    for t in lanes:
        result.setdefault(value(warp, t, inst, slot) & M32 if masked else M32, []).append(t)
    here, live = ({t.lane for t in some} for some in (lanes, warp.live()))
    if any(mask >> lane & 1 for mask in result for lane in live - here):
        raise Stuck('lanes that wait for others elsewhere')
    return list(result.values())


def vote(warp, inst, lanes):
    for group in groups(warp, inst, lanes, 'b'):
        votes = [predicate(t, inst.facts['predicates']['sources'][0]) for t in group]
        result = {'ALL': all(votes), 'ANY': any(votes), 'EQ': len(set(votes)) == 1}[inst.mods['VOTEMODE']]
        ballot = sum(1 << t.lane for t, yes in zip(group, votes) if yes)
        for t in group:
            put(t, inst, ballot)
            put_predicate(t, inst, result)


def clamp_of(warp, inst, t):
    """Where c is the mask, b has what c would be above the lane."""
    if 'CIMM' in inst.mods:
        return inst.facts['number'] >> 8
    return value(warp, t, inst, 'b') >> 8 if inst.mods.get('MEMBERS') == 'MASK' else value(warp, t, inst, 'c')


def shuffle(warp, inst, lanes):
    groups(warp, inst, lanes, 'c')
    values = {t.lane: value(warp, t, inst, 'a') for t in lanes}
    results = []
    for t in lanes:
        b = inst.facts['number'] & 0xff if 'BIMM' in inst.mods else value(warp, t, inst, 'b')
        c = clamp_of(warp, inst, t)
        b, segment, clamp = b & 31, c >> 8 & 31, c & 31
        low, most = t.lane & segment, t.lane & segment | clamp & ~segment
        at = {'IDX': low | b & ~segment, 'UP': t.lane - b, 'DOWN': t.lane + b, 'BFLY': t.lane ^ b}[inst.mods['SHFLMODE']]
        inside = at >= most if inst.mods['SHFLMODE'] == 'UP' else at <= most
        results.append((t, values.get(at if inside else t.lane, 0), inside))
    for t, x, inside in results:
        put(t, inst, x)
        put_predicate(t, inst, inside)


def reduce(warp, inst, lanes):
    values = [value(warp, t, inst, 'a') for t in lanes]
    result = values[0]
    for x in values[1:]:
        result = combined(inst.mods['ATOMOP'], inst.mods['DTYPE'], 4, result, x, 0)
    for t in lanes:
        put(t, inst, result)


def match(warp, inst, lanes):
    results = []
    for group in groups(warp, inst, lanes, 'b'):
        values = [(t, value(warp, t, inst, 'a')) for t in group]
        same = len({x for _, x in values}) == 1
        for t, x in values:
            equal = sum(1 << u.lane for u, y in values if y == x)
            results.append((t, equal if inst.mods['VOTEMODE'] == 'ANY' or same else 0, same))
    for t, x, same in results:
        put(t, inst, x)
        put_predicate(t, inst, same)


def meet(warp, inst, lanes):
    groups(warp, inst, lanes, 'b')


def to_uniform(warp, inst, lanes):
    warp.uniform[inst.operands['dst']['uniform']] = value(warp, lanes[0], inst, 'b')


def barrier(warp, inst, lanes):
    """Votes of barriers would need all warps at once: some number, the same for all."""
    warp.barriers += 1
    for t in lanes:
        put(t, inst, mixed(warp.barriers) % 9)
        put_predicate(t, inst, mixed(warp.barriers) & 1)


def service(warp, inst, lanes):
    raise Stuck(f"a service: {inst.facts['service']}")


def leave_coefficient(warp, inst, lanes):
    warp.block.linear.coefficients[inst.facts['number']] = value(warp, lanes[0], inst, 'b')


def leave_thread_part(warp, inst, lanes):
    for t in lanes:
        warp.block.linear.threads[inst.facts['number'], t.index] = value(warp, t, inst, 'b')


def leave_block_part(warp, inst, lanes):
    for t in lanes:
        warp.block.linear.blocks[t.lane] = value(warp, t, inst, 'b')


def nothing(warp, inst, lanes):
    pass


OPERATIONS.update({
    'MOV': lanewise(lambda inst, t, b: b), 'IADD3': lanewise(add3), 'IMAD': lanewise(multiply), 'IMAD_WIDE': lanewise(wide),
    'SEL': lanewise(lambda inst, t, a, b: a if predicate(t, inst.facts['predicates']['sources'][0]) else b),
    'IMAD_HI': lanewise(high), 'LOP3': lanewise(logic), 'SHL': lanewise(left), 'SHR': lanewise(right),
    'SHF_L': lanewise(funnel_left), 'SHF_R': lanewise(funnel_right), 'LEA': lanewise(scaled_add),
    'LEA_HI': lanewise(scaled_add_high), 'ISETP': lanewise(compare), 'IMNMX': lanewise(least),
    'IABS': lanewise(lambda inst, t, b: abs(signed(b)) & M32), 'PRMT': lanewise(permute),
    'POPC': lanewise(lambda inst, t, b: bin(b).count('1')), 'FLO': lanewise(leading), 'SGXT': lanewise(extend),
    'BREV': lanewise(lambda inst, t, b: int(f'{b:032b}'[::-1], 2)), 'IDP4A': lanewise(dot), 'PLOP': lanewise(combine),
    'P2R': lanewise(lambda inst, t: sum(1 << i for i in range(7) if t.preds[i])), 'R2P': lanewise(to_predicates),
    'S2R': special, 'CS2R': special,
    'FADD': real(4, total), 'FMUL': real(4, product), 'FFMA': real(4, lambda a, b, c: total(product(a, b), c)),
    'DADD': real(8, total), 'DMUL': real(8, product), 'DFMA': real(8, lambda a, b, c: total(product(a, b), c)),
    'FSETP': real_compare(4), 'DSETP': real_compare(8), 'FMNMX': lanewise(real_least), 'MUFU': lanewise(function_of),
    'HADD2_F32': lanewise(widen), 'F2F': lanewise(convert), 'F2I': lanewise(convert), 'I2F': lanewise(convert), 'FRND': lanewise(integral),
    'LDCX': load, 'LDG': load, 'LD': load, 'LDS': load, 'LDL': load, 'LDC': load_constant, 'STG': store, 'ST': store, 'STS': store,
    'STL': store, 'ATOMG': atomic, 'ATOMS': atomic, 'ATOM': atomic, 'MEMBAR': nothing, 'SHFL': shuffle, 'VOTE': vote,
    'REDUX': reduce, 'MATCH': match, 'WARPSYNC': meet, 'BAR': barrier, 'NANOSLEEP': nothing, 'NOP': nothing, 'SYSCALL': service,
    'R2UR': to_uniform, 'UMOV': to_uniform, 'R2CR': leave_coefficient, 'R2TR': leave_thread_part, 'R2BR': leave_block_part,
})
