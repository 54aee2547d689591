#!/usr/bin/env python3
"""sbom.py BUILD: writes a software bill of materials of a build to standard output, as SPDX 2.3 in JSON.

It lists each file of machine code or LLVM bitcode in bin/, lib/ and share/ with its SHA-1 and SHA-256, and the Debian packages
that own what these load (dpkg), with versions and licences, as far as packages state these in a form that machines read (DEP 5).
Of an installation it lists the files of share/heddle/manifest.txt, or of Heddle's packages, alone: others may lie beside them.
Headers and tools of the build are those of scripts/setup.sh. The same build gives the same bytes: the time is that of the last commit, or SOURCE_DATE_EPOCH.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGES = ('heddle', 'libheddle-cudart', 'heddle-dev', 'heddle-doc', 'heddle-figures')  # of make deb
OURS = 'Apache-2.0 WITH LLVM-exception'


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def try_output(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ''


def identifier(text):
    return 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', text)


def version():
    with open(os.path.join(ROOT, 'include/heddle/version.h'), encoding='utf-8') as file:
        return re.search(r'HD_VERSION "(.*?)"', file.read())[1]


def when():
    seconds = os.environ.get('SOURCE_DATE_EPOCH') or try_output('git', '-C', ROOT, 'log', '-1', '--format=%ct').strip() or '0'
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


class Wrong(Exception):
    """What makes the bill impossible."""


def is_code(path):
    """ELF, an archive of it, or LLVM bitcode."""
    with open(path, 'rb') as file:
        return file.read(8).startswith((b'\x7fELF', b'!<arch>\n', b'BC\xc0\xde'))


def is_elf(path):
    with open(path, 'rb') as file:
        return file.read(4) == b'\x7fELF'


def candidates(tree):
    """What of a tree is Heddle's."""
    manifest = os.path.join(tree, 'share/heddle/manifest.txt')
    if os.path.exists(manifest):
        with open(manifest, encoding='utf-8') as file:
            return file.read().splitlines()
    if not os.path.isdir(os.path.join(tree, 'obj')):
        root = os.path.realpath(tree)
        listed = {line for package in PACKAGES for line in try_output('dpkg-query', '-L', package).splitlines()}
        if os.path.join(root, 'bin/heddle') not in listed:
            raise Wrong(f'{tree} is no build tree, no package put bin/heddle there, and it has no share/heddle/manifest.txt')
        return [os.path.relpath(path, root) for path in listed if path.startswith(root + os.sep) and os.path.isfile(path)]
    return [os.path.relpath(os.path.join(folder, name), tree) for top in ('bin', 'lib', 'share')
            for folder, _, names in os.walk(os.path.join(tree, top)) for name in names]


def built(tree):
    """The files of code; links lead to one of these."""
    for name in sorted(candidates(tree)):
        path = os.path.join(tree, name)
        if not os.path.islink(path) and is_code(path):
            yield name, path


def loaded(path):
    """The shared libraries that a program or library of ours names itself, as the loader finds them."""
    needed = set(re.findall(r'\(NEEDED\).*\[(.*)\]', output('readelf', '-dW', path)))
    listed = try_output('ldd', path)
    found = dict(re.findall(r'^\s*(\S+) => (/\S+)', listed, re.MULTILINE))
    # The loader itself stands there with its path alone.
    found.update((os.path.basename(loader), loader) for loader in re.findall(r'^\s*(/\S+) \(', listed, re.MULTILINE))
    if needed - set(found):
        raise Wrong(f'{path} loads {sorted(needed - set(found))[0]}, which is not found')
    return {found[name] for name in needed}


def names_of(path):
    """As dpkg may know a file: /lib may be a link to /usr/lib, and a library's own name a link to a versioned one."""
    real = os.path.realpath(path)
    return [real, real.removeprefix('/usr'), path, path.removeprefix('/usr')]


def owners(paths):
    """The packages that own files, by path."""
    names = sorted({name for path in paths for name in names_of(path)})
    done = subprocess.run(['dpkg-query', '-S', *names], capture_output=True, text=True, check=False)  # some are not known
    found = re.findall(r'^(?!diversion by )([^/]+): (/.*)$', done.stdout, re.MULTILINE)  # "a:amd64, b: /path": of several packages
    known = {name: packages.split(', ')[0] for packages, name in found}
    return {path: next((known[name] for name in names_of(path) if name in known), None) for path in paths}


def licences(package):
    """The names of licences in debian/copyright, where that has its machine-readable form."""
    path = f'/usr/share/doc/{package.split(":")[0]}/copyright'
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            text = file.read()
    except OSError:
        return []
    if not re.match(r'Format:.*copyright-format', text):
        return []
    return sorted(set(re.findall(r'^License: *(\S.*?) *$', text, re.MULTILINE)))


