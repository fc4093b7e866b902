"""The CRF in tensors: no spaCy, no Thinc. Every equation of the paper is here once."""
