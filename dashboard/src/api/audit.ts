import type { AuditAction } from '../../../src/vocabulary/audit.ts';
import { call } from './client.ts';
import type { AuditPage } from './wire.ts';

/** The audit log, newest first; for owners. */
export const listAudit = (
  query: { action?: AuditAction | undefined; cursor?: string | undefined; limit: number },
  signal?: AbortSignal,
) => call<AuditPage>('GET', '/api/audit', { query, signal });
