//! A value as messages show it: compact JSON, at most [`MAX_ECHO`] code points, with what could
//! mislead a reader escaped (SPEC 4.5, 10.1). The cost is bounded whatever the value's size.

use super::{Kind, Node, quoted};
use crate::text::{MAX_ECHO, code_points, cut, visible};

/// More bytes than [`MAX_ECHO`] code points can take: what lies behind is never shown.
const ENOUGH: usize = MAX_ECHO * 4 + 1;

impl Node<'_> {
    /// The value as JSON, cut to 40 code points.
    #[must_use]
    pub fn echo(self) -> String {
        let mut out = String::new();
        append(self, &mut out);
        cut(&out, MAX_ECHO).into_owned()
    }
}

/// Recursion is bounded: every level adds a byte, and enough bytes end it.
fn append(node: Node<'_>, out: &mut String) {
    match node.kind() {
        Kind::String => append_string(node, out),
        // ASCII only, so every byte is a boundary.
        Kind::Null | Kind::Boolean | Kind::Number => {
            let source = node.source();
            out.push_str(&source[..source.len().min(ENOUGH)]);
        }
        Kind::Array => {
            out.push('[');
            append_list(node.elements(), out, append);
            out.push(']');
        }
        Kind::Object => {
            out.push('{');
            append_list(node.members(), out, |member, out| {
                append_string(member.name, out);
                out.push(':');
                append(member.value, out);
            });
            out.push('}');
        }
    }
}

fn append_list<T>(
    items: impl Iterator<Item = T>,
    out: &mut String,
    mut append: impl FnMut(T, &mut String),
) {
    for (index, item) in items.enumerate() {
        if out.len() > ENOUGH {
            break;
        }
        if index > 0 {
            out.push(',');
        }
        append(item, out);
    }
}

/// The string as JSON, or more of its beginning than will be shown.
fn append_string(node: Node<'_>, out: &mut String) {
    if node.has_lone_surrogate() {
        out.push('"');
        for code in code_points(node.wtf8().unwrap_or_default()).take(MAX_ECHO) {
            match char::from_u32(code) {
                Some(character) => {
                    let text = quoted(character.encode_utf8(&mut [0; 4]));
                    out.push_str(&visible(&text[1..text.len() - 1]));
                }
                None => out.push_str(&format!("\\u{code:04x}")),
            }
        }
        out.push('"');
        return;
    }
    let text = node.as_str().unwrap_or_default();
    let end = text.char_indices().nth(MAX_ECHO).map_or(text.len(), |(at, _)| at);
    out.push_str(&visible(&quoted(&text[..end])));
}

#[cfg(test)]
mod tests {
    use super::super::{MAX_DEPTH, read};

    fn echo(json: &str) -> String {
        read(json, MAX_DEPTH).expect("JSON").root().echo()
    }

    #[test]
    fn values_show_as_written_but_compact() {
        assert_eq!(echo("135.0"), "135.0");
        assert_eq!(echo("{ \"a\" : [ 1.50, null,true ] }"), r#"{"a":[1.50,null,true]}"#);
        assert_eq!(
            echo(r#""a\u0000\u007f\u202e\"\\ \ud83e\uddfe""#),
            r#""a\u0000\u007f\u202e\"\\ 🧾""#
        );
        assert_eq!(echo(r#""x\ud800\"""#), r#""x\ud800\"""#);
    }

    #[test]
    fn what_is_long_is_cut_to_forty() {
        let text = "ä".repeat(38);
        assert_eq!(echo(&format!("\"{text}\"")), format!("\"{text}\""));
        let cut = format!("\"{text}…");
        for json in [format!("\"{text}ä\""), format!("\"{text}{}\"", "🧾".repeat(1000))] {
            assert_eq!(echo(&json), cut);
        }
        assert_eq!(echo(&"9".repeat(100)), format!("{}…", "9".repeat(39)));
        let nested = format!("{}{}", "[".repeat(128), "]".repeat(128));
        assert_eq!(echo(&nested), format!("{}…", "[".repeat(39)));
        let many = format!("[{}1]", "1,".repeat(100_000));
        assert_eq!(echo(&many), format!("[{}…", "1,".repeat(19)));
    }
}
