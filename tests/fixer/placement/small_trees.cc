// Builds the models.
#include "tests/fixer/placement/small_trees.h"

namespace whyfail::fixer {

namespace {

Module layer(int index, std::uint64_t width) {
  Module attention{"self_attn", "Attention", {}, {}, {}};
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
    attention.children.push_back(leaf(name, "Linear", {tensor("weight", width, width)}));
  }
  Module mlp{"mlp", "Mlp", {}, {}, {}};
  mlp.children.push_back(leaf("gate_proj", "Linear", {tensor("weight", 4 * width, width)}));
  mlp.children.push_back(leaf("down_proj", "Linear", {tensor("weight", width, 4 * width)}));
  Module made{std::to_string(index), "DecoderLayer", {}, {}, {}};
  made.children.push_back(std::move(attention));
  made.children.push_back(std::move(mlp));
  made.children.push_back(leaf("norm", "Norm", {tensor("weight", width, 1)}));
  return made;
}

void add_random_children(Module& module, std::mt19937& random, int depth) {
  const char* const classes[] = {"A", "B", "C"};
  const std::uint64_t children = depth == 0 ? 3 + random() % 5 : random() % 4;
  for (std::uint64_t i = 0; i < children; ++i) {
    Module child{std::string(1, static_cast<char>('a' + i)), classes[random() % 3], {}, {}, {}};
    for (std::uint64_t k = random() % 3; k > 0; --k) {
      child.parameters.push_back(tensor("p" + std::to_string(k), 1 + random() % 50, 1));
    }
    if (random() % 5 == 0) child.buffers.push_back(tensor("buffer", 1 + random() % 9, 1, DType::float32));
    if (depth < 3) add_random_children(child, random, depth + 1);
    module.children.push_back(std::move(child));
  }
}

std::uint64_t bytes_of(const Module& module) {
  std::uint64_t bytes = 0;
  for (const auto* tensors : {&module.parameters, &module.buffers}) {
    for (const Tensor& one : *tensors) {
      bytes += one.elements * static_cast<std::uint64_t>(accelerate_width(one.dtype));
    }
  }
  for (const Module& child : module.children) bytes += bytes_of(child);
  return bytes;
}

}  // namespace

Tensor tensor(std::string name, std::uint64_t rows, std::uint64_t columns, DType dtype) {
  Tensor made;
  made.name = std::move(name);
  made.elements = rows * columns;
  made.dtype = dtype;
  made.rows = rows;
  return made;
}

Module leaf(std::string name, std::string class_name, std::vector<Tensor> parameters) {
  return {std::move(name), std::move(class_name), std::move(parameters), {}, {}};
}

ModuleTree language_model(int layers, std::uint64_t width, bool tied) {
  ModuleTree tree;
  tree.root.class_name = "LlamaForCausalLM";
  Module model{"model", "LlamaModel", {}, {}, {}};
  model.children.push_back(leaf("embed_tokens", "Embedding", {tensor("weight", 100, width)}));
  Module list{"layers", "ModuleList", {}, {}, {}};
  for (int i = 0; i < layers; ++i) list.children.push_back(layer(i, width));
  model.children.push_back(std::move(list));
  model.children.push_back(leaf("norm", "Norm", {tensor("weight", width, 1)}));
  tree.root.children.push_back(std::move(model));
  tree.root.children.push_back(leaf("lm_head", "Linear", {tensor("weight", 100, width)}));
  if (tied) tree.ties = {{"model.embed_tokens.weight", "lm_head.weight"}};
  return tree;
}

ModuleTree random_model(std::mt19937& random) {
  ModuleTree tree;
  tree.root.class_name = "Root";
  add_random_children(tree.root, random, 0);
  return tree;
}

std::uint64_t total_bytes(const ModuleTree& tree) { return bytes_of(tree.root); }

}  // namespace whyfail::fixer
