/** Rolling a large website back and promoting it, until the service answers from it. */
import type { BenchWebsite } from './import.ts';
import { report, seconds } from './report.ts';
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

/** The website has all its rules live in production since version 1, and edits after that. */
export async function measureRollbacks(subject: Subject, { id }: BenchWebsite, count: number): Promise<void> {
  const production = { website_id: id, environment: 'production' };
  const small = await seconds(() =>
    deployed(subject, '/api/deployments/rollback', { ...production, version: 1 }),
  );
  report({ name: 'rollback over a few edits, until live', value: small, unit: 's', promise: 1 });
  const promote = { website_id: id, from: 'production', to: 'staging' };
  const large = await seconds(() => deployed(subject, '/api/deployments/promote', promote));
  report({
    name: `promotion of ${count.toLocaleString('en')} rules, until live`,
    value: large,
    unit: 's',
    promise: 5,
  });
  await subject.call('POST', '/api/deployments', JSON.stringify(production));
}
