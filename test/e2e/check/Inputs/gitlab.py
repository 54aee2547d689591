"""A Code Quality report has what GitLab's documentation asks of each issue, and says what the change did."""
import json
import sys

issues = json.load(open(sys.argv[1]))
for issue in issues:
    assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}, issue
    assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
    assert not issue["location"]["path"].startswith(("./", "/", ".."))
assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 2
found = {(issue["check_name"], issue["severity"], issue["location"]["path"], issue["location"]["lines"]["begin"])
         for issue in issues}
assert found == {("baseline-worse", "major", "changes.cu", 58), ("baseline-better", "info", "changes.cu", 51)}, found
