// What `whyfail fix` may rewrite: one script, one notebook, or the scripts of one folder; never a file of an installed
// package.
#pragma once

#include <optional>
#include <string>

#include "cli/notebook.h"

namespace whyfail::cli {

class FixTarget {
 public:
  // `named`: the file or folder of the command line. Throws Failure if it cannot be read or may not be changed.
  explicit FixTarget(std::string named);

  // The code by the name that a frame gives it; nullopt: not here, or not to be changed. The last answer is what will
  // be rewritten.
  std::optional<std::string> code(const std::string& frame_file);

  // For people: "run.py", or "run.ipynb, cell 3".
  std::string name() const;
  // The code that code() gave last, and the file with other code in its place.
  const std::string& old_code() const { return code_; }
  std::string file_with(const std::string& new_code) const;

  const std::string& file() const { return file_; }
  const std::string& file_text() const { return text_; }
  bool is_notebook() const { return notebook_.has_value(); }

 private:
  void open(const std::string& file);

  std::string named_;
  bool folder_ = false;
  std::string file_;
  std::string text_;
  std::optional<Notebook> notebook_;
  std::size_t cell_ = 0;
  std::string code_;
};

}  // namespace whyfail::cli
