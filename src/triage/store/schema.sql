-- Version 1 of the store. Names are natural: two stores of one archive have equal rows, but for `run`, `seconds` and `runs`.
CREATE TABLE runs (
    id       TEXT PRIMARY KEY,          -- start, shard and process
    started  TEXT NOT NULL,             -- RFC 3339, UTC
    finished TEXT,                      -- null: interrupted, or still running
    program  TEXT NOT NULL,             -- version of gleaner
    inputs   TEXT NOT NULL,             -- JSON array, as given
    shard    TEXT NOT NULL,             -- K/N
    counts   TEXT                       -- JSON object: what was done
) WITHOUT ROWID;

-- Rules as they were when they were run; a rule that was changed has another hash.
CREATE TABLE rules (
    id         TEXT NOT NULL,
    hash       TEXT NOT NULL,           -- SHA-256 of its file and of the log streams that it may name
    severity   TEXT NOT NULL,
    confidence TEXT NOT NULL,
    area       TEXT NOT NULL,
    title      TEXT NOT NULL,
    explains   TEXT NOT NULL,           -- JSON array of ids
    PRIMARY KEY (id, hash)
) WITHOUT ROWID;

-- Which rules were run together.
CREATE TABLE rule_sets (
    id   INTEGER NOT NULL,              -- from its rules and their hashes
    rule TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (id, rule),
    FOREIGN KEY (rule, hash) REFERENCES rules (id, hash)
) WITHOUT ROWID;

-- What was found in a content; copies of a file share it.
CREATE TABLE analyses (
    id       INTEGER PRIMARY KEY,       -- from the key
    key      TEXT NOT NULL UNIQUE,      -- sha256 of the file and place in it; of a folder its content
    name     TEXT NOT NULL,             -- name of the file or folder when it was analysed: the first of its copies' names
    content  TEXT NOT NULL,             -- equal for bundles of equal content: content_id; the key where something is damaged
    unread   TEXT,                      -- why neither objects nor logs were read
    rule_set INTEGER NOT NULL,
    seconds  REAL NOT NULL,
    run      TEXT NOT NULL REFERENCES runs (id)
);
CREATE INDEX analyses_by_content ON analyses (content);

-- One row for each bundle, and for each file that holds none or cannot be analysed.
CREATE TABLE bundles (
    input             TEXT NOT NULL,    -- the folder that was searched, absolute
    path              TEXT NOT NULL,    -- relative to it
    place             TEXT NOT NULL,    -- where the bundle lies in the file; empty: it is the file
    is_folder         INTEGER NOT NULL,
    size              INTEGER NOT NULL, -- bytes of the file; of a folder, of its files
    mtime             TEXT NOT NULL,    -- RFC 3339, UTC; of a folder, of its newest file
    stamp             TEXT NOT NULL,    -- changes when the file was written again
    reader            TEXT NOT NULL,    -- version and limits with which it was read
    sha256            TEXT,             -- of the file; null for folders and files that cannot be read
    status            TEXT NOT NULL CHECK (status IN
                          ('analysed', 'no_bundle', 'unreadable', 'over_time', 'over_memory', 'crashed')),
    error             TEXT,             -- null for analysed
    kind              TEXT,
    content_id        TEXT,
    collector         TEXT,
    collector_version TEXT,
    cluster_uid       TEXT,
    cluster_name      TEXT,
    collected_at      TEXT,             -- RFC 3339, UTC
    entries           INTEGER,
    analysis          INTEGER REFERENCES analyses (id),
    gone              INTEGER NOT NULL, -- 1: a later run did not find it any more
    seconds           REAL NOT NULL,
    run               TEXT NOT NULL REFERENCES runs (id),
    PRIMARY KEY (input, path, place),
    CHECK ((analysis IS NULL) = (status <> 'analysed'))
) WITHOUT ROWID;
CREATE INDEX bundles_by_sha256 ON bundles (sha256);
CREATE INDEX bundles_by_analysis ON bundles (analysis);
CREATE INDEX bundles_by_run ON bundles (run);
CREATE INDEX analyses_by_run ON analyses (run);

CREATE TABLE versions (
    analysis INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    product  TEXT NOT NULL,
    version  TEXT NOT NULL,
    PRIMARY KEY (analysis, product)
) WITHOUT ROWID;

CREATE TABLE nodes (
    analysis  INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    name      TEXT NOT NULL,
    ready     INTEGER,                  -- null: unknown
    roles     TEXT NOT NULL,            -- JSON array
    collected INTEGER NOT NULL,         -- 1: the bundle has files of the node itself
    PRIMARY KEY (analysis, name)
) WITHOUT ROWID;

CREATE TABLE not_collected (
    analysis INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    what     TEXT NOT NULL,
    why      TEXT NOT NULL,
    PRIMARY KEY (analysis, what, why)
) WITHOUT ROWID;

CREATE TABLE findings (
    analysis       INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    rule           TEXT NOT NULL,
    severity       TEXT NOT NULL,
    confidence     TEXT NOT NULL,
    area           TEXT NOT NULL,
    title          TEXT NOT NULL,
    message        TEXT NOT NULL,
    objects        TEXT NOT NULL,       -- JSON, as in gleaner.analysis/v1
    fingerprint    TEXT NOT NULL,       -- stable across bundles of a cluster
    explained_by   TEXT,                -- fingerprint of the cause
    count          INTEGER NOT NULL,
    first_seen     TEXT,
    last_seen      TEXT,
    evidence       TEXT NOT NULL,       -- JSON, as in gleaner.analysis/v1; the first pieces
    evidence_count INTEGER NOT NULL     -- of all pieces
);
CREATE UNIQUE INDEX findings_by_analysis ON findings (analysis, rule, fingerprint);
CREATE INDEX findings_by_rule ON findings (rule);
CREATE INDEX findings_by_fingerprint ON findings (fingerprint);

CREATE TABLE reasons (
    id   INTEGER PRIMARY KEY,           -- from the text
    text TEXT NOT NULL UNIQUE
);

CREATE TABLE outcomes (
    analysis INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    rule     TEXT NOT NULL,
    outcome  TEXT NOT NULL CHECK (outcome IN ('fired', 'clean', 'not_evaluated', 'not_applicable')),
    reason   INTEGER REFERENCES reasons (id),
    PRIMARY KEY (analysis, rule)
) WITHOUT ROWID;

CREATE TABLE issues (
    analysis INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    number   INTEGER NOT NULL,          -- in the order of the report
    entry    TEXT,
    line     INTEGER,
    kind     TEXT NOT NULL,
    message  TEXT NOT NULL,
    PRIMARY KEY (analysis, number)
) WITHOUT ROWID;
