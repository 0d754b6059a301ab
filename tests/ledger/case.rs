//! Cases that other tools got wrong.
use crate::{Row, row};

/// Each is kept for its whole kind, not for the one input that was reported.
pub const CASES: &[Row] = &[
    row(
        "C001",
        "A loop in a plan is refused before anything is stored, and the text is the loop without the way into it.",
        &[
            "c001_a_cycle_prints_exactly_its_loop_and_nothing_is_stored",
            "c001_the_same_check_holds_for_add_and_replan",
            "c001_cycles_print_exactly_their_loop",
        ],
    ),
    row(
        "C002",
        "A misspelt dependency is refused with its place and the nearest name.",
        &[
            "c002_an_unknown_dependency_is_refused_with_the_nearest",
            "c002_dependencies_that_do_not_exist_name_the_nearest",
        ],
    ),
    row(
        "C003",
        "What waits for a failure never starts, however fast the failure comes.",
        &["c003_row_1_21_a_failed_upstream_never_lets_its_dependents_start"],
    ),
    row(
        "C004",
        "Two members of one name, and reserved names, are refused.",
        &[
            "c004_two_equal_names_are_refused_and_both_are_shown",
            "c004_reserved_names_are_refused_wherever_they_would_be_given",
            "c004_names_are_taken_once_and_both_places_are_shown",
        ],
    ),
    row(
        "C005",
        "A replacement that completes releases what its old one held, and a refused replan applies nothing.",
        &[
            "c005_a_replacement_that_completes_releases_what_the_old_one_held",
            "row_1_10_replan_is_atomic_and_c005_nothing_of_a_refused_one_is_applied",
        ],
    ),
    row(
        "C006",
        "A result that comes while a team dissolves is wholly kept or wholly an orphan, and who was cut off is on record.",
        &[
            "c006_row_1_09_live_attempts_end_interrupted_their_tasks_are_stale_and_who_was_cut_off_is_recorded",
            "c006_a_result_in_the_window_is_wholly_an_orphan_and_one_before_it_is_wholly_kept",
        ],
    ),
    row(
        "C007",
        "A cancelled task stays cancelled when its worker finishes late.",
        &[
            "c007_a_late_result_of_a_cancelled_task_is_an_orphan_and_releases_nobody",
            "c007_a_stale_token_is_refused_and_the_task_stays_cancelled",
        ],
    ),
    row(
        "C008",
        "Of many who claim at once exactly one wins, and the others learn its name.",
        &[
            "c008_exactly_one_of_eight_claims_wins_and_the_losers_learn_whose_it_is",
            "c008_of_eight_who_claim_at_once_one_wins_and_the_others_learn_its_name",
        ],
    ),
    row(
        "C009",
        "A blocked task takes no claim, assignment, result, review or retry, and its blockers are named.",
        &["c009_a_blocked_task_is_refused_with_its_open_blockers"],
    ),
    row(
        "C010",
        "What a person frees starts by itself.",
        &["c010_what_a_retry_frees_is_started_with_no_further_call"],
    ),
    row(
        "C011",
        "A message to nobody is refused with the nearest name, and one to who has ended is kept and shown.",
        &[
            "c011_a_message_to_nobody_is_refused_with_the_nearest_name",
            "c011_to_one_who_has_ended_it_is_stopped_kept_and_the_lead_is_shown",
            "c011_a_lead_that_is_no_agent_is_the_person",
        ],
    ),
    row(
        "C012",
        "A message sent while its reader finishes is seen, or its sender is told.",
        &["c012_a_message_is_seen_or_reported_however_the_send_and_the_end_interleave"],
    ),
    row(
        "C013",
        "A process that says its result is waited for until it exits.",
        &["c013_a_process_may_say_complete_and_is_waited_for"],
    ),
    row(
        "C014",
        "The caller holds the cursor: all that came after it is told at once and once, and no state is skipped.",
        &[
            "c014_what_came_between_two_looks_is_told_at_once_and_once",
            "c014_an_old_cursor_gives_all_of_it_and_who_holds_a_bogus_one_is_answered_with_the_state",
            "c014_a_wait_skips_no_state_and_what_has_come_already_is_not_waited_for",
        ],
    ),
    row(
        "C020",
        "Two who thank each other for ever are paused at the cap, with the reason shown, and nobody wakes itself.",
        &[
            "c020_two_who_thank_each_other_are_paused_after_ten_and_the_lead_is_told_once",
            "c020_r26_no_self_delivery_and_genuine_fan_out_is_not_throttled",
        ],
    ),
    row(
        "C021",
        "A write over another version than was read is a conflict with the hash there is, and no file is torn.",
        &[
            "c021_a_write_from_a_stale_read_is_a_conflict_and_is_on_record",
            "c021_a_write_over_another_version_is_a_conflict_with_the_hash_there_is",
            "c021_two_hundred_parallel_writers_never_leave_a_torn_file",
            "c021_of_writers_that_read_the_same_version_exactly_one_wins",
        ],
    ),
    row(
        "C023",
        "A background process holds up no end and outlives none, also in a session of its own.",
        &[
            "c023_a_background_process_neither_delays_the_end_nor_survives_it",
            "c023_what_a_background_process_writes_before_it_is_swept_is_kept",
            "c023_a_background_process_holds_up_no_run",
        ],
    ),
    row(
        "C024",
        "A line of any length is a head with its size, what comes after it is read, and memory is bounded.",
        &[
            "c024_a_line_of_12_mib_is_handed_on_whole_and_the_line_after_it_is_the_result",
            "c024_a_long_row_keeps_its_head_and_says_how_long_it_was",
            "c024_overwriting_with_longer_text_keeps_to_the_limit",
        ],
    ),
    row(
        "C025",
        "A character that is split over two reads is whole, and binary is shown and never fatal.",
        &[
            "c025_split_characters_and_binary_arrive_byte_for_byte",
            "c025_characters_split_over_reads_stay_whole",
            "c025_junk_is_shown_and_never_fatal",
        ],
    ),
    row(
        "C026",
        "A signal or a closed pipe ends everybody's processes, keeps the run and has its exit code.",
        &[
            "c026_an_interrupt_ends_the_run_with_130_and_leaves_nobody",
            "c026_a_termination_ends_the_run_with_143_and_leaves_nobody",
            "c026_a_hangup_ends_the_run_with_129_and_leaves_nobody",
            "c026_a_second_interrupt_takes_the_grace_away",
            "c026_a_pipe_that_closes_ends_the_run_with_141_and_keeps_it",
            "c026_serve_ends_what_is_live_at_a_signal",
            "c026_nothing_outlives_an_owner_whose_socket_closes",
            "c026_every_signal_that_ends_gives_the_terminal_back",
            "c026_a_terminal_that_is_gone_ends_the_screen_and_does_not_spin",
        ],
    ),
    row(
        "C027",
        "A carriage return overwrites its row, and every kind of line end begins the next at the left.",
        &["c027_a_carriage_return_overwrites_and_crlf_ends_a_line", "c027_overwriting_makes_a_row_no_wider"],
    ),
    row(
        "C028",
        "Text is cut, wrapped and erased by whole characters as they are seen, at any width.",
        &[
            "c028_cuts_fall_between_graphemes",
            "c028_graphemes_stay_whole_at_any_width",
            "c028_any_name_at_any_width",
            "c028_what_is_typed_is_erased_by_whole_characters",
        ],
    ),
    row(
        "C029",
        "Tabs are blanks, control characters are nothing, and brackets are brackets.",
        &["c029_tabs_backspace_controls_and_brackets", "c029_tabs_and_brackets"],
    ),
    row(
        "C030",
        "The screen survives any order of sizes, with boxes open.",
        &["c030_boxes_survive_any_order_of_sizes"],
    ),
    row(
        "C032",
        "Exit code, text, JSON and JUnit say the same of how a run ended.",
        &["c032_the_end_has_a_name_and_an_exit_code", "c032_exit_code_text_json_and_junit_say_the_same"],
    ),
    row(
        "C033",
        "A reader that is gone or a full disk ends a command without a panic, and the run is kept.",
        &[
            "c033_a_full_standard_output_is_an_error_and_the_run_is_kept",
            "c033_a_reader_that_is_gone_ends_a_reading_command_in_silence",
        ],
    ),
    row(
        "C034",
        "What is no terminal gets no escape, and the screen says how to go without one.",
        &[
            "c034_no_escape_reaches_a_stream_that_is_no_terminal",
            "c034_the_screen_without_a_terminal_says_how_to_go_without_one",
        ],
    ),
    row(
        "C035",
        "After a crash nothing is left running for good, and the stale one can be replaced.",
        &[
            "c035_r35_what_ran_is_stale_or_runs_again_and_recovering_twice_changes_nothing",
            "c035_after_a_crash_the_stale_one_is_replaced",
            "c035_what_a_dead_owner_left_open_is_reported_with_what_can_be_done",
        ],
    ),
    row(
        "C036",
        "A second owner is refused with the first one's process, and the lock is free when that one is gone.",
        &["c036_a_second_owner_is_refused_with_the_pid_of_the_first"],
    ),
    row(
        "C037",
        "An unknown, misplaced or repeated key is an error with its place and the nearest that there is.",
        &[
            "c037_unknown_and_misplaced_keys_say_where_they_belong",
            "c037_repeated_keys_name_the_first",
            "c037_a_bad_file_prints_every_error_with_place_caret_and_help",
        ],
    ),
    row(
        "C038",
        "Marks and line ends of other systems change nothing, and what is no text is refused with its path.",
        &[
            "c038_a_mark_and_carriage_returns_change_nothing",
            "c038_files_that_are_no_text_are_refused_with_their_path",
        ],
    ),
    row(
        "C039",
        "No sequence of others reaches the terminal, in the screen or headless.",
        &[
            "c039_hostile_sequences_leave_nothing_behind",
            "c039_an_unfinished_string_goes_to_the_end",
            "c039_hostile_sequences_are_dropped_and_end_with_their_row",
            "c039_no_control_byte_of_others_reaches_a_cell",
            "c039_what_a_file_says_is_printed_harmless",
        ],
    ),
    row(
        "C040",
        "No name is a path, and nothing outside the workspace is read or written.",
        &[
            "c040_no_name_is_a_path",
            "c040_names_that_could_be_paths_are_refused",
            "c040_nothing_outside_the_workspace_is_read_or_written",
            "c040_a_projects_folder_never_carries_what_its_name_says",
            "c040_no_name_reaches_a_path",
        ],
    ),
    row(
        "X01",
        "A whole chain below a failure is held, not only its first task.",
        &["x01_r7_the_whole_chain_below_a_failure_is_held_with_its_reason"],
    ),
    row("X03", "A team whose root sleeps dissolves.", &["x03_a_team_whose_root_sleeps_dissolves"]),
    row("X07", "Mail reaches an attempt that is live.", &["x07_mail_reaches_a_live_attempt_at_once"]),
    row(
        "X19",
        "No output of a member is a command to a CI.",
        &["x19_commands_in_a_log_are_neutralised", "section_3_x19_github_reads_our_commands_and_no_others"],
    ),
    row(
        "X21",
        "A task of someone who has no chair is refused by name.",
        &["x21_a_task_of_someone_without_a_chair_is_refused"],
    ),
    row("X25", "Resuming starts only what is left.", &["x25_resume_starts_only_what_is_left"]),
];
