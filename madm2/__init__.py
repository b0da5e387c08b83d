"""Multi-agent debate with memory masking over an in-process vLLM engine."""

__version__ = "0.1.0"
