"""figures.py IN OUT [FUNCTION:PATH=VALUE]...: metadata with some figures set, so that tests of what is made of figures do
not depend on the compiler's. FUNCTION is a demangled name up to its parameters, VALUE is JSON; without FUNCTION the
PATH is one of the document."""
import json
import sys

source, target, *changes = sys.argv[1:]
with open(source, encoding='utf-8') as file:
    document = json.load(file)
for change in changes:
    path, value = change.split('=', 1)
    places = [document]
    if ':' in path:
        name, path = path.rsplit(':', 1)
        places = [f for f in document['kernels'] + document['functions'] if f['demangled'].split('(')[0] == name]
        assert places, f'no function {name}'
    *groups, key = path.split('.')
    for place in places:
        for group in groups:
            place = place.setdefault(group, {})
        place[key] = json.loads(value)
with open(target, 'w', encoding='utf-8') as file:
    json.dump(document, file, indent=1)
