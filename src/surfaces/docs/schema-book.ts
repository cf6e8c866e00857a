/** From zod schemas to the JSON Schemas of the document: what is on the wire, in as few words as it takes, each field described. */
import { z } from 'zod';
import { fieldText } from './field-texts.ts';

export type Schema = z.core.JSONSchema.JSONSchema;

export interface SchemaBook {
  /** schemas that have an id, by it; filled by `write` */
  readonly named: ReadonlyMap<string, Schema>;
  /** The schema of what is sent, with references to `named`. `name` is what its fields are looked up under in field-texts.ts. */
  write(schema: z.ZodType, name: string): Schema;
}

const REFERENCE = '#/components/schemas/';

export function createSchemaBook(): SchemaBook {
  const named = new Map<string, Schema>();
  return {
    named,
    write(schema, name) {
      // The input of a codec is what stands on the wire, in requests and answers alike.
      const { $schema: _, $defs = {}, ...body } = z.toJSONSchema(schema, { io: 'input' });
      for (const [id, definition] of Object.entries($defs)) named.set(id, tidy(definition, [id]));
      return tidy(body, [name]);
    },
  };
}

/** `names`: of the schema and of the fields on the way here. */
function tidy(schema: Schema, names: string[]): Schema {
  const { id: _, $ref, anyOf, properties, items, additionalProperties, ...rest } = withoutNoise(schema);
  const description = rest.description ?? (names.length > 1 ? fieldText(names) : undefined);
  return {
    ...($ref !== undefined && { $ref: $ref.replace('#/$defs/', REFERENCE) }),
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, tidy(asObject(field), [...names, name])]),
      ),
    }),
    ...(items !== undefined && !Array.isArray(items) && { items: tidyPart(items, names) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object'
          ? tidyPart(additionalProperties, names)
          : additionalProperties,
    }),
    ...(anyOf && oneOfMany(anyOf.map((part) => tidyPart(part, names)))),
    ...(description !== undefined && { description }),
  };
}

/** A part of a field: it is the field that is described. Fields of objects in it are looked up as those of the field. */
function tidyPart(part: Schema | boolean, names: string[]): Schema {
  const { description: _, ...tidied } = tidy(asObject(part), names);
  return tidied;
}

/** `true` and `{}` are the same schema. */
const asObject = (schema: Schema | boolean): Schema => (typeof schema === 'object' ? schema : {});

/** Limits that only say what a number is anyway, and expressions for what a format or type says. */
function withoutNoise(schema: Schema): Schema {
  const { minimum, maximum, pattern, enum: values, ...rest } = schema;
  const isSaid = rest.format === 'date-time' || rest.format === 'date' || rest.type !== 'string';
  return {
    ...rest,
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    ...(pattern !== undefined && !isSaid && { pattern }),
    ...(values && rest.type !== 'boolean' && { enum: values }),
  };
}

/** `null` as one more type, and constants as one list, where these say the same. */
function oneOfMany(parts: Schema[]): Schema {
  const [one, ...others] = parts.filter((part) => part.type !== 'null');
  if (one && others.length > 0 && [one, ...others].every((part) => typeof part.const === 'number')) {
    return { type: 'integer', enum: [one, ...others].flatMap((part) => part.const ?? []) };
  }
  const isNullable = one && others.length === 0 && parts.length === 2;
  if (!isNullable || typeof one.type !== 'string') return { anyOf: parts };
  return { ...one, type: [one.type, 'null'], ...(one.enum && { enum: [...one.enum, null] }) };
}
