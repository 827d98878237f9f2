"""`python -m _svc_wrapper`, with the user's folder as the working directory."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    app_folder = Path.cwd()
    # `-m` puts the working directory first: a user's logging.py must not replace the one used here. The
    # loader puts the folder back before it imports the user's code.
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry) != app_folder]

    # crewai's telemetry calls home and takes SIGTERM for itself, and its tracing asks a question at the
    # terminal. OTEL_SDK_DISABLED would do too, but silence every other tracer with it.
    os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
    os.environ["CREWAI_TRACING_ENABLED"] = "false"
    # For this start only: what the user's code starts finds its modules where Python always looks.
    os.environ.pop("PYTHONSAFEPATH", None)

    from .secret_files import load_secret_files
    from .settings import SettingsError, read_settings

    try:
        ingress_secret = load_secret_files(os.environ)
        settings = read_settings(os.environ, ingress_secret=ingress_secret, app_folder=app_folder)
    except SettingsError as error:
        sys.exit(f"the agent's server cannot start: {error}")

    from .process import serve

    serve(settings)


if __name__ == "__main__":
    main()
