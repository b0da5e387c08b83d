"""Builds a tiny random chat model with its tokenizer, without a download."""

from __future__ import annotations

from pathlib import Path

BOS, EOS, PAD, USER, ASSISTANT = "<|bos|>", "<|end|>", "<|pad|>", "<|user|>", "<|assistant|>"
MAX_POSITIONS = 2048
CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}"
    "{% if message.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{{ '<|' + message.role + '|>' + message.content + eos_token }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)
_CORPUS = ["the answer is the number that the other agents think is the answer, and then some"]


def build_tokenizer(folder: Path) -> None:
    """Save a byte-level BPE tokenizer (283 tokens at most) that adds a BOS token by itself."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        _CORPUS,
        trainers.BpeTrainer(
            vocab_size=283,
            special_tokens=[BOS, EOS, PAD, USER, ASSISTANT],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.token_to_id(BOS))]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, eos_token=EOS, pad_token=PAD
    )
    fast.chat_template = CHAT_TEMPLATE
    fast.save_pretrained(folder)


def build_tiny_model(folder: Path, max_positions: int = MAX_POSITIONS) -> Path:
    """Save a random two-layer Llama and its tokenizer as a model folder; return the folder."""
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    build_tokenizer(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    torch.manual_seed(0)
    # Wide initial weights make the next-token distribution uneven, as a real model's is:
    # with narrow ones temperature, penalties and log-probabilities would hardly matter.
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=max_positions,
            initializer_range=0.2,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            tie_word_embeddings=False,
        )
    )
    model.save_pretrained(folder)
    return folder
