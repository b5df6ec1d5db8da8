# The built service, without packages, TypeScript, and the embedded PostgreSQL.
# JavaScript is the same for every platform, so an image for another one needs no emulation.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/postgres/package.json packages/postgres/
COPY packages/control/package.json packages/control/
COPY packages/engine/package.json packages/engine/
COPY packages/api/package.json packages/api/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/admin/package.json packages/admin/
COPY packages/operator/package.json packages/operator/
COPY packages/operator/bin packages/operator/bin
COPY packages/client/package.json packages/client/
COPY packages/admin-client/package.json packages/admin-client/
COPY packages/sync/package.json packages/sync/
COPY packages/sync/bin packages/sync/bin
RUN npm ci --ignore-scripts
COPY LICENSE tsconfig.json ./
COPY packages packages
COPY docs docs
COPY connectors connectors
COPY scripts scripts
RUN npm run build

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production STORE_EXPORT_HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/dist dist
# The user `node` of the base image, as numbers: Kubernetes can't check that a name isn't root.
USER 1000:1000
EXPOSE 8080 8081 9090
# On SIGTERM the service accepts requests for 5 s more, then finishes those in flight for up to 8 s. Docker kills it after
# 10 s by default: use `docker stop -t 25`.
STOPSIGNAL SIGTERM
# Checks that the process is alive. It does not use /readyz, because Docker would then restart every node while the control
# database is slow.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9090/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/store-export.js"]
CMD ["serve"]
