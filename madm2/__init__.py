"""Multi-agent debate with memory masking over an in-process vLLM engine."""
