/* Runs side by side, what bounds the selected one, its stalls, its roofline, its policies' own counters, its kernels. */

/* What the GPU could do at most, from its configuration: bytes and warp instructions in a second. */
function ceilings(r) {
	const c = r.config, hz = c.core_mhz * 1e6, sms = c.sm_count;
	return {
		issue: sms * c.schedulers * hz,
		L1: sms * c.l1_width * (c.l1_ports || 1) * hz,
		L2: c.l2_slices * c.sector * c.l2_mhz * 1e6,
		DRAM: c.dram_channels * c.dram_bus * c.dram_ratio * c.dram_mhz * 1e6,
	};
}
function traffic(r) {
	const t = r.total, sector = r.config.sector;
	return {L1: t.l1d_sectors * sector, L2: t.l2_accesses * sector, DRAM: (t.dram_reads + t.dram_writes) * sector};
}
const seconds = r => r.total.cycles / (r.config.core_mhz * 1e6);

/* Shares from 0 to 1 of what the machine could do, in the cycles of the kernels. */
function utilisation(r) {
	const most = ceilings(r), bytes = traffic(r), time = seconds(r), stalls = stallsOf(r);
	const use = {issue: stalls[0] / sum(stalls)};
	for (const level of ['L1', 'L2', 'DRAM'])
		use[level] = bytes[level] / time / most[level];
	return use;
}

function worstReason(r) {
	const stalls = stallsOf(r);
	let best = -1;
	stalls.forEach((count, i) => {
		if (i && i !== reasonOf('idle') && (best < 0 || count > stalls[best]))
			best = i;
	});
	return best;
}

/* The place with most slots lost for a reason; of one kernel, in what its warps ran. */
function worstPlace(r, reason) {
	let best = null;
	data.functions.forEach((f, fn) => codeOf(r, fn).forEach((row, at) => {
		const own = row.kernels ? (row.kernels.find(([name]) => name === r.kernel) || [])[1] : f.demangled === r.kernel ? row.stalls : null;
		const stalls = r.kernel ? own : row.stalls;
		if (stalls && (!best || stalls[reason] > best.slots))
			best = {fn, at, slots: stalls[reason]};
	}));
	return best && best.slots ? best : null;
}

/* A run of one kernel alone, as the functions here take runs. */
const runOfKernel = (r, name) => ({config: r.config, code: r.code, places: r.places, total: r.kernels[name], kernel: name});

function bound(r) {
	const what = r.kernel ? 'this kernel' : 'this run';
	const use = utilisation(r), stalls = stallsOf(r), all = sum(stalls), withWarps = slotsWithWarps(r), t = r.total;
	const most = ceilings(r), bytes = traffic(r), time = seconds(r), parts = [];
	const level = ['DRAM', 'L2', 'L1'].reduce((a, b) => use[b] > use[a] ? b : a);
	const reason = worstReason(r), place = worstPlace(r, reason), active = t.active_sm_cycles / t.cycles;
	const warps = t.resident_warp_cycles / t.active_sm_cycles;
	if (use[level] >= .6)
		parts.push(h('b', null, level + ` bandwidth bounds ${what}: `), show(bytes[level] / time / 1e9, 0) + ' of ' +
			show(most[level] / 1e9, 0) + ' GB/s (' + percent(use[level], 1) + ').');
	else if (stalls[0] >= .6 * withWarps && withWarps >= .6 * all)
		parts.push(h('b', null, `The issue of instructions bounds ${what}: `), 'schedulers issue in ' + percent(stalls[0], all) + ' of all slots.');
	else if (withWarps < .4 * all)
		parts.push(h('b', null, `Too little work bounds ${what}: `), 'in ' + percent(all - withWarps, all) +
			' of all issue slots the scheduler has no warp; ' + show(active, 1) + ' of ' + r.config.sm_count + ' SMs are busy at a time.');
	else
		parts.push(h('b', null, `Latency bounds ${what}: `), 'no unit is busy for more than ' +
			percent(Math.max(use[level], use.issue), 1) + ' of the time, with ' + show(warps, 1) + ' of ' + r.config.max_warps + ' warps resident on a busy SM.');
	if (stalls[reason] > 0) {
		parts.push(' Where there are warps, ' + percent(stalls[reason], withWarps) + ' of the slots are lost to ', h('b', null, data.reasons[reason].name),
			' (' + data.reasons[reason].help + ')');
		if (place)
			parts.push(', ' + percent(place.slots, stalls[reason]) + ' of them at ',
				h('a', {href: '#', onclick: event => { event.preventDefault(); go({view: 'source', fn: place.fn, at: place.at, file: -1, line: 0}); }}, placeOf(place.fn, place.at)));
		parts.push('.');
	}
	parts.push(' ' + percent(stalls[0], withWarps) + ' of these slots issue.');
	return h('p', {class: r.kernel ? '' : 'lead'}, parts);
}

