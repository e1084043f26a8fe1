//! Conversations over a sample.

use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::page::{Cursor as Place, MAX_BYTES, page};
use super::*;

fn sample(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

/// Returns the answers to lines of input.
fn conversation(lines: &[Value]) -> Vec<Value> {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    raw(&input)
}

/// One analysis serves all conversations.
static SESSION: LazyLock<Session> = LazyLock::new(|| {
    let bundles = vec![sample("orphans-behind-webhook")];
    Session::new(
        &McpArgs { bundles, no_redact: false, redact_key: None, rules: Default::default() },
        crate::cli::answered,
    )
    .unwrap()
});

fn raw(input: &str) -> Vec<Value> {
    let mut out = Vec::new();
    Server::new(&SESSION).serve(&mut Cursor::new(input.as_bytes()), &mut out).unwrap();
    String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn request(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn stateless(id: u32, method: &str, mut params: Value, version: &str) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(id, method, params)
}

#[test]
fn a_client_of_each_revision_is_understood() {
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let answers = conversation(&[
            request(
                1,
                "initialize",
                json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
            ),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            request(2, "ping", json!({})),
        ]);
        assert_eq!(answers.len(), 2, "a notification has no answer");
        assert_eq!(answers[0]["result"]["protocolVersion"], spoken);
        assert_eq!(answers[1], json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    }
    let answers = conversation(&[
        stateless(1, "server/discover", json!({}), "2026-07-28"),
        stateless(2, "tools/list", json!({}), "2026-07-28"),
        stateless(3, "tools/list", json!({}), "2030-01-01"),
        stateless(4, "initialize", json!({}), "2026-07-28"),
        request(5, "server/discover", json!({})),
    ]);
    let result = &answers[0]["result"];
    assert!(result["supportedVersions"].as_array().unwrap().contains(&"2026-07-28".into()));
    assert_eq!(
        (&result["resultType"], &result["ttlMs"], &result["cacheScope"]),
        (&json!("complete"), &json!(0), &json!("private"))
    );
    assert_eq!(answers[1]["result"]["resultType"], "complete");
    assert_eq!(answers[2]["error"]["code"], -32022);
    assert_eq!(answers[2]["error"]["data"], json!({"supported": ["2026-07-28"], "requested": "2030-01-01"}));
    assert_eq!((&answers[3]["error"]["code"], &answers[4]["error"]["code"]), (&json!(-32601), &json!(-32601)));
}

#[test]
fn broken_messages_have_errors_and_end_nothing() {
    let long = "x".repeat(2 << 20);
    let input = format!(
        "{{\n[]\n[1]\n7\n\n{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}\n{{\"id\":2}}\n{long}\n{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":[]}}\n\
         [{{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}},{{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}]\n{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}}"
    );
    let answers = raw(&input);
    let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].as_i64()).collect();
    assert_eq!(codes[..1], [Some(-32700)]);
    assert!(codes.contains(&Some(-32600)) && codes.contains(&Some(-32602)), "{codes:?}");
    assert_eq!(answers[answers.len() - 2], json!([{"jsonrpc": "2.0", "id": 4, "result": {}}]));
    assert_eq!(answers[answers.len() - 1]["id"], 5);
}

/// Calls a tool until it has no more; returns all text.
fn asked(tool: &str, arguments: Value) -> String {
    let (mut all, mut cursor) = (String::new(), None);
    loop {
        let mut arguments = arguments.clone();
        if let Some(cursor) = &cursor {
            arguments["cursor"] = Value::from(String::clone(cursor));
        }
        let answer = conversation(&[request(1, "tools/call", json!({"name": tool, "arguments": arguments}))]).remove(0);
        let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        assert!(text.len() <= MAX_BYTES, "{tool}: {} bytes", text.len());
        assert_eq!(answer["result"]["isError"], false, "{tool}: {text}");
        cursor = text.split_once("\"cursor\": \"").and_then(|(_, rest)| Some(rest.split_once('"')?.0.to_owned()));
        all.push_str(&text);
        if cursor.is_none() {
            return all;
        }
    }
}

