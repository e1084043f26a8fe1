-- Views for queries; created again when a store is opened for writing and they have changed.

-- Each finding of each file, including copies.
CREATE VIEW bundle_findings AS
SELECT b.input, b.path, b.place, b.kind, b.cluster_uid, b.cluster_name, b.collected_at, f.rule, f.severity, f.confidence, f.area,
       f.title, f.message, f.objects, f.fingerprint, f.explained_by, f.count, f.first_seen, f.last_seen, f.evidence,
       f.evidence_count
FROM bundles b JOIN findings f ON f.analysis = b.analysis;

-- Main product of a bundle with its version: the one that its kind is named after, otherwise the highest layer.
CREATE VIEW main_versions AS
SELECT analysis, product, version FROM (
    SELECT v.*, row_number() OVER (PARTITION BY v.analysis ORDER BY v.product <> b.kind,
               instr('harvester longhorn rancher rke2 k3s openshift kubernetes ', v.product || ' ') = 0,
               instr('harvester longhorn rancher rke2 k3s openshift kubernetes ', v.product || ' '), v.product) AS place
    FROM versions v JOIN (SELECT DISTINCT analysis, kind FROM bundles) b ON b.analysis = v.analysis)
WHERE place = 1;

-- One row per content, with the first of its files.
CREATE VIEW contents AS
SELECT a.content, a.id AS analysis, b.input, b.path, b.place, b.kind, b.collector, b.cluster_uid, b.cluster_name, b.collected_at,
       m.product, m.version, a.unread, t.ticket, t.customer, t.resolution
FROM analyses a JOIN bundles b ON b.analysis = a.id LEFT JOIN main_versions m ON m.analysis = a.id
     LEFT JOIN tickets t ON (t.input, t.path) = (b.input, b.path)
WHERE a.id = (SELECT min(o.id) FROM analyses o WHERE o.content = a.content)
  AND NOT EXISTS (SELECT 1 FROM bundles e WHERE e.analysis = a.id AND (e.input, e.path, e.place) < (b.input, b.path, b.place));

-- Copies of other files: `same` is file (equal bytes) or content (packed differently).
CREATE VIEW copies AS
SELECT b.input, b.path, b.place, CASE WHEN a.id = c.analysis THEN 'file' ELSE 'content' END AS same,
       c.input AS of_input, c.path AS of_path, c.place AS of_place
FROM bundles b JOIN analyses a ON a.id = b.analysis JOIN contents c ON c.content = a.content
WHERE (b.input, b.path, b.place) <> (c.input, c.path, c.place);

-- Outcomes with their reasons in words.
CREATE VIEW rule_outcomes AS
SELECT o.analysis, o.rule, o.outcome, r.text AS reason
FROM outcomes o LEFT JOIN reasons r ON r.id = o.reason;

-- How often each rule fired and was evaluated; each content counts once.
CREATE VIEW rule_hits AS
SELECT o.rule, sum(o.outcome = 'fired') AS fired, sum(o.outcome IN ('fired', 'clean')) AS evaluated, count(*) AS contents,
       min(CASE WHEN o.outcome = 'fired' THEN c.collected_at END) AS first_collected,
       max(CASE WHEN o.outcome = 'fired' THEN c.collected_at END) AS last_collected
FROM contents c JOIN outcomes o ON o.analysis = c.analysis
GROUP BY o.rule;

-- The same for each version of each product.
CREATE VIEW rule_versions AS
SELECT o.rule, v.product, v.version, sum(o.outcome = 'fired') AS fired, sum(o.outcome IN ('fired', 'clean')) AS evaluated,
       count(*) AS contents
FROM contents c JOIN outcomes o ON o.analysis = c.analysis JOIN versions v ON v.analysis = c.analysis
GROUP BY o.rule, v.product, v.version;

-- Templates of log lines that report trouble: in how many bundles and clusters, and the rules that fired on some of their lines; each
-- content counts once.
CREATE VIEW template_hits AS
SELECT t.level, t.text AS template, count(*) AS contents, count(DISTINCT c.cluster_uid) AS clusters, sum(b.lines) AS lines,
       (SELECT json_group_array(rule) FROM (SELECT DISTINCT r.rule FROM template_rules r WHERE r.template = t.id ORDER BY 1)) AS rules,
       min(c.collected_at) AS first_collected, max(c.collected_at) AS last_collected
FROM contents c JOIN bundle_templates b ON b.analysis = c.analysis JOIN templates t ON t.id = b.template
GROUP BY t.id;

-- Clusters with the number of their different bundles.
CREATE VIEW clusters AS
SELECT cluster_uid, max(cluster_name) AS cluster_name, count(*) AS contents, min(collected_at) AS first_collected,
       max(collected_at) AS last_collected
FROM contents WHERE cluster_uid IS NOT NULL
GROUP BY cluster_uid;

-- Each bundle, and each file without one, with versions as JSON and the number of findings.
CREATE VIEW bundle_list AS
SELECT b.input, b.path, b.place, b.status, b.error, b.gone, b.is_folder, b.size, b.mtime, b.sha256, b.content_id, b.kind, b.collector,
       b.collector_version, b.cluster_uid, b.cluster_name, b.collected_at, b.entries, a.unread, a.content,
       (SELECT json_group_object(product, version) FROM versions v WHERE v.analysis = b.analysis) AS versions,
       (SELECT count(*) FROM findings f WHERE f.analysis = b.analysis) AS findings,
       t.ticket, t.customer, t.product AS ticket_product, t.resolution, t.more AS ticket_more
FROM bundles b LEFT JOIN analyses a ON a.id = b.analysis LEFT JOIN tickets t ON (t.input, t.path) = (b.input, b.path);

-- Each rule for each bundle, including copies.
CREATE VIEW bundle_outcomes AS
SELECT b.input, b.path, b.place, o.rule, o.outcome, r.text AS reason
FROM bundles b JOIN outcomes o ON o.analysis = b.analysis LEFT JOIN reasons r ON r.id = o.reason;
