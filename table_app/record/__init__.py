"""The durable record of the table: the journal and the state folder."""
