"""What another process of the system withdraws or erases between two plans is in the second of them no more."""

import subprocess
import sys
from pathlib import Path

from core.model.threads import ASSISTANT, USER, Asked, Room, Said, Turn, thread_of
from core.store import inbox
from tests.support.memories import page, place_of, put, source_id

ROOM = Room(9000, 5000, lambda lines: 900 - sum(len(line.text) for line in lines))
REVOKES = """
import sys
from uuid import UUID
from core.clock import ManualClock
from tests.support.memories import NOW, open_memory, place_of

url, person_id, source_id = sys.argv[1:]
with open_memory(url, ManualClock(NOW)) as memory:
    assert memory.conversation.withdraw("default", place_of(UUID(person_id)), "e1", None)
    memory.erase(UUID(source_id), "asked to")
"""


def test_what_another_process_revokes_between_two_plans_is_in_the_second_no_more(database_url, memory, ada):
    put(memory, "rome.md", page("Rome", {"Far": "Rome is far away."}))
    place = place_of(ada.person_id)
    for number, sources in enumerate(([], [], [source_id("rome.md")])):
        said = Said(USER, f"question {number}"), Said(ASSISTANT, f"answer {number}", source_ids=sources)
        memory.conversation.append("default", ada.person_id, place, Turn(inbox.key(place, f"e{number}"), said))

    def planned():
        found = memory.conversation.history(ada, Asked(thread_of("default", place)), "small", ROOM)
        return [line.text for line in found.lines]

    assert planned() == [f"{part} {number}" for number in range(3) for part in ("question", "answer")]
    command = [sys.executable, "-c", REVOKES, database_url, str(ada.person_id), str(source_id("rome.md"))]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert ran.returncode == 0, ran.stderr
    assert planned() == ["question 0", "answer 0", "question 2"]
