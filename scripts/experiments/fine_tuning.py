"""Train a pipeline a little further on the few texts that are annotated completely."""

import random
from pathlib import Path

import spacy
from spacy.training import Corpus
from spacy.util import minibatch
from thinc.api import Adam, fix_random_seed

from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.losses import CRFLoss

# Nothing is left to choose these by: all complete texts are learnt from.
EPOCHS = 10
BATCH_SIZE = 8
LEARN_RATE = 1e-4


def fine_tune(model: Path, texts: Path, output: Path, seed: int) -> None:
    """Train the `adak_ner` of a pipeline further, as a plain CRF.

    model (Path): The pipeline.
    texts (Path): A `.spacy` file with texts that are annotated completely.
    output (Path): Where to save the result.
    seed (int): Of the order of texts and of dropout.
    """
    nlp = spacy.load(model)
    fix_random_seed(seed)
    for _, component in nlp.pipeline:
        if isinstance(component, AdaKRecognizer):
            component.loss = CRFLoss()
    examples = list(Corpus(texts)(nlp))
    optimizer = Adam(LEARN_RATE)
    rng = random.Random(seed)
    for _ in range(EPOCHS):
        rng.shuffle(examples)
        for batch in minibatch(examples, size=BATCH_SIZE):
            nlp.update(batch, drop=nlp.config["training"]["dropout"], sgd=optimizer)
    nlp.to_disk(output)
