# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One scheduler of a multiprocessor and its warps, cycle by cycle.

Each cycle one warp starts one instruction, the one that ran last if it can, else the one that has waited longest. It
can start when the stall count of its last instruction is over, the scoreboards that it waits for are free and its
pipe is. Products of groups go to a queue of the tensor cores, as many as there are; loads find their data on time.
"""

import re
from dataclasses import dataclass, field

from .machine import (BARRIER_LATENCY, DEFAULT_LATENCY, LATENCIES, PRODUCT_LATENCY, READ_LATENCY, count_cycles, find_pipe)
from .reader import NO_SCOREBOARD, SassError

THREADS_OF_A_GROUP = 128


@dataclass
class Step:
    """An instruction as the scheduler sees it."""

    instruction: object
    pipe: str
    cycles: int
    #: What it waits for beside scoreboards: ("group", left over), ("scoreboard", number, left over) or ("barrier", id,
    #: warps, whether it waits)
    wait: tuple = ()
    commits: bool = False
    #: Until the warp's next instruction may start.
    stall: int = 1


def make_step(machine, instruction):
    opcode, operands = instruction.opcode, instruction.operands
    step = Step(instruction, find_pipe(instruction), count_cycles(machine, instruction))
    if opcode.startswith("WARPGROUP.DEPBAR"):
        step.wait = ("group", int(operands.split(",")[1], 0))
    elif opcode.startswith("DEPBAR.LE"):
        board, left = re.match(r"SB(\d), (\w+)", operands).groups()
        step.wait = ("scoreboard", int(board), int(left, 0))
    elif instruction.base == "BAR" and (".SYNC" in opcode or ".ARV" in opcode):
        parts = [part.strip() for part in operands.split(",")]
        threads = int(parts[1], 0) if len(parts) > 1 and parts[1].startswith("0x") else 0
        step.wait = ("barrier", parts[0], threads // THREADS_OF_A_GROUP, ".SYNC" in opcode)
    step.commits = instruction.base in ("HGMMA", "QGMMA") and "gsb0" in operands
    step.stall = max(1, instruction.stall, machine.product_issue if is_of_group(step) else 1)
    return step


def is_of_group(step):
    """Whether it is a product that the warps of a group share."""
    return step.pipe == "tensor" and step.instruction.base != "HMMA"


@dataclass
class Warp:
    number: int
    at: int = 0
    laps: list = field(default_factory=list)
    ready: int = 0
    started: int = -1
    #: For each scoreboard the cycles at which what holds it lets go.
    boards: list = field(default_factory=lambda: [[] for _ in range(6)])
    #: The end of the last product of each group, oldest first; the last is not committed yet.
    groups: list = field(default_factory=list)
    last_product: int = 0


class Scheduler:
    def __init__(self, machine, body, warps):
        self.steps = [make_step(machine, instruction) for instruction in body]
        # Their first products come one after the other.
        apart = sum(step.cycles for step in self.steps if is_of_group(step))
        self.warps = [Warp(number, ready=number * apart) for number in range(warps)]
        self.free = {}
        self.tensor_busy = 0
        self.barriers = {}
        self.now = 0

    def find_barrier(self, warp, name, waits):
        """Where the number is in a register, each warp has one of its own to wait at and arrives at the next one's."""
        if not re.match(r"U?R\d", name):
            return name
        owner = warp.number if waits else (warp.number + 1) % len(self.warps)
        return f"of warp {owner}"

    def find_arrivals(self, key, needed):
        """Those at a barrier. Where warps take turns, what lies in front of the loop lets the first one go."""
        if key not in self.barriers:
            self.barriers[key] = [(None, 0)] * (needed - 1) if key == "of warp 0" else []
        return self.barriers[key]

    def when(self, warp):
        """The first cycle at which the warp's next instruction could start; None while another warp has to act first."""
        step = self.steps[warp.at]
        time = max(warp.ready, 0 if is_of_group(step) else self.free.get(step.pipe, 0))
        for board in range(6):
            if step.instruction.waits >> board & 1:
                time = max([time, *warp.boards[board]])
        if step.wait:
            kind, *rest = step.wait
            if kind == "group":
                done = warp.groups[: len(warp.groups) - rest[0]]
                time = max([time, *(end + PRODUCT_LATENCY for end in done)])
            elif kind == "scoreboard":
                held = sorted(warp.boards[rest[0]])
                time = max([time, *held[: len(held) - rest[1]]])
            elif rest[2]:
                return self.when_released(warp, rest, time)
        return time

    def when_released(self, warp, rest, time):
        name, needed, _ = rest
        needed = needed or len(self.warps)
        key = self.find_barrier(warp, name, True)
        arrived = self.find_arrivals(key, needed)
        if all(number != warp.number for number, _ in arrived):
            # It arrives when it gets here, and starts when all have.
            arrived.append((warp.number, time))
        if len(arrived) < needed:
            return None
        return max(time, max(at for _, at in arrived[:needed]) + BARRIER_LATENCY)

    def start(self, warp, time):
        step = self.steps[warp.at]
        instruction = step.instruction
        end = time + LATENCIES.get(instruction.base, DEFAULT_LATENCY)
        if is_of_group(step):
            begin = max(time, self.free.get("tensor", 0))
            self.free["tensor"] = end = begin + step.cycles
            warp.last_product = end
            if step.commits:
                warp.groups = [other for other in warp.groups if other + PRODUCT_LATENCY > time] + [end]
        else:
            self.free[step.pipe] = time + step.cycles
        if step.pipe == "tensor":
            self.tensor_busy += step.cycles
        for board in range(6):
            warp.boards[board] = [until for until in warp.boards[board] if until > time]
        if instruction.base == "LDGDEPBAR":
            end = max([end, *warp.boards[0]])
        if instruction.writes != NO_SCOREBOARD:
            warp.boards[instruction.writes].append(end)
        if instruction.reads != NO_SCOREBOARD:
            warp.boards[instruction.reads].append(max(time + READ_LATENCY, time + step.cycles))
        if step.wait and step.wait[0] == "barrier":
            self.pass_barrier(warp, step.wait, time)
        warp.started = time
        warp.ready = time + step.stall
        warp.at += 1
        if warp.at == len(self.steps):
            warp.at = 0
            warp.laps.append(time)

    def pass_barrier(self, warp, wait, time):
        _, name, needed, waits = wait
        needed = needed or len(self.warps)
        key = self.find_barrier(warp, name, waits)
        arrived = self.find_arrivals(key, needed)
        if not waits:
            arrived.append((None, time))
            return
        # The last of those that waited opens the barrier for the next round.
        passed = self.barriers.setdefault(("passed", key), [])
        passed.append(warp.number)
        waiting = [number for number, _ in arrived[:needed] if number is not None]
        if len(passed) == len(waiting):
            del arrived[:needed]
            passed.clear()

    def run(self, laps, goes_round=True):
        """Until every warp has been through the steps so often; those that have go round again, or stop."""
        last = None
        while any(len(warp.laps) < laps for warp in self.warps):
            candidates = []
            for warp in self.warps:
                time = self.when(warp) if len(warp.laps) < laps or goes_round else None
                if time is not None:
                    time = max(time, self.now)
                    # No warp goes round while another one waits for long, and none takes its own turn again after all
                    # have waited for a pipe.
                    goes_on = warp.number == last and warp.at != 0 and time == self.now
                    candidates.append((time, not goes_on, warp.started, warp.number))
            if not candidates:
                raise SassError("the barriers of the loop wait for each other; --groups or --resident may be wrong")
            time, _, _, last = min(candidates)
            self.start(self.warps[last], time)
            self.now = time + 1


WARM_UP = 16
MEASURED = 32


def find_period(machine, body, warps):
    """Cycles of one pass of all warps through the body, and the tensor cores' share of them."""
    scheduler = Scheduler(machine, body, warps)
    scheduler.run(WARM_UP + MEASURED)
    first = max(warp.laps[WARM_UP - 1] for warp in scheduler.warps)
    last = max(warp.laps[WARM_UP + MEASURED - 1] for warp in scheduler.warps)
    period = (last - first) / MEASURED
    busy = warps * sum(step.cycles for step in scheduler.steps if step.pipe == "tensor")
    return period, busy / period


def find_time(machine, body, warps):
    """Cycles of one pass of all warps through instructions that are not a loop."""
    if not body:
        return 0
    scheduler = Scheduler(machine, body, warps)
    for step in scheduler.steps:
        # A barrier under a guard is for some of the warps; others arrive at it in another part of the kernel.
        if step.wait and step.wait[0] == "barrier" and step.instruction.guard:
            step.wait = ()
    for warp in scheduler.warps:
        warp.ready = 0
    scheduler.run(1, goes_round=False)
    return max(warp.laps[0] for warp in scheduler.warps)
