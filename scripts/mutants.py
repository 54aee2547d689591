"""The mutants of a C source file: what one small error of its author could have made of it. Used by mutate.py.

Made from the tokens of the text, so comments, strings, preprocessor lines and assertions are left alone. A mutant's id
is made from its file, its line's text and the change, not from the line's number: it stays the same while other lines
of the file come and go.
"""
import bisect
import collections
import difflib
import hashlib
import os
import re
import sys

Mutant = collections.namedtuple('Mutant', 'id path line kind start end new')

TOKEN = re.compile(r'''
      (?P<skip>\s+|//[^\n]*|/\*.*?\*/|(?<![^\n])[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
    | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\])*"|[uUL]?'(?:\\.|[^'\\])*')
    | (?P<number>\.?\d(?:[eEpP][-+]|[\w.])*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<op>\.\.\.|<<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|.)
''', re.VERBOSE | re.DOTALL)

BINARY = {
    '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&',
    '+': '-', '-': '+', '*': '+', '/': '*', '%': '/', '<<': '>>', '>>': '<<', '&': '|', '|': '&', '^': '|',
    '+=': '-=', '-=': '+=', '*=': '+=', '|=': '&=', '&=': '|=', '<<=': '>>=', '>>=': '<<=',
}
UNARY_TOO = {'+', '-', '*', '&'}
WORDS = {'true': 'false', 'false': 'true'}
KEYWORDS = set('auto break case const continue default do else enum extern for goto if inline register restrict return '
               'sizeof static struct switch typedef union volatile while _Static_assert static_assert'.split())
TYPES = set('bool char double float int long short signed unsigned void FILE _Bool __m128i'.split())
ASSERTS = re.compile(r'(static_|_Static_|ck_)?assert\w*$|.*_UNREACHABLE$|__builtin_(expect|unreachable)$', re.IGNORECASE)
# Without them memory leaks until the process ends, or a line of the host's caches comes later, and nothing else changes.
FREES = re.compile(r'free$|va_end$|json_decref$|\w+_(free|release|prefetch)$')


def tokens_of(text):
    """(kind, text, start) of each token but blanks, comments and preprocessor lines."""
    return [(match.lastgroup, match.group(), match.start()) for match in TOKEN.finditer(text) if match.lastgroup != 'skip']


def closing(tokens, at):
    """Index of the parenthesis that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i][1] == '(') - (tokens[i][1] == ')')
        if not depth:
            return i
    return len(tokens) - 1


def is_value(tokens, at):
    """Whether a value ends with the token, so that an operator after it has two operands."""
    kind, text, _ = tokens[at]
    if kind == 'number' or text in (')', ']'):
        return True
    before = tokens[at - 1][1] if at else ''
    return kind == 'name' and text not in KEYWORDS | TYPES and not text.endswith('_t') and \
        before not in ('struct', 'union', 'enum')


def other_number(text):
    match = re.fullmatch(r'(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)', text)
    if not match:
        return None
    digits, suffix = match.groups()
    if digits.lower().startswith('0x'):
        return f'0x{int(digits, 16) + 1:x}{suffix}'
    if len(digits) > 1 and digits[0] == '0':
        return None
    return ('0' if digits == '1' else str(int(digits) + 1)) + suffix


def changes(text):
    """(kind, start, end, new text) of each change, and the index of its first token."""
    tokens = tokens_of(text)
    skipped_until = -1
    expected = set()  # what a condition is expected to be: no matter for what happens
    for i, (kind, word, start) in enumerate(tokens):
        after = tokens[i + 1][1] if i + 1 < len(tokens) else ''
        before = tokens[i - 1][1] if i else ';'
        end = start + len(word)
        if word == '__builtin_expect' and after == '(':
            expected.add(closing(tokens, i + 1) - 1)
        if i <= skipped_until or i in expected:
            continue
        if kind == 'name' and after == '(':
            close = closing(tokens, i + 1)
            if word != '__builtin_expect' and ASSERTS.match(word):
                skipped_until = close
                continue
            if word == 'if':
                first, last = tokens[i + 1][2], tokens[close][2]
                yield i, 'condition', first, last + 1, f'(!{text[first:last + 1]})'
            elif before in (';', '{', '}', ')', 'else') and word not in KEYWORDS and not FREES.match(word) and \
                    close + 1 < len(tokens) and tokens[close + 1][1] == ';':
                last = tokens[close][2] + 1
                yield i, 'call', start, last, '(void)0' + '\n' * text.count('\n', start, last)
        if kind == 'name' and word in WORDS:
            yield i, 'constant', start, end, WORDS[word]
        elif kind == 'number' and other_number(word):
            yield i, 'constant', start, end, other_number(word)
        elif kind == 'op' and word in BINARY and (word not in UNARY_TOO or (i and is_value(tokens, i - 1))):
            if word == '*' and after in (')', ',', '*', 'const', 'restrict'):
                continue
            yield i, 'operator', start, end, BINARY[word]
        elif kind == 'op' and word == '!' and before != '!':
            yield i, 'condition', start, end, ''
        elif kind == 'op' and word in ('++', '--'):
            yield i, 'operator', start, end, '--' if word == '++' else '++'


def mutants_of(path, text):
    """All mutants of a file, in the order of its text."""
    starts = [0] + [match.end() for match in re.finditer('\n', text)]
    seen = collections.Counter()
    found = []
    for _, kind, start, end, new in changes(text):
        line = bisect.bisect_right(starts, start)
        whole = text[starts[line - 1]:].split('\n', 1)[0]
        key = (path, whole.strip(), len(whole.lstrip()) - len(whole) + start - starts[line - 1], kind, new)
        seen[key] += 1
        digest = hashlib.sha256(repr((key, seen[key])).encode()).hexdigest()[:8]
        stem = os.path.splitext(os.path.basename(path))[0]
        found.append(Mutant(f'{stem}-{digest}', path, line, kind, start, end, new))
    return found


def apply(mutant, text):
    return text[:mutant.start] + mutant.new + text[mutant.end:]


def diff(mutant, text):
    """The changed lines."""
    lines = difflib.unified_diff(text.splitlines(), apply(mutant, text).splitlines(), lineterm='', n=0)
    return '\n'.join(line for line in lines if not line.startswith(('---', '+++', '@@')))


def main():
    """The mutants of the files named, one after the other."""
    for path in sys.argv[1:]:
        with open(path, encoding='utf-8') as file:
            text = file.read()
        for mutant in mutants_of(os.path.basename(path), text):
            print(f'{mutant.line}: {mutant.id}: {mutant.kind}\n{diff(mutant, text)}')


if __name__ == '__main__':
    main()
