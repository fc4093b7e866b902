from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_adak.data.docbin import write_docbin
from spacy_adak.data.sample_marks import SAMPLE_KEY
from spacy_adak.run.overrides import read_config
from spacy_adak.run.preflight import check_run
from tests.finished_run import FinishedRun
from tests.losses import loss_block
from tests.made_corpus import TINY, make_config, make_docs, write_data


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return make_config(**TINY, **write_data(tmp_path))


def problems(config: Config, use_gpu: int = -1, strict: bool = False) -> str:
    with pytest.raises(ValueError, match=r"\[A207\]") as error:
        check_run(config, use_gpu, strict)
    return str(error.value)


def write_dev(folder: Path, complete: int, incomplete: int) -> None:
    docs = [*make_docs(complete, seed=4), *make_docs(incomplete, keep=0.5, seed=5)]
    DocBin(docs=docs).to_disk(folder / "dev.spacy")


def test_config_and_data_in_order_are_given_back(config: Config) -> None:
    checked = check_run(config, -1, strict=True)
    assert (len(checked.train), len(checked.dev)) == (40, 12)
    assert checked.settings.rounds == 2


def test_all_problems_are_listed_at_once(config: Config, tmp_path: Path) -> None:
    DocBin(docs=make_docs(1, keep=0.0)).to_disk(tmp_path / "train.spacy")
    config["adak"]["round"] = 3
    config["components"]["adak_ner"]["los"] = "crf"
    listed = problems(config, use_gpu=0)
    for code in ("A102", "A210", "A211", "A215"):
        assert f"- [{code}]" in listed
    assert "Did you mean 'rounds'" in listed
    assert "Did you mean 'loss'" in listed


@pytest.mark.parametrize(
    ("section", "setting", "nearest"),
    [
        ("training", "max_epoch", "max_epochs"),
        ("nlp", "pipelin", "pipeline"),
        ("initialize", "vector", "vectors"),
    ],
)
def test_setting_that_spacy_would_drop(
    config: Config, section: str, setting: str, nearest: str
) -> None:
    config[section][setting] = 1
    message = f"- [A102] Unknown setting '{setting}' for [{section}]. Did you mean "
    assert f"{message}'{nearest}'" in problems(config)


@pytest.mark.parametrize(
    ("override", "nearest"),
    [
        ("training.max_epoch", "max_epochs"),
        ("nlp.pipelin", "pipeline"),
        ("initialize.vector", "vectors"),
        ("paths.trian", "train"),
        ("paths.usd", "used"),
        ("system.sed", "seed"),
        ("components.adak_nre", "adak_ner"),
        ("corpora.trian", "train"),
        ("adak.strat.learn_from", "start"),
    ],
)
def test_override_that_nothing_reads(
    config: Config, override: str, nearest: str
) -> None:
    config["initialize"]["vocab_data"] = "${paths.used}"
    with pytest.raises(ValueError, match=rf"A102.*Did you mean '{nearest}'"):
        read_config(config, {override: None})


@pytest.mark.parametrize(
    "override",
    [
        "paths.train",
        "paths.used",
        "vars.any",
        "training.before_update",
        "training.score_weights.ents_f",
        "training.optimizer.eps",
        "corpora.train.max_length",
        "initialize.vocab_data",
        "initialize.tokenizer.pkuseg_model",
        "components.adak_ner.loss.k",
        "adak.start.learn_from",
        "adak.q.mode",
        "components.adak_ner.model.tok2vec.pretrained_vectors",
        "adak.rounds",
    ],
)
def test_override_that_is_not_in_the_config_but_read(
    config: Config, override: str
) -> None:
    config["initialize"]["vocab_data"] = "${paths.used}"
    config["vars"] = {}
    config["components"]["adak_ner"]["vars"] = "${vars}"
    del config["training"]["before_update"]
    del config["adak"]["rounds"]
    read = read_config(config, {override: "a value"})
    for name in override.split("."):
        read = read[name]
    assert read == "a value"


def test_no_annotated_entity(config: Config, tmp_path: Path) -> None:
    DocBin(docs=make_docs(10, keep=0.0)).to_disk(tmp_path / "train.spacy")
    assert str(tmp_path / "train.spacy") in problems(config)


def test_fewer_texts_than_folds(config: Config) -> None:
    config["adak"]["folds"] = 41
    assert "[A211] The training data has 40 distinct texts" in problems(config)


def test_texts_may_be_fewer_than_folds_that_are_not_trained(config: Config) -> None:
    config["adak"]["folds"] = 41
    config["components"]["adak_ner"]["loss"] = loss_block("crf")
    assert len(check_run(config, -1, strict=True).train) == 40


def test_labels_are_those_of_the_training_data_unless_given(config: Config) -> None:
    found = check_run(config, -1, strict=True).labels
    assert found
    given = [*found, "OTHER"]
    config["initialize"] = {"components": {"adak_ner": {"labels": given}}}
    assert check_run(config, -1, strict=True).labels == given


