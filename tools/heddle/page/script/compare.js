/*
 * A and B: the lines and reasons that carry the difference in cycles, in order, summing to the whole, as heddle explain
 * has them. A run's cycles are its slots with a warp divided by the schedulers that have one at a time, on average. So a
 * difference of cycles has two parts: of slots, at the mean of both runs' cycles per slot, place by place; and of the
 * schedulers that are busy.
 */

/* Slots with a warp, by place and reason. */
function slotsByPlace(r) {
	const places = new Map(), counted = new Array(data.reasons.length).fill(0), idle = reasonOf('idle');
	const add = (label, reason, slots, go) => {
		const id = label + '|' + reason;
		if (reason === idle || !slots)
			return;
		if (!places.has(id))
			places.set(id, {label, reason, slots: 0, go});
		places.get(id).slots += slots;
		counted[reason] += slots;
	};
	data.functions.forEach((f, fn) => codeOf(r, fn).forEach((row, at) => row.stalls.forEach((slots, reason) =>
		add(f.code.file[at] >= 0 ? data.files[f.code.file[at]].name + ':' + f.code.line[at] : f.demangled + ' (no line known)',
			reason, slots, {view: 'source', fn, at, file: -1, line: 0}))));
	for (const row of r.elsewhere || [])
		for (const [name, slots] of Object.entries(row.stalls))
			add(row.file ? row.file + ':' + row.line : row.function + ' (no line known)', reasonOf(name), slots);
	/* Without counts by instruction: the rest of each reason. */
	stallsOf(r).forEach((slots, reason) => add('no place known', reason, slots - counted[reason]));
	return places;
}

function differences(a, b) {
	const left = slotsByPlace(a), right = slotsByPlace(b), rows = [];
	const withWarps = [slotsWithWarps(a), slotsWithWarps(b)], busy = [withWarps[0] / a.total.cycles, withWarps[1] / b.total.cycles];
	const perSlot = (1 / busy[0] + 1 / busy[1]) / 2;
	for (const key of new Set([...left.keys(), ...right.keys()])) {
		const x = left.get(key), y = right.get(key), from = x ? x.slots * perSlot : 0, to = y ? y.slots * perSlot : 0;
		rows.push({...(y || x), a: from, b: to, change: to - from});
	}
	const from = a.total.cycles - withWarps[0] * perSlot, to = b.total.cycles - withWarps[1] * perSlot;
	rows.push({label: `schedulers with a warp at a time: ${show(busy[0], 1)} in A, ${show(busy[1], 1)} in B`, reason: reasonOf('idle'), a: from, b: to, change: to - from});
	return rows.filter(row => Math.abs(row.change) > 1e-9).sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
}

function changeBar(change, most) {
	const share = 50 * Math.abs(change) / most;
	return h('div', {class: 'speed', style: 'width:9rem;height:1.1rem'}, h('div', {class: 'one', style: 'left:50%'}),
		h('div', {class: 'fill' + (change > 0 ? ' slow' : ''), style: `top:.1rem;height:.9rem;left:${change > 0 ? 50 : 50 - share}%;width:${share}%`}));
}

let mostDifferences = 40;
views.push({id: 'compare', title: 'A and B', needs: () => data.runs.length > 1, show(into) {
	const a = data.runs[state.run], b = data.runs[state.other], rows = differences(a, b), change = b.total.cycles - a.total.cycles;
	const most = Math.max(1e-9, ...rows.map(row => Math.abs(row.change))), shown = rows.slice(0, mostDifferences);
	const rest = sum(rows.slice(mostDifferences).map(row => row.change)), signed = x => (x > 0 ? '+' : x < 0 ? '−' : '') + show(Math.abs(x), Math.abs(x) < 10 ? 2 : 0);
	const pick = h('select', {'aria-label': 'B', onchange: event => go({other: Number(event.target.value)})}, data.runs.map((r, i) => h('option', {value: i, selected: i === state.other}, runName(r))));
	into.append(card(null, h('div', {class: 'tools'}, h('b', null, 'A: ' + runName(a)), h('label', null, 'B: ', pick),
		h('button', {onclick: () => go({run: state.other, other: state.run})}, '⇄ swap')),
	h('p', {class: 'lead'}, show(a.total.cycles) + ' cycles become ' + show(b.total.cycles) + ': ', h('b', {class: change > 0 ? 'bad' : 'good'}, signed(change) + ' (' + show(a.total.cycles / b.total.cycles, 3) + ' ×)'),
		'. The rows add up to this difference. An issue slot counts as a cycle divided by the schedulers that have a warp at a time, on average.'),
	table(['', 'Reason', 'Where', '#A', '#B', '#change, cycles', ''], shown.map(row => ({onclick: row.go ? () => go(row.go) : null, cells: [dot(row.reason), data.reasons[row.reason].name,
		h('code', null, row.label), number(show(row.a, 1)), number(show(row.b, 1)), {number: true, text: h('span', {class: row.change > 0 ? 'bad' : 'good'}, signed(row.change))}, changeBar(row.change, most)]}))
		.concat(rest ? [{cells: ['', '', `${show(rows.length - shown.length)} smaller differences`, '', '', number(signed(rest)), '']}] : [])
		.concat([{cells: ['', '', h('b', null, 'sum'), number(show(a.total.cycles)), number(show(b.total.cycles)), number(signed(sum(rows.map(row => row.change)))), '']}])),
	rows.length > mostDifferences ? h('button', {onclick: () => { mostDifferences *= 4; draw(); }}, 'Show more') : null));
}});
