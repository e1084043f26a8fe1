//! A request of a client: path, query, accepted forms, body.

use crate::model::uri;

/// Bytes of path and query; those of clients are shorter.
const MAX_TARGET: usize = 16 << 10;

/// What a client wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    /// Only reviews, which change nothing, are posted.
    Post,
    /// Anything that would change an object.
    Write,
}

impl Method {
    /// Returns the method of HTTP; HEAD is GET of which nobody reads the body.
    pub fn of(name: &str) -> Self {
        match name {
            "GET" | "HEAD" => Self::Get,
            "POST" => Self::Post,
            _ => Self::Write,
        }
    }
}

/// Form in which a client takes objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Object,
    /// `meta.k8s.io/VERSION`, `v1` or `v1beta1`.
    Table(&'static str),
    /// Metadata only.
    Metadata(&'static str),
    /// `apidiscovery.k8s.io/VERSION`, `v2` or `v2beta1`.
    Discovery(&'static str),
}

/// A request; parts of its path and its query are decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    pub path: Vec<String>,
    query: Vec<(String, String)>,
    /// Forms that the client takes, the best first; never empty.
    accepts: Vec<Form>,
    pub body: Vec<u8>,
}

/// Why a request cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestFault {
    #[error("path and query are longer than {MAX_TARGET} bytes")]
    TooLong,
    #[error("path or query is not percent-encoded UTF-8")]
    Encoding,
}

impl Request {
    /// Reads a request; `target` is path and query, `accept` the header of that name.
    ///
    /// # Errors
    /// The target is too long, or not encoded as it must be.
    pub fn parse(method: &str, target: &str, accept: &str, body: Vec<u8>) -> Result<Self, RequestFault> {
        if target.len() > MAX_TARGET {
            return Err(RequestFault::TooLong);
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parts = path.split('/').filter(|part| !part.is_empty());
        let path = parts.map(|part| uri::decoded(part).ok_or(RequestFault::Encoding)).collect::<Result<_, _>>()?;
        let word = |text: &str| uri::decoded(&text.replace('+', " ")).ok_or(RequestFault::Encoding);
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((word(key)?, word(value)?))
        });
        let query = pairs.collect::<Result<_, _>>()?;
        Ok(Self { method: Method::of(method), path, query, accepts: forms(accept), body })
    }

    /// Returns the value of a parameter; the first one if it is given twice.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.query.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Returns the number that a parameter gives.
    pub fn number<N: std::str::FromStr>(&self, key: &str) -> Option<N> {
        self.value(key)?.parse().ok()
    }

    /// Returns true if a switch is on, as Go's `strconv.ParseBool` reads it.
    pub fn is_on(&self, key: &str) -> bool {
        matches!(self.value(key), Some("1" | "t" | "T" | "true" | "TRUE" | "True"))
    }

    /// Returns the form of discovery documents that the client wants.
    pub fn discovery(&self) -> Option<&'static str> {
        match self.accepts.first() {
            Some(Form::Discovery(version)) => Some(version),
            _ => None,
        }
    }

    /// Returns the form in which objects are given.
    pub fn form(&self) -> Form {
        let is_of_objects = |form: &Form| !matches!(form, Form::Discovery(_));
        self.accepts.iter().copied().find(is_of_objects).unwrap_or(Form::Object)
    }
}

/// Reads `application/json;as=Table;v=v1;g=meta.k8s.io,application/json`. What is not known is left out: objects in JSON are what every client
/// reads, also those that ask for protobuf.
fn forms(accept: &str) -> Vec<Form> {
    let found = accept.split(',').filter_map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_json = matches!(parts.next()?, "application/json" | "application/*" | "*/*");
        let parameters: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
        let value = |key: &str| parameters.iter().find(|(name, _)| *name == key).map(|(_, value)| *value);
        if !is_json {
            return None;
        }
        match (value("as"), value("g"), value("v")) {
            (None, ..) => Some(Form::Object),
            (Some("Table"), Some("meta.k8s.io"), Some("v1")) => Some(Form::Table("v1")),
            (Some("Table"), Some("meta.k8s.io"), Some("v1beta1")) => Some(Form::Table("v1beta1")),
            (Some("PartialObjectMetadata" | "PartialObjectMetadataList"), Some("meta.k8s.io"), Some("v1")) => {
                Some(Form::Metadata("v1"))
            }
            (Some("APIGroupDiscoveryList"), Some("apidiscovery.k8s.io"), Some("v2")) => Some(Form::Discovery("v2")),
            (Some("APIGroupDiscoveryList"), Some("apidiscovery.k8s.io"), Some("v2beta1")) => {
                Some(Form::Discovery("v2beta1"))
            }
            _ => None,
        }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(target: &str, accept: &str) -> Result<Request, RequestFault> {
        Request::parse("GET", target, accept, Vec::new())
    }

    #[test]
    fn paths_and_queries_are_decoded() {
        let request =
            get("//api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29&limit=500&watch=1&x=a+b&limit=2", "").unwrap();
        assert_eq!(request.path, ["api", "v1", "pods"]);
        assert_eq!(request.value("labelSelector"), Some("a in (b,c)"));
        assert_eq!((request.number("limit"), request.number::<u32>("x")), (Some(500_u32), None));
        assert_eq!((request.is_on("watch"), request.is_on("limit"), request.value("x")), (true, false, Some("a b")));
        assert_eq!(get("/api/%zz", ""), Err(RequestFault::Encoding));
        assert_eq!(get("/api?x=%FF", ""), Err(RequestFault::Encoding));
        assert_eq!(get(&"/a".repeat(MAX_TARGET), ""), Err(RequestFault::TooLong));
    }

    #[test]
    fn the_best_known_form_is_taken() {
        let table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        let discovery = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
        for (accept, form, of_discovery) in [
            ("", Form::Object, None),
            (table, Form::Table("v1"), None),
            ("application/json;as=Table;g=meta.k8s.io;v=v1beta1, */*", Form::Table("v1beta1"), None),
            ("application/vnd.kubernetes.protobuf,application/json", Form::Object, None),
            ("application/vnd.kubernetes.protobuf", Form::Object, None),
            (discovery, Form::Object, Some("v2beta1")),
            ("application/json;as=Table;g=meta.k8s.io;v=v9,application/json", Form::Object, None),
        ] {
            let request = get("/apis", accept).unwrap();
            assert_eq!((request.form(), request.discovery()), (form, of_discovery), "{accept}");
        }
    }
}
