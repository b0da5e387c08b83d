"""Datasets: the registry, the loader, and the generator of the two small sets."""
