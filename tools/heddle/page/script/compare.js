/*
 * A and B: the lines and reasons that carry the difference in cycles, in order, summing to the whole, as heddle explain
 * has them (tools/heddle/explain.c). The cycles of a kernel are its slots with a warp divided by the schedulers that have
 * one at a time, on average. So a difference of cycles has two parts: of slots, at the mean of both runs' cycles per
 * slot, place by place; and of the schedulers that are busy. Kernels are compared one by one, where their cycles add up
 * to the run's. What several kernels call is shared among them as the slots that their own lines leave.
 */

/* Slots with a warp: visit(label, reason, slots, kernel's name or null, where to go). */
function eachPiece(r, visit) {
	const idle = reasonOf('idle'), see = (label, reason, slots, kernel, go) => reason !== idle && slots && visit(label, reason, slots, kernel, go);
	data.functions.forEach((f, fn) => codeOf(r, fn).forEach((row, at) => row.stalls.forEach((slots, reason) =>
		see(f.code.file[at] >= 0 ? data.files[f.code.file[at]].name + ':' + f.code.line[at] : f.demangled + ' (no line known)',
			reason, slots, f.kernel ? f.demangled : null, {view: 'source', fn, at, file: -1, line: 0}))));
	for (const row of r.elsewhere || [])
		for (const [name, slots] of Object.entries(row.stalls))
			see(row.file ? row.file + ':' + row.line : row.function + ' (no line known)', reasonOf(name), slots, r.symbols[row.function] || row.function);
}

const newPart = () => ({cycles: [0, 0], stalls: [0, 1].map(() => new Array(data.reasons.length).fill(0))});
const slotsOf = (part, which) => sum(part.stalls[which]) - part.stalls[which][reasonOf('idle')];
function addToPart(part, which, cycles, stalls) {
	part.cycles[which] += cycles;
	stalls.forEach((count, i) => { part.stalls[which][i] += count; });
}

/* The kernels of both runs by name, or, where they do not add up to the runs, each run as a whole. */
function partsOf(runs) {
	const parts = new Map(), idle = reasonOf('idle');
	runs.forEach((r, which) => Object.entries(r.kernels).forEach(([name, kernel]) => {
		if (!parts.has(name))
			parts.set(name, newPart());
		addToPart(parts.get(name), which, kernel.cycles, byReason(kernel.stalls));
	}));
	const all = [...parts.values()];
	all.forEach(part => { part.left = part.stalls.map(list => [...list]); });
	const near = (a, b) => Math.abs(a - b) < .5;
	runs.forEach((r, which) => eachPiece(r, (label, reason, slots, kernel) => {
		if (parts.has(kernel))
			parts.get(kernel).left[which][reason] -= slots;
	}));
	const right = runs.every((r, which) => near(sum(all.map(part => part.cycles[which])), r.total.cycles) &&
		stallsOf(r).every((count, i) => i === idle || near(count, sum(all.map(part => part.stalls[which][i]))))) &&
		all.every(part => part.left.every(list => list.every((count, i) => i === idle || count > -.5)));
	if (!right) {
		const whole = newPart();
		runs.forEach((r, which) => addToPart(whole, which, r.total.cycles, stallsOf(r)));
		whole.left = whole.stalls;
		parts.clear();
		parts.set('', whole);
	}
	for (const part of parts.values()) {
		const rates = [0, 1].filter(which => slotsOf(part, which) > 0).map(which => part.cycles[which] / slotsOf(part, which));
		part.perSlot = rates.length ? sum(rates) / rates.length : 0;
	}
	return parts;
}

function differences(a, b) {
	const runs = [a, b], parts = partsOf(runs), all = [...parts.values()], found = new Map(), idle = reasonOf('idle');
	const add = (which, label, reason, cycles, go) => {
		const id = label + '|' + reason;
		if (!found.has(id))
			found.set(id, {label, reason, cycles: [0, 0], go});
		const row = found.get(id);
		row.cycles[which] += cycles;
		row.go = row.go || go;
	};
	runs.forEach((r, which) => {
		const counted = new Array(data.reasons.length).fill(0);
		/* Of what is no kernel's own. */
		const shared = data.reasons.map((reason, i) => {
			const slots = sum(all.map(part => part.left[which][i]));
			return slots > 0 ? sum(all.map(part => part.left[which][i] * part.perSlot)) / slots : 0;
		});
		eachPiece(r, (label, reason, slots, kernel, go) => {
			const cycles = slots * (parts.has(kernel) ? parts.get(kernel).perSlot : shared[reason]);
			add(which, label, reason, cycles, go);
			counted[reason] += cycles;
		});
		/* Without counts by instruction: the rest of each reason. */
		data.reasons.forEach((reason, i) => {
			const rest = sum(all.map(part => part.stalls[which][i] * part.perSlot)) - counted[i];
			if (i !== idle && Math.abs(rest) > 1e-6)
				add(which, 'no place known', i, rest);
		});
	});
	const rows = [...found.values()].map(row => ({...row, a: row.cycles[0], b: row.cycles[1], change: row.cycles[1] - row.cycles[0]}));
	for (const [name, part] of parts) {
		const busy = [0, 1].map(which => part.cycles[which] ? slotsOf(part, which) / part.cycles[which] : 0);
		const carried = [0, 1].map(which => part.cycles[which] - slotsOf(part, which) * part.perSlot);
		rows.push({label: `schedulers with a warp at a time: ${show(busy[0], 1)} in A, ${show(busy[1], 1)} in B` + (parts.size > 1 ? ' (' + name + ')' : ''),
			reason: idle, change: carried[1] - carried[0]});
	}
	const byChange = (x, y) => Math.abs(y.change) - Math.abs(x.change);
	const kernels = parts.size > 1 ? [...parts].map(([name, part]) => ({name, a: part.cycles[0], b: part.cycles[1], change: part.cycles[1] - part.cycles[0]})).sort(byChange) : [];
	return {rows: rows.filter(row => Math.abs(row.change) > 1e-9).sort(byChange), kernels};
}

