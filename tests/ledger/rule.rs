//! The rules of the domain.
use crate::{Row, row};

/// R1 to R35.
pub const RULES: &[Row] = &[
    // Names.
    row(
        "R1",
        "Names are compared composed and without case, kept as written, short, never a path, and some are reserved.",
        &[
            "r1_names_are_compared_folded_and_kept_as_written",
            "r1_bad_names_are_refused_with_the_reason",
            "r1_reserved_names_are_given_to_nothing_but_can_be_referred_to",
            "r1_an_unknown_name_is_refused_with_the_nearest",
        ],
    ),
    row(
        "R2",
        "Two equal names are refused with both shown, and one added live gets a suffix that the reply says.",
        &[
            "r2_members_and_tasks_share_one_namespace",
            "r2_add_of_a_taken_name_gets_a_suffix_and_the_reply_says_so",
            "r2_a_taken_name_is_refused_in_a_replan",
        ],
    ),
    row(
        "R3",
        "Tasks are found by name and by number, and a name that is a number is a name.",
        &["r3_names_and_numbers_find_a_task_and_its_own_name_wins"],
    ),
    // The graph.
    row(
        "R4",
        "There is one table of tasks: a brief is one of them, and what is added later is told from what was declared.",
        &["r4_a_brief_is_one_task_and_added_ones_have_numbers"],
    ),
    row(
        "R5",
        "Loops and unknown or double dependencies are refused before anything is stored, and exactly the loop is printed.",
        &[
            "r5_a_cycle_is_exactly_its_loop_without_the_path_into_it",
            "r5_a_number_that_is_a_name_is_checked_as_what_it_will_mean",
            "r5_an_edge_that_would_close_a_loop_is_refused_and_nothing_changes",
            "r5_limits_of_the_graph_are_named",
        ],
    ),
    row(
        "R6",
        "A `finished` edge only orders: whatever its upstream came to satisfies it, unless a retry is due.",
        &[
            "r6_a_finished_edge_only_orders_and_the_dependent_is_told_what_is_missing",
            "r6_a_finished_edge_is_satisfied_by_what_is_held_and_not_while_a_retry_is_due",
        ],
    ),
    row(
        "R7",
        "What failed or is stale holds everything below it, down the whole chain, with the reason.",
        &["x01_r7_the_whole_chain_below_a_failure_is_held_with_its_reason"],
    ),
    row(
        "R8",
        "A cancel holds its dependents or releases them, says whom, and records a release on the edge.",
        &[
            "r8_a_cancel_holds_by_default_and_releases_for_added_tasks_or_when_it_says_so",
            "r8_a_release_reaches_only_those_that_wait_for_the_result",
        ],
    ),
    row(
        "R9",
        "Results of upstreams are put into a prompt when its task starts, and not before.",
        &["r9_upstream_results_are_rendered_when_the_dependent_starts", "r9_inputs_are_files_with_an_index"],
    ),
    // Status.
    row(
        "R10",
        "One table has every move of a status, and everything else is refused.",
        &[
            "r10_the_table_is_what_help_prints_and_all_else_is_refused",
            "r10_every_command_on_every_status_moves_as_the_table_says_or_is_refused_with_nothing_changed",
        ],
    ),
    row(
        "R11",
        "Nothing leaves what is final, only a decision leaves what is settled, and a late result can be adopted.",
        &[
            "r11_nothing_leaves_what_is_final_and_only_a_decision_what_is_settled",
            "r11_a_late_result_can_be_adopted_while_the_task_is_settled",
        ],
    ),
    row(
        "R12",
        "A claim and every later write carry a token, and a stale or forged one is refused and names who has the task.",
        &[
            "r12_a_stale_token_is_refused_and_names_who_has_the_task",
            "r12_a_forged_token_does_nothing_whether_its_attempt_lives_or_has_ended",
            "r12_the_next_attempt_has_another_token",
            "r12_who_lost_its_token_is_refused",
        ],
    ),
    row(
        "R13",
        "Completing one's own pending task claims it, doing so twice is harmless, and the busy queue.",
        &[
            "r13_complete_on_ones_own_pending_task_claims_and_completes_it_and_ones_attempt_goes_on",
            "r13_repeating_complete_with_the_same_token_is_a_no_op_success",
            "r13_a_claim_or_assignment_of_a_busy_member_queues_and_says_so",
            "r13_a_pending_task_with_checks_is_not_completed_unlooked",
        ],
    ),
    row(
        "R14",
        "A failed attempt is failed, and never completed.",
        &["r14_a_failed_attempt_is_failed", "r14_retries_are_used_up_and_then_it_is_failed"],
    ),
    row(
        "R15",
        "Who ends without completing leaves its last words, unconfirmed, and a process completes by its exit status.",
        &[
            "r15_who_ends_without_complete_is_in_review_unconfirmed_with_its_last_text",
            "r15_unconfirmed_accept_makes_the_last_text_the_result_marked_and_it_counts",
            "r15_a_process_completes_by_its_exit_status",
        ],
    ),
    row(
        "R16",
        "Outputs and checks gate completion, and an output counts only if written since the attempt began.",
        &[
            "r16_checks_gate_completion_and_say_which_refused",
            "r16_a_process_whose_check_is_refused_has_failed",
            "r16_an_output_counts_only_if_written_since_the_attempt_began",
            "r16_outputs_and_checks_are_all_looked_at",
        ],
    ),
    row(
        "R17",
        "Reviewers approve in turn or send back at most three times, and a reject cancels with its reason.",
        &[
            "r17_each_reviewer_in_turn_gets_the_result_and_all_must_approve",
            "r17_a_task_sent_back_tries_again_with_feedback_and_reviews_begin_again",
            "r17_after_three_send_backs_the_next_one_fails_the_task",
            "r17_reject_cancels_with_a_reason_and_holds_unless_release_is_written",
            "r17_completed_upstreams_are_never_run_again",
        ],
    ),
    // Replan.
    row(
        "R18",
        "A replan is the lead's or the person's, against a revision, whole or not at all, and shows what it changes.",
        &[
            "r18_a_replan_against_an_old_revision_is_refused",
            "r18_members_may_not_and_the_lead_may",
            "r18_the_difference_is_shown_and_a_dry_run_changes_nothing",
            "r18_status_never_moves_the_revision",
        ],
    ),
    row(
        "R19",
        "Waiting for the result of what will not complete is refused, unless the same replan replaces it.",
        &[
            "r19_a_completed_edge_to_what_will_not_complete_is_refused_and_a_finished_one_is_satisfied",
            "r19_what_the_same_replan_replaces_may_be_named_and_means_the_new_one",
        ],
    ),
    row(
        "R20",
        "A replacement inherits what it was not given, its dependents are rewired, and the old one is cancelled.",
        &[
            "r20_the_new_one_inherits_what_was_not_given",
            "r20_a_failed_member_is_replaced_and_its_dependents_run",
            "r20_a_live_task_is_replaced_its_attempt_cut_off_and_waivers_stay",
            "r20_the_prompt_of_a_live_or_final_task_is_not_edited",
            "r20_cancelling_a_brief_leaves_the_chair_and_remove_closes_it",
        ],
    ),
    // Dissolve.
    row(
        "R21",
        "Dissolving asks, waits, kills, records who was cut off, leaves no process, and may be repeated.",
        &[
            "r21_a_completed_team_is_completed_and_any_other_dissolved",
            "r21_while_it_dissolves_no_work_is_accepted_and_nothing_starts",
            "r21_dissolving_twice_is_harmless_and_a_dissolved_team_answers_reads_only",
            "r21_a_stop_is_the_agents_signal_then_the_grace_then_kill",
            "r21_a_tree_that_ignores_the_signal_is_killed_after_the_grace",
        ],
    ),
    // The mailbox.
    row(
        "R22",
        "A send says what became of it, and mail that nobody read is reported to its sender.",
        &[
            "r22_to_a_failed_member_it_is_sent_and_read_in_its_next_attempt",
            "r22_to_a_process_the_note_says_when_it_is_read",
            "r22_mail_still_unread_when_the_task_is_final_is_reported_to_the_sender",
        ],
    ),
    row(
        "R23",
        "Mail is read in a prompt or an answered inbox, and once.",
        &["r23_mail_is_read_in_the_prompt_or_in_an_answered_inbox_and_once"],
    ),
    row(
        "R24",
        "Order is kept between each sender and recipient, and nothing is lost or comes twice.",
        &["r24_order_is_kept_per_sender_and_recipient"],
    ),
    row(
        "R25",
        "A message is quoted with who sent it, in an envelope that its body cannot close.",
        &[
            "r25_mail_is_quoted_with_who_sent_it_and_cannot_close_its_envelope",
            "r25_no_body_can_close_its_envelope",
            "r25_a_sender_cannot_forge_its_header",
        ],
    ),
    row(
        "R26",
        "Nobody writes to itself, pairs and chains are capped, and genuine fan-out is not throttled.",
        &[
            "c020_r26_no_self_delivery_and_genuine_fan_out_is_not_throttled",
            "r26_a_pair_is_paused_at_its_count_however_short_the_chains",
        ],
    ),
    // Running.
    row(
        "R27",
        "A member has one live attempt and a queue, and there are caps per team, per owner and on what members give.",
        &[
            "r27_a_member_has_one_live_attempt_and_the_rest_waits_by_priority_and_number",
            "r27_live_attempts_are_capped_per_team_and_persons_are_not_counted",
            "r27_an_owner_has_256_live_attempts_at_most",
            "r27_three_from_one_giver_to_one_member_and_the_text_is_fixed",
            "r27_five_on_one_member_from_all",
        ],
    ),
    row(
        "R28",
        "What is ready starts by priority and number, the moment its last edge is satisfied.",
        &[
            "r28_ready_tasks_start_in_order_of_priority_and_number_the_moment_they_can",
            "r28_the_end_and_the_starts_it_allows_are_of_one_decision",
        ],
    ),
    row(
        "R29",
        "Attempts and teams have limits on time and money, money is reserved before, and silence is shown.",
        &[
            "r29_an_attempt_over_its_wall_clock_is_stopped_and_has_failed",
            "r29_a_silent_attempt_is_shown_stalled_once_and_ended_only_if_it_says_so",
            "r29_at_the_cap_of_time_nothing_starts_and_headless_live_attempts_end_interrupted",
            "r29_money_is_reserved_before_and_settled_after",
        ],
    ),
    row(
        "R30",
        "Something can run, runs or waits for someone, or the run ends with a named reason.",
        &[
            "r30_every_run_comes_to_an_end_with_a_named_reason",
            "r30_a_wait_that_nothing_can_satisfy_ends_at_once_with_the_reason",
            "r30_wait_all_is_over_when_each_task_is_final_settled_or_held_and_nothing_is_live",
        ],
    ),
    row(
        "R31",
        "A member steers no team, and its question suspends its attempt until the person or the default answers.",
        &[
            "r31_members_may_not_steer_the_team_and_are_told_what_to_do_instead",
            "r31_neither_member_nor_lead_runs_the_run_or_reports_for_the_runtime",
            "r31_a_question_suspends_its_attempt_and_its_clocks_until_it_is_answered",
            "r31_headless_a_question_takes_its_default_or_the_run_ends_rc_4",
        ],
    ),
    // Recovery.
    row(
        "R32",
        "A side effect is three facts: intent, effect and outcome.",
        &[
            "r32_a_write_is_an_intent_an_effect_and_an_outcome",
            "r32_a_write_has_an_intent_and_an_outcome_of_the_same_attempt",
        ],
    ),
    row(
        "R33",
        "What was in flight is reconciled first, and what cannot be repeated safely is never silently repeated.",
        &[
            "r33_nothing_acknowledged_is_lost_what_was_said_stands",
            "r33_a_review_by_a_command_is_never_silently_repeated_and_others_begin_again",
            "r33_a_signal_ends_live_attempts_interrupted_and_resume_tries_them_again",
            "r33_resume_failed_tries_again_what_failed_or_is_stale_and_keeps_what_is_completed",
        ],
    ),
    row(
        "R34",
        "A task that takes its owner down three times is quarantined, and the rest goes on.",
        &[
            "r34_a_task_whose_owner_ends_three_times_is_quarantined_and_the_rest_goes_on",
            "r34_checks_under_which_the_owner_ends_three_times_do_not_run_a_fourth_time",
        ],
    ),
    row(
        "R35",
        "Recovery may come at any moment, says what it found and did, and twice changes nothing.",
        &[
            "c035_r35_what_ran_is_stale_or_runs_again_and_recovering_twice_changes_nothing",
            "r35_the_report_says_what_was_found_and_what_became_of_it",
            "r1_to_r35_any_200_commands_on_any_plan_do_what_the_model_says",
        ],
    ),
];
