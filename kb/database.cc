// The only file that calls SQLite.
#include "kb/database.h"

#include <sqlite3.h>

#include <utility>

namespace whyfail::kb {
namespace {

[[noreturn]] void refuse(sqlite3* handle) {
  throw DatabaseError(handle != nullptr ? sqlite3_errmsg(handle) : "out of memory");
}

sqlite3* open_in_memory() {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(":memory:", &handle, flags, nullptr) != SQLITE_OK) {
    const std::string message = handle != nullptr ? sqlite3_errmsg(handle) : "out of memory";
    sqlite3_close(handle);
    throw DatabaseError(message);
  }
  return handle;
}

}  // namespace

Database Database::in_memory() { return Database(open_in_memory()); }

Database Database::over(std::string_view image) {
  Database database(open_in_memory());
  // SQLite takes the bytes as they are and, with READONLY, never writes to them.
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(image.data()));
  const auto size = static_cast<sqlite3_int64>(image.size());
  if (sqlite3_deserialize(database.handle_, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    refuse(database.handle_);
  }
  // A damaged image must not make SQLite run code or trust its schema.
  sqlite3_db_config(database.handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Pages are read where they lie instead of being copied first.
  database.execute("PRAGMA mmap_size = " + std::to_string(image.size()));
  return database;
}

Database::Database(Database&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

Database::~Database() { sqlite3_close(handle_); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) refuse(handle_);
}

std::string Database::bytes() const {
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(handle_, "main", &size, 0);
  if (bytes == nullptr) refuse(handle_);
  std::string image(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return image;
}

Statement::Statement(const Database& database, std::string_view sql) : handle_(database.handle()) {
  if (sqlite3_prepare_v2(handle_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr) != SQLITE_OK) {
    refuse(handle_);
  }
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(std::string_view text) {
  if (sqlite3_bind_text64(statement_, next_++, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8) != SQLITE_OK) {
    refuse(handle_);
  }
  return *this;
}

Statement& Statement::bind(std::int64_t number) {
  if (sqlite3_bind_int64(statement_, next_++, number) != SQLITE_OK) refuse(handle_);
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  if (sqlite3_bind_blob64(statement_, next_++, bytes.data(), bytes.size(), SQLITE_TRANSIENT) != SQLITE_OK) {
    refuse(handle_);
  }
  return *this;
}

bool Statement::step() {
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) refuse(handle_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  again();
}

void Statement::again() {
  sqlite3_reset(statement_);
  next_ = 1;
}

std::string Statement::text(int column) const { return std::string(view(column)); }

std::string_view Statement::view(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (bytes == nullptr || size <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

std::int64_t Statement::number(int column) const { return sqlite3_column_int64(statement_, column); }

}  // namespace whyfail::kb
