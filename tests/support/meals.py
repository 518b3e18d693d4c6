"""One page, and one question that it answers, to be saved and watched over what becomes of it."""

from core.memory import Memory
from core.model.answers import Answer
from core.model.principals import Principal
from tests.support.memories import page

QUESTION = "How much do meals cost a day?"
SAID = "Meals cost at most 40 EUR a day."
MORE = "Meals cost at most 45 EUR a day."


def travel(meals: str = SAID, hotels: str = "Hotels are booked by the office.") -> bytes:
    return page("Travel", {"Meals": meals, "Hotels": hotels})


def ask(memory: Memory, principal: Principal, question: str = QUESTION) -> Answer:
    answer = memory.generate(question, principal)
    assert answer.known
    return answer
