-- Version 4 of the store: templates of log lines that report trouble. Analyses of earlier versions have none until they are made again.
ALTER TABLE analyses ADD COLUMN surveyed INTEGER NOT NULL DEFAULT 0;    -- 1: templates were counted

CREATE TABLE templates (
    id    INTEGER PRIMARY KEY,          -- derived from level and text
    level TEXT NOT NULL,                -- warning, error or fatal
    text  TEXT NOT NULL,                -- words, and <*> for what varies
    UNIQUE (level, text)
);

-- Templates of an analysis; at most 500.
CREATE TABLE bundle_templates (
    analysis INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    template INTEGER NOT NULL REFERENCES templates (id),
    lines    INTEGER NOT NULL,
    PRIMARY KEY (analysis, template)
) WITHOUT ROWID;
CREATE INDEX bundle_templates_by_template ON bundle_templates (template);

-- Rules that fired and matched lines of a template.
CREATE TABLE template_rules (
    analysis INTEGER NOT NULL REFERENCES analyses (id) ON DELETE CASCADE,
    template INTEGER NOT NULL REFERENCES templates (id),
    rule     TEXT NOT NULL,
    PRIMARY KEY (analysis, template, rule)
) WITHOUT ROWID;
CREATE INDEX template_rules_by_template ON template_rules (template);
