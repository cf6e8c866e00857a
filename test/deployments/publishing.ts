/** Shared by the tests of rollbacks and promotions. */
import type { PoolClient } from 'pg';
import type { TestAccount, TestDetour } from '../support/detour.ts';
import { type DeploymentAnswer, ended } from '../support/site.ts';
import { until } from '../support/wait.ts';
import { expectStatus } from '../support/expect-status.ts';

/** Asks for the version and waits for the deployment's end. */
export async function rollBack(
  owner: TestAccount,
  site: number,
  version: number,
  environment = 'production',
): Promise<DeploymentAnswer> {
  const asked = { website_id: site, environment, version };
  const { status, text, body } = await owner.call('POST', '/api/deployments/rollback', asked);
  expectStatus({ status, text }, 202);
  return ended(owner, body.deployment.id);
}

/** Promotes and waits for the deployment's end. */
export async function promote(owner: TestAccount, site: number, from: string, to: string): Promise<DeploymentAnswer> {
  const { status, text, body } = await owner.call('POST', '/api/deployments/promote', {
    website_id: site,
    from,
    to,
  });
  expectStatus({ status, text }, 202);
  return ended(owner, body.deployment.id);
}

/** The Location that the process at this address sends to a visitor. */
export async function visitAt(address: string, host: string, path: string): Promise<string | undefined> {
  const { hostname, port } = new URL(address);
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.headers.location);
    })
      .on('error', reject)
      .end();
  });
}

/** deployed_to_prod of a redirect. */
export async function stored(owner: TestAccount, id: number): Promise<string | null> {
  return (await owner.call('GET', `/api/redirects/${id}`)).body.redirect.deployed_to_prod;
}

/** Times are whole seconds, so a later one shows once the next second has begun. */
export async function nextSecond(detour: TestDetour): Promise<void> {
  const now = async () =>
    (await detour.db.$client.query('select floor(extract(epoch from now()))::int as at')).rows[0].at;
  const begin = await now();
  await until(async () => (await now()) > begin);
}

/** Keeps every process from deploying the environment, as if another one did, until it is released. */
export async function hold(detour: TestDetour, site: number, environment: string): Promise<PoolClient> {
  const id = site * 4 + ['production', 'staging', 'development'].indexOf(environment);
  const client = await detour.db.$client.connect();
  await client.query('select pg_advisory_lock(7003, $1)', [id]);
  return client;
}

export async function release(client: PoolClient): Promise<void> {
  await client.query('select pg_advisory_unlock_all()');
  client.release();
}
