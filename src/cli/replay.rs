//! `teamtui replay RUN --at SEQ`: the run as it stood after one fact, and that fact.
use super::args::Format;
use super::call::{Call, Done, Failed, NOT_FOUND};
use super::history::History;
use super::look::{self, Look};
use super::{place, status};
use crate::domain::view::{Line, RunView, Stream, Tint, phrase};
use crate::domain::{Fact, Seq, State};
use crate::text::quantity::{count, duration};

/// Prints both.
pub async fn replay(call: &mut Call<'_>, name: &str, at: &str) -> Done {
    let seq = seq(at)?;
    let project = call.project()?;
    let look = Look { expected: true, ..look::open(&look::named(&project, name)?).await? };
    super::restored::of_look(call, &look);
    let last = look.state.seq;
    if seq.0 == 0 || seq > last {
        return Err(out_of_range(&look, seq));
    }
    let mut history = History::of(&look).await?;
    let mut stream = Stream::new(&State::default(), true);
    let mut told = None;
    while let Some(fact) = history.next_upto(seq).await? {
        let line = stream.fact(&fact, &history.state);
        told = (fact.seq == seq).then_some((fact, line));
    }
    let state = &history.state;
    let run = RunView::of(state, state.elapsed_ms);
    if matches!(call.cli.print.format, Some(Format::Ndjson | Format::Json)) {
        if let Some((_, Some(line))) = &told {
            call.whole(line)?;
        }
        call.whole(&Stream::last(&run, &project.flags))?;
        return Ok(0);
    }
    for line in status::lines(state, &run) {
        call.line(&line)?;
    }
    call.line(&fact_line(seq, last, told.as_ref().map(|(fact, line)| (fact, line.as_deref()))))?;
    Ok(0)
}

/// `seq 71 of 331, 1m05s (19:41:05): attempt started, build 2/2`; a fact that this teamtui does not know is said to be one.
fn fact_line(seq: Seq, last: Seq, told: Option<(&Fact, Option<&str>)>) -> Line {
    let place = format!("seq {} of {}", count(seq.0), count(last.0));
    let Some((fact, json)) = told else {
        let text = format!("{place}: of a kind that this teamtui does not know, and may skip");
        return Line::new().and(Tint::Plain, text);
    };
    let clock = place::clock(fact.at_ms);
    let time = format!(", {} ({clock}): ", duration(fact.elapsed_ms));
    let line = Line::new().and(Tint::Plain, place).and(Tint::Time, time);
    let line = line.and(Tint::Name, fact.event.word().replace('_', " "));
    line.and(Tint::Plain, json.map(fields).unwrap_or_default())
}

/// The fields of a fact's line that its place does not say: `, team ci, task build, attempt 2`.
fn fields(json: &str) -> String {
    const SAID: &[&str] = &["type", "seq", "elapsed_ms", "at"];
    const FIRST: &[&str] = &["team", "task", "number", "attempt", "by", "member", "outcome", "status"];
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(json) else { return String::new() };
    let place = |key: &str| FIRST.iter().position(|first| *first == key).unwrap_or(FIRST.len());
    let mut shown: Vec<_> = fields.iter().filter(|(key, _)| !SAID.contains(&key.as_str())).collect();
    shown.sort_by_key(|(key, _)| place(key));
    shown.into_iter().map(|(key, value)| format!(", {} {}", key.replace('_', " "), value_of(value))).collect()
}

/// A name or a number as it is, a text in quotes, a list by its length.
fn value_of(value: &serde_json::Value) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.~:".contains(c);
    match value {
        serde_json::Value::String(text) if !text.is_empty() && text.chars().all(is_plain) => text.clone(),
        serde_json::Value::String(text) => phrase::quoted(&text.as_str().into()),
        serde_json::Value::Array(values) => count(u64::try_from(values.len()).unwrap_or(u64::MAX)),
        other => other.to_string(),
    }
}

/// A seq as it is printed: `1209` or `1,209`.
fn seq(written: &str) -> Result<Seq, Failed> {
    let no_seq = || {
        let shown = crate::text::sanitise::line(written).into_owned();
        Failed::usage(format!("`{shown}` is no seq")).help("it is a number: `--at 71`, `--at 1,209`")
    };
    let groups: Vec<&str> = written.split(',').collect();
    let is_digits = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    let fits = groups.iter().all(|group| is_digits(group))
        && groups.iter().skip(1).all(|group| group.len() == 3)
        && (groups.len() == 1 || groups.first().is_some_and(|first| first.len() <= 3));
    let number = fits.then(|| groups.concat().parse().ok()).flatten();
    number.map(Seq).ok_or_else(no_seq)
}

fn out_of_range(look: &Look, seq: Seq) -> Failed {
    let title = look::title(look.run.name());
    let failed = Failed::new(NOT_FOUND, format!("not found: {title} has no seq {}", count(seq.0)));
    match look.state.seq.0 {
        0 => failed.help("it has no facts yet"),
        last => failed.help(format!("it has seq 1 to {}", count(last))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seq_is_read_as_it_is_printed() {
        for (written, number) in [("1", 1), ("1209", 1_209), ("1,209", 1_209), ("12,345,678", 12_345_678)] {
            assert_eq!(seq(written), Ok(Seq(number)));
        }
        for wrong in ["", ",", "1,2", "1209,000", "1,,000", "-1", "x", "1.5", "18446744073709551616"] {
            assert!(seq(wrong).is_err(), "{wrong}");
        }
    }
}