/* ---- side by side */

function speedBar(value, least, most) {
	const at = x => 100 * (x - least) / (most - least);
	const from = Math.min(1, value), to = Math.max(1, value), right = at(to) < 70;
	return h('div', {class: 'speed', role: 'img', 'aria-label': 'speedup ' + show(value, 3)}, h('div', {class: 'one', style: 'left:' + at(1) + '%'}),
		h('div', {class: 'fill' + (value < 1 ? ' slow' : ''), style: `left:${at(from)}%;width:${at(to) - at(from)}%`}),
		h('span', {class: 'text' + (right ? '' : ' inside'), style: right ? `left:${at(to)}%` : `right:${100 - at(to)}%`}, show(value, 3) + ' ×'));
}

function sideBySide() {
	const first = seconds(data.runs[0]), speeds = data.runs.map(r => first / seconds(r));
	const least = Math.min(.9, ...speeds.map(x => x - .05)), most = Math.max(1.1, ...speeds) * 1.02;
	const rows = [];
	for (const title of ['Run', 'Speedup, from 1.0', 'Cycles', 'IPC', 'Energy, mJ', 'Issue slots with warps'])
		rows.push(h('div', {class: 'head' + (['Cycles', 'IPC', 'Energy, mJ'].includes(title) ? ' n' : '')}, title));
	data.runs.forEach((r, i) => rows.push(
		h('button', {class: 'name', 'aria-pressed': i === state.run, onclick: () => go({run: i})}, runName(r)),
		speedBar(speeds[i], least, most),
		h('div', {class: 'n', 'data-label': 'cycles'}, show(r.total.cycles)),
		h('div', {class: 'n', 'data-label': 'IPC'}, show(r.total.ipc, 3)),
		h('div', {class: 'n', 'data-label': 'energy, mJ'}, show(1e3 * r.total.energy_joules, 3)),
		stack(stallsOf(r), slotsWithWarps(r), reason => reason === reasonOf('idle'))));
	return card('Runs', h('div', {class: 'runs'}, rows));
}

function stalls() {
	const r = run(), counts = stallsOf(r), withWarps = slotsWithWarps(r), idle = reasonOf('idle');
	const order = data.reasons.map((reason, i) => i).filter(i => counts[i] > 0).sort((a, b) => (a === idle) - (b === idle) || counts[b] - counts[a]);
	return card('Issue slots: ' + runName(r), table(['', 'Reason, and Nsight Compute\u2019s', '#share', '#slots', 'Meaning'], order.map(i => ({cells: [
		dot(i), [data.reasons[i].name, h('div', {class: 'soft also'}, data.reasons[i].nsight.split(' ').join(', '))],
		number(i === idle ? '–' : percent(counts[i], withWarps)), counts[i], data.reasons[i].help]})), 'meanings'),
		h('p', {class: 'soft'}, 'Shares are of the slots in which a scheduler had a warp.'));
}

/* ---- roofline: floating-point operations, or warp instructions, against bytes */

/* The kinds of operations that a run has counted, with what the GPU could do of each in a second. */
function flopCeilings(r) {
	const c = r.config, lanes = 32 * c.sm_count * c.core_mhz * 1e6;
	return {
		single: 2 * lanes * c.units_fp32 / c.ii_fp32,
		double: 2 * lanes * c.units_fp64 / c.ii_fp64,
		half: 4 * lanes * c.units_fp32 / c.ii_fp32,
		/* Products of all types are one count: the fastest type. */
		tensor: 2 * c.units_tensor * Math.max(...['half', 'single', 'tf32', 'int8', 'double'].map(type => c['tensor_' + type] || 0)) * c.sm_count * c.core_mhz * 1e6,
	};
}
const flopOf = r => r.flop ? sum(Object.values(r.flop)) : 0;

let roofUnit = null; /* 'FLOP', 'warp instructions'; null: FLOP where one instruction in ten has some in each lane */
const roofUnits = {
	'FLOP': {many: 'FLOP', rate: 'GFLOP/s', most: r => Object.entries(flopCeilings(r)).filter(([kind]) => r.flop && r.flop[kind] > 0), count: flopOf},
	'warp instructions': {many: 'instructions', rate: 'G warp instructions per second', most: r => [['issue', ceilings(r).issue]], count: r => r.total.warp_instructions},
};

