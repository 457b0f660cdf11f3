"""HTTP: requests in, answers out, errors as statuses. What an answer says is made in `answers`."""
