#!/usr/bin/python3
"""Fits the polynomials of lib/device/special.def: fit_math.py > lib/device/special.def, and those of single.def:
fit_math.py single > lib/device/single.def

Interpolation at Chebyshev points in 60 digits, turned into powers of the argument's distance from a centre; the degree
grows until the relative error is below the wanted one. Needs python3-mpmath; the build does not need this program.
"""

import sys

import mpmath as mp

mp.mp.dps = 60
TYPES = {'double': (53, mp.mpf(2) ** -56), 'float': (24, mp.mpf(2) ** -27)}


def fit(function, low, high, centre, count):
    """Coefficients, lowest first, of `count` powers of (x - centre) that interpolate the function."""
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    differences = [function(x) for x in points]
    for step in range(1, count):  # Newton's divided differences
        for i in range(count - 1, step - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (points[i] - points[i - step])
    result = [mp.mpf(0)] * count
    for i in range(count - 1, -1, -1):
        shift = centre - points[i]
        result = [result[k] * shift + (result[k - 1] if k else 0) for k in range(count)]
        result[0] += differences[i]
    return result


def error_of(function, coefficients, low, high, centre, scale):
    worst = mp.mpf(0)
    for k in range(101):
        x = low + (high - low) * k / 100
        reference = function(x)
        value = mp.polyval(coefficients[::-1], x - centre)
        worst = max(worst, abs((value - reference) / (scale or reference)))
    return worst


def rounded(value, digits):
    """The nearest number of so many binary digits."""
    if value == 0:
        return value
    exponent = mp.mpf(2) ** (digits - 1 - int(mp.floor(mp.log(abs(value), 2))))
    return mp.nint(value * exponent) / exponent


def settled(function, low, high, digits):
    """A centre near the middle whose value and slope are almost numbers of so many digits. What rounding the first two
    coefficients takes off is off in all results; the values of an interval may be half as large as that of its centre."""
    middle, half = (low + high) / 2, (high - low) / 2
    taylor = fit(function, low, high, middle, 24)[::-1]

    def lost(centre):
        value, slope = mp.polyval(taylor, centre - middle, derivative=True)
        return abs(value - rounded(value, digits)) + half * abs(slope - rounded(slope, digits))
    return min((rounded(middle + half * k / 20000, digits) for k in range(-1000, 1001)), key=lost)


def literal(value, kind):
    text = mp.nstr(value, 17 if kind == 'double' else 9, strip_zeros=False)
    return (text if '.' in text or 'e' in text else text + '.0') + ('' if kind == 'double' else 'f')


def emit(name, function, low, high, centre=None, kinds=('double', 'float'), scale=None, settle=False):
    low, high = mp.mpf(low), mp.mpf(high)
    centre = (low + high) / 2 if centre is None else mp.mpf(centre)
    for kind in kinds:
        digits, wanted = TYPES[kind]
        first, margin = rounded(centre, digits), (high - low) * mp.mpf('1e-9')
        if settle:
            first = settled(function, low, high, digits)
        for count in range(3, 60):
            coefficients = fit(function, low - margin, high + margin, first, count)
            if error_of(function, coefficients, low, high, first, scale) < wanted:
                break
        suffix = '' if kind == 'double' else 'f'
        values = [literal(rounded(c, digits), kind) for c in coefficients]
        lines, line = [], '\t  '
        for value in values:
            if len(line) + len(value) > 100:
                lines.append(line.rstrip())
                line = '\t  '
            line += value + ', '
        lines.append(line.rstrip().rstrip(','))
        print(f'HD_FIT({kind}, {name}{suffix}, {literal(first, kind)}, {len(values)},')
        print('\n'.join(lines) + ')')


def zero(name, value):
    """A number in two words of each type."""
    for kind, (digits, _) in TYPES.items():
        suffix = '' if kind == 'double' else 'f'
        first = rounded(value, digits)
        print(f'HD_NUMBER({kind}, {name}{suffix}, {literal(first, kind)}, {literal(rounded(value - first, digits), kind)})')


def regular(order, x):
    return mp.besselj(order, x)


def quotient(function, root):
    """function(x) / (x - root), its limit at the root included."""
    def divided(x):
        if abs(x - root) < mp.mpf('1e-25'):
            return mp.diff(function, root)
        return function(x) / (x - root)
    return divided


def bessel():
    print('\n/* J0, J1: even powers near zero, then the distance from a zero times a polynomial in that distance */')
    emit('j0_small', lambda s: mp.besselj(0, mp.sqrt(s)), 0, 1.44, 0)
    emit('j1_small', lambda s: mp.besselj(1, mp.sqrt(s)) / mp.sqrt(s) if s else mp.mpf(1) / 2, 0, 3.61, 0)
    for order, spans in ((0, ((1, 1.2, 4), (2, 4, 8))), (1, ((1, 1.9, 5.4), (2, 5.4, 8)))):
        for number, low, high in spans:
            root = mp.besseljzero(order, number)
            zero(f'j{order}_zero{number}', root)
            emit(f'j{order}_near{number}', quotient(lambda x, o=order: mp.besselj(o, x), root), low, high, root)
    print('\n/* Y0, Y1: what (2/pi) log(x / first zero) J(x) leaves, over (x - zero)(x + zero); then as above */')
    first = [mp.besselyzero(0, 1), mp.besselyzero(1, 1)]

    def rest0(s):
        x = mp.sqrt(s)
        if abs(x - first[0]) < mp.mpf('1e-20'):
            x += mp.mpf('1e-20')
        left = 2 / mp.pi * (mp.euler - mp.log(2) + mp.log(first[0])) if not s else \
            mp.bessely(0, x) - 2 / mp.pi * mp.log(x / first[0]) * mp.besselj(0, x)
        return left / (s - first[0] ** 2)

    def rest1(s):
        x = mp.sqrt(s)
        if abs(x - first[1]) < mp.mpf('1e-20'):
            x += mp.mpf('1e-20')
        left = -2 / mp.pi if not s else x * (mp.bessely(1, x) - 2 / mp.pi * mp.log(x / first[1]) * mp.besselj(1, x))
        return left / (s - first[1] ** 2)

    emit('y0_rest', rest0, 0, 4.84, 0)
    emit('y1_rest', rest1, 0, 9, 0)
    zero('y0_zero1', first[0])
    zero('y1_zero1', first[1])
    for order, spans in ((0, ((2, 2.2, 5.5), (3, 5.5, 8))), (1, ((2, 3, 6.8), (3, 6.8, 8)))):
        for number, low, high in spans:
            root = mp.besselyzero(order, number)
            zero(f'y{order}_zero{number}', root)
            emit(f'y{order}_near{number}', quotient(lambda x, o=order: mp.bessely(o, x), root), low, high, root)
    print("\n/* From 8: Hankel's P and x Q in 1/x^2 */")
    for order in (0, 1):
        def both(z, o=order):
            x = 1 / mp.sqrt(z)
            angle, factor = x - (2 * o + 1) * mp.pi / 4, mp.sqrt(mp.pi * x / 2)
            j, y, c, s = mp.besselj(o, x), mp.bessely(o, x), mp.cos(angle), mp.sin(angle)
            return factor * (j * c + y * s), factor * (y * c - j * s) * x
        emit(f'hankel_p{order}', lambda z: both(z)[0], '1e-8', mp.mpf(1) / 64, 0)
        emit(f'hankel_q{order}', lambda z: both(z)[1], '1e-8', mp.mpf(1) / 64, 0)
    print('\n/* I0, I1: powers of x^2; from 8 exp(x)/sqrt(x) times a polynomial in 1/x */')
    emit('i0_small', lambda s: mp.besseli(0, mp.sqrt(s)), 0, 64, 0)
    emit('i1_small', lambda s: mp.besseli(1, mp.sqrt(s)) / mp.sqrt(s) if s else mp.mpf(1) / 2, 0, 64, 0)
    for order in (0, 1):
        emit(f'i{order}_large', lambda r, o=order: mp.besseli(o, 1 / r) * mp.exp(-1 / r) * mp.sqrt(1 / r),
             mp.mpf(1) / 800, mp.mpf(1) / 8, mp.mpf(1) / 16)


def inverse_erfc(w):
    """x > 0 with erf(x)^2 = 1 - exp(-w)."""
    if w == 0:
        return mp.mpf(0)
    tail = -mp.expm1(-w)
    y = mp.exp(-w) / (1 + mp.sqrt(tail))  # 1 - erf(x)
    x = mp.erfinv(1 - y) if w < 30 else mp.sqrt(w - mp.log(w) / 2)
    for _ in range(8):
        x += (mp.erfc(x) - y) / (2 / mp.sqrt(mp.pi) * mp.exp(-x * x))
    return x


def inverse():
    print('\n/* erfinv(x)/x in w = -log(1 - x^2), then in sqrt(w) */')

    def ratio(w):
        return inverse_erfc(w) / mp.sqrt(-mp.expm1(-w)) if w > mp.mpf('1e-40') else mp.sqrt(mp.pi) / 2
    emit('erfinv_centre', ratio, 0, 6.25, kinds=('double',))
    for name, low, high in (('near', 2.5, 4), ('far', 4, 7), ('farther', 7, 14), ('farthest', 14, 28)):
        emit('erfinv_' + name, lambda s: ratio(s * s), low, high, kinds=('double',))
    print('\n/* float: the same in t = -log2(1 - x^2), then in sqrt(t) */')
    emit('erfinv_centre', lambda t: ratio(t * mp.log(2)), 0, 7.25, kinds=('float',), settle=True)
    for name, low, high in (('near', 2.6925, 5), ('far', 5, 12.25)):
        emit('erfinv_' + name, lambda s: ratio(s * s * mp.log(2)), low, high, kinds=('float',), settle=True)


def elementary():
    print('\n/* (log((1+s)/(1-s)) - 2s) / s^3 in s^2 */')
    emit('log_ratio', lambda z: (2 * mp.atanh(mp.sqrt(z)) - 2 * mp.sqrt(z)) / mp.sqrt(z) ** 3 if z > mp.mpf('1e-25')
         else mp.mpf(2) / 3, 0, 0.0295, 0, ('double',))
    print('\n/* (sin(pi r) - pi r) / r^3 and (cos(pi r) - 1) / r^2 in r^2, |r| <= 1/4 */')
    emit('sinpi_rest', lambda z: (mp.sin(mp.pi * mp.sqrt(z)) - mp.pi * mp.sqrt(z)) / mp.sqrt(z) ** 3
         if z > mp.mpf('1e-25') else -mp.pi ** 3 / 6, 0, mp.mpf(1) / 16, 0)
    emit('cospi_rest', lambda z: (mp.cos(mp.pi * mp.sqrt(z)) - 1) / z if z > mp.mpf('1e-25') else -mp.pi ** 2 / 2,
         0, mp.mpf(1) / 16, 0)
    zero('pi', mp.pi)


def gamma():
    print('\n/* 1 / gamma(1 + x), |x| <= 1/2; exp(x^2) erfc(x) up to 4, from there times x in 1/x^2 */')
    emit('gamma_inverse', lambda x: mp.rgamma(1 + x), -0.5, 0.5, 0, ('double',))
    emit('erfcx_near', lambda x: mp.exp(x * x) * mp.erfc(x), 0, 1.5, kinds=('double',))
    emit('erfcx_middle', lambda x: mp.exp(x * x) * mp.erfc(x), 1.5, 4, kinds=('double',))
    emit('erfcx_rest', lambda s: mp.exp(1 / s) * mp.erfc(1 / mp.sqrt(s)) / mp.sqrt(s) if s > mp.mpf('1e-15')
         else (1 - s / 2) / mp.sqrt(mp.pi), 0, mp.mpf(1) / 16, 0, ('double',))


def power_rest(function, first, power, middle):
    """(function(x) / x^power - first) / x^2 in x^2, where function(x) / x^power is first + middle x^2 near zero."""
    def rest(z):
        x = mp.sqrt(abs(z))
        return (function(x) / x ** power - first) / z if z > mp.mpf('1e-16') else mp.mpf(middle)
    return rest


def single():
    """Functions of float alone, with absolute errors where a larger term is added."""
    print('\n/* odd functions: (f(x)/x - 1) / x^2 in x^2 */')
    for name, function, middle, most, scale in (('tanh', mp.tanh, mp.mpf(-1) / 3, '0.31', 4), ('sinh', mp.sinh, mp.mpf(1) / 6, 1, 4),
                                                ('sin', mp.sin, mp.mpf(-1) / 6, '0.62', 4), ('tan', mp.tan, mp.mpf(1) / 3, '0.62', 4),
                                                ('atan', mp.atan, mp.mpf(-1) / 3, 1, 4), ('asin', mp.asin, mp.mpf(1) / 6, '0.33', 8)):
        emit(name + '_rest', power_rest(function, 1, 1, middle), 0, most, 0, ('float',), scale=mp.mpf(scale))
    print('\n/* (cos(x) - 1) / x^2 in x^2 */')
    emit('cos_rest', lambda z: (mp.cos(mp.sqrt(z)) - 1) / z if z > mp.mpf('1e-16') else mp.mpf(-1) / 2, 0, '0.62', 0, ('float',), scale=mp.mpf(1))
    print('\n/* erf(x)/x - 1 in x^2 up to 1; log2(1 - erf(x)) / x in x from there to 4 */')
    emit('erf_near', lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1 if z > mp.mpf('1e-25') else 2 / mp.sqrt(mp.pi) - 1, 0, 1, 0,
         ('float',), scale=mp.mpf(2))
    emit('erf_far', lambda x: mp.log(mp.erfc(x), 2) / x, 1, 4, 0, ('float',), scale=mp.mpf(32))
    print('\n/* (1 + 2x) exp(x^2) erfc(x) - 1 in (x - 3) / (x + 3), x >= 0 */')

    def erfcx(q):
        x = 3 * (1 + q) / (1 - q) if q < 1 else mp.mpf(10) ** 20
        if x > 100:
            z = 1 / (2 * x * x)
            return (1 + 2 * x) * (1 - z + 3 * z ** 2 - 15 * z ** 3 + 105 * z ** 4) / (x * mp.sqrt(mp.pi))
        return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)
    emit('erfcx_part', lambda q: erfcx(q) - 1, -1, 1, 0, ('float',), scale=mp.mpf(4))
    print('\n/* (log((2 + q) / (2 - q)) - q - q^3 / 12) / q^5 in q^2 */')
    emit('pow_rest', lambda z: (2 * mp.atanh(mp.sqrt(z) / 2) / mp.sqrt(z) - 1 - z / 12) / z ** 2 if z > mp.mpf('1e-12') else mp.mpf(1) / 80,
         0, '0.161', 0, ('float',), scale=mp.mpf('0.06'))
    print('\n/* log(1 + f): (log(1 + f) - f) / f^2, and the same in base 2 and 10 */')
    for name, base in (('log1p', mp.e), ('log', mp.e), ('log2', mp.mpf(2)), ('log10', mp.mpf(10))):
        low, high = (mp.mpf(-1) / 4, mp.mpf(1) / 2) if name == 'log1p' else (mp.mpf(-1) / 3, mp.mpf(1) / 3)
        emit(name + '_rest', lambda f, b=base: (mp.log1p(f) - f) / (f * f * mp.log(b)) if abs(f) > mp.mpf('1e-12')
             else (f / 3 - mp.mpf(1) / 2) / mp.log(b), low, high, 0, ('float',), scale=mp.mpf(2))


def main():
    alone = sys.argv[1:] == ['single']
    print('/*')
    print(f' * Polynomials of {"single" if alone else "special"}.c, made by scripts/fit_math.py: HD_FIT(type, name, centre, count, '
          'coefficients from the')
    print(' * lowest power of (x - centre))' + ('.' if alone else ', and numbers in two words: HD_NUMBER(type, name, high, low).'))
    print(' */')
    print('/* clang-format off */')
    if alone:
        single()
    else:
        elementary()
        inverse()
        gamma()
        bessel()


if __name__ == '__main__':
    main()
