"""The reader's own programs in a plan of this project: the workloads of another plan are added to it (docs/figures.md)."""
import os
import re

SECTION = re.compile(r'^(?=\[)', re.M)
VALUES = re.compile(r'^(program|source)( *= *)(.*(?:\n[ \t]+.*)*)', re.M)
NAMES = re.compile(r'^(workload *= *)(.*(?:\n[ \t]+.*)*)', re.M)


class BadPlan(Exception):
    """What is wrong with a plan of workloads."""


def sections_of(text):
    return SECTION.split(text)


def name_of(section):
    return section[len('[workload '):section.index(']')].strip()


def workloads_of(text):
    return [section for section in sections_of(text) if section.startswith('[workload ')]


def root_of(path, text):
    """The folder in which paths of a plan begin (docs/sweep.md)."""
    found = re.search(r'^root *= *"?(.*?)"? *(?:\s;.*)?$', ''.join(s for s in sections_of(text) if s.startswith('[sweep]')), re.M)
    return os.path.abspath(os.path.join(os.path.dirname(path), found[1] if found else '.'))


def with_whole_paths(section, root):
    """Programs and sources of the workload, which were seen from `root`, seen from anywhere."""
    def whole(word):
        place = os.path.join(root, word)
        return place if os.path.exists(place) else word

    def values(found):
        return found[1] + found[2] + re.sub(r'[^\s,"]+', lambda word: whole(word[0]), found[3])
    return VALUES.sub(values, section)


def of_size(section, size):
    """The workload with arguments of this size: its own, or those that it has."""
    if not size or re.search(rf'^arguments\.{re.escape(size)} *=', section, re.M):
        return section
    found = re.search(r'^arguments *= *(.*(?:\n[ \t]+.*)*)', section, re.M)
    return section.rstrip() + f'\narguments.{size} = {found[1] if found else ""}\n'


def with_names(section, known, names):
    """A configuration that is for most workloads of the plan is for the added ones, too."""
    def longer(found):
        listed = {word.strip() for word in re.sub(r'\s;.*', '', found[2]).replace('\n', ' ').split(',')}
        return found[1] + (', '.join(names) + ', ' if 2 * len(listed & known) > len(known) else '') + found[2]
    return NAMES.sub(longer, section) if section.startswith('[configuration ') else section


def plan_with(text, path, size=None):
    """A plan's text with the workloads of the plan `path`, each for every figure; and the names of these."""
    with open(path, encoding='utf-8') as file:
        other = file.read()
    added = [of_size(with_whole_paths(section, root_of(path, other)), size) for section in workloads_of(other)]
    names, known = [name_of(section) for section in added], {name_of(section) for section in workloads_of(text)}
    if not added:
        raise BadPlan(f'{path}: no [workload NAME]')
    if both := sorted(known & set(names)):
        raise BadPlan(f'{path}: the plan already has a workload {both[0]}')
    return ''.join(with_names(section, known, names) for section in sections_of(text)) + '\n' + '\n'.join(added), names
