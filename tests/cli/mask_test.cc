// Every kind of secret is taken out in every form, and what only looks like one stays.
#include "cli/mask.h"

#include <gtest/gtest.h>

#include <chrono>

namespace whyfail::cli {
namespace {

TEST(Mask, TakesTokensOut) {
  for (const char* token :
       {"hf_IvnmIbDaGgWJvcQiWuODSuiampeJbVDGJ1", "sk-XOPc7hfYTEvfKpt3EWgJeujpd8slBE3WeclGCf3x7O9r",
        "sk-proj-O3-qiny9Jw_6jx0T466FFyItdySsHjErJ4rl0YkwEub", "AKIAIOSFODNN7EXAMPLE",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "github_pat_11ABCDEFG0_abcdefghijklmnop",
        "glpat-xY12ab34Cd56Ef78Gh90", "eyJhbGciOiJIUzI1NiJ9.fZSqh0ZgwLoLlIDNWt5g6kAz.BVNDLJuFHVl29VPuVGTCk1K4"}) {
    for (const char* around : {"token='X')", "X", "--key X --flag", "(X)", "HF_TOKEN=X\n"}) {
      std::string text = around;
      text.replace(text.find('X'), 1, token);
      EXPECT_EQ(masked(text).find(token), std::string::npos) << text;
    }
  }
}

TEST(Mask, TakesHeadersUrlsAndNamedValuesOut) {
  EXPECT_EQ(masked("Authorization: Bearer 1kQ599SIlVEFpelHHanj26B8"), "Authorization: Bearer <token>");
  EXPECT_EQ(masked("git clone https://deploy:UqN10RR7kgIgXkx@git.example.com/x.git"),
            "git clone https://<password>@git.example.com/x.git");
  EXPECT_EQ(masked("AWS_SECRET_ACCESS_KEY=ThSod89szhEWMCwEnqK90wVkUJcYyBujQvZl/Oox"), "AWS_SECRET_ACCESS_KEY=<token>");
  EXPECT_EQ(masked("password: hunter22x"), "password: <token>");
  EXPECT_EQ(masked("from_pretrained(m, token=\"abcdefgh12345\")"), "from_pretrained(m, token=\"<token>\")");
}

TEST(Mask, TakesAddressesAndHomeFoldersOut) {
  EXPECT_EQ(masked("user=max.mustermann43@example.com\n"), "user=<e-mail>\n");
  EXPECT_EQ(masked("File \"/home/erika.muster/a.py\""), "File \"/home/<user>/a.py\"");
  EXPECT_EQ(masked("/Users/jdoe42/m"), "/Users/<user>/m");
  EXPECT_EQ(masked("C:\\Users\\Max Mustermann\\llm\\a.py"), "C:\\Users\\<user>\\llm\\a.py");
  EXPECT_EQ(masked("'C:\\\\Users\\\\zhangsan01\\\\llm'"), "'C:\\\\Users\\\\<user>\\\\llm'");
  EXPECT_EQ(masked("c:/users/zhangsan01/llm"), "c:/users/<user>/llm");
  EXPECT_EQ(masked("/mnt/c/Users/msi/x"), "/mnt/c/Users/<user>/x");
  EXPECT_EQ(masked("/home/kwilson7"), "/home/<user>");
}

TEST(Mask, LeavesEverythingElse) {
  for (const char* text : {"model.hf_device_map", "hf_quantizer.postprocess_model(model)", "token=True",
                           "tokenizer.pad_token = tokenizer.eos_token", "use_auth_token=None", "max_new_tokens=20",
                           "@torch.no_grad()", "user@host:~$ python run.py", "/home/user/models/llama",
                           "torch @ file:///opt/conda", "https://huggingface.co/docs", "Bearer authentication is used",
                           "password", "the token: it is", "lm_head.weight → cuda:0, größer"}) {
    EXPECT_EQ(masked(text), text);
  }
}

TEST(Mask, IsStable) {
  const std::string once =
      masked("token=\"hf_IvnmIbDaGgWJvcQiWuODSuiampeJbVDGJ1\" /home/jdoe42/x https://a:b1@h/x c@d.org");
  EXPECT_EQ(masked(once), once);
}

TEST(Mask, TakesControlCharactersOut) {
  EXPECT_EQ(masked("a\x1b[31mb\x07\x7f\r\nc\td\xe2\x80\xae!\xc2\x9b"), "a[31mb\nc\td!");
}

TEST(Mask, TakesTimeInProportion) {
  const std::vector<std::string> pieces = {"sk-", "eyJ.", "token=",  "/home", "\\users\\",
                                           "://", "a@",   "bearer ", "hf_"};
  for (const std::string& piece : pieces) {
    std::string text;
    while (text.size() < 300000) text += piece;
    const auto begin = std::chrono::steady_clock::now();
    masked(text);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << piece;
  }
}

}  // namespace
}  // namespace whyfail::cli
