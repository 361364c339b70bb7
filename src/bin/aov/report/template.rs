//! What a template rests on, and what passing it is worth.

use agent_output_verifier::json::Lines;
use agent_output_verifier::response::Json;
use agent_output_verifier::template::{
    Breakage, Caught, Evidence, Grade, Inference, Remark, RemarkKind, SINGLE_SAMPLE, Trial,
    TrialReport,
};

use super::MAX_SHOWN;
use super::human::{BOLD, paint, percent};
use crate::input::JsonFile;
use crate::term::{Terminal, safe};
use agent_output_verifier::finding::Tally;

/// A template with its grade.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Graded<'r> {
    /// The file with the template.
    pub(crate) template: &'r JsonFile,
    /// The file with the good output.
    pub(crate) output: Option<&'r JsonFile>,
    /// What was found.
    pub(crate) grade: &'r Grade,
}

/// What an inferred template rests on: everything, or what is in doubt.
pub(crate) fn evidence(inference: &Inference, all: bool, terminal: Terminal) -> String {
    let Inference { evidence, left_out, samples, .. } = inference;
    let mut out = String::new();
    if *samples == 1 {
        out.push_str(
            "Everything rests on a single sample; a second one would confirm it, or not.\n",
        );
    }
    let certain: Vec<_> = evidence.iter().filter(|entry| entry.doubt.is_none()).collect();
    // Of a single sample that is said already.
    let known = |entry: &&&Evidence| *samples > 1 || entry.doubt.as_deref() != Some(SINGLE_SAMPLE);
    let doubtful: Vec<_> = evidence.iter().filter(|entry| entry.doubt.is_some()).collect();
    if all {
        section(&mut out, "Evident", &certain, terminal);
        section(&mut out, "Uncertain", &doubtful, terminal);
    } else {
        let doubtful: Vec<_> = doubtful.iter().filter(known).copied().collect();
        section(&mut out, "Uncertain", &doubtful, terminal);
    }
    if !left_out.is_empty() {
        heading(&mut out, "Left out", terminal);
        left_out.iter().for_each(|reason| out.push_str(&format!("  {}\n", safe(reason))));
    }
    if !all && out.is_empty() {
        out.push_str("Nothing is in doubt.\n");
    }
    out
}

fn heading(out: &mut String, title: &str, terminal: Terminal) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(&format!("{}\n", paint(&format!("{title}:"), BOLD, terminal)));
}

fn section(out: &mut String, title: &str, entries: &[&Evidence], terminal: Terminal) {
    if entries.is_empty() {
        return;
    }
    heading(out, title, terminal);
    for entry in entries {
        let Evidence { place, claim, because, doubt } = entry;
        let doubt = doubt.as_ref().map(|doubt| format!("; {}", safe(doubt))).unwrap_or_default();
        out.push_str(&format!("  {}: {} ({}{doubt})\n", safe(place), safe(claim), safe(because)));
    }
}

/// A grade for people.
pub(super) fn grade(graded: &Graded<'_>, terminal: Terminal) -> String {
    let mut out = headline(graded, terminal);
    if let Trial::Broken(report) = &graded.grade.trial {
        passing(&mut out, report, terminal);
    }
    let text = graded.template.document.text().as_bytes();
    let lines = Lines::new(text);
    let mut remarks = graded.grade.remarks.as_slice();
    while let Some(first) = remarks.first() {
        let end = remarks.iter().position(|remark| remark.kind != first.kind);
        let (group, rest) = remarks.split_at(end.unwrap_or(remarks.len()));
        heading(&mut out, title(first.kind), terminal);
        for remark in group.iter().take(MAX_SHOWN) {
            let start = graded.template.document.node(remark.node).span().start;
            out.push_str(&format!(
                "  {}:{}: {}\n    {}\n",
                graded.template.name,
                lines.position(start),
                safe(&remark.message),
                safe(&remark.fix)
            ));
        }
        more(&mut out, group.len());
        remarks = rest;
    }
    out
}

fn more(out: &mut String, all: usize) {
    if all > MAX_SHOWN {
        out.push_str(&format!("  … and {} more that are not shown here\n", all - MAX_SHOWN));
    }
}

