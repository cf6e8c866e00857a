/** Requests to the measured service: the session API, the key API and visitors. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';

export interface Credentials {
  email: string;
  password: string;
  api_key: string;
}

export interface Client {
  cookie: string;
  /** the session API; `body` is JSON text or a form. Waits for the next minute if the rate limit is exceeded. */
  call<Body>(method: string, path: string, body?: string | FormData): Promise<Body>;
  /** the key API */
  keyCall<Body>(method: string, path: string, body?: string): Promise<Body>;
  /** POSTs a streamed body to the key API */
  post(path: string, type: string, body: AsyncIterable<Buffer>): Promise<string>;
  /** the text of a response of the key API */
  text(path: string): Promise<string>;
  /** reads a response to its end, and returns its size in bytes */
  download(path: string): Promise<number>;
}

export interface Visit {
  status: number;
  location: string | undefined;
}

export async function signIn(address: string, { email, password, api_key }: Credentials): Promise<Client> {
  const response = await fetch(`${address}/api/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const key = { authorization: `Bearer ${api_key}` };
  return {
    cookie,
    call: (method, path, body) => call(address, { cookie }, method, path, body),
    keyCall: (method, path, body) => call(address, key, method, path, body),
    post: (path, type, body) => post(address + path, { ...key, 'content-type': type }, body),
    text: (path) => text(address + path, key),
    download: (path) => download(address + path, path.includes('/v1/') ? key : { cookie }),
  };
}

async function call<Body>(
  address: string,
  credentials: Record<string, string>,
  method: string,
  path: string,
  body?: string | FormData,
): Promise<Body> {
  const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  const headers = { ...credentials, ...json };
  const response = await fetch(address + path, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (response.status === 429) {
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(response.headers.get('retry-after') ?? 1)));
    return call(address, credentials, method, path, body);
  }
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Body;
}

async function post(url: string, headers: Record<string, string>, body: AsyncIterable<Buffer>): Promise<string> {
  const request = httpRequest(url, { method: 'POST', headers });
  const answered = once(request, 'response');
  await pipeline(body, request);
  const [response] = (await answered) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${text.slice(0, 500)}`);
  return text;
}

async function text(url: string, headers: Record<string, string>): Promise<string> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.text();
}

/** Over plain node:http, because the reader shares the CPU with the service. */
async function download(url: string, headers: Record<string, string>): Promise<number> {
  const asked = httpRequest(url, { headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  if (!response.complete) throw new Error(`${url}: incomplete response`);
  return bytes;
}

const visitors = new Agent({ keepAlive: true });

/** Requests a page of a website over a kept-alive connection. */
export function visit(address: string, host: string, path: string): Promise<Visit> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path, headers: { host }, agent: visitors };
    const request = httpRequest(options, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, location: response.headers.location }));
    });
    request.on('error', reject).end();
  });
}
