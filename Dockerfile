# Builds the image of haggle: two static programs, certificates and nothing else, for a user without a name or a shell.
#
#   docker build -t haggle .
#   docker run --rm -p 127.0.0.1:8080:8080 -e HAGGLE_PUBLIC_URL=http://127.0.0.1:8080 haggle serve --demo
#
# The stage base is the image without its files. The stage image, the last one, compiles them with BUILDER, which is any
# image with Go 1.26 and certificates. The stage prebuilt takes them from .bin/image, where make image puts them: it needs
# no registry.
ARG BUILDER=docker.io/library/golang:1.26-bookworm

FROM scratch AS base
LABEL org.opencontainers.image.title="Haggle" \
      org.opencontainers.image.description="The merchant's side of agentic commerce: buyers' agents search, haggle and pay here." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/haggle-commerce/haggle"
# The operations address is for the orchestrator and Prometheus: do not publish its port.
ENV HAGGLE_ADDR=0.0.0.0:8080 \
    HAGGLE_OPS_ADDR=0.0.0.0:8081 \
    HAGGLE_DATABASE_URL=sqlite:///data/haggle.db
EXPOSE 8080 8081
USER 65532:65532
STOPSIGNAL SIGTERM
# A replica that starts may wait for another one's migration. Docker's healthcheck only reports; it restarts nothing.
HEALTHCHECK --interval=10s --timeout=5s --start-period=2m --retries=3 CMD ["/haggle", "health"]
ENTRYPOINT ["/haggle"]
CMD ["serve"]

FROM base AS prebuilt
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"
COPY --chown=0:0 .bin/image/files/ /
COPY --chown=65532:65532 .bin/image/data/ /data/
WORKDIR /data
VOLUME /data

FROM ${BUILDER} AS build
ARG TARGETOS
ARG TARGETARCH
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN mkdir -p /image/files/etc/ssl/certs /image/data \
 && cp /etc/ssl/certs/ca-certificates.crt /image/files/etc/ssl/certs/ \
 && CGO_ENABLED=0 GOOS=${TARGETOS} GOARCH=${TARGETARCH} \
    go build -trimpath -ldflags "-s -w" -o /image/files/ ./cmd/haggle ./cmd/haggle-sim

FROM base AS image
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"
COPY --from=build --chown=0:0 /image/files/ /
COPY --from=build --chown=65532:65532 /image/data/ /data/
WORKDIR /data
VOLUME /data
