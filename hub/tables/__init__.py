"""The tables over MQTT: what arrives, what goes out, devices, enrolment, updates, judging again."""
