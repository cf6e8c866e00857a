import type { Deployment } from '../../api/client/wire.ts';

/** `version 6`; after a rollback or an undo, which publish a new one, `version 6 (the rules of version 4)`. */
export function versionName({ kind, source, version }: Pick<Deployment, 'kind' | 'source' | 'version'>): string {
  const rules = kind === 'rollback' && source ? ` (the rules of version ${source.version})` : '';
  return `version ${version ?? ''}${rules}`;
}
