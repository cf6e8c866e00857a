/** Prints the result of the first start: the credentials once, then a command to try when the demo website is live. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../db/connection/client.ts';
import type { Config } from '../platform/config/config.ts';
import type { Log } from '../platform/log/log.ts';
import type { Credentials } from './credentials.ts';
import { DEMO_PATH, readDemoState } from './demo-website.ts';

const POLL_MS = 25;

export function printCredentials({ email, password, api_key: key }: Credentials, config: Config): void {
  console.log(`
First start: an account was created. It is shown once, and stored in ${config.dataDir}/credentials.json:
delete this file when you have stored its content elsewhere.

  sign in   ${config.publicUrl}
  email     ${email}
  password  ${config.ownerPassword === null ? password : 'the one of OWNER_PASSWORD'}
  API key   ${key}`);
}

/** Waits until the demo website is live. Returns false if its deployment failed, or if `isStopping`. */
export async function waitForDemo(
  db: Db,
  credentials: Credentials,
  { log, isStopping }: { log: Pick<Log, 'error'>; isStopping: () => boolean },
): Promise<boolean> {
  let state = await readDemoState(db, credentials);
  while (state === 'pending' && !isStopping()) {
    await pause(POLL_MS);
    state = await readDemoState(db, credentials);
  }
  if (state === 'failed') log.error('the demo website could not be deployed; see its deployments for the reason');
  return state === 'live';
}

/** Prints a command that works once every process serves the demo website. */
export function printDemoCommand(credentials: Credentials, config: Config): void {
  console.log(`\nTry it:\n\n  ${demoCommand(credentials, config)}\n`);
}

function demoCommand({ hosts }: Credentials, { host, port }: Config): string {
  const demo = hosts[0] ?? '';
  const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host);
  // curl resolves *.localhost to this machine (RFC 6761). Any other address needs the Host header.
  if (isLocal) return `curl -i http://${demo}:${port}${DEMO_PATH}`;
  const address = host.includes(':') ? `[${host}]` : host;
  return `curl -i -H 'Host: ${demo}' http://${address}:${port}${DEMO_PATH}`;
}
