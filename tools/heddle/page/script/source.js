/* Source and machine code side by side, linked both ways. */

const KEYWORDS = new RegExp('("(?:[^"\\\\]|\\\\.)*")|(//.*|/\\*.*?\\*/)|\\b(?:auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|' +
	'else|enum|extern|float|for|if|int|int64_t|inline|long|namespace|operator|return|short|signed|size_t|sizeof|static|struct|switch|template|' +
	'typedef|typename|uint32_t|uint64_t|uint8_t|union|unsigned|using|void|volatile|while|__global__|__device__|__host__|__shared__|__constant__|' +
	'__restrict__|__launch_bounds__|__syncthreads|__noinline__|__forceinline__)\\b|#\\s*\\w+', 'g');
function coloured(text) {
	const parts = [];
	let last = 0;
	for (const match of text.matchAll(KEYWORDS)) {
		parts.push(text.slice(last, match.index), h('span', {class: match[1] ? 'st' : match[2] ? 'co' : 'kw'}, match[0]));
		last = match.index + match[0].length;
	}
	parts.push(text.slice(last));
	return parts;
}

const shownFacts = {calls: true, intervals: false, points: false, linear: false, reuse: false, control: false};
const heat = (value, most) => most > 0 ? `background:rgba(var(--heat), ${(.55 * value / most).toFixed(3)})` : null;

/* Of each line of a file: the sums over all instructions that come from it, of the functions of the whole page. */
function linesOf(file) {
	const r = run(), lines = new Map();
	data.functions.forEach((f, fn) => {
		const code = r ? codeOf(r, fn) : new Map();
		f.code.file.forEach((of, at) => {
			if (of !== file)
				return;
			const line = f.code.line[at];
			if (!lines.has(line))
				lines.set(line, newCost());
			addCost(lines.get(line), fn, at, code.get(at));
		});
	});
	return lines;
}

/* ---- inlined functions */

