/** Schemas as lists of fields: name, type, limits, what it means. */
import type { Schema } from '../json-schema.ts';
import type { Parameter } from '../openapi.ts';
import { html, type Html, inline } from './markup.ts';

interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

export function parameterList(parameters: readonly Parameter[]): Html {
  const fields = parameters.map(({ name, schema, required, description = '' }) => ({
    name,
    schema: { ...schema, description },
    isRequired: required,
  }));
  return list(fields, true);
}

/** The fields of an object with nested objects inside; undefined for a schema without fields. */
export function fieldList({ properties = {}, required }: Schema, showsRequired = false): Html | undefined {
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: schemaOf(field),
    isRequired: required?.includes(name) ?? false,
  }));
  return fields.length === 0 ? undefined : list(fields, showsRequired);
}

function list(fields: Field[], showsRequired: boolean): Html {
  const items = fields.map(({ name, schema, isRequired }) => {
    const inner = innerObject(schema);
    return html`<li>
      <code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>
      ${showsRequired && isRequired && html`<span class="required">required</span>`}
      ${schema.description && html`<p>${inline(schema.description)}</p>`} ${inner && fieldList(inner, showsRequired)}
    </li>`;
  });
  return html`<ul class="fields">
    ${items}
  </ul>`;
}

/** The object whose fields are shown inside a field: the field itself, its elements or a part of a union. */
function innerObject(schema: Schema): Schema | undefined {
  if (schema.properties) return schema;
  const parts = schema.items ? [schema.items].flat() : (schema.anyOf ?? []);
  return parts.map((part) => innerObject(schemaOf(part))).find((inner) => inner);
}

/** JSON Schema allows a boolean in place of a schema. */
const schemaOf = (schema: Schema | boolean): Schema => (typeof schema === 'object' ? schema : {});

const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'time', date: 'day', binary: 'file' };

/** A type in words, named objects as links to their fields. */
export function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items, type, format = '' } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1);
    return html`<a href="#object-${name}">${name}</a>`;
  }
  const parts = anyOf?.map((part) => typeOf(schemaOf(part)));
  if (parts) return html`${parts.flatMap((part, at) => (at > 0 ? [' or ', part] : [part]))}`;
  if (type === 'array') {
    const [element = {}] = [items].flat();
    return html`array of ${typeOf(schemaOf(element))}${range(schema.minItems, schema.maxItems, 'entries')}`;
  }
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  if (values.length > 0) return html`${values.map((value) => html`<code>${JSON.stringify(value)}</code> `)}`;
  const types: unknown[] = [type ?? 'object'].flat();
  const words = types.map((one) => (one === 'null' ? one : (FORMATS[format] ?? one)));
  const limits = range(schema.minimum, schema.maximum, '') ?? range(schema.minLength, schema.maxLength, 'characters');
  return html`${words.join(' or ')}${limits}`;
}

function range(min = 0, max: number | undefined, unit: string): string | undefined {
  if (max === undefined && min === 0) return undefined;
  const from = min.toLocaleString('en');
  return `, ${max === undefined ? `from ${from}` : `${from} to ${max.toLocaleString('en')}`} ${unit}`.trimEnd();
}
