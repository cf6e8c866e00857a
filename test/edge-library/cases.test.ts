/**
 * The cases of the resolver, as requests to the service's edge, and to Express and Fastify with the edge library. Holds
 * the rules of src/edge-library/fastify.ts, middleware.ts and node-response.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEdge, expressMiddleware, fastifyPlugin } from '../../src/edge-library/edge.ts';
import type { EdgeBehaviour, EdgeRule } from '../../src/edge-library/types.ts';
import { type EdgeServers, pipeline, startEdgeServers } from '../support/edge-servers.ts';

interface Case {
  name: string;
  rules: string[];
  options?: EdgeBehaviour;
  request: string;
  raw?: boolean;
  host?: string;
  scheme?: string;
}

const FOLDER = new URL('../resolver/cases/', import.meta.url);
const CASES: Case[] = readdirSync(FOLDER).flatMap((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')));

function edgeRule(text: string): EdgeRule {
  const [, pattern, from = '', status, to] = /^(~?)(.*?) -> (?:(\d{3}) ?)?(\/.*|https?:.*)?$/su.exec(text) ?? [];
  return { old_path: from, new_path: to ?? null, status_code: Number(status ?? 301), is_regex: pattern === '~' };
}

/** The service rejects some rules of the cases when they are written, and so does the library. */
function isAccepted(row: Case): boolean {
  let isValid = true;
  createEdge({ rules: row.rules.map(edgeRule), onWarning: () => (isValid = false) });
  return isValid;
}

const accepted = CASES.filter(isAccepted);
let plain: EdgeServers;
let after: EdgeServers;

beforeAll(async () => {
  const library = { createEdge, expressMiddleware, fastifyPlugin };
  plain = await startEdgeServers(library);
  after = await startEdgeServers(library, true);
});
afterAll(() => Promise.all([plain?.close(), after?.close()]));

async function responses(servers: EdgeServers, row: Case) {
  const host = row.host ?? 'shop.example';
  servers.use(host, row.rules.map(edgeRule), { ...row.options, trustScheme: row.scheme !== undefined });
  const target = row.raw === true ? row.request : Buffer.from(row.request).toString('latin1');
  const headers = [`Host: ${host}`, ...(row.scheme === undefined ? [] : [`X-Forwarded-Proto: ${row.scheme}`])];
  const request = [{ method: 'GET', target, headers }];
  const { service, express, fastify } = servers.ports;
  return Promise.all([service, express, fastify].map((port) => pipeline(port, request)));
}

test('Express and Fastify respond to every case as the service does', async () => {
  expect(accepted.length).toBeGreaterThan(CASES.length * 0.8);
  let redirects = 0;
  for (const row of accepted) {
    const [service, express, fastify] = await responses(plain, row);
    expect({ case: row.name, express, fastify }).toEqual({ case: row.name, express: service, fastify: service });
    if (service?.[0]?.startsWith('301')) redirects++;
  }
  expect(redirects).toBeGreaterThan(100);
});

test('with onlyOn404, the 404 of an application becomes the same response', async () => {
  for (const row of accepted.filter((_, index) => index % 4 === 0)) {
    const [service, express, fastify] = await responses(after, row);
    expect({ case: row.name, express }).toEqual({ case: row.name, express: service });
    // Fastify responds with 400 to other targets, which is the response of the application.
    if (isDecodable(row.request)) expect({ case: row.name, fastify }).toEqual({ case: row.name, fastify: service });
  }
});

function isDecodable(target: string): boolean {
  try {
    return decodeURIComponent(target) !== '';
  } catch {
    return false;
  }
}

test('handle responds to every case whose target the URL of a request keeps', () => {
  let compared = 0;
  for (const row of accepted) {
    const host = row.host ?? 'shop.example';
    const url = `${row.scheme ?? 'https'}://${host}${row.request}`;
    const request = URL.canParse(url) ? new Request(url) : undefined;
    // A fragment is in the URL of a request, but not in its target.
    if (request?.url !== url || url.includes('#')) continue;
    const edge = createEdge({ rules: row.rules.map(edgeRule), ...row.options, trustScheme: row.scheme !== undefined });
    const answer = edge.answer({ target: row.request, host, scheme: row.scheme });
    const response = edge.handle(request);
    const headers = answer?.headers.map(([name, value]) => [name.toLowerCase(), value]).toSorted();
    const known = response && { status: response.status, headers: [...response.headers].toSorted() };
    expect({ case: row.name, known }).toEqual({ case: row.name, known: answer && { status: answer.status, headers } });
    compared++;
  }
  expect(compared).toBeGreaterThan(100);
});
