"""lit's shell tests, each with the seconds that it took, of CPUs and by the clock, as a line of a file.

One of lit's workers runs one test at a time, so what its children used in the meantime is the test's. A daemon that
a test leaves running would be missing, and tests leave nothing behind.
"""

import time

import lit.formats
import times


class TimedShTest(lit.formats.ShTest):
    def __init__(self, seconds, **options):
        """seconds: the file, or None."""
        super().__init__(**options)
        self.seconds = seconds

    def execute(self, test, litConfig):
        before, begun = times.children_seconds(), time.monotonic()
        result = super().execute(test, litConfig)
        if self.seconds:
            line = f'{times.children_seconds() - before:.3f}\t{time.monotonic() - begun:.3f}\t{test.getFullName()}\n'
            with open(self.seconds, 'a', encoding='utf-8') as file:
                file.write(line)
        return result
