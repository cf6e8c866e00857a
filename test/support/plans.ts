/** Reports what each statement of a database really did, from the plans that auto_explain sends to the client. */
import type { PoolClient } from 'pg';
import type { Db } from '../../src/db/connection/client.ts';

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/** A statement, triggers' included, and the rows that its nodes produced or discarded, repetitions counted. */
export interface Work {
  statement: string;
  rows: number;
  plan: PlanNode;
}

/** Turns the reports on, and autovacuum off. Call it before the database has connections that it must see. */
export async function recordPlans(db: Db): Promise<Work[]> {
  const settings = {
    session_preload_libraries: `'auto_explain'`,
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_parameter_max_length': '0',
  };
  const { rows } = await db.execute<{ name: string }>('select current_database() as name');
  for (const [name, value] of Object.entries(settings)) {
    await db.execute(`alter database ${rows[0]?.name} set ${name} = ${value}`);
  }
  for (const table of ['redirects', 'redirect_revisions', 'expectations', 'changes', 'import_errors']) {
    await db.execute(`alter table ${table} set (autovacuum_enabled = off)`);
  }
  const works: Work[] = [];
  db.$client.on('connect', (client: PoolClient) => {
    client.on('notice', ({ message = '' }) => {
      const start = message.indexOf('plan:\n');
      if (start < 0) return;
      const { 'Query Text': statement, Plan: plan } = JSON.parse(message.slice(start + 6)) as {
        'Query Text': string;
        Plan: PlanNode;
      };
      works.push({ statement, rows: workOf(plan), plan });
    });
  });
  // Connections that are open already have other settings.
  const idle = await Promise.all(Array.from({ length: db.$client.totalCount }, () => db.$client.connect()));
  for (const client of idle) client.release(true);
  return works;
}

function workOf(node: PlanNode): number {
  const { 'Actual Rows': rows = 0, 'Actual Loops': loops = 1 } = node;
  const removed =
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return (node.Plans ?? []).reduce((sum, child) => sum + workOf(child), loops * (rows + removed));
}
