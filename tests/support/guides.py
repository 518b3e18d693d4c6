"""Guides of docs/, read for what a test can hold them to."""

import re
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Guide:
    text: str

    @classmethod
    def of(cls, name):
        return cls((DOCS / name).read_text(encoding="utf-8"))

    @property
    def commands(self):
        """Every command it shows, in a block of its own or within a sentence."""
        lines = {line.partition("#")[0].strip() for line in self.text.splitlines() if line.startswith("clarify-bot ")}
        return sorted(lines | set(re.findall(r"`(clarify-bot [^`]+)`", self.text)))

    @property
    def settings(self):
        """Every piece of a settings file that it shows."""
        return re.findall(r"```toml\n(.*?)```", self.text, re.DOTALL)

    def table(self, heading):
        """The rows of the first table after a line that begins like this, as lists of cells."""
        after = self.text[self.text.index(heading) :].splitlines()
        first = next(number for number, line in enumerate(after) if line.startswith("|"))
        rows = []
        for line in after[first + 2 :]:
            if not line.startswith("|"):
                break
            rows.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
        return rows
