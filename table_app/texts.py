"""The texts that code finds by a key; all other texts stand in the code that shows them."""

from flagfall.base.message import P_
from flagfall.othello.refusals import WORDS
from table_app.player_texts import TEXTS as PLAYER_TEXTS

TEXTS = {
    **WORDS,
    **PLAYER_TEXTS,
    "say_yours": "Your time, {time}",
    "say_opponents": "Your opponent's, {time}",
    "pin_title": "The judge's PIN",
    "pin_enter": "Enter your PIN",
    "pin_wrong": "Wrong PIN",
    "pin_locked": "Too many wrong PINs – wait half a minute",
    "pin_choose": "Choose a PIN of 4 to 8 digits for this table",
    "pin_again": "Enter the same PIN again",
    "pin_differs": "The two PINs differ: enter a new one",
    "pin_later": "This table has no judge's PIN yet. Choose one here before or after a game.",
    "pin_none": "This table has no judge's PIN. Enrol it again: the hub then gives it one.",
    "page_judge": "Judge",
    "page_clock": "Time",
    "page_board": P_("page of the panel", "Board"),
    "page_result": "Result",
    "page_table": P_("page of the panel", "Table"),
    "page_settings": "Settings",
    "set_brightness": "Brightness",
    "set_volume": "Volume",
    "set_click": "Click at each press",
    "set_rotation": "Screen rotation",
    "set_face_to_face": "Players sit",
    "set_tenths_s": "Tenths of a second",
    "report_error": "Report an error",
    "small_shows_right": "The mark in a square's corner shows what belongs there",
    "passed_with_moves": "Each marked square was a legal move",
    "correct_on_board": "Put the board right, then confirm:",
    "is_put_right": "The board is right. Confirm:",
    "call_director": "Call the director",
    "answer_call": "Call answered",
    "swap_sides": "Exchange seats",
    "drop_game": "Drop the game, without a result",
    "judge_leaves": "Judge leaves the table",
    "close_unsigned": "Close without signatures",
    "enter_pass": "Pass",
    "edit_position": "Edit the position",
    "missing": "not connected",
    "uncalibrated": "not calibrated",
    "fails": "fails",
    "rule_correct_error": "Uphold",
    "rule_corrected": "Corrected",
    "rule_dismiss_error": "Dismiss",
    "rule_unintentional_touch": "Touch was unintentional",
    "rule_stop": P_("ruling", "Stop"),
    "rule_resume": "Resume",
    "rule_adjust_time": "Change time",
    "rule_start_clock": "Start clock",
    "rule_confirm_default": "Confirm default",
    "rule_annul_flag": "Annul flag",
    "rule_resign": "Resignation",
    "rule_forfeit": "Forfeit",
    "rule_beyond_repair": "Position beyond repair",
    "rule_award": "Award",
    "rule_draw": "Draw 32–32",
    "rule_set_score": "Set score",
    "rule_set_position": "Set this position",
    "rule_enter_score": "Enter disc count",
    "rule_discs_moved": "Discs moved",
    "player_resign": "{who} resigns",
    "player_forfeit": "{who} forfeits",
    "player_beyond_repair": "{who} loses: board beyond repair",
    "player_award": "{who} wins by ruling",
    "reasons_stop": (
        "Discs disturbed | Dispute | Player unwell | Disturbance in the hall | Clock or board in doubt"
    ),
    "reasons_resume": "Settled | Director's decision",
    "reasons_dismiss_error": "Flips are right | Board misread | Let stand by both players",
    "reasons_unintentional_touch": "Sleeve or arm | Straightened a disc | Disc slipped",
    "reasons_adjust_time": "Penalty | Time lost by a disturbance | Clock was set wrongly | Special needs",
    "reasons_start_clock": "Player absent",
    "reasons_annul_flag": "Clock defective | Clock was set wrongly | Flag fell by mistake",
    "reasons_forfeit": "Did not come | Left the table | Conduct | Device used",
    "reasons_beyond_repair": "Board knocked over | Discs swept",
    "reasons_award": "Penalty | Opponent cannot go on",
    "reasons_draw": "Penalty to both | Director's decision",
    "reasons_set_score": "Counted again | Penalty | Typed wrongly",
    "reasons_set_position": "From the transcript | As both players say | Discs disturbed",
    "script": "Transcripts",
    "setup_empty": "Take all discs off the board",
    "setup_black": "A disc on every square, black up",
    "setup_white": "Turn every disc: white up",
    "setup_silent": "The board does not answer",
    "setup_lost": "The board was unplugged: begin again",
    "setup_not_kept": "The board could not store the values: try again",
    "wrong_stuck": "sensor does not work",
    "wrong_moved": "moved while measured",
    "wrong_not_empty": "something lies here",
    "wrong_no_disc": "no disc, or no magnet",
    "wrong_reversed": "disc or magnet the other way up",
    "wrong_unlike": "unlike the others: is it centred?",
    "wrong_weak": "magnets too weak, or too far away",
    "walk_elsewhere": "{first} reacts",
    "walk_split": "{first} and {second} react",
    "walk_weak": "the disc reads too weak or too strong",
    "walk_nothing": "no square reacts",
    "walk_passed": "The board is wired right",
    "walk_failed": "The board is not right",
    "walk_lost": "The board was unplugged: begin again",
    "walk_uncalibrated": "Calibrate the board first",
    "walk_not_kept": "The board could not store the result: try again",
    "suspect_turned": "The board lies the other way round",
    "suspect_strips": "Cables of strips {first} and {second} exchanged?",
    "suspect_reversed": "Strip {first} reversed?",
    "suspect_multiplexers": "M{first} and M{second} exchanged?",
    "suspect_as_another": "M{second} answers for M{first}?",
    "suspect_together": "M{first} and M{second} answer together?",
    "suspect_lines": "Address lines S{first} and S{second} exchanged?",
    "suspect_shorted": "Outputs of {first} and {second} shorted?",
    "suspect_dead": "Sensor of {first}, or its wire?",
    "suspect_outputs": "Outputs of {first} and {second} exchanged?",
    "suspect_outputs_round": "{second} outputs in a circle, from {first}?",
    "suspect_strips_round": "{second} cables in a circle, from strip {first}?",
    "suspect_multiplexers_round": "{second} of M0 to M3 in a circle, from M{first}?",
    "suspect_lines_round": "{second} S lines in another order, from S{first}?",
    "suspect_mirrored": "All strips mirrored: a and h exchanged?",
    "suspect_silent": "Strip {first} silent: its plug, its switch?",
    "camera": "camera",
    "camera_blind": "camera that does not see it",
    "eye_fault_lost": "The camera gives no picture",
    "eye_fault_no_board": "No board found: drag its corners",
    "eye_fault_dark": "Too dark for the camera",
    "eye_fault_blurred": "Out of focus: lock the focus on the board",
    "eye_fault_covered": "Something covers the camera",
    "eye_fault_cut": "The board is not wholly in the picture",
    "eye_fault_small": "The board is too small in the picture: bring the camera nearer",
    "eye_fault_hidden": "Hands off the board for a moment",
    "eye_fault_dim": "More light is needed",
    "eye_fault_unclear": "Squares with ? cannot be read: look for a reflection or a shadow",
    "practice_take": (
        "You judge this table. Touch the three bars in the upper left corner, then enter the PIN {judge}."
    ),
    "practice_close": (
        "This is your panel. Both clocks stay in sight. The cross at the upper right closes it: close it now."
    ),
    "practice_watch": (
        "Two players begin. As long as all is well there is nothing for you to do, and nothing for them "
        "to see."
    ),
    "practice_misflip": (
        "Look at the right edge: when a mark appears an error was found. Touch the mark, then Uphold. "
        "Both before the opponent touches a square."
    ),
    "practice_corrected": (
        "The offender's clock runs. The ringed disc is wrong: flip it on the board at the right (click "
        "it), then touch Corrected twice."
    ),
    "practice_touch": (
        "Now a player brushes a square with a sleeve and moves elsewhere. Open the mark. You saw it: "
        "Touch was unintentional, twice."
    ),
    "practice_late": (
        "Another error is coming; do not touch anything. When the opponent touches a square the mark "
        "goes: the position is accepted, and it is too late."
    ),
    "practice_stop": (
        "Discs are disturbed. Open the panel (hold the corner), touch Stop, a reason if you like, and "
        "Stop again."
    ),
    "practice_resume": "All is in order again: touch Resume twice.",
    "practice_illegal": (
        "Close the panel. An illegal move is coming: uphold it, take the disc away (right click), then "
        "Corrected twice."
    ),
    "practice_director": (
        "Penalties are the director's. Panel, page Table: Judge leaves the table. Hold the corner again "
        "and enter the director's PIN {director}."
    ),
    "practice_time": "Page Time: give White a minute. Choose White, +1:00, and touch the wide button twice.",
    "practice_undo": (
        "That was a mistake. Below at the right stands Undo: touch it twice. Both rulings stay on record."
    ),
    "practice_resign": "White resigns to you. Page Result: choose White, then White resigns, twice.",
    "practice_sign": "The players sign. Close the panel to see the result as they do.",
    "practice_end": (
        "That is all. At a real table you take the table once a game, and an error takes four touches. "
        "Close the window to end."
    ),
    "card_title": "At the table: the judge's card",
    "card_subtitle": (
        "Every ruling is touched twice, and may be given a reason between the two touches. Both clocks "
        "stay in sight. Practise it: flagfall-table run --practice"
    ),
    "card_take_title": "Take the table",
    "card_take": (
        "Touch the three bars in the upper left corner (while a game is played: hold a finger there for "
        "a second, where the three dots are); enter your PIN. Once a game. The cross closes the panel."
    ),
    "card_error_title": "An error is found",
    "card_error": (
        "A mark appears at the right edge. Touch it (your PIN, if you have not entered it yet), then "
        "{rule_correct_error}: the offender's clock "
        "runs. Put the board right, then {rule_corrected} twice. Four touches; the first two before the "
        "opponent touches a square, or the position is accepted. No error: {rule_dismiss_error} twice."
    ),
    "card_unseen_title": "You saw it, the board did not",
    "card_unseen": "{page_judge}: {report_error}; its square on the diagram, then its kind, twice.",
    "card_touch_title": "Touched by mistake",
    "card_touch": "{page_judge}: {rule_unintentional_touch}. The touch then binds nobody, and has accepted nothing.",
    "card_stop_title": "Stop, go on",
    "card_stop": (
        "Above, between the clocks: {rule_stop}, {rule_resume}. During a correction the offender's clock "
        "goes on with {rule_resume}."
    ),
    "card_time_title": "Time",
    "card_time": (
        "{page_clock}: player, minutes, then the wide button (director). A fallen flag, where the "
        "director confirms it: {rule_confirm_default}."
    ),
    "card_moves_title": "No sensor board",
    "card_moves": (
        "{page_board}: one touch a move, {enter_pass} for a pass; what was touched last can be undone for"
        " four seconds. At the end {page_result}: {rule_enter_score}."
    ),
    "card_transcripts_title": "Position disturbed or disputed",
    "card_transcripts": (
        "{rule_stop}. {page_board}: {script}. Step to the position and {rule_set_position}. In a dispute "
        "type both players' transcripts: the only one that gives the position decides. Or {edit_position}"
        " by hand."
    ),
    "card_result_title": "The end",
    "card_result": (
        "{page_result}: player, then what they do or is ruled. A penalty, an award and a set score are "
        "the director's. Both sign; the director may {close_unsigned} ({page_table})."
    ),
    "card_undo_title": "A mistake of your own",
    "card_undo": (
        "Below at the right: Undo, twice, for time, stop, a position, discs, a score, an error upheld or "
        "dismissed. Both rulings stay on record."
    ),
    "card_leave_title": "Help, and leaving",
    "card_leave": (
        "{page_table}: {call_director}. When you go: {judge_leaves}; the next judge enters their own PIN."
    ),
}
