//! Computed columns of what bounds or permits others: quotas, budgets, autoscalers, bindings, webhooks, certificate requests.

use jiff::SignedDuration;

use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::Value;
use crate::expr::functions::columns::cell_values::{Computed, count, first_few, flag};
use crate::expr::functions::object_view::ObjectView;

/// Metrics of an autoscaler that kubectl lists.
const METRICS: usize = 2;

/// Computes REQUEST and LIMIT of a ResourceQuota: `cpu: 1/2`.
pub(super) fn quota<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let used = |of_limits: bool| -> Answer<'a> {
        let mut parts = Vec::new();
        for (name, hard) in object.entries(&["status", "hard"])? {
            if name.starts_with("limits.") == of_limits {
                let used = scalar(&object.get(&["status", "used", &name])?);
                parts.push(format!(
                    "{name}: {}/{}",
                    used.unwrap_or_else(|| "0".to_owned()),
                    scalar(&hard.value).unwrap_or_default()
                ));
            }
        }
        parts.sort_unstable();
        Ok(Value::text(&parts.join(", ")))
    };
    vec![("REQUEST", used(false)), ("LIMIT", used(true))]
}

/// Returns a number or a text: a quantity, a percentage, an integer.
fn scalar(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Int(number) => Some(number.to_string()),
        value => value.as_str().map(str::to_owned),
    }
}

/// Computes MIN AVAILABLE and MAX UNAVAILABLE of a PodDisruptionBudget.
pub(super) fn budget<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let or_na = |field: &str| {
        let value = object.get(&["spec", field])?;
        Ok(scalar(&value).map_or(Value::borrowed("N/A"), |text| Value::text(&text)))
    };
    vec![("MIN AVAILABLE", or_na("minAvailable")), ("MAX UNAVAILABLE", or_na("maxUnavailable"))]
}

/// Computes TARGETS and REPLICAS of a HorizontalPodAutoscaler.
pub(super) fn autoscaler<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("TARGETS", targets(object)), ("REPLICAS", object.int_or(&["status", "currentReplicas"], 0).map(Value::Int))]
}

fn targets<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut found = Vec::new();
    let current = object.items(&["status", "currentMetrics"])?;
    for (position, metric) in object.items(&["spec", "metrics"])?.into_iter().enumerate() {
        found.push(target(&metric, current.get(position))?);
    }
    // autoscaling/v1 knows the processor only.
    if let (true, Some(wanted)) = (found.is_empty(), object.int(&["spec", "targetCPUUtilizationPercentage"])?) {
        let current = object.int(&["status", "currentCPUUtilizationPercentage"])?;
        let current = current.map_or_else(|| "<unknown>".to_owned(), |percent| format!("{percent}%"));
        found.push(format!("cpu: {current}/{wanted}%"));
    }
    Ok(first_few(&found, METRICS, ", "))
}

/// Formats a metric and its target: `cpu: 3%/80%`, `10/20 (avg)`.
fn target(metric: &ObjectView<'_>, current: Option<&ObjectView<'_>>) -> Result<String, Stop> {
    let type_ = metric.text(&["type"])?;
    let field = match type_.as_str() {
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        "Pods" => "pods",
        "Object" => "object",
        "External" => "external",
        _ => return Ok("<unknown type>".to_owned()),
    };
    let is_resource = field == "resource" || field == "containerResource";
    let now = |value: &str| -> Result<Option<String>, Stop> {
        current.map_or(Ok(None), |current| Ok(scalar(&current.get(&[field, "current", value])?)))
    };
    let wanted = |value: &str| -> Result<Option<String>, Stop> { Ok(scalar(&metric.get(&[field, "target", value])?)) };
    let unknown = || "<unknown>".to_owned();
    let text = match (wanted("averageValue")?, is_resource) {
        (Some(wanted), _) => {
            let suffix = if field == "object" || field == "external" { " (avg)" } else { "" };
            format!("{}/{wanted}{suffix}", now("averageValue")?.unwrap_or_else(unknown))
        }
        (None, true) => {
            let wanted =
                wanted("averageUtilization")?.map_or_else(|| "<auto>".to_owned(), |percent| format!("{percent}%"));
            let now = now("averageUtilization")?.map_or_else(unknown, |percent| format!("{percent}%"));
            format!("{now}/{wanted}")
        }
        (None, false) => format!("{}/{}", now("value")?.unwrap_or_else(unknown), wanted("value")?.unwrap_or_default()),
    };
    Ok(if is_resource { format!("{}: {text}", metric.text(&[field, "name"])?) } else { text })
}

/// Computes the subjects of a RoleBinding or ClusterRoleBinding.
pub(super) fn binding<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let of = |kind: &str| -> Answer<'a> {
        let mut names = Vec::new();
        for subject in object.items(&["subjects"])? {
            if subject.is(&["kind"], kind)? {
                let name = subject.text(&["name"])?;
                let namespace = subject.text(&["namespace"])?;
                names.push(if kind == "ServiceAccount" { format!("{namespace}/{name}") } else { name });
            }
        }
        Ok(Value::text(&names.join(", ")))
    };
    vec![("USERS", of("User")), ("GROUPS", of("Group")), ("SERVICEACCOUNTS", of("ServiceAccount"))]
}

/// Computes WEBHOOKS of a webhook configuration.
pub(super) fn webhooks<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("WEBHOOKS", object.items(&["webhooks"]).map(|webhooks| count(webhooks.len())))]
}

/// Computes GLOBAL-DEFAULT of a PriorityClass.
pub(super) fn priority<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    vec![("GLOBAL-DEFAULT", flag(object, &["globalDefault"]))]
}

/// Computes REQUESTEDDURATION and CONDITION of a CertificateSigningRequest.
pub(super) fn certificate_request<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let asked = object.int(&["spec", "expirationSeconds"]);
    let asked = asked.map(|asked| asked.map_or(Value::Null, |s| Value::Duration(SignedDuration::from_secs(s))));
    vec![("REQUESTEDDURATION", asked), ("CONDITION", decision(object))]
}

fn decision<'a>(object: &ObjectView<'a>) -> Answer<'a> {
    let mut found = Vec::new();
    for condition in object.items(&["status", "conditions"])? {
        found.push(condition.text(&["type"])?);
    }
    let has = |type_: &str| found.iter().any(|known| known == type_);
    let mut words: Vec<&str> = match (has("Denied"), has("Approved")) {
        (true, _) => vec!["Denied"],
        (false, true) => vec!["Approved"],
        (false, false) => vec!["Pending"],
    };
    if has("Failed") {
        words.push("Failed");
    }
    if object.has(&["status", "certificate"])? {
        words.push("Issued");
    }
    Ok(Value::text(&words.join(",")))
}

/// Computes STATUS, MESSAGE and ERROR of a ComponentStatus.
pub(super) fn component<'a>(object: &ObjectView<'a>) -> Computed<'a> {
    let healthy = || -> Result<Option<ObjectView<'a>>, Stop> {
        for condition in object.items(&["conditions"])? {
            if condition.is(&["type"], "Healthy")? {
                return Ok(Some(condition));
            }
        }
        Ok(None)
    };
    let field = |name: &str| healthy()?.map_or(Ok(Value::Null), |condition| condition.get(&[name]));
    let status = || -> Answer<'a> {
        Ok(Value::borrowed(match healthy()? {
            Some(condition) if condition.is(&["status"], "True")? => "Healthy",
            Some(_) => "Unhealthy",
            None => "Unknown",
        }))
    };
    vec![("STATUS", status()), ("MESSAGE", field("message")), ("ERROR", field("error"))]
}