/* The calls around an instruction, innermost first. */
function callsAround(fn, at) {
	const list = [];
	for (let i = data.functions[fn].code.inlined[at]; i >= 0; i = data.calls[i].outer)
		list.push(data.calls[i]);
	return list;
}
const callPlace = call => call.file >= 0 ? data.files[call.file].name.replace(/.*\//, '') + ':' + call.line : 'no line';
const newCost = () => ({stalls: new Array(data.reasons.length).fill(0), issued: 0, lost: 0, live: 0, at: [], access: newAccess()});
function addCost(entry, fn, at, row) {
	entry.at.push([fn, at]);
	entry.live = Math.max(entry.live, data.functions[fn].code.live[at]);
	if (!row)
		return;
	row.stalls.forEach((count, i) => { entry.stalls[i] += count; });
	entry.issued += row.issued;
	entry.lost += row.lost;
	addAccess(entry.access, row.access);
}

/* Of each line of a file: the functions whose code stands there in place of a call, each with its cost and, by place, the
   cost of its lines and the functions that stand there. */
function inlinedOf(file) {
	const r = run(), lines = new Map();
	const into = (map, key, make) => map.get(key) || map.set(key, make()).get(key);
	const newCallee = name => ({name, cost: newCost(), places: new Map()});
	data.functions.forEach((f, fn) => {
		const code = r ? codeOf(r, fn) : new Map();
		f.code.inlined.forEach((inner, at) => {
			const around = inner >= 0 ? callsAround(fn, at) : [];
			around.forEach((call, level) => {
				if (call.file !== file)
					return;
				let callee = into(into(lines, call.line, () => new Map()), call.callee, () => newCallee(call.callee));
				addCost(callee.cost, fn, at, code.get(at));
				for (let i = level - 1; i >= 0; i--) {
					const {file: of, line} = around[i], place = into(callee.places, of + ':' + line, () => ({file: of, line, cost: newCost(), callees: new Map()}));
					callee = into(place.callees, around[i].callee, () => newCallee(around[i].callee));
					addCost(callee.cost, fn, at, code.get(at));
				}
				const of = f.code.file[at], line = f.code.line[at];
				addCost(into(callee.places, of + ':' + line, () => ({file: of, line, cost: newCost(), callees: new Map()})).cost, fn, at, code.get(at));
			});
		});
	});
	return lines;
}

function lineText(file, line) {
	for (const part of file >= 0 ? data.files[file].parts : [])
		if (line >= part.from && line < part.from + part.lines.length)
			return part.lines[line - part.from].trim().replace(/\t/g, '    ');
	return '';
}

const openCalls = new Set();
/* Rows under the line of a call; `depth` as the call stands in others. */
function calleeRows(callee, key, depth, cells) {
	const is = openCalls.has(key), rows = [], pad = '    '.repeat(depth);
	const toggle = () => {
		if (!openCalls.delete(key))
			openCalls.add(key);
		draw();
		const again = [...document.querySelectorAll('tr.callee')].find(row => row.dataset.call === key);
		if (again)
			again.focus({preventScroll: true});
	};
	/* The pane around it has a meaning of its own for the key. */
	const onkeydown = event => {
		if (event.key !== 'Enter')
			return;
		event.stopPropagation();
		toggle();
	};
	rows.push(h('tr', {class: 'callee', 'data-call': key, tabindex: 0, 'aria-expanded': is, onclick: toggle, onkeydown}, h('td', {class: 'no'}, ''), cells.cost(callee.cost), cells.live(callee.cost), h('td', null, pad + (is ? '▾ ' : '▸ ') + callee.name, h('span', {class: 'co'}, '  inlined'))));
	if (!is)
		return rows;
	for (const place of [...callee.places.values()].sort((a, b) => a.file - b.file || a.line - b.line)) {
		const picked = state.fn >= 0 && place.cost.at.some(([fn, at]) => fn === state.fn && at === state.at);
		rows.push(h('tr', {class: 'inner' + (picked ? ' picked' : ''), onclick: () => place.cost.at.length && go({fn: place.cost.at[0][0], at: place.cost.at[0][1], file: cells.file, line: cells.line})},
			h('td', {class: 'no'}, place.line || ''), cells.cost(place.cost), cells.live(place.cost), h('td', null, pad + '    ', coloured(lineText(place.file, place.line)))));
		for (const inner of place.callees.values())
			rows.push(...calleeRows(inner, key + '/' + place.file + ':' + place.line + inner.name, depth + 1, cells));
	}
	return rows;
}

/* What warps' accesses came to: see slots.instructions in docs/running.md. */
const newAccess = () => ({requests: 0, threads: 0, sectors: 0, ideal_sectors: 0, shared_requests: 0, shared_cycles: 0, ideal_shared_cycles: 0, branches: 0, diverged: 0});
function addAccess(to, access) {
	for (const key of Object.keys(to))
		to[key] += (access && access[key]) || 0;
	return to;
}
function accessText(a) {
	if (!a)
		return ['', ''];
	/* A line that accesses both kinds of memory shows the one that is further from its best. */
	const shared = a.shared_requests && (!a.requests || a.shared_cycles * a.ideal_sectors > a.ideal_shared_cycles * a.sectors);
	if (a.requests && !shared)
		return [show(a.sectors / a.requests, 1), show(a.ideal_sectors / a.requests, 1)];
	if (a.shared_requests)
		return [show(a.shared_cycles / a.shared_requests, 1), show(a.ideal_shared_cycles / a.shared_requests, 1)];
	if (a.branches)
		return [show(100 * a.diverged / a.branches, 1) + ' %', ''];
	return ['', ''];
}
function accessTip(a) {
	if (!a)
		return null;
	const parts = [];
	if (a.requests)
		parts.push(`${show(a.requests)} requests to memory\n${show(a.sectors / a.requests, 2)} sectors per request, ${show(a.ideal_sectors / a.requests, 2)} at best`);
	if (a.shared_requests)
		parts.push(`${show(a.shared_requests)} requests to shared memory\n${show(a.shared_cycles / a.shared_requests, 2)} cycles per request, ${show(a.ideal_shared_cycles / a.shared_requests, 2)} without bank conflicts`);
	if (a.branches)
		parts.push(`${percent(a.diverged, a.branches)} of ${show(a.branches)} branches diverged`);
	return parts.join('\n') || null;
}
const wasteful = a => a && ((a.requests && a.sectors > 1.05 * a.ideal_sectors) || (a.shared_requests && a.shared_cycles > 1.05 * a.ideal_shared_cycles) || a.diverged > 0);

function costCells(entry, all, most) {
	const shownStalls = entry && entry.lost ? stack(entry.stalls, most, i => i === 0) : null;
	const [took, ideal] = accessText(entry && entry.access);
	return [
		h('td', {class: 'cost'}, shownStalls),
		h('td', {class: 'n share'}, entry && entry.lost ? show(100 * entry.lost / all, 1) : ''),
		h('td', {class: 'n spare issued'}, entry && entry.issued ? show(entry.issued) : ''),
		h('td', {class: 'n spare took' + (entry && wasteful(entry.access) ? ' bad' : ''), 'data-tip': accessTip(entry && entry.access)}, took && ideal ? took + ' / ' + ideal : took),
	];
}
const costHead = () => ['stalls', '#%', '#~issued', '#~took / ideal'];
const HEAD_TIPS = {stalls: 'issue slots lost here, by reason', '%': 'of the slots in which a scheduler had a warp', issued: 'warp instructions issued', live: 'live registers, at most',
	'took / ideal': 'memory: sectors per request / the fewest that the bytes need\nshared memory: cycles per request / without bank conflicts\nbranches: how many of them diverged',
	lanes: 'threads that execute it, of the 32 of a warp, on average'};
/* '#': a number; '~': a phone has no room for it. */
const HEAD_CLASSES = {line: 'no', pc: 'no', stalls: 'cost', '%': 'share', issued: 'issued', 'took / ideal': 'took', lanes: 'lanes', live: 'live', control: 'control', 'next use': 'reuse', 'inlined from': 'inside'};
const heads = list => h('tr', null, list.map(text => {
	const name = text.replace(/[#~]/g, '');
	return h('th', {'data-tip': HEAD_TIPS[name], class: [HEAD_CLASSES[name], text.includes('#') ? 'n' : '', text.includes('~') ? 'spare' : ''].filter(Boolean).join(' '), scope: 'col'}, name);
}));

/* ---- the two panes */

function selected() {
	/* The picked line is that of the picked instruction, unless a line itself is picked. */
	if (state.file >= 0 && state.line > 0)
		return {file: state.file, line: state.line};
	const code = state.fn >= 0 ? data.functions[state.fn].code : null;
	if (code && state.at >= 0 && code.file[state.at] >= 0)
		return {file: code.file[state.at], line: code.line[state.at]};
	const first = code ? code.file.findIndex(of => of >= 0) : -1;
	return {file: first >= 0 ? code.file[first] : data.files.length ? 0 : -1, line: 0};
}

function sourcePane(file, line) {
	const pane = h('div', {class: 'pane', tabindex: 0, 'aria-label': 'Source'});
	if (file < 0) {
		pane.append(h('p', {style: 'padding:1rem'}, 'No source lines are known: compile with -lineinfo or -g.'));
		return pane;
	}
	const lines = linesOf(file), all = run() ? slotsWithWarps(run()) : 0, most = Math.max(1, ...[...lines.values()].map(l => l.lost));
	const live = Math.max(0, ...[...lines.values()].map(l => l.live)), inlined = shownFacts.calls ? inlinedOf(file) : new Map();
	const liveCell = entry => h('td', {class: 'n live', style: entry ? heat(entry.live, live) : null}, entry ? entry.live : '');
	const body = h('tbody');
	const parts = data.files[file].parts.length ? data.files[file].parts : [{from: 0, lines: []}];
	if (!data.files[file].parts.length)
		[...lines.keys()].sort((a, b) => a - b).forEach(no => parts.push({from: no, lines: ['(the file was not found when this page was made)']}));
	parts.forEach((part, i) => {
		if (i && part.lines.length && data.files[file].parts.length)
			body.append(h('tr', {class: 'gap'}, h('td', {colspan: 7}, '⋯')));
		part.lines.forEach((text, j) => {
			const no = part.from + j, entry = lines.get(no);
			body.append(h('tr', {'data-line': no, class: no === line ? 'picked' : null,
				onclick: () => pickLine(file, no, entry)}, h('td', {class: 'no'}, no), costCells(entry, all, most),
				liveCell(entry), h('td', null, coloured(text.replace(/\t/g, '    ')))));
			const depth = Math.ceil((text.match(/^\s*/)[0].replace(/\t/g, '    ').length + 1) / 4);
			for (const callee of (inlined.get(no) || new Map()).values())
				body.append(...calleeRows(callee, file + ':' + no + callee.name, depth, {cost: cost => costCells(cost, all, most), live: liveCell, file, line: no}));
		});
	});
	pane.append(h('table', null, h('thead', null, heads(['#line', ...costHead(), '#live', 'source'])), body));
	return pane;
}
function pickLine(file, line, entry) {
	const own = entry ? entry.at.find(([fn]) => fn === state.fn) || entry.at[0] : null;
	go(own ? {file, line, fn: own[0], at: own[1]} : {file, line});
}

const registersOf = words => (Array.isArray(words) ? words : []).map(r => 'R' + r).join(' ');
/* What the compiler says about places in the code: text before an instruction. */
function marksOf(fn) {
	const f = data.functions[fn], marks = new Map(), meta = f.linear ? f.meta && f.meta.linear_version : f.meta;
	const add = (pc, text) => {
		const at = pc / 16;
		marks.set(at, (marks.get(at) || []).concat(text));
	};
	if (!meta)
		return marks;
	if (shownFacts.intervals)
		for (const interval of meta.intervals || [])
			add(interval.entry_pc, `register-interval ${interval.id}: ${registersOf(interval.working_set)}`);
	if (shownFacts.points) {
		for (const point of meta.preemption_points || [])
			add(point.pc, `preemption point ${point.kind}: saves ${registersOf(point.live)}`);
		for (const point of meta.switch_points || [])
			add(point.pc, `switch point (${point.kind}): ${show(point.bytes)} bytes, ${registersOf(point.live)}`);
	}
	if (shownFacts.linear && f.meta) {
		if (f.linear)
			(f.meta.linear_registers || []).forEach((reg, i) => add(0, `%lr${i} = (${reg.vector.join(', ')})`));
		for (const access of f.linear ? [] : (f.meta.affine && f.meta.affine.accesses) || [])
			if (access.address)
				add(access.pc, `address ${access.address}` + (access.sectors_per_request ? `, ${access.sectors_per_request.join(' to ')} sectors per request` : ''));
	}
	return marks;
}
/* Two letters: how far each register operand's next use is (reuse tags of the compiler), and of three operands each. */
function reuseOf(fn, at) {
	const meta = data.functions[fn].meta, tags = meta && !data.functions[fn].linear && meta.reuse && meta.reuse.tags;
	if (!tags)
		return '';
	const each = tags.length / data.functions[fn].code.text.length, names = ['–', 'near', 'far', 'dead'];
	return Number.isInteger(each) ? [...tags.slice(at * each, at * each + each)].map(d => names[d] || d).filter(t => t !== '–').join(' ') : '';
}

/* How full warps are. */
function lanesCell(row) {
	const lanes = row && row.issued && row.access ? row.access.threads / row.issued : NaN;
	return h('td', {class: 'n spare lanes' + (lanes < 24 ? ' bad' : '')}, Number.isFinite(lanes) ? show(lanes, lanes === 32 ? 0 : 1) : '');
}

/* A pane with marks at its edge: where in the whole of it slots are lost, also in what is out of sight. */
function withMarks(pane, of, all) {
	const rows = [...pane.querySelectorAll('tbody tr')];
	pane.classList.toggle('long', rows.length > 400);
	const most = Math.max(1, ...rows.map(of)), edge = h('div', {class: 'edge', 'aria-hidden': 'true'});
	rows.map((row, i) => [of(row), i]).filter(([lost]) => lost >= .02 * most).sort((a, b) => b[0] - a[0]).slice(0, 200).forEach(([lost, i]) =>
		edge.append(h('div', {style: `top:${(100 * i / rows.length).toFixed(2)}%;opacity:${(.2 + .8 * lost / most).toFixed(2)}`, 'data-tip': percent(lost, all) + ' of the slots',
			onclick: () => { pane.scrollTop = Math.max(0, rows[i].offsetTop - pane.clientHeight / 3); }})));
	return h('div', {class: 'holder'}, pane, edge);
}

function insideCell(fn, at) {
	const around = callsAround(fn, at);
	return h('td', {class: 'co spare inside', 'data-tip': around.map(call => call.callee + ', called at ' + callPlace(call)).join('\n') || null}, around.length ? around[0].callee.replace(/^(.{15}).{2,}$/, '$1…') : '');
}

function codePane(fn, at, file, line) {
	const pane = h('div', {class: 'pane', tabindex: 0, 'aria-label': 'Machine code'});
	if (fn < 0) {
		pane.append(h('p', {style: 'padding:1rem'}, 'No machine code: give heddle report the program or its kernel objects.'));
		return pane;
	}
	const f = data.functions[fn], r = run(), rows = r ? codeOf(r, fn) : new Map(), all = r ? slotsWithWarps(r) : 0;
	const most = Math.max(1, ...[...rows.values()].map(row => row.lost)), live = Math.max(0, ...f.code.live), marks = marksOf(fn);
	const hasCalls = shownFacts.calls && f.code.inlined.some(i => i >= 0);
	const columns = 8 + (hasCalls ? 1 : 0) + (shownFacts.control ? 1 : 0) + (shownFacts.reuse ? 1 : 0);
	const body = h('tbody', null, h('tr', {class: 'title'}, h('td', {colspan: columns}, nameOf(fn))));
	f.code.text.forEach((text, i) => {
		if (f.code.stream[i])
			body.append(h('tr', {class: 'mark'}, h('td', {colspan: columns}, 'stream: ' + f.code.stream[i])));
		for (const mark of marks.get(i) || [])
			body.append(h('tr', {class: 'mark'}, h('td', {colspan: columns}, mark)));
		const linked = f.code.file[i] === file && f.code.line[i] === line && line > 0;
		body.append(h('tr', {'data-at': i, class: i === at ? 'picked' : linked ? 'linked' : null,
			onclick: () => go({fn, at: i, file: -1, line: 0})}, h('td', {class: 'no'}, (i * 16).toString(16).padStart(4, '0')), costCells(rows.get(i), all, most), lanesCell(rows.get(i)),
			h('td', {class: 'n live', style: heat(f.code.live[i], live)}, f.code.live[i]), shownFacts.control ? h('td', {class: 'control'}, f.code.control[i] || '') : null,
			shownFacts.reuse ? h('td', {class: 'co reuse'}, reuseOf(fn, i)) : null, hasCalls ? insideCell(fn, i) : null, h('td', null, text, f.code.role[i] ? h('span', {class: 'co'}, '  ' + f.code.role[i]) : null)));
	});
	pane.append(h('table', null, h('thead', null, heads(['#pc', ...costHead(), '#~lanes', '#live', ...(shownFacts.control ? ['control'] : []), ...(shownFacts.reuse ? ['next use'] : []), ...(hasCalls ? ['~inlined from'] : []), 'instruction'])), body));
	return pane;
}

/* ---- what is said of the picked instruction */

function detail(fn, at) {
	if (fn < 0 || at < 0)
		return h('p', {class: 'soft'}, 'Pick a line or an instruction. Arrow keys move, Enter goes to the other side, H to the hottest.');
	const f = data.functions[fn], r = run(), row = r ? codeOf(r, fn).get(at) : null, facts = [];
	const fact = (name, ...text) => facts.push(h('dt', null, name), h('dd', null, text));
	const link = i => i < 0 ? 'the caller' : h('button', {class: 'chip', onclick: () => go({at: i, file: -1, line: 0})}, f.code.text[i], ' · ', placeOf(fn, i));
	if (row && row.lost)
		fact('stalls', row.stalls.map((count, i) => [count, i]).filter(([count, i]) => i && count).sort((a, b) => b[0] - a[0]).map(([count, i]) =>
			[dot(i), ' ', data.reasons[i].name, ' ', percent(count, row.lost), ' (', show(count), ' slots)   ']));
	if (row)
		fact('issued', show(row.issued), ' times', row.access && row.access.threads ? ', ' + show(row.access.threads / row.issued, 1) + ' of 32 threads on average' : '');
	if (row && accessTip(row.access))
		fact('accesses', accessTip(row.access).replace(/\n/g, '; '));
	if (callsAround(fn, at).length)
		fact('inlined from', h('div', {class: 'chain'}, callsAround(fn, at).map(call => h('button', {class: 'chip', onclick: () => call.file >= 0 && go({fn, at, file: call.file, line: call.line})},
			call.callee, ' · called at ', callPlace(call)))));
	fact('live', f.code.live[at] + ' registers before it');
	if (f.code.from[at] && f.code.from[at].length)
		fact('reads from', h('div', {class: 'chain'}, f.code.from[at].map(link)));
	const users = f.code.from.map((from, i) => from && from.includes(at) ? i : -1).filter(i => i >= 0);
	if (users.length)
		fact('read by', h('div', {class: 'chain'}, users.slice(0, 12).map(link), users.length > 12 ? `and ${users.length - 12} more` : ''));
	if (f.code.next[at])
		fact('goes on at', f.code.next[at].map(i => (i * 16).toString(16).padStart(4, '0')).join(', ') || 'the caller');
	if (f.code.callee[at]) {
		const callee = data.functions.findIndex(g => g.name === f.code.callee[at]);
		fact('calls', callee >= 0 ? h('button', {class: 'chip', onclick: () => go({fn: callee, at: -1, file: -1, line: 0})}, nameOf(callee)) : f.code.callee[at]);
	}
	const interval = f.meta && !f.linear && (f.meta.intervals || []).find(i => (i.pcs || []).includes(at * 16));
	if (interval)
		fact('interval', `${interval.id}, working set ${registersOf(interval.working_set)}`);
	return h('dl', null, h('dt', null, placeOf(fn, at)), h('dd', null, h('code', null, f.code.text[at])), facts);
}

function hottestAt(fn) {
	let best = -1, most = 0;
	codeOf(run(), fn).forEach((row, at) => {
		if (row.lost > most)
			[best, most] = [at, row.lost];
	});
	return best;
}

function moves(pane, other, isCode) {
	pane.addEventListener('keydown', event => {
		const rows = [...pane.querySelectorAll(isCode ? 'tr[data-at]' : 'tr[data-line]')];
		let at = rows.findIndex(row => row.classList.contains('picked'));
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
			at = Math.max(0, Math.min(rows.length - 1, at + (event.key === 'ArrowDown' ? 1 : -1)));
		else if (event.key === 'Enter')
			return void document.querySelectorAll('.pane')[isCode ? 0 : 1].focus();
		else if (event.key === 'h' && run() && state.fn >= 0 && hottestAt(state.fn) >= 0)
			return void (go({at: hottestAt(state.fn), file: -1, line: 0}), document.querySelectorAll('.pane')[isCode ? 1 : 0].focus());
		else
			return;
		event.preventDefault();
		if (rows[at])
			rows[at].click();
		document.querySelectorAll('.pane')[isCode ? 1 : 0].focus();
	});
}

/* What is in sight stays where it is. */
function showRow(pane, row) {
	const top = row ? row.offsetTop - pane.scrollTop : 0;
	if (row && (top < 30 || top > pane.clientHeight - 40))
		pane.scrollTop = Math.max(0, row.offsetTop - pane.clientHeight / 3);
}

function pickers(file) {
	const weight = fn => run() ? lostIn(run(), fn) : 0, all = run() ? slotsWithWarps(run()) : 0;
	const order = data.functions.map((f, i) => i).sort((a, b) => weight(b) - weight(a) || a - b);
	const files = new Set();
	data.functions.forEach(f => f.code.file.forEach(of => of >= 0 && files.add(of)));
	return h('div', {class: 'tools'},
		h('label', null, 'Function ', h('select', {onchange: event => go({fn: Number(event.target.value), at: -1, file: -1, line: 0})}, order.map(i =>
			h('option', {value: i, selected: i === state.fn}, (all && weight(i) ? percent(weight(i), all) + '  ' : '') + nameOf(i))))),
		h('label', null, 'File ', h('select', {onchange: event => go({file: Number(event.target.value), line: 1, at: -1})}, [...files].map(i =>
			h('option', {value: i, selected: i === file}, data.files[i].name)))),
		Object.keys(shownFacts).map(key => h('label', null, h('input', {type: 'checkbox', checked: shownFacts[key], onchange: event => {
			shownFacts[key] = event.target.checked;
			draw();
		}}), {calls: 'inlined functions', intervals: 'register-intervals', points: 'preemption and switch points', linear: 'linear registers and addresses', reuse: 'next uses', control: 'control bits'}[key])));
}

/* The panes as they stand, and what they depend on but for the picked line and instruction: code of thousands of
   instructions takes long to lay out, so that another pick only moves the marks. */
let shownPanes = null;
const panesKey = file => JSON.stringify([state.run, state.fn, file, shownFacts, [...openCalls]]);

function newPanes(into, file, line) {
	const source = sourcePane(file, line), code = codePane(state.fn, state.at, file, line);
	moves(source, code, false);
	moves(code, source, true);
	const all = run() ? slotsWithWarps(run()) : 0, lines = run() && file >= 0 ? linesOf(file) : new Map(), rows = run() && state.fn >= 0 ? codeOf(run(), state.fn) : new Map();
	const lostAt = (map, key) => key === undefined || !map.has(Number(key)) ? 0 : map.get(Number(key)).lost;
	const said = h('div', {class: 'card detail', style: 'margin-top:1rem'}, detail(state.fn, state.at));
	into.append(pickers(file), h('div', {class: 'panes'}, withMarks(source, row => lostAt(lines, row.dataset.line), all), withMarks(code, row => lostAt(rows, row.dataset.at), all)), said);
	if (run() && !(run().code || []).length)
		into.append(h('p', {class: 'soft'}, 'This run has no counts by instruction: use heddle run --by-instruction --stats FILE.'));
	for (const holder of document.querySelectorAll('.holder')) {
		const edge = holder.querySelector('.edge'), pane = holder.querySelector('.pane');
		if (edge && pane.scrollHeight <= pane.clientHeight)
			edge.remove();
	}
	shownPanes = {key: panesKey(file), source, code, said};
	return shownPanes;
}

function movePicks({source, code, said}, file, line) {
	for (const row of document.querySelectorAll('.pane tr.picked, .pane tr.linked'))
		row.classList.remove('picked', 'linked');
	const f = data.functions[state.fn], at = code.querySelector(`tr[data-at="${state.at}"]`), of = source.querySelector(`tr[data-line="${line}"]`);
	if (f && line > 0)
		code.querySelectorAll('tr[data-at]').forEach(row => row.classList.toggle('linked', f.code.file[row.dataset.at] === file && f.code.line[row.dataset.at] === line));
	for (const row of [at, of].filter(Boolean)) {
		row.classList.remove('linked');
		row.classList.add('picked');
	}
	said.replaceChildren(detail(state.fn, state.at));
}

/* Lines under a call are marked by what they are made from. */
const canMove = (into, file) => shownPanes && into.contains(shownPanes.source) && shownPanes.key === panesKey(file) && !openCalls.size && file >= 0 && state.fn >= 0;

views.push({id: 'source', title: 'Source and machine code', needs: () => data.functions.length > 0, stays: into => canMove(into, selected().file), show(into) {
	const {file, line} = selected(), moved = canMove(into, file);
	if (moved)
		movePicks(shownPanes, file, line);
	const {source, code} = moved ? shownPanes : newPanes(into, file, line);
	/* Without a picked line, where the function begins. */
	const first = state.fn >= 0 ? data.functions[state.fn].code.line.find((no, at) => no > 0 && data.functions[state.fn].code.file[at] === file) : 0;
	showRow(source, source.querySelector('tr.picked') || source.querySelector(`tr[data-line="${first}"]`));
	showRow(code, code.querySelector('tr.picked') || code.querySelector('tr.linked'));
}});
