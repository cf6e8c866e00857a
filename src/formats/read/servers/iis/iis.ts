/**
 * A `web.config` of IIS: the rules of its URL Rewrite module with their rewrite maps, and `httpRedirect`. Rules are tried
 * in their order, and compare paths without case. Reads the file once more for the rules that use maps.
 */
import { invalid } from '../../../../vocabulary/error.ts';
import type { TextFile } from '../physical-lines.ts';
import {
  type Finding,
  inexact,
  type ServerContext,
  type Statement,
  type StatementReader,
  statementText,
} from '../statement.ts';
import { readHttpRedirect } from './http-redirect.ts';
import { type Element, readAction, readRule } from './iis-rule.ts';
import { mapEntry, mapIssue, type MapUse, mapUseOf, type NoUse } from './rewrite-map.ts';
import { xmlTags } from './xml-tags.ts';

/** An element with the elements around it. */
interface Placed {
  element: Element;
  parents: readonly Element[];
}

const MAX_ELEMENTS = 200;
/** Elements that are read with their content. */
const WHOLE = new Set(['rule', 'httpRedirect']);

/** Yields each `rule` and `httpRedirect` when it ends, and any other element when it begins, without its children. */
async function* elements(file: TextFile, onRead?: (bytes: number) => void): AsyncGenerator<Placed[]> {
  const parents: Element[] = [];
  let whole: Element[] = [];
  let size = 0;
  for await (const tags of xmlTags(file, onRead)) {
    const found: Placed[] = [];
    for (const { line, name, attributes, text } of tags) {
      const [root] = whole;
      if (root && text !== '') root.text += ` ${text}`;
      if (!attributes) {
        const ended = whole.pop();
        if (!ended) parents.pop();
        else if (whole.length === 0) found.push({ element: ended, parents: [...parents] });
        continue;
      }
      const element: Element = { line, name, attributes, children: [], text };
      if (!root && !WHOLE.has(name)) {
        found.push({ element, parents: [...parents] });
        parents.push(element);
        continue;
      }
      size = root ? size + 1 : 0;
      if (size > MAX_ELEMENTS)
        throw invalid('file', `line ${root?.line ?? line}: an element has over ${MAX_ELEMENTS} others`);
      whole.at(-1)?.children.push(element);
      whole = [...whole, element];
    }
    yield found;
  }
}

export const readIis: StatementReader = async function* (file, context, onRead) {
  const uses = await readMapUses(file);
  let phase = 0;
  for await (const placed of elements(file, onRead)) {
    yield placed.flatMap(({ element, parents }): Statement[] => {
      if (element.name === 'rule') phase++;
      const found = readElement(element, parents, uses, context, phase);
      return found ? [{ line: element.line, text: statementText(element.text), found }] : [];
    });
  }
};

/** How rules use maps, by name. A map of several rules belongs to the first one, which answers. */
async function readMapUses(file: TextFile): Promise<Map<string, MapUse | NoUse>> {
  const uses = new Map<string, MapUse | NoUse>();
  let phase = 0;
  for await (const placed of elements(file)) {
    for (const { element } of placed.filter(({ element: { name } }) => name === 'rule')) {
      phase++;
      const found = mapUseOf(element, readAction(element), phase);
      if (found && !uses.has(found.map)) uses.set(found.map, found.use);
    }
  }
  return uses;
}

/** Returns undefined for elements around others, and for those inside of ignored ones. */
function readElement(
  element: Element,
  parents: readonly Element[],
  uses: ReadonlyMap<string, MapUse | NoUse>,
  context: ServerContext,
  phase: number,
): Finding | undefined {
  const { name, attributes } = element;
  const parent = parents.at(-1);
  const folder = parents.map((each) => (each.name === 'location' ? (each.attributes.get('path') ?? '') : '')).join('');
  const path = folder === '' || folder === '.' ? '' : `/${folder.replace(/^\/|\/$/g, '')}`;
  if (name === 'httpRedirect') return readHttpRedirect(element, path);
  if (attributes.has('configSource') && parents.some((each) => each.name === 'rewrite'))
    return inexact(`the rules are in the file ${attributes.get('configSource') ?? ''}; import that file`);
  if (name === 'rule') {
    if (parent?.name !== 'rules' && parent?.name !== 'globalRules') return undefined;
    const action = readAction(element);
    const use = mapUseOf(element, action, phase)?.use;
    if (!('url' in action)) return action;
    if (use) return 'before' in use ? undefined : use;
    return path === ''
      ? readRule(element, action, context, phase)
      : inexact('a rule inside a location cannot be imported');
  }
  if (name === 'rewriteMap') return mapIssue(attributes.get('name') ?? '', attributes, uses);
  const use = parent?.name === 'rewriteMap' ? uses.get(parent.attributes.get('name') ?? '') : undefined;
  if (name === 'add' && parent && use && 'before' in use) return mapEntry(attributes, parent.attributes, use);
  const isSection = parent?.name === 'system.webServer' ? name !== 'rewrite' : parent?.name === 'configuration';
  const isOther = isSection && name !== 'system.webServer' && name !== 'location';
  return isOther || name === 'outboundRules' ? { ignored: name } : undefined;
}
