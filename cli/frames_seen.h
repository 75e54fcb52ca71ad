// Frames of a reading in the form in which the knowledge base tells releases by them.
#pragma once

#include <string>
#include <vector>

#include "kb/releases.h"
#include "matchers/reading.h"

namespace whyfail::cli {

// Frames of library files: those of the chain that holds the cause, and those of every other traceback, apart, for they
// may come from another run. Places that warnings name ("…/transformers/x.py:12: UserWarning") stand with the others.
struct LibraryFrames {
  std::vector<kb::FrameSeen> cause;
  std::vector<kb::FrameSeen> others;
};
LibraryFrames library_frames(const kb::KnowledgeBase& kb, const matchers::Reading& reading);

// Folders that hold the packages of the tracebacks ("/venv/lib/python3.11/site-packages"), in order of appearance.
std::vector<std::string> package_folders(const matchers::Reading& reading);

}  // namespace whyfail::cli