fn headline(graded: &Graded<'_>, terminal: Terminal) -> String {
    let Graded { template, output, grade } = graded;
    let good = output.map(|output| output.name.as_str()).unwrap_or_default();
    let mut more = String::new();
    let says = match &grade.trial {
        _ if grade.invalid.is_some() => "nothing can be checked with it".to_owned(),
        Trial::Broken(report) => {
            let (caught, all) = (report.caught(), report.breakages.len());
            let tally = Tally { passed: caught as u64, total: all as u64 };
            if report.untried > 0 {
                more = format!("{} more breakages were not tried\n", report.untried);
            }
            format!("{caught} of {all} breakages of {good} are caught ({})", percent(tally))
        }
        Trial::Rejected(reasons) => {
            for reason in reasons {
                more.push_str(&format!("  {}\n", safe(reason)));
            }
            format!("{good}, which should be good, does not pass")
        }
        _ => match grade.remarks.len() {
            0 => "nothing to remark".to_owned(),
            1 => "1 remark".to_owned(),
            count => format!("{count} remarks"),
        },
    };
    format!("{}: {says}\n{more}", paint(&template.name, BOLD, terminal))
}

fn passing(out: &mut String, report: &TrialReport, terminal: Terminal) {
    let passing: Vec<_> = report
        .breakages
        .iter()
        .filter(|breakage| !matches!(breakage.caught, Caught::By(_)))
        .collect();
    if passing.is_empty() {
        return;
    }
    heading(out, "Broken in these ways it still passes", terminal);
    for Breakage { how, place, caught, .. } in passing.iter().take(MAX_SHOWN) {
        let seen = match caught {
            Caught::Flagged(check) => format!(" (flagged as {}, which fails nothing)", safe(check)),
            _ => String::new(),
        };
        out.push_str(&format!("  {}: {how}{seen}\n", safe(place)));
    }
    more(out, passing.len());
}

fn title(kind: RemarkKind) -> &'static str {
    match kind {
        RemarkKind::CannotRun => "Bounds and rules that cannot run, or say nothing",
        RemarkKind::AdvisoryOnly => "Bounds and rules that bind nothing",
        RemarkKind::Misspelt => "Probably misspelt",
        RemarkKind::UnknownFormat => "Formats that are not checked",
        RemarkKind::DoesNothing => "Words that do nothing",
        RemarkKind::TotalNotCompared => "Totals that nothing is compared with",
        RemarkKind::NothingConstrains => "Members that nothing constrains",
        RemarkKind::MayBeMissing => "Members that may be missing",
        _ => "Remarks",
    }
}

/// A grade for programs.
pub(super) fn grade_members(graded: &Graded<'_>) -> Vec<(&'static str, Json)> {
    let lines = Lines::new(graded.template.document.text().as_bytes());
    let remark = |remark: &Remark| {
        let start = graded.template.document.node(remark.node).span().start;
        let position = lines.position(start);
        Json::Object(vec![
            ("kind", Json::text(remark.kind.name())),
            ("at", Json::text(&*remark.at)),
            ("line", Json::Count(position.line as u64)),
            ("column", Json::Count(position.column as u64)),
            ("message", Json::text(&*remark.message)),
            ("fix", Json::text(&*remark.fix)),
        ])
    };
    let Grade { invalid, remarks, trial } = graded.grade;
    vec![
        ("format_version", Json::Count(1)),
        ("usable", Json::Bool(invalid.is_none())),
        ("error", invalid.as_ref().map_or(Json::Null, |invalid| invalid.body())),
        ("trial", trial_json(trial)),
        ("remarks", Json::Array(remarks.iter().map(remark).collect())),
    ]
}

fn trial_json(trial: &Trial) -> Json {
    match trial {
        Trial::Rejected(reasons) => Json::Object(vec![
            ("good_output_passes", Json::Bool(false)),
            ("reasons", Json::Array(reasons.iter().map(|reason| Json::text(&**reason)).collect())),
        ]),
        Trial::Broken(report) => {
            let breakages = report.breakages.iter().map(|breakage| {
                let (caught, by) = match &breakage.caught {
                    Caught::By(check) => (true, Json::text(&**check)),
                    Caught::Flagged(check) => (false, Json::text(&**check)),
                    Caught::No => (false, Json::Null),
                };
                Json::Object(vec![
                    ("place", Json::text(&*breakage.place)),
                    ("how", Json::text(breakage.how)),
                    ("caught", Json::Bool(caught)),
                    ("by", by),
                ])
            });
            Json::Object(vec![
                ("good_output_passes", Json::Bool(true)),
                ("caught", Json::Count(report.caught() as u64)),
                ("total", Json::Count(report.breakages.len() as u64)),
                ("untried", Json::Count(report.untried as u64)),
                ("breakages", Json::Array(breakages.collect())),
            ])
        }
        _ => Json::Null,
    }
}
