'use strict';
/* What all views of the page use: data, elements, numbers, the state in the address, and the frame. */

const views = []; /* {id, title, show(into)}; pushed by the other files, in their order */
const colourOf = reason => 'c' + reason;
let data = null;
const state = {view: 'overview', run: 0, fn: -1, at: -1, file: -1, line: 0, other: 1};

/* ---- elements */

function fill(element, attributes, children) {
	for (const [key, value] of Object.entries(attributes || {})) {
		const says = key.startsWith('aria-'); /* these have "false" as a value */
		if (value === null || value === undefined || (value === false && !says))
			continue;
		if (key.startsWith('on'))
			element.addEventListener(key.slice(2), value);
		else
			element.setAttribute(key, value === true && !says ? '' : value);
	}
	for (const child of children.flat(3))
		if (child !== null && child !== undefined && child !== false)
			element.append(child instanceof Node ? child : String(child));
	return element;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) =>
	fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
const card = (title, ...children) => h('section', {class: 'card'}, title ? h('h2', null, title) : null, children);

/* A column that begins with # is one of numbers. On a phone a row is a block, whose numbers have their columns' names. */
function table(columns, rows, className) {
	const cells = (tag, list) => list.map((cell, i) => {
		const number = typeof cell === 'number' || (cell && cell.number), mark = cell instanceof Node && cell.classList.contains('dot');
		return h(tag, {class: number ? 'n' : mark ? 'mark' : null, 'data-label': number ? columns[i].replace(/^#/, '') : null},
			typeof cell === 'number' ? show(cell) : cell && cell.number ? cell.text : cell);
	});
	return h('div', {class: 'wide'}, h('table', {class: className},
		h('thead', null, h('tr', null, columns.map(c => h('th', {class: c.startsWith('#') ? 'n' : null}, c.replace(/^#/, ''))))),
		h('tbody', null, rows.map(row => h('tr', {class: row.onclick ? 'link' : null, tabindex: row.onclick ? 0 : null,
			onclick: row.onclick, onkeydown: event => event.key === 'Enter' && row.onclick && row.onclick()}, cells('td', row.cells))))));
}

/* ---- numbers */

/* By the digits behind the point: making one takes as long as writing a hundred numbers. */
const formats = [];
const formatOf = digits => formats[digits] = formats[digits] || new Intl.NumberFormat('en-US', {minimumFractionDigits: digits, maximumFractionDigits: digits});
function show(value, digits) {
	if (!Number.isFinite(value))
		return '–';
	if (digits === undefined)
		digits = Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
	return formatOf(digits).format(value);
}
const percent = (part, all) => all > 0 ? show(100 * part / all, 1) + ' %' : '–';
const sum = list => list.reduce((a, b) => a + b, 0);
const number = text => ({number: true, text});

/* ---- what the data say */

const run = () => data.runs[state.run];
const reasonOf = name => data.reasons.findIndex(r => r.name === name);
/* Two runs of one policy on one GPU are told apart by their files. */
function runName(r) {
	const same = data.runs.filter(x => x.policy === r.policy && x.gpu === r.gpu);
	const gpus = new Set(data.runs.map(x => x.gpu));
	return r.policy + (gpus.size > 1 || same.length > 1 ? ' on ' + r.gpu : '') + (same.length > 1 ? ' (' + r.file + ')' : '');
}
const byReason = stalls => data.reasons.map(reason => (stalls || {})[reason.name] || 0);
const stallsOf = r => byReason(r.total.stalls);
/* Slots in which the scheduler had a warp. */
function slotsWithWarps(r) {
	const stalls = stallsOf(r);
	return sum(stalls) - stalls[reasonOf('idle')];
}

/* By instruction: stalls of each reason, issues, what accesses did. */
function codeOf(r, fn) {
	r.byFunction = r.byFunction || new Map();
	if (r.byFunction.has(fn))
		return r.byFunction.get(fn);
	const rows = new Map(), fromPairs = pairs => {
		const stalls = new Array(data.reasons.length).fill(0);
		for (let j = 0; j < pairs.length; j += 2)
			stalls[pairs[j]] = pairs[j + 1];
		return stalls;
	};
	const code = (r.code || []).find(c => c.function === fn);
	if (code)
		code.at.forEach((at, i) => {
			const stalls = fromPairs(code.stalls[i]), kernels = code.kernels[i] && Object.entries(code.kernels[i]).map(([name, pairs]) => [name, fromPairs(pairs)]);
			rows.set(at, {place: r.places[code.place[i]], stalls, kernels, issued: stalls[0], lost: sum(stalls) - stalls[0], access: code.access[i] ? addAccess(newAccess(), code.access[i]) : null});
		});
	r.byFunction.set(fn, rows);
	return rows;
}
const lostIn = (r, fn) => sum([...codeOf(r, fn).values()].map(row => row.lost));
const issuedIn = (r, fn) => sum([...codeOf(r, fn).values()].map(row => row.issued));
/* Two builds have functions of one name. */
const isOfSeveral = f => data.functions.some(other => other !== f && other.name === f.name && other.linear === f.linear);
const nameOf = fn => data.functions[fn].demangled + (data.functions[fn].linear ? ', linear version' : '') + (isOfSeveral(data.functions[fn]) ? ' in ' + data.functions[fn].object : '');
const shortName = fn => nameOf(fn).replace(/\(.*\)/, '');
function placeOf(fn, at) {
	const code = data.functions[fn].code;
	return code.file[at] >= 0 ? data.files[code.file[at]].name.replace(/.*\//, '') + ':' + code.line[at] : shortName(fn) + ' + 0x' + (16 * at).toString(16);
}
function hottest() {
	let best = 0;
	data.functions.forEach((f, i) => {
		const weight = run() ? lostIn(run(), i) : f.kernel ? 1 : 0;
		if (weight > (run() ? lostIn(run(), best) : data.functions[best].kernel ? 1 : 0))
			best = i;
	});
	return data.functions.length ? best : -1;
}

/* ---- bars of slots */

function stack(stalls, all, skip) {
	const bar = h('div', {class: 'stack', role: 'img', 'aria-label': stalls.map((count, i) => count && !(skip && skip(i)) ?
		data.reasons[i].name + ' ' + percent(count, all) : '').filter(Boolean).join(', ')});
	stalls.forEach((count, i) => {
		if (count > 0 && !(skip && skip(i)))
			bar.append(h('span', {class: colourOf(i), style: 'width:' + (100 * count / all).toFixed(3) + '%',
				'data-tip': data.reasons[i].name + ': ' + percent(count, all) + '\n' + show(count) + ' slots\n' + data.reasons[i].help}));
	});
	return bar;
}
const dot = reason => h('span', {class: 'dot ' + colourOf(reason)});

/* ---- the frame */

let tip = null;
function watchTips() {
	tip = h('div', {class: 'tip', hidden: true});
	document.body.append(tip);
	document.addEventListener('pointermove', event => {
		const of = event.target.closest && event.target.closest('[data-tip]');
		tip.hidden = !of;
		if (!of)
			return;
		tip.textContent = of.getAttribute('data-tip');
		tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + 'px';
		tip.style.top = Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8) + 'px';
	});
}

function writeAddress() {
	const address = '#' + [state.view, state.run, state.fn, state.at, state.file, state.line, state.other].join('/');
	if (location.hash !== address)
		history.replaceState(null, '', address);
}
function readAddress() {
	const parts = location.hash.slice(1).split('/');
	if (!views.some(view => view.id === parts[0]))
		return;
	state.view = parts[0];
	['run', 'fn', 'at', 'file', 'line', 'other'].forEach((key, i) => {
		const value = Number(parts[i + 1]);
		if (parts[i + 1] !== undefined && Number.isInteger(value))
			state[key] = value;
	});
}
function settle() {
	const within = (value, count, otherwise) => value >= 0 && value < count ? value : otherwise;
	state.run = within(state.run, data.runs.length, 0);
	state.other = within(state.other, data.runs.length, data.runs.length > 1 ? 1 : 0);
	state.fn = within(state.fn, data.functions.length, hottest());
	state.file = within(state.file, data.files.length, -1);
	if (state.fn >= 0)
		state.at = within(state.at, data.functions[state.fn].code.text.length, -1);
}

function go(changes) {
	Object.assign(state, changes);
	settle();
	draw();
}

function draw() {
	writeAddress();
	const into = document.getElementById('view'), figures = document.getElementById('sections');
	for (const tab of document.querySelectorAll('nav button')) {
		const is = tab.dataset.view === state.view;
		tab.setAttribute('aria-selected', is);
		tab.tabIndex = is ? 0 : -1;
		if (is)
			tab.scrollIntoView({block: 'nearest', inline: 'nearest'});
	}
	figures.classList.toggle('shown', state.view === 'figures');
	const picker = document.getElementById('run');
	if (picker)
		picker.value = state.run;
	const view = views.find(of => of.id === state.view);
	if (!view.stays || !view.stays(into))
		into.replaceChildren();
	view.show(into);
}

function toggleTheme() {
	const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark'
		: matchMedia('(prefers-color-scheme: dark)').matches;
	document.documentElement.dataset.theme = dark ? 'light' : 'dark';
}

function frame() {
	const tabs = h('nav', {role: 'tablist', 'aria-label': 'Views'}, views.filter(view => !view.needs || view.needs()).map(view =>
		h('button', {role: 'tab', 'data-view': view.id, onclick: () => go({view: view.id})}, view.title)));
	tabs.addEventListener('keydown', event => {
		const all = [...tabs.children], at = all.indexOf(document.activeElement);
		const to = event.key === 'ArrowRight' ? at + 1 : event.key === 'ArrowLeft' ? at - 1 : -1;
		if (at < 0 || to < 0 || to >= all.length)
			return;
		all[to].focus();
		go({view: all[to].dataset.view});
		event.preventDefault();
	});
	const picker = data.runs.length ? h('select', {id: 'run', 'aria-label': 'Run', onchange: event => go({run: Number(event.target.value)})},
		data.runs.map((r, i) => h('option', {value: i}, runName(r)))) : null;
	document.documentElement.classList.add('scripted');
	document.body.prepend(h('header', {class: 'top'}, h('div', {class: 'row'}, h('h1', null, data.title), picker,
		h('button', {onclick: toggleTheme, 'aria-label': 'Light or dark'}, '◐')), tabs), h('div', {class: 'view', id: 'view'}));
}

async function unpack(text) {
	const bytes = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return JSON.parse(await new Response(stream).text());
}

async function start() {
	data = await unpack(document.getElementById('data').textContent);
	/* Runs without time have nothing but figures. */
	data.runs = data.runs.filter(r => r.total.cycles > 0 && r.config);
	readAddress();
	settle();
	frame();
	watchTips();
	if (!views.find(view => view.id === state.view && (!view.needs || view.needs())))
		state.view = views.find(view => !view.needs || view.needs()).id;
	window.addEventListener('hashchange', () => { readAddress(); settle(); draw(); });
	draw();
	document.documentElement.dataset.ready = 'yes';
}
