/** The section of one operation: request and response, and beside them the curl command and the recorded response. */
import type { Content, Operation, Response } from '../openapi.ts';
import type { Schema } from '../json-schema.ts';
import { fieldList, parameterList, typeOf } from './fields.ts';
import { html, type Html, shownJson, inline, prose } from './markup.ts';

export interface PlacedOperation {
  method: string;
  path: string;
  operation: Operation;
}

export function operationSection({ method, path, operation }: PlacedOperation): Html {
  const { operationId, summary, description } = operation;
  const breakablePath = path.split(/(?<=\/)/).map((part) => html`${part}<wbr />`);
  return html`<article class="operation" id="${operationId}">
    <div class="text-column">
      <h3>${summary}</h3>
      <p class="address"><span class="method ${method}">${method}</span> <code>${breakablePath}</code></p>
      ${description !== undefined && prose(description)}
      <p class="small">${operation['x-access']}</p>
      ${request(operation)} ${responseList(operation)}
    </div>
    <div>${calls(operation)}</div>
  </article> `;
}

function request({ parameters = [], requestBody }: Operation): Html {
  const lists = (['path', 'query'] as const).map((place) => {
    const placed = parameters.filter((parameter) => parameter.in === place);
    return (
      placed.length > 0 &&
      html`<h4>${place === 'path' ? 'Path' : 'Query'}</h4>
        ${parameterList(placed)}`
    );
  });
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) =>
      html`<h4>Body <span class="type">${type}${requestBody?.required === false && ', optional'}</span></h4>
        ${fieldList(schema, true) ?? bodyText(schema)}`,
  );
  return html`${lists}${bodies}`;
}

function bodyText(schema: Schema): Html {
  return html`<p>${schema.description === undefined ? typeOf(schema) : inline(schema.description)}</p>`;
}

function responseList({ responses }: Operation): Html {
  const all = Object.entries(responses);
  const errors = all.filter(([status]) => !status.startsWith('2'));
  return html`${all.map(([status, response]) => status.startsWith('2') && successResponse(status, response))}
    <details>
      <summary>Errors <span class="type">${errors.map(([status]) => status).join(', ')}</span></summary>
      <dl class="errors">
        ${errors.map(
          ([status, { description }]) =>
            html`<dt>${status}</dt>
              <dd>${prose(description)}</dd>`,
        )}
      </dl>
    </details>`;
}

function successResponse(status: string, { description, content = {} }: Response): Html {
  const bodies = Object.entries(content).map(([type, { schema }]) => {
    const isJson = type === 'application/json';
    const hasText = isJson || schema.description !== undefined;
    return html`${!isJson && html`<p class="type">${type}</p>`} ${fieldList(schema) ?? (hasText && bodyText(schema))}`;
  });
  return html`<h4>Response <span class="status">${status}</span></h4>
    <p>${inline(description)}</p>
    ${bodies}`;
}

function calls({ 'x-codeSamples': [sample], responses }: Operation): Html {
  const example = Object.values(responses)
    .flatMap(({ content = {} }) => Object.entries(content))
    .find(([, media]) => media.example !== undefined);
  return html`<div class="curl">
      <pre tabindex="0" aria-label="curl"><code>${sample?.source}</code></pre>
    </div>
    ${example && shownExample(...example)}`;
}

function shownExample(type: string, { example }: Content[string]): Html {
  const shown = type === 'application/json' ? shownJson(example) : String(example);
  return html`<pre tabindex="0" aria-label="Response"><code>${shown}</code></pre>`;
}
