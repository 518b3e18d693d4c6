"""`keys list` and `keys rotate`: what signs the buttons of cards."""

from typing import Any

import typer

from bot.cli.options import AsJson, Config, settings_of
from bot.cli.output import say, say_json, say_table


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="The keys with which the bot signs what people tap.", no_args_is_help=True)
    group.command("list")(show)
    group.command("rotate")(rotate)
    app.add_typer(group, name="keys")


def show(as_json: AsJson = False, config: Config = None) -> None:
    """List the keys: which one signs, and until when taps that an older one signed are good."""
    from bot import keys
    from core.clock import SystemClock, to_datetime

    folder, now = settings_of(config).keys, SystemClock().now()
    signing, _ = keys.load_private(folder)
    found = [(one, _state(one, signing, now)) for one in keys.public_keys(folder)]
    if as_json:
        say_json([{"key_id": one.kid, "state": state, "until": one.until} for one, state in found])
        return
    until = [
        (one.kid, state, f"{to_datetime(one.until):%H:%M:%S %Y-%m-%d} UTC" if one.until else "") for one, state in found
    ]
    say_table(("id", "state", "until"), until)


def _state(one: Any, signing: str, now: int) -> str:
    if one.kid == signing:
        return "signs"
    return "checks" if one.is_good(now) else "retired"


def rotate(as_json: AsJson = False, config: Config = None) -> None:
    """Make a new key that signs from now on. A running bot takes it up by itself.

    What was tapped before is good for another two minutes; after that nothing that the old key has signed is. Where
    several processes read copies of the folder, copy it to each of them at once.
    """
    from bot import keys
    from core.clock import SystemClock, to_datetime

    kid, until = keys.rotate(settings_of(config).keys, SystemClock().now())
    if as_json:
        say_json({"key_id": kid, "old_until": until})
    else:
        say(
            f"The key {kid} signs from now on; what the old one signed is good until {to_datetime(until):%H:%M:%S} UTC."
        )
