"""links.py FOLDER: relative links of the pages under FOLDER lead to files."""
import os
import re
import sys

wrong, seen = [], 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in (name for name in names if name.endswith('.md')):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            for target in re.findall(r'\]\(([^)#\s:]+)(?:#[^)]*)?\)', file.read()):
                seen += 1
                if not os.path.exists(os.path.join(folder, target)):
                    wrong.append(f'{name}: {target}')
sys.exit('\n'.join(wrong) if wrong else 'no links' if not seen else 0)
