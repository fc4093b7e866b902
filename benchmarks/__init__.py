"""Speed of the CRF core compared with its peers: `python -m benchmarks.crf`."""
