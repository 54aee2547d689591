/* The call graph from each kernel: registers, FRU, stack depth, and the chain that the High watermark stands on. */

const metaOf = name => data.functions.find(f => f.name === name && !f.linear);

function calleesOf(f) {
	const callees = new Map();
	for (const call of (f.meta && f.meta.calls) || [])
		for (const name of call.callees || [])
			callees.set(name, (callees.get(name) || []).concat(call));
	return callees;
}

/* A function's callees stand below its first place only: a graph of many ways would be a tree without end. */
function callNode(name, path, chain, seen) {
	const f = metaOf(name), m = f && f.meta, fn = data.functions.indexOf(f), r = run(), withWarps = r ? slotsWithWarps(r) : 0;
	const recursive = path.includes(name), again = seen.has(name) && !recursive, callees = f && !recursive && !again ? calleesOf(f) : new Map();
	seen.add(name);
	const next = chain && chain[0] === name ? chain.slice(1) : null;
	const fact = (label, value) => value === undefined ? null : h('span', null, h('span', {class: 'soft'}, label + ' '), value);
	return h('li', {class: next ? 'on-chain' : null}, h('div', {class: 'node'},
		f ? h('button', {class: 'name', onclick: () => go({view: 'source', fn, at: -1, file: -1, line: 0})}, f.demangled) : h('b', null, name),
		recursive ? h('span', {class: 'bad'}, 'recursive') : null, again && calleesOf(f || {}).size ? h('span', {class: 'soft'}, 'callees as above') : null,
		m && !recursive ? [fact('registers', m.registers), fact('FRU', m.fru), fact('pushed', m.stackdepth && m.stackdepth.pushed_registers), fact('MaxStackDepth', m.max_stack_depth),
			fact('call depth', m.call_depth), fact('stack bytes', show(m.max_stack_bytes)), m.kernel || f.kernel ? [fact('Low', m.low_watermark), fact('High', m.high_watermark)] : null] : null,
		r && f && withWarps && issuedIn(r, fn) ? [fact('issued', show(issuedIn(r, fn))), fact('slots lost', percent(lostIn(r, fn), withWarps))] : null),
	callees.size ? h('ul', {class: 'tree'}, [...callees.keys()].map(callee => callNode(callee, path.concat(name), next, seen))) : null);
}

views.push({id: 'calls', title: 'Calls', needs: () => data.functions.some(f => f.kernel), show(into) {
	into.append(h('p', {class: 'soft'}, 'FRU: callee-saved registers that a function and its callees use and a call renames; the chain of calls that makes the High watermark is marked.'));
	data.functions.forEach(f => {
		if (!f.kernel || f.linear)
			return;
		const chain = f.meta && f.meta.stackdepth && f.meta.stackdepth.high_watermark_chain;
		into.append(card(null, h('ul', {class: 'tree'}, callNode(f.name, [], chain, new Set()))));
	});
}});
