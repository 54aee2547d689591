"""The workloads of `heddle sweep --list` with their arguments."""

import json
import sys

runs = [json.loads(line)['coordinates'] for line in sys.stdin]
print(sorted((run['workload'], run['arguments']) for run in runs))
