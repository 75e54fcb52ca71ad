#include "model_fixture.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace whyfail::fixer {

namespace {

const std::string data_folder = std::string(WHYFAIL_SOURCE_DIR) + "/data/";

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::optional<std::string> data_file(const std::string& path) {
  std::ifstream file(data_folder + path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::string> read_catalogue() {
  std::map<std::string, std::string> rows;
  for (const auto& file : std::filesystem::directory_iterator(data_folder + "catalogue")) {
    if (file.path().extension() != ".json") continue;
    const auto json = nlohmann::json::parse(read_text(file.path().string()));
    for (const auto& [id, row] : json.items()) rows[lower(id)] = row.dump();
  }
  return rows;
}

struct Shown {
  bool classes = false;
  bool rows = false;
};

std::string tensor_text(const Tensor& tensor, Shown shown) {
  return tensor.name + " " + std::to_string(tensor.elements) + (shown.rows ? " " + std::to_string(tensor.rows) : "") +
         " " + dtype_name(tensor.dtype);
}

void append_module(const Module& module, const std::string& path, Shown shown, std::string& text) {
  text += shown.classes ? path + " " + module.class_name + "\n" : path + "\n";
  const std::string prefix = path.empty() ? "" : path + ".";
  for (const Tensor& tensor : module.parameters) text += prefix + tensor_text(tensor, shown) + "\n";
  for (const Tensor& tensor : module.buffers) {
    text += prefix + tensor_text(tensor, shown) + (tensor.persistent ? " stored\n" : " not stored\n");
  }
  for (const Module& child : module.children) append_module(child, prefix + child.name, shown, text);
}

}  // namespace

const ModelData& model_data() {
  static const std::map<std::string, std::string> catalogue = read_catalogue();
  static const ModelData data{
      [](std::string_view type, int era) {
        return data_file("size_templates/" + std::string(type) + (era < 5 ? "@4" : "") + ".json");
      },
      [](std::string_view type) { return data_file("architectures/" + std::string(type) + ".json"); },
      [](std::string_view id) -> std::optional<std::string> {
        const auto found = catalogue.find(lower(std::string(id)));
        return found == catalogue.end() ? std::nullopt : std::optional(found->second);
      }};
  return data;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string tree_text(const Module& root, bool with_classes, bool with_rows) {
  std::string text;
  append_module(root, "", {with_classes, with_rows}, text);
  return text;
}

std::uint32_t crc32(const std::string& text) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> rows{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value & 1U) ? 0xEDB88320U ^ (value >> 1) : value >> 1;
      rows[i] = value;
    }
    return rows;
  }();
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char c : text) sum = table[(sum ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (sum >> 8);
  return sum ^ 0xFFFFFFFFU;
}

}  // namespace whyfail::fixer
