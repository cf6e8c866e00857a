/** Tests a target that responds with 200 for a soft 404, with as few requests as its host allows. */
import { randomBytes } from 'node:crypto';
import { createTimeSlice } from '../../platform/scheduling/time-slice.ts';
import { addressOf, type Chain, type FollowOptions } from './follow.ts';
import type { ReadBody } from './request.ts';
import { createFingerprint, siblingOf } from './soft-404.ts';

const PIECE_BYTES = 8 * 1024;

/** Follows a URL as `follow` does. */
export type Walk = <Content = null>(url: string, options: FollowOptions<Content>) => Promise<Chain<Content>>;

export interface SoftTest {
  /** the chain of the target; its end as GET found it, if it was requested again */
  chain: Chain<unknown>;
  /** null: a page of its own, or the test is inconclusive */
  result: 'soft_404' | 'host_answers_everything' | null;
}

const fingerprint: ReadBody<string> = async (body, contentType, url) => {
  const page = createFingerprint(url, contentType);
  const slice = createTimeSlice();
  for await (const chunk of body)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      page.write(chunk.subarray(at, at + PIECE_BYTES));
      if (slice.isOver()) await slice.yield();
    }
  return page.end();
};

/**
 * Compares a target with a random sibling in its folder, and with the start page of its host if both are equal. Asks the
 * sibling by HEAD first, so that hosts with real 404s send no body. An answer that is missing proves nothing.
 */
export async function testSoft404(walk: Walk, target: string, chain: Chain<unknown>): Promise<SoftTest> {
  const sibling = siblingOf(new URL(target), randomBytes(8).toString('hex'));
  if (sibling === null || chain.status !== 200) return { chain, result: null };
  const missing = await walk(sibling, { method: 'HEAD' });
  if (missing.status !== 200) return { chain, result: null };
  if (chain.hops.length > 0 && addressOf(chain.end) === addressOf(missing.end)) return { chain, result: 'soft_404' };

  const page = await readEnd(walk, chain);
  // HEAD may respond otherwise than GET, which visitors use. A GET that fails or has to wait changes nothing.
  const whole =
    page.status === null || page.status === 429
      ? chain
      : { ...page, hops: [...chain.hops, ...page.hops], durationMs: chain.durationMs };
  if (page.status !== 200 || page.content === null) return { chain: whole, result: null };
  const other = await readEnd(walk, missing);
  if (other.status !== 200 || other.content !== page.content) return { chain: whole, result: null };

  const start = await walk(new URL('/', page.end).href, { method: 'GET', sendsOwn: page.isOwn, read: fingerprint });
  if (start.status === null || (start.status === 200 && start.content === null)) return { chain: whole, result: null };
  return { chain: whole, result: start.content === page.content ? 'host_answers_everything' : 'soft_404' };
}

/** Requests the end of a chain by GET. */
function readEnd(walk: Walk, { end, isOwn }: Chain<unknown>): Promise<Chain<string>> {
  return walk(end, { method: 'GET', sendsOwn: isOwn, read: fingerprint });
}
