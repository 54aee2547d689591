"""compare.py CHROMIUM PAGE.html EXPLAINED.json [turned]: the page's A and B, computed in Chromium, is what heddle explain says of its two
runs; turned: of the second and the first."""
import html
import json
import os
import re
import subprocess
import sys
import tempfile

SCRIPT = """<pre id="answer"></pre><script>addEventListener('load', () => setTimeout(() => {
	const {rows, kernels} = differences(data.runs[TURNED], data.runs[1 - TURNED]);
	document.getElementById('answer').textContent = JSON.stringify({rows: rows.map(row => ({...row, go: null, reason: data.reasons[row.reason].name})), kernels});
}, 1000));</script></body>"""

chromium, page, explained = sys.argv[1:4]
with tempfile.TemporaryDirectory() as folder:
    driven = os.path.join(folder, 'driven.html')
    with open(driven, 'w', encoding='utf-8') as file:
        file.write(open(page, encoding='utf-8').read().replace('</body>', SCRIPT.replace('TURNED', str(len(sys.argv) - 4))))
    command = [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=20000', f'--user-data-dir={folder}/user', '--dump-dom', 'file://' + driven]
    dump = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=240, check=False).stdout
answer = json.loads(html.unescape(re.search('<pre id="answer">(.*?)</pre>', dump, re.S)[1]))
expected = json.load(open(explained, encoding='utf-8'))
shown = {(row['label'], row['reason']): row['change'] for row in answer['rows']}
wanted = {(row['place'],
           'idle' if row['reason'] == '-' else row['reason']): row['change'] for row in expected['rows'] if abs(row['change']) > 1e-9}
assert shown.keys() == wanted.keys(), shown.keys() ^ wanted.keys()
# Numbers of the page have fewer digits.
assert all(abs(shown[key] - wanted[key]) < 1e-5 * max(1, abs(wanted[key])) for key in wanted), (shown, wanted)
assert {k['name']: k['change'] for k in answer['kernels']} == {k['kernel']: k['change'] for k in expected['kernels']}
print(f'{len(shown)} rows and {len(answer["kernels"])} kernels in the page as in heddle explain')
