"""The HTTP interface, `/v1`: one table of routes (`routes`), one way through (`serving`), one document (`openapi`)."""
