//! Passwords and tokens in addresses: `https://user:x@host`, `https://x@host`, and webhooks, whose path is the secret.

use std::ops::Range;

use super::value::looks_generated;

/// Longest part of an address in which its user is looked for, in bytes.
const LONGEST: usize = 512;

/// Hosts and first segments of webhooks; whoever knows the rest of the path may post.
const WEBHOOKS: [&str; 6] = [
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "api.telegram.org/bot",
    "outlook.office.com/webhook/",
];
/// Ending of the host of a webhook of Teams, which has a name of its own for each tenant.
const TEAMS: &str = ".webhook.office.com/";

/// Returns the secrets of all addresses in a text, sorted.
pub(super) fn find(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices("://").filter_map(|(at, mark)| {
        let start = at + mark.len();
        let rest = text.get(start..text.floor_char_boundary(text.len().min(start + LONGEST)))?;
        let secret = in_authority(rest).or_else(|| with_unescaped_slash(rest)).or_else(|| of_webhook(rest))?;
        Some(start + secret.start..start + secret.end)
    })
}

/// Returns the secret before the `@` of the host.
fn in_authority(rest: &str) -> Option<Range<usize>> {
    let end =
        rest.find(|c: char| matches!(c, '/' | '"' | '\'' | '?' | '#' | '\\' | '`' | '<' | '>') || c.is_whitespace());
    let user = rest.get(..end.unwrap_or(rest.len()))?.rsplit_once('@')?.0;
    match user.find(':') {
        Some(colon) => (colon + 1 < user.len()).then_some(colon + 1..user.len()),
        None => looks_generated(user).then_some(0..user.len()),
    }
}

/// Returns a password that contains `/`, `?` or `#` as it is; digits before them are a port.
fn with_unescaped_slash(rest: &str) -> Option<Range<usize>> {
    let end = rest.find(|c: char| matches!(c, '"' | '\'' | '`' | ',') || c.is_whitespace()).unwrap_or(rest.len());
    let user = rest.get(..end)?.split_once('@')?.0;
    let (_, password) = user.split_once(':').filter(|(name, _)| !name.contains(['/', '?', '#', '[']))?;
    let port = password.split(['/', '?', '#']).next()?;
    let is_port = port.bytes().all(|b| b.is_ascii_digit());
    (!is_port).then_some(user.len() - password.len()..user.len())
}

/// Returns the path of a webhook.
fn of_webhook(rest: &str) -> Option<Range<usize>> {
    let known = WEBHOOKS.iter().find(|lead| rest.starts_with(**lead)).map(|lead| lead.len());
    let start = known.or_else(|| {
        let path = rest.find('/')? + 1;
        rest.get(..path)?.ends_with(TEAMS).then_some(path)
    })?;
    let is_end = |c: char| matches!(c, '"' | '\'' | '\\' | '`' | ',' | '<' | '>' | ')') || c.is_whitespace();
    let path = rest.get(start..)?;
    let length = path.find(is_end).unwrap_or(path.len());
    (length > 0).then_some(start..start + length)
}
