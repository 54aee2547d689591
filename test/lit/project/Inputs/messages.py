"""Every message of the programs, to be read as a whole.

    messages.py ROOT

Prints `FILE:LINE: KIND: TEXT` for each text that reaches a user: errors, warnings and notes (struct hd_diag), errors of command
lines, and what goes to stderr. A text that is put together at run time is printed by its parts.
"""
import os
import re
import sys

FOLDERS = ('lib', 'passes', 'runtime', 'tools')
CALLS = re.compile(r'\b(hd_error|hd_warning|hd_note|hd_unknown_name|hd_gpu_fault|hd_gpu_refuse|hd_asm_error|hd_ptx_error|hd_ptx_text_error|'
                   r'hd_sel_unsupported|hd_remark_text|refuse|damaged|object_damaged|argp_error|argp_failure|cmd_error|fprintf|fputs)\s*\(')
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def arguments(text, begin):
    """The text between the parenthesis before `begin` and its partner."""
    depth, at = 1, begin
    while at < len(text) and depth:
        if text[at] == '"':
            at = STRING.match(text, at).end()
            continue
        if text[at] == "'":
            at += 3 if text[at + 1] != '\\' else 4
            continue
        depth += {'(': 1, ')': -1}.get(text[at], 0)
        at += 1
    return text[begin:at - 1]


def without_comments(text):
    blank = lambda match: match.group() if match.group()[0] == '"' else re.sub(r'[^\n]', ' ', match.group())
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/', blank, text, flags=re.DOTALL)


def messages(path):
    with open(path, encoding='utf-8') as file:
        text = without_comments(file.read())
    for call in CALLS.finditer(text):
        inside = arguments(text, call.end())
        name, words = call.group(1), ''.join(STRING.findall(re.sub(r'\bPRI\w+', '"N"', inside)))
        if words and (name[:1] != 'f' or 'stderr' in inside):
            kind = {'hd_error': 'error', 'hd_warning': 'warning', 'hd_note': 'note'}.get(name, name)
            yield text.count('\n', 0, call.start()) + 1, kind, words


def main():
    root, count = sys.argv[1], 0
    for folder in FOLDERS:
        for where, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if not name.endswith(('.c', '.h', '.cpp')):
                    continue
                path = os.path.join(where, name)
                for line, kind, words in messages(path):
                    print(f'{os.path.relpath(path, root)}:{line}: {kind}: {words}')
                    count += 1
    print(f'{count} messages')


main()
