"""click.py CHROMIUM PAGE.html: clicks through everything on the page in headless Chromium, 1400 and 400 pixels wide, light and dark.

A copy of the page gets a script that collects errors, opens each view, each run and each select's choice, picks lines and
instructions by mouse and keyboard, and looks for text that is cut off and for what is wider than the page. It runs in an
iframe of the width to be tried, since a window cannot be that narrow. The page's answer is in the dump of the document.
"""
import html
import os
import re
import subprocess
import sys
import tempfile

DRIVER = """
const errors = [], seen = [];
window.addEventListener('error', event => errors.push('error: ' + event.message + ' at ' + event.lineno));
window.addEventListener('unhandledrejection', event => errors.push('rejected: ' + event.reason));
for (const level of ['error', 'warn']) {
	const before = console[level];
	console[level] = (...what) => { errors.push('console: ' + what.join(' ')); before.apply(console, what); };
}
const WIDTH = %(width)d;
document.documentElement.dataset.theme = '%(theme)s';

/* What a reader cannot reach: the page itself must not scroll sideways, and no element may hide its text. */
function look(where) {
	const page = document.scrollingElement;
	if (page.scrollWidth > WIDTH + 1)
		errors.push(where + ': the page is ' + page.scrollWidth + ' wide');
	for (const element of document.querySelectorAll('#view *')) {
		const style = getComputedStyle(element), box = element.getBoundingClientRect();
		if (!box.width || element.closest('svg'))
			continue;
		if (style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1 && element.textContent.trim())
			errors.push(where + ': cut: ' + element.className + ' ' + element.textContent.slice(0, 40));
		const scrolls = element.closest('.wide, .pane, nav');
		if (!scrolls && box.right > WIDTH + 1)
			errors.push(where + ': beyond the edge: ' + element.tagName + ' ' + element.className + ' ' + element.textContent.slice(0, 40));
	}
	for (const wide of document.querySelectorAll('#view .wide'))
		if (wide.scrollWidth > wide.clientWidth + 1)
			errors.push(where + ': a table is wider than its card: ' + wide.textContent.slice(0, 40));
	const reasons = [...document.querySelectorAll('#view .meanings .dot')].map(dot => getComputedStyle(dot).backgroundColor);
	if (new Set(reasons).size < reasons.length)
		errors.push(where + ': two reasons have one colour');
	for (const text of document.querySelectorAll('#view svg text')) {
		const box = text.getBoundingClientRect(), around = text.ownerSVGElement.getBoundingClientRect();
		if (box.left < around.left - 2 || box.right > around.right + 2)
			errors.push(where + ': label outside of its chart: ' + text.textContent);
	}
	const tabs = [...document.querySelectorAll('nav button')];
	tabs.forEach((tab, i) => {
		if (i && tab.getBoundingClientRect().left < tabs[i - 1].getBoundingClientRect().right - 1 || tab.scrollWidth > tab.clientWidth + 1)
			errors.push(where + ': tabs overlap: ' + tab.textContent);
	});
	/* Instructions have their constants as they are. */
	const texts = document.createTreeWalker(document.getElementById('view'), NodeFilter.SHOW_TEXT);
	for (let text = texts.nextNode(); text; text = texts.nextNode())
		for (const match of text.parentElement.closest('.pane, .chip, code') ? [] : text.data.matchAll(/(?<![\\w.#x+-])\\d{5,}(?![\\w.])/g))
			errors.push(where + ': thousands are not separated: ' + match[0]);
}
const wait = () => new Promise(done => setTimeout(done, 0));
const press = (on, key) => on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));

async function chooseAll(view) {
	const count = document.querySelectorAll('#view select').length;
	for (let at = 0; at < count; at++)
		for (let i = 0; i < document.querySelectorAll('#view select')[at].options.length && i < 8; i++) {
			const select = document.querySelectorAll('#view select')[at];
			select.value = select.options[i].value;
			select.dispatchEvent(new Event('change', {bubbles: true}));
			await wait();
			look(view + ', select ' + at + ' choice ' + i);
		}
	const boxes = document.querySelectorAll('#view input[type=checkbox]').length;
	for (let i = 0; i < 2 * boxes; i++) { /* each twice: then all are as they were */
		document.querySelectorAll('#view input[type=checkbox]')[i >> 1].click();
		await wait();
		look(view + ', box ' + (i >> 1));
	}
}

async function clickRows(view) {
	for (const kind of ['.pane tr.callee', '.pane tr.inner', '.pane tr[data-at]', '.pane tr[data-line]', '#view .choice', '#view tr.link', '#view .chip', '#view .tree .name', '#view svg rect.span']) {
		const count = Math.min(document.querySelectorAll(kind).length, 12);
		for (let i = 0; i < count; i++) {
			const element = document.querySelectorAll(kind)[i];
			if (!element)
				break;
			element.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
			await wait();
			seen.push(kind);
			look(view + ', ' + kind + ' ' + i);
			if (state.view !== view)
				document.querySelector('nav button[data-view=' + view + ']').click();
		}
	}
	const call = document.querySelector('.pane tr.callee');
	if (call) {
		const open = call.getAttribute('aria-expanded');
		call.focus();
		press(call, 'Enter');
		if (document.querySelector('.pane tr.callee').getAttribute('aria-expanded') === open)
			errors.push('Enter does not open a call');
		if (document.activeElement !== document.querySelector('.pane tr.callee'))
			errors.push('Enter on a call takes the focus away');
	}
	const pane = document.querySelectorAll('.pane');
	if (pane.length) {
		go({at: 0, file: -1, line: 0});
		press(document.querySelectorAll('.pane')[1], 'ArrowDown');
		if (state.at !== 1)
			errors.push('the arrow key does not move');
		press(document.querySelectorAll('.pane')[1], 'h');
		if (run() && hottestAt(state.fn) >= 0 && state.at !== hottestAt(state.fn))
			errors.push('the key h does not find the hottest instruction');
		if (!document.querySelector('.pane tr.picked[data-line]') && data.functions[state.fn].code.file[state.at] >= 0)
			errors.push('no line is picked beside the instruction');
	}
}

async function drive() {
	while (!document.documentElement.dataset.ready && !errors.length)
		await new Promise(done => setTimeout(done, 10));
	const tabs = [...document.querySelectorAll('nav button')].map(tab => tab.dataset.view);
	for (const view of tabs) {
		document.querySelector('nav button[data-view=' + view + ']').click();
		await wait();
		look(view);
		const runs = document.getElementById('run');
		for (let i = runs.options.length; i-- > 0;) {
			runs.value = i;
			runs.dispatchEvent(new Event('change'));
			await wait();
			look(view + ', run ' + i);
		}
		await chooseAll(view);
		document.querySelector('nav button[data-view=' + view + ']').click();
		await clickRows(view);
		if (view !== 'figures' && document.getElementById('view').innerText.trim().length < 40)
			errors.push(view + ' is empty');
	}
	const first = document.querySelector('nav button');
	first.focus();
	first.click();
	press(document.querySelector('nav button[aria-selected=true]'), 'ArrowRight');
	if (state.view !== tabs[1])
		errors.push('the arrow key does not change the view');
	parent.postMessage(JSON.stringify({tabs, clicked: seen.length, errors: [...new Set(errors)].slice(0, 20)}), '*');
}
drive().catch(error => parent.postMessage(JSON.stringify({errors: ['driver: ' + error.stack]}), '*'));
"""

