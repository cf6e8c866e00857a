/** The calls that replace a list of living pages: one body, or an upload of several. */
import type { Query } from '../client.ts';
import { type Context, text } from '../command.ts';
import { ApiError } from '../errors.ts';
import type { Progress } from '../progress.ts';
import { bodyOf } from './spool.ts';

type Count = 'total' | 'added' | 'revived' | 'removed' | 'unchanged' | 'merged' | 'ignored' | 'invalid' | 'not_living';
export type Counts = Record<Count, number>;

export interface Pushed {
  urls: Counts;
  list_version: number;
  merged_examples: string[];
  merged_parameters: string[];
  ignored_hosts: { host: string; rows: number; reason: string }[];
  invalid_examples: { line: number; value: string; code: string }[];
}

export interface List {
  websiteId: string;
  /** as a message names it, such as the path of a folder */
  source: string;
  /** the files to send, in order */
  files: Iterable<string> | AsyncIterable<string>;
  /** number of files; several are an upload */
  parts: number;
}

/** Sends the list with the options of the command. Throws an ApiError that names them. */
export async function pushList(
  context: Context,
  list: List,
  isDryRun: boolean,
  show: Progress['show'],
): Promise<Pushed> {
  show('sending');
  try {
    return await (list.parts > 1 ? upload(context, list, isDryRun, show) : put(context, list, isDryRun));
  } catch (error) {
    const refusal = error instanceof ApiError ? refusalText(error, list.source) : undefined;
    throw error instanceof ApiError && refusal ? new ApiError(error.status, error.body, refusal) : error;
  }
}

/** The options that say which list it is. */
export function placeOf(context: Context): Query {
  return {
    list: text(context, 'list'),
    environment: text(context, 'environment'),
    from_hosts: text(context, 'from-hosts'),
  };
}

const conditionsOf = (context: Context, isDryRun: boolean): Query => ({
  max_removed: text(context, 'max-removed'),
  ...(isDryRun && { dry_run: true }),
});

async function put(context: Context, { websiteId, files }: List, isDryRun: boolean): Promise<Pushed> {
  const query = { ...placeOf(context), ...conditionsOf(context, isDryRun) };
  for await (const file of files) {
    const call = { method: 'PUT', path: `/websites/${websiteId}/urls/living`, query, body: bodyOf(file) };
    return context.client.call<Pushed>(call);
  }
  throw new Error('a list has a file');
}

/** Nothing is stored before the commit. A part that is sent again replaces itself. */
async function upload(
  context: Context,
  { websiteId, files, parts }: List,
  isDryRun: boolean,
  show: Progress['show'],
): Promise<Pushed> {
  const { client } = context;
  const path = `/websites/${websiteId}/urls/uploads`;
  const { list, environment, from_hosts: hosts } = placeOf(context);
  const fields = { list, environment, from_hosts: typeof hosts === 'string' ? hosts.split(',') : undefined };
  const { upload: opened } = await client.post<{ upload: { id: string } }>(path, fields);
  let part = 0;
  for await (const file of files) {
    show(`sending part ${++part} of ${parts}`);
    const call = { method: 'POST', path: `${path}/${opened.id}/parts`, query: { part }, canRepeat: true };
    await client.call({ ...call, body: bodyOf(file) });
  }
  const query = conditionsOf(context, isDryRun);
  return client.call<Pushed>({ method: 'POST', path: `${path}/${opened.id}/commit`, query });
}

/** Why the guard refuses the list, and the option that allows it; undefined for other errors. */
function refusalText({ code, body }: ApiError, source: string): string | undefined {
  const { removed, total, max_removed: allowed } = body;
  if (code !== 'TOO_MANY_GONE' || removed === undefined || total === undefined || allowed === undefined) return;
  const [gone, all, most] = [removed, total, allowed].map((count) => count.toLocaleString('en'));
  return `the push would remove ${gone} of ${all} URLs from the list, and may remove ${most}; nothing was changed. Check that ${source} is complete. To apply it, add --max-removed ${removed}`;
}
