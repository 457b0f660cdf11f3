"""The bodies of answers to Headwater's own questions: the server writes them, the client reads them."""