chromium, page = sys.argv[1:3]
WIDTHS = [int(width) for width in sys.argv[3:]] or (1400, 400)
text = open(page, encoding='utf-8').read()
failed = False
with tempfile.TemporaryDirectory() as folder:
    for width in WIDTHS:
        for theme in ('light', 'dark'):
            driven = os.path.join(folder, 'driven.html')
            with open(driven, 'w', encoding='utf-8') as file:
                file.write(text.replace('</body>', '<script>' + DRIVER % {'width': width, 'theme': theme} + '</script></body>'))
            with open(os.path.join(folder, 'harness.html'), 'w', encoding='utf-8') as file:
                file.write(f'<!DOCTYPE html><pre id="answer">none</pre><iframe src="driven.html" style="width:{width}px;height:900px;border:0"></iframe>'
                           '<script>addEventListener("message", event => { document.getElementById("answer").textContent = event.data; });</script>')
            command = [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=120000', f'--user-data-dir={folder}/user',
                       f'--window-size={width + 100},1000', '--dump-dom', 'file://' + os.path.join(folder, 'harness.html')]
            dump = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=240, check=False).stdout
            answer = html.unescape(re.search('<pre id="answer">(.*?)</pre>', dump, re.S)[1]) if '<pre' in dump else 'no document'
            wrong = '"errors":[]' not in answer
            failed |= wrong
            print(f'{width} pixels, {theme}: {answer if wrong else "ok, " + re.search("clicked.:([0-9]+)", answer)[1] + " clicks"}')
sys.exit(failed)
