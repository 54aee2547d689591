"""A manual page in mdoc(7) from a table of options of argparse; the pages of the programs in C have the same form (lib/mdoc.c)."""
import argparse
import re

ESCAPES = {'\\': '\\e', '`': '\\(ga', "'": '\\(aq', '-': '\\-'}


def text(words):
    """Words as themselves, each sentence with a line for itself."""
    escaped = ''.join(ESCAPES.get(c, c) for c in ' '.join(words.split()))
    return '\n'.join('\\&' + line if line[:1] == '.' else line for line in re.sub(r'([.:?!]) (?=[A-Z])', r'\1\n', escaped).split('\n'))


def item(action):
    flags = ' , '.join('Fl ' + text(flag[1:]) for flag in action.option_strings)
    value = action.metavar or action.dest.upper()
    if action.nargs == 0:
        return '.It ' + flags
    return f'.It {flags} Ar {value}' if flags else f'.It Ar {value}'


def page(parser, name, about, foot, see):
    """The page; foot: its lines .Dd and .Os, as the other pages have them."""
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    lines = ['.\\" Made from the tables of options; do not edit.', foot[0], f'.Dt {name.upper()} 1', foot[1],
             '.Sh NAME', f'.Nm {name}', f'.Nd {text(about)}', '.Sh SYNOPSIS', '.Nm', '.Op Ar option ...']
    lines += [f'.Op Ar {action.metavar} ...' for action in shown if not action.option_strings]
    lines.append('.Sh DESCRIPTION')
    lines.append('\n.Pp\n'.join(text(paragraph) for paragraph in parser.description.strip().split('\n\n')))
    lines += ['.Sh OPTIONS', '.Bl -tag -width Ds']
    for action in shown:
        lines += [item(action), text(action.help % {'prog': name})]
    lines += ['.El', '.Sh EXIT STATUS', text('0; 1 where a run or a figure failed; 2 for a usage error.'), '.Sh SEE ALSO',
              ' ,\n'.join(f'.Xr {other} 1' for other in see)]
    return '\n'.join(lines)
