"""Speed of the CRF core beside its peers: `python -m benchmarks.crf`."""
