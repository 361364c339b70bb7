//! `aov hash`: the hashes that a receipt carries, and the bytes they are of.

use std::path::{Path, PathBuf};

use agent_output_verifier::json::jcs::{self, Unhashable};
use agent_output_verifier::json::{Document, MAX_DEPTH, Node};
use agent_output_verifier::receipt::hashes::{
    self, Sha256Hex, canonical_request, canonical_rules,
};
use agent_output_verifier::request::{Part, Request};
use agent_output_verifier::response::Json;
use clap::ValueEnum;

use super::vectors;
use super::{Failure, Session};
use crate::args::{Format, Parts, Terms};
use crate::exit::Exit;
use crate::input::JsonFile;
use crate::manual::Manual;
use crate::output::Stdout;
use crate::report::{self, Rejection};
use crate::requirements::{Requirements, Settings};
