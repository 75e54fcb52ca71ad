#!/usr/bin/env python3
"""Writes rows of trees.tsv: the module tree that the installed transformers builds for a config, as a checksum.

usage: library_trees.py new TYPE...    rows of small models with varied configs, one or two a type
       library_trees.py again < ROWS   the rows again (label, release, class, dtype and config stay), of this release

Models are built on the meta device, the way from_pretrained builds them before it loads weights: class(config) in the
dtype asked for. Nothing is downloaded. A row is the label, the release, class, dtype, config.json, lines, parameters,
bytes, crc32 of the lines, crc32 of the lines with class names (0 where that is not compared), tabs between them.
"""
import json
import os
import random
import sys
import warnings
import zlib

warnings.filterwarnings("ignore")
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import transformers  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402

# Ids that must lie inside the vocabulary, and fields that say nothing about tensors or must not be guessed at.
LEFT_ALONE = ("_token_id", "_token_index", "_idx", "dropout", "_std", "_eps", "epsilon", "initializer", "_coef")
# Sizes that other sizes must divide; all of a config are changed together.
HEADS = {"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads",
         "attention_heads"}
KEY_VALUE_HEADS = {"num_key_value_heads", "num_kv_heads", "n_head_kv", "kv_n_heads"}
WIDTHS = {"hidden_size", "d_model", "n_embd", "dim", "embed_dim"}
LAYERS = {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers",
          "num_decoder_layers", "num_encoder_layers", "depth"}
EXPERTS = {"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"}


def varied_part(defaults, chance):
    """Other values for one level of a config; `defaults` are its class's own."""
    heads = chance.choice([4, 8, 12])
    fields = {}
    for name, value in defaults.items():
        number = isinstance(value, int) and not isinstance(value, bool)
        if any(part in name for part in LEFT_ALONE):
            continue
        if name in HEADS and (number or value is None):
            fields[name] = heads
        elif name in KEY_VALUE_HEADS:
            fields[name] = chance.choice([count for count in (1, 2, 4) if heads % count == 0])
        elif name in WIDTHS and number:
            fields[name] = heads * chance.choice([8, 12, 16, 24])
        elif name in LAYERS and number:
            fields[name] = chance.choice([4, 5, 6])
        elif name in EXPERTS and number and value > 1:
            fields[name] = chance.choice([4, 6, 8])
        elif name == "vocab_size" and number:
            fields[name] = chance.randrange(400, 900)
        elif name in ("intermediate_size", "ffn_dim", "d_ff", "n_inner", "encoder_ffn_dim", "decoder_ffn_dim",
                      "moe_intermediate_size") and (number or name == "n_inner"):
            fields[name] = 2 * chance.randrange(20, 90)
        elif name in ("head_dim", "d_kv") and (number or value is None):
            fields[name] = 4 * chance.randrange(2, 9)
        elif name == "tie_word_embeddings" and isinstance(value, bool):
            fields[name] = chance.random() < 0.5
        elif isinstance(value, bool) and name.endswith("bias"):
            fields[name] = chance.random() < 0.5
    return fields


def varied_config(model_type, chance, whole=True):
    """A config.json with other values than the class's defaults, as one would find it beside a checkpoint."""
    defaults = CONFIG_MAPPING[model_type]().to_dict()
    config = {"model_type": model_type} | varied_part(defaults, chance)
    for name, value in defaults.items():
        if isinstance(value, dict) and (name.endswith("_config") or name in ("encoder", "decoder")) and whole:
            part = varied_part(value, chance)
            if part:
                kind = {"model_type": value["model_type"]} if value.get("model_type") else {}
                config[name] = kind | part
    labels = chance.choice([2, 3, 5])
    if labels != 2:
        config["id2label"] = {str(i): "LABEL_%d" % i for i in range(labels)}
        config["label2id"] = {"LABEL_%d" % i: i for i in range(labels)}
    return config


def config_of(config):
    return CONFIG_MAPPING[config["model_type"]].from_dict(json.loads(json.dumps(config)))


def built(config, class_name, dtype):
    """The model on the meta device."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with torch.device("meta"):
            return getattr(transformers, class_name)(config_of(config))
    finally:
        torch.set_default_dtype(before)


def tensor_text(tensor):
    rows = tensor.shape[0] if tensor.dim() else 1
    return "%d %d %s" % (tensor.numel(), rows, str(tensor.dtype).replace("torch.", ""))


def tree_lines(module, path="", with_classes=False):
    """As tests/fixer/model/model_fixture.cc writes a tree: modules in order, each with its own tensors."""
    lines = ["%s %s" % (path, type(module).__name__) if with_classes else path]
    prefix = path + "." if path else ""
    for name, tensor in module._parameters.items():
        if tensor is not None:
            lines.append("%s%s %s" % (prefix, name, tensor_text(tensor)))
    for name, tensor in module._buffers.items():
        if tensor is not None:
            stored = "not stored" if name in module._non_persistent_buffers_set else "stored"
            lines.append("%s%s %s %s" % (prefix, name, tensor_text(tensor), stored))
    for name, child in module._modules.items():
        if child is not None:
            lines += tree_lines(child, prefix + name, with_classes)
    return lines


def totals(module):
    """Parameters and bytes, every tensor counted where it stands (tied ones too)."""
    own = [tensor for tensor in module._parameters.values() if tensor is not None]
    parameters = sum(tensor.numel() for tensor in own)
    own += [tensor for tensor in module._buffers.values() if tensor is not None]
    size = sum(tensor.numel() * tensor.element_size() for tensor in own)
    for child in module._modules.values():
        if child is not None:
            more = totals(child)
            parameters, size = parameters + more[0], size + more[1]
    return parameters, size


def row(label, class_name, dtype, config, with_classes=True):
    model = built(config, class_name, dtype)
    text = "".join(line + "\n" for line in tree_lines(model))
    classes = "".join(line + "\n" for line in tree_lines(model, with_classes=True))
    figures = (len(text.splitlines()), *totals(model), zlib.crc32(text.encode()),
               zlib.crc32(classes.encode()) if with_classes else 0)
    return "\t".join([label, transformers.__version__, class_name, dtype,
                      json.dumps(config, separators=(",", ":")), *map(str, figures)])


def classes_of(model_type):
    """The classes that the Auto classes make of a type, each once."""
    from transformers.models.auto import modeling_auto
    names = []
    for table in sorted(name for name in dir(modeling_auto) if name.startswith("MODEL_") and name.endswith("_NAMES")):
        made = getattr(modeling_auto, table).get(model_type)
        for name in [made] if isinstance(made, str) else made or []:
            if name not in names and hasattr(transformers, name):
                names.append(name)
    return names


def main(arguments):
    if arguments[:1] == ["again"]:
        for line in sys.stdin:
            label, _, class_name, dtype, config, *figures = line.rstrip("\n").split("\t")
            print(row(label, class_name, dtype, json.loads(config), figures[-1] != "0"), flush=True)
        return 0
    if arguments[:1] != ["new"] or len(arguments) < 2:
        sys.stderr.write(__doc__)
        return 2
    for model_type in arguments[1:]:
        chance = random.Random(model_type)
        for attempt in range(20):
            try:
                config = varied_config(model_type, chance, attempt < 10)
                print(row(model_type, chance.choice(classes_of(model_type)), "bfloat16", config), flush=True)
                break
            except Exception as problem:  # the class refuses this combination of sizes; another is tried
                sys.stderr.write("%s: %s\n" % (model_type, str(problem)[:120]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
