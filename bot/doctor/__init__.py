"""What is right and what is not, each with its remedy. Looking changes nothing and makes nothing.

machine: files, disk, time zones, choices · setup: keys, database, embedder · work: what waits, and for whom ·
model: the language model. What platforms are asked stands with them, in `bot.channels`.
"""

from bot.doctor.finding import Finding

__all__ = ["Finding"]
