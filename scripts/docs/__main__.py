"""Write the pages and drawings that are generated.

python -m scripts.docs
"""

from pathlib import Path

from spacy_adak.atomic import write_bytes

from .generated import generated_files


def main() -> None:
    """Write all files."""
    root = Path(__file__).parents[2]
    for path, text in generated_files(root).items():
        write_bytes(root / path, text.encode())
        print(path)


if __name__ == "__main__":
    main()
