//! `certs(text)`: certificates in PEM, in the output of `openssl x509 -text`, or in a Secret.
//!
//! Values of Secrets are masked in expressions. Certificates are public, so a Secret itself may be passed: the result
//! has the fields of certificates, never the text of an entry. Certificates are read, not verified
//! ([`crate::certificate`]).

use crate::certificate::{self, BEGIN, Certificate};
use crate::expr::check::shape::{Kind, Shape};
use crate::expr::eval::member;
use crate::expr::eval::place::FieldPlace;
use crate::expr::eval::stop::{Answer, Stop};
use crate::expr::eval::value::{Text, Value};
use crate::expr::eval::world::World;
use crate::expr::functions::function::{Caller, Function, Parameter, Returns, STRICT, Takes};
use crate::model::decode_base64;
use crate::model::message::{ExpectedValue, WrongValue};
use crate::resource::ResourceId;
use crate::yaml::Node;
use crate::yaml::secret::MASK;
use std::sync::Arc;

/// Functions declared in this file.
pub(super) const FUNCTIONS: &[Function] = &[Function {
    name: "certs",
    parameters: &[Parameter::required("text", Takes::Anything)],
    returns: Returns::Shape(|_| certificates_shape()),
    doc: "[certificates](#certificates) of a text or a Secret",
    run: certs,
    options: STRICT.example("certs(text) or certs(secret)").places(places),
}];

/// Shape of the list of certificates.
fn certificates_shape() -> Arc<Shape> {
    let text = || Shape::of(Kind::Text);
    Shape::list(Arc::new(Shape::map([
        ("subject", text()),
        ("issuer", text()),
        ("notBefore", Shape::of(Kind::Time)),
        ("notAfter", Shape::of(Kind::Time)),
        ("names", Shape::list(text())),
        ("isCA", Shape::of(Kind::Bool)),
        ("serial", text()),
        ("error", text()),
        ("key", text()),
    ])))
}

/// Returns a list of `{subject, issuer, notBefore, notAfter, names, isCA, serial}`; unreadable ones are `{error}`, and
/// for a Secret `key` is the name of the entry.
pub(super) fn certs<'a>(caller: &Caller<'a, '_>, args: &[Value<'a>]) -> Answer<'a> {
    match args.first() {
        Some(Value::Str(text)) if text.as_str() == MASK => Err(Stop::wrong(WrongValue::Masked)),
        Some(Value::Str(text)) => certificates_of_text(caller.world, text.as_str()),
        Some(Value::Resource(id)) if is_secret(caller.world, *id) => certificates_of_secret(caller.world, *id),
        Some(other) => Err(Stop::expected(other.describe(), ExpectedValue::TextOrSecret)),
        None => Ok(Value::Null),
    }
}

fn certificates_of_text<'a>(world: &'a World, text: &str) -> Answer<'a> {
    world.decodings.get("certs", text, |text| {
        let found = certificate::read_certificates(text);
        if found.len() > certificate::MOST {
            return Err(WrongValue::TooManyCertificates { most: certificate::MOST });
        }
        Ok(Value::list(found.into_iter().map(value).collect()))
    })
}

fn value(found: Result<Certificate, String>) -> Value<'static> {
    let fields = match found {
        Ok(certificate) => vec![
            ("subject", Value::text(&certificate.subject)),
            ("issuer", Value::text(&certificate.issuer)),
            ("notBefore", certificate.not_before.map_or(Value::Null, Value::Time)),
            ("notAfter", certificate.not_after.map_or(Value::Null, Value::Time)),
            ("names", Value::list(certificate.names.iter().map(|name| Value::text(name)).collect())),
            ("isCA", Value::Bool(certificate.is_ca)),
            ("serial", Value::text(&certificate.serial)),
        ],
        Err(error) => vec![("error", Value::text(&error))],
    };
    Value::Map(fields.into_iter().map(|(name, value)| (Text::Borrowed(name), value)).collect())
}

fn is_secret(world: &World, id: ResourceId) -> bool {
    let resource = world.resources.resource(id);
    resource.group.is_empty() && resource.kind.eq_ignore_ascii_case("Secret")
}

/// Returns the entries of a Secret that hold certificates, with their texts.
fn entries(world: &World, id: ResourceId) -> Vec<(String, String, Node<'_>)> {
    let body = world.resources.resource(id).body();
    let mut found = Vec::new();
    for (part, is_encoded) in [("data", true), ("stringData", false)] {
        for (name, node) in body.get(part).into_iter().flat_map(Node::entries) {
            let text = match is_encoded {
                true => decode_base64(node.text()).and_then(|bytes| String::from_utf8(bytes).ok()),
                false => Some(node.text().to_owned()),
            };
            if let Some(text) = text.filter(|text| text.contains(BEGIN)) {
                found.push((name.into_owned(), text, node));
            }
        }
    }
    found
}

fn certificates_of_secret<'a>(world: &'a World, id: ResourceId) -> Answer<'a> {
    let mut all = Vec::new();
    for (name, text, _) in entries(world, id) {
        let key = Value::text(&name);
        for certificate in member::values(world, &certificates_of_text(world, &text)?)? {
            let Value::Map(fields) = certificate else { continue };
            let named = fields.iter().cloned().chain([(Text::Borrowed("key"), key.clone())]);
            all.push(Value::Map(named.collect()));
        }
    }
    Ok(Value::list(all))
}

/// Returns the places of the Secret entries read, for evidence.
pub(super) fn places<'a>(world: &'a World, args: &[Value<'a>]) -> Vec<FieldPlace> {
    match args {
        [Value::Resource(id)] if is_secret(world, *id) => {
            entries(world, *id).into_iter().map(|(_, _, node)| (*id, node.index())).collect()
        }
        _ => Vec::new(),
    }
}
