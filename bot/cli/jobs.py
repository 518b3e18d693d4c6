"""`jobs list`, `jobs show` and `jobs retry`: what waits, what was given up, and trying it again."""

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from bot.cli.options import AsJson, Config, memory_of, settings_of
from bot.cli.output import say, say_json, say_table, tell

if TYPE_CHECKING:
    from core.jobs.views import JobView

Id = Annotated[str, typer.Argument(metavar="ID", help="The job, as `jobs list` shows it.")]


def add_to(app: typer.Typer) -> None:
    jobs = typer.Typer(help="What the bot is yet to do, and what it has given up.", no_args_is_help=True)
    jobs.command("list")(list_)
    jobs.command("show")(show)
    jobs.command("retry")(retry)
    app.add_typer(jobs, name="jobs")


def list_(
    state: Annotated[
        str, typer.Option(metavar="STATE", help="ready, leased, done or dead; without it, all that are not done.")
    ] = "",
    kind: Annotated[str, typer.Option(metavar="KIND", help="As in notify:watch; without it, every kind.")] = "",
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=10_000, help="How many, the longest due first.")] = 50,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show jobs, the longest due first: what waits, what is in hand, and what was given up for dead."""
    from dataclasses import asdict

    settings = settings_of(config)
    with memory_of(settings) as memory:
        found = memory.jobs.find(settings.tenant, state=state, kind=kind, limit=limit)
    if as_json:
        say_json([asdict(job) for job in found])
    else:
        say_table(("id", "kind", "state", "attempts", "due (UTC)", "error"), [_row(job) for job in found])


def show(job_id: Id, as_json: AsJson = False, config: Config = None) -> None:
    """Show all of one job: what it is about, who has it, and what went wrong the last time."""
    from dataclasses import asdict

    settings = settings_of(config)
    with memory_of(settings) as memory:
        job = memory.jobs.get(settings.tenant, _id(job_id))
    if as_json:
        say_json(asdict(job))
        return
    for name, value in _lines(job).items():
        say(f"{name}: {value}")


def retry(
    job_id: Annotated[str, typer.Argument(metavar="ID", help="One job; or --all-dead.")] = "",
    all_dead: Annotated[bool, typer.Option("--all-dead", help="Every job that was given up.")] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Let what was given up be tried once more, now; an entry in the audit says so."""
    from core.errors import InvalidRequest

    if bool(job_id) == all_dead:
        raise InvalidRequest("name one job by its id, or --all-dead for every one that was given up")
    settings = settings_of(config)
    with memory_of(settings) as memory:
        if all_dead:
            count = memory.jobs.retry_dead(settings.tenant)
            tell(f"Jobs to be tried once more: {count}", {"retried": count}, as_json=as_json)
            return
        memory.jobs.retry(settings.tenant, _id(job_id))
    tell(f"{job_id} is tried once more.", {"retried": 1}, as_json=as_json)


def _id(text: str) -> UUID:
    from core.errors import InvalidRequest

    try:
        return UUID(text)
    except ValueError:
        raise InvalidRequest(f"{text!r} is not the id of a job: `clarify-bot jobs list` shows them") from None


def _row(job: "JobView") -> tuple[object, ...]:
    return job.job_id, job.kind, job.state, job.attempts, _at(job.not_before), job.error or ""


def _lines(job: "JobView") -> dict[str, object]:
    about = {name.replace("_", " "): value for name, value in job.payload.items()}
    held = {"held by": job.lease_owner, "held until (UTC)": _at(job.lease_until)} if job.state == "leased" else {}
    return {
        "id": job.job_id,
        "kind": job.kind,
        "state": job.state,
        "attempts": job.attempts,
        "made at (UTC)": _at(job.created_at),
        "due at (UTC)": _at(job.not_before),
        **held,
        "last error": job.error or "none",
        **about,
    }


def _at(ts: int) -> str:
    from core.clock import to_datetime

    return to_datetime(ts).strftime("%Y-%m-%d %H:%M:%S")
