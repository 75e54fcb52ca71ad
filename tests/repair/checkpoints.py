"""Checkpoints that only have a shape: config.json, and weight files whose data part is a hole.

build(folder, name) makes one of CHECKPOINTS. A safetensors file has its real header and length; a .bin file only its length.
"""
import json
import os
import struct

WIDTH = {"float32": ("F32", 4), "float16": ("F16", 2), "bfloat16": ("BF16", 2)}


def llama_tensors(config):
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    head = hidden // config["num_attention_heads"]
    narrow = config["num_key_value_heads"] * head
    yield "model.embed_tokens.weight", [config["vocab_size"], hidden]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        for name, rows in (("q", hidden), ("k", narrow), ("v", narrow)):
            yield prefix + f"self_attn.{name}_proj.weight", [rows, hidden]
            if config["model_type"] == "qwen2":
                yield prefix + f"self_attn.{name}_proj.bias", [rows]
        yield prefix + "self_attn.o_proj.weight", [hidden, hidden]
        yield prefix + "mlp.gate_proj.weight", [inner, hidden]
        yield prefix + "mlp.up_proj.weight", [inner, hidden]
        yield prefix + "mlp.down_proj.weight", [hidden, inner]
        yield prefix + "input_layernorm.weight", [hidden]
        yield prefix + "post_attention_layernorm.weight", [hidden]
    yield "model.norm.weight", [hidden]
    if not config["tie_word_embeddings"]:
        yield "lm_head.weight", [config["vocab_size"], hidden]


def mixtral_tensors(config):
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    for name, shape in llama_tensors(config):
        if ".mlp." not in name:
            yield name, shape
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}.block_sparse_moe."
        yield prefix + "gate.weight", [config["num_local_experts"], hidden]
        for expert in range(config["num_local_experts"]):
            yield prefix + f"experts.{expert}.w1.weight", [inner, hidden]
            yield prefix + f"experts.{expert}.w2.weight", [hidden, inner]
            yield prefix + f"experts.{expert}.w3.weight", [inner, hidden]


def opt_tensors(config):
    hidden, inner = config["hidden_size"], config["ffn_dim"]
    yield "model.decoder.embed_tokens.weight", [config["vocab_size"], hidden]
    yield "model.decoder.embed_positions.weight", [config["max_position_embeddings"] + 2, hidden]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.decoder.layers.{layer}."
        for name, rows, columns in (("self_attn.k_proj", hidden, hidden), ("self_attn.v_proj", hidden, hidden),
                                    ("self_attn.q_proj", hidden, hidden), ("self_attn.out_proj", hidden, hidden),
                                    ("fc1", inner, hidden), ("fc2", hidden, inner)):
            yield prefix + name + ".weight", [rows, columns]
            yield prefix + name + ".bias", [rows]
        for name in ("self_attn_layer_norm", "final_layer_norm"):
            yield prefix + name + ".weight", [hidden]
            yield prefix + name + ".bias", [hidden]
    yield "model.decoder.final_layer_norm.weight", [hidden]
    yield "model.decoder.final_layer_norm.bias", [hidden]


def bert_tensors(config):
    hidden, inner = config["hidden_size"], config["intermediate_size"]
    for name, rows in (("word", config["vocab_size"]), ("position", 512), ("token_type", 2)):
        yield f"bert.embeddings.{name}_embeddings.weight", [rows, hidden]
    yield "bert.embeddings.LayerNorm.weight", [hidden]
    yield "bert.embeddings.LayerNorm.bias", [hidden]
    for layer in range(config["num_hidden_layers"]):
        prefix = f"bert.encoder.layer.{layer}."
        for name, rows, columns in (("attention.self.query", hidden, hidden), ("attention.self.key", hidden, hidden),
                                    ("attention.self.value", hidden, hidden), ("attention.output.dense", hidden, hidden),
                                    ("intermediate.dense", inner, hidden), ("output.dense", hidden, inner)):
            yield prefix + name + ".weight", [rows, columns]
            yield prefix + name + ".bias", [rows]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            yield prefix + name + ".weight", [hidden]
            yield prefix + name + ".bias", [hidden]
    for name, rows in (("bert.pooler.dense", hidden), ("classifier", 2)):
        yield name + ".weight", [rows, hidden]
        yield name + ".bias", [rows]


