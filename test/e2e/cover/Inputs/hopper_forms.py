"""Whether heddle-cc takes the forms of hopper-forms.txt that ptxas takes, and no others.

    hopper_forms.py HEDDLE-CC FORMS DIRECTORY

Writes a kernel for each form, all of an architecture in one source, and compares the lines with errors.
"""
import re
import subprocess
import sys

REGISTERS = '.reg .pred %%p<9>; .reg .b16 %%rs<9>; .reg .b32 %%r<40>; .reg .f32 %%f<40>; .reg .b64 %%rd<9>; .reg .b128 %%rq<4>;'


def read(path):
    for line in open(path):
        if line[0] in '+-':
            form, _, why = line[3:].rstrip('\n').partition(' | ')
            yield line[:2], form, why


def errors(compiler, forms, arch, source):
    with open(source, 'w') as file:
        for number, (_, form, _) in enumerate(forms):
            file.write('__global__ void k%d() { asm volatile("{ %s %s }" ::: "memory"); }\n'
                       % (number, REGISTERS, form.replace('%', '%%')))
    run = subprocess.run([compiler, '-arch=' + arch, '-ferror-limit=0', '-Xcompiler', '-O0', '-c', '-o', source + '.o', source],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.findall(re.escape(source) + r':(\d+):\d+: error: (.*)', run.stderr)
    return {int(line) - 1: text for line, text in found}


def main():
    compiler, path, directory = sys.argv[1:]
    forms = list(read(path))
    wrong = 0
    for column, arch in enumerate(('sm_90', 'sm_90a')):
        found = errors(compiler, forms, arch, '%s/%s.cu' % (directory, arch))
        for number, (ptxas, form, why) in enumerate(forms):
            takes, text = ptxas[column] == '+' and not why, found.get(number)
            if takes == (text is None) and (not why or ptxas[column] == '-' or why in text):
                continue
            wrong += 1
            print('%s: %s: %s' % (arch, form, text or 'taken'))
    print('%d forms, %d wrong' % (len(forms), wrong))


main()