function roofline() {
	const can = flopOf(run()) > 0, many = flopOf(run()) >= 3.2 * run().total.warp_instructions;
	const name = can ? roofUnit || (many ? 'FLOP' : 'warp instructions') : 'warp instructions';
	const choice = can ? h('div', {class: 'tools'}, Object.keys(roofUnits).map(key => h('button', {'aria-pressed': key === name, class: 'choice', 'data-unit': key,
		onclick: () => { roofUnit = key; draw(); }}, key))) : null;
	const use = utilisation(run()), bytes = traffic(run());
	return card('Roofline', choice, roofChart(run(), roofUnits[name]), h('div', {class: 'legend'}, h('span', null, '● L1'), h('span', null, '■ L2'), h('span', null, '▲ DRAM')),
		table(['Level', '#bytes', '#GB/s', '#of the ceiling', '#' + roofUnits[name].many + ' per byte'], ['L1', 'L2', 'DRAM'].map(level => ({cells: [level, bytes[level],
			number(show(bytes[level] / seconds(run()) / 1e9, 1)), number(percent(use[level], 1)), number(bytes[level] ? show(roofUnits[name].count(run()) / bytes[level], 3) : '–')]}))),
		name === 'FLOP' ? table(['Unit', '#FLOP', '#GFLOP/s', '#of the ceiling'], roofUnits.FLOP.most(run()).map(([kind, most]) => ({cells: [kind, run().flop[kind],
			number(show(run().flop[kind] / seconds(run()) / 1e9, 1)), number(percent(run().flop[kind] / seconds(run()), most))]}))) : null,
		run().flop_unknown ? h('p', {class: 'soft'}, `Floating-point operations: code of ${show(run().flop_unknown)} instructions is not among the inputs.`) : null,
		can || run().flop || run().flop_unknown ? null : h('p', {class: 'soft'}, 'A run with --by-instruction also has its floating-point operations here.'));
}

