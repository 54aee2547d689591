#!/usr/bin/python3
"""ptx.py TABLE COVERAGE.MD [OPT PLUGIN]: the table of PTX's instructions, as rows of COVERAGE.MD, between its two marks.
With OPT and PLUGIN: compiles what the table says is taken, and holds the errors of the rest against it, and the rows
against the table; without them: writes the rows."""

import os
import re
import subprocess
import sys
import tempfile

BEGIN, END = '<!-- rows of e2e/cover/Inputs/ptx.txt -->', '<!-- their end -->'
REGISTERS = ('.reg .b32 a, b, c, d, e; .reg .b64 u, v, w; .reg .b16 h, i, j; .reg .f32 f, g; .reg .f64 x, y; '
             '.reg .pred p, q, r; .reg .b128 o, t; ')
HEAD = '''target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
'''
KERNEL = '''define ptx_kernel void @k%d() #0 {
  call void asm sideeffect "%s", ""()
  ret void
}
'''


def read(path):
    """(section, name, statements, state, processor)"""
    section = ''
    for line in open(path, encoding='utf-8'):
        line = line.rstrip('\n')
        if line.startswith('## '):
            section = line[3:]
        elif line and not line.startswith('# '):
            name, rest = line.split(' | ', 1)
            text, state = rest.rsplit(' | ', 1)
            processor = re.search(r' \[(\d+a?)\]$', state)
            yield section, name, text.strip(), re.sub(r' \[\d+a?\]$', '', state), processor.group(1) if processor else '70'


def rows(table):
    """The rows as Markdown."""
    out, last = [], None
    for section, name, text, state, processor in read(table):
        if section != last:
            out += ['', f'| {section} | tried as | state |', '|---|---|---|']
            last = section
        text = text.replace('|', '\\|')
        taken = 'taken' + (f', from sm_{processor} on' if processor != '70' else '')
        out.append(f'| {name} | `{text}` | {taken if state == "taken" else state} |')
    return '\n'.join(out[1:]) + '\n'


def compile_rows(opt, plugin, folder, texts, processor):
    """What the compiler says of a module with a kernel for each text."""
    path = os.path.join(folder, 'x.ll')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(HEAD + ''.join(KERNEL % (i, '{ ' + REGISTERS + text + ' }') for i, text in enumerate(texts)))
        file.write(f'attributes #0 = {{ "target-cpu"="sm_{processor}" }}\n')
        file.write(f'!nvvm.annotations = !{{{", ".join(f"!{i}" for i in range(len(texts)))}}}\n')
        file.writelines(f'!{i} = !{{ptr @k{i}, !"kernel", i32 1}}\n' for i in range(len(texts)))
    done = subprocess.run([opt, f'-load-pass-plugin={plugin}', f'-passes=heddle<o={folder}/x.hdo;check>', '-disable-output', path],
                          stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


def taken_together(tools, folder, table):
    """The processors for which all rows that are taken are taken as one module: these need not be tried one by one."""
    texts = {}
    for _, _, statements, state, processor in read(table):
        if state == 'taken':
            texts.setdefault(processor, []).append(statements)
    return {processor for processor, rows_of in texts.items() if not compile_rows(*tools, folder, rows_of, processor)[0]}


def main():
    table, coverage, tools = sys.argv[1], sys.argv[2], sys.argv[3:]
    text = open(coverage, encoding='utf-8').read()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    if not tools:
        with open(coverage, 'w', encoding='utf-8') as file:
            file.write(text[:begin] + '\n' + rows(table) + text[end:])
        return
    wrong = [] if text[begin:end].strip() == rows(table).strip() else [f'{coverage}: not the rows of {table}: call ptx.py without tools']
    with tempfile.TemporaryDirectory() as folder:
        together = taken_together(tools, folder, table)
        for section, name, statements, state, processor in read(table):
            if state == 'taken' and processor in together:
                continue
            status, said = compile_rows(*tools, folder, [statements], processor)
            if state == 'taken' and status:
                wrong.append(f'{section}, {name}: {said.strip()}')
            if state != 'taken' and (not status or state.removeprefix('refused: ') not in said):
                wrong.append(f'{section}, {name} is not {state}: {said.strip() or "taken"}')
            if state != 'taken' and not state.startswith('refused: '):
                wrong.append(f'{section}, {name}: what does "{state}" mean?')
    if wrong:
        sys.exit('\n'.join(wrong))


main()
