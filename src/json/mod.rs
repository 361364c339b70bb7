//! One strict reading of a JSON text, and what follows from it alone: spans, numbers as written,
//! equality, canonical bytes, line and column.
//!
//! Everything the program says about a text is said from one [`Document`]. Nothing here knows what
//! a schema, a rule or a receipt is.

mod arena;
mod document;
mod echo;
mod equality;
pub mod jcs;
mod locate;
mod number;
mod read;
mod scan;
mod write;

pub use document::{Document, Elements, Finder, Kind, Member, Members, Node};
pub use equality::{EqualityKey, first_equal_pair};
pub use locate::{Lines, Position};
pub use number::{Decimal, Number, NumberParts, Sum};
pub use read::{MAX_DEPTH, ReadError, ReadErrorKind, read, read_or_return};
pub use write::{quoted, write_string};
