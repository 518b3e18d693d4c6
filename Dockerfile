# The build stage makes an environment; the image gets that environment and nothing it was made with.
FROM python:3.11-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=/src/constraints.txt
RUN python -m venv /opt/clarify-bot
WORKDIR /src
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY core core
COPY cards cards
COPY bot bot
RUN /opt/clarify-bot/bin/pip install '.[slack,teams,llm,mcp]' && /opt/clarify-bot/bin/pip uninstall --yes pip setuptools

FROM python:3.11-slim
# Sources that are git repositories are read with git.
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --create-home --home-dir /var/lib/clarify-bot --shell /usr/sbin/nologin clarify
COPY --from=build /opt/clarify-bot /opt/clarify-bot
ENV PATH=/opt/clarify-bot/bin:$PATH PYTHONUNBUFFERED=1 CLARIFY_HTTP__HOST=0.0.0.0 CLARIFY_HTTP__PORT=8080
USER 10001:10001
WORKDIR /var/lib/clarify-bot
# The settings, the keys, the SQLite file and the mirrors of git repositories.
VOLUME ["/var/lib/clarify-bot"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["python", "-c", "from os import environ; from urllib.request import ProxyHandler, build_opener; build_opener(ProxyHandler({})).open('http://127.0.0.1:' + environ.get('CLARIFY_HTTP__PORT', '8080') + '/readyz', timeout=8)"]
ENTRYPOINT ["clarify-bot"]
CMD ["run"]
