"""The texts of the questions that code finds by a key; the rest stand where they are said. A room's texts
have a file of their own, so that each key is known to be used."""

TEXTS = {
    "ask_role": "What is this card?",
    "hint_role": (
        "It has no settings file yet. A wrong answer does no harm: the file can be changed at any time."
    ),
    "answer_table": "A table: clock and judge of one game",
    "answer_hub": "The hub: it runs the tournament",
    "ask_seat": "The table's number",
    "hint_seat": "As it stands on the table.",
    "wrong_seat": "A number from 1 to 999 is expected.",
    "ask_network": "The network",
    "hint_network": "How this card reaches the others.",
    "answer_cable": "A cable",
    "answer_wifi": "An existing Wi-Fi network",
    "answer_access_point": "This card makes a Wi-Fi network for the tables",
    "ask_wifi_name": "The network's name",
    "hint_wifi_name": "Letter for letter, capitals too.",
    "wrong_wifi_name": "A name is expected.",
    "ask_wifi_password": "The network's password",
    "hint_wifi_password": "8 to 63 letters, digits and signs.",
    "wrong_wifi_password": "At least 8 letters, digits and signs are expected.",
    "answer_none": "none",
    "ask_code": "The code from the hub",
    "hint_code": "The console's page Room gives one for each table: 16 letters and digits.",
    "wrong_code": "16 letters and digits are expected, as in K7QD-3MR9-0XTA-5WNE.",
    "answer_no_code": "No hub",
    "ask_judge_pin": "The judge's PIN",
    "hint_judge_pin": "4 to 8 digits. It opens the judge's panel at this table.",
    "wrong_judge_pin": "4 to 8 digits are expected.",
    "answer_no_judge_pin": "No PIN",
    "ask_done": "Is this right?",
    "hint_done": "The card then restarts with these settings.",
}
