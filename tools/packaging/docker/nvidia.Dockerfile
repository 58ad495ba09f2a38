# lookalike on NVIDIA GPUs. NVIDIA's container toolkit brings the driver from the host:
#   docker build -t lookalike-nvidia -f tools/packaging/docker/nvidia.Dockerfile .
#   docker run --rm --gpus all -v ~/photos:/photos:ro -v lookalike:/data lookalike-nvidia index /photos
FROM debian:12 AS build
COPY . /source
ARG DEBFULLNAME="lookalike in Docker"
ARG DEBEMAIL=docker@lookalike.invalid
RUN /source/tools/packaging/package /packages

FROM debian:12-slim
COPY --from=build /packages/lookalike_*.deb /packages/liblookalike[0-9]*.deb /tmp/
RUN apt-get update \
    && apt-get install -y --no-install-recommends /tmp/*.deb \
    && rm -rf /tmp/*.deb /var/lib/apt/lists/* \
    && mkdir -p /etc/OpenCL/vendors \
    && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd
# Libraries of the driver that the toolkit mounts; compute has OpenCL's.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
# The index, and the kernels that were built.
VOLUME /data
ENV LOOKALIKE_DATABASE=/data/lookalike.db XDG_CACHE_HOME=/data/cache
ENTRYPOINT ["lookalike"]
