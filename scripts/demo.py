"""Train a small CRF on made sentences in which most entities are not annotated.

Two models see the same data. For the plain CRF a token without annotation is O. The
adak loss takes it as unknown: two models, each trained on one half of the sentences,
guess the tags of the other half, and the K best paths count more and more.
"""

import random
from typing import NamedTuple

import torch
from torch import Tensor, nn

from spacy_adak.crf.chain import Chain
from spacy_adak.crf.decode import viterbi
from spacy_adak.crf.losses import (
    HardQ,
    adak,
    annealed_weight,
    negative_log_likelihood,
)
from spacy_adak.crf.tags import LabelledSpan, TagSet

SEED = 0
TRAIN, TEST = 600, 300
ANNOTATED_SHARE = 0.3
EPOCHS, BATCH, K, GAMMA = 6, 20, 5, 3.0
ROUNDS = 3

# Some names are people here and places there; the words around tell them apart.
WORDS = {
    "NAME": "jordan paris chelsea austin sydney florence georgia lincoln kent troy",
    "FIRST": "anna boris carla david emma felix greta henry irene jack",
    "LAST": "smith jones miller brown weber moreau rossi novak silva berg",
    "PLACE": "london berlin madrid vienna oslo dublin lisbon prague athens cairo",
}
ENTITIES = {
    "PER": ["FIRST LAST", "NAME"],
    "LOC": ["PLACE", "NAME", "new PLACE"],
}
TEMPLATES = [
    "yesterday PER met PER in LOC",
    "PER moved from LOC to LOC last year",
    "we think that PER will sing again",
    "the train to LOC was late",
    "heavy rain is expected near LOC tonight",
    "PER said that the plan was good",
    "the mayor of LOC thanked PER for the gift",
    "there was nothing new on the table",
    "the road between LOC and LOC is closed",
    "tickets for the show are still on sale",
    "a letter from PER arrived late",
]
TAGS = TagSet(["PER", "LOC"])


class Sentence(NamedTuple):
    words: list[str]
    spans: list[LabelledSpan]


class Data(NamedTuple):
    """Sentences as tensors, with what is known about their tags.

    words (Tensor): (B, T) int64, 0 on padding.
    tags (Tensor): (B, T) int64: the annotation, O where there is none.
    allowed (Tensor): (B, T, N) bool: the annotation, all tags where there is none.
    """

    words: Tensor
    tags: Tensor
    allowed: Tensor

    def pick(self, rows: Tensor) -> "Data":
        return Data(*(tensor[rows] for tensor in self))


def make_sentence(rng: random.Random) -> Sentence:
    words: list[str] = []
    spans = []
    for slot in rng.choice(TEMPLATES).split():
        start = len(words)
        parts = rng.choice(ENTITIES.get(slot, [slot])).split()
        words += [rng.choice(WORDS.get(part, part).split()) for part in parts]
        if slot in ENTITIES:
            spans.append(LabelledSpan(start, len(words), slot))
    return Sentence(words, spans)


class Tagger(nn.Module):
    """Emissions from a word and its two neighbours; legal moves only."""

    def __init__(self, words: int, width: int = 24) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.window = nn.Conv1d(width, 2 * width, kernel_size=3, padding=1)
        self.output = nn.Linear(2 * width, len(TAGS))
        self.moves = nn.Parameter(torch.zeros(len(TAGS), len(TAGS)))
        self.start = nn.Parameter(torch.zeros(len(TAGS)))
        self.end = nn.Parameter(torch.zeros(len(TAGS)))

    def forward(self, words: Tensor) -> Chain:
        hidden = self.window(self.embed(words).transpose(1, 2)).transpose(1, 2)
        forbid = float("-inf")
        return Chain(
            self.output(torch.relu(hidden)),
            (words > 0).sum(1),
            self.moves.masked_fill(~TAGS.legal_transitions(), forbid),
            self.start.masked_fill(~TAGS.legal_starts(), forbid),
            self.end.masked_fill(~TAGS.legal_ends(), forbid),
        )


def as_data(sentences: list[Sentence], index: dict[str, int]) -> Data:
    T = max(len(sentence.words) for sentence in sentences)
    words = torch.zeros((len(sentences), T), dtype=torch.long)
    tags = torch.zeros_like(words)
    for i, (tokens, spans) in enumerate(sentences):
        words[i, : len(tokens)] = torch.tensor([index[token] for token in tokens])
        tags[i, : len(tokens)] = torch.tensor(TAGS.encode(spans, len(tokens)))
    known = nn.functional.one_hot(tags, len(TAGS)).bool()
    return Data(words, tags, known | (tags == 0).unsqueeze(2))


def train(data: Data, n_words: int, use_adak: bool) -> Tagger:
    torch.manual_seed(SEED)
    model = Tagger(n_words)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    steps = EPOCHS * len(data.words) // BATCH
    for step in range(steps):
        batch = data.pick(torch.randint(len(data.words), (BATCH,)))
        chain, q = model(batch.words), HardQ(batch.tags)
        if use_adak:
            weight = annealed_weight(step, steps, GAMMA)
            losses = adak(chain, q, batch.allowed, K, weight)
        else:
            losses = negative_log_likelihood(chain, q)
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()
    return model


def estimate_tags(data: Data, n_words: int) -> Data:
    """Guess the tags of each half with a model that was trained on the other half."""
    half = torch.arange(len(data.words)) % 2
    for _ in range(ROUNDS):
        tags = data.tags.clone()
        for fold in (0, 1):
            model = train(data.pick(half != fold), n_words, use_adak=True)
            held_out = data.pick(half == fold)
            chain = model(held_out.words).allowing(held_out.allowed)
            tags[half == fold] = viterbi(chain).paths[:, 0]
        data = data._replace(tags=tags)
    return data


def f1(model: Tagger, data: Data, sentences: list[Sentence]) -> float:
    """Entities count if type and both ends are right."""
    found, gold = set(), set()
    paths = viterbi(model(data.words)).paths[:, 0].tolist()
    for i, (path, sentence) in enumerate(zip(paths, sentences, strict=True)):
        found |= {(i, span) for span in TAGS.decode(path[: len(sentence.words)])}
        gold |= {(i, span) for span in sentence.spans}
    return 2 * len(found & gold) / (len(found) + len(gold))


def main() -> None:
    torch.set_num_threads(1)
    rng = random.Random(SEED)
    sentences = [make_sentence(rng) for _ in range(TRAIN)]
    test_sentences = [make_sentence(rng) for _ in range(TEST)]
    vocabulary = sorted({w for s in sentences + test_sentences for w in s.words})
    index = {word: i + 1 for i, word in enumerate(vocabulary)}
    n_words = len(index) + 1
    test = as_data(test_sentences, index)
    annotated = [
        Sentence(words, [span for span in spans if rng.random() < ANNOTATED_SHARE])
        for words, spans in sentences
    ]
    data = as_data(annotated, index)
    models = {
        "plain CRF, unknown = O": train(data, n_words, use_adak=False),
        "adak": train(estimate_tags(data, n_words), n_words, use_adak=True),
        "plain CRF, fully annotated": train(
            as_data(sentences, index), n_words, use_adak=False
        ),
    }
    total, kept = (sum(len(s.spans) for s in x) for x in (sentences, annotated))
    print(f"{TRAIN} made sentences, {kept} of {total} entities annotated")
    for name, model in models.items():
        print(f"{name:28} F1 {100 * f1(model, test, test_sentences):5.1f}")


if __name__ == "__main__":
    main()
