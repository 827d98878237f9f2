"""The HTTP server around a user's agent: POST /invoke, POST /stream, GET /health, GET /ready.

The user's code is imported unchanged from the working directory and runs on an event loop of its own in
a worker thread, so that nothing it does can delay GET /health. One process, one worker: scaling out is
done with containers, because tracing exporters and crewai's event bus live once per process.

What must never happen: a run that fails because its result is not JSON; a secret of the wrapper in the
user's environment; a file written into the user's folder; a run that vanishes without an end.
"""
