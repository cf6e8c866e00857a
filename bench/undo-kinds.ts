/** The undo of each kind of change, and the undo of that undo, against what they take back, at every size. */
import { type Bench, type BenchWebsite, createWebsite, dropWebsite } from './context.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import type { Service } from './service.ts';
import { seconds } from './statistics.ts';

const SIZES = [10, 1_000, 5_000, 20_000, 200_000];
/** Redirects in one call. */
const MAX_ROWS = 1_000_000;
/** Ids in one call. */
const MAX_IDS = 10_000;
/** Larger sizes are measured once. */
const MAX_REPEATED = 20_000;

interface Kind {
  /** the redirects before the change: an index in [from, to) is the path, its generation the target; default: `size` */
  before?: (size: number) => object[];
  change: (service: Service, website: BenchWebsite, size: number, ids: number[]) => Promise<unknown>;
  /** creates redirects, which an undo deletes */
  creates?: true;
  /** of a change by ids */
  maxSize?: typeof MAX_IDS;
}

function entriesOf(from: number, to: number, generation = 0): object[] {
  return Array.from({ length: to - from }, (_, index) => {
    const { oldPath, newPath, status } = benchRow(from + index, generation);
    return { old_path: oldPath, new_path: newPath, status_code: status };
  });
}

const load = (service: Service, { id }: BenchWebsite, redirects: object[]) =>
  service.keyCall('POST', '/api/v1/redirects/bulk', JSON.stringify({ website_id: String(id), redirects }));
const sync = (service: Service, { id }: BenchWebsite, redirects: object[]) =>
  service.keyCall('PUT', `/api/v1/websites/${id}/redirects?max_delete=100%25`, JSON.stringify({ redirects }));
const call = (service: Service, path: string, body: object) => service.call('POST', path, JSON.stringify(body));
const chains = (size: number): object[] =>
  Array.from({ length: size }, (_, n) => [
    { old_path: `/first/${n}`, new_path: `/second/${n}` },
    { old_path: `/second/${n}`, new_path: `/last/${n}` },
  ]).flat();

async function idsOf(service: Service, { id }: BenchWebsite): Promise<number[]> {
  const ids: number[] = [];
  let cursor = '';
  do {
    const path = `/api/redirects?website_id=${id}&limit=1000${cursor}`;
    const page = await service.call<{ redirects: { id: number }[]; next_cursor: string | null }>('GET', path);
    ids.push(...page.redirects.map((redirect) => redirect.id));
    cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== '');
  return ids;
}

const KINDS: Record<string, Kind> = {
  import: {
    before: () => [],
    change: (service, website, size) => load(service, website, entriesOf(0, size)),
    creates: true,
  },
  'import of known paths': { change: (service, website, size) => load(service, website, entriesOf(0, size, 1)) },
  'sync of new targets': { change: (service, website, size) => sync(service, website, entriesOf(0, size, 1)) },
  'sync of other paths': { change: (service, website, size) => sync(service, website, entriesOf(size, 2 * size)) },
  'update by filter': {
    change: (service, { id }) =>
      call(service, '/api/redirects/bulk-update', { filter: { website_id: id }, updates: { notes: 'n' } }),
  },
  'update by ids': {
    change: (service, _website, _size, redirectIds) =>
      call(service, '/api/redirects/bulk-update', { redirectIds, updates: { status_code: 308 } }),
    maxSize: MAX_IDS,
  },
  'deletion by filter': {
    change: (service, { id }) =>
      service.call('DELETE', '/api/redirects/bulk-delete', JSON.stringify({ filter: { website_id: id } })),
  },
  flattening: {
    before: chains,
    change: (service, { id }) => call(service, `/api/websites/${id}/health/flatten`, { environment: 'production' }),
  },
};

interface Ratios {
  undo: number;
  redo: number;
}

/** The best of some repeats, each with a website of its own. */
async function measure(bench: Bench, kind: Kind, size: number): Promise<Ratios> {
  const service = await bench.service();
  const best = { change: Infinity, undo: Infinity, redo: Infinity };
  const repeats = size > MAX_REPEATED ? 1 : bench.repeats;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const website = await createWebsite(service, `undo${websites++}`, false);
    const before = kind.before?.(size) ?? entriesOf(0, size);
    for (let at = 0; at < before.length; at += MAX_ROWS) await load(service, website, before.slice(at, at + MAX_ROWS));
    const ids = kind.maxSize ? await idsOf(service, website) : [];
    best.change = Math.min(best.change, await seconds(() => kind.change(service, website, size, ids)));
    best.undo = Math.min(best.undo, await undo(service, website, size));
    best.redo = Math.min(best.redo, await undo(service, website, size));
    if (size > MAX_REPEATED) await dropWebsite(service, website);
  }
  return { undo: best.undo / best.change, redo: best.redo / best.undo };
}

let websites = 0;

/** Undoes the last change of the website. Returns the seconds that it takes. */
async function undo(service: Service, { id }: BenchWebsite, size: number): Promise<number> {
  const list = `/api/changes?website_id=${id}&limit=1`;
  const [last] = (await service.call<{ changes: { id: string }[] }>('GET', list)).changes;
  let touched = 0;
  const taken = await seconds(async () => {
    const path = `/api/changes/${last?.id}/undo`;
    const { undo } = await service.call<{ undo: Record<string, number> }>('POST', path, '{}');
    touched = (undo['restored'] ?? 0) + (undo['recreated'] ?? 0) + (undo['deleted'] ?? 0);
  });
  if (touched < size) throw new Error(`the undo of ${size} redirects changed ${touched}`);
  return taken;
}

/** Prints each ratio, and reports the worst of created redirects and of others. */
export async function measureUndoKinds(bench: Bench): Promise<void> {
  const raw = { created: {} as Record<string, number>, others: {} as Record<string, number> };
  for (const [name, kind] of Object.entries(KINDS)) {
    const sizes = [...new Set([...SIZES, bench.rows])];
    for (const size of sizes.filter((each) => each <= Math.min(bench.rows, kind.maxSize ?? Infinity))) {
      const ratios = await measure(bench, kind, size);
      console.log(`  ${name}, ${size}: undo ${ratios.undo.toFixed(2)} x, undo of it ${ratios.redo.toFixed(2)} x`);
      raw[kind.creates ? 'created' : 'others'][`${name} ${size}`] = ratios.undo;
      raw.others[`undo of ${name} ${size}`] = ratios.redo;
    }
  }
  report('undoCreated', Math.max(...Object.values(raw.created)), raw.created);
  report('undoOthers', Math.max(...Object.values(raw.others)), raw.others);
}
