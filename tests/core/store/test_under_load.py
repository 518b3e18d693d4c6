"""Several processes at once on one database: nothing is lost, nothing is locked, each change is heard once."""

from tests.support.stress import Load, run


def test_four_writers_two_sweepers_and_readers_in_two_processes_lose_nothing(database_url):
    load = Load(sizes=((12,), (1, 4), (2,), (30, 1)), model_secs=0.1, seconds=20, versions=4)
    report, broken = run(database_url, load)
    assert broken == []
    assert len(report.written) == 2 * 4 * 4
    assert report.reads
    assert report.sweeps
