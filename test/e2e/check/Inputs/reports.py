"""reports.py FOLDER: reads what heddle check wrote in each format with readers that know nothing of Heddle, and holds it
against the JSON: the SARIF schema and the object model that Microsoft generated from it, an XML parser, the decoding of
workflow commands as the runner does it, and the cells of a Markdown table."""
import html
import json
import os
import re
import sys
import urllib.parse
import xml.etree.ElementTree

import jsonschema
import sarif_om

HERE = os.path.dirname(os.path.abspath(__file__))
folder = sys.argv[1]


def text_of(name):
    with open(os.path.join(folder, name), encoding='utf-8') as file:
        return file.read()


report = json.loads(text_of('report.json'))
findings, errors = report['findings'], report['errors']


def sarif_text(text):
    """A plain message string as a viewer shows it."""
    return text.replace('{{', '{').replace('}}', '}')


def plain(text):
    """What survives each format: a viewer may space out what would read as a link, and JSON has no broken UTF-8."""
    return text.replace('] (', '](')


# ------------------------------------------------------------------ SARIF

MODEL = {
    'runs': sarif_om.Run, 'tool': sarif_om.Tool, 'driver': sarif_om.ToolComponent, 'rules': sarif_om.ReportingDescriptor,
    'shortDescription': sarif_om.MultiformatMessageString, 'fullDescription': sarif_om.MultiformatMessageString,
    'help': sarif_om.MultiformatMessageString, 'defaultConfiguration': sarif_om.ReportingConfiguration,
    'automationDetails': sarif_om.RunAutomationDetails, 'invocations': sarif_om.Invocation,
    'toolExecutionNotifications': sarif_om.Notification, 'results': sarif_om.Result, 'message': sarif_om.Message,
    'locations': sarif_om.Location, 'relatedLocations': sarif_om.Location, 'physicalLocation': sarif_om.PhysicalLocation,
    'fixes': sarif_om.Fix, 'artifactChanges': sarif_om.ArtifactChange, 'replacements': sarif_om.Replacement,
    'deletedRegion': sarif_om.Region, 'insertedContent': sarif_om.ArtifactContent, 'snippet': sarif_om.ArtifactContent,
    'artifactLocation': sarif_om.ArtifactLocation, 'region': sarif_om.Region, 'logicalLocations': sarif_om.LogicalLocation,
}


def hold_against_model(value, model, where):
    """Only properties that the model has, and all that it requires."""
    properties = {a.metadata['schema_property_name']: a for a in model.__attrs_attrs__}
    required = {name for name, a in properties.items() if a.default is __import__('attr').NOTHING}
    assert set(value) <= set(properties), (where, set(value) - set(properties))
    assert required <= set(value), (where, required - set(value))
    for key, child in value.items():
        if key in MODEL:
            for one in child if isinstance(child, list) else [child]:
                hold_against_model(one, MODEL[key], f'{where}.{key}')


def check_sarif():
    log = json.loads(text_of('report.sarif'))
    schemas = [os.path.join(HERE, 'sarif.schema.json')]
    if os.environ.get('HEDDLE_SARIF_SCHEMA'):
        schemas.append(os.environ['HEDDLE_SARIF_SCHEMA'])
    for path in schemas:
        with open(path, encoding='utf-8') as file:
            schema = json.load(file)
        jsonschema.validators.validator_for(schema)(schema).validate(log)
    hold_against_model(log, sarif_om.SarifLog, 'log')
    assert [run['automationDetails']['id'] for run in log['runs']] == [f'heddle/{gpu}/' for gpu in report['gpus']]
    for gpu, run in zip(report['gpus'], log['runs']):
        expected = [f for f in findings if gpu in f['gpus']]
        assert len(run['results']) == len(expected)
        assert run['invocations'][0]['executionSuccessful'] == (not errors)
        prints = [r['fingerprints']['heddle/v1'] for r in run['results']]
        assert len(set(prints)) == len(prints), 'two alerts would be one'
        for result, finding in zip(run['results'], expected):
            location = result['locations'][0]['physicalLocation']
            assert run['tool']['driver']['rules'][result['ruleIndex']]['id'] == result['ruleId'] == finding['rule']
            outside = finding['source']['file'].startswith('/')
            assert location['artifactLocation'].get('uriBaseId') == (None if outside else 'SRCROOT')
            assert urllib.parse.unquote(location['artifactLocation']['uri']) == 'file://' * outside + finding['source']['file']
            assert location['region']['startLine'] == finding['source']['line']
            assert plain(sarif_text(result['message']['text'])).endswith(plain(finding['message']))
            assert result['partialFingerprints']['primaryLocationLineHash'] == finding['fingerprint']
    return sum(len(run['results']) for run in log['runs'])


