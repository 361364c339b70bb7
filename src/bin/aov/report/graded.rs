//! A grade as a report in each format: what is against the template, or against the output that is
//! called good, are errors; remarks, and breakages that pass, are warnings with their place in the
//! template.

use agent_output_verifier::json::Lines;
use agent_output_verifier::response::Json;
use agent_output_verifier::template::{Caught, Trial};

use super::junit::{Case, End, suite};
use super::located::{self, Located, MAX_LISTED, Severity, problem, region, whole};
use super::template::{Graded, grade, grade_members};
use super::{Rejection, Summary, Written, format, github, json, junit, sarif};
use crate::args::ReportFormat;
use crate::cmd::Failure;
use crate::exit::Exit;
use crate::input::Origin;
use crate::term::Terminal;

/// What JUnit calls the report.
const TITLE: &str = "aov template grade";

/// The whole report.
pub(crate) fn report(
    graded: &Graded<'_>,
    exit: Exit,
    format: ReportFormat,
    redact: bool,
    terminal: Terminal,
) -> String {
    let list = || Findings::of(graded, redact);
    let mut summary = Summary::default();
    summary.add(exit);
    match format {
        ReportFormat::Human => grade(graded, terminal),
        ReportFormat::Json => json::line(&Json::Object(grade_members(graded))),
        ReportFormat::Jsonl => {
            let output = graded.output.map(|output| output.name.as_str());
            let mut members = vec![
                ("type", Json::text("grade")),
                ("template", Json::text(&*graded.template.name)),
                ("output", Json::optional(output)),
                ("exit_code", Json::Count(exit.code().into())),
            ];
            members.extend(grade_members(graded));
            Json::Object(members).to_line() + "\n" + &format::tail(format, &summary)
        }
        ReportFormat::Junit => {
            let suite = list().suite(graded);
            format!("{}{suite}{}", junit::head(TITLE), junit::TAIL)
        }
        ReportFormat::Sarif => {
            let Written { text, rules } = sarif::entry(&list().all());
            summary.rules.extend(rules);
            format!("{}{text}{}", sarif::HEAD, format::tail(format, &summary))
        }
        ReportFormat::Github => github::entry(&list().all()),
    }
}

/// The whole report where there is no grade; none for people, who are told otherwise.
pub(crate) fn failure(
    origin: &Origin,
    failure: &Failure,
    format: ReportFormat,
    redact: bool,
) -> Option<String> {
    if format == ReportFormat::Human {
        return None;
    }
    Some(format::of_failure(TITLE, format, origin, failure, redact))
}

/// All that a grade says, by what it is about.
struct Findings {
    /// Nothing can be checked with the template.
    unusable: Vec<Located>,
    /// The output that is called good does not pass.
    rejected: Vec<Located>,
    /// Broken outputs pass.
    passing: Vec<Located>,
    /// What is to be said of the template by itself.
    remarks: Vec<Located>,
}

impl Findings {
    fn of(graded: &Graded<'_>, redact: bool) -> Self {
        let Graded { template, output, grade } = *graded;
        let origin = template.origin();
        let unusable = grade.invalid.as_ref().map_or_else(Vec::new, |invalid| {
            let headline = format!("{} cannot be used", template.name);
            let rejection = Rejection::new(headline, invalid.clone(), |_| Some(template));
            located::problems(&origin, &rejection.into(), redact)
        });
        let (mut rejected, mut passing) = (Vec::new(), Vec::new());
        match &grade.trial {
            Trial::Rejected(reasons) => {
                let origin = output.map_or_else(|| origin.clone(), |output| output.origin());
                rejected.extend(reasons.iter().map(|reason| {
                    let what =
                        format!("{}, which should be good, does not pass: {reason}", origin.name);
                    problem("good_output_fails", "$", &what, "", whole(origin.clone()))
                }));
            }
            Trial::Broken(report) => {
                for breakage in &report.breakages {
                    let flagged = match &breakage.caught {
                        Caught::By(_) => continue,
                        Caught::Flagged(check) => {
                            format!(" (flagged as {check}, which fails nothing)")
                        }
                        Caught::No => String::new(),
                    };
                    let what =
                        format!("{}: {}: it still passes{flagged}", breakage.place, breakage.how);
                    // Two breakages of one place are not the same finding.
                    let at = format!("{} ({})", breakage.place, breakage.how);
                    passing.push(Located {
                        severity: Severity::Warning,
                        ..problem("breakage_passes", &at, &what, "", whole(origin.clone()))
                    });
                }
            }
            _ => {}
        }
        let lines = Lines::new(template.document.text().as_bytes());
        let remarks = grade.remarks.iter().map(|remark| {
            let place = region(origin.clone(), template.document.node(remark.node), &lines, redact);
            Located {
                severity: Severity::Warning,
                ..problem(remark.kind.name(), &remark.at, &remark.message, &remark.fix, place)
            }
        });
        Self { unusable, rejected, passing, remarks: remarks.collect() }
    }

    /// In one list, cut where programs would be shown too much.
    fn all(self) -> Vec<Located> {
        let Self { unusable, rejected, remarks, passing } = self;
        let mut list = [unusable, rejected, remarks, passing].concat();
        let omitted = list.len().saturating_sub(MAX_LISTED);
        list.truncate(MAX_LISTED);
        if let Some(origin) = list.first().map(|first| first.place.origin.clone()) {
            located::say_omitted(&mut list, omitted as u64, origin);
        }
        list
    }

    fn suite(&self, graded: &Graded<'_>) -> String {
        let failed = |list: &'_ [Located]| !list.is_empty();
        let mut cases = vec![Case {
            name: "template".to_owned(),
            end: match failed(&self.unusable) {
                true => End::Error(self.unusable.iter().collect()),
                false => End::Passed,
            },
            notes: self.remarks.iter().collect(),
        }];
        if graded.output.is_some() {
            let end = match &graded.grade.trial {
                Trial::Rejected(_) => End::Failed(self.rejected.iter().collect()),
                Trial::Broken(_) => End::Passed,
                _ => End::Skipped("nothing can be checked with the template".to_owned()),
            };
            cases.push(Case { name: "good output".to_owned(), end, notes: Vec::new() });
        }
        if let Trial::Broken(report) = &graded.grade.trial {
            let (caught, all) = (report.caught(), report.breakages.len());
            let name = format!("breakages: {caught} of {all} caught");
            cases.push(Case { name, end: End::Passed, notes: self.passing.iter().collect() });
        }
        suite(&graded.template.origin(), &cases)
    }
}
