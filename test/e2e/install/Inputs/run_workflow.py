"""Runs the steps of a reusable GitHub workflow as a runner does, in the current folder.

    run_workflow.py CALLER.yml PREFIX SCRATCH

CALLER's job `kernels` names the workflow and its inputs. PREFIX stands for /opt/heddle. Prints a line for each step and
ends with status 1 when one failed. What `uses` steps would do is left out, but what they name is checked.
"""

import os
import re
import subprocess
import sys

import yaml


def load(path):
    with open(path) as file:
        return yaml.safe_load(file)


def inputs_of(workflow, given):
    declared = workflow[True]['workflow_call']['inputs']  # YAML 1.1 reads the key `on` as true
    unknown = set(given) - set(declared)
    missing = {name for name, input in declared.items() if input.get('required')} - set(given)
    assert not unknown and not missing, f'inputs: unknown {unknown}, missing {missing}'
    return {name: given.get(name, input.get('default')) for name, input in declared.items()}


def expand(text, inputs):
    """Replaces ${{ inputs.NAME }}; nothing else may stand there."""
    def value(match):
        name = re.fullmatch(r'inputs\.([\w-]+)', match[1].strip())
        assert name, f'cannot expand {match[0]}'
        return inputs[name[1]]
    return re.sub(r'\$\{\{(.*?)\}\}', value, text)


def wanted(condition, inputs, failed):
    """Joined by &&: failure(), always(), inputs.NAME != '', hashFiles('NAME') != '', and whether it is no fork's request,
    which the environment's FORK says."""
    if condition is None:
        return not failed
    inner = re.fullmatch(r'\$\{\{(.*)\}\}', condition)[1]
    result = True
    for term in (term.strip() for term in inner.split('&&')):
        if term == 'failure()':
            result &= failed
        elif term == 'github.event.pull_request.head.repo.fork != true':
            result &= os.environ.get('FORK') != 'true'
        elif term != 'always()':
            what, name = re.fullmatch(r"(?:(inputs)\.|hashFiles\(')([\w.-]+)(?:'\))? != ''", term).groups()
            result &= bool(inputs[name]) if what else os.path.exists(name)
    return result


def run(step, environment, inputs, scratch):
    own = {name: expand(value, inputs) for name, value in step.get('env', {}).items()}
    assert '${{' not in step['run'], 'expressions in a script can be injected into'
    paths = environment['GITHUB_PATH']
    added = open(paths).read().split() if os.path.exists(paths) else []
    path = os.pathsep.join(added + [os.environ['PATH']])
    script = os.path.join(scratch, 'step.sh')
    with open(script, 'w') as file:
        file.write(step['run'])
    # As GitHub runs `shell: bash`.
    command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', script]
    return subprocess.run(command, env={**os.environ, **environment, **own, 'PATH': path}).returncode


def main(caller_path, prefix, scratch):
    job = load(caller_path)['jobs']['kernels']
    workflow = load(job['uses'])
    inputs = inputs_of(workflow, job['with'])
    check = workflow['jobs']['check']
    assert set(check['permissions'].items()) <= set(job['permissions'].items()), 'a job cannot have more than its caller'
    os.makedirs(scratch, exist_ok=True)
    environment = {**check['env'], 'HEDDLE_PREFIX': prefix, 'HOME': scratch, 'RUNNER_TEMP': scratch,
                   'GITHUB_WORKSPACE': os.getcwd(), 'GITHUB_PATH': os.path.join(scratch, 'path'),
                   'GITHUB_STEP_SUMMARY': os.path.join(scratch, 'summary.md')}
    failed = False
    for step in check['steps']:
        name = step.get('name') or step['uses']
        if not wanted(step.get('if'), inputs, failed):
            print(f'-- {name}: left out', flush=True)
        elif 'uses' in step:
            assert re.fullmatch(r'[\w-]+(/[\w-]+)+@v\d+', step['uses']), step['uses']
            file = step.get('with', {}).get('sarif_file') or step.get('with', {}).get('path')
            assert not file or os.path.isabs(file) or os.path.exists(file), f'{file} is missing'
            print(f'-- {name}: would run', flush=True)
        else:
            print(f'-- {name}', flush=True)
            status = run(step, environment, inputs, scratch)
            failed |= status != 0
            if status:
                print(f'-- {name}: status {status}', flush=True)
    return int(failed)


sys.exit(main(*sys.argv[1:]))
