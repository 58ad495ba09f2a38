# lookalike on the CPU, by PoCL:
#   docker build -t lookalike -f tools/packaging/docker/cpu.Dockerfile .
#   docker run --rm -v ~/photos:/photos:ro -v lookalike:/data lookalike index /photos
#   docker run --rm -v ~/photos:/photos:ro -v lookalike:/data lookalike query /photos/a.jpg
FROM debian:12 AS build
COPY . /source
ARG DEBFULLNAME="lookalike in Docker"
ARG DEBEMAIL=docker@lookalike.invalid
RUN /source/tools/packaging/package /packages

FROM debian:12-slim
COPY --from=build /packages/lookalike_*.deb /packages/liblookalike[0-9]*.deb /tmp/
RUN apt-get update \
    && apt-get install -y --no-install-recommends /tmp/*.deb pocl-opencl-icd \
    && rm -rf /tmp/*.deb /var/lib/apt/lists/*
# The index, and the kernels that were built.
VOLUME /data
ENV LOOKALIKE_DATABASE=/data/lookalike.db XDG_CACHE_HOME=/data/cache
ENTRYPOINT ["lookalike"]
