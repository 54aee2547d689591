"""Checks of statistics files.

stats.py same A B   the same but for what the host measured
stats.py sane A     the sums that must hold in every run
"""
import json
import sys


def without_host(path):
    """What two runs must agree in, with --verify and without."""
    with open(path) as file:
        document = json.load(file)
    document.pop('host')
    document.pop('verified', None)
    return document


def check_sums(figures, slots_per_cycle, name):
    l1d = figures['l1d']
    parts = l1d['spill_fill'] + l1d['global'] + l1d['other_local']
    assert parts == l1d['accesses'], f'{name}: L1 accesses {l1d["accesses"]} are not their parts {parts}'
    assert l1d['hits'] <= l1d['accesses'], name
    assert figures['warp_instructions'] <= figures['thread_instructions'] <= 32 * figures['warp_instructions'], name
    slots = sum(figures['stalls'].values())
    assert slots == slots_per_cycle * figures['cycles'], f'{name}: {slots} slots in {figures["cycles"]} cycles'
    assert figures['stalls']['issued'] == figures['warp_instructions'], name
    assert abs(figures['ipc'] - figures['warp_instructions'] / figures['cycles']) < 1e-6, name
    assert figures['energy_joules'] > 0, name


def sane(path):
    with open(path) as file:
        document = json.load(file)
    config = document['config']
    slots = config['sm_count'] * config['schedulers']
    assert document['launches'], 'no launches'
    for launch in document['launches']:
        check_sums(launch, slots, launch['kernel'])
    check_sums(document['total'], slots, 'total')
    for key in ['cycles', 'warp_instructions', 'thread_instructions']:
        assert document['total'][key] == sum(launch[key] for launch in document['launches']), key
    # What CARS says of one launch is no figure of the run.
    if document['policy'] == 'cars':
        assert all('best_allocation' in launch['cars'] for launch in document['launches'])
        assert 'best_allocation' not in document['total']['cars'] and 'pushes' in document['total']['cars']


if sys.argv[1] == 'same':
    assert without_host(sys.argv[2]) == without_host(sys.argv[3]), 'two runs differ'
else:
    sane(sys.argv[2])
