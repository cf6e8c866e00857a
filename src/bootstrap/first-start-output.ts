/** Prints the result of the first start: the credentials once, then a command to try when the demo website is live. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from '../db/client.ts';
import type { Config } from '../platform/config.ts';
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

/**
 * Waits until the demo website is live and prints the command. Returns false if its deployment failed; stops if
 * `isStopping`.
 */
export async function printDemoCommand(
  db: Db,
  credentials: Credentials,
  config: Config,
  isStopping: () => boolean,
): Promise<boolean> {
  let state = await readDemoState(db, credentials);
  while (state === 'pending' && !isStopping()) {
    await pause(POLL_MS);
    state = await readDemoState(db, credentials);
  }
  if (state === 'live') console.log(`\nTry it:\n\n  ${demoCommand(credentials, config)}\n`);
  return state !== 'failed';
}

function demoCommand({ hosts }: Credentials, { host, port }: Config): string {
  const demo = hosts[0] ?? '';
  const isLocal = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host);
  // curl resolves *.localhost to this machine (RFC 6761). Any other address needs the Host header.
  if (isLocal) return `curl -i http://${demo}:${port}${DEMO_PATH}`;
  const address = host.includes(':') ? `[${host}]` : host;
  return `curl -i -H 'Host: ${demo}' http://${address}:${port}${DEMO_PATH}`;
}
