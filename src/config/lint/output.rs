//! Outputs are files in the workspace, and nowhere else.

use std::path::Path;

use crate::config::report::Report;
use crate::config::resolve::flat;
use crate::config::string::Text;

/// Reports each output that is outside of the workspace, or no file name.
pub(in crate::config) fn check_outputs(
    chair: &str,
    outputs: &[Text],
    workspace: &str,
    report: &mut Report<'_>,
) {
    for output in outputs {
        let path = Path::new(&output.value);
        let whole = flat(&Path::new(workspace).join(path));
        if output.value.trim().is_empty() || output.value.contains('\0') {
            report.error("bad_output", &output.at, &format!("an output of {chair} is no file name"), &[]);
        } else if path.is_absolute() || !whole.starts_with(workspace) || whole == Path::new(workspace) {
            let message = format!("output `{}` of {chair} is outside of the workspace", output.value);
            let help = format!("write it relative to the workspace, `{workspace}`, and below it");
            report.error("bad_output", &output.at, &message, &[help]);
        }
    }
}
