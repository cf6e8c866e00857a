import { once } from 'node:events';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { type Command, type Context, SHARE, text } from '../command.ts';
import type { SyncCounts } from '../sync/call-sync.ts';
import { FORMAT_OPTION, openInput, sendFile } from '../sync/redirects-file.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

const NAME = `(${ENVIRONMENTS.join('|')})`;
const GATE = {
  pattern: new RegExp(`^(off|${NAME}(,${NAME})*)$`),
  must: `be off, or a list of ${ENVIRONMENTS.join(', ')}`,
};

const PAGE_SIZE = 1_000;

export const pushExpectations: Command = {
  summary: 'Replaces the stored expectations of a website by those of a file.',
  words: 'FILE',
  options: {
    ...WEBSITE_OPTION,
    ...FORMAT_OPTION,
    'max-delete': {
      value: 'N|N%',
      form: SHARE,
      help: 'The most expectations that may be deleted. Default 10%, at least 10.',
    },
    gate: { value: 'LIST', form: GATE, help: 'The environments to gate, such as production; off: no gate.' },
  },
  notes: `Each entry has url and status_code, and may have environment, and location or final. In a gated environment, a
deployment goes live only if its rules meet all expectations. Without --gate, the gate stays as it is.`,
  async run(context) {
    const file = await openInput(context, context.words[0] ?? '', 'expectations');
    const website = await websiteOf(context);
    const result = await sendFile<Omit<SyncCounts, 'unchanged'>>(context, file, {
      method: 'PUT',
      path: `/websites/${website.id}/expectations`,
      query: { max_delete: text(context, 'max-delete') },
    });
    const { created, updated, deleted } = result;
    const gate = await setGate(context, website.id);
    const counts = `${created} created, ${updated} updated, ${deleted} deleted`;
    const gated = gate && `; gated: ${gate.join(', ') || 'nothing'}`;
    return { text: counts + (gated ?? ''), json: { ...result, ...(gate && { gated_environments: gate }) } };
  },
};

/** Sets the gate to the environments of `--gate` and returns them; undefined without it. */
async function setGate(context: Context, websiteId: string): Promise<string[] | undefined> {
  const value = text(context, 'gate');
  if (value === undefined) return undefined;
  const environments = value === 'off' ? [] : value.split(',');
  const body = JSON.stringify({ gated_environments: environments });
  await context.client.call({
    method: 'PUT',
    path: `/websites/${websiteId}`,
    body: { type: 'application/json', open: () => body, isReplayable: true },
  });
  return environments;
}

type StoredEntry = Record<'url' | 'environment' | 'status_code' | 'location' | 'final', unknown>;

/** An entry without its last result, which is no part of a file. */
const fileEntry = ({ url, environment, status_code, location, final }: StoredEntry): StoredEntry => {
  return { url, environment, status_code, location, final };
};

export const pullExpectations: Command = {
  summary: 'Prints the stored expectations of a website as NDJSON.',
  options: WEBSITE_OPTION,
  async run(context) {
    const website = await websiteOf(context);
    const { stdout } = context.terminal;
    let cursor: string | undefined;
    do {
      const query = { limit: PAGE_SIZE, cursor };
      const page = await context.client.get<{ expectations: StoredEntry[]; next_cursor: string | null }>(
        `/websites/${website.id}/expectations`,
        query,
      );
      const lines = page.expectations.map((entry) => `${JSON.stringify(fileEntry(entry))}\n`).join('');
      if (!stdout.write(lines)) await once(stdout, 'drain');
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return undefined;
  },
};
