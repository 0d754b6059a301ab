//! Features of a team whose members are its plan.
use crate::{Row, row};

/// By their numbers.
pub const FEATURES: &[Row] = &[
    row(
        "1.02",
        "Without a team nothing runs, a team is registered once, and its owner goes when its work is done.",
        &[
            "row_1_02_without_a_team_nothing_runs_and_reading_starts_nothing",
            "row_1_02_a_team_is_registered_once_and_its_owner_goes_with_its_work",
        ],
    ),
    row(
        "1.04",
        "Members run side by side, each in a context of its own, and each can be ended alone.",
        &["row_1_04_members_run_side_by_side_and_each_is_ended_alone"],
    ),
    row(
        "1.07",
        "The whole plan is made in one command.",
        &["row_1_07_the_whole_graph_is_made_in_one_command_and_row_1_08_those_without_upstreams_start"],
    ),
    row(
        "1.08",
        "Members that wait for nobody start at once, and the others are parked.",
        &["row_1_07_the_whole_graph_is_made_in_one_command_and_row_1_08_those_without_upstreams_start"],
    ),
    row(
        "1.09",
        "Dissolving is the lead's, and ends every live attempt.",
        &[
            "row_1_09_members_may_not_dissolve",
            "c006_row_1_09_live_attempts_end_interrupted_their_tasks_are_stale_and_who_was_cut_off_is_recorded",
        ],
    ),
    row(
        "1.10",
        "A replan cancels and adds as one, or not at all.",
        &["row_1_10_replan_is_atomic_and_c005_nothing_of_a_refused_one_is_applied"],
    ),
    row(
        "1.11",
        "Status says of each member where it stands, and what it waits for.",
        &["row_1_11_status_says_of_each_member_where_it_stands_and_what_it_waits_for"],
    ),
    row(
        "1.13",
        "A broadcast reaches everyone else.",
        &["row_1_13_a_broadcast_reaches_everyone_else_that_reads"],
    ),
    row(
        "1.19",
        "A member's task goes from blocked over in progress to completed, failed or cancelled.",
        &["row_1_19_the_walk_is_blocked_in_progress_completed_failed_or_cancelled"],
    ),
    row(
        "1.20",
        "A completion starts what waited for it last.",
        &["row_1_20_a_fan_in_starts_when_the_last_of_its_upstreams_completes"],
    ),
    row(
        "1.21",
        "A failure starts nobody.",
        &["c003_row_1_21_a_failed_upstream_never_lets_its_dependents_start"],
    ),
    row(
        "1.24",
        "The lead guides a member that is stuck.",
        &["row_1_24_the_lead_guides_a_member_that_is_stuck"],
    ),
    row(
        "1.27",
        "Who a member is comes from its attempt's token alone.",
        &["row_1_27_who_a_member_is_comes_from_its_token_alone"],
    ),
    row(
        "1.32",
        "A run that is opened again has its teams, members, messages and read marks.",
        &["row_1_32_a_run_that_is_opened_again_has_its_teams_members_messages_and_read_marks"],
    ),
    row("1.33", "A member never runs twice.", &["row_1_33_a_member_never_runs_twice"]),
];