function changeBar(change, most) {
	const share = 50 * Math.abs(change) / most;
	return h('div', {class: 'speed', style: 'width:9rem;height:1.1rem'}, h('div', {class: 'one', style: 'left:50%'}),
		h('div', {class: 'fill' + (change > 0 ? ' slow' : ''), style: `top:.1rem;height:.9rem;left:${change > 0 ? 50 : 50 - share}%;width:${share}%`}));
}

let mostDifferences = 40;
views.push({id: 'compare', title: 'A and B', needs: () => data.runs.length > 1, show(into) {
	const a = data.runs[state.run], b = data.runs[state.other], {rows, kernels} = differences(a, b), change = b.total.cycles - a.total.cycles;
	const most = Math.max(1e-9, ...rows.map(row => Math.abs(row.change))), shown = rows.slice(0, mostDifferences);
	const rest = sum(rows.slice(mostDifferences).map(row => row.change)), signed = x => (x > 0 ? '+' : x < 0 ? '−' : '') + show(Math.abs(x), Math.abs(x) < 10 ? 2 : 0);
	const pick = h('select', {'aria-label': 'B', onchange: event => go({other: Number(event.target.value)})}, data.runs.map((r, i) => h('option', {value: i, selected: i === state.other}, runName(r))));
	const changed = x => ({number: true, text: h('span', {class: x > 0 ? 'bad' : x < 0 ? 'good' : 'soft'}, x ? signed(x) : '0')});
	const mostOfKernel = Math.max(1e-9, ...kernels.map(kernel => Math.abs(kernel.change)));
	into.append(card(null, h('div', {class: 'tools'}, h('b', null, 'A: ' + runName(a)), h('label', null, 'B: ', pick),
		h('button', {onclick: () => go({run: state.other, other: state.run})}, '⇄ swap')),
	h('p', {class: 'lead'}, show(a.total.cycles) + ' cycles become ' + show(b.total.cycles) + ': ', h('b', {class: change > 0 ? 'bad' : 'good'}, signed(change) + ' (' + show(a.total.cycles / b.total.cycles, 3) + ' ×)'),
		'. The rows add up to this difference. An issue slot counts as a cycle divided by the schedulers that have a warp at a time, on average.'),
	kernels.length ? table(['Kernel', '#A', '#B', '#change, cycles', ''], kernels.slice(0, 40).map(kernel => ({cells: [h('code', null, kernel.name), number(show(kernel.a, 0)), number(show(kernel.b, 0)),
		changed(kernel.change), changeBar(kernel.change, mostOfKernel)]}))) : null,
	kernels.length > 40 ? h('p', {class: 'soft'}, show(kernels.length - 40) + ' more kernels') : null,
	kernels.length ? h('h3', null, 'By line and reason') : null,
	table(['', 'Reason', 'Where', '#A', '#B', '#change, cycles', ''], shown.map(row => ({onclick: row.go ? () => go(row.go) : null, cells: [dot(row.reason), data.reasons[row.reason].name,
		h('code', null, row.label), row.a === undefined ? '' : number(show(row.a, 0)), row.b === undefined ? '' : number(show(row.b, 0)), changed(row.change), changeBar(row.change, most)]}))
		.concat(rest ? [{cells: ['', '', `${show(rows.length - shown.length)} smaller differences`, '', '', number(signed(rest)), '']}] : [])
		.concat([{cells: ['', '', h('b', null, 'sum'), number(show(a.total.cycles)), number(show(b.total.cycles)), number(signed(sum(rows.map(row => row.change)))), '']}])),
	rows.length > mostDifferences ? h('button', {onclick: () => { mostDifferences *= 4; draw(); }}, 'Show more') : null));
}});