function roofChart(r, unit) {
	const width = Math.max(320, Math.min(560, document.documentElement.clientWidth - 70)), height = 320, left = 58, bottom = 40, most = ceilings(r), flat = unit.most(r);
	const top = Math.max(...flat.map(([, value]) => value)), low = Math.min(...flat.map(([, value]) => value)), points = [];
	data.runs.forEach((of, i) => {
		const bytes = traffic(of), rate = unit.count(of) / seconds(of);
		for (const level of ['L1', 'L2', 'DRAM'])
			if (bytes[level] > 0 && rate > 0)
				points.push({i, level, x: unit.count(of) / bytes[level], y: rate});
	});
	const xs = points.map(p => p.x).concat(low / most.L1, top / most.DRAM);
	const x0 = Math.floor(Math.log10(Math.min(...xs)) - .3), x1 = Math.ceil(Math.log10(Math.max(...xs)) + .3);
	const y1 = Math.ceil(Math.log10(top) + .05), y0 = Math.min(y1 - 3, Math.floor(Math.log10(Math.min(low, ...points.map(p => p.y))) - .2));
	const px = x => left + (Math.log10(x) - x0) / (x1 - x0) * (width - left - 12);
	const py = y => height - bottom - (Math.log10(y) - y0) / (y1 - y0) * (height - bottom - 14);
	const svg = s('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'Roofline'});
	for (let e = x0; e <= x1; e++)
		svg.append(s('line', {class: 'axis', x1: px(10 ** e), x2: px(10 ** e), y1: 14, y2: height - bottom}),
			s('text', {x: px(10 ** e), y: height - bottom + 15, 'text-anchor': e === x1 ? 'end' : 'middle'}, e >= -4 && e <= 5 ? show(10 ** e, Math.max(0, -e)) : '1e' + e));
	for (let e = y0; e <= y1; e++)
		svg.append(s('line', {class: 'axis', x1: left, x2: width - 12, y1: py(10 ** e), y2: py(10 ** e)}),
			s('text', {x: left - 6, y: py(10 ** e) + 4, 'text-anchor': 'end'}, e > 15 ? '1e' + (e - 9) : show(10 ** (e - 9), Math.max(0, 9 - e))));
	for (const level of ['L1', 'L2', 'DRAM']) {
		const knee = top / most[level], from = Math.max(10 ** x0, 10 ** y0 / most[level]);
		svg.append(s('path', {class: 'ceiling', d: `M${px(from)},${py(from * most[level])}L${px(knee)},${py(top)}`}));
		/* Along the line, which rises by a decade in each. */
		/* The lowest has its name below: its line is near to the one above. */
		const angle = -Math.atan2(py(1) - py(10), px(10) - px(1)) * 180 / Math.PI, below = level === 'DRAM', along = below ? 40 : 12;
		const x = px(from) + along, y = py(from * most[level]) + along * Math.tan(angle * Math.PI / 180) + (below ? 16 : -5);
		svg.append(s('text', {x, y, transform: `rotate(${angle} ${x} ${y})`}, level + ' ' + show(most[level] / 1e9, 0) + ' GB/s'));
	}
	flat.sort((a, b) => b[1] - a[1]).forEach(([kind, value], i) => {
		/* Two kinds of one rate are a line with two names. */
		const same = flat.slice(0, i).filter(other => py(value) - py(other[1]) < 12).length;
		svg.append(s('path', {class: 'ceiling', d: `M${px(Math.max(10 ** x0, value / most.L1))},${py(value)}H${width - 12}`}));
		svg.append(s('text', {x: width - 14 - 130 * same, y: py(value) - 5, 'text-anchor': 'end'}, kind + ': ' + show(value / 1e9, 0) + ' G/s'));
	});
	svg.append(s('text', {x: (left + width) / 2, y: height - 6, 'text-anchor': 'middle'}, unit.many + ' per byte'),
		s('text', {x: 12, y: height / 2, 'text-anchor': 'middle', transform: `rotate(-90 12 ${height / 2})`}, unit.rate));
	const shape = {L1: [0, 1], L2: [1, 1], DRAM: [2, 1]};
	for (const p of points) {
		const x = px(p.x), y = py(p.y), own = p.i === state.run;
		const style = own ? 'fill:var(--accent)' : 'fill:none;stroke:var(--faint);stroke-width:1.5';
		const mark = shape[p.level][0] === 0 ? s('circle', {cx: x, cy: y, r: 5, style}) : shape[p.level][0] === 1 ?
			s('rect', {x: x - 4.5, y: y - 4.5, width: 9, height: 9, style}) : s('path', {d: `M${x},${y - 6}l6,10h-12z`, style});
		mark.setAttribute('data-tip', runName(data.runs[p.i]) + ', ' + p.level + '\n' + show(p.x, 3) + ' ' + unit.many + ' per byte\n' + show(p.y / 1e9, 2) + ' G/s');
		svg.append(mark);
	}
	return svg;
}

/* ---- policies and kernels */

function ownCounts() {
	const groups = new Map();
	for (const r of data.runs)
		for (const count of r.counts) {
			const key = count.policy + '.' + count.name;
			if (!groups.has(key))
				groups.set(key, {...count, values: new Map()});
			groups.get(key).values.set(r, count.value);
		}
	if (!groups.size)
		return null;
	const runs = data.runs.filter(r => r.counts.length), all = [...groups.values()], any = g => [...g.values.values()].some(value => value !== 0);
	const rows = list => table(['Counter', ...runs.map(r => '#' + runName(r)), 'Unit', 'Meaning'], list.map(g => ({cells: [
		h('code', null, g.policy + '.' + g.name), ...runs.map(r => g.values.has(r) ? g.values.get(r) : number('–')), g.unit, g.help]})), 'meanings');
	const zero = all.filter(g => !any(g));
	return card("Policies' own counters", rows(all.filter(any)), zero.length ? h('details', null, h('summary', {class: 'soft'}, zero.length + ' more that are 0'), rows(zero)) : null);
}

function kernels() {
	const r = run(), all = sum(Object.values(r.kernels).map(k => k.cycles));
	const list = Object.entries(r.kernels).sort(([, a], [, b]) => b.cycles - a.cycles), idle = reasonOf('idle');
	/* What each kernel that takes time is bound by; where some ran at the same time, their slots are not known apart. */
	const said = list.length > 1 && !list.some(([, k]) => k.beside) ? list.filter(([, k]) => k.cycles >= .05 * all).slice(0, 6) : [];
	return card('Kernels: ' + runName(r), table(['Kernel', '#launches', '#cycles', '#share', '#warp instructions', '#IPC', 'Issue slots with warps'], list.map(([name, k]) => {
		const fn = data.functions.findIndex(f => f.kernel && f.demangled === name), slots = byReason(k.stalls);
		return {onclick: fn < 0 ? null : () => go({view: 'source', fn, at: -1, file: -1, line: 0}),
			cells: [h('code', null, name), k.launches, k.cycles, number(percent(k.cycles, all)), k.warp_instructions, number(show(k.ipc, 3)),
				h('div', {class: 'slots'}, stack(slots, sum(slots) - slots[idle], reason => reason === idle))]};
	})), said.map(([name]) => [h('h3', null, h('code', null, name)), bound(runOfKernel(r, name))]));
}

views.push({id: 'overview', title: 'Overview', needs: () => data.runs.length > 0, show(into) {
	into.append(card('What bounds ' + runName(run()), bound(run())), sideBySide(), h('div', {class: 'grid'}, stalls(), roofline()),
		h('div', {style: 'height:1rem'}), ownCounts() || '', kernels());
}});
