"""The experiments of the paper: cells to train, their results, tables and figures."""