#[test]
fn findings_are_told_in_short_and_whole() {
    let overview = asked("overview", json!({}));
    assert!(overview.contains("\"severity\"") && overview.contains("not trusted"), "{overview}");
    let findings = asked("findings", json!({}));
    let rule = findings.split_once("\"rule\": \"").unwrap().1.split_once('"').unwrap().0;
    let whole = asked("finding", json!({"finding": rule}));
    assert!(whole.contains("\"evidence\"") && whole.contains("\"remedy\"") && !findings.contains("\"remedy\""));
    assert!(asked("rule", json!({"rule": rule})).contains("In bundle-1: fired"));
    for tool in ["not_evaluated", "unexplained", "unhealthy"] {
        asked(tool, json!({}));
    }
}

#[test]
fn wrong_questions_are_answered_with_what_is_right() {
    let rows = [
        ("finding", json!({}), "needs the argument finding"),
        ("finding", json!({"finding": "x"}), "no finding of \"x\"; findings: "),
        ("findings", json!({"bundle": "other"}), "there are: bundle-1"),
        ("findings", json!({"colour": "red"}), "has no argument \"colour\"; it has: bundle, cursor"),
        ("findings", json!({"cursor": "x"}), "is no cursor"),
        ("finding", json!({"finding": 7}), "wrong type"),
        ("rule", json!({"rule": "no-such-rule"}), "no-such-rule"),
    ];
    for (tool, arguments, told) in rows {
        let answer = conversation(&[request(1, "tools/call", json!({"name": tool, "arguments": arguments}))]).remove(0);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(told), "{tool}: {text}");
    }
    let unknown = conversation(&[request(1, "tools/call", json!({"name": "rm"}))]).remove(0);
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn tools_prompts_and_resources_are_listed() {
    let answers = conversation(&[
        request(1, "tools/list", json!({})),
        request(2, "prompts/list", json!({})),
        request(3, "prompts/get", json!({"name": "diagnose", "arguments": {"symptom": "pods hang"}})),
        request(4, "resources/templates/list", json!({})),
        request(5, "resources/list", json!({})),
    ]);
    let tools = answers[0]["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "overview",
            "findings",
            "finding",
            "not_evaluated",
            "unexplained",
            "unhealthy",
            "list",
            "get",
            "describe",
            "logs",
            "grep",
            "events",
            "timeline",
            "rule",
            "diff"
        ]
    );
    assert!(
        tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true && tool["inputSchema"]["type"] == "object")
    );
    assert_eq!(answers[1]["result"]["prompts"][0]["name"], "diagnose");
    assert!(answers[2]["result"]["messages"][0]["content"]["text"].as_str().unwrap().contains("pods hang"));
    assert!(answers[3]["result"]["resourceTemplates"][0]["uriTemplate"].as_str().unwrap().starts_with("gleaner://"));
    assert!(!answers[4]["result"]["resources"].as_array().unwrap().is_empty());
}

#[test]
fn pages_hold_whole_items_and_lose_nothing() {
    let items: Vec<String> = (0..300).map(|n| format!("{n}: {}\n end", "x".repeat(n % 97 * 9))).collect();
    let long = [vec!["a\n".repeat(20_000), "b".repeat(40_000)], items].concat();
    let (mut all, mut place, mut pages) = (Vec::new(), Some("0".to_owned()), 0);
    while let Some(cursor) = place {
        let page = page(&long, Place::parse(&cursor).unwrap());
        assert!(page.text.len() <= MAX_BYTES);
        all.extend(page.text.lines().map(str::to_owned));
        (place, pages) = (page.next, pages + 1);
    }
    assert!(pages > 5);
    let expected: Vec<&str> = long.iter().flat_map(|item| item.lines()).collect();
    assert_eq!(all.len(), expected.len());
    let differ = all.iter().zip(&expected).filter(|(shown, line)| shown != *line);
    assert_eq!(differ.map(|(shown, _)| shown.ends_with("... (cut)")).collect::<Vec<_>>(), [true]);
}
