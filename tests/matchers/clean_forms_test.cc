// One showing after the other: the same traceback has to come out of each.
#include <gtest/gtest.h>

#include <functional>

#include "tests/matchers/reading_forms.h"

namespace whyfail::matchers {
namespace {

constexpr std::string_view kPlain = R"(Traceback (most recent call last):
  File "/home/user/chatbot/finetune.py", line 4, in <module>
    model = AutoModel.from_pretrained("opt", device_map="auto", torch_dtype=torch.float16)
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/home/user/.virtualenvs/chatbot/lib/python3.11/site-packages/transformers/modeling_utils.py", line 4245, in from_pretrained
    ) = cls._load_pretrained_model(
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
ValueError: The current `device_map` had weights offloaded to the disk. Please provide an `offload_folder` for them.
)";
constexpr std::string_view kChain =
    "ValueError: The current `device_map` had weights offloaded to the disk. Please provide an `offload_folder` for "
    "them. [/home/user/chatbot/finetune.py:4 <module>; "
    "/home/user/.virtualenvs/chatbot/lib/python3.11/site-packages/transformers/modeling_utils.py:4245 "
    "from_pretrained]\n";

std::string by_line(std::string_view text, const std::function<std::string(std::string_view, int)>& change) {
  std::string out;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += change(text.substr(0, end), number++) + "\n";
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string prefixed(std::string_view prefix, std::string_view text = kPlain) {
  return by_line(text, [&](std::string_view line, int) { return std::string(prefix) + std::string(line); });
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string wrapped(std::string_view text, std::size_t width) {
  return by_line(text, [&](std::string_view line, int) {
    std::string out;
    for (; line.size() > width; line.remove_prefix(width)) out += std::string(line.substr(0, width)) + "\n";
    return out + std::string(line);
  });
}

std::string word_wrapped(std::string_view text, std::size_t width) {
  return by_line(text, [&](std::string_view line, int) {
    std::string out;
    while (line.size() > width) {
      const std::size_t indent = line.find_first_not_of(' ');
      std::size_t cut = line.rfind(' ', width);
      if (cut == std::string_view::npos || cut <= indent) cut = line.find(' ', width);
      if (cut == std::string_view::npos) break;
      out += std::string(line.substr(0, cut)) + "\n";
      line.remove_prefix(cut + 1);
    }
    return out + std::string(line);
  });
}

std::string json_string(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? "\\n" : c == '\x1b' ? "\\u001b" : std::string(1, c);
  }
  return out;
}

std::string utf16(std::string_view text, bool little) {
  std::string out = little ? "\xFF\xFE" : "\xFE\xFF";
  for (const char c : text) {
    if (little) out += c;
    out += '\0';
    if (!little) out += c;
  }
  return out;
}

std::string coloured(std::string_view escape) {
  return by_line(kPlain, [&](std::string_view line, int) {
    return std::string(escape) + "[31m" + std::string(line) + std::string(escape) + "[38;5;28;01m" +
           std::string(escape) + "[0m";
  });
}

std::string flat(std::string text) {
  text.pop_back();
  return replaced(replaced(std::move(text), "\n", " "), "  ", " ");
}

TEST(CleanForms, Plain) {
  EXPECT_EQ(chains_of(kPlain), kChain);
  EXPECT_EQ(places_that_lie(kPlain), "");
}

TEST(CleanForms, Prefixes) {
  for (const std::string_view prefix : {"app-1  | ",
                                        "[rank0]: ",
                                        "[default0]:[rank0]: ",
                                        "0: ",
                                        "[1,0]<stderr>:",
                                        "model-7d9f8b6c5-x2x9k model ",
                                        "2025-03-14T10:21:00.137Z ",
                                        "2025-03-14T10:21:00.137000001Z stderr F ",
                                        "(Worker pid=4711, ip=10.0.0.3) ",
                                        "Mar 14 04:14:07 gpu-box python[2481]: ",
                                        "[worker-3] | ",
                                        "> ",
                                        ">",
                                        ">> ",
                                        "> > ",
                                        "# ",
                                        "    ",
                                        "\t",
                                        "E   ",
                                        "train.log:",
                                        "> [rank0]: "}) {
    EXPECT_EQ(chains_of(prefixed(prefix)), kChain) << prefix;
    EXPECT_EQ(places_that_lie(prefixed(prefix)), "") << prefix;
  }
}

TEST(CleanForms, TimesThatGoOn) {
  EXPECT_EQ(chains_of(by_line(kPlain,
                              [](std::string_view line, int number) {
                                return "2025-03-14T10:21:0" + std::to_string(number) + "." +
                                       std::to_string(137 * number) + "Z " + std::string(line);
                              })),
            kChain);
}

TEST(CleanForms, RanksThatWriteAtTheSameTime) {
  const std::string mixed = by_line(kPlain, [](std::string_view line, int) {
    return "[rank1]: " + std::string(line) + "\n[rank0]: " + std::string(line);
  });
  EXPECT_EQ(chains_of(mixed), std::string(kChain) + "--\n" + std::string(kChain));
}

TEST(CleanForms, Escapes) {
  for (const std::string_view escape :
       {"\x1b", "\\x1b", "\\u001b", "\\033", "^[", "", "\xE2\x90\x9B", "\xE2\x86\x90"}) {
    EXPECT_EQ(chains_of(coloured(escape)), kChain) << escape;
    EXPECT_EQ(places_that_lie(coloured(escape)), "") << escape;
  }
  EXPECT_EQ(cleaned("\x1b]8;;file:///a/b.py\x1b\\link\x1b]8;;\x1b\\ and \x1b]0;title\a text"), "link and  text");
}

TEST(CleanForms, EncodingsAndLineEnds) {
  EXPECT_EQ(chains_of(utf16(kPlain, true)), kChain);
  EXPECT_EQ(chains_of(utf16(kPlain, false)), kChain);
  EXPECT_EQ(chains_of("\xEF\xBB\xBF" + std::string(kPlain)), kChain);
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), "\n", "\r\n")), kChain);
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), "\n", "\r\r\n")), kChain);
  EXPECT_EQ(chains_of("Loading:  0%\rLoading: 50%\r" + std::string(kPlain)), kChain);
  EXPECT_EQ(cleaned("a\xFF\xC3("), "a\xEF\xBF\xBD\xEF\xBF\xBD(");
  EXPECT_EQ(read_all(utf16(kPlain, true)).chains.at(0).raised[0].line, 8);
}

