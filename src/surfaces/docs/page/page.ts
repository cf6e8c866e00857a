/** The API reference as one HTML page, complete without JavaScript. */
import type { OpenApi } from '../openapi.ts';
import type { Schema } from '../json-schema.ts';
import { fieldList, typeOf } from './fields.ts';
import { html, type Html } from './html.ts';
import { operationSection, type PlacedOperation } from './operation-section.ts';
import { inline, prose } from './prose.ts';

/** Renders one operation a step, so that the caller can yield to the event loop; returns the page. */
export function* pageSteps(document: OpenApi): Generator<void, string> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): PlacedOperation => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const sections: Html[] = [];
  for (const tag of document.tags) {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag.name));
    const shown: Html[] = [];
    for (const one of own) {
      shown.push(operationSection(one));
      yield;
    }
    sections.push(
      html`<section id="${anchor(tag.name)}" class="part">
        <h2>${tag.name}</h2>
        <p class="lead">${inline(tag.description)}</p>
        ${shown}
      </section> `,
    );
  }
  const content = html`${introduction(document)}${sections}${objects(document)}`;
  return `<!doctype html>\n${frame(document, navigation(document, operations), content).html}`;
}

const anchor = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z]+/g, '-')
    .replace(/-$/, '');

function frame({ info }: OpenApi, nav: Html, content: Html): Html {
  return html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>API reference · ${info.title}</title>
      <link rel="icon" type="image/svg+xml" href="/docs/mark.svg" />
      <link rel="stylesheet" href="/docs/reference.css" />
      <script type="module" src="/docs/reference.js"></script>
    </head>
    <body>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <a class="brand" href="/"><img src="/docs/mark.svg" alt="" width="22" height="22" />${info.title}</a>
        <span class="where">API reference</span>
        <span class="spread"></span>
        <a class="download" href="/openapi.json">openapi.json</a>
      </header>
      <div class="layout">
        ${nav}
        <main id="content">${content}</main>
      </div>
    </body>
  </html>`;
}

function navigation(document: OpenApi, operations: PlacedOperation[]): Html {
  const parts = document.tags.map(
    ({ name }) =>
      html`<li class="group">
        <a class="tag" href="#${anchor(name)}">${name}</a>
        <ul>
          ${operations
            .filter(({ operation }) => operation.tags.includes(name))
            .map(
              ({ method, path, operation }) =>
                html`<li data-find="${`${method} ${path} ${operation.summary}`.toLowerCase()}">
                  <a href="#${operation.operationId}"
                    >${operation.summary} <span class="method ${method}">${method}</span></a
                  >
                </li>`,
            )}
        </ul>
      </li>`,
  );
  return html`<nav aria-label="Operations">
    <ul>
      <li><a class="tag" href="#introduction">Introduction</a></li>
      ${parts}
      <li><a class="tag" href="#objects">Objects</a></li>
    </ul>
  </nav>`;
}

function introduction({ info, servers }: OpenApi): Html {
  return html`<section id="introduction" class="part">
    <h1>API reference</h1>
    ${prose(info.description)}
    <p class="small">URL of this service: <code>${servers[0]?.url}</code> · version ${info.version}</p>
  </section>`;
}

function objects({ components }: OpenApi): Html {
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<article class="object" id="object-${name}">
        <h3>${name}</h3>
        ${schema.description !== undefined && html`<p>${inline(schema.description)}</p>`} ${fieldsOf(schema)}
      </article>`,
  );
  return html`<section id="objects" class="part">
    <h2>Objects</h2>
    ${schemas}
  </section>`;
}

const fieldsOf = (schema: Schema): Html => fieldList(schema) ?? html`<p>${typeOf(schema)}</p>`;
