#!/usr/bin/python3
"""overloads.py [TYPE...]: a CUDA source that calls every function of <cmath> for all pairs of types, in device, host and
common functions, and holds the type of each result against what nvcc 13 with --expt-relaxed-constexpr gives: arithmetic
promotes, integers count as doubles. TYPE: more of them than float, double, int, long long and bool; with some, functions of each
side call by both names, fmod and std::fmod.
"""
import sys

TYPES = ['float', 'double', 'int', 'long long', 'bool', *sys.argv[1:]]
ONE = """acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p log2
logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc""".split()
WHOLE = {'ilogb': 'int', 'lrint': 'long', 'lround': 'long', 'llrint': 'long long', 'llround': 'long long',
         'isnan': 'bool', 'isinf': 'bool', 'isfinite': 'bool', 'isnormal': 'bool', 'signbit': 'bool'}
TWO = 'atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder'.split()
ORDER = 'isgreater isgreaterequal isless islessequal islessgreater isunordered'.split()
EXPONENTS = [('ldexp', 'int'), ('scalbn', 'int'), ('scalbln', 'long')]


def promoted(*types):
    return 'float' if all(t == 'float' for t in types) else 'double'


def check(call, result):
    print(f'\tstatic_assert(std::is_same<decltype({call}), {result}>::value, "{call}"); *out++ = (int)({call});')


def value(t, n):
    return f'({t}){n}'


def body(prefix):
    for a in TYPES:
        for f in ONE:
            check(f'{prefix}{f}({value(a, 1)})', promoted(a))
        for f, result in WHOLE.items():
            check(f'{prefix}{f}({value(a, 1)})', result)
        for f, exponent in EXPONENTS:
            check(f'{prefix}{f}({value(a, 1)}, {value(exponent, 2)})', promoted(a))
        check(f'{prefix}frexp({value(a, 1)}, out)', promoted(a))
        for b in TYPES:
            for f in TWO:
                check(f'{prefix}{f}({value(a, 3)}, {value(b, 2)})', promoted(a, b))
            for f in ORDER:
                check(f'{prefix}{f}({value(a, 3)}, {value(b, 2)})', 'bool')
            check(f'{prefix}remquo({value(a, 3)}, {value(b, 2)}, out)', promoted(a, b))
            for c in TYPES[:3]:
                check(f'{prefix}fma({value(a, 3)}, {value(b, 2)}, {value(c, 1)})', promoted(a, b, c))


print('#include <cmath>\n#include <type_traits>')
for name, side in ('device', '__device__'), ('host', '__host__'), ('both', '__host__ __device__'):
    # What a function of one side is held to by one name, a common one is by the other.
    for prefix in ('', 'std::') if name == 'both' or sys.argv[1:] else ('',) if name == 'device' else ('std::',):
        print(f'{side} void {name}{len(prefix)}(int *out)\n{{')
        body(prefix)
        print('}')
print('int main(void) {}')