TEST(CleanForms, Characters) {
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), " ", "\xC2\xA0")), kChain);
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), "\"", "\xE2\x80\x9D")), kChain);
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), "/", "/\xE2\x80\x8B")), kChain);
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), "    ", "\t")), kChain);
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), "\n", "   \n")), kChain);
  EXPECT_EQ(chains_of(replaced(std::string(kPlain), "\n", "\n\n")), kChain);
  EXPECT_EQ(chains_of(by_line(kPlain,
                              [](std::string_view line, int) {
                                return std::string(line.substr(std::min(line.size(), line.find_first_not_of(' '))));
                              })),
            kChain);
}

TEST(CleanForms, HardWrapsAtAnyColumn) {
  for (const std::size_t width : {60U, 72U, 80U, 90U, 100U, 111U, 120U}) {
    EXPECT_EQ(chains_of(wrapped(kPlain, width)), kChain) << width;
    EXPECT_EQ(chains_of(prefixed("llm-1  | ", wrapped(kPlain, width))), kChain) << width;
    EXPECT_EQ(chains_of(wrapped(prefixed("llm-1  | "), width)), kChain) << width;
  }
  const std::string call = "from_pretrained(\"opt\", device_map=\"auto\", torch_dtype=torch.float16)";
  EXPECT_NE(cleaned(wrapped(kPlain, 80)).find(call), std::string::npos);
}

TEST(CleanForms, WordWraps) {
  for (const std::size_t width : {72U, 80U, 100U}) {
    const std::string chain = replaced(chains_of(word_wrapped(kPlain, width)), "/Please", " Please");
    EXPECT_EQ(chain.substr(chain.find('[')), kChain.substr(kChain.find('['))) << width;
    EXPECT_NE(cleaned(word_wrapped(kPlain, width)).find("device_map=\"auto\", torch_dtype=torch.float16)"),
              std::string::npos)
        << width;
  }
}

