# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model families whose exports are tests: a configuration of one layer each, narrow, with head dimensions as
they are used."""

import dataclasses

#: Two heads of 64, one of keys where heads are grouped.
WIDTH, HEADS, HIDDEN, WORDS, POSITIONS = 128, 2, 256, 97, 64

DECODER = dict(hidden_size=WIDTH, num_attention_heads=HEADS, num_key_value_heads=1, intermediate_size=HIDDEN,
               num_hidden_layers=1, vocab_size=WORDS, max_position_embeddings=POSITIONS, pad_token_id=0)
ENCODER = dict(hidden_size=WIDTH, num_attention_heads=HEADS, intermediate_size=HIDDEN, num_hidden_layers=1,
               vocab_size=WORDS, max_position_embeddings=POSITIONS, pad_token_id=0)
HEAD = dict(head_dim=64)
VISION = dict(hidden_size=WIDTH, num_attention_heads=HEADS, intermediate_size=HIDDEN, num_hidden_layers=1,
              image_size=24, patch_size=6)


@dataclasses.dataclass(frozen=True)
class Family:
    """`kind` says what the model is fed: text, pixels, pairs (a text and what is generated) or sound."""

    name: str
    model_type: str
    config: dict
    kind: str = "text"
    model: str = "AutoModel"
    attention: str = "sdpa"  # what transformers writes in f32


#: What configurations call the sizes of a model.
WIDTHS = ("hidden_size", "dim", "n_embd", "d_model", "word_embed_proj_dim")
HIDDENS = ("intermediate_size", "hidden_dim", "n_inner", "ffn_dim", "ffn_hidden_size")
ALL_HEADS = ("num_attention_heads", "n_heads", "n_head", "num_heads")
DEPTHS = ("num_hidden_layers", "n_layers", "n_layer", "num_layers")


def enlarge(family, layers, width):
    """The family with so many layers of such a width: what benchmarks compile."""
    sizes = {**dict.fromkeys(WIDTHS, width), **dict.fromkeys(HIDDENS, 4 * width), **dict.fromkeys(DEPTHS, layers),
             **dict.fromkeys(ALL_HEADS, width // 64), "num_key_value_heads": width // 192}
    config = {key: sizes.get(key, value) for key, value in family.config.items()}
    if "layer_types" in config:
        config["layer_types"] = config["layer_types"] * layers
    return dataclasses.replace(family, config=config)


FAMILIES = [
    # Encoders of text.
    Family("bert", "bert", ENCODER),
    Family("roberta", "roberta", ENCODER),
    Family("distilbert", "distilbert", dict(dim=WIDTH, n_heads=HEADS, hidden_dim=HIDDEN, n_layers=1, vocab_size=WORDS,
                                            max_position_embeddings=POSITIONS)),
    Family("albert", "albert", {**ENCODER, "embedding_size": 32}),
    Family("electra", "electra", {**ENCODER, "embedding_size": WIDTH}),
    Family("deberta_v2", "deberta-v2", {**ENCODER, "relative_attention": True, "position_buckets": 16,
                                        "pos_att_type": ["p2c", "c2p"], "norm_rel_ebd": "layer_norm",
                                        "share_att_key": True}),
    Family("modernbert", "modernbert", {**ENCODER, "global_attn_every_n_layers": 1}),
    # Decoders with learned or no positions.
    Family("gpt2", "gpt2", dict(n_embd=WIDTH, n_head=HEADS, n_layer=1, n_inner=HIDDEN, vocab_size=WORDS,
                                n_positions=POSITIONS), attention="eager"),
    Family("gpt_neo", "gpt_neo", dict(hidden_size=WIDTH, num_heads=HEADS, num_layers=1, intermediate_size=HIDDEN,
                                      vocab_size=WORDS, max_position_embeddings=POSITIONS,
                                      attention_types=[[["local"], 1]], window_size=4)),
    Family("opt", "opt", dict(hidden_size=WIDTH, num_attention_heads=HEADS, ffn_dim=HIDDEN, num_hidden_layers=1,
                              vocab_size=WORDS, max_position_embeddings=POSITIONS, word_embed_proj_dim=WIDTH)),
    Family("bloom", "bloom", dict(hidden_size=WIDTH, n_head=HEADS, n_layer=1, vocab_size=WORDS)),
    Family("mpt", "mpt", dict(d_model=WIDTH, n_heads=HEADS, n_layers=1, expansion_ratio=2, vocab_size=WORDS,
                              max_seq_len=POSITIONS)),
    # Decoders with rotary positions.
    Family("gpt_neox", "gpt_neox", {**ENCODER, "rotary_pct": 0.25}),
    Family("gptj", "gptj", dict(n_embd=WIDTH, n_head=HEADS, n_layer=1, n_inner=HIDDEN, vocab_size=WORDS,
                                n_positions=POSITIONS, rotary_dim=16)),
    Family("falcon", "falcon", dict(hidden_size=WIDTH, num_attention_heads=HEADS, num_hidden_layers=1,
                                    vocab_size=WORDS, ffn_hidden_size=HIDDEN, multi_query=True, parallel_attn=True,
                                    bias=False, alibi=False, new_decoder_architecture=False)),
    Family("llama", "llama", {**DECODER, **HEAD}),
    Family("llama3", "llama", {**DECODER, **HEAD, "rope_parameters": {
        "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 32}}),
    Family("mistral", "mistral", {**DECODER, **HEAD, "sliding_window": 4}),
    Family("mixtral", "mixtral", {**DECODER, **HEAD, "num_local_experts": 4, "num_experts_per_tok": 2}),
    Family("qwen2", "qwen2", DECODER),
    Family("qwen3", "qwen3", {**DECODER, **HEAD}),
    Family("phi", "phi", {**DECODER, "partial_rotary_factor": 0.5}),
    Family("phi3", "phi3", DECODER),
    Family("gemma", "gemma", {**DECODER, **HEAD}),
    Family("gemma2", "gemma2", {**DECODER, **HEAD, "query_pre_attn_scalar": 64, "sliding_window": 4,
                                "layer_types": ["sliding_attention"]}),
    Family("gemma3", "gemma3_text", {**DECODER, **HEAD, "query_pre_attn_scalar": 64, "sliding_window": 4,
                                     "layer_types": ["sliding_attention"]}),
    Family("olmo2", "olmo2", DECODER),
    Family("cohere", "cohere", DECODER),
    Family("stablelm", "stablelm", {**DECODER, "partial_rotary_factor": 0.25}),
    Family("starcoder2", "starcoder2", DECODER),
    Family("granite", "granite", {**DECODER, "attention_multiplier": 0.015625, "residual_multiplier": 0.22}),
    Family("nemotron", "nemotron", {**DECODER, "partial_rotary_factor": 0.5}),
    Family("gptoss", "gpt_oss", {**DECODER, **HEAD, "num_local_experts": 4, "num_experts_per_tok": 2,
                                 "sliding_window": 4, "layer_types": ["sliding_attention"]}),
    # Pictures.
    Family("vit", "vit", VISION, "pixels"),
    Family("dinov2", "dinov2", VISION, "pixels"),
    Family("clip_vision", "clip_vision_model", VISION, "pixels"),
    Family("siglip_vision", "siglip_vision_model", VISION, "pixels"),
    Family("swinv2", "swinv2", dict(image_size=32, patch_size=4, embed_dim=64, depths=[1], num_heads=[2],
                                    window_size=4), "pixels"),
    Family("clip_text", "clip_text_model", {**ENCODER, "eos_token_id": 96, "bos_token_id": 95}),
    # A text and what is generated from it.
    Family("t5", "t5", dict(d_model=WIDTH, d_kv=64, d_ff=HIDDEN, num_layers=1, num_decoder_layers=1, num_heads=HEADS,
                            vocab_size=WORDS, decoder_start_token_id=0), "pairs"),
    Family("bart", "bart", dict(d_model=WIDTH, encoder_layers=1, decoder_layers=1, encoder_attention_heads=HEADS,
                                decoder_attention_heads=HEADS, encoder_ffn_dim=HIDDEN, decoder_ffn_dim=HIDDEN,
                                vocab_size=WORDS, max_position_embeddings=POSITIONS), "pairs"),
    Family("whisper", "whisper", dict(d_model=WIDTH, encoder_layers=1, decoder_layers=1, encoder_attention_heads=HEADS,
                                      decoder_attention_heads=HEADS, encoder_ffn_dim=HIDDEN, decoder_ffn_dim=HIDDEN,
                                      vocab_size=WORDS, num_mel_bins=16, max_source_positions=20,
                                      max_target_positions=POSITIONS, pad_token_id=0, bos_token_id=1,
                                      eos_token_id=2, decoder_start_token_id=1), "sound"),
]
