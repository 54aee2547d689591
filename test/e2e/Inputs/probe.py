"""probe.py STATS [kill|stop|move]: the calls of each hook, counted by probe.c, against what the program must cause.

probe.py --hooks PROBE.C HEADER...: every hook of the headers is in the probe.
"""
import json
import re
import sys

if sys.argv[1] == '--hooks':
    probe, *headers = (open(path, encoding='utf-8').read() for path in sys.argv[2:])
    hooks = re.findall(r'\(\*(\w+)\)\(const struct hd_policy', ''.join(headers))
    assert len(hooks) > 45, hooks
    missing = [name for name in hooks if not re.search(rf'^\t\.(\w+\.)?{name} = ', probe, re.M)]
    sys.exit(f'test/e2e/Inputs/probe.c has not: {missing}' if missing else 0)

stats = json.load(open(sys.argv[1], encoding='utf-8'))
kill, stop, move = ('kill' in sys.argv), ('stop' in sys.argv), ('move' in sys.argv)
total, config = stats['total'], stats['config']
calls = {name: int(count) for name, count in total['probe'].items()}
samples = [launch['samples'] for launch in stats['launches'] if 'samples' in launch]
sampled = [value for one in samples for value in one['probe']['sampled']]
assert sampled == list(range(1, len(sampled) + 1)), sampled
assert all(len(one['probe']['step']) == len(one['warp_instructions']) for one in samples)
assert {value for one in samples for value in one['probe']['step']} <= {config['probe.step']}
assert config['probe.step'] == (-1.5 if sampled else 2.5), config
launches, sms = len(stats['launches']), config['sm_count']
instructions = total['warp_instructions']
EXPECTED = {
    'start': 1, 'grid_begin': launches, 'grid_end': launches, 'decode': calls['decode'] or 1,
    'admit': launches * sms, 'reserve': launches * sms,
    'cta_launch': calls['cta_retire'] + calls['killed'], 'cta_kill': calls['killed'], 'cta_arrive': calls['sent'], 'alarm': calls['set'],
    'issued': instructions, 'verify_before': instructions, 'verify_after': instructions,
    'fetch': calls['code_place'],
    'operand_source': calls['operands'], 'dispatch': calls['collected'],
    'rename': total['bank_reads'] + total['bank_writes'], 'result_target': total['bank_writes'],
    'write_back': calls['results'],
    'memory_access': calls['accesses'], 'l1_bypass': calls['far'],
    'barrier_resume': total['barriers'],
    'call': total['calls'],
    'stopped': total['barriers'] * stop, 'drained': total['barriers'] * stop,
    'sample': len(sampled), 'deactivate': calls['activate'], 'stream_end': 0, 'range_reads': 0, 'range_writes': 0, 'dump': 0, 'why_held': 0,
}
if not kill:
    EXPECTED |= {'cta_retire': total['ctas'], 'warp_start': total['warps'], 'warp_done': total['warps']}
if not kill and not move:
    EXPECTED['fetch'] = instructions
# At least, and at most.
BETWEEN = {
    'can_issue': (instructions, 100 * instructions), 'prefer': (instructions, 100 * instructions),
    'choose_collector': (calls['collected'], 100 * instructions), 'elide': (1, instructions + calls['warp_start']),
    'call_return': (total['calls'], 32 * total['calls']),
    'quota': (calls['cta_launch'], 100 * calls['cta_launch'] + total['cycles'] * sms),
    'launch_without': (1, total['cycles'] * sms),
    'activate': (1, 10 * instructions) if config['scheduler'] == 'two-level' else (0, 0),
    'load_miss': (1, total['load_requests']), 'first_use': (1, calls['loaded']),
    'send': (1, total['icnt_flits_up']), 'reply': (1, total['icnt_flits_down']),
    'barrier_wait': (1, total['barriers'] - 1),
    'path_switch': (total['divergent_branches'], instructions),
    'forget_names': (calls['call'] + calls['call_return'], calls['call'] + calls['call_return'] + calls['path_switch']),
    'gpu_tick': (total['cycles'] // 100 - launches, total['cycles'] // 100 + 2 * launches),
}
wrong = {name: (calls[name], count) for name, count in EXPECTED.items() if calls[name] != count}
wrong |= {name: (calls[name], limits) for name, limits in BETWEEN.items()
          if not limits[0] <= calls[name] <= limits[1]}
assert not wrong, wrong
assert calls['sent'] == (sms if move else 0), calls
assert calls['killed'] == (sms if kill else 0), calls
