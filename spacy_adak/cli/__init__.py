"""Commands under `python -m spacy adak`: thin wrappers over plain functions.

Every `spacy` command imports this module, so nothing here may import torch.
"""
