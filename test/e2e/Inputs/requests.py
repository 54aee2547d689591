"""Figures of requests: of Poisson arrivals under leftover, shares of all SMs and shares of half of them, and of a trace.

requests.py SERVED.json TRACE.json
"""
import json
import math
import sys

served, trace = (json.load(open(name)) for name in sys.argv[1:])


def check(requests, mhz):
    """Each is served from when it has arrived and the one before it has ended; latencies are those of the list."""
    for program in requests['programs']:
        last, latencies = 0, []
        assert program['requests'] == len(program['cycles'])
        for arrived, began, ended in program['cycles']:
            assert arrived < requests['window'] and began == max(arrived, last) and ended > began
            latencies.append((ended - arrived) / mhz)
            last = ended
        latencies.sort()
        for name, percent in (('p50', 50), ('p90', 90), ('p95', 95), ('p99', 99), ('max', 100)):
            rank = math.ceil(percent * len(latencies) / 100)
            assert abs(program['latency_us'][name] - latencies[rank - 1]) < 1e-6
    assert requests['end'] == max(ended for program in requests['programs'] for _, _, ended in program['cycles'])


runs = {run['policy']: run for run in served['runs']}
for run in runs.values():
    check(run['requests'], run['config']['core_mhz'])
    assert [row['priority'] for row in run['requests']['priorities']] == [0, 1]
arrivals = {name: [[request[0] for request in program['cycles']] for program in run['requests']['programs']] for name, run in runs.items()}
assert arrivals['leftover'] == arrivals['mps:50,50']
assert runs['leftover']['requests'] == runs['mps:100,100']['requests'] != runs['mps:50,50']['requests']

# 700 cycles a microsecond. Both requests of the first program have the GPU to themselves: they take as long.
mhz = trace['config']['core_mhz']
check(trace['requests'], mhz)
first, second = (program['cycles'] for program in trace['requests']['programs'])
assert [request[0] for request in first] == [0, 1000000 * mhz] and [request[0] for request in second] == [400 * mhz]
assert first[0][2] < second[0][0] and second[0][2] < first[1][0]
durations = [ended - began for _, began, ended in first]
assert abs(durations[0] - durations[1]) < 0.1 * durations[0], durations
# Time without a kernel is no time of the GPU.
assert trace['total']['cycles'] <= sum(ended - began for _, began, ended in first + second)
print('as it should be')
