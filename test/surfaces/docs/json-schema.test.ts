import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSchemaWriter } from '../../../src/surfaces/docs/json-schema.ts';

const write = (schema: z.ZodType) => createSchemaWriter().write(schema);

test('a codec is described by its wire format', () => {
  const Time = z.codec(z.iso.datetime(), z.date(), { decode: (text) => new Date(text), encode: String });
  expect(write(Time.describe('When.'))).toEqual({
    type: 'string',
    format: 'date-time',
    description: 'When.',
  });
});

test('null becomes one more type and one more value', () => {
  expect(write(z.string().nullable())).toEqual({ type: ['string', 'null'] });
  expect(write(z.enum(['a', 'b']).nullable())).toEqual({ type: ['string', 'null'], enum: ['a', 'b', null] });
});

test('a union of numbers becomes one list, any other union stays', () => {
  expect(write(z.union([z.literal(301), z.literal(302)]))).toEqual({ type: 'integer', enum: [301, 302] });
  expect(write(z.union([z.string(), z.array(z.int())]))).toEqual({
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }],
  });
});

test('an integer has only the limits that the schema sets', () => {
  expect(write(z.int())).toEqual({ type: 'integer' });
  expect(write(z.int().min(1))).toEqual({ type: 'integer', minimum: 1 });
});

test('a schema with an id becomes a component, also if a field is named like a keyword', () => {
  const schemas = createSchemaWriter();
  const Named = z.object({ id: z.int(), pattern: z.string().describe('A pattern.') }).meta({ id: 'Named' });
  expect(schemas.write(z.object({ one: Named.describe('One.') }))).toMatchObject({
    properties: { one: { $ref: '#/components/schemas/Named', description: 'One.' } },
  });
  expect(schemas.named['Named']).toMatchObject({
    properties: { id: { type: 'integer' }, pattern: { type: 'string', description: 'A pattern.' } },
    required: ['id', 'pattern'],
  });
});
