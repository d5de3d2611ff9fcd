"""People and rooms: hands that play, a room of tables; they run the demo and the load tests."""
