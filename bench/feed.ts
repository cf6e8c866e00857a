/** The feed of a large website: all rules, a difference of ten, and how soon a follower that waits has it. */
import type { Bench } from './context.ts';
import { rawCopyOutSeconds } from './limits.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import type { Service } from './service.ts';
import { median, seconds } from './statistics.ts';

const CHANGED = 10;
/** Changes of the website in one run; few, because each is a version. */
const ROUNDS = 10;

export async function measureFeed(bench: Bench): Promise<void> {
  const website = await bench.website();
  const service = await bench.service();
  const path = `/api/v1/feeds/${website.id}/production`;
  const limits: number[] = [];
  const taken: number[] = [];
  let bytes = 0;
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    limits.push(await rawCopyOutSeconds(service.databaseUrl, website.id));
    taken.push(await seconds(async () => (bytes = await service.download(path))));
  }
  report('feedTime', median(taken) / median(limits), { seconds: taken, copy_seconds: limits, mb: bytes / 1e6 });

  let version = await liveVersion(service, website.id);
  const followed: number[] = [];
  const difference: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const held = followedVersion(service, `${path}?since=${version}&wait=60`);
    const redirects = Array.from({ length: CHANGED }, (_, index) => {
      const { oldPath, newPath } = benchRow(index, 1_000 + round);
      return { old_path: oldPath, new_path: newPath };
    });
    await service.keyCall('POST', '/api/v1/redirects/bulk', JSON.stringify({ website_id: `${website.id}`, redirects }));
    const writtenAt = performance.now();
    const next = await held;
    followed.push(performance.now() - writtenAt);
    difference.push(1_000 * (await seconds(() => followedVersion(service, `${path}?since=${version}`))));
    version = next;
  }
  report('feedDifference', median(difference), { ms: difference });
  report('feedFollowed', median(followed), { ms: followed });
}

async function liveVersion(service: Service, websiteId: number): Promise<number> {
  const found = `/api/v1/deployments?website_id=${websiteId}&environment=production&limit=1`;
  const { deployments } = await service.keyCall<{ deployments: { version: number }[] }>('GET', found);
  return deployments[0]?.version ?? 0;
}

/** Reads a difference to its end, and returns its version. Throws if it has not exactly the changed redirects. */
async function followedVersion(service: Service, path: string): Promise<number> {
  const lines = (await service.text(path)).trimEnd().split('\n');
  const puts = lines.filter((line) => line.startsWith('{"put"')).length;
  if (puts !== CHANGED || lines.length !== CHANGED + 2) throw new Error(`${path}: ${lines.join('\n').slice(0, 500)}`);
  const { version } = JSON.parse(lines[0] ?? '') as { version: number };
  return version;
}
