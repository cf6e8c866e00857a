/** The service and its embedded server after kills at different moments. */
import { once } from 'node:events';
import { readdirSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processIdentity } from '../../src/platform/process/process-identity.ts';
import { openWorkshop, type Workshop } from '../support/process.ts';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop.clear());

test('after kill -9, the next start stops the orphaned server and has all committed data', async () => {
  const first = workshop.start();
  await first.ready;
  const left = workshop.postgresPid();
  first.signal('SIGKILL');
  await first.ended;
  const identity = processIdentity(left ?? 0);
  expect(identity).toBeDefined();
  const second = workshop.start();
  await second.ready;
  expect(processIdentity(left ?? 0)).not.toBe(identity);
  expect(workshop.postgresPid()).toBeDefined();
  expect(second.stdout()).not.toContain('password');
  second.signal('SIGTERM');
  expect((await second.ended).code).toBe(0);
});

test('if the server crashes, the process exits with 1', async () => {
  const service = workshop.start();
  await service.ready;
  process.kill(workshop.postgresPid() ?? 0, 'SIGKILL');
  const { code, stderr } = await service.ended;
  expect(code).toBe(1);
  expect(stderr).toContain('the embedded PostgreSQL ended');
});

test('a killed process leaves its compiled code, so that its next start does not compile', async () => {
  const code = join(workshop.dataDir, '..', 'code');
  const killed = workshop.start({ NODE_COMPILE_CACHE: code });
  await killed.ready;
  killed.signal('SIGKILL');
  await killed.ended;
  const files = readdirSync(code, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(1_000);
});

test('an orphaned server is stopped even if the folder is given as a symbolic link', async () => {
  const first = workshop.start();
  await first.ready;
  const left = workshop.postgresPid() ?? 0;
  first.signal('SIGKILL');
  await first.ended;
  const link = `${workshop.dataDir}-link`;
  symlinkSync(workshop.dataDir, link);
  const identity = processIdentity(left);
  const second = workshop.start({ DATA_DIR: link });
  await second.ready;
  expect(identity).toBeDefined();
  expect(processIdentity(left)).not.toBe(identity);
});

test('after kill -9 during the first start, the next start prints the password', async () => {
  const first = workshop.start();
  // The server exists and the account may exist: any moment from here on must work.
  while (workshop.postgresPid() === undefined) await new Promise((resolve) => setImmediate(resolve));
  first.signal('SIGKILL');
  await first.ended;
  const second = workshop.start();
  const address = await second.ready;
  const [, email] = /email +(\S+)/.exec(second.stdout()) ?? [];
  const [, password] = /password +(\S+)/.exec(second.stdout()) ?? [];
  const signIn = await fetch(`${address}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(signIn.status).toBe(200);
});

test('SIGTERM with a request that never ends exits with 0 within 10 s and leaves no server running', async () => {
  const service = workshop.start();
  const { port } = new URL(await service.ready);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    'POST /api/auth/sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  );
  await once(socket, 'connect');
  await fetch(`http://127.0.0.1:${port}/health`); // the other request has been read before this one
  const sent = performance.now();
  service.signal('SIGTERM');
  const { code } = await service.ended;
  const took = performance.now() - sent;
  socket.destroy();
  expect(code).toBe(0);
  expect(took).toBeGreaterThan(7_000);
  expect(took).toBeLessThan(10_000);
  expect(workshop.postgresPid()).toBeUndefined();
});
