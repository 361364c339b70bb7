//! From regular expressions of ECMA-262 to the dialect of the Rust engines.
//!
//! The grammar is that of the `u` flag, with the leniency that patterns in the wild rely on: a
//! brace or a closing bracket that closes nothing stands for itself, and so does an escaped
//! character that is no letter or digit.

use std::fmt::Write;
use std::iter::Peekable;
use std::str::Chars;

const DIGIT: &str = "0-9";
const WORD: &str = "A-Za-z0-9_";
/// WhiteSpace and LineTerminator (ECMA-262 §12.2, §12.3): U+FEFF is in, U+0085 is not.
const SPACE: &str = r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
const LINE_ENDS: &str = r"\n\r\x{2028}\x{2029}";

/// `\b` for the linear engine. Text of a pattern can never look like this: its parentheses are
/// escaped.
pub(super) const WORD_BOUNDARY: &str = r"(?-u:\b)";
/// `\b` in terms of look-around.
pub(super) const WORD_BOUNDARY_BY_LOOKING: &str =
    "(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))";

/// The translated pattern, or `None` where this is no pattern of ECMA-262.
pub(super) fn translate(source: &str) -> Option<String> {
    let mut translator = Translator {
        rest: source.chars().peekable(),
        out: String::with_capacity(source.len() + 16),
        groups: count_groups(source),
        open: 0,
        repeatable: false,
    };
    translator.pattern()?;
    (translator.open == 0).then_some(translator.out)
}

/// Capturing groups, which decide whether `\1` is a back-reference.
fn count_groups(source: &str) -> usize {
    let bytes = source.as_bytes();
    let (mut groups, mut in_class, mut at) = (0, false, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => {
                let named = bytes[at + 1..].starts_with(b"?<")
                    && !matches!(bytes.get(at + 3), Some(b'=' | b'!'));
                groups += usize::from(bytes.get(at + 1) != Some(&b'?') || named);
            }
            _ => {}
        }
        at += 1;
    }
    groups
}

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
    groups: usize,
    open: usize,
    /// Whether what was last written may take a quantifier.
    repeatable: bool,
}

/// What an escape stands for.
enum Escape {
    Character(char),
    /// The inside of a class, and whether it is negated.
    Class(&'static str, bool),
    /// A Unicode property, as written after the backslash.
    Property(String),
}

impl Translator<'_> {
    fn eat(&mut self, expected: char) -> bool {
        self.rest.next_if_eq(&expected).is_some()
    }

    fn pattern(&mut self) -> Option<()> {
        while let Some(character) = self.rest.next() {
            match character {
                '\\' => self.escape()?,
                '[' => {
                    self.class()?;
                    self.repeatable = true;
                }
                '(' => self.group()?,
                ')' => {
                    self.open = self.open.checked_sub(1)?;
                    self.out.push(')');
                    self.repeatable = true;
                }
                '|' => self.assertion("|"),
                '^' => self.assertion(r"\A"),
                '$' => self.assertion(r"\z"),
                '.' => {
                    write!(self.out, "[^{LINE_ENDS}]").ok()?;
                    self.repeatable = true;
                }
                '*' | '+' | '?' => self.quantifier(&character.to_string())?,
                '{' => self.braces()?,
                other => {
                    self.literal(other);
                    self.repeatable = true;
                }
            }
        }
        Some(())
    }

    fn assertion(&mut self, text: &str) {
        self.out.push_str(text);
        self.repeatable = false;
    }

    fn quantifier(&mut self, text: &str) -> Option<()> {
        if !self.repeatable {
            return None;
        }
        self.out.push_str(text);
        if self.eat('?') {
            self.out.push('?');
        }
        self.repeatable = false;
        Some(())
    }

