"""Writes a GGUF file of an untrained llama with two layers. Usage: tiny-llama.py FILE"""

import sys

import gguf
import numpy as np

EMBED, LAYERS, HEADS, FEED, CONTEXT = 64, 2, 4, 128, 2048
random = np.random.default_rng(7)


def byte_names() -> list[str]:
    """The 256 characters that represent bytes in byte-level BPE."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in kept else chr(next(others)) for byte in range(256)]


specials = ["<|begin|>", "<|end|>", "<|start_header|>", "<|end_header|>"]
tokens = byte_names() + specials
writer = gguf.GGUFWriter(sys.argv[1], "llama")
writer.add_name("tiny-llama")
writer.add_context_length(CONTEXT)
writer.add_embedding_length(EMBED)
writer.add_block_count(LAYERS)
writer.add_feed_forward_length(FEED)
writer.add_head_count(HEADS)
writer.add_head_count_kv(HEADS)
writer.add_rope_dimension_count(EMBED // HEADS)
writer.add_rope_freq_base(10000.0)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_vocab_size(len(tokens))
writer.add_file_type(gguf.LlamaFileType.ALL_F32)
writer.add_tokenizer_model("gpt2")
writer.add_tokenizer_pre("default")
writer.add_token_list(tokens)
writer.add_token_types(
    [gguf.TokenType.NORMAL] * 256 + [gguf.TokenType.CONTROL] * len(specials)
)
writer.add_token_merges(["t h", "h e"])
writer.add_bos_token_id(256)
writer.add_eos_token_id(257)


def add(name: str, *shape: int) -> None:
    writer.add_tensor(name, (random.standard_normal(shape) * 0.2).astype(np.float32))


add("token_embd.weight", len(tokens), EMBED)
writer.add_tensor("output_norm.weight", np.ones(EMBED, dtype=np.float32))
# The end token is never more likely than others, so responses are as long as allowed.
output = (random.standard_normal((len(tokens), EMBED)) * 0.2).astype(np.float32)
output[256:] = 0
writer.add_tensor("output.weight", output)
for layer in range(LAYERS):
    block = f"blk.{layer}"
    writer.add_tensor(f"{block}.attn_norm.weight", np.ones(EMBED, dtype=np.float32))
    writer.add_tensor(f"{block}.ffn_norm.weight", np.ones(EMBED, dtype=np.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"{block}.{name}.weight", EMBED, EMBED)
    add(f"{block}.ffn_gate.weight", FEED, EMBED)
    add(f"{block}.ffn_up.weight", FEED, EMBED)
    add(f"{block}.ffn_down.weight", EMBED, FEED)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
