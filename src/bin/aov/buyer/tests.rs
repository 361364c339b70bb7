//! Against a scripted seller on loopback.
