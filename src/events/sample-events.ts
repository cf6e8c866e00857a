/** Sample events for tests of webhooks: like real events, with `test: true`. */
import { isoSeconds } from '../platform/clock.ts';
import type { EventKind } from '../vocabulary/kinds.ts';

/** Returns the exact body to sign and send. Its ids, 0 and `..._test`, are never those of real objects. */
export function sampleBody(event: EventKind, now: Date): string {
  const timestamp = isoSeconds(now);
  return JSON.stringify({ event, timestamp, data: { ...sampleData(event, timestamp), test: true } });
}

function sampleData(event: EventKind, at: string): object {
  switch (event) {
    case 'redirect.created':
    case 'redirect.deleted':
      return { redirect: sampleRedirect(at) };
    case 'redirect.updated':
      return { redirect: sampleRedirect(at), previous: { new_path: '/before' } };
    case 'deployment.started':
      return { deployment: sampleDeployment(at) };
    case 'deployment.completed':
      return {
        deployment: {
          ...sampleDeployment(at),
          redirect_count: 1,
          deployed_at: at,
          version: 1,
          changes: SAMPLE_CHANGES,
        },
      };
    case 'deployment.failed':
      return { deployment: { ...sampleDeployment(at), error: 'This is a test: no deployment failed' } };
    case 'bulk_import.completed':
      return {
        import: {
          import_id: 'imp_test',
          website_id: '0',
          source: 'api',
          summary: { total_submitted: 1, created: 1, updated: 0, skipped: 0, errors: 0 },
          processing_time: '0.01s',
          completed_at: at,
        },
      };
    case 'bulk_export.completed':
      return {
        export: {
          export_id: 'exp_test',
          website_id: '0',
          format: 'json',
          filters: {},
          total_count: 1,
          exported_at: at,
        },
      };
    case 'check.completed':
      return {
        check: {
          check_id: 'chk_test',
          website_id: '0',
          environment: 'production',
          kind: 'targets',
          total: 1,
          states: { dead: 1 },
          newly_broken_count: 1,
          newly_broken: [{ url: 'https://www.example.com/gone', state: 'dead', reason: 'http_404' }],
          completed_at: at,
        },
      };
  }
}

const SAMPLE_CHANGES = { added: 1, changed: 0, removed: 0 };

function sampleRedirect(at: string): object {
  return {
    id: '0',
    website_id: '0',
    old_path: '/old',
    new_path: '/new',
    status_code: 301,
    is_regex: false,
    active_from: null,
    active_until: null,
    group_id: null,
    notes: 'This is a test: there is no such redirect',
    target_environments: ['production'],
    created_at: at,
    updated_at: at,
    deployed_to_prod: at,
    deployed_to_staging: null,
    deployed_to_dev: null,
  };
}

function sampleDeployment(at: string): object {
  return {
    website_id: '0',
    environment: 'production',
    redirect_count: null,
    deployed_at: null,
    deployment_id: 'dep_test',
    version: null,
    started_at: at,
    error: null,
    note: null,
    changes: null,
    warnings: [],
    warning_count: 0,
  };
}
