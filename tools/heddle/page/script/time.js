/* Figures over time, from heddle run --sample, with launches as spans. */

/* Sums of an interval, by cycle: the last one is what the launch had left. A counter that is 0 throughout is absent. */
const counts = (x, name) => x[name] || x.cycles.map(() => 0);
const rates = (x, name, by) => counts(x, name).map((v, i) => v / (by ? counts(x, by)[i] : x.cycles[i]));
const bytes = (x, c, ...names) => x.cycles.map((cycles, i) => sum(names.map(name => counts(x, name)[i])) * c.sector / cycles * c.core_mhz / 1e3);

/* What is no number (a share of no accesses) is a gap. */
const SERIES = [
	['IPC', 'warp instructions per cycle', x => rates(x, 'warp_instructions')],
	['busy SMs', '', x => x.active_sm_cycles && rates(x, 'active_sm_cycles')],
	['resident warps on a busy SM', '', x => x.resident_warp_cycles && rates(x, 'resident_warp_cycles', 'active_sm_cycles')],
	['L1 hit rate', '%', x => rates(x, 'l1d_hits', 'l1d_accesses').map(v => 100 * v)],
	['L2 hit rate', '%', x => rates(x, 'l2_hits', 'l2_accesses').map(v => 100 * v)],
	['L1', 'GB/s', (x, c) => bytes(x, c, 'l1d_sectors')],
	['L2', 'GB/s', (x, c) => bytes(x, c, 'l2_accesses')],
	['DRAM', 'GB/s', (x, c) => bytes(x, c, 'dram_reads', 'dram_writes')],
	['load latency', 'cycles', x => rates(x, 'load_latency', 'load_requests')],
	['power', 'W', x => x.watts && x.watts.total && x.watts.total.length ? x.watts.total : null],
];

/* Launches with their first cycle: by their own account where they overlap, else one after the other. */
function spansOf(r) {
	let at = 0;
	return r.launches.map(launch => {
		const from = launch.start_cycle !== undefined ? launch.start_cycle : at;
		at = Math.max(at, from + launch.cycles);
		return {launch, from, to: from + launch.cycles};
	});
}

function chart(title, unit, points, from, to, spans) {
	const width = 1000, height = 110, top = 8, bottom = 4;
	const most = points.reduce((high, p) => Math.max(high, p.y), 1e-9), px = x => (x - from) / (to - from) * width, py = y => height - bottom - y / most * (height - top - bottom);
	const svg = s('svg', {viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', style: 'height:110px;width:100%', role: 'img', 'aria-label': title});
	let path = '';
	points.forEach((p, i) => { path += (i && !p.gap ? 'L' : 'M') + px(p.x0).toFixed(1) + ',' + py(p.y).toFixed(1) + 'H' + px(p.x1).toFixed(1); });
	svg.append(s('line', {class: 'axis', x1: 0, x2: width, y1: height - bottom, y2: height - bottom}));
	for (const span of spans)
		svg.append(s('line', {class: 'axis', x1: px(span.from), x2: px(span.from), y1: top, y2: height - bottom}));
	svg.append(s('path', {class: 'curve', d: path, 'vector-effect': 'non-scaling-stroke'}));
	const cross = s('line', {class: 'cross', y1: top, y2: height - bottom, visibility: 'hidden', 'vector-effect': 'non-scaling-stroke'});
	svg.append(cross);
	const value = h('span', {class: 'soft'}, 'up to ' + show(most, most < 10 ? 2 : 0) + (unit ? ' ' + unit : ''));
	svg.addEventListener('pointermove', event => {
		const box = svg.getBoundingClientRect(), x = from + (event.clientX - box.left) / box.width * (to - from);
		const point = points.find(p => x >= p.x0 && x < p.x1);
		cross.setAttribute('visibility', point ? 'visible' : 'hidden');
		cross.setAttribute('x1', px(x));
		cross.setAttribute('x2', px(x));
		value.textContent = point ? show(point.y, point.y < 10 ? 3 : 1) + (unit ? ' ' + unit : '') + ' at cycle ' + show(point.x0) : '';
	});
	svg.addEventListener('pointerleave', () => {
		cross.setAttribute('visibility', 'hidden');
		value.textContent = 'up to ' + show(most, most < 10 ? 2 : 0) + (unit ? ' ' + unit : '');
	});
	return h('div', {class: 'chart'}, h('div', {class: 'label'}, h('b', null, title), value), svg,
		h('div', {class: 'label soft ends'}, h('span', null, show(from)), h('span', null, 'cycle ' + show(to))));
}

let zoomed = -1;
views.push({id: 'time', title: 'Over time', needs: () => data.runs.some(r => r.launches.length), show(into) {
	const r = run(), all = spansOf(r);
	if (!all.length)
		return void into.append(card(null, h('p', null, 'This run has no launches.')));
	if (zoomed >= all.length)
		zoomed = -1;
	const spans = zoomed >= 0 ? [all[zoomed]] : all, from = spans.reduce((low, x) => Math.min(low, x.from), Infinity), to = spans.reduce((high, x) => Math.max(high, x.to), 0);
	const names = [...new Set(r.launches.map(l => l.kernel))];
	const lanes = s('svg', {viewBox: `0 0 1000 ${18 * names.length + 4}`, preserveAspectRatio: 'none', style: `width:100%;height:${18 * names.length + 4}px`, role: 'img', 'aria-label': 'Launches'});
	spans.forEach(span => {
		const lane = names.indexOf(span.launch.kernel), x = (span.from - from) / (to - from) * 1000, w = Math.max(.8, (span.to - span.from) / (to - from) * 1000);
		lanes.append(s('rect', {x, y: 18 * lane + 2, width: Math.max(.5, w - .6), height: 14, class: 'span', style: 'fill:var(--accent)', opacity: .75, tabindex: 0,
			onclick: () => { zoomed = zoomed >= 0 ? -1 : all.indexOf(span); draw(); }, 'data-tip': `${span.launch.kernel}\n${show(span.launch.cycles)} cycles from ${show(span.from)}\ngrid ${(span.launch.grid || []).join(' × ')}, block ${(span.launch.block || []).join(' × ')}`}));
	});
	const charts = SERIES.map(([title, unit, make]) => {
		const points = [];
		for (const span of spans) {
			const samples = span.launch.samples, values = samples && make(samples, r.config);
			(values || []).forEach((y, i) => Number.isFinite(y) && points.push({y, gap: i === 0 || !Number.isFinite(values[i - 1]), x0: span.from + i * samples.interval, x1: Math.min(span.to, span.from + (i + 1) * samples.interval)}));
		}
		return points.length ? chart(title, unit, points, from, to, spans.length < 60 ? spans : []) : null;
	}).filter(Boolean);
	into.append(card('Launches: ' + runName(r), h('div', {class: 'tools'}, h('span', {class: 'soft'}, `${show(spans.length)} of ${show(r.launch_count)} launches, cycle ${show(from)} to ${show(to)}`),
		zoomed >= 0 ? h('button', {onclick: () => { zoomed = -1; draw(); }}, 'All launches') : h('span', {class: 'soft'}, 'Click a span to see it alone.')),
	lanes, h('div', {class: 'legend', style: 'margin-top:.4rem'}, names.map((name, i) => h('span', null, `${i + 1}. ${name}`)))),
	card('Over time', charts.length ? h('div', {class: 'grid'}, charts) : h('p', null, 'This run has no samples: use heddle run --sample CYCLES --stats FILE.')));
}});
