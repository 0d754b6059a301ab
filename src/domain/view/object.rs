//! One JSON object on one line, its fields in the order they are written. Absent means none, never null.

/// An object that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object(String);

impl Object {
    /// Without fields.
    pub fn new() -> Self {
        Self("{".to_owned())
    }

    /// An object with its `type` first.
    pub fn typed(word: &str) -> Self {
        Self::new().text("type", word)
    }

    /// With a text.
    #[must_use]
    pub fn text(self, key: &str, value: &str) -> Self {
        self.raw(key, &string(value))
    }

    /// With a text, where there is one that is not empty.
    #[must_use]
    pub fn some_text(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) if !value.is_empty() => self.text(key, value),
            _ => self,
        }
    }

    /// With an integer.
    #[must_use]
    pub fn number(self, key: &str, value: impl Into<i128>) -> Self {
        self.raw(key, &value.into().to_string())
    }

    /// With an integer, where there is one.
    #[must_use]
    pub fn some_number<N: Into<i128>>(self, key: &str, value: Option<N>) -> Self {
        match value {
            Some(value) => self.number(key, value),
            None => self,
        }
    }

    /// With a mark, where it is so.
    #[must_use]
    pub fn mark(self, key: &str, is_so: bool) -> Self {
        if is_so { self.raw(key, "true") } else { self }
    }

    /// With a truth, either way.
    #[must_use]
    pub fn flag(self, key: &str, value: bool) -> Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// With a list of texts, where it is not empty.
    #[must_use]
    pub fn texts<S: AsRef<str>>(self, key: &str, values: impl IntoIterator<Item = S>) -> Self {
        self.list(key, values.into_iter().map(|v| string(v.as_ref())))
    }

    /// With a list of what is JSON already, where it is not empty.
    #[must_use]
    pub fn list(self, key: &str, values: impl IntoIterator<Item = String>) -> Self {
        let values: Vec<String> = values.into_iter().collect();
        if values.is_empty() { self } else { self.raw(key, &format!("[{}]", values.join(","))) }
    }

    /// With another object.
    #[must_use]
    pub fn object(self, key: &str, value: Self) -> Self {
        self.raw(key, &value.finish())
    }

    /// The line, without its end.
    pub fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn raw(mut self, key: &str, json: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&string(key));
        self.0.push(':');
        self.0.push_str(json);
        self
    }
}

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_in_the_order_they_were_written_and_absent_ones_do_not() {
        let line = Object::typed("x")
            .number("b", 2_u64)
            .text("a", "q\"\n")
            .some_text("none", Some(""))
            .some_number("no", None::<u64>)
            .texts("list", ["1"])
            .texts("empty", Vec::<String>::new())
            .mark("so", true)
            .mark("not", false)
            .finish();
        assert_eq!(line, r#"{"type":"x","b":2,"a":"q\"\n","list":["1"],"so":true}"#);
    }
}
