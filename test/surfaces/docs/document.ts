/** The operations of the served document, and validation of responses against it with Fastify's Ajv. */
import Fastify from 'fastify';
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
  const schemas = new Map<string, Node>();
  for (const [id, { operation }] of operationsOf(document))
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const schema = content?.['application/json']?.schema;
      if (schema) schemas.set(`/${id}/${status}`, withComponents(local(schema), components));
    }
  app.post<{ Body: { body: unknown } }>('/:id/:status', async (request, reply) => {
    const schema = schemas.get(request.url);
    if (!schema) return reply.callNotFound();
    // Compiled when it is first needed: most statuses of most operations never are.
    const fits = request.compileValidationSchema(schema);
    return fits(request.body) ? 'fits' : reply.code(400).send(fits.errors);
  });
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

const withComponents = (shape: Node, components: Node): Node => ({
  ...{ type: 'object', required: ['body'], properties: { body: shape } },
  $defs: usedBy(shape, components),
});

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
