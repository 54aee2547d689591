"""Figures of launches and runs."""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figures:
    """What both have: cycles and the like, and every figure by its name in the statistics of `heddle run --json`."""
    cycles: int
    warp_instructions: int
    ipc: float
    stalls: dict = field(repr=False)  # issue slots by reason, over all SMs
    energy_joules: float = field(repr=False)
    counters: dict = field(repr=False)  # figures that are integers
    figures: dict = field(repr=False)  # all, as JSON has them

    def __getitem__(self, name):
        """A figure by name: launch['l2_hits'], launch['l1d.misses']."""
        value = self.figures
        for part in name.split('.'):
            if not isinstance(value, dict) or part not in value:
                raise KeyError(f"no figure '{name}'")
            value = value[part]
        return value

    def lost_slots(self):
        """(reason, share of all issue slots) of slots without an instruction, largest first."""
        total = sum(self.stalls.values())
        lost = [(name, count / total) for name, count in self.stalls.items() if count and name != 'issued']
        return sorted(lost, key=lambda row: -row[1])


@dataclass(frozen=True)
class Launch(Figures):
    """One launch that has ended."""
    kernel: str = ''
    grid: tuple = ()
    block: tuple = ()
    dynamic_shared: int = 0
    resident_blocks: int = 0  # per SM
    limiter: str = ''  # of residency
    source: str = None  # FILE:LINE of the kernel, where known
    stream: int = 0


@dataclass(frozen=True)
class Statistics(Figures):
    """All launches of a GPU together."""
    gpu: str = ''
    policy: str = ''
    config: dict = field(default_factory=dict, repr=False)
    launches: int = 0
    document: dict = field(default_factory=dict, repr=False)  # as `heddle run --json` prints it


def _shared(figures):
    return {'cycles': figures.get('cycles', 0), 'warp_instructions': figures.get('warp_instructions', 0),
            'ipc': figures.get('ipc', 0.0), 'stalls': figures.get('stalls', {}),
            'energy_joules': figures.get('energy_joules', 0.0),
            'counters': {name: value for name, value in figures.items() if type(value) is int}, 'figures': figures}


def launch_of(document):
    source = document.get('source')
    return Launch(**_shared(document), kernel=document['kernel'], grid=tuple(document['grid']),
                  block=tuple(document['block']), dynamic_shared=document['dynamic_shared'],
                  resident_blocks=document['resident_ctas'], limiter=document['limiter'],
                  source=f"{source['file']}:{source['line']}" if source else None, stream=document.get('stream', 0))


def statistics_of(document):
    return Statistics(**_shared(document['total']), gpu=document['gpu'], policy=document['policy'],
                      config=document['config'], launches=len(document['launches']), document=document)
