/* Why warps wait: lost slots handed back to the instructions that produce what the waiting ones need. */

/* By producer, most slots first: {fn, at (-1: the caller), reason, slots, by: [{fn, at, slots} of a waiting instruction]}. */
function producersOf(r) {
	const found = new Map();
	for (const {function: fn, rows} of r.waits || [])
		for (const [waiter, reason, slots, producer, other] of rows) {
			/* A wait without a producer belongs to the waiting instruction. */
			const own = producer === null, of = other === undefined ? fn : other, key = [of, own ? waiter : producer, reason, own].join();
			if (!found.has(key))
				found.set(key, {fn: of, at: own ? waiter : producer, reason, own, slots: 0, by: new Map()});
			const entry = found.get(key), place = [fn, waiter].join();
			entry.slots += slots;
			entry.by.set(place, {fn, at: waiter, slots: slots + (entry.by.has(place) ? entry.by.get(place).slots : 0)});
		}
	return [...found.values()].sort((a, b) => b.slots - a.slots || a.fn - b.fn || a.at - b.at);
}

/* What a producer itself waited for, link by link: the heaviest each time. */
function chainOf(r, fn, at) {
	const chain = [], all = ((r.waits || []).find(w => w.function === fn) || {rows: []}).rows, rows = all.filter(row => row.length === 4);
	const seen = new Set([at]);
	for (;;) {
		const best = rows.filter(row => row[0] === at && row[3] !== null && row[3] >= 0 && !seen.has(row[3])).sort((a, b) => b[2] - a[2])[0];
		if (!best || chain.length === 6)
			return chain;
		at = best[3];
		seen.add(at);
		chain.push({at, reason: best[1], slots: best[2]});
	}
}

const OWN_WORDS = {barrier: 'until the other warps of the block arrive', control: 'until it is resolved', unit: 'until its unit takes another instruction', fetch: 'for the instruction itself',
	fence: 'until earlier accesses are visible', policy: 'for the policy', collector: 'for a free place in the operand stage', withheld: 'for the policy', async: 'for the phase to end', suspended: 'for the policy to bring the warp back',
	tensor: 'until the tensor cores take it', bulk: 'for the unit of copies in bulk', registers: 'for registers that other warps of the block give back', data_memory: 'for accesses that are in flight'};
/* Where the instruction says more than the reason. */
const INSTRUCTION_WORDS = {CGABAR: 'until the other blocks of the cluster arrive', ACQBULK: 'until the grid before this one has ended', NANOSLEEP: 'until its time has passed'};
const ownWords = (reason, text) => OWN_WORDS[reason] && INSTRUCTION_WORDS[text.replace(/^@\S+\s+/, '').split(/[ .]/)[0]] || OWN_WORDS[reason] || 'for no instruction that is known';

function waitEntry(r, entry, withWarps) {
	const f = data.functions[entry.fn], reason = data.reasons[entry.reason];
	const chip = (at, note, fn = entry.fn) => h('button', {class: 'chip', onclick: () => go({view: 'source', fn, at, file: -1, line: 0})}, data.functions[fn].code.text[at], ' · ', placeOf(fn, at), note || '');
	const waiting = [...entry.by.values()].sort((a, b) => b.slots - a.slots).slice(0, 5);
	const chain = entry.at >= 0 ? chainOf(r, entry.fn, entry.at) : [];
	return h('div', {class: 'wait'},
		h('div', null, h('span', {class: 'share'}, percent(entry.slots, withWarps)), ' ', dot(entry.reason), ' ', reason.name,
			h('span', {class: 'soft'}, ' · ' + show(entry.slots) + ' slots · without these waits at most ' + show(withWarps / (withWarps - entry.slots), 2) + ' × as fast')),
		entry.own ? h('div', {class: 'chain'}, chip(entry.at), ' waits ' + ownWords(reason.name, f.code.text[entry.at])) :
			h('div', {class: 'chain'}, entry.at < 0 ? 'a value that the caller of ' + shortName(entry.fn) + ' brought' : chip(entry.at),
				h('span', {class: 'soft'}, reason.name === 'unit' ? 'has the unit that is awaited by' : 'is awaited by'), waiting.map(w => chip(w.at, ' · ' + percent(w.slots, entry.slots), w.fn)),
				entry.by.size > 5 ? `and ${entry.by.size - 5} more` : ''),
		chain.length ? h('div', {class: 'chain'}, h('span', {class: 'soft'}, 'and has itself waited for'), chain.map(link => chip(link.at, ' · ' + data.reasons[link.reason].name))) : null);
}

let mostWaits = 25;
views.push({id: 'waits', title: 'Why warps wait', needs: () => data.runs.some(r => (r.waits || []).length), show(into) {
	const r = run(), all = producersOf(r), withWarps = slotsWithWarps(r);
	if (!all.length) {
		into.append(card(null, h('p', null, 'This run has no counts by instruction: use heddle run --by-instruction --stats FILE.')));
		return;
	}
	const reasons = data.reasons.map((reason, i) => sum(all.filter(e => e.reason === i).map(e => e.slots)));
	into.append(card('Why warps wait: ' + runName(r), h('p', {class: 'soft'},
		'Each lost issue slot, handed back from the instruction that waits to those that produce what it waits for. Where several may, they share it as often as they issued. Shares are of the slots in which a scheduler had a warp.'),
	stack(reasons, sum(reasons)), h('div', {class: 'legend', style: 'margin:.5rem 0'}, reasons.map((count, i) => count ? h('span', null, dot(i), data.reasons[i].name + ' ' + percent(count, withWarps)) : null)),
	all.slice(0, mostWaits).map(entry => waitEntry(r, entry, withWarps)),
	all.length > mostWaits ? h('button', {onclick: () => { mostWaits *= 4; draw(); }}, `Show more of ${show(all.length)}`) : null));
}});
