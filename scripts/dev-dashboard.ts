/**
 * Serves the dashboard from its sources and reloads the page on each change: `npm run dev:dashboard` beside a running
 * service. Requests that are not of the dashboard go to the service, http://localhost:3000 or the URL in DETOUR_URL.
 */
import { createServer } from 'vite';
import { dashboardBuild } from '../dashboard/vite.config.ts';

const SERVICE = process.env['DETOUR_URL'] ?? 'http://localhost:3000';
/** Paths of the service. All others belong to the dashboard. */
const PROXIED = ['/api', '/v1', '/docs', '/openapi.json', '/health', '/ready'];

const build = dashboardBuild('dist/dashboard-dev');
const server = await createServer({
  ...build,
  server: {
    port: 5173,
    // The Host stays that of this server, because the service compares it with the Origin of writes.
    proxy: Object.fromEntries(PROXIED.map((path) => [path, { target: SERVICE, changeOrigin: false }])),
  },
  plugins: [...(build.plugins ?? []), { name: 'settings-of-the-service', transformIndexHtml: withSettings }],
});
await server.listen();
server.printUrls();

/** Takes the settings that the service writes into the page. */
async function withSettings(html: string): Promise<string> {
  const page = await fetch(new URL('/', SERVICE), { headers: { Accept: 'text/html' } }).then(
    (response) => response.text(),
    () => '',
  );
  const settings = /<meta name="detour"[^>]*>/.exec(page)?.[0];
  if (settings === undefined) console.error(`detour: ${SERVICE} does not respond. Start it with npm run dev`);
  return settings === undefined ? html : html.replace(/<meta name="detour"[^>]*>/, () => settings);
}
