//! What a team may use, and `--limit K=V` on top of it.

use thiserror::Error;

use super::schema::Scope;
use crate::domain::Limits;
use crate::domain::limits::MAX_LIVE;
use crate::text::quantity::{QuantityError, parse_duration, parse_money};
use crate::text::{Untrusted, nearest};

/// Why a limit cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LimitError {
    /// It is not `KEY=VALUE`.
    #[error("`{}` is no limit: write it like `time=20m`", .0.line())]
    Shape(Untrusted),
    /// There is no such limit.
    #[error("there is no limit `{}`; {help}", name.line())]
    Unknown {
        /// What was written.
        name: Untrusted,
        /// What there is.
        help: String,
    },
    /// Its value is no quantity.
    #[error("limit `{name}`: {why}")]
    Quantity {
        /// The limit.
        name: &'static str,
        /// What is wrong with the value.
        why: QuantityError,
    },
    /// Its value is no whole number.
    #[error("limit `{name}`: `{}` is no whole number", value.line())]
    Number {
        /// The limit.
        name: &'static str,
        /// What was written.
        value: Untrusted,
    },
    /// It can never be met.
    #[error("{0}")]
    Unmet(&'static str),
}

/// Sets one limit from `KEY=VALUE`, as `--limit` takes it. Nothing changes on an error.
pub fn override_limit(limits: &mut Limits, written: &str) -> Result<(), LimitError> {
    let (name, value) = written.split_once('=').ok_or_else(|| LimitError::Shape(written.into()))?;
    let Some(key) = Scope::Limits.key(name.trim()) else {
        return Err(LimitError::Unknown { name: name.trim().into(), help: what_there_is(name.trim()) });
    };
    let mut changed = limits.clone();
    set(&mut changed, key.name, value.trim())?;
    if let Some((_, why)) = unmet(&changed) {
        return Err(LimitError::Unmet(why));
    }
    *limits = changed;
    Ok(())
}

/// What of the limits can never be met: the key, and why.
pub(super) fn unmet(limits: &Limits) -> Option<(&'static str, &'static str)> {
    if limits.parallel == 0 {
        return Some(("parallel", "with `parallel` 0 nothing could ever start"));
    }
    if usize::try_from(limits.parallel).is_ok_and(|parallel| parallel > MAX_LIVE) {
        return Some(("parallel", "`parallel` is at most 256: one owner has no more live attempts"));
    }
    (limits.time_ms == Some(0)).then_some(("time", "with `time` 0 nothing could ever start"))
}

fn set(limits: &mut Limits, name: &'static str, value: &str) -> Result<(), LimitError> {
    let quantity = |why| LimitError::Quantity { name, why };
    let number = || value.parse().map_err(|_| LimitError::Number { name, value: value.into() });
    match name {
        "time" => limits.time_ms = Some(parse_duration(value).map_err(quantity)?),
        "grace" => limits.grace_ms = parse_duration(value).map_err(quantity)?,
        "money" => limits.money_micros = Some(parse_money(value).map_err(quantity)?),
        "parallel" => limits.parallel = number()?,
        "hops" => limits.hops = number()?,
        _ => limits.pair = number()?,
    }
    Ok(())
}

fn what_there_is(name: &str) -> String {
    let names = || Scope::Limits.keys().map(|key| key.name);
    match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_overridden_one_by_one() {
        let mut limits = Limits::default();
        for written in ["time=4m", "money=2.50", "parallel=2", "hops=3", "pair=7", "grace = 500ms"] {
            override_limit(&mut limits, written).unwrap();
        }
        let expected = Limits {
            parallel: 2,
            time_ms: Some(240_000),
            money_micros: Some(2_500_000),
            hops: 3,
            pair: 7,
            grace_ms: 500,
        };
        assert_eq!(limits, expected);
    }

    #[test]
    fn bad_limits_say_what_is_wrong_and_change_nothing() {
        let cases = [
            ("time", "`time` is no limit: write it like `time=20m`"),
            ("tme=4m", "there is no limit `tme`; did you mean `time`?"),
            ("xyz=1", "there is no limit `xyz`; there are parallel, money, hops, pair, grace, time"),
            ("parallel=0", "with `parallel` 0 nothing could ever start"),
            ("parallel=300", "`parallel` is at most 256: one owner has no more live attempts"),
            ("parallel=-1", "limit `parallel`: `-1` is no whole number"),
            ("time=0s", "with `time` 0 nothing could ever start"),
            ("time=", "limit `time`: `` is no duration: a number is missing; write it like `1m42s`"),
        ];
        for (written, message) in cases {
            let mut limits = Limits::default();
            assert_eq!(override_limit(&mut limits, written).unwrap_err().to_string(), message);
            assert_eq!(limits, Limits::default());
        }
    }
}
