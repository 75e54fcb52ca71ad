// A Jupyter notebook (nbformat 4) whose cells' sources can be rewritten while every other byte of the file stays.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace whyfail::cli {

struct NotebookCell {
  std::string source;
  std::optional<int> execution_count;  // the number in "In [3]"
  bool failed = false;                 // an error stands among its outputs
  std::size_t begin = 0;               // of the source's value in the file …
  std::size_t end = 0;                 // … one past it
};

class Notebook {
 public:
  // nullopt: not JSON, or not a notebook with cells.
  static std::optional<Notebook> read(const std::string& text);

  // The code cells, in their order.
  const std::vector<NotebookCell>& cells() const { return cells_; }
  // The cell that a traceback calls by this name: "Cell In[2]", "Input In [2]", "<ipython-input-2-…>" by its number, a
  // file of ipykernel's by the one cell that holds an error. nullopt: no such name, or not told by it.
  std::optional<std::size_t> cell_named(const std::string& frame_file) const;
  // The file with another source in one cell. Lines that stay are kept as they are written.
  std::string with_source(std::size_t cell, const std::string& source) const;

 private:
  std::string text_;
  std::vector<NotebookCell> cells_;
};

}  // namespace whyfail::cli
