"""profile.py raw|details|nvprof STATISTICS: what a profiler would export of a card that needs twice the cycles of this run,
with what its counter has beyond them, and else does what the run did."""
import csv
import json
import sys

form, path = sys.argv[1:]
with open(path, encoding='utf-8') as file:
    run = json.load(file)
sector = run['config']['sector']
beyond = run['config']['profiler_launch_cycles']
METRICS = {'gpc__cycles_elapsed.max': ('cycle', lambda f: 2 * (f['cycles'] + beyond)),
           'smsp__inst_executed.sum': ('inst', lambda f: f['warp_instructions']),
           'smsp__thread_inst_executed_pred_on.sum': ('inst', lambda f: f['thread_instructions']),
           'l1tex__t_sectors_pipe_lsu.sum': ('sector', lambda f: f['l1d_sectors']),
           'lts__t_sectors_srcunit_tex.sum': ('sector', lambda f: f['l2_accesses']),
           'dram__bytes_read.sum': ('byte', lambda f: sector * f['dram_reads']),
           'dram__bytes_write.sum': ('byte', lambda f: sector * f['dram_writes'])}
NVPROF = {'elapsed_cycles_sm': lambda f: 2 * (f['cycles'] + beyond) * run['config']['sm_count'],
          'inst_executed': lambda f: f['warp_instructions'],
          'not_predicated_off_thread_inst_executed': lambda f: f['thread_instructions'],
          'gld_transactions': lambda f: f['l1d_sectors'], 'gst_transactions': lambda f: 0,
          'local_load_transactions': lambda f: 0, 'local_store_transactions': lambda f: 0,
          'l2_read_transactions': lambda f: f['l2_accesses'], 'l2_write_transactions': lambda f: 0,
          'dram_read_transactions': lambda f: f['dram_reads'], 'dram_write_transactions': lambda f: f['dram_writes']}
quoted, plain = (csv.writer(sys.stdout, quoting=quoting, lineterminator='\n') for quoting in (csv.QUOTE_ALL, csv.QUOTE_MINIMAL))


def size(sizes):
    return '(' + ', '.join(map(str, sizes)) + ')'


def name(launch):
    return launch['kernel'].replace('(anonymous namespace)', '<unnamed>').replace('float*', 'float *')


launches = list(enumerate(run['launches']))
if form == 'nvprof':
    print('==1== Profiling result:')
    plain.writerow(['Device', 'Context', 'Stream', 'Kernel', 'Correlation_ID', *NVPROF])
    plain.writerow([''] * (5 + len(NVPROF)))
    for number, f in launches:
        plain.writerow(['Tesla V100 (0)', 1, 7, f'{name(f)} [{number}]', number, *(value(f) for value in NVPROF.values())])
elif form == 'raw':
    head = ['ID', 'Process ID', 'Kernel Name', 'Block Size', 'Grid Size']
    quoted.writerow([*head, *METRICS])
    quoted.writerow([''] * len(head) + [unit for unit, _ in METRICS.values()])
    for number, f in launches:
        quoted.writerow([number, 1, name(f), size(f['block']), size(f['grid']), *(f'{value(f):,}' for _, value in METRICS.values())])
else:
    quoted.writerow(['ID', 'Process ID', 'Kernel Name', 'Block Size', 'Grid Size', 'Section Name', 'Metric Name', 'Metric Unit', 'Metric Value'])
    for number, f in launches:
        for metric, (unit, value) in METRICS.items():
            quoted.writerow([number, 1, name(f), size(f['block']), size(f['grid']), 'Command line profiler metrics', metric, unit,
                             f'{value(f):,}'])
