# SPDX-License-Identifier: GPL-3.0-or-later
# Carryover, built and run headless in a container of a system with apt: Debian or Ubuntu.
#   docker build -f examples/containers/apt.Dockerfile --build-arg BASE=ubuntu:26.04 -t carryover .
#   docker run --rm carryover build/release/bin/carryover-cli --version
ARG BASE=debian:13
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git
COPY . /carryover
WORKDIR /carryover
RUN ./lab build
CMD ["./lab", "run"]
