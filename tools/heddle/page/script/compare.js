/*
 * A and B: the lines and reasons that carry the difference in cycles, in order, summing to the whole, as heddle explain
 * has them (tools/heddle/explain.c). The cycles of a kernel are its slots with a warp divided by the schedulers that have
 * one at a time, on average. So a difference of cycles has two parts: of slots, at the mean of both runs' cycles per
 * slot, place by place; and of the schedulers that are busy. Kernels are compared one by one, where their cycles add up
 * to the run's. What kernels call counts for the kernel whose warps ran it; where that is not known, as a row for each
 * reason.
 */

/* Slots with a warp: visit(label, reason, slots, kernel's name or null, where to go). Rows by line stand in for what is
   not counted by instruction. */
function eachPiece(r, visit) {
	const idle = reasonOf('idle'), see = (label, reason, slots, kernel, go) => reason !== idle && slots && visit(label, reason, slots, kernel, go);
	data.functions.forEach((f, fn) => codeOf(r, fn).forEach((row, at) => {
		for (const [kernel, stalls] of row.kernels || [[f.kernel ? f.demangled : null, row.stalls]])
			stalls.forEach((slots, reason) => see(row.place, reason, slots, kernel, {view: 'source', fn, at, file: -1, line: 0}));
	}));
	for (const row of (r.code || []).length || (r.elsewhere || []).length ? r.elsewhere : r.lines || [])
		for (const [kernel, stalls] of Object.entries(row.kernels || {[r.symbols[row.function] || '']: row.stalls}))
			for (const [name, slots] of Object.entries(stalls))
				see(row.file ? row.file + ':' + row.line : row.function + ' (no line known)', reasonOf(name), slots, kernel || null);
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
	const near = (a, b) => Math.abs(a - b) < .5;
	const right = runs.every((r, which) => near(sum(all.map(part => part.cycles[which])), r.total.cycles) &&
		stallsOf(r).every((count, i) => i === idle || near(count, sum(all.map(part => part.stalls[which][i])))));
	if (!right) {
		const whole = newPart();
		runs.forEach((r, which) => addToPart(whole, which, r.total.cycles, stallsOf(r)));
		parts.clear();
		parts.set('', whole);
	}
	for (const part of parts.values()) {
		const rates = [0, 1].filter(which => slotsOf(part, which) > 0).map(which => part.cycles[which] / slotsOf(part, which));
		part.perSlot = rates.length ? sum(rates) / rates.length : 0;
	}
	return parts;
}

/* Lines of two builds have the names of lines.h: for A and B, a function from the place of a run to its name. */
function namesOf(a, b) {
	const at = [data.runs.indexOf(a), data.runs.indexOf(b)];
	const match = data.matches.find(m => at.includes(m.a) && at.includes(m.b)), turned = match && match.a !== at[0];
	return [0, 1].map(which => {
		const files = new Map((match ? match.files : []).map(f => {
			const numbers = new Map(), own = which ^ turned;
			for (let i = 0; i < f.lines.length; i += 2)
				if (f.lines[i + own])
					numbers.set(f.lines[i + own], f.lines[i + 1 - own]);
			return [own ? f.b : f.a, {ofB: turned ? f.a : f.b, numbers}];
		}));
		return place => {
			const [, file, line] = /^(.*):(\d+)$/s.exec(place) || [], of = files.get(file), number = Number(line);
			if (!of)
				return place;
			const other = of.numbers.get(number);
			if (other === undefined)
				return of.ofB + ':' + line;
			return other ? `${of.ofB}:${which ? number : other} (${which ? other : number} in A)` : `${place} in ${'AB'[which]} alone`;
		};
	});
}

function differences(a, b) {
	const names = namesOf(a, b);
	const runs = [a, b], parts = partsOf(runs), all = [...parts.values()], found = new Map(), idle = reasonOf('idle');
	const add = (which, label, reason, cycles, go, text) => {
		const id = label + '|' + reason;
		if (!found.has(id))
			found.set(id, {label, reason, cycles: [0, 0], go});
		const row = found.get(id);
		row.cycles[which] += cycles;
		row.go = row.go || go;
		row.text = text || row.text;
	};
	runs.forEach((r, which) => {
		const counted = new Array(data.reasons.length).fill(0);
		let unpriced = false;
		eachPiece(r, (label, reason, slots, kernel, go) => {
			const part = parts.get(parts.size === 1 && parts.has('') ? '' : kernel);
			if (part) {
				add(which, names[which](label), reason, slots * part.perSlot, go, r.texts[label]);
				counted[reason] += slots * part.perSlot;
			}
			unpriced = unpriced || !part;
		});
		/* Without counts by place, or by kernel: the rest of each reason. */
		data.reasons.forEach((reason, i) => {
			const rest = sum(all.map(part => part.stalls[which][i] * part.perSlot)) - counted[i];
			if (i !== idle && Math.abs(rest) > 1e-6)
				add(which, unpriced ? 'functions, which kernel called them is not known' : 'no line known', i, rest);
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
	Math.max(state.run, state.other) >= data.matched ? h('p', {class: 'soft'}, `Lines are compared by number: by their text, only those of the first ${data.matched} runs are.`) : null,
	kernels.length ? table(['Kernel', '#A', '#B', '#change, cycles', ''], kernels.slice(0, 40).map(kernel => ({cells: [h('code', null, kernel.name), number(show(kernel.a, 0)), number(show(kernel.b, 0)),
		changed(kernel.change), changeBar(kernel.change, mostOfKernel)]}))) : null,
	kernels.length > 40 ? h('p', {class: 'soft'}, show(kernels.length - 40) + ' more kernels') : null,
	kernels.length ? h('h3', null, 'By line and reason') : null,
	table(['', 'Reason', 'Where', '#A', '#B', '#change, cycles', ''], shown.map(row => ({onclick: row.go ? () => go(row.go) : null, cells: [dot(row.reason), data.reasons[row.reason].name,
		[h('code', null, row.label), row.text ? h('div', null, h('code', {class: 'soft'}, row.text)) : null], row.a === undefined ? '' : number(show(row.a, 0)), row.b === undefined ? '' : number(show(row.b, 0)), changed(row.change), changeBar(row.change, most)]}))
		.concat(rest ? [{cells: ['', '', `${show(rows.length - shown.length)} smaller differences`, '', '', number(signed(rest)), '']}] : [])
		.concat([{cells: ['', '', h('b', null, 'sum'), number(show(a.total.cycles)), number(show(b.total.cycles)), number(signed(sum(rows.map(row => row.change)))), '']}])),
	rows.length > mostDifferences ? h('button', {onclick: () => { mostDifferences *= 4; draw(); }}, 'Show more') : null));
}});
