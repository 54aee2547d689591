"""Options -D for every letter, and for every name of a parameter or template parameter of the CUDA headers without its underscore.
A template parameter that has none is an error: a program's macro of that name would break the header."""
import os
import re
import string
import sys

names, bare = set(string.ascii_uppercase), set()
for folder, _, files in os.walk(sys.argv[1]):
    for name in files:
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            text = re.sub(r'^[ \t]*#[ \t]*(if|ifdef|ifndef|define|undef|include)\b.*', '', file.read(), flags=re.MULTILINE)
        names.update(re.findall(r'\b_([A-Z]\w*)', text))
        for head in re.findall(r'\btemplate\s*<((?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*)>', text):
            bare.update((word, name) for word in re.findall(r'(?:class|typename|int|unsigned|size_t|bool|scope)[ .]+([A-Za-z]\w*)', head)
                        if word not in ('int', 'long'))
if bare:
    sys.exit(f'template parameters without an underscore: {sorted(bare)}')
print(' '.join(f'-D{name}=1024' for name in sorted(names)))