# ------------------------------------------------------------------ JUnit

def check_junit():
    root = xml.etree.ElementTree.parse(os.path.join(folder, 'report.junit')).getroot()
    assert root.tag == 'testsuites'
    failures, cases = [], 0
    for suite in root:
        assert suite.tag == 'testsuite' and int(suite.get('tests')) == len(suite)
        assert int(suite.get('failures')) == len(suite.findall('testcase/failure'))
        assert int(suite.get('errors')) == len(suite.findall('testcase/error'))
        for case in suite:
            assert case.tag == 'testcase' and case.get('classname') and case.get('name')
            cases += 1
        failures += [case for case in suite if case.find('failure') is not None]
    assert cases >= len(errors) + (report['comparisons'] if not errors else 0)
    told = {(case.find('failure').get('type'), case.find('failure').get('message'), case.get('file'), case.get('line'))
            for case in failures}
    assert told == {(f['rule'], f['message'], f['source']['file'], str(f['source']['line'])) for f in findings}, told
    assert len(root.findall('testsuite/testcase/error')) == len(errors)
    return cases


# ------------------------------------------------------------------ workflow commands

def decode(text, escapes):
    for code, character in escapes:
        text = text.replace(code, character)
    return text.replace('%25', '%')


def check_github():
    lines = text_of('report.github').split('\n')
    assert lines.pop() == '' and len(lines) == len(findings) + len(errors)
    in_data, in_property = [('%0D', '\r'), ('%0A', '\n')], [('%0D', '\r'), ('%0A', '\n'), ('%3A', ':'), ('%2C', ',')]
    for line, finding in zip(lines, findings):
        command, properties, data = re.fullmatch(r'::(\w+) (.*?)::(.*)', line).groups()
        properties = {key: decode(value, in_property)
                      for key, value in (part.split('=', 1) for part in properties.split(','))}
        assert command == 'error'
        place, before = finding['source'], ''
        if place['file'].startswith('/'):  # no pull request shows it: told at the first note that it does
            before = f"{place['file']}:{place['line']}: "
            place = next(note['source'] for note in finding['notes'] if not note['source']['file'].startswith('/'))
        assert properties == {'file': place['file'], 'line': str(place['line']), 'title': finding['rule']}, properties
        first = decode(data, in_data).split('\n')[0]
        assert first == before + (finding['subject'] + ': ' if finding['subject'] else '') + finding['message'], first
    return len(lines)


# ------------------------------------------------------------------ Markdown

def check_markdown():
    lines = text_of('report.markdown').split('\n')
    rows = [line for line in lines if line.startswith('| ') and not line.startswith('| Kernel')]
    assert len(rows) == len(findings)
    for row, finding in zip(rows, findings):
        cells = [html.unescape(re.sub(r'</?code>', '', cell)).strip() for cell in row.strip('|').split('|')]
        assert len(cells) == 5, row
        told = [finding['message']] + [f"{n['source']['file']}:{n['source']['line']} {n['text']}" for n in finding['notes']]
        assert cells[0] == (finding['subject'] or '') and cells[4] == finding['rule']
        assert cells[1].split('<br>') == told, (cells[1], told)
        assert cells[3] == f"{finding['source']['file']}:{finding['source']['line']}"
    assert lines[0] == '## heddle check: ' + ('failed' if findings or errors else 'passed')
    return len(rows)


print(f'{len(findings)} findings, {len(errors)} errors: {check_sarif()} SARIF results, {check_junit()} JUnit cases, '
      f'{check_github()} annotations, {check_markdown()} rows')
