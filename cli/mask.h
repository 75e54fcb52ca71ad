// Takes secrets out of text before it is printed: access tokens (Hugging Face, OpenAI-like, AWS, GitHub, GitLab, Slack,
// JSON web tokens, bearer headers), user:password@ in URLs, values of variables that are named like secrets, e-mail
// addresses, and names of home folders. Linear in the text.
#pragma once

#include <string>
#include <string_view>

namespace whyfail::cli {

// The text with each secret replaced by a word in angle brackets ("<token>", "<password>", "<e-mail>", "<user>"), and
// without control characters other than line feed and tab (nor characters that reverse the direction of writing).
// Text that is masked already stays as it is. Home folders of nobody in particular ("user", "root", "ubuntu") are left.
std::string masked(std::string_view text);

}  // namespace whyfail::cli
