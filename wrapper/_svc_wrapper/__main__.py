"""`python -m _svc_wrapper`, with the user's folder as the working directory."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    app_folder = Path.cwd()
    # `-m` puts the working directory first, but a user's logging.py must not replace the one used here. The loader
    # restores the folder before it imports the user's code.
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry) != app_folder]
    # The last place: the user's version of a package wins, and the server's own is there when the user has none.
    sys.path.append(str(own_packages()))

    # crewai's telemetry sends data and handles SIGTERM, and its tracing prompts at the terminal. OTEL_SDK_DISABLED
    # would also disable every other tracer.
    os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
    os.environ["CREWAI_TRACING_ENABLED"] = "false"
    # For this start only: processes of the user's code search modules in Python's usual places.
    os.environ.pop("PYTHONSAFEPATH", None)

    from .settings.authorities import trust_service
    from .settings.secret_files import load_secret_files
    from .settings.settings import SettingsError, read_settings

    try:
        own = load_secret_files(os.environ)
        settings = read_settings(os.environ, own=own, app_folder=app_folder)
        trust_service(os.environ)
    except SettingsError as error:
        sys.exit(f"the agent's server cannot start: {error}")

    from .process.process import serve

    serve(settings)


def own_packages() -> Path:
    """The folder with the packages of requirements.lock: /opt/svc-packages beside /opt/svc."""
    return Path(__file__).resolve().parents[1].with_name("svc-packages")


if __name__ == "__main__":
    main()
