"""Every message a user can meet, with a code, the offending value and the remedy.

Codes: A0xx crf, A1xx pipeline and encoders, A2xx runs, A3xx data, A4xx report, A5xx
packaging and commands.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from thinc.api import ConfigValidationError


class WithCodes(type):
    """Prefix every message of a class with its own name: `[A001] ...`."""

    def __getattribute__(cls, code: str) -> Any:
        message = super().__getattribute__(code)
        if code.startswith("__") or not isinstance(message, str):
            return message
        return f"[{code}] {message}"


def describe(error: Exception) -> str:
    """RETURNS (str): What an error says, without the config that spaCy adds to it."""
    if isinstance(error, ConfigValidationError):
        error = ConfigValidationError.from_error(error, show_config=False)
    return str(error).strip()


def is_explained(error: Exception) -> bool:
    """RETURNS (bool): Whether an error says what is wrong with what the user gave: it
    has a code of this package or of spaCy, or it is about a config."""
    has_code = re.match(r"\[[AE]\d+\]", str(error)) is not None
    return has_code or isinstance(error, ConfigValidationError)


def refuse_unknown_keys(keys: Iterable[str], where: str, valid: Sequence[str]) -> None:
    """Raise for the first setting that does not exist, and name the nearest that does.

    Settings that no one reads would otherwise be dropped without a word.
    """
    for key in keys:
        if key not in valid:
            nearest = get_close_matches(key, valid, n=1)
            hint = f" Did you mean '{nearest[0]}'?" if nearest else ""
            raise ValueError(
                Errors.A102.format(
                    key=key, where=where, hint=hint, valid=", ".join(valid)
                )
            )


class Errors(metaclass=WithCodes):
    # crf
    A001 = "Unknown tag scheme '{scheme}'. Choose one of: {schemes}."
    A002 = (
        "Entity type '{type}' is empty or given more than once. Give every entity "
        "type once."
    )
    A003 = (
        "Tag '{right}' after '{left}' (token {position}) is not allowed in the "
        "{scheme} scheme. Correct the tags, check the scheme, or ask for "
        'illegal="repair" to read them as conlleval does.'
    )
    A004 = (
        "Entity {span} does not lie within a sentence of {length} tokens. Give token "
        "offsets with 0 <= start < end <= {length}."
    )
    A005 = (
        "Entity {span} overlaps another one. A tag sequence holds one entity per "
        "token: keep one of the two."
    )

    # pipeline
    A101 = (
        "Can't read the weights of the CRF: {error}. The file is damaged or not one of "
        "this component's: restore it from where you have it, or train again."
    )
    A102 = (
        "Unknown setting '{key}' for {where}.{hint} Valid settings: {valid}. Rename "
        "or remove it in the config, or on the command line."
    )
    A103 = (
        "'{span}' is annotated as {label} and ruled out as {label} by the span group "
        "'{key}', in the text '{text}'. Remove one of the two."
    )
    A104 = (
        "Invalid value {value!r} for the setting '{setting}' of {where}: expected "
        "{expected}."
    )
    A105 = (
        "The label '{label}' is annotated in the text '{text}', but the component "
        "'{name}' was not initialized with it. Its labels are: {labels}. Add it with "
        "add_label before you train, or initialize with examples that have it."
    )
    A106 = (
        "The model of the component '{name}' gives values that are not finite for "
        "the text '{text}'. Training has diverged or the weights are damaged: lower "
        "the learning rate, or load the pipeline anew."
    )
    A107 = (
        "The component '{name}' can't be rehearsed. Mix examples that the pipeline "
        "already gets right into its training data, or exclude it: "
        "nlp.rehearse(..., exclude=['{name}'])."
    )
    A108 = (
        "The optimizer has use_averages = true, but averages are not kept for a "
        "transformer that is trained with '{name}', so that predictions would mix "
        "averaged and plain weights. Set use_averages = false in [training.optimizer], "
        "or pass use_averages=False to the optimizer you make yourself."
    )
    A109 = (
        "The model of the component '{name}' is damaged or not its own: its checksum "
        "is {found}, and the one written down with it is {expected}. Restore the "
        "pipeline from where you have it, or train again."
    )
    A110 = (
        "The model of the component '{name}' has the tags {found}, but its "
        "settings ask for {expected}. Load it with the config it was trained with."
    )
    A111 = (
        "Annotation and model allow no common path for the text '{text}' in the "
        "component '{name}'. Check the entities and the span group of ruled out spans."
    )

    A112 = (
        "The estimate for the text '{text}' is for {found} tokens, but the text has "
        "{expected}. Train with the tokenizer that the estimate was made with, and "
        "without augmenters that change the number of tokens."
    )
    A113 = (
        "The component '{name}' learns by RatioLoss, but there is no target: target is "
        "null, and no training text with an entity is annotated completely, so that it "
        "can't be estimated. Set target to the share of tokens that you expect to be "
        "part of an entity, for instance 0.15, or train with "
        "`python -m spacy adak train`, which needs no complete text."
    )
    A114 = (
        "The component '{name}' learns by MissingLoss, but annotation_recall is null, "
        "and no training text with an entity is annotated completely, so that it can't "
        "be estimated. Set annotation_recall to the share of entities that you expect "
        "to be annotated, for instance 0.3, or train with "
        "`python -m spacy adak train`, which needs no complete text."
    )
    A115 = (
        "The estimate for the text '{text}' is for {found} tags, but the component "
        "'{name}' has {expected}. Train with the labels and the scheme that the "
        "estimate was made with."
    )
    A116 = (
        "The model of the component '{name}' gives values that are not finite to moves "
        "between tags. Training has diverged or the weights are damaged: lower the "
        "learning rate, or load the pipeline anew."
    )
    A117 = (
        "Can't read the file 'cfg' of the component '{name}': {error}. Restore the "
        "pipeline from where you have it, or train again."
    )
    A118 = (
        "Settings of {where} have moved: {moved}. docs/configuration.md lists all "
        "settings; `python -m spacy adak init-config` writes a config with them. In "
        "the config.cfg of a saved pipeline they can be moved as well."
    )
    A119 = (
        "The estimate for the text '{text}' has scores of moves in the shape {found}, "
        "but those of the component '{name}' have {expected}. It was made by another "
        "version of this package or another model: estimate again."
    )
    A120 = (
        "The component '{name}' has annotate_ents = false and spans_key = null, so "
        "there is no place for what it finds. Change one of the two."
    )
    A121 = (
        "The frozen encoder '{encoder}' listens to another component, which may be "
        "trained and gives its rows only once per batch. Give FrozenEncoder an encoder "
        "of its own, such as spacy-transformers.TransformerModel.v3 or "
        "spacy.HashEmbedCNN.v2; or put FrozenEncoder into the component that is "
        "listened to."
    )
    A122 = (
        "layers = {layers} is given for the frozen encoder '{encoder}', which is no "
        "transformer with layers to choose from. Remove the setting, or use the "
        "architecture spacy-transformers.TransformerModel.v3 as encoder."
    )
    A123 = (
        "layers = {layers} is no choice of layers of the frozen transformer. Give one "
        'or more of: {valid}, for instance [-3, -2, -1], or "middle".'
    )
    A124 = (
        "The frozen encoder gives {found} rows for the {expected} tokens of the text "
        "'{text}'. If it is a transformer, choose a get_spans that leaves out no "
        "token, such as spacy-transformers.strided_spans.v1."
    )
    A125 = (
        "The model was saved without its frozen encoder, which is not in '{folder}' "
        "(setting 'shared' of FrozenEncoder). Models of the rounds of a run are saved "
        "like that: load the model-best or model-last of the run, which have "
        "everything, or put the folder back."
    )
    A130 = (
        "A BiLSTM has two directions of the same width, so its width must be even and "
        "at least 2, but is {width}. Change `width` in the config."
    )
    A131 = (
        "Can't read the weights of the network: {error}. The file is damaged, or of "
        "another width or depth: load it with the config it was trained with."
    )
    A132 = (
        "WordFeatures needs one or more attributes, and for each of them how many rows "
        "its table has; but there are attrs = {attrs} and rows = {rows}."
    )
    A133 = (
        "The folder '{folder}' (setting 'shared' of FrozenEncoder) holds another "
        "encoder: {found}, and not {expected}. Name another folder, or remove this one "
        "if nothing needs it."
    )
    A134 = (
        "Can't load the frozen encoder '{name}': {error}. Give the path of a folder "
        "with a saved model, or the name of a model on the hub."
    )
    A135 = (
        "Invalid value {value!r} for the setting '{setting}' of {architecture}: "
        "expected a whole number not below {lowest}."
    )
    A139 = (
        "The encoder '{encoder}' can't be reduced: that is for a transformer of "
        "spacy-transformers. Remove the setting 'reduced' of FrozenEncoder."
    )

    # run
    A201 = (
        "Invalid values in [adak]: {problems}. `python -m spacy adak init-config` "
        "writes a valid one."
    )
    A202 = (
        "Another run is at work in '{path}'. Wait for it to end, stop it, or choose "
        "another output folder."
    )
    A203 = (
        "'{path}' holds a run that was not finished ({where}). Go on with it with "
        "--resume, publish its best model so far with --finish, or choose another "
        "output folder."
    )
    A204 = (
        "Can't resume in '{path}': {why}. Start a new run without --resume in another "
        "output folder, or remove this one."
    )
    A205 = (
        "Can't write to '{path}': {error}. Make room or get the right to write there. "
        "What was finished before is intact: go on with --resume."
    )
    A206 = "The task '{task}' failed{again}. Its log is '{log}' and ends with:\n{tail}"
    A207 = "Can't train with this config and data:\n{problems}"
    A208 = (
        "The executor 'ray' needs the package ray. Install it with: "
        "pip install 'spacy-adak[ray]', or use --adak.executor joblib."
    )
    A209 = (
        "The config has {count} components made by the factory 'adak_ner' ({names}). "
        "Give the pipeline one: `python -m spacy adak init-config` writes one."
    )
    A210 = "No entity is annotated in the training data '{path}'."
    A211 = (
        "The training data has {count} distinct texts, too few for {folds} folds. "
        "Give more texts, or set --adak.folds to a smaller number."
    )
    A212 = (
        "The dev data has entities with the label {labels}, and the training data "
        "none. Annotate some in the training data, or take the label out of dev."
    )
    A213 = (
        "No entity of the dev data is annotated, so that no best model can be chosen "
        "by it. Leave it out (paths.dev = null): `adak train` then sets a part of the "
        "training texts apart. Better than that are some 50 texts with all of their "
        "entities annotated: `python -m spacy adak sample` draws them."
    )
    A214 = (
        "The folder '{path}' of the encoder does not exist (setting {setting}). Give "
        "the path of a folder with a saved model, or the name of a model on the hub."
    )
    A215 = (
        "A GPU is asked for (--gpu-id {gpu}), but there is none to be used: {error}. "
        "Leave out --gpu-id to use the CPU."
    )
    A216 = (
        "{count} of the {total} dev documents are not annotated completely, which "
        "--strict refuses. Complete them, or take them out of the dev data."
    )
    A217 = (
        "The config has no {sections}. `python -m spacy adak init-config` writes a "
        "config with all sections."
    )
    A218 = (
        "The path of the {corpus} data is {why}. Give the path of a .spacy file: "
        "{option} {corpus}.spacy"
    )
    A219 = "The pipeline can't be made from the config: {error}"
    A220 = "The data can't be read: {error}"
    A221 = (
        "There is no language '{lang}' in spaCy: {error} Give a code such as en or zh, "
        "or xx for any language whose words are set apart by spaces."
    )
    A222 = (
        "'{path}' is not from a run of `adak train`, which would write its own there. "
        "Choose another output folder, best an empty one."
    )
    A223 = (
        "The augmenter '{augmenter}' of the {corpus} data removes annotations as they "
        "are read, but what is unknown is estimated from the data as it is. Remove "
        "them before: `python -m spacy adak corrupt` writes such data."
    )
    A224 = (
        "Nothing in [training] would ever end a training. Set max_epochs, max_steps or "
        "patience, for instance: --training.max_epochs 10"
    )
    A225 = (
        "No round of the run in '{path}' is finished, so there is no model to publish. "
        "Go on with it with --resume."
    )
    A226 = (
        "Can't go on with the run in '{path}', which was begun with other settings:\n"
        "{changes}\n"
        "Give them the values from before, or start a new run in another output "
        "folder. Only rounds, patience, where folds are trained and the logger may "
        "change."
    )
    A227 = (
        "Can't write to '{path}': {error}. Make room or get the right to write there. "
        "The run had not begun: give the same command again."
    )
    A228 = (
        "Processes of a run that was killed are still at work in '{path}'. End them, "
        "or wait until they have ended, and give the command again."
    )
    A232 = (
        "There is no recipe '{recipe}' for a config: it is {recipes}. See "
        "docs/recipes.md."
    )
    A233 = (
        "adak.start.frozen_encoder is true, but '{name}' does not listen to a "
        "transformer whose model is in the config. Leave the setting out, or give the "
        "config such a transformer, as `python -m spacy adak init-config --gpu` does."
    )
    A230 = (
        "How many of the entities are annotated can't be estimated: too few are. "
        "Annotate some 50 texts completely (`python -m spacy adak sample` draws them), "
        "give two annotators the same texts, or state it as annotation_recall."
    )

    A234 = (
        "Can't read the config '{path}': {error}. Give a config in UTF-8, such as "
        "`python -m spacy adak init-config` writes."
    )

    A240 = "The guesser '{name}' can't be used: {error}"
    A241 = (
        "The guesser '{name}' knows the labels {found}, none of which is in the "
        "training data ({labels}). Say which of them stands for which by its setting "
        "labels: {{{example!r}: {label!r}}}"
    )
    A242 = (
        "The guesser '{name}' is '{path}', which the run replaces. Move that pipeline, "
        "or give another output folder."
    )
    A243 = (
        "There are guessers, but nothing looks at them: they need a loss that uses q "
        '(WeightedLoss or AdaKLoss), and learn_from = "missing", "forms" or "guesses" '
        "in [adak.start]."
    )
    A244 = (
        "The guesser '{name}' gives spans of another text than that which starts "
        "'{text}'. Have it give spans of the document it is asked about."
    )
    A245 = (
        "The guesser '{name}' has the name of a span group of the data ('{group}'). "
        "Give one of the two another name."
    )

    # data
    A300 = (
        "{problem} The conversion is strict, so it stops here and writes nothing. "
        "Correct the file, or leave out --strict to report and go on."
    )
    A301 = (
        "{path}, line {line}: byte {byte:#04x} is not valid UTF-8. Save the file as "
        "UTF-8, for instance with `iconv -f <encoding> -t UTF-8`."
    )
    A302 = (
        "What does a token without a label mean in {path}? Say so by --unlabelled: "
        "'missing' if annotators may have skipped entities (unlabelled is unknown), "
        "'outside' if all entities are annotated (unlabelled is not an entity)."
    )
    A303 = (
        "{path} does not exist, or is a directory without files of the format. Give a "
        "file, or a directory with files whose suffix is one of the format."
    )
    A304 = (
        "Token and tag cannot both be in column {column}. Give two columns, counted "
        "from 0, or from the end by negative numbers."
    )
    A305 = (
        "The {kind} {value!r} of the document that starts '{text}' holds a tab or a "
        "line end, which a column file cannot hold. Tokenize the text so that "
        "whitespace stands alone, rename the label, or write another format."
    )
    A306 = (
        "{path} does not hold a JSON array. Export it again as JSON (from Label Studio "
        "as JSON or JSON-MIN), or say what it is by --converter."
    )
    A307 = (
        "{path}, line {line}: not valid JSON ({error}). What follows cannot be read "
        "either: export the file again, or correct it there."
    )
    A308 = (
        "{path} cannot be read as spaCy's DocBin ({error}). Give a .spacy file: "
        "`python -m spacy adak convert` makes one, and is told by --converter what it "
        "is to read."
    )
    A309 = (
        "Cannot tell the format of {path} by its name. Choose one of {formats} by "
        "{option}."
    )
    A310 = "Unknown {name} '{value}'. Choose one of: {choices}."
    A311 = (
        "No documents could be read from {path} as {format} ({skipped} records "
        "skipped, {set_aside} set aside by annotators), so nothing is written. Check "
        "the format (--converter) and its options.{problem}"
    )
    A312 = (
        "Cannot make a tokenizer for language '{lang}' ({error}). Install what it "
        "needs, or give the code of another language that spaCy knows, such as en, or "
        "zh for Chinese by character."
    )
    A313 = (
        "The share of entities to keep is {ratio}, but has to be a number from 0 "
        "(keep none) to 1 (keep all)."
    )
    A314 = (
        "There are no entities in {path}, so there is nothing to remove. Give "
        "annotated documents."
    )
    A315 = (
        "{path} is an input itself, or would be written twice. Give another output, or "
        "files whose names differ by more than the suffix."
    )
    A316 = (
        "{path} is a directory, whose files are converted each by itself, but {output} "
        "is the name of a file. Give a directory as output; one with a dot in its name "
        "has to be made before."
    )

    A317 = (
        "No annotator is called '{name}'. --annotators takes union, intersection, "
        "majority or one of the names in the data: {names}."
    )
    A318 = (
        "The tags in {path} are numbers, such as {tag}, and nothing says what they "
        "stand for. Give their names in order, or a file that has them, by --labels: "
        "--labels O,B-PER,I-PER"
    )
    A319 = (
        "The tag {tag} in {path} is none of the {count} labels ({names}). Give the "
        "names of all tags in order by --labels."
    )
    A320 = (
        "{path} (option --labels) holds no list of names. Give a file with a JSON list "
        "of strings or with a name a line, or the names with commas between them."
    )
    A321 = (
        "Reading {path} needs pyarrow. Install it with: pip install pyarrow, or save "
        "the dataset as JSONL: dataset.to_json('train.jsonl')"
    )
    A322 = (
        "{path} cannot be read as Parquet ({error}). Save the dataset again, or say "
        "what the file is by --converter."
    )
    A323 = (
        "{path} has annotations, but their text is not there ({text_path}). Put it "
        "beside the annotations."
    )
    A324 = (
        "{path} is a JSON array, but exports of Prodigy have a record a line. Export "
        "it again by `prodigy db-out`, or write it as JSONL: jq -c '.[]'"
    )
    A325 = (
        "{path} would hold {count:,} tokens, more than a .spacy file can. Convert the "
        "data in several files to a directory."
    )
    A326 = (
        "--complete-types {types} says that entities of other types may be missing, "
        "and --unlabelled outside that none is. Give one of the two."
    )
    A327 = (
        "--map {value} does not say which label becomes which. Write OLD=NEW for all "
        "files, or FILE:OLD=NEW for one of {files}."
    )
    A328 = (
        "--map names {labels} of {path}, which has no such label (it has {known}). "
        "Correct the name."
    )
    A329 = (
        "{first} and {second} have the same text ('{text}') in different tokens, so "
        "that what is known of it can't be put together. Convert both with the same "
        "--lang, or leave one of them out."
    )

    # report
    A400 = (
        "No evaluation data in {path}. Give a .spacy file with annotated documents; "
        "`python -m spacy adak convert` makes one from other formats."
    )
    A401 = (
        "Every token of {path} is missing its annotation, so there is nothing to "
        "score against. Give documents whose entities are annotated."
    )
    A402 = (
        "Can't load the pipeline '{model}' ({error}). Give the name of an installed "
        "pipeline, or the directory of a whole one, such as 'training/model-best'."
    )
    A403 = (
        "No suggestions in {path}. Give a JSONL file with a suggestion a line: a text, "
        "start, end, label, form, kind and score.{problem}"
    )
    A404 = (
        "There is no run in '{path}'. Give the output folder of `adak train`: it has "
        "config.cfg and corpus."
    )
    A405 = (
        "The run in '{path}' has not finished its first round, so there is nothing to "
        "report yet. Wait for it, or go on with it by `adak train --resume`."
    )
    A410 = (
        "No text to draw: all are annotated completely, or there is none. Give texts "
        "that are not."
    )
    A411 = "--with-suggestions needs a pipeline that suggests. Name one by --model."
    A412 = (
        "No prediction to draw from {path}: the pipeline finds nothing there, or the "
        "annotation says of all that it finds whether it is right. Give texts that are "
        "annotated incompletely, or not at all."
    )
    A413 = (
        "--predictions needs a pipeline whose predictions are drawn. Name one by "
        "--model."
    )
    A414 = (
        "--{option} is for texts that are drawn to be annotated, not for predictions. "
        "Leave out --{option}, or --predictions."
    )
    A415 = (
        "{path} has no predictions drawn at random. Only these tell the precision of "
        "all predictions: those of `adak suggest` are asked about because the model is "
        "unsure of them. Draw some by `python -m spacy adak sample --predictions`."
    )
    A416 = (
        "{path} was drawn from other predictions: {stratum} had {size:,}, and the "
        "pipeline makes {now:,} of them now. Give the pipeline and the data that "
        "`adak sample` was given, or draw again."
    )
    A417 = (
        "No decision in {decisions} is about a prediction in {sample}. Give the "
        "decisions that the page of `adak review {sample}` saves."
    )
    A418 = "--sample and --decisions belong together: give both, or neither."

    # review
    A450 = (
        "Invalid value {value!r} for --{setting}: expected a probability from 0 to 1, "
        "for the threshold above 0."
    )
    A451 = (
        "There are no texts in {path}. Give the texts that suggestions are to be made "
        "for, best the train-completed.spacy of a run of `adak train`."
    )
    A452 = (
        "The pipeline has {count} components made by the factory 'adak_ner' (its "
        "components are: {names}). Give a pipeline that has one, such as the "
        "model-best of `adak train`."
    )
    A453 = (
        "No decision could be read from {path}.{problem} Give the JSONL file that the "
        "page of `adak review` saves."
    )

    # packaging and commands
    A500 = (
        "'{path}' holds no pipeline: {error}. Give the directory of a trained "
        "pipeline, such as 'training/model-best'."
    )
    A501 = (
        "'{name}' can't be the name of a package and of a module at once. Give a name "
        "of ASCII letters, digits and underscores, such as 'adak_conll'."
    )
    A502 = (
        "There is a package in '{path}'. Give another name or version, or --force to "
        "overwrite it."
    )
    A503 = (
        "The package can't be built. `pip install 'setuptools>=70.1'` if that is what "
        "is missing. setuptools says:\n{tail}"
    )
    A504 = (
        "Can't read or write '{path}': {why}. Give another path, or see that it is a "
        "folder where one is needed and that you may read and write there."
    )
    A505 = (
        "'{path}' (option {option}) does not hold a JSON object. Give a file with "
        "{content}."
    )
    A506 = (
        "{paths}, with --name and --version, make no valid meta of a pipeline: "
        "{problems}. Correct or remove these entries."
    )
    A507 = (
        "The package can't be put into the pipeline itself ('{path}'). Give an output "
        "folder that is not within it, such as 'packages'."
    )


class Warnings(metaclass=WithCodes):
    # pipeline
    W101 = (
        "The component '{name}' found no entity in the examples it was initialized "
        "with, and has no labels. It will find no entities. Add labels with add_label, "
        "or check that the entities of your data align with its tokens."
    )
    W102 = (
        "The component '{name}' comes after {earlier} in the pipeline. Entities set "
        "there are facts to '{name}': it finds nothing in their place, and its scores "
        "are those of both. Put it in their place or before them, or set annotate_ents "
        "= false to have its entities in its span group alone: docs/pipelines.md shows "
        "how."
    )
    W103 = (
        "Texts come to the component '{name}' with entities, such as '{entity}' "
        "({label}). They are facts to it, so it finds nothing in their place. If a "
        "component such as `ner` has set them, put '{name}' in its place or before it, "
        "or set annotate_ents = false to have its entities in its span group alone: "
        "docs/pipelines.md shows how. If rules or people have set them, all is well."
    )
    W120 = (
        "Can't write down what the frozen encoder says of a text: {error}. Training "
        "goes on, but the encoder runs again whenever it meets this text and others "
        "that are new. Make room or get the right to write there; what memory_limit_mb "
        "does not hold goes to the folder for temporary files."
    )
    W121 = (
        "Can't put the frozen encoder into its shared folder: {error}. Training goes "
        "on without that folder. Make room or get the right to write there, or name "
        "another by the setting 'shared' of FrozenEncoder."
    )
    W122 = (
        "The frozen transformer reads {limit} word pieces at once, and a window of the "
        "text '{text}' has more. Tokens of it, such as '{token}', have nothing but "
        "zeros. Lower the window and stride of get_spans, for instance to 96 and 72."
    )

    # run
    W201 = (
        "{count} of the {total} dev documents are not annotated completely and are "
        "left out when models are scored: what is found there can't be called wrong."
    )
    W215 = (
        "{count} entities in '{path}' were estimated, not annotated: they are not "
        "learnt from, and their tokens are unknown. A person can make facts of them: "
        "see `python -m spacy adak review`."
    )
    W204 = (
        "{count} spans of the training data are ruled out by the span group '{key}', "
        "but the component does not look at it. To learn from them: "
        "--components.{component}.incorrect_spans_key {key}"
    )
    W217 = (
        "Round {round}: the models of these folds find no entity of dev: {folds}. What "
        "they say of the texts they have not seen would teach that these have no "
        "entities, so q is that of the other fold models. Train longer "
        "(training.max_epochs), begin with models that look for unmarked entities "
        '(adak.start.learn_from = "forms"), or let the CRF over a transformer learn '
        "faster (learn_rate_factor)."
    )
    W218 = (
        "Round {round}: none of the fold models finds an entity of dev, so q has "
        "hardly more than what is annotated. Train longer (training.max_epochs), begin "
        "with models that look for unmarked entities (adak.start.learn_from = "
        '"forms"), or let the CRF over a transformer learn faster '
        "(learn_rate_factor)."
    )
    W216 = (
        "The training data has guesses of other models ({names}), but nothing looks at "
        "them: they need a loss that uses q (WeightedLoss or AdaKLoss), and "
        'learn_from = "missing", "forms" or "guesses" in [adak.start].'
    )
    W210 = (
        "No dev data is given: {count:,} of the {total:,} training texts are set "
        "apart, and models are chosen by the likelihood of their annotation. Scores "
        "are corrected for what nobody has marked, and rough. Some 50 texts with all "
        "of their entities annotated tell more (`python -m spacy adak sample` draws "
        "them), and a full dev set tells most."
    )
    W211 = (
        "None of the {count:,} dev documents with entities is annotated completely, "
        "so models are chosen by the likelihood of their annotation. Scores are "
        "corrected for what nobody has marked, and rough. Some 50 texts with all of "
        "their entities annotated tell more (`python -m spacy adak sample` draws "
        "them). Never convert incomplete texts with --unlabelled outside."
    )

    # data
    W301 = (
        "'{tag}' is no tag of the {scheme} scheme: token '{token}' is taken as "
        "unknown. Check the tag column and the scheme."
    )
    W302 = (
        "no token in column {token_column} or no tag in column {tag_column} of the "
        "{count} columns of this line: the sentence is left out."
    )
    W303 = (
        "The file marks its documents, so sentences are not grouped by {n_sents}. "
        "Remove the -DOCSTART- lines to group them."
    )
    W304 = "the token is blank: the line is left out."
    W305 = "not valid JSON ({error}): the line is left out."
    W306 = "a JSON {type} where an object is expected: the record is left out."
    W307 = (
        "'{right}' after '{left}' (token '{token}') is not allowed in the {scheme} "
        "scheme: read as conlleval does."
    )
    W308 = "span {span} is not made of two whole numbers and a label: {outcome}."
    W309 = (
        "span {span} is blank or does not lie within the text of {length} characters: "
        "{outcome}."
    )
    W310 = "span {span} covers {found!r}, but its own text is {stated!r}: {outcome}."
    W311 = (
        "span {span} fits its own text if it counts UTF-16 units, so it is read like "
        "that."
    )
    W312 = "span {span} covers whitespace at an edge ({text!r}): it is trimmed."
    W313 = (
        "span {span}, '{text}', does not start and end at token bounds: "
        "{outcome}. --alignment-mode can move entities."
    )
    W314 = (
        "span {span}, '{text}', does not start and end at token bounds: with "
        "--alignment-mode {mode} it becomes '{found}'."
    )
    W315 = (
        "entity {left_out} overlaps {kept}: the longer or earlier one is kept, other "
        "tokens are unknown."
    )
    W316 = "'{text}' is both a {label} and ruled out as {label}: the entity is kept."
    W317 = (
        "no text under the key '{key}' (keys: {keys}): the record is left out. "
        "--text-key names another key."
    )
    W319 = (
        "'missing' stretch {span} does not lie within the text of {length} "
        "characters: the whole text is taken as unknown."
    )
    W320 = (
        "answer '{answer}' is none of accept, reject and ignore: the record is left "
        "out."
    )
    W321 = (
        "a rejected decision that shows {count} spans does not say which of them is "
        "wrong: the record is left out."
    )
    W322 = "this decision on {span} contradicts the one of line {line}: the last holds."
    W323 = "{count} annotations by {name}: the last one is taken."
    W324 = (
        "a region of type '{type}' has no character offsets into plain text: it is "
        "left out and the whole text is taken as unknown."
    )
    W325 = "a region with the labels {labels}: only {kept} is kept."
    W326 = (
        "{count} documents have missing tokens, or spans that nobody has decided on, "
        "beside tokens stated to be outside entities. The {format} format cannot tell "
        "them apart: write spacy, conll or spans to keep that."
    )
    W327 = (
        "{count} ruled-out spans are not written, for the {format} format has no place "
        "for them: write spacy, spans or prodigy to keep them."
    )
    W328 = (
        "The text looks Chinese or Japanese, but --lang is '{lang}', which sets spaces "
        "between tokens. Give --lang zh for Chinese by character."
    )
    W329 = "No entities in {path}. Check the format (--converter) and its options."
    W330 = (
        "character {position} of the text, {half!r}, is one half of a surrogate pair, "
        "as of an emoji that was cut in two: the record is left out. Remove it from "
        "the text, or cut the text elsewhere."
    )
    W331 = (
        "the text has {length:,} characters, more than the {max_length:,} that spaCy "
        "tokenizes: the record is left out. Split it into several."
    )
    W332 = "entity {span} is listed more than once: it counts once."
    W333 = (
        "origin {origin!r} of a span is none of {origins}: the span is taken as "
        "guessed, and its tokens are unknown."
    )
    W335 = (
        "no lists of tokens and tags (keys: {keys}): the row is left out. They are "
        "looked for under tokens and ner_tags."
    )
    W336 = (
        "{tokens} tokens and {tags} tags, or tokens that are no strings: the row is "
        "left out."
    )
    W337 = "the text is blank: the record is left out."
    W338 = "a sentence whose tokens are no objects with an 'orth' is left out."
    W339 = (
        "{span} is in {count} pieces, which spaCy's entities cannot be: it is left out "
        "and its tokens are unknown."
    )
    W334 = (
        "{count} estimated or guessed spans are not written, and their tokens are "
        "unknown, for the {format} format can't tell them from annotated ones: write "
        "spacy, spans, prodigy or label-studio to keep them."
    )
    W340 = (
        "{span} under adak_complete does not say which tokens of the text, of {length} "
        "characters, are complete for which type: it is left out."
    )
    W341 = (
        "adak_complete is left out, for something else in the record could not be read "
        "as it stands and may be an entity of these types."
    )
    W342 = (
        "{path} is said to be complete for {labels} by --complete-types, but has no "
        "such entity (its types: {types}). Check the names, unless there is none in "
        "fact."
    )
    W343 = (
        "For which types {count} documents are complete is not written, for the "
        "{format} format has no place for it: write spacy, spans, prodigy, doccano or "
        "label-studio to keep that."
    )
    W344 = (
        "{path} has {count} documents without any unknown token, so they state that "
        "there is no {labels} either. If they were annotated for their own types only, "
        "say so: `adak convert --unlabelled missing --complete-types` with these types."
    )
    W345 = (
        "annotations under {keys}, and none under {own}, where they are looked for: "
        "they are not read, and the whole text is taken as unknown. If all records are "
        "like that, --converter says which format it is."
    )
    W346 = (
        "no '{key}', so that the record says nothing about entities: the whole text is "
        "taken as unknown."
    )
    W350 = "not in the form that is expected here ({problems}): the line is left out."
    W351 = "the same suggestion as in line {line}: the line is left out."

    # report
    W400 = (
        "{judged:,} of {drawn:,} predictions that were drawn are judged. The estimate "
        "holds if it was left to chance which: go through the page from its beginning."
    )
    W401 = "{missing:,} of {tokens:,} gold tokens in {path} have no annotation. {note}"
    W402 = (
        "The report on the run can't be written: {error}. The models are there. Try "
        "again by `python -m spacy adak report {path}`."
    )
    W403 = (
        "{labels} can't be scored: {path} is not complete for it anywhere. Other types "
        "are scored where it is."
    )
    W410 = (
        "Predictions on tokens without annotation are not counted here, so that "
        "precision and F1 look better than they are. Never compare models by them."
    )
