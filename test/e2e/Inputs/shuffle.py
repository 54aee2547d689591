"""What `shuffle` has moved in the runs of these statistics: something in each, and blocks were run again in some; with
--across blocks went to other SMs in each."""
import json
import sys

across = sys.argv[1] == '--across'
restarted = 0
for path in sys.argv[1 + across:]:
    stats = json.load(open(path))
    for run in stats.get('runs', [stats]):
        figures = run['total']['shuffle']
        assert figures['warps_moved'] > 20 and figures['ctas_moved'] > 10, (path, figures)
        assert (figures['ctas_to_other_sms'] > 10) == across, (path, figures)
        restarted += figures['ctas_restarted']
assert restarted > 0
print('all of them moved')
