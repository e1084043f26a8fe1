//! Requests for logs of pods, with the parameters of `kubectl logs`.

use jiff::SignedDuration;

use super::cluster::Api;
use super::pod_log::PodLog;
use super::request::Request;
use super::response::{Body, Failure, Response, TEXT};
use super::route::Objects;
use crate::explore::lines::Period;
use crate::explore::logs::{Choice, Instance, Missing, Target, find};

/// Finds the log of a pod.
pub fn answer(api: &Api<'_>, of: &Objects<'_>, request: &Request) -> Response {
    let refused = |failure, text: &str| Response::failure(failure, text);
    let (Some(namespace), Some(pod)) = (of.namespace, of.name) else { return Response::unknown() };
    let instance = Instance {
        namespace: Some(api.in_bundle(namespace)),
        container: request.value("container").map(str::to_owned),
        all_containers: false,
        previous: request.is_on("previous"),
    };
    let period = match period(api, request) {
        Ok(period) => period,
        Err(text) => return refused(Failure::BadRequest, text),
    };
    // A glob would name several logs.
    let is_plain = |name: &str| !name.contains(['*', '?', '[', '{', '\\']);
    if ![Some(pod), instance.container.as_deref()].into_iter().flatten().all(is_plain) {
        return refused(Failure::NotFound, "no pod and no container has such a name");
    }
    match find(api.texts(), &Target::Pod { name: api.in_bundle(pod) }, &instance) {
        Ok(texts) => {
            let choice = Choice { period, tail: request.number("tailLines"), ..Choice::default() };
            let limit = request.number("limitBytes").unwrap_or(u64::MAX);
            let log = PodLog { texts, choice, timestamps: request.is_on("timestamps"), limit };
            Response { body: Body::Log(Box::new(log)), ..Response::whole(200, TEXT, Vec::new()) }
        }
        Err(missing @ Missing::SeveralContainers { .. }) => {
            refused(Failure::BadRequest, &api.shown(&missing.to_string()))
        }
        Err(missing) => refused(Failure::NotFound, &api.shown(&missing.to_string())),
    }
}

/// Seconds count back from the collection.
fn period(api: &Api<'_>, request: &Request) -> Result<Period, &'static str> {
    let since = match (request.value("sinceTime"), request.number("sinceSeconds")) {
        (Some(time), _) => Some(time.parse().map_err(|_| "sinceTime is no time, such as 2025-03-18T09:30:00Z")?),
        (None, Some(seconds)) => {
            let now = api.texts().clock.now.ok_or(
                "the bundle does not say when it was collected, so that --since has no meaning; use --since-time",
            )?;
            now.checked_sub(SignedDuration::from_secs(seconds)).ok()
        }
        (None, None) => None,
    };
    Ok(Period { since, until: None })
}
