/** JSON Schemas of the document, from the zod schemas of the routes. */
import { z } from 'zod';

export type Schema = z.core.JSONSchema.JSONSchema;

export interface SchemaWriter {
  /** schemas with a `meta.id`, filled by `write` */
  readonly named: Readonly<Record<string, Schema>>;
  /** The schema of the wire format, with references to `named`. */
  write(schema: z.ZodType): Schema;
}

export function createSchemaWriter(): SchemaWriter {
  const named: Record<string, Schema> = {};
  return {
    named,
    write(schema) {
      // The input of a codec is its wire format, in requests and in responses.
      const { $schema: _, $defs = {}, ...body } = z.toJSONSchema(schema, { io: 'input' });
      Object.assign(named, rewrite($defs));
      return rewrite(body);
    },
  };
}

/** Points references to the components of the document, and simplifies each schema, innermost first. */
function rewrite<T>(schemas: T): T {
  const json = JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(json, (key, value) => {
    const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isSchema && key !== 'properties' ? simplify(value) : value;
  });
}

/** Removes what the type or format says already, and writes unions in their shortest form. */
function simplify({ id: _, ...schema }: Schema): Schema {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const hasFormat = schema.format === 'date-time' || schema.format === 'date';
  if (hasFormat || schema.type !== 'string') delete schema.pattern;
  if (schema.type === 'boolean') delete schema.enum;
  const { anyOf, ...rest } = schema;
  const [one, ...others] = anyOf?.filter((part) => part.type !== 'null') ?? [];
  if (!one) return schema;
  if (others.length === 0 && anyOf?.length === 2 && typeof one.type === 'string') {
    const types: unknown = [one.type, 'null'];
    return Object.assign(rest, one, { type: types }, one.enum && { enum: [...one.enum, null] });
  }
  if (others.length > 0 && [one, ...others].every((part) => typeof part.const === 'number')) {
    return { ...rest, type: 'integer', enum: [one, ...others].map((part) => part.const as number) };
  }
  return schema;
}
