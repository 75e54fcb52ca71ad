-- The knowledge base image. Everything is looked up by key; nothing is scanned when a paste is explained.
-- A file of this form is an ordinary SQLite database, followed by the anchor filter (kb/image_layout.h).

-- What the file is: 'format' → version of this schema.
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row an entry of data/failures.
CREATE TABLE failure (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  severity TEXT NOT NULL,           -- 'error' or 'warning'
  what TEXT NOT NULL,
  why TEXT NOT NULL,
  advice TEXT NOT NULL,
  file TEXT NOT NULL                -- path below the data folder
) WITHOUT ROWID;

-- Lists of an entry, in the order of its file. kind: 'false_belief', 'alias'.
CREATE TABLE failure_text (
  failure TEXT NOT NULL,
  kind TEXT NOT NULL,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (failure, kind, position)
) WITHOUT ROWID;
CREATE TABLE failure_source (
  failure TEXT NOT NULL,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  url TEXT NOT NULL,
  PRIMARY KEY (failure, position)
) WITHOUT ROWID;
-- settings: key, 0x1f, value, 0x1e … in the order of the file.
CREATE TABLE failure_recipe (
  failure TEXT NOT NULL,
  position INTEGER NOT NULL,
  strategy TEXT NOT NULL,
  settings TEXT NOT NULL,
  PRIMARY KEY (failure, position)
) WITHOUT ROWID;

-- One row a wording. Lists (exceptions, frames, kinds) are joined by line feeds.
CREATE TABLE pattern (
  id INTEGER PRIMARY KEY,
  failure TEXT NOT NULL,
  severity TEXT NOT NULL,
  expression TEXT NOT NULL,         -- RE2 over the form that matchers/confirmation.h describes
  anchor TEXT NOT NULL,
  exceptions TEXT NOT NULL,
  frames TEXT NOT NULL,
  needs_context INTEGER NOT NULL,
  literals TEXT NOT NULL,           -- texts that must be there, in this order
  choices TEXT NOT NULL,            -- groups of texts of which one must be there; alternatives joined by 0x1f
  kinds TEXT NOT NULL,              -- capture kinds: name=kind
  nearby TEXT NOT NULL,             -- captures outside of the message: name=RE2
  wording TEXT NOT NULL,            -- as written in the entry
  package TEXT NOT NULL,
  releases TEXT NOT NULL,           -- "4.25.0..4.57.6" or "diffusers 0.33.0..0.42.1", one a line; empty: not known
  first_line INTEGER NOT NULL       -- of the wording in its file
);
CREATE INDEX pattern_by_failure ON pattern (failure);

-- What patterns are found by: hashes of their anchors, and of the beginnings of their first literals ('opening', for
-- messages that were cut off or typed off).
CREATE TABLE anchor (
  hash INTEGER NOT NULL,
  pattern INTEGER NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (hash, pattern)
) WITHOUT ROWID;

-- Pastes that an entry says it matches ('sample') or does not ('near').
CREATE TABLE sample (
  pattern INTEGER NOT NULL,
  kind TEXT NOT NULL,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  line INTEGER NOT NULL,            -- in the entry's file
  PRIMARY KEY (pattern, kind, position)
) WITHOUT ROWID;

-- Full text over titles, wordings and aliases, for paraphrases and `kb search`.
CREATE VIRTUAL TABLE words USING fts5 (id UNINDEXED, title, wording, aliases, tokenize = 'porter unicode61');

-- What people say and the words of entries that stand for it, joined by blanks; none: it says nothing about a failure.
CREATE TABLE vocabulary (said TEXT PRIMARY KEY, means TEXT NOT NULL) WITHOUT ROWID;

-- JSON texts of the models' side. era: 4 or 5, the major release of transformers.
CREATE TABLE size_template (
  model_type TEXT NOT NULL,
  era INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (model_type, era)
) WITHOUT ROWID;
CREATE TABLE architecture (model_type TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE catalogue (model_id TEXT PRIMARY KEY COLLATE NOCASE, json TEXT NOT NULL) WITHOUT ROWID;

-- Releases of the packages whose frames a traceback shows; `position` counts from the oldest. Releases of one `twin` have
-- the same files: no traceback tells them apart; 0: a release of its own.
CREATE TABLE package_release (
  package TEXT NOT NULL,
  position INTEGER NOT NULL,
  release TEXT NOT NULL,
  twin INTEGER NOT NULL,
  PRIMARY KEY (package, position)
) WITHOUT ROWID;
-- Where the lines of a function stand in which release; `lines` in the form of kb/frame_rows.h.
CREATE TABLE frame_file (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, package TEXT NOT NULL);
CREATE TABLE frame_lines (
  file INTEGER NOT NULL,
  function TEXT NOT NULL,
  lines TEXT NOT NULL,
  PRIMARY KEY (file, function)
) WITHOUT ROWID;
-- Arguments of a function, and with argument '' the function itself: "4.20.0-4.57.6" joined by blanks.
CREATE TABLE argument (
  package TEXT NOT NULL,
  function TEXT NOT NULL,
  argument TEXT NOT NULL,
  releases TEXT NOT NULL,
  PRIMARY KEY (package, function, argument)
) WITHOUT ROWID;
-- The accelerate release that was current with a transformers release.
CREATE TABLE current_accelerate (transformers TEXT PRIMARY KEY, accelerate TEXT NOT NULL) WITHOUT ROWID;
