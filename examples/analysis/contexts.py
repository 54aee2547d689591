#!/usr/bin/python3
"""What it costs to take a kernel off the GPU, from Heddle's metadata (docs/metadata.md).

    heddle info --json PROGRAM | contexts.py        or        contexts.py FILE.heddle.json...

For each kernel the bytes of registers that a warp of 32 threads has, and at its preemption points the least, the mean
and the most that must be saved where lanes have diverged (lightweight context switching, Lin 2.3).
"""
import json
import sys

LANES, BYTES = 32, 4


def documents(paths):
    """heddle info's output has a list of documents, one for each object of a program; a file is one."""
    for path in paths or ['/dev/stdin']:
        with open(path, encoding='utf-8') as file:
            content = json.load(file)
        yield from content.get('objects', [content])


def main():
    print(f'{"kernel":40} {"points":>6} {"all":>7} {"least":>7} {"mean":>7} {"most":>7}  bytes of a warp')
    for document in documents(sys.argv[1:]):
        for kernel in document['kernels']:
            saved = [len(point['live_divergent']) * LANES * BYTES for point in kernel['preemption_points']]
            figures = (f'{min(saved):7} {sum(saved) / len(saved):7.0f} {max(saved):7}' if saved
                       else f'{"-":>7} {"-":>7} {"-":>7}')
            print(f'{kernel["demangled"][:40]:40} {len(saved):6} {kernel["registers"] * LANES * BYTES:7} {figures}')


if __name__ == '__main__':
    main()
