"""What is durable at the table: the journal and the state folder."""
