"""helped.py METRICS.def < HELP: fails for metrics that are read and are not in the help."""
import re
import sys

text = ' '.join(sys.stdin.read().split())
with open(sys.argv[1], encoding='utf-8') as file:
    names = re.findall(r'"([^"]+)"', ' '.join(re.findall(r'^(?:METRIC|COUNTER)\((?:[^)"]|"[^"]*")*\)', file.read(), re.MULTILINE)))
missing = [name for name in names if name not in text]
sys.exit(f'not in the help: {missing}' if missing or len(names) < 40 else None)
