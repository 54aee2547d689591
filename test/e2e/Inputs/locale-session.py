"""A session under a locale with a decimal comma: how the locale writes a half, and how a kernel does."""
import locale

import heddle

SOURCE = '#include <cstdio>\n__global__ void says() { printf("%f\\n", 0.5); }\n'

locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')
gpu = heddle.GPU()
module = gpu.load(heddle.compile(source=SOURCE))
module['says'](1, 1)
print(locale.str(0.5), gpu.output())
