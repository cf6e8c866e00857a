/** The response to a test of many URLs: its schema and the streamed JSON. */
import { z } from 'zod';
import type { Queryable } from '../../../db/connection/client.ts';
import { component, listOf } from '../../../http/wire/fields.ts';
import { type ResolvedUrl, resolveUrls } from '../../../deployments/live/resolve-urls.ts';
import { testAddress, type TestedSite } from '../../../deployments/live/test-url.ts';
import { readPageStates } from '../../../urls/page-state.ts';
import { readFinalTargets } from '../../../redirects/list/target-state.ts';
import { wireWriter } from '../../../http/wire/wire-names.ts';
import type { Dialect, Wire } from '../dialect.ts';
import {
  ChainOutcome,
  FinalPage,
  FinalTargetPart,
  fallbackOf,
  hopBody,
  hopSchema,
  inactiveBody,
  inactiveSchema,
  responseOf,
  testedBody,
  testedSchema,
} from './tested-url.ts';

/** Results whose targets are looked up with one query. */
const TARGETS_AT_A_TIME = 100;
/** Characters of JSON text in one chunk, unless a single result is longer. */
const CHUNK_LENGTH = 64 * 1_024;

/** `inactive`: the schema in `testedSchema`, because a document has one component of a name. */
export function resolvedSchema<W extends Wire>(dialect: Dialect<W>, inactive = inactiveSchema(dialect)) {
  const { id, named } = dialect;
  return component(named('ResolvedUrls'), {
    results: listOf('One result for each URL, in the order of `urls`.', {
      url: z.string().describe('The URL as it was sent.'),
      outcome: ChainOutcome,
      status_code: z.int().describe('The status that a visitor gets.'),
      location: z.string().nullable().describe('The `Location` that a visitor gets; otherwise null.'),
      redirect_id: id.nullable().describe('The id of the redirect that matches; otherwise null.'),
      inactive,
      final_url: z.string().describe('The URL at which the chain ends, or which a loop returns to.'),
      final_target: FinalTargetPart,
      final_page: FinalPage,
      hops: z.array(hopSchema(id)).describe('Every redirect, in order.'),
    }),
  });
}

/**
 * Tests one URL or a list, and writes the response as JSON text in chunks: a result may have 20 hops of some KB. Throws
 * as testAddress and resolveUrls.
 */
export async function* testedJson(
  db: Queryable,
  tested: TestedSite,
  { urls, at }: { urls: string | string[]; at: Date },
  dialect: Dialect,
): AsyncGenerator<string> {
  if (typeof urls === 'string') {
    const write = wireWriter(testedSchema(dialect));
    return yield JSON.stringify(write(await testedBody(db, tested, await testAddress(tested, urls, at))));
  }
  const write = wireWriter(resolvedSchema(dialect).shape.results.element);
  let text = '{"results":[';
  let separator = '';
  for await (const results of batches(resolveUrls(tested, urls, at), TARGETS_AT_A_TIME)) {
    for (const body of await resolvedBodies(db, tested, results)) {
      text += separator + JSON.stringify(write(body));
      separator = ',';
      if (text.length < CHUNK_LENGTH) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}]}`;
}

async function* batches<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    if (batch.push(item) < size) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function resolvedBodies(db: Queryable, { rules, site, environment }: TestedSite, results: ResolvedUrl[]) {
  const at = { websiteId: site.id, ruleset: rules.ruleset };
  const targets = await readFinalTargets(
    db,
    at,
    results.map(({ followed }) => followed),
  );
  const own = results.filter(({ followed }) => followed.outcome === 'end');
  const ends = own.map(({ followed }) => followed.finalUrl);
  const states = await readPageStates(db, { websiteId: site.id, environment }, ends);
  const pages = new Map(own.map((result, index) => [result, states[index]]));
  return results.map((result, index) => ({
    ...resolvedBody(result, site.fallbackUrl),
    finalTarget: targets[index] ?? null,
    finalPage: pages.get(result) ?? null,
  }));
}

function resolvedBody({ url, request, match, inactive, followed }: ResolvedUrl, fallbackUrl: string | null) {
  return {
    url,
    outcome: followed.outcome,
    ...responseOf(followed, match, () => fallbackOf(fallbackUrl, request)),
    redirectId: match?.id ?? null,
    inactive: inactiveBody(inactive),
    finalUrl: followed.finalUrl,
    hops: followed.hops.map(hopBody),
  };
}
