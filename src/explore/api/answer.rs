//! Answers requests: finds what a path names, and who answers for it.

use serde_json::{Value, json};

use super::cluster::Api;
use super::request::{Method, Request};
use super::response::{Failure, Response};
use super::route::{Objects, Route};
use super::{discovery, listing, log_request, review, schema, watch};

impl Api<'_> {
    /// Answers a request.
    pub fn answer(&self, request: &Request) -> Response {
        if request.method == Method::Post
            && let Some(response) = review::answer(request)
        {
            return response;
        }
        if request.method != Method::Get {
            return Response::failure(Failure::MethodNotAllowed, "a support bundle can only be read");
        }
        let found = |value: Option<Value>| value.map_or_else(Response::unknown, |value| Response::json(&value));
        match (Route::of(&request.path), request.discovery()) {
            (Route::Version, _) => Response::json(&self.version()),
            (Route::Health, _) => Response::text("ok"),
            (route @ (Route::Core | Route::Groups), Some(version)) => {
                let (media, document) = discovery::aggregated(&self.types, route == Route::Core, version);
                Response { content_type: media, ..Response::json(&document) }
            }
            (Route::Core, None) => Response::json(&discovery::core()),
            (Route::Groups, None) => Response::json(&discovery::groups(&self.types)),
            (Route::Group(group), _) => found(discovery::group(&self.types, group)),
            (Route::Types { group, version }, _) => found(discovery::resources(&self.types, group, version)),
            (Route::Schemas, _) => Response::json(&schema::groups(self)),
            (Route::Schema { group, version }, _) => {
                found(self.viewed(|view| schema::document(self, view, group, version)))
            }
            (Route::Objects(objects), _) => self.objects(&objects, request),
            (Route::Unknown, _) => Response::unknown(),
        }
    }

    fn objects(&self, of: &Objects<'_>, request: &Request) -> Response {
        let type_ = self.types.find(of.group, of.version, of.plural);
        let Some(type_) = type_.filter(|type_| type_.is_namespaced || of.namespace.is_none()) else {
            return Response::unknown();
        };
        match (of.name, of.part) {
            (Some(_), None | Some("status")) if type_.is_namespaced != of.namespace.is_some() => Response::unknown(),
            (Some(_), None | Some("status")) => self.viewed(|view| listing::object(self, view, type_, of, request)),
            (Some(_), Some("log")) if type_.kind == "Pod" => log_request::answer(self, of, request),
            (Some(_), Some(part)) => {
                let text = format!("a support bundle can only be read: it has no {part} of {}", of.plural);
                Response::failure(Failure::MethodNotAllowed, &text)
            }
            (None, _) if request.is_on("watch") => self.viewed(|view| watch::watch(self, view, type_, of, request)),
            (None, _) => self.viewed(|view| listing::list(self, view, type_, of, request)),
        }
    }

    /// Returns the version of the cluster as its nodes tell it.
    fn version(&self) -> Value {
        let known = self.opened.world().versions.get("kubernetes");
        let version =
            known.map_or_else(|| "v0.0.0".to_owned(), |version| format!("v{}", version.trim_start_matches('v')));
        let mut numbers = version.trim_start_matches('v').split('.');
        let mut number = || numbers.next().unwrap_or_default().to_owned();
        json!({
            "major": number(), "minor": number(), "gitVersion": version, "gitCommit": "", "gitTreeState": "",
            "buildDate": "", "goVersion": "", "compiler": "", "platform": "linux/amd64",
        })
    }
}
