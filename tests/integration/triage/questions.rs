//! Ready questions, SQL that only reads, and exports.

use std::fs;

use serde_json::Value;

use super::archive::{Archive, IS_WEB, rule_about_pods};
use super::rows::all;

/// An archive with a store, and a rule that fires on pods of two kinds of bundles.
fn archive() -> Archive {
    let archive = Archive::of(13);
    fs::create_dir(archive.path("rules")).unwrap();
    let rule = rule_about_pods("pod-is-there", "'=pod {{ pod.metadata.name }}, \"there\"'", IS_WEB);
    fs::write(archive.path("rules/pod-is-there.yaml"), rule).unwrap();
    archive.triage("s.db", &["--rules", "rules"]);
    archive
}

fn query(archive: &Archive, more: &[&str]) -> String {
    let answer = archive.gleaner(&[&["triage", "query", "--store", "s.db"], more].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    answer.stdout
}

fn rows(archive: &Archive, more: &[&str]) -> Vec<Value> {
    serde_json::from_str(&query(archive, &[more, &["--format", "json"]].concat())).unwrap()
}

#[test]
fn built_in_questions_have_answers() {
    let archive = archive();
    let top = rows(&archive, &[]);
    let own = top.iter().find(|row| row["rule"] == "pod-is-there").unwrap();
    let fired = own["fired"].as_u64().unwrap();
    assert!(fired > 0 && fired < 12 && own["bundles"] == 13 && own["severity"] == "high", "{own}");
    assert_eq!(rows(&archive, &["--top", "1"]).len(), 1);
    let findings = rows(&archive, &["--rule", "pod-is-there"]);
    assert!(findings.len() as u64 >= fired);
    assert!(findings.iter().all(|row| row["severity"] == "high" && row["path"].is_string()), "{findings:?}");
    assert!(rows(&archive, &["--rule", "no-such-rule"]).is_empty());

    let everything = rows(&archive, &["--since", "1970"]);
    let dated = rows(&archive, &["--sql", "SELECT count(*) AS n FROM contents WHERE collected_at IS NOT NULL"]);
    assert_eq!(Some(everything.len() as u64), dated[0]["n"].as_u64());
    let newer = rows(&archive, &["--since", "2025-01-01"]);
    assert!(!newer.is_empty() && newer.len() < 13);
    assert!(newer.iter().all(|row| row["collected_at"].as_str().unwrap() >= "2025"), "{newer:?}");
    let product = "SELECT product, version, count(*) AS n FROM versions GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 1";
    let known = &rows(&archive, &["--sql", product])[0];
    let (product, version) = (known["product"].as_str().unwrap(), known["version"].as_str().unwrap());
    let of_version = rows(&archive, &["--version", &format!("{product}={version}")]);
    assert_eq!(Some(of_version.len() as u64), known["n"].as_u64());
    assert!(rows(&archive, &["--version", &format!("{product}=99")]).is_empty());
    let cluster = everything.iter().find_map(|row| row["cluster_uid"].as_str()).unwrap();
    let of_cluster = rows(&archive, &["--cluster", cluster]);
    assert!(!of_cluster.is_empty() && of_cluster.iter().all(|row| row["cluster_uid"] == cluster));
    let table = query(&archive, &["--rule", "pod-is-there"]);
    assert!(table.starts_with("COLLECTED_AT "), "{table}");
}

#[test]
fn sql_must_be_one_select_within_the_time_limit() {
    let archive = archive();
    let before = all(&archive.path("s.db"));
    let sql = |sql: &str| {
        let answer = archive.gleaner(&["triage", "query", "--store", "s.db", "--max-time", "1s", "--sql", sql]);
        (answer.code, answer.stderr)
    };
    for wrong in [
        "DELETE FROM bundles",
        "UPDATE bundles SET path = ''",
        "CREATE TABLE x (y)",
        "CREATE TEMP TABLE x (y)",
        "ATTACH DATABASE 'other.db' AS other",
        "PRAGMA journal_mode = DELETE",
        "VACUUM INTO 'copy.db'",
        "BEGIN",
    ] {
        let (code, said) = sql(wrong);
        assert_eq!(code, 2, "{wrong}");
        assert!(said.contains("must be a SELECT"), "{wrong}: {said}");
    }
    assert!(sql("SELECT 1; SELECT 2").1.contains("more than one statement"));
    assert!(sql("SELECT 1; DROP TABLE bundles").1.contains("more than one statement"));
    assert!(sql(" -- nothing").1.contains("the SQL is empty"));
    let (_, said) = sql("SELECT nothing FROM nowhere");
    assert!(said.contains("invalid SQL") && said.contains("tables and views: analyses, bundle_findings, "), "{said}");
    let (_, said) = sql("SELECT seriousness FROM Findings f JOIN versions USING (analysis)");
    assert!(said.contains("columns of findings: analysis, rule, severity, confidence, area, title, "), "{said}");
    assert!(said.contains("columns of versions: analysis, product, version") && !said.contains("columns of rules"));
    assert!(sql("SELECT load_extension('x')").1.contains("not authorized"));
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    assert!(sql(endless).1.contains("stopped after 1s"));
    assert_eq!(sql("SELECT 1;").0, 0);
    assert!(!archive.path("other.db").exists() && !archive.path("copy.db").exists());
    assert_eq!(all(&archive.path("s.db")), before);
    let answer = archive.gleaner(&["triage", "query", "--store", "none.db"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("there is no store `none.db`") && !archive.path("none.db").exists());
}

#[test]
fn exports_are_complete_and_safe() {
    let archive = archive();
    let export = |file: &str, table: &str| {
        let answer = archive.gleaner(&["triage", "export", "--store", "s.db", "--table", table, "-o", file]);
        (answer.code, answer.stderr)
    };
    for (table, question) in [
        ("findings", "SELECT count(*) AS n FROM bundle_findings"),
        ("bundles", "SELECT count(*) AS n FROM bundles"),
        ("outcomes", "SELECT count(*) AS n FROM bundle_outcomes"),
    ] {
        let count = rows(&archive, &["--sql", question])[0]["n"].as_u64().unwrap() as usize;
        assert_eq!(export(&format!("{table}.jsonl"), table).0, 0);
        let lines = fs::read_to_string(archive.path(&format!("{table}.jsonl"))).unwrap();
        assert_eq!(lines.lines().count(), count, "{table}");
        assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["path"].is_string()));
    }
    assert_eq!(export("findings.csv", "findings").0, 0);
    let csv = fs::read_to_string(archive.path("findings.csv")).unwrap();
    assert!(csv.starts_with("input,path,place,kind,"), "{}", &csv[..80]);
    assert!(csv.contains(",\"'=pod web-0, \"\"there\"\"\","), "formulas are texts");
    let (code, said) = export("findings.txt", "findings");
    assert!(code == 2 && said.contains("end it in .csv, .jsonl or .parquet"), "{said}");
    #[cfg(not(feature = "parquet"))]
    {
        let (code, said) = export("findings.parquet", "findings");
        assert!(code == 2 && said.contains("--features parquet"), "{said}");
    }
    #[cfg(feature = "parquet")]
    for table in ["findings", "bundles", "outcomes"] {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        assert_eq!(export("t.parquet", table).0, 0);
        let reader = SerializedFileReader::new(fs::File::open(archive.path("t.parquet")).unwrap()).unwrap();
        let lines = fs::read_to_string(archive.path(&format!("{table}.jsonl"))).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows() as usize, lines.lines().count());
        let first = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
        let expected: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        for column in ["path", "input"] {
            let (_, value) = first.get_column_iter().find(|(name, _)| *name == column).unwrap();
            assert_eq!(value.to_string(), format!("{:?}", expected[column].as_str().unwrap()), "{table}");
        }
    }
}
