# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each model consists of, by its own source: so many ops there have to be after raising.

In the order of OPS. A layer of most decoders is q, k, v, out, gate, up and down, two norms and two rotations.
"""

import re

OPS = ["attention", "norm", "linear", "activation", "rope", "exp"]

#: Family and part.
PARTS = {
    "bert_layer": (1, 2, 6, 1, 0), "bert_model": (1, 3, 6, 1, 0),
    "roberta_layer": (1, 2, 6, 1, 0), "roberta_model": (1, 3, 6, 1, 0),
    "distilbert_layer": (1, 2, 6, 1, 0), "distilbert_model": (1, 3, 6, 1, 0),
    # Embeddings have a width of their own, and a product that widens them.
    "albert_layer": (1, 2, 6, 1, 0), "albert_model": (1, 3, 7, 1, 0),
    "electra_layer": (1, 2, 6, 1, 0), "electra_model": (1, 3, 6, 1, 0),
    # Keys and queries of the relative positions; their embeddings have a norm.
    "deberta_v2_layer": (1, 2, 8, 1, 0), "deberta_v2_model": (1, 4, 8, 1, 0),
    # One product for q, k and v, one for both halves; the first layer has one norm.
    "modernbert_layer": (1, 1, 4, 1, 2), "modernbert_model": (1, 3, 4, 1, 2),
    "gpt2_layer": (1, 2, 4, 1, 0), "gpt2_model": (1, 3, 4, 1, 0),
    "gpt_neo_layer": (1, 2, 6, 1, 0), "gpt_neo_model": (1, 3, 6, 1, 0),
    "opt_layer": (1, 2, 6, 1, 0), "opt_model": (1, 3, 6, 1, 0),
    "bloom_layer": (1, 2, 4, 1, 0), "bloom_model": (1, 4, 4, 1, 0),
    "mpt_layer": (1, 2, 4, 1, 0), "mpt_model": (1, 3, 4, 1, 0),
    "gpt_neox_layer": (1, 2, 4, 1, 2), "gpt_neox_model": (1, 3, 4, 1, 2),
    # Attention and feed-forward share a norm.
    "gptj_layer": (1, 1, 6, 1, 2), "gptj_model": (1, 2, 6, 1, 2),
    "falcon_layer": (1, 1, 4, 1, 2), "falcon_model": (1, 2, 4, 1, 2),
    "phi_layer": (1, 1, 6, 1, 2), "phi_model": (1, 2, 6, 1, 2),
    "cohere_layer": (1, 1, 7, 1, 2), "cohere_model": (1, 2, 7, 1, 2),
    **{f"{name}_layer": (1, 2, 7, 1, 2) for name in ["llama", "llama3", "mistral", "qwen2", "gemma", "stablelm", "granite"]},
    **{f"{name}_model": (1, 3, 7, 1, 2) for name in ["llama", "llama3", "mistral", "qwen2", "gemma", "stablelm", "granite"]},
    "phi3_layer": (1, 2, 4, 1, 2), "phi3_model": (1, 3, 4, 1, 2),
    # No gate.
    "starcoder2_layer": (1, 2, 6, 1, 2), "starcoder2_model": (1, 3, 6, 1, 2),
    "nemotron_layer": (1, 2, 6, 1, 2), "nemotron_model": (1, 3, 6, 1, 2),
    # Queries and keys have norms, or what comes out of a branch has one.
    "qwen3_layer": (1, 4, 7, 1, 2), "qwen3_model": (1, 5, 7, 1, 2),
    "olmo2_layer": (1, 4, 7, 1, 2), "olmo2_model": (1, 5, 7, 1, 2),
    "gemma2_layer": (1, 4, 7, 1, 2), "gemma2_model": (1, 5, 7, 1, 2),
    "gemma3_layer": (1, 6, 7, 1, 2), "gemma3_model": (1, 7, 7, 1, 2),
    # q, k, v, out and the router; four experts of two products each.
    "mixtral_layer": (1, 2, 13, 1, 2), "mixtral_model": (1, 3, 13, 1, 2),
    "gptoss_layer": (1, 2, 13, 1, 2), "gptoss_model": (1, 3, 13, 1, 2),
    "vit_layer": (1, 2, 6, 1, 0), "vit_model": (1, 3, 6, 1, 0),
    "dinov2_layer": (1, 2, 6, 1, 0), "dinov2_model": (1, 3, 6, 1, 0),
    "clip_vision_layer": (1, 2, 6, 1, 0), "clip_vision_model": (1, 3, 6, 1, 0),
    "clip_text_layer": (1, 2, 6, 1, 0), "clip_text_model": (1, 3, 6, 1, 0),
    "siglip_vision_layer": (1, 2, 6, 1, 0), "siglip_vision_model": (1, 3, 6, 1, 0),
    # Rows of queries and keys have length 1; the bias of positions is a small network.
    "swinv2_layer": (1, 4, 8, 2, 0), "swinv2_model": (1, 6, 8, 2, 0),
    "t5_layer": (1, 2, 6, 1, 0), "t5_decoder": (2, 3, 10, 1, 0), "t5_model": (3, 7, 16, 2, 0),
    "bart_layer": (1, 2, 6, 1, 0), "bart_decoder": (2, 3, 10, 1, 0), "bart_model": (3, 7, 16, 2, 0),
    # Two convolutions with gelu in front.
    "whisper_layer": (1, 2, 6, 1, 0), "whisper_decoder": (2, 3, 10, 1, 0), "whisper_model": (3, 7, 16, 4, 0),
    "jax_dpa": (1, 0, 0, 0, 0), "jax_einsum": (1, 0, 0, 0, 0), "jax_segments": (1, 0, 0, 0, 0),
    "jax_llama_block": (1, 2, 7, 1, 2), "jax_flax_mhdpa": (1, 0, 4, 0, 0), "jax_flax_mhdpa_nobias": (1, 2, 4, 0, 0),
    "jax_flax_encoder": (1, 2, 6, 1, 0), "jax_flax_decoder": (1, 2, 6, 1, 0),
    "jax_flax_dense_general": (0, 0, 1, 0, 0), "jax_flax_group_norm": (0, 1, 0, 0, 0),
}


def expected_counts(name):
    """Of a case: those of the longest part that its name begins with. No exponential is left outside of the ops."""
    parts = [part for part in PARTS if re.match(part + r"(_|$)", name)]
    return dict(zip(OPS, (*PARTS[max(parts, key=len)], 0)))