def llama(hidden, inner, layers, heads, key_value_heads, vocabulary, dtype="float16", **more):
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": hidden, "intermediate_size": inner,
              "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": key_value_heads,
              "vocab_size": vocabulary, "tie_word_embeddings": False, "torch_dtype": dtype}
    return {**config, **more}


OPT = {"architectures": ["OPTForCausalLM"], "model_type": "opt", "hidden_size": 4096, "ffn_dim": 16384,
       "num_hidden_layers": 32, "num_attention_heads": 32, "vocab_size": 50272, "word_embed_proj_dim": 4096,
       "max_position_embeddings": 2048, "do_layer_norm_before": True, "torch_dtype": "float16"}
BERT = {"architectures": ["BertForSequenceClassification"], "model_type": "bert", "hidden_size": 1024,
        "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "vocab_size": 30522,
        "max_position_embeddings": 512, "type_vocab_size": 2}

MIXTRAL = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": 8,
           "num_experts_per_tok": 2, "sliding_window": None}

# name: (config, tensors, file form)
CHECKPOINTS = {
    "tiny-llama-1b": (llama(2048, 5632, 22, 32, 4, 32000), llama_tensors, "safetensors"),
    "llama-7b": (llama(4096, 11008, 32, 32, 32, 32000), llama_tensors, "safetensors"),
    "llama-7b-bin": (llama(4096, 11008, 32, 32, 32, 32000), llama_tensors, "bin"),
    "llama-8b": (llama(4096, 14336, 32, 32, 8, 128256, "bfloat16"), llama_tensors, "safetensors"),
    "llama-13b": (llama(5120, 13824, 40, 40, 40, 32000), llama_tensors, "safetensors"),
    "llama-70b-bin": (llama(8192, 28672, 80, 64, 8, 32000), llama_tensors, "bin"),
    "mistral-7b": (llama(4096, 14336, 32, 32, 8, 32000, "bfloat16", model_type="mistral", architectures=["MistralForCausalLM"],
                         sliding_window=None), llama_tensors, "safetensors"),
    "qwen2-1.5b": (llama(1536, 8960, 28, 12, 2, 151936, "bfloat16", model_type="qwen2", architectures=["Qwen2ForCausalLM"],
                         tie_word_embeddings=True), llama_tensors, "safetensors"),
    "mixtral-8x7b": (llama(4096, 14336, 32, 32, 8, 32000, "bfloat16", **MIXTRAL), mixtral_tensors, "safetensors"),
    "mixtral-small": (llama(2048, 7168, 16, 16, 4, 32000, "bfloat16", **MIXTRAL), mixtral_tensors, "safetensors"),
    "opt-6.7b": (OPT, opt_tensors, "bin"),
    "bert-large-cls": (BERT, bert_tensors, "safetensors"),
}


def write_safetensors(path, tensors, dtype):
    code, width = WIDTH[dtype]
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors:
        size = width
        for extent in shape:
            size *= extent
        header[name] = {"dtype": code, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    raw = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(raw)) + raw)
        file.truncate(8 + len(raw) + offset)


def build(folder, name):
    config, tensors, form = CHECKPOINTS[name]
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    with open(os.path.join(folder, name, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    dtype = config.get("torch_dtype", "float32")
    if form == "safetensors":
        write_safetensors(os.path.join(folder, name, "model.safetensors"), tensors(config), dtype)
        return
    total = 0
    for _, shape in tensors(config):
        size = WIDTH[dtype][1]
        for extent in shape:
            size *= extent
        total += size
    with open(os.path.join(folder, name, "pytorch_model.bin"), "wb") as file:
        file.truncate(total)
