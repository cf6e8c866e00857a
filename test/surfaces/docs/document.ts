/** The operations of the served document, and validation of responses against it with Fastify's Ajv. */
import Fastify, { type FastifyInstance } from 'fastify';
import type { OpenApi, Operation } from '../../../src/surfaces/docs/openapi.ts';

export interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

export function operationsOf(document: OpenApi): Map<string, Placed> {
  const placed = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Placed] => [
      operation.operationId,
      { method: method.toUpperCase(), path, operation },
    ]),
  );
  return new Map(placed);
}

export interface AnswerCheck {
  /** the mismatch between a JSON response and the document; '' if it matches */
  problem(operationId: string, status: number, body: unknown): Promise<string>;
  close(): Promise<void>;
}

export async function createAnswerCheck(document: OpenApi): Promise<AnswerCheck> {
  const app = Fastify({
    // The document itself is one of the bodies.
    bodyLimit: 16 * 1024 * 1024,
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        strict: false,
      },
    },
  });
  const local = (value: unknown): Node =>
    closed(JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/')));
  const components = local(document.components.schemas);
  for (const [id, { operation }] of operationsOf(document)) addRoutes(app, id, operation, { local, components });
  await app.ready();
  return {
    async problem(operationId, status, body) {
      const url = `/${operationId}/${status}`;
      const answer = await app.inject({ method: 'POST', url, payload: { body } });
      return answer.statusCode === 200 ? '' : `${url}: ${answer.body}`;
    },
    close: () => app.close(),
  };
}

type Node = Record<string, unknown>;

/** Rejects fields that the schema does not name, so that a response has only documented fields. */
function closed(schema: Node): Node {
  const inner = Object.entries(schema).map(([name, part]): [string, unknown] => {
    if (name === 'allOf' || typeof part !== 'object' || part === null) return [name, part];
    return [name, Array.isArray(part) ? part.map((one: unknown) => closedIfNode(one)) : closed({ ...part })];
  });
  const isOpen = typeof schema['properties'] === 'object' && !('additionalProperties' in schema);
  return { ...Object.fromEntries(inner), ...(isOpen && { additionalProperties: false }) };
}

const closedIfNode = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && !Array.isArray(part) ? closed({ ...part }) : part;

function addRoutes(
  app: FastifyInstance,
  id: string,
  { responses }: Operation,
  { local, components }: { local: (value: unknown) => Node; components: Node },
): void {
  for (const [status, { content }] of Object.entries(responses)) {
    const schema = content?.['application/json']?.schema;
    if (!schema) continue;
    const shape = local(schema);
    const body = {
      type: 'object',
      required: ['body'],
      properties: { body: shape },
      $defs: usedBy(shape, components),
    };
    app.post(`/${id}/${status}`, { schema: { body } }, () => 'fits');
  }
}

/** The components that a schema refers to, directly or not. Ajv reads all that it gets, for every response. */
function usedBy(schema: Node, components: Node): Node {
  const used: Node = {};
  const pending = [JSON.stringify(schema)];
  for (let text = pending.pop(); text !== undefined; text = pending.pop()) {
    for (const [, name = ''] of text.matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (name in used) continue;
      used[name] = components[name];
      pending.push(JSON.stringify(components[name]));
    }
  }
  return used;
}
