/**
 * Names of fields: snake_case on the wire, camelCase in code. The schemas of the routes describe the wire. Handlers get
 * and return objects with the camelCase names, so no route maps its fields one by one.
 */
import type { z } from 'zod';

type CamelName<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelName<Tail>>}` : Name;

/** A value of a schema with the names of code. The keys of a record are data, not names. */
export type Camel<T> = T extends Date | File
  ? T
  : T extends readonly unknown[]
    ? { [Index in keyof T]: Camel<T[Index]> }
    : T extends object
      ? { [Name in keyof T as CamelName<Name>]: Camel<T[Name]> }
      : T;

/** The camelCase of a name on the wire. */
export function camelName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Renames the fields of a decoded request. */
export function namesFromWire<Schema extends z.ZodType>(
  schema: Schema,
): (value: z.output<Schema>) => Camel<z.output<Schema>> {
  return converter(schema, 'from-wire');
}

/**
 * Renames the fields of a response, for an encoder that runs afterwards. Fields that the schema does not have are left
 * out, so that a handler may return an object that has more.
 */
export function namesToWire<Schema extends z.ZodType>(
  schema: Schema,
): (value: Camel<z.output<Schema>>) => z.output<Schema> {
  return converter(schema, 'to-wire');
}

/** As namesToWire, and encodes the values too. For streamed JSON: does not check them, which takes twice the time. */
export function wireWriter<Schema extends z.ZodType>(
  schema: Schema,
): (value: Camel<z.output<Schema>>) => z.input<Schema> {
  return converter(schema, 'write');
}

type Way = 'from-wire' | 'to-wire' | 'write';
type Step = (value: unknown) => unknown;

function converter<Input, Output>(schema: z.ZodType, way: Way): (value: Input) => Output {
  const step = stepOf(schema, way) ?? ((value) => value);
  return (value) => step(value) as Output;
}

/** The conversion of one value; undefined if it stays as it is. */
function stepOf(schema: z.core.$ZodType, way: Way): Step | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return objectStep(def.shape, way);
  if (def.type === 'pipe') return pipeStep(def, way);
  if (def.type === 'array') {
    const item = stepOf(def.element, way);
    return item && ((list) => (Array.isArray(list) ? list.map(item) : list));
  }
  if (def.type === 'record') {
    const item = stepOf(def.valueType, way);
    return item && ((record) => mapValues(record, item));
  }
  if (def.type === 'nullable' || def.type === 'optional' || def.type === 'nonoptional' || def.type === 'default') {
    const inner = stepOf(def.innerType, way);
    return inner && ((value) => (value === null || value === undefined ? value : inner(value)));
  }
  if (def.type === 'union' && def.options.some((option) => stepOf(option, way))) {
    throw new Error('a union of objects has no single names');
  }
  if (UNSUPPORTED.has(def.type)) throw new Error(`names of fields in a schema of type ${def.type} are not converted`);
  return undefined;
}

/** Schemas that may have objects inside, which no route uses. */
const UNSUPPORTED = new Set(['lazy', 'intersection', 'tuple', 'map', 'set', 'promise', 'readonly', 'catch']);

/** Code handles the output of a pipe, which is a preprocessed body or a decoded value. */
function pipeStep({ out, reverseTransform }: z.core.$ZodPipeDef, way: Way): Step | undefined {
  const outer = stepOf(out, way);
  if (way !== 'write' || !reverseTransform) return outer;
  return (value) => reverseTransform(outer ? outer(value) : value, { value, issues: [] });
}

function objectStep(shape: z.core.$ZodShape, way: Way): Step | undefined {
  const fields = Object.entries(shape).map(([wire, schema]) => {
    const step = stepOf(schema, way);
    const code = camelName(wire);
    return way === 'from-wire' ? { from: wire, to: code, step } : { from: code, to: wire, step };
  });
  if (way === 'from-wire' && fields.every(({ from, to, step }) => from === to && !step)) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const renamed: Record<string, unknown> = {};
    for (const { from, to, step } of fields) {
      const field: unknown = Reflect.get(value, from);
      if (field !== undefined) renamed[to] = step ? step(field) : field;
    }
    return renamed;
  };
}

function mapValues(record: unknown, step: Step): unknown {
  if (typeof record !== 'object' || record === null) return record;
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, step(value)]));
}
