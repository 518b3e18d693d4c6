"""What an evaluation embeds is embedded once, and a question as its model wants to be asked."""

from bot.evaluate.remembering import Remembering
from core.embed.protocol import embed_question
from tests.support.embedders import CountingEmbedder


class AskingEmbedder(CountingEmbedder):
    def embed_question(self, text):
        return self.embed([f"question {text}"])[0]


def test_a_question_is_asked_once_and_as_the_model_wants():
    model = AskingEmbedder()
    remembering = Remembering(model)
    rows = [embed_question(remembering, "leave") for _ in range(2)]
    assert (rows[0] == rows[1]).all()
    assert model.seen == {"question leave": 1}


def test_a_question_is_a_text_like_any_other_where_the_model_makes_no_difference():
    model = CountingEmbedder()
    remembering = Remembering(model)
    assert (embed_question(remembering, "leave") == remembering.embed(["leave"])[0]).all()
    assert remembering.dim == model.dim
    assert remembering.embed([]).shape == (0, model.dim)
