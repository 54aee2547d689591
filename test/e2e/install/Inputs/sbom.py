"""sbom.py SBOM BUILD SCRIPT: checks a bill of materials against the files of the build, and what they load by the loader's own
account. SCRIPT is what wrote it."""
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import types

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
MAGICS = (b'\x7fELF', b'!<arch>\n', b'BC\xc0\xde')
found = subprocess.run(['find', 'bin', 'lib', 'share', '-type', 'f'], cwd=build, check=True, capture_output=True, text=True).stdout.splitlines()
code = {}
for name in found:
    with open(os.path.join(build, name), 'rb') as content:
        if content.read(8).startswith(MAGICS):
            content.seek(0)
            code[name] = content.read()
assert set(files) == set(code) and {'share/heddle/openmp/libcuda.so', 'share/heddle/device.bc', 'lib/libheddle.a'} <= set(code), set(files) ^ set(code)
for name, file in files.items():
    sums = {each['algorithm']: each['checksumValue'] for each in file['checksums']}
    assert sums == {'SHA1': hashlib.sha1(code[name]).hexdigest(), 'SHA256': hashlib.sha256(code[name]).hexdigest()}, name
# Of a package that contains files SPDX 2.3 wants them analyzed, with a verification code.
ours = names['SPDXRef-Package-heddle']
every = ''.join(sorted(hashlib.sha1(content).hexdigest() for content in code.values()))
assert ours['filesAnalyzed'] and ours['packageVerificationCode'] == {'packageVerificationCodeValue': hashlib.sha1(every.encode()).hexdigest()}
assert ours['licenseInfoFromFiles']
for package in sbom['packages']:
    if package is not ours:
        assert not package['filesAnalyzed'] and re.fullmatch(r'pkg:deb/debian/[^@]+@[A-Za-z0-9.:~%_-]+\?arch=\w+', package['externalRefs'][0]['referenceLocator'])
# A file of two packages, one of them of one architecture; a diversion is no owner.
spec = importlib.util.spec_from_file_location('script', sys.argv[3])
script = importlib.util.module_from_spec(spec)
spec.loader.exec_module(script)
script.subprocess = types.SimpleNamespace(run=lambda *_, **__: types.SimpleNamespace(
    stdout='diversion by c from: /nothing/x\na:amd64, b: /nothing/x\na: /nothing/y\n'))
assert script.owners(['/nothing/x', '/nothing/y', '/nothing/z']) == {'/nothing/x': 'a:amd64', '/nothing/y': 'a', '/nothing/z': None}
# Of packages in a prefix with others' files, those that dpkg lists; a folder that nobody knows is none.
folder = os.path.realpath(sys.argv[1]) + '.packages'
for name in ('bin/heddle', 'bin/other'):
    os.makedirs(os.path.join(folder, 'bin'), exist_ok=True)
    with open(os.path.join(folder, name), 'wb') as content:
        content.write(MAGICS[0])
script.try_output = lambda *command: f'/.\n{folder}/bin\n{folder}/bin/heddle\n' if command[-1] == 'heddle' else ''
assert script.candidates(folder) == ['bin/heddle']
script.try_output = lambda *_: ''
try:
    script.candidates(folder)
    raise AssertionError('no build tree')
except script.Wrong:
    pass
# Documents are libjansson's, timelines are packed with zstd, sources are read with libclang.
assert {'libc6', 'libjansson4'} <= links[files['bin/heddle']['SPDXID']], links
assert 'libzstd1' in links[files['lib/libheddle-cudart.so']['SPDXID']]
assert any(name.startswith('libclang') for name in links[files['lib/HeddleClang.so']['SPDXID']])
needed = re.findall(r'\(NEEDED\)', subprocess.run(['readelf', '-dW', os.path.join(build, 'bin/heddle')], check=True, capture_output=True, text=True).stdout)
assert len(links[files['bin/heddle']['SPDXID']]) <= len(needed)
print(f'{len(files)} files, {len(sbom["packages"])} packages')
