"""database.py ROOT DATABASE SOURCE...: whether DATABASE has each source of the build once, and its commands parse these; of
C++, which takes seconds for LLVM's headers, they find what is included."""
import glob
import json
import os
import subprocess
import sys

root, database, *sources = sys.argv[1:]
with open(database, encoding='utf-8') as file:
    entries = json.load(file)
files = [entry['file'] for entry in entries]
assert len(files) == len(set(files)), 'a source stands there twice'
built = {os.path.relpath(path, root) for part in ('lib', 'passes', 'runtime', 'tools', 'test/bench')
         for path in glob.glob(f'{root}/{part}/**/*.c', recursive=True)}
assert built <= set(files), sorted(built - set(files))
for source in sources:
    entry = entries[files.index(source)]
    command = [word for word in entry['arguments'] if word not in ('-c', '-o', entry['output'])]
    what = ['-E', '-o', os.devnull] if source.endswith('.cpp') else ['-fsyntax-only']
    subprocess.run(command + what, cwd=entry['directory'], check=True)
