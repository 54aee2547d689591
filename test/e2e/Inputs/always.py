"""always.py: test/oracle/fields.py with analyses that find something wrong in whatever they see."""
import fields

facts = {'name': 'f'}
for _, keys in fields.rows():
    place = facts
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place[keys[-1]] = 1
fields.reasons = dict  # no figure has a reason
analyses = 'figures', 'reuse'
listing = {'functions': [{'name': 'f', 'instructions': [{}]}]}
fields.check([('x.hdo', listing, {'kernels': [facts], 'functions': []}, analyses)], lambda path, copies, analysis: True, analyses)
