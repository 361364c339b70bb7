//! Why a payment is not taken, as the client is told (X402 §3.1).

use super::super::problem::Problem;

/// After how many seconds the same payment may be sent again while somebody works on it.
pub(crate) const IN_PROGRESS_RETRY: u64 = 2;
/// After how many seconds a facilitator may be asked again.
pub(crate) const FACILITATOR_RETRY: u64 = 10;
/// After how many seconds more may be known about a settlement.
pub(crate) const UNKNOWN_RETRY: u64 = 5;

/// Why a payment is not taken, before anything was asked of a facilitator.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Refusal {
    /// An error of the one shape: what came is not a payment, or is used.
    Problem(Box<Problem>),
    /// It is a payment, and not one that we asked for: 402 with this as `error`.
    PaymentRequired(String),
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(Box::new(problem))
    }
}

impl Refusal {
    /// 402 with a reason code.
    pub(crate) fn pay(error: &str) -> Self {
        Self::PaymentRequired(error.to_owned())
    }

    /// What was signed or accepted is not what we ask for.
    pub(crate) fn no_match() -> Self {
        Self::pay("No matching payment requirements")
    }
}

/// What came is not a payment.
pub(crate) fn invalid_payload(why: &str) -> Problem {
    Problem::new(
        "invalid_payload",
        400,
        format!("The payment cannot be read: {why}. Nothing was charged."),
    )
    .action("fix_payment")
}

/// Another version.
pub(crate) fn invalid_version() -> Problem {
    Problem::new(
        "invalid_x402_version",
        400,
        "The payment is not of x402 version 2. Nothing was charged.",
    )
    .action("fix_payment")
}

/// `info.id` is not an identifier.
pub(crate) fn invalid_identifier() -> Problem {
    Problem::new(
        "invalid_payment_identifier",
        400,
        "payment-identifier: info.id is not 16 to 128 of A-Z, a-z, 0-9, - and _. Nothing was charged.",
    )
    .action("fix_payment")
}

/// The same payment, at the same time.
pub(crate) fn in_progress() -> Problem {
    Problem::new(
        "payment_in_progress",
        409,
        "This payment is being worked on. Send the same request with the same payment again; it is charged once.",
    )
    .retry(IN_PROGRESS_RETRY)
    .action("retry_with_same_payment")
}

/// The payment or its identifier belongs to another request, or its answer is no longer kept.
pub(crate) fn already_used(why: &str) -> Problem {
    Problem::new(
        "payment_already_used",
        409,
        format!("{why} Nothing was charged for this request; sign a new payment."),
    )
    .action("sign_new_payment")
}

/// Nobody could verify the payment.
pub(crate) fn facilitator_unavailable() -> Problem {
    Problem::new(
        "facilitator_unavailable",
        503,
        "The payment could not be verified at present. Nothing was charged; send the same payment again.",
    )
    .retry(FACILITATOR_RETRY)
    .action("retry_with_same_payment")
}

/// No network can be offered.
pub(crate) fn nothing_offered() -> Problem {
    Problem::new(
        "payments_unavailable",
        503,
        "Payments cannot be taken at present: no facilitator answers. Nothing was charged.",
    )
    .retry(FACILITATOR_RETRY)
    .action("retry_later")
}

/// Too many payments are open.
pub(crate) fn too_many_open() -> Problem {
    Problem::new(
        "too_many_open_payments",
        503,
        "Too many payments are being worked on. Nothing was charged; send the same payment again.",
    )
    .retry(FACILITATOR_RETRY)
    .action("retry_with_same_payment")
}

/// The ledger did not answer before anything was settled.
pub(crate) fn ledger_unavailable() -> Problem {
    Problem::new(
        "ledger_unavailable",
        503,
        "The ledger of payments does not answer. Nothing was charged; send the same payment again.",
    )
    .retry(FACILITATOR_RETRY)
    .action("retry_with_same_payment")
}

/// It is not known whether the payment went through (X402 rule 10). Never an offer to pay: whoever
/// signs again may pay twice.
pub(crate) fn settlement_unknown(transaction: Option<&str>) -> Problem {
    let mut problem = Problem::new(
        "settlement_unknown",
        504,
        "It is not known yet whether the payment went through. Do not sign another one: send the same request with the same payment again.",
    )
    .retry(UNKNOWN_RETRY)
    .action("retry_with_same_payment");
    problem.charged = None;
    if let Some(transaction) = transaction {
        problem.more.insert("transaction".to_owned(), transaction.into());
    }
    problem
}
