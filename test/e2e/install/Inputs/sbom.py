"""sbom.py SBOM BUILD: checks a bill of materials against what the build's programs load by the loader's own account."""
import hashlib
import json
import os
import re
import subprocess
import sys

with open(sys.argv[1], encoding='utf-8') as file:
    sbom = json.load(file)
build = sys.argv[2]
assert sbom['spdxVersion'] == 'SPDX-2.3' and sbom['dataLicense'] == 'CC0-1.0' and sbom['SPDXID'] == 'SPDXRef-DOCUMENT'
assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', sbom['creationInfo']['created'])
assert sbom['documentNamespace'].startswith('https://') and sbom['documentDescribes'] == ['SPDXRef-Package-heddle']
elements = sbom['packages'] + sbom['files']
names = {element['SPDXID']: element for element in elements}
assert len(names) == len(elements) and all(re.fullmatch(r'SPDXRef-[A-Za-z0-9.-]+', name) for name in names)
for element in elements:
    assert element['licenseConcluded'] and element['copyrightText']
for package in sbom['packages']:
    assert package['versionInfo'] and package['downloadLocation']
links = {}
for relation in sbom['relationships']:
    assert relation['spdxElementId'] in {*names, 'SPDXRef-DOCUMENT'} and relation['relatedSpdxElement'] in names
    if relation['relationshipType'] == 'DYNAMIC_LINK':
        links.setdefault(relation['spdxElementId'], set()).add(names[relation['relatedSpdxElement']]['name'])
files = {file['fileName'][2:]: file for file in sbom['files']}
for name in ('bin/heddle', 'bin/heddle-cc', 'lib/libheddle-cudart.so', 'lib/HeddlePasses.so', 'lib/libheddle.a'):
    assert name in files, name
for name, file in files.items():
    with open(os.path.join(build, name), 'rb') as content:
        assert hashlib.sha256(content.read()).hexdigest() == file['checksums'][0]['checksumValue'], name
# Documents are libjansson's, timelines are packed with zstd, sources are read with libclang.
assert {'libc6', 'libjansson4'} <= links[files['bin/heddle']['SPDXID']], links
assert 'libzstd1' in links[files['lib/libheddle-cudart.so']['SPDXID']]
assert any(name.startswith('libclang') for name in links[files['lib/HeddleClang.so']['SPDXID']])
needed = re.findall(r'\(NEEDED\)', subprocess.run(['readelf', '-dW', os.path.join(build, 'bin/heddle')], check=True, capture_output=True, text=True).stdout)
assert len(links[files['bin/heddle']['SPDXID']]) <= len(needed)
print(f'{len(files)} files, {len(sbom["packages"])} packages')
