//! Reviews of access: everything can be read, nothing can be changed. kubectl 1.33 posts them as protobuf, and reads JSON.

use serde_json::{Value, json};

use super::protobuf::{field, text, unwrapped};
use super::request::Request;
use super::response::{Failure, Response};

const GROUP: &str = "authorization.k8s.io";
const ACCESS: &str = "selfsubjectaccessreviews";
const RULES: &str = "selfsubjectrulesreviews";
const READING: [&str; 3] = ["get", "list", "watch"];

/// Answers a posted review; none for anything else.
pub fn answer(request: &Request) -> Option<Response> {
    let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
    let ["apis", GROUP, version @ ("v1" | "v1beta1"), kind] = path.as_slice() else { return None };
    let api_version = format!("{GROUP}/{version}");
    let answer = match *kind {
        ACCESS => access(&api_version, &request.body),
        RULES => Some(rules(&api_version)),
        _ => return None,
    };
    Some(match answer {
        Some(review) => Response { status: 201, ..Response::json(&review) },
        None => Response::failure(Failure::BadRequest, "the body is no SelfSubjectAccessReview in JSON or protobuf"),
    })
}

fn access(api_version: &str, body: &[u8]) -> Option<Value> {
    let spec = spec(body)?;
    let attributes = &spec["resourceAttributes"];
    let verb = attributes["verb"].as_str().or_else(|| spec["nonResourceAttributes"]["verb"].as_str());
    let part = attributes["subresource"].as_str().unwrap_or_default();
    let allowed = verb.is_some_and(|verb| READING.contains(&verb)) && matches!(part, "" | "log");
    let reason = if allowed { "" } else { "a support bundle can only be read" };
    Some(json!({
        "kind": "SelfSubjectAccessReview", "apiVersion": api_version, "metadata": {},
        "spec": spec, "status": {"allowed": allowed, "reason": reason},
    }))
}

fn spec(body: &[u8]) -> Option<Value> {
    if let Ok(review) = serde_json::from_slice::<Value>(body) {
        return review.get("spec").filter(|spec| spec.is_object()).cloned();
    }
    let spec = field(unwrapped(body)?, 2)?;
    let of = |attributes: &[u8], keys: &[&str]| -> Value {
        let pairs = (1..).zip(keys).map(|(number, key)| ((*key).to_owned(), Value::from(text(attributes, number))));
        pairs.collect()
    };
    let resource = ["namespace", "verb", "group", "version", "resource", "subresource", "name"];
    Some(match (field(spec, 1), field(spec, 2)) {
        (Some(attributes), _) => json!({"resourceAttributes": of(attributes, &resource)}),
        (None, Some(attributes)) => json!({"nonResourceAttributes": of(attributes, &["path", "verb"])}),
        (None, None) => return None,
    })
}

fn rules(api_version: &str) -> Value {
    json!({
        "kind": "SelfSubjectRulesReview", "apiVersion": api_version, "metadata": {}, "spec": {},
        "status": {
            "resourceRules": [{"verbs": READING, "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::api::response::Body;

    fn allowed(body: &[u8]) -> Option<bool> {
        let path = format!("/apis/{GROUP}/v1/{ACCESS}");
        let response = answer(&Request::parse("POST", &path, "", body.to_vec()).unwrap()).unwrap();
        let Body::Whole(body) = response.body else { panic!("no whole body") };
        serde_json::from_slice::<Value>(&body).unwrap()["status"]["allowed"].as_bool()
    }

    #[test]
    fn what_reads_is_allowed() {
        for (attributes, wanted) in [
            (json!({"verb": "list", "resource": "pods"}), true),
            (json!({"verb": "get", "resource": "pods", "subresource": "log"}), true),
            (json!({"verb": "get", "resource": "pods", "subresource": "exec"}), false),
            (json!({"verb": "delete", "resource": "pods"}), false),
            (json!({"verb": "*"}), false),
        ] {
            let body = json!({"spec": {"resourceAttributes": attributes}}).to_string();
            assert_eq!(allowed(body.as_bytes()), Some(wanted), "{body}");
        }
        assert_eq!(allowed(br#"{"spec": {"nonResourceAttributes": {"verb": "get", "path": "/x"}}}"#), Some(true));
        assert_eq!(allowed(b"nonsense"), None);
    }

    #[test]
    fn protobuf_is_read() {
        // SelfSubjectAccessReview {spec: {resourceAttributes: {verb, resource}}} in its envelope.
        let review = |verb: &str| {
            let field = |tag: u8, bytes: &[u8]| [&[tag, u8::try_from(bytes.len()).unwrap()], bytes].concat();
            let attributes = [field(0x12, verb.as_bytes()), field(0x2a, b"pods")].concat();
            let review = field(0x12, &field(0x0a, &attributes));
            [b"k8s\0".to_vec(), field(0x12, &review)].concat()
        };
        assert_eq!((allowed(&review("list")), allowed(&review("create"))), (Some(true), Some(false)));
    }
}
