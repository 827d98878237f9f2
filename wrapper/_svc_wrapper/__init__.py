"""The HTTP server around a user's agent: POST /invoke, POST /stream, GET /health, GET /ready.

The user's code is imported unchanged from the working directory. It runs on its own event loop in a worker
thread, so it cannot delay GET /health. There is one process with one worker, because tracing exporters and
crewai's event bus exist once per process. More load needs more containers.

It must never fail a run because its result is not JSON, nor end without recording a run's end. It puts no
secret of its own into the user's environment, and no file into the user's folder.
"""
