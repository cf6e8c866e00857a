/** Rollback and promotion of a large website, until live. */
import type { BenchWebsite } from './import.ts';
import { report, seconds } from './report.ts';
import { benchRow, type BenchRow, rowText } from './rows.ts';
import type { Subject } from './subject.ts';

interface Answer {
  deployment: { id: string; status: string; version: number | null };
}

async function deployed(subject: Subject, path: string, body: object): Promise<void> {
  const { deployment } = await subject.call<Answer>('POST', path, JSON.stringify(body));
  for (let status = deployment.status; status !== 'completed';) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    status = (await subject.call<Answer>('GET', `/api/deployments/${deployment.id}`)).deployment.status;
    if (status === 'failed') throw new Error(`${path} failed`);
  }
}

/** Requires all rules live in production since version 1, and edits after it. */
export async function measureRollbacks(subject: Subject, { id }: BenchWebsite, count: number): Promise<void> {
  const production = { website_id: id, environment: 'production' };
  const small = await seconds(() => deployed(subject, '/api/deployments/rollback', { ...production, version: 1 }));
  report({ name: 'rollback over a few edits, until live', value: small, unit: 's', promise: 1 });
  const promote = { website_id: id, from: 'production', to: 'staging' };
  const large = await seconds(() => deployed(subject, '/api/deployments/promote', promote));
  report({
    name: `promotion of ${count.toLocaleString('en')} rules, until live`,
    value: large,
    unit: 's',
    promise: 5,
  });
  await deployed(subject, '/api/deployments', production);
}

/** Changes every live rule of the website by an import, then rolls back to the version before it. */
export async function measureLargeRollback(subject: Subject, { id, host }: BenchWebsite, count: number): Promise<void> {
  const live = { website_id: id, environment: 'production' };
  const path = `/api/deployments?website_id=${id}&environment=production&limit=1`;
  const newest = async (): Promise<Answer['deployment'] | undefined> =>
    (await subject.call<{ deployments: Answer['deployment'][] }>('GET', path)).deployments[0];
  const before = (await newest())?.version;
  await subject.post('/api/v1/redirects/bulk', 'application/json', changedBody(id, count));
  const { oldPath, newPath } = benchRow(count - 1, 1);
  while ((await subject.visit(host, oldPath)).location !== newPath)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const taken = await seconds(() => deployed(subject, '/api/deployments/rollback', { ...live, version: before }));
  const name = `rollback of ${count.toLocaleString('en')} changed rules, until live`;
  report({ name, value: taken, unit: 's', promise: 5 });
}

/** Every rule with another target. */
async function* changedBody(websiteId: number, count: number): AsyncGenerator<Buffer> {
  let separator = `{"website_id":"${websiteId}","redirects":[`;
  const entry = ({ oldPath, newPath, status }: BenchRow): string => {
    const text = `${separator}{"old_path":"${oldPath}","new_path":"${newPath}","status_code":${status}}`;
    separator = ',';
    return text;
  };
  for (const text of rowText(count, entry, 1)) yield Buffer.from(text);
  yield Buffer.from(']}');
}
