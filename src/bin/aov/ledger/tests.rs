//! What a ledger promises, held against each kind of it.
