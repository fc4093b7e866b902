"""Every message a user can meet, with a code, the offending value and the remedy.

Codes: A0xx crf, A1xx pipeline and encoders, A2xx runs, A3xx data, A4xx report, A5xx
packaging and commands.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from thinc.api import ConfigValidationError

# What a terminal obeys instead of showing it, and halves of characters, which can't be
# written at all.
_UNPRINTABLE = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]")


def printable(text: str, longest: int = 1000) -> str:
    """Make a message printable that quotes data.

    text (str): The message.
    longest (int): How many characters are shown. Of more, the middle is left out.
    RETURNS (str): It, with escapes for control characters and halves of characters.
    """
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]} ... {text[-half:]}"
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


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
        "Can't read the weights of the CRF: {error}. The file is damaged or belongs to "
        "another component. Restore it from a backup, or train again."
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
        "The model of the component '{name}' gives values that are not finite for the "
        "text '{text}'. Training has diverged or the weights are damaged. Lower the "
        "learning rate, or load the pipeline again."
    )
    A107 = (
        "The component '{name}' can't be rehearsed. Mix examples that the pipeline "
        "already gets right into its training data, or exclude it: "
        "nlp.rehearse(..., exclude=['{name}'])."
    )
    A108 = (
        "The optimizer has use_averages = true, but no averages are kept for a "
        "transformer that is trained with '{name}', so predictions would mix averaged "
        "and plain weights. Set use_averages = false in [training.optimizer], or pass "
        "use_averages=False to the optimizer you make yourself."
    )
    A109 = (
        "The model of the component '{name}' is damaged or belongs to another "
        "pipeline: its checksum is {found}, but {expected} was saved with it. Restore "
        "the pipeline from a backup, or train again."
    )
    A110 = (
        "The model of the component '{name}' has the tags {found}, but its "
        "settings ask for {expected}. Load it with the config it was trained with."
    )
    A111 = (
        "No tag path for the text '{text}' agrees with both the annotation and the "
        "model of the component '{name}'. Check the entities and the span group of "
        "ruled-out spans."
    )

    A112 = (
        "The estimate for the text '{text}' has {found} tokens, but the text has "
        "{expected}. Train with the tokenizer the estimate was made with, and without "
        "augmenters that change the number of tokens."
    )
    A113 = (
        "The component '{name}' learns by RatioLoss, but target is null and can't be "
        "estimated, because no training text with an entity is annotated completely. "
        "Set target to the share of tokens that you expect to be part of an entity, "
        "for instance 0.15, or train with `python -m spacy adak train`, which needs no "
        "complete text."
    )
    A114 = (
        "The component '{name}' learns by MissingLoss, but annotation_recall is null "
        "and can't be estimated, because no training text with an entity is annotated "
        "completely. Set annotation_recall to the share of entities that you expect to "
        "be annotated, for instance 0.3, or train with `python -m spacy adak train`, "
        "which needs no complete text."
    )
    A115 = (
        "The estimate for the text '{text}' has {found} tags, but the component "
        "'{name}' has {expected}. Train with the labels and the scheme the estimate "
        "was made with."
    )
    A116 = (
        "The transition scores of the component '{name}' are not finite. Training has "
        "diverged or the weights are damaged. Lower the learning rate, or load the "
        "pipeline again."
    )
    A117 = (
        "Can't read the file 'cfg' of the component '{name}': {error}. Restore the "
        "pipeline from a backup, or train again."
    )
    A118 = (
        "Settings of {where} have moved: {moved}. Change them in the config, or in the "
        "config.cfg of a saved pipeline. docs/configuration.md lists all settings, and "
        "`python -m spacy adak init-config` writes a config with them."
    )
    A119 = (
        "The estimate for the text '{text}' has transition scores of shape {found}, "
        "but the component '{name}' expects {expected}. It was made by another version "
        "of this package or by another model. Run `python -m spacy adak train` again."
    )
    A120 = (
        "The component '{name}' has annotate_ents = false and spans_key = null, so it "
        "has nowhere to write its entities. Change one of the two."
    )
    A121 = (
        "The frozen encoder '{encoder}' listens to another component. That component "
        "may be trained, and gives its vectors only once per batch. Give FrozenEncoder "
        "an encoder of its own, such as spacy-transformers.TransformerModel.v3 or "
        "spacy.HashEmbedCNN.v2, or put FrozenEncoder into the component that is "
        "listened to."
    )
    A122 = (
        "layers = {layers} is set for the frozen encoder '{encoder}', which is not a "
        "transformer with layers to choose from. Remove the setting, or use the "
        "architecture spacy-transformers.TransformerModel.v3 as encoder."
    )
    A123 = (
        "layers = {layers} is not a valid choice of layers for the frozen transformer. "
        'Give one or more of: {valid}, for instance [-3, -2, -1], or "middle".'
    )
    A124 = (
        "The frozen encoder gives {found} vectors for the {expected} tokens of the "
        "text '{text}'. If it is a transformer, choose a get_spans that covers every "
        "token, such as spacy-transformers.strided_spans.v1."
    )
    A125 = (
        "The model was saved without its frozen encoder, and the encoder is not in "
        "'{folder}' (setting 'shared' of FrozenEncoder). The models of single rounds "
        "are saved this way. Load model-best or model-last of the run, which contain "
        "the encoder, or restore the folder."
    )
    A130 = (
        "A BiLSTM has two directions of the same width, so its width must be even and "
        "at least 2. It is {width}. Change `width` in the config."
    )
    A131 = (
        "Can't read the weights of the network: {error}. The file is damaged, or has "
        "another width or depth. Load it with the config it was trained with."
    )
    A132 = (
        "WordFeatures needs at least one attribute, and a number of rows for each. It "
        "has attrs = {attrs} and rows = {rows}. Make both lists equally long."
    )
    A133 = (
        "The folder '{folder}' (setting 'shared' of FrozenEncoder) holds another "
        "encoder: {found} instead of {expected}. Choose another folder, or remove this "
        "one if nothing needs it."
    )
    A134 = (
        "Can't load the frozen encoder '{name}': {error}. Give the path of a folder "
        "with a saved model, or the name of a model on the hub."
    )
    A135 = (
        "Invalid value {value!r} for the setting '{setting}' of {architecture}: "
        "expected a whole number not below {lowest}."
    )
    A136 = (
        "FrozenEncoder has the setting '{setting}', but its encoder '{encoder}' is not "
        "one of spacy-curated-transformers. Remove the setting: other encoders say "
        "themselves where their weights are."
    )
    A139 = (
        "The encoder '{encoder}' can't be reduced, because it is not a transformer of "
        "spacy-transformers. Remove the setting 'reduced' of FrozenEncoder."
    )

    # run
    A201 = (
        "Invalid values in [adak]: {problems}. `python -m spacy adak init-config` "
        "writes a valid one."
    )
    A202 = (
        "Another run is using '{path}'. Wait until it ends, stop it, or choose another "
        "output folder."
    )
    A203 = (
        "'{path}' holds a run that was not finished ({where}). Continue it with "
        "--resume, publish its best model so far with --finish, or choose another "
        "output folder."
    )
    A204 = (
        "Can't resume in '{path}': {why}. Start a new run without --resume in another "
        "output folder, or remove this one."
    )
    A205 = (
        "Can't write to '{path}': {error}. Free some space, or check that you may "
        "write there. Finished steps are intact: continue with --resume."
    )
    A206 = "The task '{task}' failed{again}. Its log is '{log}' and ends with:\n{tail}"
    A207 = "Can't train with this config and data:\n{problems}"
    A208 = (
        "The executor 'ray' needs the package ray. Install it with: "
        "pip install 'spacy-adak[ray]', or use --adak.executor joblib."
    )
    A209 = (
        "The config has {count} components made by the factory 'adak_ner' ({names}). "
        "Give the pipeline exactly one. `python -m spacy adak init-config` writes a "
        "config with one."
    )
    A210 = (
        "No entity is annotated in the training data '{path}'. Annotate some, or check "
        "the path."
    )
    A211 = (
        "The training data has {count} distinct texts, too few for {folds} folds. "
        "Give more texts, or set --adak.folds to a smaller number."
    )
    A212 = (
        "The dev data has entities with the label {labels}, but the training data has "
        "none. Annotate some in the training data, or remove the label from the dev "
        "data."
    )
    A213 = (
        "No entity of the dev data is annotated, so it can't tell which model is best. "
        "Leave it out (paths.dev = null): `adak train` then holds out a part of the "
        "training texts. Some 50 texts with all of their entities annotated are "
        "better. `python -m spacy adak sample` draws them."
    )
    A214 = (
        "The folder '{path}' of the encoder does not exist (setting {setting}). Give "
        "the path of a folder with a saved model, or the name of a model on the hub."
    )
    A215 = (
        "--gpu-id {gpu} asks for a GPU, but none can be used: {error}. Leave out "
        "--gpu-id to use the CPU."
    )
    A216 = (
        "{count} of the {total} dev documents are not annotated completely, and "
        "--strict is set. Complete them, remove them from the dev data, or leave out "
        "--strict."
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
        "or xx for any language with spaces between words."
    )
    A222 = (
        "'{path}' was not written by `adak train`, which would overwrite it. Choose "
        "another output folder, preferably an empty one."
    )
    A223 = (
        "The augmenter '{augmenter}' removes annotations of the {corpus} data while "
        "they are read, but `adak train` estimates what is unknown from the stored "
        "data. Remove the annotations first: `python -m spacy adak corrupt` writes "
        "such data."
    )
    A224 = (
        "Nothing in [training] ends a training. Set max_epochs, max_steps or patience, "
        "for instance: --training.max_epochs 10"
    )
    A225 = (
        "No round of the run in '{path}' is finished, so there is no model to publish. "
        "Continue the run with --resume."
    )
    A226 = (
        "Can't resume the run in '{path}', because it was started with other "
        "settings:\n{changes}\nUse the previous values, or start a new run in another "
        "output folder. Only rounds, patience, the executor with its settings, and the "
        "logger may change."
    )
    A227 = (
        "Can't write to '{path}': {error}. Free some space, or check that you may "
        "write there. The run had not started, so give the same command again."
    )
    A228 = (
        "Processes of a killed run are still using '{path}'. End them, or wait until "
        "they have ended, and give the command again."
    )
    A229 = (
        "'{path}' is damaged or was changed ({error}). Restore it from a backup, or "
        "start a new run in another output folder."
    )
    A232 = (
        "There is no recipe '{recipe}' for a config. Choose {recipes}. "
        "docs/recipes.md describes them."
    )
    A233 = (
        "adak.start.frozen_encoder is true, but '{name}' does not listen to a "
        "transformer whose model is in the config. Remove the setting, or use a config "
        "with such a transformer. `python -m spacy adak init-config --gpu` writes one."
    )
    A235 = (
        "spacy-curated-transformers can't train '{name}' with NumPy {numpy}: from 2.4 "
        "on it fails in the first step. Install an older one: pip install 'numpy<2.4'. "
        "Or give '{component}' a FrozenEncoder, which works with any."
    )
    A236 = (
        "'{component}' listens to '{name}', which is in frozen_components. There a "
        "transformer of spacy-curated-transformers gives its listeners nothing. Take "
        "it out, and set frozen = true in [components.{name}]."
    )
    A237 = (
        "'{path}' is no folder, but a file, a pipe, a device or a link that leads "
        "nowhere. Give another path for the output, or remove what is there."
    )
    A230 = (
        "The recall of the annotators can't be estimated, because too few entities are "
        "annotated. Annotate some 50 texts completely (`python -m spacy adak sample` "
        "draws them), have two people annotate the same texts, or set "
        "annotation_recall."
    )

    A234 = (
        "Can't read the config '{path}': {error}. Give a config in UTF-8, such as "
        "`python -m spacy adak init-config` writes."
    )

    A240 = "The guesser '{name}' can't be used: {error}"
    A241 = (
        "The guesser '{name}' has the labels {found}, but the model learns {labels}. "
        "If they are other names for these, map them with its setting labels: "
        '{{"{example}": "{label}"}}. If the model should learn them from the guesser '
        "alone, give dev data that is complete for them."
    )
    A242 = (
        "The guesser '{name}' is '{path}', which the run would replace. Move that "
        "pipeline, or choose another output folder."
    )
    A243 = (
        "The config has guessers, but nothing uses them. They need a loss that uses q "
        '(WeightedLoss or AdaKLoss), and learn_from = "missing", "forms" or "guesses" '
        "in [adak.start]."
    )
    A244 = (
        "The guesser '{name}' returns spans of a text other than the one it was given, "
        "which starts '{text}'. Return spans of the given document."
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
        "What does a token without a label mean in {path}? Answer with --unlabelled: "
        "'missing' if annotators may have skipped entities (unlabelled is unknown), "
        "'outside' if all entities are annotated (unlabelled is not an entity)."
    )
    A303 = (
        "{path} does not exist, or is a directory without files of the format. Give a "
        "file, or a directory with files that have a suffix of the format."
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
        "as JSON or JSON-MIN), or name its format with --converter."
    )
    A307 = (
        "{path}, line {line}: not valid JSON ({error}). What follows cannot be read "
        "either: export the file again, or correct it there."
    )
    A308 = (
        "{path} cannot be read as spaCy's DocBin ({error}). Give a .spacy file. "
        "`python -m spacy adak convert` makes one, and its option --converter names "
        "the format of the input."
    )
    A309 = (
        "Cannot tell the format of {path} from its name. Choose one of {formats} with "
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
        "Invalid share of entities to keep: {ratio}. Give a number from 0 (keep none) "
        "to 1 (keep all)."
    )
    A314 = (
        "There are no entities in {path}, so there is nothing to remove. Give "
        "annotated documents."
    )
    A315 = (
        "{path} is one of the inputs, or would be written twice. Give another output, "
        "or files whose names differ by more than the suffix."
    )
    A316 = (
        "{path} is a directory, so the output has to be one, but {output} is the name "
        "of a file. Give a directory as output. If its name has a dot in it, create it "
        "first."
    )

    A317 = (
        "No annotator is called '{name}'. --annotators takes union, intersection, "
        "majority or one of the names in the data: {names}."
    )
    A318 = (
        "The tags in {path} are numbers, such as {tag}, and nothing says what they "
        "mean. Give their names in order, or a file with the names: --labels "
        "O,B-PER,I-PER"
    )
    A319 = (
        "The tag {tag} in {path} is not one of the {count} labels ({names}). Give the "
        "names of all tags in order with --labels."
    )
    A320 = (
        "{path} (option --labels) holds no list of names. Give a file with a JSON list "
        "of strings or one name per line, or the names separated by commas."
    )
    A321 = (
        "Reading {path} needs pyarrow. Install it with: pip install pyarrow, or save "
        "the dataset as JSONL: dataset.to_json('train.jsonl')"
    )
    A322 = (
        "{path} cannot be read as Parquet ({error}). Save the dataset again, or name "
        "the format of the file with --converter."
    )
    A323 = (
        "{path} has annotations, but the file with their text is missing "
        "({text_path}). Put it next to the annotations."
    )
    A324 = (
        "{path} is a JSON array, but exports of Prodigy have one record per line. "
        "Export it again with `prodigy db-out`, or turn it into JSONL: jq -c '.[]'"
    )
    A325 = (
        "{path} would hold {count:,} tokens, more than a .spacy file can. Split the "
        "data into several files, and convert their directory."
    )
    A326 = (
        "--complete-types {types} says that entities of other types may be missing, "
        "but --unlabelled outside says that none is missing. Give one of the two."
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
        "their annotations can't be combined. Convert both with the same --lang, or "
        "leave one of them out."
    )

    A330 = (
        "Column {column} of {path} has the numbers of the tokens, not the tokens. Give "
        "the column of the tokens, counted from 0: --token-column 1"
    )

    # report
    A400 = (
        "No evaluation data in {path}. Give a .spacy file with annotated documents; "
        "`python -m spacy adak convert` makes one from other formats."
    )
    A401 = (
        "No token of {path} is annotated, so there is nothing to score against. Give "
        "documents whose entities are annotated."
    )
    A402 = (
        "Can't load the pipeline '{model}' ({error}). Give the name of an installed "
        "pipeline, or the directory of a complete one, such as 'training/model-best'."
    )
    A403 = (
        "No suggestions in {path}. Give a JSONL file with one suggestion per line: a "
        "text, start, end, label, form, kind and score.{problem}"
    )
    A404 = (
        "'{path}' does not contain a run. Give the output folder of `adak train`, "
        "which has config.cfg and corpus."
    )
    A405 = (
        "The run in '{path}' has not finished its first round, so there is nothing to "
        "report yet. Wait for it, or continue it with `adak train --resume`."
    )
    A410 = (
        "There is no text to draw: all texts are annotated completely, or there are "
        "none. Give texts that are not annotated completely."
    )
    A411 = (
        "--with-suggestions needs a pipeline to make the suggestions. Name one with "
        "--model."
    )
    A412 = (
        "There is no prediction to draw from {path}: the pipeline finds nothing there, "
        "or the annotation already decides about every prediction. Give texts that are "
        "annotated incompletely, or not at all."
    )
    A413 = (
        "--predictions needs a pipeline to make the predictions. Name one with --model."
    )
    A414 = (
        "--{option} is for texts that are drawn for annotation, not for predictions. "
        "Leave out --{option}, or --predictions."
    )
    A415 = (
        "{path} has no predictions that were drawn at random. Only these say how "
        "precise all predictions are, because `adak suggest` selects what the model is "
        "unsure of. Draw some with `python -m spacy adak sample --predictions`."
    )
    A416 = (
        "{path} was drawn from other predictions: {stratum} had {size:,}, but the "
        "pipeline now makes {now:,}. Use the pipeline and the data that `adak sample` "
        "was given, or draw again."
    )
    A417 = (
        "No decision in {decisions} is about a prediction in {sample}. Give the "
        "decisions that the page of `adak review {sample}` saved."
    )
    A418 = "--sample and --decisions belong together: give both, or neither."

    # review
    A450 = (
        "Invalid value {value!r} for --{setting}: expected a probability from 0 to 1, "
        "and above 0 for the threshold."
    )
    A451 = (
        "There are no texts in {path}. Give texts to make suggestions for, preferably "
        "the train-completed.spacy of a run of `adak train`."
    )
    A452 = (
        "The pipeline has {count} components made by the factory 'adak_ner' (its "
        "components are: {names}). Give a pipeline with exactly one, such as the "
        "model-best of `adak train`."
    )
    A453 = (
        "No decision in {path} accepts or rejects anything.{problem} Give the JSONL "
        "file that the page of `adak review` saves."
    )

    # packaging and commands
    A500 = (
        "'{path}' does not contain a pipeline: {error}. Give the directory of a "
        "trained pipeline, such as 'training/model-best'."
    )
    A501 = (
        "'{name}' can't be used as the name of a package and of a module. Use ASCII "
        "letters, digits and underscores, as in 'adak_conll'."
    )
    A502 = (
        "'{path}' already contains a package. Choose another name or version, or "
        "overwrite it with --force."
    )
    A503 = (
        "The package can't be built. If setuptools is missing or too old, `pip install "
        "'setuptools>=70.1'`. setuptools says:\n{tail}"
    )
    A504 = (
        "Can't read or write '{path}': {why}. Choose another path, or check that it is "
        "a folder where one is needed and that you may read and write there."
    )
    A505 = (
        "'{path}' (option {option}) does not hold a JSON object. Give a file with "
        "{content}."
    )
    A506 = (
        "{paths}, together with --name and --version, do not make a valid meta of a "
        "pipeline: {problems}. Correct or remove these entries."
    )
    A507 = (
        "The package can't be written into the pipeline itself ('{path}'). Choose an "
        "output folder outside of it, such as 'packages'."
    )
    A508 = (
        "'{name}' is the name of {what}, which the package would replace or be hidden "
        "by. Give another name, such as 'adak_{name}'."
    )
    A509 = (
        "'{path}' is a pipe or a device. Commands read their input more than once and "
        "replace their output as a whole, which only works with files. Give the path "
        "of a file."
    )


class Warnings(metaclass=WithCodes):
    # pipeline
    W101 = (
        "The component '{name}' found no entity in the examples it was initialized "
        "with, and has no labels. It will find no entities. Add labels with add_label, "
        "or check that the entities of your data align with its tokens."
    )
    W102 = (
        "The component '{name}' comes after {earlier} in the pipeline. Entities that "
        "are already set are facts to '{name}': it finds nothing in their place, and "
        "the scores are those of both components. Put '{name}' in their place or "
        "before them, or set annotate_ents = false to write its entities to its span "
        "group only. docs/pipelines.md shows how."
    )
    W103 = (
        "Texts reach the component '{name}' with entities, such as '{entity}' "
        "({label}). They are facts to it, so it finds nothing in their place. If a "
        "component such as `ner` has set them, put '{name}' in its place or before it, "
        "or set annotate_ents = false to write its entities to its span group only. "
        "docs/pipelines.md shows how. If rules or people have set them, there is "
        "nothing to do."
    )
    W120 = (
        "Can't store the vectors of the frozen encoder: {error}. Training goes on, but "
        "the encoder runs again for every text that is not stored. Free some space, or "
        "check that you may write there. Vectors that exceed memory_limit_mb go to the "
        "folder for temporary files."
    )
    W121 = (
        "Can't put the frozen encoder into its shared folder: {error}. Training goes "
        "on without that folder. Free some space, check that you may write there, or "
        "choose another folder with the setting 'shared' of FrozenEncoder."
    )
    W122 = (
        "The frozen transformer reads at most {limit} word pieces at once, but a "
        "window of the text '{text}' has more. Tokens beyond the limit, such as "
        "'{token}', get a vector of zeros. Lower the window and stride of get_spans, "
        "for instance to 96 and 72."
    )

    # run
    W201 = (
        "{count} of the {total} dev documents are not annotated completely. They are "
        "left out when models are scored, because predictions there can't be called "
        "wrong."
    )
    W215 = (
        "{count} entities in '{path}' were estimated, not annotated. They are not "
        "learnt from, and their tokens are unknown. A person can turn them into "
        "annotations: see `python -m spacy adak review`."
    )
    W204 = (
        "{count} spans of the training data are ruled out by the span group '{key}', "
        "but the component ignores it. To learn from them: "
        "--components.{component}.incorrect_spans_key {key}"
    )
    W221 = (
        "{count} spans of the group '{key}' are ruled out for types that are not "
        "learnt ({types}; the types are {labels}), so they have no effect. If a type "
        "is misspelt, correct it."
    )
    W222 = (
        "{count} of the {total} dev texts are training texts as well, so scores on dev "
        "are better than on new texts. Remove them from one of the two."
    )
    W223 = (
        "Each training has only {steps} steps, because there are few texts. Models may "
        "find less than they could. For longer trainings: --training.max_epochs "
        "{epochs}"
    )
    W224 = (
        "Each training has only {steps} steps, and texts are annotated for {share} % "
        "of the types on average. Models may find less than they could. For longer "
        "trainings: --training.max_epochs {epochs}"
    )
    W220 = (
        "Since this run began, {paths} has changed. The run goes on with the data that "
        "it began with. To train on the new data, start a run in another output folder."
    )
    W217 = (
        "Round {round}: the models of these folds find no entity of dev: {folds}. They "
        "would teach that the texts they have not seen have no entities, so q comes "
        "from the other fold models only. Train longer (training.max_epochs), start "
        "with models that look for unmarked entities (adak.start.learn_from = "
        '"forms"), or let the CRF over a transformer learn faster (learn_rate_factor).'
    )
    W218 = (
        "Round {round}: no fold model finds an entity of dev, so q has little more "
        "than the annotation. Train longer (training.max_epochs), start with models "
        'that look for unmarked entities (adak.start.learn_from = "forms"), or let the '
        "CRF over a transformer learn faster (learn_rate_factor)."
    )
    W216 = (
        "The training data has guesses of other models ({names}), but nothing uses "
        "them. They need a loss that uses q (WeightedLoss or AdaKLoss), and learn_from "
        '= "missing", "forms" or "guesses" in [adak.start].'
    )
    W210 = (
        "There is no dev data. {count:,} of the {total:,} training texts are held out, "
        "and models are chosen by the likelihood of their annotation. Scores are "
        "rough, because they are corrected for entities that nobody has marked. Some "
        "50 texts with all of their entities annotated are better (`python -m spacy "
        "adak sample` draws them), and a full dev set is best."
    )
    W211 = (
        "{complete:,} of the {count:,} dev documents are annotated completely, which "
        "is too few, so models are chosen by the likelihood of their annotation. "
        "Scores are rough, because they are corrected for entities that nobody has "
        "marked. Some 50 texts with all of their entities annotated are better "
        "(`python -m spacy adak sample` draws them). Never convert incomplete texts "
        "with --unlabelled outside."
    )
    W219 = (
        "{count:,} training texts are left out, because `adak sample` has drawn them "
        "for the dev data. Models are chosen by texts that they have not seen."
    )

    # data
    W301 = (
        "'{tag}' is not a tag of the {scheme} scheme: token '{token}' is taken as "
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
    W306 = "a JSON {type} instead of an object: the record is left out."
    W307 = (
        "'{right}' after '{left}' (token '{token}') is not allowed in the {scheme} "
        "scheme: read as conlleval does."
    )
    W308 = "span {span} does not have two whole numbers and a label: {outcome}."
    W309 = (
        "span {span} is blank or does not lie within the text of {length} characters: "
        "{outcome}."
    )
    W310 = "span {span} covers {found!r}, but its own text is {stated!r}: {outcome}."
    W311 = (
        "span {span} fits its own text if offsets count UTF-16 units, so it is read "
        "that way."
    )
    W312 = "span {span} covers whitespace at an edge ({text!r}): it is trimmed."
    W313 = (
        "span {span}, '{text}', does not start and end at token boundaries: {outcome}. "
        "--alignment-mode can move entities."
    )
    W314 = (
        "span {span}, '{text}', does not start and end at token boundaries: with "
        "--alignment-mode {mode} it becomes '{found}'."
    )
    W315 = (
        "entity {left_out} overlaps {kept}: the longer or earlier one is kept, other "
        "tokens are unknown."
    )
    W316 = "'{text}' is both a {label} and ruled out as {label}: the entity is kept."
    W317 = (
        "no text under the key '{key}' (keys: {keys}): the record is left out. "
        "--text-key sets another key."
    )
    W319 = (
        "'missing' stretch {span} does not lie within the text of {length} "
        "characters: the whole text is taken as unknown."
    )
    W320 = (
        "answer '{answer}' is not one of accept, reject and ignore: the record is left "
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
        "{count} documents have unknown or undecided tokens as well as tokens stated "
        "to be outside of entities. The {format} format can't tell them apart. Write "
        "spacy, conll or spans to keep the difference."
    )
    W327 = (
        "{count} ruled-out spans are not written, because the {format} format has no "
        "place for them. Write spacy, spans or prodigy to keep them."
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
        "origin {origin!r} of a span is not one of {origins}: the span is taken as "
        "guessed, and its tokens are unknown."
    )
    W335 = (
        "no lists of tokens and tags (keys: {keys}): the row is left out. The keys "
        "should be tokens and ner_tags."
    )
    W336 = (
        "{tokens} tokens and {tags} tags, or tokens that are not strings: the row is "
        "left out."
    )
    W337 = "the text is blank: the record is left out."
    W338 = "a sentence whose tokens are not objects with an 'orth' is left out."
    W339 = (
        "{span} is in {count} pieces, which spaCy's entities can't be: it is left out "
        "and its tokens are unknown."
    )
    W334 = (
        "{count} estimated or guessed spans are not written, and their tokens are "
        "unknown, because the {format} format can't tell them from annotated ones. "
        "Write spacy, spans, prodigy or label-studio to keep them."
    )
    W340 = (
        "{span} under adak_complete does not say which tokens of the text, of {length} "
        "characters, are complete for which type: it is ignored."
    )
    W341 = (
        "adak_complete is ignored, because something else in the record could not be "
        "read as it is and may be an entity of these types."
    )
    W342 = (
        "--complete-types says that {path} is complete for {labels}, but it has no "
        "such entity (its types: {types}). Check the names, unless there really is "
        "none."
    )
    W343 = (
        "For which types {count} documents are complete is not written, because the "
        "{format} format has no place for it. Write spacy, spans, prodigy, doccano or "
        "label-studio to keep it."
    )
    W344 = (
        "{path} has {count} documents without unknown tokens, so they state that there "
        "is no {labels} either. If they were annotated for their own types only, "
        "convert them with `adak convert --unlabelled missing --complete-types` and "
        "these types."
    )
    W345 = (
        "annotations under {keys}, but none under {own}, where this format has them: "
        "they are not read, and the whole text is taken as unknown. If all records are "
        "like this, name the format with --converter."
    )
    W346 = (
        "no '{key}', so the record says nothing about entities: the whole text is "
        "taken as unknown."
    )
    W347 = (
        "'guesses' is not an object with a list of spans for each named guesser: it is "
        "left out."
    )
    W348 = (
        "What {names} guessed is not written, because the {format} format has no place "
        "for guessers by name. Write spacy or spans to keep it."
    )
    W350 = "not in the expected form ({problems}): the line is left out."
    W351 = "the same suggestion as in line {line}: the line is left out."
    W352 = (
        "the estimated span {span} has the score {score:g}, which is no probability "
        "between 0 and 1: the score is left out."
    )
    W360 = "the label {label!r} has whitespace at an edge: it is trimmed."
    W361 = (
        "{count} regions are of the text '{name}' and not of '{key}': they are left "
        "out. --text-key {name} reads that text."
    )
    W362 = (
        "this id comes again after others, so it is read as another text: annotations "
        "of the same task are joined only if they follow each other. Sort the file by "
        "id, or export it as JSON instead of JSON-MIN."
    )

    # report
    W400 = (
        "{judged:,} of the {drawn:,} drawn predictions are judged. The estimate holds "
        "if these are a random part of them: go through the page from the beginning."
    )
    W401 = "{missing:,} of {tokens:,} gold tokens in {path} have no annotation. {note}"
    W402 = (
        "The report of the run can't be written: {error}. The models are complete. Try "
        "again with `python -m spacy adak report {path}`."
    )
    W403 = (
        "Not scored: {labels}. {path} is not complete for these types anywhere. Other "
        "types are scored where it is."
    )
    W404 = (
        "{path} has entities of the type {labels}, which the pipeline does not have: "
        "all of them count as missed. If it is another name for the same type, convert "
        "either to the other."
    )
    W405 = (
        "Every token of {path} is annotated, so {options} is ignored. If annotators "
        "have skipped entities, convert it again with --unlabelled missing."
    )
    W410 = (
        "Predictions on tokens without annotation are not counted here, so precision "
        "and F1 look better than they are. Don't compare models by them."
    )
