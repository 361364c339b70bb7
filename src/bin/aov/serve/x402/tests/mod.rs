//! The gate over a scripted facilitator.
