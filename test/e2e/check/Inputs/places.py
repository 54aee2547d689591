"""places.py SARIF FOLDER: locations in the repository have its base, those outside are file URIs without one; what they
name is there, and each result names the kernel's first line, too."""
import json
import os
import sys
import urllib.parse

log, folder = json.load(open(sys.argv[1])), os.path.realpath(sys.argv[2])


def path_of(location):
    artifact = location['physicalLocation']['artifactLocation']
    uri = urllib.parse.unquote(artifact['uri'])
    if uri.startswith('file://'):
        assert 'uriBaseId' not in artifact, artifact
        return uri[len('file://'):]
    assert artifact['uriBaseId'] == 'SRCROOT' and not uri.startswith(('/', '..')), artifact
    return os.path.join(folder, 'repo', uri)


found = {}
for result in log['runs'][0]['results']:
    places = [(path_of(at), at['physicalLocation']['region']['startLine'])
              for at in result['locations'] + result.get('relatedLocations', [])]
    assert all(os.path.isfile(path) for path, _ in places), places
    found[result['locations'][0]['logicalLocations'][0]['fullyQualifiedName'], result['ruleId']] = places
near, scale = found['near(float*, int)', 'budget-sectors_per_request'], found['scale(float*)', 'budget-sectors_per_request']
app, header = os.path.join(folder, 'repo/src/app.cu'), os.path.join(folder, 'shared/scale.cuh')
assert near[0] == (app, 4) and (app, 2) in near, near
assert scale[0] == (header, 4) and (header, 2) in scale, scale
