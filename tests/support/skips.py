"""In CI a skipped test is a hole: only what needs a language model or the data folder may be skipped there."""

import os

import pytest

ALLOWED = {"llm", "data"}


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With CLARIFY_REFUSE_SKIPS set, any other skip fails the run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("CLARIFY_REFUSE_SKIPS") or reporter is None or exitstatus not in {0, 5}:
        return
    refused = [report.nodeid for report in reporter.stats.get("skipped", []) if not ALLOWED & set(report.keywords)]
    if refused:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f"skipped, and may not be: {', '.join(refused)}", red=True)
