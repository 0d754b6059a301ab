use super::{Outputs, written};
use crate::domain::view::chance::any_story;
use crate::script::Page;
use crate::script::report::{github, junit, text};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn junit_has_a_failure_or_error_if_and_only_if_rc_is_not_0(story in any_story()) {
        let mut bytes = Vec::new();
        junit::write(&mut bytes, &story.view(), &Outputs::default(), 3).unwrap();
        let xml = String::from_utf8(bytes).unwrap();
        let bad = xml.contains("<failure") || xml.contains("<error");
        prop_assert_eq!(bad, story.view().rc() != 0, "{}", xml);
    }

    #[test]
    fn nothing_that_is_written_has_an_escape(story in any_story()) {
        let view = story.view();
        let page = Page::plain();
        let all = [
            written(|out| text::report(out, &page, &view)),
            written(|out| text::end(out, &page, &view, "")),
            written(|out| text::failed_output(out, &page, &view, &Outputs::default(), 3, "")),
            written(|out| github::annotations(out, &view)),
            written(|out| github::step_summary(out, &view, "")),
        ];
        for text in all {
            prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
            prop_assert!(text.lines().all(|l| l.trim_end() == l), "{text:?}");
        }
    }
}
