"""The link to the hub: enrolment, what is sent, what arrives."""
