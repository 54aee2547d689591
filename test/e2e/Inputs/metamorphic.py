"""metamorphic.py HEDDLE OBJECT [GPU...]: what changes to a machine or a kernel must change, and what they must not.

- More of a resource, or less of a latency, makes no machine slower on which nothing waits for anything else: a warp with one
  access in flight. (With several warps an order may be worse for what it gains: docs/model.md.)
- Blocks that exchange their SMs take as long as before.
- An instruction whose result nobody reads is executed once more by each warp. Nothing of memory changes, nor do results.

OBJECT is metamorphic.cu's. A GPU of several makes the first rule dearer. Exit status 1: a rule is broken, which is said.
"""
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile

HEDDLE, OBJECT, GPUS = sys.argv[1], sys.argv[2], sys.argv[3:] or ['v100']
# Not among them: schedulers, which share the SM's units; slices, channels and banks, whose number decides where an address lies, and
# so which rows of DRAM are open.
MORE = '''max_warps max_ctas registers shared_bytes l1i_bytes l1i_ways l0i_bytes l0i_ways fetch_ahead constant_bytes constant_ways
    register_ports register_write_ports collectors memory_queue shared_width lsu_queue l1_bytes l1_ways l1_banks l1_ports l1_width l1_mshrs
    l1_mshr_merges l1_store_buffer l1_miss_queue tlb_entries tlb_page tlb2_entries tlb2_page icnt_flit icnt_input_queue icnt_output_queue
    l2_slice_bytes l2_ways l2_dirty_ways l2_mshrs l2_mshr_merges l2_queue dram_queue dram_write_queue
    units_int units_fp32 units_sfu l2_mhz dram_mhz icnt_mhz'''.split()
LESS = '''lat_iadd lat_imad lat_imul lat_imax lat_s2r lat_ctrl lat_cross lat_cross_half lat_guard branch_latency ii_int ii_lsu lsu_interval l1_latency
    shared_latency l2_latency dram_latency icnt_latency icnt_header constant_latency constant_busy l1i_miss_latency l1i_latency l1i_busy
    launch_latency cta_launch_latency cta_launch_interval barrier_latency barrier_busy memory_hold tlb_miss tlb2_miss t_rcd t_rp t_cl t_rc
    t_ccd t_rrd t_ras t_cdlr t_wr t_rfc'''.split()
# What depends on when something happens, beside the count of instructions and of what they read and write in registers.
TIMES = ('cycles', 'stall', 'slots', 'ipc', 'joules', 'latency', 'conflicts', 'l0i_', 'l1i_', 'pending', 'l1d_hits', 'l2_hits', 'l2_misses',
         'l1d_misses', 'l2_hit', 'l2_miss', 'dram_row', 'dram_act', 'icnt_', 'l2_accesses', 'reuse_hits', 'launches', 'timeline')
ISSUED = ('warp_instructions', 'thread_instructions', 'control_instructions', 'int_instructions', 'register_writes', 'bank_writes')


def launch(kernel, grid, block, arguments, settings=(), gpu='v100', dump=False):
    """The launch's statistics and, with dump, what it wrote; None where the GPU is refused."""
    with tempfile.TemporaryDirectory() as folder:
        spec, stats, written = (os.path.join(folder, name) for name in ('k.ini', 'stats', 'written'))
        with open(spec, 'w', encoding='utf-8') as file:
            file.write(f'[launch]\ngrid = {grid}\nblock = {block}\n')
            for index, (kind, value) in enumerate(arguments):
                file.write(f'[arg{index}]\nkind = {kind}\n{value}\n')
        command = [HEDDLE, 'run', '--quiet', '--gpu', gpu, '--kernel', kernel, '--launch', spec, '--stats', stats]
        command += [word for setting in ('launch_latency=10', *settings) for word in ('--set', setting)]
        if dump:
            command += ['--dump', 'to=' + written]
        done = subprocess.run(command + [OBJECT], capture_output=True, text=True, check=False)
        if done.returncode == 2 and 'error:' in done.stderr:
            return None, None
        if done.returncode:
            sys.exit(f'{" ".join(command)}: status {done.returncode}: {done.stderr}')
        with open(stats, encoding='utf-8') as file:
            document = json.load(file)
        found = dict(document['launches'][0], config=document['config'])
        if not dump:
            return found, None
        with open(written, 'rb') as file:
            return found, file.read()


