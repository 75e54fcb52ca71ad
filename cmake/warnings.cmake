# Warnings are errors with g++ and clang++; third-party headers come in as SYSTEM and are not judged.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees dangling and uninitialized members inside std::optional and std::variant where there are none.
  add_compile_options(-Wno-maybe-uninitialized -Wno-restrict)
endif()
