"""One game to the public: replayed move by move, its time chart, its files."""
