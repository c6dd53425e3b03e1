# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work on a GPU in a process of its own: a kernel that never ends takes the process with it, and one that reads where it
must not leaves a context that nobody can use. Both cost one item, not all that come after it."""

import concurrent.futures
import multiprocessing
import os

import numpy as np

from program import DeviceError, Driver


def serve(pipe, library, prepare, arguments):
    """Answers each item with {"result"}, or {"error"} and whether the GPU is usable after it, until the pipe closes."""
    driver = Driver(library)
    work = prepare(driver, *arguments)
    while True:
        try:
            item = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send({"result": work(item)})
        except Exception as error:  # each item says for itself what is wrong with it
            pipe.send({"error": f"{type(error).__name__}: {error}", "usable": is_usable(driver)})


def is_usable(driver):
    """Whether a context still works: most errors of kernels stay with it."""
    try:
        driver.free(driver.upload(np.zeros(1, np.uint8)))
        driver.wait()
    except DeviceError:
        return False
    return True


class Worker:
    """`prepare(driver, *arguments)` gives the function that does one item, in the other process."""

    #: Processes that one part of the suite may cost before it is given up.
    PROCESSES = 40

    def __init__(self, library, prepare, *arguments, seconds=60):
        self.start_with, self.seconds = (library, prepare, arguments), seconds
        self.process, self.pipe, self.started = None, None, 0

    def start(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(other, *self.start_with), daemon=True)
        self.process.start()
        other.close()
        self.started += 1

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.pipe.close()
        self.process = None

    def do(self, item):
        """What the function returns, or {"error"}. The process is replaced where it cannot go on."""
        if not self.process and self.started == self.PROCESSES:
            return {"error": f"not run: {self.PROCESSES} processes have ended before it"}
        if not self.process:
            self.start()
        answer = {"error": f"no answer in {self.seconds} seconds"}
        try:
            self.pipe.send(item)
            if self.pipe.poll(self.seconds):
                answer = self.pipe.recv()
        except (EOFError, ConnectionError):
            self.process.join(self.seconds)
            answer = {"error": f"its process ended with status {self.process.exitcode}"}
        if "error" in answer and not answer.pop("usable", False):
            self.stop()
        return answer["result"] if "result" in answer else answer


def do_all(items, library, prepare, *arguments, seconds=20):
    """The answers to items that need no GPU of their own, in order. Neighbours go to the same process."""
    count = max(1, min(os.cpu_count(), 12, len(items) // 8))
    size = max(1, -(-len(items) // count))
    parts = [items[i:i + size] for i in range(0, len(items), size)]

    def do_part(part):
        worker = Worker(library, prepare, *arguments, seconds=seconds)
        try:
            return [worker.do(item) for item in part]
        finally:
            worker.stop()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return [answer for answers in pool.map(do_part, parts) for answer in answers]