    /// `{2}`, `{2,}`, `{2,5}`; anything else is a brace that stands for itself.
    fn braces(&mut self) -> Option<()> {
        let ahead: String = self.rest.clone().take_while(|character| *character != '}').collect();
        let (least, most) = ahead.split_once(',').unwrap_or((&ahead, &ahead));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let closed = self.rest.clone().nth(ahead.chars().count()) == Some('}');
        if !closed || !digits(least) || !(most.is_empty() || digits(most)) {
            self.out.push_str(r"\{");
            self.repeatable = true;
            return Some(());
        }
        let ordered = most.is_empty() || compare_digits(least, most) != std::cmp::Ordering::Greater;
        if !ordered {
            return None;
        }
        self.rest.nth(ahead.chars().count());
        self.quantifier(&format!("{{{ahead}}}"))
    }

    fn group(&mut self) -> Option<()> {
        self.open += 1;
        self.repeatable = false;
        if !self.eat('?') {
            self.out.push('(');
            return Some(());
        }
        let kind: String = match self.rest.next()? {
            character @ (':' | '=' | '!') => character.into(),
            '<' => match self.rest.peek()? {
                '=' | '!' => format!("<{}", self.rest.next()?),
                _ => {
                    let name = self.until('>')?;
                    is_group_name(&name).then(|| format!("<{name}>"))?
                }
            },
            // Modifiers of ES2025.
            flag @ ('i' | 'm' | 's' | '-') => {
                let mut flags = String::from(flag);
                flags.extend(self.rest.by_ref().take_while(|character| *character != ':'));
                flags.chars().all(|flag| "ims-".contains(flag)).then(|| format!("{flags}:"))?
            }
            _ => return None,
        };
        write!(self.out, "(?{kind}").ok()
    }

    fn until(&mut self, end: char) -> Option<String> {
        let text: String = self.rest.by_ref().take_while(|character| *character != end).collect();
        (!text.is_empty()).then_some(text)
    }

