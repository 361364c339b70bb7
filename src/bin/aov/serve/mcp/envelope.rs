//! The id of a message that our strict reader refuses: a name that stands twice, or too many levels,
//! deep in the arguments. Over stdio an error without the id would leave its sender waiting for ever.
//! Nothing else of such a message is used.

use std::fmt;

use serde_json::Value;
use serde_json::de::Deserializer;

/// The id, if the message is an object of JSON with one id that is a string or an integer.
pub(super) fn id(message: &[u8]) -> Option<Value> {
    let mut reader = Deserializer::from_slice(message);
    let id = serde::de::Deserializer::deserialize_map(&mut reader, Members).ok()?;
    reader.end().ok()?;
    id.filter(|id| match id {
        Value::String(_) => true,
        Value::Number(number) => !number.to_string().contains(['.', 'e', 'E']),
        _ => false,
    })
}

/// Looks at the members of the message; the others are skipped, however deep they are.
struct Members;

impl<'de> serde::de::Visitor<'de> for Members {
    type Value = Option<Value>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<M: serde::de::MapAccess<'de>>(
        self,
        mut members: M,
    ) -> Result<Self::Value, M::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<String>()? {
            if name != "id" {
                members.next_value::<serde::de::IgnoredAny>()?;
            } else if found.replace(members.next_value()?).is_some() {
                return Err(serde::de::Error::custom("the id stands twice"));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_id_is_found_beside_what_is_refused() {
        let deep =
            format!(r#"{{"params":{}1{},"id":7}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(id(deep.as_bytes()), Some(json!(7)));
        assert_eq!(id(br#"{"id":"a","params":{"x":1,"x":2}}"#), Some(json!("a")));
        let big = id(br#"{"id":123456789012345678901234567890}"#).unwrap();
        assert_eq!(big.to_string(), "123456789012345678901234567890");
    }

    #[test]
    fn what_is_no_id_is_none() {
        for message in [
            &b"{"[..],
            b"[]",
            b"{} {}",
            b"{}",
            br#"{"id":1,"id":1}"#,
            br#"{"id":null}"#,
            br#"{"id":1.5}"#,
            br#"{"id":1e3}"#,
            br#"{"id":true}"#,
            br#"{"id":{}}"#,
            br#"{"id":1"#,
            br#"{"id":"\ud800"}"#,
            b"\xff",
        ] {
            assert_eq!(id(message), None, "{}", String::from_utf8_lossy(message));
        }
    }
}
