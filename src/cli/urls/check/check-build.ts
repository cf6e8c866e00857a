/** Compares the URLs that a build answers with those that the stored lists answer. */
import type { Call } from '../../client.ts';
import { type Context, text } from '../../command.ts';
import { linesOf } from '../../sync/pick-columns.ts';
import { bodyOf } from '../spool.ts';

export interface LostUrl {
  url: string;
  weight?: number;
  /** such as `dead_end` */
  reason?: string | null;
  /** with `--suggest` */
  suggested?: string | null;
  confidence?: string | null;
  suggestions?: { target: string }[];
}

/** The first 1,000 entries of each list, worst first. */
interface Answer {
  /** counts of URLs by what answers them */
  check: Record<string, number>;
  /** of the list that was sent */
  body?: { ignored: number; invalid: number };
  lost: LostUrl[];
  shadowed: { url: string; redirect_id: string | number; kind: string }[];
  dangling: { redirect_id: string | number; old_path: string; new_path: string }[];
}

/** The counts of the build, and the entries that the stored lists do not have. */
export interface BuildCheck extends Answer {
  /** URLs that are lost with the stored lists as well */
  lostBefore: number;
}

/** Two checks: one of the stored lists, one with the file in their place. */
export async function checkBuild(context: Context, websiteId: string, file: string): Promise<BuildCheck> {
  const [stored, built] = callsOf(context, websiteId, file);
  const before = await context.client.call<Answer>(stored);
  const after = await context.client.call<Answer>(built);
  const known = new Set<string>();
  for await (const { url } of allLost(context, before, stored)) known.add(url);
  const lost: LostUrl[] = [];
  for await (const row of allLost(context, after, built)) if (!known.has(row.url)) lost.push(row);
  return {
    check: after.check,
    ...(after.body && { body: after.body }),
    lost,
    lostBefore: (after.check['lost'] ?? 0) - lost.length,
    shadowed: newRows(after.shadowed, before.shadowed, ({ url }) => url),
    dangling: newRows(after.dangling, before.dangling, ({ redirect_id: id }) => String(id)),
  };
}

/** The options of a check are its body, or the query if the body is a list. */
function callsOf(context: Context, websiteId: string, file: string): [stored: Call, built: Call] {
  const place = { environment: text(context, 'environment') };
  const [against, suggest] = [text(context, 'against'), text(context, 'suggest')];
  const options = { ...place, against: against !== undefined && /^\d/.test(against) ? Number(against) : against };
  const call = { method: 'POST', path: `/websites/${websiteId}/urls/check`, canRepeat: true };
  const body = { type: 'application/json', open: () => JSON.stringify(options), isReplayable: true };
  const query = { ...place, list: text(context, 'list'), living: 'body', against, suggest };
  return [
    { ...call, body },
    { ...call, body: bodyOf(file), query },
  ];
}

/** All lost URLs of an answer. If there are more than it has, they are a second response, as lines. */
async function* allLost({ client }: Context, { check, lost }: Answer, call: Call): AsyncGenerator<LostUrl> {
  if (lost.length >= (check['lost'] ?? 0)) return yield* lost;
  const { stream } = await client.stream({ ...call, query: { ...call.query, section: 'lost', format: 'ndjson' } });
  for await (const line of linesOf(stream)) {
    yield JSON.parse(line) as LostUrl;
  }
}

function newRows<T>(after: T[], before: T[], keyOf: (row: T) => string): T[] {
  const known = new Set(before.map(keyOf));
  return after.filter((row) => !known.has(keyOf(row)));
}
