-- Version 5 of the store: what people know about files.
ALTER TABLE bundles ADD COLUMN issue_url TEXT;       -- address of the issue, as the bundle states it

CREATE TABLE tickets (
    input      TEXT NOT NULL,
    path       TEXT NOT NULL,
    ticket     TEXT,
    customer   TEXT,
    product    TEXT,
    resolution TEXT,
    more       TEXT NOT NULL,           -- JSON object with the further columns of --meta
    given      INTEGER NOT NULL,        -- 1: from --meta; 0: from the path or the bundle
    run        TEXT NOT NULL,
    PRIMARY KEY (input, path)
) WITHOUT ROWID;
CREATE INDEX tickets_by_customer ON tickets (customer);
CREATE INDEX tickets_by_ticket ON tickets (ticket);
