"""page.py PAGE.md: runs the page's `>>>` lines as one session, and compares what they print. In blocks marked
```pycon figures any number stands for any other, because a change of the machine's model changes it."""
import doctest
import re
import sys

sys.dont_write_bytecode = True


class Figures(doctest.OutputChecker):
    loose = False

    def check_output(self, want, got, flags):
        def plain(text):
            return re.sub(r'\s+', ' ', re.sub(r'-?\d[\d.,]*(e-?\d+)?', '#', text)) if self.loose else text
        return super().check_output(plain(want), plain(got), flags)


text = open(sys.argv[1], encoding='utf-8').read()
names, failed, tried = {'__name__': '__main__'}, 0, 0
for block in re.finditer(r'^```pycon( figures)?\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
    checker = Figures()
    checker.loose = bool(block[1])
    runner = doctest.DocTestRunner(checker, verbose=False)
    test = doctest.DocTestParser().get_doctest(block[2], names, sys.argv[1], sys.argv[1], text[:block.start(2)].count('\n'))
    runner.run(test, clear_globs=False)
    names = test.globs
    failed, tried = failed + runner.failures, tried + runner.tries
print(f'{tried} lines, {failed} that print something else')
sys.exit(failed != 0 or not tried)
