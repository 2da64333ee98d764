"""Kernels that start warm: they fork from a process that has imported torch, seaborn and the book's tools.

This saves time where many notebooks run one after the other. The namespace of such a kernel is empty: a notebook that
forgets an import fails here, too.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import tempfile
from multiprocessing.process import BaseProcess
from typing import Any, cast

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

PRELOADED = (
    "ipykernel.kernelapp",
    "ipywidgets",
    "seaborn",
    "torch._dynamo",
    "book.frames",
    "book.figures",
    "widgets",
    "book.publish.warm_up",
)
FORKS = "forkserver" in multiprocessing.get_all_start_methods()


def use() -> None:
    """Start kernels of this process warm; ``JUPYTER_DEFAULT_PROVISIONER_NAME=warm`` does so for a command."""
    KernelProvisionerFactory.instance().default_provisioner_name = "warm"


class Warm(LocalProvisioner):
    """Forks kernels where the system can fork; elsewhere they start as usual."""

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Use files as sockets: a free port may be taken before the kernel listens to it."""
        if FORKS:
            manager = cast(Any, self.parent)
            manager.transport, manager.cache_ports = "ipc", False
            manager.ip = f"{tempfile.gettempdir()}/kernel-{self.kernel_id[:8]}"
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        if not FORKS:
            return await super().launch_kernel(cmd, **kwargs)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(PRELOADED))
        arguments = cmd[cmd.index("-f") :]
        forked = Forked(context.Process(target=serve, args=(arguments, kwargs["env"], kwargs.get("cwd"))))
        self.process, self.pid = cast(Any, forked), forked.pid
        self.cwd = kwargs.get("cwd", os.getcwd())
        return self.connection_info


class Forked:
    """A forked process with those methods of :class:`subprocess.Popen` that a provisioner calls."""

    stdin = stdout = stderr = None

    def __init__(self, process: BaseProcess) -> None:
        process.daemon = True
        process.start()
        self.process = process
        self.pid = process.pid

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self) -> int | None:
        self.process.join()
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        if self.process.is_alive():
            assert self.pid
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def serve(arguments: list[str], environment: dict[str, str], folder: str | None) -> None:
    """Run a kernel in the forked process."""
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    if folder:
        os.chdir(folder)
    import matplotlib
    from ipykernel.kernelapp import launch_new_instance

    from widgets.translate import progress

    progress.QUIET = math.inf  # nobody waits here, and a page must not print what depends on the machine
    matplotlib.use("module://matplotlib_inline.backend_inline")
    launch_new_instance(
        argv=[*arguments, "--log-level=CRITICAL", f"--IPKernelApp.parent_handle={os.getppid()}"]
    )
