"""Checks on the rows of the microbenchmarks, read from standard input: --published FILE, or --measured."""
import sys


def published(path, rows):
    with open(path, encoding='utf-8') as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith(('#', 'clocks '))]
    missing = sorted({line[1] for line in lines} - rows)
    assert lines and not missing, f'not measured by any program: {missing}'
    assert all(float(line[2]) <= float(line[3]) for line in lines), 'a bracket is upside down'
    print('every published row is measured')


def measured(value):
    relations = {
        'a chain of exclusive ors and sums': 3.5 < value['alu.add-xor'] < 5,
        'a chain of multiply-adds, whose operands may share a bank': 3.5 < value['fma.ffma'] < 7,
        'double precision takes longer': value['double.dadd'] > 1.5 * value['alu.add-xor'],
        'L2 behind L1': value['chase.l2.256K'] > 3 * value['chase.l1.8K'],
        'atomics at L2': value['atomic.global'] > 3 * value['atomic.shared'],
        'bank conflicts': 20 < value['shared.stride.32'] / value['shared.stride.1'] < 34,
        'sectors': value['l1.stride.32'] > 4 * value['l1.stride.1'],
        'a full SM': 60 < value['rate.ffma'] <= 64,
        'barriers': value['barrier.1024'] > value['barrier.64'] > 1,
        'two ways': value['branch.apart'] > 1.5 * value['branch.together'],
        'cold code, with lines fetched ahead': value['code.cold.1024'] > 1.3 * value['code.warm.1024'],
        'a launch': value['launch.alone'] > 100,
        'a ninth load of a line': value['merge.9'] < 1.25 * value['merge.8'],
        'a ninth line': value['lines.9'] < 1.25 * value['lines.8'],
        'a line for five SMs': value['common.5'] < 1.25 * value['common.4'],
        'a block of one warp': value['turn.read.32'] < value['turn.read.1024'],
    }
    broken = [name for name, holds in relations.items() if not holds]
    assert not broken, f'{broken}: {value}'
    print('every relation holds')


if sys.argv[1] == '--published':
    published(sys.argv[2], {line.strip() for line in sys.stdin})
else:
    measured({fields[0]: float(fields[1]) for fields in map(str.split, sys.stdin) if len(fields) == 3})