def package_entry(package):
    name, number, source, source_number = output(
        'dpkg-query', '-W', '-f', '${binary:Package}\t${Version}\t${source:Package}\t${source:Version}', package).split('\t')
    stated = licences(name)
    entry = {
        'SPDXID': identifier('Package-' + name), 'name': name.split(':')[0], 'versionInfo': number,
        'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False, 'licenseConcluded': 'NOASSERTION', 'licenseDeclared': 'NOASSERTION',
        'copyrightText': 'NOASSERTION', 'sourceInfo': f'Debian source package {source} {source_number}',
        'externalRefs': [{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl',
                          'referenceLocator': f'pkg:deb/debian/{name.split(":")[0]}@{urllib.parse.quote(number, safe=":")}'
                                              f'?arch={output("dpkg", "--print-architecture").strip()}'}],
    }
    if stated:
        entry['licenseComments'] = 'debian/copyright: ' + ', '.join(stated)
    return entry


def bill(tree):
    files, relations = [], []
    ours = {'SPDXID': identifier('Package-heddle'), 'name': 'heddle', 'versionInfo': version(), 'downloadLocation': 'NOASSERTION',
            'filesAnalyzed': True, 'licenseConcluded': OURS, 'licenseDeclared': OURS, 'licenseInfoFromFiles': ['NOASSERTION'],
            'copyrightText': 'NOASSERTION'}
    names = {}  # the libraries that each file loads
    listed = list(built(tree))
    heddles = {os.path.realpath(path) for _, path in listed}
    for name, path in listed:
        with open(path, 'rb') as file:
            content = file.read()
        files.append({'SPDXID': identifier('File-' + name), 'fileName': './' + name, 'fileTypes': ['BINARY'],
                      'checksums': [{'algorithm': algorithm, 'checksumValue': hashlib.new(algorithm, content).hexdigest()}
                                    for algorithm in ('SHA1', 'SHA256')],
                      'licenseConcluded': OURS, 'licenseInfoInFiles': ['NOASSERTION'], 'copyrightText': 'NOASSERTION'})
        if name == 'share/heddle/device.bc':
            files[-1]['comment'] = "Contains functions of LLVM's libclc, under the same licence."
        relations.append((ours['SPDXID'], 'CONTAINS', files[-1]['SPDXID']))
        names[name] = sorted(x for x in loaded(path) if os.path.realpath(x) not in heddles) if is_elf(path) else []
    # As SPDX 2.3 has it, 7.9: of the files' SHA-1, sorted.
    sums = ''.join(sorted(file['checksums'][0]['checksumValue'] for file in files))
    ours['packageVerificationCode'] = {'packageVerificationCodeValue': hashlib.sha1(sums.encode()).hexdigest()}
    owned = owners({library for libraries in names.values() for library in libraries})
    for name, libraries in names.items():
        for library in libraries:
            if not owned[library]:
                raise Wrong(f'{library}, which {name} loads, is of no Debian package')
    entries = {package: package_entry(package) for package in sorted(set(owned.values()))}
    for name, libraries in names.items():
        for package in sorted({owned[library] for library in libraries}):
            relations.append((identifier('File-' + name), 'DYNAMIC_LINK', entries[package]['SPDXID']))
    entries = list(entries.values())
    content = hashlib.sha256(json.dumps([files, entries], sort_keys=True).encode()).hexdigest()
    return {
        'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': 'heddle-' + version(),
        'documentNamespace': f'https://spdx.org/spdxdocs/heddle-{version()}-{content[:32]}',
        'creationInfo': {'created': when(), 'creators': ['Tool: heddle-sbom']},
        'documentDescribes': [ours['SPDXID']], 'packages': [ours] + entries, 'files': files,
        'relationships': [{'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES', 'relatedSpdxElement': ours['SPDXID']}] +
                         [{'spdxElementId': a, 'relationshipType': kind, 'relatedSpdxElement': b} for a, kind, b in relations],
    }


def main():
    if len(sys.argv) != 2 or not os.path.isdir(os.path.join(sys.argv[1], 'bin')):
        print('sbom: error: usage: sbom.py BUILD, a build tree or an installation', file=sys.stderr)
        return 2
    try:
        found = bill(sys.argv[1])
    except (Wrong, OSError) as error:
        print(f'sbom: error: {error}', file=sys.stderr)
        return 2
    json.dump(found, sys.stdout, indent=1)
    print()
    return 0


if __name__ == '__main__':
    sys.exit(main())