def test_labels_that_cannot_be_read(config: Config) -> None:
    reader = {"@readers": "spacy.read_labels.v1", "path": "no_such", "require": True}
    config["initialize"] = {"components": {"adak_ner": {"labels": reader}}}
    assert "no_such" in problems(config)


def test_labels_that_only_dev_has(config: Config, tmp_path: Path) -> None:
    docs = make_docs(10)
    ent = next(ent for doc in docs for ent in doc.ents)
    ent.doc.set_ents([ent.doc.char_span(ent.start_char, ent.end_char, label="SHIP")])
    DocBin(docs=docs).to_disk(tmp_path / "dev.spacy")
    assert "[A212] The dev data has entities with the label SHIP" in problems(config)


def test_incomplete_dev_documents_are_warned_of_and_left_out(
    config: Config, tmp_path: Path
) -> None:
    write_dev(tmp_path, complete=20, incomplete=3)
    with pytest.warns(UserWarning, match=r"\[W201\] 3 of the 23"):
        checked = check_run(config, -1, strict=False)
    assert len(checked.dev) == 20


def test_training_texts_that_were_drawn_for_dev_are_not_learnt_from(
    config: Config, tmp_path: Path
) -> None:
    train = check_run(config, -1, strict=False).train
    drawn = [doc.copy() for doc in train[:3]]
    for doc in drawn:
        doc.set_ents(list(doc.ents), default="outside")
        doc.user_data[SAMPLE_KEY] = {"weight": 1.0}
    write_docbin(tmp_path / "dev.spacy", [*drawn, *make_docs(20, seed=99)])
    with pytest.warns(UserWarning, match=r"\[W219\] 3 training texts"):
        checked = check_run(config, -1, strict=False)
    texts = {doc.text for doc in drawn}
    assert [d.text for d in checked.train] == [
        d.text for d in train if d.text not in texts
    ]


def test_incomplete_dev_documents_are_refused_if_strict(
    config: Config, tmp_path: Path
) -> None:
    write_dev(tmp_path, complete=5, incomplete=3)
    assert "[A216] 3 of the 8" in problems(config, strict=True)


def test_dev_data_without_an_entity(config: Config, tmp_path: Path) -> None:
    write_dev(tmp_path, complete=0, incomplete=0)
    listed = problems(config)
    assert "[A213]" in listed
    assert "adak sample" in listed
    # Who has no complete texts must not be told to state that they are.
    assert "--unlabelled outside" not in listed


@pytest.mark.parametrize("empty", [0, 5])
def test_incomplete_dev_data_is_used_by_its_likelihood(
    config: Config, tmp_path: Path, empty: int
) -> None:
    docs = make_docs(empty, seed=4)
    for doc in docs:
        doc.set_ents([], default="outside")
    incomplete = make_docs(3, keep=0.5, seed=5)
    DocBin(docs=[*docs, *incomplete]).to_disk(tmp_path / "dev.spacy")
    with pytest.warns(UserWarning, match=r"\[W211\].*likelihood of their annotation"):
        checked = check_run(config, -1, strict=False)
    assert len(checked.dev) == empty + 3
    assert not checked.dev_is_complete


def test_too_few_complete_dev_documents_are_said_to_be(
    config: Config, tmp_path: Path
) -> None:
    write_dev(tmp_path, complete=5, incomplete=3)
    with pytest.warns(UserWarning, match=r"\[W211\] 5 of the 8.*too few"):
        assert not check_run(config, -1, strict=False).dev_is_complete


def test_dev_texts_that_are_training_texts_are_warned_of(
    config: Config, tmp_path: Path
) -> None:
    dev = [*make_docs(9, seed=99), *make_docs(3)]
    DocBin(docs=dev).to_disk(tmp_path / "dev.spacy")
    with pytest.warns(UserWarning, match=r"\[W222\] 3 of the 12 dev texts"):
        check_run(config, -1, strict=False)


def test_without_dev_data_training_texts_are_set_apart(config: Config) -> None:
    total = len(check_run(config, -1, strict=False).train)
    config["paths"]["dev"] = None
    with pytest.warns(UserWarning, match=rf"\[W210\].*20 of the {total}"):
        checked = check_run(config, -1, strict=False)
    assert len(checked.dev) == 20
    assert len(checked.train) == total - 20
    assert not {d.text for d in checked.dev} & {d.text for d in checked.train}
    assert "[A216]" in problems(config, strict=True)


@pytest.mark.parametrize("corpus", ["train", "dev"])
def test_augmenter_that_removes_annotations(config: Config, corpus: str) -> None:
    config["corpora"][corpus]["augmenter"] = {
        "@augmenters": "spacy-adak.drop_entities.v1",
        "keep_ratio": 0.2,
    }
    listed = problems(config)
    assert "[A223] The augmenter 'spacy-adak.drop_entities.v1' removes" in listed
    assert f"annotations of the {corpus} data" in listed


