/** Detour itself, with its embedded PostgreSQL, and a bare node:http server with the same response to every request. */
import { join } from 'node:path';
import { type Bench, postBulk, untilServed } from '../context.ts';
import { startBareServer } from '../limits.ts';
import { benchRow } from '../rows.ts';
import { launch } from '../service.ts';
import { sameResponse } from '../serving.ts';
import { snapshotBytes } from '../start.ts';
import { type Contender, onServerCore, untilRedirect } from './contender.ts';
import { CHANGED, OPTIONS } from './rule-files.ts';

const HOST = 'compare.bench.localhost';

/** Imports the rules, then restarts the service as its users do. */
export async function startDetour(bench: Bench, version: string): Promise<Contender> {
  const count = bench.rows;
  const first = await bench.service();
  const hosts = [{ hostname: HOST, environment: 'production' }];
  const { caseSensitive: case_sensitive, trailingSlash: trailing_slash, query } = OPTIONS;
  const body = JSON.stringify({ name: 'compare', hosts, auto_deploy: true, case_sensitive, trailing_slash, query });
  const { website } = await first.call<{ website: { id: number } }>('POST', '/api/websites', body);
  await postBulk(first, { id: website.id, host: HOST }, (await bench.files()).ndjson(0));
  await untilServed(first, HOST, benchRow(count - 1).oldPath);
  if ((await snapshotBytes(join(first.dataDir, 'rulesets'))) === undefined) throw new Error('no snapshot after 60 s');
  const list = `/api/redirects?website_id=${website.id}&limit=1&q=${encodeURIComponent(benchRow(CHANGED).oldPath)}`;
  const [changed] = (await first.call<{ redirects: { id: number }[] }>('GET', list)).redirects;
  await bench.stopService();

  const launched = await onServerCore(() => launch(first.dataDir));
  const rules = { count, generation: 0 };
  const at = { port: Number(new URL(launched.address).port), host: HOST };
  const startSeconds = await untilRedirect(at, rules, { since: launched.spawnedAt, hasEnded: launched.hasExited });
  await launched.ready;
  return {
    ...{ name: 'Detour, hits recorded', pid: launched.pid, ...at, count, startSeconds, version },
    async edit(generation) {
      const target = JSON.stringify({ new_path: benchRow(CHANGED, generation).newPath });
      const since = performance.now();
      const response = await fetch(`${launched.address}/api/redirects/${changed?.id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', cookie: first.cookie },
        body: target,
      });
      if (!response.ok) throw new Error(`edit: ${response.status} ${await response.text()}`);
      return untilRedirect(at, { count, generation }, { since });
    },
  };
}

export async function startBare({ port, host, count }: Contender): Promise<Contender> {
  const { response } = await sameResponse(port, { id: 0, host }, count);
  const since = performance.now();
  const bare = await onServerCore(() => startBareServer(response));
  const startSeconds = (performance.now() - since) / 1_000;
  const version = process.versions.node;
  const row = { name: 'node:http, one constant response', count, startSeconds, version };
  return { ...row, pid: bare.pid, port: bare.port, host };
}
