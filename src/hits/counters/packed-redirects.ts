/**
 * Counters of redirects as bytes outside of the heap, which take a tenth of the memory of the objects. A run has those of
 * some requests in ascending order of ids. It never changes: runs of the same day are merged when they are read.
 */
import type { PendingCounters, SiteCounters } from './counters.ts';
import { createPackReader, createPackWriter } from './pack-bytes.ts';
import { RedirectCounters } from './redirect-counters.ts';

/** Packs the counters of all redirects, and yields after each. Requests that are counted later make further runs. */
export function* packRedirects(pending: PendingCounters): Generator<undefined, void, undefined> {
  for (const sites of pending.days.values()) {
    for (const site of sites.values()) {
      if (site.redirects.size === 0) continue;
      const writer = createPackWriter();
      for (const redirect of sorted(site)) {
        redirect.pack(writer);
        yield;
      }
      const run = writer.bytes();
      pending.packedBytes += run.length;
      site.runs.push(run);
      site.redirects = new Map();
    }
  }
  pending.bytes = 0;
}

/** Yields the counters of each redirect once: in ascending order of ids if some are packed. */
export function* redirectsOf(site: SiteCounters): Generator<RedirectCounters> {
  if (site.runs.length === 0) return yield* site.redirects.values();
  const readers = [...site.runs.map(unpack), sorted(site).values()];
  const heads = readers.map((reader) => reader.next().value);
  for (;;) {
    let first: RedirectCounters | undefined;
    for (const head of heads) if (head && !(first && first.redirectId <= head.redirectId)) first = head;
    if (!first) return;
    for (const [i, head] of heads.entries()) {
      if (head?.redirectId !== first.redirectId) continue;
      if (head !== first) first.merge(head.all(), head.lastHitAt);
      heads[i] = readers[i]?.next().value;
    }
    yield first;
  }
}

const sorted = ({ redirects }: SiteCounters): RedirectCounters[] =>
  [...redirects.values()].sort((a, b) => a.redirectId - b.redirectId);

function* unpack(run: Buffer): Generator<RedirectCounters, undefined> {
  const reader = createPackReader(run);
  while (!reader.isAtEnd()) yield RedirectCounters.unpack(reader);
}