    fn literal(&mut self, character: char) {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            self.out.push('\\');
        }
        self.out.push(character);
    }

    /// An escape outside a class.
    fn escape(&mut self) -> Option<()> {
        self.repeatable = true;
        match self.rest.peek()? {
            // A plain `\B` of the Rust engines asks for Unicode; ECMA-262 knows ASCII words only.
            'b' => {
                self.rest.next();
                self.assertion(WORD_BOUNDARY);
            }
            'B' => {
                self.rest.next();
                self.assertion(&format!("(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"));
            }
            'k' => {
                self.rest.next();
                let name = self.eat('<').then(|| self.until('>')).flatten()?;
                is_group_name(&name).then(|| write!(self.out, "\\k<{name}>").ok())??;
            }
            '1'..='9' => {
                let mut number = String::new();
                while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
                    number.push(digit);
                }
                let index: usize = number.parse().ok()?;
                // A group that took no part matches the empty text (ECMA-262 §22.2.2.9).
                (index <= self.groups)
                    .then(|| write!(self.out, "(?({index})\\{index}|)").ok())??;
            }
            _ => match self.character_escape()? {
                Escape::Character(character) => self.literal(character),
                Escape::Property(property) => write!(self.out, "\\{property}").ok()?,
                Escape::Class(inside, negated) => {
                    write!(self.out, "[{}{inside}]", if negated { "^" } else { "" }).ok()?;
                }
            },
        }
        Some(())
    }

    /// Behind the backslash, what means the same inside and outside a class.
    fn character_escape(&mut self) -> Option<Escape> {
        let character = match self.rest.next()? {
            'd' => return Some(Escape::Class(DIGIT, false)),
            'D' => return Some(Escape::Class(DIGIT, true)),
            'w' => return Some(Escape::Class(WORD, false)),
            'W' => return Some(Escape::Class(WORD, true)),
            's' => return Some(Escape::Class(SPACE, false)),
            'S' => return Some(Escape::Class(SPACE, true)),
            kind @ ('p' | 'P') => {
                let name = self.eat('{').then(|| self.until('}')).flatten()?;
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'=');
                return name
                    .bytes()
                    .all(plain)
                    .then(|| Escape::Property(format!("{kind}{{{name}}}")));
            }
            't' => '\t',
            'n' => '\n',
            'v' => '\u{B}',
            'f' => '\u{C}',
            'r' => '\r',
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => '\0',
            'c' => {
                let letter = self.rest.next_if(char::is_ascii_alphabetic)?;
                char::from(letter as u8 % 32)
            }
            'x' => char::from_u32(self.hex(2)?)?,
            'u' => self.unicode_escape()?,
            other if !other.is_ascii_alphanumeric() => other,
            _ => return None,
        };
        Some(Escape::Character(character))
    }

    fn unicode_escape(&mut self) -> Option<char> {
        if self.eat('{') {
            let digits = self.until('}')?;
            return char::from_u32(u32::from_str_radix(&digits, 16).ok()?);
        }
        let unit = self.hex(4)?;
        if !(0xD800..0xDC00).contains(&unit) {
            // Half a pair matches no text that UTF-8 can hold.
            return char::from_u32(unit).or(Some(char::REPLACEMENT_CHARACTER));
        }
        if !(self.eat('\\') && self.eat('u')) {
            return None;
        }
        let low = self.hex(4)?.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((unit - 0xD800) << 10) + low)
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        (0..digits).try_fold(0, |value, _| Some(value * 16 + self.rest.next()?.to_digit(16)?))
    }

    fn class(&mut self) -> Option<()> {
        let negated = self.eat('^');
        if self.eat(']') {
            // `[]` matches nothing, `[^]` everything.
            self.out.push_str(if negated { r"[\s\S]" } else { r"[^\s\S]" });
            return Some(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        loop {
            let first = self.class_atom()?;
            let Some(first) = first else { break };
            let range = self.rest.peek() == Some(&'-')
                && !matches!(self.rest.clone().nth(1), None | Some(']'));
            match (first, range) {
                (Escape::Character(low), true) => {
                    self.rest.next();
                    match self.class_atom()?? {
                        Escape::Character(high) if low <= high => {
                            self.literal(low);
                            self.out.push('-');
                            self.literal(high);
                        }
                        _ => return None,
                    }
                }
                (first, _) => self.class_item(&first)?,
            }
        }
        self.out.push(']');
        Some(())
    }

    /// The next member of a class; `Some(None)` at its end, `None` where there is no end.
    fn class_atom(&mut self) -> Option<Option<Escape>> {
        match self.rest.next()? {
            ']' => Some(None),
            '\\' if self.eat('b') => Some(Some(Escape::Character('\u{8}'))),
            '\\' if self.eat('-') => Some(Some(Escape::Character('-'))),
            '\\' => self.character_escape().map(Some),
            other => Some(Some(Escape::Character(other))),
        }
    }

    fn class_item(&mut self, item: &Escape) -> Option<()> {
        match item {
            Escape::Character(character) => self.literal(*character),
            Escape::Property(property) => write!(self.out, "\\{property}").ok()?,
            Escape::Class(inside, false) => self.out.push_str(inside),
            Escape::Class(inside, true) => write!(self.out, "[^{inside}]").ok()?,
        }
        Some(())
    }
}

fn is_group_name(name: &str) -> bool {
    let start = |character: char| character.is_alphabetic() || matches!(character, '_' | '$');
    name.starts_with(start)
        && name.chars().all(|character| start(character) || character.is_alphanumeric())
}

/// Compares numbers of any length.
fn compare_digits(left: &str, right: &str) -> std::cmp::Ordering {
    let (left, right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

#[cfg(test)]
mod tests {
    use super::super::budget::Budget;
    use super::super::pattern::{Pattern, PatternError};

    fn matches(pattern: &str, text: &str) -> bool {
        let compiled = Pattern::compile(pattern);
        let pattern = compiled
            .unwrap_or_else(|error| panic!("{pattern}: {error:?} {:?}", super::translate(pattern)));
        pattern.is_match(text, &mut Budget::for_values(1)).expect("an affordable match")
    }

    #[test]
    fn means_what_ecma_262_says() {
        for (pattern, text, expected) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "\u{665}", false),
            (r"^\w+$", "Zoë", false),
            (r"^\W$", "ë", true),
            (r"^\s$", "\u{FEFF}", true),
            (r"^\s$", "\u{85}", false),
            (r"^\s$", "\u{2029}", true),
            (r"^\S$", "\u{85}", true),
            (r"^.$", "\u{2028}", false),
            (r"^.$", "\u{85}", true),
            (r"^.$", "🧾", true),
            (r"^.$", "\n", false),
            (r"^a$", "a\n", false),
            (r"^a", "b\na", false),
            (r"^[\s\S]$", "\n", true),
            (r"^[^]$", "\n", true),
            (r"[]", "a", false),
            (r"^\p{Lu}\p{Letter}+$", "Ümit", true),
            (r"^\P{L}$", "1", true),
            (r"^\p{Script=Greek}$", "α", true),
            (r"^(?=a)\w$", "a", true),
            (r"^(?!a)\w$", "a", false),
            (r"(?<=\$)\d", "$5", true),
            (r"(?<!\$)5", "$5", false),
            (r"^(a|b)\1$", "aa", true),
            (r"^(a|b)\1$", "ab", false),
            (r"^(?:(a)|b)\1$", "b", true),
            (r"^(?<q>.)\k<q>$", "xx", true),
            (r"^\cA$", "\u{1}", true),
            (r"^\u0041$", "A", true),
            (r"^\ud83d\udca0$", "💠", true),
            (r"^\u{1F4A0}$", "💠", true),
            (r"^\x41$", "A", true),
            (r"^[\b]$", "\u{8}", true),
            (r"\bfoo\b", "a foo b", true),
            (r"\Boo", "foo", true),
            (r"\Bfoo", "foo", false),
            (r"\bé", "aé", true),
            (r"(?=a)\ba\b", "é a", true),
            (r"^[a-c\-x]+$", "b-x", true),
            (r"^[a\]b]+$", "]", true),
            (r"^[[a]+$", "[a", true),
            (r"^[&&a]$", "&", true),
            (r"^[+--]$", ",", true),
            (r"^[^\D]$", "5", true),
            (r"^[^\D]$", "x", false),
            (r"^[\w.-]+$", "a.b-c", true),
            (r"^a{2,3}$", "aaa", true),
            (r"^a{,3}$", "a{,3}", true),
            (r"^x{$", "x{", true),
            (r"^}]$", "}]", true),
            (r"^\/$", "/", true),
            (r"^a#b ~$", "a#b ~", true),
            (r"^(?i:a)$", "A", true),
            (r"^$", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn refuses_what_ecma_262_does_not_have() {
        for pattern in [
            "a++",
            "*a",
            "(",
            ")",
            "[a",
            r"\Z",
            r"\A",
            r"\h",
            "(?>a)",
            "(?P<n>a)",
            r"a\",
            r"\2(a)",
            "x{3,2}",
            "[z-a]",
            "[a--b]",
            "^*",
            "(?#c)",
            r"\p{Nope}",
            r"\c1",
            r"(?<1>a)",
            r"\k<n>",
        ] {
            assert_eq!(Pattern::compile(pattern).err(), Some(PatternError::Invalid), "{pattern}");
        }
    }

    #[test]
    fn costly_patterns_give_no_answer() {
        assert_eq!(
            Pattern::compile("((x{1,1000}){1,1000}){1,1000}").err(),
            Some(PatternError::TooCostly)
        );
        assert_eq!(
            Pattern::compile("(?=((x{1,1000}){1,1000}){1,1000})").err(),
            Some(PatternError::TooCostly)
        );
        let cost = |pattern: &str, text: &str| {
            Pattern::compile(pattern).unwrap().is_match(text, &mut Budget::for_values(1))
        };
        assert_eq!(cost("^(a{1,100}){1,100}$", &"a".repeat(5_000)), Err(PatternError::TooCostly));
        assert_eq!(cost("^(?=(x+x+)+y)[xy]+$", &"x".repeat(46)), Ok(false));
        assert_eq!(cost(r"^(x+x+)+\1y$", &"x".repeat(60)), Err(PatternError::TooCostly));
        assert_eq!(cost("^(a+)+$", &format!("{}b", "a".repeat(5_000))), Ok(false));
        assert_eq!(cost("^(([a-z])+.)+[A-Z]([a-z])+$", &"a".repeat(44)), Ok(false));
        assert_eq!(cost("^.{1,4000}$", &"é".repeat(4_000)), Ok(true));
    }
}
