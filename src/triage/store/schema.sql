-- Version 1 of the store. Keys do not depend on time: two stores of one archive are equal except for `run`, `seconds` and `runs`.
CREATE TABLE runs (
    id       TEXT PRIMARY KEY,          -- start, shard and process
    started  TEXT NOT NULL,             -- RFC 3339, UTC
    finished TEXT,                      -- null: interrupted, or still running
    program  TEXT NOT NULL,             -- version of gleaner
    inputs   TEXT NOT NULL,             -- JSON array, as given
    shard    TEXT NOT NULL,             -- K/N
    counts   TEXT                       -- JSON object with the numbers of the run
) WITHOUT ROWID;

-- Rules as they were run; a changed rule has another hash.
CREATE TABLE rules (
    id         TEXT NOT NULL,
    hash       TEXT NOT NULL,           -- SHA-256 of its file and of the log streams
    severity   TEXT NOT NULL,
    confidence TEXT NOT NULL,
    area       TEXT NOT NULL,
    title      TEXT NOT NULL,
    explains   TEXT NOT NULL,           -- JSON array of ids; (breaks), (needs): by components
    PRIMARY KEY (id, hash)
) WITHOUT ROWID;

-- Rules that ran together.
CREATE TABLE rule_sets (
    id   INTEGER NOT NULL,              -- derived from its rules and their hashes
    rule TEXT NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (id, rule),
    FOREIGN KEY (rule, hash) REFERENCES rules (id, hash)
) WITHOUT ROWID;

-- Results for one content; copies of a file share them.
CREATE TABLE analyses (
    id       INTEGER PRIMARY KEY,       -- derived from the key
    key      TEXT NOT NULL UNIQUE,      -- SHA-256 of the file and place in it; for a folder its content
    name     TEXT NOT NULL,             -- name of the analysed file or folder, the first one among copies
    content  TEXT NOT NULL,             -- content_id, equal for equal content; the key if something is damaged
    unread   TEXT,                      -- reason why neither objects nor logs were read
    rule_set INTEGER NOT NULL,
    seconds  REAL NOT NULL,
    run      TEXT NOT NULL REFERENCES runs (id)
);
CREATE INDEX analyses_by_content ON analyses (content);

-- One row per bundle, and per file without a bundle or that cannot be analysed.
CREATE TABLE bundles (
    input             TEXT NOT NULL,    -- searched folder, absolute
    path              TEXT NOT NULL,    -- path below it
    place             TEXT NOT NULL,    -- place of the bundle in the file; empty: the file itself
    is_folder         INTEGER NOT NULL,
    size              INTEGER NOT NULL, -- bytes of the file, or of all files of a folder
    mtime             TEXT NOT NULL,    -- RFC 3339, UTC; for a folder that of its newest file
    stamp             TEXT NOT NULL,    -- changes when the file changes
    reader            TEXT NOT NULL,    -- version and limits used to read it
    sha256            TEXT,             -- null for folders and unreadable files
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
    gone              INTEGER NOT NULL, -- 1: deleted, according to a later run
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
    evidence       TEXT NOT NULL,       -- JSON of the first pieces, as in gleaner.analysis/v1
    evidence_count INTEGER NOT NULL     -- number of all pieces
);
CREATE UNIQUE INDEX findings_by_analysis ON findings (analysis, rule, fingerprint);
CREATE INDEX findings_by_rule ON findings (rule);
CREATE INDEX findings_by_fingerprint ON findings (fingerprint);

CREATE TABLE reasons (
    id   INTEGER PRIMARY KEY,           -- derived from the text
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
