# SPDX-License-Identifier: GPL-3.0-or-later
# Carryover, built and run headless in a container of Fedora, whose packages stand here for those of
# scripts/packages.txt.
#   docker build -f examples/containers/fedora.Dockerfile -t carryover .
#   docker run --rm carryover build/release/bin/carryover-cli --version
ARG BASE=fedora:44
FROM ${BASE}
RUN dnf install -y --setopt=install_weak_deps=False \
      gcc-c++ cmake ninja-build ccache lld pkgconf-pkg-config git \
      qt6-qtbase-devel qt6-qtsvg-devel qcustomplot-qt6-devel \
      sentencepiece-devel protobuf-lite-devel libevent-devel libcurl-devel pcre2-devel json-devel cli11-devel \
      python3 python3-pip poppler-utils xorg-x11-server-Xvfb xorg-x11-xauth \
      dejavu-sans-fonts dejavu-sans-mono-fonts google-noto-sans-fonts google-noto-color-emoji-fonts
COPY . /carryover
WORKDIR /carryover
ENV CARRYOVER_SKIP_PACKAGES=1
RUN ./lab build
CMD ["./lab", "run"]
