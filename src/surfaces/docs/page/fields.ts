/** Schemas as lists of fields: name, type, limits, what it means. */
import type { Schema } from '../json-schema.ts';
import type { Parameter } from '../openapi.ts';
import { html, type Html } from './html.ts';
import { inline } from './prose.ts';

interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
  description: string | undefined;
}

export function parameterList(parameters: readonly Parameter[]): Html {
  return list(
    parameters.map(({ name, schema, required, description }) => ({
      name,
      schema,
      isRequired: required,
      description,
    })),
    true,
  );
}

/** The fields of an object with nested objects inside; undefined for a schema without fields. */
export function fieldList(schema: Schema, showsRequired = false): Html | undefined {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]): Field => {
    const own = typeof field === 'object' ? field : {};
    const isRequired = schema.required?.includes(name) ?? false;
    return { name, schema: own, isRequired, description: own.description };
  });
  return fields.length === 0 ? undefined : list(fields, showsRequired);
}

function list(fields: Field[], showsRequired: boolean): Html {
  return html`<ul class="fields">
    ${fields.map((field) => {
      const { name, schema, isRequired, description } = field;
      const inner = innerObject(schema);
      return html`<li>
        <code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>
        ${showsRequired && isRequired && html`<span class="required">required</span>`}
        ${description !== undefined && html`<p>${inline(description)}</p>`}
        ${inner && fieldList(inner, showsRequired)}
      </li>`;
    })}
  </ul>`;
}

/** The object whose fields are shown inside a field: the field itself or its elements. */
function innerObject(schema: Schema): Schema | undefined {
  if (schema.properties) return schema;
  const { items, anyOf } = schema;
  if (typeof items === 'object' && !Array.isArray(items)) return innerObject(items);
  for (const part of anyOf ?? []) {
    const inner = typeof part === 'object' ? innerObject(part) : undefined;
    if (inner) return inner;
  }
  return undefined;
}

/** A type in words, named objects as links to their fields. */
export function typeOf(schema: Schema): Html {
  const { $ref, anyOf, items, type, format } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return html`<a href="#object-${name}">${name}</a>`;
  }
  if (anyOf)
    return joined(
      anyOf.map((part) => typeOf(typeof part === 'object' ? part : {})),
      ' or ',
    );
  if (type === 'array') {
    const limits = range(schema.minItems, schema.maxItems, 'entries');
    return html`array of ${typeOf(typeof items === 'object' && !Array.isArray(items) ? items : {})}${limits}`;
  }
  if (schema.enum)
    return joined(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' ',
    );
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const names: Record<string, string> = { 'date-time': 'time', date: 'day', binary: 'file' };
  const name = names[format ?? ''] ?? (typeof type === 'string' ? type : 'object');
  const limits =
    range(schema.minimum, schema.maximum, '') ?? range(schema.minLength, schema.maxLength, 'characters');
  const types: unknown = type;
  if (!Array.isArray(types)) return html`${name}${limits}`;
  const words = types.map((one: unknown) => (one === 'null' ? 'null' : (names[format ?? ''] ?? String(one))));
  return html`${words.join(' or ')}${limits}`;
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (max === undefined && !min) return undefined;
  const digits = (count: number): string => count.toLocaleString('en');
  const numbers = max === undefined ? `from ${digits(min ?? 0)}` : `${digits(min ?? 0)} to ${digits(max)}`;
  return `, ${numbers} ${unit}`.trimEnd();
}

function joined(parts: Html[], separator: string): Html {
  return html`${parts.map((part, at) => html`${at > 0 && separator}${part}`)}`;
}
