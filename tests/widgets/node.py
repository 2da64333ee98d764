"""Run kernels in Node: numbers go there and back as bytes, so infinities, NaN and −0 arrive as they are."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import torch
from torch import Tensor

from widgets import node
from widgets.translate.trace import Kernel

SCRIPT = r"""
const decode = (text) => new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);
const encode = (numbers) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");
const size = (shape) => shape.reduce((product, length) => product * length, 1);
const make = ({ source, constants }) => new Function(`return (${source})`)()(decode(constants));
// whatever a kernel forgets to write stays 12345
const fresh = ({ outputs }) => outputs.map((shape) => new Float64Array(size(shape)).fill(12345));

const tasks = {
  /** Call twice, and hold the kernel to its contract: inputs are left alone, nothing is remembered. */
  run(job) {
    const kernel = make(job);
    const ins = job.ins.map(decode), first = fresh(job), second = fresh(job);
    kernel(ins, first);
    kernel(ins, second);
    if (ins.some((one, i) => encode(one) !== job.ins[i])) throw new Error("the kernel changed its inputs");
    const differ = first.some((one, i) => one.some((value, j) => !Object.is(value, second[i][j])));
    if (differ) throw new Error("two calls differ");
    return first.map(encode);
  },

  /** Feed the first outputs back as the first inputs, with two sets of arrays that change places. */
  iterate(job) {
    const kernel = make(job);
    const ins = job.ins.map(decode), outs = fresh(job);
    for (let step = 0; step < job.steps; step++) {
      kernel(ins, outs);
      for (let i = 0; i < job.state; i++) [ins[i], outs[i]] = [outs[i], ins[i]];
    }
    return ins.slice(0, job.state).map(encode);
  },

  /** Have a step made many times in one call; how often it was made comes last. */
  steps(job) {
    const ins = job.ins.map(decode), outs = fresh(job);
    const taken = make(job)(ins, outs, job.steps);
    if (ins.some((one, i) => encode(one) !== job.ins[i])) throw new Error("the kernel changed its inputs");
    return [...outs, Float64Array.of(taken ?? NaN)].map(encode);
  },

  /** Microseconds a call, once warm: the best of five rounds. */
  time(job) {
    const kernel = make(job);
    const ins = job.ins.map(decode), outs = fresh(job);
    let best = Infinity;
    for (let round = 0; round < 5; round++) {
      const begin = process.hrtime.bigint();
      for (let step = 0; step < job.steps; step++) kernel(ins, outs);
      best = Math.min(best, Number(process.hrtime.bigint() - begin) / job.steps / 1000);
    }
    return best;
  },
};

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const job = JSON.parse(line);
  let answer;
  try {
    answer = { result: tasks[job.task](job) };
  } catch (error) {
    answer = { error: `${error.name}: ${error.message}` };
  }
  console.log(JSON.stringify(answer));
});
"""


class KernelFailed(Exception):
    """What JavaScript threw."""


class Node:
    """One Node process for many kernels; use it as a context manager."""

    def __enter__(self) -> Node:
        self.process = subprocess.Popen(
            [*node.node(), "-e", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def run(self, kernel: Kernel, *inputs: Tensor) -> list[Tensor]:
        """The outputs of one call."""
        texts = self._ask("run", kernel, inputs)
        return [_decode(text).reshape(s) for text, s in zip(texts, kernel.outputs, strict=True)]

    def iterate(
        self, kernel: Kernel, state: Sequence[Tensor], rest: Sequence[Tensor], steps: int
    ) -> list[Tensor]:
        """The state after many calls: the first outputs are the next first inputs."""
        texts = self._ask("iterate", kernel, [*state, *rest], state=len(state), steps=steps)
        return [_decode(text).reshape(one.shape) for text, one in zip(texts, state, strict=True)]

    def steps(self, kernel: Kernel, *inputs: Tensor, steps: int) -> tuple[list[Tensor], float]:
        """The outputs of one call that makes so many steps at most, and how many it says that it has made."""
        *texts, taken = self._ask("steps", kernel, inputs, steps=steps)
        outs = zip(texts, kernel.outputs, strict=True)
        return [_decode(text).reshape(shape) for text, shape in outs], float(_decode(taken))

    def time(self, kernel: Kernel, *inputs: Tensor, steps: int) -> float:
        """Microseconds a call."""
        return self._ask("time", kernel, inputs, steps=steps)

    def _ask(self, task: str, kernel: Kernel, inputs: Sequence[Tensor], **more: int) -> Any:
        job = {
            "task": task,
            "source": kernel.source,
            "outputs": kernel.outputs,
            "constants": _encode(kernel.constants),
            "ins": [_encode(one) for one in inputs],
            **more,
        }
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise KernelFailed(answer["error"])
        return answer["result"]


def _encode(tensor: Tensor) -> str:
    return base64.b64encode(tensor.to(torch.float64).contiguous().numpy().tobytes()).decode()


def _decode(text: str) -> Tensor:
    return (
        torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.float64)
        if text
        else torch.empty(0).double()
    )
