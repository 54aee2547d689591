"""compare.py HEDDLE APP GPU...: what the CUDA runtime answers and what launches report on each GPU, against what
`heddle occupancy` prints."""
import json
import subprocess
import sys

heddle, app, *gpus = sys.argv[1:]
compared = 0


def occupancy(kernel, gpu, shared, block=None):
    command = [heddle, 'occupancy', app, '--json', '-k', kernel, '-g', gpu, '--shared', str(shared)]
    command += ['--block', str(block)] if block else []
    return json.loads(subprocess.check_output(command))['kernels'][0]


for gpu in gpus:
    output = subprocess.check_output([heddle, 'run', '--gpu', gpu, '--stats', 'stats.json', '--', app], text=True,
                                     stderr=subprocess.DEVNULL)
    lines = [line.split() for line in output.splitlines() if line.count(' ') == 3 and line.split()[0] in ('small', 'wide', 'shared')]
    assert len(lines) == 4 * 32, output
    tables = {}
    for kernel, shared, block, blocks in lines:
        if (kernel, shared) not in tables:
            tables[kernel, shared] = {row['block']: row['ctas'] for row in occupancy(kernel, gpu, shared)['blocks']}
        assert tables[kernel, shared][int(block)] == int(blocks), (gpu, kernel, shared, block, blocks)
        compared += 1
    with open('stats.json', encoding='utf-8') as file:
        stats = json.load(file)
    stats = stats[0] if isinstance(stats, list) else stats
    for launch, (kernel, block, shared) in zip(stats['launches'], [('small', 96, 0), ('wide', 320, 0), ('shared', 160, 10000)]):
        assert kernel in launch['kernel'], launch['kernel']
        row = occupancy(kernel, gpu, shared, block)['gpus'][0]
        assert (launch['resident_ctas'], launch['limiter']) == (row['ctas'], row['limit']), (gpu, launch['kernel'], row)
        compared += 1
print(f'{compared} figures agree')
