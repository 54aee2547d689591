"""worst.py CHROMIUM PAGE.html STATS.json: the place that the page names for each kernel and stall reason, computed in Chromium, has
the most slots of the statistics' rows; of one kernel, of those that its warps lost."""
import html
import json
import os
import re
import subprocess
import sys
import tempfile

SCRIPT = """<pre id="answer"></pre><script>addEventListener('load', () => setTimeout(() => {
	const r = data.runs[0], answer = {};
	for (const [name, of] of [['', r], ...Object.keys(r.kernels).map(name => [name, runOfKernel(r, name)])])
		answer[name] = data.reasons.map((reason, i) => {
			const place = worstPlace(of, i);
			return place && {function: data.functions[place.fn].name, pc: 16 * place.at, slots: place.slots};
		});
	document.getElementById('answer').textContent = JSON.stringify({reasons: data.reasons.map(reason => reason.name), answer});
}, 1000));</script></body>"""

chromium, page, statistics = sys.argv[1:4]
with tempfile.TemporaryDirectory() as folder:
    driven = os.path.join(folder, 'driven.html')
    with open(driven, 'w', encoding='utf-8') as file:
        file.write(open(page, encoding='utf-8').read().replace('</body>', SCRIPT))
    command = [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000', f'--user-data-dir={folder}/user', '--dump-dom', 'file://' + driven]
    dump = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=240, check=False).stdout
answer = json.loads(html.unescape(re.search('<pre id="answer">(.*?)</pre>', dump, re.S)[1]))
slots = json.load(open(statistics, encoding='utf-8'))['slots']


def of_kernel(row, kernel):
    if 'kernels' in row:
        return row['kernels'].get(kernel, {})
    return row['stalls'] if slots['kernels'].get(row['function']) == kernel else {}


checked = 0
for kernel, places in answer['answer'].items():
    for reason, place in zip(answer['reasons'], places):
        most = {}
        for row in slots['instructions']:
            count = (of_kernel(row, kernel) if kernel else row['stalls']).get(reason, 0)
            if count:
                most[row['function'], row['pc']] = count
        assert bool(place) == bool(most), (kernel, reason, place, most)
        if place:
            assert place['slots'] == max(most.values()) == most[place['function'], place['pc']], (kernel, reason, place, most)
            checked += 1
print(checked, 'places of', len(answer['answer']) - 1, 'kernels')