TEST(CleanForms, TablesAreNotJoined) {
  const std::string table =
      "+-----------------------------------------------------------------------------+\n"
      "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\n"
      "|-------------------------------+----------------------+----------------------+\n"
      "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
      "+-----------------------------------------------------------------------------+\n";
  EXPECT_EQ(cleaned(table), table);
  const std::string rows = "| a | b |\n| c | d |\n| e | f |\n| g | h |\n| i | j |\n| k | l |\n| m | n |\n";
  EXPECT_EQ(cleaned(rows), rows);
  const std::string list =
      "- `transformers` version: 4.44.2\n- Platform: Linux\n- Python version: 3.11.7\n"
      "- Accelerate version: 0.34.2\n- PyTorch version: 2.5.1\n- Using GPU in script?: no\n";
  EXPECT_EQ(cleaned(list), list);
}

TEST(CleanForms, OneLine) {
  EXPECT_EQ(chains_of(flat(std::string(kPlain))), kChain);
  const std::string_view ipython =
      "ValueError                     Traceback (most recent call last) Cell In[2], line 1 ----> 1 m = go() File "
      "~/env/lib/x.py:5, in go(a) 4 x --> 5 raise ValueError(1) ValueError: no";
  EXPECT_EQ(chains_of(ipython), "ValueError: no [Cell In[2]:1 ; ~/env/lib/x.py:5 go]\n");
}

TEST(CleanForms, InsideOfStrings) {
  EXPECT_EQ(chains_of(json_string(kPlain)), kChain);
  EXPECT_EQ(chains_of(json_string(coloured("\x1b"))), kChain);
  EXPECT_EQ(chains_of("{\"ts\": \"2026-11-30\", \"level\": \"ERROR\", \"msg\": \"load failed\", \"exc\": \"" +
                      json_string(kPlain) + "\"}\n{\"ts\": \"2026-11-30\", \"msg\": \"exit\"}\n"),
            kChain);
  EXPECT_EQ(chains_of(by_line(kPlain,
                              [](std::string_view line, int) {
                                return "{\"log\":\"" + json_string(line) +
                                       "\\n\",\"stream\":\"stderr\",\"time\":\"x\"}";
                              })),
            kChain);
  EXPECT_EQ(cleaned("{\"log\":\"caf\\u00e9 \\ud83d\\ude00\\n\",\"stream\":\"x\"}"), "caf\xC3\xA9 \xF0\x9F\x98\x80\n");
}

TEST(CleanForms, Recordings) {
  std::string cast = "{\"version\": 2, \"width\": 120}\n";
  cast += by_line(kPlain, [](std::string_view line, int number) {
    return "[" + std::to_string(number) + ".5, \"o\", \"" + json_string(line) + "\\r\\n\"]";
  });
  cast += "[9.0, \"i\", \"typed\"]\n";
  EXPECT_EQ(chains_of(cast), kChain);
  EXPECT_EQ(cleaned(cast).find("typed"), std::string::npos);
}

TEST(CleanForms, Notebooks) {
  const std::string_view notebook = R"nb({
 "cells": [
  {
   "cell_type": "code",
   "outputs": [
    {
     "ename": "ValueError",
     "output_type": "error",
     "traceback": [
      "\u001b[31m---------------------------------------------------------\u001b[39m",
      "\u001b[31mValueError\u001b[39m                                Traceback (most recent call last)",
      "\u001b[36mCell\u001b[39m\u001b[36m \u001b[39m\u001b[32mIn[2]\u001b[39m\u001b[32m, line 1\u001b[39m\n\u001b[32m----> \u001b[39m\u001b[32m1\u001b[39m model = load(\u001b[33m\"x\"\u001b[39m)",
      "",
      "\u001b[31mValueError\u001b[39m: no room"
     ]
    }
   ],
   "source": [
    "name = \"x\"\n",
    "model = load(\"x\")"
   ]
}
 ]
 })nb";
  EXPECT_EQ(chains_of(notebook), "ValueError: no room [Cell In[2]:1 ]\n");
  EXPECT_NE(cleaned(notebook).find("name = \"x\"\nmodel = load(\"x\")\n"), std::string::npos);
  EXPECT_EQ(read_all(notebook).chains.at(0).raised[0].line, 14);
}

TEST(CleanForms, WebPages) {
  std::string escaped = replaced(replaced(std::string(kPlain), "<", "&lt;"), "\"", "&quot;");
  escaped = replaced(escaped, ">", "&gt;");
  EXPECT_EQ(chains_of(escaped), kChain);
  EXPECT_EQ(chains_of("<!DOCTYPE html><style>p {}</style><div class=\"a\"><p>Hello</p><pre><code>" + escaped +
                      "</code></pre><p>bye</p></div>"),
            kChain);
  EXPECT_EQ(chains_of("<p>" + replaced(escaped, "\n", "<br>\n") + "</p>"), kChain);
  EXPECT_EQ(cleaned("in <module> of <class 'x'> and <stdin>"), "in <module> of <class 'x'> and <stdin>");
}

