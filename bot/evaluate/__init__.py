"""How well the memory does on labelled data of one's own: staleness, retrieval and claims, through the real engine."""
