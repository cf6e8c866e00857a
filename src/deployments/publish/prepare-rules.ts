import { type Db, withClient } from '../../db/client.ts';
import { candidateFor } from '../live/candidate.ts';
import type { PrepareRules } from '../live/prepare.ts';
import { findLoops } from './loops.ts';

/** Prepares rules in this thread, from this database. */
export function prepareRulesFrom(db: Db): PrepareRules {
  return async ({ websiteId, from, to, loopsIn }) => {
    const { startKeys, ...prepared } = await withClient(db, (client) => candidateFor(client, websiteId, from, to));
    if (!loopsIn) return { ...prepared, loops: [] };
    const own = new Set(loopsIn.ownHosts);
    const candidate = { ...prepared, startKeys };
    return { ...prepared, loops: await findLoops(candidate, loopsIn.options, (host) => own.has(host)) };
  };
}