TEST(CleanForms, QuotedPrintableMail) {
  std::string mail = by_line(replaced(std::string(kPlain), "=", "=3D"), [](std::string_view line, int) {
    std::string out;
    for (; line.size() > 75; line.remove_prefix(70)) out += std::string(line.substr(0, 70)) + "=\n";
    return out + std::string(line);
  });
  // A cut between "=" and "3D" is none that a mail program makes.
  mail = replaced(replaced(mail, "==\n3D", "=3D=\n"), "=3=\nD", "=3D=\n");
  EXPECT_EQ(chains_of("Content-Transfer-Encoding: quoted-printable\n\nGr=C3=BC=C3=9Fe,\n\n" + mail), kChain);
}

TEST(CleanForms, MarkdownFences) {
  EXPECT_EQ(chains_of("It fails:\n\n```pytb\n" + std::string(kPlain) + "```\nAny idea?\n"), kChain);
  EXPECT_EQ(chains_of(prefixed("> ", "```\n" + std::string(kPlain) + "```\n") + "\nSame here.\n"), kChain);
}

TEST(CleanForms, CodePagesOfConsoles) {
  const std::string_view row = "│ /w/run.py:5 in <module> │";
  EXPECT_EQ(cleaned("Γöé /w/run.py:5 in <module> Γöé"), cleaned(row));
  EXPECT_EQ(cleaned("Ôöé /w/run.py:5 in <module> Ôöé"), cleaned(row));
  EXPECT_EQ(cleaned("тФВ /w/run.py:5 in <module> тФВ"), cleaned(row));
  EXPECT_EQ(cleaned("â”‚ /w/run.py:5 in <module> â”‚"), cleaned(row));
  EXPECT_EQ(cleaned("Γêé and тест and châteÂ"), "∂ and тест and châteÂ");
}

TEST(CleanForms, PowerShellRecordsInAnyLanguage) {
  for (const std::string_view position : {"At line:1 char:1", "In Zeile:1 Zeichen:1", "\xE8\xA1\x8C:1"}) {
    std::string paste = "python : " + std::string(kPlain);
    const std::size_t first_end = paste.find('\n') + 1;
    paste.insert(first_end, std::string(position) +
                                "\n+ python run.py 2>&1 | tee out.txt\n+ ~~~~~~~~~~~~~\n    + CategoryInfo          "
                                ": NotSpecified: (Traceback (most recent call last)::String) [], RemoteException\n"
                                "    + FullyQualifiedErrorId : NativeCommandError\n \n");
    EXPECT_EQ(chains_of(paste), kChain) << position;
    EXPECT_EQ(chains_of(wrapped(paste, 120)), kChain) << position;
    EXPECT_EQ(cleaned(paste), kPlain) << position;
  }
}

TEST(CleanForms, HostileInputIsReadInBoundedTime) {
  const std::size_t size = 12'000;
  const auto repeated = [&](std::string_view piece) {
    std::string text;
    while (text.size() < size) text += piece;
    return text;
  };
  for (const std::string_view piece : {"\x1b]8;;",
                                       "\\n",
                                       "\"",
                                       "{\"a\":\"",
                                       "<",
                                       "<p><script>",
                                       "&",
                                       "=\n",
                                       "\xE2\x94\x82 /a \xE2\x94\x82\n",
                                       "File \"",
                                       " File \"a\", line 1, in f",
                                       "During handling of the above exception, another exception occurred:\n",
                                       "> ",
                                       "[rank0]:",
                                       "\r",
                                       "\xFF",
                                       "E   \n",
                                       "a.py:1: \n",
                                       "+ CategoryInfo\n",
                                       "[0.1, \"o\", \"",
                                       "  ^^^\n^^^\n"}) {
    const std::string text = repeated(piece);
    EXPECT_LE(cleaned(text).size(), 4 * text.size() + 16) << piece;
    EXPECT_LE(cleaned("{\"cell_type\" \"source\":" + text).size(), 4 * text.size() + 64) << piece;
  }
}

}  // namespace
}  // namespace whyfail::matchers
