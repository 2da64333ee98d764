"""Torch to JavaScript: :func:`widgets.translate.trace.compile`.

From the function to the kernel:

- ``trace`` traces the function and puts the steps below together; ``liveness`` finds what nobody reads.
- ``recording`` lists what the function does, ``repetitions`` finds loops in it that Python has written out, and
  ``rolling`` makes loops of them, whose bodies are kernels of their own.
- ``decompositions`` writes operations with others: sorting, elimination, convolutions, norms.
- ``refusals`` words what cannot be translated, ``author`` finds the author's own line, ``progress`` says what is done.
- ``emitters`` write each operation's loops with a ``writer``; ``aten`` has the tables of operations, ``values`` what a
  tensor is inside a kernel.
- ``loops`` is the tree of statements, ``expressions`` what stands in them.
- ``passes`` runs the passes over the tree: ``storage`` (copies, sub-buffers, single rows), ``fusion`` (rows),
  ``scalars`` (elements as variables), ``nests`` (loops in loops), ``outlining`` (functions), ``hoisting``.
- ``printer`` writes JavaScript; ``bulk`` finds the loops that one call of an array's method replaces.
- ``verify`` compares the kernel with torch, ``cache`` keeps translations on disk.

A new pointwise operation is a line in ``aten.POINTWISE``; any other is a method of ``emitters.Emitter``.
"""
