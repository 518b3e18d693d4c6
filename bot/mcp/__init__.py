"""The Model Context Protocol: three tools (`tools`) over the calls of `/v1`, by `stdio` and by HTTP (`http`)."""