def buffer(count, init='value:0'):
    return 'buffer', f'type = i32\ncount = {count}\ninit = {init}'


def value(number):
    return 'i32', f'value = {number}'


def chain(gpu, settings=()):
    arguments = buffer(4096, 'ramp:1:7'), buffer(8), value(40)
    return launch('chain', 1, 8, arguments, ('sm_count=2', 't_refi=0', *settings), gpu)[0]


def check_resources(gpu):
    """How many comparisons there were, and which are wrong."""
    base = chain(gpu)
    config, cycles, jobs = base['config'], base['cycles'], []
    for key, factor in itertools.chain(((key, 2) for key in MORE), ((key, 0.5) for key in LESS)):
        if not isinstance(config.get(key), (int, float)):
            sys.exit(f'{gpu}: {key} is no number of the configuration')
        for more in (True, False):
            jobs.append((key, more, config[key], round(config[key] * (factor if more else 1 / factor))))
    # 0 is no least value: it stands for another rule, or for no such part.
    jobs = [job for job in jobs if job[2] and job[3] and job[2] != job[3]]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        found = list(pool.map(lambda job: chain(gpu, (f'{job[0]}={job[3]}',)), jobs))
    count, wrong = 0, []
    for (key, more, was, now), stats in zip(jobs, found):
        if not stats:
            continue
        count += 1
        if stats['cycles'] > cycles if more else stats['cycles'] < cycles:
            wrong.append(f'{gpu}: {key} = {now} takes {stats["cycles"]} cycles, and {was} takes {cycles}')
    return count, wrong


def check_places():
    """Blocks of different lengths, one on each SM: any permutation of the SMs gives the same statistics and results."""
    sms, wrong, first = 4, [], None
    settings = f'sm_count={sms}', 'max_ctas=1'
    for odd, add in ((1, 0), (1, 1), (3, 0), (3, 2)):
        stats, written = launch('turns', sms, 64, (buffer(64 * sms), value(odd), value(add)), settings, dump=True)
        first = first or (stats, written)
        different = sorted(key for key in stats if stats[key] != first[0][key])
        if different or written != first[1]:
            wrong.append(f'turns {odd} {add}: {different or "its results"} differ')
    return 3, wrong


def check_dead():
    """An instruction more, which nobody needs."""
    wrong, grid, block = [], 16, 128
    found = [launch(kernel, grid, block, (buffer(4096, 'ramp:1:7'), buffer(grid * block), value(8)), ('sm_count=2',), dump=True)
             for kernel in ('mix', 'mix_dead')]
    (without, expected), (with_it, written) = found
    warps = grid * block // 32
    if written != expected:
        wrong.append('mix_dead: its results differ')
    if with_it['warp_instructions'] != without['warp_instructions'] + warps:
        wrong.append(f'mix_dead: {with_it["warp_instructions"]} instructions, and {without["warp_instructions"]} without the {warps}')
    if with_it['thread_instructions'] != without['thread_instructions'] + 32 * warps:
        wrong.append('mix_dead: its threads execute another number of instructions')
    for key, number in without.items():
        if isinstance(number, (int, float)) and number != with_it[key] and key not in ISSUED and not any(word in key for word in TIMES):
            wrong.append(f'mix_dead: {key} is {with_it[key]}, and {number} without')
    return 3, wrong


def main():
    everything = [check_resources(gpu) for gpu in GPUS] + [check_places(), check_dead()]
    wrong = [text for _, found in everything for text in found]
    for text in wrong:
        print(text)
    print(f'{sum(count for count, _ in everything)} comparisons, {len(wrong)} of them wrong')
    sys.exit(1 if wrong else 0)


main()
