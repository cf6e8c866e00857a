/** The ids of websites, by host or name, or all of the key. Stored, so that a start needs no service. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFetch } from './node-fetch.ts';

export type WebsiteNames = Awaited<ReturnType<typeof openWebsiteNames>>;

interface Website {
  id: string;
  name: string;
  hosts: { hostname: string }[];
}

interface StoredNames {
  url?: string;
  all?: number[];
  ids?: Record<string, number>;
}

const FILE = 'websites.json';
const TIMEOUT_MS = 30_000;

/** Reads the names that are stored in the folder. */
export async function openWebsiteNames(dir: string, { url, apiKey }: { url: string; apiKey: string }) {
  const path = join(dir, FILE);
  const file = await readFile(path, 'utf8')
    .then((text): StoredNames => JSON.parse(text))
    .catch((): StoredNames => ({}));
  let all = file.url === url ? file.all : undefined;
  const ids = new Map(file.url === url ? Object.entries(file.ids ?? {}) : []);

  async function store(): Promise<void> {
    const draft = `${path}.draft`;
    await writeFile(draft, JSON.stringify({ url, all, ids: Object.fromEntries(ids) }), { mode: 0o600 });
    await rename(draft, path);
  }

  const request = (signal: AbortSignal, headers: Record<string, string> = {}) =>
    nodeFetch(`${url}/api/v1/websites`, {
      headers: { authorization: `Bearer ${apiKey}`, ...headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });

  return {
    /** The id that was stored for this name; the number itself if the name is an id. */
    stored: (name: string) => (/^[1-9]\d{0,14}$/.test(name) ? Number(name) : ids.get(name)),
    /** Asks the service, and stores the id. Throws an error that says what to do. */
    async find(name: string, signal: AbortSignal) {
      const response = await request(signal);
      if (!response.ok) throw new Error(`${url} responds with ${response.status} to the search for "${name}"`);
      const { websites } = (await response.json()) as { websites: Website[] };
      const id = choose(websites, name);
      ids.set(name, id);
      await store();
      return id;
    },
    /** The ids that `list` stored. */
    storedList: () => all,
    /** Asks the service for the ids of all websites, and stores them. Undefined if they are those of `etag`. */
    async list(etag: string | undefined, signal: AbortSignal) {
      const response = await request(signal, etag === undefined ? {} : { 'if-none-match': etag });
      if (response.status === 304) return undefined;
      if (!response.ok) throw new Error(`${url} responds with ${response.status} to the list of websites`);
      const { websites } = (await response.json()) as { websites: Website[] };
      const found = websites.map(({ id }) => Number(id));
      if (found.join() !== all?.join()) {
        all = found;
        await store();
      }
      return { ids: found, etag: response.headers.get('etag') ?? undefined };
    },
  };
}

/** A host takes precedence over a name. */
function choose(websites: Website[], wanted: string): number {
  const name = wanted.toLowerCase();
  const byHost = websites.find(({ hosts }) => hosts.some(({ hostname }) => hostname === name));
  const named = websites.filter((website) => website.name.toLowerCase() === name);
  const found = byHost ?? (named.length === 1 ? named[0] : undefined);
  if (found) return Number(found.id);
  const reason = named.length > 1 ? 'several websites have the name' : 'the key sees no website with the host or name';
  throw new Error(`${reason} "${wanted}": correct --website, or use the id`);
}
