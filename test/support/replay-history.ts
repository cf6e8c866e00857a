/** Replays a history with the command `detour urls` against a service of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { startTestDetour } from './detour.ts';
import { createSite } from './site.ts';
import type { SiteCommit } from './site-history.ts';

/** Stores the redirects of each commit, checks its pages against them and pushes them. Expects exactly its losses. */
export async function replayHistory(history: SiteCommit[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'detour-replay-'));
  const detour = await startTestDetour();
  const owner = await detour.account();
  const site = String(await createSite(owner, ['replay.example'], { auto_deploy: false }));

  async function command(...args: string[]): Promise<{ exit: number; json: unknown }> {
    const stdout = new PassThrough();
    const env = { HOME: folder, DETOUR_URL: detour.address, DETOUR_API_KEY: owner.key };
    const io = { env, stdin: Readable.from([]), stdout, stderr: new PassThrough() };
    const exit = await run(['urls', ...args, join(folder, 'pages.txt'), '--website', site, '--json'], io);
    return { exit, json: JSON.parse(String(stdout.read())) };
  }

  try {
    for (const [index, { subject, pages, redirects, expectLost }] of history.entries()) {
      writeFileSync(join(folder, 'pages.txt'), `${pages.join('\n')}\n`);
      const path = `/api/v1/websites/${site}/redirects?max_delete=100%25`;
      expect((await owner.keyCall('PUT', path, { redirects })).status, subject).toBe(200);
      if (index > 0) {
        const { exit, json } = await command('check', '--against', 'draft');
        const { lost_urls: lost } = json as { lost_urls: { url: string }[] };
        expect({ exit, lost: lost.map(({ url }) => url).toSorted() }, subject).toEqual({
          exit: expectLost.length > 0 ? 3 : 0,
          lost: expectLost,
        });
      }
      expect((await command('push', '--max-removed', '100%')).exit, subject).toBe(0);
    }
  } finally {
    await detour.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
