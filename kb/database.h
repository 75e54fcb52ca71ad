// SQLite, as far as this program needs it: one database and its statements. Used by kb and its build tool only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace whyfail::kb {

// What SQLite refused, in its own words. Turned into a KnowledgeBaseError or a finding by whoever opened the database.
class DatabaseError : public std::exception {
 public:
  explicit DatabaseError(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string message_;
};

class Database {
 public:
  // An empty one in memory, for building.
  static Database in_memory();
  // Read-only over bytes that outlive it; nothing is copied and no file is made.
  static Database over(std::string_view image);

  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  void execute(const std::string& sql);  // several statements, no results
  std::string bytes() const;             // the database as a file would hold it

  sqlite3* handle() const { return handle_; }

 private:
  explicit Database(sqlite3* handle) : handle_(handle) {}
  sqlite3* handle_ = nullptr;
};

// A prepared statement: bind from the left, then step. Throws DatabaseError where the database is damaged.
//   Statement query(db, "SELECT title FROM failure WHERE id = ?");
//   query.bind(id);
//   while (query.step()) use(query.text(0));
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(std::string_view text);
  Statement& bind(std::int64_t number);
  Statement& bind_blob(std::string_view bytes);
  bool step();   // true: a row is there
  void run();    // steps to the end and makes it ready for the next values
  void again();  // leaves the rows that are left and makes it ready for the next values

  std::string text(int column) const;
  std::string_view view(int column) const;  // until the next step
  std::int64_t number(int column) const;

 private:
  sqlite3* handle_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
};

}  // namespace whyfail::kb
