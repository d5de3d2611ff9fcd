"""Communication with the tables over MQTT: inbound, outbound, devices, enrolment, updates, judging again."""
