#!/usr/bin/python3
"""The tables of docs/metadata.md: every record and field of the metadata, from the schema.

    build/bin/heddle --schema | scripts/metadata_page.py docs/metadata.md METADATA.json...   # writes the tables
    build/bin/heddle --schema | scripts/metadata_page.py --check docs/metadata.md            # and holds them against it

Examples are values of the given files. The check leaves it open which ones, but each must be one that the schema allows.
Exit status of the check: 0, or 1 with the rows that differ.
"""
import argparse
import difflib
import json
import re
import sys

import jsonschema

BEGIN, END = '<!-- tables: scripts/metadata_page.py -->\n', '<!-- end of tables -->\n'
LONGEST = 60  # characters of an example
NOTHING = ('null', '[]', '0', '""', 'false')  # and what says little of a field


def kind(field):
    """What stands there, in words."""
    if '$ref' in field:
        return field['$ref'].rsplit('/', 1)[-1]
    if 'const' in field:
        return str(field['const'])
    if 'enum' in field:
        return ', '.join('null' if value is None else f'`{value}`' for value in field['enum'])
    if 'anyOf' in field or 'oneOf' in field:
        return ' or '.join(kind(part) for part in field.get('anyOf', field.get('oneOf')))
    types = field.get('type', 'any')
    types = [types] if isinstance(types, str) else types
    return ' or '.join('list of ' + kind(field['items']) if name == 'array' and 'items' in field else name
                       for name in types)


def find(schema, definition, value, found):
    """Examples of all fields below `value`, an instance of `definition`: (record, field) to the first that says something."""
    if '$ref' in definition:
        name = definition['$ref'].rsplit('/', 1)[-1]
        definition = dict(schema['$defs'][name], name=name)
    for part in definition.get('anyOf', definition.get('oneOf', [])):
        if isinstance(value, (dict, list)):
            find(schema, part, value, found)
    if isinstance(value, list):
        for item in value:
            find(schema, definition.get('items', {}), item, found)
    if not isinstance(value, dict):
        return
    for key, part in definition.get('properties', {}).items():
        if key not in value:
            continue
        text = json.dumps(value[key], ensure_ascii=False)
        record = definition.get('name', '')
        inner = dict(part, name=f'{record}.{key}') if 'properties' in part else part
        known = found.get((record, key))
        if (len(text) <= LONGEST and '`' not in text and not isinstance(value[key], dict)
                and (known is None or known in NOTHING)):
            found[record, key] = text
        find(schema, inner, value[key], found)


def records(schema):
    """(name, definition) of the document, its records, and the objects inside them, in order."""
    yield '', schema
    for name, definition in schema['$defs'].items():
        if 'properties' in definition:
            yield name, definition
        for key, part in definition.get('properties', {}).items():
            if 'properties' in part:
                yield f'{name}.{key}', part


def tables(schema, examples):
    for name, definition in records(schema):
        yield f'### {"The document" if not name else name}\n\n'
        if name and definition.get('description'):
            yield definition['description'][0].upper() + definition['description'][1:] + '.\n\n'
        yield '| field | | meaning | example |\n|---|---|---|---|\n'
        for key, field in definition['properties'].items():
            what = f'{name}.{key}' if 'properties' in field else kind(field)
            if 'items' in field and 'properties' in field['items']:
                what = 'list of objects'
            example = examples.get((name, key), '')
            yield (f'| `{key}` | {what} | {field.get("description", "").replace("|", chr(92) + "|")} | '
                   + (f'`{example}`' if example else '') + ' |\n')
        yield '\n'
    yield '### Values\n\n| name | what it is |\n|---|---|\n'
    for name, definition in schema['$defs'].items():
        if 'properties' not in definition:
            yield f'| {name} | {definition.get("description", kind(definition))} |\n'
    yield '\n'


def split(page):
    head, rest = page.split(BEGIN)
    middle, tail = rest.split(END)
    return head, middle, tail


def given(schema, middle):
    """The examples of a page, and what is wrong with them."""
    examples, wrong, definitions, record = {}, [], dict(records(schema)), ''
    whole = jsonschema.Draft202012Validator(schema) # which the schema's own test holds against that draft's rules
    for line in middle.splitlines():
        if line.startswith('### '):
            record = '' if line == '### The document' else line[4:]
        row = re.match(r'\| `(\w+)` \|.*\| `([^`]*)` \|$', line)
        field = definitions.get(record, {'properties': {}})['properties'].get(row[1]) if row else None
        if not field:
            continue
        examples[record, row[1]] = row[2]
        try:
            whole.evolve(schema=dict(field, **{'$defs': schema['$defs']})).validate(json.loads(row[2]))
        except (ValueError, jsonschema.ValidationError):
            wrong.append(f'no example of {record}.{row[1]}: {row[2]}')
    return examples, wrong


def check(schema, page):
    """Lines of the page that are not what the schema says."""
    middle = split(page)[1]
    examples, wrong = given(schema, middle)
    differences = difflib.unified_diff(middle.splitlines(), ''.join(tables(schema, examples)).splitlines(), 'page', 'schema',
                                       n=0, lineterm='')
    return wrong + list(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--check', action='store_true')
    parser.add_argument('page')
    parser.add_argument('metadata', nargs='*')
    options = parser.parse_args()
    schema = json.load(sys.stdin)
    with open(options.page, encoding='utf-8') as file:
        page = file.read()
    if options.check:
        wrong = check(schema, page)
        print('\n'.join(wrong + [f'{len(list(records(schema)))} records, {"not " if wrong else ""}as the schema has them']))
        return 1 if wrong else 0
    examples = {}
    for path in options.metadata:
        with open(path, encoding='utf-8') as file:
            find(schema, dict(schema, name=''), json.load(file), examples)
    head, _, tail = split(page)
    with open(options.page, 'w', encoding='utf-8') as file:
        file.write(head + BEGIN + ''.join(tables(schema, examples)) + END + tail)
    return 0


if __name__ == '__main__':
    sys.exit(main())