def test_training_without_an_end(config: Config) -> None:
    config["training"].update(max_epochs=0, max_steps=0, patience=0)
    assert "[A224]" in problems(config)


def test_names_that_are_no_encoders_may_be_paths(config: Config) -> None:
    config["components"]["ruler"] = {"factory": "entity_ruler", "name": "./no/such"}
    assert check_run(config, -1, strict=False).labels


@pytest.mark.parametrize("name", ["./no/such", "/no/such", "no/such/folder"])
def test_missing_folder_of_an_encoder(config: Config, name: str) -> None:
    config["components"]["transformer"] = {
        "factory": "transformer",
        "model": {
            "@architectures": "spacy-transformers.TransformerModel.v3",
            "name": name,
        },
    }
    listed = problems(config)
    assert f"[A214] The folder '{name}'" in listed
    assert "components.transformer.model.name" in listed


def test_missing_folder_of_a_frozen_encoder(config: Config) -> None:
    encoder = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": "./no/such",
    }
    config["components"]["adak_ner"]["model"]["tok2vec"] = {
        "@layers": "concatenate.v1",
        "*": {
            "frozen": {
                "@architectures": "spacy-adak.FrozenEncoder.v1",
                "encoder": encoder,
            }
        },
    }
    setting = "components.adak_ner.model.tok2vec.*.frozen.encoder.name"
    assert f"'./no/such' of the encoder does not exist (setting {setting})" in problems(
        config
    )


def test_gpu_that_is_not_there(config: Config) -> None:
    assert "[A215]" in problems(config, use_gpu=0)


@pytest.mark.parametrize("section", ["nlp", "components", "corpora", "training"])
def test_missing_section(config: Config, section: str) -> None:
    del config[section]
    assert f"[A217] The config has no [{section}]" in problems(config)


def test_path_that_is_not_given(config: Config) -> None:
    config["paths"]["train"] = None
    assert "[A218] The path of the train data is not given" in problems(config)
    assert "--paths.train train.spacy" in problems(config)


def test_path_that_leads_nowhere(config: Config) -> None:
    config["paths"]["train"] = "nowhere.spacy"
    assert "'nowhere.spacy', which does not exist" in problems(config)


def test_override_for_a_path_without_a_variable(config: Config) -> None:
    config["corpora"]["train"]["path"] = "nowhere.spacy"
    del config["paths"]["train"]
    assert "--corpora.train.path" in problems(config)


def test_file_that_is_not_spacys(config: Config, tmp_path: Path) -> None:
    path = tmp_path / "train.spacy"
    path.write_text("text")
    assert f"[A220] The data can't be read: [A308] {path} " in problems(config)


def test_reader_that_is_not_there(config: Config) -> None:
    config["corpora"]["dev"] = {"@readers": "made_up.v1"}
    assert "[A220] The data can't be read: [E893]" in problems(config)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("loss", {"@losses": "crfs"}), ("threshold", "five"), ("scheme", "IOB")],
)
def test_invalid_value_of_the_component(
    config: Config, setting: str, value: Any
) -> None:
    config["components"]["adak_ner"][setting] = value
    assert "[A219]" in problems(config)
    assert setting in problems(config)


def test_unknown_architecture_beside_another_problem(config: Config) -> None:
    config["components"]["adak_ner"]["model"]["@architectures"] = "made_up.v1"
    listed = problems(config, use_gpu=0)
    assert "[A219]" in listed
    assert "made_up.v1" in listed
    assert "[A215]" in listed


def test_variable_that_does_not_exist(config: Config) -> None:
    config["training"]["dropout"] = "${system.dropout}"
    assert "[A219]" in problems(config)


@pytest.mark.parametrize("pipeline", [[], ["adak_ner", "other"]])
def test_number_of_components(config: Config, pipeline: list[str]) -> None:
    config["components"]["other"] = config["components"]["adak_ner"]
    config["nlp"]["pipeline"] = pipeline
    assert f"[A209] The config has {len(pipeline)} components" in problems(config)


def test_what_a_run_has_estimated_is_no_annotation(
    finished: FinishedRun, config: Config
) -> None:
    train = config["paths"]["train"]
    expected = stated(docs_of(train))
    completed = finished.folder / "train-completed.spacy"
    estimated = sum(len(d.ents) for d in docs_of(completed))
    estimated -= sum(len(d.ents) for d in docs_of(train))
    config["paths"]["train"] = str(completed)
    with pytest.warns(UserWarning, match=rf"\[W215\] {estimated} entities in"):
        checked = check_run(config, -1, strict=True)
    assert stated(checked.train) == expected


def docs_of(path: str | Path) -> list[Doc]:
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def stated(docs: list[Doc]) -> dict[str, list[tuple[int, int]]]:
    """What is stated of each token, by text."""
    return {doc.text: [(t.ent_iob, t.ent_type) for t in doc] for doc in docs}
